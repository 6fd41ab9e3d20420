//! Text from strangers, made fit to be shown.
//!
//! What is judged was written by somebody else: it can hold escape sequences that drive a terminal,
//! bidirectional controls that reorder a line, or a megabyte where a word was expected.

/// Characters of a quoted value that messages show.
pub const QUOTE_LIMIT: usize = 200;

/// Cuts a text at [`QUOTE_LIMIT`] characters, with an ellipsis where something was cut.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTE_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a character can change how the text around it is shown, or cannot be seen at all.
fn is_hazardous(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// The text with control, bidirectional and invisible characters as JSON escapes, so that it stays
/// on its line and in its order.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hazardous(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// The text in double quotes, shortened and escaped.
pub fn quoted(text: &str) -> String {
    let inner = escaped(&shortened(&text.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("\"{inner}\"")
}

/// The known name closest to a mistyped one, if it is close enough to be meant.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let allowed = |candidate: &str| 1 + candidate.len().min(name.len()) / 4;
    known
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 4 * allowed(candidate))
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= allowed(candidate))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in characters, ignoring case.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_escaped() {
        assert_eq!(escaped("a\u{1b}[31m\u{202e}b\nc"), "a\\u001b[31m\\u202eb\\nc");
        assert_eq!(escaped("\u{e0041}"), "\\udb40\\udc41");
        assert_eq!(quoted("say \"é\""), "\"say \\\"é\\\"\"");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shortened(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(shortened(&"é".repeat(201)), "é".repeat(200) + "…");
    }

    #[test]
    fn a_mistyped_name_finds_the_nearest_known_one() {
        let known = ["enforce_rules", "rules", "task_id"];
        assert_eq!(closest("enforce_rule", known), Some("enforce_rules"));
        assert_eq!(closest("Rules", known), Some("rules"));
        assert_eq!(closest("taskid", known), Some("task_id"));
        assert_eq!(closest("submitted", known), None);
    }
}
