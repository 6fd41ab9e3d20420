//! The line of a file that a finding is about, with a marker under the value, as compilers show it.
//!
//! Only what is near the value is looked at: a line can be as long as its file.

use std::ops::Range;

use agent_output_verifier::text::escaped;
use unicode_width::UnicodeWidthStr as _;

/// Characters before the value that are shown.
const BEFORE: usize = 40;

/// What stands at the end where a line goes on.
const CUT: &str = "…";

/// A line and the marker below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Snippet {
    pub(super) line: String,
    pub(super) marker: String,
    /// What is above the marker, as bytes of the line.
    pub(super) marked: Range<usize>,
}

/// What is around the byte offset of a value, at most `width` columns of it.
pub(super) fn snippet(text: &str, offset: usize, width: usize) -> Snippet {
    let offset = text.floor_char_boundary(offset);
    let (head, rest) = text.split_at(offset);
    let before = head.char_indices().rev().take_while(|(_, c)| *c != '\n').take(BEFORE);
    let start = before.last().map_or(offset, |(at, _)| at);
    let lead = shown(&head[start..]);
    let lead = match start == 0 || head[..start].ends_with('\n') {
        // Indentation says nothing here.
        true => lead.trim_start().to_owned(),
        false => format!("{CUT}{lead}"),
    };
    let room = width.saturating_sub(lead.width()).max(BEFORE);
    let token = token_length(rest, room);
    let (mut line, mut columns, mut marked) = (lead.clone(), 0, 0);
    let mut end = lead.len();
    for (at, c) in rest.char_indices() {
        if c == '\n' || rest[at..].starts_with("\r\n") {
            break;
        }
        let piece = shown(c.encode_utf8(&mut [0; 4]));
        columns += piece.width();
        if columns > room {
            line.push_str(CUT);
            break;
        }
        line.push_str(&piece);
        if at < token {
            (marked, end) = (columns, line.len());
        }
    }
    let marker = format!("{}{}", " ".repeat(lead.width()), "^".repeat(marked.max(1)));
    let line = line.trim_end().to_owned();
    let end = end.min(line.len());
    Snippet { marked: lead.len().min(end)..end, line, marker }
}

/// Text of the file, fit to be shown; a tab is as wide as a space.
fn shown(text: &str) -> String {
    escaped(&text.replace('\t', " "))
}

/// Bytes of the value that `rest` begins with: a scalar or name whole, a container's bracket.
fn token_length(rest: &str, room: usize) -> usize {
    let bytes = rest.as_bytes();
    match bytes.first() {
        Some(b'"') => {
            let mut at = 1;
            // What does not fit is not marked, so it is not looked at either.
            while at < bytes.len().min(4 * room) {
                match bytes[at] {
                    b'\\' => at += 2,
                    b'"' => return at + 1,
                    _ => at += 1,
                }
            }
            at
        }
        Some(b'{' | b'[') => 1,
        _ => {
            let ends =
                |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            bytes.iter().take(4 * room).position(ends).unwrap_or(bytes.len().min(4 * room))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, value: &str, width: usize) -> (String, String) {
        let Snippet { line, marker, marked } = snippet(text, text.find(value).unwrap(), width);
        // The marker is as wide as what it is under, and as far in.
        assert_eq!(marker.trim_start().len(), line[marked.clone()].width());
        assert_eq!(marker.find('^').unwrap(), line[..marked.start].width());
        (line, marker)
    }

    fn pair(line: &str, marker: &str) -> (String, String) {
        (line.to_owned(), marker.to_owned())
    }

    #[test]
    fn the_marker_is_under_the_value() {
        let text = "{\n\t  \"total\": 135.0,\r\n  \"a\": \"é€\"\n}";
        assert_eq!(show(text, "135.0", 80), pair("\"total\": 135.0,", "         ^^^^^"));
        assert_eq!(show(text, "\"é€\"", 80), pair("\"a\": \"é€\"", "     ^^^^"));
        assert_eq!(show(text, "{", 80), pair("{", "^"));
        assert_eq!(
            show("[1, \"日本\", 2]", "\"日本\"", 80),
            pair("[1, \"日本\", 2]", "    ^^^^^^")
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_value() {
        let text = format!("[{}42, {}]", "0, ".repeat(100_000), "1, ".repeat(100_000));
        let (line, marker) = show(&text, "42", 60);
        assert!(line.starts_with('…') && line.ends_with('…'), "{line}");
        assert!(line.width() <= 82, "{line}");
        assert_eq!(line[line.find("42").unwrap()..].chars().next(), Some('4'));
        assert_eq!(marker.trim_start(), "^^");
        let long = format!("[\"{}\"]", "x".repeat(100_000));
        let (line, marker) = show(&long, "\"x", 60);
        assert!(line.width() < 70 && marker.width() < 70);
    }

    #[test]
    fn hostile_text_stays_text() {
        let (line, marker) = show("{\"a\u{202e}\": \"\u{9b}31m\"}", "\"\u{9b}", 80);
        assert_eq!(line, "{\"a\\u202e\": \"\\u009b31m\"}");
        assert_eq!(marker, format!("{}{}", " ".repeat(12), "^".repeat(11)));
    }

    #[test]
    fn any_offset_is_shown() {
        for offset in 0..12 {
            snippet("{\"é\":\n1}", offset, 10);
        }
        assert_eq!(
            snippet("", 0, 80),
            Snippet { line: String::new(), marker: "^".to_owned(), marked: 0..0 }
        );
    }
}
