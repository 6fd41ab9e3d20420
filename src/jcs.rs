//! Canonical form: RFC 8785 (JCS).
//!
//! Members sorted by the UTF-16 code units of their names, no white space, strings as literal UTF-8
//! and never normalised, doubles as ECMAScript's `Number::toString`. One thing differs from what
//! the RFC leaves to doubles: an integer literal is printed with exactly its digits, also beyond
//! 2^53, so that two different integers never share a hash.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::json::{Kind, Member, Number, Value};

/// Receives canonical bytes.
pub trait Sink {
    /// Takes the next bytes.
    fn push(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn push(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// The canonical form as bytes.
pub fn to_vec(value: Value<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    bytes
}

/// Writes the canonical form of a value.
pub fn write(value: Value<'_>, out: &mut impl Sink) {
    if let Some(scalar) = value.canonical_scalar() {
        return out.push(scalar);
    }
    match value.kind() {
        Kind::Array => {
            let mut before = b'[';
            for element in value.elements() {
                out.push(&[before]);
                write(element, out);
                before = b',';
            }
            out.push(if before == b'[' { b"[]" } else { b"]" });
        }
        Kind::Object => write_members(value, |_| true, out),
        Kind::String => write_string(value.as_str().unwrap_or_default(), out),
        // The others are canonical as they are written.
        _ => {
            if let Some(number) = value.as_number() {
                write_number(number, out);
            }
        }
    }
}

/// Writes the canonical form of an object without one of its members.
pub fn write_without(object: Value<'_>, name: &str, out: &mut impl Sink) {
    write_members(object, |member| member.name() != name, out);
}

fn write_members<'d>(object: Value<'d>, wanted: impl Fn(&Member<'d>) -> bool, out: &mut impl Sink) {
    let mut before = b'{';
    let mut write_member = |member: Member<'_>, out: &mut _| {
        let before = std::mem::replace(&mut before, b',');
        match member.canonical_text() {
            Some([b',', text @ ..]) if before == b'{' => {
                Sink::push(out, b"{");
                Sink::push(out, text);
            }
            Some(text @ [b',', ..]) => Sink::push(out, text),
            Some(text) => {
                Sink::push(out, &[before]);
                Sink::push(out, text);
            }
            None => {
                Sink::push(out, &[before]);
                write(member.name_value(), out);
                Sink::push(out, b":");
                write(member.value(), out);
            }
        }
    };
    let named = |member: Member<'d>| (member.name(), member);
    let mut few = SmallVec::new();
    if let Some(by_name) = object.members_by_name()
        && object.members_by_name().is_some_and(|members| is_sorted(members.map(named)))
    {
        by_name.filter(wanted).for_each(|member| write_member(member, out));
    } else if few_in_order(object, &mut few) {
        let members = few.iter().map(|&(_, member)| member);
        members.filter(wanted).for_each(|member| write_member(member, out));
    } else {
        let members = object.members().filter(wanted);
        let mut members: SmallVec<[(&str, Member<'d>); 16]> = members.map(named).collect();
        members.sort_unstable_by(|(a, _), (b, _)| compare_names(a, b));
        members.into_iter().for_each(|(_, member)| write_member(member, out));
    }
    out.push(if before == b'{' { b"{}" } else { b"}" });
}

/// Puts the members in canonical order, where there are few and the first bytes of their names tell it;
/// false where not.
fn few_in_order<'d>(object: Value<'d>, members: &mut SmallVec<[(u64, Member<'d>); 16]>) -> bool {
    if object.len() > members.inline_size() {
        return false;
    }
    for member in object.members() {
        let Some(start) = member.name_start() else {
            return false;
        };
        members.push((start, member));
    }
    let is_sorted = |members: &[(u64, _)]| members.is_sorted_by(|(a, _), (b, _)| a < b);
    if is_sorted(members) {
        return true;
    }
    members.sort_unstable_by_key(|(start, _)| *start);
    is_sorted(members)
}

/// Whether members are in canonical order: as machines often write them, and as sorting by bytes nearly
/// always leaves them.
fn is_sorted<'d>(members: impl Iterator<Item = (&'d str, Member<'d>)>) -> bool {
    members.is_sorted_by(|(a, _), (b, _)| compare_names(a, b).is_lt())
}

/// The order of RFC 8785 §3.2.3: by UTF-16 code units.
///
/// It differs from the order of UTF-8 bytes only where a surrogate pair meets U+E000 to U+FFFF.
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    match (a.as_bytes().get(common), b.as_bytes().get(common)) {
        (Some(x), Some(y)) if *x < 0xEE && *y < 0xEE => x.cmp(y),
        (Some(_), Some(_)) => a.encode_utf16().cmp(b.encode_utf16()),
        (x, y) => x.cmp(&y),
    }
}

/// Writes a number's canonical digits.
pub fn write_number(number: Number<'_>, out: &mut impl Sink) {
    match number {
        Number::Integer("-0") => out.push(b"0"),
        Number::Integer(digits) => out.push(digits.as_bytes()),
        Number::Double(double) => {
            out.push(ryu_js::Buffer::new().format_finite(double).as_bytes());
        }
    }
}

/// Writes a string with the escapes of RFC 8785 §3.2.2.2 and no others.
pub fn write_string(text: &str, out: &mut impl Sink) {
    out.push(b"\"");
    let bytes = text.as_bytes();
    let is_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    // Nearly no text has any, which is seen for many bytes at once.
    let escaped = bytes.iter().fold(false, |found, &byte| found | is_escaped(byte));
    let mut from = 0;
    for (at, &byte) in bytes.iter().enumerate().filter(|_| escaped) {
        if !is_escaped(byte) {
            continue;
        }
        out.push(&bytes[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push(b"\\\""),
            b'\\' => out.push(b"\\\\"),
            0x08 => out.push(b"\\b"),
            0x09 => out.push(b"\\t"),
            0x0A => out.push(b"\\n"),
            0x0C => out.push(b"\\f"),
            0x0D => out.push(b"\\r"),
            _ => out.push(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.push(&bytes[from..]);
    out.push(b"\"");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn canonical(text: &str) -> String {
        String::from_utf8(to_vec(Document::parse(text.as_bytes()).unwrap().root())).unwrap()
    }

    #[test]
    fn members_sort_by_utf16_code_units() {
        assert_eq!(
            canonical(
                "{\"\u{e000}\":1,\"\u{1f34f}\":2,\"é\":3,\"z\":4,\"\":5,\"zz\":6,\"\u{d7ff}\":7}"
            ),
            "{\"\":5,\"z\":4,\"zz\":6,\"é\":3,\"\u{d7ff}\":7,\"\u{1f34f}\":2,\"\u{e000}\":1}"
        );
    }

    #[test]
    fn many_members_sort_as_few_do() {
        for special in [["x", "y"], ["\u{e000}", "\u{1f34f}"], ["\u{1f34f}", "\u{e000}"]] {
            let names: Vec<String> = (0..20)
                .map(|n| format!("m{}", n * 7 % 20))
                .chain(special.map(str::to_owned))
                .collect();
            let text: Vec<String> = names.iter().map(|name| format!("\"{name}\": 1")).collect();
            let mut sorted = names.clone();
            sorted.sort_by_key(|name| name.encode_utf16().collect::<Vec<_>>());
            let expected: Vec<String> = sorted.iter().map(|name| format!("\"{name}\":1")).collect();
            let written = canonical(&format!("{{{}}}", text.join(", ")));
            assert_eq!(written, format!("{{{}}}", expected.join(",")));
            let again = canonical(&written);
            assert_eq!(again, written);
        }
    }

    #[test]
    fn names_sort_by_all_their_characters_however_they_begin() {
        for (text, sorted) in [
            (r#"{"b":1,"a":2,"":3}"#, r#"{"":3,"a":2,"b":1}"#),
            (
                r#"{"abcdefgh":1,"abcdefg":2,"abcdef":3}"#,
                r#"{"abcdef":3,"abcdefg":2,"abcdefgh":1}"#,
            ),
            (r#"{"abcdefghj":1,"abcdefghi":2}"#, r#"{"abcdefghi":2,"abcdefghj":1}"#),
            (r#"{"abcdefghé":1,"abcdefgh":2}"#, r#"{"abcdefgh":2,"abcdefghé":1}"#),
            (r#"{"aé":1,"az":2}"#, r#"{"az":2,"aé":1}"#),
            (r#"{"a\u0000":1,"a":2}"#, r#"{"a":2,"a\u0000":1}"#),
            (r#"{"\u0061b":1,"aa":2}"#, r#"{"aa":2,"ab":1}"#),
            (r#"[{"b":1,"a":{"d":1,"c":2}}]"#, r#"[{"a":{"c":2,"d":1},"b":1}]"#),
        ] {
            assert_eq!(canonical(text), sorted);
        }
    }

    #[test]
    fn names_compare_as_their_utf16_does() {
        let names = [
            "",
            "a",
            "ab",
            "b",
            "é",
            "€",
            "\u{d7ff}",
            "\u{e000}",
            "\u{ffff}",
            "\u{10000}",
            "\u{10ffff}",
            "a\u{e000}",
            "a\u{10000}",
        ];
        for a in names {
            for b in names {
                assert_eq!(compare_names(a, b), a.encode_utf16().cmp(b.encode_utf16()), "{a} {b}");
            }
        }
    }

    #[test]
    fn strings_have_the_escapes_of_the_rfc_and_no_others() {
        assert_eq!(
            canonical(r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f""#),
            "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\""
        );
    }

    #[test]
    fn each_control_character_has_one_form() {
        let spelt: String = (0..0x20).map(|code| format!("\\u{code:04X}")).collect();
        let expected = concat!(
            r"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f",
            r"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c",
            r"\u001d\u001e\u001f",
        );
        assert_eq!(canonical(&format!("\"{spelt}\"")), format!("\"{expected}\""));
    }

    #[test]
    fn integers_keep_their_digits_and_doubles_print_as_ecmascript_does() {
        assert_eq!(
            canonical("[9007199254740993,-0,-0.0,1.50,1E2,1e21,1e-7,1e-400]"),
            "[9007199254740993,0,0,1.5,100,1e+21,1e-7,0]"
        );
    }
}
