//! What the server says of itself: every document agrees with the others, with the settings, and
//! with what is answered.

use std::collections::BTreeSet;

use agent_output_verifier::error::{ErrorCode, PaymentErrorCode};
use serde_json::{Value, json};

use crate::common::{Sandbox, vector};
use crate::facilitator::Facilitator;
use crate::mcp::{declaration, tools};
use crate::payments::charging;
use crate::request;
use crate::server::{Answer, Server};

/// All that tells of the server, save the page.
const DOCUMENTS: [&str; 8] = [
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/.well-known/agent-card.json",
    "/.well-known/agent.json",
    "/.well-known/api-catalog",
    "/.well-known/x402",
    "/",
];

fn read(server: &Server, path: &str) -> Answer {
    let answer = server.request("GET", path, &[("Accept", "application/json")], b"");
    assert_eq!(answer.status, 200, "{path}");
    answer
}

/// Every address in a text that begins with one.
fn addresses(text: &str, base: &str) -> BTreeSet<String> {
    let ends = |c: char| c.is_whitespace() || "\"<>)|,`\\".contains(c);
    let parts = text.split(base).skip(1);
    parts
        .map(|part| part.split(ends).next().unwrap().trim_end_matches(['.', ':']).to_owned())
        .collect()
}

/// Method and path of each route in a document.
fn routes_of_index(index: &Value) -> BTreeSet<(String, String)> {
    let routes = index["routes"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    routes.map(|route| (text(&route["method"]), text(&route["path"]))).collect()
}

fn routes_of_openapi(openapi: &Value) -> BTreeSet<(String, String)> {
    let paths = openapi["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone()))
    });
    operations.collect()
}

#[test]
fn whatever_is_named_is_there_and_the_other_way_round() {
    for args in [&[][..], &["--metrics"]] {
        let server = Server::start(args);
        let index = read(&server, "/").json();
        let mut named = routes_of_index(&index);
        assert_eq!(named.contains(&("GET".into(), "/metrics".into())), !args.is_empty());
        for (method, path) in &named {
            let answer = if path == "/mcp" {
                // Only messages are answered there.
                assert_eq!(server.get(path).status, 405);
                continue;
            } else if method == "GET" {
                server.get(&path.replace("{agent_id}", "seller"))
            } else {
                // A document would not say what is wrong with it.
                let answer = server.post(path, "{}");
                assert_eq!(answer.error(), "invalid_request", "{path}");
                continue;
            };
            assert_eq!(answer.status, 200, "{path}");
        }
        let full = read(&server, "/llms-full.txt");
        for (method, path) in named.iter().filter(|(_, path)| path != "/") {
            let title = if method == "GET" && !path.contains('{') {
                format!("- [{path}]")
            } else {
                format!("- [{method} {path}]")
            };
            assert!(full.text().contains(&title), "{title}");
        }
        // The description of MCP is its own.
        named.remove(&("POST".to_owned(), "/mcp".to_owned()));
        assert_eq!(routes_of_openapi(&read(&server, "/openapi.json").json()), named);

        let base = format!("http://{}", server.address);
        for document in DOCUMENTS {
            let text = read(&server, document);
            for path in addresses(text.text(), &base) {
                let status = server.get(&path.replace("{agent_id}", "seller")).status;
                let answers = if path.starts_with("/verify")
                    || path.starts_with("/receipt")
                    || path == "/mcp"
                {
                    405
                } else {
                    200
                };
                // An address without a path is the whole server's.
                assert!(path.is_empty() || status == answers, "{document}: {path}: {status}");
            }
        }
    }
}

#[test]
fn documents_have_their_types_and_name_the_catalog() {
    let server = Server::start(&[]);
    for (path, media_type) in [
        ("/openapi.json", "application/json"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/llms-full.txt", "text/plain; charset=utf-8"),
        ("/.well-known/agent-card.json", "application/json"),
        ("/.well-known/x402", "application/json"),
        (
            "/.well-known/api-catalog",
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
        ),
        ("/docs", "text/html; charset=utf-8"),
        ("/page/page.js", "text/javascript; charset=utf-8"),
        ("/page/page.css", "text/css; charset=utf-8"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ] {
        let answer = server.get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(media_type)),
            "{path}"
        );
    }
    let link = format!("<http://{}/.well-known/api-catalog>; rel=\"api-catalog\"", server.address);
    let link = Some(link.as_str());
    assert_eq!(server.get("/.well-known/api-catalog").header("link"), link);
    assert_eq!(server.get("/").header("link"), link);
    let mut connection = server.connect();
    let head =
        format!("HEAD /.well-known/api-catalog HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    connection.send(head);
    assert_eq!(connection.head().header("link"), link);

    let catalog = server.get("/.well-known/api-catalog").json();
    let base = format!("http://{}", server.address);
    let contexts = catalog["linkset"].as_array().unwrap();
    assert_eq!(contexts[0]["anchor"], format!("{base}/.well-known/api-catalog"));
    assert_eq!(contexts[0]["item"][0]["href"], format!("{base}/"));
    let rest = contexts.iter().find(|context| context["anchor"] == format!("{base}/")).unwrap();
    for (relation, path) in [
        ("service-desc", "/openapi.json"),
        ("service-doc", "/docs"),
        ("service-meta", "/.well-known/agent-card.json"),
        ("status", "/health"),
    ] {
        assert_eq!(rest[relation][0]["href"], format!("{base}{path}"));
    }
}

#[test]
fn people_get_the_page_and_programs_the_index() {
    let server = Server::start(&["--issuer-name", "Acme checks"]);
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (accept, media_type) in [
        (browser, "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
        ("application/json", "application/json"),
        ("application/json, text/plain, */*", "application/json"),
        ("text/html;q=0.5, application/json", "application/json"),
    ] {
        let answer = server.request("GET", "/", &[("Accept", accept)], b"");
        assert_eq!(answer.header("content-type"), Some(media_type), "{accept}");
        assert_eq!(answer.header("vary"), Some("Accept"));
    }
    let index = read(&server, "/").json();
    assert_eq!(index["name"], "Acme checks");
    assert_eq!(index["free_allowance"]["checks_per_client_and_day"], Value::Null);
    let tools: Vec<Value> = tools(&server)["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(index["mcp"]["tools"], json!(tools));
    // Nothing may run or load but what is the server's.
    for path in ["/", "/docs"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(
            !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        let page = answer.text();
        assert!(!page.contains("://"), "{path}");
        for inline in ["<style", "style=", "onclick", "onload", "<script>"] {
            assert!(!page.contains(inline), "{path}: {inline}");
        }
    }
}

#[test]
fn every_error_is_explained() {
    let server = Server::start(&[]);
    let llms = server.get("/llms.txt");
    let openapi = server.get("/openapi.json").json();
    let description = openapi["info"]["description"].as_str().unwrap();
    for section in ["## Free allowance", "## Errors", "## Payment errors"] {
        assert!(llms.text().contains(&format!("\n{section}\n")), "{section}");
    }
    for code in ErrorCode::ALL.iter().filter(|code| code.status.is_some()) {
        let row = format!("| `{}` | {} |", code.code, code.status.unwrap());
        // Without an allowance and without payments, nobody meets these.
        let off = [ErrorCode::RATE_LIMITED, ErrorCode::FACILITATOR_UNAVAILABLE].contains(code);
        for text in [llms.text(), description] {
            assert_eq!(text.contains(&row), !off, "{row}");
        }
    }
    let row = format!("| `{}` | 429 |", ErrorCode::RATE_LIMITED.code);
    let limited = Server::start(&["--free-per-day", "7"]);
    assert!(limited.get("/llms.txt").text().contains(&row));
    for path in ["/verify/schema", "/verify/deliverable", "/receipt/check"] {
        let responses = &openapi["paths"][path]["post"]["responses"];
        for status in ["200", "403", "408", "413", "415", "422", "500", "503"] {
            let described = &responses[status]["content"]["application/json"];
            assert!(described.is_object(), "{path}: {status}");
        }
    }
}

#[test]
fn the_allowance_and_the_limit_are_those_of_the_settings() {
    let server = Server::start(&["--free-per-day", "7", "--max-body", "4321"]);
    let openapi = server.get("/openapi.json").json();
    for (path, path_item) in openapi["paths"].as_object().unwrap() {
        let limited = path.starts_with("/verify") || path == "/receipt/check";
        let operation = path_item.as_object().unwrap().values().next().unwrap();
        assert_eq!(operation["responses"].get("429").is_some(), limited, "{path}");
        assert!(operation["responses"].get("402").is_none(), "{path}");
    }
    let index = read(&server, "/").json();
    assert_eq!(index["free_allowance"]["checks_per_client_and_day"], 7);
    assert_eq!(index["max_body_bytes"], 4321);
    let sentence = "7 checks a client address and UTC day are free, over all routes together.";
    let description = openapi["info"]["description"].as_str().unwrap();
    let llms = server.get("/llms.txt");
    for text in [index["free_allowance"]["description"].as_str().unwrap(), description, llms.text()]
    {
        assert!(text.contains(sentence), "{text}");
    }
    assert!(llms.text().contains("- Free checks a client and day: 7,"));
    assert!(llms.text().contains("A body may have 4321 bytes."));
    let card = server.get("/.well-known/agent-card.json").json();
    let extensions = card["capabilities"]["extensions"].as_array().unwrap();
    let mcp = extensions.iter().find(|e| e["uri"].as_str().unwrap().contains(":mcp:")).unwrap();
    let trial = &mcp["params"]["tools"][0]["access"]["freeTrial"];
    assert_eq!(
        (&trial["callsPerClientPerDay"], &trial["maxInputBytes"]),
        (&json!(7), &json!(4321))
    );
    // What is told is what is done.
    let answer = server.post("/verify/schema", request("test-a"));
    assert_eq!(answer.header("free-allowance-limit"), Some("7"));
    assert_eq!(server.post("/verify/schema", " ".repeat(4322)).status, 413);

    let none = Server::start(&["--free-per-day", "0"]);
    let index = read(&none, "/").json();
    assert_eq!(index["free_allowance"]["description"], "No check is free.");
    let open = Server::start(&[]);
    assert!(!open.get("/openapi.json").text().contains("\"429\""));
    assert!(open.get("/llms.txt").text().contains("Checks are free, without a limit."));
}

#[test]
fn prices_are_told_where_there_are_prices_only() {
    let free = Server::start(&[]);
    for document in DOCUMENTS {
        let text = read(&free, document);
        for part in ["eip155", "Payment-Signature", "invalid_x402_version", "$0."] {
            assert!(!text.text().contains(part), "{document}: {part}");
        }
    }
    assert!(free.get("/llms.txt").text().contains("None: this server takes no payments"));

    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let args = charging(&url, &["--price", "0.05", "--score-price", "0.03", "--free-per-day", "9"]);
    let server = Server::start(&args);
    let llms = server.get("/llms.txt");
    for part in [
        "9 checks a client address and UTC day are free",
        "| `POST /verify/schema` | $0.05 | Base |",
        "| `POST /verify/deliverable` | $0.05 | Base |",
        "| `GET /score/{agent_id}` | $0.03 | Base |",
    ] {
        assert!(llms.text().contains(part), "{part}: {}", llms.text());
    }
    let unavailable = format!("| `{}` | 503 |", ErrorCode::FACILITATOR_UNAVAILABLE.code);
    assert!(llms.text().contains(&unavailable));
    for code in PaymentErrorCode::ALL {
        assert!(llms.text().contains(&format!("| `{}` |", code.code)), "{}", code.code);
    }
    let openapi = server.get("/openapi.json").json();
    for (path, path_item) in openapi["paths"].as_object().unwrap() {
        let has_price = path.starts_with("/verify") || path.starts_with("/score");
        let operation = path_item.as_object().unwrap().values().next().unwrap();
        assert_eq!(operation["responses"].get("402").is_some(), has_price, "{path}");
    }
    let manifest = server.get("/.well-known/x402").json();
    let resources = manifest["resources"].as_array().unwrap().iter();
    let prices: Vec<(&str, &str)> = resources
        .map(|resource| (resource["method"].as_str().unwrap(), resource["price"].as_str().unwrap()))
        .collect();
    assert_eq!(prices, [("POST", "$0.05"), ("POST", "$0.05"), ("GET", "$0.03")]);
    assert!(read(&server, "/").json()["price"].as_str().unwrap().contains("$0.05"));
    // An answer that asks for payment fits what is said of it.
    let asked = server.post("/verify/schema", "");
    assert_eq!(asked.status, 402);
    assert_answer_fits(&openapi, "/verify/schema", "post", &asked);
}

#[test]
fn documents_name_the_public_url_and_no_other() {
    let server = Server::start(&["--public-url", "https://verify.example/api"]);
    for document in DOCUMENTS {
        let text = read(&server, document);
        assert!(!text.text().contains(&server.address.to_string()), "{document}");
        assert_eq!(
            text.text().contains("https://verify.example/api"),
            document != "/.well-known/x402"
        );
    }
    let openapi = server.get("/openapi.json").json();
    assert_eq!(openapi["servers"], json!([{"url": "https://verify.example/api"}]));
    let link = "<https://verify.example/api/.well-known/api-catalog>; rel=\"api-catalog\"";
    assert_eq!(server.get("/").header("link"), Some(link));
}

#[test]
fn near_misses_are_told_the_way() {
    let server = Server::start(&[]);
    let index = read(&server, "/").json();
    let there = routes_of_index(&index).into_iter().map(|(_, path)| path);
    let plain = there.filter(|path| path != "/" && !path.contains('{'));
    for path in plain.chain(["/page/page.css".to_owned()]) {
        for method in ["GET", "HEAD", "POST"] {
            let (last, there) = (path.rsplit('/').next().unwrap(), format!("{path}/"));
            let mut connection = server.connect();
            connection.send(format!(
                "{method} {there} HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n\r\n",
                server.address
            ));
            let answer = connection.head();
            assert_eq!(answer.status, 308, "{method} {there}");
            assert_eq!(answer.header("location"), Some(&*format!("../{last}")), "{there}");
        }
    }
    let icon = server.get("/favicon.ico");
    assert_eq!((icon.status, icon.header("location")), (308, Some("page/icon.svg")));
    assert_eq!(server.get("/page/icon.svg").header("content-type"), Some("image/svg+xml"));
    // What is nowhere stays so, and nobody is sent to another host.
    for path in ["//docs/", "/docs//", "//verify.example/", "/page/", "/score/", "/score/a/", "/x/"]
    {
        assert_eq!(server.get(path).error(), "not_found", "{path}");
    }
}

/// Every document answers to `HEAD` as to `GET`, without the body.
#[test]
fn documents_can_be_asked_for_their_heads() {
    let server = Server::start(&[]);
    for path in DOCUMENTS.into_iter().chain(["/docs", "/page/page.js", "/health"]) {
        let answer = server.request("GET", path, &[], b"");
        let mut connection = server.connect();
        connection.send(format!("HEAD {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
        let head = connection.head();
        assert_eq!(head.status, 200, "{path}");
        for name in ["content-type", "content-length", "content-security-policy"] {
            assert_eq!(head.header(name), answer.header(name), "{path}: {name}");
        }
    }
}

#[test]
fn worked_examples_were_worked_here_and_counted_nowhere() {
    let server = Server::start(&["--metrics", "--free-per-day", "1"]);
    let full = server.get("/llms-full.txt");
    let (_, examples) = full.text().split_once("\n## Worked examples\n").unwrap();
    let blocks: Vec<&str> = examples
        .split("```json\n")
        .skip(1)
        .map(|part| part.split("\n```").next().unwrap())
        .collect();
    assert_eq!(blocks.len(), 6);
    let card = server.get("/.well-known/agent-card.json");
    for (pair, expected) in blocks.chunks_exact(2).zip(["fail", "pass", "refused"]) {
        let answer: Value = serde_json::from_str(pair[1]).unwrap();
        if expected == "refused" {
            assert_eq!(answer["code"], "invalid_request");
            assert_eq!(answer["fields"][0]["field"], "rules[0].type");
            continue;
        }
        assert_eq!(answer["result"], expected);
        // The members stand in the order in which they are sent.
        assert!(pair[1].starts_with("{\n  \"summary\": {\n    \"result\""), "{}", pair[1]);
        let folder = Sandbox::new()
            .with("card.json", &card.body)
            .with("receipt.json", pair[1])
            .with("request.json", pair[0]);
        let args = ["check-receipt", "--agent-card", "card.json", "--request", "request.json"];
        let run = folder.aov(&[&args[..], &["--recheck", "receipt.json"]].concat()).run();
        assert_eq!(run.status, 0, "{}", run.stdout);
    }
    assert!(!server.get("/metrics").text().contains("aov_checks_total{"));
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    assert!(server.get("/metrics").text().contains("aov_checks_total{result=\"pass\"} 1"));
}

/// Holds an answer against what OpenAPI says of its route and status.
#[track_caller]
fn assert_answer_fits(openapi: &Value, path: &str, method: &str, answer: &Answer) {
    let response = &openapi["paths"][path][method]["responses"][answer.status.to_string()];
    let schema = &response["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{path}: {} is not described", answer.status);
    assert_fits(openapi, schema, &answer.json());
}

#[track_caller]
fn assert_fits(openapi: &Value, schema: &Value, value: &Value) {
    let whole = json!({"components": openapi["components"], "allOf": [schema]});
    crate::mcp::assert_fits(&whole, value);
}

#[test]
fn answers_fit_their_description() {
    let server = Server::start(&["--free-per-day", "1000"]);
    let openapi = server.get("/openapi.json").json();
    let cases: Value = serde_json::from_str(&vector("checks.json")).unwrap();
    let request_schema = &openapi["components"]["schemas"]["CheckRequest"];
    let mut statuses = BTreeSet::new();
    for case in cases.as_array().unwrap() {
        let Some(text) = case["request"].as_str() else { continue };
        let answer = server.post("/verify/schema", text);
        assert_answer_fits(&openapi, "/verify/schema", "post", &answer);
        if answer.status == 200 {
            assert_fits(&openapi, request_schema, &serde_json::from_str(text).unwrap());
        }
        statuses.insert(answer.status);
    }
    assert!(statuses.contains(&200) && statuses.contains(&422));
    let compact = request("seller").replace("\"task_id\"", "\"detail\": \"compact\", \"task_id\"");
    assert_answer_fits(&openapi, "/verify/schema", "post", &server.post("/verify/schema", compact));
    // The full answer has all that only the full answer has.
    let full = server.post("/verify/schema", request("seller")).json();
    let mut broken = full.clone();
    broken.as_object_mut().unwrap().remove("hints");
    let whole = json!({"components": openapi["components"],
                       "$ref": "#/components/schemas/CheckResponse"});
    assert!(jsonschema::is_valid(&whole, &full) && !jsonschema::is_valid(&whole, &broken));

    for (route, path) in [
        ("/score/{agent_id}", "/score/seller"),
        ("/score/{agent_id}", "/score/nobody"),
        ("/reputation/{agent_id}", "/reputation/seller"),
        ("/reputation/{agent_id}", "/reputation/nobody"),
        ("/health", "/health"),
    ] {
        assert_answer_fits(&openapi, route, "get", &server.get(path));
    }
    let receipt = server.post("/verify/schema", request("test-a"));
    let score = server.get("/score/seller");
    for receipt in [receipt.text(), score.text(), "{}"] {
        let checked = server.post("/receipt/check", format!("{{\"receipt\": {receipt}}}"));
        assert_answer_fits(&openapi, "/receipt/check", "post", &checked);
    }
    assert_answer_fits(&openapi, "/receipt/check", "post", &server.post("/receipt/check", "{}"));
}

#[test]
fn what_is_taken_is_described_alike_everywhere() {
    let server = Server::start(&[]);
    let openapi = server.get("/openapi.json").json();
    let tools = tools(&server);
    for (schema, tool) in
        [("CheckRequest", "verify_schema"), ("ReceiptCheckRequest", "check_receipt")]
    {
        let described = &openapi["components"]["schemas"][schema];
        let input = &declaration(&tools, tool)["inputSchema"];
        let names = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(described), names(input));
        assert_eq!(described["required"], input["required"]);
        // What one tells to leave out, the other lets be null; the server takes both.
        let mut nulls = json!({"receipt": {}, "task_id": "t", "expected_schema": true,
                               "submitted_output": null});
        nulls
            .as_object_mut()
            .unwrap()
            .retain(|name, _| described["properties"].get(name).is_some());
        for (name, property) in described["properties"].as_object().unwrap() {
            let nullable = property["type"].as_array().is_some_and(|t| t.contains(&json!("null")));
            if nullable && nulls.get(name).is_none() {
                nulls[name] = Value::Null;
            }
        }
        let path = if tool == "verify_schema" { "/verify/schema" } else { "/receipt/check" };
        assert_eq!(server.post(path, nulls.to_string()).status, 200, "{nulls}");
        assert_fits(&openapi, described, &nulls);
    }
}

#[test]
fn the_receipt_route_refuses_as_the_others_do() {
    let server = Server::start(&["--max-body", "2000", "--free-per-day", "0"]);
    let receipt = r#"{"receipt": {}}"#;
    let checked = server.post("/receipt/check", receipt);
    assert_eq!((checked.status, &checked.json()["verdict"]), (200, &json!("invalid")));
    assert_eq!(server.get("/receipt/check").error(), "method_not_allowed");
    let typed = server.request(
        "POST",
        "/receipt/check",
        &[("Content-Type", "text/plain")],
        receipt.as_bytes(),
    );
    assert_eq!(typed.error(), "unsupported_media_type");
    assert_eq!(server.post("/receipt/check", "").error(), "invalid_json");
    assert_eq!(
        server.post("/receipt/check", r#"{"receipt": {"a": 1, "a": 2}}"#).error(),
        "invalid_json"
    );
    assert_eq!(server.post("/receipt/check", " ".repeat(2001)).error(), "request_too_large");
    let refused = server.post("/receipt/check", r#"{"receipt": 1, "now": 2}"#);
    assert_eq!(refused.error(), "invalid_request");
    assert_eq!(refused.json()["fields"].as_array().unwrap().len(), 2);
    // Only to make the checks again is a check.
    let again = server.post("/receipt/check", r#"{"receipt": {}, "recheck": true}"#);
    assert_eq!((again.status, again.error().as_str()), (429, "rate_limited"));
}
