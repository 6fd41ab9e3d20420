//! Messages before the SDK reads them. It reads JSON as most programs do: of two members of one
//! name the last wins, and numbers lose their spelling. So the arguments of a call are cut out here
//! and go to the checks as the text that they are; what is left is read strictly, and is small.

use std::ops::Range;

use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::Document;
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, RequestId};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::app::App;
use super::super::body::Text;

/// Bytes that a message may have beside the arguments. The SDK makes a tree of them, which takes
/// many times as much.
const MAX_ENVELOPE: usize = 128 * 1024;

/// Messages up to this size are read where they arrive, which is done before another thread could
/// begin.
const SMALL: usize = 64 * 1024;

/// What stands for the arguments that were cut out.
const PLACEHOLDER: &[u8] = b"{}";

/// A message, and the arguments that it came with.
pub(super) struct Message {
    /// The text without the arguments
    pub(super) envelope: Vec<u8>,
    /// The same, read
    pub(super) read: ClientJsonRpcMessage,
    pub(super) arguments: Option<Text>,
}

/// A message that cannot be answered as what it was meant to be.
pub(super) struct Unreadable {
    /// Where the message has one that can be read
    pub(super) id: Option<RequestId>,
    pub(super) error: ErrorData,
    /// For what is not JSON: the same in the shape of all interfaces
    pub(super) body: Option<ErrorBody>,
}

impl Unreadable {
    fn not_json(error: &agent_output_verifier::json::ReadError) -> Box<Unreadable> {
        let body = ErrorBody::invalid_json(error);
        let message = body.message().to_owned();
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, message, None);
        Box::new(Unreadable { id: None, error, body: Some(body) })
    }

    fn not_a_message(id: Option<RequestId>, problem: &'static str) -> Box<Unreadable> {
        let error = ErrorData::invalid_request(problem, None);
        Box::new(Unreadable { id, error, body: None })
    }
}

/// The members of a message that lead to the arguments. Borrowed, they know their place.
#[derive(Deserialize)]
struct Outer<'t> {
    #[serde(borrow)]
    params: Option<&'t RawValue>,
}

#[derive(Deserialize)]
struct Params<'t> {
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

impl Message {
    /// Reads a message, a large one beside the event loop.
    pub(super) async fn arrive(
        app: &App,
        text: Text,
    ) -> Result<Result<Message, Box<Unreadable>>, ErrorBody> {
        if text.as_bytes().len() <= SMALL {
            return Ok(Message::read(text));
        }
        app.off_the_event_loop(move || Message::read(text)).await
    }

    fn read(text: Text) -> Result<Message, Box<Unreadable>> {
        // The strict reader passes over a byte order mark, the SDK does not.
        let mark = text.as_bytes().starts_with(b"\xEF\xBB\xBF");
        let length = text.as_bytes().len();
        let text = text.part(if mark { 3 } else { 0 }..length);
        let bytes = text.as_bytes();
        let arguments = match arguments(bytes) {
            Ok(arguments) => arguments,
            Err(_) => match Document::parse(bytes) {
                Err(error) => return Err(Unreadable::not_json(&error)),
                // It is JSON all the same: what is wrong with it is told below.
                Ok(_) => None,
            },
        };
        let kept = bytes.len() - arguments.as_ref().map_or(0, ExactSizeIterator::len);
        if kept > MAX_ENVELOPE {
            let problem = "Without the arguments the message is larger than 128 KiB. Nothing was \
                           charged; leave out what the call does not need.";
            return Err(Unreadable::not_a_message(None, problem));
        }
        let envelope = match &arguments {
            Some(part) => [&bytes[..part.start], PLACEHOLDER, &bytes[part.end..]].concat(),
            None => bytes.to_owned(),
        };
        let document = Document::parse(&envelope).map_err(|error| {
            // Its place is one in the whole text.
            Unreadable::not_json(&Document::parse(bytes).err().unwrap_or(error))
        })?;
        let root = document.root();
        if root.is_array() {
            let problem = "Batches are not taken. Send each message on its own.";
            return Err(Unreadable::not_a_message(None, problem));
        }
        let id = root.get("id").and_then(|id| serde_json::from_str(id.source()).ok());
        let read = serde_json::from_slice(&envelope).map_err(|_| {
            let problem = "This is JSON, but no message of MCP: an object with jsonrpc \"2.0\", a \
                           method, its params, and for a request an id that is a string or an \
                           integer.";
            Unreadable::not_a_message(id, problem)
        })?;
        let arguments = arguments.map(|part| text.part(part));
        Ok(Message { envelope, read, arguments })
    }

    /// The id of a request.
    pub(super) fn id(&self) -> Option<&RequestId> {
        match &self.read {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }

    /// Whether it begins a session of the older protocol versions.
    pub(super) fn is_initialize(&self) -> bool {
        matches!(&self.read, ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_)))
    }
}

/// Where the arguments stand; an error for what is no object, or none with params that are one.
fn arguments(bytes: &[u8]) -> Result<Option<Range<usize>>, serde_json::Error> {
    let is_object = |text: &[u8]| text.trim_ascii_start().first() == Some(&b'{');
    if !is_object(bytes) {
        // An array would be taken for the members in their order.
        return serde_json::from_slice::<&RawValue>(bytes).map(|_| None);
    }
    let outer: Outer<'_> = serde_json::from_slice(bytes)?;
    let Some(params) = outer.params.filter(|params| is_object(params.get().as_bytes())) else {
        return Ok(None);
    };
    let params: Params<'_> = serde_json::from_str(params.get())?;
    Ok(params.arguments.map(|arguments| {
        let start = arguments.get().as_ptr().addr() - bytes.as_ptr().addr();
        start..start + arguments.get().len()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Message, Box<Unreadable>> {
        Message::read(Text::from(text.as_bytes()))
    }

    fn refused(text: &'static str) -> (i32, String) {
        let Err(refused) = read(text) else { panic!("{text} was read") };
        (refused.error.code.0, refused.error.message.into_owned())
    }

    #[test]
    fn arguments_stay_as_they_are_spelt() {
        let text = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "n",
            "argument\u0073": {"a": 1.0, "a": 1e400, "b": [-0, 18446744073709551616]}, "x": 1}}"#;
        let message = read(text).ok().unwrap();
        let arguments = message.arguments.as_ref().unwrap().as_bytes();
        assert_eq!(arguments, br#"{"a": 1.0, "a": 1e400, "b": [-0, 18446744073709551616]}"#);
        assert!(message.envelope.ends_with(br#""argument\u0073": {}, "x": 1}}"#));
        assert_eq!(message.id(), Some(&RequestId::Number(1)));
        // A byte order mark moves nothing.
        let marked: &'static str = Box::leak(format!("\u{feff}{text}").into_boxed_str());
        let arguments = read(marked).ok().unwrap().arguments.unwrap();
        assert!(arguments.as_bytes().starts_with(br#"{"a": 1.0"#));
    }

    #[test]
    fn what_is_around_the_arguments_is_read_strictly() {
        for (text, code, part) in [
            ("", -32700, "empty"),
            ("{", -32700, "ends inside"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700, "column 25"),
            (r#"{"params":{"arguments":{},"arguments":{}}}"#, -32700, "arguments"),
            (r#"{"params":{"arguments":{"a":1,"a":2},"_meta":{"b":1,"b":2}}}"#, -32700, "a"),
            ("[]", -32600, "Batches"),
            ("7", -32600, "no message"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "no message"),
        ] {
            let (refused_as, message) = refused(text);
            assert_eq!(refused_as, code, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn a_message_without_a_fitting_id_is_told_so() {
        let Err(refused) = read(r#"{"jsonrpc":"2.0","id":"x","method":7}"#) else { panic!() };
        assert_eq!(refused.id, Some(RequestId::String("x".into())));
    }

    #[test]
    fn only_the_arguments_may_be_large() {
        let large = "x".repeat(MAX_ENVELOPE);
        let message = |part: &str| -> &'static str {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{part}}}"#);
            Box::leak(text.into_boxed_str())
        };
        assert!(read(message(&format!(r#"{{"name":"n","arguments":["{large}"]}}"#))).is_ok());
        let (code, text) =
            refused(message(&format!(r#"{{"name":"n","_meta":{{"x":"{large}"}}}}"#)));
        assert_eq!(code, -32600, "{text}");
    }
}
