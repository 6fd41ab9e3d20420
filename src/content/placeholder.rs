//! Placeholder text: filler that stands where a value should be.
//!
//! Owns the word lists. Words count as whole values or at the beginning, never inside a text:
//! "Todos Santos Winery" is a name and "the report found 14 TODO comments" a report. Only template
//! marks count anywhere, for a rendered text has none left. The lists are English, as fillers are.

use super::{character_number, quoted};

/// What kind of placeholder a value is or holds, with the part of it that shows this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Placeholder<'a> {
    /// The whole value is a word of filler.
    Word(&'a str),
    /// The value begins with a word of filler.
    Opening(&'a str),
    /// The whole value is an instruction in brackets.
    Instruction(&'a str),
}

/// Values that say that there is no value, in any case.
const WORDS: [&str; 7] = [
    // What writers leave for themselves.
    "todo",
    "tbd",
    "fixme",
    // What forms get when a field may not be empty.
    "n/a",
    // What JavaScript makes of an object, a missing value and a failed sum when forced into text.
    "[object object]",
    "undefined",
    "nan",
];

/// Beginnings of a note on what is to be done, and of the printer's blind text, in any case.
const OPENINGS: [&str; 4] = ["todo:", "tbd:", "fixme:", "lorem ipsum dolor"];

/// The placeholder that a value is as a whole, or begins with; the value comes without white space
/// around it.
pub(super) fn whole(value: &str) -> Option<Placeholder<'_>> {
    let [first, second, ..] = *value.as_bytes() else {
        return None;
    };
    // The first two bytes spare nearly every value the lists.
    match [first.to_ascii_lowercase(), second.to_ascii_lowercase()] {
        [b't', b'o' | b'b']
        | [b'f', b'i']
        | [b'n', b'/' | b'a']
        | [b'u', b'n']
        | [b'l', b'o']
        | [b'[', b'o'] => {
            if WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) {
                return Some(Placeholder::Word(value));
            }
            for opening in OPENINGS {
                if let Some(start) = value.get(..opening.len())
                    && start.eq_ignore_ascii_case(opening)
                {
                    return Some(Placeholder::Opening(start));
                }
            }
        }
        // Two x are a size, or a pair of chromosomes.
        [b'x', b'x'] => {
            let filler = value.len() >= 3 && value.bytes().all(|byte| matches!(byte, b'x' | b'X'));
            return filler.then_some(Placeholder::Word(value));
        }
        [b'[' | b'<', _] => {}
        _ => return None,
    }
    is_instruction(value).then_some(Placeholder::Instruction(value))
}

/// What was found in the value `text`, `trimmed` being what is left of it without white space
/// around.
pub(super) fn describe(text: &str, trimmed: &str) -> Option<String> {
    Some(match whole(trimmed) {
        Some(Placeholder::Word(word)) => {
            format!("the whole value is the placeholder {}", quoted(word))
        }
        Some(Placeholder::Opening(start)) => format!("the value begins with {}", quoted(start)),
        Some(Placeholder::Instruction(instruction)) => {
            format!("the whole value is the instruction {}", quoted(instruction))
        }
        None => {
            let (at, mark) = template_mark(text)?;
            let number = character_number(text, at);
            format!("the unrendered template mark {} at character {number}", quoted(mark))
        }
    })
}

/// The longest instruction, in bytes between its brackets. Longer ones are prose in brackets.
const MAX_INSTRUCTION: usize = 100;

/// Words that, before any other word, tell the reader what to put in place of the brackets.
const COMMANDS: [&str; 5] = ["your", "insert", "provide", "replace", "specify"];

/// Verbs that tell it only before one of [`OBJECTS`] or a [`FIELDS`] word: "[Add to cart]", "[Type
/// II]" and "[Enter]" are labels, "[add a description]" and "[enter date]" are not.
const VERBS: [&str; 10] =
    ["add", "choose", "describe", "enter", "fill", "give", "put", "select", "type", "write"];

/// What makes a command of the verb before it, if more follows.
const OBJECTS: [&str; 8] = ["a", "an", "the", "your", "one", "in", "out", "this"];

/// The names of what forms ask for. A bracketed label made of them is the blank of a form:
/// "[Company Name]". The second column tells which may stand last in such a label.
const FIELDS: [(&str, bool); 34] = [
    ("account", false),
    ("address", true),
    ("amount", true),
    ("author", false),
    ("city", true),
    ("client", false),
    ("company", true),
    ("contact", false),
    ("country", true),
    ("customer", false),
    ("date", true),
    ("department", true),
    ("description", true),
    ("due", false),
    ("email", true),
    ("end", false),
    ("first", false),
    ("full", false),
    ("invoice", false),
    ("job", false),
    ("last", false),
    ("link", true),
    ("name", true),
    ("number", true),
    ("organization", true),
    ("password", true),
    ("phone", true),
    ("product", false),
    ("project", false),
    ("recipient", false),
    ("sender", false),
    ("start", false),
    ("text", true),
    ("title", true),
];

/// The fields that make a label alone. "[link]" and "[text]" are what web pages turn into.
const SINGLE_FIELDS: [&str; 4] = ["address", "company", "date", "name"];

/// Whether `value` is an instruction in brackets.
///
/// Much that is honest stands in brackets too: "[2026]", "[sic]", "[REDACTED]", a tag, a link, an
/// address, a JSON array, a label such as `<PHONE_NUMBER>` that redaction leaves. So the words must
/// read as an instruction, or as the blank of a form.
fn is_instruction(value: &str) -> bool {
    let Some((inside, angle)) = unbracketed(value) else {
        return false;
    };
    let starts_with_letter = inside.starts_with(char::is_alphabetic);
    let is_link_or_tag = inside.contains(['@', '=']) || inside.contains("://");
    if inside.len() > MAX_INSTRUCTION
        || !starts_with_letter
        || is_link_or_tag
        || inside.ends_with('/')
        || inside.contains(['[', ']', '<', '>', '{', '}'])
    {
        return false;
    }
    let words: Vec<&str> = inside
        .split(|c: char| c.is_whitespace() || matches!(c, '_' | '-'))
        .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation() && c != ','))
        .filter(|word| !word.is_empty())
        .collect();
    match words[..] {
        [] => false,
        [first, ..] if is_unfinished(first) => true,
        [.., last] if is_unfinished(last) => true,
        [first, _, ..] if is_one_of(&COMMANDS, first) => true,
        [first, second, ref more @ ..] if is_one_of(&VERBS, first) => {
            is_one_of(&["here"], more.last().unwrap_or(&second))
                || field(second).is_some()
                || more.first().is_some_and(|third| field(third).is_some())
                || (is_one_of(&OBJECTS, second) && !more.is_empty())
                || (is_one_of(&["fill"], first) && is_one_of(&["in", "out"], second))
        }
        [.., verb, here] if is_one_of(&["here"], here) && is_one_of(&["goes"], verb) => true,
        [ref label @ .., here] if is_one_of(&["here"], here) => is_label(label),
        // In capitals a label may as well tell what was removed: "[PHONE NUMBER]". In angle
        // brackets one word may be a tag, "<title>" or "<name>", and so may joined words.
        _ if !inside.contains(char::is_lowercase) => false,
        [name] => !angle && is_one_of(&SINGLE_FIELDS, name),
        _ if angle && inside.contains(['_', '-']) => false,
        ref label => is_label(label),
    }
}

/// What is inside all brackets around `value`, and whether they are angle brackets.
fn unbracketed(value: &str) -> Option<(&str, bool)> {
    let (opening, closing) = match value.as_bytes().first()? {
        b'[' => ('[', ']'),
        b'<' => ('<', '>'),
        _ => return None,
    };
    let mut inside = value.strip_prefix(opening)?.strip_suffix(closing)?;
    while let Some(deeper) = inside.strip_prefix(opening).and_then(|i| i.strip_suffix(closing)) {
        inside = deeper;
    }
    Some((inside.trim(), opening == '<'))
}

/// Words that say so themselves. "Todo" must be in capitals or small letters: "[Todo el día]" is
/// Spanish.
fn is_unfinished(word: &str) -> bool {
    is_one_of(&["placeholder", "tbd", "fixme"], word) || matches!(word, "TODO" | "todo")
}

fn is_label(words: &[&str]) -> bool {
    words.iter().all(|word| field(word).is_some())
        && words.last().and_then(|word| field(word)).is_some_and(|stands_last| stands_last)
}

/// Whether `word` names a field, and then whether it may stand last.
fn field(word: &str) -> Option<bool> {
    FIELDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|&(_, last)| last)
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|listed| word.eq_ignore_ascii_case(listed))
}

/// The longest inside of a template mark, in bytes.
const MAX_MARK: usize = 128;

/// The first unrendered template mark in `text`, with the byte where it starts: `{{name}}` (Jinja,
/// Mustache and many more), `${name}` (JavaScript, shells), `<%= name %>` (ERB, EJS).
///
/// A name must be inside. `{{1, 2}, {3, 4}}` is a matrix, `${}` and `$5 {about}` are nothing. After
/// a backslash a mark is escaped, so meant to be seen; after `$`, `${` is a template's way to write
/// it.
pub(super) fn template_mark(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // After a LaTeX command or another of its arguments, double braces are LaTeX: \frac{{a}}{{b}}.
    let mut latex_end = None;
    // The inside of a mark holds neither brace nor percent sign, so nothing is read more than
    // twice.
    while let Some(skipped) = bytes[at..].iter().position(|&byte| is_delimiter(byte)) {
        let sign = at + skipped;
        let braces = bytes[sign..].iter().take_while(|&&byte| byte == b'{').count();
        at = sign + braces.max(1);
        let (before, inside_on) = (&bytes[..sign], &bytes[at..]);
        let Some(length) = inside_on.iter().take(MAX_MARK).position(|&byte| is_delimiter(byte))
        else {
            continue;
        };
        let (inside, closing) = (&text[at..at + length], &inside_on[length..]);
        match (braces, before, closing) {
            (0, [.., b'<'], [b'%', b'>', ..])
                if inside.strip_prefix('=').is_some_and(is_name_first) =>
            {
                return Some((sign - 1, &text[sign - 1..at + length + 2]));
            }
            (1, [.., b'$' | b'\\', b'$'], _) | (2.., [.., b'\\'], _) => {}
            (1, [.., b'$'], [b'}', ..]) if is_expression(inside, "|(:?+*/%#^!=&<>") => {
                return Some((sign - 1, &text[sign - 1..at + length + 1]));
            }
            (2.., _, [b'}', b'}', ..]) => {
                let end = at + length + 2;
                if latex_end == Some(sign) || is_after_latex(before) {
                    latex_end = Some(end);
                } else if is_braced_name(inside, before) {
                    return Some((at - 2, &text[at - 2..end]));
                }
            }
            _ => {}
        }
    }
    None
}

/// The bytes that begin or end the inside of a template mark.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'%')
}

/// What `{{ }}` may hold: a name, perhaps with filters, arguments or the sign of a section before
/// it (`{{#each lines}}`, `{{> footer}}`, `{{- name -}}`), or up to three words (`{{First Name}}`).
fn is_braced_name(inside: &str, before: &[u8]) -> bool {
    let inside = inside.trim();
    let plain = inside.trim_start_matches(['-', '~']).trim_end_matches(['-', '~']);
    if let Some(section) = plain.strip_prefix(['#', '/', '^', '>', '&', '.', '$', '@']) {
        return is_name_first(section);
    }
    // BibTeX keeps capitals by double braces: title = {{Deep Learning}}.
    let is_assigned = before.trim_ascii_end().ends_with(b"=");
    let words = plain.split_whitespace().count();
    is_expression(plain, "|(?+")
        || ((2..=3).contains(&words)
            && !is_assigned
            && plain.split_whitespace().all(|word| is_expression(word, "")))
}

/// Whether `inside` is a name or path (`user.name`, `items[0].id`), or one and then an operator out
/// of `operators` and anything.
fn is_expression(inside: &str, operators: &str) -> bool {
    let inside = inside.trim();
    let rest = inside
        .trim_start_matches(|c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '[' | ']' | '\'' | '"')
        })
        .trim_start();
    is_name_first(inside) && (rest.is_empty() || rest.starts_with(|c| operators.contains(c)))
}

fn is_name_first(inside: &str) -> bool {
    inside.trim_start().starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@' | '$'))
}

/// Whether LaTeX comes before double braces: a command (`\text`) or an exponent.
fn is_after_latex(before: &[u8]) -> bool {
    /// Longer than any command in use; bounds the look back.
    const MAX_COMMAND: usize = 32;
    let letters = before.iter().rev().take(MAX_COMMAND).take_while(|b| b.is_ascii_alphabetic());
    let letters = letters.count();
    match before[..before.len() - letters] {
        // One letter is rather the line break of a text that was escaped twice.
        [.., b'\\'] => letters >= 2,
        [.., b'^'] => letters == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ContentCheck, TextRole, examine};

    fn assert_all(texts: &[&str], expected: bool) {
        for text in texts {
            let found = examine(text, TextRole::Value).contains(ContentCheck::PlaceholderText);
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn filler_is_found() {
        assert_all(
            &[
                "TODO: fill in later",
                "[insert customer name]",
                "<your company>",
                "Lorem ipsum dolor sit amet, consectetur",
                "{{ customer.name }}",
                "TBD",
                "N/A",
                "xxxxx",
                "[object Object]",
            ],
            true,
        );
    }

    #[test]
    fn names_and_prose_are_not_filler() {
        assert_all(
            &[
                "Todos Santos Winery",
                "Pfizer/BioNTech Comirnaty",
                "The report found 14 TODO comments in the code",
                "Lorem Ipsum Generator Ltd (publisher)",
                "XXXL hoodie, grey",
                "12 Example Street",
                "Tbdovic Foods",
                "Price list [2026]",
                "Manifest of the test fleet",
                "NA-12 sodium valve",
            ],
            false,
        );
    }

    #[test]
    fn words_and_openings() {
        assert_all(
            &[
                "todo",
                " ToDo\n",
                "tbd",
                "FixMe",
                "n/a",
                "N/a",
                "xxx",
                "XxX",
                "undefined",
                "NaN",
                "nan",
                "[OBJECT OBJECT]",
                "tbd:",
                "fixme: x",
                "Todo:",
                "LOREM IPSUM DOLOR",
            ],
            true,
        );
        assert_all(
            &[
                "to do",
                "todo list",
                "TODO.",
                "tbd?",
                "xx",
                "xxxy",
                "x",
                "n",
                "na",
                "n/a/b",
                "NaN%",
                "[object]",
                "object Object",
                "undefined behaviour",
                "see TODO: x",
                "lorem ipsum",
                "tödo:",
                "fixmé:",
                "not applicable",
                "null",
                "none",
                "XXX Corps",
            ],
            false,
        );
    }

    #[test]
    fn instructions() {
        assert_all(
            &[
                "<your company>",
                "[insert date]",
                "[Your Name]",
                "<insert name here>",
                "<YOUR_API_KEY>",
                "<your-domain>",
                "[[insert date]]",
                " [ INSERT DATE ] ",
                "[Company Name]",
                "<company name>",
                "[name]",
                "[Date]",
                "[Name here]",
                "[add a description]",
                "[enter date]",
                "[Enter your name]",
                "[select one here]",
                "[fill in]",
                "[REPLACE_ME]",
                "[TODO]",
                "<TBD>",
                "[placeholder]",
                "[Placeholder text]",
                "[Customer name TBD]",
                "[TODO: ask Ann]",
                "[text goes here]",
                "[insert city/state]",
            ],
            true,
        );
        assert_all(
            &[
                "[2026]",
                "<p>hello</p>",
                "[sic]",
                "<b>",
                "[1, 2]",
                "<https://x.example>",
                "<a@b.example>",
                "[REDACTED]",
                "<name>",
                "<title>",
                "<PHONE_NUMBER>",
                "[PHONE NUMBER]",
                "[Enter]",
                "[Insert]",
                "[Add to cart]",
                "[Type II]",
                "[Type A]",
                "[select]",
                "[Click here]",
                "[here]",
                "[]",
                "<>",
                "[insert, update, delete]",
                "[name, date]",
                "[Todo el día]",
                "<br/>",
                "<your/>",
                "[unclear]",
                "<your.name@x.example>",
                "<select name=\"x\">",
                "[insert date] and more",
                "on [insert date]",
                "[insert date>",
                "<first_name>",
                "[\"your name\"]",
                "[link]",
                "[Smith et al.]",
                "(insert date)",
                "[Provided by the editor]",
                "[ ]",
                "[x]",
                "[",
                "<",
                "[[",
                "[a] [b]",
            ],
            false,
        );
    }

    #[test]
    fn template_marks() {
        assert_all(
            &[
                "{{name}}",
                "Dear {{ customer.name }},",
                "{{{raw}}}",
                "{{#each lines}}",
                "{{/if}}",
                "{{> foot}}",
                "{{- name -}}",
                "{{ .Name }}",
                "{{ name | upper }}",
                "{{ items[0].id }}",
                "{{ f(x) }}",
                "{{First Name}}",
                "{{имя}}",
                "{{first}}{{last}}",
                "\\nDear {{name}}",
                "\\n{{name}}",
                "${name}",
                "cost ${ order.total }",
                "${HOME}/x",
                "${a:-b}",
                "${a + 1}",
                "${{ github.ref }}",
                "<%= x %>",
                "<p><%=user.name%></p>",
                "{{ {{name}}",
                "${${name}}",
                "{{}} {{name}}",
                "é{{é}}é",
            ],
            true,
        );
        assert_all(
            &[
                "{name}",
                "${}",
                "${ }",
                "$5 {approx}",
                "costs $5 {{approx",
                "{{",
                "}}",
                "{{}}",
                "{{ }}",
                "{{1}}",
                "{{1, 2}, {3, 4}}",
                "{{a, b}, {c, d}}",
                "{{a,b}}",
                "style={{ color: 'red' }}",
                "\\{{name}}",
                "\\${name}",
                "$${name}",
                "${1}",
                "\\frac{{a}}{{b}}",
                "x^{{n}}",
                "\\text{{name}}",
                "title = {{Deep Learning}}",
                "{{name}",
                "${name",
                "<%= %>",
                "<%= x",
                "<% x %>",
                "50%=a %>",
                "{{the quick brown fox}}",
                "{{name\u{0}}}",
                "100% {sure}",
                "{% if x %}",
            ],
            false,
        );
        assert_all(&[&format!("{{{{{}}}}}", "a".repeat(super::MAX_MARK))], false);
    }
}
