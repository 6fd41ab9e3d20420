//! Purchases that come to an end: paid, refused, or put off.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::facilitator::{FEE_PAYER, Facilitator, Manner, SOLANA};
use crate::mcp::{HEADERS, content, send};
use crate::payments::{challenge, charging, start};
use crate::request;
use crate::server::{Answer, Server};

/// A new payment for the first way that an answer asks for.
pub(crate) fn payment(asked: &Value) -> Value {
    static MADE: AtomicUsize = AtomicUsize::new(1);
    let way = &asked["accepts"][0];
    json!({
        "x402Version": 2,
        "resource": asked["resource"],
        "accepted": way,
        "payload": {
            "signature": format!("0x{}", "ab".repeat(65)),
            "authorization": {
                "from": "0x857b06519E91e3A54538791bDbb0E22373e36b66",
                "to": way["payTo"],
                "value": way["amount"],
                "validAfter": "0",
                "validBefore": "4102444800",
                "nonce": format!("0x{:064x}", MADE.fetch_add(1, Ordering::Relaxed)),
            },
        },
    })
}

/// The header that a payment goes in.
pub(crate) fn header(payment: &Value) -> String {
    STANDARD.encode(payment.to_string())
}

/// A payment for what is asked on a path.
pub(crate) fn payment_for(server: &Server, path: &str) -> Value {
    payment(&challenge(&server.post(path, "")))
}

/// Posts a request with a payment.
pub(crate) fn pay(server: &Server, path: &str, payment: &Value, body: &str) -> Answer {
    let payment = header(payment);
    let headers = [("Content-Type", "application/json"), ("payment-signature", &payment)];
    server.request("POST", path, &headers, body.as_bytes())
}

/// What a payer is told of the settlement.
pub(crate) fn settlement(answer: &Answer) -> Value {
    let header = answer.header("payment-response").unwrap_or_else(|| panic!("{answer:?}"));
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// The code of a refused payment.
#[track_caller]
pub(crate) fn refused(answer: &Answer) -> String {
    let asked = challenge(answer);
    let error = answer.json()["payment_error"].clone();
    let code = error["error_code"].as_str().unwrap().to_owned();
    assert!(asked["error"].as_str().unwrap().starts_with(&code));
    assert!(error["message"].as_str().unwrap().ends_with('.'), "{error}");
    assert!(error["what_to_do"].as_str().unwrap().ends_with('.'), "{error}");
    code
}

#[test]
fn a_payment_buys_a_signed_answer() {
    let facilitator = Facilitator::start();
    let home = Sandbox::new();
    let url = facilitator.url();
    let args = charging(&url, &["--ledger", ":memory:", "--free-per-day", "0", "--metrics"]);
    let secret = [("AOV_FACILITATOR_AUTHORIZATION", "Bearer token")];
    let server = Server::start_with(&home, &args, &secret);
    let asked = challenge(&server.post("/verify/schema", request("seller")));
    let mut payment = payment(&asked);
    // Clients that write null for what is absent are understood.
    payment["extensions"] = Value::Null;
    payment["resource"]["tags"] = Value::Null;
    let answer = pay(&server, "/verify/schema", &payment, &request("seller"));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"], "pass");
    assert!(answer.json()["attestation"]["signature"].is_string());
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.header("free-allowance-limit"), None);
    assert_eq!(
        settlement(&answer),
        json!({"success": true, "transaction": "0xt", "network": "eip155:8453",
               "payer": "0xpayer"})
    );
    assert_eq!(server.get("/reputation/seller").json()["passed"], 1);

    let [verify, settle] = ["/verify", "/settle"].map(|path| {
        let asked = facilitator.asked(path);
        assert_eq!(asked.len(), 1);
        asked[0].clone()
    });
    assert_eq!(verify.body, settle.body);
    assert_eq!(verify.authorization.as_deref(), Some("Bearer token"));
    assert_eq!(verify.body["x402Version"], 2);
    assert_eq!(verify.body["paymentRequirements"], asked["accepts"][0]);
    assert_eq!(verify.body["paymentPayload"]["payload"], payment["payload"]);
    assert!(!verify.body.to_string().contains("null"), "{}", verify.body);

    // A fail is an answer too.
    let failing = request("seller").replace("total\": 42", "sum\": 42");
    let second = payment_for(&server, "/verify/deliverable");
    let answer = pay(&server, "/verify/deliverable", &second, &failing);
    assert_eq!(answer.json()["result"], "fail");
    assert_eq!(facilitator.settled(), 2);
    assert_eq!(server.get("/reputation/seller").json()["failed"], 1);
    let metrics = server.get("/metrics");
    assert!(metrics.text().contains(r#"aov_payments_total{outcome="settled"} 2"#));

    let log = server.kill();
    assert!(log.contains("0xt") && !log.contains("token"), "{log}");
}

#[test]
fn a_payment_that_comes_is_taken_while_free_checks_remain() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let server = Server::start(&charging(&url, &["--free-per-day", "3"]));
    let payment = payment_for(&server, "/verify/schema");
    let paid = pay(&server, "/verify/schema", &payment, &request("test-a"));
    assert_eq!((paid.status, facilitator.settled()), (200, 1));
    let free = server.post("/verify/schema", request("test-a"));
    assert_eq!(free.header("free-allowance-remaining"), Some("2"));
    // Where there is nothing to pay for, nothing is taken.
    let answer = server.request("GET", "/score/a", &[("payment-signature", "e30=")], b"");
    assert_eq!((answer.status, answer.json()["reason"].as_str()), (200, Some("no_data")));
}

#[test]
fn a_score_is_bought_like_a_check() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let check = payment_for(&server, "/verify/schema");
    assert_eq!(pay(&server, "/verify/schema", &check, &request("seller")).status, 200);
    let asked = challenge(&server.get("/score/seller"));
    let payment = payment(&asked);
    let look_up = |payment: &Value, method: &str| {
        let payment = header(payment);
        server.request(method, "/score/seller", &[("Payment-Signature", &payment)], b"")
    };
    // A check's payment is for another amount.
    let dear = payment_for(&server, "/verify/schema");
    assert_eq!(refused(&look_up(&dear, "GET")), "invalid_payment_requirements");
    let cheap = pay(&server, "/verify/schema", &payment, &request("seller"));
    assert_eq!(refused(&cheap), "invalid_payment_requirements");

    let answer = look_up(&payment, "GET");
    assert_eq!((answer.status, answer.json()["trust_score"].as_f64()), (200, Some(1.0)));
    assert_eq!(settlement(&answer)["success"], true);
    assert_eq!(refused(&look_up(&payment, "GET")), "payment_already_used");
    let settled = &facilitator.asked("/settle")[1].body;
    assert_eq!(settled["paymentRequirements"]["amount"], "10000");
}

#[test]
fn a_payment_is_used_once_whatever_it_is_used_for() {
    let facilitator = Facilitator::start();
    let home = Sandbox::new();
    let url = facilitator.url();
    let args = charging(&url, &["--ledger", "ledger", "--free-per-day", "0"]);
    let server = Server::start_in(&home, &args);
    let payment = payment_for(&server, "/verify/schema");
    assert_eq!(pay(&server, "/verify/schema", &payment, &request("seller")).status, 200);
    let again = |server: &Server| {
        for (path, agent) in [
            ("/verify/schema", "seller"),
            ("/verify/schema", "other"),
            ("/verify/deliverable", "seller"),
        ] {
            let answer = pay(server, path, &payment, &request(agent));
            assert_eq!(refused(&answer), "payment_already_used");
            assert_eq!(answer.header("payment-response"), None);
        }
        // Another signature or spelling does not make another payment of it.
        let mut altered = payment.clone();
        altered["payload"]["signature"] = json!("0x00");
        altered["payload"]["authorization"]["validBefore"] = json!("4102444801");
        let from = altered["payload"]["authorization"]["from"].as_str().unwrap();
        altered["payload"]["authorization"]["from"] = json!(from.to_ascii_lowercase());
        let answer = pay(server, "/verify/schema", &altered, &request("seller"));
        assert_eq!(refused(&answer), "payment_already_used");
    };
    again(&server);
    drop(server);
    again(&Server::start_in(&home, &args));
    assert_eq!(facilitator.counts(), (1, 1));
}

#[test]
fn of_calls_side_by_side_one_is_answered() {
    let facilitator = Facilitator::start();
    facilitator.verify(Manner::Slow(20));
    facilitator.settle(Manner::Slow(50));
    let server = start(&facilitator, &[]);
    for same in [true, false] {
        let payment = payment_for(&server, "/verify/schema");
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..20)
                .map(|number| {
                    let body = request(&format!("seller{}", if same { 0 } else { number }));
                    let path =
                        if number % 2 == 0 { "/verify/schema" } else { "/verify/deliverable" };
                    let (server, payment) = (&server, &payment);
                    scope.spawn(move || pay(server, path, payment, &body))
                })
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        let (good, bad): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!((good.len(), bad.len()), (1, 19));
        for answer in bad {
            assert_eq!(refused(answer), "payment_already_used");
        }
    }
    assert_eq!(facilitator.counts(), (2, 2));
}

#[test]
fn what_is_wrong_with_a_payment_is_told() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let good = payment_for(&server, "/verify/schema");
    let altered = |pointer: &str, value: Value| {
        let mut payment = good.clone();
        *payment.pointer_mut(pointer).unwrap() = value;
        refused(&pay(&server, "/verify/schema", &payment, &request("test-a")))
    };
    let thief = json!("0x857b06519E91e3A54538791bDbb0E22373e36b66");
    assert_eq!(altered("/x402Version", json!(1)), "invalid_x402_version");
    assert_eq!(altered("/accepted/amount", json!("1")), "invalid_payment_requirements");
    assert_eq!(altered("/accepted/payTo", thief.clone()), "invalid_payment_requirements");
    assert_eq!(altered("/accepted/network", json!("eip155:84532")), "invalid_network");
    assert_eq!(
        altered("/payload/authorization/to", thief),
        "invalid_exact_evm_payload_recipient_mismatch"
    );
    assert_eq!(
        altered("/payload/authorization/value", json!("1")),
        "invalid_exact_evm_payload_authorization_value_mismatch"
    );
    for junk in ["", "%%%", "e30=", "bnVsbA==", "aGVsbG8=", &"A".repeat(60_000)] {
        let headers = [("Content-Type", "application/json"), ("payment-signature", junk)];
        let body = request("test-a");
        let answer = server.request("POST", "/verify/schema", &headers, body.as_bytes());
        assert!(refused(&answer).starts_with("invalid_"), "{junk}");
    }
    let value = header(&good);
    let headers = [
        ("Content-Type", "application/json"),
        ("payment-signature", value.as_str()),
        ("payment-signature", value.as_str()),
    ];
    let twice = server.request("POST", "/verify/schema", &headers, request("test-a").as_bytes());
    assert_eq!(refused(&twice), "invalid_payload");
    // None of that reached the facilitator, and none of it has hurt the payment.
    assert_eq!(facilitator.counts(), (0, 0));
    assert_eq!(pay(&server, "/verify/schema", &good, &request("test-a")).status, 200);
}

#[test]
fn nothing_is_charged_for_an_error() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = payment_for(&server, "/verify/schema");
    let send = |body: &str| pay(&server, "/verify/schema", &payment, body);
    assert_eq!(send("").error(), "invalid_json");
    assert_eq!(send("{").error(), "invalid_json");
    assert_eq!(send("{}").error(), "invalid_request");
    assert_eq!(facilitator.counts(), (0, 0));
    let undecided = format!(
        r#"{{"task_id": "t",
             "expected_schema": {{"properties": {{"a": {{"pattern": "^(?!b)(a+)+\\1$"}}}}}},
             "submitted_output": {{"a": "{}b"}}}}"#,
        "a".repeat(40)
    );
    let answer = send(&undecided);
    assert_eq!(
        (answer.error().as_str(), answer.header("payment-response")),
        ("check_undecided", None)
    );
    assert_eq!(facilitator.settled(), 0);
    assert_eq!(send(&request("test-a")).status, 200);
}

#[test]
fn a_payment_that_is_refused_buys_nothing_and_can_come_again() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = payment_for(&server, "/verify/schema");
    let send = || pay(&server, "/verify/schema", &payment, &request("seller"));
    facilitator.verify(Manner::Refuse("insufficient_funds"));
    let answer = send();
    assert_eq!((refused(&answer).as_str(), facilitator.counts()), ("insufficient_funds", (1, 0)));
    assert_eq!(answer.header("payment-response"), None);

    facilitator.verify(Manner::Honest);
    facilitator.settle(Manner::Refuse("a_reason_of_its_own"));
    let answer = send();
    assert_eq!(refused(&answer), "a_reason_of_its_own");
    assert_eq!(
        settlement(&answer),
        json!({
            "success": false, "errorReason": "a_reason_of_its_own", "transaction": "",
            "network": "eip155:8453", "payer": "0x857b06519E91e3A54538791bDbb0E22373e36b66",
        })
    );
    facilitator.settle(Manner::Refuse("<script>"));
    assert_eq!(refused(&send()), "unexpected_settle_error");
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);

    // It was spent elsewhere, or somebody else was quicker with it.
    facilitator.settle(Manner::Refuse("invalid_exact_evm_nonce_already_used"));
    assert_eq!(refused(&send()), "invalid_exact_evm_nonce_already_used");
    facilitator.verify(Manner::Refuse("invalid_exact_evm_nonce_already_used"));
    assert_eq!(refused(&send()), "invalid_exact_evm_nonce_already_used");
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);

    facilitator.verify(Manner::Honest);
    facilitator.settle(Manner::Honest);
    assert_eq!(send().status, 200);
    assert_eq!(server.get("/reputation/seller").json()["verified"], 1);
}

#[test]
fn a_facilitator_that_fails_to_verify_puts_a_purchase_off() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = payment_for(&server, "/verify/schema");
    let send = || pay(&server, "/verify/schema", &payment, &request("seller"));
    for manner in [
        Manner::Status(503),
        Manner::Status(400),
        Manner::Status(302),
        Manner::Garbage,
        Manner::Endless,
        Manner::Cut { acted: false },
    ] {
        facilitator.verify(manner);
        let answer = send();
        assert_eq!(answer.error(), "facilitator_unavailable", "{manner:?}");
        assert_eq!(answer.header("payment-response"), None);
    }
    facilitator.verify(Manner::Honest);
    // Turned away at the door: nothing was settled, and nothing is in doubt.
    facilitator.settle(Manner::Status(401));
    assert_eq!(send().error(), "facilitator_unavailable");
    facilitator.settle(Manner::Honest);
    assert_eq!(send().status, 200);
    assert_eq!(facilitator.settled(), 1);

    let nowhere = Server::start(&charging("http://127.0.0.1:9", &["--free-per-day", "0"]));
    let payment = payment_for(&nowhere, "/verify/schema");
    let answer = pay(&nowhere, "/verify/schema", &payment, &request("seller"));
    assert_eq!(answer.error(), "facilitator_unavailable");
    // What needs no payment goes on.
    assert_eq!(nowhere.get("/reputation/seller").status, 200);
}

#[test]
fn payments_on_solana_are_known_by_what_was_signed() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let to = format!("{SOLANA}={FEE_PAYER}");
    let args = ["--pay-to", &to, "--facilitator", &url, "--free-per-day", "0"];
    let server = Server::start(&args);
    let asked = loop {
        let answer = server.post("/verify/schema", "");
        if answer.status == 402 {
            break challenge(&answer);
        }
    };
    let payment = |fill: u8, message: &[u8]| {
        let transaction = [&[1], &[fill; 64][..], message].concat();
        json!({
            "x402Version": 2, "accepted": asked["accepts"][0],
            "payload": {"transaction": STANDARD.encode(transaction)},
        })
    };
    let send = |payment: &Value| pay(&server, "/verify/schema", payment, &request("test-a"));
    let answer = send(&payment(0, b"message"));
    assert_eq!((answer.status, settlement(&answer)["network"].as_str()), (200, Some(SOLANA)));
    assert_eq!(refused(&send(&payment(0, b"message"))), "payment_already_used");
    assert_eq!(refused(&send(&payment(7, b"message"))), "payment_already_used");
    assert_eq!(send(&payment(0, b"another")).status, 200);
    let text = json!({"transaction": "%%%"});
    let mut broken = payment(0, b"broken");
    broken["payload"] = text;
    assert_eq!(refused(&send(&broken)), "invalid_payload");
}

/// Calls `verify_schema` with a payment.
fn call_with(server: &Server, payment: &Value, arguments: &str) -> Value {
    let message = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{
            "name": "verify_schema", "arguments": {arguments},
            "_meta": {{"x402/payment": {payment}}}}}}}"#
    );
    send(server, &message).json()["result"].clone()
}

#[test]
fn tools_are_paid_for_in_the_calls_themselves() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let body = request("seller");
    let asked = content(&call_with(&server, &Value::Null, &body), true);
    let mcp = payment(&asked);
    let paid = call_with(&server, &mcp, &body);
    assert_eq!(content(&paid, false)["result"], "pass");
    assert_eq!(paid["_meta"]["x402/payment-response"]["transaction"], "0xt");
    assert_eq!(server.get("/reputation/seller").json()["passed"], 1);

    // One payment is one payment, whatever it comes over.
    let again = call_with(&server, &mcp, &body);
    let told = content(&again, true);
    assert!(told["error"].as_str().unwrap().starts_with("payment_already_used: "), "{told}");
    assert_eq!(told["accepts"], asked["accepts"]);
    assert_eq!(again["_meta"]["free_trial"]["code"], "free_trial_exhausted");
    assert_eq!(again["_meta"].get("x402/payment-response"), None);
    assert_eq!(refused(&pay(&server, "/verify/schema", &mcp, &body)), "payment_already_used");
    let rest = payment_for(&server, "/verify/schema");
    assert_eq!(pay(&server, "/verify/schema", &rest, &body).status, 200);
    content(&call_with(&server, &rest, &body), true);

    for junk in [json!("junk"), json!(7), json!({}), json!([]), json!({"x402Version": 2})] {
        let told = content(&call_with(&server, &junk, &body), true);
        assert!(told["error"].as_str().unwrap().starts_with("invalid_"), "{told}");
    }
    let fresh = payment(&asked);
    let invalid = content(&call_with(&server, &fresh, "{}"), true);
    assert_eq!(invalid["code"], "invalid_request");
    facilitator.settle(Manner::Refuse("insufficient_funds"));
    let told = call_with(&server, &fresh, &body);
    assert_eq!(content(&told, true)["accepts"], asked["accepts"]);
    assert!(told["content"][0]["text"].as_str().unwrap().contains("insufficient_funds"));
    facilitator.settle(Manner::Honest);
    facilitator.verify(Manner::Status(503));
    let told = content(&call_with(&server, &fresh, &body), true);
    assert_eq!(told["code"], "facilitator_unavailable");
    facilitator.verify(Manner::Honest);
    content(&call_with(&server, &fresh, &body), false);
    assert_eq!(facilitator.settled(), 3);
}

#[test]
fn a_payment_for_a_tool_is_no_header() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = header(&payment_for(&server, "/verify/schema"));
    let headers = [&HEADERS[..], &[("payment-signature", payment.as_str())]].concat();
    let message = crate::mcp::call_text("verify_schema", &request("test-a"));
    let answer = server.request("POST", "/mcp", &headers, message.as_bytes());
    content(&answer.json()["result"], true);
    assert_eq!(facilitator.counts(), (0, 0));
}
