//! The strict reader: RFC 8259 grammar, RFC 7493 (I-JSON) names and strings, no leniency.
//!
//! It is a loop with a bounded stack, so that no input makes it recurse, and it allocates nothing
//! that the text does not pay for: at most one node for every two bytes.

use super::error::{ReadError, ReadErrorKind};
use super::position::PositionFinder;
use super::{Buffers, Node, NodeKind, Refused, string_of};

/// Levels of nesting that are read.
pub const MAX_DEPTH: usize = 128;

/// Digits that an integer literal may have.
pub const MAX_INTEGER_DIGITS: usize = 4300;

/// Objects with more members than this get an index of their names.
pub(super) const SMALL_OBJECT: usize = 16;

/// A double's integer part of this many digits cannot be out of range.
const SAFE_LITERAL: usize = 300;

/// Bytes of text for each node in most texts, and nodes for which memory is had at once: small texts
/// need no second piece.
const BYTES_PER_NODE: usize = 8;
const FEW_NODES: usize = 512;

/// A container that is still open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    node: u32,
    count: u32,
    object: bool,
    /// A bit for each name's length and ends.
    seen: u64,
    /// Whether two names share a bit, so that they have to be compared.
    alike: bool,
}

pub(super) fn is_space_char(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Reads `bytes` whole. Gives back the text without a byte order mark, and the filled buffers.
pub(super) fn read(bytes: &[u8], buffers: Buffers) -> Result<(&str, Buffers), Box<Refused>> {
    let text = match text_of(bytes) {
        Ok(text) => text,
        Err(error) => return Err(Box::new(Refused { error, buffers })),
    };
    let mut reader = Reader::new(text, MAX_DEPTH, buffers);
    match reader.document() {
        Ok(()) => {
            reader.buffers.large_objects.sort_unstable();
            Ok((text, reader.buffers))
        }
        Err(kind) => {
            let offset = reader.at.min(text.len());
            let mark = bytes.len() - text.len();
            let error = ReadError {
                kind,
                offset: offset + mark,
                position: PositionFinder::new(text).position(offset),
                path: reader.path(),
            };
            Err(Box::new(Refused { error, buffers: reader.buffers }))
        }
    }
}

/// Where reading a single value ended, and the filled buffers.
pub(super) struct Ended {
    pub(super) outcome: Result<(), ReadErrorKind>,
    /// Behind the value, or where it is at fault
    pub(super) at: usize,
    pub(super) buffers: Buffers,
}

/// Reads the one value that `text` begins with, as an element of an array that is the whole.
pub(super) fn read_element(text: &str, buffers: Buffers) -> Ended {
    let mut reader = Reader::new(text, MAX_DEPTH - 1, buffers);
    let outcome = reader.values();
    reader.buffers.large_objects.sort_unstable();
    Ended { outcome, at: reader.at, buffers: reader.buffers }
}

/// The text behind the bytes, or why it is none.
fn text_of(bytes: &[u8]) -> Result<&str, ReadError> {
    let refuse = |kind, offset: usize| {
        // What comes before the fault is text, so that its line and column can be told.
        let before = String::from_utf8_lossy(&bytes[..offset]);
        let position = PositionFinder::new(&before).position(before.len());
        Err(ReadError { kind, offset, position, path: "$".to_owned() })
    };
    if u32::try_from(bytes.len()).is_err() {
        return refuse(ReadErrorKind::TooLarge, 0);
    }
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    // A JSON text begins with an ASCII character, so zero bytes near the start tell the encoding
    // even where there is no byte order mark (RFC 4627 §3).
    let wide = match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [_, 0, 0, 0, ..] => Some("UTF-32 (little-endian)"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, _, ..] => Some("UTF-32 (big-endian)"),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, ..] => Some("UTF-16 (little-endian)"),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, _, _, ..] if bytes.len().is_multiple_of(2) => {
            Some("UTF-16 (big-endian)")
        }
        _ => None,
    };
    if let Some(name) = wide {
        return refuse(ReadErrorKind::Encoding(name), 0);
    }
    std::str::from_utf8(body).or_else(|error| {
        let offset = bytes.len() - body.len() + error.valid_up_to();
        refuse(ReadErrorKind::InvalidUtf8, offset)
    })
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Levels of nesting that are read
    max_depth: usize,
    buffers: Buffers,
}

type Read<T> = Result<T, ReadErrorKind>;

impl<'t> Reader<'t> {
    fn new(text: &'t str, max_depth: usize, mut buffers: Buffers) -> Reader<'t> {
        buffers.nodes.clear();
        buffers.unescaped.clear();
        buffers.large_objects.clear();
        buffers.order.clear();
        buffers.names.clear();
        buffers.frames.clear();
        buffers.nodes.reserve((text.len() / BYTES_PER_NODE).min(FEW_NODES));
        Reader { text, bytes: text.as_bytes(), at: 0, max_depth, buffers }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: NodeKind, start: usize, a: usize, b: usize) {
        // The text is shorter than 4 GiB, so no offset or length is cut.
        let node = Node { start: start as u32, a: a as u32, b: b as u32, kind };
        self.buffers.nodes.push(node);
    }

    fn document(&mut self) -> Read<()> {
        self.skip_space();
        if self.at == self.bytes.len() {
            return Err(ReadErrorKind::Empty);
        }
        if self.bytes[self.at..].starts_with(b"```") || self.bytes[self.at..].starts_with(b"~~~") {
            return Err(ReadErrorKind::MarkdownFence);
        }
        self.values()?;
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(b'/') => Err(self.unexpected("the end of the text")),
            Some(b']' | b'}' | b',' | b':') => Err(self.unexpected("the end of the text")),
            Some(_) => Err(ReadErrorKind::SecondValue),
        }
    }

    /// One value with all that is in it.
    fn values(&mut self) -> Read<()> {
        loop {
            // At the start of a value, white space skipped.
            let opened = self.value()?;
            if opened {
                let frame = self.buffers.frames[self.buffers.frames.len() - 1];
                self.skip_space();
                let close = if frame.object { b'}' } else { b']' };
                if self.peek() == Some(close) {
                    self.at += 1;
                    self.close()?;
                } else {
                    if frame.object {
                        self.member_name()?;
                    }
                    continue;
                }
            }
            // Behind a value: close what ends here, until another value begins.
            loop {
                let Some(frame) = self.buffers.frames.last_mut() else {
                    return Ok(());
                };
                frame.count += 1;
                let object = frame.object;
                self.skip_space();
                match self.peek() {
                    Some(b',') => {
                        let comma = self.at;
                        self.at += 1;
                        self.skip_space();
                        if matches!(self.peek(), Some(b'}' | b']')) {
                            self.at = comma;
                            return Err(ReadErrorKind::TrailingComma);
                        }
                        if object {
                            self.member_name()?;
                        }
                        break;
                    }
                    Some(b'}') if object => {
                        self.at += 1;
                        self.close()?;
                    }
                    Some(b']') if !object => {
                        self.at += 1;
                        self.close()?;
                    }
                    _ if object => return Err(self.unexpected("a comma or '}'")),
                    _ => return Err(self.unexpected("a comma or ']'")),
                }
            }
        }
    }

    /// A scalar whole, or a container's opening bracket; says whether a container was opened.
    fn value(&mut self) -> Read<bool> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(open @ (b'{' | b'[')) => {
                if self.buffers.frames.len() == self.max_depth {
                    return Err(ReadErrorKind::TooDeep);
                }
                let object = open == b'{';
                let node = self.buffers.nodes.len() as u32;
                self.push(if object { NodeKind::Object } else { NodeKind::Array }, start, 0, 0);
                self.buffers.frames.push(Frame { node, count: 0, object, seen: 0, alike: false });
                self.at += 1;
                return Ok(true);
            }
            Some(b't') if self.literal(b"true") => self.push(NodeKind::True, start, 0, 0),
            Some(b'f') if self.literal(b"false") => self.push(NodeKind::False, start, 0, 0),
            Some(b'n') if self.literal(b"null") => self.push(NodeKind::Null, start, 0, 0),
            _ => return Err(self.unexpected("a value")),
        }
        Ok(false)
    }

    fn literal(&mut self, word: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(word)
            && !self.bytes.get(self.at + word.len()).is_some_and(u8::is_ascii_alphanumeric);
        if found {
            self.at += word.len();
        }
        found
    }

    fn member_name(&mut self) -> Read<()> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a member name in double quotes"));
        }
        let index = self.buffers.nodes.len() as u32;
        self.string()?;
        self.buffers.names.push(index);
        self.note_name(index);
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("a colon"));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Only where two names of an object agree in length and ends, are names compared at its end.
    fn note_name(&mut self, index: u32) {
        let node = self.buffers.nodes[index as usize];
        let (held, start, length) = match node.kind {
            NodeKind::String => (self.bytes, node.start as usize + 1, node.a as usize),
            _ => (self.buffers.unescaped.as_bytes(), node.a as usize, node.b as usize),
        };
        let ends = match held[start..start + length] {
            [] => 0,
            [only] => 6 * usize::from(only),
            [first, .., last] => usize::from(first) + 5 * usize::from(last),
        };
        let bit = 1u64 << ((ends + 11 * length) % 64);
        if let Some(frame) = self.buffers.frames.last_mut() {
            frame.alike |= frame.seen & bit != 0;
            frame.seen |= bit;
        }
    }

    /// Behind a closing bracket: completes the container's node.
    fn close(&mut self) -> Read<()> {
        let Some(frame) = self.buffers.frames.pop() else {
            return Ok(());
        };
        let end = self.buffers.nodes.len() as u32;
        let node = &mut self.buffers.nodes[frame.node as usize];
        node.a = end;
        node.b = frame.count;
        if frame.object {
            let first = self.buffers.names.len() - frame.count as usize;
            if let Some(repeated) = self.duplicate(first, frame) {
                // The place and the path are those of the second of the two.
                let place = self.buffers.names[first..].iter().position(|&name| name == repeated);
                let count = place.unwrap_or_default();
                self.buffers.names.truncate(first + count + 1);
                self.buffers.frames.push(Frame { count: count as u32, ..frame });
                self.at = self.buffers.nodes[repeated as usize].start as usize;
                return Err(ReadErrorKind::DuplicateMember(self.name(repeated).to_owned()));
            }
            self.buffers.names.truncate(first);
        }
        Ok(())
    }

    fn name(&self, index: u32) -> &str {
        let node = self.buffers.nodes[index as usize];
        string_of(self.text, &self.buffers.unescaped, node).unwrap_or_default()
    }

    /// The first name among `names[first..]` that repeats an earlier one. Large objects also get
    /// their index here, since it is the same sorting.
    fn duplicate(&mut self, first: usize, object: Frame) -> Option<u32> {
        let count = self.buffers.names.len() - first;
        if count <= SMALL_OBJECT {
            return if object.alike { self.duplicate_among_few(first) } else { None };
        }
        let start = self.buffers.order.len();
        let mut order = std::mem::take(&mut self.buffers.order);
        order.extend_from_slice(&self.buffers.names[first..]);
        order[start..].sort_unstable_by(|&a, &b| self.name(a).cmp(self.name(b)).then(a.cmp(&b)));
        let repeated = order[start..]
            .windows(2)
            .filter(|pair| self.name(pair[0]) == self.name(pair[1]))
            .map(|pair| pair[1])
            .min();
        self.buffers.order = order;
        self.buffers.large_objects.push((object.node, start as u32));
        repeated
    }

    fn duplicate_among_few(&self, first: usize) -> Option<u32> {
        let names = &self.buffers.names[first..];
        let mut repeated = names.iter().enumerate().filter(|&(position, &index)| {
            let name = self.name(index);
            names[..position].iter().any(|&other| self.name(other) == name)
        });
        repeated.next().map(|(_, &index)| index)
    }

    fn string(&mut self) -> Read<()> {
        let start = self.at;
        self.at += 1;
        self.plain_run();
        match self.peek() {
            Some(b'"') => {
                self.push(NodeKind::String, start, self.at - start - 1, 0);
                self.at += 1;
                Ok(())
            }
            Some(b'\\') => self.escaped_string(start),
            Some(byte) => Err(ReadErrorKind::ControlInString(byte)),
            None => Err(ReadErrorKind::EndsEarly),
        }
    }

    /// Moves on to the next quote, backslash or control character, eight bytes at a time.
    fn plain_run(&mut self) {
        const ONES: u64 = u64::MAX / 255;
        const HIGH: u64 = ONES << 7;
        while let Some(chunk) = self.bytes[self.at..].first_chunk::<8>() {
            let word = u64::from_le_bytes(*chunk);
            let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
            let quote = zero(word ^ (ONES * b'"' as u64));
            let backslash = zero(word ^ (ONES * b'\\' as u64));
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
            let special = quote | backslash | control;
            if special != 0 {
                // The lowest mark is exact; borrows only disturb the bytes above it.
                self.at += special.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
            self.at += 1;
        }
    }

    /// A string that has escapes, from its first backslash on.
    fn escaped_string(&mut self, start: usize) -> Read<()> {
        let place = self.buffers.unescaped.len();
        self.buffers.unescaped.push_str(&self.text[start + 1..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    let length = self.buffers.unescaped.len() - place;
                    self.push(NodeKind::EscapedString, start, place, length);
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(byte) if byte < 0x20 => return Err(ReadErrorKind::ControlInString(byte)),
                Some(_) => {
                    let from = self.at;
                    self.plain_run();
                    self.buffers.unescaped.push_str(&self.text[from..self.at]);
                }
                None => return Err(ReadErrorKind::EndsEarly),
            }
        }
    }

    fn escape(&mut self) -> Read<()> {
        let character = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(ReadErrorKind::BadEscape),
            None => return Err(ReadErrorKind::EndsEarly),
        };
        self.buffers.unescaped.push(character);
        self.at += 2;
        Ok(())
    }

    fn unicode_escape(&mut self) -> Read<()> {
        let unit = self.hex4(self.at)?;
        let (code, length) = match unit {
            0xD800..=0xDBFF => {
                if !self.bytes[self.at + 6..].starts_with(b"\\u") {
                    return Err(ReadErrorKind::LoneSurrogate);
                }
                let low = self.hex4(self.at + 6)?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return Err(ReadErrorKind::LoneSurrogate);
                }
                (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 12)
            }
            _ => (unit, 6),
        };
        // Only a low half without its high one is no character here.
        let character = char::from_u32(code).ok_or(ReadErrorKind::LoneSurrogate)?;
        self.buffers.unescaped.push(character);
        self.at += length;
        Ok(())
    }

    /// The four hex digits of the `\u` at `at`.
    fn hex4(&self, at: usize) -> Read<u32> {
        let digits = self.bytes.get(at + 2..at + 6).ok_or(ReadErrorKind::EndsEarly)?;
        digits.iter().try_fold(0, |code, &byte| {
            let digit = (byte as char).to_digit(16).ok_or(ReadErrorKind::BadEscape)?;
            Ok(code * 16 + digit)
        })
    }

    fn number(&mut self) -> Read<()> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => {
                self.at += 1;
                if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    return Err(ReadErrorKind::BadNumber("with a leading zero is not JSON"));
                }
            }
            Some(b'1'..=b'9') => self.digits(),
            Some(b'I') => return Err(ReadErrorKind::NotANumber("-Infinity")),
            _ => {
                return Err(ReadErrorKind::BadNumber("has no digits behind the minus sign"));
            }
        }
        let integer_end = self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(ReadErrorKind::BadNumber("has no digits behind the decimal point"));
            }
            self.digits();
        }
        let exponent = matches!(self.peek(), Some(b'e' | b'E'));
        if exponent {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(ReadErrorKind::BadNumber("has no digits in its exponent"));
            }
            self.digits();
        }
        let length = self.at - start;
        if self.at == integer_end {
            if length > MAX_INTEGER_DIGITS
                && length - usize::from(self.bytes[start] == b'-') > MAX_INTEGER_DIGITS
            {
                self.at = start;
                return Err(ReadErrorKind::IntegerTooLong);
            }
            self.push(NodeKind::Integer, start, length, 0);
            return Ok(());
        }
        if exponent || integer_end - start > SAFE_LITERAL {
            let double: f64 = self.text[start..self.at].parse().unwrap_or(f64::INFINITY);
            if !double.is_finite() {
                self.at = start;
                return Err(ReadErrorKind::NumberOutOfRange);
            }
        }
        self.push(NodeKind::Double, start, length, 0);
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// Says what stands at `at` in place of what the grammar wants, by its likely cause.
    fn unexpected(&self, wanted: &'static str) -> ReadErrorKind {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return ReadErrorKind::EndsEarly;
        };
        for word in ["NaN", "Infinity", "-Infinity"] {
            if rest.starts_with(word) {
                return ReadErrorKind::NotANumber(word);
            }
        }
        match first {
            '/' if rest.starts_with("//") || rest.starts_with("/*") => ReadErrorKind::Comment,
            '#' => ReadErrorKind::Comment,
            '+' => ReadErrorKind::BadNumber("with a plus sign is not JSON"),
            '.' if wanted == "a value" => {
                ReadErrorKind::BadNumber("has no digits before the decimal point")
            }
            _ => {
                let word: String = rest
                    .chars()
                    .take(20)
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let found = if word.is_empty() { first.to_string() } else { word };
                ReadErrorKind::Unexpected { wanted, found: crate::text::quoted(&found) }
            }
        }
    }

    /// The path to where reading stopped.
    fn path(&self) -> String {
        let mut path = crate::path::PathWriter::root();
        let mut names = 0;
        for frame in &self.buffers.frames {
            if frame.object {
                // Its names so far: those of the members read, and the one under way.
                let under_way = self
                    .buffers
                    .names
                    .get(names + frame.count as usize)
                    .filter(|&&name| name > frame.node);
                if let Some(&name) = under_way {
                    path.member(self.name(name));
                    names += frame.count as usize + 1;
                } else {
                    break;
                }
            } else {
                path.element(frame.count as usize);
            }
        }
        path.dollar()
    }
}

/// The length of the value that `bytes` begin with. They come from a document that was read.
pub(super) fn value_length(bytes: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                while let Some(&byte) = bytes.get(at) {
                    at += 1;
                    match byte {
                        b'\\' => at += 1,
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn refusal(text: impl AsRef<[u8]>) -> ReadError {
        Document::parse(text.as_ref()).expect_err("must be refused")
    }

    #[test]
    fn a_refusal_says_what_and_where() {
        let cases: &[(&[u8], &str)] = &[
            (b"", "no JSON value: it is empty or only white space at line 1, column 1"),
            (b" \n\t", "no JSON value: it is empty or only white space at line 2, column 2"),
            (b"{\"a\":[1,\n NaN]}", "NaN is not JSON at line 2, column 2, in $.a[1]"),
            (b"[-Infinity]", "-Infinity is not JSON at line 1, column 3, in $.[0]"),
            (b"[1,]", "a trailing comma is not JSON at line 1, column 3, in $.[1]"),
            (b"{\"a\":1,}", "a trailing comma is not JSON at line 1, column 7"),
            (b"// c\n{}", "a comment is not JSON at line 1, column 1"),
            (b"{} {}", "a second value after the first at line 1, column 4"),
            (b"[01]", "a number with a leading zero is not JSON at line 1, column 3, in $.[0]"),
            (b"[+1]", "a number with a plus sign is not JSON at line 1, column 2, in $.[0]"),
            (
                b"[.5]",
                "a number has no digits before the decimal point at line 1, column 2, in $.[0]",
            ),
            (b"{\"a\" 1}", "expected a colon, found \"1\" at line 1, column 6, in $.a"),
            (b"{a:1}", "expected a member name in double quotes, found \"a\" at line 1, column 2"),
            (b"[1 2]", "expected a comma or ']', found \"2\" at line 1, column 4, in $.[1]"),
            (b"{\"a\":1", "the text ends inside a value at line 1, column 7"),
            (
                b"[1e400]",
                "a number out of range (beyond IEEE-754 doubles) at line 1, column 2, in $.[0]",
            ),
            (
                b"{\"a\":{\"b\":1,\n\"\\u0062\":2}}",
                "the member \"b\" stands twice in one object at line 2, column 1, in $.a.b",
            ),
            (
                b"[\"\\ud800\"]",
                "a lone surrogate: half of a \\u pair without the other at line 1, column 3, in $.[0]",
            ),
            (b"\"a\tb\"", "a raw control character (U+0009) inside a string at line 1, column 3"),
            (
                b"\xFF\xFE{\0}\0",
                "the text is UTF-16 (little-endian), not UTF-8 at line 1, column 1 (byte offset 0)",
            ),
            (
                b"\0{\0}",
                "the text is UTF-16 (big-endian), not UTF-8 at line 1, column 1 (byte offset 0)",
            ),
            (b"[\n\"\xFF\"]", "a byte that is not valid UTF-8 at line 2, column 2 (byte offset 3)"),
            (b"```json\n{}\n```", "the text starts with a Markdown code fence at line 1, column 1"),
            (b"True", "expected a value, found \"True\" at line 1, column 1"),
            (b"nulls", "expected a value, found \"nulls\" at line 1, column 1"),
        ];
        for (text, message) in cases {
            assert_eq!(refusal(text).to_string(), *message);
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let document = Document::parse(b"\xEF\xBB\xBF[1]").unwrap();
        assert_eq!(document.root().len(), 1);
        assert_eq!(document.text(), "[1]");
    }

    #[test]
    fn nesting_is_read_to_128_levels() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Document::parse(nested(128).as_bytes()).is_ok());
        assert_eq!(refusal(nested(129)).kind, ReadErrorKind::TooDeep);
        assert_eq!(refusal("[".repeat(100_000)).kind, ReadErrorKind::TooDeep);
        assert_eq!(refusal("{\"a\":".repeat(100_000)).kind, ReadErrorKind::TooDeep);
    }

    #[test]
    fn integers_are_read_to_4300_digits() {
        assert!(Document::parse("9".repeat(4300).as_bytes()).is_ok());
        assert!(Document::parse(format!("-{}", "9".repeat(4300)).as_bytes()).is_ok());
        assert_eq!(refusal("9".repeat(4301)).kind, ReadErrorKind::IntegerTooLong);
        assert_eq!(refusal("9".repeat(400) + ".0").kind, ReadErrorKind::NumberOutOfRange);
        assert!(Document::parse(b"1e-400").is_ok());
    }

    #[test]
    fn duplicates_are_seen_among_few_and_among_many() {
        for count in [2, 16, 17, 300] {
            let members: Vec<String> = (0..count).map(|n| format!("\"m{n}\":0")).collect();
            assert!(Document::parse(format!("{{{}}}", members.join(",")).as_bytes()).is_ok());
            let text = format!("{{{},\"m1\":0}}", members.join(","));
            let error = refusal(&text);
            assert_eq!(error.kind, ReadErrorKind::DuplicateMember("m1".to_owned()));
            assert_eq!(error.path, "$.m1");
            assert_eq!(error.offset, text.rfind("\"m1\"").unwrap());
        }
    }

    #[test]
    fn strings_of_every_length_end_where_they_end() {
        for length in 0..40 {
            for special in ["", "\\n", "é", "\\ud83d\\ude00"] {
                let body = "x".repeat(length);
                let text = format!("[\"{body}{special}{body}\", 1]");
                let document = Document::parse(text.as_bytes()).unwrap();
                let expected: String = serde_json::from_str::<Vec<serde_json::Value>>(&text)
                    .unwrap()[0]
                    .as_str()
                    .unwrap()
                    .to_owned();
                assert_eq!(document.root().element(0).unwrap().as_str(), Some(&*expected));
            }
            let open = format!("\"{}", "x".repeat(length));
            assert_eq!(refusal(open).kind, ReadErrorKind::EndsEarly);
        }
    }

    #[test]
    fn buffers_are_reused_without_traces() {
        let mut buffers = Buffers::default();
        for text in [r#"{"a":"\n","b":[1]}"#, "[1,", r#""x""#, r#"{"a":1,"a":2}"#, "[[]]"] {
            buffers = match Document::parse_with(text.as_bytes(), buffers) {
                Ok(document) => {
                    assert_eq!(document.root().source(), text);
                    document.into_buffers()
                }
                Err(refused) => refused.buffers,
            };
        }
    }
}
