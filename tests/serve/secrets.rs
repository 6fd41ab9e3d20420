//! A key's secret: whatever is done with a key file, on purpose or by mistake, nothing that anybody
//! reads has a part of the secret in it.

use std::collections::HashSet;

use agent_output_verifier::key::{KeyFile, SigningKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use zeroize::Zeroizing;

use crate::common::Sandbox;
use crate::mcp::{call_text, send};
use crate::request;
use crate::server::Server;

/// What stands before the seed of an Ed25519 key in PKCS#8 (RFC 8410 §7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Characters in a row that are told for a part of the secret.
const PART: usize = 8;

/// A seed in which no part is like another, and that begins like no other in these tests.
fn seed() -> [u8; 32] {
    std::array::from_fn(|i| (i * i * 11 + i * 53 + 178) as u8)
}

fn key_json() -> Zeroizing<String> {
    let mut file = KeyFile::new(Zeroizing::new(seed()), "k1".to_owned()).unwrap();
    file.public_key_url = Some("https://verify.example/agent-card.json".to_owned());
    file.to_json()
}

fn key_pem() -> String {
    let der = [&PKCS8[..], &seed()].concat();
    let body = STANDARD.encode(der);
    format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n")
}

/// Finds parts of the secret, however it is written.
struct Detector(HashSet<[u8; PART]>);

impl Detector {
    fn new() -> Detector {
        let mut forms: Vec<Vec<u8>> = vec![seed().to_vec()];
        let hex: String = seed().iter().map(|byte| format!("{byte:02x}")).collect();
        forms.push(hex.to_ascii_uppercase().into_bytes());
        forms.push(hex.into_bytes());
        // Base64 differs by where in three bytes the seed begins, as it does in PEM.
        for start in 0..3 {
            let shifted = [&[0; 2][..start], &seed()].concat();
            for alphabet in [STANDARD, URL_SAFE] {
                let text = alphabet.encode(&shifted);
                // Without the characters that hold something of the neighbours too.
                let inner = &text.trim_end_matches('=')[(start * 8).div_ceil(6)..];
                forms.push(inner.as_bytes()[..inner.len() - 1].to_vec());
            }
        }
        let parts = forms.iter().flat_map(|form| form.windows(PART));
        Detector(parts.map(|part| part.try_into().unwrap()).collect())
    }

    fn finds(&self, bytes: &[u8]) -> bool {
        bytes.windows(PART).any(|part| self.0.contains(part))
    }

    #[track_caller]
    fn finds_nothing(&self, what: &str, bytes: &[u8]) {
        assert!(!self.finds(bytes), "{what} shows the key: {}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn the_detector_knows_the_secret_in_every_form() {
    let detector = Detector::new();
    let hex: String = seed().iter().map(|byte| format!("{byte:02x}")).collect();
    let public = SigningKey::from_seed(&seed()).verifying_key().to_base64();
    for secret in [&*key_json(), &key_pem(), &hex, &URL_SAFE.encode(seed()), &hex[20..30]] {
        assert!(detector.finds(secret.as_bytes()), "{secret}");
    }
    assert!(detector.finds(&[b"x".as_slice(), &seed()].concat()));
    // The three places at which a text in base64 may begin.
    for before in ["", "a", "ab"] {
        assert!(detector.finds(STANDARD.encode([before.as_bytes(), &seed()].concat()).as_bytes()));
    }
    for harmless in [public, key_json().replace(&STANDARD.encode(seed()), "")] {
        assert!(!detector.finds(harmless.as_bytes()), "{harmless}");
    }
}

/// A folder with the key in both forms, and requirements that would make a report show it.
fn sandbox() -> Sandbox {
    Sandbox::new()
        .with_private("key.json", key_json().as_bytes())
        .with_private("key.pem", key_pem())
        .with_private("folder/aov-signing-key.json", key_json().as_bytes())
        .with("schema.json", r#"{"properties": {"seed": {"type": "number"}, "schema": false}}"#)
        .with("output.json", r#"{"total": 5}"#)
        .with("request.json", request("a"))
}

#[test]
fn no_command_shows_a_key_that_it_is_given() {
    let detector = Detector::new();
    let sandbox = sandbox();
    let receipt = sandbox
        .aov(&["attest", "--key", "key.json", "--request", "request.json", "-o", "receipt.json"])
        .run();
    assert_eq!((receipt.status, receipt.stderr.as_str()), (0, ""));

    // (arguments, whether the key is refused because it is one)
    let mut runs: Vec<(Vec<&str>, bool)> = Vec::new();
    for key in ["key.json", "key.pem", "folder"] {
        for format in ["human", "json", "ndjson", "junit", "sarif", "github", "markdown", "html"] {
            runs.push((vec!["verify", "-s", "schema.json", "--format", format, key], true));
        }
        runs.push((vec!["attest", "--key", "key.json", "-s", "schema.json", key], true));
        runs.push((vec!["verify", "--requests", key], true));
        runs.push((vec!["template", key], true));
        runs.push((vec!["check-receipt", key], true));
        runs.push((vec!["check-receipt", "--requests", key, "receipt.json"], true));
    }
    for key in ["key.json", "key.pem"] {
        for option in ["-s", "-r", "-b", "-t"] {
            runs.push((vec!["verify", option, key, "output.json"], true));
        }
        for option in ["--request", "--output", "--schema", "--rules", "--bounds", "--agent-card"] {
            runs.push((vec!["check-receipt", option, key, "receipt.json"], true));
        }
        runs.push((vec!["verify", "--request", key], true));
        runs.push((vec!["verify", "-s", "schema.json", "--lines", key], true));
        runs.push((vec!["verify", "--requests", "--lines", key], true));
        runs.push((vec!["template", "--lines", key], true));
        runs.push((vec!["check-receipt", "--lines", key], true));
        runs.push((vec!["hash", key], true));
        runs.push((vec!["hash", "--canonical", key], true));
        runs.push((vec!["hash", "--request", key], true));
        runs.push((vec!["hash", "--lines", key], true));
        // Replacing it would lose it.
        runs.push((vec!["verify", "-s", "schema.json", "-o", key, "output.json"], true));
        runs.push((
            vec![
                "attest",
                "--key",
                key,
                "--key-version",
                "wrong version",
                "-s",
                "schema.json",
                "output.json",
            ],
            false,
        ));
        runs.push((vec!["keygen", "-o", key], false));
    }
    runs.push((vec!["agent-card", "--key", "key.json"], false));
    runs.push((vec!["agent-card", "--key", "key.pem"], false));
    runs.push((vec!["agent-card", "--key", "key.pem", "--key-version", "p1"], false));
    runs.push((vec!["attest", "--key", "key.json", "--pair", "--request", "request.json"], false));
    runs.push((vec!["attest", "--key", "key.json", "-vv"], false));
    runs.push((vec!["keygen", "--rotate", "key.pem"], false));
    for (args, refused) in &runs {
        let run = sandbox.aov(args).run();
        let shown = format!("{args:?}: {}{}", run.stdout, run.stderr);
        detector.finds_nothing(&format!("{args:?}"), shown.as_bytes());
        if *refused {
            assert_eq!(run.status, 2, "{shown}");
            assert!(run.stderr.contains("signing key"), "{shown}");
        }
    }
    assert_eq!(sandbox.read("key.json"), *key_json());
    assert_eq!(sandbox.read("key.pem"), key_pem());
    detector.finds_nothing("the receipt", sandbox.read("receipt.json").as_bytes());
}

#[test]
fn a_key_on_standard_input_is_shown_by_no_command() {
    let detector = Detector::new();
    let sandbox = sandbox();
    let damaged = key_json().replacen("Ed25519", "RSA", 1);
    let cut = key_json()[..key_json().len() - 90].to_owned();
    for text in [&*key_json(), &key_pem(), &damaged, &cut] {
        for args in [
            &["agent-card", "--key", "-"][..],
            &["attest", "--key", "-", "-s", "schema.json", "output.json"],
            &["verify", "-s", "schema.json", "-"],
            &["verify", "-s", "-", "output.json"],
            &["verify", "--request", "-"],
            &["hash", "--canonical", "-"],
            &["template", "-"],
            &["check-receipt", "-"],
        ] {
            let run = sandbox.aov(args).input(text).run();
            let shown = format!("{args:?}: {}{}", run.stdout, run.stderr);
            detector.finds_nothing(&format!("{args:?}"), shown.as_bytes());
            if !args.contains(&"--key") {
                assert_eq!(run.status, 2, "{shown}");
                assert!(run.stderr.contains("stdin: this is a signing key"), "{shown}");
            }
        }
    }
}

#[test]
fn a_key_in_the_place_of_its_name_is_not_repeated() {
    let detector = Detector::new();
    let sandbox = sandbox();
    let hex: String = seed().iter().map(|byte| format!("{byte:02x}")).collect();
    let base64 = STANDARD.encode(seed());
    let texts =
        [key_json().to_string(), key_pem(), hex, base64.trim_end_matches('=').to_owned(), base64];
    for text in texts.iter().flat_map(|text| [text.clone(), format!("env:{text}")]) {
        for args in [
            &["agent-card", "--key"][..],
            &["attest", "-s", "schema.json", "output.json", "--key"],
            &["serve", "--ledger", ":memory:", "--key"],
        ] {
            // As one argument, since a PEM text begins with a dash.
            let (last, before) = args.split_last().unwrap();
            let key = format!("{last}={text}");
            let run = sandbox.aov(&[before, &[&key]].concat()).run();
            assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
            detector.finds_nothing(&format!("{args:?}"), run.stderr.as_bytes());
            assert!(run.stderr.contains("--key is given a key, not where one is"), "{run:?}");
        }
    }
    // What merely has a long name is told by it.
    let run = sandbox.aov(&["agent-card", "--key", "no/such/key-of-the-acme-company.json"]).run();
    assert!(run.stderr.contains("key-of-the-acme-company"), "{run:?}");
}

#[test]
fn a_server_keeps_its_key_to_itself() {
    let detector = Detector::new();
    for format in ["text", "json"] {
        let home = sandbox();
        let settings = ["--key", "key.json", "--ledger", "data/ledger", "-vv", "--metrics"];
        let server = Server::start_in(&home, &[&settings[..], &["--log-format", format]].concat());
        let mut said: Vec<u8> = Vec::new();
        for path in [
            "/",
            "/health",
            "/metrics",
            "/openapi.json",
            "/llms-full.txt",
            "/score/a",
            "/reputation/a",
            "/.well-known/agent-card.json",
            "/key.json",
            "/..%2fkey.json",
        ] {
            said.extend(server.get(path).body);
        }
        let checked = server.post("/verify/schema", request("a"));
        assert_eq!(checked.status, 200);
        for body in [request("a"), "{".to_owned(), key_json().to_string(), key_pem()] {
            said.extend(server.post("/verify/schema", &body).body);
            said.extend(server.post("/receipt/check", &body).body);
            said.extend(send(&server, &call_text("verify_schema", &body)).body);
        }
        detector.finds_nothing("an answer", &said);
        detector.finds_nothing("the log", server.kill().as_bytes());
        for name in ["ledger", "ledger-wal", "ledger-shm"] {
            let bytes = std::fs::read(home.path("data").join(name)).unwrap();
            assert!(!bytes.is_empty(), "{name}");
            detector.finds_nothing(name, &bytes);
        }
    }
}

#[test]
fn a_server_that_cannot_use_a_key_does_not_show_it() {
    let detector = Detector::new();
    let home = sandbox()
        .with_private("damaged.json", key_json().replacen("Ed25519", "RSA", 1))
        .with_private("cut.json", &key_json()[..key_json().len() - 90])
        .with("open.json", key_json().as_bytes());
    home.set_mode("open.json", 0o644);
    let path = home.path("");
    let path = path.to_str().unwrap();
    for args in [
        &["--key", "damaged.json"][..],
        &["--key", "cut.json"],
        &["--key", "key.pem"],
        &["--key", "key.json", "--key-version", "other"],
        #[cfg(unix)]
        &["--key", "open.json"],
        &["--ledger", "key.json"],
    ] {
        let args = [&["serve", "--listen", "127.0.0.1:0", "--ledger", ":memory:"], args].concat();
        // The last of two ledgers would be a usage error.
        let args = if args.contains(&"key.json") && !args.contains(&"--key") {
            vec!["serve", "--listen", "127.0.0.1:0", "--ledger", "key.json"]
        } else {
            args
        };
        let run = home.aov(&args).env("HOME", path).env("XDG_DATA_HOME", "").run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
        detector.finds_nothing(&format!("{args:?}"), run.stderr.as_bytes());
    }
    assert_eq!(home.read("key.json"), *key_json());
}

/// Who owns what the system tells of a process: its user, or the superuser where nobody else may
/// look into its memory, and no core dump is written.
#[cfg(target_os = "linux")]
mod in_memory {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use crate::common::Sandbox;

    /// A user that nobody is.
    const NOBODY: u32 = 65534;

    #[test]
    fn what_holds_a_key_is_not_dumped_and_not_looked_into() {
        let user = rustix::process::geteuid().as_raw();
        // The superuser owns its own processes anyway: there another user has to run them.
        let (user, other) = if user == 0 { (NOBODY, true) } else { (user, false) };
        let sandbox = Sandbox::new().with("schema.json", "true");
        sandbox.set_mode("", 0o755);
        let program = sandbox.path("aov");
        std::fs::copy(env!("CARGO_BIN_EXE_aov"), &program).unwrap();
        let command = |args: &[&str]| {
            let mut command = Command::new(&program);
            command.args(args).current_dir(sandbox.path(""));
            if other {
                command.uid(user).gid(user);
            }
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        };
        let owner = |id: u32| std::fs::metadata(format!("/proc/{id}/environ")).unwrap().uid();

        // One that holds no key is its user's; it has begun when it answers the first line.
        let mut plain = command(&["verify", "-s", "schema.json", "--lines", "-"]);
        let Ok(mut plain) = plain.spawn() else {
            eprintln!("no other user can run programs here: nothing was tested");
            return;
        };
        let mut input = plain.stdin.take().unwrap();
        input.write_all(b"1\n").unwrap();
        let mut line = String::new();
        BufReader::new(plain.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("PASS"), "{line}");
        assert_eq!(owner(plain.id()), user);
        drop(input);
        plain.wait().unwrap();

        let key = super::key_json().to_string();
        let serve = ["serve", "--key", "env:K", "--ledger", ":memory:", "--listen", "127.0.0.1:0"];
        let attest =
            ["attest", "--key", "env:K", "-s", "schema.json", "--format", "ndjson", "--lines", "-"];
        for args in [&serve[..], &attest] {
            let mut child = command(args).env("K", &key).spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            let _ = input.write_all(b"1\n");
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.starts_with("listening") || line.starts_with('{'), "{args:?}: {line}");
            assert_eq!(owner(child.id()), 0, "{args:?}");
            child.kill().unwrap();
            child.wait().unwrap();
        }

        // It still reaches its own streams by their names. (A pipe can be opened by who made it.)
        let line = "echo 1 | ./aov attest --key env:K -s schema.json -o /dev/stdout - | cat";
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(sandbox.path("")).env("K", &key);
        if other {
            shell.uid(user).gid(user);
        }
        let output = shell.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.stdout.starts_with(b"{"));
    }
}
