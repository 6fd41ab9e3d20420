//! Errors on the wire: one shape and one registry of codes for every interface. Nothing of the
//! input is repeated in them but the names of its fields.

use serde::Serialize;

use crate::json::ReadError;
use crate::report::Undecided;
use crate::request::InvalidRequest;

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
}

impl ErrorCode {
    /// The text is not JSON by the strict reader.
    pub const INVALID_JSON: ErrorCode = ErrorCode {
        code: "invalid_json",
        status: Some(422),
        retryable: false,
        next_action: "fix_request_body",
    };
    /// The request's fields are wrong.
    pub const INVALID_REQUEST: ErrorCode = ErrorCode {
        code: "invalid_request",
        status: Some(422),
        retryable: false,
        next_action: "fix_request_fields",
    };
    /// The work budget ran out before a verdict.
    pub const CHECK_UNDECIDED: ErrorCode = ErrorCode {
        code: "check_undecided",
        status: Some(422),
        retryable: false,
        next_action: "simplify_request",
    };
    /// A file that cannot be read.
    pub const UNREADABLE_INPUT: ErrorCode = ErrorCode {
        code: "unreadable_input",
        status: None,
        retryable: false,
        next_action: "fix_input",
    };
}

/// An error as it is sent and written.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct ErrorBody {
    code: &'static str,
    message: String,
    status: Option<u16>,
    retryable: bool,
    charged: bool,
    next_actions: Vec<ErrorAction>,
    fields: Vec<ErrorField>,
}

#[derive(Clone, PartialEq, Serialize, Debug)]
struct ErrorAction {
    action: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize, Debug)]
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
        }
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

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}
