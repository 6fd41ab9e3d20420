//! `aov keygen`: key files that are made, kept and renewed.

use serde_json::Value;

use crate::common::Sandbox;

const DEFAULT: &str = "aov-signing-key.json";

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The versions in a key file, the current one first.
fn versions(file: &Value) -> Vec<&str> {
    let earlier = file["earlier_keys"].as_array().unwrap().iter();
    let all = std::iter::once(file).chain(earlier);
    all.map(|key| key["key_version"].as_str().unwrap()).collect()
}

#[test]
fn a_key_file_is_written_and_its_public_entry_printed() {
    let sandbox = Sandbox::new();
    let run = sandbox.aov(&["keygen"]).run();
    assert_eq!(sandbox.names(), [DEFAULT]);
    let file = parsed(&sandbox.read(DEFAULT));
    let (version, key) = (file["key_version"].as_str().unwrap(), &file["public_key"]);
    let shape = regex::Regex::new(r"^v1-\d{4}-\d\d-\d\d$").unwrap();
    assert!(shape.is_match(version), "{version}");
    assert_eq!(file["schema"], "aov-signing-key/1");
    assert_eq!(file["algorithm"], "Ed25519");
    let stdout = format!(
        "{{
  \"algorithm\": \"Ed25519\",
  \"keyVersion\": \"{version}\",
  \"publicKey\": {key},
  \"publicKeyEncoding\": \"base64 of the raw 32-byte Ed25519 public key\"
}}
"
    );
    run.is(0, &stdout, "wrote aov-signing-key.json; keep it secret\n");
    let seed = file["seed"].as_str().unwrap();
    assert_eq!(seed.len(), 44);
    assert!(!format!("{run:?}").contains(&seed[..8]));
}

#[test]
fn no_two_keys_are_the_same() {
    let sandbox = Sandbox::new();
    let seeds: Vec<String> = ["a.json", "b.json"]
        .map(|name| {
            assert_eq!(sandbox.aov(&["keygen", "-o", name]).run().status, 0);
            parsed(&sandbox.read(name))["seed"].as_str().unwrap().to_owned()
        })
        .to_vec();
    assert_ne!(seeds[0], seeds[1]);
}

#[test]
fn name_url_and_version_are_kept() {
    let sandbox = Sandbox::new();
    let url = "https://verify.example/.well-known/agent-card.json";
    let details = ["--issuer-name", "A \"quoted\" näme", "--public-key-url", url];
    let args = [&["keygen", "-o", "k.json", "--key-version", "k-1"], &details[..]].concat();
    let run = sandbox.aov(&args).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, "wrote k.json; keep it secret\n"));
    assert_eq!(parsed(&run.stdout)["keyVersion"], "k-1");
    let file = parsed(&sandbox.read("k.json"));
    assert_eq!(file["key_version"], "k-1");
    assert_eq!(file["issuer_name"], "A \"quoted\" näme");
    assert_eq!(file["public_key_url"], url);
    // A renewed key keeps them, unless others are given.
    assert_eq!(sandbox.aov(&["keygen", "--rotate", "k.json"]).run().status, 0);
    let file = parsed(&sandbox.read("k.json"));
    assert_eq!(file["issuer_name"], "A \"quoted\" näme");
    assert_eq!(file["public_key_url"], url);
    let run = sandbox.aov(&["keygen", "--rotate", "k.json", "--issuer-name", "Other"]).run();
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(parsed(&sandbox.read("k.json"))["issuer_name"], "Other");
}

#[cfg(unix)]
#[test]
fn a_key_file_is_its_owners_alone_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let mode = |name: &str| {
        let metadata = std::fs::metadata(sandbox.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    for umask in ["000", "022", "077"] {
        let name = format!("{umask}.json");
        for command in [["-o", &name], ["--rotate", &name]] {
            let status = std::process::Command::new("sh")
                .args(["-c", &format!("umask {umask}; exec \"$0\" keygen \"$@\"")])
                .arg(env!("CARGO_BIN_EXE_aov"))
                .args(command)
                .current_dir(sandbox.path(""))
                .output()
                .unwrap()
                .status;
            assert!(status.success(), "{umask}: {command:?}");
            assert_eq!(mode(&name), 0o600, "{umask}: {command:?}");
        }
    }
}

#[test]
fn nothing_that_exists_is_overwritten() {
    let sandbox = Sandbox::new().with("k.json", "mine").with_folder("folder");
    let refused = |name: &str| {
        let stderr = format!(
            "error: {name} exists and is not overwritten\n  help: Name another file, or renew \
             this one with --rotate.\n"
        );
        sandbox.aov(&["keygen", "-o", name]).run().is(2, "", &stderr);
    };
    refused("k.json");
    assert_eq!(sandbox.read("k.json"), "mine");
    refused("folder");
    assert_eq!(sandbox.names(), ["folder", "k.json"]);
    #[cfg(unix)]
    {
        // A link that leads nowhere is there all the same; writing through it could go anywhere.
        std::os::unix::fs::symlink("elsewhere.json", sandbox.path("link.json")).unwrap();
        refused("link.json");
        assert_eq!(sandbox.names(), ["folder", "k.json", "link.json"]);
    }
    let run = sandbox.aov(&["keygen", "-o", "missing/k.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: cannot write missing/k.json: "), "{run:?}");
}

/// The version of a fresh key.
fn todays_version() -> String {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.aov(&["keygen"]).run().status, 0);
    versions(&parsed(&sandbox.read(DEFAULT)))[0].to_owned()
}

#[test]
fn versions_of_one_day_count_on() {
    let sandbox = Sandbox::new();
    // Once more where midnight came in between.
    for _ in 0..2 {
        let today = todays_version();
        let _ = std::fs::remove_file(sandbox.path(DEFAULT));
        assert_eq!(sandbox.aov(&["keygen"]).run().status, 0);
        for _ in 0..2 {
            assert_eq!(sandbox.aov(&["keygen", "--rotate", DEFAULT]).run().status, 0);
        }
        if todays_version() == today {
            let file = parsed(&sandbox.read(DEFAULT));
            let expected = [format!("{today}c"), format!("{today}b"), today];
            assert_eq!(versions(&file), expected);
            return;
        }
    }
    panic!("no two tries on one day");
}

#[test]
fn a_renewed_key_file_keeps_what_signed_before() {
    let sandbox = crate::signing::signer();
    let before = crate::signing::receipt(&sandbox);
    let run = sandbox.aov(&["keygen", "--rotate", "key.json", "--key-version", "k2"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, "wrote key.json; keep it secret\n"));
    let text = sandbox.read("key.json");
    let file = parsed(&text);
    assert_eq!(versions(&file), ["k2", "k1"]);
    assert_eq!(file["earlier_keys"][0]["public_key"], crate::signing::public_key());
    assert_eq!(parsed(&run.stdout)["publicKey"], file["public_key"]);
    assert_ne!(file["public_key"], file["earlier_keys"][0]["public_key"]);
    // The earlier secret is gone.
    assert!(!text.contains(&crate::signing::encoded_seed()));

    let after = crate::signing::receipt(&sandbox);
    let card = sandbox.aov(&["agent-card", "--key", "key.json"]).run().stdout;
    std::fs::write(sandbox.path("new-card.json"), card).unwrap();
    for (receipt, old_card) in [(before, "valid"), (after, "undecided")] {
        let new = crate::signing::Sheet::of(&sandbox, &receipt, &["--agent-card", "new-card.json"]);
        new.is("valid", &[]);
        let old = crate::signing::Sheet::of(&sandbox, &receipt, &["--agent-card", "card.json"]);
        old.is(old_card, &[]);
    }
}

#[cfg(unix)]
#[test]
fn a_key_file_is_renewed_through_a_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = crate::signing::signer().with_folder("links");
    std::os::unix::fs::symlink("../key.json", sandbox.path("links/key.json")).unwrap();
    let run = sandbox.aov(&["keygen", "--rotate", "links/key.json", "--key-version", "k2"]).run();
    assert_eq!(run.status, 0, "{run:?}");
    let link = std::fs::symlink_metadata(sandbox.path("links/key.json")).unwrap();
    assert!(link.file_type().is_symlink(), "the link was replaced");
    let metadata = std::fs::symlink_metadata(sandbox.path("key.json")).unwrap();
    assert!(metadata.is_file());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert_eq!(versions(&parsed(&sandbox.read("key.json"))), ["k2", "k1"]);
    assert_eq!(std::fs::read_dir(sandbox.path("links")).unwrap().count(), 1);
}

#[test]
fn a_renewal_that_fails_leaves_the_file_alone() {
    let sandbox = crate::signing::signer().with_private("broken.json", "{\"schema\": ");
    let text = sandbox.read("key.json");
    let names = sandbox.names();
    let rotate = |args: &[&str], stderr: &str| {
        sandbox.aov(&[&["keygen", "--rotate"], args].concat()).run().is(2, "", stderr);
        assert_eq!(sandbox.read("key.json"), text);
        assert_eq!(sandbox.names(), names);
    };
    rotate(
        &["key.json", "--key-version", "k1"],
        "error: key.json: two keys have the version \"k1\"\n  help: Give another --key-version.\n",
    );
    rotate(
        &["key.json", "--key-version", "k 2"],
        "error: key.json: the key version is not usable\n  help: Use 1 to 100 printable ASCII \
         characters without spaces.\n",
    );
    rotate(
        &["missing.json"],
        "error: cannot read missing.json: there is no such file\n  help: Check the name; nothing \
         was checked in its place.\n",
    );
    rotate(
        &["broken.json"],
        "error: broken.json: not usable JSON at line 1, column 12\n  help: Name a file that `aov \
         keygen` wrote, or an Ed25519 key as PKCS#8 PEM.\n",
    );
    let run = sandbox.aov(&["keygen", "--rotate", "key.json", "-o", "other.json"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("cannot be used with"), "{run:?}");
    assert_eq!(sandbox.names(), names);
}

#[test]
fn versions_that_nobody_could_name_are_refused() {
    let sandbox = Sandbox::new();
    let long = "v".repeat(101);
    for version in ["", "a b", "ä", "a\nb", &long] {
        let stderr = "error: --key-version: the key version is not usable\n  help: Use 1 to 100 \
                      printable ASCII characters without spaces.\n";
        sandbox.aov(&["keygen", "--key-version", version]).run().is(2, "", stderr);
        assert_eq!(sandbox.names(), [""; 0]);
    }
    assert_eq!(sandbox.aov(&["keygen", "--key-version", &long[1..]]).run().status, 0);
}
