//! Properties that hold for any input, tried on random ones.

mod common;
#[path = "properties/counter.rs"]
mod counter;
#[path = "properties/integrity.rs"]
mod integrity;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use agent_output_verifier::digest::Digest;
use agent_output_verifier::jcs;
use agent_output_verifier::json::{Document, ReadErrorKind, Value as Node};
use agent_output_verifier::path::{FieldPath, Reached};
use agent_output_verifier::report::{Report, Verdict};
use agent_output_verifier::request::{Request, Requirements, Supplied};
use agent_output_verifier::schema::{Draft, Schema};
use agent_output_verifier::verify::{conclude, verdict, verdict_by_element, verify};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

/// So many cases, unless `PROPTEST_CASES` asks for more or fewer.
fn runner(cases: u32) -> TestRunner {
    let asked = std::env::var("PROPTEST_CASES").ok();
    TestRunner::new(Config {
        cases: asked.and_then(|asked| asked.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 4096,
        ..Config::default()
    })
}

/// A JSON value as text can have it: numbers as they are written, members in their order.
#[derive(Clone, Debug)]
enum Json {
    Literal(&'static str),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Choices of spelling, taken one after the other, round and round.
struct Spelling<'a> {
    choices: &'a [u8],
    at: usize,
}

impl Spelling<'_> {
    fn next(&mut self) -> u8 {
        self.at += 1;
        self.choices[self.at % self.choices.len()]
    }

    fn space(&mut self, out: &mut String) {
        *out += ["", "", " ", "\n", "\t \r\n"][usize::from(self.next()) % 5];
    }

    fn string(&mut self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            let short = match c {
                '"' => Some("\\\""),
                '\\' => Some("\\\\"),
                '\n' => Some("\\n"),
                '\u{8}' => Some("\\b"),
                '/' => Some("\\/"),
                _ => None,
            };
            match (self.next() % 4, short) {
                (0 | 1, Some(short)) => *out += short,
                (2, _) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        *out += &format!("\\u{unit:04x}");
                    }
                }
                _ if c < ' ' || c == '"' || c == '\\' => *out += &format!("\\u{:04X}", c as u32),
                _ => out.push(c),
            }
        }
        out.push('"');
    }
}

impl Json {
    fn text(&self, choices: &[u8]) -> String {
        let mut out = String::new();
        self.write(&mut Spelling { choices, at: 0 }, &mut out);
        out
    }

    fn write(&self, spelling: &mut Spelling<'_>, out: &mut String) {
        spelling.space(out);
        match self {
            Json::Literal(text) => *out += text,
            Json::Number(text) => *out += text,
            Json::String(text) => spelling.string(text, out),
            Json::Array(elements) => {
                out.push('[');
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    element.write(spelling, out);
                }
                spelling.space(out);
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                // Any order will do: begin somewhere, go either way.
                let count = members.len();
                let (start, backwards) = (usize::from(spelling.next()), spelling.next() < 128);
                for place in 0..count {
                    let turned = if backwards { count - 1 - place } else { place };
                    let (name, value) = &members[(start + turned) % count];
                    if place > 0 {
                        out.push(',');
                    }
                    spelling.space(out);
                    spelling.string(name, out);
                    spelling.space(out);
                    out.push(':');
                    value.write(spelling, out);
                }
                spelling.space(out);
                out.push('}');
            }
        }
        spelling.space(out);
    }

    /// The same with a name for every member: no path leads to one whose name is empty.
    fn named(self) -> Json {
        match self {
            Json::Array(elements) => Json::Array(elements.into_iter().map(Json::named).collect()),
            Json::Object(members) => {
                let named = members.into_iter().map(|(name, value)| {
                    let name = if name.is_empty() { "no name".to_owned() } else { name };
                    (name, value.named())
                });
                Json::Object(named.collect())
            }
            leaf => leaf,
        }
    }

    /// Values that are not `null`, at every depth.
    fn non_nulls(&self) -> usize {
        match self {
            Json::Literal("null") => 0,
            Json::Array(elements) => 1 + elements.iter().map(Json::non_nulls).sum::<usize>(),
            Json::Object(members) => {
                1 + members.iter().map(|(_, value)| value.non_nulls()).sum::<usize>()
            }
            _ => 1,
        }
    }
}

fn number() -> impl Strategy<Value = String> {
    let odd = [
        "0",
        "-0",
        "-0.0",
        "1.50",
        "1E2",
        "1e+2",
        "0.1e-7",
        "5e-324",
        "1e-400",
        "1e21",
        "1e20",
        "9007199254740993",
        "123456789012345680000.0",
        "1.7976931348623157e308",
    ];
    let double =
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |double| double.is_finite());
    prop_oneof![
        select(odd.to_vec()).prop_map(str::to_owned),
        any::<i32>().prop_map(|integer| integer.to_string()),
        any::<i64>().prop_map(|integer| integer.to_string()),
        "-?[1-9][0-9]{0,60}",
        "-?(0|[1-9][0-9]{0,4})\\.[0-9]{1,20}([eE][+-]?[0-9]{1,2})?",
        double.prop_map(|double| format!("{double:e}")),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let odd = [
        "", "a.b", "[0]", "$", "$.a", "\\", "\"", "/", "é", "e\u{301}", "\u{ffff}", "🍏",
        "\u{e000}", "\u{80}", "\0", "\u{7f}", "\u{2028}", "10", "9", "\r\n",
    ];
    prop_oneof![
        select(odd.to_vec()).prop_map(str::to_owned),
        "[a-c]{1,2}",
        vec(any::<char>(), 0..6).prop_map(|chars| chars.into_iter().collect()),
    ]
}

fn members<T: Clone>(members: Vec<(String, T)>) -> Vec<(String, T)> {
    let mut unique: Vec<(String, T)> = Vec::new();
    for member in members {
        if !unique.iter().any(|(name, _)| *name == member.0) {
            unique.push(member);
        }
    }
    unique
}

fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        select(&["null", "true", "false"][..]).prop_map(Json::Literal),
        number().prop_map(Json::Number),
        string().prop_map(Json::String),
    ];
    let tree = leaf.prop_recursive(6, 40, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Json::Array),
            // More members than an object that is searched one by one has.
            vec((string(), inner), 0..24).prop_map(|list| Json::Object(members(list))),
        ]
    });
    // A chain of arrays around it, up to the deepest that serde_json reads too.
    (tree, prop_oneof![8 => 0..3usize, 1 => 0..110usize]).prop_map(|(tree, levels)| {
        (0..levels).fold(tree, |inner, level| match level % 2 {
            0 => Json::Array(vec![inner]),
            _ => Json::Object(vec![("n".to_owned(), inner)]),
        })
    })
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 1..40)
}

/// Whether two values are one, numbers by value: `-0`, `0` and `0.0` differ for serde_json.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(name, x)| y.get(name).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

#[test]
fn canonicalising_is_idempotent_and_spelling_is_irrelevant() {
    let inputs = (json_value(), choices(), choices());
    runner(400)
        .run(&inputs, |(value, one, other)| {
            let text = value.text(&one);
            let document = Document::parse(text.as_bytes()).expect(&text);
            let canonical = jcs::to_vec(document.root());
            let again = Document::parse(&canonical).unwrap();
            prop_assert_eq!(&jcs::to_vec(again.root()), &canonical);

            let respelt = value.text(&other);
            let respelt = Document::parse(respelt.as_bytes()).expect(&respelt);
            prop_assert_eq!(&jcs::to_vec(respelt.root()), &canonical);
            prop_assert_eq!(Digest::of(respelt.root()), Digest::of(document.root()));

            let theirs: Value = serde_json::from_str(&text).unwrap();
            let ours: Value = serde_json::from_slice(&canonical).unwrap();
            prop_assert!(same(&ours, &theirs), "{ours} is not {theirs}");
            Ok(())
        })
        .unwrap();
}

/// One way to damage a text, at a place in thousandths of its length.
fn damage() -> impl Strategy<Value = (u16, u8, u8)> {
    (0..1000u16, 0..5u8, any::<u8>())
}

fn damaged(text: &str, damages: &[(u16, u8, u8)]) -> Vec<u8> {
    let syntax = b"{}[],:\"\\ue+-.0129 ntf/\n\x00\x7f\xc3\xa9\xed\xa0\xff";
    let mut bytes = text.as_bytes().to_vec();
    for &(place, kind, byte) in damages {
        let at = usize::from(place) * bytes.len() / 1000;
        let byte = syntax[usize::from(byte) % syntax.len()];
        match kind {
            _ if at >= bytes.len() => bytes.push(byte),
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, byte),
            2 => bytes[at] = byte,
            3 => bytes.truncate(at),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

#[test]
fn the_reader_agrees_with_serde_json_but_for_known_strictness() {
    let (accepted, refused) = (Cell::new(0u32), Cell::new(0u32));
    let inputs = (json_value(), choices(), vec(damage(), 0..3));
    runner(1500)
        .run(&inputs, |(value, choices, damages)| {
            let bytes = damaged(&value.text(&choices), &damages);
            let theirs = serde_json::from_slice::<Value>(&bytes);
            match (Document::parse(&bytes), theirs) {
                (Ok(document), Ok(theirs)) => {
                    accepted.set(accepted.get() + 1);
                    let ours: Value =
                        serde_json::from_slice(&jcs::to_vec(document.root())).unwrap();
                    prop_assert!(same(&ours, &theirs), "{ours} is not {theirs}");
                }
                (Err(_), Err(_)) => refused.set(refused.get() + 1),
                (Ok(_), Err(error)) => {
                    // 1e400 is refused by both; only integers are exact here and go further.
                    prop_assert!(
                        error.to_string().starts_with("number out of range"),
                        "serde_json refuses: {error}: {}",
                        String::from_utf8_lossy(&bytes)
                    );
                }
                (Err(error), Ok(_)) => {
                    let strict = matches!(error.kind, ReadErrorKind::DuplicateMember(_));
                    prop_assert!(strict, "refused: {error}: {}", String::from_utf8_lossy(&bytes));
                }
            }
            Ok(())
        })
        .unwrap();
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(
        accepted * 5 > refused && refused * 5 > accepted,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn the_known_strictness_is_all_there_is() {
    let deep = "[".repeat(129) + &"]".repeat(129);
    let long = "1".repeat(4301);
    for (text, ours) in [
        (r#"{"a":1,"\u0061":2}"#, false),
        // serde_json has limits of its own where these are concerned.
        (&deep, false),
        (&long, false),
        ("\u{feff}1", true),
        (&long[1..], true),
        (&deep[1..deep.len() - 1], true),
    ] {
        assert_eq!(Document::parse(text.as_bytes()).is_ok(), ours, "{text}");
    }
}

/// What node prints for a JSON text; `None` where there is no node.
fn by_node(text: &str) -> Option<String> {
    node(
        "process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0,'utf8'))))",
        text,
    )
}

/// What a script for node prints for an input.
fn node(script: &str, text: &str) -> Option<String> {
    let spawned = Command::new("node")
        .args(["-e", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = spawned.ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn doubles_and_integers_round_trip_as_ecmascript_prints_them() {
    let mut runner = runner(1);
    let mut literals = Vec::new();
    let double = prop_oneof![
        3 => any::<u64>().prop_map(f64::from_bits),
        // Of everyday size, where the switch between the two notations is.
        2 => (any::<i32>(), -12..12i32).prop_map(|(m, e)| f64::from(m) * 10f64.powi(e)),
        1 => (any::<u32>(), 18..24i32).prop_map(|(m, e)| f64::from(m) * 10f64.powi(e - 9)),
    ];
    let integer = -9_007_199_254_740_991..=9_007_199_254_740_991i64;
    while literals.len() < 2000 {
        let drawn = double.new_tree(&mut runner).unwrap().current();
        if drawn.is_finite() {
            literals.push(format!("{drawn:e}"));
        }
        if literals.len() % 5 == 0 {
            literals.push(integer.new_tree(&mut runner).unwrap().current().to_string());
        }
    }
    let mut canonical = Vec::new();
    for literal in &literals {
        let document = Document::parse(literal.as_bytes()).unwrap();
        let printed = String::from_utf8(jcs::to_vec(document.root())).unwrap();
        let value: f64 = literal.parse().unwrap();
        assert_eq!(printed.parse::<f64>().unwrap(), value, "{literal} printed {printed}");
        canonical.push(printed);
    }
    match by_node(&format!("[{}]", literals.join(","))) {
        Some(theirs) => {
            let theirs: Vec<&str> = theirs[1..theirs.len() - 1].split(',').collect();
            assert_eq!(canonical, theirs);
        }
        None => println!("skipped the comparison: there is no node here"),
    }
}

/// The same with doubles for integers beyond ±(2^53−1): those are exact here, and elsewhere not.
fn with_safe_integers(value: Json) -> Json {
    match value {
        Json::Number(text) => {
            let exact = text.parse::<i64>().is_ok_and(|n| n.unsigned_abs() < 1 << 53);
            let integer = !text.contains(['.', 'e', 'E']);
            Json::Number(if integer && !exact { text + "e0" } else { text })
        }
        Json::Array(elements) => {
            Json::Array(elements.into_iter().map(with_safe_integers).collect())
        }
        Json::Object(members) => Json::Object(
            members.into_iter().map(|(name, value)| (name, with_safe_integers(value))).collect(),
        ),
        leaf => leaf,
    }
}

/// The difference that [`with_safe_integers`] leaves out: they hold every number as a double.
#[test]
fn other_implementations_round_large_integers() {
    for (text, theirs) in [
        ("9007199254740993", "9007199254740992"),
        ("-123456789012345678901234", "-1.2345678901234569e+23"),
    ] {
        let document = Document::parse(text.as_bytes()).unwrap();
        assert_eq!(jcs::to_vec(document.root()), text.as_bytes());
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json_canonicalizer::to_string(&read).unwrap(), theirs);
        assert_eq!(serde_jcs::to_string(&read).unwrap(), theirs);
        if let Some(printed) = by_node(text) {
            assert_eq!(printed, theirs);
        }
    }
}

#[test]
fn canonical_bytes_agree_with_other_implementations() {
    let pairs = std::cell::RefCell::new(Vec::new());
    runner(2000)
        .run(&(json_value(), choices()), |(value, choices)| {
            let text = with_safe_integers(value).text(&choices);
            let document = Document::parse(text.as_bytes()).expect(&text);
            let ours = String::from_utf8(jcs::to_vec(document.root())).unwrap();
            let read: Value = serde_json::from_str(&text).unwrap();
            let one = serde_json_canonicalizer::to_string(&read).unwrap();
            prop_assert_eq!(&ours, &one, "serde_json_canonicalizer");
            let other = serde_jcs::to_string(&read).unwrap();
            prop_assert_eq!(&ours, &other, "serde_jcs");
            pairs.borrow_mut().push((text, ours));
            Ok(())
        })
        .unwrap();
    let (texts, ours): (Vec<_>, Vec<_>) = pairs.into_inner().into_iter().unzip();
    // The order of a sort in ECMAScript is that of UTF-16.
    let script = "const form = (value) => Array.isArray(value) ? `[${value.map(form)}]`
        : value === null || typeof value !== 'object' ? JSON.stringify(value)
        : `{${Object.keys(value).sort().map((n) => `${JSON.stringify(n)}:${form(value[n])}`)}}`;
        const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
        process.stdout.write(JSON.stringify(texts.map((text) => form(JSON.parse(text)))));";
    match node(script, &serde_json::to_string(&texts).unwrap()) {
        Some(theirs) => {
            let theirs: Vec<String> = serde_json::from_str(&theirs).unwrap();
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(ours, theirs, "node");
            }
            assert_eq!(ours.len(), theirs.len());
        }
        None => println!("skipped the comparison: there is no node here"),
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "ab", "x1"];
const STRINGS: [&str; 8] = ["", "a", "ab", "abc", "x1", "é", "aé", "10"];
const PATTERNS: [&str; 10] =
    ["^a", "b$", "a|x", "^[a-c]*$", "\\d", "^.$", "^$", "[^a]", "^a{1,2}$", "(ab)+"];

fn scalar() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        select(vec![-1, 0, 1, 2, 3, 4, 10]).prop_map(Value::from),
        select(vec![1.0, 1.5, 2.5, 0.25, 0.1, 4.02]).prop_map(Value::from),
        select(&STRINGS[..]).prop_map(Value::from),
    ]
    .boxed()
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec((select(&NAMES[..]), value), 0..4).prop_map(|list| {
        Value::Object(list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

fn instance() -> BoxedStrategy<Value> {
    scalar()
        .prop_recursive(3, 16, 4, |inner| {
            prop_oneof![vec(inner.clone(), 0..4).prop_map(Value::from), object(inner),]
        })
        .boxed()
}

/// Members that go into a schema together.
type Keywords = Vec<(&'static str, Value)>;

fn keyword(
    name: &'static str,
    value: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Keywords> {
    value.prop_map(move |value| vec![(name, value)]).boxed()
}

fn assertion() -> BoxedStrategy<Keywords> {
    let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let count = || (0..4u8).prop_map(Value::from);
    let limit = || select(vec![json!(0), json!(1), json!(1.5), json!(2), json!(3.0)]);
    let names = || subsequence(&NAMES[..], 1..3).prop_map(|names| json!(names));
    let unique = |list: Vec<Value>| {
        let mut kept: Vec<Value> = Vec::new();
        for value in list {
            if !kept.iter().any(|known| same(known, &value)) {
                kept.push(value);
            }
        }
        Value::from(kept)
    };
    prop_oneof![
        keyword("type", select(types.to_vec()).prop_map(Value::from)),
        keyword("type", subsequence(types.to_vec(), 1..5).prop_map(|types| json!(types))),
        keyword("enum", vec(instance(), 1..5).prop_map(unique)),
        keyword("const", scalar()),
        keyword("minimum", limit()),
        keyword("maximum", limit()),
        keyword("exclusiveMinimum", limit()),
        keyword("exclusiveMaximum", limit()),
        keyword("multipleOf", select(vec![json!(1), json!(2), json!(0.5), json!(0.01)])),
        keyword("minLength", count()),
        keyword("maxLength", count()),
        keyword("pattern", select(&PATTERNS[..]).prop_map(Value::from)),
        keyword("minItems", count()),
        keyword("maxItems", count()),
        keyword("uniqueItems", any::<bool>().prop_map(Value::from)),
        keyword("minProperties", count()),
        keyword("maxProperties", count()),
        keyword("required", names()),
        keyword(
            "dependentRequired",
            (select(&NAMES[..]), names()).prop_map(|(n, d)| json!({n: d}))
        ),
    ]
    .boxed()
}

fn applicator(inner: BoxedStrategy<Value>) -> BoxedStrategy<Keywords> {
    let one = || inner.clone();
    let list = || vec(one(), 1..4).prop_map(Value::from);
    let by_name = || object(one()).prop_filter("no empty table", |o| o != &json!({}));
    let by_pattern = vec((select(&PATTERNS[..]), one()), 1..3).prop_map(|list| {
        let members = list.into_iter().map(|(pattern, schema)| (pattern.to_owned(), schema));
        Value::Object(members.collect())
    });
    let condition = (one(), one(), one(), 0..3u8).prop_map(|(condition, then, other, which)| {
        let mut keywords = vec![("if", condition)];
        if which != 1 {
            keywords.push(("then", then));
        }
        if which != 2 {
            keywords.push(("else", other));
        }
        keywords
    });
    let contains = (one(), proptest::option::of(0..3u8), proptest::option::of(0..4u8)).prop_map(
        |(schema, min, max)| {
            let mut keywords = vec![("contains", schema)];
            keywords.extend(min.map(|min| ("minContains", json!(min))));
            keywords.extend(max.map(|max| ("maxContains", json!(max))));
            keywords
        },
    );
    let targets = ["#/$defs/a", "#/$defs/b", "#/$defs/c", "#"];
    prop_oneof![
        3 => keyword("properties", by_name()),
        2 => keyword("patternProperties", by_pattern),
        2 => keyword("additionalProperties", one()),
        2 => keyword("items", one()),
        1 => keyword("prefixItems", list()),
        2 => contains,
        1 => keyword("propertyNames", one()),
        2 => keyword("allOf", list()),
        2 => keyword("anyOf", list()),
        2 => keyword("oneOf", list()),
        1 => keyword("not", one()),
        2 => condition,
        1 => keyword("dependentSchemas", by_name()),
        2 => keyword("$ref", select(targets.to_vec()).prop_map(Value::from)),
        2 => keyword("unevaluatedProperties", one()),
        2 => keyword("unevaluatedItems", one()),
    ]
    .boxed()
}

fn merged(lists: Vec<Keywords>) -> Value {
    let members = lists.into_iter().flatten().map(|(name, value)| (name.to_owned(), value));
    Value::Object(members.collect())
}

fn subschema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        8 => vec(assertion(), 1..3).prop_map(merged),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        let keywords = prop_oneof![1 => assertion(), 2 => applicator(inner)];
        vec(keywords, 1..4).prop_map(merged)
    })
    .boxed()
}

/// A whole schema as 2020-12 has it, with three definitions.
fn schema() -> impl Strategy<Value = Value> {
    let body = subschema().prop_map(|body| match body {
        Value::Object(members) => members,
        _ => Map::new(),
    });
    (body, subschema(), subschema(), subschema()).prop_map(|(mut body, a, b, c)| {
        body.insert("$defs".to_owned(), json!({"a": a, "b": b, "c": c}));
        Value::Object(body)
    })
}

/// The same in an older dialect's words, as far as it has them.
fn in_dialect(schema: Value, draft: Draft) -> Value {
    let Value::Object(members) = schema else {
        return match schema {
            Value::Bool(true) if draft == Draft::Draft4 => json!({}),
            Value::Bool(false) if draft == Draft::Draft4 => json!({"not": {}}),
            other => other,
        };
    };
    let tuple = members.contains_key("prefixItems");
    let mut out = Map::new();
    for (name, value) in members {
        let value = match (name.as_str(), value) {
            ("enum" | "const" | "required" | "dependentRequired", value) => value,
            ("properties" | "patternProperties" | "dependentSchemas" | "$defs", value) => {
                let Value::Object(table) = value else { unreachable!() };
                let table = table.into_iter().map(|(name, value)| (name, in_dialect(value, draft)));
                Value::Object(table.collect())
            }
            ("$ref", Value::String(target)) if draft <= Draft::Draft7 => {
                target.replace("$defs", "definitions").into()
            }
            (_, Value::Array(list)) => {
                list.into_iter().map(|value| in_dialect(value, draft)).collect()
            }
            (_, value @ Value::Object(_)) => in_dialect(value, draft),
            ("uniqueItems", value) => value,
            (_, value @ Value::Bool(_)) => in_dialect(value, draft),
            (_, value) => value,
        };
        let name = match name.as_str() {
            "$defs" if draft <= Draft::Draft7 => "definitions",
            "prefixItems" if draft <= Draft::Draft201909 => "items",
            "items" if tuple && draft <= Draft::Draft201909 => "additionalItems",
            "dependentSchemas" | "dependentRequired" if draft <= Draft::Draft7 => "dependencies",
            "exclusiveMinimum" | "exclusiveMaximum" if draft == Draft::Draft4 => {
                // A modifier of the limit beside it there.
                out.insert(name.clone(), json!(true));
                let limit = if name == "exclusiveMinimum" { "minimum" } else { "maximum" };
                out.insert(limit.to_owned(), value);
                continue;
            }
            name => name,
        };
        out.insert(name.to_owned(), value);
    }
    Value::Object(out)
}

fn with_draft(schema: Value, draft: Draft) -> Value {
    let Value::Object(mut members) = in_dialect(schema, draft) else { unreachable!() };
    members.insert("$schema".to_owned(), json!(draft.uri()));
    Value::Object(members)
}

/// The value that a field leads to, where there is exactly one.
fn reached<'d>(field: &str, root: Node<'d>) -> Option<Node<'d>> {
    let path = FieldPath::parse(field).ok()?;
    let mut values = Vec::new();
    path.follow(0..path.steps().len(), root, &mut |place| {
        values.push(match place {
            Reached::Value(value) => Some(value),
            Reached::Missing { .. } => None,
        });
    });
    match values.as_slice() {
        [Some(value)] => Some(*value),
        _ => None,
    }
}

/// What holds of every report on an output.
fn check_report(report: &Report, output: Node<'_>) -> Result<(), TestCaseError> {
    let (schema, integrity) = (report.schema_compliance, report.integrity_checks);
    for score in [schema, integrity, report.overall()] {
        prop_assert!(score.passed <= score.total);
        prop_assert!((0.0..=1.0).contains(&score.ratio()));
    }
    prop_assert_eq!(report.overall().total, schema.total + integrity.total);
    prop_assert_eq!(schema.passed + report.schema.total(), schema.total);
    prop_assert_eq!(report.blocking_checks.is_empty(), report.verdict == Verdict::Pass);
    prop_assert_eq!(report.errors_total() == 0, report.verdict == Verdict::Pass);
    for findings in [&report.schema, &report.content] {
        for finding in findings.listed() {
            let value = reached(&finding.field, output);
            prop_assert!(value.is_some(), "{} leads nowhere in {output:?}", finding.field);
        }
    }
    Ok(())
}

/// Where that crate is known to be wrong: in 2019-09, what `contains` finds is no evaluated item
/// (2019-09 core, 9.3.1.3; only 2020-12 made it so), but there it can count as one.
fn differs_there(draft: Draft, schema: &str) -> bool {
    let has = |keyword: &str| schema.contains(&format!("\"{keyword}\":"));
    draft == Draft::Draft201909 && has("contains") && has("unevaluatedItems")
}

#[test]
fn schema_verdicts_agree_with_the_jsonschema_crate() {
    let (valid, invalid, loops) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    let inputs = (schema(), select(&Draft::ALL[..]), vec(instance(), 6));
    runner(2000)
        .run(&inputs, |(schema, draft, instances)| {
            let schema = with_draft(schema, draft);
            let text = schema.to_string();
            if differs_there(draft, &text) {
                return Ok(());
            }
            let document = Document::parse(text.as_bytes()).unwrap();
            let ours = match Schema::compile(document.root()) {
                Ok(ours) => ours,
                Err(problems) => {
                    // That crate lets such schemas pass anything.
                    let looping = "leads back to itself without consuming any data";
                    prop_assert!(
                        problems.iter().all(|problem| problem.problem == looping),
                        "{problems:?}"
                    );
                    loops.set(loops.get() + 1);
                    return Ok(());
                }
            };
            let theirs = jsonschema::options().should_validate_formats(true).build(&schema);
            let theirs = theirs.map_err(|error| TestCaseError::fail(error.to_string()))?;
            for instance in instances {
                let text = instance.to_string();
                let output = Document::parse(text.as_bytes()).unwrap();
                let expected = theirs.is_valid(&instance);
                let counter = if expected { &valid } else { &invalid };
                counter.set(counter.get() + 1);
                prop_assert_eq!(ours.is_valid(output.root()), expected, "{} by {}", text, schema);
            }
            Ok(())
        })
        .unwrap();
    let (valid, invalid, loops) = (valid.get(), invalid.get(), loops.get());
    println!("{valid} valid, {invalid} invalid, {loops} schemas that loop");
    assert!(valid * 4 > invalid && invalid * 4 > valid, "{valid} valid, {invalid} invalid");
    assert!(loops * 8 < valid + invalid, "{loops} loops");
}

#[test]
fn counts_and_failures_agree_with_a_naive_count() {
    let (checks, failures, schemas) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u32));
    let inputs = (schema(), select(&Draft::ALL[..]), vec(instance(), 4));
    runner(1500)
        .run(&inputs, |(schema, draft, instances)| {
            let schema = with_draft(schema, draft);
            let text = schema.to_string();
            let document = Document::parse(text.as_bytes()).unwrap();
            let supplied = Supplied { schema: Some(document.root()), ..Supplied::default() };
            // References that lead back to themselves are refused, and nothing else is.
            let Ok(requirements) = Requirements::compile(supplied) else { return Ok(()) };
            schemas.set(schemas.get() + 1);
            for instance in instances {
                let text = instance.to_string();
                let output = Document::parse(text.as_bytes()).unwrap();
                let report = verify(&requirements, output.root()).unwrap();
                let count = counter::count(&schema, &instance, draft);
                let failed = count.failed.len() as u64;
                let score = report.schema_compliance;
                let ours = (score.passed, score.total, report.schema.total());
                let expected = (count.passed, count.passed + failed, failed);
                prop_assert_eq!(ours, expected, "{} by {}", text, schema);
                let names: BTreeSet<String> =
                    count.failed.iter().map(|keyword| format!("schema:{keyword}")).collect();
                let blocking = report.blocking_checks.iter().map(|check| check.as_str().to_owned());
                prop_assert_eq!(blocking.collect::<BTreeSet<_>>(), names, "{} by {}", text, schema);
                checks.set(checks.get() + expected.1);
                failures.set(failures.get() + failed);
            }
            Ok(())
        })
        .unwrap();
    let (checks, failures, schemas) = (checks.get(), failures.get(), schemas.get());
    println!("{checks} checks of {schemas} schemas, {failures} failed");
    assert!(failures * 10 > checks && failures * 2 < checks, "{failures} of {checks} failed");
}

fn rule() -> impl Strategy<Value = Value> {
    let paths = ["a", "b", "a[]", "[]", "a.b", "[].a", "a[].b", "c[0]", "x1"];
    let path = || select(paths.to_vec());
    let value = || select(vec![json!(0), json!(1), json!(1.5), json!(2), json!(10)]);
    let plain = || select(vec!["a", "b", "c", "a.b", "x1"]);
    let flags = (any::<bool>(), select(vec![json!(0), json!(0.5), json!(1e-9)]));
    let kind = prop_oneof![
        (path(), value()).prop_map(|(f, v)| json!({"type": "sum_equals", "field": f, "equals": v})),
        (path(), plain())
            .prop_map(|(f, o)| json!({"type": "sum_equals", "field": f, "equals_field": o})),
        (path(), value()).prop_map(|(f, v)| json!({"type": "gte", "field": f, "value": v})),
        (path(), plain()).prop_map(|(f, o)| json!({"type": "lte", "field": f, "other_field": o})),
        (path(), path()).prop_map(|(f, o)| json!({"type": "exists_in", "field": f, "in_field": o})),
        (path(), vec(instance(), 1..4))
            .prop_map(|(f, v)| json!({"type": "exists_in", "field": f, "values": v})),
        path().prop_map(|f| json!({"type": "unique", "field": f})),
    ];
    (kind, flags).prop_map(|(mut rule, (if_present, tolerance))| {
        rule["if_present"] = json!(if_present);
        if ["sum_equals", "gte", "lte"].contains(&rule["type"].as_str().unwrap()) {
            rule["tolerance"] = tolerance;
        }
        rule
    })
}

#[test]
fn counts_add_up_and_the_short_way_comes_to_the_same_verdict() {
    let (pass, fail) = (Cell::new(0u32), Cell::new(0u32));
    let bounds = vec((select(vec!["a", "b", "[]", "a[]", "c.a"]), -1..2i8, 2..4i8), 0..3);
    let flags = (any::<bool>(), any::<bool>());
    let schemas = prop_oneof![1 => Just(json!(true)), 2 => schema()];
    let inputs = (schemas, instance(), vec(rule(), 0..4), bounds, flags);
    runner(600)
        .run(&inputs, |(schema, output, rules, bounds, (enforce, strict))| {
            let bounds: Map<String, Value> = bounds
                .into_iter()
                .map(|(path, min, max)| (path.to_owned(), json!({"min": min, "max": max})))
                .collect();
            let checks = 7 + rules.len() as u64 + bounds.len() as u64;
            let request = json!({
                "task_id": "t", "expected_schema": schema, "submitted_output": output,
                "rules": rules, "bounds": bounds, "enforce_rules": enforce,
                "strict_content_check": strict,
            });
            let text = request.to_string();
            let document = Document::parse(text.as_bytes()).unwrap();
            let request = match Request::parse(document.root()) {
                Ok(request) => request,
                Err(error) => {
                    // Random references do lead back to themselves.
                    let loops = |field: &str| field == "expected_schema";
                    prop_assert!(
                        error.problems.iter().all(|problem| loops(&problem.field)),
                        "{error}"
                    );
                    return Ok(());
                }
            };
            let report = verify(&request.requirements, request.output).unwrap();
            let short = verdict(&request.requirements, request.output);
            prop_assert_eq!(short, Ok(report.verdict));
            let brief = conclude(&request.requirements, request.output).unwrap();
            let concluded = (brief.verdict, &brief.blocking_checks);
            prop_assert_eq!(concluded, (report.verdict, &report.blocking_checks));
            prop_assert_eq!(report.integrity_checks.total, checks);
            check_report(&report, request.output)?;
            let counter = if report.verdict == Verdict::Pass { &pass } else { &fail };
            counter.set(counter.get() + 1);
            Ok(())
        })
        .unwrap();
    let (pass, fail) = (pass.get(), fail.get());
    assert!(pass * 5 > fail && fail * 5 > pass, "{pass} pass, {fail} fail");
}

#[test]
fn element_by_element_comes_to_the_verdict_on_the_whole() {
    let settled = Cell::new(0u32);
    let parts = select(vec![json!({}), json!({"minItems": 2}), json!({"maxItems": 3})]);
    let inputs = (subschema(), schema(), parts, vec(instance(), 0..5));
    runner(1_500)
        .run(&inputs, |(items, definitions, mut root, elements)| {
            root["items"] = items;
            root["$defs"] = definitions["$defs"].clone();
            let (schema, output) = (root.to_string(), Value::from(elements).to_string());
            let schema = Document::parse(schema.as_bytes()).unwrap();
            let supplied = Supplied { schema: Some(schema.root()), ..Supplied::default() };
            // Random references do lead back to themselves.
            let Ok(requirements) = Requirements::compile(supplied) else { return Ok(()) };
            let document = Document::parse(output.as_bytes()).unwrap();
            let whole = verdict(&requirements, document.root());
            let by_element = verdict_by_element(&requirements, output.as_bytes()).unwrap();
            if let Some(verdict) = by_element {
                prop_assert_eq!(Ok(verdict), whole);
                settled.set(settled.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    assert!(settled.get() > 500, "only {} were settled", settled.get());
}

/// Expressions of ECMA-262, most of them well-formed.
fn expression() -> BoxedStrategy<String> {
    let atoms = [
        "a",
        "b",
        "c",
        "é",
        "🍏",
        ".",
        "1",
        "_",
        "-",
        " ",
        "[a-c]",
        "[^a]",
        "[\\d_]",
        "[\\w-]",
        "[^\\W🍏]",
        "[]",
        "[^]",
        "[\\b\\-é-ü]",
        "\\d",
        "\\D",
        "\\w",
        "\\W",
        "\\s",
        "\\S",
        "\\b",
        "\\B",
        "^",
        "$",
        "\\p{L}",
        "\\P{Lu}",
        "\\p{Script=Latin}",
        "\\u{1F34F}",
        "\\u00e9",
        "\\ud83c\\udf4f",
        "\\x61",
        "\\n",
        "\\cJ",
        "\\0",
        "\\.",
        "\\/",
        "\\1",
        "\\2",
        "\\k<n>",
        "",
    ];
    let quantifiers = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0}", "{1,}", "*?", "+?", "??"];
    let groups = ["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>"];
    let leaf = select(atoms.to_vec()).prop_map(str::to_owned);
    let tree = leaf.prop_recursive(4, 12, 3, move |inner| {
        let group = (select(groups.to_vec()), inner.clone(), inner.clone()).prop_map(
            |(open, one, other)| match other.len() % 3 {
                0 => format!("{open}{one}|{other})"),
                _ => format!("{open}{one})"),
            },
        );
        let many = prop_oneof![1 => group, 1 => inner.clone()];
        let quantified = (many, select(quantifiers.to_vec())).prop_map(|(one, q)| one + q);
        vec(quantified, 1..4).prop_map(|parts| parts.concat())
    });
    prop_oneof![6 => tree, 1 => r"[()\[\]{}|*+?^$\\.\-,:=!<>abdkpu01]{1,7}"].boxed()
}

/// What node refuses and is taken here: a backslash before any punctuation, and a bracket that
/// closes nothing.
fn is_lenient(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        if matches!(c, ']' | '}') || escaped.is_some_and(|c| c.is_ascii_punctuation()) {
            return true;
        }
    }
    false
}

#[test]
fn patterns_agree_with_those_of_ecmascript() {
    let text = "[abcé🍏_ \n1-]{0,8}";
    let drawn = std::cell::RefCell::new(Vec::new());
    runner(4000)
        .run(&(expression(), vec(text, 5)), |case| {
            drawn.borrow_mut().push(case);
            Ok(())
        })
        .unwrap();
    let drawn = drawn.into_inner();
    // Tried at each character: left to itself, V8 may begin in the middle of one.
    let script =
        "const at = (regex, text, place) => { regex.lastIndex = place; return regex.test(text); };
        const places = (text) => [...text].reduce((all, c) => [...all, all.at(-1) + c.length], [0]);
        const of = ([pattern, texts]) => {
            try {
                const regex = new RegExp(pattern, 'uy');
                return texts.map((text) => places(text).some((place) => at(regex, text, place)));
            } catch { return null; }
        };
        const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
        process.stdout.write(JSON.stringify(cases.map(of)));";
    let Some(theirs) = node(script, &serde_json::to_string(&drawn).unwrap()) else {
        println!("skipped: there is no node here");
        return;
    };
    let theirs: Vec<Option<Vec<bool>>> = serde_json::from_str(&theirs).unwrap();
    let (mut taken, mut refused) = (0, 0);
    for ((pattern, texts), theirs) in drawn.iter().zip(theirs) {
        let schema = json!({"pattern": pattern}).to_string();
        let document = Document::parse(schema.as_bytes()).unwrap();
        match (Schema::compile(document.root()), theirs) {
            (Ok(schema), Some(theirs)) => {
                for (text, theirs) in texts.iter().zip(theirs) {
                    let instance = json!(text).to_string();
                    let instance = Document::parse(instance.as_bytes()).unwrap();
                    let ours = schema.is_valid(instance.root());
                    assert_eq!(ours, theirs, "{pattern:?} in {text:?}");
                }
                taken += 1;
            }
            (Err(_), None) => refused += 1,
            (Ok(_), None) => assert!(is_lenient(pattern), "node refuses {pattern:?}"),
            (Err(problems), Some(_)) => panic!("node takes {pattern:?}: {problems:?}"),
        }
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken * 5 > refused && refused * 5 > taken, "{taken} taken, {refused} refused");
}

/// Rules whose targets go with their elements.
fn elementwise_rule() -> impl Strategy<Value = Value> {
    let pairs = [("a[].b", "a[].c"), ("[].a", "[].b"), ("a[].b[]", "a[].c"), ("[][]", "[][0]")];
    let number = || prop_oneof![3 => select(vec![1, 2, 3]).prop_map(Value::from), 1 => scalar()];
    let numbers = vec(number(), 0..3).prop_map(Value::from);
    // An output in which such paths mostly lead somewhere.
    let item = prop_oneof![
        4 => (number(), number()).prop_map(|(b, c)| json!({"b": b, "c": c, "a": c})),
        3 => (numbers.clone(), number()).prop_map(|(b, c)| json!({"b": b, "c": c})),
        2 => numbers,
        1 => instance(),
    ];
    let items = vec(item, 0..4).prop_map(Value::from);
    let kinds = ["sum_equals", "gte", "lte"];
    let flags = (any::<bool>(), select(vec![json!(0), json!(1), json!(1e-9)]), any::<bool>());
    (select(kinds.to_vec()), select(pairs.to_vec()), flags, items).prop_map(
        |(kind, (field, target), (if_present, tolerance, whole), items)| {
            let name = if kind == "sum_equals" { "equals_field" } else { "other_field" };
            let rule = json!({"type": kind, "field": field, name: target,
                "if_present": if_present, "tolerance": tolerance});
            json!({"rules": [rule], "submitted_output": if whole { items } else {
                json!({"a": items, "b": 1})
            }})
        },
    )
}

#[test]
fn bounds_and_rules_agree_with_a_naive_reading() {
    let (hold, fail) = (Cell::new(0u64), Cell::new(0u64));
    let bounds = vec((select(vec!["a", "b", "[]", "a[]", "c.a"]), -1..2i8, 2..4i8), 0..3);
    let free = (instance(), vec(rule(), 0..5))
        .prop_map(|(output, rules)| json!({"submitted_output": output, "rules": rules}));
    let inputs = (prop_oneof![3 => free, 1 => elementwise_rule()], bounds);
    runner(4000)
        .run(&inputs, |(mut request, bounds)| {
            let bounds = bounds
                .into_iter()
                .map(|(path, min, max)| (path.to_owned(), json!({"min": min, "max": max})));
            request["bounds"] = Value::Object(bounds.collect());
            request["task_id"] = json!("t");
            request["expected_schema"] = json!(true);
            let text = request.to_string();
            let document = Document::parse(text.as_bytes()).unwrap();
            let read = Request::parse(document.root());
            let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let report = verify(&read.requirements, read.output).unwrap();
            let holding = integrity::holding(&request);
            let content = 7 - u64::from(integrity::has_blank(&request["submitted_output"]));
            let score = report.integrity_checks;
            prop_assert_eq!(score.passed, content + holding, "{}", request);
            hold.set(hold.get() + holding);
            fail.set(fail.get() + score.total - 7 - holding);
            Ok(())
        })
        .unwrap();
    let (hold, fail) = (hold.get(), fail.get());
    println!("{hold} hold, {fail} do not");
    assert!(hold * 10 > fail && fail * 10 > hold, "{hold} hold, {fail} do not");
}

/// Fails `type` at every value that is not `null`.
const NOTHING_BUT_NULL: &str = r##"{"type": "null", "additionalProperties": {"$ref": "#"},
    "items": {"$ref": "#"}}"##;

#[test]
fn every_finding_names_its_own_place() {
    runner(400)
        .run(&(json_value(), choices()), |(value, choices)| {
            let value = value.named();
            let text = format!(
                r#"{{"task_id": "t", "expected_schema": {NOTHING_BUT_NULL},
                "submitted_output": {}}}"#,
                value.text(&choices)
            );
            let document = Document::parse(text.as_bytes()).unwrap();
            let request = Request::parse(document.root()).unwrap();
            let report = verify(&request.requirements, request.output).unwrap();
            check_report(&report, request.output)?;
            prop_assert_eq!(report.schema.total(), value.non_nulls() as u64);
            let listed = report.schema.listed();
            prop_assert_eq!(listed.len(), value.non_nulls().min(100));
            for pair in listed.windows(2) {
                prop_assert!(pair[0].offset < pair[1].offset, "not in document order");
            }
            for finding in listed {
                let value = reached(&finding.field, request.output);
                prop_assert_eq!(value.map(Node::offset), Some(finding.offset));
            }
            Ok(())
        })
        .unwrap();
}

/// One request with a single rule or bound, enforced.
fn judge(output: &str, rule: &str) -> (Verdict, Report) {
    let text = format!(
        r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output},
        "rules": [{rule}], "enforce_rules": true}}"#
    );
    let document = Document::parse(text.as_bytes()).unwrap();
    let request = Request::parse(document.root()).unwrap();
    let report = verify(&request.requirements, request.output).unwrap();
    (report.verdict, report)
}

/// A decimal as a number of millionths.
fn literal(millionths: &BigInt) -> String {
    let text = millionths.to_string();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let padded = format!("{digits:0>7}");
    let (whole, fraction) = padded.split_at(padded.len() - 6);
    format!("{sign}{whole}.{fraction}")
}

#[test]
fn a_sum_agrees_with_exact_decimal_arithmetic() {
    let (pass, fail) = (Cell::new(0u32), Cell::new(0u32));
    // Few enough digits for a double to hold each of them, and their sum, exactly as written.
    let addends = vec(-99_999_999_999i64..99_999_999_999, 0..9);
    let tolerance = select(vec![0i64, 1, 5_000, 1_000_000]);
    let inputs = (addends, tolerance, -2..3i64, -1..2i64);
    runner(400)
        .run(&inputs, |(addends, tolerance, tolerances, more)| {
            let sum: BigInt = addends.iter().map(|&addend| BigInt::from(addend)).sum();
            let difference = BigInt::from(tolerances * tolerance + more);
            let target = &sum + &difference;
            let holds = difference.magnitude() <= BigInt::from(tolerance).magnitude();
            let items: Vec<String> =
                addends.iter().map(|&addend| literal(&BigInt::from(addend))).collect();
            let output =
                format!(r#"{{"n": [{}], "total": {}}}"#, items.join(","), literal(&target));
            let rule = format!(
                r#"{{"type": "sum_equals", "field": "n[]", "equals_field": "total",
                "tolerance": {}}}"#,
                literal(&BigInt::from(tolerance))
            );
            let (verdict, _) = judge(&output, &rule);
            prop_assert_eq!(verdict == Verdict::Pass, holds, "{} by {}", output, rule);
            let counter = if holds { &pass } else { &fail };
            counter.set(counter.get() + 1);
            Ok(())
        })
        .unwrap();
    assert!(pass.get() > 50 && fail.get() > 50, "{} hold, {} do not", pass.get(), fail.get());
}

#[test]
fn a_sum_of_any_size_is_printed_exactly() {
    // Up to 15 significant digits: what a double gives back as it was written.
    let double = (-999_999_999_999_999i64..999_999_999_999_999, -30..30i32);
    let integer = "-?[1-9][0-9]{0,50}";
    runner(300)
        .run(&(vec(double, 0..6), vec(integer, 0..6)), |(doubles, integers)| {
            // In units of 10^-30.
            let mut sum = BigInt::ZERO;
            let mut items = Vec::new();
            for (mantissa, exponent) in &doubles {
                sum += BigInt::from(*mantissa) * BigInt::from(10).pow((exponent + 30) as u32);
                items.push(format!("{mantissa}e{exponent}"));
            }
            for integer in &integers {
                sum += integer.parse::<BigInt>().unwrap() * BigInt::from(10).pow(30);
                items.push(integer.clone());
            }
            let (verdict, report) = judge(
                &format!("[{}]", items.join(",")),
                r#"{"type": "sum_equals", "field": "[]", "equals": 0, "tolerance": 0}"#,
            );
            prop_assert_eq!(verdict == Verdict::Pass, sum == BigInt::ZERO);
            if let Some(finding) = report.rules.listed().first() {
                let digits = format!("{:0>31}", sum.magnitude().to_string());
                let (whole, fraction) = digits.split_at(digits.len() - 30);
                let fraction = fraction.trim_end_matches('0');
                let sign = if sum < BigInt::ZERO { "-" } else { "" };
                let printed = match fraction {
                    "" if doubles.is_empty() => format!("{sign}{whole}"),
                    "" => format!("{sign}{whole}.0"),
                    fraction => format!("{sign}{whole}.{fraction}"),
                };
                prop_assert_eq!(&finding.found, &format!("sum {printed}"));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn one_equality_serves_schema_and_rules() {
    let (equal, different) = (Cell::new(0u32), Cell::new(0u32));
    let pairs = prop_oneof![
        (instance(), instance()),
        instance().prop_map(|value| (value.clone(), value)),
        // The same numbers in other words.
        instance().prop_map(|value| {
            let respelt = value.to_string().replace("1.0", "1").replace('2', "20e-1");
            (value, serde_json::from_str(&respelt).unwrap_or(Value::Null))
        }),
    ];
    runner(400)
        .run(&pairs, |(a, b)| {
            let expected = same(&a, &b);
            let schema = |schema: Value, output: &Value| {
                let (schema, output) = (schema.to_string(), output.to_string());
                let schema = Document::parse(schema.as_bytes()).unwrap();
                let output = Document::parse(output.as_bytes()).unwrap();
                Schema::compile(schema.root()).unwrap().is_valid(output.root())
            };
            prop_assert_eq!(schema(json!({"const": a}), &b), expected);
            prop_assert_eq!(schema(json!({"enum": [a]}), &b), expected);
            prop_assert_eq!(schema(json!({"uniqueItems": true}), &json!([a, b])), !expected);
            let rule = |rule: &str, output: Value| judge(&output.to_string(), rule).0;
            let holds = |holds| if holds { Verdict::Pass } else { Verdict::Fail };
            let unique = r#"{"type": "unique", "field": "[]"}"#;
            prop_assert_eq!(rule(unique, json!([a, b])), holds(!expected));
            let exists = r#"{"type": "exists_in", "field": "a", "in_field": "b"}"#;
            prop_assert_eq!(rule(exists, json!({"a": a, "b": b})), holds(expected));
            let counter = if expected { &equal } else { &different };
            counter.set(counter.get() + 1);
            Ok(())
        })
        .unwrap();
    assert!(equal.get() > 50 && different.get() > 50);
}
