//! Inputs: files, folders, patterns that a shell left alone, and standard input, once at most.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use agent_output_verifier::key::holds_secret_key;
use anyhow::Result;
use zeroize::Zeroize as _;

use super::keys::MAX_KEY_FILE;
use super::trouble::{Trouble, path_name, shown};

/// One input of a run.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
    /// A folder or pattern that holds nothing: an input that cannot be judged.
    Nothing {
        name: String,
        trouble: Trouble,
    },
}

/// What files a folder stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// `*.json`
    Documents,
    /// `*.jsonl` and `*.ndjson`
    Lines,
}

impl Wanted {
    fn includes(self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match self {
            Wanted::Documents => extension == Some("json"),
            Wanted::Lines => matches!(extension, Some("jsonl" | "ndjson")),
        }
    }

    fn names(self) -> &'static str {
        match self {
            Wanted::Documents => "*.json",
            Wanted::Lines => "*.jsonl or *.ndjson",
        }
    }
}

impl Input {
    /// Bytes that it has, where that is known before it is read.
    pub(crate) fn size(&self) -> Option<u64> {
        let Input::File(path) = self else {
            return None;
        };
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(metadata.len())
    }

    /// The input of a path; `-` is standard input.
    pub(crate) fn of_path(path: &Path) -> Input {
        if path == Path::new("-") { Input::Stdin } else { Input::File(path.to_owned()) }
    }

    /// The name that messages and task ids use.
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Stdin => "stdin".to_owned(),
            Input::File(path) => path_name(path),
            Input::Nothing { name, .. } => name.clone(),
        }
    }

    /// The whole of it.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Trouble> {
        let result = match self {
            Input::Stdin => whole(io::stdin().lock(), 0, MAX_TEXT),
            Input::File(path) => fs::File::open(path).and_then(|file| {
                let size = file.metadata().map_or(0, |metadata| metadata.len());
                whole(file, size, MAX_TEXT)
            }),
            Input::Nothing { trouble, .. } => return Err(trouble.clone()),
        };
        let bytes = result.map_err(|error| Trouble::of_io("read", &self.name(), &error))?;
        self.without_secret(bytes)
    }

    /// Refuses a signing key, which a folder may hold beside the outputs: a report would show it.
    fn without_secret(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        if bytes.len() as u64 > MAX_KEY_FILE || !holds_secret_key(&bytes) {
            return Ok(bytes);
        }
        bytes.zeroize();
        let help = "A key is for --key only. Keep it in another folder, or name the files that are \
                    meant.";
        let name = self.name();
        let message = format!("{}: this is a signing key; nothing of it is shown", shown(&name));
        Err(Trouble::new(message, help))
    }

    /// Opens a regular file that is large enough for its memory to matter. What is wrong with it is told
    /// when it is read.
    pub(crate) fn open_large(&self) -> Option<fs::File> {
        let Input::File(path) = self else {
            return None;
        };
        let metadata = fs::metadata(path).ok()?;
        if metadata.is_file() && metadata.len() >= LARGE { fs::File::open(path).ok() } else { None }
    }

    /// Opens it for reading in blocks.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Trouble> {
        match self {
            Input::Stdin => Ok(Box::new(io::stdin())),
            Input::File(path) => {
                let opened = fs::File::open(path).and_then(|file| {
                    // Opening a folder succeeds on Unix; only reading it fails.
                    if file.metadata()?.is_dir() {
                        return Err(io::ErrorKind::IsADirectory.into());
                    }
                    Ok(file)
                });
                let file = opened.map_err(|error| Trouble::of_io("read", &self.name(), &error))?;
                let small = self.size().is_some_and(|size| size <= MAX_KEY_FILE);
                if small { Ok(Box::new(Cursor::new(self.read()?))) } else { Ok(Box::new(file)) }
            }
            Input::Nothing { trouble, .. } => Err(trouble.clone()),
        }
    }
}

/// Reads to the end, but no more than `limit` bytes: a pipe or a device may have no end. `size` is
/// what there probably is.
fn whole(source: impl Read, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size.min(limit)).unwrap_or_default())?;
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(endless(limit)) } else { Ok(bytes) }
}

fn endless(limit: u64) -> io::Error {
    let message = format!("it goes on after {limit} bytes, more than any JSON text that is read");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Reads a file that the command needs whole, such as a schema; `-` is standard input.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Trouble> {
    Input::of_path(path).read()
}

/// Refuses a second reader of standard input.
pub(crate) fn claim_stdin<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    if paths.into_iter().filter(|path| *path == Path::new("-")).count() > 1 {
        let help = "Name - once; put the other input into a file.";
        return Err(Trouble::new("standard input (-) is named twice", help).into());
    }
    Ok(())
}

/// The inputs that arguments stand for, in order; folders sorted.
pub(crate) fn expand(arguments: &[PathBuf], wanted: Wanted) -> Vec<Input> {
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument == Path::new("-") {
            inputs.push(Input::Stdin);
        } else if argument.is_dir() {
            expand_folder(argument, wanted, &mut inputs);
        } else if argument.symlink_metadata().is_err() && looks_like_pattern(argument) {
            expand_pattern(argument, wanted, &mut inputs);
        } else {
            inputs.push(Input::File(argument.clone()));
        }
    }
    inputs
}

fn looks_like_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(['*', '?', '[']))
}

fn nothing(name: String, message: String) -> Input {
    let help = "Check the name; a run that checks nothing is never a success.";
    Input::Nothing { name, trouble: Trouble::new(message, help) }
}

/// A pipe or a device that nobody has named: opening it might wait for ever.
fn special(path: &Path) -> Input {
    let name = path_name(path);
    let help = "Name it itself where it is meant, or take it away.";
    let trouble = Trouble::new(format!("{}: it is no regular file", shown(&name)), help);
    Input::Nothing { name, trouble }
}

/// What there is to say of an input of lines that are all blank.
pub(crate) fn nothing_in(name: &str) -> Trouble {
    let help = "Check the input; a run that checks nothing is never a success.";
    Trouble::new(format!("{}: no line with a value", shown(name)), help)
}

fn expand_folder(folder: &Path, wanted: Wanted, inputs: &mut Vec<Input>) {
    let mut found = Vec::new();
    if let Err((path, error)) = walk(folder, wanted, &mut found) {
        let name = path_name(&path);
        let trouble = Trouble::of_io("read", &name, &error);
        inputs.push(Input::Nothing { name, trouble });
    }
    found.sort();
    let (found, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| is_plain(path));
    inputs.extend(others.iter().map(|path| special(path)));
    if found.is_empty() && others.is_empty() {
        let name = path_name(folder);
        let message =
            format!("{}: no {} below it; nothing was checked", shown(&name), wanted.names());
        inputs.push(nothing(name, message));
    }
    inputs.extend(found.into_iter().map(Input::File));
}

/// Whether it is a file as any other, or cannot be looked at: what is wrong then is told when it is
/// read.
fn is_plain(path: &Path) -> bool {
    path.metadata().map_or(true, |metadata| metadata.is_file())
}

/// Links to folders are not followed, so that no link makes it go round in circles.
fn walk(
    folder: &Path,
    wanted: Wanted,
    found: &mut Vec<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let fault = |error| (folder.clone(), error);
        for entry in fs::read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let path = entry.path();
            if entry.file_type().map_err(fault)?.is_dir() {
                folders.push(path);
            } else if wanted.includes(&path) && !path.is_dir() {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn expand_pattern(argument: &Path, wanted: Wanted, inputs: &mut Vec<Input>) {
    let name = path_name(argument);
    let before = inputs.len();
    match glob::glob(&name) {
        Ok(paths) => {
            for path in paths.flatten() {
                if path.is_dir() {
                    expand_folder(&path, wanted, inputs);
                } else if !is_plain(&path) {
                    inputs.push(special(&path));
                } else {
                    inputs.push(Input::File(path));
                }
            }
        }
        Err(error) => {
            let message = format!("{}: not a usable pattern: {}", shown(&name), error.msg);
            inputs.push(nothing(name.clone(), message));
        }
    }
    if inputs.len() == before {
        let message = format!("{}: no file matches; nothing was checked", shown(&name));
        inputs.push(nothing(name, message));
    }
}

/// Bytes of one JSON text at most: what the strict reader takes.
const MAX_TEXT: u64 = u32::MAX as u64;

/// Bytes from which on a file is large.
const LARGE: u64 = 1024 * 1024;

/// Bytes of whole lines that are judged together.
const BLOCK: usize = 128 * 1024;

/// Whole lines of an input.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// The number of its first line, from 1.
    pub(crate) first_line: usize,
}

/// Cuts an input into blocks at line ends, without ever holding more than a block and a line.
pub(crate) struct Blocks {
    source: Box<dyn Read + Send>,
    /// Bytes that a line may have
    max_line: u64,
    rest: Vec<u8>,
    next_line: usize,
    ended: bool,
}

impl Blocks {
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Blocks {
        Blocks { source, max_line: MAX_TEXT, rest: Vec::new(), next_line: 1, ended: false }
    }

    /// The next block; `None` at the end. What a slow pipe has delivered is not held back.
    pub(crate) fn next(&mut self) -> io::Result<Option<Block>> {
        let mut searched = 0;
        while !self.ended {
            let filled = self.rest.len();
            self.rest.resize(filled + BLOCK, 0);
            let read = loop {
                match self.source.read(&mut self.rest[filled..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            let count = *read.as_ref().unwrap_or(&0);
            self.rest.truncate(filled + count);
            read?;
            self.ended = count == 0;
            if let Some(end) = memchr::memrchr(b'\n', &self.rest[searched..]) {
                let rest = self.rest.split_off(searched + end + 1);
                return Ok(Some(self.block(rest)));
            }
            searched = self.rest.len();
            if searched as u64 > self.max_line {
                (self.rest, self.ended) = (Vec::new(), true);
                return Err(endless(self.max_line));
            }
        }
        if self.rest.is_empty() { Ok(None) } else { Ok(Some(self.block(Vec::new()))) }
    }

    fn block(&mut self, rest: Vec<u8>) -> Block {
        let bytes = std::mem::replace(&mut self.rest, rest);
        let first_line = self.next_line;
        self.next_line += memchr::memchr_iter(b'\n', &bytes).count();
        Block { bytes, first_line }
    }
}

/// The lines of a block that are not blank, with their numbers.
pub(crate) fn lines(block: &Block) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = Some(block.bytes.as_slice());
    let every = std::iter::from_fn(move || {
        let bytes = rest?;
        let end = memchr::memchr(b'\n', bytes);
        rest = end.map(|end| &bytes[end + 1..]);
        Some(&bytes[..end.unwrap_or(bytes.len())])
    });
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let numbered = every.enumerate().map(|(place, line)| (block.first_line + place, line));
    numbered.filter(move |(_, line)| !is_blank(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_lines_with_their_numbers() {
        let long = "x".repeat(3 * BLOCK);
        let text = format!("a\n\n{long}\nb\nc");
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(text.into_bytes())));
        let mut seen = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            seen.extend(lines(&block).map(|(number, line)| (number, line.len())));
        }
        assert_eq!(seen, [(1, 1), (3, long.len()), (4, 1), (5, 1)]);
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        let kind = |result: io::Result<Vec<u8>>| result.map_err(|error| error.kind());
        assert_eq!(kind(whole(&b"12345"[..], 0, 5)), Ok(b"12345".to_vec()));
        assert_eq!(kind(whole(io::repeat(b' '), 9, 5)), Err(io::ErrorKind::FileTooLarge));
        // A file may grow or shrink while it is read.
        for size in [0, 1, 9, u64::MAX] {
            assert_eq!(kind(whole(&b"12345"[..], size, 10)), Ok(b"12345".to_vec()));
        }

        let source = Box::new(io::Cursor::new(b"1\n").chain(io::repeat(b' ')));
        let mut blocks = Blocks { max_line: 3 * BLOCK as u64, ..Blocks::new(source) };
        assert_eq!(blocks.next().unwrap().unwrap().bytes, b"1\n");
        let error = blocks.next().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        // The input is at its end, and what was read of the line is let go.
        assert!(blocks.next().unwrap().is_none() && blocks.rest.capacity() == 0);
    }
}
