//! Formats that need the whole run: totals stand before the items, or errors behind all of them.
//!
//! Pieces wait in temporary files, not in memory, until the counts are known. Findings are capped,
//! since readers of these formats load them whole; what is left out is counted and said.

use std::io::{self, Read as _, Seek as _, Write as _};

use anyhow::Result;
use tempfile::SpooledTempFile;

use super::super::Status;
use super::super::args::Format;
use super::super::output::Written;
use super::super::trouble::Trouble;
use super::{Tally, Totals, html, junit, markdown, sarif};

/// Findings, and inputs that could not be judged, in one report.
const MAX_FINDINGS: u64 = 10_000;

/// Bytes of the items of a job's summary; GitHub shows none that is larger than 1 MiB.
const MAX_MARKDOWN: u64 = 1_000_000;

/// Bytes of the items of a page, beyond which browsers begin to be slow; what comes then is short.
const MAX_HTML: u64 = 16_000_000;

/// Rows of a page for inputs that passed, and as many for the others.
const MAX_ROWS: u64 = 10_000;

/// Bytes of a spool that stay in memory.
const IN_MEMORY: usize = 1 << 20;

/// Bytes copied at a time.
const COPIED: usize = 1 << 16;

/// Where a piece belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Among the items, in their order
    Items,
    /// There too, but of an input that passed, so that it takes no room from the others
    Passed,
    /// Behind them, among the inputs that could not be judged
    Errors,
}

/// What a report has of an item.
pub(crate) struct Piece {
    pub(crate) part: Part,
    pub(crate) text: String,
    /// In its place once the report is full; nothing where it can be left out.
    pub(crate) short: String,
    /// Findings (or errors) that the text shows.
    pub(crate) shown: u64,
    /// Findings of the item that it does not show.
    pub(crate) unshown: u64,
}

/// What is known at the end of a run.
pub(crate) struct Ending {
    pub(crate) command: &'static str,
    /// What the good and the bad are called.
    pub(crate) words: [&'static str; 2],
    pub(crate) totals: Totals,
    /// Whether the run was interrupted, so that not all inputs were judged.
    pub(crate) interrupted: bool,
    /// Findings that the report does not show.
    pub(crate) left_out: u64,
    /// Items that the report has nothing of.
    pub(crate) unlisted: u64,
    pub(crate) tally: Tally,
}

impl Ending {
    /// Of a run; what its report leaves out is not known yet.
    pub(crate) fn new(
        command: &'static str,
        words: [&'static str; 2],
        totals: Totals,
        interrupted: bool,
    ) -> Ending {
        let (left_out, unlisted, tally) = Default::default();
        Ending { command, words, totals, interrupted, left_out, unlisted, tally }
    }

    /// The run in a word, and the status that it stands for, in the order of the exit statuses.
    pub(super) fn outcome(&self) -> (Status, &'static str) {
        let [good, bad] = self.words;
        if self.totals.unusable > 0 {
            (Status::Unusable, "incomplete")
        } else if self.totals.failed > 0 {
            (Status::Failed, bad)
        } else if self.totals.undecided > 0 || self.interrupted {
            (Status::Undecided, "undecided")
        } else {
            (Status::Passed, good)
        }
    }
}

/// A whole report in the making.
pub(crate) struct Whole {
    format: WholeFormat,
    items: Spool,
    errors: Spool,
    /// Items of inputs that passed, and of others.
    rows: [u64; 2],
    shown: u64,
    left_out: u64,
    unlisted: u64,
    tally: Tally,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WholeFormat {
    Junit,
    Sarif,
    Markdown,
    Html,
}

impl WholeFormat {
    fn between(self) -> &'static str {
        if self == WholeFormat::Sarif { ",\n" } else { "" }
    }

    fn max_bytes(self) -> u64 {
        match self {
            WholeFormat::Markdown => MAX_MARKDOWN,
            WholeFormat::Html => MAX_HTML,
            WholeFormat::Junit | WholeFormat::Sarif => u64::MAX,
        }
    }

    fn max_rows(self) -> u64 {
        if self == WholeFormat::Html { MAX_ROWS } else { u64::MAX }
    }
}

impl Whole {
    /// Of a format, if it needs the whole run.
    pub(crate) fn of(format: Format) -> Option<Whole> {
        let format = match format {
            Format::Junit => WholeFormat::Junit,
            Format::Sarif => WholeFormat::Sarif,
            Format::Markdown => WholeFormat::Markdown,
            Format::Html => WholeFormat::Html,
            Format::Human | Format::Json | Format::Ndjson | Format::Github => return None,
        };
        let (rows, shown, left_out, unlisted, tally) = Default::default();
        let (items, errors) = (Spool::new(), Spool::new());
        Some(Whole { format, items, errors, rows, shown, left_out, unlisted, tally })
    }

    /// Takes the pieces of further items, as many as there is room for.
    pub(crate) fn take(&mut self, pieces: Vec<Piece>, tally: Tally) -> Result<(), Trouble> {
        self.tally.add(tally);
        for piece in pieces {
            let Piece { part, text, short, shown, unshown } = piece;
            let kind = usize::from(part != Part::Passed);
            let listed = self.rows[kind] < self.format.max_rows();
            let bytes = self.items.bytes + text.len() as u64;
            let fits = self.shown + shown <= MAX_FINDINGS && bytes <= self.format.max_bytes();
            self.left_out += unshown;
            let text = if fits && listed {
                self.shown += shown;
                &text
            } else {
                self.left_out += shown;
                &short
            };
            if listed && !text.is_empty() {
                self.rows[kind] += 1;
                let between = self.format.between();
                self.spool(part).put(between, text).map_err(|error| trouble(&error))?;
            } else {
                self.unlisted += 1;
            }
        }
        Ok(())
    }

    fn spool(&mut self, part: Part) -> &mut Spool {
        match part {
            Part::Items | Part::Passed => &mut self.items,
            Part::Errors => &mut self.errors,
        }
    }

    /// Writes the report.
    pub(crate) fn finish(
        mut self,
        mut ending: Ending,
        write: &mut dyn FnMut(&[u8]) -> Result<Written>,
    ) -> Result<Written> {
        ending.left_out = self.left_out;
        ending.unlisted = self.unlisted;
        ending.tally = self.tally;
        let [head, middle, foot] = match self.format {
            WholeFormat::Junit => [junit::head(&ending), String::new(), junit::foot(&ending)],
            WholeFormat::Sarif => {
                for note in sarif::notes(&ending) {
                    self.errors
                        .put(self.format.between(), &note)
                        .map_err(|error| trouble(&error))?;
                }
                [sarif::head(), sarif::middle(&ending), sarif::foot(&ending)]
            }
            WholeFormat::Markdown => {
                [markdown::head(&ending), String::new(), markdown::foot(&ending)]
            }
            WholeFormat::Html => [html::head(&ending), String::new(), html::foot()],
        };
        for part in [
            write(head.as_bytes())?,
            self.items.copy(write)?,
            write(middle.as_bytes())?,
            self.errors.copy(write)?,
        ] {
            if part == Written::Closed {
                return Ok(Written::Closed);
            }
        }
        write(foot.as_bytes())
    }
}

/// Text that waits in memory while it is small, and in a temporary file from then on.
struct Spool {
    file: SpooledTempFile,
    bytes: u64,
}

impl Spool {
    fn new() -> Spool {
        Spool { file: SpooledTempFile::new(IN_MEMORY), bytes: 0 }
    }

    fn put(&mut self, between: &str, text: &str) -> io::Result<()> {
        if self.bytes > 0 {
            self.file.write_all(between.as_bytes())?;
        }
        self.bytes += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }

    fn copy(&mut self, write: &mut dyn FnMut(&[u8]) -> Result<Written>) -> Result<Written> {
        self.file.rewind().map_err(|error| trouble(&error))?;
        let mut buffer = vec![0; COPIED];
        loop {
            let read = self.file.read(&mut buffer).map_err(|error| trouble(&error))?;
            if read == 0 {
                return Ok(Written::Done);
            }
            if write(&buffer[..read])? == Written::Closed {
                return Ok(Written::Closed);
            }
        }
    }
}

fn trouble(error: &io::Error) -> Trouble {
    Trouble::of_io("write", "a temporary file", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(part: Part, text: &str, short: &str, shown: u64) -> Piece {
        Piece { part, text: text.to_owned(), short: short.to_owned(), shown, unshown: 0 }
    }

    /// What the report has of its items, and what it says that it leaves out.
    fn told(mut whole: Whole) -> (String, u64, u64) {
        let mut items = Vec::new();
        let copied = whole.items.copy(&mut |bytes| {
            items.extend_from_slice(bytes);
            Ok(Written::Done)
        });
        assert_eq!(copied.unwrap(), Written::Done);
        (String::from_utf8(items).unwrap(), whole.left_out, whole.unlisted)
    }

    #[test]
    fn inputs_that_passed_take_no_room_from_the_others() {
        let mut whole = Whole::of(Format::Html).unwrap();
        let take = |whole: &mut Whole, piece| whole.take(vec![piece], Tally::default()).unwrap();
        for _ in 0..MAX_ROWS + 5 {
            take(&mut whole, piece(Part::Passed, "p", "", 0));
        }
        take(&mut whole, piece(Part::Items, "F", "f", 1));
        for _ in 0..MAX_ROWS + 3 {
            take(&mut whole, piece(Part::Items, "F", "f", 2));
        }
        let (items, left_out, unlisted) = told(whole);
        let count = |letter: &str| items.matches(letter).count() as u64;
        assert_eq!(count("p"), MAX_ROWS);
        // All findings that fit in words, then rows without, then nothing but the counts.
        let full = 1 + (MAX_FINDINGS - 1) / 2;
        assert_eq!((count("F"), count("f")), (full, MAX_ROWS - full));
        assert_eq!(left_out, 2 * (MAX_ROWS + 4 - full));
        assert_eq!(unlisted, 5 + 4);
    }

    #[test]
    fn a_page_that_grows_too_large_goes_on_in_short() {
        let mut whole = Whole::of(Format::Html).unwrap();
        let large = "x".repeat(1_000_000);
        for _ in 0..20 {
            let pieces =
                vec![piece(Part::Items, &large, "short", 1), piece(Part::Passed, &large, "", 1)];
            whole.take(pieces, Tally::default()).unwrap();
        }
        let (items, left_out, unlisted) = told(whole);
        assert!(items.len() as u64 <= MAX_HTML + 20 * 5, "{}", items.len());
        assert_eq!(items.matches("short").count(), 12);
        assert_eq!((left_out, unlisted), (24, 12));
    }
}
