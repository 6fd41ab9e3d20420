//! A schema held against an array one element at a time, for verdicts in flat memory.
//!
//! It comes to what a walk over the whole array comes to, or to nothing: what is used up of the budget
//! is never more than the whole walk may use up at the same place.

use super::evaluate::{Budget, Examination, Stop, Truth, Walk};
use super::{
    Applicator, Assertion, Body, LengthOf, Limit, Meaning, Schema, Subschema, SubschemaId, Types,
};
use crate::json::Value;

/// References from the root that are followed to what speaks of its elements.
const MAX_LEVELS: u32 = 16;

/// What a schema asks of an array, in parts that each need one element or their number.
pub(crate) struct Elementwise<'s, 'd> {
    schema: &'s Schema<'d>,
    /// Hold for every element
    items: Vec<SubschemaId>,
    lengths: Vec<(u64, Limit)>,
    /// Subschemas on the way to `items`
    levels: u32,
    budget: Budget,
    failed: bool,
}

impl<'d> Schema<'d> {
    /// The schema for use on an array's elements in turn; `None` where it may have more to say of an
    /// array than that.
    pub(crate) fn elementwise(&self) -> Option<Elementwise<'_, 'd>> {
        if self.dynamic {
            return None;
        }
        let mut parts = Elementwise {
            schema: self,
            items: Vec::new(),
            lengths: Vec::new(),
            levels: 0,
            budget: Budget::default(),
            failed: false,
        };
        parts.collect(self.subschema(self.root), 1)?;
        Some(parts)
    }
}

impl<'d> Elementwise<'_, 'd> {
    /// Takes apart what a subschema asks of arrays.
    fn collect(&mut self, subschema: &Subschema<'d>, level: u32) -> Option<()> {
        if level > MAX_LEVELS {
            return None;
        }
        self.levels = self.levels.max(level);
        let keywords = match &subschema.body {
            Body::Boolean(true) => return Some(()),
            Body::Boolean(false) => return None,
            Body::Keywords(keywords) => keywords,
        };
        for keyword in keywords {
            match &keyword.meaning {
                Meaning::Assertion(assertion) => match assertion {
                    Assertion::Type(Types { array: true, .. }) => {}
                    Assertion::Length { limit, of: LengthOf::Array, kind } => {
                        self.lengths.push((*limit, *kind));
                    }
                    // Of no array.
                    Assertion::Length { .. }
                    | Assertion::Limit { .. }
                    | Assertion::MultipleOf { .. }
                    | Assertion::Pattern(_)
                    | Assertion::Format(_)
                    | Assertion::Required(_)
                    | Assertion::DependentRequired(_)
                    | Assertion::NoAdditionalProperties(_)
                    | Assertion::PropertyNames(_) => {}
                    _ => return None,
                },
                Meaning::Applicator(applicator) => match applicator {
                    Applicator::Items { from: 0, subschema } => self.items.push(*subschema),
                    Applicator::Ref(target) => {
                        self.collect(self.schema.subschema(*target), level + 1)?;
                    }
                    Applicator::AllOf(branches) => {
                        for &branch in branches {
                            self.collect(self.schema.subschema(branch), level + 1)?;
                        }
                    }
                    // Of no array.
                    Applicator::Properties(_)
                    | Applicator::PatternProperties(_)
                    | Applicator::AdditionalProperties { .. }
                    | Applicator::DependentSchemas(_) => {}
                    _ => return None,
                },
            }
        }
        Some(())
    }

    /// Holds the schema against the next element. False where that is not settled: the whole array has
    /// to be looked at.
    pub(crate) fn take(&mut self, element: Value<'_>) -> bool {
        if self.failed {
            return true;
        }
        self.budget.extend(element);
        for &subschema in &self.items {
            let budget = std::mem::take(&mut self.budget);
            let walk = Walk::within(self.schema, element, budget, self.levels);
            let mut examination = Examination::of(walk, Stop::AtFirstFailure);
            examination.run_from(subschema);
            match examination.truth() {
                Truth::True => {}
                Truth::Unknown => return false,
                Truth::False => {
                    self.failed = true;
                    return true;
                }
            }
            self.budget = examination.walk.into_budget();
        }
        true
    }

    /// Whether the array is valid, given the number of its elements.
    pub(crate) fn finish(self, count: u64) -> bool {
        let length_is_right = |&(limit, kind): &(u64, Limit)| match kind {
            Limit::AtLeast => count >= limit,
            _ => count <= limit,
        };
        !self.failed && self.lengths.iter().all(length_is_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    /// The verdict element by element, where there is one; it has to be that on the whole.
    fn verdict(schema: &str, instance: &str) -> Option<bool> {
        let schema = Document::parse(schema.as_bytes()).unwrap();
        let schema = Schema::compile(schema.root()).unwrap();
        let instance = Document::parse(instance.as_bytes()).unwrap();
        let mut parts = schema.elementwise()?;
        let settled = instance.root().elements().all(|element| parts.take(element));
        let valid = settled.then(|| parts.finish(instance.root().len() as u64))?;
        assert_eq!(valid, schema.is_valid(instance.root()));
        Some(valid)
    }

    #[test]
    fn arrays_are_judged_by_their_elements() {
        let list = r##"{"$ref": "#/$defs/list", "$defs": {"list": {"type": ["array", "null"],
            "items": {"type": "integer", "maximum": 5}, "minItems": 2, "maxItems": 3, "minLength": 9,
            "allOf": [{"items": {"minimum": 1}}], "required": ["a"], "properties": {"b": false}}}}"##;
        for (instance, valid) in [
            ("[1,2]", true),
            ("[1,2,3]", true),
            ("[1]", false),
            ("[1,2,3,4]", false),
            ("[1,6]", false),
            ("[0,2]", false),
            ("[1,\"2\"]", false),
            ("[]", false),
        ] {
            assert_eq!(verdict(list, instance), Some(valid), "{instance}");
        }
        assert_eq!(verdict("true", "[1]"), Some(true));
    }

    #[test]
    fn schemas_that_say_more_of_arrays_are_left_to_the_whole() {
        for schema in [
            "false",
            r#"{"type": "object"}"#,
            r#"{"uniqueItems": true}"#,
            r#"{"contains": {}}"#,
            r#"{"prefixItems": [{}]}"#,
            r#"{"prefixItems": [{}], "items": {}}"#,
            r#"{"unevaluatedItems": false}"#,
            r#"{"enum": [[]]}"#,
            r#"{"anyOf": [{}]}"#,
            r#"{"not": {"type": "null"}}"#,
            r#"{"if": {}, "then": {}}"#,
            r##"{"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}}"##,
        ] {
            assert_eq!(verdict(schema, "[]"), None, "{schema}");
        }
    }

    #[test]
    fn what_runs_out_of_budget_is_left_to_the_whole() {
        let schema = r#"{"items": {"pattern": "^(?:(a+)*a+)*(?=x)\\1$"}}"#;
        let instance = format!("[\"{}\"]", "a".repeat(100_000));
        let schema_document = Document::parse(schema.as_bytes()).unwrap();
        let schema = Schema::compile(schema_document.root()).unwrap();
        let document = Document::parse(instance.as_bytes()).unwrap();
        let mut parts = schema.elementwise().unwrap();
        assert!(!parts.take(document.root().element(0).unwrap()));
    }
}
