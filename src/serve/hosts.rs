//! Which `Host` a request may name. A web page elsewhere can make a browser ask a server on the
//! same machine under a name of its own (DNS rebinding); who listens on a loopback address answers
//! for that address and its public URL only.

use std::net::SocketAddr;

use agent_output_verifier::check_receipt::host_of;
use axum::http::{HeaderMap, Uri, header};

/// The names that a server answers for.
pub(crate) enum Hosts {
    /// Any: what is not on a loopback address is reached by names that are not known here.
    Any,
    /// These, without ports.
    Only(Vec<String>),
}

impl Hosts {
    pub(crate) fn new(listening: SocketAddr, public_url: Option<&str>) -> Hosts {
        if !listening.ip().is_loopback() {
            return Hosts::Any;
        }
        let own = match listening.ip() {
            std::net::IpAddr::V4(address) => address.to_string(),
            std::net::IpAddr::V6(address) => format!("[{address}]"),
        };
        let mut names: Vec<String> =
            ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec();
        names.push(own);
        names.extend(public_url.and_then(host_of).map(|host| without_port(&host).to_owned()));
        Hosts::Only(names)
    }

    /// Whether a request names one of them. HTTP/1.1 has exactly one `Host` (RFC 9112 §3.2).
    pub(crate) fn allows(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Hosts::Only(names) = self else { return true };
        let mut given = headers.get_all(header::HOST).iter();
        let host = match (given.next(), given.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => None,
            (Some(_), Some(_)) => return false,
        };
        // A URI in the absolute form says it too, and is what counts then.
        let Some(host) = uri.authority().map(|authority| authority.as_str()).or(host) else {
            return false;
        };
        let host = without_port(host).to_ascii_lowercase();
        names.contains(&host)
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn allowed(hosts: &Hosts, names: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.append(header::HOST, HeaderValue::from_static(name));
        }
        hosts.allows(&Uri::from_static("/health"), &headers)
    }

    #[test]
    fn on_loopback_only_its_own_names_count() {
        let hosts =
            Hosts::new("127.0.0.1:8402".parse().unwrap(), Some("https://verify.example/api"));
        for name in ["127.0.0.1:8402", "localhost:1", "LOCALHOST", "[::1]:8402", "verify.example"] {
            assert!(allowed(&hosts, &[name]), "{name}");
        }
        for name in ["evil.example", "127.0.0.1.evil.example", "localhost.", "localhost:x", ""] {
            assert!(!allowed(&hosts, &[name]), "{name}");
        }
        assert!(!allowed(&hosts, &[]));
        assert!(!allowed(&hosts, &["localhost", "localhost"]));
        let absolute = Uri::from_static("http://evil.example/health");
        let mut headers = HeaderMap::new();
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(!hosts.allows(&absolute, &headers));
    }

    #[test]
    fn elsewhere_any_name_counts() {
        let hosts = Hosts::new("0.0.0.0:80".parse().unwrap(), None);
        assert!(allowed(&hosts, &["verify.example"]) && allowed(&hosts, &[]));
    }
}
