//! Checked receipts: for people as an auditor's sheet, and as JSON.

use agent_output_verifier::check_receipt::{Checked, Claims, ReceiptVerdict, StepStatus};
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

/// A checked receipt on the wire.
#[derive(Serialize)]
struct CheckedOut<'a> {
    input: String,
    verdict: &'static str,
    steps: Vec<StepOut<'a>>,
    #[serde(flatten)]
    verified: ClaimsOut<'a>,
    /// What the receipt says of itself, proved or not.
    claimed: ClaimsOut<'a>,
    unsigned: &'a [String],
}

#[derive(Serialize)]
struct StepOut<'a> {
    step: &'static str,
    status: &'static str,
    detail: &'a str,
}

#[derive(Serialize, Default)]
struct ClaimsOut<'a> {
    issuer: Option<&'a str>,
    key_version: Option<&'a str>,
    result: Option<&'a str>,
    task_id: Option<&'a str>,
    agent_id: Option<&'a str>,
    verified_at: Option<&'a str>,
    verification_id: Option<&'a str>,
    enforce_rules: Option<bool>,
    strict_content_check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_score: Option<&'a str>,
}

impl<'a> ClaimsOut<'a> {
    fn of(claims: &'a Claims) -> ClaimsOut<'a> {
        ClaimsOut {
            issuer: claims.issuer.as_deref(),
            key_version: claims.key_version.as_deref(),
            result: claims.result.as_deref(),
            task_id: claims.task_id.as_deref(),
            agent_id: claims.agent_id.as_deref(),
            verified_at: claims.verified_at.as_deref(),
            verification_id: claims.verification_id.as_deref(),
            enforce_rules: claims.enforce_rules,
            strict_content_check: claims.strict_content_check,
            trust_score: claims.trust_score.as_deref(),
        }
    }
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
            let steps = checked.steps.iter().map(|step| StepOut {
                step: step.name.as_str(),
                status: step.status.as_str(),
                detail: &step.detail,
            });
            let verified = checked.verified.as_ref().map(|verified| verified.claims());
            let out = CheckedOut {
                input: name.full(),
                verdict: checked.verdict.as_str(),
                steps: steps.collect(),
                verified: verified.map(ClaimsOut::of).unwrap_or_default(),
                claimed: ClaimsOut::of(&checked.claimed),
                unsigned: &checked.unsigned,
            };
            to_text(&out, indented)
        }
    }
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
