//! `format` assertions: which formats each draft knows, and which strings satisfy them.
//!
//! The verdicts are those of the `jsonschema` crate 0.61.2, asked through a schema of this one
//! keyword. Its first schema in a process costs a millisecond, so the formats that schemas use
//! most are decided here: tests hold both to the same answers. No string takes exponential time,
//! and [`Format::work`] tells what one costs. What no draft knows is not known here either.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;

use fluent_uri::{Iri, IriRef, Uri, UriRef};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::Draft;
use super::pattern::is_expression;

/// The part of [`Format::work`] that no string escapes.
const CALL_PRICE: u64 = 16;

/// A format that a draft knows.
#[derive(Clone, Copy)]
pub(super) struct Format(&'static Known);

struct Known {
    name: &'static str,
    /// The drafts that know it, in this meaning.
    since: Draft,
    until: Draft,
    example: &'static str,
    /// Work for each byte of a string, as measured on the worst ones.
    price: u64,
    decide: Decide,
}

/// Who decides.
enum Decide {
    Here(fn(&str) -> bool),
    Library(Library),
    /// Here where the string is of the usual shape and therefore valid, else the library.
    Usual(fn(&str) -> bool, Library),
}

/// A schema of one `format` keyword, compiled on first use.
struct Library(OnceLock<Option<Validator>>);

const fn known(
    name: &'static str,
    (since, until): (Draft, Draft),
    example: &'static str,
    price: u64,
    decide: Decide,
) -> Known {
    Known { name, since, until, example, price, decide }
}

const fn ask() -> Library {
    Library(OnceLock::new())
}

const ALL: (Draft, Draft) = (Draft::Draft4, Draft::Draft202012);
const SINCE_6: (Draft, Draft) = (Draft::Draft6, Draft::Draft202012);
const SINCE_7: (Draft, Draft) = (Draft::Draft7, Draft::Draft202012);
const SINCE_2019: (Draft, Draft) = (Draft::Draft201909, Draft::Draft202012);
/// Up to here a host name is RFC 1034's; later ones also check the encoded labels (`xn--`).
const UNTIL_6: (Draft, Draft) = (Draft::Draft4, Draft::Draft6);

use Decide::{Here, Usual};

static FORMATS: [Known; 20] = [
    known("date", ALL, "2026-01-31", 1, Here(is_date)),
    known("date-time", ALL, "2026-01-31T09:30:00Z", 1, Here(is_date_time)),
    known("duration", SINCE_2019, "P3DT12H", 1, Decide::Library(ask())),
    known("email", ALL, "name@example.com", 2, Usual(is_usual_email, ask())),
    known("hostname", UNTIL_6, "www.example.com", 1, Usual(is_usual_hostname, ask())),
    known("hostname", SINCE_7, "www.example.com", 1, Usual(is_usual_hostname, ask())),
    known("idn-email", ALL, "name@example.com", 2, Usual(is_usual_email, ask())),
    known("idn-hostname", SINCE_7, "www.example.com", 12, Decide::Library(ask())),
    known("ipv4", ALL, "192.0.2.1", 1, Here(|text| text.parse::<Ipv4Addr>().is_ok())),
    known("ipv6", ALL, "2001:db8::1", 1, Here(|text| text.parse::<Ipv6Addr>().is_ok())),
    known("iri", SINCE_7, "https://example.com/a", 2, Here(|text| Iri::parse(text).is_ok())),
    known("iri-reference", SINCE_7, "/a?b=c", 2, Here(|text| IriRef::parse(text).is_ok())),
    known("json-pointer", SINCE_6, "/items/0/name", 1, Decide::Library(ask())),
    known("regex", ALL, "^[a-z]+$", 4, Usual(is_usual_expression, ask())),
    known("relative-json-pointer", SINCE_7, "1/name", 1, Decide::Library(ask())),
    known("time", ALL, "09:30:00Z", 1, Here(is_time)),
    known("uri", ALL, "https://example.com/a", 1, Here(|text| Uri::parse(text).is_ok())),
    known("uri-reference", SINCE_6, "/a?b=c", 1, Here(|text| UriRef::parse(text).is_ok())),
    known("uri-template", SINCE_6, "/users/{id}", 1, Decide::Library(ask())),
    known("uuid", SINCE_2019, "123e4567-e89b-12d3-a456-426614174000", 1, Here(is_uuid)),
];

impl Format {
    /// The format of this name, if the draft knows it.
    pub(super) fn known(name: &str, draft: Draft) -> Option<Format> {
        FORMATS
            .iter()
            .find(|known| known.name == name && (known.since..=known.until).contains(&draft))
            .map(Format)
    }

    /// Its name in a schema.
    pub(super) fn name(&self) -> &'static str {
        self.0.name
    }

    /// A string that satisfies it, to show what is wanted.
    pub(super) fn example(&self) -> &'static str {
        self.0.example
    }

    /// What judging `text` costs, in the unit of the budget for patterns: a few nanoseconds.
    ///
    /// One request can ask thousands of times about one long string, so a caller that must answer
    /// in time pays before it asks.
    pub(super) fn work(&self, text: &str) -> u64 {
        let linear = CALL_PRICE + self.0.price * text.len() as u64;
        if self.0.name != "regex" {
            return linear;
        }
        // The library compares each name of a group with all before it.
        let names = text.match_indices("(?<").filter(|(at, mark)| {
            !text.get(at + mark.len()..).is_some_and(|rest| rest.starts_with(['=', '!']))
        });
        let names = names.count() as u64;
        let references = text.matches("\\k").count() as u64;
        linear.saturating_add(names.saturating_mul(names + references))
    }

    /// Whether `text` satisfies it.
    pub(super) fn is_valid(&self, text: &str) -> bool {
        match &self.0.decide {
            Decide::Here(decide) => decide(text),
            Decide::Library(library) => library.is_valid(self.0, text),
            Decide::Usual(is_usual, library) => is_usual(text) || library.is_valid(self.0, text),
        }
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Format").field(&self.0.name).finish()
    }
}

impl Library {
    fn is_valid(&self, known: &Known, text: &str) -> bool {
        // Every schema of the table compiles, as a test shows; one that did not would reject.
        self.0
            .get_or_init(|| compile(known.name, known.since))
            .as_ref()
            .is_some_and(|validator| validator.is_valid(&Value::String(text.to_owned())))
    }
}

fn compile(name: &str, draft: Draft) -> Option<Validator> {
    let draft = match draft {
        Draft::Draft4 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    };
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .build(&json!({ "format": name }))
        .ok()
}

/// The number that exactly these ASCII digits write.
fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
    })
}

/// RFC 3339 `full-date`.
fn is_date(text: &str) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[y1, y2, y3, y4]), digits(&[m1, m2]), digits(&[d1, d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 `full-time`: a leap second only where it is 23:59 UTC.
fn is_time(text: &str) -> bool {
    let Some((&[h1, h2, b':', m1, m2, b':', s1, s2], rest)) = text.as_bytes().split_first_chunk()
    else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) =
        (digits(&[h1, h2]), digits(&[m1, m2]), digits(&[s1, s2]))
    else {
        return false;
    };
    let offset = match rest {
        [b'.', fraction @ ..] => {
            let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if length == 0 {
                return false;
            }
            fraction.get(length..).unwrap_or_default()
        }
        rest => rest,
    };
    // Minutes east of UTC.
    let east = match *offset {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            match (digits(&[h1, h2]), digits(&[m1, m2])) {
                (Some(hours @ 0..=23), Some(minutes @ 0..=59)) => {
                    let minutes = (hours * 60 + minutes) as i32;
                    if sign == b'+' { minutes } else { -minutes }
                }
                _ => return false,
            }
        }
        _ => return false,
    };
    let utc = ((hour * 60 + minute) as i32 - east).rem_euclid(24 * 60);
    hour <= 23 && minute <= 59 && (second <= 59 || (second == 60 && utc == 23 * 60 + 59))
}

/// RFC 3339 `date-time`.
fn is_date_time(text: &str) -> bool {
    matches!(text.as_bytes().get(10), Some(b'T' | b't'))
        && text.get(..10).is_some_and(is_date)
        && text.get(11..).is_some_and(is_time)
}

/// RFC 4122, hyphenated.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// What `pattern` takes, without the groups that not everybody knows and without brackets that stand
/// alone: enough for an expression to be valid, and every schema with a pattern asks.
fn is_usual_expression(text: &str) -> bool {
    let (mut class, mut braces) = (false, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => class = true,
            b']' if class => class = false,
            b'{' if !class && !braces => braces = true,
            b'}' if !class && braces => braces = false,
            b']' => return false,
            b'{' | b'}' if !class => return false,
            _ => {}
        }
    }
    !text.contains("(?") && is_expression(text)
}

/// Dot-separated labels of letters, digits and inner hyphens, none of them encoded: enough for a
/// host name to be valid, and nearly all are of this shape.
fn is_usual_hostname(text: &str) -> bool {
    let usual_label = |label: &str| {
        let alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = label.as_bytes();
        bytes.len() <= 63
            && alphanumeric(bytes.first())
            && alphanumeric(bytes.last())
            && bytes.get(2..4) != Some(b"--")
            && bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(usual_label)
}

/// Dot-separated words before the `@`, a usual host name after it: enough to be valid.
fn is_usual_email(text: &str) -> bool {
    let usual_word = |word: &str| {
        let usual = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+".contains(&byte);
        !word.is_empty() && word.bytes().all(usual)
    };
    text.split_once('@').is_some_and(|(local, host)| {
        local.len() <= 64 && local.split('.').all(usual_word) && is_usual_hostname(host)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRAFTS: [(Draft, &str); 5] = [
        (Draft::Draft4, "draft4"),
        (Draft::Draft6, "draft6"),
        (Draft::Draft7, "draft7"),
        (Draft::Draft201909, "draft2019-09"),
        (Draft::Draft202012, "draft2020-12"),
    ];

    /// Valid, nearly valid and hopeless strings of every kind; each is tried on every format.
    const STRINGS: &[&str] = &[
        "",
        " ",
        "a",
        "é",
        "2026-01-31",
        "2026-02-29",
        "2024-02-29",
        "1900-02-29",
        "2000-02-29",
        "2026-04-31",
        "2026-00-10",
        "2026-13-01",
        "2026-01-00",
        "2026-1-31",
        "2026-01-3১",
        "2026-01-31 ",
        "+026-01-31",
        "20260131",
        "2026-W05-6",
        "0000-01-01",
        "9999-12-31",
        "09:30:00Z",
        "09:30:00z",
        "09:30:00",
        "09:30Z",
        "24:00:00Z",
        "23:60:00Z",
        "23:59:60Z",
        "23:58:60Z",
        "22:59:60Z",
        "00:29:60+00:30",
        "00:29:60+00:31",
        "15:59:60-08:00",
        "23:29:60+23:30",
        "23:59:61Z",
        "09:30:00.5Z",
        "09:30:00.Z",
        "09:30:00.123456789012345Z",
        "09:30:00+24:00",
        "09:30:00+23:60",
        "09:30:00+2:00",
        "09:30:00+0200",
        "09:30:00+02:00:00",
        "09:30:00,5Z",
        "09:30:00.5",
        "0\u{0660}:30:00Z",
        "09:30:00 Z",
        "09:30:00−08:00",
        "2026-01-31T09:30:00Z",
        "2026-01-31t09:30:00z",
        "2026-01-31 09:30:00Z",
        "2026-01-31T09:30:00",
        "2026-02-31T09:30:00Z",
        "2026-01-31T",
        "T09:30:00Z",
        "2026-01-31TT09:30:00Z",
        "1998-12-31T23:59:60Z",
        "1998-12-31T23:58:60Z",
        "2016-12-31T15:59:60.5-08:00",
        "192.0.2.1",
        "192.0.2.01",
        "192.0.2",
        "192.0.2.256",
        "192.0.2.1.",
        "0x7f.0.0.1",
        " 192.0.2.1",
        "192.0.2.1/24",
        "2001:db8::1",
        "::",
        "::1",
        "1::2::3",
        "::ffff:192.0.2.1",
        "fe80::1%eth0",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "1:2:3:4:5:6:7",
        "::1/64",
        "[::1]",
        "::192.0.2.1.1",
        "1:2:3:4:5:6:1.2.3.4",
        "123e4567-e89b-12d3-a456-426614174000",
        "123E4567-E89B-12D3-A456-426614174000",
        "123e4567e89b12d3a456426614174000",
        "{123e4567-e89b-12d3-a456-426614174000}",
        "123e4567-e89b-12d3-a456-42661417400",
        "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a4564-26614174000",
        "123e4567-e89b-12d3-a456-4266141740000",
        "00000000-0000-0000-0000-000000000000",
        "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
        "name@example.com",
        "a.b+c_d-e@x",
        "a@b@c",
        "@x.org",
        "a@",
        ".a@x.org",
        "a.@x.org",
        "a..b@x.org",
        "\"a b\"@x.org",
        "\"\"@x.org",
        "a@[127.0.0.1]",
        "a@[IPv6:::1]",
        "a@xn--a.org",
        "a@ab--c.org",
        "a@-b.org",
        "a@b-.org",
        "a@b..org",
        "a@b.org.",
        "é@x.org",
        "a@é.org",
        "a b@x.org",
        "a@b_c.org",
        "name@example",
        "A!#$%&'*/=?^`{|}~@x.org",
        "www.example.com",
        "example",
        "xn--nxasmq6b",
        "xn--X",
        "ab--cd",
        "a--b",
        "-a",
        "a-",
        "a..b",
        ".a",
        "a.",
        "a_b",
        "1.2.3.4",
        "é.example",
        "例え.テスト",
        "a\u{200D}b",
        "l·l",
        "https://example.com/a?b=c#d",
        "https://",
        "https:",
        "//x/y",
        "/a?b=c",
        "a/b",
        "a b",
        "http://[::1]/",
        "http://[::1",
        "http://[v1.a]/",
        "http://[1.2.3.4]/",
        "http://a:b/",
        "http://a:65536/",
        "http://a:/",
        "http://u:p@h:1/",
        "1http://a",
        "a:b:c",
        ":a",
        "%",
        "%4",
        "%41",
        "http://é/",
        "http://a/é",
        "http://a/\u{E000}",
        "http://a?\u{E000}",
        "a^b",
        "a|b",
        "http://a/<>",
        "mailto:a@b.org",
        "urn:isbn:0451450523",
        "\\a",
        "#",
        "##",
        "?",
        "a#b#c",
        "file:///etc/passwd",
        "http://a\\b",
        "http://a@b@c",
        "P1D",
        "PT1H",
        "P1W",
        "P1Y2D",
        "P",
        "/a/~0~1",
        "/~2",
        "0/a",
        "0#",
        "01",
        "{id}",
        "{",
        "a{b}c",
        "^[a-z]+$",
        "(",
        "\\a",
        "[z-a]",
    ];

    fn oracle(name: &str, draft: Draft) -> Validator {
        compile(name, draft).unwrap_or_else(|| panic!("{name} compiles"))
    }

    #[test]
    fn every_format_compiles_and_its_example_is_valid() {
        for known in &FORMATS {
            let format = Format(known);
            assert!(format.is_valid(known.example), "{format:?}");
            assert!(oracle(known.name, known.since).is_valid(&json!(known.example)), "{format:?}");
        }
    }

    #[test]
    fn a_format_is_known_exactly_where_the_library_asserts_it() {
        let names = FORMATS.iter().map(|known| known.name);
        for name in names.chain(["unknown", "", "Date", "color", "ip-address", "utc-millisec"]) {
            for (draft, _) in DRAFTS {
                let asserted = STRINGS.iter().any(|s| !oracle(name, draft).is_valid(&json!(s)));
                assert_eq!(Format::known(name, draft).is_some(), asserted, "{name} {draft:?}");
            }
        }
    }

    #[test]
    fn verdicts_are_the_librarys_in_every_draft() {
        for known in &FORMATS {
            for (draft, _) in DRAFTS {
                let Some(format) = Format::known(known.name, draft) else {
                    continue;
                };
                let oracle = oracle(known.name, draft);
                for text in STRINGS {
                    let expected = oracle.is_valid(&json!(text));
                    assert_eq!(format.is_valid(text), expected, "{format:?} {draft:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn the_usual_shapes_do_not_ask_the_library() {
        for text in ["a@x.org", "first.last+tag@mail.example-host.com", "a_b-c@localhost"] {
            assert!(is_usual_email(text), "{text}");
        }
        for text in ["xn--a.org", "ab--c", "-a", "", "a.", &"a".repeat(64)] {
            assert!(!is_usual_hostname(text), "{text}");
        }
    }

    #[test]
    fn lengths_at_their_limits_are_judged_as_the_library_does() {
        let label = "a".repeat(63);
        for (name, draft) in [("hostname", Draft::Draft4), ("hostname", Draft::Draft202012)]
            .into_iter()
            .chain([("email", Draft::Draft7), ("idn-email", Draft::Draft7)])
        {
            let (format, oracle) = (Format::known(name, draft).unwrap(), oracle(name, draft));
            for local in [0, 1, 63, 64, 65] {
                for host in [1, 60, 61, 62, 63, 64] {
                    let host = format!("{label}.{label}.{label}.{}", "b".repeat(host));
                    let text = match name {
                        "hostname" => host,
                        _ => format!("{}@{host}", "c".repeat(local)),
                    };
                    assert_eq!(format.is_valid(&text), oracle.is_valid(&json!(text)), "{text}");
                }
            }
        }
    }

    #[test]
    fn work_grows_with_the_string_and_with_the_pairs_of_names() {
        let work = |name, text: &str| Format::known(name, Draft::Draft202012).unwrap().work(text);
        assert_eq!(work("date", ""), CALL_PRICE);
        assert_eq!(work("idn-hostname", "abc"), CALL_PRICE + 36);
        assert_eq!(work("regex", "(?<=a)(?<!b)"), CALL_PRICE + 48);
        assert_eq!(work("regex", "(?<n>a)(?<m>b)\\k<n>"), CALL_PRICE + 76 + 6);
        assert!(work("regex", &"(?<n>a)".repeat(10_000)) > 100_000_000);
    }

    #[test]
    fn agrees_with_the_official_suite() {
        let Some(root) = std::env::var_os("AOV_CONFORMANCE_DIR") else {
            println!("skipped: AOV_CONFORMANCE_DIR is not set");
            return;
        };
        let mut judged = 0;
        for (draft, folder) in DRAFTS {
            let folder = std::path::Path::new(&root)
                .join("json-schema-test-suite/tests")
                .join(folder)
                .join("optional/format");
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                let groups: Value = serde_json::from_str(&text).unwrap();
                for group in groups.as_array().unwrap() {
                    let name = group["schema"]["format"].as_str().unwrap();
                    let format = Format::known(name, draft);
                    for test in group["tests"].as_array().unwrap() {
                        let Some(text) = test["data"].as_str() else {
                            continue;
                        };
                        let valid = format.is_none_or(|format| format.is_valid(text));
                        let place = (&path, &group["description"], &test["description"]);
                        assert_eq!(test["valid"], valid, "{place:?}");
                        judged += 1;
                    }
                }
            }
        }
        assert!(judged > 1_000, "only {judged} tests found");
    }

    /// A string of the table with a few characters replaced, removed or added.
    fn mutated() -> impl Strategy<Value = String> {
        let edits =
            prop::collection::vec((0_usize..40, 0..3, "[0-9a-zA-Z.:@/+\\-#%?\\[\\] é]"), 0..4);
        (prop::sample::select(STRINGS), edits).prop_map(|(text, edits)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (place, kind, new) in edits {
                let place = place % (chars.len() + 1);
                match kind {
                    0 => chars.splice(place..place, new.chars()).for_each(drop),
                    _ if place == chars.len() => {}
                    1 => chars.splice(place..=place, new.chars()).for_each(drop),
                    _ => drop(chars.remove(place)),
                }
            }
            chars.into_iter().collect()
        })
    }

    fn oracles() -> &'static [(Format, Validator)] {
        static ORACLES: OnceLock<Vec<(Format, Validator)>> = OnceLock::new();
        ORACLES.get_or_init(|| {
            let pair = |known: &'static Known| (Format(known), oracle(known.name, known.since));
            FORMATS.iter().map(pair).collect()
        })
    }

    const CASES: u32 = 3_000;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(CASES))]

        #[test]
        fn verdicts_are_the_librarys_on_mutations(text in mutated()) {
            for (format, oracle) in oracles() {
                let expected = oracle.is_valid(&json!(text));
                prop_assert_eq!(format.is_valid(&text), expected, "{:?} {:?}", format, &text);
            }
        }

        #[test]
        fn verdicts_on_expressions_are_the_librarys(text in "[ab01,\\\\^$.*+?()|\\[\\]{}=!<>:dDwWsSbBkpPu/ \\-]{0,10}") {
            let regex = |pair: &&(Format, Validator)| pair.0.name() == "regex";
            let (format, oracle) = oracles().iter().find(regex).unwrap();
            prop_assert_eq!(format.is_valid(&text), oracle.is_valid(&json!(text)), "{:?}", &text);
        }
    }
}
