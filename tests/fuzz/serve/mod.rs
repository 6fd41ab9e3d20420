//! The server's own reading of what is sent to it. Its modules are part of no library, so they are
//! taken in here by their files, at places as there.

#![allow(unreachable_pub)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use hyper::body::Frame;

mod app;
#[allow(dead_code)]
#[path = "../../../src/serve/body.rs"]
mod body;
mod mcp;

pub(crate) use mcp::message;

/// What a target does with its bytes.
type Target = fn(&[u8]);

/// The targets of the server, by name.
#[allow(dead_code)]
pub(crate) const TARGETS: &[(&str, Target)] = &[("message", message), ("body", body)];

/// Runs what waits for nothing.
fn now<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(work)
}

/// What came in one piece.
fn text(data: &[u8]) -> body::Text {
    now(body::Bodies::new(1 << 20, 1 << 20).hold(data.to_owned()))
}

/// A body in parts.
struct Parts(VecDeque<Bytes>);

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|part| Ok(Frame::data(part))))
    }
}

/// A body with its headers: lines of them up to an empty one, then the parts, each after its length
/// in one byte. Within the limit it arrives as it was sent, and beyond it does not.
pub(crate) fn body(data: &[u8]) {
    const LIMIT: usize = 300;
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let mut headers = HeaderMap::new();
    for line in data[..end].split(|byte| *byte == b'\n') {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(&line[..colon]), HeaderValue::from_bytes(value))
        {
            headers.append(name, value);
        }
    }
    let mut rest = data.get(end + 2..).unwrap_or_default();
    let (mut parts, mut sent) = (VecDeque::new(), Vec::new());
    while let [length, more @ ..] = rest {
        let (part, behind) = more.split_at(more.len().min(usize::from(*length)));
        parts.push_back(Bytes::copy_from_slice(part));
        sent.extend_from_slice(part);
        rest = behind;
    }
    let bodies = body::Bodies::new(LIMIT, LIMIT);
    match now(bodies.read(&headers, Body::new(Parts(parts)))) {
        Ok(text) => assert!(text.as_bytes() == sent && sent.len() <= LIMIT),
        Err(error) => {
            let known = ["request_too_large", "unsupported_media_type"];
            assert!(known.contains(&error.code()), "{}", error.code());
            assert!(serde_json::to_string(&error).is_ok());
        }
    }
}
