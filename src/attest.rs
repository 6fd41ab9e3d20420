//! Signs responses: what makes a report a receipt.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use smallvec::SmallVec;

use crate::jcs;
use crate::json::Document;
use crate::key::SigningKey;
use crate::receipt::{Kind, write_signed};
use crate::response::Response;

/// The `canonicalization` that receipts name.
pub const CANONICALIZATION: &str = "RFC 8785 (JCS)";

/// The `algorithm` of attestations.
const ALGORITHM: &str = "Ed25519";

/// Characters of a signature: 64 bytes in base64.
const SIGNATURE_LENGTH: usize = 88;

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
    pub(crate) canonicalization: &'static str,
    pub(crate) hash_algorithm: &'static str,
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
        let mut unsigned = Unsigned::default();
        self.write(response, &mut unsigned, out)?;
        unsigned.sign(self.key, out);
        // It is the last text.
        let signature = &out[out.len() - SIGNATURE_LENGTH - 3..out.len() - 3];
        response.set_attestation(Attestation {
            algorithm: ALGORITHM,
            key_version: self.key_version,
            timestamp: response.verified_at(),
            signature: String::from_utf8_lossy(signature).into_owned(),
        });
        Ok(())
    }

    /// Appends a response as JSON to `out`, complete but for its signature, which
    /// [`Unsigned::sign`] puts in. Both have to be given the same `out`.
    ///
    /// # Errors
    ///
    /// Only where the response cannot be serialized.
    pub fn write(
        &self,
        response: &mut Response<'a>,
        unsigned: &mut Unsigned,
        out: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        response.set_verify(self.verify_section());
        let timestamp = response.verified_at();
        let attested = (ALGORITHM, self.key_version, timestamp);
        let (kind, message) = (Kind::Verification, &mut unsigned.messages);
        // As much as most take.
        message.reserve(2048);
        if let Some(plain) = response.plain() {
            plain.write(out);
            write_signed(kind, attested, message, |message| plain.write_canonical(message));
        } else {
            let start = out.len();
            serde_json::to_writer(&mut *out, response)?;
            let document = read_back(&out[start..])?;
            write_signed(kind, attested, message, |message| jcs::write(document.root(), message));
        }
        // It is the last member: what is there already need not be written again.
        out.pop();
        out.extend_from_slice(b",\"attestation\":{\"algorithm\":\"");
        out.extend_from_slice(ALGORITHM.as_bytes());
        out.extend_from_slice(b"\",\"key_version\":");
        jcs::write_string(self.key_version, out);
        out.extend_from_slice(b",\"timestamp\":");
        jcs::write_string(timestamp, out);
        out.extend_from_slice(b",\"signature\":\"");
        let place = out.len();
        unsigned.receipts.push(Waiting { message_end: unsigned.messages.len(), place });
        out.resize(place + SIGNATURE_LENGTH, b'.');
        out.extend_from_slice(b"\"}}");
        Ok(())
    }

    /// The attestation of a response that has none yet, from its JSON.
    pub(crate) fn attest(
        &self,
        kind: Kind,
        timestamp: &'a str,
        json: &[u8],
    ) -> Result<Attestation<'a>, serde_json::Error> {
        let document = read_back(json)?;
        let attested = (ALGORITHM, self.key_version, timestamp);
        let mut message = Vec::with_capacity(json.len() + 256);
        write_signed(kind, attested, &mut message, |out| jcs::write(document.root(), out));
        let signature = self.key.sign_base64(&message);
        Ok(Attestation {
            algorithm: ALGORITHM,
            key_version: self.key_version,
            timestamp,
            signature,
        })
    }
}

/// Reads what was just written.
fn read_back(json: &[u8]) -> Result<Document<'_>, serde_json::Error> {
    Document::parse(json).map_err(|error| serde::ser::Error::custom(error.to_string()))
}

/// Receipts that are written but for their signatures.
///
/// Signing many with one key takes a fifth less time than one by one.
#[derive(Default)]
pub struct Unsigned {
    /// What is to be signed, one message after the other
    messages: Vec<u8>,
    receipts: Vec<Waiting>,
}

/// A receipt without its signature.
struct Waiting {
    /// Where its message ends
    message_end: usize,
    /// Where its signature begins
    place: usize,
}

impl Unsigned {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.receipts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.receipts.is_empty()
    }

    /// Signs all and puts the signatures where they belong in `out`. None are left then.
    pub fn sign(&mut self, key: &SigningKey, out: &mut [u8]) {
        let messages: SmallVec<[&[u8]; 1]> = self.messages().collect();
        let signatures = key.sign_each(&messages);
        drop(messages);
        self.put(&mut signatures.iter(), out);
    }

    /// As [`Unsigned::sign`], for receipts that are written in many places.
    pub fn sign_together(key: &SigningKey, many: &mut [(Unsigned, Vec<u8>)]) {
        let messages: Vec<&[u8]> = many.iter().flat_map(|(one, _)| one.messages()).collect();
        let signatures = key.sign_each(&messages);
        drop(messages);
        let mut signatures = signatures.iter();
        many.iter_mut().for_each(|(one, out)| one.put(&mut signatures, out));
    }

    fn messages(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.receipts.iter().map(|receipt| receipt.message_end);
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(ends).map(|(start, end)| &self.messages[start..end])
    }

    fn put<'s>(&mut self, signatures: &mut impl Iterator<Item = &'s [u8; 64]>, out: &mut [u8]) {
        for (receipt, signature) in self.receipts.drain(..).zip(signatures) {
            let place = &mut out[receipt.place..receipt.place + SIGNATURE_LENGTH];
            // It fits: 64 bytes are 88 characters.
            let written = STANDARD.encode_slice(signature, place);
            debug_assert_eq!(written, Ok(SIGNATURE_LENGTH));
        }
        self.messages.clear();
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
