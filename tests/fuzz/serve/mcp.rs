//! Messages of MCP.

use agent_output_verifier::json::Document;

#[allow(dead_code)]
#[path = "../../../src/serve/mcp/message.rs"]
mod message;

/// The arguments of a message are a part of it as it was sent, and what is around them is read
/// strictly.
pub(crate) fn message(data: &[u8]) {
    let arrived =
        super::now(message::Message::arrive(&super::app::App, super::text(data))).unwrap();
    let whole = Document::parse(data).is_ok();
    match arrived {
        Ok(message) => {
            assert!(Document::parse(&message.envelope).is_ok());
            assert!(message.id().is_some() || !message.is_initialize());
            let Some(arguments) = &message.arguments else {
                return assert!(whole, "a message is not strict JSON");
            };
            let arguments = arguments.as_bytes();
            assert!(data.windows(arguments.len()).any(|part| part == arguments));
            let length = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data).len();
            assert_eq!(message.envelope.len() + arguments.len(), length + "{}".len());
            // What is wrong with the whole is wrong with the arguments.
            let nothing_else = whole || Document::parse(arguments).is_err() || is_deep(data);
            assert!(nothing_else, "a fault beside the arguments was passed over");
        }
        Err(refused) => {
            assert!(!refused.error.message.is_empty());
            assert!(!whole || refused.body.is_none(), "JSON was called none");
        }
    }
}

/// Whether there are more levels in the whole than the reader goes down.
fn is_deep(data: &[u8]) -> bool {
    use agent_output_verifier::json::ReadErrorKind;
    Document::parse(data).is_err_and(|error| error.kind == ReadErrorKind::TooDeep)
}
