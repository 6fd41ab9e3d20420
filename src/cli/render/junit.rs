//! JUnit XML: a test case for each input, its findings inside a failure.
//!
//! Written by hand: crates for the format build the whole report in memory, and none of them
//! replaces what XML 1.0 cannot hold in a way that people can read back.

use agent_output_verifier::check_receipt::{Checked, ReceiptVerdict, StepStatus};
use agent_output_verifier::text::shortened;

use super::super::batch::Name;
use super::super::judge::{Judged, Judgement};
use super::markup::markup;
use super::receipt::Item;
use super::whole::{Ending, Part, Piece};
use super::{Placed, counted, placed, reasons};

/// What comes before the test cases.
pub(super) fn head(ending: &Ending) -> String {
    let totals = ending.totals;
    let counts = format!(
        "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        ending.command,
        totals.all(),
        totals.failed,
        totals.undecided + totals.unusable,
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite {counts} skipped=\"0\">\n"
    )
}

/// What comes behind them.
pub(super) fn foot(ending: &Ending) -> String {
    let mut notes = String::new();
    if ending.left_out > 0 {
        notes.push_str(&format!("{} more findings are left out.\n", ending.left_out));
    }
    if ending.interrupted {
        notes.push_str("The run was interrupted: further inputs were not judged.\n");
    }
    let notes = match notes.as_str() {
        "" => String::new(),
        notes => format!("    <system-out>{notes}</system-out>\n"),
    };
    format!("{notes}  </testsuite>\n</testsuites>\n")
}

/// The test case of a judged output.
pub(super) fn case(name: Name<'_>, judged: &Judged<'_>) -> Option<Piece> {
    match judged {
        Judged::Report(judgement) => Some(report_case(name, judgement)),
        Judged::Undecided { undecided, .. } => {
            Some(error_case(name, VERIFY, "check_undecided", &[undecided.to_string()]))
        }
        Judged::Unusable { body, troubles, .. } => {
            Some(error_case(name, VERIFY, body.code(), &reasons(troubles)))
        }
        // What comes to less than a report is judged only where no more is shown.
        Judged::Conclusion(_) | Judged::Verdict(_) => None,
    }
}

/// The test case of a checked receipt.
pub(super) fn receipt_case(name: Name<'_>, item: &Item<'_>) -> Option<Piece> {
    Some(match item {
        Item::Checked(checked) => checked_case(name, checked),
        Item::Error(body) => {
            error_case(name, CHECK_RECEIPT, body.code(), &[body.message().to_owned()])
        }
    })
}

const VERIFY: &str = "aov.verify";
const CHECK_RECEIPT: &str = "aov.check-receipt";

fn report_case(name: Name<'_>, judgement: &Judgement<'_>) -> Piece {
    let (findings, unshown) = placed(name, judgement);
    let (mut blocking, mut informing) = (String::new(), String::new());
    for Placed { finding, line, column, blocks } in &findings {
        let text = format!(
            "{}:{line}:{column}: {} at '{}': {}",
            name.input, finding.check, finding.field, finding.detail
        );
        let list = if *blocks { &mut blocking } else { &mut informing };
        list.push_str(&format!("{}\n  fix: {}\n", markup(&text), markup(&finding.fix())));
    }
    if !informing.is_empty() {
        informing = format!("      <system-out>Informs only:\n{informing}</system-out>\n");
    }
    if unshown > 0 && !blocking.is_empty() {
        blocking.push_str(&format!("and {unshown} more\n"));
    }
    let first = findings.iter().find(|placed| placed.blocks);
    let (failure, short) = match first {
        Some(Placed { finding, .. }) => {
            let total = judgement.report.errors_total();
            let more = if total > 1 { format!(" (+{} more)", total - 1) } else { String::new() };
            let message = format!("{} at '{}': {}", finding.check, finding.field, finding.detail);
            let tag = format!(
                "<failure type=\"{}\" message=\"{}{more}\"",
                finding.check,
                markup(&shortened(&message))
            );
            (format!("      {tag}>\n{blocking}</failure>\n"), format!("      {tag}/>\n"))
        }
        None => Default::default(),
    };
    Piece {
        part: Part::Items,
        text: test_case(name, VERIFY, &format!("{failure}{informing}")),
        short: test_case(name, VERIFY, &short),
        shown: findings.len() as u64,
        unshown,
    }
}

fn checked_case(name: Name<'_>, checked: &Checked) -> Piece {
    let (status, tag) = match checked.verdict {
        ReceiptVerdict::Valid => return whole_case(test_case(name, CHECK_RECEIPT, ""), 0),
        ReceiptVerdict::Invalid => (StepStatus::Failed, "failure"),
        ReceiptVerdict::Undecided => (StepStatus::NotChecked, "error"),
    };
    let steps: Vec<_> =
        checked.steps.iter().filter(|step| step.status != StepStatus::Passed).collect();
    let decisive = steps.iter().find(|step| step.status == status);
    let kind = decisive.map_or("undecided", |step| step.name.as_str());
    let message = decisive.map_or("undecided", |step| step.detail.as_str());
    let mut text = String::new();
    for step in &steps {
        let status = step.status.as_str().replace('_', " ");
        text.push_str(&format!("{} {status}: {}\n", step.name.as_str(), markup(&step.detail)));
    }
    let message = markup(&shortened(&format!("{kind}: {message}")));
    let inner = format!("      <{tag} type=\"{kind}\" message=\"{message}\">\n{text}</{tag}>\n");
    let shown = steps.iter().filter(|step| step.status == StepStatus::Failed).count();
    whole_case(test_case(name, CHECK_RECEIPT, &inner), shown as u64)
}

/// A test case that is small, and so is never cut.
fn whole_case(text: String, shown: u64) -> Piece {
    Piece { part: Part::Items, short: text.clone(), text, shown, unshown: 0 }
}

fn error_case(name: Name<'_>, class: &str, code: &str, reasons: &[String]) -> Piece {
    let first = reasons.first().map(String::as_str).unwrap_or_default();
    let more = match reasons.len() {
        0 | 1 => String::new(),
        all => format!(" (and {})", counted(all - 1, "more problem")),
    };
    let message = markup(&shortened(first));
    let tag = format!("<error type=\"{code}\" message=\"{message}{more}\"");
    let lines: String = reasons.iter().map(|reason| markup(reason) + "\n").collect();
    Piece {
        part: Part::Items,
        text: test_case(name, class, &format!("      {tag}>\n{lines}</error>\n")),
        short: test_case(name, class, &format!("      {tag}/>\n")),
        shown: 1,
        unshown: 0,
    }
}

fn test_case(name: Name<'_>, class: &str, inner: &str) -> String {
    let tag = format!(
        "    <testcase classname=\"{class}\" name=\"{}\" file=\"{}\"",
        markup(&name.full()),
        markup(name.input)
    );
    match inner {
        "" => format!("{tag}/>\n"),
        inner => format!("{tag}>\n{inner}    </testcase>\n"),
    }
}
