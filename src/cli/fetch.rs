//! Fetches an agent card over HTTP(S): one blocking call, 1 MiB and ten seconds at most.
//!
//! Whoever wrote a receipt chose the URL in it, so that URL may not steer the machine that checks
//! the receipt: https only, no address that is not public, no other host by redirect, no proxy from
//! the environment, no credentials. A URL the user typed may be https to anything, or plain http to
//! this machine. The rule is applied to the addresses connected to, not to the spelling of a host.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use agent_output_verifier::text::escaped;
use reqwest::Url;
use reqwest::blocking::{Client, Response};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION};

use super::address::not_public;

const MAX_BYTES: u64 = 1 << 20;
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 3;

/// What is said when the fetching thread panicked: better than taking the caller down with it.
const STOPPED: &str = "the HTTP client stopped unexpectedly";

/// Longest URL an error repeats, in characters.
const SHOWN_URL: usize = 120;

/// Who named a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NamedBy {
    /// The person running the command.
    User,
    /// A receipt, and so whoever wrote the receipt.
    Receipt,
}

/// Why a document could not be had.
#[derive(Debug)]
pub(crate) struct FetchError {
    /// The URL asked for, shortened, without credentials, query and fragment.
    pub(crate) url: String,
    /// What stopped it.
    pub(crate) reason: Reason,
}

/// What stopped a fetch.
#[derive(Debug)]
pub(crate) enum Reason {
    /// A rule forbids the URL, its address or its redirect: nothing was sent there.
    Refused(String),
    /// The network, TLS or the server failed.
    Unreachable(String),
    /// The whole took longer than this.
    TimedOut(Duration),
    /// The document is larger than a card may be.
    TooLarge,
}

impl Reason {
    fn refused(cause: impl Into<String>) -> Self {
        Self::Refused(cause.into())
    }

    fn unreachable(cause: impl Into<String>) -> Self {
        Self::Unreachable(cause.into())
    }
}

impl FetchError {
    /// Whether a rule of ours forbade it, rather than the network failing.
    ///
    /// A document that is too large counts: asking again cannot help.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.reason, Reason::Refused(_) | Reason::TooLarge)
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.is_refusal() { "refused to" } else { "could not" };
        write!(f, "{verb} fetch {}: {}", self.url, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(cause) | Self::Unreachable(cause) => f.write_str(cause),
            Self::TimedOut(limit) => write!(f, "timed out after {} s", limit.as_secs_f32()),
            Self::TooLarge => write!(f, "larger than {} MiB", MAX_BYTES >> 20),
        }
    }
}

impl Error for FetchError {}

/// Fetches a document.
///
/// Blocks for ten seconds at most. The client and its TLS are set up here and go with the call.
pub(crate) fn fetch(url: &str, named_by: NamedBy) -> Result<Vec<u8>, FetchError> {
    fetch_with(url, named_by, MAX_TIME, system_lookup)
}

/// Looks a host name up; blocks as long as it likes.
type Lookup = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

fn system_lookup(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

fn fetch_with(
    url: &str,
    named_by: NamedBy,
    limit: Duration,
    lookup: Lookup,
) -> Result<Vec<u8>, FetchError> {
    let fail = |reason| FetchError { url: shown(url), reason };
    let parsed =
        Url::parse(url).map_err(|error| fail(Reason::refused(format!("not a URL: {error}"))))?;
    let reach = Reach::of(&parsed, named_by).map_err(fail)?;
    let download =
        Download { url: parsed, named_by, reach, lookup, started: Instant::now(), limit };

    // The system's resolver and the loading of the trust store know no deadline. On a thread that
    // is left behind when time is up, neither can hold the caller; it dies with the process.
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::Builder::new()
        .name("fetch".to_owned())
        .spawn(move || {
            // Nobody listens any more once the caller has given up.
            let _ = sender.send(download.run());
        })
        .map_err(|error| fail(Reason::unreachable(format!("no thread to fetch on: {error}"))))?;
    let outcome = receiver.recv_timeout(limit).unwrap_or_else(|error| {
        Err(match error {
            RecvTimeoutError::Timeout => Reason::TimedOut(limit),
            RecvTimeoutError::Disconnected => Reason::unreachable(STOPPED),
        })
    });
    outcome.map_err(fail)
}

/// One fetch under way.
struct Download {
    url: Url,
    named_by: NamedBy,
    reach: Reach,
    lookup: Lookup,
    started: Instant,
    limit: Duration,
}

impl Download {
    fn run(self) -> Result<Vec<u8>, Reason> {
        let client = self.client()?;
        let mut url = self.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = client
                .get(url.clone())
                // Covers the body too. Resolving and earlier redirects have used some of it up.
                .timeout(self.limit.saturating_sub(self.started.elapsed()))
                .send()
                .map_err(|error| self.failure(&error))?;
            match redirect(&url, &response)? {
                None => return self.body(response),
                Some(next) => {
                    // Same origin, but it may have gained credentials.
                    Reach::of(&next, self.named_by)?;
                    url = next;
                }
            }
        }
        Err(Reason::refused(format!("redirects more than {MAX_REDIRECTS} times")))
    }

    /// A client that can connect to the checked addresses of this one host, and nowhere else.
    fn client(&self) -> Result<Client, Reason> {
        // The client panics without a provider. This fails only where one is installed already, and
        // that one serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let identity =
            HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]);
        let mut builder = Client::builder()
            .user_agent(concat!("aov/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(self.resolve()?))
            // Redirects are followed here, so that each target passes the same checks.
            .redirect(reqwest::redirect::Policy::none())
            // A proxy would resolve and connect on its own, beyond the address check. The client
            // reads HTTP_PROXY and the like unless told not to.
            .no_proxy()
            // Features are unified across a build: another crate's must not switch these on, or a
            // small body could be a large one.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .default_headers(identity);
        if self.url.scheme() == "http" {
            // No TLS here: do without the system's trust store, which a container may lack.
            builder = builder.tls_certs_only([]);
        }
        builder.build().map_err(|error| self.failure(&error))
    }

    /// Resolves the host, once, to the addresses it may be connected to.
    ///
    /// Checking here and letting the client look the name up again would let a server answer the
    /// check with a public address and the connection with a private one (DNS rebinding).
    fn resolve(&self) -> Result<Pinned, Reason> {
        let host = host(&self.url);
        let port = self.url.port_or_known_default().unwrap_or_default();
        // The client connects to a literal without asking its resolver: this is that address.
        let found = match host.parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, port)],
            Err(_) => (self.lookup)(host, port).map_err(|error| {
                Reason::unreachable(format!("the host name does not resolve ({error})"))
            })?,
        };
        let mut refusal = None;
        let mut addresses = Vec::new();
        for address in found {
            match self.reach.objection(address.ip()) {
                None => addresses.push(address),
                Some(what) => {
                    refusal.get_or_insert_with(|| {
                        Reason::refused(format!("the address {} is {what}", address.ip()))
                    });
                }
            }
        }
        if addresses.is_empty() {
            return Err(
                refusal.unwrap_or_else(|| Reason::unreachable("the host name has no address"))
            );
        }
        Ok(Pinned { host: host.to_owned(), addresses })
    }

    /// The body of a final answer.
    fn body(&self, response: Response) -> Result<Vec<u8>, Reason> {
        if response.status() != reqwest::StatusCode::OK {
            return Err(Reason::unreachable(format!("answered {}", response.status().as_u16())));
        }
        if response.content_length().is_some_and(|length| length > MAX_BYTES) {
            return Err(Reason::TooLarge);
        }
        // The announced length may be missing; read no further than needed to tell.
        let mut body = Vec::new();
        response.take(MAX_BYTES + 1).read_to_end(&mut body).map_err(|error| match error
            .downcast::<reqwest::Error>(
        ) {
            Ok(error) => self.failure(&error),
            Err(error) => Reason::unreachable(root_cause(&error)),
        })?;
        if body.len() as u64 > MAX_BYTES {
            return Err(Reason::TooLarge);
        }
        Ok(body)
    }

    fn failure(&self, error: &reqwest::Error) -> Reason {
        if error.is_timeout() {
            Reason::TimedOut(self.limit)
        } else {
            Reason::unreachable(root_cause(error))
        }
    }
}

/// Where a response redirects to; an error where that may not be followed.
fn redirect(from: &Url, response: &Response) -> Result<Option<Url>, Reason> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let to = location
        .to_str()
        .ok()
        .and_then(|location| from.join(location).ok())
        .ok_or_else(|| Reason::unreachable("redirects to something that is no URL"))?;
    // Another port is another service, and http would give up what https promised.
    if to.origin() == from.origin() {
        Ok(Some(to))
    } else if to.host_str() == from.host_str() {
        Err(Reason::refused("redirects to another scheme or port"))
    } else {
        Err(Reason::refused("redirects to another host"))
    }
}

/// A resolver that knows one host, and only the addresses checked for it.
struct Pinned {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let answer = if name.as_str().eq_ignore_ascii_case(&self.host) {
            Ok(Box::new(self.addresses.clone().into_iter()) as Addrs)
        } else {
            Err("a host whose address was not checked".into())
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Which addresses a URL may lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// Public ones: what a receipt names.
    Public,
    /// This machine: plain http that the user typed.
    Loopback,
    /// All: https that the user typed.
    Any,
}

impl Reach {
    /// The reach of a URL, or the rule that forbids it whatever its address.
    fn of(url: &Url, named_by: NamedBy) -> Result<Self, Reason> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Reason::refused("carries credentials"));
        }
        match (url.scheme(), named_by) {
            ("https", NamedBy::Receipt) => Ok(Self::Public),
            ("https", NamedBy::User) => Ok(Self::Any),
            ("http", NamedBy::User) if names_this_machine(url) => Ok(Self::Loopback),
            ("http", NamedBy::User) => Err(Reason::refused(
                "not https (plain http is only for 127.0.0.1, ::1 and localhost)",
            )),
            _ => Err(Reason::refused("not https")),
        }
    }

    /// What is wrong with an address, completing "the address … is".
    fn objection(self, ip: IpAddr) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Loopback => {
                (!ip.to_canonical().is_loopback()).then_some("not a loopback address")
            }
            Self::Public => not_public(ip),
        }
    }
}

/// Whether the host is `localhost` or a loopback address.
///
/// No other name counts, whatever it resolves to: whoever runs its DNS decides where it leads.
fn names_this_machine(url: &Url) -> bool {
    let host = host(url);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// The host of a URL; of an IPv6 address without the brackets.
///
/// Parsing the URL has already turned the odd spellings of an IPv4 address (`0x7f.1`, `2130706433`,
/// `017700000001`, `127.0.0.1.`, full-width digits) into the usual one.
fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_matches(['[', ']'])
}

/// The innermost cause of an error: the outer ones say only that a request failed.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
        // Without the "(os error 111)" of the error itself.
        Some(
            kind @ (io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable),
        ) => kind.to_string(),
        // A server has its say in some of these, through its certificate for one.
        _ => escaped(&cause.to_string()),
    }
}

/// A URL as errors show it: secrets may be in its credentials, query and fragment.
fn shown(url: &str) -> String {
    let text = if let Ok(mut url) = Url::parse(url) {
        // These fail where a URL has no place for credentials, and so has none.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        url.to_string()
    } else {
        let end = url.find(['?', '#']).unwrap_or(url.len());
        let start = url[..end].rfind('@').map_or(0, |at| at + 1);
        escaped(&url[start..end])
    };
    match text.char_indices().nth(SHOWN_URL) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Nothing listens here. A port that was free a moment ago may be another test's by now.
    const CLOSED: &str = "127.0.0.1:1";

    /// A lookup for tests that must not come to one.
    fn no_lookup(host: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        panic!("looked up {host}");
    }

    fn lookup_of(addresses: &[&str], port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(addresses.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), port)).collect())
    }

    fn quickly(url: &str, named_by: NamedBy) -> Result<Vec<u8>, FetchError> {
        fetch_with(url, named_by, Duration::from_secs(5), no_lookup)
    }

    /// The cause of a failure that must be one of the network, and no panic in disguise.
    fn network_failure(result: Result<Vec<u8>, FetchError>) -> String {
        match result.unwrap_err().reason {
            Reason::Unreachable(cause) if cause != STOPPED => cause,
            reason => panic!("{reason:?}"),
        }
    }

    /// Serves each connection with `answer`, which gets the connection, its number and the request.
    /// Returns the port and what has been requested so far.
    fn serve(
        answer: impl Fn(&mut TcpStream, usize) -> io::Result<()> + Send + 'static,
    ) -> (u16, mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = mpsc::channel();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                    request.push(byte[0]);
                }
                let _ = sender.send(String::from_utf8_lossy(&request).to_lowercase());
                // The client may hang up in the middle, as it should of a body too large.
                let _ = answer(&mut stream, number);
            }
        });
        (port, requests)
    }

    fn respond(stream: &mut TcpStream, head: &str, body: &[u8]) -> io::Result<()> {
        write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\n\r\n")?;
        stream.write_all(body)
    }

    fn serve_once(head: &'static str, body: Vec<u8>) -> String {
        let (port, _) = serve(move |stream, _| respond(stream, head, &body));
        format!("http://127.0.0.1:{port}/card.json")
    }

    #[test]
    fn the_user_reaches_this_machine_over_http_and_anything_over_https() {
        for ip in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(Reach::Loopback.objection(ip.parse().unwrap()), None, "{ip}");
        }
        for ip in ["0.0.0.0", "::", "10.0.0.1", "8.8.8.8", "::127.0.0.1", "169.254.169.254"] {
            assert!(Reach::Loopback.objection(ip.parse().unwrap()).is_some(), "{ip}");
        }
        let reach = |url| Reach::of(&Url::parse(url).unwrap(), NamedBy::User).unwrap();
        assert_eq!(reach("https://10.0.0.1/"), Reach::Any);
        assert_eq!(reach("https://example.com/"), Reach::Any);
        for url in
            ["http://localhost/", "http://LOCALHOST:8080/", "http://0x7f.1/", "http://[::1]/"]
        {
            assert_eq!(reach(url), Reach::Loopback, "{url}");
        }
    }

    #[test]
    fn urls_are_refused_before_any_connection() {
        let cases: [(NamedBy, &str, &[&str]); 10] = [
            (
                NamedBy::User,
                "not a URL: ",
                &["", "card.json", "https://", "https://999.1.1.1/", "https://[fe80::1%25lo]/"],
            ),
            (
                NamedBy::User,
                "not https",
                &["file:///etc/passwd", "data:,{}", "ftp://localhost/", "mailto:a@localhost"],
            ),
            (
                NamedBy::User,
                "not https (plain http is only for 127.0.0.1, ::1 and localhost)",
                &[
                    "http://example.com/",
                    "http://10.0.0.1/",
                    "http://0.0.0.0/",
                    "http://169.254.169.254/latest/meta-data/",
                    "http://[::ffff:10.0.0.1]/",
                    "http://localhost.example/",
                    "http://127.0.0.1.example/",
                ],
            ),
            (
                NamedBy::Receipt,
                "not https",
                &["file:///etc/passwd", "http://example.com/", "http://127.0.0.1/"],
            ),
            (
                NamedBy::User,
                "carries credentials",
                &["https://user:secret@example.com/", "http://:secret@localhost/"],
            ),
            (
                NamedBy::Receipt,
                "carries credentials",
                &["https://user@example.com/", "https://example.com@127.0.0.1/"],
            ),
            (
                NamedBy::Receipt,
                "the address 127.0.0.1 is loopback",
                &[
                    "https://127.0.0.1:8443/",
                    "https://127.0.0.1./",
                    "https://127.1/",
                    "https://0x7f.1/",
                    "https://0X7F000001/",
                    "https://2130706433/",
                    "https://017700000001/",
                    "https://0177.0.0.1/",
                    "https://%31%32%37.0.0.1/",
                    "https://１２７.０.０.１/",
                    "https://127。0。0。1/",
                    "https:\\\\127.0.0.1\\",
                    " ht\ntps:127.0.0.1",
                ],
            ),
            (
                NamedBy::Receipt,
                "the address ::ffff:127.0.0.1 is loopback",
                &["https://[::ffff:127.0.0.1]/", "https://[0:0:0:0:0:FFFF:7F00:1]/"],
            ),
            (
                NamedBy::Receipt,
                "the address 0.0.0.0 is unspecified",
                &["https://0/", "https://0.0.0.0:443/"],
            ),
            (
                NamedBy::Receipt,
                "the address 169.254.169.254 is a metadata service",
                &["https://169.254.169.254/", "https://0xa9fea9fe/", "https://169.254.43518/"],
            ),
        ];
        for (named_by, cause, urls) in cases {
            for url in urls {
                let error = quickly(url, named_by).unwrap_err();
                assert!(error.is_refusal(), "{url}: {error}");
                assert!(error.reason.to_string().starts_with(cause), "{url}: {error}");
            }
        }
    }

    #[test]
    fn a_name_counts_as_what_it_resolves_to() {
        let private = |_: &str, port| lookup_of(&["10.0.0.1", "::1"], port);
        let limit = Duration::from_secs(5);
        let error =
            fetch_with("https://card.example/", NamedBy::Receipt, limit, private).unwrap_err();
        assert_eq!(error.reason.to_string(), "the address 10.0.0.1 is private");
        // ::1 is left to connect to, with nothing listening there.
        network_failure(fetch_with("http://localhost:1/", NamedBy::User, limit, private));

        let unknown = |_: &str, _| Err(io::Error::other("no such name"));
        let error =
            fetch_with("https://card.example/", NamedBy::Receipt, limit, unknown).unwrap_err();
        assert_eq!(error.reason.to_string(), "the host name does not resolve (no such name)");
        assert!(!error.is_refusal());
        let nothing = |_: &str, _| Ok(Vec::new());
        let error =
            fetch_with("https://card.example/", NamedBy::Receipt, limit, nothing).unwrap_err();
        assert_eq!(error.reason.to_string(), "the host name has no address");
    }

    #[test]
    fn a_name_is_resolved_once_and_connected_to_what_was_checked() {
        static LOOKUPS: AtomicUsize = AtomicUsize::new(0);
        // A rebinding server: harmless when checked, something else when asked again.
        let rebinding = |_: &str, port| match LOOKUPS.fetch_add(1, Ordering::SeqCst) {
            0 => lookup_of(&["10.0.0.1", "127.0.0.1"], port),
            _ => lookup_of(&["10.0.0.1"], port),
        };
        let (port, _requests) = serve(|stream, number| match number {
            0 => respond(stream, "302 Found\r\nLocation: /again", b""),
            _ => respond(stream, "200 OK", b"{}"),
        });
        let url = format!("http://localhost:{port}/");
        let body = fetch_with(&url, NamedBy::User, Duration::from_secs(5), rebinding).unwrap();
        assert_eq!(body, b"{}");
        assert_eq!(LOOKUPS.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_card_is_fetched_with_a_plain_request() {
        let (port, requests) = serve(|stream, _| respond(stream, "200 OK", b"{\"a\":1}"));
        let url = format!("http://127.0.0.1:{port}/card.json?q=1");
        assert_eq!(quickly(&url, NamedBy::User).unwrap(), b"{\"a\":1}");
        let request = requests.recv().unwrap();
        assert!(request.starts_with("get /card.json?q=1 http/1.1\r\n"), "{request}");
        let agent = concat!("user-agent: aov/", env!("CARGO_PKG_VERSION"), "\r\n");
        assert!(request.contains(agent), "{request}");
        assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
    }

    #[test]
    fn only_status_200_is_a_card() {
        for (head, cause) in [
            ("404 Not Found", "answered 404"),
            ("500 Internal Server Error", "answered 500"),
            ("204 No Content", "answered 204"),
            ("206 Partial Content", "answered 206"),
            ("304 Not Modified", "answered 304"),
            ("302 Found", "answered 302"),
        ] {
            let error = quickly(&serve_once(head, Vec::new()), NamedBy::User).unwrap_err();
            assert_eq!(error.reason.to_string(), cause);
            assert!(!error.is_refusal());
        }
    }

    #[test]
    fn redirects_stay_on_the_same_origin() {
        let (elsewhere, reached) = serve(|stream, _| respond(stream, "200 OK", b"{}"));
        let cases = [
            (format!("http://127.0.0.1:{elsewhere}/"), "redirects to another scheme or port"),
            (format!("http://localhost:{elsewhere}/"), "redirects to another host"),
            (format!("//127.0.0.2:{elsewhere}/"), "redirects to another host"),
            ("https://127.0.0.1/".to_owned(), "redirects to another scheme or port"),
            ("file:///etc/passwd".to_owned(), "redirects to another host"),
            ("http://user@127.0.0.1:PORT/".to_owned(), "carries credentials"),
            ("http://[/".to_owned(), "redirects to something that is no URL"),
        ];
        for (location, cause) in cases {
            let (port, _requests) = serve(move |stream, _| {
                let port = stream.local_addr()?.port().to_string();
                let location = location.replace("PORT", &port);
                respond(stream, &format!("301 Moved\r\nLocation: {location}"), b"")
            });
            let url = format!("http://127.0.0.1:{port}/");
            let error = quickly(&url, NamedBy::User).unwrap_err();
            assert_eq!(error.reason.to_string(), cause);
            assert_eq!(error.is_refusal(), !cause.ends_with("no URL"));
        }
        assert!(reached.try_recv().is_err(), "a redirect was followed elsewhere");
    }

    #[test]
    fn three_redirects_are_followed_and_no_more() {
        let chain = |redirects| {
            let (port, _requests) = serve(move |stream, number| {
                if number < redirects {
                    respond(stream, &format!("307 Go\r\nLocation: /{number}"), b"")
                } else {
                    respond(stream, "200 OK", b"{}")
                }
            });
            quickly(&format!("http://127.0.0.1:{port}/"), NamedBy::User)
        };
        assert_eq!(chain(3).unwrap(), b"{}");
        assert_eq!(chain(4).unwrap_err().reason.to_string(), "redirects more than 3 times");
    }

    #[test]
    fn a_body_has_one_mebibyte_at_most() {
        let max = usize::try_from(MAX_BYTES).unwrap();
        let full = serve_once("200 OK", vec![b' '; max]);
        assert_eq!(quickly(&full, NamedBy::User).unwrap().len(), max);
        let unannounced = serve_once("200 OK", vec![b' '; max + 1]);
        let announced = serve_once("200 OK\r\nContent-Length: 1048577", vec![b' '; max + 1]);
        for url in [unannounced, announced] {
            let error = quickly(&url, NamedBy::User).unwrap_err();
            assert!(matches!(error.reason, Reason::TooLarge), "{error}");
            assert!(error.to_string().ends_with(": larger than 1 MiB"), "{error}");
        }
    }

    #[test]
    fn a_body_cut_short_is_no_card() {
        let url = serve_once("200 OK\r\nContent-Length: 10", b"{}".to_vec());
        network_failure(quickly(&url, NamedBy::User));
    }

    #[test]
    fn a_compressed_body_is_not_decompressed() {
        let url = serve_once("200 OK\r\nContent-Encoding: gzip", b"\x1f\x8b".to_vec());
        assert_eq!(quickly(&url, NamedBy::User).unwrap(), b"\x1f\x8b");
    }

    #[test]
    fn time_runs_out_whatever_hangs() {
        let limit = Duration::from_millis(300);
        let (silent, _requests) = serve(|_, _| {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        });
        // Each byte comes in time; all together they do not.
        let (dripping, _requests) = serve(|stream, _| {
            respond(stream, "200 OK", b"")?;
            loop {
                thread::sleep(Duration::from_millis(50));
                stream.write_all(b" ")?;
            }
        });
        let (looping, _requests) = serve(|stream, _| {
            thread::sleep(Duration::from_millis(200));
            respond(stream, "302 Found\r\nLocation: /", b"")
        });
        let hanging: Lookup = |_, _| loop {
            thread::park();
        };
        for (url, lookup) in [
            (format!("http://127.0.0.1:{silent}/"), no_lookup as Lookup),
            (format!("http://127.0.0.1:{dripping}/"), no_lookup),
            (format!("http://127.0.0.1:{looping}/"), no_lookup),
            ("http://localhost:1/".to_owned(), hanging),
        ] {
            let start = Instant::now();
            let error = fetch_with(&url, NamedBy::User, limit, lookup).unwrap_err();
            assert!(error.to_string().ends_with(": timed out after 0.3 s"), "{error}");
            assert!(!error.is_refusal());
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        }
        assert_eq!(Reason::TimedOut(MAX_TIME).to_string(), "timed out after 10 s");
    }

    #[test]
    fn failures_of_the_network_are_told_from_refusals() {
        let error = quickly(&format!("http://{CLOSED}/?secret"), NamedBy::User).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("could not fetch http://{CLOSED}/: connection refused")
        );
        assert!(!error.is_refusal());
        let no_tls = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}/", no_tls.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = no_tls.accept().unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
            io::copy(&mut stream, &mut io::sink())
        });
        network_failure(quickly(&url, NamedBy::User));
        let no_http = serve_once("banana", Vec::new());
        network_failure(quickly(&no_http, NamedBy::User));
    }

    #[test]
    fn no_url_panics() {
        let long = "a".repeat(100_000);
        for url in [
            format!("http://{CLOSED}/{long}"),
            format!("http://{CLOSED}/\u{0}\u{202e}\u{1f980}|<>`{{}}^\\%zz%00"),
            format!("https://{long}/"),
            format!("http://[{long}"),
            "https://\u{fdd0}/".to_owned(),
            "https://xn--/".to_owned(),
            "https://a..b/".to_owned(),
            "https://-/".to_owned(),
            "https://*_+$!;/".to_owned(),
            "http://localhost:65536/".to_owned(),
        ] {
            let unknown = |_: &str, _| Err(io::Error::other("no such name"));
            for named_by in [NamedBy::User, NamedBy::Receipt] {
                let result = fetch_with(&url, named_by, Duration::from_secs(5), unknown);
                let reason = result.unwrap_err().reason.to_string();
                assert_ne!(reason, STOPPED, "{}", shown(&url));
            }
        }
    }

    #[test]
    fn an_error_shows_no_secret_of_a_url() {
        for (url, expected) in [
            ("https://user:secret@example.com/card?token#part", "https://example.com/card"),
            ("https://user:secret@example.com:port/?token", "example.com:port/"),
            ("card\u{1b}[2J\u{202e}.json", "card\\u001b[2J\\u202e.json"),
            ("mailto:someone", "mailto:someone"),
        ] {
            assert_eq!(shown(url), expected);
        }
        assert_eq!(shown(&format!("https://example.com/{}", "é".repeat(500))).chars().count(), 121);
    }

    /// Runs itself again with proxies in its environment: setting a variable here would be unsafe.
    #[test]
    fn proxies_of_the_environment_are_ignored() {
        const URL: &str = "AOV_TEST_FETCH_URL";
        if let Ok(url) = std::env::var(URL) {
            assert_eq!(quickly(&url, NamedBy::User).unwrap(), b"direct");
            return;
        }
        let (proxy, proxied) = serve(|stream, _| respond(stream, "200 OK", b"proxied"));
        let proxy = format!("http://127.0.0.1:{proxy}");
        let (_, module) = module_path!().split_once("::").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", &format!("{module}::proxies_of_the_environment_are_ignored")])
            .env(URL, serve_once("200 OK", b"direct".to_vec()))
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            // With this one, proxies of the environment are for servers behind CGI.
            .env_remove("REQUEST_METHOD");
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            child.env(variable, &proxy).env(variable.to_lowercase(), &proxy);
        }
        let output = child.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{stdout}");
        assert!(stdout.contains("1 passed"), "{stdout}");
        assert!(proxied.try_recv().is_err(), "the proxy was asked");
    }
}
