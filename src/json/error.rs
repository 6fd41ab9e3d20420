//! Why a text was refused, in words for people: what, where, and the way out.

use std::fmt;

use super::Position;

/// A text that is not one JSON value by the strict reading of [`super::Document::parse`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReadError {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// Where, as a byte offset in the input (a byte order mark counts).
    pub offset: usize,
    /// The same place in lines and columns, both from 1.
    pub position: Position,
    /// The path to it, such as `$.items[2].price`; `$` where nothing encloses it.
    pub path: String,
}

/// What the strict reader refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Nothing but white space.
    Empty,
    /// UTF-16 or UTF-32, by its byte order mark or its zero bytes.
    Encoding(&'static str),
    /// A byte that is not UTF-8.
    InvalidUtf8,
    /// More than 4 GiB less one byte.
    TooLarge,
    /// The text begins with a Markdown code fence.
    MarkdownFence,
    /// The text ends inside a value.
    EndsEarly,
    /// Something other than what the grammar allows here.
    Unexpected {
        /// What the grammar wants, such as "a value".
        wanted: &'static str,
        /// What stands there instead, quoted or named.
        found: String,
    },
    /// `NaN`, `Infinity` and their kin.
    NotANumber(&'static str),
    /// A comment.
    Comment,
    /// A comma before a closing bracket.
    TrailingComma,
    /// A second value after the first.
    SecondValue,
    /// A number with a leading zero, a plus sign or without digits where they are needed.
    BadNumber(&'static str),
    /// Beyond the range of IEEE-754 doubles.
    NumberOutOfRange,
    /// More digits than [`super::MAX_INTEGER_DIGITS`].
    IntegerTooLong,
    /// A raw control character inside a string.
    ControlInString(u8),
    /// A backslash sequence that JSON does not have.
    BadEscape,
    /// `\ud800` without its other half.
    LoneSurrogate,
    /// The name stands twice in one object.
    DuplicateMember(String),
    /// More levels than [`super::MAX_DEPTH`].
    TooDeep,
}

impl ReadErrorKind {
    /// How to mend it, as one sentence.
    pub fn fix(&self) -> &'static str {
        match self {
            ReadErrorKind::Empty => "Put one JSON value into it.",
            ReadErrorKind::Encoding(_) => "Save it as UTF-8.",
            ReadErrorKind::InvalidUtf8 => "Save it as UTF-8; nothing was replaced or guessed.",
            ReadErrorKind::TooLarge => "Split it into smaller documents.",
            ReadErrorKind::MarkdownFence => {
                "Remove the fence lines, so that only the JSON between them is left."
            }
            ReadErrorKind::EndsEarly => "Check that it was written and transferred completely.",
            ReadErrorKind::Unexpected { .. } => "Write it as JSON (RFC 8259).",
            ReadErrorKind::NotANumber(_) => "Use null, or leave the member out.",
            ReadErrorKind::Comment => "Remove the comment; JSON has none.",
            ReadErrorKind::TrailingComma => "Remove the comma before the closing bracket.",
            ReadErrorKind::SecondValue => "Keep one value; for one value a line use --lines.",
            ReadErrorKind::BadNumber(_) => "Write the number as JSON does, such as 0.5 or -12.",
            ReadErrorKind::NumberOutOfRange => {
                "Write a number within ±1.7976931348623157e308, or a string."
            }
            ReadErrorKind::IntegerTooLong => "Write a shorter number, or a string.",
            ReadErrorKind::ControlInString(_) => "Escape it, such as \\n or \\u0000.",
            ReadErrorKind::BadEscape => {
                "Use one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hex digits."
            }
            ReadErrorKind::LoneSurrogate => {
                "Write both halves of the pair, or the character itself."
            }
            ReadErrorKind::DuplicateMember(_) => "Keep one of the two members.",
            ReadErrorKind::TooDeep => "Nest less deeply; 128 levels are read.",
        }
    }
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadErrorKind::Empty => f.write_str("no JSON value: it is empty or only white space"),
            ReadErrorKind::Encoding(name) => write!(f, "the text is {name}, not UTF-8"),
            ReadErrorKind::InvalidUtf8 => f.write_str("a byte that is not valid UTF-8"),
            ReadErrorKind::TooLarge => f.write_str("larger than 4 GiB"),
            ReadErrorKind::MarkdownFence => {
                f.write_str("the text starts with a Markdown code fence")
            }
            ReadErrorKind::EndsEarly => f.write_str("the text ends inside a value"),
            ReadErrorKind::Unexpected { wanted, found } => {
                write!(f, "expected {wanted}, found {found}")
            }
            ReadErrorKind::NotANumber(name) => write!(f, "{name} is not JSON"),
            ReadErrorKind::Comment => f.write_str("a comment is not JSON"),
            ReadErrorKind::TrailingComma => f.write_str("a trailing comma is not JSON"),
            ReadErrorKind::SecondValue => f.write_str("a second value after the first"),
            ReadErrorKind::BadNumber(what) => write!(f, "a number {what}"),
            ReadErrorKind::NumberOutOfRange => {
                f.write_str("a number out of range (beyond IEEE-754 doubles)")
            }
            ReadErrorKind::IntegerTooLong => f.write_str("an integer of more than 4,300 digits"),
            ReadErrorKind::ControlInString(byte) => {
                write!(f, "a raw control character (U+{byte:04X}) inside a string")
            }
            ReadErrorKind::BadEscape => f.write_str("an escape that JSON does not have"),
            ReadErrorKind::LoneSurrogate => {
                f.write_str("a lone surrogate: half of a \\u pair without the other")
            }
            ReadErrorKind::DuplicateMember(name) => {
                write!(f, "the member {} stands twice in one object", crate::text::quoted(name))
            }
            ReadErrorKind::TooDeep => f.write_str("nested deeper than 128 levels"),
        }
    }
}

impl ReadError {
    /// The path for messages: escaped, and with its middle left out where it is long.
    pub fn shown_path(&self) -> String {
        const END: usize = 40;
        let escaped = crate::text::escaped(&self.path);
        let count = escaped.chars().count();
        if count <= 3 * END {
            return escaped;
        }
        let head: String = escaped.chars().take(END).collect();
        let tail: String = escaped.chars().skip(count - END).collect();
        format!("{head}…{tail}")
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.kind, self.position.line, self.position.column)?;
        if matches!(self.kind, ReadErrorKind::Encoding(_) | ReadErrorKind::InvalidUtf8) {
            write!(f, " (byte offset {})", self.offset)?;
        }
        if self.path != "$" {
            write!(f, ", in {}", self.shown_path())?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}
