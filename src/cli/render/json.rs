//! `json` and `ndjson`: the responses, and errors in the place of inputs that got none.

use std::io;

use agent_output_verifier::error::ErrorBody;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::super::judge::{Judged, Name};

/// An input without a response.
#[derive(Serialize)]
struct Unjudged<'a> {
    task_id: &'a str,
    input: String,
    error: ErrorBody,
}

/// One response a line.
pub(super) fn line(name: Name<'_>, judged: &Judged<'_>, out: &mut Vec<u8>) {
    write(name, judged, &mut serde_json::Serializer::new(&mut *out));
    out.push(b'\n');
}

/// One response, indented; within an array one level deeper.
pub(super) fn indented(name: Name<'_>, judged: &Judged<'_>, many: bool, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    write(name, judged, &mut Serializer::with_formatter(&mut text, PrettyFormatter::new()));
    if !many {
        out.extend_from_slice(&text);
        out.push(b'\n');
        return;
    }
    for (place, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if place > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(b"  ");
        out.extend_from_slice(line);
    }
}

fn write<W: io::Write, F: serde_json::ser::Formatter>(
    name: Name<'_>,
    judged: &Judged<'_>,
    serializer: &mut Serializer<W, F>,
) {
    let unjudged = |task_id, error| Unjudged { task_id, input: name.full(), error };
    let written = match judged {
        Judged::Report(judgement) => judgement.response().serialize(serializer),
        Judged::Undecided { undecided, task_id } => {
            unjudged(task_id, ErrorBody::undecided(*undecided)).serialize(serializer)
        }
        Judged::Unusable { body, task_id, .. } => {
            unjudged(task_id, body.clone()).serialize(serializer)
        }
        // A verdict alone is judged only where no format shows it.
        Judged::Verdict(_) => Ok(()),
    };
    // Writing into memory fails only where the types cannot be serialized, which tests would see.
    debug_assert!(written.is_ok());
}
