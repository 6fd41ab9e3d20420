//! Checked receipts: for people as an auditor's sheet, and as JSON.

use agent_output_verifier::check_receipt::{Checked, CheckedResponse, ReceiptVerdict, StepStatus};
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::text::escaped;
use serde::Serialize;

use super::super::args::Format;
use super::super::batch::Name;
use super::json::{Unjudged, put_indented, to_text};
use super::{Frame, Rendered, junit, markdown};

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
struct Line<'a> {
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
            Format::Ndjson => put(out, &format!("{}\n", text(name, item, false))),
            Format::Junit => rendered.pieces.extend(junit::receipt_case(name, item)),
            Format::Markdown => rendered.pieces.extend(markdown::receipt_section(name, item)),
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
        let status = match checked.verdict {
            ReceiptVerdict::Valid => None,
            ReceiptVerdict::Invalid => Some(StepStatus::Failed),
            ReceiptVerdict::Undecided => Some(StepStatus::NotChecked),
        };
        let decisive = checked.steps.iter().find(|step| Some(step.status) == status);
        let why = match (decisive, &checked.verified) {
            (Some(step), _) => format!("{}: {}", step.name, step.detail),
            (None, Some(verified)) => {
                let claims = verified.claims();
                let task = claims.task_id.as_deref().or(claims.agent_id.as_deref());
                let said = claims.result.as_deref().or(claims.trust_score.as_deref());
                format!("{} {}", said.unwrap_or_default(), task.unwrap_or_default())
            }
            (None, None) => String::new(),
        };
        put(out, &format!("{verdict}{pad}  {full}  {}\n", escaped(&why)));
    }

    fn sheet(&self, name: Name<'_>, checked: &Checked, out: &mut Vec<u8>) {
        let result = checked.verified.as_ref().and_then(|v| v.claims().result.as_deref());
        let result = result.map(|result| format!("  (result: {})", escaped(result)));
        let (verdict, full) = (self.verdict(checked.verdict), escaped(&name.full()));
        put(out, &format!("{verdict}  {full}{}\n", result.unwrap_or_default()));
        let heading = match checked.verdict {
            ReceiptVerdict::Valid => "What was proved",
            ReceiptVerdict::Invalid => "What it claims (disproved)",
            ReceiptVerdict::Undecided => "What it claims (not proved)",
        };
        put(out, &format!("\n  {heading}\n"));
        let claims = checked.verified.as_ref().map_or(&checked.claimed, |v| v.claims());
        let flag = |flag: Option<bool>, yes: &str, no: &str| {
            flag.map(|flag| if flag { yes.to_owned() } else { no.to_owned() })
        };
        let rules = flag(claims.enforce_rules, "enforced", "not enforced: they did not count");
        let content =
            flag(claims.strict_content_check, "enforced", "not enforced: it did not count");
        for (label, value, note) in [
            ("issuer", &claims.issuer, ""),
            ("key version", &claims.key_version, ""),
            ("result", &claims.result, ""),
            ("rules", &rules, ""),
            ("content", &content, ""),
            ("trust score", &claims.trust_score, ""),
            ("task", &claims.task_id, ""),
            ("agent", &claims.agent_id, "  (the caller's label, not an identity)"),
            ("signed at", &claims.verified_at, ""),
            ("check id", &claims.verification_id, ""),
        ] {
            if let Some(value) = value {
                let label = self.frame.style.faint(&format!("{label:<12}"));
                put(out, &format!("    {label} {}{note}\n", escaped(value)));
            }
        }
        if claims.issuer.is_none()
            && let Some(named) = &checked.claimed.issuer
        {
            let note = "the signer calls itself so; whose key it is, is your word";
            let label = self.frame.style.faint(&format!("{:<12}", "named"));
            put(out, &format!("    {label} {}  ({note})\n", escaped(named)));
        }
        for (status, heading) in [
            (StepStatus::Failed, "Failed"),
            (StepStatus::Passed, "Passed"),
            (StepStatus::NotChecked, "Not checked"),
        ] {
            let steps: Vec<_> = checked.steps.iter().filter(|step| step.status == status).collect();
            if steps.is_empty() {
                continue;
            }
            let heading = match status {
                StepStatus::Failed => self.frame.style.bad(heading),
                StepStatus::Passed => self.frame.style.good(heading),
                StepStatus::NotChecked => self.frame.style.open(heading),
            };
            put(out, &format!("\n  {heading}\n"));
            // Steps that lack the same thing share a line.
            for group in
                steps.chunk_by(|a, b| status == StepStatus::NotChecked && a.detail == b.detail)
            {
                let names: Vec<&str> = group.iter().map(|step| step.name.as_str()).collect();
                let detail = escaped(&group[0].detail);
                put(out, &format!("    {:<14}  {detail}\n", names.join(", ")));
            }
        }
        if !checked.unsigned.is_empty() {
            let names = escaped(&checked.unsigned.join(", "));
            put(out, &format!("\n  Not covered by the signature: attestation members {names}\n"));
        }
    }
}

fn text(name: Name<'_>, item: &Item<'_>, indented: bool) -> String {
    match item {
        Item::Error(error) => {
            let unjudged = Unjudged { task_id: None, input: name.full(), error: (*error).clone() };
            to_text(&unjudged, indented)
        }
        Item::Checked(checked) => {
            let out = Line { input: name.full(), checked: CheckedResponse::from(*checked) };
            to_text(&out, indented)
        }
    }
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
