//! A payment as a client sends it: read, held against what was asked for, and named by what can be
//! spent only once. Whether it is good for its money is for the facilitator to say.

use std::borrow::Cow;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::error::PaymentErrorCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::network::{Family, hex_digits};
use super::terms::{Requirements, SCHEME, X402_VERSION};

/// The largest payment, as JSON. Real ones have about two kilobytes.
const MAX_BYTES: usize = 32 * 1024;

/// What came in the place of a payment, in whatever encoding a transport has for it.
#[derive(Clone, Debug)]
pub(crate) enum Offer {
    Json(Value),
    /// It is not even JSON.
    Unreadable(&'static str),
}

impl Offer {
    /// From the value of `Payment-Signature`: JSON in base64.
    pub(crate) fn from_base64(text: &[u8]) -> Offer {
        if text.len() > MAX_BYTES.div_ceil(3) * 4 {
            return Offer::Unreadable("The payment is too large.");
        }
        let Ok(bytes) = STANDARD.decode(text.trim_ascii()) else {
            return Offer::Unreadable("The payment is not in base64, with padding.");
        };
        match serde_json::from_slice(&bytes) {
            Ok(value) => Offer::Json(value),
            Err(_) => Offer::Unreadable("The payment is not JSON in base64."),
        }
    }
}

/// Why a payment was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PaymentError {
    /// One of the registry's, or the facilitator's own.
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
}

impl PaymentError {
    pub(crate) fn new(code: PaymentErrorCode, message: impl Into<String>) -> PaymentError {
        PaymentError { code: Cow::Borrowed(code.code), message: message.into() }
    }

    /// What the payer does about it.
    pub(crate) fn what_to_do(&self) -> &'static str {
        let known = PaymentErrorCode::named(&self.code);
        known.map_or("Make a new payment for one entry of `accepts`.", |code| code.what_to_do)
    }
}

/// What can be spent only once: on EVM networks the asset, the payer and the nonce, on Solana the
/// transaction. It is a hash of these.
pub(crate) type PaymentKey = Digest;

/// A payment on a network that is accepted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Payment {
    pub(crate) key: PaymentKey,
    pub(crate) requirements: Requirements,
    /// Who pays, where the payment itself says so
    pub(crate) payer: Option<String>,
    /// A hash of what proves that it is the payer's: the key is on the network for all to see
    pub(crate) proof: Digest,
    payload: Value,
    objection: Option<PaymentError>,
}

impl Payment {
    /// Reads an offer, and finds its network among what is asked for.
    pub(crate) fn read(offer: &Offer, asked: &[Requirements]) -> Result<Payment, PaymentError> {
        let invalid = |message: &str| PaymentError::new(PaymentErrorCode::INVALID_PAYLOAD, message);
        let value = match offer {
            Offer::Json(value) => value,
            Offer::Unreadable(why) => return Err(invalid(why)),
        };
        let payload = without_nulls(value);
        if payload.to_string().len() > MAX_BYTES {
            return Err(invalid("The payment is too large."));
        }
        let Value::Object(members) = &payload else {
            return Err(invalid("The payment is not a JSON object."));
        };
        if members.get("x402Version") != Some(&json!(X402_VERSION)) {
            let message = "The payment's `x402Version` is not 2.";
            return Err(PaymentError::new(PaymentErrorCode::INVALID_X402_VERSION, message));
        }
        let object = |name: &str| {
            members.get(name).and_then(Value::as_object).ok_or_else(|| {
                invalid(&format!("The payment's `{name}` is missing, or is no object."))
            })
        };
        let (accepted, inner) = (object("accepted")?, object("payload")?);
        let requirements = on_network(accepted, asked)?;
        let differs = difference(accepted, requirements);
        let (key, payer, objection) = match requirements.network.family() {
            Family::Evm { .. } => {
                let Authorization { key, from, objection } = authorization(inner, requirements)?;
                (key, Some(from), differs.or(objection))
            }
            Family::Solana => (transaction(inner, requirements)?, None, differs),
        };
        let requirements = requirements.clone();
        // Members are in the order of their names.
        let proof = Digest::of_bytes(Value::Object(inner.clone()).to_string().as_bytes());
        Ok(Payment { key, requirements, payer, proof, payload, objection })
    }

    /// Whether it is for what is asked for now. What was paid before a price changed has another
    /// price.
    pub(crate) fn fits(&self) -> Result<(), PaymentError> {
        self.objection.clone().map_or(Ok(()), Err)
    }

    /// What the facilitator is asked: always with our requirements, never with the client's copy.
    pub(crate) fn question(&self) -> String {
        json!({
            "x402Version": X402_VERSION,
            "paymentPayload": self.payload,
            "paymentRequirements": self.requirements,
        })
        .to_string()
    }
}

/// Without members that are null: some clients write them for what is absent, and some facilitators
/// refuse them.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect(),
        ),
        Value::Array(elements) => Value::Array(elements.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// The requirements for the network that a payment is on.
fn on_network<'a>(
    accepted: &Map<String, Value>,
    asked: &'a [Requirements],
) -> Result<&'a Requirements, PaymentError> {
    if accepted.get("scheme").and_then(Value::as_str) != Some(SCHEME) {
        let message = "The payment's `accepted.scheme` is not `exact`.";
        return Err(PaymentError::new(PaymentErrorCode::UNSUPPORTED_SCHEME, message));
    }
    let network = accepted.get("network").and_then(Value::as_str);
    asked.iter().find(|ours| Some(ours.network.id()) == network).ok_or_else(|| {
        let message = "The payment's `accepted.network` is not accepted here.";
        PaymentError::new(PaymentErrorCode::INVALID_NETWORK, message)
    })
}

/// Where `accepted` does not repeat our requirements.
fn difference(accepted: &Map<String, Value>, ours: &Requirements) -> Option<PaymentError> {
    // Plain data: it is an object.
    let wanted = serde_json::to_value(ours).unwrap_or_default();
    let same = |name: &str, wanted: &Value| match (accepted.get(name), wanted) {
        // What is in `extra` beside ours does no harm.
        (Some(Value::Object(given)), Value::Object(wanted)) => {
            wanted.iter().all(|(name, value)| given.get(name) == Some(value))
        }
        (Some(Value::String(given)), Value::String(wanted)) => match ours.network.family() {
            // The capital letters of an address are its checksum, no part of it.
            Family::Evm { .. } => given.eq_ignore_ascii_case(wanted),
            Family::Solana => given == wanted,
        },
        (given, wanted) => given == Some(wanted),
    };
    let (name, _) = wanted.as_object()?.iter().find(|(name, wanted)| !same(name, wanted))?;
    let message = format!("The payment's `accepted.{name}` is not what is asked for.");
    Some(PaymentError::new(PaymentErrorCode::INVALID_PAYMENT_REQUIREMENTS, message))
}

/// What is read of an EIP-3009 authorization.
struct Authorization {
    key: PaymentKey,
    from: String,
    objection: Option<PaymentError>,
}

fn authorization(
    inner: &Map<String, Value>,
    ours: &Requirements,
) -> Result<Authorization, PaymentError> {
    let invalid = |what: &str| {
        let message = format!("The payment's `payload.{what}.");
        PaymentError::new(PaymentErrorCode::INVALID_PAYLOAD, message)
    };
    if !inner.get("signature").is_some_and(Value::is_string) {
        return Err(invalid("signature` is missing, or is no text"));
    }
    let members = inner.get("authorization").and_then(Value::as_object);
    let members = members.ok_or_else(|| invalid("authorization` is missing, or is no object"))?;
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
    let from = text("from");
    let payer = hex_digits(from, 40)
        .ok_or_else(|| invalid("authorization.from` is no address"))?
        .to_ascii_lowercase();
    let nonce = hex_digits(text("nonce"), 64)
        .ok_or_else(|| invalid("authorization.nonce` is not 32 bytes in hexadecimal"))?
        .to_ascii_lowercase();
    let objection = if !text("to").eq_ignore_ascii_case(&ours.pay_to) {
        let message = "The payment's authorization pays somebody else than `payTo`.";
        Some(PaymentError::new(PaymentErrorCode::RECIPIENT_MISMATCH, message))
    } else if text("value") != ours.amount.units().to_string() {
        let message = "The payment's authorization is not for exactly `amount`.";
        Some(PaymentError::new(PaymentErrorCode::VALUE_MISMATCH, message))
    } else {
        None
    };
    let (network, asset) = (ours.network.id(), ours.network.asset().to_ascii_lowercase());
    let spent_once = format!("{network}\n{asset}\n{payer}\n{nonce}");
    let key = Digest::of_bytes(spent_once.as_bytes());
    Ok(Authorization { key, from: from.to_owned(), objection })
}

/// The key of a Solana transaction.
fn transaction(
    inner: &Map<String, Value>,
    ours: &Requirements,
) -> Result<PaymentKey, PaymentError> {
    let text = inner.get("transaction").and_then(Value::as_str).unwrap_or_default();
    let bytes = STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        let message = "The payment's `payload.transaction` is missing, or is not in base64.";
        PaymentError::new(PaymentErrorCode::INVALID_PAYLOAD, message)
    })?;
    let mut spent_once = format!("{}\n", ours.network.id()).into_bytes();
    spent_once.extend_from_slice(signed_message(&bytes));
    Ok(Digest::of_bytes(&spent_once))
}

/// What the signatures of a Solana transaction are over. The place of the fee payer's signature is
/// empty until the facilitator signs: with it, one payment would have as many keys as there are
/// ways to fill that place. What is no transaction counts as a whole; nobody will settle it.
fn signed_message(transaction: &[u8]) -> &[u8] {
    const SIGNATURE: usize = 64;
    // A count under 128 is one byte; more signatures than that no transaction has room for.
    match transaction.split_first() {
        Some((&count, rest)) if count < 0x80 => match rest.get(usize::from(count) * SIGNATURE..) {
            Some(message) if !message.is_empty() => message,
            _ => transaction,
        },
        _ => transaction,
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::Good;
    use super::super::terms::tests::terms;
    use super::*;

    fn asked() -> Vec<Requirements> {
        terms().requirements(Good::Check, Some("fees"))
    }

    fn evm() -> Value {
        json!({
            "x402Version": 2,
            "accepted": asked()[0],
            "resource": {"url": "http://127.0.0.1/", "mimeType": null},
            "payload": {
                "signature": "0x00",
                "authorization": {
                    "from": "0x52908400098527886E0F7030069857D2E4169EE7",
                    "to": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                    "value": "20000",
                    "validAfter": "0",
                    "validBefore": "1",
                    "nonce": format!("0x{}", "aB".repeat(32)),
                },
            },
        })
    }

    fn solana(transaction: &[u8]) -> Value {
        json!({
            "x402Version": 2,
            "accepted": asked()[1],
            "payload": {"transaction": STANDARD.encode(transaction)},
        })
    }

    fn read(value: Value) -> Result<Payment, String> {
        let payment = Payment::read(&Offer::Json(value), &asked());
        let fitting = payment.and_then(|payment| payment.fits().map(|()| payment));
        fitting.map_err(|error| error.code.into_owned())
    }

    fn changed(pointer: &str, to: Value) -> Result<Payment, String> {
        let mut value = evm();
        *value.pointer_mut(pointer).unwrap() = to;
        read(value)
    }

    #[test]
    fn what_was_asked_for_is_taken() {
        let payment = read(evm()).unwrap();
        assert_eq!(payment.payer.as_deref(), Some("0x52908400098527886E0F7030069857D2E4169EE7"));
        let question: Value = serde_json::from_str(&payment.question()).unwrap();
        assert_eq!(question["paymentRequirements"], json!(asked()[0]));
        assert_eq!(question["paymentPayload"]["resource"], json!({"url": "http://127.0.0.1/"}));
        assert_eq!(question["x402Version"], 2);

        let more = json!({"name": "USD Coin", "version": "2", "more": 1});
        assert!(changed("/accepted/extra", more).is_ok());
        let lower = asked()[0].pay_to.to_ascii_lowercase();
        assert!(changed("/accepted/payTo", json!(lower)).is_ok());
    }

    #[test]
    fn what_differs_is_refused_by_its_code() {
        let requirements = "invalid_payment_requirements";
        for (pointer, to, code) in [
            ("/x402Version", json!(1), "invalid_x402_version"),
            ("/x402Version", json!("2"), "invalid_x402_version"),
            ("/accepted", json!([]), "invalid_payload"),
            ("/accepted", json!({}), "unsupported_scheme"),
            ("/accepted/scheme", json!("upto"), "unsupported_scheme"),
            ("/accepted/network", json!("eip155:84532"), "invalid_network"),
            ("/accepted/amount", json!("1"), requirements),
            ("/accepted/amount", json!(20000), requirements),
            ("/accepted/asset", json!("0x11"), requirements),
            ("/accepted/payTo", json!("0x11"), requirements),
            ("/accepted/maxTimeoutSeconds", json!(301), requirements),
            ("/accepted/extra", json!({"name": "USDC", "version": "2"}), requirements),
            ("/accepted/extra", json!({"name": "USD Coin"}), requirements),
            ("/accepted/extra", Value::Null, requirements),
            ("/payload", Value::Null, "invalid_payload"),
            ("/payload/signature", json!(1), "invalid_payload"),
            ("/payload/authorization", json!("x"), "invalid_payload"),
            ("/payload/authorization/from", json!("0x12"), "invalid_payload"),
            ("/payload/authorization/nonce", json!("0x12"), "invalid_payload"),
            (
                "/payload/authorization/to",
                json!("0x52908400098527886E0F7030069857D2E4169EE7"),
                "invalid_exact_evm_payload_recipient_mismatch",
            ),
            (
                "/payload/authorization/value",
                json!("1"),
                "invalid_exact_evm_payload_authorization_value_mismatch",
            ),
            (
                "/payload/authorization/value",
                json!("020000"),
                "invalid_exact_evm_payload_authorization_value_mismatch",
            ),
        ] {
            assert_eq!(changed(pointer, to.clone()), Err(code.to_owned()), "{pointer} {to}");
        }
        for junk in [json!(null), json!("junk"), json!(7), json!([])] {
            assert_eq!(read(junk), Err("invalid_payload".to_owned()));
        }
        assert_eq!(read(json!({})), Err("invalid_x402_version".to_owned()));
        let large = changed("/payload/signature", json!("0".repeat(MAX_BYTES)));
        assert_eq!(large, Err("invalid_payload".to_owned()));
    }

    #[test]
    fn a_header_is_json_in_base64() {
        let text = STANDARD.encode(evm().to_string());
        let offer = Offer::from_base64(text.as_bytes());
        assert!(Payment::read(&offer, &asked()).is_ok());
        for junk in ["", "%%%", "e30", "aGVsbG8=", &"A".repeat(60_000)] {
            assert!(matches!(Offer::from_base64(junk.as_bytes()), Offer::Unreadable(_)), "{junk}");
        }
    }

    #[test]
    fn the_key_is_what_can_be_spent_once() {
        let key = |value: Value| read(value).unwrap().key;
        let nonce = "/payload/authorization/nonce";
        let same = changed(nonce, json!(format!("0x{}", "Ab".repeat(32)))).unwrap().key;
        assert_eq!(same, key(evm()));
        let from = "0x52908400098527886e0f7030069857d2e4169ee7";
        assert_eq!(changed("/payload/authorization/from", json!(from)).unwrap().key, key(evm()));
        let other_signature = changed("/payload/signature", json!("0x01")).unwrap();
        assert_ne!(other_signature.proof, read(evm()).unwrap().proof);
        // Neither the signature nor the time window makes another payment of it.
        assert_eq!(changed("/payload/signature", json!("0x01")).unwrap().key, key(evm()));
        let window = "/payload/authorization/validBefore";
        assert_eq!(changed(window, json!("9")).unwrap().key, key(evm()));
        let other = changed(nonce, json!(format!("0x{}", "cd".repeat(32)))).unwrap().key;
        assert_ne!(other, key(evm()));

        let signed = |fill: u8, message: &[u8]| {
            let mut bytes = vec![2];
            bytes.extend_from_slice(&[fill; 64]);
            bytes.extend_from_slice(&[7; 64]);
            bytes.extend_from_slice(message);
            key(solana(&bytes))
        };
        assert_eq!(signed(0, b"message"), signed(9, b"message"));
        assert_ne!(signed(0, b"message"), signed(0, b"another"));
        assert_ne!(key(solana(b"\x05no transaction")), key(solana(b"\x05no transactioN")));
        assert_eq!(read(solana(b"")), Err("invalid_payload".to_owned()));
    }
}
