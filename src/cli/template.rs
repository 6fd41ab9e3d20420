//! `aov template`.

use std::path::PathBuf;

use agent_output_verifier::json::Document;
use agent_output_verifier::template::{Inferred, Note, NoteKind, infer};
use agent_output_verifier::text::{escaped, shortened};
use anyhow::Result;

use super::Status;
use super::args::Template;
use super::batch::inputs;
use super::input::{Blocks, Input, claim_stdin, lines, nothing_in};
use super::output::{Output, Written};
use super::trouble::{Trouble, in_file};

/// Runs the command.
pub(crate) fn run(args: &Template) -> Result<Status> {
    claim_stdin(args.samples.iter().map(PathBuf::as_path))?;
    let inputs = inputs(&args.samples, args.lines, false, "sample")?;
    let mut output = Output::open(args.template_file.as_deref())?;
    let mut texts = Texts::default();
    for input in &inputs {
        if let Err(trouble) = texts.read(input, args.lines) {
            texts.fault(&trouble);
        }
    }
    let (documents, refused) = texts.parse();
    let faults = texts.faults + refused;
    if documents.is_empty() {
        let help = "Mend one of them, or name others.";
        return Err(Trouble::new("there is no sample that can be read", help).into());
    }
    let samples: Vec<_> = documents.iter().map(Document::root).collect();
    let inferred = infer(&samples);
    if !args.quiet {
        eprint!("{}", told(&inferred, samples.len(), faults));
    }
    if output.write(inferred.text.as_bytes())? == Written::Done {
        output.finish()?;
    }
    Ok(if faults == 0 { Status::Passed } else { Status::Unusable })
}

/// The texts of all samples.
#[derive(Default)]
struct Texts {
    texts: Vec<Text>,
    faults: usize,
}

struct Text {
    input: String,
    /// Its line, where inputs are lines.
    line: Option<usize>,
    bytes: Vec<u8>,
}

impl Texts {
    fn fault(&mut self, trouble: &Trouble) {
        self.faults += 1;
        eprintln!("{trouble}");
    }

    fn read(&mut self, input: &Input, by_line: bool) -> Result<(), Trouble> {
        let name = input.name();
        if !by_line {
            let bytes = input.read()?;
            self.texts.push(Text { input: name, line: None, bytes });
            return Ok(());
        }
        let before = self.texts.len();
        let mut blocks = Blocks::new(input.open()?);
        let fault = |error| Trouble::of_io("read", &name, &error);
        while let Some(block) = blocks.next().map_err(fault)? {
            for (number, line) in lines(&block) {
                let bytes = line.to_owned();
                self.texts.push(Text { input: name.clone(), line: Some(number), bytes });
            }
        }
        if self.texts.len() == before { Err(nothing_in(&name)) } else { Ok(()) }
    }

    /// The texts that are JSON, and how many are none: those are told, and do not stop the others.
    fn parse(&self) -> (Vec<Document<'_>>, usize) {
        let (mut documents, mut refused) = (Vec::new(), 0);
        for text in &self.texts {
            match Document::parse(&text.bytes) {
                Ok(document) => documents.push(document),
                Err(error) => {
                    refused += 1;
                    let trouble = match text.line {
                        Some(line) => Trouble::of_line(&text.input, &in_file(error, line - 1)),
                        None => Trouble::of_read_error(&text.input, &error),
                    };
                    eprintln!("{trouble}");
                }
            }
        }
        (documents, refused)
    }
}

/// Notes of one kind that are shown; who wants all of them reads the template.
const MAX_SHOWN: usize = 12;

/// The kinds in the order of the report, with their headings.
const HEADINGS: [(NoteKind, &str); 8] = [
    (NoteKind::Optional, "optional members"),
    (NoteKind::Map, "maps"),
    (NoteKind::Format, "formats"),
    (NoteKind::Enum, "enumerations"),
    (NoteKind::Measure, "numbers, by their names, where only integers were seen"),
    (NoteKind::Bound, "bounds"),
    (NoteKind::Rule, "rules"),
    (NoteKind::Open, "left open"),
];

/// What was inferred and what was not, for people.
fn told(inferred: &Inferred, samples: usize, faults: usize) -> String {
    let plural = if samples == 1 { "" } else { "s" };
    let mut text = format!("inferred from {samples} sample{plural}");
    if faults > 0 {
        text.push_str(&format!("; {faults} could not be read"));
    }
    text.push('\n');
    for (kind, heading) in HEADINGS {
        let notes: Vec<&Note> = inferred.notes.iter().filter(|note| note.kind == kind).collect();
        if notes.is_empty() {
            continue;
        }
        text.push_str(&format!("  {heading}\n"));
        for note in notes.iter().take(MAX_SHOWN) {
            let [field, what] = [&note.field, &note.text].map(|part| escaped(&shortened(part)));
            text.push_str(&format!("    {field}: {what}\n"));
        }
        let omitted = inferred.omitted.iter().filter(|(omitted, _)| *omitted == kind);
        let more = notes.len().saturating_sub(MAX_SHOWN) + omitted.map(|(_, n)| n).sum::<usize>();
        if more > 0 {
            text.push_str(&format!("    and {more} more\n"));
        }
    }
    if samples == 1 {
        text.push_str("One sample shows little: name more, and read the template before use.\n");
    } else {
        text.push_str("Read the template before use.\n");
    }
    text
}
