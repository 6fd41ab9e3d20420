//! The report for people: the verdict first, then each finding with its place in the file, what
//! was expected and found, and the fix; passed checks only as counts.

use std::io::IsTerminal;

use agent_output_verifier::finding::Finding;
use agent_output_verifier::report::{Report, Undecided, Verdict};
use agent_output_verifier::text::escaped;
use owo_colors::{OwoColorize as _, Style as Paint};

use super::super::args::ColorChoice;
use super::super::batch::Name;
use super::super::judge::{Judged, Judgement};
use super::snippet::{Snippet, snippet};
use super::{Totals, checks_passed};

/// Columns where there is no terminal to ask, and those that even a narrow one gets.
const DEFAULT_WIDTH: usize = 100;
const LEAST_WIDTH: usize = 60;

/// Whether to use colour, and how wide lines may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Style {
    colour: bool,
    /// Columns that lines may have.
    width: usize,
}

impl Style {
    /// Settles `--color` with the conventions of `NO_COLOR` and `CLICOLOR_FORCE`.
    pub(crate) fn new(choice: ColorChoice, to_stdout: bool) -> Style {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let forced = set("CLICOLOR_FORCE")
            && std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let colour = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if forced => true,
            ColorChoice::Auto => to_stdout && !dumb && std::io::stdout().is_terminal(),
        };
        let terminal = if to_stdout { terminal_size::terminal_size() } else { None };
        let width = terminal.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
        Style { colour, width: width.max(LEAST_WIDTH) }
    }

    fn paint(self, text: &str, paint: Paint) -> String {
        if self.colour { text.style(paint).to_string() } else { text.to_owned() }
    }

    pub(super) fn good(self, text: &str) -> String {
        self.paint(text, Paint::new().green().bold())
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.paint(text, Paint::new().red().bold())
    }

    pub(super) fn open(self, text: &str) -> String {
        self.paint(text, Paint::new().yellow().bold())
    }

    pub(super) fn faint(self, text: &str) -> String {
        self.paint(text, Paint::new().dimmed())
    }

    fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Pass => self.good("PASS"),
            Verdict::Fail => self.bad("FAIL"),
        }
    }
}

/// Findings that one report shows in words.
const SHOWN: usize = 20;

/// The report of a single input.
pub(super) fn full(name: Name<'_>, judged: &Judged<'_>, style: Style, out: &mut Vec<u8>) {
    match judged {
        Judged::Report(judgement) => report(name, judgement, style, out),
        Judged::Undecided { undecided, .. } => {
            put(out, &format!("{}  {}\n", style.open("UNDECIDED"), escaped(&name.full())));
            put(out, &format!("\n  {undecided}\n  {}\n", undecided_help(*undecided)));
        }
        // Errors are told on standard error; what comes to less than a report is judged only where no
        // more is shown.
        Judged::Unusable { .. } | Judged::Conclusion(_) | Judged::Verdict(_) => {}
    }
}

/// A way out where there is no verdict.
pub(super) fn undecided_help(undecided: Undecided) -> &'static str {
    match undecided {
        Undecided::Matching => "There is no verdict; simplify the schema's patterns.",
        Undecided::Rules => "There is no verdict; use fewer or simpler rules.",
        _ => "There is no verdict; simplify the schema.",
    }
}

/// One of several inputs, in a line.
pub(super) fn line(name: Name<'_>, judged: &Judged<'_>, style: Style, out: &mut Vec<u8>) {
    let full = escaped(&name.full());
    match judged {
        Judged::Report(judgement) => {
            let report = &judgement.report;
            let first = match report.verdict {
                Verdict::Fail => report.errors().next(),
                Verdict::Pass => report.findings().next(),
            };
            let total = match report.verdict {
                Verdict::Fail => report.errors_total(),
                Verdict::Pass => report.findings_total(),
            };
            let verdict = style.verdict(report.verdict);
            let Some(finding) = first else {
                return put(out, &format!("{verdict}   {full}\n"));
            };
            let note = if report.verdict == Verdict::Pass { "note: " } else { "" };
            let more = if total > 1 { format!(" (+{} more)", total - 1) } else { String::new() };
            let what = format!("{} at '{}': {}", finding.check, finding.field, finding.detail);
            put(out, &format!("{verdict}   {full}  {note}{}{more}\n", escaped(&what)));
        }
        Judged::Undecided { undecided, .. } => {
            put(out, &format!("{}  {full}  {undecided}\n", style.open("UNDECIDED")));
        }
        Judged::Unusable { .. } => {
            put(out, &format!("{}  {full}  could not be judged\n", style.bad("ERROR")));
        }
        Judged::Conclusion(_) | Judged::Verdict(_) => {}
    }
}

/// The last line of a run over several inputs.
pub(super) fn summary(totals: Totals, words: [&str; 2], style: Style) -> String {
    let mut parts = vec![format!("{} {}", totals.passed, words[0])];
    for (count, what) in [
        (totals.failed, words[1]),
        (totals.undecided, "undecided"),
        (totals.unusable, "could not be judged"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let inputs = if totals.all() == 1 { "input" } else { "inputs" };
    style.faint(&format!("{} {inputs}: {}", totals.all(), parts.join(", "))) + "\n"
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn report(name: Name<'_>, judgement: &Judgement<'_>, style: Style, out: &mut Vec<u8>) {
    let Judgement { subject, report, .. } = judgement;
    let full = name.full();
    let task = if subject.task_id == full {
        String::new()
    } else {
        format!("  (task {})", escaped(subject.task_id))
    };
    put(out, &format!("{}  {}{task}\n", style.verdict(report.verdict), escaped(&full)));

    let findings: Vec<&Finding> = report
        .errors()
        .chain(report.findings().filter(|finding| !report.blocks(finding.check.family())))
        .take(SHOWN)
        .collect();
    let mut positions = subject.output.document().positions();
    for finding in &findings {
        let position = positions.position(finding.offset);
        let line = position.line + name.line_offset();
        let place = format!("{}:{line}:{}", escaped(name.input), position.column);
        let text = subject.output.document().text();
        let snippet = snippet(text, finding.offset, style.width.saturating_sub(INDENT));
        put_finding(finding, report, (&place, &snippet), style, out);
    }
    let left = report.findings_total() - findings.len() as u64;
    if left > 0 {
        put(out, &format!("\n  and {left} more; --format json lists the first 100 of a kind\n"));
    }
    put(
        out,
        &format!("\n  {}\n", checks_passed(report.schema_compliance, report.integrity_checks)),
    );
    for remark in &report.remarks {
        let text = format!("note: {} at '{}': {}", remark.check, remark.field, remark.text);
        put(out, &format!("  {}\n", style.faint(&escaped(&text))));
    }
    if let Some(agent_id) = subject.agent_id {
        let text =
            format!("note: agent '{}' is the caller's label, not an identity", escaped(agent_id));
        put(out, &format!("  {}\n", style.faint(&text)));
    }
}

/// Columns before a line of the file.
const INDENT: usize = 15;

fn put_finding(
    finding: &Finding,
    report: &Report,
    (place, snippet): (&str, &Snippet),
    style: Style,
    out: &mut Vec<u8>,
) {
    let blocks = report.blocks(finding.check.family());
    let check = finding.check.as_str();
    let check = if blocks { style.bad(check) } else { style.open(check) };
    let informs = if blocks { "" } else { "  (informs only)" };
    put(out, &format!("\n  {check} at '{}'{informs}\n", escaped(&finding.field)));
    put(out, &format!("    {} {}\n", style.faint("place   "), place));
    let marker = if blocks { style.bad(&snippet.marker) } else { style.open(&snippet.marker) };
    let bar = style.faint("|");
    put(out, &format!("             {bar} {}\n             {bar} {marker}\n", snippet.line));
    for (label, text) in [
        ("expected", &finding.expected),
        ("found   ", &finding.found),
        ("fix     ", &finding.fix()),
    ] {
        put(out, &format!("    {} {}\n", style.faint(label), escaped(text)));
    }
    if let Some(requirement) = &finding.requirement {
        put(out, &format!("    {} {}\n", style.faint("schema  "), escaped(requirement)));
    }
}
