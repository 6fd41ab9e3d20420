//! `json` and `ndjson`: the responses, and errors in the place of inputs that got none.

use agent_output_verifier::attest::Unsigned;
use agent_output_verifier::error::ErrorBody;
use serde::Serialize;

use super::super::batch::Name;
use super::super::judge::{Judged, Judgement, Respond};

/// An input without a response.
#[derive(Serialize)]
pub(super) struct Unjudged<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_id: Option<&'a str>,
    pub(super) input: String,
    pub(super) error: ErrorBody,
}

/// One response a line, but for its signature.
pub(super) fn line(
    name: Name<'_>,
    judged: &Judged<'_>,
    pair: bool,
    unsigned: &mut Unsigned,
    out: &mut Vec<u8>,
) {
    match judged {
        Judged::Report(judgement) => write(judgement, pair, unsigned, out),
        Judged::Conclusion(judgement) => write(judgement, pair, unsigned, out),
        _ => out.extend_from_slice(&unjudged(name, judged, false)),
    }
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
    let text = match judged {
        Judged::Report(judgement) => indented_text(judgement, pair),
        Judged::Conclusion(judgement) => indented_text(judgement, pair),
        _ => unjudged(name, judged, true),
    };
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

/// What stands in the place of a response where there is none.
fn unjudged(name: Name<'_>, judged: &Judged<'_>, indented: bool) -> Vec<u8> {
    let (task_id, error) = match judged {
        Judged::Undecided { undecided, task_id } => (*task_id, ErrorBody::undecided(*undecided)),
        Judged::Unusable { body, task_id, .. } => (*task_id, body.clone()),
        // A verdict alone is judged only where no format shows it.
        Judged::Report(_) | Judged::Conclusion(_) | Judged::Verdict(_) => return Vec::new(),
    };
    to_text(&Unjudged { task_id: Some(task_id), input: name.full(), error }, indented)
}

fn indented_text<R: Respond>(judgement: &Judgement<'_, R>, pair: bool) -> Vec<u8> {
    if !pair {
        // Only a type that cannot be JSON fails, which the first test of it would show.
        return judgement.indented_response().unwrap_or_default();
    }
    let (mut unsigned, mut text) = (Unsigned::default(), Vec::new());
    write(judgement, pair, &mut unsigned, &mut text);
    judgement.sign(&mut unsigned, &mut text);
    text
}

/// A response; with `pair` beside the request that it is about, in which every value is spelt as it was
/// given.
fn write<R: Respond>(
    judgement: &Judgement<'_, R>,
    pair: bool,
    unsigned: &mut Unsigned,
    out: &mut Vec<u8>,
) {
    let mut response = |out: &mut Vec<u8>| {
        // As above.
        judgement.write_response(unsigned, out).unwrap_or_default();
    };
    if !pair {
        return response(out);
    }
    let subject = &judgement.subject;
    let request = judgement.requirements.request_text(
        subject.task_id,
        subject.agent_id,
        subject.output,
        subject.detail,
    );
    out.extend_from_slice(b"{\"receipt\": ");
    response(out);
    out.extend_from_slice(b", \"request\": ");
    out.extend_from_slice(request.as_bytes());
    out.push(b'}');
}
