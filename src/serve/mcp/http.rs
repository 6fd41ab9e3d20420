//! MCP over HTTP: `POST /mcp`, an answer to each message, no sessions and no streams of events. The
//! SDK's transport does the protocol; what stands before it lets more clients in than the SDK would,
//! keeps the server's limits, and gives every refusal the protocol's shape.

use std::net::SocketAddr;
use std::sync::Arc;

use agent_output_verifier::error::{ErrorBody, ErrorCode};
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, post};
use http_body_util::{BodyExt as _, Full};
use rmcp::ErrorData;
use rmcp::model::{JsonRpcError, RequestId};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;

use super::super::app::App;
use super::super::client::client;
use super::super::http::Options;
use super::super::reply;
use super::message::{Message, Unreadable};
use super::{Enclosed, Verifier, data};

/// Headers that clients send beside the usual ones; the protocol's version first.
pub(in super::super) const HEADERS: [HeaderName; 4] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-session-id"),
];

/// The longest refusal of the SDK that is passed on.
const MAX_REFUSAL: usize = 4096;

struct Endpoint {
    app: Arc<App>,
    options: Arc<Options>,
    service: StreamableHttpService<Verifier, NeverSessionManager>,
}

/// The route.
pub(in super::super) fn route<S: Clone + Send + Sync + 'static>(
    app: Arc<App>,
    options: Arc<Options>,
) -> MethodRouter<S> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // All three are settled before the SDK is asked.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(usize::MAX);
    let verifier = Verifier { app: Arc::clone(&app) };
    let service = StreamableHttpService::new(move || Ok(verifier.clone()), Arc::default(), config);
    let endpoint = Arc::new(Endpoint { app, options, service });
    post(move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    })
}

impl Endpoint {
    async fn answer(&self, request: Request) -> Response {
        let (mut parts, body) = request.into_parts();
        if !self.options.origins.allows(&parts.headers) {
            let message = "This server does not answer pages of the origin that the request names. \
                           Let it in with --cors-origin. Nothing was charged.";
            return self.refused(None, ErrorBody::of(ErrorCode::FORBIDDEN, message));
        }
        let Some(form) = Form::accepted(&parts.headers) else {
            let error = "The answer is JSON. Accept application/json, or text/event-stream.";
            let error = ErrorData::invalid_request(error, None);
            return refusal(StatusCode::NOT_ACCEPTABLE, None, error);
        };
        let _under_way = match self.app.enter() {
            Ok(permit) => permit,
            Err(error) => return self.refused(None, error),
        };
        let text = match self.app.bodies.read(&parts.headers, body).await {
            Ok(text) => text,
            Err(error) => return self.refused(None, error),
        };
        let message = match Message::arrive(&self.app, text).await {
            Ok(Ok(message)) => message,
            Ok(Err(unreadable)) => {
                let Unreadable { id, mut error, body } = *unreadable;
                error.data = body.and_then(|body| data(&self.app, body));
                return form.dress(refusal(StatusCode::BAD_REQUEST, id, error)).await;
            }
            Err(error) => return self.refused(None, error),
        };
        let id = message.id().cloned();
        if message.is_initialize() {
            // Which version is spoken is agreed on in the body; a header can only be too early.
            parts.headers.remove(&HEADERS[0]);
        }
        let headers = &mut parts.headers;
        headers.insert(header::ACCEPT, HeaderValue::from_static(Form::ALL));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::TRANSFER_ENCODING);
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let client = peer.map(|peer| client(peer.0, &parts.headers, self.options.trust_proxy));
        parts.extensions.insert(Enclosed::new(message.arguments, client));
        let request = Request::from_parts(parts, Full::new(Bytes::from(message.envelope)));
        let response = self.service.handle(request).await.map(Body::new);
        form.dress(in_protocol(response, id).await).await
    }

    /// A refusal that all interfaces share, in the protocol's shape.
    fn refused(&self, id: Option<RequestId>, body: ErrorBody) -> Response {
        let mut error = super::protocol_error(&body);
        let response = reply::refusal(&body);
        error.data = data(&self.app, body);
        let (mut parts, _) = response.into_parts();
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        (parts, written(id, error)).into_response()
    }
}

fn written(id: Option<RequestId>, error: ErrorData) -> Vec<u8> {
    // Plain data: it cannot fail to be written.
    serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default()
}

fn refusal(status: StatusCode, id: Option<RequestId>, error: ErrorData) -> Response {
    let mut response = reply::json(written(id, error));
    *response.status_mut() = status;
    response
}

/// Gives a refusal that the SDK writes as plain text the protocol's shape.
async fn in_protocol(response: Response, id: Option<RequestId>) -> Response {
    let status = response.status();
    let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
    let refused = status.is_client_error() || status.is_server_error();
    if !refused || response.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
        return response;
    }
    let text = response.into_body().collect().await.map(|body| body.to_bytes());
    let text = text.ok().filter(|text| text.len() <= MAX_REFUSAL).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let error = if status.is_server_error() {
        tracing::error!(%status, "the protocol's transport failed");
        ErrorData::internal_error("Something went wrong on this side. Nothing was charged.", None)
    } else {
        ErrorData::invalid_request(text.into_owned(), None)
    };
    refusal(status, id, error)
}

/// How an answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    /// JSON as the only event of a stream, for those who take nothing else.
    Event,
}

impl Form {
    /// What the SDK wants to see accepted.
    const ALL: &str = "application/json, text/event-stream";

    /// What a client takes. Clients ought to name both types; those that name one, or none, are
    /// answered too.
    fn accepted(headers: &HeaderMap) -> Option<Form> {
        let mut given = false;
        let (mut json, mut event) = (false, false);
        for value in headers.get_all(header::ACCEPT) {
            given = true;
            for range in value.to_str().unwrap_or_default().split(',') {
                let mut parts = range.split(';').map(str::trim);
                let media = parts.next().unwrap_or_default().to_ascii_lowercase();
                let refused = parts.any(|parameter| {
                    let quality = parameter.strip_prefix("q=").or(parameter.strip_prefix("Q="));
                    quality.is_some_and(|quality| quality.parse() == Ok(0.0))
                });
                if refused {
                    continue;
                }
                json |= matches!(media.as_str(), "application/json" | "application/*" | "*/*");
                event |= matches!(media.as_str(), "text/event-stream" | "text/*");
            }
        }
        match (json || !given, event) {
            (true, _) => Some(Form::Json),
            (false, true) => Some(Form::Event),
            (false, false) => None,
        }
    }

    async fn dress(self, response: Response) -> Response {
        if self == Form::Json || response.status() != StatusCode::OK {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(body) = body.collect().await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        // JSON as it is written here is one line.
        let event = [b"event: message\ndata: ", body.to_bytes().as_ref(), b"\n\n"].concat();
        Response::from_parts(parts, Body::from(event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(values: &[&'static str]) -> Option<Form> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, HeaderValue::from_static(value));
        }
        Form::accepted(&headers)
    }

    #[test]
    fn whoever_takes_json_or_events_is_answered() {
        for values in [
            &[][..],
            &["application/json, text/event-stream"],
            &["text/event-stream;q=0.5 , Application/JSON;q=0.9"],
            &["text/event-stream", "application/json"],
            &["*/*"],
            &["application/*"],
            &["text/html, */*;q=0.1"],
        ] {
            assert_eq!(accepted(values), Some(Form::Json), "{values:?}");
        }
        assert_eq!(accepted(&["text/event-stream"]), Some(Form::Event));
        assert_eq!(accepted(&["application/json;q=0, text/*"]), Some(Form::Event));
        for values in [&["text/html"][..], &["*/*;q=0"], &[""], &["application/jsonx"]] {
            assert_eq!(accepted(values), None, "{values:?}");
        }
    }
}
