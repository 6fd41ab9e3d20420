//! Infers a verification template from sample outputs.
//!
//! What is inferred is a start for people to read and sharpen, so it says what the samples plainly
//! show and leaves out what could be chance: a rule needs names that mean it, or several groups of
//! values that bear it out. It never rejects one of its samples: what was inferred is held against
//! each of them with the code that verifies, and what would reject one is dropped.
//!
//! - [`shape`]: what was seen at each place
//! - [`maps`]: objects whose names are data
//! - [`schema`]: what was seen as a JSON Schema
//! - [`fields`], [`relations`], [`sums`]: rules and bounds
//! - [`names`]: what member names say

mod fields;
mod maps;
mod names;
mod relations;
mod schema;
mod shape;
mod sums;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::digest::Digest;
use crate::finding::Findings;
use crate::json::{Document, Value};
use crate::report::Verdict;
use crate::request::{Requirements, TEMPLATE_SCHEMA, read_template};
use crate::rules::{Ask, Rule, Run, Target};
use crate::verify::verdict;

use fields::Field;
use schema::{Depth, Described};
use shape::{MAX_SHAPES, Shape};

/// Bounds of a template; with more of them nobody reads it.
const MAX_BOUNDS: usize = 200;

/// Rules of a template.
const MAX_RULES: usize = 100;

/// What was inferred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inferred {
    /// The template: a JSON text, the same bytes for the same samples in any order.
    pub text: String,
    /// What there is to say about it, in order of [`NoteKind`] and place.
    pub notes: Vec<Note>,
    /// Notes beyond [`MAX_NOTES`] of their kind, which are left out.
    pub omitted: Vec<(NoteKind, usize)>,
}

/// Notes of one kind that are kept.
pub const MAX_NOTES: usize = 1_000;

/// Something inferred, or something that the samples do not settle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// What it is about
    pub kind: NoteKind,
    /// The place: a path, with `*` for every member of a map
    pub field: String,
    /// What there is to say of it; text of the samples can be part of it
    pub text: String,
}

/// What notes are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoteKind {
    /// A member that some objects lack
    Optional,
    /// An object whose names are data
    Map,
    /// A format of strings
    Format,
    /// An enumeration
    Enum,
    /// A number by its name, where only integers were seen
    Measure,
    /// A bound
    Bound,
    /// A rule
    Rule,
    /// What is left open
    Open,
}

/// The notes so far.
#[derive(Default, Debug)]
struct Notes {
    notes: Vec<Note>,
    counts: BTreeMap<NoteKind, usize>,
}

impl Notes {
    fn add(&mut self, kind: NoteKind, note: impl FnOnce() -> (String, String)) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= MAX_NOTES {
            let (field, text) = note();
            self.notes.push(Note { kind, field, text });
        }
    }

    /// Takes over the notes of a part that keeps few.
    fn absorb(&mut self, other: Notes) {
        for note in other.notes {
            self.add(note.kind, || (note.field, note.text));
        }
    }

    fn finish(mut self) -> (Vec<Note>, Vec<(NoteKind, usize)>) {
        self.notes.sort_by_key(|note| note.kind);
        let omitted = self.counts.into_iter().filter(|&(_, count)| count > MAX_NOTES);
        (self.notes, omitted.map(|(kind, count)| (kind, count - MAX_NOTES)).collect())
    }
}

/// A template file.
#[derive(Serialize, Debug)]
struct File<'t> {
    schema: &'static str,
    template_id: String,
    template: &'t Template<'t>,
}

#[derive(Serialize, Debug)]
struct Template<'t> {
    expected_schema: &'t Described,
    rules: Vec<WrittenRule<'t>>,
    bounds: BTreeMap<&'t str, WrittenBound>,
    enforce_rules: bool,
}

#[derive(Serialize, Debug)]
struct WrittenRule<'t> {
    #[serde(rename = "type")]
    rule_type: &'static str,
    field: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    equals_field: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_field: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_field: Option<&'t str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    if_present: bool,
}

#[derive(Serialize, Debug)]
struct WrittenBound {
    min: u8,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    if_present: bool,
}

/// Infers a template from samples. Without any, it allows everything.
pub fn infer(samples: &[Value<'_>]) -> Inferred {
    let mut shape = Shape::default();
    let mut room = MAX_SHAPES;
    samples.iter().for_each(|sample| shape.add(*sample, &mut room));
    maps::find_maps(&mut shape);

    let fields = fields::fields(&shape);
    let mut rule_notes = Notes::default();
    let mut rules = propose(&fields, samples, &mut rule_notes);
    let mut bounds: Vec<&Field<'_>> =
        fields.iter().filter(|field| relations::is_from_zero(field)).take(MAX_BOUNDS).collect();
    drop_failing(&mut rules, samples);

    // The first one passes, unless a sample is so large that checking it takes too much work: then
    // less and less is asked for, down to nothing.
    let proposed = rules.len() + bounds.len();
    let mut depth = Depth::Full;
    loop {
        let mut notes = Notes::default();
        let described = schema::describe(&shape, depth, &mut notes);
        let text = write(&described, &rules, &bounds);
        let asked = rules.len() + bounds.len();
        let least = asked == 0 && depth == Depth::Anything;
        if least || passes_all(&text, samples) {
            note_rules(&rules, &bounds, &mut notes);
            notes.absorb(rule_notes);
            if asked < proposed {
                let text = format!("{} rules and bounds are too much work", proposed - asked);
                notes.add(NoteKind::Open, || ("$".to_owned(), text));
            }
            let (notes, omitted) = notes.finish();
            return Inferred { text, notes, omitted };
        }
        if asked > 0 {
            rules.truncate(rules.len() / 2);
            bounds.truncate(bounds.len() / 2);
        } else {
            depth = if depth == Depth::Full { Depth::Structure } else { Depth::Anything };
        }
    }
}

fn propose(fields: &[Field<'_>], samples: &[Value<'_>], notes: &mut Notes) -> Vec<Rule<'static>> {
    let mut rules = sums::sums(fields, samples, notes);
    rules.extend(relations::orders(fields, samples));
    let ids = relations::unique_ids(fields, samples);
    rules.extend(relations::references(fields, &ids, samples));
    rules.extend(ids);
    rules.truncate(MAX_RULES);
    rules
}

/// Keeps the rules that hold in every sample within the work that one check may take.
fn drop_failing(rules: &mut Vec<Rule<'static>>, samples: &[Value<'_>]) {
    for sample in samples {
        let mut findings = Findings::default();
        let mut run = Run::new(*sample, &mut findings);
        rules.retain(|rule| {
            let before = run.findings.total();
            rule.check(*sample, &mut run).is_ok() && run.findings.total() == before
        });
    }
}

/// Whether the template, read as `verify` reads it, passes every sample.
fn passes_all(text: &str, samples: &[Value<'_>]) -> bool {
    let Ok(document) = Document::parse(text.as_bytes()) else { return false };
    let requirements = read_template(document.root()).and_then(Requirements::compile);
    requirements.is_ok_and(|requirements| {
        samples.iter().all(|sample| verdict(&requirements, *sample) == Ok(Verdict::Pass))
    })
}

fn write(schema: &Described, rules: &[Rule<'static>], bounds: &[&Field<'_>]) -> String {
    let bounds = bounds.iter().map(|field| {
        (field.path.as_written(), WrittenBound { min: 0, if_present: !field.certain })
    });
    let template = Template {
        expected_schema: schema,
        rules: rules.iter().map(written).collect(),
        bounds: bounds.collect(),
        enforce_rules: true,
    };
    let hash = Digest::of_bytes(&json(&template)).to_string();
    let template_id = format!("vt_{}", &hash[..16]);
    let file = File { schema: TEMPLATE_SCHEMA, template_id, template: &template };
    String::from_utf8(json(&file)).unwrap_or_default()
}

/// The indented text, with a line end.
fn json(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}

fn written<'r>(rule: &'r Rule<'static>) -> WrittenRule<'r> {
    let mut written = WrittenRule {
        rule_type: rule.rule_type().name(),
        field: rule.field.as_written(),
        equals_field: None,
        other_field: None,
        in_field: None,
        if_present: rule.if_present,
    };
    match &rule.ask {
        Ask::SumEquals(Target::Field(path)) => written.equals_field = Some(path.as_written()),
        Ask::Gte(Target::Field(path)) | Ask::Lte(Target::Field(path)) => {
            written.other_field = Some(path.as_written());
        }
        Ask::ExistsInField(path) => written.in_field = Some(path.as_written()),
        // No rule with a value of its own is inferred.
        _ => {}
    }
    written
}

fn note_rules(rules: &[Rule<'static>], bounds: &[&Field<'_>], notes: &mut Notes) {
    for rule in rules {
        let written = written(rule);
        let others = [written.equals_field, written.other_field, written.in_field];
        let text = match others.into_iter().flatten().next() {
            Some(other) => format!("{} {other}", written.rule_type),
            None => written.rule_type.to_owned(),
        };
        notes.add(NoteKind::Rule, || (written.field.to_owned(), text));
    }
    for field in bounds {
        notes
            .add(NoteKind::Bound, || (field.path.as_written().to_owned(), "at least 0".to_owned()));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    /// What is inferred from some texts.
    pub(crate) fn inferred(samples: &[&str]) -> Inferred {
        let documents: Vec<_> =
            samples.iter().map(|text| Document::parse(text.as_bytes()).unwrap()).collect();
        infer(&documents.iter().map(Document::root).collect::<Vec<_>>())
    }

    fn part(samples: &[&str], name: &str) -> serde_json::Value {
        let text = inferred(samples).text;
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["template"][name].take()
    }

    /// The schema that is inferred.
    pub(crate) fn schema(samples: &[&str]) -> serde_json::Value {
        part(samples, "expected_schema")
    }

    /// The rules that are inferred, each as `FIELD TYPE OTHER`, with a `?` for `if_present`.
    pub(crate) fn rules(samples: &[&str]) -> Vec<String> {
        let rules = part(samples, "rules");
        let rule = |rule: &serde_json::Value| {
            let text = |name: &str| rule[name].as_str().unwrap_or_default().to_owned();
            let other: String = ["equals_field", "other_field", "in_field"].map(text).concat();
            let absent = if rule["if_present"] == true { "?" } else { "" };
            format!("{}{absent} {} {other}", text("field"), text("type")).trim_end().to_owned()
        };
        rules.as_array().unwrap().iter().map(rule).collect()
    }

    #[test]
    fn a_template_has_an_id_of_its_own_content() {
        let [one, same, other] =
            [r#"{"a": 1, "b": "x"}"#, r#"{"b": "y", "a": 2}"#, r#"{"a": "1"}"#].map(|text| {
                let text = inferred(&[text]).text;
                let file: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(file["schema"], "verification-template/1");
                assert_eq!(file["template"]["enforce_rules"], true);
                file["template_id"].as_str().unwrap().to_owned()
            });
        assert_eq!(one, same);
        assert_ne!(one, other);
        assert!(one.starts_with("vt_") && one.len() == 19, "{one}");
    }

    #[test]
    fn bounds_are_for_what_cannot_be_negative() {
        let bounds = |samples: &[&str]| part(samples, "bounds");
        assert_eq!(
            bounds(&[r#"{"qty": 0, "items": [{"weight": 1.5}], "balance": 3, "n": 1}"#]),
            json!({"qty": {"min": 0}, "items[].weight": {"min": 0}})
        );
        assert_eq!(
            bounds(&[r#"{"qty": 1}"#, r#"{"qty": null}"#, "{}"]),
            json!({"qty": {"min": 0, "if_present": true}})
        );
        assert_eq!(bounds(&[r#"{"qty": -1}"#, r#"{"price_change": 1}"#]), json!({}));
        assert_eq!(bounds(&[r#"{"qty": 1}"#, r#"{"qty": "two"}"#]), json!({}));
        // Without such a name it takes many, and some names never mean it.
        let many = |name: &str| format!(r#"{{"{name}": [{}0]}}"#, "1, ".repeat(19));
        assert_eq!(bounds(&[&many("n")]), json!({"n[]": {"min": 0}}));
        assert_eq!(bounds(&[&many("delta")]), json!({}));
        assert_eq!(bounds(&[&many("a.b")]), json!({r"a\.b[]": {"min": 0}}));
    }

    #[test]
    fn what_takes_more_work_than_a_check_may_is_left_out() {
        // A long path to each of many numbers: one bound takes more than their number pays for.
        let numbers = "1,".repeat(120_000) + "1";
        let deep = |numbers: &str| {
            let (open, close) = ("[".repeat(100), "]".repeat(100));
            format!("{{\"qty\": {open}{numbers}{close}, \"size\": 1}}")
        };
        let many = deep(&numbers);
        assert_eq!(part(&[&deep("1")], "bounds").as_object().unwrap().len(), 2);
        let found = inferred(&[&many]);
        let left_out = found.notes.iter().find(|note| note.text.contains("too much work"));
        assert!(left_out.is_some(), "{:?}", found.notes);
        let document = Document::parse(many.as_bytes()).unwrap();
        assert!(passes_all(&found.text, &[document.root()]));
    }
}
