//! Request bodies: read whole, within a limit, in time, and with all of them together within what
//! the process may hold.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use agent_output_verifier::error::{ErrorBody, ErrorCode};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// How long a body may take as a whole, and between two parts.
const WHOLE: Duration = Duration::from_secs(60);
const PART: Duration = Duration::from_secs(10);

/// What is read and dropped after a refusal, so that a client that is still sending gets to the
/// answer.
const DRAINED: usize = 256 * 1024 * 1024;
const DRAIN: Duration = Duration::from_secs(10);

/// The unit in which memory is handed out.
const BLOCK: usize = 64 * 1024;

/// Reads bodies.
pub(crate) struct Bodies {
    limit: usize,
    memory: Arc<Semaphore>,
}

/// A text that was sent, or a part of one, with its share of the memory.
pub(crate) struct Text {
    bytes: Vec<u8>,
    part: Range<usize>,
    _memory: Option<OwnedSemaphorePermit>,
}

impl Text {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.part.clone()).unwrap_or_default()
    }

    /// A part of this text alone.
    pub(crate) fn part(mut self, part: Range<usize>) -> Text {
        let start = self.part.start;
        self.part = start + part.start..start + part.end;
        self
    }
}

impl From<&'static [u8]> for Text {
    /// A text that nobody sent.
    fn from(bytes: &'static [u8]) -> Text {
        Text { bytes: bytes.to_owned(), part: 0..bytes.len(), _memory: None }
    }
}

impl Bodies {
    /// Bodies of up to `limit` bytes, and of `together` bytes at one time.
    pub(crate) fn new(limit: usize, together: usize) -> Bodies {
        let blocks = together.max(limit).div_ceil(BLOCK) + 1;
        Bodies { limit, memory: Arc::new(Semaphore::new(blocks.min(Semaphore::MAX_PERMITS))) }
    }

    /// The bytes that a body may have.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Reads a JSON body. What it holds is for the strict reader to judge.
    pub(crate) async fn read(&self, headers: &HeaderMap, body: Body) -> Result<Text, ErrorBody> {
        let declared = headers.get(header::CONTENT_LENGTH);
        let declared = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if declared.is_some_and(|length| length > self.limit) {
            // A client that asks first is not told to go on.
            if !headers.contains_key(header::EXPECT) {
                drain(body).await;
            }
            return Err(self.too_large());
        }
        let empty = declared == Some(0)
            || (declared.is_none() && !headers.contains_key(header::TRANSFER_ENCODING));
        if !empty {
            check_type(headers)?;
        }
        self.collect(body, declared.unwrap_or(0)).await
    }

    async fn collect(&self, mut body: Body, declared: usize) -> Result<Text, ErrorBody> {
        let deadline = Instant::now() + WHOLE;
        // What is only announced takes no share: whoever holds memory has to have sent it.
        let mut bytes = Vec::with_capacity(declared.min(BLOCK));
        let mut memory = self.share(1)?;
        loop {
            let late = Instant::now() + PART;
            let frame = match timeout_at(late.min(deadline), body.frame()).await {
                Err(_) => {
                    let message = "The body did not arrive in time. Nothing was charged.";
                    let error = ErrorBody::of(ErrorCode::REQUEST_TIMEOUT, message);
                    return Err(error.retry_after(1));
                }
                Ok(None) => break,
                Ok(Some(Err(_))) => {
                    let message = "The body broke off. Nothing was charged; send it again.";
                    return Err(ErrorBody::of(ErrorCode::INVALID_JSON, message));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(part) = frame.into_data() else { continue };
            let length = bytes.len() + part.len();
            if length > self.limit {
                drop((bytes, memory));
                drain(body).await;
                return Err(self.too_large());
            }
            let missing = length.div_ceil(BLOCK).saturating_sub(memory.num_permits());
            if missing > 0 {
                memory.merge(self.share(missing * BLOCK)?);
            }
            bytes.extend_from_slice(&part);
        }
        Ok(Text { part: 0..bytes.len(), bytes, _memory: Some(memory) })
    }

    /// A text that has been read already, as soon as there is memory for it.
    pub(crate) async fn hold(&self, bytes: Vec<u8>) -> Text {
        let memory = Arc::clone(&self.memory).acquire_many_owned(blocks(bytes.len())).await;
        // The semaphore is never closed.
        Text { part: 0..bytes.len(), bytes, _memory: memory.ok() }
    }

    /// A share of the memory; without waiting, as who holds some may wait for more.
    fn share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, ErrorBody> {
        Arc::clone(&self.memory).try_acquire_many_owned(blocks(bytes)).map_err(|_| {
            let message = "Too many large requests are under way. Nothing was charged.";
            ErrorBody::of(ErrorCode::OVERLOADED, message).retry_after(2)
        })
    }

    pub(crate) fn too_large(&self) -> ErrorBody {
        let message = format!(
            "The body is larger than {} bytes, the limit of this server. Nothing was charged.",
            self.limit
        );
        ErrorBody::of(ErrorCode::REQUEST_TOO_LARGE, message)
    }
}

fn blocks(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(BLOCK)).unwrap_or(u32::MAX)
}

/// Refuses what is not declared as JSON in UTF-8, as it is.
fn check_type(headers: &HeaderMap) -> Result<(), ErrorBody> {
    let unsupported = |message| Err(ErrorBody::of(ErrorCode::UNSUPPORTED_MEDIA_TYPE, message));
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?").trim());
    if text(header::CONTENT_ENCODING).is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"))
    {
        return unsupported("The body is compressed. Send it as it is. Nothing was charged.");
    }
    let Some(declared) = text(header::CONTENT_TYPE) else {
        return unsupported(
            "The body has no Content-Type. Send it with `Content-Type: application/json`. Nothing \
             was charged.",
        );
    };
    let (media, parameters) = declared.split_once(';').unwrap_or((declared, ""));
    let media = media.trim().to_ascii_lowercase();
    let json = media == "application/json"
        || (media.starts_with("application/") && media.ends_with("+json"));
    if !json {
        return unsupported(
            "The body is not declared as JSON. Send it with `Content-Type: application/json`. \
             Nothing was charged.",
        );
    }
    let charset = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    });
    match charset {
        Some(name) if !["utf-8", "utf8"].contains(&name.to_ascii_lowercase().as_str()) => {
            unsupported("The body is not declared as UTF-8, which JSON is in. Nothing was charged.")
        }
        _ => Ok(()),
    }
}

async fn drain(mut body: Body) {
    let all = async {
        let mut read = 0;
        while read < DRAINED
            && let Some(Ok(frame)) = body.frame().await
        {
            read += frame.data_ref().map_or(0, |part| part.len());
        }
    };
    // It is a courtesy: when the time is up, the connection closes.
    let _ = timeout(DRAIN, all).await;
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn verdict(content_type: Option<&'static str>, coding: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        if let Some(value) = content_type {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(value));
        }
        if let Some(value) = coding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(value));
        }
        check_type(&headers).is_ok()
    }

    #[test]
    fn json_in_utf_8_is_taken_and_nothing_else() {
        assert!(verdict(Some("application/json"), None));
        assert!(verdict(Some("Application/JSON ; charset=\"UTF-8\""), Some("identity")));
        assert!(verdict(Some("application/problem+json"), None));
        for other in ["text/plain", "application/jsonx", "application/json; charset=latin1", ""] {
            assert!(!verdict(Some(other), None), "{other}");
        }
        assert!(!verdict(None, None));
        assert!(!verdict(Some("application/json"), Some("gzip")));
    }
}
