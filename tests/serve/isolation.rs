//! What a request names is never gone to, and what was sent is nowhere but in its answer.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::common::{Sandbox, vector};
use crate::facilitator::Facilitator;
use crate::mcp::{HEADERS, call_text, send};
use crate::payments::charging;
use crate::request;
use crate::server::{Answer, Server};

/// Bodies that name a place in every field that could be taken for one: the route, and the body.
fn naming(place: &str) -> Vec<(&'static str, Value)> {
    let check = |schema: Value, output: Value| {
        json!({"task_id": "test-t", "agent_id": "test-a", "expected_schema": schema,
               "submitted_output": output})
    };
    let mut bodies: Vec<(&'static str, Value)> = Vec::new();
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef", "$schema", "$id"] {
        bodies.push(("/verify/schema", check(json!({keyword: place}), json!(place))));
        let nested = json!({"properties": {"a": {keyword: format!("{place}#/a")}}});
        bodies.push(("/verify/schema", check(nested, json!({"a": place}))));
    }
    let vocabulary = json!({"$id": "x", "$vocabulary": {place: true}, "format": "uri"});
    bodies.push(("/verify/schema", check(vocabulary, json!(place))));
    bodies.push((
        "/verify/schema",
        json!({"task_id": place, "expected_schema": place, "submitted_output": place}),
    ));
    let receipt: Value =
        serde_json::from_str(&vector("receipts/invoice-7731-final.receipt.json")).unwrap();
    let mut elsewhere = receipt.clone();
    elsewhere["verify"]["public_key_url"] = json!(place);
    elsewhere["verify"]["mcp"] = json!(place);
    bodies.push(("/receipt/check", json!({"receipt": elsewhere})));
    bodies.push(("/receipt/check", json!({"receipt": elsewhere, "issuers": [place]})));
    bodies.push(("/receipt/check", json!({"receipt": place})));
    for field in ["agent_card", "public_key", "request", "key_version"] {
        bodies.push(("/receipt/check", json!({"receipt": receipt, field: place})));
    }
    bodies
}

#[cfg(unix)]
#[test]
fn what_a_request_names_is_never_opened_and_never_asked() {
    // A pipe that nobody writes: whoever opened it to read would wait there and not answer.
    let home = Sandbox::new().with("document.json", r#"{"CANARY-TEXT": 1}"#);
    let pipe = home.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();

    let server = Server::start_in(&home, &["--ledger", "ledger"]);
    let mut answered = 0;
    for place in [
        "file:///etc/passwd".to_owned(),
        "/etc/passwd".to_owned(),
        "document.json".to_owned(),
        format!("file://{}", home.path("document.json").display()),
        format!("file://{}", pipe.display()),
        pipe.display().to_string(),
        format!("http://127.0.0.1:{port}/x"),
        format!("https://127.0.0.1:{port}/x"),
        format!("http://localhost:{port}/.well-known/agent-card.json"),
        format!("//127.0.0.1:{port}/x"),
        format!("http://[::ffff:127.0.0.1]:{port}/x"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        for (path, body) in naming(&place) {
            let by_rest = server.post(path, body.to_string());
            let tool = if path == "/receipt/check" { "check_receipt" } else { "verify_schema" };
            let by_tool = send(&server, &call_text(tool, &body.to_string()));
            for answer in [by_rest, by_tool] {
                assert!(matches!(answer.status, 200 | 400 | 422), "{body}: {answer:?}");
                for content in ["root:", "CANARY-TEXT"] {
                    assert!(!answer.text().contains(content), "{body}: {answer:?}");
                }
                answered += 1;
            }
        }
        for name in ["score", "reputation"] {
            let path: String = place.bytes().map(|byte| format!("%{byte:02x}")).collect();
            assert!(matches!(server.get(&format!("/{name}/{path}")).status, 200 | 404));
        }
    }
    assert!(answered > 400, "{answered}");
    let error = listener.accept().map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "somebody was asked");
    // The listener would have noticed.
    drop(std::net::TcpStream::connect(("127.0.0.1", port)).unwrap());
    assert!(listener.accept().is_ok());

    #[cfg(target_os = "linux")]
    assert_open_files_are_its_own(&home, server.id());
}

/// Whatever a server has open is its own: the ledger, connections, and what the runtime needs.
#[cfg(target_os = "linux")]
fn assert_open_files_are_its_own(home: &Sandbox, id: u32) {
    let folder = home.path("").canonicalize().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{id}/fd")).unwrap() {
        // One may be closed meanwhile.
        let Ok(target) = std::fs::read_link(entry.unwrap().path()) else { continue };
        let name = target.to_str().unwrap();
        let of_the_system = ["socket:[", "pipe:[", "anon_inode:", "/dev/null"];
        if !of_the_system.iter().any(|start| name.starts_with(start)) {
            files.push(target.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned());
        }
    }
    files.sort();
    files.dedup();
    assert_eq!(files, ["ledger", "ledger-shm", "ledger-wal"]);
}

/// What no log may show.
const CANARY: &str = "cAnArY7";

#[test]
fn no_log_shows_what_was_sent_however_it_was_sent() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    for (format, level, variable) in [
        ("text", "-vv", "trace"),
        ("json", "-vvvv", "rmcp=trace,hyper=trace,trace"),
        ("text", "-v", ""),
    ] {
        let home = Sandbox::new();
        let settings = ["--ledger", ":memory:", "--metrics", "--free-per-day", "8", level];
        let settings = [&settings[..], &["--log-format", format, "--trust-proxy"]].concat();
        // The variables that libraries read their levels from.
        let variables = [("RUST_LOG", variable), ("RUST_BACKTRACE", "full")];
        let server = Server::start_with(&home, &charging(&url, &settings), &variables);
        send_canaries(&server);
        let log = server.kill();
        assert!(log.contains("ready"), "{log}");
        assert!(log.contains("/receipt/check"), "{log}");
        let folded = log.to_ascii_lowercase();
        assert!(!folded.contains(&CANARY.to_ascii_lowercase()), "{log}");
    }
}

/// Sends the canary in every place that there is.
fn send_canaries(server: &Server) {
    let receipt: Value =
        serde_json::from_str(&vector("receipts/invoice-7731-final.receipt.json")).unwrap();
    let mut named = receipt.clone();
    named["task_id"] = json!(CANARY);
    named["verify"]["public_key_url"] = json!(format!("https://{CANARY}.example/{CANARY}"));
    let whole = |schema: Value, output: Value| {
        json!({"task_id": CANARY, "agent_id": CANARY, "expected_schema": schema,
               "submitted_output": output, "rules": [{"type": "gte", "field": CANARY, "value": 1}],
               "bounds": {CANARY: {"min": 1}}})
        .to_string()
    };
    let bodies = [
        whole(json!({"required": [CANARY]}), json!({CANARY: CANARY})),
        whole(
            json!({"properties": {CANARY: {"pattern": format!("^(a+)+{CANARY}$")}}}),
            json!({CANARY: "aaaa"}),
        ),
        whole(json!({"pattern": format!("({CANARY}")}), json!(CANARY)),
        whole(json!({"$ref": format!("https://{CANARY}.example/")}), json!([])),
        request("a").replace("task_id", CANARY),
        format!("{{\"{CANARY}\": "),
        CANARY.to_owned(),
        json!({"receipt": named, "issuers": [CANARY]}).to_string(),
        json!({"receipt": CANARY, "agent_card": {CANARY: 1}}).to_string(),
    ];
    let answered = |answer: Answer| assert!((200..500).contains(&answer.status), "{answer:?}");
    for body in &bodies {
        for path in ["/verify/schema", "/verify/deliverable", "/receipt/check", "/mcp"] {
            answered(server.post(path, body));
        }
        for tool in ["verify_schema", "check_receipt", "get_verification_record", CANARY] {
            answered(send(server, &call_text(tool, body)));
        }
    }
    for method in ["initialize", "tools/list", "ping", CANARY] {
        let message = json!({"jsonrpc": "2.0", "id": CANARY, "method": method, "params": {
            "protocolVersion": CANARY, "capabilities": {CANARY: {}},
            "clientInfo": {"name": CANARY, "version": CANARY}}});
        answered(send(server, &message.to_string()));
    }
    let header = format!("X-{CANARY}");
    for path in ["/health", "/score/CANARY", "/reputation/CANARY", "/CANARY", "/docs?CANARY=CANARY"]
    {
        let path = path.replace("CANARY", CANARY);
        for headers in [
            [("Authorization", CANARY), ("Cookie", CANARY), ("User-Agent", CANARY)],
            [(header.as_str(), CANARY), ("Accept", CANARY), ("X-Forwarded-For", CANARY)],
            [("payment-signature", CANARY), ("PAYMENT-SIGNATURE", CANARY), ("Referer", CANARY)],
            [("Origin", CANARY), ("Forwarded", CANARY), ("X-Request-Id", CANARY)],
            [("Host", CANARY), ("mcp-session-id", CANARY), ("mcp-protocol-version", CANARY)],
        ] {
            answered(server.request("GET", &path, &headers, b""));
            answered(server.request("OPTIONS", &path, &headers, b""));
            let headers = [&headers[..], &HEADERS].concat();
            answered(server.request("POST", "/verify/schema", &headers, request("a").as_bytes()));
            answered(server.request("POST", "/mcp", &headers, b"{}"));
        }
    }
    // What is no HTTP at all.
    let mut connection = server.connect();
    connection.send(format!("{CANARY} {CANARY}\r\n{CANARY}\r\n\r\n"));
    assert!(connection.is_closed() || connection.head().status == 400);
}

#[test]
fn a_process_for_one_client_logs_nothing_of_what_it_was_sent() {
    let home = Sandbox::new();
    let path = home.path("");
    let message = |id: &str, tool: &str, arguments: String| {
        call_text(tool, &arguments)
            .replace('\n', " ")
            .replace("\"id\": 7", &format!("\"id\": {id}"))
    };
    let lines = [
        message("1", "verify_schema", request(CANARY).replace("total", CANARY)),
        message("2", "verify_schema", format!("{{\"{CANARY}\": 1}}")),
        message("3", "check_receipt", json!({"receipt": {CANARY: CANARY}}).to_string()),
        message("4", CANARY, "{}".to_owned()),
        json!({"jsonrpc": "2.0", "id": CANARY, "method": CANARY}).to_string(),
        format!("{{\"{CANARY}"),
        CANARY.to_owned(),
    ];
    let run = home
        .aov(&["serve", "--stdio", "--ledger", ":memory:", "-vvvv"])
        .env("HOME", path.to_str().unwrap())
        .env("XDG_DATA_HOME", "")
        .env("RUST_LOG", "trace")
        .input(lines.join("\n") + "\n")
        .run();
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(run.stdout.lines().count(), lines.len(), "{run:?}");
    assert!(run.stderr.contains("ready for MCP messages"), "{run:?}");
    assert!(!run.stderr.contains(CANARY), "{}", run.stderr);
}

#[test]
fn an_id_is_a_value_and_never_a_statement() {
    let server = Server::start(&[]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    for id in ["a'; DROP TABLE agent; --", "a' OR '1'='1", "%", "a%00", "?1"] {
        assert_eq!(server.post("/verify/schema", request(id)).status, 200, "{id}");
        let path: String = id.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_eq!(server.get(&format!("/reputation/{path}")).json()["verified"], 1, "{id}");
    }
    assert_eq!(server.get("/reputation/a").json()["verified"], 1);
}

#[cfg(unix)]
#[test]
fn the_ledger_is_opened_through_no_link() {
    let home = Sandbox::new().with("elsewhere", "").with_folder("real");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, home.path(name)).unwrap();
    };
    link("elsewhere", "ledger");
    link("missing", "dangling");
    link("real", "folder");
    let path = home.path("");
    // Over standard input: whoever opened it all the same would end, as nothing comes.
    let open = |name: &str| {
        let aov = home.aov(&["serve", "--stdio", "--ledger", name]);
        aov.env("HOME", path.to_str().unwrap()).env("XDG_DATA_HOME", "").run()
    };
    for name in ["ledger", "dangling"] {
        let run = open(name);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(&format!("{name}: the ledger is a link")), "{run:?}");
    }
    assert_eq!(home.read("elsewhere"), "");
    assert!(!home.path("missing").exists());
    // A folder may be one: who can change it is asked of the folder that it is in.
    let server = Server::start_in(&home, &["--ledger", "folder/ledger"]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    assert!(home.path("real/ledger").is_file());
    drop(server);
    // Beside the ledger, SQLite does not follow one either.
    std::fs::remove_file(home.path("real/ledger-wal")).unwrap();
    link("../elsewhere", "real/ledger-wal");
    let run = open("real/ledger");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
    assert_eq!(home.read("elsewhere"), "");
}
