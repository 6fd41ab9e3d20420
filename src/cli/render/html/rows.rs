//! The rows of a page: an input's result, and below it what there is to say of it.

use agent_output_verifier::check_receipt::{Checked, ReceiptVerdict, StepStatus};
use agent_output_verifier::report::Verdict;
use agent_output_verifier::text::shortened;

use super::super::super::Status;
use super::super::super::batch::Name;
use super::super::super::judge::{Judged, Judgement};
use super::super::human::undecided_help;
use super::super::markup::markup;
use super::super::receipt::{Item, Line, heading, lines, steps, why};
use super::super::snippet::{Snippet, snippet};
use super::super::whole::{Part, Piece};
use super::super::{Placed, Tally, counted, placed, reasons};
use super::class;

/// Columns of a line of the file; what is wider wraps on small screens.
const WIDTH: usize = 100;

/// The row of a judged output.
pub(in super::super) fn row(
    name: Name<'_>,
    judged: &Judged<'_>,
    many: bool,
    tally: &mut Tally,
) -> Option<Piece> {
    match judged {
        Judged::Report(judgement) => {
            tally.report(&judgement.report);
            Some(report_row(name, judgement, many))
        }
        Judged::Undecided { undecided, .. } => {
            let reason = [undecided.to_string(), undecided_help(*undecided).to_owned()];
            Some(error_row(name, Status::Undecided, &reason))
        }
        Judged::Unusable { troubles, .. } => {
            Some(error_row(name, Status::Unusable, &reasons(troubles)))
        }
        // What comes to less than a report is judged only where no more is shown.
        Judged::Conclusion(_) | Judged::Verdict(_) => None,
    }
}

/// The row of a checked receipt.
pub(in super::super) fn receipt_row(
    name: Name<'_>,
    item: &Item<'_>,
    many: bool,
    tally: &mut Tally,
) -> Piece {
    match item {
        Item::Checked(checked) => {
            tally.receipt(checked);
            checked_row(name, checked, many)
        }
        Item::Error(body) => error_row(name, Status::Unusable, &[body.message().to_owned()]),
    }
}

/// A row in the making.
struct Row<'a> {
    status: Status,
    word: &'static str,
    name: Name<'a>,
    /// What belongs to the name, as markup.
    about: String,
    /// How much passed.
    passed: String,
}

impl Row<'_> {
    /// The row, with a second one below it where there is something to say.
    fn with(&self, below: &str) -> String {
        let Row { status, word, name, about, passed } = self;
        let (class, name) = (class(*status), markup(&name.full()));
        let below = match below {
            "" => String::new(),
            below => {
                format!("<tr role=\"row\"><td role=\"cell\" colspan=\"3\">{below}</td></tr>\n")
            }
        };
        format!(
            "<tbody class=\"{class}\" role=\"rowgroup\"><tr role=\"row\"><td role=\"cell\">\
             <strong>{word}</strong></td><th role=\"rowheader\" scope=\"rowgroup\"><bdi>{name}</bdi>\
             {about}</th><td role=\"cell\">{passed}</td></tr>\n{below}</tbody>\n"
        )
    }
}

/// What a reader opens; open from the start where it is all that there is.
fn details(many: bool, summary: &str, inner: &str) -> String {
    let open = if many { "" } else { " open=\"\"" };
    format!("<details{open}><summary>{summary}</summary>\n{inner}</details>")
}

fn report_row(name: Name<'_>, judgement: &Judgement<'_>, many: bool) -> Piece {
    let Judgement { subject, report, .. } = judgement;
    let (status, word) = match report.verdict {
        Verdict::Pass => (Status::Passed, "PASS"),
        Verdict::Fail => (Status::Failed, "FAIL"),
    };
    let mut about = String::new();
    if subject.task_id != name.full() {
        about.push_str(&format!(" <small>task {}</small>", code(subject.task_id)));
    }
    if let Some(agent_id) = subject.agent_id {
        let agent = code(agent_id);
        about.push_str(&format!(
            " <small>agent {agent} (the caller's label, not an identity)</small>"
        ));
    }
    let overall = report.overall();
    let passed = format!("{} of {}", overall.passed, overall.total);
    let row = Row { status, word, name, about, passed };

    let (findings, unshown) = placed(name, judgement);
    let total = report.findings_total();
    let mut says = Vec::new();
    if total > 0 {
        says.push(counted(usize::try_from(total).unwrap_or(usize::MAX), "finding"));
    }
    if !report.remarks.is_empty() {
        says.push(counted(report.remarks.len(), "note"));
    }
    let mut summary = says.join(", ");
    if let Some(Placed { finding, blocks, .. }) = findings.first() {
        let informs = if *blocks { "" } else { " (informs only)" };
        summary.push_str(&format!(
            ": {} at {}{informs}: {}",
            code(finding.check.as_str()),
            code(&shortened(&finding.field)),
            text(&shortened(&finding.detail))
        ));
    }
    let mut inner = String::new();
    if !findings.is_empty() {
        inner.push_str("<ol>\n");
        for placed in &findings {
            put_finding(name, judgement, placed, &mut inner);
        }
        inner.push_str("</ol>\n");
    }
    if unshown > 0 {
        inner.push_str(&format!("<p>and {unshown} more</p>\n"));
    }
    if !report.remarks.is_empty() {
        inner.push_str("<ul>\n");
        for remark in &report.remarks {
            let (check, field) = (code(remark.check.as_str()), code(&remark.field));
            let remark = text(&remark.text);
            inner.push_str(&format!("<li>note: {check} at {field}: {remark}</li>\n"));
        }
        inner.push_str("</ul>\n");
    }
    let part = if status == Status::Passed { Part::Passed } else { Part::Items };
    let below = if inner.is_empty() { inner } else { details(many, &summary, &inner) };
    let short = match summary.as_str() {
        "" => String::new(),
        summary => format!("<p>{summary}</p>"),
    };
    let shown = findings.len() as u64;
    Piece { part, text: row.with(&below), short: row.with(&short), shown, unshown }
}

fn put_finding(
    name: Name<'_>,
    judgement: &Judgement<'_>,
    Placed { finding, line, column, blocks }: &Placed<'_>,
    out: &mut String,
) {
    let document = judgement.subject.output.document();
    let Snippet { line: shown, marked, .. } = snippet(document.text(), finding.offset, WIDTH);
    // The snippet is escaped already; what stays of it is what markup takes for its own.
    let (before, rest) = shown.split_at(marked.start);
    let (value, after) = rest.split_at(marked.end - marked.start);
    let shown = format!("{}<mark>{}</mark>{}", markup(before), markup(value), markup(after));
    let (class, informs) = if *blocks { ("fail", "") } else { ("undecided", " (informs only)") };
    let place = format!("{}:{line}:{column}", name.input);
    out.push_str(&format!(
        "<li class=\"{class}\"><h3>{} at {}{informs}</h3>\n<dl><dt>place</dt><dd>{}\
         <pre>{shown}</pre></dd>\n",
        code(finding.check.as_str()),
        code(&finding.field),
        text(&place),
    ));
    let fix = finding.fix();
    let requirement = finding.requirement.as_deref().map(|place| ("schema", place));
    let entries = [("expected", &*finding.expected), ("found", &*finding.found), ("fix", &*fix)];
    for (label, value) in entries.into_iter().chain(requirement) {
        out.push_str(&format!("<dt>{label}</dt><dd>{}</dd>\n", text(value)));
    }
    out.push_str("</dl></li>\n");
}

fn checked_row(name: Name<'_>, checked: &Checked, many: bool) -> Piece {
    let (status, word) = match checked.verdict {
        ReceiptVerdict::Valid => (Status::Passed, "VALID"),
        ReceiptVerdict::Invalid => (Status::Failed, "INVALID"),
        ReceiptVerdict::Undecided => (Status::Undecided, "UNDECIDED"),
    };
    let count = |status| checked.steps.iter().filter(|step| step.status == status).count();
    let passed = format!("{} of {}", count(StepStatus::Passed), checked.steps.len());
    let row = Row { status, word, name, about: String::new(), passed };
    let mut inner = format!("<h3>{}</h3>\n<dl>\n", heading(checked.verdict));
    for Line { label, value, note } in lines(checked) {
        let note = note.map(|note| format!(" <small>({note})</small>")).unwrap_or_default();
        inner.push_str(&format!("<dt>{label}</dt><dd>{}{note}</dd>\n", text(&value)));
    }
    inner.push_str("</dl>\n");
    for (status, heading, steps) in steps(checked) {
        let class = match status {
            StepStatus::Failed => "fail",
            StepStatus::Passed => "pass",
            StepStatus::NotChecked => "undecided",
        };
        inner.push_str(&format!("<h3 class=\"{class}\">{heading}</h3>\n<dl>\n"));
        for (names, reason) in steps {
            inner.push_str(&format!("<dt>{names}</dt><dd>{}</dd>\n", text(reason)));
        }
        inner.push_str("</dl>\n");
    }
    if !checked.unsigned.is_empty() {
        let names = text(&checked.unsigned.join(", "));
        inner.push_str(&format!(
            "<p>Not covered by the signature: attestation members {names}</p>\n"
        ));
    }
    let summary = text(&shortened(&why(checked)));
    let part = if status == Status::Passed { Part::Passed } else { Part::Items };
    Piece {
        part,
        text: row.with(&details(many, &summary, &inner)),
        short: row.with(&format!("<p>{summary}</p>")),
        shown: count(StepStatus::Failed) as u64,
        unshown: 0,
    }
}

/// An input without a verdict; there is nothing to open, since why is all that there is to say.
fn error_row(name: Name<'_>, status: Status, reasons: &[String]) -> Piece {
    let word = if status == Status::Undecided { "UNDECIDED" } else { "ERROR" };
    let row = Row { status, word, name, about: String::new(), passed: "–".to_owned() };
    let list: String = reasons.iter().map(|reason| format!("<p>{}</p>", text(reason))).collect();
    let first = reasons.first().map(|reason| text(&shortened(reason))).unwrap_or_default();
    Piece {
        part: Part::Items,
        text: row.with(&list),
        short: row.with(&format!("<p>{first}</p>")),
        shown: 1,
        unshown: 0,
    }
}

/// Text of an input that is a name.
fn code(name: &str) -> String {
    format!("<code>{}</code>", markup(name))
}

/// Text of an input, kept apart from what is around it where letters run from right to left.
fn text(text: &str) -> String {
    format!("<bdi>{}</bdi>", markup(text))
}
