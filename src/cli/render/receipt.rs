//! Checked receipts: for people as an auditor's sheet, and as JSON.

use std::borrow::Cow;

use agent_output_verifier::check_receipt::{Checked, CheckedResponse, ReceiptVerdict, StepStatus};
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::text::escaped;
use serde::Serialize;

use super::super::args::Format;
use super::super::batch::Name;
use super::json::{Unjudged, put_indented, to_text};
use super::{Frame, Rendered, html, junit, markdown};

/// One receipt.
pub(crate) enum Item<'a> {
    Checked(&'a Checked),
    Error(&'a ErrorBody),
}

/// The formats of checked receipts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiptRenderer {
    pub(crate) frame: Frame,
}

/// A checked receipt with the input that it came in.
#[derive(Serialize)]
struct JsonLine<'a> {
    input: String,
    #[serde(flatten)]
    checked: CheckedResponse<'a>,
}

impl ReceiptRenderer {
    /// One item.
    pub(crate) fn item(&self, name: Name<'_>, item: &Item<'_>, rendered: &mut Rendered) {
        let out = &mut rendered.bytes;
        let Frame { format, many, silent, .. } = self.frame;
        match format {
            Format::Human if silent => {}
            Format::Human => match item {
                Item::Checked(checked) if many => self.line(name, checked, out),
                Item::Checked(checked) => self.sheet(name, checked, out),
                Item::Error(_) if many => {
                    let verdict = self.frame.style.bad("ERROR");
                    put(
                        out,
                        &format!("{verdict}      {}  could not be read\n", escaped(&name.full())),
                    );
                }
                // Errors are told on standard error.
                Item::Error(_) => {}
            },
            Format::Json => put_indented(&text(name, item, true), many, out),
            Format::Ndjson => {
                out.extend_from_slice(&text(name, item, false));
                out.push(b'\n');
            }
            Format::Junit => rendered.pieces.extend(junit::receipt_case(name, item)),
            Format::Markdown => rendered.pieces.extend(markdown::receipt_section(name, item)),
            Format::Html => {
                let row = html::receipt_row(name, item, many, &mut rendered.tally);
                rendered.pieces.push(row);
            }
            // Receipts have no place in a source file to annotate: neither is offered for them.
            Format::Sarif | Format::Github => {}
        }
    }

    fn verdict(&self, verdict: ReceiptVerdict) -> String {
        match verdict {
            ReceiptVerdict::Valid => self.frame.style.good("VALID"),
            ReceiptVerdict::Invalid => self.frame.style.bad("INVALID"),
            ReceiptVerdict::Undecided => self.frame.style.open("UNDECIDED"),
        }
    }

    /// One of several receipts, in a line: what decided, where it is not valid.
    fn line(&self, name: Name<'_>, checked: &Checked, out: &mut Vec<u8>) {
        let pad = match checked.verdict {
            ReceiptVerdict::Valid => "    ",
            ReceiptVerdict::Invalid => "  ",
            ReceiptVerdict::Undecided => "",
        };
        let verdict = self.verdict(checked.verdict);
        let full = escaped(&name.full());
        let why = why(checked);
        put(out, &format!("{verdict}{pad}  {full}  {}\n", escaped(&why)));
    }

    fn sheet(&self, name: Name<'_>, checked: &Checked, out: &mut Vec<u8>) {
        let result = checked.verified.as_ref().and_then(|v| v.claims().result.as_deref());
        let result = result.map(|result| format!("  (result: {})", escaped(result)));
        let (verdict, full) = (self.verdict(checked.verdict), escaped(&name.full()));
        put(out, &format!("{verdict}  {full}{}\n", result.unwrap_or_default()));
        put(out, &format!("\n  {}\n", heading(checked.verdict)));
        for Line { label, value, note } in lines(checked) {
            let label = self.frame.style.faint(&format!("{label:<12}"));
            let note = note.map(|note| format!("  ({note})")).unwrap_or_default();
            put(out, &format!("    {label} {}{note}\n", escaped(&value)));
        }
        for (status, heading, steps) in steps(checked) {
            let heading = match status {
                StepStatus::Failed => self.frame.style.bad(heading),
                StepStatus::Passed => self.frame.style.good(heading),
                StepStatus::NotChecked => self.frame.style.open(heading),
            };
            put(out, &format!("\n  {heading}\n"));
            for (names, detail) in steps {
                put(out, &format!("    {names:<14}  {}\n", escaped(detail)));
            }
        }
        if !checked.unsigned.is_empty() {
            let names = escaped(&checked.unsigned.join(", "));
            put(out, &format!("\n  Not covered by the signature: attestation members {names}\n"));
        }
    }
}

/// What decided, where a receipt is not valid; else what it says.
pub(super) fn why(checked: &Checked) -> String {
    let status = match checked.verdict {
        ReceiptVerdict::Valid => None,
        ReceiptVerdict::Invalid => Some(StepStatus::Failed),
        ReceiptVerdict::Undecided => Some(StepStatus::NotChecked),
    };
    let decisive = checked.steps.iter().find(|step| Some(step.status) == status);
    match (decisive, &checked.verified) {
        (Some(step), _) => format!("{}: {}", step.name, step.detail),
        (None, Some(verified)) => {
            let claims = verified.claims();
            let task = claims.task_id.as_deref().or(claims.agent_id.as_deref());
            let said = claims.result.as_deref().or(claims.trust_score.as_deref());
            format!("{} {}", said.unwrap_or_default(), task.unwrap_or_default())
        }
        (None, None) => String::new(),
    }
}

/// What stands above what a receipt says.
pub(super) fn heading(verdict: ReceiptVerdict) -> &'static str {
    match verdict {
        ReceiptVerdict::Valid => "What was proved",
        ReceiptVerdict::Invalid => "What it claims (disproved)",
        ReceiptVerdict::Undecided => "What it claims (not proved)",
    }
}

/// Something that a receipt says.
pub(super) struct Line<'a> {
    pub(super) label: &'static str,
    pub(super) value: Cow<'a, str>,
    pub(super) note: Option<&'static str>,
}

/// What a receipt says, as far as it is proved where it is valid.
pub(super) fn lines(checked: &Checked) -> Vec<Line<'_>> {
    let claims = checked.verified.as_ref().map_or(&checked.claimed, |v| v.claims());
    let flag = |flag: Option<bool>, no: &'static str| {
        flag.map(|flag| Cow::Borrowed(if flag { "enforced" } else { no }))
    };
    let named = if claims.issuer.is_none() { borrowed(&checked.claimed.issuer) } else { None };
    [
        ("issuer", borrowed(&claims.issuer), None),
        ("key version", borrowed(&claims.key_version), None),
        ("result", borrowed(&claims.result), None),
        ("rules", flag(claims.enforce_rules, "not enforced: they did not count"), None),
        ("content", flag(claims.strict_content_check, "not enforced: it did not count"), None),
        ("trust score", borrowed(&claims.trust_score), None),
        ("task", borrowed(&claims.task_id), None),
        ("agent", borrowed(&claims.agent_id), Some("the caller's label, not an identity")),
        ("signed at", borrowed(&claims.verified_at), None),
        ("check id", borrowed(&claims.verification_id), None),
        ("named", named, Some("the signer calls itself so; whose key it is, is your word")),
    ]
    .into_iter()
    .filter_map(|(label, value, note)| value.map(|value| Line { label, value, note }))
    .collect()
}

fn borrowed(text: &Option<String>) -> Option<Cow<'_, str>> {
    text.as_deref().map(Cow::Borrowed)
}

/// Steps of one outcome: the outcome, its heading, and names with their reason.
type Group<'a> = (StepStatus, &'static str, Vec<(String, &'a str)>);

/// The steps by outcome. Those that lack the same thing share a reason.
pub(super) fn steps(checked: &Checked) -> Vec<Group<'_>> {
    let of = |(status, heading)| {
        let steps: Vec<_> = checked.steps.iter().filter(|step| step.status == status).collect();
        let groups =
            steps.chunk_by(|a, b| status == StepStatus::NotChecked && a.detail == b.detail);
        let named = groups.map(|group| {
            let names: Vec<&str> = group.iter().map(|step| step.name.as_str()).collect();
            (names.join(", "), group[0].detail.as_str())
        });
        (status, heading, named.collect::<Vec<_>>())
    };
    let all = [
        (StepStatus::Failed, "Failed"),
        (StepStatus::Passed, "Passed"),
        (StepStatus::NotChecked, "Not checked"),
    ];
    all.into_iter().map(of).filter(|(.., named)| !named.is_empty()).collect()
}

fn text(name: Name<'_>, item: &Item<'_>, indented: bool) -> Vec<u8> {
    match item {
        Item::Error(error) => {
            let unjudged = Unjudged { task_id: None, input: name.full(), error: (*error).clone() };
            to_text(&unjudged, indented)
        }
        Item::Checked(checked) => {
            let out = JsonLine { input: name.full(), checked: CheckedResponse::from(*checked) };
            to_text(&out, indented)
        }
    }
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
