//! Agent-cards: where an issuer publishes every public key it ever signed with.

use crate::json::{Document, Value};
use crate::key::{KeyError, KeyFile, VerifyingKey};

/// What the URI of the attestation extension begins with.
const EXTENSION: &str = "urn:json-schema-verifier:extension:attestation:";

/// The encoding that cards name for their keys.
const ENCODING: &str = "base64 of the raw 32-byte Ed25519 public key";

/// The hosted service's addresses: receipts that name one of them can be checked with the built-in
/// copy of its key.
pub const SERVICE_URLS: [&str; 2] =
    ["https://verify.sarnai.dev/", "https://fastapi-service-5ag4.onrender.com/"];

/// The hosted service's published key, a copy for convenience.
const SERVICE_KEY: (&str, &str) = ("v1-2026-09c", "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=");

/// The keys of a card. A key that is unusable is kept as the reason why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentCard {
    keys: Vec<(String, Result<VerifyingKey, String>)>,
}

/// What a card says of a key version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selected<'c> {
    /// The key
    Key(&'c VerifyingKey),
    /// The card does not have the version.
    Missing,
    /// The card's entry is unusable, or two entries of the version differ.
    Unusable(String),
}

/// Why a document is no agent-card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotACard;

impl std::fmt::Display for NotACard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no agent-card with an attestation extension ({EXTENSION}…) and public keys")
    }
}

impl std::error::Error for NotACard {}

impl AgentCard {
    /// Reads a card.
    ///
    /// # Errors
    ///
    /// [`NotACard`] where there is no attestation extension with a list of keys.
    pub fn read(card: Value<'_>) -> Result<AgentCard, NotACard> {
        let extensions = card.get("capabilities").and_then(|c| c.get("extensions"));
        let mut lists = extensions.into_iter().flat_map(Value::elements).filter_map(|extension| {
            let uri = extension.get("uri").and_then(Value::as_str)?;
            let keys = extension.get("params")?.get("publicKeys")?;
            (uri.starts_with(EXTENSION) && keys.is_array()).then_some(keys)
        });
        let first = lists.next().ok_or(NotACard)?;
        let entries = first.elements().chain(lists.flat_map(Value::elements));
        Ok(AgentCard { keys: entries.map(read_key).collect() })
    }

    /// The built-in copy of the hosted service's key.
    pub fn of_service() -> AgentCard {
        let (version, key) = SERVICE_KEY;
        let key = VerifyingKey::from_base64(key).map_err(|error| error.to_string());
        AgentCard { keys: vec![(version.to_owned(), key)] }
    }

    /// The key of a version.
    pub fn select(&self, key_version: &str) -> Selected<'_> {
        let mut entries =
            self.keys.iter().filter(|(version, _)| version == key_version).map(|(_, key)| key);
        let Some(first) = entries.next() else { return Selected::Missing };
        if entries.any(|other| other != first) {
            return Selected::Unusable("two entries of this version differ".to_owned());
        }
        match first {
            Ok(key) => Selected::Key(key),
            Err(reason) => Selected::Unusable(reason.clone()),
        }
    }
}

fn read_key(entry: Value<'_>) -> (String, Result<VerifyingKey, String>) {
    let text = |name| entry.get(name).and_then(Value::as_str);
    let version = text("keyVersion").unwrap_or_default().to_owned();
    let key = match (text("algorithm"), text("publicKey")) {
        (Some("Ed25519"), Some(key)) => {
            VerifyingKey::from_base64(key).map_err(|error: KeyError| error.to_string())
        }
        (Some("Ed25519"), None) => Err("the entry has no public key".to_owned()),
        _ => Err("the entry's algorithm is not Ed25519".to_owned()),
    };
    (version, key)
}

/// A whole card for a key file's keys, to publish at its public-key URL.
pub fn card_for(file: &KeyFile) -> String {
    let keys: Vec<serde_json::Value> = file
        .public_keys()
        .into_iter()
        .map(|key| {
            serde_json::json!({
                "keyVersion": key.key_version,
                "algorithm": "Ed25519",
                "publicKey": key.public_key.to_base64(),
                "publicKeyEncoding": ENCODING,
            })
        })
        .collect();
    let name = file.issuer_name.as_deref().unwrap_or(crate::attest::SELF_ATTESTED);
    let base = file
        .public_key_url
        .as_deref()
        .map(|url| url.strip_suffix("/.well-known/agent-card.json").unwrap_or(url).to_owned());
    let card = serde_json::json!({
        "name": name,
        "description": "Signs receipts for checks of agents' JSON output.",
        "version": env!("CARGO_PKG_VERSION"),
        "protocolVersion": "0.3.0",
        "url": base,
        "supportedInterfaces": [],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extensions": [{
                "uri": format!("{EXTENSION}v1"),
                "description": "Public keys for the Ed25519 signatures of receipts.",
                "required": false,
                "params": {
                    "publicKeys": keys,
                    "contexts": [crate::receipt::Kind::Verification.context()],
                    "canonicalization": crate::attest::CANONICALIZATION,
                },
            }],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [],
    });
    format!("{card:#}\n")
}

/// The entry of a key for an agent-card's `publicKeys`.
pub fn entry_for(file: &KeyFile) -> String {
    let entry = serde_json::json!({
        "keyVersion": file.key_version(),
        "algorithm": "Ed25519",
        "publicKey": file.signing_key().verifying_key().to_base64(),
        "publicKeyEncoding": ENCODING,
    });
    format!("{entry:#}\n")
}

/// Reads a card from its text.
///
/// # Errors
///
/// What is wrong with it, for people.
pub fn parse(text: &[u8]) -> Result<AgentCard, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    AgentCard::read(document.root()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "P3aoAx20jDZcWzpZfGEQ0rpNPBE4ivpyq0Gq9RYNHh8=";

    fn card(keys: &str) -> Result<AgentCard, String> {
        let text = format!(
            r#"{{"capabilities":{{"extensions":[{{"uri":"x"}},{{"uri":"{EXTENSION}v1","params":{{"publicKeys":[{keys}]}}}}]}}}}"#
        );
        parse(text.as_bytes())
    }

    #[test]
    fn keys_are_selected_by_version() {
        let entry = |version: &str, key: &str| {
            format!(r#"{{"keyVersion":"{version}","algorithm":"Ed25519","publicKey":"{key}"}}"#)
        };
        let weak = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let keys =
            [entry("a", KEY), entry("b", weak), entry("c", KEY), entry("c", weak), entry("a", KEY)];
        let card = card(&keys.join(",")).unwrap();
        assert!(matches!(card.select("a"), Selected::Key(key) if key.to_base64() == KEY));
        assert!(matches!(card.select("b"), Selected::Unusable(why) if why.contains("weak")));
        assert!(matches!(card.select("c"), Selected::Unusable(why) if why.contains("differ")));
        assert_eq!(card.select("d"), Selected::Missing);
    }

    #[test]
    fn what_is_no_card_is_refused() {
        assert!(parse(b"{}").is_err());
        assert!(parse(br#"{"name":"demo","verification_keys":[]}"#).is_err());
        assert!(parse(b"[").is_err());
        assert!(card("").is_ok());
    }

    #[test]
    fn the_built_in_key_is_usable() {
        assert!(matches!(AgentCard::of_service().select("v1-2026-09c"), Selected::Key(_)));
    }

    #[test]
    fn a_written_card_reads_back() {
        let seed = zeroize::Zeroizing::new([3; 32]);
        let file = KeyFile::new(seed, "k1".to_owned()).unwrap();
        let card = parse(card_for(&file).as_bytes()).unwrap();
        assert_eq!(card.select("k1"), Selected::Key(&file.signing_key().verifying_key()));
    }
}
