//! `json` and `ndjson`: the responses, and errors in the place of inputs that got none.

use agent_output_verifier::error::ErrorBody;
use serde::Serialize;

use super::super::batch::Name;
use super::super::judge::{Judged, Judgement};

/// An input without a response.
#[derive(Serialize)]
pub(super) struct Unjudged<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_id: Option<&'a str>,
    pub(super) input: String,
    pub(super) error: ErrorBody,
}

/// One response a line.
pub(super) fn line(name: Name<'_>, judged: &Judged<'_>, pair: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&text(name, judged, pair, false));
    out.push(b'\n');
}

/// One response, indented; within an array one level deeper.
pub(super) fn indented(
    name: Name<'_>,
    judged: &Judged<'_>,
    many: bool,
    pair: bool,
    out: &mut Vec<u8>,
) {
    put_indented(&text(name, judged, pair, true), many, out);
}

/// A text of several lines, as an element of an array where there are many.
pub(super) fn put_indented(text: &[u8], many: bool, out: &mut Vec<u8>) {
    if !many {
        out.extend_from_slice(text);
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

/// Serializes, on one line or indented.
pub(super) fn to_text(value: &impl Serialize, indented: bool) -> Vec<u8> {
    let text = if indented { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
    // Only a type that cannot be JSON fails, which the first test of it would show.
    text.unwrap_or_default()
}

fn text(name: Name<'_>, judged: &Judged<'_>, pair: bool, indented: bool) -> Vec<u8> {
    let unjudged = |task_id, error| {
        to_text(&Unjudged { task_id: Some(task_id), input: name.full(), error }, indented)
    };
    match judged {
        Judged::Report(judgement) => {
            // As above.
            let response = judgement.response(indented && !pair).unwrap_or_default();
            if pair { with_request(judgement, &response) } else { response }
        }
        Judged::Undecided { undecided, task_id } => {
            unjudged(task_id, ErrorBody::undecided(*undecided))
        }
        Judged::Unusable { body, task_id, .. } => unjudged(task_id, body.clone()),
        // A verdict alone is judged only where no format shows it.
        Judged::Verdict(_) => Vec::new(),
    }
}

/// A receipt with the request that it is about, in which every value is spelt as it was given.
fn with_request(judgement: &Judgement<'_>, response: &[u8]) -> Vec<u8> {
    let subject = &judgement.subject;
    let request = judgement.requirements.request_text(
        subject.task_id,
        subject.agent_id,
        subject.output,
        subject.detail,
    );
    [b"{\"receipt\": ", response, b", \"request\": ", request.as_bytes(), b"}"].concat()
}
