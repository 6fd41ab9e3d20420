//! What runs out: the disk, descriptors, memory, a client's patience to read.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::common::Sandbox;
use crate::request;
use crate::server::{PATIENCE, Server, head};
use crate::survival::recorded;

/// Limits one resource of a running server, softly; none lifts the limit.
#[cfg(target_os = "linux")]
fn limit(server: &Server, resource: rustix::process::Resource, to: Option<u64>) {
    use rustix::process::{Pid, Rlimit, getrlimit, prlimit};

    let maximum = getrlimit(resource).maximum;
    let id = Pid::from_raw(server.id() as i32);
    prlimit(id, resource, Rlimit { current: to.or(maximum), maximum }).unwrap();
}

/// What the system knows of a server, by the name of a line in `/proc/ID/status`.
#[cfg(target_os = "linux")]
fn status(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    value.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
fn descriptors(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count()
}

/// Waits until something is so.
#[track_caller]
fn wait_until(mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < PATIENCE, "it does not come about");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A limit on the size of files is met as a full disk is: by an error of a write.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged_and_mends() {
    use rustix::process::Resource;

    let home = Sandbox::new();
    let server = Server::start_in(&home, &["--ledger", "ledger", "--free-per-day", "10000"]);
    let mut acknowledged = std::collections::HashSet::new();
    let mut post = || {
        let answer = server.post("/verify/schema", request("a"));
        match answer.status {
            200 => {
                let id = answer.json()["verification_id"].as_str().unwrap().to_owned();
                assert!(acknowledged.insert(id));
                None
            }
            _ => Some(answer),
        }
    };
    assert!(post().is_none());
    let size = home.path("ledger-wal").metadata().unwrap().len();
    limit(&server, Resource::Fsize, Some(size + 50_000));
    let refused = (0..100).find_map(|_| post()).expect("the disk is not full");
    assert_eq!((refused.status, refused.error().as_str()), (503, "ledger_unavailable"));
    assert!(!refused.text().contains("attestation"));
    for _ in 0..5 {
        assert_eq!(post().unwrap().error(), "ledger_unavailable");
        let health = server.get("/health");
        assert_eq!((health.status, health.error().as_str()), (503, "ledger_unavailable"));
        // What needs no room is done.
        assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
        assert_eq!(server.get("/reputation/a").status, 200);
    }
    limit(&server, Resource::Fsize, None);
    // Without a check in between, or nobody would send the next one.
    assert_eq!(server.get("/health").status, 200);
    assert!(post().is_none());
    assert_eq!(server.get("/reputation/a").json()["verified"], acknowledged.len());
    server.kill();
    assert_eq!(recorded(&home.path("ledger")), acknowledged);
}

#[cfg(target_os = "linux")]
#[test]
fn without_descriptors_it_waits_and_goes_on() {
    use rustix::process::Resource;

    let server = Server::start(&[]);
    assert_eq!(server.get("/health").status, 200);
    let few = descriptors(&server) + 5;
    limit(&server, Resource::Nofile, Some(few as u64));
    let started = Instant::now();
    let connections: Vec<_> = (0..30).map(|_| server.connect()).collect();
    wait_until(|| descriptors(&server) >= few);
    drop(connections);
    assert_eq!(server.get("/health").status, 200);
    let most = started.elapsed().as_millis() / 200 + 2;
    let log = server.kill();
    let pauses = log.matches("no connection can be accepted").count();
    // It has happened, and not as often as a loop without a pause would make it.
    assert!((1..=most).contains(&(pauses as u128)), "{pauses}, at most {most}");
}

#[test]
fn who_does_not_read_the_answers_is_cut_off() {
    let server = Server::start(&[]);
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let asked = head(server.address, "GET", "/openapi.json", &[], None).repeat(100);
    let mut waits = 0;
    wait_until(|| match stream.write(asked.as_bytes()) {
        Ok(_) => false,
        Err(error) => {
            use std::io::ErrorKind::{TimedOut, WouldBlock};
            let waiting = matches!(error.kind(), TimedOut | WouldBlock);
            waits += usize::from(waiting);
            !waiting
        }
    });
    // It was not cut off before it had stopped reading.
    assert!(waits > 0);
    assert_eq!(server.get("/health").status, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn many_large_bodies_at_once_are_held_within_bounds() {
    const BODY: usize = 10_000_000;

    let server = Server::start(&["--metrics"]);
    let overloaded = || {
        let line =
            "aov_http_requests_total{route=\"/verify/schema\",method=\"POST\",status=\"503\"}";
        server.get("/metrics").text().contains(line)
    };
    assert!(!overloaded());
    std::thread::scope(|scope| {
        let halves: Vec<_> = (0..40)
            .map(|_| {
                scope.spawn(|| {
                    let headers = [("Content-Type", "application/json")];
                    let mut connection = server.connect();
                    connection.send(head(
                        server.address,
                        "POST",
                        "/verify/schema",
                        &headers,
                        Some(BODY),
                    ));
                    // All but the end, so that nobody is answered and lets go.
                    let block = " ".repeat(100_000);
                    (1..BODY / block.len()).for_each(|_| connection.send(&block));
                    connection
                })
            })
            .collect();
        let connections: Vec<_> = halves.into_iter().map(|half| half.join().unwrap()).collect();
        // 400 MB were sent, and 256 MiB are held.
        wait_until(overloaded);
        assert_eq!(server.get("/health").status, 200);
        drop(connections);
    });
    let peak = status(&server, "VmHWM") / 1024;
    assert!(peak < 256 + 100, "{peak} MiB");
    // What was held is free again.
    wait_until(|| server.post("/verify/schema", request("test-a")).status == 200);
}

#[cfg(target_os = "linux")]
#[test]
fn heads_without_an_end_are_refused_before_they_are_large() {
    let server = Server::start(&[]);
    let head = |long: usize| {
        head(server.address, "GET", "/health", &[("X-Long", &"x".repeat(long))], None)
    };
    let mut fits = server.connect();
    fits.send(head(32 * 1024));
    assert_eq!(fits.answer().status, 200);
    let connections: Vec<_> = (0..250)
        .map(|_| {
            let mut connection = server.connect();
            let endless = head(400_000);
            connection.send(&endless[..350_000]);
            connection
        })
        .collect();
    // Who goes on sending may never read the refusal; this one stops at the limit.
    let mut last = server.connect();
    last.send(&head(400_000)[..64 * 1024]);
    assert_eq!(last.head().status, 431);
    let peak = status(&server, "VmHWM") / 1024;
    // Held whole, they would take 85 MiB.
    assert!(peak < 75, "{peak} MiB");
    drop(connections);
    assert_eq!(server.get("/health").status, 200);
}

#[cfg(unix)]
#[test]
fn a_ledger_that_can_only_be_read_is_refused() {
    use std::os::unix::process::CommandExt as _;

    let home = Sandbox::new();
    assert_eq!(home.aov(&["keygen", "-o", "key.json"]).run().status, 0);
    let key = home.read("key.json");
    let server = Server::start_in(&home, &["--ledger", "data/ledger", "--key", "key.json"]);
    assert_eq!(server.post("/verify/schema", request("a")).status, 200);
    server.kill();
    let before = std::fs::read(home.path("data/ledger")).unwrap();
    let aov = home.path("aov");
    std::fs::copy(env!("CARGO_BIN_EXE_aov"), &aov).unwrap();
    for (name, mode) in [
        ("aov", 0o755),
        ("data/ledger", 0o444),
        ("data/ledger-wal", 0o444),
        ("data", 0o555),
        ("", 0o755),
    ] {
        home.set_mode(name, mode);
    }
    let mut command = std::process::Command::new(&aov);
    command.args(["serve", "--listen", "127.0.0.1:0", "--ledger", "data/ledger"]);
    command.args(["--key", "env:AOV_KEY"]).env("AOV_KEY", key).current_dir(home.path(""));
    if std::fs::File::options().append(true).open(home.path("data/ledger")).is_ok() {
        // This is root, who may write everywhere: nobody else is asked.
        command.uid(65534).gid(65534);
    }
    let run = command.output().unwrap();
    home.set_mode("data", 0o755);
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{stderr}");
    assert!(stderr.contains("data/ledger: the ledger cannot be used: "), "{stderr}");
    assert!(stderr.contains("who may write it"), "{stderr}");
    assert_eq!(std::fs::read(home.path("data/ledger")).unwrap(), before);
}

#[test]
fn a_damaged_ledger_is_told_and_never_believed() {
    let home = Sandbox::new();
    let server = Server::start_in(&home, &["--ledger", "ledger"]);
    for number in 0..60 {
        assert_eq!(server.post("/verify/schema", request(&format!("a{number}"))).status, 200);
    }
    server.kill();
    // Closed by its last user, it is one file.
    assert_eq!(recorded(&home.path("ledger")).len(), 60);
    let whole = std::fs::read(home.path("ledger")).unwrap();

    // Behind the header and the tables' definitions.
    let mut damaged = whole.clone();
    damaged[8192..].fill(0xA5);
    std::fs::write(home.path("ledger"), damaged).unwrap();
    let server = Server::start_in(&home, &["--ledger", "ledger"]);
    for _ in 0..2 {
        assert_eq!(server.post("/verify/schema", request("a1")).error(), "ledger_unavailable");
        assert_eq!(server.get("/health").error(), "ledger_unavailable");
    }
    assert_eq!(server.post("/verify/schema", request("test-a")).status, 200);
    server.kill();

    for length in [whole.len() / 2, 5000, 100] {
        for name in ["ledger-wal", "ledger-shm"] {
            let _ = std::fs::remove_file(home.path(name));
        }
        std::fs::write(home.path("ledger"), &whole[..length]).unwrap();
        let path = home.path("");
        let run = home.aov(&["serve", "--ledger", "ledger"]).env("HOME", path.to_str().unwrap());
        let run = run.run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{length}: {}", run.stderr);
        assert!(run.stderr.contains("ledger: the ledger cannot be used: "), "{}", run.stderr);
        assert_eq!(std::fs::read(home.path("ledger")).unwrap(), whole[..length]);
    }
}
