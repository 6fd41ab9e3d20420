//! How answers and errors look over HTTP.

use agent_output_verifier::error::{ErrorBody, ErrorCode, Guidance};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full};
use serde::Serialize;
use utoipa::ToSchema;

use super::allowance::Balance;
use super::app::{Answer, App, Refusal};
use super::charge::Challenge;
use super::documents::Document;
use super::payment::{FreeTrial, Offer, PaymentRequired, Receipt};

/// What is left of a client's allowance.
pub(super) const ALLOWANCE_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("free-allowance-limit"),
    HeaderName::from_static("free-allowance-remaining"),
    HeaderName::from_static("free-allowance-resets"),
];

/// The headers of x402.
pub(super) const PAYMENT_SIGNATURE: HeaderName = HeaderName::from_static("payment-signature");
pub(super) const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static("payment-required");
pub(super) const PAYMENT_RESPONSE: HeaderName = HeaderName::from_static("payment-response");

/// The payment that a request brings.
pub(super) fn offer(headers: &HeaderMap) -> Option<Offer> {
    let mut given = headers.get_all(PAYMENT_SIGNATURE).iter();
    let first = given.next()?;
    Some(match given.next() {
        None => Offer::from_base64(first.as_bytes()),
        Some(_) => Offer::Unreadable("There is more than one payment."),
    })
}

/// A JSON answer.
pub(super) fn json(body: impl Into<Body>) -> Response {
    typed("application/json", body)
}

/// An answer of a media type.
pub(super) fn typed(media_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(media_type))], body.into()).into_response()
}

/// The way to where it is, for good; the method and the body stay (RFC 9110 §15.4.9).
pub(super) fn moved(to: &str) -> Response {
    let mut response = StatusCode::PERMANENT_REDIRECT.into_response();
    if let Ok(to) = HeaderValue::try_from(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// A document, with the policy that browsers hold it to.
pub(super) fn document(document: &Document) -> Response {
    let mut response = typed(document.media_type, document.body.clone());
    if let Some(policy) = document.policy {
        let policy = HeaderValue::from_static(policy);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The answer to what can be charged for.
pub(super) fn answer(app: &App, answered: Result<Answer, Refusal>) -> Response {
    match answered {
        Ok(Answer { json: body, balance, receipt: None }) => {
            with_balance(json(body), balance.as_ref())
        }
        Ok(Answer { json: body, receipt: Some(receipt), .. }) => paid(body, receipt),
        Err(Refusal::Error { error: body, balance }) => {
            with_balance(error(app, *body), balance.as_ref())
        }
        Err(Refusal::Payment(challenge)) => payment_required(app, *challenge),
    }
}

/// An answer that was paid for. It counts as handed over when the connection takes its body.
fn paid(body: Vec<u8>, receipt: Receipt) -> Response {
    let settlement = encoded(&receipt.response());
    let length = body.len();
    let mut receipt = Some(receipt);
    let body = Full::new(Bytes::from(body)).map_frame(move |frame| {
        if let Some(receipt) = receipt.take() {
            receipt.handed_over();
        }
        frame
    });
    let mut response = json(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    insert(headers, PAYMENT_RESPONSE, settlement);
    response
}

/// The body of an answer that asks for payment: what its header says, and what helps besides.
#[derive(Serialize, ToSchema)]
pub(super) struct PaymentNeeded {
    #[serde(flatten)]
    required: PaymentRequired,
    /// Always false
    charged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    payment_error: Option<RefusedPayment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    free_trial: Option<FreeTrial>,
    guidance: Guidance,
}

/// Why a payment was refused.
#[derive(Serialize, ToSchema)]
struct RefusedPayment {
    /// A stable name
    error_code: String,
    message: String,
    what_to_do: &'static str,
}

fn payment_required(app: &App, challenge: Challenge) -> Response {
    let Challenge { required, refused, settlement, free_trial, balance } = challenge;
    let what_to_do = refused.as_ref().map_or(
        "Pay for one entry of `accepts` with x402 version 2: send the same request again with the \
         payment in the `Payment-Signature` header.",
        |refused| refused.what_to_do(),
    );
    let header = encoded(&required);
    let body = PaymentNeeded {
        required,
        charged: false,
        payment_error: refused.map(|refused| RefusedPayment {
            what_to_do,
            error_code: refused.code.into_owned(),
            message: refused.message,
        }),
        free_trial,
        guidance: app.guidance(what_to_do),
    };
    // Plain data: it cannot fail to be written.
    let mut response = json(serde_json::to_vec(&body).unwrap_or_default());
    *response.status_mut() = StatusCode::PAYMENT_REQUIRED;
    insert(response.headers_mut(), PAYMENT_REQUIRED, header);
    if let Some(settlement) = settlement {
        insert(response.headers_mut(), PAYMENT_RESPONSE, encoded(&settlement));
    }
    with_balance(response, balance.as_ref())
}

/// JSON in base64, as x402 has it in headers.
fn encoded(value: &impl Serialize) -> String {
    // Plain data: it cannot fail to be written.
    STANDARD.encode(serde_json::to_vec(value).unwrap_or_default())
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

fn with_balance(mut response: Response, balance: Option<&Balance>) -> Response {
    if let Some(balance) = balance {
        let values =
            [balance.limit.to_string(), balance.remaining.to_string(), balance.resets.clone()];
        for (name, value) in ALLOWANCE_HEADERS.into_iter().zip(values) {
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(name, value);
            }
        }
    }
    response
}

/// An error, with guidance.
pub(super) fn error(app: &App, body: ErrorBody) -> Response {
    let mut response = refusal(&body);
    // Plain data: it cannot fail to be written.
    *response.body_mut() = serde_json::to_vec(&app.guided(body)).unwrap_or_default().into();
    response
}

/// The head of an error's answer.
pub(super) fn refusal(body: &ErrorBody) -> Response {
    let status = body.status().and_then(|status| StatusCode::from_u16(status).ok());
    let closes = [ErrorCode::REQUEST_TOO_LARGE, ErrorCode::REQUEST_TIMEOUT]
        .iter()
        .any(|code| code.code == body.code());
    let mut response = json(Body::empty());
    *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Some(seconds) = body.seconds_to_wait() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if closes {
        // The rest of the body is not waited for.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
