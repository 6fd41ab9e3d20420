//! What runs out: the disk, descriptors, memory, a client's patience to read.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::server::{PATIENCE, Server, head};

/// Waits until something is so.
#[track_caller]
fn wait_until(mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < PATIENCE, "it does not come about");
        std::thread::sleep(Duration::from_millis(10));
    }
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
