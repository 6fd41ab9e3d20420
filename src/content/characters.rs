//! The checks on single characters: controls, invisible characters, damage from a wrong decoding.
//!
//! Owns the character lists. They are the specification's, no wider: characters that honest text
//! needs (soft hyphen, the marks U+200E, U+200F and U+061C, no-break spaces) are on none of them.

use super::{ContentCheck, ContentChecks, character_number, mojibake, quoted};

const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';
const BLACK_FLAG: char = '\u{1F3F4}';
const CANCEL_TAG: char = '\u{E007F}';

/// Adds to `found` the character checks that have a finding in `text`.
pub(super) fn examine(text: &str, found: &mut ContentChecks) {
    for flaw in (Flaws { text, at: 0 }) {
        found.insert(flaw.check);
    }
}

/// The first finding of `check` in `text`, in words.
pub(super) fn describe(text: &str, check: ContentCheck) -> Option<String> {
    let flaw = (Flaws { text, at: 0 }).find(|flaw| flaw.check == check)?;
    let number = character_number(text, flaw.at);
    Some(match flaw.kind {
        Kind::Character(c, circumstance) => {
            format!("U+{:04X} ({}) at character {number}{circumstance}", u32::from(c), name(c))
        }
        Kind::Misread { length } => {
            let misread = &text[flaw.at..flaw.at + length];
            let (meant, encoding) = mojibake::reread(misread)?;
            format!(
                "text that was UTF-8 read as {encoding} ({} for {}) at character {number}",
                quoted(misread),
                quoted(&meant)
            )
        }
    })
}

struct Flaw {
    check: ContentCheck,
    /// Where it starts, in bytes.
    at: usize,
    kind: Kind,
}

enum Kind {
    /// One character, and what makes it a finding where that depends on its place.
    Character(char, &'static str),
    /// A stretch of `length` bytes that was UTF-8 and was decoded as something else.
    Misread { length: usize },
}

/// The findings in a text, in order. What a finding depends on is never more than a few characters
/// away, so that walking a text takes linear time.
struct Flaws<'a> {
    text: &'a str,
    /// How many bytes have been walked.
    at: usize,
}

impl Iterator for Flaws<'_> {
    type Item = Flaw;

    fn next(&mut self) -> Option<Flaw> {
        loop {
            let ahead = self.text.as_bytes().get(self.at..)?;
            let at = self.at + ahead.iter().position(|&byte| !is_plain(byte))?;
            let (before, here) = self.text.split_at(at);
            let mut characters = here.chars();
            let c = characters.next()?;
            let after = characters.as_str();
            self.at = self.text.len() - after.len();
            if let Some((check, kind)) = self.judge(c, before, here, after) {
                return Some(Flaw { check, at, kind });
            }
        }
    }
}

impl Flaws<'_> {
    /// Judges `c`, with which `here` begins, and steps over what belongs to it.
    fn judge(
        &mut self,
        c: char,
        before: &str,
        here: &str,
        after: &str,
    ) -> Option<(ContentCheck, Kind)> {
        let flaw = |check, circumstance| Some((check, Kind::Character(c, circumstance)));
        match c {
            '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => flaw(ContentCheck::ControlCharacters, ""),
            // The characters that start misread UTF-8. What follows the first one is still looked
            // at by itself: misread as Latin-1, it includes controls.
            '\u{C2}'..='\u{F4}' => {
                let length = mojibake::length(before, here)?;
                Some((ContentCheck::EncodingDamage, Kind::Misread { length }))
            }
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER => {
                if joins(c, before, after.chars().next()) {
                    return None;
                }
                flaw(ContentCheck::InvisibleCharacters, ", where nothing joins")
            }
            BLACK_FLAG => {
                self.at += flag_tags(after).unwrap_or(0);
                None
            }
            _ if is_variation_selector(c) => match before.chars().next_back() {
                None => flaw(ContentCheck::InvisibleCharacters, ", with nothing before it"),
                Some(previous) if is_variation_selector(previous) => {
                    flaw(ContentCheck::InvisibleCharacters, ", after another one")
                }
                Some(_) => None,
            },
            _ if is_always_invisible(c) => flaw(ContentCheck::InvisibleCharacters, ""),
            _ if is_damage(c) => flaw(ContentCheck::EncodingDamage, ""),
            _ => None,
        }
    }
}

/// Bytes of ASCII characters that are no finding.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Characters that are invisible, or reorder what is visible, wherever they stand.
fn is_always_invisible(c: char) -> bool {
    match c {
        // Bidirectional embeddings, overrides and isolates: text that is shown in another order
        // than it is stored ("invoice", U+202E, "gpj.exe" is shown as the name of a picture).
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        // Zero width space, word joiner, invisible mathematical operators: two strings that look
        // the same and are not, and room for hidden messages.
        '\u{200B}' | '\u{2060}'..='\u{2064}' => true,
        // The byte order mark. It marks files, not strings: inside JSON it is always left over.
        '\u{FEFF}' => true,
        // Tags spell out ASCII unseen, and language models read them: hidden instructions. The one
        // honest use, flags of regions, has been stepped over by then.
        '\u{E0000}'..='\u{E007F}' => true,
        _ => is_filler(c),
    }
}

/// Hangul fillers: letters by category, so they pass for names, and blank to the eye.
pub(super) fn is_filler(c: char) -> bool {
    matches!(c, '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}')
}

/// Variation selectors, the Mongolian ones included. One after a character picks its shape. More
/// of them pick nothing, and are used to write bytes that nobody sees after a harmless emoji.
fn is_variation_selector(c: char) -> bool {
    matches!(c,
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}'
        | '\u{180B}'..='\u{180D}' | '\u{180F}')
}

/// Characters that tell of a decoder's failure, or mean nothing outside the system they came from.
fn is_damage(c: char) -> bool {
    match c {
        // What a decoder writes for bytes that it could not read.
        '\u{FFFD}' => true,
        // Private use: icons of fonts, a PDF's own glyph numbers. Nobody else can read them.
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}' => true,
        // Noncharacters, which are not for interchange: U+FFFE is a byte order mark misread.
        '\u{FDD0}'..='\u{FDEF}' => true,
        _ => u32::from(c) & 0xFFFE == 0xFFFE,
    }
}

/// The length in bytes of the tags that make a black flag the flag of a region, if `rest` begins
/// with them: a subdivision code (two letters or three digits for the country, one to four more
/// letters or digits) and U+E007F. Any longer text would be a message under a flag.
fn flag_tags(rest: &str) -> Option<usize> {
    let mut code = [0; 7];
    let mut length = 0;
    for (at, c) in rest.char_indices() {
        match c {
            CANCEL_TAG => {
                let suffix = match &code[..length] {
                    [b'a'..=b'z', b'a'..=b'z', suffix @ ..] => suffix,
                    [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', suffix @ ..] => suffix,
                    _ => return None,
                };
                let valid = (1..=4).contains(&suffix.len());
                return valid.then_some(at + CANCEL_TAG.len_utf8());
            }
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {
                // A tag is its ASCII character in plane 14; the low byte is that character.
                *code.get_mut(length)? = u32::from(c) as u8;
                length += 1;
            }
            _ => return None,
        }
    }
    None
}

/// Whether a joiner or non-joiner has something to act on.
///
/// Either neighbour may give the reason: Persian puts U+200C between a Latin word and its plural
/// ending, and U+200D before a letter asks for its joined form. A second joiner in a row adds
/// nothing, and rows of them are a known way to hide bits.
fn joins(joiner: char, before: &str, after: Option<char>) -> bool {
    let mut backwards = before.chars().rev();
    let mut before = backwards.next();
    if before.is_some_and(is_variation_selector) {
        before = backwards.next();
    }
    if matches!(before, Some(ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER)) {
        return false;
    }
    let either = |test: fn(char) -> bool| before.is_some_and(test) || after.is_some_and(test);
    let both = |test: fn(char) -> bool| before.is_some_and(test) && after.is_some_and(test);
    either(is_of_joining_script) || (joiner == ZERO_WIDTH_JOINER && both(is_pictograph))
}

/// Blocks of the scripts whose letters join, or form conjuncts by a virama, so that U+200C and
/// U+200D change what is seen. Whole blocks: a joiner beside the comma of such a script is odd, but
/// it is not a hidden thing worth a list of letters.
const JOINING_SCRIPTS: [(u32, u32); 29] = [
    (0x0600, 0x077F),   // Arabic, Syriac, Arabic Supplement
    (0x07C0, 0x07FF),   // N'Ko
    (0x0840, 0x08FF),   // Mandaic, Syriac Supplement, Arabic Extended
    (0x0900, 0x0DFF),   // Devanagari to Sinhala
    (0x0F00, 0x0FFF),   // Tibetan
    (0x1000, 0x109F),   // Myanmar
    (0x1700, 0x177F),   // Tagalog, Hanunoo, Buhid, Tagbanwa
    (0x1780, 0x17FF),   // Khmer: the joiners choose between shapes of its shifters
    (0x1800, 0x18AF),   // Mongolian
    (0x1A20, 0x1AAF),   // Tai Tham
    (0x1B00, 0x1BFF),   // Balinese, Sundanese, Batak
    (0x1C00, 0x1C4F),   // Lepcha
    (0x1CD0, 0x1CFF),   // Vedic Extensions
    (0xA800, 0xA82F),   // Syloti Nagri
    (0xA840, 0xA8FF),   // Phags-pa, Saurashtra, Devanagari Extended
    (0xA930, 0xA95F),   // Rejang
    (0xA980, 0xA9FF),   // Javanese, Myanmar Extended-B
    (0xAA60, 0xAA7F),   // Myanmar Extended-A
    (0xAAE0, 0xAAFF),   // Meetei Mayek Extensions
    (0xABC0, 0xABFF),   // Meetei Mayek
    (0xFB50, 0xFDFF),   // Arabic Presentation Forms-A
    (0xFE70, 0xFEFC),   // Arabic Presentation Forms-B
    (0x10AC0, 0x10AFF), // Manichaean
    (0x10B80, 0x10BAF), // Psalter Pahlavi
    (0x10D00, 0x10D3F), // Hanifi Rohingya
    (0x10EC0, 0x10EFF), // Arabic Extended-C
    (0x10F30, 0x10FDF), // Sogdian, Old Uyghur, Chorasmian
    (0x11000, 0x11FFF), // Brahmi and the historic scripts that descend from it
    (0x1E900, 0x1E95F), // Adlam
];

fn is_of_joining_script(c: char) -> bool {
    is_in(&JOINING_SCRIPTS, c)
}

/// Blocks with the parts of emoji sequences: people, hearts, professions' signs, arrows, colours,
/// skin tones. That they hold other symbols too does no harm, since no text hides between symbols.
const PICTOGRAPHS: [(u32, u32); 4] = [
    (0x2190, 0x21FF),   // Arrows: a person who faces or moves another way
    (0x2600, 0x27BF),   // Miscellaneous Symbols, Dingbats: male and female sign, heart, skull
    (0x2B00, 0x2BFF),   // Miscellaneous Symbols and Arrows: the black square of the black bird
    (0x1F000, 0x1FAFF), // The emoji blocks
];

fn is_pictograph(c: char) -> bool {
    is_in(&PICTOGRAPHS, c)
}

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&u32::from(c)))
}

/// A name for people; only of characters that can be findings.
fn name(c: char) -> &'static str {
    match c {
        '\0' => "null",
        '\u{08}' => "backspace",
        '\u{1B}' => "escape",
        '\u{7F}' => "delete",
        '\u{85}' => "next line",
        _ if c.is_control() => "control character",
        '\u{200B}' => "zero width space",
        ZERO_WIDTH_NON_JOINER => "zero width non-joiner",
        ZERO_WIDTH_JOINER => "zero width joiner",
        '\u{202A}' => "left-to-right embedding",
        '\u{202B}' => "right-to-left embedding",
        '\u{202C}' => "pop directional formatting",
        '\u{202D}' => "left-to-right override",
        '\u{202E}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2061}' => "function application",
        '\u{2062}' => "invisible times",
        '\u{2063}' => "invisible separator",
        '\u{2064}' => "invisible plus",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{FEFF}' => "byte order mark",
        '\u{FFFD}' => "replacement character",
        '\u{E0000}'..='\u{E007F}' => "tag character",
        _ if is_filler(c) => "Hangul filler",
        _ if is_variation_selector(c) => "variation selector",
        _ if u32::from(c) & 0xFFFE == 0xFFFE => "noncharacter",
        '\u{FDD0}'..='\u{FDEF}' => "noncharacter",
        _ => "private use character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(text: &str) -> ContentChecks {
        let mut found = ContentChecks::default();
        examine(text, &mut found);
        found
    }

    fn has(text: &str, check: ContentCheck) -> bool {
        checks(text).contains(check)
    }

    #[test]
    fn controls() {
        for c in ('\0'..='\u{9F}').filter(|c| c.is_control()) {
            let expected = !matches!(c, '\t' | '\n' | '\r');
            assert_eq!(has(&format!("a{c}b"), ContentCheck::ControlCharacters), expected, "{c:?}");
        }
        assert!(checks("\u{20}~\u{A0}\u{2028}").is_empty());
    }

    #[test]
    fn always_invisible() {
        let listed = [
            '\u{115F}',
            '\u{1160}',
            '\u{200B}',
            '\u{202A}',
            '\u{202E}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{2069}',
            '\u{3164}',
            '\u{FEFF}',
            '\u{FFA0}',
            '\u{E0000}',
            '\u{E0041}',
            '\u{E007F}',
        ];
        for c in listed {
            assert!(has(&format!("a{c}b"), ContentCheck::InvisibleCharacters), "{c:?}");
            assert!(has(&format!("{c}"), ContentCheck::InvisibleCharacters), "{c:?}");
        }
        // Neighbours of the listed ones, and invisible characters that honest text needs.
        let unlisted = [
            '\u{AD}',
            '\u{61C}',
            '\u{115E}',
            '\u{1161}',
            '\u{200A}',
            '\u{200E}',
            '\u{200F}',
            '\u{2029}',
            '\u{202F}',
            '\u{205F}',
            '\u{2065}',
            '\u{206A}',
            '\u{3163}',
            '\u{E0080}',
        ];
        for c in unlisted {
            assert!(checks(&format!("a{c}b")).is_empty(), "{c:?}");
        }
    }

    #[test]
    fn joiners() {
        let honest = [
            "می\u{200C}خواهم",
            "CD\u{200C}ها",
            "ه\u{200D}",
            "\u{200D}ه",
            "क्\u{200D}ष",
            "ක්\u{200D}රම",
            "ន\u{200C}",
            "👨\u{200D}👩\u{200D}👧",
            "👩🏽\u{200D}🚀",
            "🏳\u{FE0F}\u{200D}🌈",
            "❤\u{FE0F}\u{200D}🔥",
            "🏴\u{200D}☠\u{FE0F}",
            "🏃\u{200D}➡\u{FE0F}",
        ];
        for text in honest {
            assert!(checks(text).is_empty(), "{text:?}");
        }
        let hidden = [
            "a\u{200D}b",
            "pay\u{200C}pal",
            "\u{200D}",
            "👩\u{200D}",
            "👩\u{200D}a",
            "👩\u{200C}👩",
            "漢\u{200D}字",
            "Auf\u{200C}lage",
            "می\u{200C}\u{200C}خواهم",
            "می\u{200C}\u{200D}\u{200C}\u{200D}",
        ];
        for text in hidden {
            assert!(has(text, ContentCheck::InvisibleCharacters), "{text:?}");
        }
    }

    #[test]
    fn variation_selectors() {
        for text in ["❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "葛\u{E0100}", "ᠠ\u{180B}", "≩\u{FE00}"]
        {
            assert!(checks(text).is_empty(), "{text:?}");
        }
        for text in
            ["\u{FE0F}", "\u{E0100}a", "😀\u{FE0F}\u{FE0F}", "😀\u{FE00}\u{E0101}", "\u{180F}"]
        {
            assert!(has(text, ContentCheck::InvisibleCharacters), "{text:?}");
        }
    }

    #[test]
    fn tags() {
        let flag = |code: &str| {
            let tags = code.bytes().filter_map(|byte| char::from_u32(0xE0000 + u32::from(byte)));
            format!("{BLACK_FLAG}{}{CANCEL_TAG}", tags.collect::<String>())
        };
        for code in ["gbeng", "gbsct", "gbwls", "ustx", "840ab"] {
            assert!(checks(&format!("go {}!", flag(code))).is_empty(), "{code}");
        }
        for code in ["", "gb", "gbENG", "gb eng", "ignoreall", "gbabcde", "84"] {
            assert!(has(&flag(code), ContentCheck::InvisibleCharacters), "{code}");
        }
        let unfinished = flag("gbeng").replace(CANCEL_TAG, "");
        assert!(has(&unfinished, ContentCheck::InvisibleCharacters));
        assert!(has(&flag("gbeng").replace(BLACK_FLAG, "😀"), ContentCheck::InvisibleCharacters));
        assert!(has(&format!("{}{CANCEL_TAG}", flag("gbeng")), ContentCheck::InvisibleCharacters));
        assert!(checks("🏴").is_empty());
    }

    #[test]
    fn damage() {
        let listed = [
            '\u{E000}',
            '\u{F8FF}',
            '\u{FDD0}',
            '\u{FDEF}',
            '\u{FFFD}',
            '\u{FFFE}',
            '\u{FFFF}',
            '\u{1FFFE}',
            '\u{F0000}',
            '\u{FFFFD}',
            '\u{FFFFF}',
            '\u{100000}',
            '\u{10FFFF}',
        ];
        for c in listed {
            assert!(has(&format!("a{c}"), ContentCheck::EncodingDamage), "{c:?}");
        }
        for c in ['\u{D7FF}', '\u{F900}', '\u{FDCF}', '\u{FDF0}', '\u{FFFC}', '\u{1FFFD}'] {
            assert!(checks(&format!("a{c}")).is_empty(), "{c:?}");
        }
    }
}
