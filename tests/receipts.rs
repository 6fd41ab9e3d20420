//! Receipts: the genuine ones, every way to change them, and those that are signed here.

mod common;

use agent_output_verifier::agent_card::{self, AgentCard, Card};
use agent_output_verifier::attest::Signer;
use agent_output_verifier::check_receipt::{
    About, CardOrigin, Checked, Issuer, KeySource, ReceiptVerdict, Required, StepName, StepStatus,
    Terms, Wording, check,
};
use agent_output_verifier::json::Document;
use agent_output_verifier::key::{KeyFile, VerifyingKey};
use agent_output_verifier::receipt::Kind;
use agent_output_verifier::request::{Detail, Request};
use agent_output_verifier::response::{Response, Subject};
use agent_output_verifier::verify::verify;
use common::vector;
use serde_json::{Value, json};
use zeroize::Zeroizing;

/// 2026-11-30T00:00:00Z in microseconds.
const NOW: i64 = 1_795_996_800_000_000;

const NOTHING_ELSE: &str = "give --agent-card";

const WORDING: Wording = Wording {
    agent_card: "a card",
    public_key: "a key",
    issuer: "the issuer",
    future: "see the clock",
    output: "the output is it",
    schema: "the schema is it",
    rules: "the rules are it",
    request: "the request is it",
};

fn card() -> AgentCard {
    agent_card::parse(vector("receipts/agent-card.json").as_bytes()).unwrap()
}

/// Checks a receipt on the terms that `change` leaves of: the user's card, nothing else.
fn check_text<'a>(
    receipt: &str,
    card: &'a AgentCard,
    change: impl FnOnce(&mut Terms<'a>),
) -> Checked {
    static NOTHING_MORE: Required = Required { steps: Vec::new(), all: false };
    let document = Document::parse(receipt.as_bytes()).unwrap();
    let mut terms = Terms {
        key: KeySource::Card { card, origin: CardOrigin::User { url: None } },
        issuers: &[],
        now: NOW,
        about: About::Nothing,
        recheck: false,
        required: &NOTHING_MORE,
        wording: &WORDING,
    };
    change(&mut terms);
    check(document.root(), &terms)
}

#[track_caller]
fn status(checked: &Checked, name: StepName) -> StepStatus {
    let step = checked.steps.iter().find(|step| step.name == name);
    step.unwrap_or_else(|| panic!("no step {name} in {checked:?}")).status
}

#[track_caller]
fn detail(checked: &Checked, name: StepName) -> &str {
    &checked.steps.iter().find(|step| step.name == name).unwrap().detail
}

#[test]
fn the_genuine_receipts_are_valid() {
    for name in ["invoice-7731-draft", "invoice-7731-final"] {
        let receipt = vector(&format!("receipts/{name}.receipt.json"));
        let request = vector(&format!("receipts/{name}.request.json"));
        let request = Document::parse(request.as_bytes()).unwrap();
        let by_card = check_text(&receipt, &card(), |_| {});
        assert_eq!(by_card.verdict, ReceiptVerdict::Valid, "{by_card:?}");
        let built_in = check_text(&receipt, &card(), |terms| {
            terms.key = KeySource::BuiltIn { otherwise: NOTHING_ELSE };
        });
        assert_eq!(built_in.verdict, ReceiptVerdict::Valid, "{built_in:?}");
        assert!(detail(&built_in, StepName::Key).contains("copy"));
        let whole = check_text(&receipt, &card(), |terms| {
            terms.about = About::Request(request.root());
            terms.recheck = true;
        });
        assert_eq!(whole.verdict, ReceiptVerdict::Valid, "{whole:?}");
        assert!(whole.steps.iter().all(|step| step.status == StepStatus::Passed), "{whole:?}");
        let claims = whole.verified.as_ref().unwrap().claims();
        assert_eq!(claims.task_id.as_deref(), Some(name));
        // The user gave the card: whose it is, the receipt's own word does not settle.
        assert_eq!(claims.issuer, None);
        let claims = built_in.verified.as_ref().unwrap().claims();
        assert_eq!(claims.issuer.as_deref(), Some("verify.sarnai.dev"));
    }
}

/// The paths to all leaves of a value, and to all objects.
fn places(value: &Value, path: &str, leaves: &mut Vec<String>, objects: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            objects.push(path.to_owned());
            for (name, value) in members {
                places(value, &format!("{path}/{name}"), leaves, objects);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for (place, value) in elements.iter().enumerate() {
                places(value, &format!("{path}/{place}"), leaves, objects);
            }
        }
        _ => leaves.push(path.to_owned()),
    }
}

fn changed(value: &Value) -> Value {
    match value {
        Value::Null => json!("x"),
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => json!(number.as_f64().unwrap() + 1.0),
        Value::String(text) => json!(format!("{text}x")),
        _ => json!(["x"]),
    }
}

fn remove(value: &mut Value, path: &str) {
    let (parent, name) = path.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.remove(name)),
        Value::Array(elements) => drop(elements.remove(name.parse().unwrap())),
        _ => unreachable!(),
    }
}

#[test]
fn every_change_and_removal_and_addition_makes_a_genuine_receipt_invalid() {
    let card = card();
    let mut altered = 0;
    for name in ["invoice-7731-draft", "invoice-7731-final"] {
        let receipt: Value =
            serde_json::from_str(&vector(&format!("receipts/{name}.receipt.json"))).unwrap();
        let (mut leaves, mut objects) = (Vec::new(), Vec::new());
        places(&receipt, "", &mut leaves, &mut objects);
        let mut variants = Vec::new();
        for leaf in &leaves {
            let mut variant = receipt.clone();
            let value = variant.pointer_mut(leaf).unwrap();
            *value = changed(value);
            variants.push((format!("changed {leaf}"), variant));
            let mut variant = receipt.clone();
            remove(&mut variant, leaf);
            variants.push((format!("removed {leaf}"), variant));
        }
        for object in objects.iter().filter(|object| *object != "/attestation") {
            let mut variant = receipt.clone();
            let object_value = variant.pointer_mut(object).unwrap();
            object_value.as_object_mut().unwrap().insert("added".to_owned(), json!(1));
            variants.push((format!("added to {object}"), variant));
        }
        for (what, variant) in variants {
            let checked = check_text(&variant.to_string(), &card, |_| {});
            assert_eq!(checked.verdict, ReceiptVerdict::Invalid, "{what}: {checked:?}");
            assert!(checked.verified.is_none());
            altered += 1;
        }
    }
    assert!(altered > 150, "{altered}");
}

#[test]
fn members_beside_the_signature_are_named_and_change_nothing() {
    let receipt = vector("receipts/invoice-7731-final.receipt.json");
    let decorated = receipt.replace(
        "\"algorithm\": \"Ed25519\",\n    \"key_version\"",
        "\"approved_by\": \"x\",\n    \"algorithm\": \"Ed25519\",\n    \"key_version\"",
    );
    assert_ne!(decorated, receipt);
    let checked = check_text(&decorated, &card(), |_| {});
    assert_eq!(checked.verdict, ReceiptVerdict::Valid);
    assert_eq!(checked.unsigned, ["approved_by"]);
}

/// A receipt that is signed here, by the key of a seed.
fn sign(seed: u8, url: Option<&str>, detail: Detail) -> String {
    let text = vector("receipts/invoice-7731-draft.request.json");
    let document = Document::parse(text.as_bytes()).unwrap();
    let request = Request::parse(document.root()).unwrap();
    let report = verify(&request.requirements, request.output).unwrap();
    let key = key(seed);
    let subject = Subject {
        verification_id: "28afb453-7c39-4993-a9c4-fcade1b7924f",
        task_id: request.task_id,
        agent_id: request.agent_id,
        output: request.output,
        verified_at: "2026-11-29T12:00:00.000000+00:00",
        detail,
    };
    let mut response = Response::new(subject, &request.requirements, &report);
    let signer = Signer {
        key: key.signing_key(),
        key_version: "k1",
        public_key_url: url,
        service: None,
        mcp: None,
    };
    let mut json = Vec::new();
    signer.sign(&mut response, &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert_eq!(serde_json::to_string(&response).unwrap(), json);
    json
}

fn key(seed: u8) -> KeyFile {
    KeyFile::new(Zeroizing::new([seed; 32]), "k1".to_owned()).unwrap()
}

fn public(seed: u8) -> VerifyingKey {
    key(seed).signing_key().verifying_key()
}

fn own_card(seed: u8) -> AgentCard {
    agent_card::parse(Card::new(&key(seed), &[Kind::Verification]).to_json().as_bytes()).unwrap()
}

#[test]
fn what_is_signed_here_is_valid_here_and_recheckable() {
    let request = vector("receipts/invoice-7731-draft.request.json");
    let request = Document::parse(request.as_bytes()).unwrap();
    for detail in [Detail::Full, Detail::Compact] {
        let receipt = sign(1, None, detail);
        let checked = check_text(&receipt, &own_card(1), |terms| {
            terms.about = About::Request(request.root());
            terms.recheck = true;
        });
        assert_eq!(checked.verdict, ReceiptVerdict::Valid, "{checked:?}");
        let other = check_text(&receipt, &own_card(2), |_| {});
        assert_eq!(other.verdict, ReceiptVerdict::Invalid);
        assert_eq!(status(&other, StepName::Signature), StepStatus::Failed);
    }
}

#[test]
fn the_issuer_is_the_users_word() {
    let url = "https://forger.example/.well-known/agent-card.json";
    let receipt = sign(1, Some(url), Detail::Compact);
    let card = own_card(1);
    let named = KeySource::Card { card: &card, origin: CardOrigin::Named { url } };
    let fetched = check_text(&receipt, &card, |terms| terms.key = named);
    assert_eq!(fetched.verdict, ReceiptVerdict::Undecided);
    assert_eq!(status(&fetched, StepName::Signature), StepStatus::Passed);
    assert!(detail(&fetched, StepName::Issuer).contains("the issuer forger.example"));
    assert!(fetched.verified.is_none());

    let accepted = [Issuer::parse("forger.example").unwrap()];
    let by_name = check_text(&receipt, &card, |terms| {
        terms.key = named;
        terms.issuers = &accepted;
    });
    assert_eq!(by_name.verdict, ReceiptVerdict::Valid, "{by_name:?}");
    let others = [Issuer::parse("verify.sarnai.dev").unwrap()];
    let by_other = check_text(&receipt, &card, |terms| {
        terms.key = named;
        terms.issuers = &others;
    });
    assert_eq!(status(&by_other, StepName::Issuer), StepStatus::Failed);
    assert_eq!(by_other.verdict, ReceiptVerdict::Invalid);

    // The built-in copy is for the service's addresses only, however its key version is spelt.
    let built_in = check_text(&receipt, &card, |terms| {
        terms.key = KeySource::BuiltIn { otherwise: NOTHING_ELSE };
    });
    assert_eq!(built_in.verdict, ReceiptVerdict::Undecided);
    assert_eq!(detail(&built_in, StepName::Key), NOTHING_ELSE);
    for disguise in [
        "https://verify.sarnai.dev.forger.example/card",
        "https://verify.sarnai.dev@forger.example/card",
        "http://verify.sarnai.dev/card",
    ] {
        let receipt = sign(1, Some(disguise), Detail::Compact);
        let checked = check_text(&receipt, &card, |terms| {
            terms.key = KeySource::BuiltIn { otherwise: NOTHING_ELSE };
        });
        assert_eq!(checked.verdict, ReceiptVerdict::Undecided, "{disguise}");
    }
}

#[test]
fn a_given_key_is_for_its_version() {
    let receipt = sign(1, None, Detail::Compact);
    let key = public(1);
    let given = |key_version| KeySource::Given { key: &key, key_version };
    let card = own_card(2);
    let any = check_text(&receipt, &card, |terms| terms.key = given(None));
    assert_eq!(any.verdict, ReceiptVerdict::Valid);
    let other = check_text(&receipt, &card, |terms| terms.key = given(Some("k2")));
    assert_eq!(other.verdict, ReceiptVerdict::Undecided);
}

#[test]
fn a_key_version_that_the_card_lacks_is_undecided() {
    let receipt = sign(1, None, Detail::Compact);
    let checked = check_text(&receipt, &card(), |_| {});
    assert_eq!(checked.verdict, ReceiptVerdict::Undecided);
    assert!(detail(&checked, StepName::Key).contains("a card"));
}

#[test]
fn the_time_is_judged_by_the_clock_that_is_given() {
    let receipt = sign(1, None, Detail::Compact);
    let card = own_card(1);
    let signed = 1_795_996_800_000_000 - 12 * 3_600_000_000;
    for (now, expected) in [
        (signed, ReceiptVerdict::Valid),
        (signed - 300_000_000, ReceiptVerdict::Valid),
        (signed - 300_000_001, ReceiptVerdict::Undecided),
        (signed - 2 * 86_400_000_000, ReceiptVerdict::Undecided),
        (signed + 10 * 365 * 86_400_000_000, ReceiptVerdict::Valid),
    ] {
        let checked = check_text(&receipt, &card, |terms| terms.now = now);
        assert_eq!(checked.verdict, expected, "{}", now - signed);
    }
}

#[test]
fn another_request_is_told_apart_and_what_is_required_counts() {
    let receipt = sign(1, None, Detail::Compact);
    let card = own_card(1);
    let text = vector("receipts/invoice-7731-draft.request.json");
    let other = text.replace("\"total\": 135.0", "\"total\": 136.0");
    let other = Document::parse(other.as_bytes()).unwrap();
    let checked = check_text(&receipt, &card, |terms| terms.about = About::Request(other.root()));
    assert_eq!(checked.verdict, ReceiptVerdict::Invalid);
    assert_eq!(status(&checked, StepName::OutputHash), StepStatus::Failed);
    assert_eq!(status(&checked, StepName::SchemaHash), StepStatus::Passed);
    // Compact receipts are bound to who and how by their own fields.
    let other = text.replace("test-seller-invoice-agent", "somebody-else");
    let other = Document::parse(other.as_bytes()).unwrap();
    let checked = check_text(&receipt, &card, |terms| terms.about = About::Request(other.root()));
    assert_eq!(status(&checked, StepName::RequestFields), StepStatus::Failed);

    let required = Required { steps: vec![StepName::OutputHash], all: false };
    let checked = check_text(&receipt, &card, |terms| terms.required = &required);
    assert_eq!(checked.verdict, ReceiptVerdict::Undecided);
    let all = Required { steps: Vec::new(), all: true };
    let request = Document::parse(text.as_bytes()).unwrap();
    let checked = check_text(&receipt, &card, |terms| {
        terms.required = &all;
        terms.about = About::Request(request.root());
    });
    assert_eq!(checked.verdict, ReceiptVerdict::Valid, "{checked:?}");
}

#[test]
fn what_is_no_receipt_says_why() {
    for (text, reason) in [
        ("3", "not a receipt: it is an integer"),
        ("{}", "not a receipt: it has no attestation, so no signature"),
        (r#"{"attestation": {}}"#, "attestation.algorithm is missing or no string"),
    ] {
        let checked = check_text(text, &card(), |_| {});
        assert_eq!(checked.verdict, ReceiptVerdict::Invalid);
        assert_eq!(detail(&checked, StepName::Shape), reason);
    }
}

#[test]
fn wycheproof_edge_cases_come_out_right() {
    let Some(folder) = std::env::var_os("AOV_CONFORMANCE_DIR") else {
        println!("skipped: AOV_CONFORMANCE_DIR is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("ed25519/wycheproof_ed25519_test.json");
    let suite: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let hex = |text: &Value| -> Vec<u8> {
        let text = text.as_str().unwrap();
        (0..text.len() / 2)
            .map(|place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).unwrap())
            .collect()
    };
    let mut count = 0;
    for group in suite["testGroups"].as_array().unwrap() {
        let key: [u8; 32] = hex(&group["publicKey"]["pk"]).try_into().unwrap();
        let key = VerifyingKey::from_bytes(&key);
        for test in group["tests"].as_array().unwrap() {
            let signature = <[u8; 64]>::try_from(hex(&test["sig"]));
            let valid = match (&key, &signature) {
                (Ok(key), Ok(signature)) => key.verify(&hex(&test["msg"]), signature),
                _ => false,
            };
            assert_eq!(valid, test["result"] == "valid", "{test}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}
