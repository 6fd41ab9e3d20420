//! Receipts across implementations: `tests/interop/verify_receipt.py` verifies what is signed here,
//! and signs what is verified here. It was written from `docs/receipts.md` and the standards alone.
//! OpenSSL verifies what is signed here, and signs to the same bytes.
//! The worked example of that page is computed again from the page's own blocks. With
//! `AOV_UPDATE_PAGES=1` its signed document and signature are written anew from its receipt, which
//! the test of the pages writes: run that one before and after.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agent_output_verifier::digest::Digest;
use agent_output_verifier::jcs;
use agent_output_verifier::json::Document;
use agent_output_verifier::key::{SigningKey, decode_base64};
use agent_output_verifier::receipt::Receipt;
use common::{Run, Sandbox, vector};
use serde_json::{Value, json};

/// The secret of TEST 1 in RFC 8032 §7.1: published, so nobody's.
const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the script in a folder; `None`, and a word on it, where there is no Python.
fn python(folder: &Sandbox, args: &[&str], input: &str) -> Option<Run> {
    // Some systems have a command of this name that only says where to get it.
    let version = Command::new("python3").arg("--version").output();
    if !version.is_ok_and(|run| run.status.success()) {
        println!("skipped: there is no python3");
        return None;
    }
    let input_path = folder.path(".input");
    std::fs::write(&input_path, input).unwrap();
    let run = Command::new("python3")
        .arg("-B")
        .arg(root().join("tests/interop/verify_receipt.py"))
        .args(args)
        .current_dir(folder.path("."))
        .stdin(std::fs::File::open(&input_path).unwrap())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    Some(Run {
        status: run.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(run.stdout).unwrap(),
        stderr: String::new(),
    })
}

/// A block of the page whose language is followed by this name.
fn named_block(name: &str) -> String {
    let page = page();
    let start = page.find(&format!("```json {name}\n")).unwrap_or_else(|| panic!("no {name}"));
    let (_, text) = page[start..].split_once('\n').unwrap();
    text[..text.find("\n```").unwrap()].to_owned()
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/receipts.md")).unwrap()
}

/// A folder with the page's test key, and its agent-card as `aov` writes it.
fn signer() -> Sandbox {
    let folder = Sandbox::new().with("key.json", named_block("test-key.json"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.path("key.json"), private).unwrap();
    }
    let card = folder.aov(&["agent-card", "--key", "key.json"]).run();
    assert_eq!(card.status, 0, "{}", card.stderr);
    folder.with("card.json", card.stdout)
}

/// Requests whose receipts have something to trip over.
fn requests() -> Vec<(&'static str, String)> {
    let of = |output: &str, more: &str| {
        format!(
            r#"{{"task_id": "t", "expected_schema": {{"type": "object"}}, "submitted_output": {output}{more}}}"#
        )
    };
    let draft = vector("receipts/invoice-7731-draft.request.json");
    vec![
        ("full", draft.clone()),
        ("compact", draft.replace("\"full\"", "\"compact\"")),
        // Names and values of the output come back in findings, and so in the signed bytes.
        (
            "unicode",
            of(
                "{\"n\u{e4}me \u{1f34f}\": \"\", \"\u{e000}\": \"x\\u200b\\u0001\\\"\\\\ \u{2028}\"}",
                r#", "agent_id": "ägent \"☂\" \\ \u0007", "strict_content_check": true"#,
            ),
        ),
        (
            "integers",
            of(
                r#"{"a": [9007199254740993, 123456789012345678901234567890]}"#,
                r#", "rules": [{"type": "sum_equals", "field": "a[]", "equals": 9007199254740993}], "enforce_rules": true"#,
            ),
        ),
        (
            "doubles",
            of(
                r#"{"a": [1e21, 1e-7, 5e-324, 1.7976931348623157e308, 333333333.33333329, -0.0, 1E2]}"#,
                r#", "bounds": {"a[]": {"min": 1e-6, "max": 1e20}}, "enforce_rules": true"#,
            ),
        ),
        // Two of three: a ratio of six places.
        ("ratio", of("[]", "").replace("\"object\"", "\"array\"")),
    ]
}

/// Signs a request in a folder with a key: the receipt's text.
fn attest(folder: &Sandbox, request: &str) -> String {
    std::fs::write(folder.path("request.json"), request).unwrap();
    let run = folder.aov(&["attest", "--key", "key.json", "--request", "request.json"]).run();
    assert!(run.status < 2, "{}", run.stderr);
    run.stdout
}

#[test]
fn what_is_signed_here_verifies_there_and_altered_it_does_not() {
    let folder = signer();
    let (mut names, mut expected) = (Vec::new(), Vec::new());
    let mut write = |name: String, text: &str, verifies: bool| {
        std::fs::write(folder.path(&name), text).unwrap();
        names.push(name);
        expected.push(verifies);
    };
    for (name, request) in requests() {
        let text = attest(&folder, &request);
        write(format!("{name}.json"), &text, true);
        let receipt: Value = serde_json::from_str(&text).unwrap();
        // The layout is not signed.
        write(format!("{name}.layout.json"), &receipt.to_string(), true);
        for (place, change) in [
            ("/result", json!(if receipt["result"] == "pass" { "fail" } else { "pass" })),
            ("/task_id", json!("u")),
            ("/output_hash", receipt["schema_hash"].clone()),
            ("/verify/service", json!("Another")),
            ("/verified_at", json!("2026-01-02T03:04:06.000000+00:00")),
            ("/attestation/signature", json!("A".repeat(86) + "==")),
        ] {
            let mut altered = receipt.clone();
            *altered.pointer_mut(place).unwrap() = change;
            write(format!("{name}{}.json", place.replace('/', ".")), &altered.to_string(), false);
        }
        let mut added = receipt.clone();
        added["added"] = json!(1);
        write(format!("{name}.added.json"), &added.to_string(), false);
        // What would make it a score receipt changes the context too.
        let mut score = receipt;
        score["trust_score"] = json!(1);
        write(format!("{name}.score.json"), &score.to_string(), false);
    }
    let args: Vec<&str> =
        ["verify", "card.json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let Some(run) = python(&folder, &args, "") else { return };
    let said: Vec<bool> = run.stdout.lines().map(|line| line == "verified").collect();
    assert_eq!(said, expected, "{names:#?}\n{}", run.stdout);
    assert_eq!(run.status, 1);
    // Here they come out the same.
    for (name, verifies) in names.iter().zip(expected) {
        let run = folder.aov(&["check-receipt", "--agent-card", "card.json", "-q", name]).run();
        assert_eq!(run.status, i32::from(!verifies), "{name}: {}", run.stderr);
    }
}

#[test]
fn the_genuine_receipts_verify_there() {
    let folder = Sandbox::new();
    let genuine = root().join("tests/vectors/receipts");
    let paths: Vec<PathBuf> =
        ["agent-card.json", "invoice-7731-draft.receipt.json", "invoice-7731-final.receipt.json"]
            .map(|name| genuine.join(name))
            .to_vec();
    let paths = paths.iter().map(|path| path.to_str().unwrap());
    let args: Vec<&str> = std::iter::once("verify").chain(paths).collect();
    let Some(run) = python(&folder, &args, "") else { return };
    assert_eq!((run.status, run.stdout.as_str()), (0, "verified\nverified\n"));
}

/// A response to sign, of either kind.
fn responses() -> [(&'static str, Value); 2] {
    let verify = json!({
        "public_key_url": "https://signer.example/.well-known/agent-card.json",
        "key_version": "k-1",
        "canonicalization": "RFC 8785 (JCS)",
        "hash_algorithm": "SHA-256",
        "service": "Prüfstelle 🍏",
        "mcp": null,
    });
    let mut verification: Value =
        serde_json::from_str(&vector("receipts/invoice-7731-draft.receipt.json")).unwrap();
    verification.as_object_mut().unwrap().remove("attestation");
    verification["verify"] = verify.clone();
    let score = json!({
        "agent_id": "seller-\u{e000}\u{1f34f}",
        "verified": 3,
        "trust_score": 0.666_667,
        "confidence_interval_95": [1e-7, 0.999_999],
        "sample_size": 9_007_199_254_740_993_u64,
        "scored_at": "2026-01-02T03:04:05.000000+00:00",
        "verify": verify,
    });
    [("verification", verification), ("score", score)]
}

#[test]
fn what_is_signed_there_is_valid_here() {
    let folder = Sandbox::new();
    let Some(card) = python(&folder, &["card", SEED, "k-1"], "") else { return };
    let folder = folder.with("card.json", card.stdout);
    for (kind, response) in responses() {
        let signed = python(&folder, &["sign", SEED], &response.to_string()).unwrap();
        std::fs::write(folder.path("receipt.json"), &signed.stdout).unwrap();
        let check = ["check-receipt", "--agent-card", "card.json", "--format", "json"];
        let run = folder.aov(&[&check[..], &["receipt.json"]].concat()).run();
        assert_eq!(run.status, 0, "{kind}: {}{}", run.stdout, run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["verdict"], "valid");
        assert_eq!(report["agent_id"], response["agent_id"]);

        let mut altered: Value = serde_json::from_str(&signed.stdout).unwrap();
        altered["agent_id"] = json!("another");
        std::fs::write(folder.path("receipt.json"), altered.to_string()).unwrap();
        let run = folder.aov(&[&check[..], &["receipt.json"]].concat()).run();
        assert_eq!(run.status, 1, "{kind}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn the_worked_example_of_the_page_holds() {
    let (receipt, signed) = (named_block("receipt.json"), named_block("signed.json"));
    let document = Document::parse(receipt.as_bytes()).unwrap();
    let parsed = Receipt::read(document.root()).unwrap();
    let message = String::from_utf8(parsed.signed_message()).unwrap();
    let update = std::env::var_os("AOV_UPDATE_PAGES").is_some_and(|value| value == "1");
    let signature = decode_base64(parsed.signature).unwrap();
    let hex: Vec<String> = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    let hex = format!("```text\n{}\n{}\n```", hex[..32].concat(), hex[32..].concat());
    if update {
        let former = page();
        let at = former.find("```text\n").unwrap();
        let end = at + former[at..].find("\n```\n").unwrap() + 4;
        let updated = format!("{}{hex}{}", &former[..at], &former[end..]);
        std::fs::write(root().join("docs/receipts.md"), updated.replacen(&signed, &message, 1))
            .unwrap();
        return;
    }
    assert_eq!(message, signed);
    assert!(page().contains(&format!("\n{}  signed.json\n", Digest::of_bytes(signed.as_bytes()))));
    assert!(page().contains(&hex), "the signature in hex is {hex}");

    let folder =
        Sandbox::new().with("receipt.json", &receipt).with("card.json", signer().read("card.json"));
    let Some(run) = python(&folder, &["message"], &receipt) else { return };
    assert_eq!(run.stdout, signed);
    let run = python(&folder, &["verify", "card.json", "receipt.json"], "").unwrap();
    assert_eq!((run.status, run.stdout.as_str()), (0, "verified\n"));
    // The independent signer comes to the very same signature: Ed25519 leaves no choice.
    let mut response: Value = serde_json::from_str(&receipt).unwrap();
    let attestation = response.as_object_mut().unwrap().remove("attestation").unwrap();
    let run = python(&folder, &["sign", SEED], &response.to_string()).unwrap();
    let resigned: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(resigned["attestation"], attestation);
}

#[test]
fn the_numbers_of_the_page_hold() {
    let page = page();
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |")?.split_once("` | `"))
        .filter(|(written, _)| written.parse::<f64>().is_ok())
        .collect();
    assert!(rows.len() > 10, "{rows:?}");
    let canonical = |text: &str| {
        let document = Document::parse(text.as_bytes()).unwrap();
        String::from_utf8(jcs::to_vec(document.root())).unwrap()
    };
    for (written, expected) in &rows {
        assert_eq!(canonical(written), *expected);
    }
    let written: Vec<&str> = rows.iter().map(|(written, _)| *written).collect();
    let expected: Vec<&str> = rows.iter().map(|(_, expected)| *expected).collect();
    let receipt = format!(
        r#"{{"n": [{}], "attestation": {{"algorithm": "", "key_version": "", "timestamp": ""}}}}"#,
        written.join(",")
    );
    let Some(run) = python(&Sandbox::new(), &["message"], &receipt) else { return };
    assert!(run.stdout.contains(&format!("\"n\":[{}]", expected.join(","))), "{}", run.stdout);
}

/// Runs OpenSSL in a folder: whether it succeeded, and what it printed.
fn openssl(folder: &Sandbox, args: &[&str]) -> (bool, String) {
    let run = Command::new("openssl").args(args).current_dir(folder.path(".")).output().unwrap();
    (run.status.success(), String::from_utf8_lossy(&run.stdout).into_owned())
}

/// A folder with a key that OpenSSL made, `key.pem`, and its public half; `None`, and a word on it,
/// where there is none, or one that cannot do this.
fn openssl_key() -> Option<Sandbox> {
    let version = Command::new("openssl").arg("version").output();
    if !version.is_ok_and(|run| run.status.success()) {
        println!("skipped: there is no openssl");
        return None;
    }
    let folder = Sandbox::new().with("message", "message");
    for args in [
        "genpkey -algorithm ed25519 -out key.pem",
        "pkey -in key.pem -pubout -out public.pem",
        "pkeyutl -sign -rawin -inkey key.pem -in message -out signature",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        if !openssl(&folder, &args).0 {
            println!("skipped: this openssl does not sign with Ed25519: {}", args.join(" "));
            return None;
        }
    }
    folder.set_mode("key.pem", 0o600);
    Some(folder)
}

/// Whether OpenSSL verifies a signature by `public.pem`.
fn openssl_verifies(folder: &Sandbox, message: &[u8], signature: &[u8]) -> bool {
    std::fs::write(folder.path("message"), message).unwrap();
    std::fs::write(folder.path("signature"), signature).unwrap();
    let verify = "pkeyutl -verify -rawin -pubin -inkey public.pem -in message -sigfile signature";
    openssl(folder, &verify.split(' ').collect::<Vec<_>>()).0
}

/// What OpenSSL signs a message with by `key.pem`.
fn openssl_signs(folder: &Sandbox, message: &[u8]) -> Vec<u8> {
    std::fs::write(folder.path("message"), message).unwrap();
    let sign = "pkeyutl -sign -rawin -inkey key.pem -in message -out signature";
    assert!(openssl(folder, &sign.split(' ').collect::<Vec<_>>()).0);
    std::fs::read(folder.path("signature")).unwrap()
}

#[test]
fn openssl_verifies_what_is_signed_here() {
    let Some(folder) = openssl_key() else { return };
    for (name, request) in requests() {
        std::fs::write(folder.path("request.json"), request).unwrap();
        let attest = ["attest", "--key", "key.pem", "--key-version", "o1"];
        let run = folder.aov(&[&attest[..], &["--request", "request.json"]].concat()).run();
        assert!(run.status < 2, "{name}: {}", run.stderr);
        let document = Document::parse(run.stdout.as_bytes()).unwrap();
        let receipt = Receipt::read(document.root()).unwrap();
        let (message, signature) =
            (receipt.signed_message(), decode_base64(receipt.signature).unwrap());
        assert!(openssl_verifies(&folder, &message, &signature), "{name}");
        // Ed25519 leaves no choice.
        assert_eq!(openssl_signs(&folder, &message), signature, "{name}");
        let mut altered = message.clone();
        altered[message.len() / 2] ^= 1;
        assert!(!openssl_verifies(&folder, &altered, &signature), "{name}");
        let mut altered = signature;
        altered[0] ^= 1;
        assert!(!openssl_verifies(&folder, &message, &altered), "{name}");
    }
}

#[test]
fn what_openssl_signs_is_valid_here() {
    let Some(folder) = openssl_key() else { return };
    let card = folder.aov(&["agent-card", "--key", "key.pem", "--key-version", "k-1"]).run();
    assert_eq!(card.status, 0, "{}", card.stderr);
    let folder = folder.with("card.json", card.stdout);
    for (kind, mut response) in responses() {
        let named = ["scored_at", "verified_at"].iter().find_map(|name| response.get(*name));
        response["attestation"] = json!({
            "algorithm": "Ed25519",
            "key_version": "k-1",
            "timestamp": named.unwrap().clone(),
            "signature": "",
        });
        let text = response.to_string();
        let document = Document::parse(text.as_bytes()).unwrap();
        let signature =
            openssl_signs(&folder, &Receipt::read(document.root()).unwrap().signed_message());
        for flipped in [false, true] {
            let mut signature = signature.clone();
            signature[40] ^= u8::from(flipped);
            response["attestation"]["signature"] = json!(encoded(&signature));
            std::fs::write(folder.path("receipt.json"), response.to_string()).unwrap();
            let check = ["check-receipt", "--agent-card", "card.json", "receipt.json"];
            let run = folder.aov(&check).run();
            assert_eq!(run.status, i32::from(flipped), "{kind}: {}{}", run.stdout, run.stderr);
        }
    }
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn openssl_has_the_same_public_key_and_signature_for_a_seed() {
    let Some(folder) = openssl_key() else { return };
    for number in 0..20u8 {
        let seed = *Digest::of_bytes(&[number]).as_bytes();
        // PKCS#8 around a seed (RFC 8410, section 7).
        let der = [&b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"[..], &seed]
            .concat();
        let pem =
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", encoded(&der));
        std::fs::write(folder.path("key.pem"), pem).unwrap();
        let public = "pkey -in key.pem -pubout -outform DER -out public.der";
        assert!(openssl(&folder, &public.split(' ').collect::<Vec<_>>()).0);
        let public = std::fs::read(folder.path("public.der")).unwrap();
        let key = SigningKey::from_seed(&seed);
        assert_eq!(encoded(&public[public.len() - 32..]), key.verifying_key().to_base64());
        let message = seed.repeat(usize::from(number));
        if !message.is_empty() {
            let signature = openssl_signs(&folder, &message);
            assert_eq!(encoded(&signature), key.sign_base64(&message));
            assert!(key.verifying_key().verify(&message, &signature.try_into().unwrap()));
        }
    }
}
