//! Starting, stopping, keys, logs and metrics.

use crate::common::Sandbox;
use crate::request;
use crate::server::Server;

#[test]
fn the_first_start_makes_a_key_and_says_so() {
    let home = Sandbox::new();
    let published = |server: &Server| {
        server.get("/.well-known/agent-card.json").json()["capabilities"]["extensions"][0]["params"]
            ["publicKeys"]
            .clone()
    };
    let first = Server::start_in(&home, &[]);
    let key = published(&first);
    let log = first.kill();
    assert!(log.contains("made a signing key: "), "{log}");
    let second = Server::start_in(&home, &[]);
    assert_eq!(published(&second), key);
    assert!(!second.kill().contains("made a signing key"));
}

#[cfg(unix)]
#[test]
fn what_it_keeps_is_its_owners() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Sandbox::new();
    let server = Server::start_in(&home, &["--ledger", "data/ledger"]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    for name in ["data/ledger", "data/ledger-wal", ".local/share/aov/signing-key.json"] {
        let path = home.path(name);
        // Some systems keep such data elsewhere.
        if let Ok(metadata) = std::fs::metadata(&path) {
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
}

#[test]
fn a_key_can_be_given_and_old_ones_stay_published() {
    let home = Sandbox::new();
    let made = home.aov(&["keygen", "-o", "key.json", "--key-version", "k1"]).run();
    assert_eq!(made.status, 0);
    let rotated = home.aov(&["keygen", "--rotate", "key.json", "--key-version", "k2"]).run();
    assert_eq!(rotated.status, 0);
    let server = Server::start_in(&home, &["--key", "key.json", "--ledger", ":memory:"]);
    let receipt = server.post("/verify/schema", request("test-a")).json();
    assert_eq!(receipt["attestation"]["key_version"], "k2");
    let card = server.get("/.well-known/agent-card.json").json();
    let keys = &card["capabilities"]["extensions"][0]["params"]["publicKeys"];
    let mut versions: Vec<&str> =
        keys.as_array().unwrap().iter().filter_map(|key| key["keyVersion"].as_str()).collect();
    versions.sort_unstable();
    assert_eq!(versions, ["k1", "k2"]);
}

#[test]
fn what_cannot_be_used_is_said_at_the_start() {
    let folder = Sandbox::new().with("text", "no ledger, and no key, ".repeat(100));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = port.local_addr().unwrap().to_string();
    for (args, message) in [
        (&["--listen", "nowhere"][..], "--listen is no address"),
        (&["--listen", &taken, "--ledger", ":memory:"], "it is in use"),
        (&["--ledger", "text"], "text: this is no ledger, and was left as it is"),
        (&["--key", "missing.json", "--ledger", ":memory:"], "cannot read missing.json"),
        (&["--public-url", "verify.example"], "--public-url is no http or https URL"),
        (&["--cors-origin", "https://a.example/path"], "--cors-origin is no origin"),
        (&["--issuer-name", " "], "--issuer-name is empty"),
        (&["--max-body", "1"], "1 is not in 1024..="),
    ] {
        let home = folder.path("");
        let run =
            folder.aov(&[&["serve"], args].concat()).env("HOME", home.to_str().unwrap()).run();
        assert_eq!(run.status, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
    }
    assert!(folder.read("text").starts_with("no ledger"));
}

#[cfg(unix)]
#[test]
fn it_stops_cleanly_with_idle_connections_and_a_request_under_way() {
    use rustix::process::Signal;

    use crate::server::head;

    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&[]);
        let mut idle = server.connect();
        idle.send(head(server.address, "GET", "/health", &[], None));
        assert_eq!(idle.answer().status, 200);
        let body = request("test-a");
        let mut half = server.connect();
        let headers = [("Content-Type", "application/json")];
        half.send(head(server.address, "POST", "/verify/schema", &headers, Some(body.len())));
        half.send(&body[..10]);
        // So that its head has been read.
        assert_eq!(server.get("/health").status, 200);
        std::thread::sleep(std::time::Duration::from_millis(100));
        server.signal(signal);
        assert!(idle.is_closed());
        half.send(&body[10..]);
        assert_eq!(half.answer().status, 200);
        assert_eq!(server.wait(), Some(0));
        assert_eq!(server.rest_of_stdout(), "");
        // The port is free at once.
        std::net::TcpListener::bind(server.address).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_it_at_once() {
    use rustix::process::Signal;

    use crate::server::head;

    let mut server = Server::start(&[]);
    let mut half = server.connect();
    let headers = [("Content-Type", "application/json")];
    half.send(head(server.address, "POST", "/verify/schema", &headers, Some(1000)));
    half.send("{");
    assert_eq!(server.get("/health").status, 200);
    server.signal(Signal::INT);
    // The first has been seen when no more connections are taken.
    while std::net::TcpStream::connect(server.address).is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    server.signal(Signal::INT);
    assert_eq!(server.wait(), Some(130));
}

#[test]
fn logs_hold_nothing_that_was_sent() {
    for format in ["text", "json"] {
        let server = Server::start(&["-vv", "--log-format", format]);
        let secret = "SECRET";
        let text = request(secret).replace("total", secret);
        assert_eq!(server.post("/verify/schema", &text).status, 200);
        assert_eq!(server.post("/verify/schema", text.replace("task_id", secret)).status, 422);
        assert_eq!(server.get(&format!("/score/{secret}")).status, 200);
        assert_eq!(server.get(&format!("/{secret}")).status, 404);
        assert_eq!(server.request("GET", "/health", &[("Host", secret)], b"").status, 403);
        let log = server.kill();
        assert!(log.contains("/score/{agent_id}"), "{log}");
        assert!(!log.contains(secret), "{log}");
        if format == "json" {
            let lines = log.lines().filter(|line| !line.starts_with("made a signing key"));
            lines.for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).unwrap()));
        }
    }
}

#[test]
fn metrics_are_there_where_they_are_asked_for() {
    assert_eq!(Server::start(&[]).get("/metrics").status, 404);
    let server = Server::start(&["--metrics"]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    assert_eq!(server.get("/score/SECRET").status, 200);
    let answer = server.get("/metrics");
    let text = answer.text();
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    for line in [
        "aov_http_requests_total{route=\"/verify/schema\",method=\"POST\",status=\"200\"} 2",
        "aov_checks_total{result=\"pass\"} 2",
        "aov_recorded_checks_total{result=\"pass\"} 1",
        "aov_http_requests_under_way 1",
        "# EOF",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    assert!(!text.contains("SECRET"));
}
