//! What is acknowledged is in the ledger, whatever happens.

use std::collections::HashSet;

use rusqlite::Connection;

use crate::common::Sandbox;
use crate::request;
use crate::server::Server;

/// The ids in a ledger. Fails where one is there twice, or the file is not whole.
pub(crate) fn recorded(path: &std::path::Path) -> HashSet<String> {
    let ledger = Connection::open(path).unwrap();
    let whole: String = ledger.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    let mut select = ledger.prepare("SELECT verification_id FROM verification").unwrap();
    let ids = select.query_map([], |row| row.get(0)).unwrap();
    let mut known = HashSet::new();
    for id in ids {
        assert!(known.insert(id.unwrap()));
    }
    known
}

#[cfg(unix)]
#[test]
fn killed_under_load_it_has_lost_nothing() {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    let home = Sandbox::new();
    let acknowledged = Mutex::new(HashSet::new());
    for _ in 0..3 {
        let server = Server::start_in(&home, &["--ledger", "ledger"]);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let body = request("a");
                    while !stop.load(Ordering::Relaxed) {
                        // A connection that is cut has acknowledged nothing.
                        if let Some(id) = checked(&server, &body) {
                            assert!(acknowledged.lock().unwrap().insert(id));
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(400));
            let id = rustix::process::Pid::from_raw(server.id() as i32).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
            stop.store(true, Ordering::Relaxed);
        });
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    let ledger = recorded(&home.path("ledger"));
    assert!(acknowledged.is_subset(&ledger));

    // The counts are those of the rows.
    let server = Server::start_in(&home, &["--ledger", "ledger"]);
    assert_eq!(server.get("/reputation/a").json()["verified"], ledger.len());
}

/// The id of a check, where it was answered.
#[cfg(unix)]
fn checked(server: &Server, body: &str) -> Option<String> {
    use std::io::{Read as _, Write as _};

    use crate::server::head;

    let mut stream = std::net::TcpStream::connect(server.address).ok()?;
    stream.set_read_timeout(Some(crate::server::PATIENCE)).ok()?;
    let headers = [("Content-Type", "application/json"), ("Connection", "close")];
    let head = head(server.address, "POST", "/verify/schema", &headers, Some(body.len()));
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(body["verification_id"].as_str()?.to_owned())
}

#[test]
fn two_servers_share_a_ledger() {
    let home = Sandbox::new();
    let servers = [(); 2].map(|()| Server::start_in(&home, &["--ledger", "ledger"]));
    std::thread::scope(|scope| {
        for server in &servers {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        assert_eq!(server.post("/verify/schema", request("a")).status, 200);
                    }
                });
            }
        }
    });
    for server in &servers {
        assert_eq!(server.get("/reputation/a").json()["verified"], 80);
    }
    assert_eq!(recorded(&home.path("ledger")).len(), 80);
}

#[test]
fn a_ledger_that_cannot_be_written_is_an_error_and_mends() {
    let home = Sandbox::new();
    let server = Server::start_in(&home, &["--ledger", "ledger", "--free-per-day", "3"]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    let other = Connection::open(home.path("ledger")).unwrap();
    other.execute_batch("ALTER TABLE agent RENAME TO elsewhere").unwrap();
    let refused = server.post("/verify/schema", request("a"));
    assert_eq!((refused.status, refused.error().as_str()), (503, "ledger_unavailable"));
    assert!(!refused.text().contains("attestation"));
    assert_eq!(server.get("/reputation/a").error(), "ledger_unavailable");
    assert_eq!(server.get("/health").error(), "ledger_unavailable");
    // What is not recorded needs no ledger.
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    other.execute_batch("ALTER TABLE elsewhere RENAME TO agent").unwrap();
    let answer = server.post("/verify/schema", request("a"));
    assert_eq!(answer.status, 200);
    // The refused one has used nothing up.
    assert_eq!(answer.header("free-allowance-remaining"), Some("0"));
    assert_eq!(server.get("/reputation/a").json()["verified"], 2);
}

#[test]
fn a_newer_ledger_is_refused_and_left_alone() {
    let home = Sandbox::new();
    drop(Server::start_in(&home, &["--ledger", "ledger"]));
    let ledger = Connection::open(home.path("ledger")).unwrap();
    ledger.pragma_update(None, "user_version", 1000).unwrap();
    drop(ledger);
    let before = std::fs::read(home.path("ledger")).unwrap();
    let path = home.path("");
    let run = home.aov(&["serve", "--ledger", "ledger"]).env("HOME", path.to_str().unwrap()).run();
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("a later version of aov made this ledger"), "{}", run.stderr);
    assert_eq!(std::fs::read(home.path("ledger")).unwrap(), before);
}
