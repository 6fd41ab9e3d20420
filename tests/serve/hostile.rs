//! Damaged bodies and heads, drawn anew in the same way every time. The server says of each body
//! what the library says of it, and no request does harm to the next.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use agent_output_verifier::json::Document;
use agent_output_verifier::request::Request;
use agent_output_verifier::verify::verdict;
use serde_json::Value;

use crate::common::vector;
use crate::request;
use crate::server::{PATIENCE, Server, head};

/// Numbers that look random (xorshift), always the same ones.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// The text with up to so many places changed.
    fn damaged(&mut self, text: &[u8], most: usize) -> Vec<u8> {
        let parts: [&[u8]; 16] = [
            b"\"",
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"\\ud800",
            b"1e999",
            b"\xff",
            b"\0",
            b"null",
            b"\xEF\xBB\xBF",
            b"\r\n",
            b"\"a\":1,",
            b"[[[[[[[[",
        ];
        let mut bytes = text.to_vec();
        for _ in 0..self.below(most + 1) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(4)).min(bytes.len());
            match self.below(4) {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.truncate(at),
                2 => {
                    let copied = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, copied));
                }
                _ => drop(bytes.splice(at..at, self.one(&parts).iter().copied())),
            }
        }
        bytes
    }
}

/// What the library says of a request: a result, or the code of an error.
fn expected(body: &[u8]) -> &'static str {
    let Ok(document) = Document::parse(body) else { return "invalid_json" };
    match Request::parse(document.root()) {
        Err(_) => "invalid_request",
        Ok(request) => match verdict(&request.requirements, request.output) {
            Ok(verdict) => verdict.as_str(),
            Err(_) => "check_undecided",
        },
    }
}

/// The server still does its work.
fn is_well(server: &Server) {
    let answer = server.post("/verify/schema", request("test-a"));
    assert_eq!((answer.status, answer.json()["result"].as_str()), (200, Some("pass")));
}

#[test]
fn what_is_said_of_damaged_bodies_is_what_the_library_says() {
    let server = Server::start(&[]);
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let whole = [
        request("test-a"),
        request("test-a").replace("42", "\"TODO\"").replace("total\"]", "sum\"]"),
        r##"{"task_id":"t","expected_schema":{"type":"array","items":{"$ref":"#/$defs/a"},
            "$defs":{"a":{"pattern":"^(a|b)*$","minLength":1}}},"submitted_output":["ab",""],
            "rules":[{"type":"unique","field":"[]"}],"bounds":{"[0]":{"min":"2024-01-01"}},
            "enforce_rules":true,"strict_content_check":false,"detail":"compact"}"##
            .to_owned(),
        vector("receipts/invoice-7731-draft.request.json"),
    ];
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for _ in 0..400 {
        let body = draw.one(&whole).as_bytes();
        let body = draw.damaged(body, 3);
        let path = *draw.one(&["/verify/schema", "/verify/deliverable"]);
        let answer = server.post(path, &body);
        let said = expected(&body);
        let text = String::from_utf8_lossy(&body);
        match answer.status {
            200 => assert_eq!(answer.json()["result"], said, "{text}"),
            _ => assert_eq!(answer.error(), said, "{text}"),
        }
        *seen.entry(said).or_default() += 1;
    }
    for said in ["pass", "fail", "invalid_json", "invalid_request"] {
        assert!(seen.get(said).is_some_and(|count| *count > 10), "{seen:?}");
    }
    is_well(&server);
}

#[test]
fn damaged_receipts_and_messages_are_answered() {
    let server = Server::start(&[]);
    let mut draw = Draw(0xd1b5_4a32_d192_ed03);
    let receipt = vector("receipts/invoice-7731-final.receipt.json");
    let check = format!(r#"{{"receipt": {receipt}, "require": ["all"], "recheck": true}}"#);
    let arguments = request("test-a");
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"verify_schema",
            "arguments":{arguments}}}}}"#
    );
    for round in 0..300 {
        if round % 2 == 0 {
            let answer = server.post("/receipt/check", draw.damaged(check.as_bytes(), 2));
            match answer.status {
                200 => assert_ne!(answer.json()["verdict"], Value::Null),
                _ => assert!(["invalid_json", "invalid_request"].contains(&&*answer.error())),
            }
        } else {
            let headers = [
                ("Content-Type", "application/json"),
                ("Accept", "application/json, text/event-stream"),
            ];
            let body = draw.damaged(call.as_bytes(), 2);
            let answer = server.request("POST", "/mcp", &headers, &body);
            let text = String::from_utf8_lossy(&body);
            assert!(answer.status < 500, "{}: {text}", answer.status);
            if answer.status == 200 {
                let answer = answer.json();
                assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{text}");
            }
        }
    }
    is_well(&server);
}

#[test]
fn damaged_heads_do_no_harm() {
    let server = Server::start(&[]);
    let mut draw = Draw(0x2545_f491_4f6c_dd1d);
    for _ in 0..300 {
        let body = request("test-a");
        let method = *draw.one(&["POST", "GET", "OPTIONS", "HEAD", "PUT", "X"]);
        let path = *draw.one(&["/verify/schema", "/", "/mcp", "/score/%00", "/docs/", "*", "//"]);
        let headers = [
            ("Content-Type", *draw.one(&["application/json", "text/plain", ";", "a/b;charset=x"])),
            ("Expect", *draw.one(&["", "100-continue"])),
            ("Origin", *draw.one(&["null", "http://x.example", ""])),
        ];
        let length = [None, Some(body.len()), Some(body.len() + 9), Some(3)];
        let head = head(server.address, method, path, &headers, *draw.one(&length));
        let mut sent = draw.damaged(head.as_bytes(), 2);
        sent.extend_from_slice(body.as_bytes());
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // What comes back, if anything does, is an answer. The server may close before the end.
        let _ = stream.write_all(&sent).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "no answer");
        }
        let text = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || text.starts_with("HTTP/1."), "{text}");
        assert!(!text.starts_with("HTTP/1.1 500"), "{text}: {}", String::from_utf8_lossy(&sent));
    }
    is_well(&server);
}
