//! Signs responses: what makes a report a receipt.

use serde::Serialize;

use crate::jcs;
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

    /// Signs a response, at the time that the response was verified, and appends it as JSON to `out`.
    ///
    /// # Errors
    ///
    /// Only where the response cannot be serialized.
    pub fn sign(
        &self,
        response: &mut Response<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        response.set_verify(self.verify_section());
        let timestamp = response.verified_at();
        let start = out.len();
        serde_json::to_writer(&mut *out, response)?;
        let attestation = match response.canonical()? {
            Some(canonical) => self.attest_canonical(Kind::Verification, timestamp, &canonical),
            None => self.attest(Kind::Verification, timestamp, &out[start..])?,
        };
        // It is the last member: what is there already need not be written again.
        if out.pop() == Some(b'}') {
            out.extend_from_slice(b",\"attestation\":");
            serde_json::to_writer(&mut *out, &attestation)?;
            out.push(b'}');
        }
        response.set_attestation(attestation);
        Ok(())
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
        Ok(self.attest_canonical(kind, timestamp, &jcs::to_vec(document.root())))
    }

    /// The attestation of a response that has none yet, from its canonical form.
    fn attest_canonical(
        &self,
        kind: Kind,
        timestamp: &'a str,
        canonical: &[u8],
    ) -> Attestation<'a> {
        let attested = ("Ed25519", self.key_version, timestamp);
        let mut message = Vec::with_capacity(canonical.len() + 256);
        write_signed(kind, attested, &mut message, |out| out.extend_from_slice(canonical));
        Attestation {
            algorithm: "Ed25519",
            key_version: self.key_version,
            timestamp,
            signature: self.key.sign_base64(&message),
        }
    }
}

/// A [`VerifySection`] with its members in canonical order.
#[derive(Serialize)]
pub(crate) struct CanonicalVerify<'a> {
    canonicalization: &'a str,
    hash_algorithm: &'a str,
    key_version: &'a str,
    mcp: Option<&'a str>,
    public_key_url: Option<&'a str>,
    service: &'a str,
}

impl<'a> VerifySection<'a> {
    pub(crate) fn canonical(&self) -> CanonicalVerify<'a> {
        CanonicalVerify {
            canonicalization: self.canonicalization,
            hash_algorithm: self.hash_algorithm,
            key_version: self.key_version,
            mcp: self.mcp,
            public_key_url: self.public_key_url,
            service: self.service,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipt::Receipt;
    use crate::request::{Detail, Request};
    use crate::response::Subject;
    use crate::verify::verify;

    /// What is signed in one step has to be what whoever verifies it makes of the text.
    #[test]
    fn what_is_signed_is_the_canonical_form_of_what_is_sent() {
        let key = SigningKey::from_seed(&[7; 32]);
        let every_control: String = (0..=0x1f).map(char::from).collect();
        for id in ["t", "\"\\/", "\u{7f}\u{2028}é€😀\u{e000}", &every_control] {
            for detail in [Detail::Compact, Detail::Full] {
                for (output, url) in [("{}", None), (r#"{"a": 1}"#, Some("https://a.example/c"))] {
                    let text = format!(
                        r#"{{"task_id": "t", "expected_schema": {{"required": ["a"]}},
                            "submitted_output": {output}}}"#
                    );
                    let document = Document::parse(text.as_bytes()).unwrap();
                    let request = Request::parse(document.root()).unwrap();
                    let report = verify(&request.requirements, request.output).unwrap();
                    let subject = Subject {
                        verification_id: "v",
                        task_id: id,
                        agent_id: url.map(|_| id),
                        output: request.output,
                        verified_at: "2026-11-29T12:00:00.000000+00:00",
                        detail,
                    };
                    let signer = Signer {
                        key: &key,
                        key_version: id,
                        public_key_url: url,
                        service: url.map(|_| id),
                        mcp: url,
                    };
                    let mut response = Response::new(subject, &request.requirements, &report);
                    let mut json = b"before".to_vec();
                    signer.sign(&mut response, &mut json).unwrap();
                    let json = json.strip_prefix(b"before").unwrap();
                    assert_eq!(serde_json::to_vec(&response).unwrap(), json);
                    let document = Document::parse(json).unwrap();
                    let receipt = Receipt::read(document.root()).unwrap();
                    let signature = crate::key::decode_base64(receipt.signature).unwrap();
                    let signature: [u8; 64] = signature.try_into().unwrap();
                    assert!(key.verifying_key().verify(&receipt.signed_message(), &signature));
                }
            }
        }
    }
}
