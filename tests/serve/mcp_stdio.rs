//! MCP over standard input and output: a process that a client starts for itself.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::mcp::{call_text, content};
use crate::request;
use crate::server::PATIENCE;

/// A running process, as a client has it.
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    _home: Sandbox,
}

impl Process {
    pub(crate) fn start(args: &[&str]) -> Process {
        let home = Sandbox::new();
        let all = [&["serve", "--stdio", "--ledger", ":memory:"], args].concat();
        let path = home.path("");
        let path = path.to_str().unwrap();
        let mut child =
            home.aov(&all).env("HOME", path).env("XDG_DATA_HOME", "").env("APPDATA", path).start();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(BufReader::new);
        Process { child, stdin, stdout, _home: home }
    }

    /// Sends a message on a line of its own.
    fn send(&mut self, message: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        let line: Vec<u8> =
            message.as_ref().iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
        stdin.write_all(&[&line[..], b"\n"].concat()).unwrap();
    }

    /// The next message, or none at the end.
    #[track_caller]
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        if line.is_empty() {
            return None;
        }
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    #[track_caller]
    fn ask(&mut self, message: &Value) -> Value {
        self.send(message.to_string());
        self.next().unwrap()
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &str, is_error: bool) -> Value {
        self.send(call_text(tool, arguments));
        content(&self.next().unwrap()["result"], is_error)
    }

    /// Ends the input, and gives what is still said.
    fn finish(mut self) -> Vec<Value> {
        self.stdin = None;
        let rest = std::iter::from_fn(|| self.next()).collect();
        assert_eq!(self.wait(), Some(0));
        rest
    }

    fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "the process does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}
    }})
}

/// A call that takes a while.
fn long_call() -> String {
    let output = format!("[{}]", vec!["1.0"; 200_000].join(", "));
    let schema = r#"{"items": {"multipleOf": 0.5}}"#;
    let arguments = format!(
        r#"{{"task_id": "long", "expected_schema": {schema}, "submitted_output": {output}}}"#
    );
    call_text("verify_schema", &arguments).replace("\"id\": 7", "\"id\": \"long\"")
}

#[test]
fn a_session_from_handshake_to_end() {
    let mut process = Process::start(&[]);
    let result = process.ask(&initialize("2025-06-18"))["result"].clone();
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert!(result["instructions"].as_str().unwrap().contains("verify_schema"));
    process.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let tools = process.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 3);
    let answer = process.call("verify_schema", &request("seller"), false);
    assert_eq!(answer["result"], "pass");
    // Nobody can ask this process for its keys.
    assert_eq!(
        (&answer["verify"]["public_key_url"], &answer["verify"]["mcp"]),
        (&Value::Null, &Value::Null)
    );
    let record = process.call("get_verification_record", r#"{"agent_id": "seller"}"#, false);
    assert_eq!((&record["verified"], &record["trust_score"]), (&json!(1), &json!(1.0)));
    let receipt = json!({"receipt": answer}).to_string();
    assert_eq!(process.call("check_receipt", &receipt, false)["verdict"], "undecided");
    let ping = process.ask(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert!(process.finish().is_empty());
}

#[test]
fn neither_a_handshake_nor_an_order_is_needed() {
    let mut process = Process::start(&["--public-url", "https://verify.example"]);
    process.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let answer = process.call("verify_schema", &request("test-a"), false);
    assert_eq!(answer["verify"]["mcp"], "https://verify.example/mcp");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}});
    let result = process.ask(&discover)["result"].clone();
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    let list =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}});
    assert_eq!(process.ask(&list)["result"]["resultType"], "complete");
    // A version without a handshake, or none at all, is not what the handshake agrees on.
    for version in ["2026-07-28", "2099-01-01"] {
        assert_eq!(process.ask(&initialize(version))["result"]["protocolVersion"], "2025-11-25");
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        assert_eq!(process.ask(&list)["result"]["resultType"], Value::Null);
    }
    let unknown = meta.to_string().replace("2026-07-28", "2099-01-01");
    let unknown: Value = serde_json::from_str(&unknown).unwrap();
    let list =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": unknown}});
    assert_eq!(process.ask(&list)["error"]["code"], -32022);
    assert!(process.finish().is_empty());
}

#[test]
fn what_is_no_message_is_answered_and_ends_nothing() {
    let mut process = Process::start(&["--max-body", "2048"]);
    let mut refused = |line: &str, code: i64, part: &str| {
        process.send(line);
        let answer = process.next().unwrap();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    };
    refused("{", -32700, "line 1, column 2");
    refused("nonsense", -32700, "JSON");
    refused("[]", -32600, "Batches");
    refused(&format!("{{\"x\": \"{}\"}}", "x".repeat(2048)), -32600, "2048");
    refused(r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}"#, -32700, "\"id\"");
    refused(r#"{"jsonrpc": "2.0", "id": 1, "method": "no/such"}"#, -32601, "tools/call");
    refused(&call_text("verify", "{}"), -32602, "verify_schema");
    // Lines without a message, and other ends of lines, are no trouble.
    process.send("");
    process.send("  \r");
    process.send("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\r");
    assert_eq!(process.next().unwrap()["id"], 1);
    let twice = request("test-a").replace("42", "42, \"total\": 43");
    assert_eq!(process.call("verify_schema", &twice, true)["code"], "invalid_json");
    assert_eq!(process.call("verify_schema", "{}", true)["code"], "invalid_request");
    // The last line may have no end.
    let last = br#"{"jsonrpc": "2.0", "id": 9, "method": "ping"}"#;
    process.stdin.as_mut().unwrap().write_all(last).unwrap();
    let rest = process.finish();
    assert_eq!((rest.len(), &rest[0]["id"]), (1, &json!(9)));
}

#[test]
fn all_that_was_asked_is_answered_before_the_end() {
    let mut process = Process::start(&[]);
    process.send(long_call());
    for number in 0..50 {
        let id = format!("\"id\": {number}");
        process.send(call_text("verify_schema", &request("test-a")).replace("\"id\": 7", &id));
    }
    let rest = process.finish();
    let mut ids: Vec<String> = rest.iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    let mut expected: Vec<String> = (0..50).map(|id| id.to_string()).collect();
    expected.push("\"long\"".to_owned());
    expected.sort();
    assert_eq!(ids, expected);
    assert!(rest.iter().all(|answer| content(&answer["result"], false)["result"] == "pass"));
}

#[test]
fn a_client_that_reads_late_gets_all_answers() {
    let mut process = Process::start(&[]);
    for number in 0..1200 {
        process.send(format!(r#"{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}"#));
    }
    assert_eq!(process.finish().len(), 1200);
}

#[test]
fn what_is_taken_back_is_not_waited_for() {
    let mut process = Process::start(&[]);
    process.send(long_call());
    process.send(r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}"#);
    process.send(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
    let rest = process.finish();
    assert!(rest.iter().any(|answer| answer["id"] == 1), "{rest:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_when_all_is_answered() {
    use rustix::process::Signal;

    for signal in [Signal::TERM, Signal::INT] {
        let mut process = Process::start(&[]);
        assert_eq!(process.call("verify_schema", &request("test-a"), false)["result"], "pass");
        process.send(long_call());
        // Messages arrive in their order: when this is answered, the call is under way, or done.
        process.send(r#"{"jsonrpc": "2.0", "id": "p", "method": "ping"}"#);
        let first = process.next().unwrap();
        process.signal(signal);
        let second = process.next().unwrap();
        let long = if first["id"] == "long" { first } else { second };
        assert_eq!(content(&long["result"], false)["result"], "pass");
        assert_eq!(process.next(), None);
        assert_eq!(process.wait(), Some(0));
    }
}

#[test]
fn a_client_that_is_gone_ends_it() {
    let mut process = Process::start(&[]);
    assert_eq!(process.call("verify_schema", &request("test-a"), false)["result"], "pass");
    let mut stderr = process.child.stderr.take().unwrap();
    process.stdout = None;
    process.send(call_text("verify_schema", &request("test-a")));
    assert_eq!(process.wait(), Some(0));
    let mut log = String::new();
    stderr.read_to_string(&mut log).unwrap();
    assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
}

#[test]
fn the_readme_tells_clients_what_works() {
    let page = include_str!("../../README.md");
    let blocks = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let (mut commands, mut urls) = (0, 0);
    for block in blocks.filter(|block| block.contains("ervers\"")) {
        let config: Value = serde_json::from_str(block).unwrap();
        let servers = config.get("mcpServers").or(config.get("servers")).unwrap();
        let server = &servers["aov"];
        if let Some(url) = server["url"].as_str() {
            assert_eq!(url, "http://127.0.0.1:8402/mcp");
            urls += 1;
            continue;
        }
        assert_eq!(server["command"], "aov");
        // What Process starts, but for where it keeps things.
        assert_eq!(server["args"], json!(["serve", "--stdio"]));
        commands += 1;
    }
    assert_eq!((commands, urls), (2, 2));
    assert!(page.contains("claude mcp add aov -- aov serve --stdio\n"));
    // The address is the one that the server listens on if nobody says otherwise.
    let help = Sandbox::new().aov(&["serve", "--help"]).run();
    assert!(help.stdout.contains("[default: 127.0.0.1:8402]"), "{}", help.stdout);
}

#[test]
fn options_of_http_do_not_go_with_it() {
    for option in [&["--listen", "127.0.0.1:0"][..], &["--free-per-day", "5"], &["--metrics"]] {
        let run = Sandbox::new().aov(&[&["serve", "--stdio"], option].concat()).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains("--stdio"), "{}", run.stderr);
    }
}
