//! Faults that the commands for keys and receipts once had.

use serde_json::json;

use crate::STDIN_TWICE;
use crate::signing::{Sheet, check, receipt, score_receipt, signer};

#[test]
fn a_request_that_is_not_found_is_not_overlooked() {
    let sandbox = signer().with("requests.ndjson", "{\"task_id\": \"other\"}\n");
    let receipt = receipt(&sandbox);
    let terms = ["--agent-card", "card.json", "--requests", "requests.ndjson"];
    Sheet::of(&sandbox, &receipt, &terms).is("undecided", &[]);
}

#[test]
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
fn help_names_only_options_that_there_are() {
    let sandbox = signer();
    sandbox.set_mode("key.json", 0o644);
    let run = sandbox.aov(&["keygen", "--rotate", "key.json"]).run();
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("chmod 600 key.json"), "{run:?}");
    assert!(!run.stderr.contains("--insecure-key-permissions"), "{run:?}");
}

#[test]
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
fn a_time_option_needs_a_whole_rfc_3339_time() {
    let sandbox = signer();
    for time in ["2026-03-01T10:00:00", "2026-03-01"] {
        let start = ["attest", "--key", "key.json", "-s", "schema.json", "pass.json"];
        let run = sandbox.aov(&[&start[..], &["--timestamp", time]].concat()).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{time}");
    }
}

#[test]
fn a_proved_score_is_in_the_json() {
    let sheet = Sheet::of(&signer(), &score_receipt(), &["--agent-card", "card.json"]);
    assert_eq!(sheet.verdict(), "valid");
    assert!(sheet.0.to_string().contains("0.875"), "{}", sheet.0);
}
