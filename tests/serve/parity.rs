//! The same request comes to the same report by whatever way it is made.

use serde_json::Value;

use crate::common::{Sandbox, vector};
use crate::mcp::{assert_fits, call, content, declaration, tools};
use crate::mcp_stdio::Process;
use crate::server::Server;

/// A response without what differs from one check to the next.
fn comparable(mut response: Value) -> Value {
    let members = response.as_object_mut().unwrap();
    for name in ["verification_id", "verified_at", "verify", "attestation"] {
        members.remove(name);
    }
    response
}

#[test]
fn the_command_rest_and_mcp_say_the_same() {
    let server = Server::start(&[]);
    let mut process = Process::start(&[]);
    let declared = declaration(&tools(&server), "verify_schema")["outputSchema"].clone();
    let cases: Value = serde_json::from_str(&vector("checks.json")).unwrap();
    let requests: Vec<&str> =
        cases.as_array().unwrap().iter().filter_map(|case| case["request"].as_str()).collect();
    assert!(requests.len() > 50);
    let mut folder = Sandbox::new();
    for (number, request) in requests.iter().enumerate() {
        folder = folder.with(&format!("{number:04}.json"), request);
    }
    let run = folder.aov(&["verify", "--requests", "--format", "ndjson", "."]).run();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), requests.len());
    for (request, line) in requests.into_iter().zip(lines) {
        let by_command: Value = serde_json::from_str(line).unwrap();
        let answer = server.post("/verify/schema", request);
        let by_rest = answer.json();
        let is_error = answer.status != 200;
        let by_tool = content(&call(&server, "verify_schema", request), is_error);
        assert_fits(&declared, &by_tool);
        // A message is one line there, which moves the places in what is no JSON.
        let by_stream = request.lines().count() < 2;
        let by_stream = by_stream.then(|| process.call("verify_schema", request, is_error));
        if !is_error {
            let by_command = comparable(by_command);
            assert_eq!(comparable(by_rest), by_command, "{request}");
            assert_eq!(comparable(by_tool), by_command, "{request}");
            assert!(by_stream.is_none_or(|other| comparable(other) == by_command), "{request}");
        } else {
            assert_eq!(by_tool, by_rest, "{request}");
            assert!(by_stream.is_none_or(|other| other == by_rest), "{request}");
            let error = &by_command["error"];
            for name in ["code", "message", "fields", "next_actions", "status"] {
                assert_eq!(by_rest[name], error[name], "{request}");
            }
        }
    }
}
