//! A facilitator under the test's control. It believes every signature, remembers what was settled,
//! and can be told to refuse, to break off, or to say nothing, before or after it acts.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::PATIENCE;

pub(crate) const FEE_PAYER: &str = "EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd";
pub(crate) const SOLANA: &str = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

/// How a question is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// As it is: good unless it was settled before
    Honest,
    /// No, for this reason
    Refuse(&'static str),
    /// With this status, and nothing done
    Status(u16),
    /// With something else than x402's JSON
    Garbage,
    /// With more than anyone wants to read
    Endless,
    /// By closing the connection, after having acted or not
    Cut { acted: bool },
    /// Not before it is told to be honest again, after having acted or not
    Silence { acted: bool },
    /// After this many milliseconds
    Slow(u64),
}

/// What it was asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

struct State {
    verify: Manner,
    settle: Manner,
    supported: bool,
    asked: Vec<Question>,
    spent: HashSet<String>,
}

/// A running facilitator. Its thread ends with the tests.
pub(crate) struct Facilitator {
    address: SocketAddr,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Facilitator {
    pub(crate) fn start() -> Facilitator {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State {
            verify: Manner::Honest,
            settle: Manner::Honest,
            supported: true,
            asked: Vec::new(),
            spent: HashSet::new(),
        };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let facilitator = Facilitator { address, shared: Arc::clone(&shared) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&shared);
                // A server that is killed breaks its connections off.
                std::thread::spawn(move || answer_all(&shared, stream.ok()?));
            }
        });
        facilitator
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }

    pub(crate) fn verify(&self, manner: Manner) {
        self.state().verify = manner;
        self.shared.1.notify_all();
    }

    pub(crate) fn settle(&self, manner: Manner) {
        self.state().settle = manner;
        self.shared.1.notify_all();
    }

    pub(crate) fn supported(&self, up: bool) {
        self.state().supported = up;
    }

    /// All that it was asked on a path.
    pub(crate) fn asked(&self, path: &str) -> Vec<Question> {
        self.state().asked.iter().filter(|question| question.path == path).cloned().collect()
    }

    /// How often it was asked to verify and to settle.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.asked("/verify").len(), self.asked("/settle").len())
    }

    /// How many payments it has settled.
    pub(crate) fn settled(&self) -> usize {
        self.state().spent.len()
    }

    /// Waits until it was asked so often on a path.
    #[track_caller]
    pub(crate) fn wait_for(&self, path: &str, count: usize) {
        let started = Instant::now();
        while self.asked(path).len() < count {
            assert!(started.elapsed() < PATIENCE, "{path} was not asked");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn answer_all(shared: &(Mutex<State>, Condvar), stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let (mut length, mut authorization) = (0, None);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "authorization" => authorization = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let question = Question { path, authorization, body };
        let (status, answer) = answer(shared, question)?;
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", answer.len());
        reader.get_mut().write_all(head.as_bytes()).ok()?;
        reader.get_mut().write_all(answer.as_bytes()).ok()?;
    }
}

/// What is answered to a question; nothing where the connection is to be closed.
fn answer(shared: &(Mutex<State>, Condvar), question: Question) -> Option<(u16, String)> {
    let mut state = shared.0.lock().unwrap();
    let Question { path, body, .. } = question.clone();
    let settles = path == "/settle";
    let manner = match path.as_str() {
        "/verify" => state.verify,
        "/settle" => state.settle,
        "/supported" if state.supported => return Some((200, supported())),
        _ => return Some((503, String::new())),
    };
    let acts = !matches!(
        manner,
        Manner::Refuse(_)
            | Manner::Status(_)
            | Manner::Cut { acted: false }
            | Manner::Silence { acted: false }
    );
    let payment = body["paymentPayload"]["payload"].to_string();
    let fresh = !state.spent.contains(&payment);
    if settles && acts {
        state.spent.insert(payment);
    }
    // Whoever sees the question sees what it has done.
    state.asked.push(question);
    let network = body["paymentRequirements"]["network"].clone();
    let said = |reason: Option<&str>| match (settles, reason) {
        (false, None) => json!({"isValid": true, "payer": "0xpayer"}),
        (false, Some(reason)) => json!({"isValid": false, "invalidReason": reason}),
        (true, None) => {
            json!({"success": true, "transaction": "0xt", "network": network, "payer": "0xpayer"})
        }
        (true, Some(reason)) => json!({
            "success": false, "transaction": "", "network": network, "errorReason": reason
        }),
    };
    let honest = said((!fresh).then_some("invalid_exact_evm_nonce_already_used")).to_string();
    match manner {
        Manner::Honest => Some((200, honest)),
        Manner::Refuse(reason) => Some((200, said(Some(reason)).to_string())),
        Manner::Status(status) => Some((status, honest)),
        Manner::Garbage => Some((200, "<html>".to_owned())),
        Manner::Endless => Some((200, " ".repeat(1 << 20))),
        Manner::Cut { .. } => None,
        Manner::Silence { .. } => {
            let (told, quiet) = shared
                .1
                .wait_timeout_while(state, PATIENCE, |state| {
                    let manner = if settles { state.settle } else { state.verify };
                    matches!(manner, Manner::Silence { .. })
                })
                .unwrap();
            drop(told);
            (acts && !quiet.timed_out()).then_some((200, honest))
        }
        Manner::Slow(millis) => {
            drop(state);
            std::thread::sleep(Duration::from_millis(millis));
            Some((200, honest))
        }
    }
}

fn supported() -> String {
    json!({"kinds": [
        {"x402Version": 2, "scheme": "exact", "network": "eip155:8453"},
        {"x402Version": 2, "scheme": "exact", "network": SOLANA, "extra": {"feePayer": FEE_PAYER}},
    ]})
    .to_string()
}
