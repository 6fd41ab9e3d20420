//! A server under test, and a client that says exactly what it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

use crate::common::Sandbox;

/// Longer than anything takes; a test that waits so long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It is killed when the test ends.
pub(crate) struct Server {
    child: Child,
    /// Kept open, so that the server can write to it.
    stdout: BufReader<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts one on a free port, with a fresh key and a ledger in memory.
    pub(crate) fn start(args: &[&str]) -> Server {
        Server::start_in(&Sandbox::new(), &[&["--ledger", ":memory:"], args].concat())
    }

    /// Starts one in a folder, which is its user's home.
    pub(crate) fn start_in(home: &Sandbox, args: &[&str]) -> Server {
        Server::start_with(home, args, &[])
    }

    /// The same, with variables in its environment.
    pub(crate) fn start_with(home: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Server {
        let all = [&["serve", "--listen", "127.0.0.1:0"], args].concat();
        let path = home.path("");
        let path = path.to_str().unwrap();
        let aov = home.aov(&all).env("HOME", path).env("XDG_DATA_HOME", "").env("APPDATA", path);
        let aov = variables.iter().fold(aov, |aov, (name, value)| aov.env(name, value));
        let mut child = aov.start();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let Some(address) = line.trim_end().strip_prefix("listening on http://") else {
            let mut stderr = String::new();
            child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            panic!("the server did not start: {line}{stderr}");
        };
        let address = address.parse().unwrap();
        let stderr = child.stderr.take();
        Server { child, stdout, stderr, address }
    }

    /// A connection to it.
    pub(crate) fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Connection { reader: BufReader::new(stream) }
    }

    /// Asks for a path.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    /// Posts a JSON text.
    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.request("POST", path, &[("Content-Type", "application/json")], body.as_ref())
    }

    /// One request on a connection of its own.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut connection = self.connect();
        connection.send(head(self.address, method, path, headers, Some(body.len())));
        connection.send(body);
        connection.answer()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(self.id() as i32).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Waits for its end; the status, none where a signal ended it.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it, as a power failure would, and gives what it logged.
    pub(crate) fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut log = String::new();
        self.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        log
    }

    /// What else it printed on standard output, after its end.
    pub(crate) fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The head of a request.
pub(crate) fn head(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    length: Option<usize>,
) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(length) = length.filter(|length| *length > 0 || method == "POST") {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head + "\r\n"
}

/// A connection, for requests in parts.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    /// Sends what may be a part of a request. A server that has refused the rest may have closed
    /// the connection; its answer tells.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.reader.get_mut().write_all(bytes.as_ref());
    }

    /// Whether the server has closed the connection; waits until something comes.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.reader.fill_buf().map_or(true, <[u8]>::is_empty)
    }

    /// Reads an answer.
    pub(crate) fn answer(&mut self) -> Answer {
        let mut answer = self.head();
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        answer.body.resize(length, 0);
        self.reader.read_exact(&mut answer.body).unwrap();
        answer
    }

    /// Reads an answer that is all head.
    pub(crate) fn head(&mut self) -> Answer {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        Answer { status, headers, body: Vec::new() }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it is an error of the common shape, and gives its code.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        let body = self.json();
        assert_eq!(body["status"], self.status, "{body}");
        assert_eq!(body["charged"], false, "{body}");
        assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        assert!(body["next_actions"][0]["action"].is_string(), "{body}");
        let guidance = &body["guidance"];
        for member in ["what_to_do", "price", "free_allowance"] {
            assert!(guidance[member].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        }
        assert!(guidance["example_request"]["submitted_output"].is_object(), "{body}");
        let wait = body["retry_after"].as_u64();
        assert_eq!(body["retryable"], wait.is_some(), "{body}");
        let header = self.header("retry-after").map(|seconds| seconds.parse().unwrap());
        assert_eq!(header, wait, "{body}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        body["code"].as_str().unwrap().to_owned()
    }
}
