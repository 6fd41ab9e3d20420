//! Where keywords lead: the one place that knows which subschemas apply to which values, and which
//! members and elements count as evaluated.

use super::evaluate::{Halt, Truth, Walk};
use super::{Applicator, Assertion, Body, Declared, Meaning, SubschemaId, order_names};
use crate::json::Value;

/// The members or elements that some keyword has spoken of, by position.
pub(super) type Marks = Vec<bool>;

impl<'s, 'd, 'v> Walk<'s, 'd, 'v> {
    /// Hands every (subschema, value) pair that a keyword leads on to over to `each`.
    ///
    /// [`Truth::Unknown`] where matching or a condition was left unfinished, so that further pairs
    /// may apply.
    pub(super) fn lead<F>(
        &mut self,
        applicator: &'s Applicator<'d>,
        value: Value<'v>,
        each: &mut F,
    ) -> Result<Truth, Halt>
    where
        F: FnMut(&mut Self, SubschemaId, Value<'v>) -> Result<(), Halt>,
    {
        let mut known = Truth::True;
        match applicator {
            Applicator::Ref(target) => each(self, *target, value)?,
            Applicator::DynamicRef { anchor, otherwise } => {
                self.charge(self.scope.len() as u64)?;
                let target = self.dynamic_target(anchor, *otherwise);
                each(self, target, value)?;
            }
            Applicator::RecursiveRef(target) => {
                let target = self.recursive_target(*target);
                each(self, target, value)?;
            }
            Applicator::AllOf(branches) => {
                for &branch in branches {
                    each(self, branch, value)?;
                }
            }
            Applicator::Properties(table) => {
                self.charge(value.members().len() as u64 / 2)?;
                for member in value.members() {
                    if let Some(subschema) = table.get(member.name()) {
                        each(self, subschema, member.value())?;
                    }
                }
            }
            Applicator::PatternProperties(table) => {
                for member in value.members() {
                    for (pattern, subschema) in table {
                        match self.matches(pattern, member.name())? {
                            Truth::True => each(self, *subschema, member.value())?,
                            Truth::False => {}
                            Truth::Unknown => known = Truth::Unknown,
                        }
                    }
                }
            }
            Applicator::AdditionalProperties { declared, subschema } => {
                self.charge(value.members().len() as u64 / 2)?;
                for member in value.members() {
                    match self.is_declared(declared, member.name())? {
                        Truth::False => each(self, *subschema, member.value())?,
                        Truth::True => {}
                        Truth::Unknown => known = Truth::Unknown,
                    }
                }
            }
            Applicator::PrefixItems(subschemas) => {
                for (&subschema, element) in subschemas.iter().zip(value.elements()) {
                    each(self, subschema, element)?;
                }
            }
            Applicator::Items { from, subschema } => {
                for element in value.elements().skip(*from) {
                    each(self, *subschema, element)?;
                }
            }
            Applicator::If { condition, then, otherwise } => {
                let taken = match self.judge(*condition, value)? {
                    Truth::True => *then,
                    Truth::False => *otherwise,
                    Truth::Unknown => {
                        known = Truth::Unknown;
                        None
                    }
                };
                if let Some(taken) = taken {
                    each(self, taken, value)?;
                }
            }
            Applicator::DependentSchemas(table) => {
                self.charge(if value.is_object() { 2 * table.len() as u64 } else { 0 })?;
                for &(name, subschema) in table {
                    if value.get(name).is_some() {
                        each(self, subschema, value)?;
                    }
                }
            }
        }
        Ok(known)
    }

    /// Whether `properties` or `patternProperties` beside a keyword speak of a member.
    pub(super) fn is_declared(
        &mut self,
        declared: &Declared<'d>,
        name: &str,
    ) -> Result<Truth, Halt> {
        if declared.names.binary_search_by(|known| order_names(known, name)).is_ok() {
            return Ok(Truth::True);
        }
        let mut truth = Truth::False;
        for pattern in &declared.patterns {
            truth = truth.max(self.matches(pattern, name)?);
            if truth == Truth::True {
                break;
            }
        }
        Ok(truth)
    }

    /// 2020-12 Core §8.2.3.2: the outermost resource on the way that has the anchor wins.
    fn dynamic_target(&self, anchor: &str, otherwise: SubschemaId) -> SubschemaId {
        let resources = &self.schema.resources;
        let anchored = |&resource: &u32| {
            let anchors = &resources[resource as usize].anchors;
            let place = anchors.binary_search_by_key(&anchor, |&(name, _)| name).ok()?;
            Some(anchors[place].1)
        };
        self.scope.iter().find_map(anchored).unwrap_or(otherwise)
    }

    /// 2019-09 Core §8.2.4.2.2: outwards, as long as the resources say `$recursiveAnchor`.
    fn recursive_target(&self, target: SubschemaId) -> SubschemaId {
        let recursive = |resource: u32| self.schema.resources[resource as usize].recursive;
        if recursive(self.schema.subschema(target).resource) != Some(target) {
            return target;
        }
        let outwards = self.scope.iter().rev().map_while(|&resource| recursive(resource));
        outwards.last().unwrap_or(target)
    }

    /// Marks what the subschema's keywords speak of, given that it is valid for the value; the
    /// `unevaluated…` keyword that asks is not among them.
    ///
    /// [`Truth::Unknown`] where an unfinished match leaves the marks open.
    pub(super) fn mark(
        &mut self,
        id: SubschemaId,
        value: Value<'v>,
        marks: &mut Marks,
        asking: bool,
    ) -> Result<Truth, Halt> {
        // Each keyword may pass over all marks.
        self.charge(1 + marks.len() as u64)?;
        self.check_level()?;
        let schema = self.schema;
        let subschema = schema.subschema(id);
        let Body::Keywords(keywords) = &subschema.body else {
            return Ok(Truth::True);
        };
        let place = self.enter(subschema);
        let mut known = Truth::True;
        for keyword in keywords {
            let marked = match &keyword.meaning {
                Meaning::Assertion(assertion) => {
                    self.mark_asserted(assertion, value, marks, asking)
                }
                Meaning::Applicator(applicator) => self.mark_led(applicator, value, marks),
            };
            known = known.min(marked?);
        }
        self.leave(place);
        Ok(known)
    }

    fn mark_asserted(
        &mut self,
        assertion: &'s Assertion<'d>,
        value: Value<'v>,
        marks: &mut Marks,
        asking: bool,
    ) -> Result<Truth, Halt> {
        let mut known = Truth::True;
        match assertion {
            Assertion::AnyOf(branches) | Assertion::OneOf(branches) => {
                for &branch in branches {
                    known = known.min(match self.judge(branch, value)? {
                        Truth::True => self.mark(branch, value, marks, false)?,
                        Truth::False => Truth::True,
                        Truth::Unknown => Truth::Unknown,
                    });
                }
            }
            Assertion::Contains { subschema, marks: true, .. } => {
                for (position, element) in value.elements().enumerate() {
                    match self.judge(*subschema, element)? {
                        Truth::True => marks[position] = true,
                        Truth::False => {}
                        Truth::Unknown => known = Truth::Unknown,
                    }
                }
            }
            Assertion::UnevaluatedProperties(_) if !asking && value.is_object() => marks.fill(true),
            Assertion::UnevaluatedItems(_) if !asking && value.is_array() => marks.fill(true),
            _ => {}
        }
        Ok(known)
    }

    fn mark_led(
        &mut self,
        applicator: &'s Applicator<'d>,
        value: Value<'v>,
        marks: &mut Marks,
    ) -> Result<Truth, Halt> {
        let mut known = Truth::True;
        match applicator {
            Applicator::Properties(table) => {
                for (position, member) in value.members().enumerate() {
                    marks[position] |= table.get(member.name()).is_some();
                }
            }
            Applicator::PatternProperties(table) => {
                for (position, member) in value.members().enumerate() {
                    for (pattern, _) in table {
                        match self.matches(pattern, member.name())? {
                            Truth::True => marks[position] = true,
                            Truth::False => {}
                            Truth::Unknown => known = Truth::Unknown,
                        }
                    }
                }
            }
            Applicator::AdditionalProperties { .. } if value.is_object() => marks.fill(true),
            Applicator::AdditionalProperties { .. } => {}
            Applicator::PrefixItems(subschemas) => {
                let prefix = subschemas.len();
                (0..value.elements().len().min(prefix)).for_each(|place| marks[place] = true);
            }
            Applicator::Items { from, .. } => {
                (*from..value.elements().len()).for_each(|place| marks[place] = true);
            }
            Applicator::If { condition, .. } => {
                if self.judge(*condition, value)? == Truth::True {
                    known = self.mark(*condition, value, marks, false)?;
                }
                known = known.min(self.mark_in_place(applicator, value, marks)?);
            }
            Applicator::Ref(_)
            | Applicator::DynamicRef { .. }
            | Applicator::RecursiveRef(_)
            | Applicator::AllOf(_)
            | Applicator::DependentSchemas(_) => {
                known = self.mark_in_place(applicator, value, marks)?;
            }
        }
        Ok(known)
    }

    /// For keywords that apply subschemas to the value itself.
    fn mark_in_place(
        &mut self,
        applicator: &'s Applicator<'d>,
        value: Value<'v>,
        marks: &mut Marks,
    ) -> Result<Truth, Halt> {
        let mut known = Truth::True;
        let led = self.lead(applicator, value, &mut |walk, subschema, value| {
            known = known.min(walk.mark(subschema, value, marks, false)?);
            Ok(())
        })?;
        Ok(known.min(led))
    }
}
