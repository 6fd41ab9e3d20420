//! Faults that are still open. Each of these tests fails until its fault is mended; then it moves
//! to the module that it belongs to.

use serde_json::json;

use crate::STDIN_TWICE;
use crate::signing::{Sheet, check, receipt, score_receipt, signer};

#[test]
#[ignore = "open: a receipt whose request is not found among those given is called valid"]
fn a_request_that_is_not_found_is_not_overlooked() {
    let sandbox = signer().with("requests.ndjson", "{\"task_id\": \"other\"}\n");
    let receipt = receipt(&sandbox);
    let terms = ["--agent-card", "card.json", "--requests", "requests.ndjson"];
    Sheet::of(&sandbox, &receipt, &terms).is("undecided", &[]);
}

#[test]
#[ignore = "open: hex decodes as base64, so the hint is never given"]
fn hex_where_base64_belongs_is_told() {
    let sandbox = signer();
    let mut receipt = receipt(&sandbox);
    let hex = |count: u8| -> String { (0..count).map(|byte| format!("{byte:02x}")).collect() };
    receipt["attestation"]["signature"] = json!(hex(64));
    let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", "card.json"]);
    sheet.is("invalid", &["signature"]);
    assert!(sheet.detail("signature").contains("it looks like hex"), "{}", sheet.0);
    let run = check(&sandbox, &["--public-key", &hex(32), "under-test.json"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("it looks like hex"), "{run:?}");
}

#[test]
#[ignore = "open: a key on standard input takes the output's place without a word"]
fn standard_input_is_not_both_key_and_output() {
    let sandbox = signer();
    let text = sandbox.read("key.json");
    let start = ["attest", "--key", "-", "-s"];
    for args in [&["schema.json", "-"][..], &["-", "pass.json"]] {
        let run = sandbox.aov(&[&start[..], args].concat()).input(&text).run();
        run.is(2, "", STDIN_TWICE);
    }
    let receipt = receipt(&sandbox).to_string();
    let args = ["check-receipt", "--agent-card", "-", "-"];
    sandbox.aov(&args).input(receipt).run().is(2, "", STDIN_TWICE);
}

#[test]
#[ignore = "open: --key-version renames a key file's key, to an earlier key's version too"]
fn a_key_version_is_for_pem_keys() {
    let sandbox = signer();
    let run = sandbox.aov(&["keygen", "--rotate", "key.json", "--key-version", "k2"]).run();
    assert_eq!(run.status, 0);
    // The card would hold two keys of one version, and every receipt of it would be invalid.
    for command in [
        &["agent-card", "--key", "key.json", "--key-version", "k1"][..],
        &["attest", "--key", "key.json", "--key-version", "k1", "-s", "schema.json", "pass.json"],
    ] {
        let run = sandbox.aov(command).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{command:?}");
    }
}

#[cfg(unix)]
#[test]
#[ignore = "open: keygen names an option that it does not have"]
fn help_names_only_options_that_there_are() {
    let sandbox = signer();
    sandbox.set_mode("key.json", 0o644);
    let run = sandbox.aov(&["keygen", "--rotate", "key.json"]).run();
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("chmod 600 key.json"), "{run:?}");
    assert!(!run.stderr.contains("--insecure-key-permissions"), "{run:?}");
}

#[test]
#[ignore = "open: a PEM key to rotate asks for an option that was given"]
fn a_pem_key_is_not_rotated() {
    let pem = "-----BEGIN PRIVATE KEY-----\n\
               MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
               -----END PRIVATE KEY-----\n";
    let sandbox = signer().with_private("key.pem", pem);
    let run = sandbox.aov(&["keygen", "--rotate", "key.pem", "--key-version", "p2"]).run();
    assert_eq!((run.status, sandbox.read("key.pem").as_str()), (2, pem));
    assert!(!run.stderr.contains("Give --key-version"), "{run:?}");
}

#[test]
#[ignore = "open: --timestamp and --now take times without a zone, and days"]
fn a_time_option_needs_a_whole_rfc_3339_time() {
    let sandbox = signer();
    for time in ["2026-03-01T10:00:00", "2026-03-01"] {
        let start = ["attest", "--key", "key.json", "-s", "schema.json", "pass.json"];
        let run = sandbox.aov(&[&start[..], &["--timestamp", time]].concat()).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{time}");
    }
}

#[test]
#[ignore = "open: JSON has no score of a score receipt"]
fn a_proved_score_is_in_the_json() {
    let sheet = Sheet::of(&signer(), &score_receipt(), &["--agent-card", "card.json"]);
    assert_eq!(sheet.verdict(), "valid");
    assert!(sheet.0.to_string().contains("0.875"), "{}", sheet.0);
}
