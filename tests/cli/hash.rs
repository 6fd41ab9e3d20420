//! `aov hash`.

use crate::common::Sandbox;
use crate::{broken, sandbox};

const PASS: &str = "02411c8580becc96ce51076945bc40c2619c7b41b89dd4589e52122dbee45b96";
const FAIL: &str = "b591e097b0de6da7c74e01c427aa6d853a028e35a3956e15238abf258fe05b93";

#[test]
fn a_hash_is_printed_as_sha256sum_does() {
    let sandbox = sandbox();
    sandbox.aov(&["hash", "pass.json"]).run().succeeds_with(&format!("{PASS}  pass.json\n"));
    sandbox
        .aov(&["hash", "pass.json", "fail.json"])
        .run()
        .succeeds_with(&format!("{PASS}  pass.json\n{FAIL}  fail.json\n"));
    for args in [&["hash"][..], &["hash", "-"]] {
        sandbox.aov(args).input("{ \"total\":5.0e0 }").run().succeeds_with(&format!("{PASS}  -\n"));
    }
    let lines = format!("{PASS}  pass.json\n{FAIL}  fail.json\n");
    sandbox.aov(&["hash", "p*.json", "fai?.json"]).run().succeeds_with(&lines);
}

#[test]
fn what_cannot_be_hashed_does_not_stop_the_others() {
    let error = "error: cannot read missing.json: there is no such file\n  help: Check the name; \
                 nothing was checked in its place.\n";
    let stderr = error.to_owned() + &broken("broken.json");
    let sandbox = sandbox();
    sandbox.aov(&["hash", "missing.json", "pass.json", "broken.json", "fail.json"]).run().is(
        2,
        &format!("{PASS}  pass.json\n{FAIL}  fail.json\n"),
        &stderr,
    );
}

#[test]
fn the_canonical_form_has_nothing_added() {
    let text = "{ \"b\": [1.50, -0, 1E2, 100000000000000000000001],\n \"a\": \"\\u00e9\\/\\n\" }\n";
    let canonical = "{\"a\":\"é/\\n\",\"b\":[1.5,0,100,100000000000000000000001]}";
    let sandbox = sandbox().with("a.json", text);
    sandbox.aov(&["hash", "--canonical", "a.json"]).run().succeeds_with(canonical);
    sandbox.aov(&["hash", "--canonical", "a.json", "pass.json"]).run().is(
        2,
        "",
        "error: --canonical is for one input\n  help: Name one file.\n",
    );
}

#[test]
fn a_hash_is_compared() {
    let sandbox = sandbox();
    let line = format!("{PASS}  pass.json\n");
    for good in [PASS.to_owned(), PASS.to_uppercase(), format!(" {PASS}\n")] {
        sandbox.aov(&["hash", "--check", &good, "pass.json"]).run().succeeds_with(&line);
    }
    sandbox.aov(&["hash", "--check", FAIL, "pass.json"]).run().is(
        1,
        &line,
        &format!("pass.json: its hash is {PASS}, not {FAIL}\n"),
    );
    for malformed in ["", "abc", &PASS[1..], &format!("{PASS}0"), &PASS.replace('0', "g")] {
        sandbox.aov(&["hash", "--check", malformed, "pass.json"]).run().is(
            2,
            "",
            "error: --check is not a hash\n  help: Give the 64 hex digits of a SHA-256.\n",
        );
    }
    sandbox.aov(&["hash", "--check", PASS, "broken.json"]).run().is(2, "", &broken("broken.json"));
    sandbox.aov(&["hash", "--check", PASS, "pass.json", "pass.json"]).run().is(
        2,
        "",
        "error: --check is for one input\n  help: Name one file.\n",
    );
}

#[test]
fn every_line_has_a_hash() {
    let stderr = "error: l.ndjson:4:3: the text ends inside a value, in $.[1]\n  help: Complete \
                  the line; for one value over several lines leave --lines out.\n";
    let sandbox = sandbox().with("l.ndjson", "{\"total\": 5}\n\n{\"total\":\"5\"}\r\n[1\n");
    sandbox.aov(&["hash", "--lines", "l.ndjson"]).run().is(
        2,
        &format!("{PASS}  l.ndjson:1\n{FAIL}  l.ndjson:3\n"),
        stderr,
    );
    let json = format!(
        "[\n  {{\"input\":\"l.ndjson:1\",\"sha256\":\"{PASS}\"}},\n  \
         {{\"input\":\"l.ndjson:3\",\"sha256\":\"{FAIL}\"}}\n]\n"
    );
    sandbox.aov(&["hash", "--lines", "--format", "json", "l.ndjson"]).run().is(2, &json, stderr);
}

#[test]
fn json_is_one_object_or_an_array_of_them() {
    let sandbox = sandbox();
    let pass = format!("{{\"input\":\"pass.json\",\"sha256\":\"{PASS}\"}}");
    let fail = format!("{{\"input\":\"fail.json\",\"sha256\":\"{FAIL}\"}}");
    sandbox
        .aov(&["hash", "--format", "json", "pass.json"])
        .run()
        .succeeds_with(&format!("{pass}\n"));
    sandbox
        .aov(&["hash", "--format", "json", "pass.json", "fail.json"])
        .run()
        .succeeds_with(&format!("[\n  {pass},\n  {fail}\n]\n"));
    sandbox.aov(&["hash", "--format", "json", "broken.json", "fail.json"]).run().is(
        2,
        &format!("[\n  {fail}\n]\n"),
        &broken("broken.json"),
    );
}

/// A request whose hashes are those of `printf '%s' CANONICAL | sha256sum`.
const REQUEST: &str = "{\"expected_schema\": true, \"task_id\": \"t\", \"submitted_output\": 1.0}";
const CANONICAL: &str = "{\"agent_id\":null,\"bounds\":null,\"enforce_rules\":false,\
                         \"expected_schema\":true,\"rules\":null,\"strict_content_check\":false,\
                         \"submitted_output\":1,\"task_id\":\"t\"}";
const FOUR: [(&str, &str); 4] = [
    ("output_hash", "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"),
    ("schema_hash", "b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b"),
    ("rules_hash", "1f775c90569b00e3e1574c29268cbb78953b2bb264c2df9a04c41fbf555fc918"),
    ("request_hash", "b26a984b914751e0c5d8626094f303fd9a4f5669b25ee1336d977b71046bd1da"),
];

#[test]
fn a_request_has_four_hashes() {
    let sandbox = Sandbox::new().with("r.json", REQUEST);
    let human: String = FOUR.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect();
    sandbox.aov(&["hash", "--request", "r.json"]).run().succeeds_with(&human);
    sandbox.aov(&["hash", "--request", "-"]).input(REQUEST).run().succeeds_with(&human);
    let members = FOUR.map(|(name, hash)| format!("  \"{name}\": \"{hash}\""));
    sandbox
        .aov(&["hash", "--format", "json", "--request", "r.json"])
        .run()
        .succeeds_with(&format!("{{\n{}\n}}\n", members.join(",\n")));
    sandbox.aov(&["hash", "--canonical", "--request", "r.json"]).run().succeeds_with(CANONICAL);
}

#[test]
fn the_schema_of_a_hashed_request_is_not_compiled() {
    let request = REQUEST.replace("true", "{\"pattern\": \"(\"}");
    let sandbox = Sandbox::new().with("r.json", request);
    let run = sandbox.aov(&["hash", "--request", "r.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let run = sandbox.aov(&["verify", "--request", "r.json"]).run();
    assert_eq!(run.status, 2);
}

#[test]
fn options_of_hash_that_do_not_go_together_are_refused() {
    let sandbox = sandbox();
    for args in [
        &["--request", "pass.json", "fail.json"][..],
        &["--request", "pass.json", "--lines"],
        &["--request", "pass.json", "--check", PASS],
        &["--canonical", "--check", PASS, "pass.json"],
        &["--canonical", "--format", "json", "pass.json"],
        &["--lines", "--canonical", "pass.json"],
        &["--lines", "--check", PASS, "pass.json"],
    ] {
        let run = sandbox.aov(&[&["hash"], args].concat()).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.starts_with("error: the argument "), "{run:?}");
    }
}
