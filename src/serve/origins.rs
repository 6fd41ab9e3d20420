//! Which `Origin` a request may come from. Browsers send it along with what a page makes them do,
//! and a page of somebody else must not use a server that only this machine can reach.

use std::net::SocketAddr;

use agent_output_verifier::check_receipt::host_of;
use axum::http::{HeaderMap, HeaderValue, header};

/// The origins whose pages may use the server.
pub(crate) enum Origins {
    Any,
    Only(Vec<String>),
}

impl Origins {
    /// The server's own, and those that the operator let in.
    pub(crate) fn new(
        listening: SocketAddr,
        public_url: Option<&str>,
        let_in: &[HeaderValue],
    ) -> Origins {
        if let_in.iter().any(|origin| origin == "*") {
            return Origins::Any;
        }
        let port = listening.port();
        let mut own = vec![format!("http://{listening}")];
        if listening.ip().is_loopback() || listening.ip().is_unspecified() {
            own.extend(
                ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("http://{name}:{port}")),
            );
        }
        own.extend(public_url.map(str::to_owned));
        let mut origins: Vec<String> = own.iter().filter_map(|url| origin_of(url)).collect();
        origins.extend(let_in.iter().filter_map(|origin| origin.to_str().ok()).map(str::to_owned));
        Origins::Only(origins)
    }

    /// Whether a request comes from one of them, or from no page at all.
    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(header::ORIGIN).iter();
        match (self, given.next(), given.next()) {
            (Origins::Any, ..) | (_, None, _) => true,
            (_, Some(_), Some(_)) => false,
            (Origins::Only(origins), Some(origin), None) => {
                origins.iter().any(|known| origin == known.as_str())
            }
        }
    }
}

/// A URL's origin as browsers write it: without the port that is its scheme's.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once("://")?;
    Some(format!("{}://{}", scheme.to_ascii_lowercase(), host_of(url)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origins: &Origins, given: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for origin in given {
            headers.append(header::ORIGIN, HeaderValue::from_static(origin));
        }
        origins.allows(&headers)
    }

    #[test]
    fn only_its_own_and_those_let_in() {
        let let_in = [HeaderValue::from_static("https://app.example")];
        let public = Some("HTTPS://Verify.example:443/api/");
        let origins = Origins::new("127.0.0.1:8402".parse().unwrap(), public, &let_in);
        assert!(allowed(&origins, &[]));
        for own in [
            "http://127.0.0.1:8402",
            "http://localhost:8402",
            "http://[::1]:8402",
            "https://verify.example",
            "https://app.example",
        ] {
            assert!(allowed(&origins, &[own]), "{own}");
        }
        for foreign in [
            "http://127.0.0.1",
            "http://127.0.0.1:8403",
            "https://127.0.0.1:8402",
            "http://verify.example",
            "https://verify.example.evil.example",
            "https://app.example:8443",
            "null",
            "",
        ] {
            assert!(!allowed(&origins, &[foreign]), "{foreign}");
        }
        assert!(!allowed(&origins, &["https://app.example", "https://app.example"]));
    }

    #[test]
    fn all_may_be_let_in() {
        let origins =
            Origins::new("[::1]:80".parse().unwrap(), None, &[HeaderValue::from_static("*")]);
        assert!(allowed(&origins, &["null"]));
        let origins = Origins::new("[::1]:80".parse().unwrap(), None, &[]);
        assert!(allowed(&origins, &["http://[::1]"]) && !allowed(&origins, &["http://[::1]:80"]));
    }
}
