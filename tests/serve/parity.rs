//! The same request comes to the same report by whatever way it is made.

use serde_json::Value;

use crate::common::{Sandbox, vector};
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
fn the_command_and_rest_say_the_same() {
    let server = Server::start(&[]);
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
        if answer.status == 200 {
            assert_eq!(comparable(by_rest), comparable(by_command), "{request}");
        } else {
            let error = &by_command["error"];
            for name in ["code", "message", "fields", "next_actions", "status"] {
                assert_eq!(by_rest[name], error[name], "{request}");
            }
        }
    }
}
