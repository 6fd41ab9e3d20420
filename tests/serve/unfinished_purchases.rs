//! Purchases that are broken off: by a crash, by a client that leaves, by a facilitator that says
//! nothing for certain. Nothing is answered twice, and nothing that was paid is lost.

use std::time::Instant;

use serde_json::Value;

use crate::common::Sandbox;
use crate::facilitator::{Facilitator, Manner};
use crate::payments::{charging, start};
use crate::purchases::{header, pay, payment_for, refused, settlement};
use crate::request;
use crate::server::{Answer, Connection, PATIENCE, Server, head};

const SCHEMA: &str = "/verify/schema";

/// Sends a request with a payment, and does not wait for the answer.
fn send(server: &Server, payment: &Value, body: &str) -> Connection {
    let payment = header(payment);
    let headers = [("Content-Type", "application/json"), ("payment-signature", payment.as_str())];
    let mut connection = server.connect();
    connection.send(head(server.address, "POST", SCHEMA, &headers, Some(body.len())));
    connection.send(body);
    connection
}

/// Pays with what the server may be looking into at the moment.
fn pay_in_the_end(server: &Server, payment: &Value, body: &str) -> Answer {
    let started = Instant::now();
    loop {
        let answer = pay(server, SCHEMA, payment, body);
        let busy = ["under way", "being found out"];
        if !busy.iter().any(|reason| answer.text().contains(reason)) {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "{answer:?}");
    }
}

/// Waits until so many checks are recorded of the seller.
#[track_caller]
fn wait_for_record(server: &Server, count: u64) {
    let started = Instant::now();
    while server.get("/reputation/seller").json()["verified"] != count {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// A server with a ledger that outlives it.
struct Shop {
    home: Sandbox,
    facilitator: Facilitator,
}

impl Shop {
    fn new() -> Shop {
        Shop { home: Sandbox::new(), facilitator: Facilitator::start() }
    }

    fn open(&self) -> Server {
        let url = self.facilitator.url();
        let args = charging(&url, &["--ledger", "ledger", "--free-per-day", "0"]);
        Server::start_in(&self.home, &args)
    }
}

#[test]
fn killed_before_the_settlement_a_payment_is_as_it_was() {
    let shop = Shop::new();
    let server = shop.open();
    let payment = payment_for(&server, SCHEMA);
    shop.facilitator.verify(Manner::Silence { acted: false });
    let _waiting = send(&server, &payment, &request("seller"));
    shop.facilitator.wait_for("/verify", 1);
    server.kill();
    shop.facilitator.verify(Manner::Honest);

    let server = shop.open();
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);
    // Also for something else.
    assert_eq!(pay(&server, SCHEMA, &payment, &request("other")).status, 200);
    assert_eq!(refused(&pay(&server, SCHEMA, &payment, &request("other"))), "payment_already_used");
    assert_eq!(shop.facilitator.settled(), 1);
}

#[test]
fn killed_after_the_settlement_the_same_request_gets_its_answer_once() {
    let shop = Shop::new();
    let server = shop.open();
    let payment = payment_for(&server, SCHEMA);
    shop.facilitator.settle(Manner::Silence { acted: true });
    let _waiting = send(&server, &payment, &request("seller"));
    shop.facilitator.wait_for("/settle", 1);
    server.kill();
    shop.facilitator.settle(Manner::Honest);

    // Nobody has asked for it, and it is found to be settled and recorded.
    let server = shop.open();
    wait_for_record(&server, 1);
    drop(server);
    let server = shop.open();
    let other = pay(&server, SCHEMA, &payment, &request("other"));
    assert_eq!(refused(&other), "payment_already_used");
    // Who has payer and nonce from the network has not paid.
    let mut stolen = payment.clone();
    stolen["payload"]["signature"] = "0x00".into();
    let answer = pay(&server, SCHEMA, &stolen, &request("seller"));
    assert_eq!(refused(&answer), "payment_already_used");
    let answer = pay(&server, SCHEMA, &payment, &request("seller"));
    assert_eq!((answer.status, answer.json()["result"].as_str()), (200, Some("pass")));
    assert_eq!(settlement(&answer)["success"], true);
    let again = pay(&server, SCHEMA, &payment, &request("seller"));
    assert_eq!(refused(&again), "payment_already_used");
    assert_eq!(server.get("/reputation/seller").json()["verified"], 1);
    // It was settled once, and recorded under the id that was answered.
    assert_eq!((shop.facilitator.settled(), shop.facilitator.asked("/settle").len()), (1, 1));
    let ledger = rusqlite::Connection::open(shop.home.path("ledger")).unwrap();
    let recorded: String =
        ledger.query_row("SELECT verification_id FROM verification", [], |row| row.get(0)).unwrap();
    assert_eq!(answer.json()["verification_id"], recorded);
}

#[test]
fn killed_in_the_settlement_a_payment_that_was_not_settled_is_good() {
    let shop = Shop::new();
    let server = shop.open();
    let payment = payment_for(&server, SCHEMA);
    shop.facilitator.settle(Manner::Silence { acted: false });
    let _waiting = send(&server, &payment, &request("seller"));
    shop.facilitator.wait_for("/settle", 1);
    server.kill();
    shop.facilitator.settle(Manner::Honest);

    let server = shop.open();
    // It is not charged on its own.
    shop.facilitator.wait_for("/verify", 2);
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);
    let answer = pay_in_the_end(&server, &payment, &request("seller"));
    assert_eq!((answer.status, shop.facilitator.settled()), (200, 1));
    let again = pay(&server, SCHEMA, &payment, &request("seller"));
    assert_eq!(refused(&again), "payment_already_used");
    assert_eq!(server.get("/reputation/seller").json()["verified"], 1);
}

#[test]
fn a_doubt_is_resolved_once_the_facilitator_is_back() {
    let shop = Shop::new();
    let server = shop.open();
    let payment = payment_for(&server, SCHEMA);
    shop.facilitator.settle(Manner::Silence { acted: true });
    let _waiting = send(&server, &payment, &request("seller"));
    shop.facilitator.wait_for("/settle", 1);
    server.kill();

    shop.facilitator.verify(Manner::Status(503));
    let server = shop.open();
    shop.facilitator.wait_for("/verify", 2);
    let answer = pay_in_the_end(&server, &payment, &request("seller"));
    assert_eq!(answer.error(), "facilitator_unavailable");
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);
    shop.facilitator.verify(Manner::Honest);
    wait_for_record(&server, 1);
    assert_eq!(pay_in_the_end(&server, &payment, &request("seller")).status, 200);
    assert_eq!(shop.facilitator.settled(), 1);
}

#[test]
fn a_facilitator_that_says_nothing_for_certain_is_asked_again() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let mut bought = 0;
    for manner in [
        Manner::Cut { acted: true },
        Manner::Cut { acted: false },
        Manner::Garbage,
        Manner::Endless,
        Manner::Status(500),
    ] {
        for same in [true, false] {
            let payment = payment_for(&server, SCHEMA);
            facilitator.settle(manner);
            let answer = pay(&server, SCHEMA, &payment, &request("seller"));
            assert_eq!(answer.error(), "facilitator_unavailable", "{manner:?}");
            assert!(!answer.text().contains("Nothing was charged"), "{}", answer.text());
            facilitator.settle(Manner::Honest);
            // Nothing was handed over: it buys one answer, unless it was resolved for the request
            // that it came with.
            let agent = if same { "seller" } else { "other" };
            let mut answer = pay_in_the_end(&server, &payment, &request(agent));
            if answer.status == 402 {
                assert!(!same && answer.text().contains("for another request"), "{answer:?}");
                answer = pay(&server, SCHEMA, &payment, &request("seller"));
            }
            assert_eq!(answer.status, 200, "{manner:?}: {answer:?}");
            bought += 1;
            assert_eq!(facilitator.settled(), bought, "{manner:?}");
            for agent in ["seller", "other"] {
                let again = pay(&server, SCHEMA, &payment, &request(agent));
                assert_eq!(refused(&again), "payment_already_used", "{manner:?}");
            }
        }
    }
    let verified = |agent: &str| {
        server.get(&format!("/reputation/{agent}")).json()["verified"].as_u64().unwrap()
    };
    assert_eq!(verified("seller") + verified("other"), bought as u64);
}

#[test]
fn whoever_leaves_during_the_settlement_can_fetch_the_answer() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = payment_for(&server, SCHEMA);
    facilitator.settle(Manner::Slow(300));
    let leaving = send(&server, &payment, &request("seller"));
    facilitator.wait_for("/settle", 1);
    drop(leaving);
    wait_for_record(&server, 1);
    let answer = pay_in_the_end(&server, &payment, &request("seller"));
    assert_eq!(answer.status, 200);
    assert_eq!(settlement(&answer)["transaction"], "0xt");
    let again = pay(&server, SCHEMA, &payment, &request("seller"));
    assert_eq!(refused(&again), "payment_already_used");
    assert_eq!(facilitator.counts(), (1, 1));
    assert_eq!(server.get("/reputation/seller").json()["verified"], 1);
}

#[test]
fn whoever_leaves_before_the_settlement_is_not_charged() {
    let facilitator = Facilitator::start();
    let server = start(&facilitator, &[]);
    let payment = payment_for(&server, SCHEMA);
    facilitator.verify(Manner::Silence { acted: true });
    let leaving = send(&server, &payment, &request("seller"));
    facilitator.wait_for("/verify", 1);
    drop(leaving);
    // The server has seen the connection close before the facilitator answers.
    std::thread::sleep(std::time::Duration::from_millis(200));
    facilitator.verify(Manner::Honest);
    let answer = pay_in_the_end(&server, &payment, &request("other"));
    assert_eq!(answer.json()["agent_id"], "other");
    assert_eq!((facilitator.settled(), facilitator.asked("/settle").len()), (1, 1));
    assert_eq!(server.get("/reputation/seller").json()["verified"], 0);
}

#[test]
fn what_was_paid_is_answered_at_its_price_of_then() {
    let shop = Shop::new();
    let server = shop.open();
    let payment = payment_for(&server, SCHEMA);
    shop.facilitator.settle(Manner::Silence { acted: true });
    let _waiting = send(&server, &payment, &request("seller"));
    shop.facilitator.wait_for("/settle", 1);
    server.kill();
    shop.facilitator.settle(Manner::Honest);

    let url = shop.facilitator.url();
    let args = charging(&url, &["--ledger", "ledger", "--free-per-day", "0", "--price", "1"]);
    let server = Server::start_in(&shop.home, &args);
    wait_for_record(&server, 1);
    let mut unused = payment.clone();
    unused["payload"]["authorization"]["nonce"] = format!("0x{}", "ef".repeat(32)).into();
    let answer = pay(&server, SCHEMA, &unused, &request("seller"));
    assert_eq!(refused(&answer), "invalid_payment_requirements");
    assert_eq!(pay_in_the_end(&server, &payment, &request("seller")).status, 200);
}

#[test]
fn one_server_alone_takes_payments_with_a_ledger() {
    let shop = Shop::new();
    let server = shop.open();
    let url = shop.facilitator.url();
    let args = charging(&url, &["--ledger", "ledger", "--listen", "127.0.0.1:0"]);
    let args = [&["serve"], &args[..]].concat();
    let run = shop.home.aov(&args).env("HOME", shop.home.path("").to_str().unwrap()).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("another server takes payments with this ledger"), "{run:?}");
    // One that takes none may use it, and so may the next one that does.
    drop(Server::start_in(&shop.home, &["--ledger", "ledger"]));
    server.kill();
    shop.open();
}
