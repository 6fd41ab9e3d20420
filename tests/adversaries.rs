//! Hostile requests: webs of references, budgets that run out, strings that cost. Each is answered
//! with a verdict, *undecided* or a refusal, and the verdict alone agrees with the full report.

mod common;

use common::Aov;
use serde_json::{Map, Value, json};

const PASS: i32 = 0;
const FAIL: i32 = 1;
const REFUSED: i32 = 2;
const UNDECIDED: i32 = 3;

/// Checks a request's status in every format, and without a report.
#[track_caller]
fn comes_to(status: i32, name: &str, request: &str) {
    for options in [&["--format", "json"][..], &["--format", "human"], &["--quiet"]] {
        let arguments = [&["verify", "--request", "-"], options].concat();
        let run = Aov::new(&arguments).input(request).run();
        assert_eq!(run.status, status, "{name} {options:?}: {}{}", run.stdout, run.stderr);
    }
}

fn request(schema: &Value, output: &Value) -> String {
    json!({"task_id": "t", "expected_schema": schema, "submitted_output": output}).to_string()
}

#[track_caller]
fn judged(status: i32, name: &str, schema: &Value, output: &Value) {
    comes_to(status, name, &request(schema, output));
}

fn reference(name: impl std::fmt::Display) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// `$defs` in which each rung leads twice to the next lower one: 2^height ways to the leaf `0`,
/// and the entry at the top.
fn ladder(keyword: &str, height: usize, leaf: &Value) -> (Map<String, Value>, Value) {
    let mut defs = Map::new();
    defs.insert("0".to_owned(), leaf.clone());
    for rung in 1..=height {
        let lower = reference(rung - 1);
        defs.insert(rung.to_string(), json!({keyword: [lower, lower]}));
    }
    (defs, reference(height))
}

/// The same where no pair of subschema and value has one outcome whatever the way to it.
fn dynamic_ladder(keyword: &str, height: usize, leaf: &Value) -> (Map<String, Value>, Value) {
    let (mut defs, top) = ladder(keyword, height, leaf);
    defs.insert(
        "dynamic".to_owned(),
        json!({"$dynamicAnchor": "a", "properties": {"p": {"$dynamicRef": "#a"}}}),
    );
    (defs, top)
}

fn with_defs(defs: &Map<String, Value>, mut schema: Value) -> Value {
    schema["$defs"] = json!(defs);
    schema
}

/// A chain of references as long as asked for, with something around each.
fn chain(length: usize, around: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for link in 0..length {
        defs.insert(link.to_string(), around(reference(link + 1)));
    }
    defs.insert(length.to_string(), json!({"type": "string"}));
    with_defs(&defs, reference(0))
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inner, _| json!({"c": inner}))
}

/// Members `k00000`, `k00001`, … .
fn members(count: usize, value: &Value) -> Value {
    let names = (0..count).map(|number| (format!("k{number:05}"), value.clone()));
    Value::Object(names.collect())
}

#[test]
fn webs_of_references_cost_their_pairs() {
    for (keyword, on_string, on_number) in
        [("allOf", PASS, FAIL), ("anyOf", PASS, FAIL), ("oneOf", FAIL, FAIL)]
    {
        let (defs, top) = ladder(keyword, 40, &json!({"type": "string"}));
        let schema = with_defs(&defs, top);
        judged(on_string, keyword, &schema, &json!("s"));
        judged(on_number, keyword, &schema, &json!(0));
    }
    let (defs, top) = ladder("anyOf", 40, &json!({"type": "string"}));
    let names = with_defs(&defs, json!({"propertyNames": top}));
    judged(PASS, "names", &names, &members(50, &json!(0)));
    let contains = with_defs(&defs, json!({"contains": top}));
    judged(FAIL, "contains", &contains, &json!([0, 1, 2]));
    judged(PASS, "contains", &contains, &json!([0, "s"]));
}

#[test]
fn recursive_unions_over_deep_outputs() {
    let branches = json!([
        {"type": "string"},
        {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": ["c", "d"]},
        {"properties": {"c": {"$ref": "#"}}, "type": ["object", "null"]},
    ]);
    for keyword in ["anyOf", "oneOf"] {
        let schema = json!({keyword: branches});
        judged(FAIL, keyword, &schema, &nested(60));
    }
    let everything = json!({"anyOf": [{"properties": {"c": {"$ref": "#"}}}]});
    judged(PASS, "everything", &everything, &nested(60));
}

#[test]
fn what_no_budget_pays_for_is_undecided_wherever_it_stands() {
    // A chain beyond the levels that are walked: as undecided as a web, and sooner so.
    let Value::Object(defs) = chain(1100, |next| next)["$defs"].take() else {
        unreachable!("a chain has definitions")
    };
    let web = reference(0);
    for (name, schema) in [
        ("plain", json!({"allOf": [web]})),
        ("not", json!({"not": web})),
        ("not not", json!({"not": {"not": web}})),
        ("anyOf", json!({"anyOf": [web, false]})),
        ("oneOf", json!({"oneOf": [true, web]})),
        ("if", json!({"if": web, "then": false})),
        ("else", json!({"if": web, "else": false})),
        ("items", json!({"items": web})),
        ("contains", json!({"contains": web})),
        ("unevaluatedItems", json!({"unevaluatedItems": web})),
    ] {
        let schema = with_defs(&defs, schema);
        judged(UNDECIDED, name, &schema, &json!([0]));
    }
    for (name, schema) in [
        ("propertyNames", json!({"propertyNames": {"not": web}})),
        ("properties", json!({"properties": {"a": web}})),
        ("patternProperties", json!({"patternProperties": {"a": web}})),
        ("additionalProperties", json!({"additionalProperties": web})),
        ("unevaluatedProperties", json!({"unevaluatedProperties": web})),
    ] {
        let schema = with_defs(&defs, schema);
        judged(UNDECIDED, name, &schema, &json!({"a": 0}));
    }
}

#[test]
fn a_certain_outcome_needs_no_budget() {
    let (defs, web) = dynamic_ladder("anyOf", 30, &json!({"type": "string"}));
    let certain = with_defs(&defs, json!({"allOf": [{"type": "array"}, web]}));
    judged(FAIL, "type first", &certain, &json!(0));
    let certain = with_defs(&defs, json!({"anyOf": [true, web]}));
    judged(PASS, "true first", &certain, &json!(0));
    let arguments = ["verify", "--request", "-", "--quiet"];
    let open = with_defs(&defs, json!({"not": web}));
    let run = Aov::new(&arguments).input(request(&open, &json!(0))).run();
    assert_eq!(run.status, UNDECIDED);
}

#[test]
fn an_expression_beyond_its_budget_is_undecided_wherever_it_stands() {
    const COSTLY: &str = "^(a*)*\\1\\1b";
    let costly = json!({"pattern": COSTLY});
    let text = "a".repeat(20_000);
    for (status, name, schema) in [
        (UNDECIDED, "plain", costly.clone()),
        (UNDECIDED, "not", json!({"not": costly})),
        (UNDECIDED, "not not", json!({"not": {"not": costly}})),
        (UNDECIDED, "anyOf", json!({"anyOf": [costly, false]})),
        (PASS, "anyOf true", json!({"anyOf": [costly, true]})),
        (UNDECIDED, "oneOf", json!({"oneOf": [costly, true]})),
        (FAIL, "oneOf two", json!({"oneOf": [true, costly, true]})),
        (UNDECIDED, "if", json!({"if": costly, "then": false})),
        (FAIL, "failed beside", json!({"allOf": [costly, {"type": "null"}]})),
    ] {
        judged(status, name, &schema, &json!(text));
    }
    for (status, name, schema) in [
        (UNDECIDED, "contains", json!({"contains": costly})),
        (FAIL, "contains two", json!({"contains": costly, "minContains": 2})),
        (PASS, "contains none", json!({"contains": costly, "minContains": 0})),
        (
            UNDECIDED,
            "contains at most none",
            json!({"contains": costly, "minContains": 0, "maxContains": 0}),
        ),
        (
            UNDECIDED,
            "unevaluatedItems",
            json!({"contains": costly, "minContains": 0, "unevaluatedItems": false}),
        ),
    ] {
        judged(status, name, &schema, &json!([text]));
    }
    let by_name = json!({COSTLY: true});
    for (name, schema) in [
        ("propertyNames", json!({"propertyNames": costly})),
        ("patternProperties", json!({"patternProperties": {COSTLY: false}})),
        (
            "additionalProperties",
            json!({"patternProperties": by_name, "additionalProperties": false}),
        ),
        (
            "unevaluatedProperties",
            json!({"patternProperties": by_name, "unevaluatedProperties": false}),
        ),
        (
            "not unevaluatedProperties",
            json!({"not": {"patternProperties": by_name, "unevaluatedProperties": false}}),
        ),
    ] {
        judged(UNDECIDED, name, &schema, &json!({text.as_str(): 1}));
    }
}

#[test]
fn chains_end_in_a_verdict_or_undecided() {
    judged(FAIL, "short", &chain(300, |next| next), &json!(0));
    judged(PASS, "short", &chain(300, |next| next), &json!("s"));
    judged(UNDECIDED, "long", &chain(2000, |next| next), &json!("s"));
    let negated = |length| chain(length, |next| json!({"not": next}));
    judged(PASS, "even", &negated(100), &json!("s"));
    judged(FAIL, "odd", &negated(101), &json!("s"));
    judged(UNDECIDED, "not", &negated(2000), &json!("s"));
    let chosen = |next: Value| json!({"if": next, "then": next, "else": next});
    judged(UNDECIDED, "if", &chain(2000, chosen), &json!("s"));
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = chain(2000, |next| json!({keyword: [next]}));
        judged(UNDECIDED, keyword, &schema, &json!("s"));
    }
}

#[test]
fn references_that_consume_nothing_are_refused() {
    for (name, schema) in [
        ("self", json!({"$ref": "#"})),
        ("not", json!({"not": {"$ref": "#"}})),
        ("dependent", json!({"dependentSchemas": {"a": {"$ref": "#"}}})),
        ("unused", json!({"$defs": {"a": {"$ref": "#/$defs/a"}}})),
    ] {
        judged(REFUSED, name, &schema, &json!({}));
    }
    let consuming = json!({"additionalProperties": {"$ref": "#"}, "type": "object"});
    judged(PASS, "consuming", &consuming, &json!({"a": {"b": {}}}));
    // Where it leads is known on the way only: no verdict either.
    let dynamic = json!({
        "$id": "http://a/", "$dynamicAnchor": "n", "$ref": "b",
        "$defs": {"b": {
            "$id": "b", "$dynamicRef": "#n",
            "$defs": {"leaf": {"$dynamicAnchor": "n", "type": "integer"}},
        }},
    });
    for schema in [json!({"not": dynamic}), dynamic] {
        let arguments = ["verify", "--request", "-", "--quiet"];
        let run = Aov::new(&arguments).input(request(&schema, &json!(1))).run();
        assert!([REFUSED, UNDECIDED].contains(&run.status), "{}", run.status);
    }
}

#[test]
fn every_finding_is_counted_and_few_are_listed() {
    let schema = json!({"items": {"allOf": vec![json!({"type": "string"}); 30]}});
    let output = json!(vec![0; 1000]);
    let run = Aov::new(&["verify", "--request", "-", "--format", "json"])
        .input(request(&schema, &output))
        .run();
    assert_eq!(run.status, FAIL);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["schema_compliance"]["total"], 30_000);
    assert_eq!(report["schema_compliance"]["passed"], 0);
    assert_eq!(report["errors"].as_array().unwrap().len(), 100);
}

/// Pairs are remembered in long walks only; what they come to must not depend on it.
#[test]

fn remembering_changes_no_explanation() {
    let base = json!({
        "type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}},
    });
    let schema = json!({
        "properties": {
            "log": {"items": {"properties": {"n": {"type": "integer"}}}},
            "x": {"anyOf": [{"$ref": "#/$defs/base"}, {"type": "array"}]},
        },
        "allOf": [{"properties": {"x": {"anyOf": [{"$ref": "#/$defs/base"}, false]}}}],
        "$defs": {"base": base},
    });
    let errors = |entries: usize| {
        let output = json!({"log": vec![json!({"n": 1}); entries], "x": {"id": "7"}});
        let run = Aov::new(&["verify", "--request", "-", "--format", "json"])
            .input(request(&schema, &output))
            .run();
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["errors"].clone()
    };
    let few = errors(1);
    assert_eq!(few.as_array().unwrap().len(), 2);
    assert_eq!(errors(30_000), few);
}

#[test]
fn names_without_likeness_are_explained() {
    let names: Vec<String> = (0..60).map(|number| format!("a{number:07}")).collect();
    let output = Value::Object((0..60).map(|n| (format!("zzzzz{n:03}"), json!(0))).collect());
    judged(FAIL, "required", &json!({"required": names}), &output);
    let declared = json!({"properties": members(60, &json!(true)), "additionalProperties": false});
    judged(FAIL, "additional", &declared, &output);
    let every = json!({"items": declared});
    judged(FAIL, "often", &every, &json!(vec![output; 20]));
}

#[test]
fn branches_that_nest_wide_are_explained() {
    let mut defs = Map::new();
    defs.insert("0".to_owned(), json!({"type": "string"}));
    for level in 1..=4 {
        let lower = vec![reference(level - 1); 12];
        defs.insert(level.to_string(), json!({"allOf": lower}));
    }
    let schema = with_defs(&defs, json!({"anyOf": [reference(4)]}));
    judged(FAIL, "allOf", &schema, &json!(5));
    let inner = json!({"anyOf": vec![json!({"type": "string"}); 100]});
    let nested = (0..20).fold(inner, |inner, _| json!({"oneOf": [inner, {"type": "null"}]}));
    judged(FAIL, "unions", &json!({"items": nested}), &json!(vec![0; 150]));
}

#[test]
fn equal_beginnings_and_many_values() {
    let objects: Vec<Value> = (0..800).map(|n| json!({"a": 0, "b": n})).collect();
    judged(PASS, "unique", &json!({"uniqueItems": true}), &json!(objects));
    let enumerated = json!({"enum": objects});
    judged(FAIL, "enum", &enumerated, &json!({"b": 0}));
    judged(PASS, "enum", &enumerated, &json!({"b": 799, "a": 0.0}));
    let twice = json!([1e22, 10.0, {"a": 1, "b": [2]}, {"b": [2.0], "a": 1.0}]);
    judged(FAIL, "twice", &json!({"uniqueItems": true}), &twice);
    let required: Vec<String> = (0..800).map(|n| format!("k{n:05}")).collect();
    let required = json!({"required": required});
    judged(PASS, "required", &required, &members(800, &json!(0)));
}

#[test]
fn rules_in_great_number() {
    let output = json!({"a": vec![json!({"t": 8, "b": vec![json!({"c": [1, 1]}); 4]}); 20]});
    let sum = json!({
        "type": "sum_equals", "field": "a[].b[].c[]", "equals_field": "a[].t",
    });
    let sums = vec![sum; 100];
    let with = |rules: Value, output: &Value| {
        json!({
            "task_id": "t", "expected_schema": true, "submitted_output": output, "rules": rules,
            "enforce_rules": true,
        })
        .to_string()
    };
    comes_to(PASS, "sums", &with(json!(sums), &output));
    let unique = json!(vec![json!({"type": "unique", "field": "a[]"}); 300]);
    let distinct = json!({"a": (0..500).collect::<Vec<_>>()});
    comes_to(PASS, "unique", &with(unique.clone(), &distinct));
    comes_to(FAIL, "repeated", &with(unique, &json!({"a": vec![0; 500]})));
    let among = json!([{"type": "exists_in", "field": "a[]", "in_field": "b[]"}]);
    let lists = json!({"a": (0..900).collect::<Vec<_>>(), "b": (1..900).collect::<Vec<_>>()});
    comes_to(FAIL, "exists_in", &with(among, &lists));
    // More work than any budget pays for, and no failure: nobody's verdict.
    let flood = json!(vec![json!({"type": "unique", "field": "a[]"}); 1500]);
    let wide = json!({"a": (0..3000).collect::<Vec<_>>()});
    comes_to(UNDECIDED, "flood", &with(flood, &wide));
    // So is passing over elements again and again.
    let last = |count: usize| {
        let rule = json!({"type": "gte", "field": "a[19999]", "value": 0});
        with(json!(vec![rule; count]), &json!({"a": vec![1; 20_000]}))
    };
    comes_to(PASS, "the last one", &last(1000));
    comes_to(UNDECIDED, "the last one over and over", &last(6000));
}

#[test]
fn long_numbers() {
    let nines = "9".repeat(4300);
    let text = format!(
        r#"{{"task_id": "t", "expected_schema": {{"multipleOf": {sevens}}},
             "submitted_output": {nines}}}"#,
        sevens = "7".repeat(4300)
    );
    comes_to(FAIL, "multipleOf", &text);
    let rules = r#"[{"type": "sum_equals", "field": "a[]", "equals_field": "b"}]"#;
    for (status, sum) in [(PASS, format!("1{}8", "9".repeat(4299))), (FAIL, nines.clone())] {
        // Twice 10^4300 - 1 has one digit more than a literal may have.
        let (a, status) = if sum.len() > 4300 {
            (format!("{nines},{nines}"), REFUSED)
        } else {
            (format!("{nines},1"), status)
        };
        let text = format!(
            r#"{{"task_id": "t", "expected_schema": true, "enforce_rules": true,
                 "rules": {rules}, "submitted_output": {{"a": [{a}], "b": {sum}}}}}"#
        );
        comes_to(status, "sum", &text);
    }
    let divided = json!({"items": {"multipleOf": 5e-324}});
    judged(PASS, "doubles", &divided, &json!(vec![1e308; 200]));
}

/// The meta-schema does not look below an unknown keyword; a reference into it makes a schema.
#[test]

fn an_invalid_schema_is_refused_wherever_a_reference_finds_it() {
    for schema in [
        json!({"allOf": {"type": "string"}}),
        json!({"anyOf": 7}),
        json!({"oneOf": []}),
        json!({"properties": [{"type": "string"}]}),
        json!({"patternProperties": [1]}),
        json!({"prefixItems": {"type": "string"}}),
        json!({"dependentRequired": ["a"]}),
        json!({"dependentSchemas": [1]}),
        json!({"uniqueItems": "true"}),
        json!({"format": 5}),
        json!({"type": []}),
        json!({"$id": 5}),
        json!({"$anchor": 5}),
        json!({"$defs": 5}),
    ] {
        for place in ["x-unknown", "default"] {
            let around = json!({place: schema, "$ref": format!("#/{place}")});
            judged(REFUSED, &schema.to_string(), &around, &json!({"a": 1}));
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let around = |output: &str| {
        format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#)
    };
    comes_to(REFUSED, "deep", &around(&"[".repeat(20_000)));
    comes_to(REFUSED, "long number", &around(&"9".repeat(20_000)));
    let names: Vec<String> = (0..800).map(|number| format!("\"k{number}\": 0")).collect();
    let twice = format!("{{{}, \"k0\": 1}}", names.join(", "));
    comes_to(REFUSED, "twice", &around(&twice));
    let large = vec![json!({"pattern": "(?:.{1000}){40}"}); 50];
    judged(REFUSED, "large", &json!({"allOf": large}), &json!(""));
    let nowhere: Vec<Value> = (0..300).map(reference).collect();
    judged(REFUSED, "nowhere", &json!({"allOf": nowhere}), &json!(""));
    let twins = json!({"$defs": {"a": {"$id": "http://a/"}, "b": {"$id": "http://a/"}}});
    judged(REFUSED, "twins", &twins, &json!(""));
}

#[test]
fn strings_made_to_cost() {
    for (name, part) in [
        ("fences", "```json\n{"),
        ("closed fences", "```json\n[1]\n"),
        ("ticks", "`"),
        ("templates", "{{a"),
        ("dollars", "${"),
        ("angles", "<["),
        ("brackets", "["),
        ("quotes", "\\\""),
        ("joiners", "\u{200d}"),
        ("families", "\u{1f469}\u{200d}"),
        ("damage", "\u{c3}\u{a9}\u{e2}\u{20ac}\u{2122}"),
    ] {
        let text = part.repeat(4000);
        judged(PASS, name, &json!(true), &json!(text));
        judged(FAIL, name, &json!({"type": "object"}), &json!(text));
    }
    let mut inside = "{\"a\": 1}".to_owned();
    while inside.len() < 10_000 {
        inside = json!(inside).to_string();
    }
    judged(PASS, "encoded", &json!(true), &json!(inside));
}
