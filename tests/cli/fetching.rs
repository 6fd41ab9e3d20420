//! Agent-cards over the network: only where the user asked for it, and never where a receipt leads
//! this machine to itself.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::signing::{Sheet, attested, check, receipt, signed_with, signer};

/// A server on this machine that gives everybody one answer.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn new(answer: impl Into<Vec<u8>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(AtomicUsize::new(0));
        let (counter, answer) = (Arc::clone(&asked), answer.into());
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                // A client that went away is its own business.
                let _ = respond(stream, &answer);
            }
        });
        Server { port, asked }
    }

    fn with_card(card: &str) -> Server {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n", card.len());
        Server::new(format!("{head}Connection: close\r\n\r\n{card}"))
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/card", self.port)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Reads the head of a request, then answers.
fn respond(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    stream.write_all(answer)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    stream.read_to_end(&mut Vec::new())?;
    Ok(())
}

/// A listener that nobody may connect to.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Trap {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Trap(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    #[track_caller]
    fn is_untouched(&self) {
        match self.0.accept() {
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            Ok((_, who)) => panic!("{who} connected"),
        }
    }
}

/// A receipt that names this URL for its key.
fn naming(sandbox: &Sandbox, url: &str) -> Value {
    signed_with(&receipt(sandbox), |receipt| receipt["verify"]["public_key_url"] = json!(url))
}

#[test]
fn a_card_at_a_url_that_the_user_typed_is_fetched_once() {
    let lines: String = (0..20).map(|i| format!("{{\"total\": {i}}}\n")).collect();
    let sandbox = signer().with("l.ndjson", lines);
    let server = Server::with_card(&sandbox.read("card.json"));
    let run =
        attested(&sandbox, &["-s", "schema.json", "--lines", "--format", "ndjson", "l.ndjson"]);
    let sandbox = sandbox.with("r.ndjson", run.stdout);
    let run = check(&sandbox, &["--agent-card", &server.url(), "--lines", "r.ndjson"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(run.stdout.ends_with("20 inputs: 20 valid\n"), "{run:?}");
    assert_eq!(server.asked(), 1);
}

#[test]
fn an_accepted_issuer_must_be_where_the_card_came_from() {
    let sandbox = signer();
    let server = Server::with_card(&sandbox.read("card.json"));
    let here = format!("127.0.0.1:{}", server.port);
    let url = server.url();
    let own = naming(&sandbox, &url);
    Sheet::of(&sandbox, &own, &["--agent-card", &url, "--issuer", &here]).is("valid", &[]);
    let elsewhere = receipt(&sandbox);
    Sheet::of(&sandbox, &elsewhere, &["--agent-card", &url]).is("valid", &[]);
    let args = ["--agent-card", &url, "--issuer", "verify.example"];
    let sheet = Sheet::of(&sandbox, &elsewhere, &args);
    sheet.is("invalid", &["issuer"]);
    assert_eq!(
        sheet.detail("issuer"),
        format!("the agent-card came from \"{url}\", which is not accepted")
    );
}

#[test]
fn a_card_that_cannot_be_had_leaves_it_undecided() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let trap = Trap::new();
    let away = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{}/\r\nContent-Length: 0\r\n\r\n",
        trap.port()
    );
    let large = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", " ".repeat(1_100_000));
    let announced = "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n";
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let servers = [
        (Server::new(missing), "could not fetch ", ": answered 404"),
        (Server::new(away), "refused to fetch ", ": redirects to another scheme or port"),
        (Server::new(large), "refused to fetch ", ": larger than 1 MiB"),
        (Server::new(announced), "refused to fetch ", ": larger than 1 MiB"),
        (Server::new("nonsense\r\n\r\n"), "could not fetch ", ": "),
        (Server::with_card("{}"), "what ", " answers is no agent-card"),
        (Server::with_card("{\"a\":"), "what ", " answers is "),
    ];
    let mut expected: Vec<(String, &str, &str)> =
        servers.iter().map(|(server, start, says)| (server.url(), *start, *says)).collect();
    expected.push((format!("http://127.0.0.1:{closed}/card"), "could not fetch ", "refused"));
    for (url, start, says) in expected {
        let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", &url]);
        sheet.is("undecided", &[]);
        let detail = sheet.detail("key");
        assert!(detail.starts_with(start) && detail.contains(says), "{detail}");
        let port = url.split(':').nth(2).unwrap().trim_end_matches("/card");
        assert!(detail.contains(port), "{detail}");
        assert!(detail.ends_with("; give the card as a file with --agent-card"), "{detail}");
        // Whether it is the issuer's does not matter where there is none.
        assert_eq!(sheet.status("issuer"), "not_checked");
    }
    trap.is_untouched();
}

#[test]
fn plain_http_is_for_this_machine_only() {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    for url in [
        "http://192.0.2.1/card",
        "http://verify.example/card",
        "http://user:secret@127.0.0.1/card",
        "ftp://127.0.0.1/card",
        "file:///etc/passwd",
    ] {
        let sheet = Sheet::of(&sandbox, &receipt, &["--agent-card", url]);
        sheet.is("undecided", &[]);
        let detail = sheet.detail("key");
        assert!(detail.starts_with("refused to fetch "), "{detail}");
        assert!(!detail.contains("secret"), "{detail}");
    }
}

#[test]
fn offline_means_offline() {
    let sandbox = signer();
    let trap = Trap::new();
    let url = format!("http://127.0.0.1:{}/card", trap.port());
    let text = naming(&sandbox, &url).to_string();
    let sandbox = sandbox.with("r.json", text);
    check(&sandbox, &["--offline", "--agent-card", &url, "r.json"]).is(
        2,
        "",
        "error: --agent-card is a URL, and --offline was given\n  help: Give the card as a file, \
         or leave --offline out.\n",
    );
    let run = check(&sandbox, &["--offline", "r.json"]);
    assert_eq!(run.status, 3, "{run:?}");
    let run = check(&sandbox, &["--offline", "--agent-card", "card.json", "r.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    trap.is_untouched();
}

/// Ways to spell this machine and its like.
fn inward(port: u16) -> Vec<String> {
    let hosts = ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "127.1", "0.0.0.0"];
    let more = ["[::ffff:127.0.0.1]", "127.0.0.1.", "[::]"];
    let hosts = hosts.into_iter().chain(more);
    hosts.map(|host| format!("https://{host}:{port}/card")).collect()
}

#[test]
fn nothing_is_fetched_unless_it_is_asked_for() {
    let sandbox = signer();
    let trap = Trap::new();
    let mut urls = inward(trap.port());
    urls.push(format!("http://127.0.0.1:{}/card", trap.port()));
    for url in urls {
        let receipt = naming(&sandbox, &url);
        for terms in [&[][..], &["--issuer", "127.0.0.1"], &["--offline"]] {
            let sheet = Sheet::of(&sandbox, &receipt, terms);
            assert_ne!(sheet.verdict(), "valid");
            assert_eq!(sheet.status("key"), "not_checked", "{url}");
        }
        Sheet::of(&sandbox, &receipt, &["--agent-card", "card.json"]).is("valid", &[]);
    }
    trap.is_untouched();
}

#[test]
fn what_a_receipt_names_never_leads_back_to_this_machine() {
    let sandbox = signer();
    let trap = Trap::new();
    for url in inward(trap.port()) {
        let receipt = naming(&sandbox, &url);
        let sheet = Sheet::of(&sandbox, &receipt, &["--fetch"]);
        sheet.is("undecided", &[]);
        let detail = sheet.detail("key");
        assert!(detail.starts_with("refused to fetch "), "{url}: {detail}");
        assert!(detail.contains(" is "), "{url}: {detail}");
        trap.is_untouched();
        // That its name is accepted does not open the way.
        let host = url.trim_start_matches("https://").trim_end_matches("/card");
        let sheet = Sheet::of(&sandbox, &receipt, &["--fetch", "--issuer", host]);
        sheet.is("undecided", &[]);
    }
    for url in [
        format!("http://127.0.0.1:{}/card", trap.port()),
        format!("ftp://127.0.0.1:{}/card", trap.port()),
        "file:///etc/passwd".to_owned(),
        format!("https://user:pass@127.0.0.1:{}/card", trap.port()),
        "http://169.254.169.254/latest/agent-card.json".to_owned(),
        "https://169.254.169.254/latest/agent-card.json".to_owned(),
        "https://10.0.0.1/card".to_owned(),
        "https://192.168.1.1/card".to_owned(),
        "no url".to_owned(),
        String::new(),
    ] {
        let sheet = Sheet::of(&sandbox, &naming(&sandbox, &url), &["--fetch"]);
        sheet.is("undecided", &[]);
        let detail = sheet.detail("key");
        assert!(detail.starts_with("refused to fetch "), "{url}: {detail}");
    }
    trap.is_untouched();
}

#[test]
fn proxies_of_the_environment_are_not_asked() {
    let sandbox = signer();
    let trap = Trap::new();
    let proxy = format!("http://127.0.0.1:{}", trap.port());
    let server = Server::with_card(&sandbox.read("card.json"));
    let sandbox = sandbox.with("r.json", receipt(&signer()).to_string());
    let url = server.url();
    let mut run = sandbox.aov(&["check-receipt", "--agent-card", &url, "r.json"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        run = run.env(name, &proxy);
    }
    let run = run.run();
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(server.asked(), 1);
    trap.is_untouched();
}

#[test]
fn a_schema_reaches_nothing_outside_itself() {
    let trap = Trap::new();
    let sandbox = signer().with("other.json", r#"{"required": ["other"]}"#);
    let file = format!("file://{}", sandbox.path("other.json").display());
    let here = format!("http://127.0.0.1:{}/schema", trap.port());
    for place in [here.as_str(), &here.replace("http", "https"), &file, "other.json"] {
        for (keyword, status) in [("$ref", 2), ("$dynamicRef", 2), ("$schema", 2), ("$id", 0)] {
            let schema = json!({"properties": {"total": true}, keyword: place}).to_string();
            std::fs::write(sandbox.path("s.json"), schema).unwrap();
            let run = sandbox.aov(&["verify", "-s", "s.json", "pass.json"]).run();
            assert_eq!(run.status, status, "{keyword} {place}: {run:?}");
            trap.is_untouched();
        }
    }
}
