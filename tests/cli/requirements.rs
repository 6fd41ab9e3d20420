//! What outputs are held against: schema, rules, bounds, templates, whole requests, options.

use crate::common::{Sandbox, vector};
use crate::{failed, passed, sandbox};

/// The report on `pass.json` where one check besides the content checks is made and fails.
fn one_failure(verdict: &str, check: &str, informs: &str, wanted: &str) -> String {
    format!(
        "{verdict}  pass.json

  {check} at 'total'{informs}
    place    pass.json:1:11
             | {{\"total\": 5}}
             |           ^
    expected a value {wanted}
    found    5
    fix      Correct it if it is wrong; what is asked for is a value {wanted}.

  7 of 8 checks passed (87.5%): schema 0 of 0, integrity 7 of 8
"
    )
}

const INFORMS: &str = "  (informs only)";

#[test]
fn rules_come_as_a_list_or_as_an_object_and_are_enforced() {
    let rule = r#"[{"type": "lte", "field": "total", "value": 3}]"#;
    let enforced = one_failure("FAIL", "consistency:lte", "", "<= 3");
    let informed = one_failure("PASS", "consistency:lte", INFORMS, "<= 3");
    let sandbox = sandbox()
        .with("list.json", rule)
        .with("object.json", format!(r#"{{"rules": {rule}}}"#))
        .with("on.json", format!(r#"{{"rules": {rule}, "enforce_rules": true}}"#))
        .with("off.json", format!(r#"{{"rules": {rule}, "enforce_rules": false}}"#));
    for (file, options, enforces) in [
        ("list.json", &[][..], true),
        ("object.json", &[], true),
        ("on.json", &[], true),
        ("off.json", &[], false),
        ("list.json", &["--no-enforce-rules"], false),
        ("on.json", &["--no-enforce-rules"], false),
        ("off.json", &["--enforce-rules"], true),
        // The last one counts.
        ("list.json", &["--enforce-rules", "--no-enforce-rules"], false),
        ("off.json", &["--no-enforce-rules", "--enforce-rules"], true),
    ] {
        let args = [&["verify", "-r", file], options, &["pass.json"]].concat();
        let run = sandbox.aov(&args).run();
        run.is(i32::from(enforces), if enforces { &enforced } else { &informed }, "");
    }
}

#[test]
fn bounds_come_in_a_file_of_their_own_or_with_the_rules() {
    let bounds = r#"{"total": {"min": 6}}"#;
    let stdout = one_failure("FAIL", "bounds:range", "", ">= 6");
    let sandbox = sandbox()
        .with("bounds.json", bounds)
        .with("list.json", "[]")
        .with("both.json", format!(r#"{{"bounds": {bounds}}}"#));
    for args in [
        &["verify", "-b", "bounds.json", "pass.json"][..],
        &["verify", "--bounds", "bounds.json", "-r", "list.json", "pass.json"],
        &["verify", "--rules", "both.json", "pass.json"],
    ] {
        sandbox.aov(args).run().is(1, &stdout, "");
    }
    sandbox.aov(&["verify", "-b", "bounds.json", "--no-enforce-rules", "pass.json"]).run().is(
        0,
        &one_failure("PASS", "bounds:range", INFORMS, ">= 6"),
        "",
    );
    sandbox.aov(&["verify", "-r", "both.json", "-b", "bounds.json", "pass.json"]).run().is(
        2,
        "",
        "error: --rules and --bounds both give bounds\n  help: Remove the bounds from one of \
             the two files.\n",
    );
}

#[test]
fn both_ends_of_a_bound_are_inclusive() {
    let sandbox = sandbox().with("bounds.json", r#"{"total": {"min": 5, "max": 7.5}}"#);
    for (total, status) in [("4.999", 1), ("5", 0), ("5.0", 0), ("7.5", 0), ("75e-1", 0), ("8", 1)]
    {
        let run = sandbox
            .aov(&["verify", "-b", "bounds.json"])
            .input(format!("{{\"total\": {total}}}"))
            .run();
        assert_eq!(run.status, status, "{total}: {run:?}");
        assert_eq!(run.stdout.contains("bounds:range at 'total'"), status == 1);
    }
}

#[test]
fn schema_rules_and_bounds_are_checked_together() {
    let stdout = "FAIL  fail.json

  schema:type at 'total'
    place    fail.json:2:12
             | \"total\": \"5\"
             |          ^^^
    expected a number
    found    \"5\" (string)
    fix      Write the number without quotes.
    schema   $.properties.total.type

  bounds:range at 'total'
    place    fail.json:2:12
             | \"total\": \"5\"
             |          ^^^
    expected a number
    found    \"5\", a numeric string and not a number
    fix      Write the number without quotes.

  consistency:gte at 'total'
    place    fail.json:2:12
             | \"total\": \"5\"
             |          ^^^
    expected a number to hold against 0
    found    \"5\", a numeric string and not a number
    fix      Write the number without quotes.

  9 of 12 checks passed (75.0%): schema 2 of 3, integrity 7 of 9
";
    sandbox()
        .with("bounds.json", r#"{"total": {"min": 1}}"#)
        .with("rules.json", r#"[{"type": "gte", "field": "total", "value": 0}]"#)
        .aov(&["verify", "-s", "schema.json", "-b", "bounds.json", "-r", "rules.json", "fail.json"])
        .run()
        .is(1, stdout, "");
}

#[test]
fn content_findings_block_with_strict_only() {
    let sandbox = sandbox().with("todo.json", "{\"total\": 1, \"note\": \"TBD\"}");
    let report = |verdict: &str, informs: &str| {
        format!(
            "{verdict}  todo.json

  content:placeholder_text at 'note'{informs}
    place    todo.json:1:22
             | {{\"total\": 1, \"note\": \"TBD\"}}
             |                      ^^^^^
    expected a real value, no placeholder
    found    the whole value is the placeholder \"TBD\"
    fix      Put the real value in place of the placeholder, and render templates first.

  9 of 10 checks passed (90.0%): schema 3 of 3, integrity 6 of 7
"
        )
    };
    sandbox.aov(&["verify", "-s", "schema.json", "todo.json"]).run().is(
        0,
        &report("PASS", INFORMS),
        "",
    );
    sandbox.aov(&["verify", "-s", "schema.json", "--strict", "todo.json"]).run().is(
        1,
        &report("FAIL", ""),
        "",
    );
}

#[test]
fn options_override_whole_requests() {
    let request = r#"{"task_id": "t", "expected_schema": true, "submitted_output": {"n": "TBD"},
        "bounds": {"n": {"min": 1}}}"#;
    let sandbox = Sandbox::new().with("request.json", request);
    for (option, status) in
        [(&["--no-enforce-rules"][..], 0), (&["--enforce-rules"], 1), (&["--strict"], 1), (&[], 0)]
    {
        let args = [&["verify", "--request", "request.json"], option].concat();
        let run = sandbox.aov(&args).run();
        assert_eq!(run.status, status, "{option:?}: {run:?}");
    }
}

#[test]
fn a_template_stands_for_schema_rules_and_bounds() {
    let template = r#"{"schema": "verification-template/1", "template_id": "total",
        "template": {"expected_schema": {"properties": {"total": {"type": "number"}}},
        "rules": null, "bounds": {"total": {"max": 4}}, "enforce_rules": true}}"#;
    let sandbox = sandbox()
        .with("template.json", template)
        .with("mx.json", vector("templates/mx-lookup.json"));
    let stdout = "FAIL  pass.json

  bounds:range at 'total'
    place    pass.json:1:11
             | {\"total\": 5}
             |           ^
    expected a value <= 4
    found    5
    fix      Correct it if it is wrong; what is asked for is a value <= 4.

  8 of 9 checks passed (88.9%): schema 1 of 1, integrity 7 of 8
";
    sandbox.aov(&["verify", "-t", "template.json", "pass.json"]).run().is(1, stdout, "");
    let run = sandbox
        .aov(&["verify", "--template", "template.json", "--no-enforce-rules", "pass.json"])
        .run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    // A published one compiles and judges.
    let run = sandbox.aov(&["verify", "-t", "mx.json", "pass.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    // What is no template is refused.
    let run = sandbox.aov(&["verify", "-t", "schema.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: schema.json:1:"), "{run:?}");
}

#[test]
fn ids_are_checked_and_reported() {
    let sandbox = sandbox();
    let run = sandbox
        .aov(&["verify", "-s", "schema.json", "--agent-id", "agent\u{202e}7", "pass.json"])
        .run();
    let note = "  note: agent 'agent\\u202e7' is the caller's label, not an identity\n";
    run.is(0, &(passed("pass.json") + note), "");
    let long = "é".repeat(201);
    for (option, id, problem) in [
        ("--task-id", "", "is empty"),
        ("--agent-id", "", "is empty"),
        ("--task-id", &long, "is longer than 200 characters"),
        ("--agent-id", &long, "is longer than 200 characters"),
    ] {
        sandbox.aov(&["verify", "-s", "schema.json", option, id, "pass.json"]).run().is(
            2,
            "",
            &format!("error: {option} {problem}\n  help: Give 1 to 200 characters.\n"),
        );
    }
    let run = sandbox
        .aov(&["verify", "-s", "schema.json", "--task-id", &"é".repeat(200), "pass.json"])
        .run();
    assert_eq!(run.status, 0, "{run:?}");
    sandbox
        .aov(&["verify", "-s", "schema.json", "--task-id", "x", "pass.json", "fail.json"])
        .run()
        .is(
            2,
            "",
            "error: --task-id is for one input\n  help: Leave it out; each input then has its own \
             name as its task id.\n",
        );
}

const BAD_REQUEST: &str = r#"{
  "task_id": 5,
  "expected_schema": [],
  "rules": [
    {"type": "sum", "field": "a..b"},
    {"type": "unique", "field": "a[]", "tolerence": 1}
  ],
  "bounds": {"x": {}, "y": {"min": 3, "max": 2}},
  "strict_content_check": "yes",
  "enforce_rule": true
}
"#;

#[test]
fn every_problem_of_a_request_is_told_at_once_with_its_place() {
    let stderr = "\
error: bad.json:10:3: enforce_rule is not a known field
  help: Did you mean 'enforce_rules'?
error: bad.json:2:14: task_id is a number, not a string
  help: Write a string of 1 to 200 characters.
error: bad.json:3:22: expected_schema is an array, not an object or a boolean
  help: Put a JSON Schema there.
error: bad.json: submitted_output is missing
  help: Put the output that is to be checked there.
error: bad.json:9:27: strict_content_check is a string, not true or false
  help: Write true or false, without quotes.
error: bad.json:5:14: rules[0].type is not one of the allowed values
  help: Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.
error: bad.json:5:30: rules[0].field is not a path: it has an empty member name at character 3
  help: Write a path such as line_items[].price; put a \\ before a literal . [ ] or \\.
error: bad.json:6:40: rules[1].tolerence is not a known field
  help: Did you mean 'tolerance'?
error: bad.json:8:19: bounds.x has neither min nor max
  help: Give min, max or both.
error: bad.json:8:28: bounds.y has a min above its max
  help: Exchange the two.
";
    let sandbox = Sandbox::new().with("bad.json", BAD_REQUEST);
    sandbox.aov(&["verify", "--request", "bad.json"]).run().is(2, "", stderr);
    sandbox.aov(&["verify", "--requests", "bad.json"]).run().is(2, "", stderr);
    sandbox.aov(&["hash", "--request", "bad.json"]).run().is(2, "", stderr);
}

#[test]
fn a_bad_schema_file_is_named_with_line_and_column() {
    let schema = "{\n \"properties\": {\"a\": {\"pattern\": \"(\"}},\n \"required\": \"a\",\n \
                  \"$defs\": {\"unused\": {\"minLength\": -1}}\n}\n";
    let sandbox = sandbox()
        .with("bad.json", schema)
        .with("elsewhere.json", "{\"$ref\": \"https://example.com/s.json\"}")
        .with("dialect.json", "{\"$schema\": \"https://json-schema.org/draft-07/schema#\"}")
        .with("unknown.json", "{\n\"$schema\": \"https://example.com/mine\"}");
    let run = sandbox.aov(&["verify", "-s", "bad.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let places: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "))
        .map(|line| line.split(" expected_schema is not a usable JSON Schema: ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        ["error: bad.json:2:34:", "error: bad.json:3:14:", "error: bad.json:4:36:"],
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.lines().count(), 6, "{}", run.stderr);

    let run = sandbox.aov(&["verify", "-s", "elsewhere.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let start = "error: elsewhere.json:1:10: expected_schema is not a usable JSON Schema: at $.$ref it leaves ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);

    sandbox.aov(&["verify", "-s", "dialect.json", "pass.json"]).run().is(
        0,
        "PASS  pass.json\n\n  7 of 7 checks passed (100.0%): schema 0 of 0, integrity 7 of 7\n",
        "",
    );
    let run = sandbox.aov(&["verify", "-s", "unknown.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let start = "error: unknown.json:2:12: ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
}

#[test]
fn a_bad_rules_file_is_named_with_line_and_column() {
    let sandbox = sandbox()
        .with("rules.json", "[\n  {\"type\": \"gte\", \"field\": \"total\"}\n]")
        .with("text.json", "\"rules\"");
    let run = sandbox.aov(&["verify", "-r", "rules.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: rules.json:2:3: rules[0]"), "{}", run.stderr);
    let run = sandbox.aov(&["verify", "-r", "text.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: text.json:1:1: "), "{}", run.stderr);
    // Both files at once.
    let run = sandbox.aov(&["verify", "-s", "broken.json", "-r", "broken.json", "pass.json"]).run();
    run.is(2, "", &crate::broken("broken.json").repeat(2));
}

#[test]
fn every_line_can_be_a_whole_request() {
    let requests = "{\"task_id\":\"a\",\"expected_schema\":true,\"submitted_output\":1}\n\n\
                    {\"task_id\":\"b\",\"expected_schema\":false,\"submitted_output\":1}\n\
                    {\"task_id\":\"c\",\"expected_schema\":{\"type\":7},\"submitted_output\":1}\n";
    let stdout = "\
PASS   l.ndjson:1
FAIL   l.ndjson:3  schema:false at '$': found 1 (integer), expected nothing at this place
ERROR  l.ndjson:4  could not be judged
3 inputs: 1 passed, 1 failed, 1 could not be judged
";
    let run = Sandbox::new()
        .with("l.ndjson", requests)
        .aov(&["verify", "--requests", "--lines", "l.ndjson"])
        .run();
    assert_eq!((run.status, run.stdout.as_str()), (2, stdout));
    let start =
        "error: l.ndjson:4:42: expected_schema is not a usable JSON Schema: at $.type it is ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
}

#[test]
fn every_file_can_be_a_whole_request() {
    let request = |output: &str| {
        format!(
            "{{\"task_id\": \"t\", \"expected_schema\": {{\"type\": \"number\"}},\n \
             \"submitted_output\": {output}}}"
        )
    };
    let sandbox =
        Sandbox::new().with("in/a.json", request("1")).with("in/b.json", request("\"1\""));
    let separator = std::path::MAIN_SEPARATOR;
    let stdout = format!(
        "PASS   in{separator}a.json\nFAIL   in{separator}b.json  schema:type at '$': found \"1\" \
         (string), expected a number\n2 inputs: 1 passed, 1 failed\n"
    );
    sandbox.aov(&["verify", "--requests", "in"]).run().is(1, &stdout, "");
    let stdout = "FAIL  stdin  (task t)

  schema:type at '$'
    place    stdin:2:22
             | \"submitted_output\": \"1\"}
             |                     ^^^
    expected a number
    found    \"1\" (string)
    fix      Write the number without quotes.
    schema   $.type

  7 of 8 checks passed (87.5%): schema 0 of 1, integrity 7 of 7
";
    for option in [&["--requests"][..], &["--requests", "-"], &["--request", "-"]] {
        let args = [&["verify"], option].concat();
        sandbox.aov(&args).input(request("\"1\"")).run().is(1, stdout, "");
    }
}

#[test]
fn lines_are_judged_one_by_one_with_their_places() {
    let lines = "{\"total\": 5}\n\r\n  \n{\"total\": \"5\"}\r\n{\"total\": \n{\"total\": 6}";
    let stdout = "\
PASS   l.ndjson:1
FAIL   l.ndjson:4  schema:type at 'total': found \"5\" (string), expected a number
ERROR  l.ndjson:5  could not be judged
PASS   l.ndjson:6
4 inputs: 2 passed, 1 failed, 1 could not be judged
";
    sandbox()
        .with("l.ndjson", lines)
        .aov(&["verify", "-s", "schema.json", "--lines", "l.ndjson"])
        .run()
        .is(
            2,
            stdout,
            "error: l.ndjson:5:11: the text ends inside a value, in $.total\n  help: Complete the \
             line; for one value over several lines leave --lines out.\n",
        );
}

#[test]
fn a_folder_of_lines_is_every_ndjson_and_jsonl_file() {
    let separator = std::path::MAIN_SEPARATOR;
    let stdout = format!(
        "PASS   in{separator}a.jsonl:1\nPASS   in{separator}b.ndjson:1\n2 inputs: 2 passed\n"
    );
    sandbox()
        .with("in/b.ndjson", "{\"total\": 1}\n")
        .with("in/a.jsonl", "{\"total\": 1}\n")
        .with("in/c.json", "no JSON")
        .aov(&["verify", "-s", "schema.json", "--lines", "in"])
        .run()
        .is(0, &stdout, "");
}

#[test]
fn the_detail_option_wins_over_the_request() {
    let request = r#"{"task_id": "t", "expected_schema": true, "submitted_output": 1,
        "detail": "compact"}"#;
    let sandbox = Sandbox::new().with("request.json", request);
    let with = |more: &[&str]| {
        let args = [&["verify", "--format", "json", "--request", "request.json"], more].concat();
        let run = sandbox.aov(&args).run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        let response: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        response.get("request_hash").is_some() && response.get("hints").is_some()
    };
    assert!(!with(&[]));
    assert!(!with(&["--detail", "compact"]));
    assert!(with(&["--detail", "full"]));
}

#[test]
fn without_a_schema_anything_fits() {
    let sandbox = sandbox().with("empty-rules.json", "[]");
    sandbox.aov(&["verify", "-r", "empty-rules.json", "fail.json"]).run().is(
        0,
        "PASS  fail.json\n\n  7 of 7 checks passed (100.0%): schema 0 of 0, integrity 7 of 7\n",
        "",
    );
    sandbox.aov(&["verify", "-s", "schema.json", "-r", "empty-rules.json", "fail.json"]).run().is(
        1,
        &failed("fail.json"),
        "",
    );
}

#[test]
fn what_a_line_lacks_is_told_with_its_line() {
    let lines = "{\"task_id\":\"a\",\"expected_schema\":true,\"submitted_output\":1}\n{\"detail\":\"full\"}\n";
    let run = Sandbox::new()
        .with("l.ndjson", lines)
        .aov(&["verify", "--requests", "--lines", "l.ndjson"])
        .run();
    assert_eq!(run.status, 2);
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains(" missing")).collect();
    assert_eq!(told.len(), 3, "{run:?}");
    for line in told {
        assert!(line.starts_with("error: l.ndjson:2"), "{line}");
    }
}

#[test]
fn the_task_id_option_names_a_refused_request_too() {
    let run = Sandbox::new()
        .with("bad.json", "{\"task_id\": \"theirs\"}")
        .aov(&["verify", "--format", "ndjson", "--task-id", "mine", "--request", "bad.json"])
        .run();
    let item: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(item["task_id"], "mine");
}
