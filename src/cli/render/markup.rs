//! Text as XML and HTML hold it.

use agent_output_verifier::text::escaped;

/// Text for an element or an attribute. What XML 1.0 cannot hold, even as a reference, stands as a
/// JSON escape, and so do line breaks, which attributes lose.
pub(super) fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // Not only in `]]>`: it is easier to see that it is right.
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' => out.push_str("\\ufffe"),
            '\u{ffff}' => out.push_str("\\uffff"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_markup_cannot_hold() {
        assert_eq!(markup("]]>&\"'<a>"), "]]&gt;&amp;&quot;&#39;&lt;a&gt;");
        assert_eq!(markup("\0\u{1b}\n\u{fffe}\u{ffff}"), "\\u0000\\u001b\\n\\ufffe\\uffff");
    }
}
