//! The free allowance: one for each client, over all routes.

use crate::request;
use crate::server::{Answer, Server};

fn balance(answer: &Answer) -> Option<(&str, &str)> {
    assert_eq!(
        answer.header("free-allowance-limit").is_some(),
        answer.header("free-allowance-resets").is_some()
    );
    answer.header("free-allowance-limit").zip(answer.header("free-allowance-remaining"))
}

#[test]
fn without_a_limit_there_are_no_headers() {
    let server = Server::start(&[]);
    assert_eq!(balance(&server.post("/verify/schema", request("test-a"))), None);
}

#[test]
fn it_is_shared_by_routes_and_used_up() {
    let server = Server::start(&["--free-per-day", "2"]);
    let first = server.post("/verify/schema", request("test-a"));
    assert_eq!(balance(&first), Some(("2", "1")));
    // What is invalid uses none of it.
    assert_eq!(server.post("/verify/schema", "{}").status, 422);
    assert_eq!(server.post("/verify/schema", "{").status, 422);
    let second = server.post("/verify/deliverable", request("test-a"));
    assert_eq!(balance(&second), Some(("2", "0")));
    let resets = second.header("free-allowance-resets").unwrap();
    assert!(resets.ends_with("T00:00:00+00:00"), "{resets}");

    let refused = server.post("/verify/schema", request("test-a"));
    assert_eq!((refused.status, refused.error().as_str()), (429, "rate_limited"));
    assert_eq!(balance(&refused), Some(("2", "0")));
    let wait = refused.json()["retry_after"].as_u64().unwrap();
    assert!(wait > 0 && wait <= 86_401, "{wait}");
    // An invalid request is told what is wrong with it all the same.
    assert_eq!(server.post("/verify/schema", "{}").status, 422);
    assert_eq!(server.get("/reputation/a").status, 200);
}

#[test]
fn nothing_free_is_nothing() {
    let server = Server::start(&["--free-per-day", "0"]);
    assert_eq!(server.post("/verify/schema", request("test-a")).error(), "rate_limited");
}

#[test]
fn a_proxy_names_the_client_where_it_is_trusted() {
    let from = |server: &Server, address: &str| {
        let headers = [("Content-Type", "application/json"), ("X-Forwarded-For", address)];
        server.request("POST", "/verify/schema", &headers, request("test-a").as_bytes()).status
    };
    let trusting = Server::start(&["--free-per-day", "1", "--trust-proxy"]);
    assert_eq!(from(&trusting, "192.0.2.1"), 200);
    assert_eq!(from(&trusting, "192.0.2.2"), 200);
    // What the client puts in front does not make another client of it.
    assert_eq!(from(&trusting, "198.51.100.1, 192.0.2.1"), 429);
    assert_eq!(from(&trusting, "2001:db8::1"), 200);
    assert_eq!(from(&trusting, "2001:db8::2"), 429);

    let plain = Server::start(&["--free-per-day", "1"]);
    assert_eq!(from(&plain, "192.0.2.1"), 200);
    assert_eq!(from(&plain, "192.0.2.2"), 429);
}

#[test]
fn clients_side_by_side_get_exactly_what_there_is() {
    let server = Server::start(&["--free-per-day", "10"]);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..30)
            .map(|_| scope.spawn(|| server.post("/verify/schema", request("test-a")).status))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 10, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 20, "{statuses:?}");
}
