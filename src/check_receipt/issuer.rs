//! Issuers by name: exact hosts and URL prefixes, compared as URLs are built and not as text, so
//! that `https://issuer.example@evil.example/` is nobody but `evil.example`.

use std::fmt;

use fluent_uri::Uri;

/// An issuer whom the user accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issuer {
    scheme: Option<String>,
    host: String,
    port: Option<String>,
    /// The path that URLs must begin with, in whole segments; empty for all.
    path: String,
}

/// Why a text names no issuer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotAnIssuer;

impl fmt::Display for NotAnIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither a host such as verify.example.com nor a URL that begins with https://")
    }
}

impl std::error::Error for NotAnIssuer {}

/// A URL in the parts that matter here.
struct Parts {
    scheme: String,
    host: String,
    port: Option<String>,
    path: String,
}

fn parts(url: &str) -> Option<Parts> {
    let uri = Uri::parse(url).ok()?;
    let authority = uri.authority()?;
    // Nobody's key URL has credentials in it, save those of somebody who wants to be misread.
    let host = authority.host().trim_end_matches('.').to_ascii_lowercase();
    if authority.userinfo().is_some() || host.is_empty() {
        return None;
    }
    let scheme = uri.scheme().as_str().to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "https" => "443",
        "http" => "80",
        _ => return None,
    };
    let port = authority.port().map(|port| port.as_str()).filter(|port| !port.is_empty());
    Some(Parts {
        host,
        port: port.filter(|port| *port != default_port).map(str::to_owned),
        path: uri.path().as_str().to_owned(),
        scheme,
    })
}

/// The host of a URL, with its port where that is not the scheme's own.
pub fn host_of(url: &str) -> Option<String> {
    let parts = parts(url)?;
    Some(match parts.port {
        Some(port) => format!("{}:{port}", parts.host),
        None => parts.host,
    })
}

impl Issuer {
    /// Reads a host, with a port or without, or a URL prefix.
    ///
    /// # Errors
    ///
    /// [`NotAnIssuer`] for anything else.
    pub fn parse(text: &str) -> Result<Issuer, NotAnIssuer> {
        if text.contains("://") {
            let Parts { scheme, host, port, path } = parts(text).ok_or(NotAnIssuer)?;
            return Ok(Issuer { scheme: Some(scheme), host, port, path });
        }
        let Parts { host, port, path, .. } =
            parts(&format!("https://{text}")).ok_or(NotAnIssuer)?;
        let bare = path.is_empty() && !text.contains(['?', '#']);
        if bare { Ok(Issuer { scheme: None, host, port, path }) } else { Err(NotAnIssuer) }
    }

    /// Whether a URL is of this issuer.
    pub(super) fn accepts(&self, url: &str) -> bool {
        let Some(url) = parts(url) else { return false };
        let path = self.path.trim_end_matches('/');
        let below = url.path.strip_prefix(path);
        self.scheme.as_ref().is_none_or(|scheme| *scheme == url.scheme)
            && self.host == url.host
            && self.port == url.port
            && !url.path.split('/').any(leads_up)
            && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Whether a segment is `..`, also with encoded dots: who fetches a URL takes those for the same.
fn leads_up(segment: &str) -> bool {
    segment.to_ascii_lowercase().replace("%2e", ".") == ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(issuer: &str, url: &str) -> bool {
        Issuer::parse(issuer).unwrap().accepts(url)
    }

    #[test]
    fn hosts_match_exactly() {
        let card = "https://verify.example/.well-known/agent-card.json";
        assert!(accepts("verify.example", card));
        assert!(accepts("VERIFY.example", card));
        assert!(accepts("verify.example:443", card));
        assert!(accepts("verify.example:8443", "https://verify.example:8443/card"));
        for url in [
            "https://verify.example.evil.example/card",
            "https://evil.example/verify.example",
            "https://verify.example@evil.example/card",
            "https://xverify.example/card",
            "https://verify.example:8443/card",
            "https://sub.verify.example/card",
            "verify.example",
            "file:///verify.example",
            "",
        ] {
            assert!(!accepts("verify.example", url), "{url}");
        }
    }

    #[test]
    fn prefixes_match_in_whole_segments() {
        assert!(accepts("https://host.example/a", "https://host.example/a/card.json"));
        assert!(accepts("https://host.example/a/", "https://host.example/a/card.json"));
        assert!(accepts("https://host.example", "https://host.example/card.json"));
        assert!(!accepts("https://host.example/a", "https://host.example/ab/card.json"));
        for up in ["..", "%2e%2e", ".%2E", "%2e."] {
            let url = format!("https://host.example/a/{up}/b/card.json");
            assert!(!accepts("https://host.example/a", &url), "{url}");
        }
        assert!(!accepts("https://host.example/a", "http://host.example/a/card.json"));
        assert!(!accepts("https://host.example/a", "https://host.example/"));
    }

    #[test]
    fn other_texts_name_no_issuer() {
        for text in [
            "",
            "a b",
            "host/path",
            "https://",
            "https://.",
            "..",
            "ftp://host.example",
            "u@host.example",
        ] {
            assert!(Issuer::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hosts_of_urls() {
        assert_eq!(host_of("https://a.example:443/x").as_deref(), Some("a.example"));
        assert_eq!(host_of("http://127.0.0.1:8402/x").as_deref(), Some("127.0.0.1:8402"));
        assert_eq!(host_of("https://a.example./x").as_deref(), Some("a.example"));
        assert_eq!(host_of("nonsense"), None);
        assert_eq!(host_of("http://."), None);
    }
}
