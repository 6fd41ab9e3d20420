//! A naive count of a schema's checks: one walk over a schema and a value side by side, which shares
//! nothing with the library. One check is one assertion keyword at one place; what only leads on
//! counts nothing itself, and a branch, a condition or a name hides what is inside.
//!
//! It knows the keywords that the random schemas have, and follows references without end: for
//! schemas that do not lead back to themselves.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use agent_output_verifier::schema::Draft;
use regex::Regex;
use serde_json::{Map, Value};

/// What came out at one place.
#[derive(Default, Debug)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    /// The keyword of every check that failed.
    pub(crate) failed: Vec<&'static str>,
    /// Members and elements of this very value that were evaluated.
    members: BTreeSet<String>,
    elements: BTreeSet<usize>,
}

impl Count {
    fn is_valid(&self) -> bool {
        self.failed.is_empty()
    }

    fn check(&mut self, keyword: &'static str, holds: bool) {
        if holds {
            self.passed += 1;
        } else {
            self.failed.push(keyword);
        }
    }

    /// Takes in the checks of a subschema of another value.
    fn inside(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
    }

    /// Takes in those of a subschema that must hold for the same value. What it evaluated counts as
    /// evaluated even if it fails, since that failure is told already.
    fn beside(&mut self, mut other: Count) {
        self.members.append(&mut other.members);
        self.elements.append(&mut other.elements);
        self.inside(other);
    }

    /// Takes in only what a branch that happens to hold evaluated.
    fn mark(&mut self, other: &Count) {
        if other.is_valid() {
            self.members.extend(other.members.iter().cloned());
            self.elements.extend(&other.elements);
        }
    }
}

/// Counts the checks of a whole schema.
pub(crate) fn count(schema: &Value, instance: &Value, draft: Draft) -> Count {
    Counter { root: schema, draft }.at(schema, instance)
}

struct Counter<'s> {
    root: &'s Value,
    draft: Draft,
}

impl Counter<'_> {
    fn is_valid(&self, schema: &Value, instance: &Value) -> bool {
        self.at(schema, instance).is_valid()
    }

    fn at(&self, schema: &Value, instance: &Value) -> Count {
        let mut count = Count::default();
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            _ => {
                if schema == false {
                    count.check("false", false);
                }
                return count;
            }
        };
        if let Some(target) = keywords.get("$ref") {
            let pointer = target.as_str().unwrap().strip_prefix('#').unwrap();
            count.beside(self.at(self.root.pointer(pointer).unwrap(), instance));
            if self.draft <= Draft::Draft7 {
                return count;
            }
        }
        self.values(keywords, instance, &mut count);
        self.members(keywords, instance, &mut count);
        self.elements(keywords, instance, &mut count);
        self.branches(keywords, instance, &mut count);
        self.unevaluated(keywords, instance, &mut count);
        count
    }

    /// Keywords that assert something of the value itself.
    fn values(&self, keywords: &Map<String, Value>, instance: &Value, count: &mut Count) {
        let draft4 = self.draft == Draft::Draft4;
        if let Some(types) = keywords.get("type") {
            let is = |name: &Value| match (name.as_str().unwrap(), instance) {
                ("null", Value::Null)
                | ("boolean", Value::Bool(_))
                | ("number", Value::Number(_))
                | ("string", Value::String(_))
                | ("array", Value::Array(_))
                | ("object", Value::Object(_)) => true,
                ("integer", Value::Number(number)) => {
                    !number.is_f64() || (!draft4 && number.as_f64().unwrap().fract() == 0.0)
                }
                _ => false,
            };
            count.check("type", types.as_array().map_or_else(|| is(types), |t| t.iter().any(is)));
        }
        if let Some(values) = keywords.get("enum") {
            let mut values = values.as_array().unwrap().iter();
            count.check("enum", values.any(|value| super::same(value, instance)));
        }
        if let Some(value) = keywords.get("const").filter(|_| !draft4) {
            count.check("const", super::same(value, instance));
        }
        let number = instance.as_f64();
        let number_is = |test: &dyn Fn(f64) -> bool| number.is_none_or(test);
        let limit = |name: &str| keywords.get(name).and_then(Value::as_f64);
        let strict = |name: &str| keywords.get(name) == Some(&Value::Bool(true));
        if let Some(limit) = limit("minimum") {
            let strict = strict("exclusiveMinimum");
            count.check("minimum", number_is(&|n| n > limit || (!strict && n == limit)));
        }
        if let Some(limit) = limit("maximum") {
            let strict = strict("exclusiveMaximum");
            count.check("maximum", number_is(&|n| n < limit || (!strict && n == limit)));
        }
        if let Some(limit) = limit("exclusiveMinimum") {
            count.check("exclusiveMinimum", number_is(&|n| n > limit));
        }
        if let Some(limit) = limit("exclusiveMaximum") {
            count.check("exclusiveMaximum", number_is(&|n| n < limit));
        }
        if let Some(divisor) = limit("multipleOf") {
            // No number has more than two decimals here.
            let cents = |number: f64| (number * 100.0).round() as i64;
            count.check("multipleOf", number_is(&|n| cents(n) % cents(divisor) == 0));
        }
        let string = instance.as_str();
        let length = string.map(|text| text.chars().count());
        self.size(keywords, "minLength", "maxLength", length, count);
        if let Some(pattern) = keywords.get("pattern") {
            count
                .check("pattern", string.is_none_or(|text| finds(pattern.as_str().unwrap(), text)));
        }
        self.size(keywords, "minItems", "maxItems", instance.as_array().map(Vec::len), count);
        let members = instance.as_object().map(Map::len);
        self.size(keywords, "minProperties", "maxProperties", members, count);
    }

    fn size(
        &self,
        keywords: &Map<String, Value>,
        least: &'static str,
        most: &'static str,
        size: Option<usize>,
        count: &mut Count,
    ) {
        let limit = |name: &str| keywords.get(name).map(|limit| limit.as_u64().unwrap() as usize);
        if let Some(limit) = limit(least) {
            count.check(least, size.is_none_or(|size| size >= limit));
        }
        if let Some(limit) = limit(most) {
            count.check(most, size.is_none_or(|size| size <= limit));
        }
    }

    /// Keywords about an object's members.
    fn members(&self, keywords: &Map<String, Value>, instance: &Value, count: &mut Count) {
        let nothing = Map::new();
        let object = instance.as_object();
        let members = object.unwrap_or(&nothing);
        let has_all = |names: &Value| {
            names
                .as_array()
                .unwrap()
                .iter()
                .all(|name| members.contains_key(name.as_str().unwrap()))
        };
        if let Some(names) = keywords.get("required") {
            count.check("required", object.is_none() || has_all(names));
        }
        let of = |name: &str| keywords.get(name).and_then(Value::as_object);
        let modern = self.draft >= Draft::Draft201909;
        if let Some(table) = of("dependentRequired").filter(|_| modern) {
            let holds = table.iter().all(|(name, n)| !members.contains_key(name) || has_all(n));
            count.check("dependentRequired", holds);
        }
        let schemas = if modern { "dependentSchemas" } else { "dependencies" };
        if let Some(table) = of(schemas) {
            let lists: Vec<_> = table.iter().filter(|(_, value)| value.is_array()).collect();
            if !lists.is_empty() {
                let holds =
                    lists.iter().all(|(name, n)| !members.contains_key(*name) || has_all(n));
                count.check("dependencies", holds);
            }
            for (name, schema) in table.iter().filter(|(_, value)| !value.is_array()) {
                if members.contains_key(name) {
                    count.beside(self.at(schema, instance));
                }
            }
        }
        if let Some(schema) = keywords.get("propertyNames").filter(|_| self.draft > Draft::Draft4) {
            let mut names = members.keys().map(|name| Value::from(name.as_str()));
            count.check("propertyNames", names.all(|name| self.is_valid(schema, &name)));
        }
        let (properties, patterns) = (of("properties"), of("patternProperties"));
        let mut declared = BTreeSet::new();
        for (name, value) in members {
            let property = properties.and_then(|table| table.get(name));
            let matching = patterns.into_iter().flatten().filter(|(p, _)| finds(p, name));
            for schema in property.into_iter().chain(matching.map(|(_, schema)| schema)) {
                declared.insert(name.clone());
                count.inside(self.at(schema, value));
            }
        }
        count.members.extend(declared.iter().cloned());
        let Some(additional) = keywords.get("additionalProperties") else { return };
        let others = members.iter().filter(|(name, _)| !declared.contains(*name));
        if additional == false {
            count.check("additionalProperties", others.count() == 0);
        } else {
            others.for_each(|(_, value)| count.inside(self.at(additional, value)));
            count.members.extend(members.keys().cloned());
        }
    }

    /// Keywords about an array's elements.
    fn elements(&self, keywords: &Map<String, Value>, instance: &Value, count: &mut Count) {
        let elements = instance.as_array().map(Vec::as_slice).unwrap_or_default();
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) {
            let mut rest = elements.iter().enumerate();
            let unique = rest.all(|(at, a)| !elements[..at].iter().any(|b| super::same(a, b)));
            count.check("uniqueItems", unique);
        }
        let latest = self.draft == Draft::Draft202012;
        let tuple = keywords.get(if latest { "prefixItems" } else { "items" });
        let tuple = tuple.and_then(Value::as_array);
        let others = match (latest, tuple) {
            (true, _) | (false, None) => keywords.get("items"),
            (false, Some(_)) => keywords.get("additionalItems"),
        };
        let first = tuple.map_or(0, Vec::len);
        for (schema, element) in tuple.into_iter().flatten().zip(elements) {
            count.inside(self.at(schema, element));
        }
        count.elements.extend(0..first.min(elements.len()));
        match others {
            Some(Value::Bool(false)) if !latest && tuple.is_some() => {
                count.check("additionalItems", elements.len() <= first);
            }
            Some(schema) => {
                for element in elements.iter().skip(first) {
                    count.inside(self.at(schema, element));
                }
                count.elements.extend(0..elements.len());
            }
            None => {}
        }
        if let Some(schema) = keywords.get("contains").filter(|_| self.draft > Draft::Draft4) {
            let found: Vec<usize> = (0..elements.len())
                .filter(|&place| self.is_valid(schema, &elements[place]))
                .collect();
            let limit = |name: &str| {
                let limit = keywords.get(name).filter(|_| self.draft >= Draft::Draft201909);
                limit.map(|limit| limit.as_u64().unwrap() as usize)
            };
            let enough = found.len() >= limit("minContains").unwrap_or(1);
            let few = limit("maxContains").is_none_or(|limit| found.len() <= limit);
            count.check("contains", !instance.is_array() || (enough && few));
            if latest {
                count.elements.extend(found);
            }
        }
    }

    /// Keywords that apply subschemas to the same value.
    fn branches(&self, keywords: &Map<String, Value>, instance: &Value, count: &mut Count) {
        let list = |name: &str| keywords.get(name).and_then(Value::as_array);
        for schema in list("allOf").into_iter().flatten() {
            count.beside(self.at(schema, instance));
        }
        for (keyword, one) in [("anyOf", false), ("oneOf", true)] {
            let Some(schemas) = list(keyword) else { continue };
            let mut holding = 0;
            for schema in schemas {
                let branch = self.at(schema, instance);
                holding += usize::from(branch.is_valid());
                count.mark(&branch);
            }
            count.check(keyword, holding == 1 || (holding > 1 && !one));
        }
        if let Some(schema) = keywords.get("not") {
            count.check("not", !self.is_valid(schema, instance));
        }
        if let Some(condition) = keywords.get("if").filter(|_| self.draft >= Draft::Draft7) {
            let condition = self.at(condition, instance);
            count.mark(&condition);
            let taken = keywords.get(if condition.is_valid() { "then" } else { "else" });
            if let Some(taken) = taken {
                count.beside(self.at(taken, instance));
            }
        }
    }

    /// Keywords about what all others left.
    fn unevaluated(&self, keywords: &Map<String, Value>, instance: &Value, count: &mut Count) {
        if self.draft < Draft::Draft201909 {
            return;
        }
        if let Some(schema) = keywords.get("unevaluatedProperties") {
            let mut members = instance.as_object().into_iter().flatten();
            let holds = members
                .all(|(name, value)| count.members.contains(name) || self.is_valid(schema, value));
            count.check("unevaluatedProperties", holds);
            count.members.extend(instance.as_object().into_iter().flatten().map(|m| m.0.clone()));
        }
        if let Some(schema) = keywords.get("unevaluatedItems") {
            let elements = instance.as_array().map(Vec::as_slice).unwrap_or_default();
            let holds = (0..elements.len()).all(|place| {
                count.elements.contains(&place) || self.is_valid(schema, &elements[place])
            });
            count.check("unevaluatedItems", holds);
            count.elements.extend(0..elements.len());
        }
    }
}

fn finds(pattern: &str, text: &str) -> bool {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let regex = compiled.entry(pattern.to_owned());
        regex.or_insert_with(|| Regex::new(pattern).unwrap()).is_match(text)
    })
}
