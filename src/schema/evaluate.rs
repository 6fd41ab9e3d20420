//! The walk over (subschema, value) pairs: verdict, counts and failures in one pass.
//!
//! All outcomes are three-valued (Kleene's logic), so that what a budget left unfinished stays
//! unknown through `not`, `anyOf` and `if`, and a verdict is given only where every outcome of it
//! leads to the same one. The walk is bounded: by a number of visits that grows with the instance,
//! by levels of recursion, and by the matching budget. Once a walk is long it remembers the pairs
//! it has seen, so that webs of references cost their pairs and not their paths.

use std::collections::BinaryHeap;

use super::assertions::{
    base64_content, is_json_content, is_within, missing_dependents, repeated_element,
};
use super::memory::{Memory, pair};
use super::pattern::{MatchBudget, Pattern};
use super::registry::ResourceId;
use super::{
    Assertion, Body, LengthOf, Limit, Meaning, Schema, Subschema, SubschemaId, Threshold, Types,
    Values,
};
use crate::json::{Number, Value};

/// An outcome, ordered so that *and* is the minimum and *or* the maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truth {
    /// Certainly not
    False,
    /// Not finished
    Unknown,
    /// Certainly
    True,
}

impl Truth {
    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(outcome: bool) -> Truth {
        if outcome { Truth::True } else { Truth::False }
    }
}

/// Why a walk ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// The outcome is settled.
    Settled,
    /// The budget ran out.
    Exhausted,
}

/// How many checks came out how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Checks that passed
    pub passed: u64,
    /// Checks that failed
    pub failed: u64,
    /// Checks that were not finished
    pub undecided: u64,
}

impl Counts {
    /// All checks.
    pub fn total(self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_add(self.undecided)
    }

    fn add(&mut self, other: Counts) -> Result<(), Halt> {
        let sum = |a: u64, b: u64| a.checked_add(b).ok_or(Halt::Exhausted);
        *self = Counts {
            passed: sum(self.passed, other.passed)?,
            failed: sum(self.failed, other.failed)?,
            undecided: sum(self.undecided, other.undecided)?,
        };
        Ok(())
    }

    fn since(self, earlier: Counts) -> Counts {
        Counts {
            passed: self.passed - earlier.passed,
            failed: self.failed - earlier.failed,
            undecided: self.undecided - earlier.undecided,
        }
    }
}

/// When a walk may end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// When every check was made.
    AtTheEnd,
    /// As soon as one failed: for a verdict alone.
    AtFirstFailure,
}

/// Failures that are kept for explanation; all are counted.
pub(crate) const MAX_FAILURES: usize = 100;

/// A failed check, without words yet. Ordered by place in the instance, then as they came.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Failure {
    pub(super) node: u32,
    sequence: u64,
    pub(super) subschema: SubschemaId,
    /// The keyword's place; `None` for a `false` schema.
    pub(super) keyword: Option<u32>,
    /// The resources on the way, where they matter.
    pub(super) scope: Box<[ResourceId]>,
}

/// Counts and failures of one walk.
pub(super) struct Tally {
    pub(super) counts: Counts,
    failures: BinaryHeap<Failure>,
    /// The first place, with its sequence number, at which each keyword failed.
    failed_keywords: Vec<(&'static str, (u32, u64))>,
    sequence: u64,
    stop: Stop,
}

impl Tally {
    pub(super) fn new(stop: Stop) -> Tally {
        Tally {
            counts: Counts::default(),
            failures: BinaryHeap::new(),
            failed_keywords: Vec::new(),
            sequence: 0,
            stop,
        }
    }

    fn count(&mut self, truth: Truth) -> Result<(), Halt> {
        let mut one = Counts::default();
        match truth {
            Truth::True => one.passed = 1,
            Truth::False => one.failed = 1,
            Truth::Unknown => one.undecided = 1,
        }
        self.counts.add(one)
    }

    fn fail(
        &mut self,
        keyword: &'static str,
        failure: impl FnOnce(u64) -> Failure,
    ) -> Result<(), Halt> {
        self.count(Truth::False)?;
        if self.stop == Stop::AtFirstFailure {
            return Err(Halt::Settled);
        }
        self.sequence += 1;
        let failure = failure(self.sequence);
        let place = (failure.node, failure.sequence);
        match self.failed_keywords.iter_mut().find(|(known, _)| *known == keyword) {
            Some((_, first)) => *first = place.min(*first),
            None => self.failed_keywords.push((keyword, place)),
        }
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure);
        } else if let Some(mut last) = self.failures.peek_mut()
            && failure < *last
        {
            *last = failure;
        }
        Ok(())
    }

    /// The first failures in order; none are left then.
    pub(super) fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures).into_sorted_vec()
    }
}

/// Visits that every walk may make, and those it may make besides for each node of the instance.
///
/// A visit costs some 50 ns, and what costs more is charged as several, so that 100 kB of instance
/// are judged within a second whatever the schema; honest schemas make well under a hundred visits
/// a node.
const BASE_VISITS: u64 = 4_000_000;
const VISITS_PER_NODE: u64 = 100;

/// Nested subschemas that a walk goes down; bounds its use of the stack.
const MAX_LEVELS: u32 = 1_000;

/// Visits after which pairs are remembered: short walks pay nothing for it.
const REMEMBER_AFTER: u64 = 50_000;

/// Pairs that are remembered at most, which bounds the memory.
const MAX_REMEMBERED: usize = 500_000;

/// What a walk may use up, as far as it does not depend on the schema.
pub(super) struct Budget {
    visits: u64,
    matching: MatchBudget,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { visits: BASE_VISITS, matching: MatchBudget::default() }
    }
}

impl Budget {
    /// Adds what an instance is worth.
    pub(super) fn extend(&mut self, instance: Value<'_>) {
        let nodes = u64::from(instance.end_index() - instance.index());
        self.visits = self.visits.saturating_add(VISITS_PER_NODE.saturating_mul(nodes));
        self.matching.extend(instance.document().text().len());
    }
}

/// What bounds a walk.
struct Work {
    visits: u64,
    limit: u64,
    levels: u32,
    matching: MatchBudget,
}

/// The state of walks over one instance.
pub(super) struct Walk<'s, 'd, 'v> {
    pub(super) schema: &'s Schema<'d>,
    pub(super) instance: Value<'v>,
    /// The resources on the way from the root, where outcomes depend on them.
    pub(super) scope: Vec<ResourceId>,
    work: Work,
    judged: Memory<Truth>,
    examined: Memory<Counts>,
    /// Whether the checks are made and this walk only puts failures into words.
    explaining: bool,
}

/// Where a walk was before it entered a subschema.
pub(super) struct Place {
    levels: u32,
    scope: usize,
}

impl<'s, 'd, 'v> Walk<'s, 'd, 'v> {
    pub(super) fn new(schema: &'s Schema<'d>, instance: Value<'v>) -> Walk<'s, 'd, 'v> {
        let mut budget = Budget::default();
        budget.extend(instance);
        Walk::within(schema, instance, budget, 0)
    }

    /// A walk that may use up a budget, so many levels down from the root.
    pub(super) fn within(
        schema: &'s Schema<'d>,
        instance: Value<'v>,
        budget: Budget,
        levels: u32,
    ) -> Walk<'s, 'd, 'v> {
        let Budget { visits: limit, matching } = budget;
        Walk {
            schema,
            instance,
            scope: Vec::new(),
            work: Work { visits: 0, limit, levels, matching },
            judged: Memory::default(),
            examined: Memory::default(),
            explaining: false,
        }
    }

    /// What is left of the budget.
    pub(super) fn into_budget(self) -> Budget {
        let Work { visits, limit, matching, .. } = self.work;
        Budget { visits: limit.saturating_sub(visits), matching }
    }

    /// Begins to put a failure into words, with so many visits to do it by.
    pub(super) fn begin_explanation(&mut self, visits: u64) {
        self.explaining = true;
        self.work.limit = self.work.visits.saturating_add(visits);
        // A walk that gave up did not go back on its way.
        self.work.levels = 0;
        self.scope.clear();
    }

    /// The visits made so far.
    pub(super) fn visits(&self) -> u64 {
        self.work.visits
    }

    /// Where the walk is, to come back to after giving up further down.
    pub(super) fn place(&self) -> Place {
        Place { levels: self.work.levels, scope: self.scope.len() }
    }

    pub(super) fn visit(&mut self) -> Result<(), Halt> {
        self.charge(1)
    }

    pub(super) fn charge(&mut self, visits: u64) -> Result<(), Halt> {
        self.work.visits += visits;
        if self.work.visits > self.work.limit { Err(Halt::Exhausted) } else { Ok(()) }
    }

    pub(super) fn enter(&mut self, subschema: &Subschema<'d>) -> Place {
        let place = self.place();
        self.work.levels += 1;
        if self.schema.dynamic && self.scope.last() != Some(&subschema.resource) {
            self.scope.push(subschema.resource);
        }
        place
    }

    pub(super) fn leave(&mut self, place: Place) {
        self.work.levels = place.levels;
        self.scope.truncate(place.scope);
    }

    pub(super) fn check_level(&self) -> Result<(), Halt> {
        if self.work.levels >= MAX_LEVELS { Err(Halt::Exhausted) } else { Ok(()) }
    }

    /// Whether pairs are worth remembering, and have one outcome whatever the way to them.
    fn remembers(&self) -> bool {
        self.work.visits > REMEMBER_AFTER && !self.schema.dynamic
    }

    pub(super) fn matches(&mut self, pattern: &Pattern, text: &str) -> Result<Truth, Halt> {
        self.visit()?;
        Ok(match pattern.is_match(text, &mut self.work.matching) {
            Some(outcome) => Truth::from(outcome),
            None => Truth::Unknown,
        })
    }

    /// The outcome of one subschema for one value.
    pub(super) fn judge(&mut self, id: SubschemaId, value: Value<'v>) -> Result<Truth, Halt> {
        self.visit()?;
        let schema = self.schema;
        let subschema = schema.subschema(id);
        let keywords = match &subschema.body {
            Body::Boolean(boolean) => return Ok(Truth::from(*boolean)),
            Body::Keywords(keywords) => keywords,
        };
        self.check_level()?;
        let remembers = subschema.shared && self.remembers();
        if remembers && let Some(&truth) = self.judged.get(&pair(id, value)) {
            return Ok(truth);
        }
        let place = self.enter(subschema);
        let mut truth = Truth::True;
        for keyword in keywords {
            truth = truth.min(match &keyword.meaning {
                Meaning::Assertion(assertion) => self.assert(assertion, id, value)?,
                Meaning::Applicator(applicator) => {
                    let mut all = Truth::True;
                    let led = self.lead(applicator, value, &mut |walk, subschema, value| {
                        all = all.min(walk.judge(subschema, value)?);
                        if all == Truth::False { Err(Halt::Settled) } else { Ok(()) }
                    });
                    match led {
                        Ok(known) => all.min(known),
                        Err(Halt::Settled) => Truth::False,
                        Err(Halt::Exhausted) => return Err(Halt::Exhausted),
                    }
                }
            });
            if truth == Truth::False {
                break;
            }
        }
        self.leave(place);
        if remembers && self.judged.len() < MAX_REMEMBERED {
            self.judged.insert(pair(id, value), truth);
        }
        Ok(truth)
    }

    /// Makes every check of one subschema for one value.
    pub(super) fn examine(
        &mut self,
        id: SubschemaId,
        value: Value<'v>,
        tally: &mut Tally,
    ) -> Result<(), Halt> {
        self.visit()?;
        let schema = self.schema;
        let subschema = schema.subschema(id);
        let keywords = match &subschema.body {
            Body::Boolean(true) => return Ok(()),
            Body::Boolean(false) => {
                return tally.fail("false", |sequence| self.failure(value, sequence, id, None));
            }
            Body::Keywords(keywords) => keywords,
        };
        self.check_level()?;
        // An explanation wants the failures themselves, which are not remembered.
        let remembers = subschema.shared && !self.explaining && self.remembers();
        let before = tally.counts;
        if remembers && let Some(&counts) = self.examined.get(&pair(id, value)) {
            return tally.counts.add(counts);
        }
        let place = self.enter(subschema);
        for (position, keyword) in keywords.iter().enumerate() {
            match &keyword.meaning {
                Meaning::Assertion(assertion) => match self.assert(assertion, id, value)? {
                    Truth::False => tally.fail(keyword.name, |sequence| {
                        self.failure(value, sequence, id, Some(position as u32))
                    })?,
                    truth => tally.count(truth)?,
                },
                Meaning::Applicator(applicator) => {
                    let led = self.lead(applicator, value, &mut |walk, subschema, value| {
                        walk.examine(subschema, value, tally)
                    })?;
                    if led == Truth::Unknown {
                        tally.count(Truth::Unknown)?;
                    }
                }
            }
        }
        self.leave(place);
        if remembers && self.examined.len() < MAX_REMEMBERED {
            self.examined.insert(pair(id, value), tally.counts.since(before));
        }
        Ok(())
    }

    fn failure(
        &self,
        value: Value<'v>,
        sequence: u64,
        subschema: SubschemaId,
        keyword: Option<u32>,
    ) -> Failure {
        let scope = if self.schema.dynamic { self.scope.as_slice().into() } else { Box::default() };
        Failure { node: value.index(), sequence, subschema, keyword, scope }
    }

    /// The outcome of one check; `id` is the subschema that the keyword stands in.
    fn assert(
        &mut self,
        assertion: &'s Assertion<'d>,
        id: SubschemaId,
        value: Value<'v>,
    ) -> Result<Truth, Halt> {
        Ok(match assertion {
            Assertion::Type(types) => Truth::from(Types::allow(*types, value)),
            Assertion::Enum(values) => {
                self.charge_size(value)?;
                Truth::from(self.is_among(values, value))
            }
            Assertion::Const(constant) => {
                self.charge_size(value)?;
                Truth::from(*constant == value)
            }
            // The most usual limit, which no digits are needed for.
            Assertion::Limit { limit: Threshold::Double(0.0), kind: Limit::AtLeast }
                if !value.is_written_negative() =>
            {
                Truth::True
            }
            Assertion::Limit { limit, kind } => match value.as_number() {
                Some(number) => {
                    if matches!(limit, Threshold::Decimal(_)) {
                        self.charge_number(number)?;
                    }
                    Truth::from(is_within(number, limit, *kind))
                }
                None => Truth::True,
            },
            Assertion::MultipleOf { divisor, work } => match value.as_number() {
                Some(number) => {
                    self.charge_number(number)?;
                    self.charge(*work)?;
                    Truth::from(number.to_decimal().is_multiple_of(divisor))
                }
                None => Truth::True,
            },
            Assertion::Length { limit, of, kind } => match self.length(value, *of)? {
                Some(length) if *kind == Limit::AtLeast => Truth::from(length >= *limit),
                Some(length) => Truth::from(length <= *limit),
                None => Truth::True,
            },
            Assertion::Pattern(pattern) => match value.as_str() {
                Some(text) => self.matches(pattern, text)?,
                None => Truth::True,
            },
            Assertion::Format(format) => match value.as_str() {
                Some(text) => {
                    // Some formats cost more than a glance: they are paid for as matching is.
                    if !self.work.matching.is_spent() && self.work.matching.spend(format.work(text))
                    {
                        Truth::from(format.is_valid(text))
                    } else {
                        Truth::Unknown
                    }
                }
                None => Truth::True,
            },
            Assertion::Required(names) => {
                self.charge(if value.is_object() { 2 * names.len() as u64 } else { 0 })?;
                Truth::from(
                    !value.is_object() || names.iter().all(|name| value.get(name).is_some()),
                )
            }
            Assertion::DependentRequired(dependencies) => {
                let wanted = dependencies.iter().map(|(_, names)| 1 + names.len() as u64);
                self.charge(if value.is_object() { 2 * wanted.sum::<u64>() } else { 0 })?;
                Truth::from(
                    !value.is_object() || missing_dependents(dependencies, value).is_empty(),
                )
            }
            Assertion::UniqueItems => {
                if value.is_array() {
                    self.charge_size(value)?;
                }
                Truth::from(repeated_element(&self.schema.hasher, value).is_none())
            }
            Assertion::NoAdditionalProperties(declared) => {
                let mut truth = Truth::True;
                for member in value.members() {
                    self.visit()?;
                    truth = truth.min(self.is_declared(declared, member.name())?);
                    if truth == Truth::False {
                        break;
                    }
                }
                truth
            }
            Assertion::NoAdditionalItems(prefix) => {
                Truth::from(!value.is_array() || value.len() <= *prefix)
            }
            Assertion::AnyOf(branches) => {
                let mut truth = Truth::False;
                for &branch in branches {
                    truth = truth.max(self.judge(branch, value)?);
                    if truth == Truth::True {
                        break;
                    }
                }
                truth
            }
            Assertion::OneOf(branches) => self.exactly_one(branches, value)?,
            Assertion::Not(subschema) => self.judge(*subschema, value)?.not(),
            Assertion::Contains { subschema, min, max, .. } if value.is_array() => {
                let (certain, possible) = self.matching_elements(*subschema, value)?;
                let max = max.unwrap_or(u64::MAX);
                if possible < *min || certain > max {
                    Truth::False
                } else if certain >= *min && possible <= max {
                    Truth::True
                } else {
                    Truth::Unknown
                }
            }
            Assertion::Contains { .. } => Truth::True,
            Assertion::PropertyNames(subschema) => {
                let mut truth = Truth::True;
                for member in value.members() {
                    truth = truth.min(self.judge(*subschema, member.name_value())?);
                    if truth == Truth::False {
                        break;
                    }
                }
                truth
            }
            Assertion::UnevaluatedProperties(subschema) if value.is_object() => {
                let values = value.members().map(|member| member.value());
                self.unevaluated(id, *subschema, value, values)?
            }
            Assertion::UnevaluatedItems(subschema) if value.is_array() => {
                self.unevaluated(id, *subschema, value, value.elements())?
            }
            Assertion::UnevaluatedProperties(_) | Assertion::UnevaluatedItems(_) => Truth::True,
            Assertion::ContentEncodingBase64 => match value.as_str() {
                Some(text) => {
                    self.charge(text.len() as u64 / 64)?;
                    Truth::from(base64_content(text).is_some())
                }
                None => Truth::True,
            },
            Assertion::ContentMediaTypeJson { base64 } => match value.as_str() {
                Some(text) => {
                    self.charge(text.len() as u64 / 8)?;
                    Truth::from(is_json_content(text, *base64))
                }
                None => Truth::True,
            },
        })
    }

    pub(super) fn charge_size(&mut self, value: Value<'v>) -> Result<(), Halt> {
        let nodes = u64::from(value.end_index() - value.index());
        self.charge(nodes / 2 + value.span() as u64 / 32)
    }

    /// Exact arithmetic costs more than a visit: on doubles for their exponents, on long integers
    /// for their digits.
    fn charge_number(&mut self, number: Number<'_>) -> Result<(), Halt> {
        match number {
            Number::Integer(digits) => self.charge(digits.len() as u64 / 8),
            Number::Double(_) => self.charge(16),
        }
    }

    fn is_among(&self, values: &Values<'d>, value: Value<'v>) -> bool {
        if values.hashes.is_empty() {
            return values.values.contains(&value);
        }
        let hash = self.schema.hasher.hash(value);
        let start = values.hashes.partition_point(|&(known, _)| known < hash);
        let same = values.hashes[start..].iter().take_while(|&&(known, _)| known == hash);
        same.into_iter().any(|&(_, place)| values.values[place as usize] == value)
    }

    fn length(&mut self, value: Value<'v>, of: LengthOf) -> Result<Option<u64>, Halt> {
        Ok(match of {
            LengthOf::String => match value.as_str() {
                Some(text) => {
                    self.charge(text.len() as u64 / 256)?;
                    Some(text.chars().count() as u64)
                }
                None => None,
            },
            LengthOf::Array => value.is_array().then(|| value.len() as u64),
            LengthOf::Object => value.is_object().then(|| value.len() as u64),
        })
    }

    fn exactly_one(&mut self, branches: &[SubschemaId], value: Value<'v>) -> Result<Truth, Halt> {
        let (mut certain, mut possible) = (0, 0);
        for &branch in branches {
            match self.judge(branch, value)? {
                Truth::True => certain += 1,
                Truth::Unknown => possible += 1,
                Truth::False => {}
            }
            if certain > 1 {
                return Ok(Truth::False);
            }
        }
        Ok(match (certain, possible) {
            (1, 0) => Truth::True,
            (0, 0) => Truth::False,
            _ => Truth::Unknown,
        })
    }

    /// How many elements certainly match, and how many may.
    pub(super) fn matching_elements(
        &mut self,
        subschema: SubschemaId,
        value: Value<'v>,
    ) -> Result<(u64, u64), Halt> {
        let (mut certain, mut possible) = (0, 0);
        for element in value.elements() {
            let truth = self.judge(subschema, element)?;
            certain += u64::from(truth == Truth::True);
            possible += u64::from(truth != Truth::False);
        }
        Ok((certain, possible))
    }

    fn unevaluated(
        &mut self,
        id: SubschemaId,
        subschema: SubschemaId,
        value: Value<'v>,
        values: impl Iterator<Item = Value<'v>>,
    ) -> Result<Truth, Halt> {
        self.charge(value.len() as u64)?;
        let mut marks = vec![false; value.len()];
        let known = self.mark(id, value, &mut marks, true)?;
        let mut truth = Truth::True;
        for (marked, value) in marks.into_iter().zip(values) {
            if !marked {
                truth = truth.min(self.judge(subschema, value)?);
            }
        }
        // An unfinished match may have marked what then failed here.
        Ok(if truth == Truth::False && known == Truth::Unknown { Truth::Unknown } else { truth })
    }
}

/// The checks of a whole schema for one instance.
pub(crate) struct Examination<'s, 'd, 'v> {
    pub(super) walk: Walk<'s, 'd, 'v>,
    tally: Tally,
    exhausted: bool,
    /// Visits left for explanations.
    pub(super) explanations_left: u64,
}

impl<'d> Schema<'d> {
    /// Prepares to make all checks for an instance.
    pub(crate) fn examine<'s, 'v>(&'s self, instance: Value<'v>) -> Examination<'s, 'd, 'v> {
        Examination::new(self, instance, Stop::AtTheEnd)
    }
}

impl<'s, 'd, 'v> Examination<'s, 'd, 'v> {
    pub(crate) fn new(schema: &'s Schema<'d>, instance: Value<'v>, stop: Stop) -> Self {
        Examination::of(Walk::new(schema, instance), stop)
    }

    /// Prepares to make checks on a walk of one's own.
    pub(super) fn of(walk: Walk<'s, 'd, 'v>, stop: Stop) -> Self {
        Examination {
            walk,
            tally: Tally::new(stop),
            exhausted: false,
            explanations_left: super::explain::ALL_EXPLANATIONS,
        }
    }

    /// Makes the checks.
    pub(crate) fn run(&mut self) {
        self.run_from(self.walk.schema.root);
    }

    /// Makes the checks of one subschema.
    pub(super) fn run_from(&mut self, subschema: SubschemaId) {
        let ended = self.walk.examine(subschema, self.walk.instance, &mut self.tally);
        if ended == Err(Halt::Exhausted) {
            // What was not reached is one check that was not finished.
            self.exhausted = true;
            self.tally.counts.undecided = self.tally.counts.undecided.saturating_add(1);
        }
    }

    /// The counts; complete unless the run ended at its first failure or its budget ran out.
    pub(crate) fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// Whether the evaluation itself ran out of its budget, rather than a regular expression.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Whether the instance is valid, as far as that is certain.
    pub(crate) fn truth(&self) -> Truth {
        let Counts { failed, undecided, .. } = self.tally.counts;
        match (failed, undecided) {
            (0, 0) => Truth::True,
            (0, _) => Truth::Unknown,
            _ => Truth::False,
        }
    }

    /// The keywords that failed, in the order of their first failures.
    pub(crate) fn failed_keywords(&self) -> Vec<&'static str> {
        let mut keywords = self.tally.failed_keywords.clone();
        keywords.sort_by_key(|&(_, place)| place);
        keywords.into_iter().map(|(keyword, _)| keyword).collect()
    }

    /// The first failures, in order. They are handed over; everything else stays.
    pub(crate) fn take_failures(&mut self) -> Vec<Failure> {
        self.tally.take_failures()
    }
}
