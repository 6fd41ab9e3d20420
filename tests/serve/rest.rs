//! Routes: what they answer, and how they refuse.

use agent_output_verifier::error::ErrorCode;
use serde_json::{Value, json};

use crate::common::{Sandbox, vector};
use crate::request;
use crate::server::Server;

#[test]
fn a_check_is_answered_with_a_receipt_that_verifies() {
    let server = Server::start(&["--issuer-name", "Acme checks"]);
    for path in ["/verify/schema", "/verify/deliverable"] {
        let text = request("test-a");
        let answer = server.post(path, &text);
        assert_eq!(answer.status, 200);
        let body = answer.json();
        assert_eq!(body["result"], "pass");
        let base = format!("http://{}", server.address);
        assert_eq!(body["verify"]["public_key_url"], format!("{base}/.well-known/agent-card.json"));
        assert_eq!(body["verify"]["mcp"], format!("{base}/mcp"));
        assert_eq!(body["verify"]["service"], "Acme checks");

        let card = server.get("/.well-known/agent-card.json");
        let folder = Sandbox::new()
            .with("card.json", &card.body)
            .with("receipt.json", &answer.body)
            .with("request.json", text);
        let args = ["check-receipt", "--agent-card", "card.json", "--request", "request.json"];
        let checked = folder.aov(&[&args[..], &["--recheck", "receipt.json"]].concat()).run();
        assert_eq!(checked.status, 0, "{}", checked.stdout);
    }
    assert_eq!(
        server.get("/.well-known/agent.json").body,
        server.get("/.well-known/agent-card.json").body
    );
}

#[test]
fn receipts_name_the_public_url() {
    let server = Server::start(&["--public-url", "https://verify.example/"]);
    let body = server.post("/verify/schema", request("test-a")).json();
    assert_eq!(
        body["verify"]["public_key_url"],
        "https://verify.example/.well-known/agent-card.json"
    );
    let card = server.get("/.well-known/agent-card.json").json();
    assert_eq!(card["url"], "https://verify.example");
}

#[test]
fn a_score_is_signed_and_counts_what_was_recorded() {
    let server = Server::start(&[]);
    for (path, total) in [("/verify/schema", "42"), ("/verify/deliverable", "{}")] {
        let text = request("seller 7/é").replace("42", total);
        assert_eq!(server.post(path, text).status, 200);
    }
    let failing = request("seller 7/é").replace("total\": 42", "sum\": 42");
    assert_eq!(server.post("/verify/schema", failing).json()["result"], "fail");

    let score = server.get("/score/seller%207%2F%C3%A9");
    let body = score.json();
    assert_eq!(body["agent_id"], "seller 7/é");
    assert_eq!(
        (&body["verified"], &body["passed"], &body["failed"]),
        (&json!(3), &json!(2), &json!(1))
    );
    assert_eq!(body["sample_size"], 3);
    assert_eq!(body["identity_verified"], false);
    assert_eq!(body["reason"], Value::Null);
    assert!((body["trust_score"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-5, "{body}");
    let interval = body["confidence_interval_95"].as_array().unwrap();
    assert!(interval[0].as_f64() < interval[1].as_f64());
    assert_eq!(body["scored_at"], body["attestation"]["timestamp"]);

    let folder = Sandbox::new()
        .with("card.json", &server.get("/.well-known/agent-card.json").body)
        .with("score.json", &score.body);
    let checked = folder.aov(&["check-receipt", "--agent-card", "card.json", "score.json"]).run();
    assert_eq!(checked.status, 0, "{}", checked.stdout);

    let reputation = server.get("/reputation/seller%207%2F%C3%A9").json();
    let members: Vec<&String> = reputation.as_object().unwrap().keys().collect();
    assert_eq!(members, ["agent_id", "failed", "first_seen", "last_seen", "passed", "verified"]);
    assert_eq!(reputation["first_seen"], body["first_seen"]);
}

#[test]
fn nothing_is_recorded_of_agents_for_trying_out() {
    let server = Server::start(&[]);
    for agent in ["test-seller", "seller"] {
        assert_eq!(server.post("/verify/schema", request(agent)).status, 200);
    }
    let none = json!({"agent_id": "test-seller", "verified": 0, "passed": 0, "failed": 0,
                      "first_seen": null, "last_seen": null});
    assert_eq!(server.get("/reputation/test-seller").json(), none);
    let score = server.get("/score/test-seller").json();
    assert_eq!((&score["reason"], &score["trust_score"]), (&json!("no_data"), &Value::Null));
    assert_eq!(score["confidence_interval_95"], Value::Null);
    assert_eq!(server.get("/reputation/seller").json()["verified"], 1);
}

#[test]
fn the_body_is_judged_as_it_was_sent() {
    let server = Server::start(&[]);
    let check = |output: &str| {
        let text =
            format!(r#"{{"task_id": "t", "expected_schema": true, "submitted_output": {output}}}"#);
        server.post("/verify/schema", text)
    };
    let twice = check(r#"{"a": 1, "a": 2}"#);
    assert_eq!((twice.status, twice.error().as_str()), (422, "invalid_json"));
    assert!(twice.json()["message"].as_str().unwrap().contains("line 1"), "{twice:?}");
    // Each digit counts.
    let hash = |output: &str| check(output).json()["output_hash"].clone();
    assert_ne!(hash("12345678901234567890123"), hash("12345678901234567890124"));
    assert_eq!(hash("1.0"), hash("1"));
}

#[test]
fn published_requests_have_their_published_hashes() {
    let server = Server::start(&[]);
    let cases: Value = serde_json::from_str(&vector("request_hash.json")).unwrap();
    for case in cases.as_array().unwrap().iter().filter(|case| case["request"].is_string()) {
        let answer = server.post("/verify/schema", case["request"].as_str().unwrap());
        let body = answer.json();
        for name in ["output_hash", "schema_hash", "rules_hash", "request_hash"] {
            // What a request with a refused schema or a compact one does not have is not compared.
            if answer.status == 200 && body.get(name).is_some() {
                assert_eq!(body[name], case[name], "{} {name}", case["name"]);
            }
        }
    }
}

#[test]
fn every_problem_is_named_and_nothing_is_repeated() {
    let server = Server::start(&[]);
    let answer = server.post(
        "/verify/schema",
        r#"{"task_id": "", "expected_schema": {"type": "SECRET"}, "submitted_output": 1,
            "rules": [{"type": "SECRET", "field": "a"}], "enforce_rules": "SECRET"}"#,
    );
    assert_eq!((answer.status, answer.error().as_str()), (422, "invalid_request"));
    let body = answer.json();
    let fields: Vec<&str> =
        body["fields"].as_array().unwrap().iter().filter_map(|f| f["field"].as_str()).collect();
    assert_eq!(fields.len(), 4, "{fields:?}");
    assert!(!answer.text().contains("SECRET"), "{}", answer.text());
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let server = Server::start(&[]);
    for body in ["", "  ", "{not json", "[1, 2]", "\"text\"", "null", "\u{feff}"] {
        let answer = server.post("/verify/schema", body);
        assert_eq!(answer.status, 422, "{body:?}");
        answer.error();
    }
    let answer = server.post("/verify/schema", b"\xff\xfe{}");
    assert_eq!((answer.status, answer.error().as_str()), (422, "invalid_json"));
    // Without a body there is no type to declare.
    let answer = server.request("POST", "/verify/schema", &[], b"");
    assert_eq!((answer.status, answer.error().as_str()), (422, "invalid_json"));
}

#[test]
fn an_undecided_check_is_no_verdict() {
    let server = Server::start(&["--free-per-day", "1"]);
    let text = format!(
        r#"{{"task_id": "t", "agent_id": "a",
             "expected_schema": {{"properties": {{"a": {{"pattern": "^(?!b)(a+)+\\1$"}}}}}},
             "submitted_output": {{"a": "{}b"}}}}"#,
        "a".repeat(40)
    );
    let answer = server.post("/verify/schema", text);
    assert_eq!((answer.status, answer.error().as_str()), (422, "check_undecided"));
    assert!(!answer.text().contains("attestation"));
    // It cost nothing, and nothing is recorded of it.
    assert_eq!(server.get("/reputation/a").json()["verified"], 0);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
}

#[test]
fn other_types_and_codings_are_refused() {
    let server = Server::start(&[]);
    let body = request("test-a");
    for headers in [&[][..], &[("Content-Type", "text/plain")]] {
        let answer = server.request("POST", "/verify/schema", headers, body.as_bytes());
        assert_eq!((answer.status, answer.error().as_str()), (415, "unsupported_media_type"));
    }
    for coding in ["gzip", "x-gzip", "br", "zstd", "deflate", "compress", "identity, gzip", "?"] {
        let headers = [("Content-Type", "application/json"), ("Content-Encoding", coding)];
        for route in ["/verify/schema", "/receipt/check"] {
            let answer = server.request("POST", route, &headers, body.as_bytes());
            assert_eq!((answer.status, answer.error().as_str()), (415, "unsupported_media_type"));
            assert!(answer.text().contains("The body is compressed"), "{coding}");
        }
    }
}

#[test]
fn unknown_routes_and_methods_have_the_same_shape() {
    let server = Server::start(&[]);
    let answer = server.get("/no/such/route");
    assert_eq!((answer.status, answer.error().as_str()), (404, "not_found"));
    let answer = server.get("/verify/schema");
    assert_eq!((answer.status, answer.error().as_str()), (405, "method_not_allowed"));
    assert_eq!(answer.header("allow"), Some("POST"));
    let answer = server.request("DELETE", "/score/a", &[], b"");
    assert_eq!(answer.status, 405);
    assert!(answer.header("allow").is_some_and(|allow| allow.contains("GET")));
}

#[test]
fn ids_in_paths_have_their_limits() {
    let server = Server::start(&[]);
    let fits = "%C3%A9".repeat(200);
    assert_eq!(server.get(&format!("/score/{fits}")).status, 200);
    for path in [format!("/score/{fits}a"), format!("/reputation/{}", "a".repeat(201))] {
        let answer = server.get(&path);
        assert_eq!((answer.status, answer.error().as_str()), (422, "invalid_request"));
        assert_eq!(answer.json()["fields"][0]["field"], "agent_id");
    }
    assert_eq!(server.get("/score/%ff").error(), "invalid_request");
}

#[test]
fn health_names_the_version() {
    let server = Server::start(&[]);
    let body = server.get("/health").json();
    assert_eq!(body["status"], "ok");
    assert!(body["version"].as_str().unwrap().starts_with("aov-"));
}

#[test]
fn the_page_lists_the_codes_that_there_are() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/serve.md");
    let page = std::fs::read_to_string(page).unwrap();
    let listed =
        page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 4);
    let listed: Vec<&str> =
        listed.filter(|line| line.contains("` | 4") || line.contains("` | 5")).collect();
    let known = ErrorCode::ALL
        .iter()
        .filter_map(|code| Some(format!("| `{}` | {} | {} |", code.code, code.status?, code.when)));
    assert_eq!(listed, known.collect::<Vec<String>>());
}
