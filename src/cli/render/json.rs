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
    write(name, judged, pair, false, out);
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
    let mut text = Vec::new();
    write(name, judged, pair, true, &mut text);
    put_indented(&text, many, out);
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

fn write(name: Name<'_>, judged: &Judged<'_>, pair: bool, indented: bool, out: &mut Vec<u8>) {
    let mut unjudged = |task_id, error| {
        let unjudged = Unjudged { task_id: Some(task_id), input: name.full(), error };
        out.extend_from_slice(&to_text(&unjudged, indented));
    };
    match judged {
        Judged::Report(judgement) if pair => write_with_request(judgement, out),
        Judged::Report(judgement) => write_response(judgement, indented, out),
        Judged::Undecided { undecided, task_id } => {
            unjudged(task_id, ErrorBody::undecided(*undecided));
        }
        Judged::Unusable { body, task_id, .. } => unjudged(task_id, body.clone()),
        // A verdict alone is judged only where no format shows it.
        Judged::Verdict(_) => {}
    }
}

fn write_response(judgement: &Judgement<'_>, indented: bool, out: &mut Vec<u8>) {
    // As above.
    let _ = judgement.write_response(indented, out);
}

/// A receipt with the request that it is about, in which every value is spelt as it was given.
fn write_with_request(judgement: &Judgement<'_>, out: &mut Vec<u8>) {
    let subject = &judgement.subject;
    let request = judgement.requirements.request_text(
        subject.task_id,
        subject.agent_id,
        subject.output,
        subject.detail,
    );
    out.extend_from_slice(b"{\"receipt\": ");
    write_response(judgement, false, out);
    out.extend_from_slice(b", \"request\": ");
    out.extend_from_slice(request.as_bytes());
    out.push(b'}');
}
