//! Ed25519 keys: RFC 8032, strict. A public key that is no canonical point, or of small order, is
//! refused when it is read, since signatures under it prove nothing; signatures are verified with a
//! canonical S and without the cofactor. Secrets are wiped when dropped and have no `Debug`.

mod file;
mod many;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;

pub use file::{EarlierKey, KeyFile, KeyFileError, holds_secret_key, next_version};

/// A public key that a signature can be verified with.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

/// Why a text is no usable public key.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// Not base64 as RFC 4648 §4 has it.
    Base64(Base64Error),
    /// Not 32 bytes.
    Length(usize),
    /// No point of the curve, or not the one encoding that RFC 8032 §5.1.3 allows for it.
    NotCanonical,
    /// A point of small order: one signature can be valid for every message.
    Weak,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Base64(error) => write!(f, "the public key is {error}"),
            KeyError::Length(length) => write!(f, "the public key has {length} bytes, not 32"),
            KeyError::NotCanonical => {
                f.write_str("weak or non-canonical public key: no canonical point of the curve")
            }
            KeyError::Weak => {
                f.write_str("weak or non-canonical public key: a point of small order")
            }
        }
    }
}

impl std::error::Error for KeyError {}

/// Why a text is not base64 with the standard alphabet and padding (RFC 4648 §4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base64Error {
    problem: &'static str,
    position: usize,
}

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not valid base64 (position {}): {}", self.position, self.problem)
    }
}

/// Decodes base64 with the standard alphabet, padded, without white space or stray bits: one text
/// for each value.
///
/// # Errors
///
/// [`Base64Error`] with the place, from 1, and the likely cause.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, Base64Error> {
    use base64::DecodeError as E;
    // Hex is base64 too, of another value; neither a key nor a signature is all hex digits in it,
    // since both end in padding.
    let looks_like_hex = text.len() >= 32
        && text.len().is_multiple_of(2)
        && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if looks_like_hex || text.is_empty() {
        let problem =
            if text.is_empty() { "it is empty" } else { "it looks like hex; write it in base64" };
        return Err(Base64Error { problem, position: 1 });
    }
    STANDARD.decode(text).map_err(|error| {
        let (at, problem) = match error {
            E::InvalidByte(at, b'-' | b'_') => {
                (at, "a character of the URL alphabet; use the standard one")
            }
            E::InvalidByte(at, b' ' | b'\t' | b'\r' | b'\n') => (at, "white space"),
            E::InvalidByte(at, b'=') => (at, "padding inside"),
            E::InvalidByte(at, _) => (at, "a character outside the alphabet"),
            E::InvalidLastSymbol { offset, .. } => (offset, "stray bits in the last character"),
            E::InvalidPadding => (text.len() - 1, "the padding is missing or wrong"),
            E::InvalidLength(_) => (text.len() - 1, "the length is impossible"),
        };
        Base64Error { problem, position: at + 1 }
    })
}

impl VerifyingKey {
    /// Reads a key from its 32 bytes.
    ///
    /// # Errors
    ///
    /// [`KeyError`] for what is no canonical point, or of small order.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<VerifyingKey, KeyError> {
        let key =
            ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::NotCanonical)?;
        // The crate decodes y ≥ p and −0 too; compressing the point again gives the one encoding.
        if key.to_edwards().compress().as_bytes() != bytes {
            return Err(KeyError::NotCanonical);
        }
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(VerifyingKey(key)) }
    }

    /// Reads a key from base64.
    ///
    /// # Errors
    ///
    /// [`KeyError`], as [`VerifyingKey::from_bytes`], or for the encoding.
    pub fn from_base64(text: &str) -> Result<VerifyingKey, KeyError> {
        let bytes = decode_base64(text).map_err(KeyError::Base64)?;
        let bytes: [u8; 32] =
            bytes.try_into().map_err(|bytes: Vec<u8>| KeyError::Length(bytes.len()))?;
        VerifyingKey::from_bytes(&bytes)
    }

    /// The key in base64.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0.as_bytes())
    }

    /// Verifies a signature strictly.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        self.0.verify_strict(message, &signature).is_ok()
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_base64())
    }
}

/// A secret key. It is wiped when dropped, and nothing prints it.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key of a 32-byte seed.
    pub fn from_seed(seed: &[u8; 32]) -> SigningKey {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// Signs a message (RFC 8032 §5.1.6).
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// Signs, and gives the signature in base64.
    pub fn sign_base64(&self, message: &[u8]) -> String {
        STANDARD.encode(self.sign(message))
    }

    /// Signs each of many messages: the same signatures in less time.
    pub fn sign_each(&self, messages: &[&[u8]]) -> Vec<[u8; 64]> {
        match messages {
            [] => Vec::new(),
            [message] => vec![self.sign(message)],
            _ => many::sign_each(&self.0, messages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_small_order_and_odd_encodings_are_refused() {
        let hex = |text: &str| -> [u8; 32] {
            std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        };
        let identity = hex("0100000000000000000000000000000000000000000000000000000000000000");
        assert_eq!(VerifyingKey::from_bytes(&identity), Err(KeyError::Weak));
        let order_8 = hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
        assert_eq!(VerifyingKey::from_bytes(&order_8), Err(KeyError::Weak));
        // y = p + 1 is another spelling of the identity.
        let spelt = hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
        assert_eq!(VerifyingKey::from_bytes(&spelt), Err(KeyError::NotCanonical));
        let negative_zero = hex("0100000000000000000000000000000000000000000000000000000000000080");
        assert_eq!(VerifyingKey::from_bytes(&negative_zero), Err(KeyError::NotCanonical));
        let off_curve = hex("0200000000000000000000000000000000000000000000000000000000000000");
        assert_eq!(VerifyingKey::from_bytes(&off_curve), Err(KeyError::NotCanonical));
    }

    #[test]
    fn rfc_8032_test_1() {
        let seed = decode_base64("nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=").unwrap();
        let key = SigningKey::from_seed(&seed.try_into().unwrap());
        assert_eq!(key.verifying_key().to_base64(), "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
        let signature = key.sign(b"");
        assert!(key.verifying_key().verify(b"", &signature));
        assert!(!key.verifying_key().verify(b"x", &signature));
    }

    #[test]
    fn each_of_any_number_of_messages_has_its_signature() {
        let key = SigningKey::from_seed(&[7; 32]);
        let messages: [&[u8]; 3] = [b"", b"a", b"b"];
        let alone = messages.map(|message| key.sign(message));
        for count in 0..=3 {
            assert_eq!(key.sign_each(&messages[..count]), alone[..count]);
        }
    }

    #[test]
    fn base64_has_one_text_for_each_value() {
        assert!(decode_base64("AAA=").is_ok());
        for (text, message) in [
            ("", "not valid base64 (position 1): it is empty"),
            ("AAA", "not valid base64 (position 3): the padding is missing or wrong"),
            ("AA A", "not valid base64 (position 3): white space"),
            ("AAB=", "not valid base64 (position 3): stray bits in the last character"),
            (
                "A-A=",
                "not valid base64 (position 2): a character of the URL alphabet; use the standard one",
            ),
            ("AAA=\n", "not valid base64 (position 5): white space"),
            ("A*A=", "not valid base64 (position 2): a character outside the alphabet"),
            (
                "884f736ac6bcae8bdadb3888a7f1a0d4",
                "not valid base64 (position 1): it looks like hex; write it in base64",
            ),
        ] {
            assert_eq!(decode_base64(text).unwrap_err().to_string(), message);
        }
    }
}
