//! Formats: each turns what was judged into bytes and decides nothing.

mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod markup;
pub(crate) mod receipt;
mod sarif;
mod snippet;
mod tally;
mod whole;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use agent_output_verifier::attest::Unsigned;
use agent_output_verifier::finding::Finding;
use agent_output_verifier::key::SigningKey;
use agent_output_verifier::report::Score;

pub(crate) use human::Style;
pub(crate) use tally::Tally;
pub(crate) use whole::{Ending, Piece, Whole};

use super::Status;
use super::args::{ColorChoice, Format};
use super::batch::Name;
use super::judge::{Judged, Judgement};
use super::trouble::Trouble;

/// Counts of a run, for summaries.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Totals {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) undecided: u64,
    pub(crate) unusable: u64,
}

impl Totals {
    /// Counts one more.
    pub(crate) fn count(&mut self, status: Status) {
        match status {
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Undecided => self.undecided += 1,
            Status::Unusable => self.unusable += 1,
        }
    }

    /// Adds another run's counts.
    pub(crate) fn add(&mut self, other: Totals) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.undecided += other.undecided;
        self.unusable += other.unusable;
    }

    /// All inputs.
    pub(crate) fn all(self) -> u64 {
        self.passed + self.failed + self.undecided + self.unusable
    }
}

/// What a renderer makes of items.
#[derive(Default)]
pub(crate) struct Rendered {
    /// The items themselves, in formats that stream.
    pub(crate) bytes: Vec<u8>,
    /// Receipts in `bytes` whose signatures are still to be made.
    pub(crate) unsigned: Unsigned,
    /// What formats that need the whole run keep of them.
    pub(crate) pieces: Vec<Piece>,
    /// What charts are drawn from, in formats that have them.
    pub(crate) tally: Tally,
}

/// What is around the items of a run, in any format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) format: Format,
    /// The command, as reports name it.
    pub(crate) command: &'static str,
    /// Whether the run can have more than one input.
    pub(crate) many: bool,
    /// Whether the format for people is silenced.
    pub(crate) silent: bool,
    pub(crate) style: Style,
    /// What summaries call the good and the bad.
    pub(crate) words: [&'static str; 2],
}

impl Rendered {
    /// Makes the signatures that are still to be made.
    pub(crate) fn sign(&mut self, key: &SigningKey) {
        self.unsigned.sign(key, &mut self.bytes);
    }
}

impl Frame {
    /// What comes before the first item.
    pub(crate) fn begin(&self) -> &'static str {
        if self.format == Format::Json && self.many { "[\n" } else { "" }
    }

    /// What comes between two items.
    pub(crate) fn between(&self) -> &'static str {
        if self.format == Format::Json && self.many { ",\n" } else { "" }
    }

    /// What comes behind the last item.
    pub(crate) fn end(&self, totals: Totals) -> String {
        match self.format {
            Format::Human if self.many && !self.silent => {
                human::summary(totals, self.words, self.style)
            }
            Format::Json if self.many && totals.all() == 0 => "]\n".to_owned(),
            Format::Json if self.many => "\n]\n".to_owned(),
            Format::Github => {
                // It begins with a number, and so is no command.
                human::summary(totals, self.words, Style::new(ColorChoice::Never, false))
            }
            _ => String::new(),
        }
    }

    /// What standard error is told, fit for whoever reads the format.
    pub(crate) fn told(&self, text: Vec<u8>) -> Vec<u8> {
        if self.format == Format::Github { github::told(&text) } else { text }
    }
}

/// A finding with its place in its input, and whether it blocks.
struct Placed<'a> {
    finding: &'a Finding,
    line: usize,
    column: usize,
    blocks: bool,
}

/// The findings of a report that are in words, those that block first; and how many are not.
fn placed<'a>(name: Name<'_>, judgement: &'a Judgement<'_>) -> (Vec<Placed<'a>>, u64) {
    let report = &judgement.report;
    let blocks = |finding: &Finding| report.blocks(finding.check.family());
    let mut positions = judgement.subject.output.document().positions();
    let findings = report.errors().chain(report.findings().filter(|finding| !blocks(finding)));
    let findings: Vec<Placed<'_>> = findings
        .map(|finding| {
            let position = positions.position(finding.offset);
            Placed {
                finding,
                line: position.line + name.line_offset(),
                column: position.column,
                blocks: blocks(finding),
            }
        })
        .collect();
    let unshown = report.findings_total().saturating_sub(findings.len() as u64);
    (findings, unshown)
}

/// What an input that could not be judged lacks, with the ways out.
fn reasons(troubles: &[Trouble]) -> Vec<String> {
    let reason = |trouble: &Trouble| match &trouble.help {
        Some(help) => format!("{}. {help}", trouble.message),
        None => trouble.message.clone(),
    };
    troubles.iter().map(reason).collect()
}

/// How many checks passed, in all and by kind.
fn checks_passed(schema: Score, integrity: Score) -> String {
    let share = |score: Score| format!("{} of {}", score.passed, score.total);
    let all = schema.plus(integrity);
    format!(
        "{} checks passed ({:.1}%): schema {}, integrity {}",
        share(all),
        percent(all),
        share(schema),
        share(integrity)
    )
}

/// A share in per cent. 100 is only where everything passed.
fn percent(score: Score) -> f64 {
    if score.passed == score.total { 100.0 } else { (score.ratio() * 100.0).min(99.9) }
}

/// `1 finding`, `2 findings`
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// An input's name as a path from the folder of the run, with `/` between its parts, where it is
/// below that folder.
fn relative(name: &str) -> Cow<'_, str> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| std::env::current_dir().ok());
    let below = folder.as_ref().and_then(|folder| Path::new(name).strip_prefix(folder).ok());
    let name = match below.and_then(Path::to_str) {
        Some(below) if !below.is_empty() => below,
        _ => name.strip_prefix("./").unwrap_or(name),
    };
    if cfg!(windows) { Cow::Owned(name.replace('\\', "/")) } else { Cow::Borrowed(name) }
}

/// The formats of judged outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renderer {
    pub(crate) frame: Frame,
    /// Whether each response comes with its request.
    pub(crate) pair: bool,
}

impl Renderer {
    /// One item.
    pub(crate) fn item(&self, name: Name<'_>, judged: &Judged<'_>, out: &mut Rendered) {
        let Rendered { bytes, unsigned, pieces, tally } = out;
        let Frame { format, many, silent, style, .. } = self.frame;
        match format {
            Format::Human if silent => {}
            Format::Human if many => human::line(name, judged, style, bytes),
            Format::Human => human::full(name, judged, style, bytes),
            Format::Json => json::indented(name, judged, many, self.pair, bytes),
            Format::Ndjson => json::line(name, judged, self.pair, unsigned, bytes),
            Format::Junit => pieces.extend(junit::case(name, judged)),
            Format::Sarif => sarif::results(name, judged, pieces),
            Format::Github => github::lines(name, judged, bytes),
            Format::Markdown => pieces.extend(markdown::section(name, judged)),
            Format::Html => pieces.extend(html::row(name, judged, many, tally)),
        }
    }
}
