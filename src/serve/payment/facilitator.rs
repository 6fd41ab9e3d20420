//! The facilitator: verifies and settles payments (x402 version 2, §7). It is the operator's
//! choice, and is asked over https, or over plain http on this machine.

use std::borrow::Cow;
use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use agent_output_verifier::error::PaymentErrorCode;
use agent_output_verifier::text::escaped;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::network::Network;
use super::payload::PaymentError;
use super::terms::{SCHEME, X402_VERSION};

const CONNECT: Duration = Duration::from_secs(5);
const VERIFY: Duration = Duration::from_secs(15);
/// A network has to take the transaction.
const SETTLE: Duration = Duration::from_secs(60);
const SUPPORTED: Duration = Duration::from_secs(15);

/// The largest answer that is read.
const MAX_BYTES: usize = 256 * 1024;

/// The longest text that is taken out of an answer, in bytes.
const MAX_TEXT: usize = 200;

/// Where a facilitator is.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint(Url);

/// Why a text is no facilitator's URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndpointError {
    Unreadable,
    Insecure,
    Cluttered,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndpointError::Unreadable => "is no URL",
            EndpointError::Insecure => {
                "is not https (plain http is only for 127.0.0.1, [::1] and localhost)"
            }
            EndpointError::Cluttered => "carries credentials, a query or a fragment",
        })
    }
}

impl std::error::Error for EndpointError {}

impl std::str::FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Endpoint, EndpointError> {
        let url = Url::parse(text).map_err(|_| EndpointError::Unreadable)?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let loopback = host == "localhost"
            || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            _ => return Err(EndpointError::Insecure),
        }
        let bare = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if bare { Ok(Endpoint(url)) } else { Err(EndpointError::Cluttered) }
    }
}

impl Endpoint {
    /// The URL of one of its routes, below whatever path it has.
    fn route(&self, name: &str) -> Url {
        let mut url = self.0.clone();
        // A URL of http or https always has segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(name);
        }
        url
    }
}

/// Asks a facilitator.
pub(crate) struct Facilitator {
    endpoint: Endpoint,
    client: reqwest::Client,
}

/// The facilitator gave no answer that can be used.
#[derive(Debug)]
pub(crate) struct Down {
    /// Whether the question may have reached it, and may have been acted upon.
    pub(crate) may_have_acted: bool,
    /// For the log
    pub(crate) why: String,
}

/// A facilitator says no.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) error: PaymentError,
    /// It says so because the payment was settled before.
    pub(crate) spent: bool,
}

/// A payment that verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Verified {
    pub(crate) payer: Option<String>,
}

/// A payment that was settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settled {
    pub(crate) transaction: String,
    pub(crate) payer: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifyAnswer {
    is_valid: bool,
    invalid_reason: Option<String>,
    payer: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettleAnswer {
    success: bool,
    error_reason: Option<String>,
    transaction: Option<String>,
    payer: Option<String>,
}

#[derive(Deserialize)]
struct SupportedAnswer {
    kinds: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    #[serde(default)]
    x402_version: u64,
    scheme: String,
    network: String,
    extra: Option<KindExtra>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KindExtra {
    fee_payer: Option<String>,
}

impl Facilitator {
    /// `authorization` goes with every question.
    pub(crate) fn new(
        endpoint: Endpoint,
        authorization: Option<HeaderValue>,
    ) -> Result<Facilitator, reqwest::Error> {
        // The client panics without a provider. This fails only where one is installed already, and
        // that one serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers =
            HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]);
        if let Some(mut value) = authorization {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("aov/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(CONNECT)
            // A connection that the other end gives up while we write leaves a settlement in doubt.
            .pool_idle_timeout(Duration::from_secs(10))
            .dns_resolver(Arc::new(Lookup { this_machine: endpoint.0.scheme() == "http" }))
            // What is sent is money's worth: it goes where the operator said, and nowhere else.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd();
        if endpoint.0.scheme() == "http" {
            // No TLS here: do without the system's trust store, which a container may lack.
            builder = builder.tls_certs_only([]);
        }
        Ok(Facilitator { endpoint, client: builder.build()? })
    }

    /// Whether a payment is good.
    pub(crate) async fn verify(&self, question: String) -> Result<Result<Verified, Refusal>, Down> {
        let answer: VerifyAnswer = self.post("verify", question, VERIFY).await?;
        if answer.is_valid {
            return Ok(Ok(Verified { payer: answer.payer.filter(|text| is_short(text)) }));
        }
        Ok(Err(refusal(answer.invalid_reason, PaymentErrorCode::UNEXPECTED_VERIFY_ERROR)))
    }

    /// Moves the money.
    pub(crate) async fn settle(&self, question: String) -> Result<Result<Settled, Refusal>, Down> {
        let answer: SettleAnswer = self.post("settle", question, SETTLE).await?;
        if answer.success {
            return Ok(Ok(Settled {
                transaction: answer.transaction.filter(|text| is_short(text)).unwrap_or_default(),
                payer: answer.payer.filter(|text| is_short(text)),
            }));
        }
        Ok(Err(refusal(answer.error_reason, PaymentErrorCode::UNEXPECTED_SETTLE_ERROR)))
    }

    /// Who pays the fees of transactions on Solana; none where the facilitator does not settle
    /// them.
    pub(crate) async fn fee_payer(&self) -> Result<Option<String>, Down> {
        let asked = self.client.get(self.endpoint.route("supported")).timeout(SUPPORTED);
        let answer: SupportedAnswer = read(asked).await?;
        let kind = answer.kinds.into_iter().find(|kind| {
            kind.x402_version == X402_VERSION
                && kind.scheme == SCHEME
                && kind.network == Network::Solana.id()
        });
        Ok(kind.and_then(|kind| kind.extra?.fee_payer).filter(|text| is_short(text)))
    }

    async fn post<T: DeserializeOwned>(
        &self,
        route: &str,
        question: String,
        limit: Duration,
    ) -> Result<T, Down> {
        let url = self.endpoint.route(route);
        let json = HeaderValue::from_static("application/json");
        read(self.client.post(url).header(CONTENT_TYPE, json).body(question).timeout(limit)).await
    }
}

fn is_short(text: &str) -> bool {
    text.len() <= MAX_TEXT
}

async fn read<T: DeserializeOwned>(asked: reqwest::RequestBuilder) -> Result<T, Down> {
    let broken = |error: reqwest::Error| Down {
        may_have_acted: !(error.is_connect() || error.is_builder()),
        why: escaped(&root_cause(&error)),
    };
    let mut response = asked.send().await.map_err(broken)?;
    let status = response.status().as_u16();
    if status != 200 {
        // These say that it was turned away before it was looked at; others may say anything.
        let may_have_acted = !matches!(status, 401 | 403 | 404 | 405 | 429);
        return Err(Down { may_have_acted, why: format!("it answered with status {status}") });
    }
    let unusable = |why: &str| Down { may_have_acted: true, why: why.to_owned() };
    let mut bytes = Vec::new();
    while let Some(part) = response.chunk().await.map_err(broken)? {
        if bytes.len() + part.len() > MAX_BYTES {
            return Err(unusable("its answer is too large"));
        }
        bytes.extend_from_slice(&part);
    }
    serde_json::from_slice(&bytes).map_err(|_| unusable("its answer is not what x402 has there"))
}

/// The innermost cause of an error: the outer ones say only that a request failed.
fn root_cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A refusal with the facilitator's own code, where that looks like a code.
fn refusal(reason: Option<String>, otherwise: PaymentErrorCode) -> Refusal {
    let is_code = |reason: &String| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        is_short(reason) && !reason.is_empty() && reason.bytes().all(fits)
    };
    let spent = reason.as_deref().is_some_and(says_spent);
    let code = match reason.filter(is_code) {
        Some(reason) => match PaymentErrorCode::named(&reason) {
            Some(known) => Cow::Borrowed(known.code),
            None => Cow::Owned(reason),
        },
        None => Cow::Borrowed(otherwise.code),
    };
    let message = match PaymentErrorCode::named(&code) {
        Some(known) => format!("The facilitator refused the payment: {}.", known.when),
        None => format!("The facilitator refused the payment: {code}."),
    };
    Refusal { error: PaymentError { code, message }, spent }
}

/// Whether a reason says that the payment was settled before. Facilitators have many ways to put
/// what the networks say of it.
fn says_spent(reason: &str) -> bool {
    let letters: String = reason
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    ["noncealreadyused", "authorizationalreadyused", "alreadyprocessed", "duplicatesettlement"]
        .iter()
        .any(|way| letters.contains(way))
}

/// Looks names up on a thread for the purpose: the runtime's own threads for what blocks are few,
/// and make checks.
struct Lookup {
    /// Other addresses than this machine's do not count, whatever a name resolves to.
    this_machine: bool,
}

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let this_machine = self.this_machine;
        let (found, finding) = oneshot::channel();
        let looked_up = std::thread::Builder::new().name("lookup".to_owned()).spawn(move || {
            // The port is the client's business. Nobody may be left to hear it.
            let _ = found.send((name.as_str(), 0).to_socket_addrs());
        });
        Box::pin(async move {
            looked_up?;
            let reachable =
                |address: &SocketAddr| !this_machine || address.ip().to_canonical().is_loopback();
            let addresses: Vec<SocketAddr> = finding.await??.filter(reachable).collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_https_or_of_this_machine() {
        use EndpointError::{Cluttered, Insecure, Unreadable};
        for url in
            ["https://x402.example", "http://127.0.0.1:1/x", "http://[::1]:2/", "http://localhost"]
        {
            assert!(url.parse::<Endpoint>().is_ok(), "{url}");
        }
        for (url, error) in [
            ("", Unreadable),
            ("x402.example", Unreadable),
            ("http://x402.example", Insecure),
            ("http://127.0.0.1.evil.example", Insecure),
            ("http://192.168.0.1", Insecure),
            ("ftp://127.0.0.1", Insecure),
            ("https://user@x402.example", Cluttered),
            ("https://x402.example/?a=b", Cluttered),
            ("https://x402.example/#a", Cluttered),
        ] {
            assert_eq!(url.parse::<Endpoint>().err(), Some(error), "{url}");
        }
    }

    #[test]
    fn routes_are_below_the_path() {
        for (base, route) in [
            ("https://x402.example", "https://x402.example/verify"),
            ("https://x402.example/", "https://x402.example/verify"),
            ("https://x402.example/a/b", "https://x402.example/a/b/verify"),
            ("https://x402.example/a/b/", "https://x402.example/a/b/verify"),
        ] {
            assert_eq!(base.parse::<Endpoint>().unwrap().route("verify").as_str(), route);
        }
    }

    #[test]
    fn codes_are_passed_on_and_texts_are_not() {
        let code = |reason: &str| {
            let reason = Some(reason.to_owned());
            refusal(reason, PaymentErrorCode::UNEXPECTED_SETTLE_ERROR).error.code.into_owned()
        };
        assert_eq!(code("insufficient_funds"), "insufficient_funds");
        assert_eq!(code("a_code_of_its_own"), "a_code_of_its_own");
        for text in ["", "<b>", "A text", "é", &"a".repeat(201)] {
            assert_eq!(code(text), "unexpected_settle_error", "{text}");
        }
    }

    #[test]
    fn what_was_settled_before_is_told_from_other_refusals() {
        for spent in [
            "invalid_exact_evm_nonce_already_used",
            "duplicate_settlement",
            "transaction_simulation_failed: AlreadyProcessed",
            "This transaction has already been processed: already processed",
        ] {
            assert!(says_spent(spent), "{spent}");
        }
        for not in ["insufficient_funds", "already_expired", "nonce_too_low", ""] {
            assert!(!says_spent(not), "{not}");
        }
    }
}
