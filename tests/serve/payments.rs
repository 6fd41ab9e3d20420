//! What is asked to be paid, when, and how it is said.

use agent_output_verifier::error::PaymentErrorCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::facilitator::{FEE_PAYER, Facilitator, SOLANA};
use crate::mcp::{call, content};
use crate::request;
use crate::server::{Answer, Server};

pub(crate) const ADDRESS: &str = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/// Arguments that turn payments on, before others.
pub(crate) fn charging<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    const BASE: &str = "eip155:8453=0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
    [&["--pay-to", BASE, "--facilitator", url], more].concat()
}

/// A server that charges for every check.
pub(crate) fn start(facilitator: &Facilitator, more: &[&str]) -> Server {
    let url = facilitator.url();
    Server::start(&charging(&url, &[&["--free-per-day", "0"], more].concat()))
}

/// What a 402 asks for, after a look at its shape.
#[track_caller]
pub(crate) fn challenge(answer: &Answer) -> Value {
    assert_eq!(answer.status, 402, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let header = STANDARD.decode(answer.header("payment-required").unwrap()).unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    let body = answer.json();
    for (name, value) in header.as_object().unwrap() {
        assert_eq!(&body[name], value);
    }
    assert_eq!(body["charged"], false);
    assert!(body["guidance"]["what_to_do"].as_str().is_some_and(|text| text.ends_with('.')));
    for secret in ["result", "attestation", "verification_id", "trust_score"] {
        assert!(body.get(secret).is_none(), "{body}");
    }
    header
}

#[test]
fn nothing_is_charged_unless_the_operator_says_so() {
    let server = Server::start(&["--free-per-day", "0"]);
    assert_eq!(server.post("/verify/schema", "").error(), "invalid_json");
    assert_eq!(server.post("/verify/schema", request("test-a")).error(), "rate_limited");
    let manifest = server.get("/.well-known/x402");
    assert_eq!(manifest.json(), json!({"x402Version": 2, "resources": []}));
    let card = server.get("/.well-known/agent-card.json");
    assert!(!card.text().contains("a2a-x402"));
}

#[test]
fn a_challenge_has_the_shape_of_x402() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    for path in ["/verify/schema", "/verify/deliverable"] {
        let asked = challenge(&server.post(path, request("test-a")));
        assert_eq!(asked["x402Version"], 2);
        assert_eq!(asked["resource"]["url"], format!("http://{}{path}", server.address));
        assert_eq!(asked["resource"]["mimeType"], "application/json");
        assert_eq!(asked["extensions"], json!({}));
        assert_eq!(
            asked["accepts"],
            json!([{
                "scheme": "exact",
                "network": "eip155:8453",
                "amount": "20000",
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "payTo": ADDRESS,
                "maxTimeoutSeconds": 300,
                "extra": {"name": "USD Coin", "version": "2"},
            }])
        );
    }
    assert_eq!(facilitator.counts(), (0, 0));
}

#[test]
fn what_is_invalid_is_never_asked_to_pay() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    assert_eq!(server.post("/verify/schema", "{").error(), "invalid_json");
    assert_eq!(server.post("/verify/schema", "{}").error(), "invalid_request");
    let text = server.request("POST", "/verify/schema", &[("Content-Type", "text/plain")], b"x");
    assert_eq!(text.error(), "unsupported_media_type");
    assert_eq!(server.get("/verify/schema").error(), "method_not_allowed");
    let long = "a".repeat(201);
    assert_eq!(server.get(&format!("/score/{long}")).error(), "invalid_request");
    // Headers of version 1 are no payment.
    let headers = [("Content-Type", "application/json"), ("X-PAYMENT", "e30=")];
    let old = server.request("POST", "/verify/schema", &headers, request("test-a").as_bytes());
    challenge(&old);
}

#[test]
fn the_free_checks_come_first_and_are_told() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let server = Server::start(&charging(&url, &["--free-per-day", "2"]));
    let trial = |answer: &Answer| {
        challenge(answer);
        answer.json()["free_trial"].clone()
    };
    // The probe uses none.
    let probed = trial(&server.post("/verify/schema", ""));
    assert_eq!(probed["available"], true);
    assert_eq!(probed["calls_per_client_per_day"], 2);
    assert_eq!(probed["remaining_calls_today"], 2);
    assert_eq!(probed["via"], "mcp+rest");
    assert_eq!(probed["url"], format!("http://{}/mcp", server.address));
    assert_eq!(probed["rest_free"], true);
    assert_eq!(probed["max_input_bytes"], 32768);
    assert!(probed.get("code").is_none());

    let first = server.post("/verify/schema", request("test-a"));
    assert_eq!((first.status, first.header("free-allowance-remaining")), (200, Some("1")));
    assert_eq!(first.header("payment-response"), None);
    content(&call(&server, "verify_schema", &request("test-a")), false);

    let refused = server.post("/verify/deliverable", request("test-a"));
    assert_eq!(refused.header("free-allowance-remaining"), Some("0"));
    let used_up = trial(&refused);
    assert_eq!(used_up["available"], false);
    assert_eq!(used_up["remaining_calls_today"], 0);
    assert_eq!(used_up["code"], "free_trial_exhausted");
    assert!(used_up["resets_at"].as_str().unwrap().ends_with("T00:00:00+00:00"));

    let result = call(&server, "verify_schema", &request("test-a"));
    let asked = content(&result, true);
    assert_eq!(asked["resource"]["url"], format!("http://{}/mcp", server.address));
    assert_eq!(asked["accepts"], challenge(&refused)["accepts"]);
    assert_eq!(result["_meta"]["free_trial"]["code"], "free_trial_exhausted");
}

#[test]
fn large_requests_are_paid_for_while_free_checks_remain() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let limit = request("test-a").len().to_string();
    for allowance in [&["--free-per-day", "5"][..], &[]] {
        let more = [allowance, &["--free-max-body", &limit]].concat();
        let server = Server::start(&charging(&url, &more));
        assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
        let large = server.post("/verify/schema", request("test-ab"));
        let asked = challenge(&large);
        assert!(asked["error"].as_str().unwrap().contains(&limit), "{asked}");
        assert_eq!(large.json()["free_trial"]["available"], true);
        let remaining = large.json()["free_trial"]["remaining_calls_today"].clone();
        assert_eq!(remaining, if allowance.is_empty() { Value::Null } else { json!(4) });
    }
}

#[test]
fn scores_cost_only_where_there_is_one() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let server = Server::start(&charging(&url, &["--score-price", "0.035"]));
    for unknown in ["/score/a", "/score/test-a"] {
        let answer = server.get(unknown);
        assert_eq!((answer.status, answer.json()["reason"].as_str()), (200, Some("no_data")));
        assert!(answer.json()["attestation"]["signature"].is_string());
    }
    assert_eq!(server.post("/verify/schema", request("a/é")).status, 200);
    let answer = server.get("/score/a%2F%C3%A9");
    let asked = challenge(&answer);
    assert_eq!(asked["accepts"][0]["amount"], "35000");
    let path = format!("http://{}/score/a%2F%C3%A9", server.address);
    assert_eq!(asked["resource"]["url"], path);
    // There are no free look-ups to tell of.
    assert!(answer.json().get("free_trial").is_none());
    assert_eq!(server.get("/reputation/a%2F%C3%A9").json()["verified"], 1);
    let looked_up = call(&server, "get_verification_record", r#"{"agent_id": "a/é"}"#);
    assert_eq!(content(&looked_up, true)["accepts"], asked["accepts"]);
}

#[test]
fn documents_tell_the_prices() {
    let facilitator = Facilitator::start();
    let solana = format!("{SOLANA}={FEE_PAYER}");
    let more = ["--pay-to", &solana, "--price", "0.29", "--public-url", "https://verify.example"];
    let server = start(&facilitator, &more);
    let manifest = server.get("/.well-known/x402").json();
    let option = |chain: &str, network: &str, to: &str, asset: &str, amount: &str| json!({"chain": chain, "network": network, "payTo": to, "asset": asset, "amount": amount});
    let options = |amount: &str| {
        json!([
            option(
                "Base",
                "eip155:8453",
                ADDRESS,
                "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                amount
            ),
            option(
                "Solana",
                SOLANA,
                FEE_PAYER,
                "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
                amount
            ),
        ])
    };
    let resource = |path: &str, method: &str, price: &str, amount: &str| {
        json!({
            "url": format!("https://verify.example{path}"), "method": method, "price": price,
            "currency": "USDC", "paymentOptions": options(amount),
        })
    };
    assert_eq!(
        manifest,
        json!({"x402Version": 2, "resources": [
            resource("/verify/schema", "POST", "$0.29", "290000"),
            resource("/verify/deliverable", "POST", "$0.29", "290000"),
            resource("/score/{agent_id}", "GET", "$0.01", "10000"),
        ]})
    );

    let card = server.get("/.well-known/agent-card.json").json();
    let extensions = card["capabilities"]["extensions"].as_array().unwrap();
    let named = |uri: &str| extensions.iter().find(|extension| extension["uri"] == uri).unwrap();
    assert_eq!(named("https://github.com/google-a2a/a2a-x402/v0.1")["params"], json!({}));
    let tools = &named("urn:json-schema-verifier:extension:mcp:v1")["params"]["tools"];
    assert_eq!(
        tools[0]["access"],
        json!({
            "freeTrial": {"callsPerClientPerDay": 0, "maxInputBytes": 32768},
            "afterFreeTrial": "x402 payment, $0.29 USDC per call",
        })
    );

    let error = server.post("/verify/schema", "{}").json();
    let price = error["guidance"]["price"].as_str().unwrap();
    assert!(price.contains("$0.29") && price.contains("$0.01"), "{price}");
}

#[test]
fn a_facilitator_that_is_down_at_the_start_holds_up_solana_alone() {
    let facilitator = Facilitator::start();
    facilitator.supported(false);
    let solana = format!("{SOLANA}={FEE_PAYER}");
    let both = start(&facilitator, &["--pay-to", &solana]);
    let url = facilitator.url();
    let args = ["--pay-to", &solana, "--facilitator", &url, "--free-per-day", "0"];
    let alone = Server::start(&args);
    let networks = |answer: &Answer| {
        let asked = challenge(answer);
        let accepts = asked["accepts"].as_array().unwrap().clone();
        accepts.iter().map(|way| way["network"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(networks(&both.post("/verify/schema", "")), ["eip155:8453"]);
    assert_eq!(alone.post("/verify/schema", "").error(), "facilitator_unavailable");

    facilitator.supported(true);
    let started = std::time::Instant::now();
    loop {
        let answer = alone.post("/verify/schema", "");
        if answer.status == 402 {
            let asked = challenge(&answer);
            assert_eq!(asked["accepts"][0]["extra"], json!({"feePayer": FEE_PAYER}));
            break;
        }
        assert!(started.elapsed() < crate::server::PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn the_page_lists_the_codes_of_refused_payments() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/serve.md");
    let page = std::fs::read_to_string(page).unwrap();
    let table = page.split("| code | when | what the payer does |\n| --- | --- | --- |\n").nth(1);
    let listed: Vec<&str> =
        table.unwrap().lines().take_while(|line| line.starts_with("| `")).collect();
    let known = PaymentErrorCode::ALL
        .iter()
        .map(|code| format!("| `{}` | {} | {} |", code.code, code.when, code.what_to_do));
    assert_eq!(listed, known.collect::<Vec<String>>());
}

#[test]
fn settings_that_cannot_be_right_are_refused() {
    let base = format!("eip155:8453={ADDRESS}");
    let wrong_case = format!("eip155:8453={}", ADDRESS.replace('C', "c"));
    let lower = ADDRESS.to_ascii_lowercase();
    let twice = format!("eip155:8453={lower}");
    let short = format!("{SOLANA}=abc");
    let url = "https://x402.example";
    let cases: &[(&[&str], &str)] = &[
        (&["--pay-to", &base], "--facilitator"),
        (&["--facilitator", url], "--pay-to"),
        (&["--price", "1"], "--pay-to"),
        (&["--score-price", "1"], "--pay-to"),
        (&["--free-max-body", "1"], "--pay-to"),
        (&["--stdio", "--pay-to", &base, "--facilitator", url], "--stdio"),
        (&["--pay-to", ADDRESS, "--facilitator", url], "is not NETWORK=ADDRESS"),
        (&["--pay-to", "eip155:1=0x", "--facilitator", url], "eip155:84532 (Base Sepolia)"),
        (&["--pay-to", &wrong_case, "--facilitator", url], "EIP-55"),
        (&["--pay-to", &short, "--facilitator", url], "32 bytes in base58"),
        (&["--pay-to", &base, "--pay-to", &twice, "--facilitator", url], "eip155:8453 twice"),
        (&["--pay-to", &base, "--facilitator", "http://x402.example"], "is not https"),
        (&["--pay-to", &base, "--facilitator", url, "--price", "0"], "--price 0 is zero"),
        (&["--pay-to", &base, "--facilitator", url, "--price", "1e-2"], "no amount in dollars"),
        (
            &["--pay-to", &base, "--facilitator", url, "--score-price", "0.0000001"],
            "--score-price 0.0000001 has more than 6 decimal places",
        ),
    ];
    let sandbox = Sandbox::new();
    for (args, says) in cases {
        let args = [&["serve", "--ledger", ":memory:"], *args].concat();
        let run = sandbox.aov(&args).env("HOME", sandbox.path("").to_str().unwrap()).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(says), "{}", run.stderr);
    }
    let args = ["serve", "--pay-to", &base, "--facilitator", url, "--ledger", ":memory:"];
    let run = sandbox
        .aov(&args)
        .env("HOME", sandbox.path("").to_str().unwrap())
        .env("AOV_FACILITATOR_AUTHORIZATION", "Bearer secret\n")
        .run();
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("AOV_FACILITATOR_AUTHORIZATION is no value"), "{}", run.stderr);
    assert!(!run.stderr.contains("secret"));
}
