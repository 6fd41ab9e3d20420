//! JSON inside a string: an object or array as text, encoded again, or in a Markdown code fence.
//!
//! Such a value passes every schema that wants a string and hides its members from all checks.
//! Only objects and arrays count: `42`, `true` and a quoted word are good strings. A fence around
//! anything else, and back-ticks inside a line, are good Markdown.

use crate::json;

/// How often an encoded string is decoded again. Each round at least doubles the escapes, so honest
/// mistakes stop at two or three; the bound keeps a long hostile text from being read again and
/// again.
const MAX_ENCODINGS: usize = 8;

/// JSON that was found inside a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Container {
    Object,
    Array,
}

impl Container {
    fn words(self) -> &'static str {
        match self {
            Container::Object => "a JSON object",
            Container::Array => "a JSON array",
        }
    }
}

/// What a value is in JSON, and how often it was encoded as a string after that; the value comes
/// without white space around it.
pub(super) fn whole(value: &str) -> Option<(Container, usize)> {
    // Nearly every value begins with something else.
    match value.as_bytes().first()? {
        b'{' | b'[' => return container(value).map(|container| (container, 0)),
        b'"' => {}
        _ => return None,
    }
    let mut content = encoded(value)?;
    for encodings in 1..=MAX_ENCODINGS {
        if let Some(container) = container(&content) {
            return Some((container, encodings));
        }
        content = encoded(&content)?;
    }
    None
}

/// The first object or array that a code fence in `text` holds.
///
/// A fence is CommonMark's: a line of three or more back-ticks or tildes after at most three
/// spaces, then the lines up to one with at least as many of the same and nothing else, or to the
/// end.
pub(super) fn fenced(text: &str) -> Option<Container> {
    let mut open: Option<(Fence, usize)> = None;
    let mut start = 0;
    // Fences do not overlap, so all of what they hold is read once at most.
    for line in text.split_inclusive(['\n', '\r']) {
        let end = start + line.len();
        match (&open, Fence::read(line)) {
            (None, Some(fence)) if fence.opens() => open = Some((fence, end)),
            (Some((opening, inside)), Some(fence)) if fence.closes(opening) => {
                if let Some(container) = container(&text[*inside..start]) {
                    return Some(container);
                }
                open = None;
            }
            _ => {}
        }
        start = end;
    }
    let (_, inside) = open?;
    container(&text[inside..])
}

/// What was found in the value `text`, `trimmed` being what is left of it without white space
/// around.
pub(super) fn describe(text: &str, trimmed: &str) -> Option<String> {
    match whole(trimmed) {
        Some((container, 0)) => Some(format!("{} as text", container.words())),
        Some((container, 1)) => Some(format!("{} as text, encoded twice", container.words())),
        Some((container, encodings)) => {
            Some(format!("{} as text, encoded {} times", container.words(), encodings + 1))
        }
        None => fenced(text).map(|found| format!("a Markdown code fence around {}", found.words())),
    }
}

/// A line that begins like a fence.
struct Fence<'a> {
    mark: u8,
    count: usize,
    /// What follows on the line: the info string of an opening fence.
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let unindented = line.trim_start_matches(' ');
        let mark = *unindented.as_bytes().first()?;
        if line.len() - unindented.len() > 3 || !matches!(mark, b'`' | b'~') {
            return None;
        }
        let count = unindented.bytes().take_while(|&byte| byte == mark).count();
        (count >= 3).then(|| Fence { mark, count, info: &unindented[count..] })
    }

    /// A back-tick in the info string would make the line inline code: "```x```".
    fn opens(&self) -> bool {
        self.mark == b'~' || !self.info.contains('`')
    }

    fn closes(&self, opening: &Fence<'_>) -> bool {
        self.mark == opening.mark && self.count >= opening.count && self.info.trim().is_empty()
    }
}

/// The object or array that `text` is. The brackets are looked at first, since nearly all texts
/// lack them.
fn container(text: &str) -> Option<Container> {
    let container = match text.trim().as_bytes() {
        [b'{', .., b'}'] => Container::Object,
        [b'[', .., b']'] => Container::Array,
        _ => return None,
    };
    json::is_container_text(text).then_some(container)
}

/// The content of `text` if it may be an object or array that was encoded as a JSON string.
fn encoded(text: &str) -> Option<String> {
    match text.trim().as_bytes() {
        [b'"', .., b'"'] => json::string_content(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ContentCheck, TextRole, examine};

    fn is_found(text: &str) -> bool {
        examine(text, TextRole::Value).contains(ContentCheck::EmbeddedJson)
    }

    #[test]
    fn json_as_text() {
        for text in ["{}", "[]", " {\"a\": 1}\n", "[1, [2]]", "\"[]\"", " \"{}\" ", r#""\"[1]\"""#]
        {
            assert!(is_found(text), "{text:?}");
        }
        let honest = [
            "42",
            "true",
            "null",
            "\"x\"",
            "\"42\"",
            "\"",
            "{",
            "{a}",
            "[sic]",
            "[2026]x",
            "{} {}",
            "{}.",
            "{'a': 1}",
            "[1, 2",
            "\"\\\"x\\\"\"",
            "see {\"a\": 1}",
            "{]",
            "[}",
        ];
        for text in honest {
            assert!(!is_found(text), "{text:?}");
        }
    }

    #[test]
    fn encodings_are_undone_up_to_the_bound() {
        let mut text = "{\"a\": 1}".to_owned();
        for _ in 0..super::MAX_ENCODINGS {
            text = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            assert!(is_found(&text));
        }
        text = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        assert!(!is_found(&text));
    }

    #[test]
    fn code_fences() {
        let fenced = [
            "```json\n{\"total\": 5}\n```",
            "Here you go:\n\n```\n{\"total\": 5}\n```\nAnything else?",
            "```\r\n[1]\r\n```\r\n",
            "```\r[1]\r```",
            "   ~~~ json x\n[1]\n   ~~~~  ",
            "````\n{}\n````",
            "```\n{}",
            "```sh\nmake\n```\ntext\n```\n{}\n```",
            "~~~\n{\"a\": \"\\n```\\n\"}\n~~~",
        ];
        for text in fenced {
            assert!(is_found(text), "{text:?}");
        }
        let honest = [
            "Run:\n```sh\nmake\n```\nInline `{\"a\": \"```x```\"}` too.",
            "```{\"a\": 1}```",
            "```json {\"a\": 1} ```",
            "``\n{}\n``",
            "    ```\n{}\n    ```",
            "x ```\n{}\n```",
            "```\n{}\n~~~",
            "````\n```\n{}\n```\n````",
            "```\n42\n```",
            "```\n{} and more\n```",
            "```\n```\n{}",
            "```",
        ];
        for text in honest {
            assert!(!is_found(text), "{text:?}");
        }
    }
}
