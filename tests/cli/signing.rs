//! What the tests of keys and receipts share: a signer with its files, and receipts to order.

use agent_output_verifier::agent_card::Card;
use agent_output_verifier::json::Document;
use agent_output_verifier::key::KeyFile;
use agent_output_verifier::receipt::Kind;
use agent_output_verifier::receipt::Receipt;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::common::{Run, Sandbox};
use crate::sandbox;

/// Where the signer says that its card is published.
pub(crate) const CARD_URL: &str = "https://verify.example/.well-known/agent-card.json";

/// When the receipts to order are signed, and a while later.
pub(crate) const SIGNED: &str = "2026-03-01T10:00:00.000000+00:00";
pub(crate) const LATER: &str = "2026-03-01T10:00:30Z";

/// A seed in which no part is like another.
pub(crate) fn seed() -> [u8; 32] {
    std::array::from_fn(|i| (i * i * 7 + i * 31 + 97) as u8)
}

/// How the seed stands in a key file.
pub(crate) fn encoded_seed() -> String {
    STANDARD.encode(seed())
}

/// The signer's key file.
pub(crate) fn key_file() -> KeyFile {
    let mut file = KeyFile::new(Zeroizing::new(seed()), "k1".to_owned()).unwrap();
    file.issuer_name = Some("The signer".to_owned());
    file.public_key_url = Some(CARD_URL.to_owned());
    file
}

/// The signer's public key.
pub(crate) fn public_key() -> String {
    key_file().signing_key().verifying_key().to_base64()
}

/// A sandbox with a key file, its card, a schema and outputs.
pub(crate) fn signer() -> Sandbox {
    let file = key_file();
    sandbox()
        .with_private("key.json", file.to_json().as_bytes())
        .with("card.json", Card::new(&file, &[Kind::Verification]).to_json())
}

/// What `aov attest` prints with these arguments, at a fixed time.
#[track_caller]
pub(crate) fn attested(sandbox: &Sandbox, args: &[&str]) -> Run {
    let start = ["attest", "--key", "key.json", "--timestamp", SIGNED];
    sandbox.aov(&[&start, args].concat()).run()
}

/// A receipt for `pass.json`.
#[track_caller]
pub(crate) fn receipt(sandbox: &Sandbox) -> Value {
    let run = attested(sandbox, &["-s", "schema.json", "pass.json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

/// A receipt of a score.
pub(crate) fn score_receipt() -> Value {
    let mut receipt = json!({
        "agent_id": "agent-7",
        "trust_score": 0.875,
        "scored_at": SIGNED,
        "verify": {"public_key_url": CARD_URL, "key_version": "k1", "service": "The signer"},
        "attestation": {
            "algorithm": "Ed25519",
            "key_version": "k1",
            "timestamp": SIGNED,
            "signature": "",
        },
    });
    sign(&mut receipt);
    receipt
}

/// Signs a receipt anew, whatever was changed in it.
pub(crate) fn sign(receipt: &mut Value) {
    let text = receipt.to_string();
    let document = Document::parse(text.as_bytes()).unwrap();
    let message = Receipt::read(document.root()).unwrap().signed_message();
    receipt["attestation"]["signature"] =
        Value::String(key_file().signing_key().sign_base64(&message));
}

/// A copy with a change, signed anew.
pub(crate) fn signed_with(receipt: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut copy = receipt.clone();
    change(&mut copy);
    sign(&mut copy);
    copy
}

/// The receipt signed at another time.
pub(crate) fn signed_at(receipt: &Value, time: &str) -> Value {
    signed_with(receipt, |receipt| {
        receipt["verified_at"] = json!(time);
        receipt["attestation"]["timestamp"] = json!(time);
    })
}

/// A run of `aov check-receipt` a while after the receipts were signed.
#[track_caller]
pub(crate) fn check(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.aov(&[&["check-receipt", "--now", LATER], args].concat()).run()
}

/// A checked receipt in JSON.
pub(crate) struct Sheet(pub(crate) Value);

impl Sheet {
    /// Checks one receipt, which stands in a file of its own for that.
    #[track_caller]
    pub(crate) fn of(sandbox: &Sandbox, receipt: &Value, args: &[&str]) -> Sheet {
        let path = sandbox.path("under-test.json");
        std::fs::write(&path, receipt.to_string()).unwrap();
        Sheet::of_file(sandbox, "under-test.json", args)
    }

    /// Checks the receipt in a file. That the exit status is the verdict's is checked on the way.
    #[track_caller]
    pub(crate) fn of_file(sandbox: &Sandbox, name: &str, args: &[&str]) -> Sheet {
        let run = check(sandbox, &[args, &["--format", "json", name]].concat());
        assert_eq!(run.stderr, "", "{run:?}");
        let sheet: Value = serde_json::from_str(&run.stdout).unwrap();
        let status = match sheet["verdict"].as_str().unwrap() {
            "valid" => 0,
            "invalid" => 1,
            "undecided" => 3,
            other => panic!("{other}"),
        };
        assert_eq!(run.status, status, "{run:?}");
        Sheet(sheet)
    }

    pub(crate) fn verdict(&self) -> &str {
        self.0["verdict"].as_str().unwrap()
    }

    fn step(&self, name: &str) -> &Value {
        let steps = self.0["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["step"] == name);
        step.unwrap_or_else(|| panic!("no step {name} in {}", self.0))
    }

    pub(crate) fn status(&self, name: &str) -> &str {
        self.step(name)["status"].as_str().unwrap()
    }

    pub(crate) fn detail(&self, name: &str) -> &str {
        self.step(name)["detail"].as_str().unwrap()
    }

    /// The names of the steps of a status.
    pub(crate) fn names(&self, status: &str) -> Vec<&str> {
        let steps = self.0["steps"].as_array().unwrap().iter();
        let steps = steps.filter(|step| step["status"] == status);
        steps.map(|step| step["step"].as_str().unwrap()).collect()
    }

    /// The verdict, the steps that failed, and that nothing is shown as verified unless it is.
    #[track_caller]
    pub(crate) fn is(&self, verdict: &str, failed: &[&str]) {
        assert_eq!(
            (self.verdict(), self.names("failed").as_slice()),
            (verdict, failed),
            "{}",
            self.0
        );
        for claim in ["issuer", "key_version", "result", "task_id", "verified_at"] {
            let verified = &self.0[claim];
            assert!(verdict == "valid" || verified.is_null(), "{claim} in {}", self.0);
        }
    }
}
