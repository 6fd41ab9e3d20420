//! MCP: what the tools say and answer, whatever brings the messages.

use serde_json::{Value, json};

use crate::request;
use crate::server::{Answer, Server};

/// What clients of the protocol send along.
pub(crate) const HEADERS: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// A call of a tool, with its arguments spelt as they are.
pub(crate) fn call_text(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {{"name": "{tool}", "arguments": {arguments}}}}}"#
    )
}

/// Sends a message.
pub(crate) fn send(server: &Server, message: &str) -> Answer {
    server.request("POST", "/mcp", &HEADERS, message.as_bytes())
}

/// Asks for something, and gives the result.
#[track_caller]
fn ask(server: &Server, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = send(server, &message.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

/// Calls a tool, and gives its result.
#[track_caller]
pub(crate) fn call(server: &Server, tool: &str, arguments: &str) -> Value {
    let answer = send(server, &call_text(tool, arguments));
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer["result"].clone()
}

/// What a tool's result holds: the text is the data again, and says whether it is an error.
#[track_caller]
pub(crate) fn content(result: &Value, is_error: bool) -> Value {
    assert_eq!(result["isError"], is_error, "{result}");
    let blocks = result["content"].as_array().unwrap();
    assert_eq!((blocks.len(), &blocks[0]["type"]), (1, &json!("text")), "{result}");
    let text: Value = serde_json::from_str(blocks[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    text
}

/// A tool's declaration.
pub(crate) fn declaration(tools: &Value, name: &str) -> Value {
    let tools = tools["tools"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone()
}

pub(crate) fn tools(server: &Server) -> Value {
    ask(server, "tools/list", json!({}))
}

#[track_caller]
pub(crate) fn assert_fits(schema: &Value, value: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    if let Err(error) = validator.validate(value) {
        panic!("{error} at {} of {value}", error.instance_path());
    }
}

#[test]
fn tools_are_declared_whole_and_in_order() {
    let server = Server::start(&[]);
    let tools = tools(&server);
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["verify_schema", "get_verification_record", "check_receipt"]);
    for name in names {
        let tool = declaration(&tools, name);
        assert!(tool["title"].is_string() && tool["description"].as_str().unwrap().len() > 200);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            jsonschema::meta::validate(&tool[schema]).unwrap();
        }
        let hints = &tool["annotations"];
        assert_eq!(
            (&hints["destructiveHint"], &hints["openWorldHint"]),
            (&json!(false), &json!(false))
        );
        let reads = name != "verify_schema";
        assert_eq!(
            (&hints["readOnlyHint"], &hints["idempotentHint"]),
            (&json!(reads), &json!(reads))
        );
    }
}

#[test]
fn the_example_in_each_description_works() {
    let server = Server::start(&[]);
    let tools = tools(&server);
    for tool in tools["tools"].as_array().unwrap() {
        let description = tool["description"].as_str().unwrap();
        let example = description.lines().find_map(|line| line.strip_prefix("Example: "));
        let example = example.unwrap_or_else(|| panic!("{description}"));
        let arguments: Value = serde_json::from_str(example).unwrap();
        assert_fits(&tool["inputSchema"], &arguments);
        let result = call(&server, tool["name"].as_str().unwrap(), example);
        assert_fits(&tool["outputSchema"], &content(&result, false));
    }
}

#[test]
fn a_fail_is_an_answer() {
    let server = Server::start(&[]);
    let arguments = request("test-a")
        .replace("42}", "42, \"x\": 1}")
        .replace(r#"{"required""#, r#"{"additionalProperties": {"const": 42}, "required""#);
    let result = content(&call(&server, "verify_schema", &arguments), false);
    assert_eq!((&result["result"], &result["hints_total"]), (&json!("fail"), &json!(1)));
    assert!(result["attestation"]["signature"].is_string());
}

#[test]
fn look_ups_give_what_was_recorded() {
    let server = Server::start(&[]);
    for _ in 0..2 {
        content(&call(&server, "verify_schema", &request("seller/7")), false);
    }
    let by_tool = call(&server, "get_verification_record", r#"{"agent_id": "seller/7"}"#);
    let by_tool = content(&by_tool, false);
    let by_rest = server.get("/score/seller%2F7").json();
    assert_eq!((&by_tool["verified"], &by_tool["trust_score"]), (&json!(2), &json!(1.0)));
    assert_eq!(by_tool["confidence_interval_95"][1], by_rest["confidence_interval_95"][1]);
    let nobody = call(&server, "get_verification_record", r#"{"agent_id": "nobody"}"#);
    assert_eq!(content(&nobody, false)["reason"], "no_data");
}

#[test]
fn bad_arguments_are_results_with_the_error_of_rest() {
    let server = Server::start(&[]);
    let tools = tools(&server);
    let output = declaration(&tools, "verify_schema")["outputSchema"].clone();
    for arguments in [
        "{}",
        "[1]",
        "\"text\"",
        r#"{"task_id": 7}"#,
        r#"{"task_id": "t", "expected_schema": {"type": "obj"}, "submitted_output": {}}"#,
        r#"{"task_id": "t", "expected_schema": {}, "submitted_output": 1, "rule": []}"#,
        // What programs commonly read without complaint.
        r#"{"task_id": "t", "expected_schema": {}, "submitted_output": {"a": 1, "a": 2}}"#,
        r#"{"task_id": "t", "expected_schema": {}, "submitted_output": 1e999}"#,
        r#"{"task_id": "t", "expected_schema": {}, "submitted_output": "\ud800"}"#,
    ] {
        let error = content(&call(&server, "verify_schema", arguments), true);
        let mut by_rest = server.post("/verify/schema", arguments);
        by_rest.error();
        assert_eq!(error, by_rest.json(), "{arguments}");
        by_rest.body.clear();
        assert_fits(&output, &error);
    }
    for (arguments, field) in [
        (r#"{"agent_id": 7}"#, "agent_id"),
        ("{}", "agent_id"),
        (r#"{"agent": "a"}"#, "agent"),
        ("7", "$"),
    ] {
        let error = content(&call(&server, "get_verification_record", arguments), true);
        assert_eq!((&error["code"], &error["status"]), (&json!("invalid_request"), &json!(422)));
        assert_eq!(error["fields"][0]["field"], field, "{error}");
        assert!(error["guidance"]["what_to_do"].is_string());
    }
    // A call without arguments is told what it lacks.
    let message =
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"verify_schema"}}"#;
    let error = content(&send(&server, message).json()["result"], true);
    assert_eq!(error["code"], "invalid_request");
}

#[test]
fn arguments_are_judged_as_they_are_spelt() {
    let server = Server::start(&[]);
    for output in [
        "18446744073709551616",
        "123456789012345678901234567890",
        "[1.0, -0.0, 1e2, 0.1, 333333333.33333329]",
        r#"{"b": 1, "a": "\u00e9\ud83d\ude00"}"#,
    ] {
        let text =
            format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#);
        let by_tool = content(&call(&server, "verify_schema", &text), false);
        let by_rest = server.post("/verify/schema", &text).json();
        for hash in ["output_hash", "request_hash"] {
            assert_eq!(by_tool[hash], by_rest[hash], "{output}");
        }
    }
    // More levels than the protocol's own messages can have.
    let deep = |levels: usize| {
        let output = "[".repeat(levels) + &"]".repeat(levels);
        format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#)
    };
    content(&call(&server, "verify_schema", &deep(127)), false);
    let error = content(&call(&server, "verify_schema", &deep(128)), true);
    assert_eq!(error["code"], "invalid_json");
}

#[test]
fn the_allowance_is_shared_with_rest() {
    let server = Server::start(&["--free-per-day", "2"]);
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    // What is invalid uses none of it.
    content(&call(&server, "verify_schema", "{}"), true);
    let last = call(&server, "verify_schema", &request("test-a"));
    content(&last, false);
    let balance = &last["_meta"]["free_allowance"];
    assert_eq!((&balance["limit"], &balance["remaining"]), (&json!(2), &json!(0)));
    assert!(balance["resets"].as_str().unwrap().ends_with("T00:00:00+00:00"));
    let refused = call(&server, "verify_schema", &request("test-a"));
    let error = content(&refused, true);
    assert_eq!((&error["code"], &error["status"]), (&json!("rate_limited"), &json!(429)));
    assert!(error["retry_after"].as_u64().is_some_and(|seconds| (1..=86_401).contains(&seconds)));
    assert_eq!(refused["_meta"]["free_allowance"]["remaining"], 0);
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 429);
    // Look-ups have none to use.
    content(&call(&server, "get_verification_record", r#"{"agent_id": "a"}"#), false);
}

#[test]
fn tools_and_methods_that_are_not_there() {
    let server = Server::start(&[]);
    let error = |message: &str, status: u16| {
        let answer = send(&server, message);
        assert_eq!(answer.status, status, "{answer:?}");
        let error = answer.json()["error"].clone();
        (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
    };
    let (code, message) = error(&call_text("verify_shema", "{}"), 200);
    assert_eq!(
        (code, message.as_str()),
        (-32602, "There is no tool \"verify_shema\". Did you mean verify_schema?")
    );
    let (code, message) = error(&call_text("\\u001b[31m", "{}"), 200);
    assert!(code == -32602 && message.contains("\\u001b[31m"), "{message}");
    let (code, _) = error(r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, 200);
    assert_eq!(code, -32601);
    let (code, _) = error(r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, 200);
    assert_eq!(code, -32601);
    let (code, message) =
        error(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}"#, 200);
    assert!(code == -32602 && message.contains("name"), "{message}");
}
