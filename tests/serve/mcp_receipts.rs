//! MCP: the tool that checks receipts.

use serde_json::{Value, json};

use crate::common::{Aov, Sandbox, vector};
use crate::mcp::{assert_fits, call, content, declaration, tools};
use crate::request;
use crate::server::Server;

const NAME: &str = "receipts/invoice-7731-final";

#[track_caller]
fn check(server: &Server, arguments: &Value) -> Value {
    content(&call(server, "check_receipt", &arguments.to_string()), false)
}

fn step<'c>(checked: &'c Value, name: &str) -> &'c Value {
    let steps = checked["steps"].as_array().unwrap();
    steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("no {name}: {checked}"))
}

fn read(name: &str) -> Value {
    serde_json::from_str(&vector(name)).unwrap()
}

#[test]
fn it_says_what_the_command_says() {
    let server = Server::start(&[]);
    let output = declaration(&tools(&server), "check_receipt")["outputSchema"].clone();
    let (receipt, request) =
        (vector(&format!("{NAME}.receipt.json")), vector(&format!("{NAME}.request.json")));
    let card = vector("receipts/agent-card.json");
    let forged = receipt.replace("invoice-7731-final", "invoice-7731-other");
    let folder = Sandbox::new().with("request.json", &request).with("card.json", &card);
    let folder = folder.with("receipt.json", &receipt).with("forged.json", &forged);
    for (file, text) in [("receipt.json", &receipt), ("forged.json", &forged)] {
        for (options, fields) in [
            (&[][..], String::new()),
            (&["--issuer", "verify.sarnai.dev"], r#", "issuers": ["verify.sarnai.dev"]"#.into()),
            (&["--issuer", "evil.example"], r#", "issuers": ["evil.example"]"#.into()),
            (&["--agent-card", "card.json"], format!(r#", "agent_card": {card}"#)),
            (&["--request", "request.json", "--recheck"], format!(r#", "request": {request}, "recheck": true"#)),
            (&["--require", "all"], r#", "require": ["all"]"#.into()),
            (
                &["--public-key", "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=", "--key-version", "v2"],
                r#", "public_key": "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=", "key_version": "v2""#.into(),
            ),
        ] {
            let run = folder.aov(&[&["check-receipt", "--format", "ndjson"], options, &[file]].concat()).run();
            let mut by_command: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(by_command.as_object_mut().unwrap().remove("input"), Some(json!(file)));
            let arguments = format!(r#"{{"receipt": {text}{fields}}}"#);
            let mut by_tool = content(&call(&server, "check_receipt", &arguments), false);
            let mut by_rest = server.post("/receipt/check", &arguments).json();
            assert_fits(&output, &by_tool);
            // The reasons name options in one place and fields in the other.
            for checked in [&mut by_command, &mut by_tool, &mut by_rest] {
                for step in checked["steps"].as_array_mut().unwrap() {
                    step.as_object_mut().unwrap().remove("detail");
                }
            }
            assert_eq!(by_tool, by_command, "{options:?}");
            assert_eq!(by_rest, by_command, "{options:?}");
        }
    }
}

#[test]
fn reasons_speak_of_arguments_and_not_of_options() {
    let server = Server::start(&[]);
    let folder = Sandbox::new();
    folder
        .aov(&["keygen", "-o", "key.json", "--public-key-url", "https://acme.example/card"])
        .run();
    let folder = folder.with("request.json", request("a"));
    let receipt = folder.aov(&["attest", "--key", "key.json", "--request", "request.json"]).run();
    let receipt: Value = serde_json::from_str(&receipt.stdout).unwrap();
    let checked = check(&server, &json!({"receipt": receipt}));
    assert_eq!(checked["verdict"], "undecided");
    assert!(!checked.to_string().contains("--"), "{checked}");
    let reason = step(&checked, "key")["detail"].as_str().unwrap();
    assert!(
        reason.contains("https://acme.example/card") && reason.contains("`agent_card`"),
        "{reason}"
    );
    let reason = step(&checked, "issuer")["detail"].as_str().unwrap();
    assert!(reason.contains("`issuers` acme.example"), "{reason}");
    assert_eq!(step(&checked, "output_hash")["detail"], "not given; `request` gives it");
    let card = Aov::new(&["agent-card", "--key", folder.path("key.json").to_str().unwrap()]).run();
    let card: Value = serde_json::from_str(&card.stdout).unwrap();
    let checked = check(&server, &json!({"receipt": receipt, "agent_card": card}));
    assert_eq!((&checked["verdict"], &checked["result"]), (&json!("valid"), &json!("pass")));
}

#[test]
fn receipts_of_the_server_itself_need_only_its_name() {
    let server = Server::start(&[]);
    let receipt = content(&call(&server, "verify_schema", &request("test-a")), false);
    let checked = check(&server, &json!({"receipt": receipt}));
    // Whoever runs a server can sign what they like: whose word counts is for the caller to say.
    assert_eq!(checked["verdict"], "undecided");
    assert_eq!(step(&checked, "signature")["status"], "passed");
    let mut arguments = json!({
        "receipt": receipt, "issuers": [server.address.to_string()],
        "request": serde_json::from_str::<Value>(&request("test-a")).unwrap(), "recheck": true,
    });
    let checked = check(&server, &arguments);
    assert_eq!(
        (&checked["verdict"], &checked["result"]),
        (&json!("valid"), &json!("pass")),
        "{checked}"
    );
    assert!(checked["steps"].as_array().unwrap().iter().all(|step| step["status"] == "passed"));
    arguments["request"]["submitted_output"]["total"] = json!(43);
    assert_eq!(check(&server, &arguments)["verdict"], "invalid");
    let score = content(&call(&server, "get_verification_record", r#"{"agent_id": "a"}"#), false);
    let issuers = json!([server.address.to_string()]);
    let checked = check(&server, &json!({"receipt": score, "issuers": issuers}));
    assert_eq!(checked["verdict"], "valid");
}

#[test]
fn bad_arguments_are_told_apart_from_bad_receipts() {
    let server = Server::start(&[]);
    let output = declaration(&tools(&server), "check_receipt")["outputSchema"].clone();
    for (arguments, field) in [
        ("{}", "receipt"),
        (r#"{"receipt": "{}"}"#, "receipt"),
        (r#"{"receipt": {}, "agent_card": {}}"#, "agent_card"),
        (r#"{"receipt": {}, "issuers": ["a b"]}"#, "issuers[0]"),
        (r#"{"receipt": {}, "fetch": true}"#, "fetch"),
    ] {
        let error = content(&call(&server, "check_receipt", arguments), true);
        assert_eq!(error["fields"][0]["field"], field, "{error}");
        assert_fits(&output, &error);
    }
    let twice = content(&call(&server, "check_receipt", r#"{"receipt": {"a": 1, "a": 1}}"#), true);
    assert_eq!(twice["code"], "invalid_json");
    let checked = check(&server, &json!({"receipt": {}}));
    assert_eq!(
        (&checked["verdict"], &step(&checked, "shape")["status"]),
        (&json!("invalid"), &json!("failed"))
    );
}

#[test]
fn only_a_recheck_uses_the_allowance() {
    let server = Server::start(&["--free-per-day", "1"]);
    let mut arguments = json!({
        "receipt": read(&format!("{NAME}.receipt.json")),
        "request": read(&format!("{NAME}.request.json")),
    });
    for _ in 0..3 {
        assert_eq!(check(&server, &arguments)["verdict"], "valid");
    }
    arguments["recheck"] = json!(true);
    assert_eq!(step(&check(&server, &arguments), "recheck")["status"], "passed");
    let error = content(&call(&server, "check_receipt", &arguments.to_string()), true);
    assert_eq!(error["code"], "rate_limited");
}
