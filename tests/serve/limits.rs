//! Limits: sizes, hosts, slow clients.

use serde_json::Value;

use crate::request;
use crate::server::{Server, head};

/// A request of about this many bytes.
fn large(bytes: usize) -> String {
    let numbers = vec!["1"; bytes / 2].join(",");
    format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": [{numbers}]}}"#)
}

#[test]
fn bodies_up_to_the_limit_are_taken_and_no_larger_ones() {
    let server = Server::start(&["--max-body", "3000000"]);
    assert_eq!(server.post("/verify/schema", large(2_900_000)).status, 200);
    for bytes in [3_000_100, 20_000_000] {
        let answer = server.post("/verify/schema", large(bytes));
        assert_eq!((answer.status, answer.error().as_str()), (413, "request_too_large"));
        assert!(answer.text().contains("3000000 bytes"), "{}", answer.text());
    }
}

#[test]
fn bodies_in_chunks_have_the_same_limit() {
    let server = Server::start(&["--max-body", "100000"]);
    for (bytes, status) in [(90_000, 200), (2_000_000, 413)] {
        let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
        let mut connection = server.connect();
        connection.send(head(server.address, "POST", "/verify/schema", &headers, None));
        for chunk in large(bytes).as_bytes().chunks(16_000) {
            connection.send(format!("{:x}\r\n", chunk.len()));
            connection.send(chunk);
            connection.send("\r\n");
        }
        connection.send("0\r\n\r\n");
        let answer = connection.answer();
        assert_eq!(answer.status, status);
        if status == 413 {
            assert_eq!(answer.error(), "request_too_large");
        }
    }
}

#[test]
fn nesting_beyond_the_limit_is_refused_wherever_it_comes() {
    let server = Server::start(&[]);
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let request = |output: &str| {
        format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#)
    };
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {{"name": "verify_schema", "arguments": {arguments}}}}}"#
        )
    };
    // The request is a level itself.
    assert_eq!(server.post("/verify/schema", request(&nested(127))).status, 200);
    for depth in [128, 1_000_000] {
        for text in [request(&nested(depth)), nested(depth + 1), "[".repeat(depth + 1)] {
            for route in ["/verify/schema", "/receipt/check"] {
                let answer = server.post(route, &text);
                assert_eq!((answer.status, answer.error().as_str()), (422, "invalid_json"));
            }
            for message in [text.clone(), call(&text)] {
                let headers = [
                    ("Content-Type", "application/json"),
                    ("Accept", "application/json, text/event-stream"),
                ];
                let answer = server.request("POST", "/mcp", &headers, message.as_bytes());
                assert!([200, 400].contains(&answer.status), "{answer:?}");
                let answer = answer.json();
                // What is too large as well is told so.
                let refused = [-32700, -32600].map(Value::from).contains(&answer["error"]["code"]);
                let in_result = answer["result"]["structuredContent"]["code"] == "invalid_json";
                assert!(refused || in_result, "{answer}");
            }
        }
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn a_client_that_asks_first_is_refused_before_it_sends() {
    let server = Server::start(&["--max-body", "2000"]);
    let headers = [("Content-Type", "application/json"), ("Expect", "100-continue")];
    let mut connection = server.connect();
    connection.send(head(server.address, "POST", "/verify/schema", &headers, Some(5_000_000)));
    let answer = connection.answer();
    assert_eq!((answer.status, answer.error().as_str()), (413, "request_too_large"));
}

#[test]
fn on_loopback_other_hosts_are_turned_away() {
    let server = Server::start(&["--public-url", "https://verify.example"]);
    for host in ["localhost:1", "127.0.0.1", "verify.example"] {
        assert_eq!(server.request("GET", "/health", &[("Host", host)], b"").status, 200, "{host}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example"] {
        let answer = server.request("GET", "/health", &[("Host", host)], b"");
        assert_eq!((answer.status, answer.error().as_str()), (403, "forbidden"), "{host}");
    }
}

#[test]
fn pages_elsewhere_are_let_in_only_where_they_are_named() {
    let origin = [("Origin", "https://app.example")];
    let closed = Server::start(&[]);
    let answer = closed.request("GET", "/health", &origin, b"");
    assert_eq!(answer.header("access-control-allow-origin"), None);

    let open = Server::start(&["--cors-origin", "https://app.example"]);
    let answer = open.request("GET", "/health", &origin, b"");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    let other = open.request("GET", "/health", &[("Origin", "https://evil.example")], b"");
    assert_eq!(other.header("access-control-allow-origin"), None);
    let preflight = [
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    ];
    let answer = open.request("OPTIONS", "/verify/schema", &preflight, b"");
    assert_eq!(answer.status, 200);
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for header in ["content-type", "payment-signature"] {
        assert!(allowed.split(',').any(|name| name == header), "{allowed}");
    }
}

#[test]
fn slow_clients_do_not_hold_up_others_and_are_let_go() {
    let server = Server::start(&[]);
    let mut slow: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for (number, connection) in slow.iter_mut().enumerate() {
        // Half of them stop in the head, half in the body.
        let headers = [("Content-Type", "application/json")];
        let head = head(server.address, "POST", "/verify/schema", &headers, Some(1000));
        let sent = if number % 2 == 0 { &head[..20] } else { &head };
        connection.send(sent);
    }
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    // The body's time is up first; the head's connection closes, with an answer or without.
    let answer = slow[1].answer();
    assert_eq!((answer.status, answer.error().as_str()), (408, "request_timeout"));
    let mut stuck = slow.swap_remove(0);
    assert!(stuck.is_closed() || stuck.answer().status == 408);
}

#[test]
fn every_answer_has_its_security_headers_and_a_number() {
    let server = Server::start(&[]);
    let mut numbers = Vec::new();
    for answer in [
        server.get("/health"),
        server.get("/nothing"),
        server.post("/verify/schema", request("test-a")),
        server.post("/verify/schema", "{"),
    ] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(answer.header("content-security-policy").unwrap().contains("frame-ancestors"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        numbers.push(answer.header("x-request-id").unwrap().to_owned());
    }
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 4);
}
