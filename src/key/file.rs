//! The key file: the current signing key with its version, whose it is and where its card is
//! published, and the public halves of earlier keys, which their receipts still need.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::DecodePrivateKey as _;
use memchr::memmem;
use zeroize::Zeroizing;

use super::{KeyError, SigningKey, VerifyingKey};
use crate::json::{Document, ReadError, Value};
use crate::text::quoted;

/// The `schema` that marks a key file.
const SCHEMA: &str = "aov-signing-key/1";

/// Characters that a key version may have.
const MAX_VERSION: usize = 100;

/// The public half of a key that signed before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierKey {
    /// Its version
    pub key_version: String,
    /// The key
    pub public_key: VerifyingKey,
}

/// A key file's content.
pub struct KeyFile {
    seed: Zeroizing<[u8; 32]>,
    signing_key: SigningKey,
    key_version: String,
    /// What receipts call the issuer.
    pub issuer_name: Option<String>,
    /// Where the agent-card with the public keys is published.
    pub public_key_url: Option<String>,
    earlier: Vec<EarlierKey>,
}

/// Why a text is no key file. Never holds anything of the text but names of members.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeyFileError {
    /// Not JSON; only what kind of fault, and where.
    Json {
        /// The line, from 1
        line: usize,
        /// The column, from 1
        column: usize,
    },
    /// Neither a key file nor a PEM key.
    NotAKeyFile,
    /// A member is missing or has the wrong kind of value.
    Member(&'static str),
    /// The seed is not 32 bytes in base64.
    Seed,
    /// A public key is unusable.
    PublicKey(KeyError),
    /// The public key is not that of the seed.
    Mismatch,
    /// A key version is empty, too long, or not printable ASCII without spaces.
    KeyVersion,
    /// Two keys have one version.
    SameVersion(String),
    /// The PEM text holds no Ed25519 key as PKCS#8.
    Pem,
    /// A PEM key says no version by itself.
    PemVersion,
    /// The version asked for is not the one that the file gives its key.
    OtherVersion,
}

impl KeyFileError {
    fn json(error: &ReadError) -> KeyFileError {
        KeyFileError::Json { line: error.position.line, column: error.position.column }
    }

    /// The way out, as a sentence.
    pub fn fix(&self) -> &'static str {
        match self {
            KeyFileError::Pem => "Write it with: openssl genpkey -algorithm ed25519.",
            KeyFileError::PemVersion => "Give --key-version.",
            KeyFileError::OtherVersion => "Leave --key-version out; the file names its key.",
            KeyFileError::KeyVersion => "Use 1 to 100 printable ASCII characters without spaces.",
            KeyFileError::SameVersion(_) => "Give another --key-version.",
            _ => "Name a file that `aov keygen` wrote, or an Ed25519 key as PKCS#8 PEM.",
        }
    }
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyFileError::Json { line, column } => {
                write!(f, "not usable JSON at line {line}, column {column}")
            }
            KeyFileError::NotAKeyFile => f.write_str("not a key file"),
            KeyFileError::Member(name) => write!(f, "'{name}' is missing or of the wrong kind"),
            KeyFileError::Seed => f.write_str("the seed is not 32 bytes in base64"),
            KeyFileError::PublicKey(error) => error.fmt(f),
            KeyFileError::Mismatch => f.write_str("the public key does not belong to the seed"),
            KeyFileError::KeyVersion => f.write_str("the key version is not usable"),
            KeyFileError::SameVersion(version) => {
                write!(f, "two keys have the version {}", quoted(version))
            }
            KeyFileError::Pem => f.write_str("the PEM text holds no Ed25519 key as PKCS#8"),
            KeyFileError::PemVersion => f.write_str("a PEM key has no key version of its own"),
            KeyFileError::OtherVersion => f.write_str("the key in it has another version"),
        }
    }
}

impl std::error::Error for KeyFileError {}

/// Checks a key version.
///
/// # Errors
///
/// [`KeyFileError::KeyVersion`] for what is empty, too long, or not printable ASCII without spaces.
fn check_version(version: &str) -> Result<(), KeyFileError> {
    let usable = !version.is_empty()
        && version.len() <= MAX_VERSION
        && version.bytes().all(|byte| byte.is_ascii_graphic());
    if usable { Ok(()) } else { Err(KeyFileError::KeyVersion) }
}

/// Whether a text is a key file or a private key in PEM, so that nothing of it belongs into a report.
/// A damaged one counts too; a JSON text that merely mentions keys does not.
pub fn holds_secret_key(text: &[u8]) -> bool {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text).trim_ascii_start();
    let has = |mark: &str| memmem::find(text, mark.as_bytes()).is_some();
    match text.first() {
        Some(b'-') => text.starts_with(b"-----BEGIN") && has("PRIVATE KEY-----"),
        Some(b'{') if has("\"aov-signing-key/") && has("\"seed\"") => match Document::parse(text) {
            Ok(document) => {
                let member = |name| document.root().get(name).and_then(Value::as_str);
                member("schema").is_some_and(|schema| schema.starts_with("aov-signing-key/"))
                    && member("seed").is_some()
            }
            Err(_) => true,
        },
        _ => false,
    }
}

/// The default version of a key made on a day (`YYYY-MM-DD`): `v1-DAY`, then with `b`, `c`, … where
/// that is taken.
pub fn next_version(day: &str, taken: &[&str]) -> String {
    let mut suffix = String::new();
    loop {
        let version = format!("v1-{day}{suffix}");
        if !taken.contains(&version.as_str()) {
            return version;
        }
        suffix = match suffix.pop() {
            None => "b".to_owned(),
            Some('z') => suffix + "zb",
            Some(letter) => {
                suffix.push(char::from(letter as u8 + 1));
                suffix
            }
        };
    }
}

impl KeyFile {
    /// A key file for a fresh seed.
    ///
    /// # Errors
    ///
    /// [`KeyFileError::KeyVersion`] for an unusable version.
    pub fn new(seed: Zeroizing<[u8; 32]>, key_version: String) -> Result<KeyFile, KeyFileError> {
        check_version(&key_version)?;
        let signing_key = SigningKey::from_seed(&seed);
        let (issuer_name, public_key_url) = (None, None);
        let earlier = Vec::new();
        Ok(KeyFile { seed, signing_key, key_version, issuer_name, public_key_url, earlier })
    }

    /// Reads a key file, or an Ed25519 key as PKCS#8 PEM, which needs a version from elsewhere.
    ///
    /// # Errors
    ///
    /// [`KeyFileError`]; nothing of the text is repeated in it.
    pub fn parse(text: &[u8], key_version: Option<&str>) -> Result<KeyFile, KeyFileError> {
        if let Ok(text) = std::str::from_utf8(text)
            && text.trim_start().starts_with("-----BEGIN")
        {
            let key = ed25519_dalek::SigningKey::from_pkcs8_pem(text.trim())
                .map_err(|_| KeyFileError::Pem)?;
            let version = key_version.ok_or(KeyFileError::PemVersion)?;
            return KeyFile::new(Zeroizing::new(key.to_bytes()), version.to_owned());
        }
        let document = Document::parse(text).map_err(|error| KeyFileError::json(&error))?;
        let file = read(document.root())?;
        match key_version {
            // Another name for the key would be one that its published card does not have.
            Some(version) if version != file.key_version => Err(KeyFileError::OtherVersion),
            _ => Ok(file),
        }
    }

    /// The current key.
    pub fn signing_key(&self) -> &SigningKey {
        &self.signing_key
    }

    /// The current key's version.
    pub fn key_version(&self) -> &str {
        &self.key_version
    }

    /// All public keys that ever signed, the current one first.
    pub fn public_keys(&self) -> Vec<EarlierKey> {
        let current = EarlierKey {
            key_version: self.key_version.clone(),
            public_key: self.signing_key.verifying_key(),
        };
        std::iter::once(current).chain(self.earlier.iter().cloned()).collect()
    }

    /// The file with a new current key; the public half of this one is kept.
    ///
    /// # Errors
    ///
    /// [`KeyFileError`] for an unusable version, or one that a key has already.
    pub fn rotated(
        self,
        seed: Zeroizing<[u8; 32]>,
        key_version: String,
    ) -> Result<KeyFile, KeyFileError> {
        let earlier = self.public_keys();
        if earlier.iter().any(|key| key.key_version == key_version) {
            return Err(KeyFileError::SameVersion(key_version));
        }
        let mut file = KeyFile::new(seed, key_version)?;
        file.issuer_name = self.issuer_name;
        file.public_key_url = self.public_key_url;
        file.earlier = earlier;
        Ok(file)
    }

    /// The file's text. It holds the secret: write it where only its owner can read.
    pub fn to_json(&self) -> Zeroizing<String> {
        let optional = |name: &str, value: &Option<String>| match value {
            Some(value) => format!("  \"{name}\": {},\n", json_string(value)),
            None => String::new(),
        };
        let earlier: Vec<String> = self
            .earlier
            .iter()
            .map(|key| {
                format!(
                    "    {{\"key_version\": {}, \"public_key\": \"{}\"}}",
                    json_string(&key.key_version),
                    key.public_key.to_base64()
                )
            })
            .collect();
        let earlier = match earlier.as_slice() {
            [] => "[]".to_owned(),
            some => format!("[\n{}\n  ]", some.join(",\n")),
        };
        let seed = Zeroizing::new(STANDARD.encode(*self.seed));
        let before = format!(
            "{{\n  \"schema\": \"{SCHEMA}\",\n  \"key_version\": {},\n  \"algorithm\": \"Ed25519\",\n  \
             \"seed\": \"",
            json_string(&self.key_version)
        );
        let after = format!(
            "\",\n  \"public_key\": \"{}\",\n{}{}  \"earlier_keys\": {earlier}\n}}\n",
            self.signing_key.verifying_key().to_base64(),
            optional("issuer_name", &self.issuer_name),
            optional("public_key_url", &self.public_key_url),
        );
        // As large as it gets: a text that grows leaves copies of itself behind.
        let mut text =
            Zeroizing::new(String::with_capacity(before.len() + seed.len() + after.len()));
        for part in [&before, seed.as_str(), &after] {
            text.push_str(part);
        }
        text
    }
}

fn json_string(text: &str) -> String {
    let mut bytes = Vec::new();
    crate::jcs::write_string(text, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn read(file: Value<'_>) -> Result<KeyFile, KeyFileError> {
    if file.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        return Err(KeyFileError::NotAKeyFile);
    }
    let text = |holder: Value<'_>, name: &'static str| -> Result<String, KeyFileError> {
        let value = holder.get(name).and_then(Value::as_str);
        value.map(str::to_owned).ok_or(KeyFileError::Member(name))
    };
    let optional = |name: &'static str| match file.get(name) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(_) => text(file, name).map(Some),
    };
    if text(file, "algorithm")? != "Ed25519" {
        return Err(KeyFileError::Member("algorithm"));
    }
    // Without escapes the reader makes no copy of the secret.
    let encoded = file.get("seed").and_then(Value::as_plain_str);
    let encoded = encoded.ok_or(KeyFileError::Member("seed"))?;
    let mut seed = Zeroizing::new([0; 32]);
    let decoded = Zeroizing::new(STANDARD.decode(encoded).map_err(|_| KeyFileError::Seed)?);
    if decoded.len() != seed.len() {
        return Err(KeyFileError::Seed);
    }
    seed.copy_from_slice(&decoded);
    let public = |holder: Value<'_>| {
        VerifyingKey::from_base64(&text(holder, "public_key")?).map_err(KeyFileError::PublicKey)
    };
    let mut key_file = KeyFile::new(seed, text(file, "key_version")?)?;
    if public(file)? != key_file.signing_key.verifying_key() {
        return Err(KeyFileError::Mismatch);
    }
    key_file.issuer_name = optional("issuer_name")?;
    key_file.public_key_url = optional("public_key_url")?;
    let earlier = file.get("earlier_keys").filter(|earlier| earlier.is_array());
    for earlier in earlier.ok_or(KeyFileError::Member("earlier_keys"))?.elements() {
        let key_version = text(earlier, "key_version")?;
        check_version(&key_version)?;
        if key_file.public_keys().iter().any(|key| key.key_version == key_version) {
            return Err(KeyFileError::SameVersion(key_version));
        }
        key_file.earlier.push(EarlierKey { key_version, public_key: public(earlier)? });
    }
    Ok(key_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(byte: u8) -> Zeroizing<[u8; 32]> {
        Zeroizing::new([byte; 32])
    }

    #[test]
    fn files_read_back_and_rotate() {
        let mut file = KeyFile::new(seed(1), "v1-2026-01-01".to_owned()).unwrap();
        file.issuer_name = Some("A \"quoted\" name".to_owned());
        let file = KeyFile::parse(file.to_json().as_bytes(), None).unwrap();
        let rotated = file.rotated(seed(2), "v1-2026-01-01b".to_owned()).unwrap();
        let read = KeyFile::parse(rotated.to_json().as_bytes(), None).unwrap();
        let versions: Vec<String> =
            read.public_keys().into_iter().map(|key| key.key_version).collect();
        assert_eq!(versions, ["v1-2026-01-01b", "v1-2026-01-01"]);
        assert_eq!(read.issuer_name.as_deref(), Some("A \"quoted\" name"));
        assert_eq!(
            read.rotated(seed(3), "v1-2026-01-01".to_owned()).err(),
            Some(KeyFileError::SameVersion("v1-2026-01-01".to_owned()))
        );
    }

    #[test]
    fn damaged_files_are_refused_without_repeating_the_seed() {
        let text = KeyFile::new(seed(7), "k1".to_owned()).unwrap().to_json();
        let encoded = STANDARD.encode([7; 32]);
        for (from, to) in [
            ("aov-signing-key/1", "x"),
            ("Ed25519", "RSA"),
            (encoded.as_str(), "AAAA"),
            ("\"k1\"", "\"\""),
            ("\"k1\"", "\"a b\""),
            ("\"public_key\": \"", "\"public_key\": \"AAAA"),
            ("\"earlier_keys\": []", "\"earlier_keys\": 3"),
            ("{", "{{"),
        ] {
            let damaged = text.replacen(from, to, 1);
            assert_ne!(damaged, *text);
            let error = KeyFile::parse(damaged.as_bytes(), None).err().unwrap();
            assert!(!format!("{error} {error:?}").contains(&encoded), "{error}");
        }
        let other = KeyFile::new(seed(8), "k1".to_owned()).unwrap();
        let other = other.signing_key().verifying_key().to_base64();
        let own = VerifyingKey::to_base64(
            &KeyFile::new(seed(7), "k1".to_owned()).unwrap().signing_key().verifying_key(),
        );
        let mixed = text.replace(&own, &other);
        assert_eq!(KeyFile::parse(mixed.as_bytes(), None).err(), Some(KeyFileError::Mismatch));
    }

    #[test]
    fn pem_keys_need_a_version() {
        let pem = "-----BEGIN PRIVATE KEY-----\n\
                   MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                   -----END PRIVATE KEY-----\n";
        assert_eq!(KeyFile::parse(pem.as_bytes(), None).err(), Some(KeyFileError::PemVersion));
        let file = KeyFile::parse(pem.as_bytes(), Some("p1")).unwrap();
        assert_eq!(
            file.signing_key().verifying_key().to_base64(),
            "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
        );
        let broken = pem.replace("MC4C", "MC4D");
        assert_eq!(KeyFile::parse(broken.as_bytes(), Some("p1")).err(), Some(KeyFileError::Pem));
    }

    #[test]
    fn a_text_is_known_for_a_secret_key() {
        let text = KeyFile::new(seed(7), "k1".to_owned()).unwrap().to_json();
        let cut = &text[..text.len() / 2 + 20];
        assert!(KeyFile::parse(cut.as_bytes(), None).is_err() && cut.contains("\"seed\""));
        let pem = "-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n";
        let encrypted = pem.replace("PRIVATE", "ENCRYPTED PRIVATE");
        let later = text.replace("key/1", "key/2");
        for secret in [&text, cut, pem, &encrypted, &later] {
            for start in ["", "\u{feff}", " \n"] {
                assert!(holds_secret_key(format!("{start}{secret}").as_bytes()), "{secret}");
            }
        }
        let mention = format!("{{\"text\": {}}}", json_string(&text));
        let public = pem.replace("PRIVATE", "PUBLIC");
        let inside = format!("{{\"files\": [{}]}}", *text);
        let other = text.replace("\"aov-signing-key/1\"", "\"x\", \"y\": \"aov-signing-key/1\"");
        let quoted = json_string(pem);
        for harmless in [&mention, &public, &inside, &other, &quoted, "{}", "", "-", "-1"] {
            assert!(!holds_secret_key(harmless.as_bytes()), "{harmless}");
        }
    }

    #[test]
    fn versions_of_one_day_count_on() {
        let day = "2026-11-30";
        assert_eq!(next_version(day, &[]), "v1-2026-11-30");
        assert_eq!(next_version(day, &["v1-2026-11-30"]), "v1-2026-11-30b");
        assert_eq!(next_version(day, &["v1-2026-11-30", "v1-2026-11-30b"]), "v1-2026-11-30c");
        assert_eq!(next_version(day, &["v1-2026-11-30b"]), "v1-2026-11-30");
    }
}
