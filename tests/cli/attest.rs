//! `aov attest`: the checks of `aov verify`, signed.

use serde_json::Value;

use crate::common::{Run, Sandbox};
use crate::signing::{CARD_URL, SIGNED, attested, check, key_file, receipt, signer};
use crate::{broken, broken_line, with_undecided};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(parsed).collect()
}

/// What there is of each item: its verdict and whether it is signed, or the error's code.
fn kinds(items: &[Value]) -> Vec<String> {
    let kind = |item: &Value| match (&item["result"], &item["error"]["code"]) {
        (Value::String(result), Value::Null) => {
            let signed = item["attestation"]["signature"].is_string();
            format!("{result}{}", if signed { ", signed" } else { "" })
        }
        (Value::Null, Value::String(code)) => {
            assert!(item.get("attestation").is_none() && item.get("verify").is_none());
            code.clone()
        }
        _ => panic!("{item}"),
    };
    items.iter().map(kind).collect()
}

#[test]
fn a_signed_response_is_what_verify_says_and_who_says_it() {
    let sandbox = signer();
    let run = attested(&sandbox, &["-s", "schema.json", "fail.json"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let mut receipt = parsed(&run.stdout);
    assert!(run.stdout.starts_with("{\n  \"summary\": {\n"), "{}", run.stdout);
    let verify = serde_json::json!({
        "public_key_url": CARD_URL,
        "key_version": "k1",
        "canonicalization": "RFC 8785 (JCS)",
        "hash_algorithm": "SHA-256",
        "service": "The signer",
        "mcp": null,
    });
    let attestation = receipt["attestation"].clone();
    assert_eq!(receipt["verify"], verify);
    assert_eq!(attestation["algorithm"], "Ed25519");
    assert_eq!(attestation["key_version"], "k1");
    assert_eq!(attestation["timestamp"], SIGNED);
    assert_eq!(attestation["signature"].as_str().unwrap().len(), 88);
    assert_eq!(attestation.as_object().unwrap().len(), 4);
    assert_eq!(receipt["verified_at"], SIGNED);

    let unsigned =
        sandbox.aov(&["verify", "--format", "json", "-s", "schema.json", "fail.json"]).run();
    let mut unsigned = parsed(&unsigned.stdout);
    let receipt = receipt.as_object_mut().unwrap();
    for name in ["verify", "attestation"] {
        assert!(receipt.remove(name).is_some());
    }
    for name in ["verification_id", "verified_at"] {
        assert!(unsigned.as_object_mut().unwrap().remove(name).is_some());
        receipt.remove(name);
    }
    assert_eq!(Value::Object(receipt.clone()), unsigned);
}

#[test]
fn options_name_the_issuer_in_place_of_the_key_file() {
    let sandbox = signer();
    let url = "https://other.example/card.json";
    let options = ["--issuer-name", "Other", "--public-key-url", url];
    let run = attested(&sandbox, &[&options[..], &["-s", "schema.json", "pass.json"]].concat());
    let receipt = parsed(&run.stdout);
    assert_eq!(receipt["verify"]["service"], "Other");
    assert_eq!(receipt["verify"]["public_key_url"], url);

    let bare = agent_output_verifier::key::KeyFile::new(
        zeroize::Zeroizing::new(crate::signing::seed()),
        "k1".to_owned(),
    );
    let sandbox = sandbox.with_private("key.json", bare.unwrap().to_json().as_bytes());
    let run = attested(&sandbox, &["-s", "schema.json", "pass.json"]);
    let receipt = parsed(&run.stdout);
    assert_eq!(receipt["verify"]["service"], "aov (self-attested)");
    assert_eq!(receipt["verify"]["public_key_url"], Value::Null);
}

#[test]
fn a_verdict_is_signed_and_nothing_else() {
    let sandbox = with_undecided(signer());
    let schema = ["-s", "hard-schema.json"];
    let hard = sandbox.read("hard-schema.json");
    let text =
        format!("{{\"allOf\": [{hard}, {{\"properties\": {{\"a\": {{\"type\": \"string\"}}}}}}]}}");
    let sandbox = sandbox.with("misfit.json", "{\"a\": 1}").with("both-schema.json", text);
    let both = ["-s", "both-schema.json"];
    for (schema, name, status, kind) in [
        (schema, "pass.json", 0, "pass, signed"),
        (both, "misfit.json", 1, "fail, signed"),
        (schema, "broken.json", 2, "invalid_json"),
        (schema, "missing.json", 2, "unreadable_input"),
        (schema, "hard.json", 3, "undecided"),
    ] {
        for format in ["json", "ndjson"] {
            let run = attested(&sandbox, &[&schema[..], &["--format", format, name]].concat());
            assert_eq!(run.status, status, "{name}: {run:?}");
            let kinds = kinds(&[parsed(&run.stdout)]);
            assert!(kinds == [kind] || status == 3, "{name}: {kinds:?}");
            assert!(!run.stdout.contains("signature") || status < 2, "{name}");
        }
    }
    let names = ["pass.json", "misfit.json", "broken.json", "hard.json", "pass.json"];
    let json = attested(&sandbox, &[&both[..], &names].concat());
    let ndjson = attested(&sandbox, &[&both[..], &["--format", "ndjson"], &names].concat());
    assert_eq!((json.status, ndjson.status), (2, 2));
    assert_eq!(json.stderr, broken("broken.json"));
    let items: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(items, lines(&ndjson));
    let kinds = kinds(&items);
    assert_eq!(kinds[..3], ["pass, signed", "fail, signed", "invalid_json"]);
    assert_eq!(kinds[4], "pass, signed");
    assert!(!kinds[3].contains("signed"), "{kinds:?}");
}

/// Receipts are signed some at once, in whatever number lines come and with others between them.
#[test]
fn a_receipt_among_many_is_the_one_that_it_is_alone() {
    let mut text = String::new();
    let mut expected = String::new();
    for number in 1..=100 {
        if number % 7 == 0 {
            text.push_str("{\"total\": \n");
            continue;
        }
        let total = format!("{{\"total\": {number}}}\n");
        let alone = signer().with("l.ndjson", &("\n".repeat(number - 1) + &total));
        // A process for each would take long.
        if number % 9 == 0 {
            let options = ["-s", "schema.json", "--lines", "--format", "ndjson", "l.ndjson"];
            expected.push_str(&attested(&alone, &options).stdout);
        }
        text.push_str(&total);
    }
    let sandbox = signer().with("l.ndjson", &text);
    for jobs in ["1", "3"] {
        let options = ["-s", "schema.json", "--lines", "--format", "ndjson", "--jobs", jobs];
        let run = attested(&sandbox, &[&options[..], &["l.ndjson"]].concat());
        assert_eq!(run.status, 2);
        let signed: Vec<&str> =
            run.stdout.lines().filter(|line| line.contains("signature")).collect();
        assert_eq!(signed.len(), 86);
        for line in expected.lines() {
            assert!(signed.contains(&line), "{line}");
        }
        std::fs::write(sandbox.path("r.ndjson"), signed.join("\n")).unwrap();
        let checked = check(&sandbox, &["-q", "--agent-card", "card.json", "--lines", "r.ndjson"]);
        checked.succeeds_with("");
    }
}

#[test]
fn every_line_has_a_receipt_of_its_own() {
    let text = "{\"total\": 5}\n\n{\"total\": \"5\"}\n{\"total\": \n{\"total\": 6}\n";
    let sandbox = signer().with("l.ndjson", text);
    let run =
        attested(&sandbox, &["-s", "schema.json", "--lines", "--format", "ndjson", "l.ndjson"]);
    assert_eq!((run.status, run.stderr.as_str()), (2, broken_line("l.ndjson", 4).as_str()));
    let items = lines(&run);
    let ids: Vec<&Value> = items.iter().map(|item| &item["task_id"]).collect();
    assert_eq!(ids, ["l.ndjson:1", "l.ndjson:3", "l.ndjson:4", "l.ndjson:5"]);
    assert_eq!(kinds(&items), ["pass, signed", "fail, signed", "invalid_json", "pass, signed"]);
    let signed: Vec<&str> = run.stdout.lines().filter(|line| line.contains("signature")).collect();
    std::fs::write(sandbox.path("r.ndjson"), signed.join("\n")).unwrap();
    let checked = check(&sandbox, &["--agent-card", "card.json", "--lines", "r.ndjson"]);
    checked.succeeds_with(
        "VALID      r.ndjson:1  pass l.ndjson:1
VALID      r.ndjson:2  fail l.ndjson:3
VALID      r.ndjson:3  pass l.ndjson:5
3 inputs: 3 valid
",
    );
}

/// Every way to say what is checked.
fn forms() -> (Sandbox, Vec<Vec<&'static str>>) {
    let schema = crate::SCHEMA;
    let request = format!(
        "{{\"task_id\": \"r-1\", \"agent_id\": \"agent\", \"expected_schema\": {schema}, \
         \"submitted_output\": {{\"total\": 5.50, \"x\": 1e2}}, \"rules\": [], \"bounds\": \
         {{\"total\": {{\"min\": 1}}}}, \"enforce_rules\": true, \"detail\": \"compact\"}}"
    );
    let sandbox = signer()
        .with("rules.json", "[{\"type\": \"gte\", \"field\": \"total\", \"value\": 0}]")
        .with("bounds.json", "{\"total\": {\"min\": 0, \"max\": 9}}")
        .with(
            "set.json",
            "{\"rules\": [{\"type\": \"lte\", \"field\": \"total\", \"value\": 9}], \"bounds\": \
             {\"total\": {\"min\": 0}}, \"enforce_rules\": false}",
        )
        .with("request.json", &request)
        .with("requests.ndjson", format!("{request}\n{}\n", request.replace("r-1", "r-2")));
    let forms = vec![
        vec!["-s", "schema.json", "pass.json"],
        vec!["-s", "schema.json", "fail.json", "pass.json"],
        vec!["-s", "schema.json", "--detail", "compact", "pass.json"],
        vec!["-s", "schema.json", "-r", "rules.json", "-b", "bounds.json", "pass.json"],
        vec!["-r", "set.json", "fail.json"],
        vec!["-r", "set.json", "--enforce-rules", "--strict", "fail.json"],
        vec!["-b", "bounds.json", "--agent-id", "agent-7", "--task-id", "job", "pass.json"],
        vec!["--request", "request.json"],
        vec!["--request", "request.json", "--no-enforce-rules", "--task-id", "mine"],
        vec!["--request", "request.json", "--detail", "full", "--agent-id", "other"],
        vec!["--requests", "--lines", "requests.ndjson"],
        vec!["-s", "schema.json", "--lines", "pass.json"],
    ];
    (sandbox, forms)
}

#[test]
fn a_pair_holds_the_request_that_the_receipt_is_about() {
    let (sandbox, forms) = forms();
    for form in forms {
        let run = attested(&sandbox, &[&["--pair", "--format", "ndjson"], &form[..]].concat());
        assert!(run.status < 2 && run.stderr.is_empty(), "{form:?}: {run:?}");
        for pair in lines(&run) {
            let names: Vec<&String> = pair.as_object().unwrap().keys().collect();
            assert_eq!(names.len(), 2, "{names:?}");
            assert_eq!(kinds(&[pair["receipt"].clone()]).len(), 1);
        }
        std::fs::write(sandbox.path("pairs.ndjson"), &run.stdout).unwrap();
        let terms = ["--agent-card", "card.json", "--require", "all", "--recheck"];
        let checked = check(&sandbox, &[&terms[..], &["--lines", "pairs.ndjson"]].concat());
        assert_eq!((checked.status, checked.stderr.as_str()), (0, ""), "{form:?}: {checked:?}");

        // Signed with --format json it is the same.
        let json = attested(&sandbox, &[&["--pair"], &form[..]].concat());
        let json = parsed(&json.stdout);
        let pairs = json.as_array().cloned().unwrap_or_else(|| vec![json]);
        assert_eq!(pairs, lines(&run), "{form:?}");
    }
}

#[test]
fn a_run_at_a_given_time_is_the_same_byte_for_byte() {
    let (sandbox, forms) = forms();
    for form in forms {
        let first = attested(&sandbox, &form);
        let second = attested(&sandbox, &[&["--jobs", "1"], &form[..]].concat());
        assert_eq!(first.stdout, second.stdout, "{form:?}");
        let args = [&["attest", "--key", "key.json"], &form[..]].concat();
        let by_variable = sandbox.aov(&args).env("SOURCE_DATE_EPOCH", "1772359200").run();
        assert_eq!(by_variable.stdout, first.stdout, "{form:?}");
    }
    // The option wins.
    let form = ["-s", "schema.json", "pass.json"];
    let args = [&["attest", "--key", "key.json", "--timestamp", SIGNED], &form[..]].concat();
    let both = sandbox.aov(&args).env("SOURCE_DATE_EPOCH", "7").run();
    assert_eq!(both.stdout, attested(&sandbox, &form).stdout);
    // Another zone is no other time.
    let args = ["attest", "--key", "key.json", "--timestamp", "2026-03-01T12:00:00+02:00"];
    let zoned = sandbox.aov(&[&args[..], &form].concat()).run();
    assert_eq!(zoned.stdout, both.stdout);
}

#[test]
fn the_derived_id_follows_the_request_and_the_time() {
    let sandbox = signer().with("pass2.json", "{\"total\": 5}\n");
    let id = |time: &str, args: &[&str]| -> String {
        let start = ["attest", "--key", "key.json", "--timestamp", time, "-s", "schema.json"];
        let run = sandbox.aov(&[&start, args].concat()).run();
        parsed(&run.stdout)["verification_id"].as_str().unwrap().to_owned()
    };
    let shape =
        regex::Regex::new("^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$");
    let shape = shape.unwrap();
    let all = [
        id(SIGNED, &["pass.json"]),
        id("2026-03-01T10:00:00.000001Z", &["pass.json"]),
        id(SIGNED, &["pass2.json"]),
        id(SIGNED, &["pass.json", "--agent-id", "a"]),
        id(SIGNED, &["pass.json", "--strict"]),
        id(SIGNED, &["fail.json"]),
    ];
    for (i, id) in all.iter().enumerate() {
        assert!(shape.is_match(id), "{id}");
        assert!(!all[..i].contains(id), "{i}: {all:?}");
    }
    assert_eq!(id(SIGNED, &["pass.json"]), all[0]);
    // Without a given time no two are the same.
    let run =
        || sandbox.aov(&["attest", "--key", "key.json", "-s", "schema.json", "pass.json"]).run();
    let now = [run(), run()].map(|run| parsed(&run.stdout)["verification_id"].clone());
    assert_ne!(now[0], now[1]);
}

#[test]
fn an_id_may_be_given_for_one_input() {
    let sandbox = signer();
    let id = "00112233-4455-4677-8899-aabbccddeeff";
    let start = ["-s", "schema.json", "--verification-id"];
    let run = attested(&sandbox, &[&start[..], &[id, "pass.json"]].concat());
    assert_eq!(parsed(&run.stdout)["verification_id"], id);
    for (args, error) in [
        (
            &["nope", "pass.json"][..],
            "error: --verification-id is no UUID\n  help: Give a UUID, or leave it out.\n",
        ),
        (
            &[id, "pass.json", "fail.json"],
            "error: --verification-id is for one input\n  help: Leave it out; each input then has \
             its own.\n",
        ),
        (
            &[id, "--lines", "pass.json"],
            "error: --verification-id is for one input\n  help: Leave it out; each input then has \
             its own.\n",
        ),
    ] {
        attested(&sandbox, &[&start[..], args].concat()).is(2, "", error);
    }
}

#[test]
fn a_time_that_is_none_is_refused() {
    let sandbox = signer();
    let start = ["attest", "--key", "key.json", "-s", "schema.json", "pass.json"];
    for time in ["yesterday", "", "2026-02-30T00:00:00Z", "1772359200"] {
        sandbox.aov(&[&start[..], &["--timestamp", time]].concat()).run().is(
            2,
            "",
            "error: --timestamp is no time\n  help: Give an RFC 3339 time such as \
             2026-01-31T12:00:00Z.\n",
        );
    }
    for seconds in ["yesterday", "", "1.5", "99999999999999", "-99999999999999"] {
        sandbox.aov(&start).env("SOURCE_DATE_EPOCH", seconds).run().is(
            2,
            "",
            "error: SOURCE_DATE_EPOCH is no number of seconds\n  help: Set it to seconds since \
             1970-01-01, or unset it.\n",
        );
    }
}

#[test]
fn receipts_go_to_a_file_whole() {
    let sandbox = signer().with("out.json", "old");
    let form = ["-s", "schema.json", "pass.json", "fail.json"];
    let printed = attested(&sandbox, &form);
    attested(&sandbox, &[&["-o", "out.json"], &form[..]].concat()).is(1, "", "");
    assert_eq!(sandbox.read("out.json"), printed.stdout);
    // Silence is for people's reports.
    let quiet = attested(&sandbox, &[&["-q"], &form[..]].concat());
    assert_eq!(quiet.stdout, printed.stdout);
    attested(&sandbox, &["-o", "out.json", "pass.json"]).is(
        2,
        "",
        "error: there is nothing to check against\n  help: Give one of --schema, --rules, \
         --bounds, --template, --request or --requests.\n",
    );
    assert_eq!(sandbox.read("out.json"), printed.stdout);
}

#[test]
fn a_key_is_needed_and_looked_at_first() {
    let sandbox = signer();
    let run = sandbox.aov(&["attest", "-s", "schema.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("--key <FILE|-|env:NAME>"), "{run:?}");
    let run =
        sandbox.aov(&["attest", "--key", "pass.json", "-s", "schema.json", "pass.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    // For people there is `aov verify`.
    let run = attested(&sandbox, &["--format", "human", "-s", "schema.json", "pass.json"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
}

#[test]
fn another_implementation_would_sign_the_same_bytes() {
    // The signed document from its description, with nothing of the product but its key.
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let mut response = receipt.clone();
    response.as_object_mut().unwrap().remove("attestation");
    let document = serde_json::json!({
        "context": "json-schema-verifier/verify-schema-attestation/v1",
        "algorithm": "Ed25519",
        "key_version": "k1",
        "attested_at": SIGNED,
        "response": response,
    });
    // Sorted members, no white space; the doubles in it are 1.0, which RFC 8785 writes as 1.
    let text = sorted(&document).replace(":1.0", ":1");
    let signature = key_file().signing_key().sign_base64(text.as_bytes());
    assert_eq!(receipt["attestation"]["signature"], signature);
}

fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.iter().map(|(name, value)| {
                format!("{}:{}", Value::String((*name).clone()), sorted(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
