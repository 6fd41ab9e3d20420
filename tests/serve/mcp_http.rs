//! MCP over HTTP: versions, headers, limits and refusals.

use serde_json::{Value, json};

use crate::mcp::{HEADERS, call, call_text, content, send};
use crate::request;
use crate::server::{Answer, Server, head};

const META: &str = r#""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}}"#;

fn initialize(version: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}
    }})
    .to_string()
}

fn send_with(server: &Server, more: &[(&str, &str)], message: &str) -> Answer {
    server.request("POST", "/mcp", &[&HEADERS, more].concat(), message.as_bytes())
}

/// The protocol's error in a refusal, which has the common one with it.
#[track_caller]
fn refusal(answer: &Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    assert_eq!(body["jsonrpc"], "2.0", "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|text| text.len() > 10), "{body}");
    body["error"].clone()
}

#[test]
fn a_session_of_an_older_version() {
    let server = Server::start(&[]);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let result = send(&server, &initialize(version)).json()["result"].clone();
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "aov");
        assert!(result["instructions"].as_str().unwrap().contains("verify_schema"));
        assert!(result["capabilities"]["tools"].is_object());
    }
    // A version that is not known, or that has no handshake, is answered with the newest that has.
    for version in ["2099-01-01", "1900-01-01", "2026-07-28"] {
        let result = send(&server, &initialize(version)).json()["result"].clone();
        assert_eq!(result["protocolVersion"], "2025-11-25", "{version}");
    }
    // A header cannot know better than the body.
    let early = [("MCP-Protocol-Version", "2099-01-01")];
    assert_eq!(send_with(&server, &early, &initialize("2025-06-18")).status, 200);

    let initialized = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
    let answer = send(&server, initialized);
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    for version in [None, Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25")] {
        let header = version.map(|version| ("MCP-Protocol-Version", version));
        let answer = send_with(&server, header.as_slice(), list);
        assert_eq!(answer.status, 200, "{version:?}");
        assert_eq!(answer.json()["result"]["resultType"], Value::Null);
    }
    let error = refusal(&send_with(&server, &early, list), 400);
    assert!(error["message"].as_str().unwrap().contains("2099-01-01"));
    let ping = r#"{"jsonrpc": "2.0", "id": "p", "method": "ping"}"#;
    assert_eq!(send(&server, ping).json(), json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
}

#[test]
fn requests_of_the_newer_version_stand_alone() {
    let server = Server::start(&[]);
    let with =
        |method: &'static str| [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    let discover = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {{{META}}}}}"#
    );
    let result = send_with(&server, &with("server/discover"), &discover).json()["result"].clone();
    let versions = result["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let list = discover.replace("server/discover", "tools/list");
    let result = send_with(&server, &with("tools/list"), &list).json()["result"].clone();
    assert_eq!((&result["resultType"], result["ttlMs"].is_u64()), (&json!("complete"), true));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "aov");
    assert_eq!(result["tools"].as_array().unwrap().len(), 3);

    let message = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "verify_schema",
            "arguments": {}, {META}}}}}"#,
        request("test-a")
    );
    let named = |name: &'static str| [&with("tools/call")[..], &[("Mcp-Name", name)]].concat();
    let result = send_with(&server, &named("verify_schema"), &message).json()["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(content(&result, false)["result"], "pass");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "aov");

    let error = refusal(&send_with(&server, &named("other"), &message), 400);
    assert_eq!(error["code"], -32020);
    let unknown = [("MCP-Protocol-Version", "2099-01-01"), ("Mcp-Method", "tools/list")];
    let answer = send_with(&server, &unknown, &list.replace("2026-07-28", "2099-01-01"));
    assert_eq!(refusal(&answer, 400)["code"], -32022);
    let method =
        send_with(&server, &with("no/such"), &discover.replace("server/discover", "no/such"));
    assert_eq!(refusal(&method, 404)["code"], -32601);
    // No stream is opened for events that never come.
    let listen = discover.replace("server/discover", "subscriptions/listen");
    let listen = listen
        .replace(r#""params": {"#, r#""params": {"notifications": {"toolsListChanged": true}, "#);
    assert_eq!(
        refusal(&send_with(&server, &with("subscriptions/listen"), &listen), 404)["code"],
        -32601
    );
}

#[test]
fn any_client_that_reads_json_or_events_is_answered() {
    let server = Server::start(&[]);
    let accept = |accept: &[(&str, &str)]| {
        let headers = [&HEADERS[..1], accept].concat();
        server.request("POST", "/mcp", &headers, initialize("2025-06-18").as_bytes())
    };
    for headers in [
        &[][..],
        &[("Accept", "*/*")],
        &[("Accept", "application/json")],
        &[("Accept", "text/event-stream"), ("Accept", "application/json")],
        &[("Accept", "text/event-stream;q=0.5 , application/json;q=0.9")],
    ] {
        let answer = accept(headers);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!(answer.json()["result"]["protocolVersion"], "2025-06-18", "{headers:?}");
    }
    let events = accept(&[("Accept", "text/event-stream")]);
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let data = events.text().strip_prefix("event: message\ndata: ").unwrap();
    let data: Value = serde_json::from_str(data.strip_suffix("\n\n").unwrap()).unwrap();
    assert_eq!(data["result"]["protocolVersion"], "2025-06-18");
    refusal(&accept(&[("Accept", "text/html")]), 406);
}

#[test]
fn pages_of_other_origins_and_other_hosts_are_refused() {
    let server = Server::start(&["--cors-origin", "https://app.example"]);
    let own = format!("http://{}", server.address);
    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    for origin in [own.as_str(), "https://app.example"] {
        assert_eq!(send_with(&server, &[("Origin", origin)], list).status, 200, "{origin}");
    }
    for origin in
        ["http://evil.example", "http://127.0.0.1", "https://app.example.evil.example", "null"]
    {
        let error = refusal(&send_with(&server, &[("Origin", origin)], list), 403);
        assert_eq!(error["data"]["code"], "forbidden", "{origin}");
    }
    assert_eq!(send_with(&server, &[("Host", "evil.example")], list).status, 403);
    // A page that is let in is told which headers it may send.
    let asked = "mcp-protocol-version,mcp-method,mcp-name,content-type";
    let preflight = server.request(
        "OPTIONS",
        "/mcp",
        &[
            ("Origin", "https://app.example"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", asked),
        ],
        b"",
    );
    let allowed = preflight.header("access-control-allow-headers").unwrap();
    for name in asked.split(',') {
        assert!(
            allowed.split(',').any(|known| known.trim().eq_ignore_ascii_case(name)),
            "{allowed}"
        );
    }
}

#[test]
fn there_are_no_streams_and_no_sessions() {
    let server = Server::start(&[]);
    for method in ["GET", "DELETE", "PUT"] {
        let answer = server.request(method, "/mcp", &HEADERS, b"");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    let with_session = [("Mcp-Session-Id", "made-up")];
    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    let answer = send_with(&server, &with_session, list);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
}

#[test]
fn what_is_no_message_is_told_what_is_wrong() {
    let server = Server::start(&[]);
    for (message, code, part) in [
        ("{", -32700, "line 1, column 2"),
        ("", -32700, "empty"),
        (r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}"#, -32700, "\"id\""),
        ("[]", -32600, "Batches"),
        (r#"{"jsonrpc": "2.0", "id": 1}"#, -32600, "method"),
        (r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, -32600, "response"),
    ] {
        let error = refusal(&send(&server, message), 400);
        assert_eq!(error["code"], code, "{message}: {error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{message}: {error}");
        if code == -32700 {
            assert_eq!(error["data"]["code"], "invalid_json", "{error}");
            assert!(error["data"]["guidance"].is_object(), "{error}");
        }
    }
    // Whoever cannot be understood is told by its id, if that can.
    let answer = send(&server, r#"{"jsonrpc": "2.0", "id": "seven", "method": 7}"#);
    assert_eq!(answer.json()["id"], "seven");
    let answer = send(&server, "{");
    assert!(!answer.json().as_object().unwrap().contains_key("id"));
}

#[test]
fn limits_are_those_of_rest() {
    let server = Server::start(&["--max-body", "4096"]);
    let large = call_text("verify_schema", &format!("\"{}\"", "x".repeat(4096)));
    let error = refusal(&send(&server, &large), 413);
    assert_eq!(error["data"]["code"], "request_too_large");
    assert!(error["message"].as_str().unwrap().contains("4096"));
    let mut connection = server.connect();
    let chunked = [&HEADERS[..], &[("Transfer-Encoding", "chunked")]].concat();
    connection.send(
        head(server.address, "POST", "/mcp", &chunked, None).replace("Content-Length: 0\r\n", ""),
    );
    connection.send(format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len()));
    assert_eq!(refusal(&connection.answer(), 413)["data"]["code"], "request_too_large");

    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    for headers in [
        &[("Content-Type", "text/plain")][..],
        &[],
        &[("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
    ] {
        let answer = server.request("POST", "/mcp", headers, list.as_bytes());
        assert_eq!(refusal(&answer, 415)["data"]["code"], "unsupported_media_type");
    }
    // Three megabytes and more are no trouble where they are allowed.
    let server = Server::start(&[]);
    let output = format!("[{}]", vec!["1.0"; 700_000].join(", "));
    let arguments =
        format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#);
    assert!(arguments.len() > 3_000_000);
    assert_eq!(content(&call(&server, "verify_schema", &arguments), false)["result"], "pass");
    let padded = list.replace("\"id\"", &format!("\"pad\": \"{}\", \"id\"", "x".repeat(200_000)));
    assert_eq!(refusal(&send(&server, &padded), 400)["code"], -32600);
}

#[test]
fn logs_hold_nothing_that_was_sent() {
    let server = Server::start(&["-vv"]);
    let secret = "SECRET";
    let text = request(secret).replace("total", secret);
    content(&call(&server, "verify_schema", &text), false);
    content(&call(&server, "verify_schema", &text.replace("task_id", secret)), true);
    for message in [
        call_text(secret, "{}"),
        initialize(secret),
        format!(r#"{{"jsonrpc": "2.0", "id": "{secret}", "method": "{secret}"}}"#),
        format!(r#"{{"jsonrpc": "2.0", "method": "notifications/{secret}"}}"#),
        format!("{{{secret}"),
    ] {
        send(&server, &message);
    }
    send_with(&server, &[("MCP-Protocol-Version", secret)], "{}");
    let log = server.kill();
    assert!(log.contains("\"/mcp\""), "{log}");
    assert!(!log.contains(secret), "{log}");
}

#[cfg(unix)]
#[test]
fn a_stop_waits_for_calls_under_way_and_for_nothing_else() {
    use rustix::process::Signal;

    let mut server = Server::start(&[]);
    let mut idle = server.connect();
    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    idle.send(head(server.address, "POST", "/mcp", &HEADERS, Some(list.len())) + list);
    assert_eq!(idle.answer().status, 200);
    // As long as it takes: the rest comes after the signal.
    let message = call_text("verify_schema", &request("test-a"));
    let (first, rest) = message.split_at(40);
    let mut busy = server.connect();
    busy.send(head(server.address, "POST", "/mcp", &HEADERS, Some(message.len())) + first);
    assert_eq!(server.get("/health").status, 200);
    std::thread::sleep(std::time::Duration::from_millis(100));
    server.signal(Signal::TERM);
    assert!(idle.is_closed());
    busy.send(rest);
    let answer = busy.answer();
    assert_eq!(content(&answer.json()["result"], false)["result"], "pass");
    assert_eq!(server.wait(), Some(0));
    assert_eq!(server.rest_of_stdout(), "");
}

#[test]
fn the_agent_card_names_the_tools() {
    let extension = |server: &Server| {
        let card = server.get("/.well-known/agent-card.json").json();
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        let url =
            interfaces.iter().find(|one| one["protocolBinding"] == "MCP").unwrap()["url"].clone();
        assert_eq!(url, format!("http://{}/mcp", server.address));
        let extensions = card["capabilities"]["extensions"].as_array().unwrap().clone();
        let uri = "urn:json-schema-verifier:extension:mcp:v1";
        let found = extensions.into_iter().find(|extension| extension["uri"] == uri).unwrap();
        assert_eq!(found["params"]["url"], url);
        found["params"].clone()
    };
    let free = extension(&Server::start(&[]));
    assert_eq!(free["transport"], "streamable-http");
    assert_eq!(free["tools"][0], json!({"toolName": "verify_schema", "access": {"free": true}}));
    let limited = extension(&Server::start(&["--free-per-day", "20", "--max-body", "2048"]));
    let access = &limited["tools"][0]["access"];
    assert_eq!(access["freeTrial"], json!({"callsPerClientPerDay": 20, "maxInputBytes": 2048}));
    assert_eq!(limited["tools"][1]["access"], json!({"free": true}));
}
