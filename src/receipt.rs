//! Receipts: signed responses, read from the wire.
//!
//! The signature covers the canonical form of `{context, algorithm, key_version, attested_at,
//! response}`, where `response` is everything but `attestation`. What else stands in `attestation`
//! is hearsay.

use crate::jcs::{self, Sink};
use crate::json::Value;

/// The kinds of receipt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Of a verification
    Verification,
    /// Of a score; known by its `trust_score`
    Score,
}

impl Kind {
    /// The context that is signed with a receipt of this kind, so that none passes for another.
    pub fn context(self) -> &'static str {
        match self {
            Kind::Verification => "json-schema-verifier/verify-schema-attestation/v1",
            Kind::Score => "json-schema-verifier/trust-score-attestation/v1",
        }
    }
}

/// The members of `attestation` that there are.
const ATTESTATION: [&str; 4] = ["algorithm", "key_version", "timestamp", "signature"];

/// A receipt whose attestation is there and of the right shape. Nothing of it is verified yet.
#[derive(Clone, Copy, Debug)]
pub struct Receipt<'d> {
    value: Value<'d>,
    /// Its kind
    pub kind: Kind,
    /// `attestation.algorithm`
    pub algorithm: &'d str,
    /// `attestation.key_version`
    pub key_version: &'d str,
    /// `attestation.timestamp`
    pub timestamp: &'d str,
    /// `attestation.signature`
    pub signature: &'d str,
}

impl<'d> Receipt<'d> {
    /// Reads a receipt's attestation.
    ///
    /// # Errors
    ///
    /// Why the value is no receipt, as a phrase.
    pub fn read(value: Value<'d>) -> Result<Receipt<'d>, String> {
        if !value.is_object() {
            return Err(format!("not a receipt: it is {}", crate::message::kind_of(value)));
        }
        let attestation = value
            .get("attestation")
            .ok_or("not a receipt: it has no attestation, so no signature")?;
        let text = |name: &str| {
            attestation
                .get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| format!("attestation.{name} is missing or no string"))
        };
        let kind =
            if value.get("trust_score").is_some() { Kind::Score } else { Kind::Verification };
        Ok(Receipt {
            value,
            kind,
            algorithm: text("algorithm")?,
            key_version: text("key_version")?,
            timestamp: text("timestamp")?,
            signature: text("signature")?,
        })
    }

    /// The receipt as it was read.
    pub fn value(&self) -> Value<'d> {
        self.value
    }

    /// A member that holds a string.
    pub fn text(&self, name: &str) -> Option<&'d str> {
        self.value.get(name).and_then(Value::as_str)
    }

    /// Where the receipt says that its key is published. The receipt's own word, not the truth.
    pub fn public_key_url(&self) -> Option<&'d str> {
        self.value.get("verify")?.get("public_key_url")?.as_str()
    }

    /// Names of members in `attestation` that no signature covers.
    pub fn unsigned_members(&self) -> Vec<&'d str> {
        let attestation = self.value.get("attestation");
        let members = attestation.into_iter().flat_map(Value::members);
        members.map(|member| member.name()).filter(|name| !ATTESTATION.contains(name)).collect()
    }

    /// The bytes that the signature is over.
    pub fn signed_message(&self) -> Vec<u8> {
        let mut message = Vec::with_capacity(2048);
        write_signed(
            self.kind,
            (self.algorithm, self.key_version, self.timestamp),
            &mut message,
            |out| jcs::write_without(self.value, "attestation", out),
        );
        message
    }
}

/// Writes the canonical form of the signed document; `write_response` writes that of the response
/// without its `attestation`.
pub(crate) fn write_signed<S: Sink>(
    kind: Kind,
    (algorithm, key_version, attested_at): (&str, &str, &str),
    out: &mut S,
    write_response: impl FnOnce(&mut S),
) {
    // The five members in canonical order.
    out.push(b"{\"algorithm\":");
    jcs::write_string(algorithm, out);
    out.push(b",\"attested_at\":");
    jcs::write_string(attested_at, out);
    out.push(b",\"context\":");
    jcs::write_string(kind.context(), out);
    out.push(b",\"key_version\":");
    jcs::write_string(key_version, out);
    out.push(b",\"response\":");
    write_response(out);
    out.push(b"}");
}
