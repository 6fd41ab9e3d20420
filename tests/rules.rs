//! Bounds and rules, case by case: which places fail and why, and what is passed over.

use agent_output_verifier::json::Document;
use agent_output_verifier::report::Verdict;
use agent_output_verifier::request::Request;
use agent_output_verifier::verify::{verdict, verify};

/// What fails, as `field: detail`, and the remarks, as `(text)`.
#[track_caller]
fn judge(asked: &str, output: &str) -> Vec<String> {
    let text = format!(
        r#"{{"task_id": "t", "expected_schema": true, "enforce_rules": true, {asked},
             "submitted_output": {output}}}"#
    );
    let document = Document::parse(text.as_bytes()).unwrap();
    let request = Request::parse(document.root()).unwrap();
    let report = verify(&request.requirements, request.output).unwrap();
    assert_eq!(verdict(&request.requirements, request.output), Ok(report.verdict), "{asked}");
    assert_eq!(report.verdict == Verdict::Fail, report.rules.total() > 0, "{asked}");
    let findings = report.rules.listed().iter();
    let mut found: Vec<String> =
        findings.map(|finding| format!("{}: {}", finding.field, finding.detail)).collect();
    found.extend(report.remarks.iter().map(|remark| format!("({})", remark.text)));
    found
}

#[track_caller]
fn bound(bound: &str, output: &str, expected: &[&str]) {
    let found = judge(&format!(r#""bounds": {{{bound}}}"#), output);
    assert_eq!(found, expected, "{bound} {output}");
}

#[track_caller]
fn rule(rule: &str, output: &str, expected: &[&str]) {
    let found = judge(&format!(r#""rules": [{{{rule}}}]"#), output);
    assert_eq!(found, expected, "{rule} {output}");
}

const NONE: &str = "(passed without a value to look at: the path leads to 0 values)";
const SKIPPED: &str = "(passed without a value to look at: if_present skipped all of them)";

#[test]
fn a_bound_is_for_values_of_its_kind() {
    let range = r#""a": {"min": 1, "max": 3}"#;
    bound(range, r#"{"a": 1}"#, &[]);
    bound(range, r#"{"a": 3.0}"#, &[]);
    bound(range, r#"{"a": 0.9}"#, &["a: 0.9 is below the minimum 1"]);
    bound(range, r#"{"a": 4}"#, &["a: 4 is above the maximum 3"]);
    for limit in [r#""min": 1"#, r#""max": 3"#, r#""min": 1, "max": 3"#] {
        let asked = format!(r#""a": {{{limit}}}"#);
        bound(&asked, r#"{"a": true}"#, &["a: found true (boolean), expected a number"]);
        bound(
            &asked,
            r#"{"a": "2026-01-02"}"#,
            &[r#"a: found "2026-01-02" (string), expected a number"#],
        );
        bound(
            &asked,
            r#"{"a": "2"}"#,
            &[r#"a: found "2", a numeric string and not a number, expected a number"#],
        );
        bound(&asked, r#"{"a": null}"#, &["a: found null, expected a number"]);
        bound(&asked, r#"{}"#, &["a: is missing, expected a number"]);
        let present = format!(r#""a": {{{limit}, "if_present": true}}"#);
        bound(&present, r#"{"a": null}"#, &[SKIPPED]);
        bound(&present, r#"{}"#, &[SKIPPED]);
        bound(&present, r#"{"a": "x"}"#, &[r#"a: found "x" (string), expected a number"#]);
    }
    for limit in [r#""min": "2026-01-01""#, r#""max": "2026-01-31""#] {
        let asked = format!(r#""a": {{{limit}}}"#);
        bound(&asked, r#"{"a": "2026-01-15T00:00:00Z"}"#, &[]);
        bound(&asked, r#"{"a": 5}"#, &["a: found 5 (integer), expected an ISO-8601 date"]);
        bound(
            &asked,
            r#"{"a": "soon"}"#,
            &[r#"a: found "soon" (string), expected an ISO-8601 date"#],
        );
    }
}

#[test]
fn an_order_holds_between_values_of_one_kind() {
    rule(r#""type": "gte", "field": "a", "value": 2"#, r#"{"a": 2.0}"#, &[]);
    rule(r#""type": "gte", "field": "a", "value": 2"#, r#"{"a": 1}"#, &["a: 1 is less than 2"]);
    rule(r#""type": "lte", "field": "a", "value": 2"#, r#"{"a": 3}"#, &["a: 3 is greater than 2"]);
    rule(r#""type": "lte", "field": "a", "value": 2, "tolerance": 1"#, r#"{"a": 3}"#, &[]);
    rule(
        r#""type": "lte", "field": "a", "value": 2, "tolerance": 1"#,
        r#"{"a": 3.1}"#,
        &["a: 3.1 is greater than 2"],
    );
    rule(
        r#""type": "gte", "field": "a", "value": 2, "tolerance": 1"#,
        r#"{"a": 0.9}"#,
        &["a: 0.9 is less than 2"],
    );
    for kind in ["gte", "lte"] {
        let literal = format!(r#""type": "{kind}", "field": "a", "value": 2"#);
        rule(
            &literal,
            r#"{"a": "2026-01-01"}"#,
            &[r#"a: found "2026-01-01" (string), expected a number to hold against 2"#],
        );
        rule(
            &literal,
            r#"{"a": "2"}"#,
            &[
                r#"a: found "2", a numeric string and not a number, expected a number to hold against 2"#,
            ],
        );
        rule(&literal, r#"{"a": null}"#, &["a: found null, expected a number"]);
        rule(&literal, r#"{}"#, &["a: is missing, expected a number"]);
        let other = format!(r#""type": "{kind}", "field": "a", "other_field": "b""#);
        rule(&other, r#"{"a": 1, "b": 1}"#, &[]);
        rule(&other, r#"{"a": "2026-01-01", "b": "2026-01-01T00:00:00Z"}"#, &[]);
        rule(
            &other,
            r#"{"a": 1, "b": "2026-01-01"}"#,
            &[
                r#"a: found 1 (integer), expected an ISO-8601 date to hold against b ("2026-01-01")"#,
            ],
        );
        rule(
            &other,
            r#"{"a": 1, "b": "x"}"#,
            &[r#"a: b is "x" (string), expected a number or an ISO-8601 date there"#],
        );
        rule(
            &other,
            r#"{"a": 1, "b": null}"#,
            &["a: b is null, expected a number or an ISO-8601 date there"],
        );
        rule(&other, r#"{"a": 1}"#, &["a: b missing, expected a number or an ISO-8601 date there"]);
        rule(&other, r#"{"b": 1}"#, &["a: is missing, expected a number"]);
        let present = format!("{other}, \"if_present\": true");
        rule(&present, r#"{"a": 1}"#, &[SKIPPED]);
        rule(&present, r#"{"a": 1, "b": null}"#, &[SKIPPED]);
        rule(&present, r#"{"b": 1}"#, &[SKIPPED]);
        rule(&present, r#"{"a": null, "b": 1}"#, &[SKIPPED]);
        rule(
            &present,
            r#"{"a": "x", "b": 1}"#,
            &[r#"a: found "x" (string), expected a number to hold against b (1)"#],
        );
        rule(
            &present,
            r#"{"a": 1, "b": "x"}"#,
            &[r#"a: b is "x" (string), expected a number or an ISO-8601 date there"#],
        );
    }
    let each = r#""type": "gte", "field": "a[].b[]", "other_field": "a[].c""#;
    rule(
        each,
        r#"{"a": [{"b": [1, 3], "c": 2}, {"b": [2], "c": 2}, {"b": [0], "c": 1}]}"#,
        &["a[0].b[0]: 1 is less than a[0].c (2)", "a[2].b[0]: 0 is less than a[2].c (1)"],
    );
    rule(
        each,
        r#"{"a": [{"b": [1]}, {"c": 1}, 5]}"#,
        &[
            "a[0].b[0]: a[0].c missing, expected a number or an ISO-8601 date there",
            "a[1].b: is missing, expected a number",
            "a[2].b: is missing, expected a number or an ISO-8601 date",
        ],
    );
}

#[test]
fn a_sum_is_held_against_its_own_target() {
    let sum = r#""type": "sum_equals", "field": "a[]", "equals_field": "t""#;
    rule(sum, r#"{"a": [0.1, 0.2], "t": 0.3}"#, &[]);
    rule(sum, r#"{"a": [], "t": 0}"#, &[NONE]);
    rule(sum, r#"{"a": [], "t": 1}"#, &["a[]: values sum to 0, expected t (1)"]);
    rule(sum, r#"{"a": [1, 2], "t": 4}"#, &["a[]: values sum to 3, expected t (4)"]);
    rule(sum, r#"{"a": [1.0, 2], "t": 2}"#, &["a[]: values sum to 3.0, expected t (2)"]);
    rule(
        sum,
        r#"{"a": [1, "2", null, {}], "t": 1}"#,
        &[
            r#"a[1]: found "2", a numeric string and not a number, expected a number"#,
            "a[2]: found null, expected a number",
            "a[3]: found an empty object, expected a number",
        ],
    );
    rule(
        sum,
        r#"{"a": [1, "2"], "t": "1"}"#,
        &[
            r#"a[1]: found "2", a numeric string and not a number, expected a number"#,
            r#"t: found "1", a numeric string and not a number, expected a number"#,
        ],
    );
    rule(
        sum,
        r#"{"t": "1", "a": [1, "2"]}"#,
        &[
            r#"t: found "1", a numeric string and not a number, expected a number"#,
            r#"a[1]: found "2", a numeric string and not a number, expected a number"#,
        ],
    );
    rule(sum, r#"{"a": [1]}"#, &["t: is missing, expected a number"]);
    rule(sum, r#"{"t": 1}"#, &["a: is missing, expected a number"]);
    rule(sum, r#"{"a": [1], "t": null}"#, &["t: found null, expected a number"]);
    let present = format!("{sum}, \"if_present\": true");
    rule(&present, r#"{"a": [1, null], "t": 1}"#, &[]);
    rule(&present, r#"{"a": [1, null], "t": 2}"#, &["a[]: values sum to 1, expected t (2)"]);
    rule(
        &present,
        r#"{"a": [1, "2"], "t": 1}"#,
        &[r#"a[1]: found "2", a numeric string and not a number, expected a number"#],
    );
    rule(&present, r#"{"a": [null, null], "t": 1}"#, &[SKIPPED]);
    rule(&present, r#"{"a": [], "t": 1}"#, &["a[]: values sum to 0, expected t (1)"]);
    rule(&present, r#"{"a": [1]}"#, &[]);
    rule(&present, r#"{"a": [1], "t": null}"#, &[]);
    rule(&present, r#"{"a": [1], "t": "x"}"#, &[r#"t: found "x" (string), expected a number"#]);
    rule(&present, r#"{"t": 1}"#, &[SKIPPED]);
    let literal = r#""type": "sum_equals", "field": "a[]", "equals": 3, "tolerance": 0.5"#;
    rule(literal, r#"{"a": [1, 2.5]}"#, &[]);
    rule(literal, r#"{"a": [1, 1.5]}"#, &[]);
    rule(literal, r#"{"a": [1, 2.6]}"#, &["a[]: values sum to 3.6, expected 3"]);
    let each = r#""type": "sum_equals", "field": "a[].b[].c", "equals_field": "a[].t""#;
    let output = r#"{"a": [{"b": [{"c": 1}, {"c": 2}], "t": 3}, {"b": [{"c": 1}], "t": 2}, {"t": 1},
                     {"b": [{"c": 1}, {}, {"c": "1"}], "t": 2}, 7]}"#;
    rule(
        each,
        output,
        &[
            "a[1].b[].c: values sum to 1, expected a[1].t (2)",
            "a[2].b: is missing, expected a number",
            "a[3].b[1].c: is missing, expected a number",
            r#"a[3].b[2].c: found "1", a numeric string and not a number, expected a number"#,
            "a[4].b: is missing, expected a number",
            "a[4].t: is missing, expected a number",
        ],
    );
}

/// Of each of two full lists, and of one that has a wrong target besides.
#[test]
fn addends_that_are_none_are_all_counted() {
    let text = format!(
        r#"{{"task_id": "t", "expected_schema": true, "rules": [
             {{"type": "sum_equals", "field": "a[]", "equals_field": "t"}},
             {{"type": "sum_equals", "field": "a[]", "equals_field": "t"}},
             {{"type": "sum_equals", "field": "a[]", "equals_field": "u"}}],
             "submitted_output": {{"a": [{}true], "t": 1, "u": "x"}}}}"#,
        "false,".repeat(149)
    );
    let document = Document::parse(text.as_bytes()).unwrap();
    let request = Request::parse(document.root()).unwrap();
    let report = verify(&request.requirements, request.output).unwrap();
    assert_eq!((report.rules.listed().len(), report.rules.total()), (100, 150 + 150 + 151));
}

#[test]
fn what_exists_elsewhere_exists_by_value() {
    let field = r#""type": "exists_in", "field": "a[]", "in_field": "b[]""#;
    rule(field, r#"{"a": [1, "x", null, {"k": [1]}], "b": ["x", {"k": [1.0]}, null, 1.0]}"#, &[]);
    rule(
        field,
        r#"{"a": [1, "1", false], "b": ["1", 0]}"#,
        &[
            "a[0]: found 1, expected a value that exists in b[]",
            "a[2]: found false, expected a value that exists in b[]",
        ],
    );
    rule(field, r#"{"a": [1], "b": []}"#, &["a[0]: found 1, expected a value that exists in b[]"]);
    rule(field, r#"{"a": [1]}"#, &["a[0]: found 1, expected a value that exists in b[]"]);
    rule(field, r#"{"a": [], "b": []}"#, &[NONE]);
    rule(field, r#"{"b": []}"#, &["a: is missing, expected a value that exists in b[]"]);
    let present = format!("{field}, \"if_present\": true");
    rule(
        &present,
        r#"{"a": [1, 2], "b": [1]}"#,
        &["a[1]: found 2, expected a value that exists in b[]"],
    );
    rule(
        &present,
        r#"{"a": [1], "b": []}"#,
        &["a[0]: found 1, expected a value that exists in b[]"],
    );
    rule(&present, r#"{"a": [1]}"#, &[SKIPPED]);
    rule(&present, r#"{"a": [1], "b": [null]}"#, &[SKIPPED]);
    rule(&present, r#"{"a": [1, null], "b": [1, null]}"#, &[]);
    rule(&present, r#"{"a": [1, null], "b": [1]}"#, &[]);
    let listed = r#""type": "exists_in", "field": "a", "values": ["x", 2]"#;
    rule(listed, r#"{"a": "x"}"#, &[]);
    rule(listed, r#"{"a": 2.0}"#, &[]);
    rule(listed, r#"{"a": "2"}"#, &[r#"a: found "2", expected one of "x", 2"#]);
    rule(listed, r#"{"a": null}"#, &[r#"a: found null, expected one of "x", 2"#]);
    rule(listed, "{}", &[r#"a: is missing, expected one of "x", 2"#]);
    rule(&format!("{listed}, \"if_present\": true"), "{}", &[SKIPPED]);
    rule(&format!("{listed}, \"if_present\": true"), r#"{"a": null}"#, &[SKIPPED]);
}

#[test]
fn what_is_unique_is_so_by_value() {
    let unique = r#""type": "unique", "field": "a[].id""#;
    rule(unique, r#"{"a": [{"id": 1}, {"id": "1"}, {"id": true}, {"id": [1]}]}"#, &[]);
    rule(
        unique,
        r#"{"a": [{"id": 1}, {"id": 2}, {"id": 1.0}, {"id": 2}, {"id": 1}]}"#,
        &[
            "a[2].id: 1.0 repeats a[0].id",
            "a[3].id: 2 repeats a[1].id",
            "a[4].id: 1 repeats a[0].id",
        ],
    );
    rule(unique, r#"{"a": [{"id": null}, {"id": null}]}"#, &["a[1].id: null repeats a[0].id"]);
    rule(
        unique,
        r#"{"a": [{"id": 1}, {}]}"#,
        &["a[1].id: is missing, expected a value that no other one equals"],
    );
    rule(unique, r#"{"a": []}"#, &[NONE]);
    rule(unique, r#"{}"#, &["a: is missing, expected a value that no other one equals"]);
    let present = format!("{unique}, \"if_present\": true");
    rule(&present, r#"{"a": [{"id": null}, {"id": null}, {}]}"#, &[SKIPPED]);
    rule(&present, r#"{"a": [{"id": 1}, {"id": 1}]}"#, &["a[1].id: 1 repeats a[0].id"]);
}
