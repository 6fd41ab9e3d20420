//! Markdown for a job's summary: a table of totals, then the inputs that did not pass.
//!
//! All that comes from an input stands in code spans, in which nothing is a link, an image, a
//! mention or markup. Findings are lists: a table's cells would need further escapes for `|`.

use agent_output_verifier::check_receipt::{ReceiptVerdict, StepStatus};
use agent_output_verifier::report::Verdict;
use agent_output_verifier::text::escaped;

use super::super::batch::Name;
use super::super::judge::{Judged, Judgement};
use super::receipt::Item;
use super::whole::{Ending, Part, Piece};
use super::{Placed, placed, reasons};

/// What comes before the inputs.
pub(super) fn head(ending: &Ending) -> String {
    let totals = ending.totals;
    let [good, bad] = ending.words;
    let (_, outcome) = ending.outcome();
    format!(
        "## {}: {outcome}\n\n| inputs | {good} | {bad} | undecided | could not be judged |\n\
         | ---: | ---: | ---: | ---: | ---: |\n| {} | {} | {} | {} | {} |\n",
        ending.command,
        totals.all(),
        totals.passed,
        totals.failed,
        totals.undecided,
        totals.unusable,
    )
}

/// What comes behind them.
pub(super) fn foot(ending: &Ending) -> String {
    let mut text = String::new();
    if ending.left_out > 0 {
        text.push_str(&format!("\n{} more findings are left out.\n", ending.left_out));
    }
    if ending.interrupted {
        text.push_str("\nThe run was interrupted: further inputs were not judged.\n");
    }
    text
}

/// The section of an input that did not pass.
pub(super) fn section(name: Name<'_>, judged: &Judged<'_>) -> Option<Piece> {
    match judged {
        Judged::Report(judgement) if judgement.report.verdict == Verdict::Fail => {
            Some(report_section(name, judgement))
        }
        Judged::Report(_) => None,
        Judged::Undecided { undecided, .. } => {
            Some(list_section(name, "UNDECIDED", &[undecided.to_string()]))
        }
        Judged::Unusable { troubles, .. } => Some(list_section(name, "ERROR", &reasons(troubles))),
        // What comes to less than a report is judged only where no more is shown.
        Judged::Conclusion(_) | Judged::Verdict(_) => None,
    }
}

/// The section of a receipt that is not valid.
pub(super) fn receipt_section(name: Name<'_>, item: &Item<'_>) -> Option<Piece> {
    let checked = match item {
        Item::Checked(checked) => checked,
        Item::Error(body) => {
            return Some(list_section(name, "ERROR", &[body.message().to_owned()]));
        }
    };
    let word = match checked.verdict {
        ReceiptVerdict::Valid => return None,
        ReceiptVerdict::Invalid => "INVALID",
        ReceiptVerdict::Undecided => "UNDECIDED",
    };
    let mut text = heading(name, word);
    let mut shown = 0;
    for status in [StepStatus::Failed, StepStatus::NotChecked] {
        for step in checked.steps.iter().filter(|step| step.status == status) {
            let (step, detail) = (step.name.as_str(), code(&step.detail));
            let status = status.as_str().replace('_', " ");
            text.push_str(&format!("- {} {status}: {detail}\n", code(step)));
            shown += 1;
        }
    }
    Some(Piece { part: Part::Items, text, short: String::new(), shown, unshown: 0 })
}

fn report_section(name: Name<'_>, judgement: &Judgement<'_>) -> Piece {
    let (findings, unshown) = placed(name, judgement);
    let mut text = heading(name, "FAIL");
    if judgement.subject.task_id != name.full() {
        text.push_str(&format!("Task {}\n\n", code(judgement.subject.task_id)));
    }
    for Placed { finding, line, column, blocks } in &findings {
        let informs = if *blocks { "" } else { " (informs only)" };
        text.push_str(&format!(
            "- {} at {}{informs}, line {line}, column {column}: {}\n  - Fix: {}\n",
            code(finding.check.as_str()),
            code(&finding.field),
            code(&finding.detail),
            code(&finding.fix()),
        ));
    }
    if unshown > 0 {
        text.push_str(&format!("- and {unshown} more\n"));
    }
    let shown = findings.len() as u64;
    Piece { part: Part::Items, text, short: String::new(), shown, unshown }
}

fn list_section(name: Name<'_>, word: &str, reasons: &[String]) -> Piece {
    let mut text = heading(name, word);
    for reason in reasons {
        text.push_str(&format!("- {}\n", code(reason)));
    }
    Piece { part: Part::Items, text, short: String::new(), shown: 1, unshown: 0 }
}

fn heading(name: Name<'_>, word: &str) -> String {
    format!("\n### {word} {}\n\n", code(&name.full()))
}

/// A code span that holds any text. Nothing in it is markup once it is read as Markdown; `<` is
/// escaped all the same, for readers that look for HTML first.
fn code(text: &str) -> String {
    let text = escaped(text).replace('<', "\\u003c");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // One space at both ends is taken away by readers, unless there is nothing else.
    let edge = |c| text.starts_with(c) || text.ends_with(c);
    let pad = if edge('`') || edge(' ') { " " } else { "" };
    match text.trim_matches(' ') {
        "" => "`(blank)`".to_owned(),
        _ => format!("{fence}{pad}{text}{pad}{fence}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_hold_any_text() {
        assert_eq!(code("a|b"), "`a|b`");
        assert_eq!(code("a``b`c"), "```a``b`c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(" a"), "`  a `");
        assert_eq!(code(""), "`(blank)`");
        assert_eq!(code("<b>\n# x"), "`\\u003cb>\\n# x`");
    }
}
