//! `aov check-receipt`: whose word counts, what must have passed, and what the receipt is about.

use serde_json::{Value, json};

use crate::common::{Sandbox, vector};
use crate::signing::{CARD_URL, Sheet, attested, check, public_key, receipt, signed_with, signer};

const CARD: [&str; 2] = ["--agent-card", "card.json"];

const NEEDED: [&str; 5] = ["shape", "key", "issuer", "signature", "time"];
const ABOUT: [&str; 5] =
    ["output_hash", "schema_hash", "rules_hash", "request_hash", "request_fields"];

const ABSENT: &str = "not given; --request";

/// A signer with a receipt, the request that it is about in one file and in parts, and another.
fn with_parts() -> (Sandbox, Value) {
    let rules = json!([{"type": "gte", "field": "total", "value": 0}]);
    let sandbox = signer()
        .with("rules.json", rules.to_string())
        .with("bounds.json", "{\"total\": {\"max\": 9}}")
        .with("set.json", json!({"rules": rules, "bounds": {"total": {"max": 9}}}).to_string())
        .with("other.json", "{\"total\": 6}")
        .with("other-rules.json", "[]");
    let args = ["--pair", "-s", "schema.json", "-r", "rules.json", "-b", "bounds.json"];
    let run = attested(&sandbox, &[&args[..], &["pass.json"]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let mut pair: Value = serde_json::from_str(&run.stdout).unwrap();
    let sandbox = sandbox
        .with("pair.json", pair.to_string())
        .with("request.json", pair["request"].to_string());
    (sandbox, pair["receipt"].take())
}

fn terms<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["--agent-card", "card.json"], more].concat()
}

#[test]
fn a_request_settles_every_hash_and_field() {
    let (sandbox, receipt) = with_parts();
    let sheet = Sheet::of(&sandbox, &receipt, &terms(&["--request", "request.json"]));
    sheet.is("valid", &[]);
    assert_eq!(sheet.names("passed"), [&NEEDED[..], &ABOUT].concat());
    let sheet = Sheet::of(&sandbox, &receipt, &CARD);
    sheet.is("valid", &[]);
    assert_eq!(sheet.names("not_checked"), ABOUT);
    for step in ABOUT {
        assert!(sheet.detail(step).starts_with(ABSENT), "{step}");
    }

    let request: Value = serde_json::from_str(&sandbox.read("request.json")).unwrap();
    for (name, value, failed) in [
        ("submitted_output", json!({"total": 6}), &["output_hash", "request_hash"][..]),
        ("expected_schema", json!(true), &["schema_hash", "request_hash"]),
        ("rules", json!([]), &["rules_hash", "request_hash"]),
        ("bounds", json!({}), &["rules_hash", "request_hash"]),
        ("task_id", json!("other"), &["request_hash", "request_fields"]),
        ("agent_id", json!("other"), &["request_hash", "request_fields"]),
        ("enforce_rules", json!(false), &["request_hash", "request_fields"]),
        ("strict_content_check", json!(true), &["request_hash", "request_fields"]),
    ] {
        let mut other = request.clone();
        other[name] = value;
        std::fs::write(sandbox.path("changed.json"), other.to_string()).unwrap();
        let sheet = Sheet::of(&sandbox, &receipt, &terms(&["--request", "changed.json"]));
        sheet.is("invalid", failed);
    }
    // A request that holds nothing is not one that agrees.
    let sheet = Sheet::of(&sandbox, &receipt, &terms(&["--request", "other.json"]));
    assert_eq!(sheet.names("failed"), ABOUT);
    let args = ["--agent-card", "card.json", "--request", "broken.json", "under-test.json"];
    check(&sandbox, &args).is(2, "", &crate::broken("broken.json"));
}

#[test]
fn a_pair_brings_its_request() {
    let (sandbox, receipt) = with_parts();
    let sheet = Sheet::of_file(&sandbox, "pair.json", &terms(&["--require", "all"]));
    sheet.is("valid", &[]);
    let lines = json!({"receipt": receipt, "request": {"task_id": "pass.json"}});
    let sandbox = sandbox.with("bad-pair.json", lines.to_string());
    Sheet::of_file(&sandbox, "bad-pair.json", &CARD).is("invalid", &ABOUT);
}

#[test]
fn single_files_settle_single_hashes() {
    let (sandbox, receipt) = with_parts();
    for (args, step) in [
        (&["--output", "pass.json"][..], "output_hash"),
        (&["--schema", "schema.json"], "schema_hash"),
        (&["--rules", "set.json"], "rules_hash"),
        (&["--rules", "rules.json", "--bounds", "bounds.json"], "rules_hash"),
    ] {
        let sheet = Sheet::of(&sandbox, &receipt, &terms(args));
        sheet.is("valid", &[]);
        assert_eq!(sheet.names("passed"), [&NEEDED[..], &[step]].concat(), "{args:?}");
    }
    for (args, step) in [
        (&["--output", "other.json"][..], "output_hash"),
        (&["--schema", "pass.json"], "schema_hash"),
        (&["--rules", "rules.json"], "rules_hash"),
        (&["--rules", "other-rules.json", "--bounds", "bounds.json"], "rules_hash"),
        (&["--bounds", "bounds.json"], "rules_hash"),
    ] {
        let sheet = Sheet::of(&sandbox, &receipt, &terms(args));
        sheet.is("invalid", &[step]);
        let detail = sheet.detail(step);
        let stated = receipt[step].as_str().unwrap();
        assert!(detail.starts_with(&format!("the receipt says {stated}, but it is ")), "{detail}");
    }
    // Bounds alone are the whole of it where there are no rules.
    let run = attested(&sandbox, &["-b", "bounds.json", "pass.json"]);
    let bounded: Value = serde_json::from_str(&run.stdout).unwrap();
    let all = ["--bounds", "bounds.json", "--output", "pass.json", "--require", "rules_hash"];
    Sheet::of(&sandbox, &bounded, &terms(&all)).is("valid", &[]);

    for args in [
        &["--request", "request.json", "--output", "pass.json"][..],
        &["--requests", "request.json", "--schema", "schema.json"],
        &["--requests", "request.json", "--request", "request.json"],
        &["--public-key", "x", "--agent-card", "card.json"],
        &["--key-version", "k1"],
        &["--fetch", "--offline"],
        &["--fetch", "--agent-card", "card.json"],
    ] {
        let run = check(&sandbox, &[args, &["under-test.json"]].concat());
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
    }
}

#[test]
fn the_genuine_receipts_parts_are_taken_apart_too() {
    let request: Value =
        serde_json::from_str(&vector("receipts/invoice-7731-final.request.json")).unwrap();
    let sandbox = signer()
        .with("genuine.json", vector("receipts/invoice-7731-final.receipt.json"))
        .with("output.json", request["submitted_output"].to_string())
        .with("expected.json", request["expected_schema"].to_string())
        .with("rules.json", request["rules"].to_string());
    let args = ["--output", "output.json", "--schema", "expected.json", "--rules", "rules.json"];
    let now = ["check-receipt", "--format", "ndjson", "--require", "schema_hash,rules_hash"];
    let run = sandbox.aov(&[&now[..], &args, &["genuine.json"]].concat()).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    let sheet = Sheet(serde_json::from_str(&run.stdout).unwrap());
    assert_eq!(sheet.names("not_checked"), ["request_fields"]);
}

#[test]
fn each_receipt_finds_its_own_request() {
    let sandbox = signer().with_folder("requests").with_folder("receipts");
    let lines: String = (0..5).map(|i| format!("{{\"total\": {i}}}\n")).collect();
    let sandbox = sandbox.with("l.ndjson", lines);
    let form = ["--pair", "--format", "ndjson", "-s", "schema.json", "--lines", "l.ndjson"];
    let run = attested(&sandbox, &form);
    let mut requests = String::new();
    for (i, line) in run.stdout.lines().enumerate() {
        let pair: Value = serde_json::from_str(line).unwrap();
        // The order is another one.
        requests = format!("\n{}\n{requests}", pair["request"]);
        let write = |name: String, value: &Value| {
            std::fs::write(sandbox.path(&name), value.to_string()).unwrap();
        };
        write(format!("requests/{}.json", 9 - i), &pair["request"]);
        write(format!("receipts/{i}.json"), &pair["receipt"]);
    }
    let sandbox = sandbox.with("requests.ndjson", requests);
    for place in ["requests", "requests.ndjson"] {
        let args = terms(&["--requests", place, "--require", "all", "--recheck", "receipts"]);
        let run = check(&sandbox, &args);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
        assert!(run.stdout.ends_with("5 inputs: 5 valid\n"), "{run:?}");
    }
    std::fs::remove_file(sandbox.path("requests/7.json")).unwrap();
    let args = terms(&["--requests", "requests", "--require", "all", "receipts"]);
    let run = check(&sandbox, &args);
    assert_eq!(run.status, 3, "{run:?}");
    let line = "UNDECIDED  receipts/2.json  output_hash: no request in requests has its hashes \
                and task id\n";
    assert!(run.stdout.replace('\\', "/").contains(line), "{run:?}");
    assert!(run.stdout.ends_with("5 inputs: 4 valid, 1 undecided\n"), "{run:?}");

    let sandbox = sandbox.with("broken.ndjson", "{\"task_id\": 1}\n{\"task_id\": \n");
    let run = check(&sandbox, &terms(&["--requests", "broken.ndjson", "receipts"]));
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: broken.ndjson:2:"), "{run:?}");
    let run = check(&sandbox, &terms(&["--requests", "missing", "receipts"]));
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: cannot read missing: "), "{run:?}");
}

#[test]
fn the_checks_are_made_again_when_that_is_asked() {
    let (sandbox, receipt) = with_parts();
    let about = terms(&["--request", "request.json", "--recheck"]);
    let sheet = Sheet::of(&sandbox, &receipt, &about);
    sheet.is("valid", &[]);
    assert_eq!(sheet.detail("recheck"), "the checks come to the same");
    let sheet = Sheet::of(&sandbox, &receipt, &terms(&["--recheck"]));
    sheet.is("undecided", &[]);
    assert_eq!(sheet.detail("recheck"), "it needs the request");

    // A signer that lies about the result, well signed.
    let lie = signed_with(&receipt, |receipt| {
        receipt["result"] = json!("fail");
        receipt["summary"]["result"] = json!("fail");
    });
    Sheet::of(&sandbox, &lie, &terms(&["--request", "request.json"])).is("valid", &[]);
    let sheet = Sheet::of(&sandbox, &lie, &about);
    sheet.is("invalid", &["recheck"]);
    assert_eq!(sheet.detail("recheck"), "the receipt says fail, the checks here come to pass");
    // One that counts otherwise: ours may not, a foreign one may.
    let count = |version: &'static str| {
        signed_with(&receipt, |receipt| {
            receipt["verifier_version"] = json!(version);
            receipt["integrity_checks"] = json!({"ratio": 1, "passed": 3, "total": 3});
        })
    };
    let sheet = Sheet::of(&sandbox, &count("aov-0.1.0"), &about);
    sheet.is("invalid", &["recheck"]);
    assert!(sheet.detail("recheck").contains("integrity_checks"), "{}", sheet.0);
    let sheet = Sheet::of(&sandbox, &count("0.4.1"), &about);
    sheet.is("valid", &[]);
    assert!(sheet.detail("recheck").contains("differ, as they may"), "{}", sheet.0);
}

#[test]
fn required_steps_must_have_passed() {
    let (sandbox, receipt) = with_parts();
    let request = ["--request", "request.json"];
    for step in NEEDED {
        Sheet::of(&sandbox, &receipt, &terms(&["--require", step])).is("valid", &[]);
    }
    for step in ABOUT {
        Sheet::of(&sandbox, &receipt, &terms(&["--require", step])).is("undecided", &[]);
        let args = [&terms(&["--require", step])[..], &request].concat();
        Sheet::of(&sandbox, &receipt, &args).is("valid", &[]);
    }
    for (required, verdict) in [
        ("all", "valid"),
        ("all,shape", "valid"),
        ("recheck", "undecided"),
        ("all,recheck", "undecided"),
        ("shape,output_hash,request_fields", "valid"),
    ] {
        let args = [&terms(&["--require", required])[..], &request].concat();
        Sheet::of(&sandbox, &receipt, &args).is(verdict, &[]);
    }
    Sheet::of(&sandbox, &receipt, &terms(&["--require", "all"])).is("undecided", &[]);
    Sheet::of(&sandbox, &receipt, &terms(&["--require", "shape", "--require", "output_hash"]))
        .is("undecided", &[]);
    Sheet::of(&sandbox, &receipt, &terms(&["--output", "pass.json", "--require", "all"]))
        .is("undecided", &[]);
    // A compact receipt has no hash of its request; `all` asks for what there is.
    let run =
        attested(&sandbox, &["-s", "schema.json", "--detail", "compact", "--pair", "pass.json"]);
    let sandbox = sandbox.with("compact.json", run.stdout);
    let all = terms(&["--require", "all"]);
    let sheet = Sheet::of_file(&sandbox, "compact.json", &all);
    sheet.is("valid", &[]);
    assert_eq!(sheet.names("passed").len(), 9);
    Sheet::of_file(&sandbox, "compact.json", &terms(&["--require", "request_hash"]))
        .is("undecided", &[]);
    // What is required cannot make up for what failed.
    Sheet::of(&sandbox, &receipt, &[&all[..], &["--output", "other.json"]].concat())
        .is("invalid", &["output_hash"]);
    for (name, shown) in [("nope", "nope"), ("shape,Shape", "Shape"), ("", "")] {
        let run = check(&sandbox, &terms(&["--require", name, "compact.json"]));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{name}");
        let help = "  help: The steps are shape, key, issuer, signature, time, output_hash, \
                    schema_hash, rules_hash, request_hash, request_fields, recheck, and all.\n";
        assert_eq!(run.stderr, format!("error: --require {shown}: there is no such step\n{help}"));
    }
}

#[test]
fn an_issuer_is_accepted_by_its_exact_host() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let with = |issuers: &[&str]| {
        let options = issuers.iter().flat_map(|issuer| ["--issuer", issuer]);
        Sheet::of(&sandbox, &receipt, &terms(&options.collect::<Vec<_>>()))
    };
    for issuers in [
        &["verify.example"][..],
        &["VERIFY.example"],
        &["verify.example:443"],
        &["https://verify.example"],
        &["https://verify.example/"],
        &["https://verify.example/.well-known"],
        &[CARD_URL],
        &["other.example", "verify.example"],
    ] {
        let sheet = with(issuers);
        sheet.is("valid", &[]);
        let detail = format!("\"{CARD_URL}\", accepted with --issuer");
        assert_eq!(sheet.detail("issuer"), detail, "{issuers:?}");
    }
    for issuers in [
        &["other.example"][..],
        &["example"],
        &["verify.example.evil.example"],
        &["sub.verify.example"],
        &["verify.example:8443"],
        &["http://verify.example"],
        &["https://verify.example/.well"],
        &["https://verify.example/other"],
        &["other.example", "third.example"],
    ] {
        let sheet = with(issuers);
        sheet.is("invalid", &["issuer"]);
        let detail = format!("the receipt names \"{CARD_URL}\", which is not accepted");
        assert_eq!(sheet.detail("issuer"), detail, "{issuers:?}");
    }
    // A receipt that pretends to be somebody's by the way its URL is spelt.
    for url in [
        "https://verify.example@evil.example/card",
        "https://verify.example.evil.example/card",
        "https://evil.example/verify.example",
        "https://evil.example?verify.example",
    ] {
        let forged = signed_with(&receipt, |receipt| {
            receipt["verify"]["public_key_url"] = json!(url);
        });
        let sheet = Sheet::of(&sandbox, &forged, &terms(&["--issuer", "verify.example"]));
        sheet.is("invalid", &["issuer"]);
    }
    let nobody = signed_with(&receipt, |receipt| {
        receipt["verify"]["public_key_url"] = Value::Null;
    });
    Sheet::of(&sandbox, &nobody, &terms(&["--issuer", "verify.example"]))
        .is("invalid", &["issuer"]);
    Sheet::of(&sandbox, &nobody, &CARD).is("valid", &[]);
    // A name without a key is no proof.
    Sheet::of(&sandbox, &receipt, &["--issuer", "verify.example"]).is("undecided", &[]);
    for name in ["", "verify.example/path", "ftp://verify.example", "a b", "https://"] {
        let run = check(&sandbox, &terms(&["--issuer", name, "under-test.json"]));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{name}");
        assert!(run.stderr.contains("neither a host such as"), "{run:?}");
    }
}

#[test]
fn a_key_may_be_given_itself() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let key = public_key();
    let other = agent_output_verifier::key::SigningKey::from_seed(&[9; 32]);
    let other = other.verifying_key().to_base64();
    Sheet::of(&sandbox, &receipt, &["--public-key", &key]).is("valid", &[]);
    let version = ["--public-key", &key, "--key-version"];
    Sheet::of(&sandbox, &receipt, &[&version[..], &["k1"]].concat()).is("valid", &[]);
    let sheet = Sheet::of(&sandbox, &receipt, &[&version[..], &["k2"]].concat());
    sheet.is("undecided", &[]);
    assert_eq!(
        sheet.detail("key"),
        "the receipt's key version is \"k1\", the given key is for \"k2\" only"
    );
    Sheet::of(&sandbox, &receipt, &["--public-key", &other]).is("invalid", &["signature"]);
    for (key, says) in [
        ("nope", "the public key has 3 bytes, not 32"),
        (&key.replace('=', ""), "the padding is missing or wrong"),
        (&format!("{key}\n"), "white space"),
    ] {
        let run = check(&sandbox, &["--public-key", key, "under-test.json"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{key}");
        assert!(run.stderr.starts_with("error: --public-key: "), "{run:?}");
        assert!(run.stderr.contains(says), "{run:?}");
    }
}
