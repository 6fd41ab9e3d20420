//! The formats, whole: `json`, `ndjson`, errors and undecided checks in each, and `--quiet`.

use crate::{UNDECIDED, broken, failed_line, sandbox, with_undecided};

/// The hashes of `pass.json`, the schema, no rules, and the request with the task id `pass.json`.
const HASHES: [&str; 4] = [
    "02411c8580becc96ce51076945bc40c2619c7b41b89dd4589e52122dbee45b96",
    "ff776df9e304ddb1e57974b50e9ce15346aaff5d423b5f0d7e2ddc4055d50e0d",
    "1f775c90569b00e3e1574c29268cbb78953b2bb264c2df9a04c41fbf555fc918",
    "da49fe5e746c7dbe5702ca8d8785ff64912281782670ad0521cbc95cabe932be",
];

fn pass_json() -> String {
    let [output, schema, rules, request] = HASHES;
    format!(
        r#"{{
  "summary": {{
    "result": "pass",
    "blocking_checks": []
  }},
  "next_actions": [
    {{
      "action": "attach_receipt",
      "for": "seller"
    }},
    {{
      "action": "proceed_to_payment",
      "for": "buyer"
    }}
  ],
  "result": "pass",
  "verification_id": "ID",
  "task_id": "pass.json",
  "agent_id": null,
  "output_hash": "{output}",
  "schema_hash": "{schema}",
  "rules_hash": "{rules}",
  "request_hash": "{request}",
  "verified_at": "TIME",
  "verifier_version": "aov-{version}",
  "enforce_rules": false,
  "strict_content_check": false,
  "errors": [],
  "errors_total": 0,
  "errors_omitted": 0,
  "errors_detail": [],
  "errors_detail_total": 0,
  "errors_detail_omitted": 0,
  "flags": [],
  "flags_total": 0,
  "flags_omitted": 0,
  "hints": [],
  "hints_total": 0,
  "hints_omitted": 0,
  "schema_compliance": {{
    "ratio": 1.0,
    "passed": 3,
    "total": 3
  }},
  "integrity_checks": {{
    "ratio": 1.0,
    "passed": 7,
    "total": 7
  }},
  "overall": {{
    "ratio": 1.0,
    "passed": 10,
    "total": 10
  }}
}}
"#,
        version = env!("CARGO_PKG_VERSION")
    )
}

fn error_json(name: &str, code: &str, message: &str, status: &str, action: &str) -> String {
    format!(
        r#"{{
  "task_id": "{name}",
  "input": "{name}",
  "error": {{
    "code": "{code}",
    "message": "{message}",
    "status": {status},
    "retryable": false,
    "charged": false,
    "next_actions": [
      {{
        "action": "{action}"
      }}
    ],
    "fields": []
  }}
}}
"#
    )
}

fn broken_json() -> String {
    error_json(
        "broken.json",
        "invalid_json",
        "The text is not usable JSON: the text ends inside a value at line 2, column 1, in \
         $.total. Check that it was written and transferred completely.",
        "422",
        "fix_request_body",
    )
}

fn undecided_json() -> String {
    error_json(
        "hard.json",
        "check_undecided",
        &format!("{UNDECIDED} Nothing was charged; simplify the schema or the rules."),
        "422",
        "simplify_request",
    )
}

fn missing_json() -> String {
    error_json(
        "missing.json",
        "unreadable_input",
        "cannot read missing.json: there is no such file",
        "null",
        "fix_input",
    )
}

const MISSING: &str = "error: cannot read missing.json: there is no such file
  help: Check the name; nothing was checked in its place.
";

/// The items of an array as `--format json` writes it for several inputs.
fn array(items: &[String]) -> String {
    let items: Vec<String> =
        items.iter().map(|item| format!("  {}", item.trim_end().replace('\n', "\n  "))).collect();
    format!("[\n{}\n]\n", items.join(",\n"))
}

/// An indented text as one line.
fn compressed(json: &str) -> String {
    // Without a detour that would reorder or reprint anything: no string here ends in a quote and
    // a colon, or begins a line.
    let joined: String = json.lines().map(str::trim_start).collect();
    joined.replace("\": ", "\":") + "\n"
}

#[test]
fn json_is_one_indented_response() {
    sandbox()
        .aov(&["verify", "-s", "schema.json", "--format", "json", "pass.json"])
        .run()
        .normalised()
        .is(0, &pass_json(), "");
}

#[test]
fn a_failure_names_everything_in_json() {
    let stdout = r#"{
  "summary": {
    "result": "fail",
    "blocking_checks": [
      "schema:type"
    ]
  },
  "next_actions": [
    {
      "action": "repair_and_reverify",
      "using": "hints"
    },
    {
      "action": "withhold_payment",
      "for": "buyer"
    }
  ],
  "result": "fail",
  "verification_id": "ID",
  "task_id": "job",
  "agent_id": "agent",
  "output_hash": "b591e097b0de6da7c74e01c427aa6d853a028e35a3956e15238abf258fe05b93",
  "schema_hash": "ff776df9e304ddb1e57974b50e9ce15346aaff5d423b5f0d7e2ddc4055d50e0d",
  "rules_hash": "1f775c90569b00e3e1574c29268cbb78953b2bb264c2df9a04c41fbf555fc918",
  "request_hash": "REQUEST",
  "verified_at": "TIME",
  "verifier_version": "aov-VERSION",
  "enforce_rules": false,
  "strict_content_check": true,
  "errors": [
    "schema:type at 'total': found \"5\" (string), expected a number"
  ],
  "errors_total": 1,
  "errors_omitted": 0,
  "errors_detail": [
    {
      "check": "schema:type",
      "path": "$.total",
      "expected": "a number",
      "found": "\"5\" (string)",
      "message": "schema:type at 'total': found \"5\" (string), expected a number"
    }
  ],
  "errors_detail_total": 1,
  "errors_detail_omitted": 0,
  "flags": [],
  "flags_total": 0,
  "flags_omitted": 0,
  "hints": [
    {
      "source": "schema",
      "check": "schema:type",
      "path": "$.total",
      "expected": "a number",
      "found": "\"5\" (string)"
    }
  ],
  "hints_total": 1,
  "hints_omitted": 0,
  "schema_compliance": {
    "ratio": 0.666667,
    "passed": 2,
    "total": 3
  },
  "integrity_checks": {
    "ratio": 1.0,
    "passed": 7,
    "total": 7
  },
  "overall": {
    "ratio": 0.9,
    "passed": 9,
    "total": 10
  }
}
"#;
    let request = format!(
        "{{\"task_id\": \"job\", \"agent_id\": \"agent\", \"expected_schema\": {}, \
         \"submitted_output\": {{\"total\": \"5\"}}, \"strict_content_check\": true}}",
        crate::SCHEMA
    );
    let sandbox = sandbox().with("request.json", request);
    let hashes = sandbox.aov(&["hash", "--request", "request.json"]).run().stdout;
    let request_hash = &hashes.lines().last().unwrap()[..64];
    let stdout =
        stdout.replace("REQUEST", request_hash).replace("VERSION", env!("CARGO_PKG_VERSION"));
    let json = ["verify", "--format", "json"];
    let ids = ["--task-id", "job", "--agent-id", "agent", "--strict"];
    for args in [
        &[&json[..], &ids, &["-s", "schema.json", "fail.json"]].concat(),
        &[&json[..], &["--request", "request.json"]].concat(),
    ] {
        sandbox.aov(args).run().normalised().is(1, &stdout, "");
    }
}

#[test]
fn json_of_several_inputs_is_an_array_with_errors_in_their_places() {
    let sandbox = with_undecided(sandbox());
    sandbox
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--format",
            "json",
            "broken.json",
            "pass.json",
            "missing.json",
            "pass.json",
        ])
        .run()
        .normalised()
        .is(
            2,
            &array(&[broken_json(), pass_json(), missing_json(), pass_json()]),
            &(broken("broken.json") + MISSING),
        );
    sandbox
        .aov(&["verify", "-s", "schema.json", "--format", "json", "--lines"])
        .input("{\"total\": 5}\n")
        .run()
        .normalised()
        .is(
            0,
            &array(&[pass_json()
                .replace("pass.json", "stdin:1")
                .replace(HASHES[3], &request_hash("stdin:1"))]),
            "",
        );
}

/// The request hash of `pass.json` under another task id.
fn request_hash(task_id: &str) -> String {
    let request = format!(
        "{{\"task_id\": \"{task_id}\", \"expected_schema\": {}, \"submitted_output\": \
         {{\"total\": 5}}}}",
        crate::SCHEMA
    );
    let hashes = sandbox().aov(&["hash", "--request", "-"]).input(request).run().stdout;
    hashes.lines().last().unwrap()[..64].to_owned()
}

#[test]
fn ndjson_is_a_line_for_each_input() {
    let sandbox = with_undecided(sandbox());
    sandbox
        .aov(&["verify", "-s", "schema.json", "--format", "ndjson", "pass.json"])
        .run()
        .normalised()
        .is(0, &compressed(&pass_json()), "");
    let stdout = [broken_json(), pass_json(), missing_json()].map(|json| compressed(&json));
    sandbox
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--format",
            "ndjson",
            "broken.json",
            "pass.json",
            "missing.json",
        ])
        .run()
        .normalised()
        .is(2, &stdout.concat(), &(broken("broken.json") + MISSING));
}

#[test]
fn compact_responses_leave_out_the_details() {
    let stdout = compressed(&pass_json());
    let start = stdout.find("\"request_hash\"").unwrap();
    let end = stdout.find("\"verified_at\"").unwrap();
    let last = stdout.find(",\"errors\"").unwrap();
    let compact = format!("{}{}}}\n", &stdout[..start], &stdout[end..last]);
    sandbox()
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--format",
            "ndjson",
            "--detail",
            "compact",
            "pass.json",
        ])
        .run()
        .normalised()
        .is(0, &compact, "");
}

#[test]
fn undecided_has_its_place_in_every_format() {
    let sandbox = with_undecided(sandbox());
    let human = format!(
        "UNDECIDED  hard.json\n\n  {UNDECIDED}\n  There is no verdict; simplify the \
         schema's patterns.\n"
    );
    for (format, stdout) in
        [("human", human), ("json", undecided_json()), ("ndjson", compressed(&undecided_json()))]
    {
        sandbox
            .aov(&["verify", "-s", "hard-schema.json", "--format", format, "hard.json"])
            .run()
            .is(3, &stdout, "");
    }
    sandbox.aov(&["verify", "-q", "-s", "hard-schema.json", "hard.json"]).run().is(3, "", "");
    let stdout = format!(
        "UNDECIDED  hard.json  {UNDECIDED}\nPASS   pass.json\n2 inputs: 1 passed, 1 undecided\n"
    );
    sandbox
        .aov(&["verify", "-s", "hard-schema.json", "hard.json", "pass.json"])
        .run()
        .is(3, &stdout, "");
}

#[test]
fn an_error_is_the_only_item_of_a_single_input() {
    let sandbox = sandbox();
    for (format, stdout) in
        [("human", String::new()), ("json", broken_json()), ("ndjson", compressed(&broken_json()))]
    {
        sandbox.aov(&["verify", "-s", "schema.json", "--format", format, "broken.json"]).run().is(
            2,
            &stdout,
            &broken("broken.json"),
        );
    }
}

#[test]
fn quiet_silences_people_only() {
    let sandbox = sandbox();
    let all = ["pass.json", "fail.json", "broken.json"];
    for (files, status, stderr) in [
        (&all[..1], 0, String::new()),
        (&all[..2], 1, String::new()),
        (&all[..], 2, broken("broken.json")),
    ] {
        let args = [&["verify", "-q", "-s", "schema.json"], files].concat();
        sandbox.aov(&args).run().is(status, "", &stderr);
    }
    sandbox
        .aov(&["verify", "--quiet", "-s", "schema.json", "--format", "json", "pass.json"])
        .run()
        .normalised()
        .is(0, &pass_json(), "");
    sandbox
        .aov(&["verify", "-q", "-s", "schema.json", "-o", "report.txt", "pass.json", "fail.json"])
        .run()
        .is(1, "", "");
    assert_eq!(
        sandbox.read("report.txt"),
        format!("PASS   pass.json\n{}2 inputs: 1 passed, 1 failed\n", failed_line("fail.json"))
    );
}

#[test]
fn a_long_list_is_cut_at_a_hundred_and_counted_in_full() {
    let sandbox = sandbox()
        .with("items.json", "{\"items\": {\"type\": \"string\"}}")
        .with("numbers.json", format!("[{}]", ["7"; 250].join(",")));
    let run =
        sandbox.aov(&["verify", "-s", "items.json", "--format", "json", "numbers.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let response: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    for list in ["errors", "errors_detail", "hints"] {
        assert_eq!(response[list].as_array().unwrap().len(), 100, "{list}");
        assert_eq!(response[format!("{list}_total")], 250, "{list}");
        assert_eq!(response[format!("{list}_omitted")], 150, "{list}");
    }
    let run = sandbox.aov(&["verify", "-s", "items.json", "numbers.json"]).run();
    let places = run.stdout.matches("\n  schema:type at '[").count();
    assert_eq!(places, 20);
    assert!(
        run.stdout.ends_with(
            "\n  and 230 more; --format json lists the first 100 of a kind\n\n  \
             7 of 257 checks passed (2.7%): schema 0 of 250, integrity 7 of 7\n"
        ),
        "{}",
        run.stdout
    );
}
