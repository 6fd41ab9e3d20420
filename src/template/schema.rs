//! Writes what was seen as a JSON Schema.

use std::collections::BTreeMap;

use serde::Serialize;

use super::names;
use super::shape::{Objects, Shape, Texts};
use super::{NoteKind, Notes};
use crate::path::{PathStep, PathWriter};

/// A schema with the keywords that are inferred.
#[derive(Serialize, Default, Debug)]
pub(super) struct Described {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    types: Option<Types>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<String>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<String, Described>,
    #[serde(rename = "additionalProperties", skip_serializing_if = "Option::is_none")]
    entries: Option<Box<Described>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Box<Described>>,
}

#[derive(Serialize, Debug)]
#[serde(untagged)]
enum Types {
    One(&'static str),
    Several(Vec<&'static str>),
}

/// How much the schema says of single values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Depth {
    /// Kinds, members, formats and enumerations
    Full,
    /// Kinds and members
    Structure,
    /// Nothing: any value
    Anything,
}

/// Levels of a schema, which is JSON itself: the reader takes 128, and the template is around it.
const MAX_LEVELS: usize = 110;

/// Places that are described; beyond them the schema leaves values open.
const MAX_DESCRIBED: usize = 10_000;

/// Numbers from which on integers alone make an amount an integer.
const ENOUGH_INTEGERS: u64 = 10;

/// Describes a shape.
pub(super) fn describe(shape: &Shape, depth: Depth, notes: &mut Notes) -> Described {
    let mut writer = Writer { depth, notes, left: MAX_DESCRIBED };
    match depth {
        Depth::Anything => Described::default(),
        _ => writer.describe(shape, "", &mut Vec::new(), 0),
    }
}

struct Writer<'n> {
    depth: Depth,
    notes: &'n mut Notes,
    left: usize,
}

/// A step to what is noted: as those of a path, and to the values of a map.
#[derive(Clone)]
pub(super) enum Place {
    Step(PathStep),
    Entries,
}

/// The place as notes name it; `*` stands for every member of a map.
pub(super) fn shown(place: &[Place]) -> String {
    let mut path = PathWriter::root();
    for step in place {
        match step {
            Place::Step(step) => path.step(step),
            Place::Entries => path.member("*"),
        }
    }
    path.field()
}

impl Writer<'_> {
    /// `name` is the name of the member that the values are, or are elements of.
    fn describe(
        &mut self,
        shape: &Shape,
        name: &str,
        place: &mut Vec<Place>,
        level: usize,
    ) -> Described {
        let mut described = Described::default();
        if self.left == 0 || level > MAX_LEVELS {
            let why = "not described, as the template would grow too large or too deep";
            self.notes.add(NoteKind::Open, || (shown(place), why.to_owned()));
            return described;
        }
        self.left -= 1;
        if shape.non_nulls() == 0 {
            let why = if shape.nulls > 0 { "always null" } else { "no value seen" };
            self.notes.add(NoteKind::Open, || (shown(place), format!("{why}: anything goes")));
            return described;
        }
        described.types = Some(self.types(shape, name, place));
        if self.depth == Depth::Full {
            described.format = shape.format();
            if let Some(format) = described.format {
                self.notes.add(NoteKind::Format, || (shown(place), format.to_owned()));
            } else {
                described.values = self.enumeration(shape, name, place);
            }
        }
        if let Some(objects) = &shape.objects {
            self.members(objects, &mut described, place, level);
        }
        if let Some(arrays) = &shape.arrays {
            place.push(Place::Step(PathStep::Each));
            let elements = self.describe(&arrays.elements, name, place, level + 1);
            described.items = Some(Box::new(elements)).filter(|items| !items.is_empty());
            place.pop();
        }
        described
    }

    fn members(
        &mut self,
        objects: &Objects,
        described: &mut Described,
        place: &mut Vec<Place>,
        level: usize,
    ) {
        if let Some(entries) = &objects.entries {
            self.notes.add(NoteKind::Map, || (shown(place), "names are data".to_owned()));
            place.push(Place::Entries);
            let entries = self.describe(entries, "", place, level + 1);
            described.entries = Some(Box::new(entries)).filter(|entries| !entries.is_empty());
            place.pop();
            return;
        }
        for (name, member) in &objects.members {
            place.push(Place::Step(PathStep::Member(name.clone())));
            let inner = self.describe(&member.shape, name, place, level + 2);
            if member.count == objects.count {
                described.required.push(name.clone());
            } else {
                self.notes.add(NoteKind::Optional, || {
                    (shown(place), format!("in {} of {}", member.count, objects.count))
                });
            }
            described.properties.insert(name.clone(), inner);
            place.pop();
        }
        if objects.cut {
            let why = "has more members than are described";
            self.notes.add(NoteKind::Open, || (shown(place), why.to_owned()));
        }
    }

    fn types(&mut self, shape: &Shape, name: &str, place: &[Place]) -> Types {
        let mut types = Vec::new();
        let mut kind = |seen: bool, name| types.extend(seen.then_some(name));
        kind(shape.booleans > 0, "boolean");
        if shape.numbers() > 0 {
            let few = shape.integers < ENOUGH_INTEGERS;
            let measure = shape.doubles == 0 && few && names::is_measure(name);
            if measure {
                self.notes.add(NoteKind::Measure, || (shown(place), "number".to_owned()));
            }
            let integer = shape.doubles == 0 && !measure;
            kind(true, if integer { "integer" } else { "number" });
        }
        kind(shape.texts.is_some(), "string");
        kind(shape.arrays.is_some(), "array");
        kind(shape.objects.is_some(), "object");
        kind(shape.nulls > 0, "null");
        if types.len() - usize::from(shape.nulls > 0) > 1 {
            self.notes.add(NoteKind::Open, || (shown(place), "values of several kinds".to_owned()));
        }
        match types[..] {
            [one] => Types::One(one),
            _ => Types::Several(types),
        }
    }

    fn enumeration(
        &mut self,
        shape: &Shape,
        name: &str,
        place: &[Place],
    ) -> Option<Vec<Option<String>>> {
        if !shape.is_textual() {
            return None;
        }
        let texts = shape.texts.as_ref()?;
        let distinct = texts.distinct.as_ref()?;
        if !is_enumeration(texts, name) {
            if names::is_closed(name) {
                self.notes.add(NoteKind::Open, || {
                    let why = match distinct.len() {
                        1 => "the same in all: no enum".to_owned(),
                        few => format!("{few} different in {}: no enum on so few", texts.count),
                    };
                    (shown(place), why)
                });
            }
            return None;
        }
        self.notes.add(NoteKind::Enum, || {
            let values: Vec<&str> = distinct.keys().map(String::as_str).collect();
            (shown(place), values.join(" | "))
        });
        let null = (shape.nulls > 0).then_some(None);
        Some(distinct.keys().cloned().map(Some).chain(null).collect())
    }
}

impl Described {
    /// Whether it allows anything.
    fn is_empty(&self) -> bool {
        self.types.is_none()
    }
}

/// Whether the strings of a place are plainly those of an enumeration: few short ones, seen again
/// and again, under a name that says so.
fn is_enumeration(texts: &Texts, name: &str) -> bool {
    let Some(distinct) = &texts.distinct else { return false };
    let values = distinct.len() as u64;
    let is_word = |text: &String| {
        text.chars().any(char::is_alphabetic)
            && text.split([' ', '_', '-']).count() <= 3
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'))
    };
    names::is_closed(name)
        && (2..=8).contains(&values)
        && texts.count >= 8.max(4 * values)
        && distinct.values().all(|&count| count >= 2)
        && distinct.keys().all(is_word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::template::NoteKind;
    use crate::template::tests::{inferred, schema};

    #[test]
    fn kinds_are_those_that_were_seen() {
        for (samples, expected) in [
            (&["3"][..], json!({"type": "integer"})),
            (&["3", "2.5"], json!({"type": "number"})),
            (&["3.0"], json!({"type": "number"})),
            (&["123456789012345678901234567890"], json!({"type": "integer"})),
            (&["null"], json!({})),
            (&["[]", "[null]"], json!({"type": "array"})),
            (&["null", "true", "\"\""], json!({"type": ["boolean", "string", "null"]})),
            (
                &["[[1], [null]]"],
                json!({"type": "array", "items": {"type": "array",
                "items": {"type": ["integer", "null"]}}}),
            ),
            (
                &["[1, \"a\", {\"b\": 1}, []]"],
                json!({"type": "array", "items": {
                "type": ["integer", "string", "array", "object"],
                "required": ["b"], "properties": {"b": {"type": "integer"}}}}),
            ),
            (&["{}"], json!({"type": "object"})),
            (
                &["{\"\": 1, \"a.b\": 2}", "{\"a.b\": null}"],
                json!({"type": "object",
                "required": ["a.b"],
                "properties": {"": {"type": "integer"}, "a.b": {"type": ["integer", "null"]}}}),
            ),
        ] {
            assert_eq!(schema(samples), expected, "{samples:?}");
        }
    }

    #[test]
    fn an_amount_may_have_a_fraction_though_none_was_seen() {
        let property = |name: &str, text: &str| {
            let sample = format!("{{\"{name}\": {text}}}");
            schema(&[&sample])["properties"][name].clone()
        };
        assert_eq!(property("unitPrice", "100"), json!({"type": "number"}));
        assert_eq!(property("item_count", "100"), json!({"type": "integer"}));
        let many = format!("[{}1]", "1, ".repeat(9));
        let items = json!({"type": "array", "items": {"type": "integer"}});
        assert_eq!(property("scores", &many), items);
    }

    #[test]
    fn a_format_is_what_every_string_has() {
        for (one, other, format) in [
            ("2024-02-29", "1999-12-31", Some("date")),
            ("2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+01:00", Some("date-time")),
            (
                "123e4567-e89b-12d3-a456-426614174000",
                "123e4567-e89b-12d3-a456-42661417400F",
                Some("uuid"),
            ),
            ("a@b.example", "c+d@e.example", Some("email")),
            ("https://a.example/b?c", "ftp://d.example", Some("uri")),
            ("2024-02-29", "2023-02-29", None),
            ("2024-02-29", "2024-02-29T10:00:00Z", None),
            ("2024-02-29T10:00:00", "2024-02-29T10:00:01", None),
            ("https://a.example", "", None),
            ("note: hi", "urn:x", None),
        ] {
            let sample = format!("[\"{one}\", null, \"{other}\"]");
            let mut expected = json!({"type": ["string", "null"]});
            if let Some(format) = format {
                expected["format"] = json!(format);
            }
            assert_eq!(schema(&[&sample])["items"], expected, "{sample}");
        }
    }

    #[test]
    fn an_enumeration_has_few_values_seen_often_under_a_name_that_means_it() {
        let list = |name: &str, values: &[&str], times: usize| {
            let one = |value: &&str| format!("{{\"{name}\": \"{value}\"}}");
            let all: Vec<String> =
                values.iter().cycle().take(values.len() * times).map(one).collect();
            let schema = schema(&[&format!("[{}]", all.join(","))]);
            schema["items"]["properties"][name]["enum"].clone()
        };
        assert_eq!(list("status", &["paid", "open"], 4), json!(["open", "paid"]));
        assert_eq!(
            list("order_status", &["in progress", "on_hold", "done"], 4),
            json!(["done", "in progress", "on_hold"])
        );
        assert_eq!(list("status", &["paid", "open"], 3), json!(null), "too few");
        assert_eq!(list("status", &["paid"], 30), json!(null), "a constant says nothing");
        assert_eq!(list("name", &["Ann", "Bob"], 30), json!(null), "by its name");
        assert_eq!(list("status", &["1", "2"], 30), json!(null), "no words");
        let many: Vec<String> = (0..9).map(|n| format!("v{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(list("status", &many, 30), json!(null), "too many");
        let nullable = format!(
            "[{}{{\"status\": null}}]",
            "{\"status\": \"a\"}, {\"status\": \"b\"},".repeat(5)
        );
        assert_eq!(
            schema(&[&nullable])["items"]["properties"]["status"],
            json!({"type": ["string", "null"], "enum": ["a", "b", null]})
        );
    }

    #[test]
    fn the_deepest_samples_have_a_template_too() {
        for (open, close) in [("[", "]"), ("{\"n\":", "}")] {
            let sample = open.repeat(127) + "1" + &close.repeat(127);
            let inferred = inferred(&[&sample]);
            assert!(inferred.text.contains("\"type\""));
            assert!(inferred.notes.iter().any(|note| note.kind == NoteKind::Open), "{open}");
        }
    }
}
