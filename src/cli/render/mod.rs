//! Formats: each turns what was judged into bytes and decides nothing.

mod human;
mod json;
pub(crate) mod receipt;

pub(crate) use human::Style;

use super::Status;
use super::args::Format;
use super::batch::Name;
use super::judge::Judged;

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

/// What is around the items of a run, in any format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) format: Format,
    /// Whether the run can have more than one input.
    pub(crate) many: bool,
    /// Whether the format for people is silenced.
    pub(crate) silent: bool,
    pub(crate) style: Style,
    /// What summaries call the good and the bad.
    pub(crate) words: [&'static str; 2],
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
            _ => String::new(),
        }
    }
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
    pub(crate) fn item(&self, name: Name<'_>, judged: &Judged<'_>, out: &mut Vec<u8>) {
        let Frame { format, many, silent, style, .. } = self.frame;
        match format {
            Format::Human if silent => {}
            Format::Human if many => human::line(name, judged, style, out),
            Format::Human => human::full(name, judged, style, out),
            Format::Json => json::indented(name, judged, many, self.pair, out),
            Format::Ndjson => json::line(name, judged, self.pair, out),
        }
    }
}
