//! The content checks on strings: text that fits its schema and still is not what it looks like.
//!
//! Owns the registry of the seven content checks, their words for people, and the examination of
//! one string. The lists live with their reasons: `characters` for single characters,
//! `mojibake` for misread UTF-8, `placeholder` for filler, `embedded` for JSON inside a
//! string. Every check takes time linear in the text, for the text comes from strangers.
//! `content:unsafe_numbers` is named here only; it judges numbers, which this module never sees.

mod characters;
mod embedded;
mod mojibake;
mod placeholder;

use std::fmt::Write as _;

/// The seven content checks, in the order of the specification's table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ContentCheck {
    /// C0 and C1 controls and DEL, except tab, LF and CR.
    ControlCharacters,
    /// Characters that show nothing, or that change the order in which others are shown.
    InvisibleCharacters,
    /// Traces of a wrong decoding: U+FFFD, noncharacters, private use, misread UTF-8.
    EncodingDamage,
    /// Strings that are empty or white space only.
    BlankStrings,
    /// Filler that was to be replaced, and template marks that were to be rendered.
    PlaceholderText,
    /// JSON objects and arrays written into a string.
    EmbeddedJson,
    /// Integers beyond ±(2^53−1); about numbers, so no string ever has this finding.
    UnsafeNumbers,
}

impl ContentCheck {
    /// All checks, in table order.
    pub const ALL: [ContentCheck; 7] = [
        ContentCheck::ControlCharacters,
        ContentCheck::InvisibleCharacters,
        ContentCheck::EncodingDamage,
        ContentCheck::BlankStrings,
        ContentCheck::PlaceholderText,
        ContentCheck::EmbeddedJson,
        ContentCheck::UnsafeNumbers,
    ];

    /// The stable id, as reports spell it.
    pub fn id(self) -> &'static str {
        match self {
            ContentCheck::ControlCharacters => "content:control_characters",
            ContentCheck::InvisibleCharacters => "content:invisible_characters",
            ContentCheck::EncodingDamage => "content:encoding_damage",
            ContentCheck::BlankStrings => "content:blank_strings",
            ContentCheck::PlaceholderText => "content:placeholder_text",
            ContentCheck::EmbeddedJson => "content:embedded_json",
            ContentCheck::UnsafeNumbers => "content:unsafe_numbers",
        }
    }

    /// What the check wants, as a short phrase for the `expected` of a finding.
    pub fn expected(self) -> &'static str {
        match self {
            ContentCheck::ControlCharacters => "no control characters",
            ContentCheck::InvisibleCharacters => "no invisible characters",
            ContentCheck::EncodingDamage => "correctly decoded text",
            ContentCheck::BlankStrings => "text that is not blank",
            ContentCheck::PlaceholderText => "a real value, no placeholder",
            ContentCheck::EmbeddedJson => "no JSON object or array inside a string",
            ContentCheck::UnsafeNumbers => "integers within ±(2^53−1)",
        }
    }

    /// How to mend a finding, in one sentence for people.
    pub fn fix(self) -> &'static str {
        match self {
            ContentCheck::ControlCharacters => {
                "Remove the control characters; only tab, line feed and carriage return may stay."
            }
            ContentCheck::InvisibleCharacters => {
                "Remove the characters a reader cannot see, so that the text reads as it is stored."
            }
            ContentCheck::EncodingDamage => {
                "Decode the source text with its real encoding, usually UTF-8, and submit it again."
            }
            ContentCheck::BlankStrings => {
                "Give the value, or use null or leave the member out when there is none."
            }
            ContentCheck::PlaceholderText => {
                "Put the real value in place of the placeholder, and render templates first."
            }
            ContentCheck::EmbeddedJson => {
                "Submit the object or array itself in place of the string that holds it."
            }
            ContentCheck::UnsafeNumbers => {
                "Write the integer as a string, since many JSON readers round it as a number."
            }
        }
    }
}

/// What a string is in its document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextRole {
    /// A string value: all checks apply.
    Value,
    /// The name of an object member: only the first three checks apply, since a name such as `todo`
    /// or an empty one is the schema's business.
    Name,
}

/// A set of content checks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ContentChecks(u8);

impl ContentChecks {
    /// Whether the set holds no check.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds `check`.
    pub fn contains(self, check: ContentCheck) -> bool {
        self.0 & bit(check) != 0
    }

    /// Adds `check` to the set.
    pub fn insert(&mut self, check: ContentCheck) {
        self.0 |= bit(check);
    }

    /// The checks of the set, in table order.
    pub fn iter(self) -> impl Iterator<Item = ContentCheck> {
        ContentCheck::ALL.into_iter().filter(move |&check| self.contains(check))
    }
}

const fn bit(check: ContentCheck) -> u8 {
    1 << check as u8
}

// What a byte may be a sign of. A text without a sign needs no further look, and that is nearly
// every text.
const CONTROL: u8 = 1;
const NON_ASCII: u8 = 1 << 1;
/// `{` and `%`, without which there is no template mark.
const TEMPLATE: u8 = 1 << 2;
/// `` ` `` and `~`, without which there is no code fence.
const FENCE: u8 = 1 << 3;
/// What placeholders and JSON begin with: a sign at the start of a value.
const START: u8 = 1 << 4;
/// What white space begins or ends with in ASCII: a sign at the start or end of a value.
const BLANK: u8 = 1 << 5;

static SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = match byte as u8 {
            b'\t' | b'\n' | b'\r' | b' ' => BLANK,
            0..b' ' | 0x7F => CONTROL,
            b'{' => TEMPLATE | START,
            b'%' => TEMPLATE,
            b'`' | b'~' => FENCE,
            b'[' | b'<' | b'"' => START,
            b'F' | b'L' | b'N' | b'T' | b'U' | b'X' => START,
            b'f' | b'l' | b'n' | b't' | b'u' | b'x' => START,
            0x80.. => NON_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    signs
};

/// Finds out which checks have a finding in `text`.
///
/// Takes time linear in the text; [`describe`] tells what a finding is.
pub fn examine(text: &str, role: TextRole) -> ContentChecks {
    let sign = |byte: &u8| SIGNS[usize::from(*byte)];
    let bytes = text.as_bytes();
    let signs = bytes.iter().fold(0, |signs, byte| signs | sign(byte));
    let is_clean = match (role, bytes) {
        (TextRole::Name, _) => signs & (CONTROL | NON_ASCII) == 0,
        (TextRole::Value, [first, .., last]) => {
            signs & (CONTROL | NON_ASCII | TEMPLATE | FENCE) == 0
                && sign(first) & (START | BLANK) == 0
                && sign(last) & BLANK == 0
        }
        (TextRole::Value, _) => false,
    };
    if is_clean { ContentChecks::default() } else { examine_closely(text, role, signs) }
}

// Kept apart so that `examine` stays small enough to be cheap for clean texts.
#[inline(never)]
fn examine_closely(text: &str, role: TextRole, signs: u8) -> ContentChecks {
    let mut found = ContentChecks::default();
    if signs & (CONTROL | NON_ASCII) != 0 {
        characters::examine(text, &mut found);
    }
    if role == TextRole::Name {
        return found;
    }
    let value = trim(text);
    if value.is_empty() {
        found.insert(ContentCheck::BlankStrings);
        return found;
    }
    if placeholder::whole(value).is_some()
        || (signs & TEMPLATE != 0 && placeholder::template_mark(text).is_some())
    {
        found.insert(ContentCheck::PlaceholderText);
    }
    if embedded::whole(value).is_some() || (signs & FENCE != 0 && embedded::fenced(text).is_some())
    {
        found.insert(ContentCheck::EmbeddedJson);
    }
    found
}

/// `str::trim` that does not decode characters when there is plainly nothing to trim.
fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// Says for people what `check` found in `text`, in one short phrase.
///
/// Meant for a check that [`examine`] reported. The phrase holds no control, invisible or
/// bidirectional character of the text: those are written as U+XXXX, so that a report cannot be
/// made to lie by the text it is about.
pub fn describe(text: &str, check: ContentCheck) -> String {
    let found = match check {
        ContentCheck::ControlCharacters
        | ContentCheck::InvisibleCharacters
        | ContentCheck::EncodingDamage => characters::describe(text, check),
        ContentCheck::BlankStrings => describe_blank(text),
        ContentCheck::PlaceholderText => placeholder::describe(text, trim(text)),
        ContentCheck::EmbeddedJson => embedded::describe(text, trim(text)),
        ContentCheck::UnsafeNumbers => None,
    };
    found.unwrap_or_else(|| "nothing of this kind".to_owned())
}

fn describe_blank(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("an empty string".to_owned());
    }
    trim(text).is_empty().then(|| match text.chars().count() {
        1 => "one white space character and nothing else".to_owned(),
        count => format!("{count} white space characters and nothing else"),
    })
}

/// The number of the character at byte `at`, counted from 1 as people do.
fn character_number(text: &str, at: usize) -> usize {
    text[..at].chars().count() + 1
}

/// The most characters of a judged value that a phrase repeats.
const QUOTED_CHARACTERS: usize = 40;

/// `text` in quotation marks, shortened, with nothing in it that could disturb what shows it.
fn quoted(text: &str) -> String {
    let mut quote = String::from("\"");
    let mut rest = text.chars();
    for c in rest.by_ref().take(QUOTED_CHARACTERS) {
        match c {
            '"' | '\\' => quote.extend(['\\', c]),
            ' '..='~' => quote.push(c),
            _ if characters::is_filler(c) || c.escape_debug().len() > 1 => {
                // Writing to a String cannot fail.
                let _ = write!(quote, "<U+{:04X}>", u32::from(c));
            }
            _ => quote.push(c),
        }
    }
    if !rest.as_str().is_empty() {
        quote.push('…');
    }
    quote.push('"');
    quote
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str, role: TextRole) -> Vec<&'static str> {
        examine(text, role).iter().map(|check| &check.id()["content:".len()..]).collect()
    }

    #[test]
    fn registry_is_in_table_order_and_complete() {
        for (place, check) in ContentCheck::ALL.into_iter().enumerate() {
            assert_eq!(check as usize, place);
            assert!(check.id().starts_with("content:"));
            assert!(!check.expected().is_empty());
            assert!(check.fix().ends_with('.'));
        }
    }

    #[test]
    fn sets_list_their_checks_in_table_order() {
        let mut checks = ContentChecks::default();
        assert!(checks.is_empty());
        checks.insert(ContentCheck::EmbeddedJson);
        checks.insert(ContentCheck::BlankStrings);
        assert!(checks.contains(ContentCheck::EmbeddedJson));
        assert!(!checks.contains(ContentCheck::UnsafeNumbers));
        let listed: Vec<_> = checks.iter().collect();
        assert_eq!(listed, [ContentCheck::BlankStrings, ContentCheck::EmbeddedJson]);
    }

    #[test]
    fn values_have_the_expected_findings() {
        let cases: &[(&str, &[&str])] = &[
            ("fine", &[]),
            ("INV-7731", &[]),
            ("The todo list is done; nothing is TBD any more.", &[]),
            ("x\ty\r\nz", &[]),
            ("42", &[]),
            ("true", &[]),
            ("é", &[]),
            ("e\u{301}", &[]),
            ("TODO", &["placeholder_text"]),
            ("TBD", &["placeholder_text"]),
            ("lorem ipsum dolor sit amet", &["placeholder_text"]),
            ("", &["blank_strings"]),
            ("  ", &["blank_strings"]),
            ("\n", &["blank_strings"]),
            ("\u{A0}\u{3000}\u{2028}", &["blank_strings"]),
            ("\u{85}", &["control_characters", "blank_strings"]),
            ("\u{200B}", &["invisible_characters"]),
            ("invoice\u{202E}gpj.exe", &["invisible_characters"]),
            ("caf\u{FFFD}", &["encoding_damage"]),
            ("cafÃ©", &["encoding_damage"]),
            ("one\u{2028}two\u{85}", &["control_characters"]),
            ("```json\n[1, 2]\n```", &["embedded_json"]),
            ("\"{\\\"x\\\": 1}\"", &["embedded_json"]),
            ("{\"a\": \"{{name}}\"}", &["placeholder_text", "embedded_json"]),
            (
                "\u{7}\u{FEFF}\u{E000}${x}",
                &[
                    "control_characters",
                    "invisible_characters",
                    "encoding_damage",
                    "placeholder_text",
                ],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(ids(text, TextRole::Value), *expected, "{text:?}");
        }
    }

    #[test]
    fn names_are_examined_for_characters_only() {
        for name in ["", " ", "todo", "TODO", "{{name}}", "[1]", "${x}", "a\tb", "```\n{}\n```"] {
            assert_eq!(ids(name, TextRole::Name), [""; 0], "{name:?}");
        }
        assert_eq!(ids("a\0", TextRole::Name), ["control_characters"]);
        assert_eq!(ids("a\u{200B}", TextRole::Name), ["invisible_characters"]);
        assert_eq!(ids("prÃ©nom", TextRole::Name), ["encoding_damage"]);
    }

    #[test]
    fn descriptions_say_what_and_where() {
        use ContentCheck::*;
        let cases = [
            ("a\u{7}", ControlCharacters, "U+0007 (control character) at character 2"),
            (
                "invoice\u{202E}gpj.exe",
                InvisibleCharacters,
                "U+202E (right-to-left override) at character 8",
            ),
            (
                "a\u{200D}b",
                InvisibleCharacters,
                "U+200D (zero width joiner) at character 2, where nothing joins",
            ),
            (
                "cafÃ©",
                EncodingDamage,
                "text that was UTF-8 read as Windows-1252 (\"Ã©\" for \"é\") at character 4",
            ),
            (
                "Ã\u{89}t",
                EncodingDamage,
                "text that was UTF-8 read as Latin-1 (\"Ã<U+0089>\" for \"É\") at character 1",
            ),
            // U+202E itself, misread: the phrase must not bring it back.
            (
                "aâ€®b",
                EncodingDamage,
                r#"text that was UTF-8 read as Windows-1252 ("â€®" for "<U+202E>") at character 2"#,
            ),
            ("", BlankStrings, "an empty string"),
            ("\t\n", BlankStrings, "2 white space characters and nothing else"),
            (" todo ", PlaceholderText, "the whole value is the placeholder \"todo\""),
            ("TBD: price", PlaceholderText, "the value begins with \"TBD:\""),
            (
                "<your \"x\">",
                PlaceholderText,
                "the whole value is the instruction \"<your \\\"x\\\">\"",
            ),
            (
                "Dear {{name}},",
                PlaceholderText,
                "the unrendered template mark \"{{name}}\" at character 6",
            ),
            ("{}", EmbeddedJson, "a JSON object as text"),
            ("\"[1]\"", EmbeddedJson, "a JSON array as text, encoded twice"),
            ("~~~\n[]", EmbeddedJson, "a Markdown code fence around a JSON array"),
            ("fine", EmbeddedJson, "nothing of this kind"),
            ("1", UnsafeNumbers, "nothing of this kind"),
        ];
        for (text, check, expected) in cases {
            assert_eq!(describe(text, check), expected, "{text:?}");
        }
    }

    #[test]
    fn quotes_are_short_and_show_nothing_hidden() {
        let long = "x".repeat(1000);
        assert_eq!(quoted(&long), format!("\"{}…\"", "x".repeat(QUOTED_CHARACTERS)));
        assert_eq!(
            quoted("a\u{3164}\u{200F}\n\u{FE0F}é'"),
            "\"a<U+3164><U+200F><U+000A><U+FE0F>é'\""
        );
    }

    /// Every finding can be described, and every description can be shown.
    #[test]
    fn each_character_is_described_without_being_shown() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}{c}");
            for check in examine(&text, TextRole::Name).iter() {
                let phrase = describe(&text, check);
                assert!(phrase.starts_with("U+") && phrase.is_ascii(), "{phrase:?}");
            }
        }
    }

    /// Long texts made to be read again and again. With quadratic work this test would not end.
    #[test]
    fn hostile_texts_take_linear_time() {
        let units = [
            "{",
            "{{",
            "{{a",
            "{{a}",
            "${",
            "${a",
            "<%=",
            "<%=a",
            "%",
            "```\n",
            "```\n```\n",
            "~~~\n[\n",
            "`",
            "[",
            "\"",
            "\\\"",
            " ",
            "x",
            "Ã",
            "Ð“",
            "é…»",
            "â€",
            "a\u{200D}",
            "\u{FE0F}",
            "\u{1F3F4}\u{E0061}\u{E0061}",
            "\u{1}",
            "\\aaaaaaaa{{",
            "{{a}}{{",
            "\u{A0}",
        ];
        for unit in units {
            let text = unit.repeat(500_000 / unit.len());
            for check in examine(&text, TextRole::Value).iter() {
                assert!(describe(&text, check).chars().count() < 250);
            }
        }
    }
}
