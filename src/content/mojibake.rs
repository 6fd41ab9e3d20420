//! UTF-8 that was read as Windows-1252 or Latin-1: `Ã©` for `é`, `â€™` for `’`.
//!
//! Every character is mapped back to the byte it was read from; misread text gives valid UTF-8
//! again. That alone is not enough. French `« été »` with no-break spaces holds the very characters
//! that 頻 misread gives, and so do Czech `víš…`, Portuguese `“MANHÃ”` and `CAFÉ”`. So what follows
//! the first character must also be something that honest text does not put after a letter, and
//! letters of other alphabets must come at least in pairs, as words do. In doubt the text is
//! honest: misread text goes on, and gives itself away by another of its characters.

/// The length in bytes of the misread text that `text` starts with, `None` when it is honest there.
///
/// `text` starts with a character between U+00C2 and U+00F4, and `before` is all that precedes it.
pub(super) fn length(before: &str, text: &str) -> Option<usize> {
    // The characters of the bytes 80 to BF begin with one of these bytes in the text as it is. That
    // settles it for the accented letters of most honest words.
    if !matches!(text.as_bytes().get(2)?, 0xC2 | 0xC5 | 0xC6 | 0xCB | 0xE2) {
        return None;
    }
    let sequence = Sequence::read(text)?;
    let before = before.chars().next_back();
    let tail = sequence.tail();
    let next = text[sequence.length..].chars().next();
    let misread = match sequence.bytes[0] {
        // Symbols of Latin-1 and the no-break space; no language ends a word in Â. Below A0 the
        // result would be a control character, which was hardly meant.
        0xC2 => tail[0] >= 0xA0 && !is_shown_letter(before, tail[0], next),
        // Accented letters of western languages. Words in capitals do end in Ã: Portuguese MANHÃ,
        // Vietnamese ĐÃ.
        0xC3 => {
            let ends_word = before.is_some_and(char::is_uppercase)
                && is_closing(tail[0])
                && (tail[0] == 0xA0 || !next.is_some_and(char::is_alphabetic));
            !ends_word && !is_shown_letter(before, tail[0], next)
        }
        // Letters of central European languages and Turkish.
        0xC4 | 0xC5 => !is_honest_after_capital(before, tail[0], next),
        // Romanian ș and ț, from the middle of a block that is otherwise rare.
        0xC8 if matches!(tail[0], 0x98..=0x9B) => !is_honest_after_capital(before, tail[0], next),
        0xC6..=0xDF => return foreign_word(text),
        // Punctuation, arrows, check marks. Words that end in â are rare, so that only quotation
        // marks and the like count as honest after it.
        0xE2 => !tail.iter().all(|&byte| is_closing(byte)),
        // Vietnamese, whose letters these are: in `Nguyá»…n` only the rest of the word tells.
        0xE1 if matches!(tail[0], 0xBA | 0xBB) => {
            !is_closing(tail[1]) || next.is_some_and(char::is_alphabetic)
        }
        // Asian and African scripts, emoji.
        0xE0..=0xF0 => !tail.iter().all(|&byte| is_ordinary(byte)),
        // Planes without characters in common use.
        _ => false,
    };
    misread.then_some(sequence.length)
}

/// What misread text should have been, and the encoding it was taken for.
pub(super) fn reread(misread: &str) -> Option<(String, &'static str)> {
    let bytes: Option<Vec<u8>> = misread.chars().map(byte).collect();
    let meant = String::from_utf8(bytes?).ok()?;
    let encoding = if misread.chars().any(char::is_control) { "Latin-1" } else { "Windows-1252" };
    Some((meant, encoding))
}

/// Characters whose bytes make one character in UTF-8.
struct Sequence {
    bytes: [u8; 4],
    count: usize,
    /// The length of these characters in the text as it is.
    length: usize,
}

impl Sequence {
    /// The sequence at the start of `text`, if there is one.
    fn read(text: &str) -> Option<Self> {
        let mut characters = text.chars();
        let mut next_byte = || characters.next().and_then(byte);
        let first = next_byte()?;
        let count = match first {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return None,
        };
        let mut bytes = [first, 0, 0, 0];
        for place in &mut bytes[1..count] {
            *place = next_byte().filter(|byte| matches!(byte, 0x80..=0xBF))?;
        }
        // Only longer sequences can still be no UTF-8 (overlong, a surrogate): the decoder knows.
        if count > 2 {
            std::str::from_utf8(&bytes[..count]).ok()?;
        }
        Some(Sequence { bytes, count, length: text.len() - characters.as_str().len() })
    }

    fn tail(&self) -> &[u8] {
        &self.bytes[1..self.count]
    }

    fn is_foreign_letter(&self) -> bool {
        match self.bytes[0] {
            // Hebrew letters only: "½×½×½" and "5×²" are sizes, not Hebrew points.
            0xD7 => (0x90..=0xAA).contains(&self.bytes[1]),
            // Not DF: ß ends words (`Spaß“`), and N'Ko, which it would mean, is rarely misread.
            0xC6..=0xDE => true,
            _ => false,
        }
    }
}

/// The most letters of a misread word that are looked at, to bound the work at each of them.
const WORD_LETTERS: usize = 3;

/// The length of a misread word in Greek, Cyrillic, Hebrew, Arabic or another alphabet whose
/// letters take two bytes: at least two letters in a row, one of them past doubt.
fn foreign_word(text: &str) -> Option<usize> {
    let mut length = 0;
    let mut letters = 0;
    let mut past_doubt = false;
    while letters < WORD_LETTERS
        && let Some(letter) = Sequence::read(&text[length..])
        && letter.is_foreign_letter()
    {
        letters += 1;
        past_doubt |= !is_ordinary(letter.bytes[1]);
        length += letter.length;
    }
    (letters >= 2 && past_doubt).then_some(length)
}

/// Whether Ä, Å or È with the character after it may be honest: `HYVÄ…`, `BLÅ”`, but not a capital
/// inside a word of small letters (`sÄ…d`) nor a closing mark with the word going on (`Å“uvre`).
fn is_honest_after_capital(before: Option<char>, tail: u8, next: Option<char>) -> bool {
    let inside_word = before.is_some_and(char::is_lowercase);
    let goes_on = next.is_some_and(char::is_alphabetic) && !may_stand_inside_word(tail);
    is_ordinary(tail) && !inside_word && !goes_on
}

/// Whether the capital itself is what the text is about: `“Ã”`, `«Â»`, `« Â »`.
fn is_shown_letter(before: Option<char>, tail: u8, next: Option<char>) -> bool {
    let opened = matches!(
        before,
        Some('“' | '”' | '„' | '‘' | '’' | '‚' | '«' | '»' | '‹' | '›' | '"' | '(' | '\u{A0}')
    );
    opened && is_closing(tail) && !next.is_some_and(char::is_alphabetic)
}

/// The Windows-1252 bytes of what ends a word or a phrase: … ‘ ’ “ ” – — ™ › no-break space « ® ».
fn is_closing(byte: u8) -> bool {
    matches!(byte, 0x85 | 0x91..=0x94 | 0x96 | 0x97 | 0x99 | 0x9B | 0xA0 | 0xAB | 0xAE | 0xBB)
}

/// The Windows-1252 bytes of what honest text may well have after a letter: what closes, the
/// letters Š Œ Ž š œ ž, and † ‡ ‹ • © ª soft hyphen ° ² ³ ´ · ¹ º. Ÿ is left out, as it begins no
/// word.
fn is_ordinary(byte: u8) -> bool {
    is_closing(byte)
        || is_letter(byte)
        || matches!(
            byte,
            0x86 | 0x87 | 0x8B | 0x95 | 0xA9 | 0xAA | 0xAD | 0xB0 | 0xB2
                ..=0xB4 | 0xB7 | 0xB9 | 0xBA
        )
}

fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x8A | 0x8C | 0x8E | 0x9A | 0x9C | 0x9E)
}

/// What may have letters on both sides: letters, … ‘ ’ – — no-break space, soft hyphen, ´ and ·.
fn may_stand_inside_word(byte: u8) -> bool {
    is_letter(byte) || matches!(byte, 0x85 | 0x91 | 0x92 | 0x96 | 0x97 | 0xA0 | 0xAD | 0xB4 | 0xB7)
}

/// The byte that Windows-1252 reads as `c`, or that Latin-1 does where Windows-1252 has no such
/// character (U+0080 to U+009F); `None` for ASCII, which misreading does not change.
fn byte(c: char) -> Option<u8> {
    Some(match c {
        '\u{80}'..='\u{FF}' => u32::from(c) as u8,
        '€' => 0x80,
        '‚' => 0x82,
        'ƒ' => 0x83,
        '„' => 0x84,
        '…' => 0x85,
        '†' => 0x86,
        '‡' => 0x87,
        'ˆ' => 0x88,
        '‰' => 0x89,
        'Š' => 0x8A,
        '‹' => 0x8B,
        'Œ' => 0x8C,
        'Ž' => 0x8E,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        '˜' => 0x98,
        '™' => 0x99,
        'š' => 0x9A,
        '›' => 0x9B,
        'œ' => 0x9C,
        'ž' => 0x9E,
        'Ÿ' => 0x9F,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{ContentCheck, TextRole, examine};
    use super::*;

    /// `text` as UTF-8, read as Windows-1252 with the C1 controls in its gaps.
    fn misread(text: &str) -> String {
        let read = |byte: u8| match byte {
            0..0x80 => char::from(byte),
            _ => "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
                .chars()
                .find(|&c| super::byte(c) == Some(byte))
                .unwrap_or(char::from(byte)),
        };
        text.bytes().map(read).collect()
    }

    fn is_damaged(text: &str) -> bool {
        examine(text, TextRole::Value).contains(ContentCheck::EncodingDamage)
    }

    #[test]
    fn misread_text_is_found_and_reread() {
        let meant = [
            "é",
            "café",
            "voilà Paris",
            "à Paris",
            "São",
            "SÃO",
            "ÉTÉ",
            "CITROËN",
            "GRÖSSE",
            "œuvre",
            "cœur",
            "Müller",
            "10\u{A0}kg",
            "£5",
            "20°C",
            "©",
            "½",
            "¿qué?",
            "don’t",
            "“quoted”",
            "a – b",
            "…",
            "€",
            "™",
            "→",
            "✓",
            "✅",
            "★",
            "sąd",
            "příliš",
            "łódź",
            "ışık",
            "și",
            "țară",
            "привет",
            "Ελλάδα",
            "שלום",
            "مرحبا",
            "漢字",
            "かな",
            "한국어",
            "Việt",
            "Nguyễn",
            "ไทย",
            "😀",
            "🔥",
            "🚀",
            "\u{FEFF}a",
            "\u{FFFD}",
        ];
        for meant in meant {
            let text = misread(meant);
            assert!(is_damaged(&text), "{text:?} for {meant:?}");
            if !text.contains(|c: char| c.is_ascii()) {
                assert_eq!(reread(&text).map(|(reread, _)| reread).as_deref(), Some(meant));
            }
        }
        for text in
            ["Ã©", "â€™", "Ã¼", "Â£", "ðŸ˜€", "ÃƒÂ©", "Ã\u{89}", "ï¿½", "ï»¿", "Ã\u{A0} Paris"]
        {
            assert!(is_damaged(text), "{text:?}");
        }
    }

    #[test]
    fn honest_text_is_left_alone() {
        let honest = [
            "SÃO PAULO",
            "MAÇÃ",
            "“MANHÃ”",
            "AMANHÃ…",
            "MAÇÃ\u{A0}VERDE",
            "“Ã”",
            "«Â»",
            "«\u{A0}Â\u{A0}»",
            "Ã",
            "Â",
            "ĐÃ…",
            "« été\u{A0}»",
            "l’été\u{A0}»",
            "é…»",
            "está»…",
            "CAFÉ”",
            "CAFÉ™",
            "BEYONCÉ®",
            "„Spaß“",
            "Maß–Einheit",
            "víš…”",
            "máš…",
            "BLÍŽÍ…",
            "ÍŽ",
            "HYVÄ…",
            "BLÅ”",
            "Åland",
            "Ärger",
            "naïve café",
            "€ 5",
            "5 €",
            "Ð",
            "það”",
            "Þór…",
            "½×½×½",
            "5×²",
            "3×”",
            "employé·e·s",
            "né†",
            "Pré\u{AD}sident",
            "été²",
            "nº 5",
            "Â »",
            "Ã ©",
            "amanhã”.",
            "đã…”",
            "ñandú",
            "à la «\u{A0}carte\u{A0}»",
            "“È…”",
            "São Tomé e Príncipe",
            "Привет",
            "漢字",
            "Việt Nam",
            "crème brûlée — 5 €",
        ];
        for text in honest {
            assert!(!is_damaged(text), "{text:?}");
        }
    }
}
