//! `aov check-receipt` on single receipts: what is proved, by which key, about what.

use serde_json::{Value, json};

use crate::common::Aov;
use crate::signing::{
    CARD_URL, Sheet, check, public_key, receipt, score_receipt, sign, signed_at, signed_with,
    signer,
};

const CARD: [&str; 2] = ["--agent-card", "card.json"];

const GENUINE: &str = "tests/vectors/receipts/invoice-7731-final.receipt.json";
const GENUINE_REQUEST: &str = "tests/vectors/receipts/invoice-7731-final.request.json";
const GENUINE_CARD: &str = "tests/vectors/receipts/agent-card.json";
const GENUINE_KEY: &str = "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=";

const NAMED: &str = "    named        verify.sarnai.dev  (the signer calls itself so; whose key it is, is your word)\n";

#[test]
fn a_genuine_receipt_reads_like_a_sheet() {
    let now = ["check-receipt", "--now", "2026-10-16T19:12:06Z"];
    let settled = "    issuer       verify.sarnai.dev\n";
    let sheet = |key: &str, issuer: &str, rest: &str| {
        // The user's card or key settles the key, not what its signer calls itself.
        let by_user = issuer.starts_with("the user");
        let (first, last) = if by_user { ("", NAMED) } else { (settled, "") };
        format!(
            "VALID  {GENUINE}  (result: pass)

  What was proved
{first}    key version  v1-2026-09c
    result       pass
    rules        enforced
    content      not enforced: it did not count
    task         invoice-7731-final
    agent        test-seller-invoice-agent  (the caller's label, not an identity)
    signed at    2026-10-14T19:12:05.833769+00:00
    check id     f1734fb6-1cc4-47f2-b48f-e3bf4e4e3a60
{last}
  Passed
    shape           a receipt of a verification
    key             {key}
    issuer          {issuer}
    signature       Ed25519, over all but the attestation
    time            signed 2 days ago
{rest}"
        )
    };
    let nothing = "
  Not checked
    output_hash     not given; --request or --output gives it
    schema_hash     not given; --request or --schema gives it
    rules_hash      not given; --request, or --rules and --bounds, give it
    request_fields  not given; --request gives it
";
    let built_in = "key version \"v1-2026-09c\", from the built-in copy of the service's key (not \
                    reconfirmed with its card)";
    let service = "the hosted service, known to this program";
    Aov::new(&[&now[..], &[GENUINE]].concat())
        .run()
        .succeeds_with(&sheet(built_in, service, nothing));
    let all = "    output_hash     equal
    schema_hash     equal
    rules_hash      equal
    request_fields  task_id, agent_id, enforce_rules and strict_content_check are equal
    recheck         the checks come to the same
";
    let args = ["--agent-card", GENUINE_CARD, "--request", GENUINE_REQUEST, "--recheck", GENUINE];
    Aov::new(&[&now[..], &args].concat()).run().succeeds_with(&sheet(
        "key version \"v1-2026-09c\", from the agent-card",
        "the user gave the agent-card",
        all,
    ));
    Aov::new(&[&now[..], &["--public-key", GENUINE_KEY, GENUINE]].concat())
        .run()
        .succeeds_with(&sheet("the given public key", "the user gave the key", nothing));
}

#[test]
fn genuine_receipts_are_valid_whatever_gives_the_key() {
    for name in ["draft", "final"] {
        let file = |kind: &str| format!("tests/vectors/receipts/invoice-7731-{name}.{kind}.json");
        let (receipt, request) = (file("receipt"), file("request"));
        for key in [
            &[][..],
            &["--agent-card", GENUINE_CARD],
            &["--public-key", GENUINE_KEY],
            &["--public-key", GENUINE_KEY, "--key-version", "v1-2026-09c"],
            &["--issuer", "verify.sarnai.dev"],
            &["--offline"],
        ] {
            let about = ["--request", &request, "--recheck", "--require", "all,recheck", &receipt];
            let run = Aov::new(&[&["check-receipt"], key, &about].concat()).run();
            assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{key:?}: {run:?}");
            let start = format!("VALID  {receipt}  (result: ");
            assert!(run.stdout.starts_with(&start), "{run:?}");
            assert!(!run.stdout.contains("Not checked"), "{run:?}");
        }
    }
}

#[test]
fn the_built_in_copy_is_for_the_services_receipts_only() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let sheet = Sheet::of(&sandbox, &receipt, &[]);
    sheet.is("undecided", &[]);
    assert_eq!(sheet.names("not_checked")[..3], ["key", "issuer", "signature"], "{}", sheet.0);
    // What is open names the place and the options that settle it.
    let detail = sheet.detail("key");
    for text in [CARD_URL, "--fetch", "--agent-card"] {
        assert!(detail.contains(text), "{detail}");
    }
    assert!(sheet.detail("issuer").contains("--issuer verify.example"), "{}", sheet.0);
    // Whoever names the service has not its key.
    let forged = signed_with(&receipt, |receipt| {
        receipt["verify"]["public_key_url"] =
            json!("https://verify.sarnai.dev/.well-known/agent-card.json");
        receipt["verify"]["key_version"] = json!("v1-2026-09c");
        receipt["attestation"]["key_version"] = json!("v1-2026-09c");
    });
    Sheet::of(&sandbox, &forged, &[]).is("invalid", &["signature"]);
    // Nor is a host that begins like it the service.
    for url in [
        "https://verify.sarnai.dev.evil.example/",
        "https://verify.sarnai.dev@evil.example/",
        "http://verify.sarnai.dev/",
    ] {
        let forged = signed_with(&forged, |receipt| {
            receipt["verify"]["public_key_url"] = json!(url);
        });
        let sheet = Sheet::of(&sandbox, &forged, &[]);
        sheet.is("undecided", &[]);
        assert_eq!(sheet.status("key"), "not_checked", "{url}");
    }
}

#[test]
fn any_change_makes_a_receipt_invalid() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    Sheet::of(&sandbox, &receipt, &CARD).is("valid", &[]);
    let changes: [fn(&mut Value); 6] = [
        |receipt| receipt["agent_id"] = json!("somebody"),
        |receipt| receipt["approved_by"] = json!("Finance director"),
        |receipt| receipt["verify"]["note"] = json!("valid until 2099"),
        |receipt| receipt["hints_total"] = json!(1),
        |receipt| drop(receipt.as_object_mut().unwrap().remove("flags")),
        |receipt| receipt["output_hash"] = json!("0".repeat(64)),
    ];
    for change in changes {
        let mut changed = receipt.clone();
        change(&mut changed);
        let sheet = Sheet::of(&sandbox, &changed, &CARD);
        sheet.is("invalid", &["signature"]);
        let detail = "it is not this key's signature over these values";
        assert_eq!(sheet.detail("signature"), detail);
    }
    // The result is stated twice; both changed, the signature tells.
    let mut changed = receipt.clone();
    changed["result"] = json!("fail");
    Sheet::of(&sandbox, &changed, &CARD).is("invalid", &["shape", "signature"]);
    changed["summary"]["result"] = json!("fail");
    Sheet::of(&sandbox, &changed, &CARD).is("invalid", &["signature"]);
    // Another's signature over the same.
    let other = agent_output_verifier::key::SigningKey::from_seed(&[9; 32]);
    let mut changed = receipt.clone();
    changed["attestation"]["signature"] = json!(other.sign_base64(b"{}"));
    Sheet::of(&sandbox, &changed, &CARD).is("invalid", &["signature"]);
    // Another order of the members is no change.
    let text = format!("{{\"attestation\": {}, ", receipt["attestation"]);
    let mut rest = receipt.clone();
    rest.as_object_mut().unwrap().remove("attestation");
    let turned = text + &rest.to_string()[1..];
    let sandbox = sandbox.with("turned.json", turned);
    Sheet::of_file(&sandbox, "turned.json", &CARD).is("valid", &[]);
}

#[test]
fn a_text_has_one_signature_and_each_fault_its_reason() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let good = receipt["attestation"]["signature"].as_str().unwrap().to_owned();
    assert_eq!((good.len(), &good[86..]), (88, "=="));
    let with = |signature: &str| {
        let mut receipt = receipt.clone();
        receipt["attestation"]["signature"] = json!(signature);
        let sheet = Sheet::of(&sandbox, &receipt, &CARD);
        sheet.is("invalid", &["signature"]);
        sheet.detail("signature").to_owned()
    };
    let is_not = |at: usize, what: &str| {
        format!("the signature is not valid base64 (position {at}): {what}")
    };
    let stray = match good.as_bytes()[85] {
        b'A' => 'B',
        b'Q' => 'R',
        b'g' => 'h',
        _ => 'x',
    };
    let swap = |at: usize, with: char| format!("{}{with}{}", &good[..at], &good[at + 1..]);
    let url_alphabet = "a character of the URL alphabet; use the standard one";
    for (signature, detail) in [
        (String::new(), is_not(1, "it is empty")),
        (format!("{} {}", &good[..20], &good[20..]), is_not(21, "white space")),
        (format!("{good}\n"), is_not(89, "white space")),
        (format!(" {good}"), is_not(1, "white space")),
        (swap(10, '-'), is_not(11, url_alphabet)),
        (swap(11, '_'), is_not(12, url_alphabet)),
        (swap(12, '*'), is_not(13, "a character outside the alphabet")),
        (good[..86].to_owned(), is_not(86, "the padding is missing or wrong")),
        (good[..87].to_owned(), is_not(87, "the padding is missing or wrong")),
        (swap(85, stray), is_not(86, "stray bits in the last character")),
        ("AAAA".to_owned(), "the signature has 3 bytes, not 64".to_owned()),
        (
            format!("{}==", "A".repeat(86)),
            "it is not this key's signature over these values".to_owned(),
        ),
    ] {
        assert_eq!(with(&signature), detail, "{signature:?}");
    }
    // Encoded faults are found without a key, too.
    let mut broken = receipt.clone();
    broken["attestation"]["signature"] = json!("*");
    Sheet::of(&sandbox, &broken, &[]).is("invalid", &["signature"]);
}

/// A card with these entries.
fn card_of(entries: &Value) -> String {
    let extension = json!({
        "uri": "urn:json-schema-verifier:extension:attestation:v1",
        "params": {"publicKeys": entries},
    });
    json!({"capabilities": {"extensions": [extension]}}).to_string()
}

fn entry(version: &str, key: &str) -> Value {
    json!({"keyVersion": version, "algorithm": "Ed25519", "publicKey": key})
}

#[test]
fn keys_that_prove_nothing_are_refused() {
    let sandbox = signer();
    // Under such keys this signature holds for any message, without the strict rules.
    let mut receipt = receipt(&sandbox);
    receipt["attestation"]["signature"] = json!(format!("AQ{}==", "A".repeat(84)));
    let good = public_key();
    let weak = "weak or non-canonical public key: a point of small order";
    let odd = "weak or non-canonical public key: no canonical point of the curve";
    let decode = "the public key is not valid base64 (position";
    for (key, reason) in [
        ("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", weak),
        ("xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=", weak),
        ("7v///////////////////////////////////////38=", odd),
        ("AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", odd),
        ("AAAA", "the public key has 3 bytes, not 32"),
        (&good[..43], decode),
        (&good.replacen(&good[..1], " ", 1), decode),
        ("", decode),
    ] {
        let sandbox = signer().with("weak.json", card_of(&json!([entry("k1", key)])));
        let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", "weak.json"]);
        sheet.is("invalid", &["key"]);
        let start = format!("key version \"k1\" in the agent-card: {reason}");
        assert!(sheet.detail("key").starts_with(&start), "{key}: {}", sheet.0);
        let run = check(&sandbox, &["--public-key", key, "under-test.json"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{key}");
        let start = format!("error: --public-key: {reason}");
        assert!(run.stderr.starts_with(&start), "{key}: {run:?}");
    }
    // Beside a usable key an unusable one does no harm.
    let weak = entry("k0", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    let sandbox = sandbox.with("mixed.json", card_of(&json!([weak, entry("k1", &good)])));
    let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", "mixed.json"]);
    sheet.is("invalid", &["signature"]);
}

#[test]
fn a_card_says_one_thing_of_a_version() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let good = entry("k1", &public_key());
    let other = agent_output_verifier::key::SigningKey::from_seed(&[9; 32]).verifying_key();
    let other = entry("k1", &other.to_base64());
    let mut another_algorithm = good.clone();
    another_algorithm["algorithm"] = json!("ES256");
    let in_card = "key version \"k1\" in the agent-card: ";
    for (entries, verdict, detail) in [
        (json!([good]), "valid", "key version \"k1\", from the agent-card".to_owned()),
        (json!([good, good]), "valid", "key version \"k1\", from the agent-card".to_owned()),
        (json!([good, other]), "invalid", format!("{in_card}two entries of this version differ")),
        (json!([other, good]), "invalid", format!("{in_card}two entries of this version differ")),
        (
            json!([another_algorithm]),
            "invalid",
            format!("{in_card}the entry's algorithm is not Ed25519"),
        ),
        (
            json!([]),
            "undecided",
            "the agent-card has no key of version \"k1\"; give a current card with --agent-card"
                .to_owned(),
        ),
        (
            json!([entry("K1", &public_key()), entry("k1 ", &public_key()), 7, null]),
            "undecided",
            "the agent-card has no key of version \"k1\"; give a current card with --agent-card"
                .to_owned(),
        ),
    ] {
        let sandbox = signer().with("c.json", card_of(&entries));
        let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", "c.json"]);
        let failed = if verdict == "invalid" { &["key"][..] } else { &[] };
        sheet.is(verdict, failed);
        assert_eq!(sheet.detail("key"), detail);
    }
}

#[test]
fn what_is_no_card_is_a_usage_error() {
    let sandbox = signer()
        .with("twice.json", card_of(&json!([])).replacen('{', "{\"name\": 1, \"name\": 2, ", 1))
        .with("receipt.json", "{}");
    for (card, error) in [
        ("missing.json", "error: cannot read missing.json: there is no such file\n"),
        ("pass.json", "error: pass.json: no agent-card with an attestation extension ("),
        ("broken.json", "error: broken.json: the text ends inside a value"),
        ("twice.json", "error: twice.json: "),
    ] {
        let run = check(&sandbox, &["--agent-card", card, "receipt.json"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{card}");
        assert!(run.stderr.starts_with(error), "{card}: {run:?}");
        assert!(run.stderr.contains("\n  help: "), "{card}: {run:?}");
    }
}

#[test]
fn what_is_no_receipt_is_told_apart() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let changed = |change: fn(&mut Value)| {
        let mut receipt = receipt.clone();
        change(&mut receipt);
        receipt
    };
    let signed = |change: fn(&mut Value)| signed_with(&receipt, change);
    for (receipt, detail) in [
        (json!([1]), "not a receipt: it is an array of 1 element"),
        (json!("receipt"), "not a receipt: it is a string"),
        (json!({}), "not a receipt: it has no attestation, so no signature"),
        (
            changed(|r| drop(r.as_object_mut().unwrap().remove("attestation"))),
            "not a receipt: it has no attestation, so no signature",
        ),
        (
            changed(|r| drop(r["attestation"].as_object_mut().unwrap().remove("signature"))),
            "attestation.signature is missing or no string",
        ),
        (
            changed(|r| r["attestation"]["timestamp"] = json!(5)),
            "attestation.timestamp is missing or no string",
        ),
        (
            signed(|r| r["attestation"]["algorithm"] = json!("none")),
            "attestation.algorithm is \"none\", not Ed25519",
        ),
        (
            signed(|r| r["verify"]["key_version"] = json!("k2")),
            "attestation.key_version and verify.key_version differ",
        ),
        (signed(|r| drop(r.as_object_mut().unwrap().remove("verify"))), "it has no verify section"),
        (
            signed(|r| r["verified_at"] = json!("2026-03-01T10:00:01+00:00")),
            "attestation.timestamp and verified_at differ",
        ),
        (signed(|r| r["result"] = json!("maybe")), "result is neither pass nor fail"),
        (signed(|r| r["result"] = json!("fail")), "result and summary.result differ"),
        (
            signed(|r| r["schema_compliance"]["passed"] = json!(4)),
            "schema_compliance: passed is not between 0 and total",
        ),
        (signed(|r| r["overall"]["ratio"] = json!(0.99)), "overall: ratio is not passed / total"),
        (signed(|r| r["rules_hash"] = json!("abc")), "rules_hash is missing or no SHA-256"),
    ] {
        let sheet = Sheet::of(&sandbox, &receipt, &CARD);
        assert_eq!(sheet.verdict(), "invalid", "{detail}");
        assert_eq!((sheet.status("shape"), sheet.detail("shape")), ("failed", detail));
    }
}

#[test]
fn a_broken_file_is_no_receipt_at_all() {
    let sandbox = signer();
    let text = receipt(&sandbox).to_string();
    let twice = text.replacen("\"result\":\"pass\"", "\"result\":\"fail\",\"result\":\"pass\"", 2);
    assert_ne!(twice, text);
    let sandbox = sandbox
        .with("twice.json", twice)
        .with("cut.json", &text[..text.len() - 1])
        .with("two.json", format!("{text}\n{text}"));
    for (name, says) in [
        ("twice.json", "result"),
        ("cut.json", "the text ends inside a value"),
        ("two.json", "two.json:2:1"),
        ("missing.json", "there is no such file"),
    ] {
        for format in ["human", "json", "ndjson"] {
            let run = check(&sandbox, &[&CARD[..], &["--format", format, name]].concat());
            assert_eq!(run.status, 2, "{name}: {run:?}");
            assert!(run.stderr.starts_with("error: ") && run.stderr.contains(says), "{run:?}");
            assert!(!run.stdout.contains("valid\""), "{run:?}");
            if format == "human" {
                assert_eq!(run.stdout, "");
            } else {
                let item: Value = serde_json::from_str(&run.stdout).unwrap();
                assert_eq!(item["input"], name);
                assert!(item["error"]["code"].is_string() && item.get("verdict").is_none());
            }
        }
    }
}

#[test]
fn what_the_signature_does_not_cover_is_named_and_never_verified() {
    let sandbox = signer();
    let mut receipt = receipt(&sandbox);
    receipt["attestation"]["approved_by"] = json!("Finance director");
    receipt["attestation"]["result"] = json!("9999");
    let sheet = Sheet::of(&sandbox, &receipt, &CARD);
    sheet.is("valid", &[]);
    assert_eq!(sheet.0["unsigned"], json!(["approved_by", "result"]));
    assert_eq!(sheet.0["result"], "pass");
    let text = sheet.0.to_string();
    assert!(!text.contains("Finance director") && !text.contains("9999"), "{text}");
    let run = check(&sandbox, &[&CARD[..], &["under-test.json"]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let line = "\n  Not covered by the signature: attestation members approved_by, result\n";
    assert!(run.stdout.ends_with(line), "{run:?}");
    assert!(!run.stdout.contains("Finance director"), "{run:?}");
}

#[test]
fn hostile_text_in_a_receipt_is_shown_escaped() {
    let sandbox = signer();
    let nasty = "\u{1b}[2J\u{7}x\r\nVALID  y\u{202e}\u{9b}31m\u{0}";
    let receipt = signed_with(&receipt(&sandbox), |receipt| {
        receipt["task_id"] = json!(nasty);
        receipt["agent_id"] = json!(nasty);
        receipt["verification_id"] = json!(nasty);
        receipt["verify"]["service"] = json!(nasty);
        receipt["verify"]["public_key_url"] = json!(format!("https://verify.example/{nasty}"));
        receipt["attestation"][nasty] = json!(nasty);
    });
    let hostile_key = signed_with(&receipt, |receipt| {
        receipt["verify"]["key_version"] = json!(nasty);
        receipt["attestation"]["key_version"] = json!(nasty);
        receipt["attestation"]["timestamp"] = json!(nasty);
        receipt["verified_at"] = json!(nasty);
        receipt["attestation"]["signature"] = json!(nasty);
    });
    let hostile_shape = signed_with(&receipt, |receipt| {
        receipt["attestation"]["algorithm"] = json!(nasty);
        receipt["result"] = json!(nasty);
    });
    let sandbox = sandbox
        .with("a.json", receipt.to_string())
        .with("b.json", hostile_key.to_string())
        .with("c.json", hostile_shape.to_string());
    for files in [&["a.json"][..], &["b.json"], &["c.json"], &["a.json", "b.json", "c.json"]] {
        for terms in [&CARD[..], &[], &["--issuer", "other.example"], &["--fetch"]] {
            let run = check(&sandbox, &[terms, files].concat());
            for text in [&run.stdout, &run.stderr] {
                let bad = text.chars().find(|c| {
                    (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}')
                });
                assert_eq!(bad, None, "{files:?} {terms:?}: {run:?}");
            }
            assert!(!run.stdout.contains("\nVALID  y"), "{run:?}");
        }
    }
}

#[test]
fn a_receipt_of_a_score_is_told_by_its_score() {
    let sandbox = signer();
    let receipt = score_receipt();
    let sheet = Sheet::of(&sandbox, &receipt, &CARD);
    assert_eq!(sheet.verdict(), "valid");
    assert_eq!(sheet.names("passed"), ["shape", "key", "issuer", "signature", "time"]);
    assert_eq!(sheet.names("not_checked"), [""; 0]);
    assert_eq!((&sheet.0["result"], &sheet.0["agent_id"]), (&Value::Null, &json!("agent-7")));
    let run = check(&sandbox, &[&CARD[..], &["--require", "all", "under-test.json"]].concat());
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("\n    trust score  0.875\n"), "{run:?}");
    // Such a receipt has no output.
    Sheet::of(&sandbox, &receipt, &[&CARD[..], &["--require", "output_hash"]].concat())
        .is("undecided", &[]);
    let mut changed = receipt.clone();
    changed["trust_score"] = json!(0.9);
    Sheet::of(&sandbox, &changed, &CARD).is("invalid", &["signature"]);
    // One kind's signature is none of the other's.
    let mut other = receipt.clone();
    other.as_object_mut().unwrap().remove("trust_score");
    sign(&mut other);
    other["trust_score"] = json!(1);
    assert!(Sheet::of(&sandbox, &other, &CARD).names("failed").contains(&"signature"));
}

#[test]
fn the_time_is_judged_by_the_clock_that_is_given() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    // Judged half a minute past ten.
    for (time, verdict, detail) in [
        ("2026-03-01T10:00:00+00:00", "valid", "signed 30 seconds ago"),
        ("2026-03-01T12:00:00+02:00", "valid", "signed 30 seconds ago"),
        ("2019-01-01T00:00:00Z", "valid", "signed 2616 days ago"),
        (
            "2026-03-01T10:00:50Z",
            "valid",
            "signed 20 seconds ahead of this clock, which is allowed",
        ),
        ("2026-03-01T10:05:30Z", "valid", "signed 5 minutes ahead of this clock, which is allowed"),
        (
            "2026-03-01T10:05:30.000001Z",
            "undecided",
            "signed 5 minutes in the future: check the clock, or give the time with --now",
        ),
        (
            "2026-03-03T10:00:30Z",
            "undecided",
            "signed 2 days in the future: check the clock, or give the time with --now",
        ),
        ("2026-02-30T10:00:00Z", "invalid", "\"2026-02-30T10:00:00Z\" is no date and time"),
        ("yesterday", "invalid", "\"yesterday\" is no date and time"),
        ("", "invalid", "\"\" is no date and time"),
    ] {
        let receipt = signed_at(&receipt, time);
        let sheet = Sheet::of(&sandbox, &receipt, &CARD);
        let failed = if verdict == "invalid" { &["time"][..] } else { &[] };
        sheet.is(verdict, failed);
        assert_eq!(sheet.detail("time"), detail);
        assert_eq!(sheet.status("signature"), "passed", "{time}");
    }
    // Without the option it is the clock's.
    let sandbox = sandbox.with("r.json", receipt.to_string());
    let run = sandbox.aov(&["check-receipt", "--agent-card", "card.json", "r.json"]).run();
    assert_eq!(run.status, 0, "{run:?}");
    for now in ["yesterday", "2026-02-30T00:00:00Z", ""] {
        sandbox.aov(&["check-receipt", "--now", now, "r.json"]).run().is(
            2,
            "",
            "error: --now is no time\n  help: Give an RFC 3339 time such as \
             2026-01-31T12:00:00Z.\n",
        );
    }
}
