//! Errors on the wire: one shape and one registry of codes for every interface. Nothing of the
//! input is repeated in them but the names of its fields.

mod payment;

use serde::Serialize;

use crate::json::ReadError;
use crate::report::Undecided;
use crate::request::{FieldProblem, InvalidRequest};
pub use payment::PaymentErrorCode;

/// What a code means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorCode {
    /// The stable name.
    pub code: &'static str,
    /// The HTTP status; none for what happens on the command line only.
    pub status: Option<u16>,
    /// Whether the same request can succeed later.
    pub retryable: bool,
    /// What to do next.
    pub next_action: &'static str,
    /// When it comes, as a phrase.
    pub when: &'static str,
    /// What the caller does about it, as sentences.
    pub what_to_do: &'static str,
}

/// The registry: each code stands here once, as a constant and in [`ErrorCode::ALL`].
macro_rules! registry {
    ($($name:ident = $code:literal, $status:expr, $action:literal, $when:literal, $todo:literal;)+) => {
        impl ErrorCode {
            /// Every code there is.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name),+];
            $(
                #[doc = concat!("`", $code, "`: ", $when, ".")]
                pub const $name: ErrorCode = ErrorCode::new($code, $status, $action, $when, $todo);
            )+
        }
    };
}

registry! {
    INVALID_JSON = "invalid_json", Some(422), "fix_request_body",
        "the body is not JSON as RFC 8259 and RFC 7493 have it",
        "Mend the JSON at the line and column that the message names, and send it again.";
    INVALID_REQUEST = "invalid_request", Some(422), "fix_request_fields",
        "fields of the request are missing, wrong or unknown",
        "Mend every field in `fields`, as its `fix` says, and send the request again.";
    CHECK_UNDECIDED = "check_undecided", Some(422), "simplify_request",
        "the work budget ran out before a verdict was certain",
        "Simplify the schema's patterns and branches or the rules, or check a smaller output.";
    REQUEST_TOO_LARGE = "request_too_large", Some(413), "reduce_request",
        "the body is over the size limit, which the message states",
        "Send a smaller output, or split it and check the parts.";
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type", Some(415), "send_json",
        "the body is not declared as JSON, or is compressed",
        "Send JSON in UTF-8 with `Content-Type: application/json` and no `Content-Encoding`.";
    NOT_FOUND = "not_found", Some(404), "see_docs",
        "there is no such route",
        "Check the path; `/llms.txt` lists the routes.";
    METHOD_NOT_ALLOWED = "method_not_allowed", Some(405), "see_docs",
        "the route does not have this method; `Allow` names those that it has",
        "Use a method that the `Allow` header names.";
    FORBIDDEN = "forbidden", Some(403), "see_docs",
        "the `Host` or `Origin` header names a place that this server does not answer for",
        "Use the address that the server prints when it starts, or its public URL.";
    REQUEST_TIMEOUT = "request_timeout", Some(408), "wait_and_retry",
        "the body did not arrive in time",
        "Send the request again, over a connection that keeps up.";
    RATE_LIMITED = "rate_limited", Some(429), "wait_and_retry",
        "the free allowance of the day is used up, and no payment is taken instead",
        "Wait for `retry_after` seconds: the allowance begins anew at midnight UTC.";
    OVERLOADED = "overloaded", Some(503), "wait_and_retry",
        "too many requests are under way",
        "Wait for `retry_after` seconds, and send the request again.";
    LEDGER_UNAVAILABLE = "ledger_unavailable", Some(503), "wait_and_retry",
        "the ledger cannot be read or written, so nothing could be recorded",
        "Wait for `retry_after` seconds, and send the request again.";
    FACILITATOR_UNAVAILABLE = "facilitator_unavailable", Some(503), "wait_and_retry",
        "the facilitator, which verifies and settles payments, does not answer as it should",
        "Wait for `retry_after` seconds, and send the same request with the same payment again: it is not charged twice.";
    INTERNAL_ERROR = "internal_error", Some(500), "wait_and_retry",
        "something went wrong on the server's side",
        "Wait for `retry_after` seconds, and send the request again; tell the operator the request id if it stays.";
    UNREADABLE_INPUT = "unreadable_input", None, "fix_input",
        "a file cannot be read",
        "Check the file's name, and who may read it.";
}

impl ErrorCode {
    const fn new(
        code: &'static str,
        status: Option<u16>,
        next_action: &'static str,
        when: &'static str,
        what_to_do: &'static str,
    ) -> ErrorCode {
        // What a wait can change is what these statuses say.
        let retryable = matches!(status, Some(408 | 429 | 500..));
        ErrorCode { code, status, retryable, next_action, when, what_to_do }
    }
}

/// What helps a caller beyond the message: how a request looks, what it costs.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Guidance {
    /// What to do about the error.
    pub what_to_do: &'static str,
    /// A request that works.
    pub example_request: &'static serde_json::Value,
    /// What a check costs.
    pub price: String,
    /// What is free.
    pub free_allowance: String,
}

/// An error as it is sent and written.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = Error))]
pub struct ErrorBody {
    /// A stable name
    code: &'static str,
    /// What is wrong and where, for people
    message: String,
    #[cfg_attr(feature = "serve", schema(required))]
    status: Option<u16>,
    /// Whether the same request can succeed later
    retryable: bool,
    /// Always false: nothing is charged for an error
    charged: bool,
    next_actions: Vec<ErrorAction>,
    /// Every field that is at fault
    fields: Vec<ErrorField>,
    /// Seconds to wait; of retryable errors only
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(nullable = false))]
    retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(nullable = false))]
    guidance: Option<Box<Guidance>>,
}

#[derive(Clone, PartialEq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct ErrorAction {
    action: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "serve", schema(required = false))]
    fields: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct ErrorField {
    field: String,
    problem: String,
    fix: String,
}

impl ErrorBody {
    fn new(code: ErrorCode, message: String, fields: Vec<ErrorField>) -> ErrorBody {
        let mut names: Vec<String> = Vec::new();
        for field in &fields {
            if !names.contains(&field.field) {
                names.push(field.field.clone());
            }
        }
        ErrorBody {
            code: code.code,
            message,
            status: code.status,
            retryable: code.retryable,
            charged: false,
            next_actions: vec![ErrorAction { action: code.next_action, fields: names }],
            fields,
            retry_after: None,
            guidance: None,
        }
    }

    /// For what no field is at fault for. The message says what happened.
    pub fn of(code: ErrorCode, message: impl Into<String>) -> ErrorBody {
        ErrorBody::new(code, message.into(), Vec::new())
    }

    /// For a retryable error: after how many seconds.
    pub fn retry_after(mut self, seconds: u64) -> ErrorBody {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds guidance, as the hosted service has on every error.
    pub fn guided(
        mut self,
        example_request: &'static serde_json::Value,
        price: String,
        free_allowance: String,
    ) -> ErrorBody {
        let known = ErrorCode::ALL.iter().find(|known| known.code == self.code);
        let what_to_do = known.map_or("", |known| known.what_to_do);
        self.guidance =
            Some(Box::new(Guidance { what_to_do, example_request, price, free_allowance }));
        self
    }

    /// For text that is not JSON.
    pub fn invalid_json(error: &ReadError) -> ErrorBody {
        let message = format!("The text is not usable JSON: {error}. {}", error.kind.fix());
        ErrorBody::new(ErrorCode::INVALID_JSON, message, Vec::new())
    }

    /// For a request whose fields are wrong.
    pub fn invalid_request(error: &InvalidRequest) -> ErrorBody {
        let fields = error.problems.iter().map(|problem| ErrorField {
            field: problem.field.clone(),
            problem: problem.problem.clone(),
            fix: problem.fix.clone(),
        });
        let message = format!(
            "The request is invalid: {error}. Nothing was charged; fix the field(s) and send it \
             again."
        );
        ErrorBody::new(ErrorCode::INVALID_REQUEST, message, fields.collect())
    }

    /// For one field that is wrong: the problem as a phrase that begins with a verb, the fix as a
    /// sentence.
    pub fn invalid_field(field: &str, problem: &str, fix: &str) -> ErrorBody {
        let problem = FieldProblem {
            field: field.to_owned(),
            problem: problem.to_owned(),
            fix: fix.to_owned(),
            origin: None,
        };
        ErrorBody::invalid_request(&InvalidRequest { problems: vec![problem], omitted: 0 })
    }

    /// For a check without a verdict.
    pub fn undecided(undecided: Undecided) -> ErrorBody {
        let message = format!("{undecided} Nothing was charged; simplify the schema or the rules.");
        ErrorBody::new(ErrorCode::CHECK_UNDECIDED, message, Vec::new())
    }

    /// For a file that cannot be read.
    pub fn unreadable(message: String) -> ErrorBody {
        ErrorBody::new(ErrorCode::UNREADABLE_INPUT, message, Vec::new())
    }

    /// The stable name of what is wrong.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The HTTP status, where it has one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Seconds to wait, where waiting helps.
    pub fn seconds_to_wait(&self) -> Option<u64> {
        self.retry_after
    }

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_say_something() {
        for (position, code) in ErrorCode::ALL.iter().enumerate() {
            assert!(ErrorCode::ALL[..position].iter().all(|other| other.code != code.code));
            assert!(!code.when.is_empty() && code.what_to_do.ends_with('.'), "{}", code.code);
            assert_eq!(code.retryable, code.next_action == "wait_and_retry", "{}", code.code);
        }
    }
}
