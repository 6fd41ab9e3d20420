//! SHA-256 over canonical form: the hashes that bind a receipt to what was checked.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::jcs::{self, Sink};
use crate::json::Value;

/// A SHA-256 digest; prints as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of bytes as they are.
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of a value's canonical form.
    pub fn of(value: Value<'_>) -> Digest {
        let mut hasher = Hasher::default();
        jcs::write(value, &mut hasher);
        hasher.finish()
    }

    /// Reads 64 hex digits of either case.
    pub fn parse(hex: &str) -> Option<Digest> {
        let digits = hex.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Digest(bytes))
    }

    /// The digits that it prints as.
    pub fn hex(&self) -> Hex {
        // By arithmetic, which is done for many bytes at once.
        let digit = |nibble: u8| nibble + b'0' + u8::from(nibble > 9) * (b'a' - b'0' - 10);
        let mut digits = [0u8; 64];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        Hex(digits)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    /// A digest that was computed before.
    fn from(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }
}

/// The 64 digits of a digest.
#[derive(Clone, Copy)]
pub struct Hex([u8; 64]);

impl Hex {
    /// The digits.
    pub fn as_str(&self) -> &str {
        // They are ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The digits as bytes.
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hashes canonical bytes as they come, so that a large document is never held twice.
pub struct Hasher {
    hash: Sha256,
    pending: Vec<u8>,
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher { hash: Sha256::new(), pending: Vec::with_capacity(1024) }
    }
}

/// Canonical form comes in pieces of a few bytes; the hash is fed in blocks of this many.
const BLOCK: usize = 16 * 1024;

impl Sink for Hasher {
    fn push(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > BLOCK {
            self.hash.update(&self.pending);
            self.pending.clear();
            if bytes.len() > BLOCK {
                self.hash.update(bytes);
                return;
            }
        }
        self.pending.extend_from_slice(bytes);
    }
}

impl Hasher {
    /// The digest of all that was pushed.
    pub fn finish(mut self) -> Digest {
        self.hash.update(&self.pending);
        Digest(self.hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn digests_print_and_parse_as_hex() {
        let digest = Digest::of_bytes(b"null");
        let hex = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b";
        assert_eq!(digest.to_string(), hex);
        assert_eq!(Digest::parse(&hex.to_uppercase()), Some(digest));
        assert_eq!(Digest::parse(&hex[1..]), None);
        assert_eq!(Digest::parse(&hex.replace('7', "g")), None);
    }

    #[test]
    fn hashing_in_blocks_gives_the_hash_of_the_whole() {
        for elements in [0, 10, 5_000, 20_000] {
            let text = format!("[{}]", vec!["\"abc\""; elements].join(","));
            let document = Document::parse(text.as_bytes()).unwrap();
            assert_eq!(Digest::of(document.root()), Digest::of_bytes(text.as_bytes()));
        }
        let text = format!("[\"{}\",1]", "x".repeat(100_000));
        let document = Document::parse(text.as_bytes()).unwrap();
        assert_eq!(Digest::of(document.root()), Digest::of_bytes(text.as_bytes()));
    }
}
