//! Signs responses: what makes a report a receipt.

use serde::Serialize;

use crate::json::Document;
use crate::key::SigningKey;
use crate::receipt::{Kind, write_signed};
use crate::response::Response;

/// The `canonicalization` that receipts name.
pub const CANONICALIZATION: &str = "RFC 8785 (JCS)";

/// The `service` of receipts whose signer gives no name.
pub const SELF_ATTESTED: &str = "aov (self-attested)";

/// How to verify a receipt, as it says of itself.
#[derive(Clone, Copy, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct VerifySection<'a> {
    /// Where the agent-card with the key is published.
    #[cfg_attr(feature = "serve", schema(required))]
    pub public_key_url: Option<&'a str>,
    /// The key's version.
    pub key_version: &'a str,
    canonicalization: &'static str,
    hash_algorithm: &'static str,
    /// The issuer's name.
    pub service: &'a str,
    /// The issuer's MCP endpoint.
    #[cfg_attr(feature = "serve", schema(required))]
    pub mcp: Option<&'a str>,
}

/// A signature with what it needs.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Attestation<'a> {
    algorithm: &'static str,
    key_version: &'a str,
    timestamp: &'a str,
    /// Over all but this section, in base64
    signature: String,
}

/// Who signs.
#[derive(Clone, Copy)]
pub struct Signer<'a> {
    /// The key
    pub key: &'a SigningKey,
    /// Its version
    pub key_version: &'a str,
    /// Where its agent-card is published.
    pub public_key_url: Option<&'a str>,
    /// The issuer's name; [`SELF_ATTESTED`] where there is none.
    pub service: Option<&'a str>,
    /// The issuer's MCP endpoint.
    pub mcp: Option<&'a str>,
}

impl<'a> Signer<'a> {
    /// How receipts of this signer are verified.
    pub fn verify_section(&self) -> VerifySection<'a> {
        VerifySection {
            public_key_url: self.public_key_url,
            key_version: self.key_version,
            canonicalization: CANONICALIZATION,
            hash_algorithm: "SHA-256",
            service: self.service.unwrap_or(SELF_ATTESTED),
            mcp: self.mcp,
        }
    }

    /// Signs a response, at the time that the response was verified, and gives it as JSON.
    ///
    /// # Errors
    ///
    /// Only where the response cannot be serialized.
    pub fn sign(&self, response: &mut Response<'a>) -> Result<Vec<u8>, serde_json::Error> {
        response.set_verify(self.verify_section());
        let timestamp = response.verified_at();
        let mut json = Vec::with_capacity(2048);
        serde_json::to_writer(&mut json, response)?;
        let attestation = self.attest(Kind::Verification, timestamp, &json)?;
        // It is the last member: what is there already need not be written again.
        if json.pop() == Some(b'}') {
            json.extend_from_slice(b",\"attestation\":");
            serde_json::to_writer(&mut json, &attestation)?;
            json.push(b'}');
        }
        response.set_attestation(attestation);
        Ok(json)
    }

    /// The attestation of a response that has none yet, from its JSON.
    pub(crate) fn attest(
        &self,
        kind: Kind,
        timestamp: &'a str,
        json: &[u8],
    ) -> Result<Attestation<'a>, serde_json::Error> {
        let document =
            Document::parse(json).map_err(|error| serde::ser::Error::custom(error.to_string()))?;
        let attested = ("Ed25519", self.key_version, timestamp);
        let mut message = Vec::with_capacity(json.len() + 256);
        write_signed(kind, attested, document.root(), &mut message);
        Ok(Attestation {
            algorithm: "Ed25519",
            key_version: self.key_version,
            timestamp,
            signature: self.key.sign_base64(&message),
        })
    }
}
