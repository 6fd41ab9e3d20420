//! How answers and errors look over HTTP.

use agent_output_verifier::error::{ErrorBody, ErrorCode};
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::allowance::Balance;
use super::app::{Answer, App, Refusal};

/// What is left of a client's allowance.
pub(super) const ALLOWANCE_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("free-allowance-limit"),
    HeaderName::from_static("free-allowance-remaining"),
    HeaderName::from_static("free-allowance-resets"),
];

/// A JSON answer.
pub(super) fn json(body: impl Into<Body>) -> Response {
    typed("application/json", body)
}

/// An answer of a media type.
pub(super) fn typed(media_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(media_type))], body.into()).into_response()
}

/// The answer to a check.
pub(super) fn answer(app: &App, answered: Result<Answer, Refusal>) -> Response {
    match answered {
        Ok(Answer { json: body, balance }) => with_balance(json(body), balance.as_ref()),
        Err(Refusal { error: body, balance }) => with_balance(error(app, *body), balance.as_ref()),
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
