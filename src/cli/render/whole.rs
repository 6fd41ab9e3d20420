//! Formats that need the whole run: totals stand before the items, or errors behind all of them.
//!
//! Pieces wait in temporary files, not in memory, until the counts are known. Findings are capped,
//! since readers of these formats load them whole; what is left out is counted and said.

use std::io::{self, Read as _, Seek as _, Write as _};

use anyhow::Result;
use tempfile::SpooledTempFile;

use super::super::args::Format;
use super::super::output::Written;
use super::super::trouble::Trouble;
use super::{Totals, junit, markdown, sarif};

/// Findings, and inputs that could not be judged, in one report.
const MAX_FINDINGS: u64 = 10_000;

/// Bytes of the items of a job's summary; GitHub shows none that is larger than 1 MiB.
const MAX_MARKDOWN: u64 = 1_000_000;

/// Bytes of a spool that stay in memory.
const IN_MEMORY: usize = 1 << 20;

/// Bytes copied at a time.
const COPIED: usize = 1 << 16;

/// Where a piece belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Among the items, in their order
    Items,
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
}

/// A whole report in the making.
pub(crate) struct Whole {
    format: WholeFormat,
    items: Spool,
    errors: Spool,
    shown: u64,
    left_out: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WholeFormat {
    Junit,
    Sarif,
    Markdown,
}

impl WholeFormat {
    fn between(self) -> &'static str {
        if self == WholeFormat::Sarif { ",\n" } else { "" }
    }

    fn max_bytes(self) -> u64 {
        if self == WholeFormat::Markdown { MAX_MARKDOWN } else { u64::MAX }
    }
}

impl Whole {
    /// Of a format, if it needs the whole run.
    pub(crate) fn of(format: Format) -> Option<Whole> {
        let format = match format {
            Format::Junit => WholeFormat::Junit,
            Format::Sarif => WholeFormat::Sarif,
            Format::Markdown => WholeFormat::Markdown,
            Format::Human | Format::Json | Format::Ndjson | Format::Github => return None,
        };
        Some(Whole { format, items: Spool::new(), errors: Spool::new(), shown: 0, left_out: 0 })
    }

    /// Takes the pieces of further items, as many as there is room for.
    pub(crate) fn take(&mut self, pieces: Vec<Piece>) -> Result<(), Trouble> {
        for piece in pieces {
            let Piece { part, text, short, shown, unshown } = piece;
            let bytes = self.items.bytes + text.len() as u64;
            let fits = self.shown + shown <= MAX_FINDINGS && bytes <= self.format.max_bytes();
            // Pieces that show nothing, such as passed test cases, cost no findings.
            let fits = fits || (shown == 0 && self.format.max_bytes() == u64::MAX);
            self.left_out += unshown;
            let text = if fits {
                self.shown += shown;
                &text
            } else {
                self.left_out += shown;
                &short
            };
            if !text.is_empty() {
                let between = self.format.between();
                self.spool(part).put(between, text).map_err(|error| trouble(&error))?;
            }
        }
        Ok(())
    }

    fn spool(&mut self, part: Part) -> &mut Spool {
        match part {
            Part::Items => &mut self.items,
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
