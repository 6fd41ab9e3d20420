//! Agent-cards: where an issuer publishes every public key it ever signed with.

use serde::Serialize;

use crate::json::{Document, Value};
use crate::key::{KeyError, KeyFile, VerifyingKey};
use crate::receipt::Kind;
use crate::request::RequestShape;

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

/// A card, ready to be serialized. It has what A2A 1.0 asks for, and what 0.3 asked for besides.
#[derive(Clone, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// The issuer's name
    pub name: String,
    /// What the issuer does
    pub description: String,
    /// The issuer's version
    pub version: String,
    protocol_version: &'static str,
    /// Where the issuer answers (A2A 0.3)
    pub url: Option<String>,
    /// What is spoken at `url` (A2A 0.3)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_transport: Option<&'static str>,
    /// Where the issuer answers, and in what (A2A 1.0)
    pub supported_interfaces: Vec<Interface>,
    capabilities: Capabilities,
    default_input_modes: [&'static str; 1],
    default_output_modes: [&'static str; 1],
    /// What the issuer can be asked for
    pub skills: Vec<Skill>,
}

/// A place where an agent answers.
#[derive(Clone, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Interface {
    /// The address
    pub url: String,
    /// What is spoken there
    pub protocol_binding: &'static str,
    /// In which version
    pub protocol_version: &'static str,
}

/// Something that an agent can be asked for.
#[derive(Clone, Serialize, Debug)]
pub struct Skill {
    /// A stable name
    pub id: &'static str,
    /// The name for people
    pub name: &'static str,
    /// What it does
    pub description: &'static str,
    /// Words to find it by
    pub tags: &'static [&'static str],
}

#[derive(Clone, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    streaming: bool,
    push_notifications: bool,
    extensions: Vec<Extension>,
}

/// Something that an agent has beyond the protocol.
#[derive(Clone, Serialize, Debug)]
pub struct Extension {
    /// What it is known by
    pub uri: String,
    /// What it is
    pub description: &'static str,
    /// Whether a client has to know it
    pub required: bool,
    /// What there is to know about it
    pub params: serde_json::Value,
}

impl Card {
    /// A card with a key file's public keys, for an issuer that signs receipts of these kinds.
    pub fn new(file: &KeyFile, kinds: &[Kind]) -> Card {
        let name = file.issuer_name.as_deref().unwrap_or(crate::attest::SELF_ATTESTED);
        let base = file
            .public_key_url
            .as_deref()
            .map(|url| url.strip_suffix("/.well-known/agent-card.json").unwrap_or(url).to_owned());
        let keys: Vec<serde_json::Value> = file
            .public_keys()
            .into_iter()
            .map(|key| entry(&key.key_version, &key.public_key))
            .collect();
        let contexts: Vec<&str> = kinds.iter().map(|kind| kind.context()).collect();
        let attestation = Extension {
            uri: format!("{EXTENSION}v1"),
            description: "Public keys for the Ed25519 signatures of receipts.",
            required: false,
            params: serde_json::json!({
                "publicKeys": keys,
                "contexts": contexts,
                "canonicalization": crate::attest::CANONICALIZATION,
                "requestHashTestVectors": request_hash_vectors(),
            }),
        };
        Card {
            name: name.to_owned(),
            description: "Signs receipts for checks of agents' JSON output.".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol_version: "0.3.0",
            url: base,
            preferred_transport: None,
            supported_interfaces: Vec::new(),
            capabilities: Capabilities {
                streaming: false,
                push_notifications: false,
                extensions: vec![attestation],
            },
            default_input_modes: ["application/json"],
            default_output_modes: ["application/json"],
            skills: Vec::new(),
        }
    }

    /// Adds an extension after those that are there.
    pub fn extend(&mut self, extension: Extension) {
        self.capabilities.extensions.push(extension);
    }

    /// The card as it is published.
    pub fn to_json(&self) -> String {
        // Plain data with string keys: it cannot fail.
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }
}

/// Requests with their canonical form and hash, to try an implementation of `request_hash` on.
fn request_hash_vectors() -> Vec<serde_json::Value> {
    let text = include_bytes!("agent_card/request_hash_vectors.json");
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let vectors = document.root().elements().filter_map(|vector| {
        let request = vector.get("request")?;
        let shape = RequestShape::parse(request).ok()?;
        let mut canonical = Vec::new();
        shape.write_canonical(&mut canonical);
        Some(serde_json::json!({
            "name": vector.get("name")?.as_str()?,
            "request": serde_json::from_str::<serde_json::Value>(request.source()).ok()?,
            "canonical": String::from_utf8(canonical).ok()?,
            "request_hash": shape.request_hash().to_string(),
        }))
    });
    vectors.collect()
}

/// The entry of a key for an agent-card's `publicKeys`.
pub fn entry_for(file: &KeyFile) -> String {
    let entry = entry(file.key_version(), &file.signing_key().verifying_key());
    format!("{entry:#}\n")
}

fn entry(key_version: &str, key: &VerifyingKey) -> serde_json::Value {
    serde_json::json!({
        "keyVersion": key_version,
        "algorithm": "Ed25519",
        "publicKey": key.to_base64(),
        "publicKeyEncoding": ENCODING,
    })
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
        let card = Card::new(&file, &[Kind::Verification]).to_json();
        let card = parse(card.as_bytes()).unwrap();
        assert_eq!(card.select("k1"), Selected::Key(&file.signing_key().verifying_key()));
    }

    #[test]
    fn the_published_vectors_have_the_published_hashes() {
        let vectors = request_hash_vectors();
        let hashes: Vec<&str> =
            vectors.iter().map(|vector| vector["request_hash"].as_str().unwrap()).collect();
        assert_eq!(
            hashes,
            [
                "5366542000b4226c5efb411c15ec8f0aac3c63844343997aa1bcc3c585086f97",
                "1aa064d21a2c1487d5d319ded6efec48c18dfee45b93f741266b1f491c2e099f",
                "037abd3fe4643c14e68d9fd57ca93b460c177c5372f058aa2920a2ef120c0432",
            ]
        );
        // What a reader parses out of the card hashes to the same.
        for vector in &vectors {
            let request = vector["request"].to_string();
            let document = Document::parse(request.as_bytes()).unwrap();
            let shape = RequestShape::parse(document.root()).unwrap();
            assert_eq!(shape.request_hash().to_string(), vector["request_hash"]);
        }
    }
}
