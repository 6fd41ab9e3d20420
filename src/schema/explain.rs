//! Failures in words: what was expected, what was found, and for `anyOf` and `oneOf` what the
//! closest branch wanted. Made only for the failures that are shown.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::assertions::{missing_dependents, repeated_element};
use super::evaluate::{Examination, Failure, Halt, Stop, Tally, Truth, Walk};
use super::{
    Applicator, Assertion, Body, Keyword, LengthOf, Limit, Meaning, SubschemaId, Types, Values,
};
use crate::content::{self, ContentCheck, TextRole};
use crate::json::{Kind, Value};
use crate::message::{count, list, quoted_names, short, short_with_kind};
use crate::path::PathWriter;
use crate::text::{self, quoted, shortened};

/// Visits that explaining one failure may make, and those for all of one examination. Explanations
/// never change a verdict.
const EXPLANATION_VISITS: u64 = 100_000;
pub(super) const ALL_EXPLANATIONS: u64 = 1_000_000;

/// Names that a mistyped one is compared with, and mistyped ones that are.
const MAX_CANDIDATES: usize = 64;
const MAX_MISTYPED: usize = 8;

/// A failed check in words.
#[derive(Clone, Debug)]
pub(crate) struct Explanation<'d, 'v> {
    /// The keyword, or `false` for a `false` schema.
    pub(crate) keyword: &'static str,
    /// Where in the instance.
    pub(crate) value: Value<'v>,
    /// The keyword's value in the schema, or the `false` schema.
    pub(crate) requirement: Value<'d>,
    /// What the check wants, as a noun phrase.
    pub(crate) expected: String,
    /// What is there instead.
    pub(crate) found: String,
    /// Both in one phrase.
    pub(crate) detail: String,
    /// How to mend it, where there is more to say than `expected` says.
    pub(crate) advice: Option<String>,
    /// For `anyOf` and `oneOf`: what the closest branch wanted, as far down as there are branches.
    pub(crate) closest: Option<Box<Explanation<'d, 'v>>>,
}

/// What is found where a member is missing.
const MISSING: &str = "missing";

/// What a check wants, what it found, and more advice.
type Words = (String, String, Option<String>);

impl<'s, 'd, 'v> Examination<'s, 'd, 'v> {
    /// Puts one of this examination's failures into words.
    pub(crate) fn explain(&mut self, failure: &Failure) -> Explanation<'d, 'v> {
        let before = self.walk.visits();
        self.walk.begin_explanation(EXPLANATION_VISITS.min(self.explanations_left));
        let explanation = self.walk.explain(failure);
        let made = self.walk.visits() - before;
        self.explanations_left = self.explanations_left.saturating_sub(made);
        explanation
    }
}

impl<'s, 'd, 'v> Walk<'s, 'd, 'v> {
    fn explain(&mut self, failure: &Failure) -> Explanation<'d, 'v> {
        let schema = self.schema;
        let value = self.instance.at(failure.node);
        let subschema = schema.subschema(failure.subschema);
        let keyword = match (&subschema.body, failure.keyword) {
            (Body::Keywords(keywords), Some(place)) => keywords.get(place as usize),
            _ => None,
        };
        let mut closest = None;
        let (name, requirement, words) = match keyword {
            Some(keyword @ Keyword { meaning: Meaning::Assertion(assertion), .. }) => {
                self.scope = failure.scope.to_vec();
                let words =
                    self.words(assertion, failure.subschema, keyword.value, value, &mut closest);
                (keyword.name, keyword.value, words)
            }
            _ => {
                let words = ("nothing at this place".to_owned(), short_with_kind(value), None);
                ("false", subschema.source, words)
            }
        };
        let (expected, found, advice) = words;
        let detail = if found == MISSING {
            format!("missing {expected}")
        } else {
            format!("found {found}, expected {expected}")
        };
        Explanation { keyword: name, value, requirement, expected, found, detail, advice, closest }
    }

    fn words(
        &mut self,
        assertion: &'s Assertion<'d>,
        id: SubschemaId,
        wanted: Value<'d>,
        value: Value<'v>,
        closest: &mut Option<Box<Explanation<'d, 'v>>>,
    ) -> Words {
        let simple = |expected: String, found: String| (expected, found, None);
        match assertion {
            Assertion::Type(types) => {
                let advice = type_advice(*types, value);
                (types.names(), short_with_kind(value), advice)
            }
            Assertion::Enum(values) => enum_words(values, value),
            Assertion::Const(constant) => {
                simple(format!("the value {}", short(*constant)), short(value))
            }
            Assertion::Limit { kind, .. } => {
                let relation = match kind {
                    Limit::AtLeast => ">=",
                    Limit::AtMost => "<=",
                    Limit::Above => ">",
                    Limit::Below => "<",
                };
                simple(format!("a number {relation} {}", short(wanted)), short(value))
            }
            Assertion::MultipleOf { .. } => {
                simple(format!("a multiple of {}", short(wanted)), short(value))
            }
            Assertion::Length { limit, of, kind } => length_words(*limit, *of, *kind, value),
            Assertion::Pattern(pattern) => {
                simple(format!("a string matching {}", shortened(pattern.as_str())), short(value))
            }
            Assertion::Format(format) => simple(
                format!("a string in the format {}, such as {}", format.name(), format.example()),
                short(value),
            ),
            Assertion::Required(names) => {
                let missing: Vec<&str> =
                    names.iter().copied().filter(|name| value.get(name).is_none()).collect();
                let plural = if missing.len() == 1 { "member" } else { "members" };
                let known: HashSet<&str> = names.iter().copied().collect();
                let others = value.members().map(|member| member.name());
                let others = others.filter(|other| !known.contains(other));
                let others: Vec<&str> = others.take(MAX_CANDIDATES).collect();
                let near = missing.iter().take(MAX_MISTYPED).find_map(|name| {
                    let near = text::closest(name, others.iter().copied());
                    near.map(|near| (near, *name))
                });
                let advice = near.map(|(near, name)| {
                    format!("Is {} meant to be {}?", quoted(near), quoted(name))
                });
                let expected = format!("the {plural} {}", quoted_names(missing));
                (expected, MISSING.to_owned(), advice)
            }
            Assertion::DependentRequired(dependencies) => {
                let missing = missing_dependents(dependencies, value);
                let pairs = missing.iter().map(|(name, wanted)| {
                    format!("the member {} where {} is there", quoted(wanted), quoted(name))
                });
                simple(list(pairs), MISSING.to_owned())
            }
            Assertion::UniqueItems => {
                let found = match repeated_element(&self.schema.hasher, value) {
                    Some((first, second)) => {
                        let repeated = value.element(second).map(short).unwrap_or_default();
                        format!("elements {first} and {second} equal: {repeated}")
                    }
                    None => short(value),
                };
                simple("elements that all differ".to_owned(), found)
            }
            Assertion::NoAdditionalProperties(declared) => {
                let mut extra = Vec::new();
                for member in value.members() {
                    if self.is_declared(declared, member.name()) == Ok(Truth::False) {
                        extra.push(member.name());
                    }
                }
                let expected = match (&*declared.names, &*declared.patterns) {
                    ([], []) => "no members".to_owned(),
                    ([], _) => "no members but those of patternProperties".to_owned(),
                    (names, _) => format!("no members but {}", quoted_names(names.to_vec())),
                };
                let absent = declared.names.iter().copied();
                let absent = absent.filter(|name| value.get(name).is_none());
                let absent: Vec<&str> = absent.take(MAX_CANDIDATES).collect();
                let near = extra.iter().take(MAX_MISTYPED).find_map(|extra| {
                    let near = text::closest(extra, absent.iter().copied());
                    near.map(|near| (*extra, near))
                });
                let advice = near.map(|(extra, near)| {
                    format!("Is {} meant to be {}?", quoted(extra), quoted(near))
                });
                (expected, format!("also {}", quoted_names(extra)), advice)
            }
            Assertion::NoAdditionalItems(prefix) => simple(
                format!("at most {}", count(*prefix as u64, "element", "elements")),
                count(value.len() as u64, "element", "elements"),
            ),
            Assertion::AnyOf(branches) => {
                self.branch_words(branches, wanted, value, "any", closest)
            }
            Assertion::OneOf(branches) => {
                let mut matching = Vec::new();
                for (position, &branch) in branches.iter().enumerate() {
                    if self.judge(branch, value) == Ok(Truth::True) {
                        matching.push(position.to_string());
                    }
                }
                if matching.len() > 1 {
                    let expected = format!("exactly one of {} branches to match", branches.len());
                    return simple(expected, format!("branches {} match", list(matching)));
                }
                self.branch_words(branches, wanted, value, "one", closest)
            }
            Assertion::Not(_) => simple(
                "a value that the schema below 'not' refuses".to_owned(),
                short_with_kind(value),
            ),
            Assertion::Contains { subschema, min, max, .. } => {
                let found = match self.matching_elements(*subschema, value) {
                    Ok((certain, _)) => format!("{certain} that match"),
                    Err(_) => count(value.len() as u64, "element", "elements"),
                };
                let expected = match max {
                    Some(max) => format!("{min} to {max} elements that match 'contains'"),
                    None => format!(
                        "at least {} 'contains'",
                        count(*min, "element that matches", "elements that match")
                    ),
                };
                simple(expected, found)
            }
            Assertion::PropertyNames(subschema) => {
                for member in value.members() {
                    if self.judge(*subschema, member.name_value()) == Ok(Truth::False) {
                        let inner = self.first_failure(*subschema, member.name_value());
                        let expected = inner.map_or_else(
                            || "that match 'propertyNames'".to_owned(),
                            |inner| format!("that are {}", inner.expected),
                        );
                        let expected = format!("member names {expected}");
                        return simple(expected, format!("the name {}", quoted(member.name())));
                    }
                }
                simple("member names that match 'propertyNames'".to_owned(), short(value))
            }
            Assertion::UnevaluatedProperties(subschema) => {
                let members = value.members().map(|member| (quoted(member.name()), member.value()));
                let found = self.unevaluated_words(id, *subschema, value, members.collect());
                simple("no members but those the schema speaks of".to_owned(), found)
            }
            Assertion::UnevaluatedItems(subschema) => {
                let elements = value.elements().enumerate();
                let elements =
                    elements.map(|(place, element)| (format!("element {place}"), element));
                let found = self.unevaluated_words(id, *subschema, value, elements.collect());
                simple("no elements but those the schema speaks of".to_owned(), found)
            }
            Assertion::ContentEncodingBase64 => {
                simple("a string in base64".to_owned(), short(value))
            }
            Assertion::ContentMediaTypeJson { .. } => {
                simple("a string that holds JSON".to_owned(), short(value))
            }
        }
    }

    fn unevaluated_words(
        &mut self,
        id: SubschemaId,
        subschema: SubschemaId,
        value: Value<'v>,
        parts: Vec<(String, Value<'v>)>,
    ) -> String {
        let mut marks = vec![false; value.len()];
        if self.mark(id, value, &mut marks, true).is_err() {
            return short(value);
        }
        let unmarked = parts.into_iter().zip(marks).filter(|(_, marked)| !marked);
        let mut names = Vec::new();
        for ((name, part), _) in unmarked {
            if self.judge(subschema, part) != Ok(Truth::True) {
                names.push(name);
            }
        }
        format!("also {}", list(names))
    }

    /// The first failure of a subschema for a value, in words.
    fn first_failure(&mut self, id: SubschemaId, value: Value<'v>) -> Option<Explanation<'d, 'v>> {
        let (_, failures) = self.failures_of(id, value)?;
        let first = failures.first()?;
        Some(self.explain(first))
    }

    /// How often a subschema fails for a value, and its first failures.
    fn failures_of(&mut self, id: SubschemaId, value: Value<'v>) -> Option<(u64, Vec<Failure>)> {
        let mut tally = Tally::new(Stop::AtTheEnd);
        let place = self.place();
        match self.examine(id, value, &mut tally) {
            Ok(()) => {}
            Err(Halt::Settled | Halt::Exhausted) => {
                self.leave(place);
                return None;
            }
        }
        let failed = tally.counts.failed;
        Some((failed, tally.take_failures()))
    }

    /// The words for `anyOf` and `oneOf` without a match: those of the closest branch.
    fn branch_words(
        &mut self,
        branches: &'s [SubschemaId],
        wanted: Value<'d>,
        value: Value<'v>,
        which: &str,
        closest: &mut Option<Box<Explanation<'d, 'v>>>,
    ) -> Words {
        let expected = format!("a match with {which} of {} branches", branches.len());
        let scope = self.scope.clone();
        let mut candidates = Vec::new();
        for (position, &branch) in branches.iter().enumerate() {
            self.scope.clone_from(&scope);
            let Some((failed, failures)) = self.failures_of(branch, value) else {
                break;
            };
            let Some(first) = failures.first().cloned() else {
                continue;
            };
            let depth =
                failures.iter().take(8).map(|f| value.at(f.node).steps_from(value).len()).max();
            let told = self.discriminates(branch, value, 0);
            // A discriminator that matches wins; a branch for another type of value is not meant.
            let rank = match told {
                Some(true) => 0,
                _ if failures.iter().any(|failure| self.is_wrong_type(failure, value)) => 3,
                None => 1,
                Some(false) => 2,
            };
            candidates.push(((rank, failed, Reverse(depth), position), first));
        }
        let nearest = candidates.into_iter().min_by_key(|(rank, _)| *rank);
        let Some(((_, _, _, position), failure)) = nearest else {
            return (expected, short_with_kind(value), None);
        };
        let inner = self.explain(&failure);
        let place = wanted.element(position).map_or_else(String::new, |branch| {
            reference_of(branch).map_or_else(String::new, |name| format!(", {name}"))
        });
        let at = if inner.value.index() == value.index() || inner.closest.is_some() {
            String::new()
        } else {
            format!(" at '{}'", PathWriter::between(self.instance, inner.value).field())
        };
        let expected = format!(
            "{expected}; closest is branch {position}{place}: schema:{}{at} wants {}",
            inner.keyword, inner.expected
        );
        let found =
            if at.is_empty() { inner.found.clone() } else { format!("{}{at}", inner.found) };
        let advice = inner.advice.clone().or_else(|| {
            Some(match inner.keyword {
                "required" | "dependentRequired" => format!("Add {}{at}.", inner.expected),
                _ if at.is_empty() => format!("Change it to {}.", inner.expected),
                _ => format!("Change the value{at} to {}.", inner.expected),
            })
        });
        let deeper = inner.closest.clone();
        *closest = Some(deeper.unwrap_or_else(|| Box::new(inner)));
        (expected, found, advice)
    }

    /// Whether a branch's `const` or `enum` of some member tells that it is (or is not) the one
    /// that is meant; `None` where it has none that the value answers.
    fn discriminates(&mut self, id: SubschemaId, value: Value<'v>, level: u32) -> Option<bool> {
        /// References and members between a branch and the member that tells it apart.
        const MAX_LEVEL: u32 = 8;
        self.visit().ok()?;
        let schema = self.schema;
        let Body::Keywords(keywords) = &schema.subschema(id).body else { return None };
        let mut told = None;
        for keyword in keywords.iter().filter(|_| level < MAX_LEVEL) {
            let inner = match &keyword.meaning {
                Meaning::Applicator(Applicator::Ref(target)) => {
                    self.discriminates(*target, value, level + 1)
                }
                Meaning::Applicator(Applicator::AllOf(all)) => {
                    let each = all.iter().map(|&one| self.discriminates(one, value, level + 1));
                    each.flatten().reduce(|a, b| a && b)
                }
                Meaning::Applicator(Applicator::Properties(table)) => {
                    let each = table.0.iter().filter_map(|&(name, subschema)| {
                        self.is_constant(subschema, value.get(name)?, level + 1)
                    });
                    each.reduce(|a, b| a && b)
                }
                Meaning::Applicator(Applicator::PrefixItems(subschemas)) => {
                    let each = subschemas.iter().zip(value.elements());
                    let each = each.filter_map(|(&subschema, element)| {
                        self.is_constant(subschema, element, level + 1)
                    });
                    each.reduce(|a, b| a && b)
                }
                _ => None,
            };
            told = match (told, inner) {
                (Some(a), Some(b)) => Some(a && b),
                (told, inner) => told.or(inner),
            };
        }
        told
    }

    /// Whether a member is the constant that its branch wants; `None` where the branch wants none.
    /// That a value is none of several allowed ones tells nothing: it may just be wrong.
    fn is_constant(&mut self, id: SubschemaId, value: Value<'v>, level: u32) -> Option<bool> {
        let schema = self.schema;
        let Body::Keywords(keywords) = &schema.subschema(id).body else { return None };
        for keyword in keywords {
            match &keyword.meaning {
                Meaning::Assertion(Assertion::Const(constant)) => {
                    self.charge_size(value).ok()?;
                    return Some(*constant == value);
                }
                Meaning::Assertion(Assertion::Enum(Values { values, .. })) => {
                    self.charge(values.len() as u64).ok()?;
                    self.charge_size(value).ok()?;
                    let among = values.contains(&value);
                    return (among || values.len() == 1).then_some(among);
                }
                _ => {}
            }
        }
        self.discriminates(id, value, level)
    }

    /// Whether a failure is that of a `type` at the very value.
    fn is_wrong_type(&self, failure: &Failure, value: Value<'v>) -> bool {
        let Body::Keywords(keywords) = &self.schema.subschema(failure.subschema).body else {
            return false;
        };
        let keyword = failure.keyword.and_then(|place| keywords.get(place as usize));
        failure.node == value.index()
            && keyword.is_some_and(|keyword| {
                matches!(keyword.meaning, Meaning::Assertion(Assertion::Type(_)))
            })
    }
}

/// The reference or title by which an author would name a branch.
fn reference_of(branch: Value<'_>) -> Option<String> {
    let name = branch.get("$ref").or_else(|| branch.get("title"))?;
    Some(quoted(name.as_str()?))
}

impl Types {
    fn names(self) -> String {
        let names = [
            (self.null, "null"),
            (self.boolean, "a boolean"),
            (self.integer, "an integer"),
            (self.number, "a number"),
            (self.string, "a string"),
            (self.array, "an array"),
            (self.object, "an object"),
        ];
        let names = names.into_iter().filter(|(allowed, _)| *allowed).map(|(_, name)| name);
        let names: Vec<&str> = names.collect();
        if names.is_empty() { "no type at all".to_owned() } else { names.join(" or ") }
    }
}

fn holds_json(text: &str) -> bool {
    content::examine(text, TextRole::Value).contains(ContentCheck::EmbeddedJson)
}

fn type_advice(types: Types, value: Value<'_>) -> Option<String> {
    let text = value.as_str()?;
    if (types.object || types.array) && holds_json(text) {
        return Some(
            "The string looks like JSON in text or in a code fence; submit the value itself."
                .to_owned(),
        );
    }
    let numeric = (types.number || types.integer)
        && crate::json::Document::parse(text.as_bytes())
            .is_ok_and(|document| matches!(document.root().kind(), Kind::Integer | Kind::Double));
    numeric.then(|| "Write the number without quotes.".to_owned())
}

fn enum_words(values: &Values<'_>, value: Value<'_>) -> Words {
    let expected = match &*values.values {
        [] => "nothing: the enum is empty".to_owned(),
        [one] => format!("the value {}", short(*one)),
        many => format!("one of {}", list(many.iter().map(|&one| short(one)))),
    };
    let texts = values.values.iter().filter_map(|known| known.as_str());
    let near = value.as_str().and_then(|found| text::closest(found, texts));
    let advice = near.map(|near| format!("Did you mean {}?", quoted(near)));
    (expected, short_with_kind(value), advice)
}

fn length_words(limit: u64, of: LengthOf, kind: Limit, value: Value<'_>) -> Words {
    let bound = if kind == Limit::AtLeast { "at least" } else { "at most" };
    let (what, one, many) = match of {
        LengthOf::String => ("a string", "character", "characters"),
        LengthOf::Array => ("an array", "element", "elements"),
        LengthOf::Object => ("an object", "member", "members"),
    };
    let expected = format!("{what} of {bound} {}", count(limit, one, many));
    let found = match value.as_str() {
        Some(text) => {
            format!("{}: {}", count(text.chars().count() as u64, one, many), short(value))
        }
        None => count(value.len() as u64, one, many),
    };
    (expected, found, None)
}
