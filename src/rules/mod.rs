//! Bounds and cross-field rules: what the schema language cannot say.
//!
//! Arithmetic is exact decimal on the canonical number, never binary floating point. What is
//! missing, `null` or of the wrong kind is a finding and never counted as zero or passed over,
//! unless the rule's `if_present` says so. Work is bounded by a budget that grows with the output.

mod bounds;
mod compare;
mod exists_in;
mod order;
mod sum;
mod unique;

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

pub use bounds::Bound;
pub(crate) use compare::{Comparable, comparable};
use smallvec::SmallVec;

use crate::checks::CheckId;
use crate::decimal::Decimal;
use crate::finding::{Finding, Findings};
use crate::json::{Value, ValueHasher};
use crate::message::short_with_kind;
use crate::path::{FieldPath, PathWriter, Reached};

/// The kinds of rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RuleType {
    /// The values of a path add up to a target.
    SumEquals,
    /// Every value is at least another.
    Gte,
    /// Every value is at most another.
    Lte,
    /// Every value is among others.
    ExistsIn,
    /// No two values are equal.
    Unique,
}

impl RuleType {
    /// All of them.
    pub const ALL: [RuleType; 5] =
        [RuleType::SumEquals, RuleType::Gte, RuleType::Lte, RuleType::ExistsIn, RuleType::Unique];

    /// The `type` in a request.
    pub fn name(self) -> &'static str {
        match self {
            RuleType::SumEquals => "sum_equals",
            RuleType::Gte => "gte",
            RuleType::Lte => "lte",
            RuleType::ExistsIn => "exists_in",
            RuleType::Unique => "unique",
        }
    }

    /// The check that a failed rule is.
    pub fn check(self) -> CheckId {
        let name = format!("consistency:{}", self.name());
        // Every type has its entry in the registry; a test walks them.
        CheckId::named(&name).unwrap_or(CheckId::BOUNDS_RANGE)
    }
}

/// A rule, read from a request.
#[derive(Clone, Debug)]
pub struct Rule<'d> {
    /// The path whose values it is about.
    pub field: FieldPath,
    /// Whether what is missing or `null` is skipped.
    pub if_present: bool,
    /// How far numbers may be off.
    pub tolerance: Decimal,
    /// What it asks.
    pub ask: Ask<'d>,
}

/// What a rule asks of its values.
#[derive(Clone, Debug)]
pub enum Ask<'d> {
    /// `sum_equals`
    SumEquals(Target<'d>),
    /// `gte`
    Gte(Target<'d>),
    /// `lte`
    Lte(Target<'d>),
    /// `exists_in` another field
    ExistsInField(FieldPath),
    /// `exists_in` a list
    ExistsInValues(Value<'d>),
    /// `unique`
    Unique,
}

/// What values are held against.
#[derive(Clone, Debug)]
pub enum Target<'d> {
    /// The value of another field, which shares every `[]` that it has with the rule's field.
    Field(FieldPath),
    /// A value in the rule itself.
    Literal(Value<'d>),
}

impl Rule<'_> {
    /// Its type.
    pub fn rule_type(&self) -> RuleType {
        match self.ask {
            Ask::SumEquals(_) => RuleType::SumEquals,
            Ask::Gte(_) => RuleType::Gte,
            Ask::Lte(_) => RuleType::Lte,
            Ask::ExistsInField(_) | Ask::ExistsInValues(_) => RuleType::ExistsIn,
            Ask::Unique => RuleType::Unique,
        }
    }

    /// Holds the rule against an output.
    pub(crate) fn check(&self, output: Value<'_>, run: &mut Run<'_>) -> Result<(), Exhausted> {
        match &self.ask {
            Ask::SumEquals(target) => sum::check(self, target, output, run),
            Ask::Gte(target) => order::check(self, target, order::Side::AtLeast, output, run),
            Ask::Lte(target) => order::check(self, target, order::Side::AtMost, output, run),
            Ask::ExistsInField(field) => exists_in::check_field(self, field, output, run),
            Ask::ExistsInValues(values) => exists_in::check_values(self, *values, output, run),
            Ask::Unique => unique::check(self, output, run),
        }
    }
}

/// Values of one hash: nearly always one, which then needs no memory of its own.
type Alike<'v> = SmallVec<[Value<'v>; 1]>;

/// The work budget ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exhausted;

/// Steps that the rules of every request may take, and those they may take besides for each node
/// of the output: enough for fifty rules over everything, little enough for a second.
const BASE_STEPS: u64 = 5_000_000;
const STEPS_PER_NODE: u64 = 50;

/// What the rules of one request share: the budget, the findings, the hashing.
pub(crate) struct Run<'a> {
    pub(crate) findings: &'a mut Findings,
    steps_left: u64,
    hasher: ValueHasher,
    /// Values that the current rule or bound saw.
    pub(crate) seen: u64,
    /// Places that it passed over because of `if_present`.
    pub(crate) skipped: u64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(output: Value<'_>, findings: &'a mut Findings) -> Run<'a> {
        let nodes = u64::from(output.end_index() - output.index());
        let steps_left = BASE_STEPS.saturating_add(STEPS_PER_NODE.saturating_mul(nodes));
        Run { findings, steps_left, hasher: ValueHasher::default(), seen: 0, skipped: 0 }
    }

    fn charge(&mut self, steps: u64) -> Result<(), Exhausted> {
        match self.steps_left.checked_sub(steps) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => {
                self.steps_left = 0;
                Err(Exhausted)
            }
        }
    }

    fn hash(&mut self, value: Value<'_>) -> Result<u64, Exhausted> {
        self.charge(u64::from(value.end_index() - value.index()))?;
        Ok(self.hasher.hash(value))
    }

    /// Every place that a range of a path's steps leads to from a value.
    fn reach<'p, 'v>(
        &mut self,
        path: &'p FieldPath,
        steps: Range<usize>,
        from: Value<'v>,
    ) -> Result<Vec<Reached<'p, 'v>>, Exhausted> {
        if self.steps_left == 0 {
            return Err(Exhausted);
        }
        let mut places = Vec::new();
        let left = Cell::new(self.steps_left);
        let pay = |steps| left.set(left.get().saturating_sub(steps));
        let cost = 1 + steps.len() as u64;
        // Passing over an element costs much less than a step, but there can be millions.
        let pass = |elements| pay(elements as u64 / 16);
        path.follow_while(steps, from, &pass, &mut |reached| {
            pay(cost);
            // Beyond the budget nothing is kept nor looked for.
            if left.get() == 0 {
                return ControlFlow::Break(());
            }
            places.push(reached);
            ControlFlow::Continue(())
        });
        self.charge(self.steps_left - left.get())?;
        if self.steps_left == 0 { Err(Exhausted) } else { Ok(places) }
    }
}

/// The place of a value, or of what is missing, as findings name it, and its byte offset: that of
/// the last value on the way where it is missing.
fn place(output: Value<'_>, reached: &Reached<'_, '_>) -> (String, usize) {
    match reached {
        Reached::Value(value) => (PathWriter::between(output, *value).field(), value.offset()),
        Reached::Missing { within, step } => {
            let mut path = PathWriter::between(output, *within);
            path.step(step);
            (path.field(), within.offset())
        }
    }
}

/// A finding about one place where something else was needed.
fn unfit(check: CheckId, output: Value<'_>, reached: &Reached<'_, '_>, needed: &str) -> Finding {
    let (field, offset) = place(output, reached);
    let (found, advice) = match reached {
        Reached::Missing { .. } => ("missing".to_owned(), None),
        Reached::Value(value) => describe(*value),
    };
    let verb = if found == "missing" { "is missing".to_owned() } else { format!("found {found}") };
    Finding {
        check,
        field,
        offset,
        expected: needed.to_owned(),
        detail: format!("{verb}, expected {needed}"),
        found,
        advice,
        requirement: None,
    }
}

/// A value that does not fit, with a word on strings that look like numbers.
fn describe(value: Value<'_>) -> (String, Option<String>) {
    let numeric = value.as_str().is_some_and(|text| {
        crate::json::Document::parse(text.trim().as_bytes())
            .is_ok_and(|document| document.root().as_number().is_some())
    });
    if numeric {
        let found = format!("{}, a numeric string and not a number", crate::message::short(value));
        return (found, Some("Write the number without quotes.".to_owned()));
    }
    (short_with_kind(value), None)
}

/// Whether `if_present` skips a place.
fn is_absent(reached: &Reached<'_, '_>) -> bool {
    match reached {
        Reached::Missing { .. } => true,
        Reached::Value(value) => value.is_null(),
    }
}

/// The values that a rule's `field` leads to in one group, and the group's target.
struct Group<'p, 'v> {
    root: Value<'v>,
    values: Vec<Reached<'p, 'v>>,
    target: Option<Reached<'p, 'v>>,
}

/// Splits a rule's field into groups: one for each place that the `[]` of its target lead to.
///
/// Places where the shared steps themselves lead to nothing come as groups without a target, with
/// the missing place as their only value.
fn groups<'p, 'v>(
    field: &'p FieldPath,
    target: &'p Target<'_>,
    output: Value<'v>,
    run: &mut Run<'_>,
) -> Result<Vec<Group<'p, 'v>>, Exhausted> {
    let shared = match target {
        Target::Field(path) => path.repeated_steps(),
        Target::Literal(_) => 0,
    };
    let mut groups = Vec::new();
    for reached in run.reach(field, 0..shared, output)? {
        let Reached::Value(root) = reached else {
            groups.push(Group { root: output, values: vec![reached], target: None });
            continue;
        };
        let values = run.reach(field, shared..field.steps().len(), root)?;
        let target = match target {
            Target::Field(path) => {
                run.reach(path, shared..path.steps().len(), root)?.into_iter().next()
            }
            Target::Literal(_) => None,
        };
        groups.push(Group { root, values, target });
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, MAX_INTEGER_DIGITS};
    use crate::request::Request;

    #[test]
    fn work_is_charged_by_its_size_and_ends_with_the_budget() {
        let document = Document::parse(br#"{"a": [1, [2, 3]]}"#).unwrap();
        let root = document.root();
        let mut findings = Findings::default();
        let mut run = Run::new(root, &mut findings);
        // The object, its one name, and five values below.
        assert_eq!(run.steps_left, BASE_STEPS + 7 * STEPS_PER_NODE);
        assert_eq!(run.charge(BASE_STEPS), Ok(()));
        assert_eq!(run.steps_left, 7 * STEPS_PER_NODE);
        assert_eq!(run.charge(7 * STEPS_PER_NODE), Ok(()));
        assert_eq!(run.charge(1), Err(Exhausted));

        let pair = root.get("a").and_then(|list| list.element(1)).unwrap();
        run.steps_left = 5;
        assert_eq!(run.hash(pair), Ok(run.hasher.hash(pair)));
        assert_eq!(run.steps_left, 2);
        assert_eq!((run.hash(pair), run.steps_left), (Err(Exhausted), 0));

        // Two places, at one for each and one for each step.
        let path = FieldPath::parse("a[]").unwrap();
        let mut places = |steps| {
            run.steps_left = steps;
            let count = run.reach(&path, 0..2, root).map(|places| places.len());
            (count, run.steps_left)
        };
        assert_eq!(places(10), (Ok(2), 4));
        assert_eq!(places(7), (Ok(2), 1));
        // What has used all of it up may have missed some.
        assert_eq!(places(6), (Err(Exhausted), 0));
        assert_eq!(places(1), (Err(Exhausted), 0));
    }

    #[test]
    fn long_integers_are_charged_for_their_digits() {
        // For the value, and where the other is one as well, for both.
        let (short, long) = ("7".to_owned(), "7".repeat(MAX_INTEGER_DIGITS));
        let one = MAX_INTEGER_DIGITS as u64 / 16;
        for (asked, charged) in [
            (r#""bounds": {"a": {"min": 1}}"#, one),
            (r#""rules": [{"type": "gte", "field": "a", "value": 1}]"#, one),
            (r#""rules": [{"type": "lte", "field": "a", "other_field": "b"}]"#, 2 * one),
            (r#""rules": [{"type": "sum_equals", "field": "a", "equals": 1}]"#, one),
        ] {
            let used = |number: &str| {
                let text = format!(
                    r#"{{"task_id": "t", "expected_schema": true, {asked},
                         "submitted_output": {{"a": {number}, "b": {number}}}}}"#
                );
                let document = Document::parse(text.as_bytes()).unwrap();
                let request = Request::parse(document.root()).unwrap();
                let mut findings = Findings::default();
                let mut run = Run::new(request.output, &mut findings);
                let before = run.steps_left;
                for bound in request.requirements.bounds() {
                    bound.check(request.output, &mut run).unwrap();
                }
                for rule in request.requirements.rules() {
                    rule.check(request.output, &mut run).unwrap();
                }
                before - run.steps_left
            };
            assert_eq!(used(&long) - used(&short), charged, "{asked}");
        }
    }

    #[test]
    fn every_rule_type_has_its_check() {
        for rule_type in RuleType::ALL {
            assert_eq!(rule_type.check().as_str(), format!("consistency:{}", rule_type.name()));
        }
    }
}
