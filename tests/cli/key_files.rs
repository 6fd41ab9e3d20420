//! Key files as they are read, by whoever signs and by `aov agent-card`.

use serde_json::Value;

use crate::common::{Run, Sandbox};
use crate::signing::{Sheet, encoded_seed, key_file, public_key, receipt, seed, signer};

/// A key as OpenSSL writes it.
const PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const PEM_PUBLIC: &str = "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

fn card(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.aov(&[&["agent-card", "--key"], args].concat()).run()
}

/// The versions and keys of a card.
fn keys(card: &str) -> Vec<(String, String)> {
    let card: Value = serde_json::from_str(card).unwrap();
    let keys = card["capabilities"]["extensions"][0]["params"]["publicKeys"].as_array().unwrap();
    let text = |key: &Value, name: &str| key[name].as_str().unwrap().to_owned();
    keys.iter().map(|key| (text(key, "keyVersion"), text(key, "publicKey"))).collect()
}

#[test]
fn a_card_holds_every_public_key_and_is_taken() {
    let sandbox = signer();
    let run = card(&sandbox, &["key.json"]);
    run.succeeds_with(&sandbox.read("card.json"));
    assert_eq!(keys(&run.stdout), [("k1".to_owned(), public_key())]);
    assert!(!run.stdout.contains(&encoded_seed()));
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(printed["name"], "The signer");
    assert_eq!(printed["url"], "https://verify.example");
    Sheet::of(&sandbox, &receipt(&sandbox), &["--agent-card", "card.json"]).is("valid", &[]);
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused() {
    let sandbox = signer();
    for mode in [0o604, 0o620, 0o640, 0o644, 0o666] {
        sandbox.set_mode("key.json", mode);
        let error = format!("error: key.json: others can read this key file (mode {mode:o})\n");
        let attest = ["attest", "--key", "key.json", "-s", "schema.json", "pass.json"];
        for args in [&attest[..], &["agent-card", "--key", "key.json"]] {
            let run = sandbox.aov(args).run();
            let help = "  help: Run: chmod 600 key.json; or give --insecure-key-permissions if \
                        that is meant.\n";
            run.is(2, "", &format!("{error}{help}"));
            let run = sandbox.aov(&[args, &["--insecure-key-permissions"]].concat()).run();
            assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{mode:o}");
        }
        let run = sandbox.aov(&["keygen", "--rotate", "key.json"]).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{mode:o}");
        assert!(run.stderr.starts_with(&error), "{run:?}");
    }
    for mode in [0o600, 0o400] {
        sandbox.set_mode("key.json", mode);
        assert_eq!(card(&sandbox, &["key.json"]).status, 0, "{mode:o}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_judged_by_what_it_leads_to() {
    let sandbox = signer();
    std::os::unix::fs::symlink("key.json", sandbox.path("link.json")).unwrap();
    std::os::unix::fs::symlink("link.json", sandbox.path("chain.json")).unwrap();
    for name in ["link.json", "chain.json"] {
        sandbox.set_mode("key.json", 0o600);
        card(&sandbox, &[name]).succeeds_with(&sandbox.read("card.json"));
        sandbox.set_mode("key.json", 0o644);
        let run = card(&sandbox, &[name]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{name}");
        let error = format!("error: {name}: others can read this key file (mode 644)\n");
        assert!(run.stderr.starts_with(&error), "{run:?}");
    }
}

#[test]
fn a_key_comes_from_standard_input_or_a_variable() {
    let sandbox = signer();
    let (text, printed) = (sandbox.read("key.json"), sandbox.read("card.json"));
    sandbox.aov(&["agent-card", "--key", "-"]).input(&text).run().succeeds_with(&printed);
    let from_variable = ["agent-card", "--key", "env:AOV_TEST_KEY"];
    sandbox.aov(&from_variable).env("AOV_TEST_KEY", &text).run().succeeds_with(&printed);
    let signed = |key: &str| {
        let run = sandbox
            .aov(&["attest", "--key", key, "-s", "schema.json", "pass.json"])
            .env("AOV_TEST_KEY", &text)
            .env("SOURCE_DATE_EPOCH", "1772359200")
            .input(&text)
            .run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{key}");
        run.stdout
    };
    let from_file = signed("key.json");
    assert_eq!(signed("-"), from_file);
    assert_eq!(signed("env:AOV_TEST_KEY"), from_file);
    card(&sandbox, &["env:AOV_TEST_NOT_SET"]).is(
        2,
        "",
        "error: the variable AOV_TEST_NOT_SET is not set\n  help: Set it to the key file's \
         content.\n",
    );
}

#[test]
fn a_pem_key_needs_a_version() {
    let sandbox =
        signer().with_private("key.pem", PEM).with_private("crlf.pem", PEM.replace('\n', "\r\n"));
    card(&sandbox, &["key.pem"]).is(
        2,
        "",
        "error: key.pem: a PEM key has no key version of its own\n  help: Give --key-version.\n",
    );
    for name in ["key.pem", "crlf.pem"] {
        let run = card(&sandbox, &[name, "--key-version", "p1"]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
        assert_eq!(keys(&run.stdout), [("p1".to_owned(), PEM_PUBLIC.to_owned())], "{name}");
    }
    let args =
        ["attest", "--key", "env:PEM", "--key-version", "p1", "-s", "schema.json", "pass.json"];
    let run = sandbox.aov(&args).env("PEM", PEM).run();
    let receipt: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(receipt["attestation"]["key_version"], "p1");
    assert_eq!(receipt["verify"]["service"], "aov (self-attested)");
    assert_eq!(receipt["verify"]["public_key_url"], Value::Null);
    std::fs::write(sandbox.path("pem.receipt.json"), run.stdout).unwrap();
    let checked = sandbox
        .aov(&["check-receipt", "--public-key", PEM_PUBLIC, "--key-version", "p1"])
        .into_command()
        .arg("pem.receipt.json")
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(0));
    // Nobody could name such a version.
    let run = card(&sandbox, &["key.pem", "--key-version", "p 1"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("the key version is not usable"), "{run:?}");
    let public = PEM.replace("PRIVATE", "PUBLIC");
    let encrypted = PEM.replace("PRIVATE", "ENCRYPTED PRIVATE");
    let cut = PEM.replace("-----END PRIVATE KEY-----\n", "");
    for text in [public, encrypted, cut, PEM.replace("MC4C", "MC4D")] {
        let run =
            sandbox.aov(&["agent-card", "--key", "-", "--key-version", "p1"]).input(&text).run();
        run.is(
            2,
            "",
            "error: stdin: the PEM text holds no Ed25519 key as PKCS#8\n  help: Write it with: \
             openssl genpkey -algorithm ed25519.\n",
        );
    }
}

/// Whether a text holds six characters in a row of the secret, in base64 or in hex.
fn leaks(text: &str) -> bool {
    let hex: String = seed().iter().map(|byte| format!("{byte:02x}")).collect();
    let text = text.to_ascii_lowercase();
    [encoded_seed().to_ascii_lowercase(), hex].iter().any(|secret| {
        let windows = secret.as_bytes().windows(6);
        windows.map(|window| std::str::from_utf8(window).unwrap()).any(|part| text.contains(part))
    })
}

#[test]
fn a_damaged_key_file_never_shows_its_secret() {
    let whole = key_file().to_json().to_string();
    let secret = encoded_seed();
    assert!(leaks(&whole), "the test sees no leak where there is one");
    let damage = |from: &str, to: &str| {
        let damaged = whole.replacen(from, to, 1);
        assert_ne!(damaged, whole, "{from}");
        damaged
    };
    let in_secret = whole.find(&secret).unwrap() + 20;
    let other = agent_output_verifier::key::SigningKey::from_seed(&[9; 32]);
    let damaged = [
        damage("aov-signing-key/1", "aov-signing-key/9"),
        damage("Ed25519", "RSA"),
        damage("\"seed\"", "\"seeds\""),
        damage(&secret, &secret[..40]),
        damage(&secret, &secret.replace('=', "")),
        damage(&secret, &format!("{secret}{secret}")),
        damage(&secret, &format!(" {secret}")),
        damage(&secret, &format!("{}\\u003d", secret.trim_end_matches('='))),
        damage(&format!("\"{secret}\""), &format!("[\"{secret}\"]")),
        damage(&format!("\"{secret}\""), &format!("{{\"{secret}\": 1, \"{secret}\": 2}}")),
        damage(&format!("\"{secret}\""), &secret),
        damage(&format!("\"{secret}\","), &format!("\"{secret}\"")),
        damage(&format!("\"{secret}\","), &format!("\"{secret}\", \"seed\": \"{secret}\",")),
        damage("\"k1\"", &format!("\"{secret} {secret}\"")),
        damage(&public_key(), &other.verifying_key().to_base64()),
        damage(&public_key(), &secret[1..]),
        damage("\"earlier_keys\": []", "\"earlier_keys\": null"),
        damage("\"earlier_keys\": []", &format!("\"earlier_keys\": [\"{secret}\"]")),
        whole[..in_secret].to_owned(),
        format!("{whole}{secret}"),
        format!("\u{feff}{}", &whole[..in_secret]),
        secret.clone(),
        format!("\"{secret}\""),
        format!("-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----\n"),
        " ".repeat(70_000) + &whole,
    ];
    let sandbox = signer();
    for text in &damaged {
        let sandbox = &sandbox;
        std::fs::write(sandbox.path("key.json"), text).unwrap();
        let attest = ["attest", "--key-version", "v", "-s", "schema.json", "pass.json"];
        for args in [
            &["agent-card", "--key", "key.json"][..],
            &[&attest[..], &["--key", "key.json"]].concat(),
            &[&attest[..], &["--key", "env:KEY", "--format", "ndjson"]].concat(),
            &["keygen", "--rotate", "key.json"],
        ] {
            let run = sandbox.aov(args).env("KEY", text).run();
            assert!(!leaks(&run.stdout) && !leaks(&run.stderr), "{args:?}: {run:?}");
            assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{text}: {args:?}: {run:?}");
            assert!(run.stderr.starts_with("error: "), "{run:?}");
        }
        assert_eq!(sandbox.read("key.json"), *text);
    }
}

#[test]
fn an_empty_variable_is_no_key() {
    let run = signer().aov(&["agent-card", "--key", "env:KEY"]).env("KEY", "").run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: env:KEY: not usable JSON"), "{run:?}");
}
