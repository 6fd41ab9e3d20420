//! What goes wrong, for people: what and where after `error:`, the way out after `help:`.

use std::fmt;
use std::io;
use std::path::Path;

use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::{Document, ReadError, ReadErrorKind};
use agent_output_verifier::request::InvalidRequest;
use agent_output_verifier::text::escaped;

use super::batch::Name;

/// One thing that went wrong.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Trouble {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), help: Some(help.into()) }
    }

    /// A text that the strict reader refused.
    pub(crate) fn of_read_error(name: &str, error: &ReadError) -> Trouble {
        let place = format!("{}:{}:{}", shown(name), error.position.line, error.position.column);
        Trouble::new(format!("{place}: {}", detail_of(error)), error.kind.fix())
    }

    /// A line that the strict reader refused; its place has been told from the start of its file.
    pub(crate) fn of_line(name: &str, error: &ReadError) -> Trouble {
        let mut trouble = Trouble::of_read_error(name, error);
        if error.kind == ReadErrorKind::EndsEarly {
            let help = "Complete the line; for one value over several lines leave --lines out.";
            trouble.help = Some(help.to_owned());
        }
        trouble
    }

    /// A file that cannot be read or written.
    pub(crate) fn of_io(action: &str, name: &str, error: &io::Error) -> Trouble {
        let writing = action == "write";
        let help = match error.kind() {
            io::ErrorKind::NotFound if writing => "Make its folder first.",
            io::ErrorKind::NotFound => "Check the name; nothing was checked in its place.",
            io::ErrorKind::PermissionDenied => "Check who may access it.",
            io::ErrorKind::IsADirectory => "Name a file, or a folder where folders are taken.",
            _ => "Check the file and the disk.",
        };
        let reason = match error.kind() {
            io::ErrorKind::NotFound if writing => "there is no such folder".to_owned(),
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
            _ => error.to_string(),
        };
        Trouble::new(format!("cannot {action} {}: {reason}", shown(name)), help)
    }
}

/// The error of a line, with its place told from the start of the file.
pub(crate) fn in_file(mut error: ReadError, lines_before: usize) -> ReadError {
    error.position.line += lines_before;
    error
}

/// A text of a run that the strict reader refused, on the wire and for people.
pub(crate) fn of_refusal(name: Name<'_>, error: ReadError) -> (ErrorBody, Trouble) {
    let error = in_file(error, name.line_offset());
    let trouble = match name.line {
        Some(_) => Trouble::of_line(name.input, &error),
        None => Trouble::of_read_error(name.input, &error),
    };
    (ErrorBody::invalid_json(&error), trouble)
}

/// A refusal without its place in lines and columns, which stands in front of it.
fn detail_of(error: &ReadError) -> String {
    let mut text = error.kind.to_string();
    if matches!(error.kind, ReadErrorKind::Encoding(_) | ReadErrorKind::InvalidUtf8) {
        text.push_str(&format!(" (byte offset {})", error.offset));
    }
    if error.path != "$" {
        text.push_str(&format!(", in {}", error.shown_path()));
    }
    text
}

/// All that is wrong with a request: each problem with its place in the file that it stands in.
pub(crate) fn of_invalid_request(
    error: &InvalidRequest,
    files: &[(&str, &Document<'_>)],
    line: Option<usize>,
) -> Vec<Trouble> {
    let line_offset = line.map_or(0, |line| line - 1);
    let whole = line.map(|line| format!(":{line}")).unwrap_or_default();
    // One pass over each file for all problems in it.
    let mut finders: Vec<_> = files.iter().map(|(_, document)| document.positions()).collect();
    let troubles = error.problems.iter().map(|problem| {
        let place = problem.origin.and_then(|origin| {
            let file = files.iter().position(|(_, d)| origin.is_in(d.root()))?;
            let position = finders[file].position(origin.offset);
            let line = position.line + line_offset;
            Some(format!("{}:{line}:{}: ", shown(files[file].0), position.column))
        });
        let first = || files.first().map(|(name, _)| format!("{}{whole}: ", shown(name)));
        let place = place.or_else(first).unwrap_or_default();
        Trouble::new(format!("{place}{} {}", problem.field, problem.problem), problem.fix.as_str())
    });
    let mut troubles: Vec<Trouble> = troubles.collect();
    if error.omitted > 0 {
        let message = format!("and {} more problems of this request", error.omitted);
        troubles.push(Trouble::new(message, "Mend these first."));
    }
    troubles
}

/// A file name as messages show it.
pub(crate) fn shown(name: &str) -> String {
    escaped(name)
}

/// A path as messages name it.
pub(crate) fn path_name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}

/// Several at once.
#[derive(Debug)]
pub(crate) struct Troubles(pub(crate) Vec<Trouble>);

impl fmt::Display for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, trouble) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            trouble.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Troubles {}

/// Writes what ended a run.
pub(crate) fn write_error(error: &anyhow::Error, out: &mut Vec<u8>) {
    let known = error.is::<Trouble>() || error.is::<Troubles>();
    let prefix = if known { "" } else { "error: " };
    out.extend_from_slice(format!("{prefix}{error:#}\n").as_bytes());
}
