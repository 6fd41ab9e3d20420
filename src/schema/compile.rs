//! From a schema's text to its subschemas, with every fault found on the way.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::draft::{Draft, Holds, holds};
use super::format::Format;
use super::memory::PairHashing;
use super::pattern::Pattern;
use super::registry::{Registry, ResourceId, subschemas};
use super::{
    Applicator, Assertion, Body, Declared, Dependencies, DynamicScope, Ignored, Keyword, LengthOf,
    Limit, Meaning, PropertyTable, Schema, SchemaProblem, Subschema, SubschemaId, Threshold, Truth,
    Types, Values, loops, metaschemas, order_names,
};
use crate::json::{Kind, Number, Value, ValueHasher};
use crate::path::place_in;
use crate::request::article;

/// Faults that are reported of one schema; more help nobody.
const MAX_PROBLEMS: usize = 20;

/// An `enum` of more values than this is looked up by hash.
const FEW_VALUES: usize = 8;

pub(super) fn check_and_compile(value: Value<'_>) -> Result<Schema<'_>, Vec<SchemaProblem>> {
    let draft = match value.get("$schema") {
        None => Draft::DEFAULT,
        Some(named) => {
            let uri = named.as_str().unwrap_or_default();
            Draft::of_uri(uri).ok_or_else(|| {
                let problem = if named.as_str().is_some() {
                    "is not a dialect that is known here"
                } else {
                    "is not a string"
                };
                vec![problem_at(value, named, problem.to_owned(), Draft::advice(uri))]
            })?
        }
    };
    let faults = by_meta_schema(value, draft);
    if faults.is_empty() { compile(value, draft) } else { Err(placed(value, faults)) }
}

/// What the draft's meta-schema says of the schema.
fn by_meta_schema<'d>(value: Value<'d>, draft: Draft) -> Vec<Fault<'d>> {
    let Some(meta) = metaschemas::schema(draft) else { return Vec::new() };
    let mut examination = meta.examine(value);
    examination.run();
    let failures = examination.take_failures();
    if failures.is_empty() && examination.truth() != Truth::True {
        let fix = "Split it into smaller schemas.".to_owned();
        return vec![(value, "is too large to be checked".to_owned(), fix)];
    }
    let fault = |failure| {
        let explanation = examination.explain(&failure);
        // What the closest branch wants says more than which branches the meta-schema has.
        let explanation = match explanation.closest.clone() {
            Some(closest) => *closest,
            None => explanation,
        };
        // Its kind, not the value: a request is not repeated to whoever sent it.
        let found = article(explanation.value);
        let (draft, expected) = (draft.name(), &explanation.expected);
        let problem = format!("is not valid in {draft}: expected {expected}, found {found}");
        let fix = match explanation.advice {
            Some(advice) => advice,
            None => format!("Write {} there.", explanation.expected),
        };
        (explanation.value, problem, fix)
    };
    failures.into_iter().take(MAX_PROBLEMS).map(fault).collect()
}

/// A problem at a value of the schema whose root is `schema`.
fn problem_at(schema: Value<'_>, value: Value<'_>, problem: String, fix: String) -> SchemaProblem {
    SchemaProblem { place: place_in(schema, value), offset: value.offset(), problem, fix }
}

/// Compiles a schema that its meta-schema allows, or is one.
pub(super) fn compile<'d>(
    value: Value<'d>,
    draft: Draft,
) -> Result<Schema<'d>, Vec<SchemaProblem>> {
    let mut registry = Registry::default();
    let resource = registry.add(value, draft);
    let mut compiler = Compiler {
        root: value,
        registry,
        known: HashMap::default(),
        checked: HashSet::new(),
        pending: Vec::new(),
        subschemas: Vec::new(),
        patterns: HashMap::new(),
        ignored: Vec::new(),
        dynamic: false,
        problems: Vec::new(),
        hasher: ValueHasher::default(),
    };
    let root = compiler.subschema(value, resource);
    let mut resources = Vec::new();
    loop {
        compiler.compile_pending();
        // References may have brought in built-in documents, with anchors of their own.
        if resources.len() == compiler.registry.len() {
            break;
        }
        for id in resources.len()..compiler.registry.len() {
            resources.push(compiler.dynamic_scope(id as ResourceId));
        }
    }
    let faults = compiler.registry.take_faults();
    for (value, fault, fix) in faults {
        compiler.problem(value, fault.to_owned(), fix.to_owned());
    }
    let Compiler { mut subschemas, patterns, ignored, dynamic, problems, hasher, .. } = compiler;
    mark_shared(&mut subschemas, root);
    let matched: u64 = patterns.values().flatten().map(|pattern| pattern.size()).sum();
    let weight = subschemas.len() as u64 + matched;
    let schema = Schema { subschemas, root, resources, dynamic, ignored, hasher, weight };
    if !problems.is_empty() {
        return Err(placed(value, problems));
    }
    match loops::find(&schema) {
        None => Ok(schema),
        Some(source) => {
            let problem = "leads back to itself without consuming any data".to_owned();
            let fix = "Let the reference stand below properties or items, or remove it.".to_owned();
            Err(placed(value, vec![(source, problem, fix)]))
        }
    }
}

/// A fault with its way out, and the value that it is at.
type Fault<'d> = (Value<'d>, String, String);

/// The first faults in document order, with their places.
fn placed(schema: Value<'_>, mut faults: Vec<Fault<'_>>) -> Vec<SchemaProblem> {
    faults.sort_by_key(|(value, ..)| value.offset());
    faults.dedup();
    faults.truncate(MAX_PROBLEMS);
    let problem = |(value, problem, fix)| problem_at(schema, value, problem, fix);
    faults.into_iter().map(problem).collect()
}

/// Tells the subschemas that one value can come to by more than one way.
fn mark_shared(subschemas: &mut [Subschema<'_>], root: SubschemaId) {
    let mut ways = vec![0u32; subschemas.len()];
    ways[root as usize] += 1;
    let mut asks_again = false;
    for subschema in &*subschemas {
        let Body::Keywords(keywords) = &subschema.body else { continue };
        for keyword in keywords {
            // These ask again what has been judged, to know what it speaks of.
            asks_again |= matches!(
                keyword.meaning,
                Meaning::Assertion(
                    Assertion::UnevaluatedProperties(_) | Assertion::UnevaluatedItems(_)
                )
            );
            keyword.meaning.for_each_target(|target, _| ways[target as usize] += 1);
        }
    }
    for (subschema, ways) in subschemas.iter_mut().zip(ways) {
        subschema.shared = asks_again || ways > 1;
    }
}

struct Compiler<'d> {
    root: Value<'d>,
    registry: Registry<'d>,
    /// Subschemas by document and node.
    known: HashMap<(usize, u32), SubschemaId, PairHashing>,
    /// Targets of references that were held against the meta-schema by themselves.
    checked: HashSet<u32>,
    pending: Vec<(SubschemaId, Value<'d>, ResourceId)>,
    subschemas: Vec<Subschema<'d>>,
    patterns: HashMap<&'d str, Option<Arc<Pattern>>>,
    ignored: Vec<Ignored<'d>>,
    dynamic: bool,
    problems: Vec<Fault<'d>>,
    hasher: ValueHasher,
}

impl<'d> Compiler<'d> {
    fn problem(&mut self, value: Value<'d>, problem: String, fix: String) {
        self.problems.push((value, problem, fix));
    }

    /// A fault that the meta-schema sees in most schemas; it cannot where an unknown keyword holds
    /// what a reference then makes a schema.
    fn invalid(&mut self, value: Value<'d>, wanted: &str) {
        self.problem(value, format!("is not {wanted}"), format!("Write {wanted} there."));
    }

    /// The id of a subschema, which is compiled in its turn: a chain of references is no recursion.
    fn subschema(&mut self, value: Value<'d>, resource: ResourceId) -> SubschemaId {
        let key = (std::ptr::from_ref(value.document()).addr(), value.index());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.subschemas.len() as SubschemaId;
        self.known.insert(key, id);
        // A subschema with an id begins a resource of its own.
        let resource = self.registry.resource_of(value).unwrap_or(resource);
        self.subschemas.push(Subschema {
            source: value,
            resource,
            shared: false,
            body: Body::Boolean(true),
        });
        self.pending.push((id, value, resource));
        id
    }

    fn compile_pending(&mut self) {
        while let Some((id, value, resource)) = self.pending.pop() {
            let body = match value.as_bool() {
                Some(boolean) => Body::Boolean(boolean),
                None if value.is_object() => self.keywords(value, resource),
                None => {
                    self.invalid(value, "a schema: an object, true or false");
                    Body::Boolean(true)
                }
            };
            self.subschemas[id as usize].body = body;
        }
    }

    fn dynamic_scope(&mut self, resource: ResourceId) -> DynamicScope<'d> {
        let anchors = self.registry.dynamic_anchors(resource);
        let mut anchors: Vec<(&'d str, SubschemaId)> = anchors
            .into_iter()
            .map(|(name, value)| (name, self.subschema(value, resource)))
            .collect();
        anchors.sort_unstable();
        let root = self.registry.resource(resource).root;
        let recursive = self.registry.resource(resource).recursive;
        let recursive = recursive.then(|| self.subschema(root, resource));
        DynamicScope { anchors, recursive }
    }

    fn keywords(&mut self, schema: Value<'d>, resource: ResourceId) -> Body<'d> {
        let draft = self.registry.resource(resource).draft;
        let only_ref = draft.ref_hides_siblings() && schema.get("$ref").is_some();
        let mut keywords = Vec::new();
        for member in schema.members() {
            let (name, value) = (member.name(), member.value());
            // Everywhere in the schema means also below keywords that nothing leads into.
            if let Some(holds) = holds(draft, name) {
                for subschema in subschemas(value, holds) {
                    self.subschema(subschema, resource);
                }
            }
            if only_ref && name != "$ref" {
                if is_assertive(draft, name) {
                    self.ignored.push(Ignored { keyword: name, value });
                }
                continue;
            }
            if let Some((name, assertion)) = self.assertion(draft, schema, resource, name, value) {
                keywords.push(Keyword { name, value, meaning: Meaning::Assertion(assertion) });
            }
            if let Some(applicator) = self.applicator(draft, schema, resource, name, value) {
                let meaning = Meaning::Applicator(applicator);
                keywords.push(Keyword { name: "", value, meaning });
            }
        }
        Body::Keywords(keywords.into_boxed_slice())
    }

    /// What a keyword asserts; `None` for one that asserts nothing in this draft.
    fn assertion(
        &mut self,
        draft: Draft,
        schema: Value<'d>,
        resource: ResourceId,
        name: &str,
        value: Value<'d>,
    ) -> Option<(&'static str, Assertion<'d>)> {
        use Assertion as A;
        let length = |compiler: &mut Self, of, kind| {
            compiler.count(value).map(|limit| A::Length { limit, of, kind })
        };
        Some(match name {
            "type" => ("type", A::Type(self.types(draft, value)?)),
            "enum" => ("enum", A::Enum(self.values(value)?)),
            "const" if draft >= Draft::Draft6 => ("const", A::Const(value)),
            "minimum" => {
                let strict = draft == Draft::Draft4 && is_true(schema, "exclusiveMinimum");
                ("minimum", self.limit(value, if strict { Limit::Above } else { Limit::AtLeast })?)
            }
            "maximum" => {
                let strict = draft == Draft::Draft4 && is_true(schema, "exclusiveMaximum");
                ("maximum", self.limit(value, if strict { Limit::Below } else { Limit::AtMost })?)
            }
            "exclusiveMinimum" if draft >= Draft::Draft6 => {
                ("exclusiveMinimum", self.limit(value, Limit::Above)?)
            }
            "exclusiveMaximum" if draft >= Draft::Draft6 => {
                ("exclusiveMaximum", self.limit(value, Limit::Below)?)
            }
            "multipleOf" => ("multipleOf", self.multiple_of(value)?),
            "minLength" => ("minLength", length(self, LengthOf::String, Limit::AtLeast)?),
            "maxLength" => ("maxLength", length(self, LengthOf::String, Limit::AtMost)?),
            "minItems" => ("minItems", length(self, LengthOf::Array, Limit::AtLeast)?),
            "maxItems" => ("maxItems", length(self, LengthOf::Array, Limit::AtMost)?),
            "minProperties" => ("minProperties", length(self, LengthOf::Object, Limit::AtLeast)?),
            "maxProperties" => ("maxProperties", length(self, LengthOf::Object, Limit::AtMost)?),
            "pattern" => ("pattern", A::Pattern(self.pattern(value)?)),
            "format" => ("format", A::Format(Format::known(value.as_str()?, draft)?)),
            "required" => ("required", A::Required(self.names(value)?)),
            "dependentRequired" if draft >= Draft::Draft201909 => {
                ("dependentRequired", A::DependentRequired(self.dependencies(value)))
            }
            "dependencies" if draft <= Draft::Draft7 => {
                let dependencies = self.dependencies(value);
                if dependencies.is_empty() {
                    return None;
                }
                ("dependencies", A::DependentRequired(dependencies))
            }
            "uniqueItems" if value.as_bool() == Some(true) => ("uniqueItems", A::UniqueItems),
            "additionalProperties" if value.as_bool() == Some(false) => {
                ("additionalProperties", A::NoAdditionalProperties(self.declared(schema)))
            }
            "additionalItems" if value.as_bool() == Some(false) && draft <= Draft::Draft201909 => {
                let items = schema.get("items").filter(|items| items.is_array())?;
                ("additionalItems", A::NoAdditionalItems(items.len()))
            }
            "anyOf" => ("anyOf", A::AnyOf(self.each(value, resource))),
            "oneOf" => ("oneOf", A::OneOf(self.each(value, resource))),
            "not" => ("not", A::Not(self.subschema(value, resource))),
            "contains" if draft >= Draft::Draft6 => {
                let counted = draft >= Draft::Draft201909;
                let limit = |compiler: &mut Self, name| {
                    schema.get(name).filter(|_| counted).and_then(|limit| compiler.count(limit))
                };
                let min = limit(self, "minContains").unwrap_or(1);
                let max = limit(self, "maxContains");
                let subschema = self.subschema(value, resource);
                let marks = draft >= Draft::Draft202012;
                ("contains", A::Contains { subschema, min, max, marks })
            }
            "propertyNames" if draft >= Draft::Draft6 => {
                ("propertyNames", A::PropertyNames(self.subschema(value, resource)))
            }
            "unevaluatedProperties" if draft >= Draft::Draft201909 => {
                ("unevaluatedProperties", A::UnevaluatedProperties(self.subschema(value, resource)))
            }
            "unevaluatedItems" if draft >= Draft::Draft201909 => {
                ("unevaluatedItems", A::UnevaluatedItems(self.subschema(value, resource)))
            }
            "contentEncoding" if asserts_content(draft) && value.as_str() == Some("base64") => {
                ("contentEncoding", A::ContentEncodingBase64)
            }
            "contentMediaType" if asserts_content(draft) && is_json_media_type(value) => {
                let encoding = schema.get("contentEncoding").and_then(Value::as_str);
                let base64 = match encoding {
                    None => false,
                    Some("base64") => true,
                    // What an unknown encoding hides cannot be looked at.
                    Some(_) => return None,
                };
                ("contentMediaType", A::ContentMediaTypeJson { base64 })
            }
            _ => return None,
        })
    }

    /// What a keyword leads on to; `None` for one that leads nowhere in this draft.
    fn applicator(
        &mut self,
        draft: Draft,
        schema: Value<'d>,
        resource: ResourceId,
        name: &str,
        value: Value<'d>,
    ) -> Option<Applicator<'d>> {
        use Applicator as A;
        let is_false = value.as_bool() == Some(false);
        Some(match name {
            "$ref" => A::Ref(self.reference(value, resource)?.0),
            "$dynamicRef" if draft >= Draft::Draft202012 => {
                let (otherwise, anchor) = self.reference(value, resource)?;
                self.dynamic |= anchor.is_some();
                match anchor {
                    Some(anchor) => A::DynamicRef { anchor, otherwise },
                    None => A::Ref(otherwise),
                }
            }
            "$recursiveRef" if draft == Draft::Draft201909 => {
                let (otherwise, _) = self.reference(value, resource)?;
                self.dynamic = true;
                A::RecursiveRef(otherwise)
            }
            "allOf" => A::AllOf(self.each(value, resource)),
            "properties" => {
                let mut table = self.members(value, resource);
                table.sort_unstable_by(|(a, _), (b, _)| order_names(a, b));
                A::Properties(PropertyTable(table.into_boxed_slice()))
            }
            "patternProperties" => {
                let mut table = Vec::with_capacity(value.len());
                for member in value.members() {
                    let pattern = self.compile_pattern(member.name(), member.name_value());
                    let subschema = self.subschema(member.value(), resource);
                    table.extend(pattern.map(|pattern| (pattern, subschema)));
                }
                A::PatternProperties(table.into_boxed_slice())
            }
            "additionalProperties" if !is_false => A::AdditionalProperties {
                declared: self.declared(schema),
                subschema: self.subschema(value, resource),
            },
            "prefixItems" if draft >= Draft::Draft202012 => {
                A::PrefixItems(self.each(value, resource))
            }
            "items" if draft <= Draft::Draft201909 && value.is_array() => {
                A::PrefixItems(self.each(value, resource))
            }
            "items" => {
                let prefix = schema.get("prefixItems").filter(|_| draft >= Draft::Draft202012);
                let from = prefix.map_or(0, Value::len);
                A::Items { from, subschema: self.subschema(value, resource) }
            }
            "additionalItems" if draft <= Draft::Draft201909 && !is_false => {
                let from = schema.get("items").filter(|items| items.is_array())?.len();
                A::Items { from, subschema: self.subschema(value, resource) }
            }
            "if" if draft >= Draft::Draft7 => {
                let condition = self.subschema(value, resource);
                let branch = |compiler: &mut Self, name| {
                    schema.get(name).map(|branch| compiler.subschema(branch, resource))
                };
                let (then, otherwise) = (branch(self, "then"), branch(self, "else"));
                A::If { condition, then, otherwise }
            }
            "dependentSchemas" if draft >= Draft::Draft201909 => {
                A::DependentSchemas(self.members(value, resource).into_boxed_slice())
            }
            "dependencies" if draft <= Draft::Draft7 => {
                let schemas = value.members().filter(|member| !member.value().is_array());
                let table = schemas
                    .map(|member| (member.name(), self.subschema(member.value(), resource)))
                    .collect();
                A::DependentSchemas(table)
            }
            _ => return None,
        })
    }

    fn each(&mut self, value: Value<'d>, resource: ResourceId) -> Box<[SubschemaId]> {
        value.elements().map(|element| self.subschema(element, resource)).collect()
    }

    fn members(&mut self, value: Value<'d>, resource: ResourceId) -> Vec<(&'d str, SubschemaId)> {
        value
            .members()
            .map(|member| (member.name(), self.subschema(member.value(), resource)))
            .collect()
    }

    fn reference(
        &mut self,
        value: Value<'d>,
        resource: ResourceId,
    ) -> Option<(SubschemaId, Option<&'d str>)> {
        let Some(reference) = value.as_str() else {
            self.invalid(value, "a URI reference");
            return None;
        };
        match self.registry.resolve(resource, reference) {
            Ok(target) => {
                self.check_target(target.value, target.resource);
                Some((self.subschema(target.value, target.resource), target.dynamic_anchor))
            }
            Err(fault) => {
                let fix = "Put the schema that is meant below $defs and refer to it there.";
                self.problem(value, fault, fix.to_owned());
                None
            }
        }
    }

    /// Holds a reference's target that the meta-schema did not see, since an unknown keyword holds
    /// it, against the meta-schema in its turn.
    fn check_target(&mut self, target: Value<'d>, resource: ResourceId) {
        /// Targets that are checked so; each can be as large as the schema.
        const MAX_TARGETS: usize = 50;
        if !std::ptr::eq(target.document(), self.root.document())
            || self.registry.is_known(target)
            || !self.checked.insert(target.index())
        {
            return;
        }
        if self.checked.len() > MAX_TARGETS {
            let fix = "Put the schemas that are meant below $defs.".to_owned();
            let problem = "is one of too many schemas below unknown keywords".to_owned();
            return self.problem(target, problem, fix);
        }
        let draft = self.registry.resource(resource).draft;
        self.problems.extend(by_meta_schema(target, draft));
    }

    fn types(&mut self, draft: Draft, value: Value<'d>) -> Option<Types> {
        let mut types = Types { literal_integers: draft == Draft::Draft4, ..Types::default() };
        let single = value.as_str().map(|_| value);
        for name in single.into_iter().chain(value.elements()) {
            match name.as_str() {
                Some("null") => types.null = true,
                Some("boolean") => types.boolean = true,
                Some("number") => types.number = true,
                Some("integer") => types.integer = true,
                Some("string") => types.string = true,
                Some("array") => types.array = true,
                Some("object") => types.object = true,
                _ => {
                    self.invalid(name, "the name of a type");
                    return None;
                }
            }
        }
        if single.is_none() && !value.is_array() {
            self.invalid(value, "the name of a type or a list of them");
            return None;
        }
        Some(types)
    }

    fn values(&mut self, value: Value<'d>) -> Option<Values<'d>> {
        if !value.is_array() {
            self.invalid(value, "a list of values");
            return None;
        }
        let values: Box<[Value<'d>]> = value.elements().collect();
        let mut hashes = Vec::new();
        if values.len() > FEW_VALUES {
            let hashed = values.iter().enumerate();
            hashes.extend(hashed.map(|(place, &value)| (self.hasher.hash(value), place as u32)));
            hashes.sort_unstable();
        }
        Some(Values { values, hashes: hashes.into_boxed_slice() })
    }

    fn limit(&mut self, value: Value<'d>, kind: Limit) -> Option<Assertion<'d>> {
        let Some(limit) = value.as_number() else {
            self.invalid(value, "a number");
            return None;
        };
        let limit = match limit.as_exact_double() {
            Some(double) => Threshold::Double(double),
            None => Threshold::Decimal(limit.to_decimal()),
        };
        Some(Assertion::Limit { limit, kind })
    }

    fn multiple_of(&mut self, value: Value<'d>) -> Option<Assertion<'d>> {
        match value.as_number().map(Number::to_decimal) {
            Some(divisor) if !divisor.is_zero() && !divisor.is_negative() => {
                let work = value.span() as u64 / 4;
                Some(Assertion::MultipleOf { divisor, work })
            }
            _ => {
                self.invalid(value, "a number above 0");
                None
            }
        }
    }

    /// A count: an integer of 0 or more. Beyond u64 nothing can have so many.
    fn count(&mut self, value: Value<'d>) -> Option<u64> {
        let count = match value.as_number() {
            Some(Number::Integer("-0")) => Some(0),
            Some(Number::Integer(digits)) if !digits.starts_with('-') => {
                Some(digits.parse().unwrap_or(u64::MAX))
            }
            Some(Number::Double(double)) if double >= 0.0 && double.fract() == 0.0 => {
                Some(double as u64)
            }
            _ => None,
        };
        if count.is_none() {
            self.invalid(value, "an integer of 0 or more");
        }
        count
    }

    fn names(&mut self, value: Value<'d>) -> Option<Box<[&'d str]>> {
        let names: Option<Box<[&'d str]>> = value.elements().map(Value::as_str).collect();
        if names.is_none() || !value.is_array() {
            self.invalid(value, "a list of member names");
            return None;
        }
        names
    }

    fn dependencies(&mut self, value: Value<'d>) -> Dependencies<'d> {
        value
            .members()
            .filter(|member| member.value().is_array())
            .filter_map(|member| Some((member.name(), self.names(member.value())?)))
            .collect()
    }

    fn declared(&mut self, schema: Value<'d>) -> Declared<'d> {
        let names = schema.get("properties").into_iter().flat_map(Value::members);
        let mut names: Vec<&'d str> = names.map(|member| member.name()).collect();
        names.sort_unstable_by(|a, b| order_names(a, b));
        let patterns = schema.get("patternProperties").into_iter().flat_map(Value::members);
        let patterns = patterns
            .filter_map(|member| self.compile_pattern(member.name(), member.name_value()))
            .collect();
        Declared { names: names.into_boxed_slice(), patterns }
    }

    fn pattern(&mut self, value: Value<'d>) -> Option<Arc<Pattern>> {
        let Some(expression) = value.as_str() else {
            self.invalid(value, "a regular expression as a string");
            return None;
        };
        self.compile_pattern(expression, value)
    }

    fn compile_pattern(&mut self, expression: &'d str, at: Value<'d>) -> Option<Arc<Pattern>> {
        if let Some(pattern) = self.patterns.get(expression) {
            return pattern.clone();
        }
        let pattern = match Pattern::new(expression) {
            Ok(pattern) => Some(Arc::new(pattern)),
            Err(error) => {
                let fix = "Write an ECMA-262 regular expression that compiles (with the u flag).";
                self.problem(at, error.to_string(), fix.to_owned());
                None
            }
        };
        self.patterns.insert(expression, pattern.clone());
        pattern
    }
}

fn is_true(schema: Value<'_>, keyword: &str) -> bool {
    schema.get(keyword).and_then(Value::as_bool) == Some(true)
}

/// Content keywords are annotations from 2019-09 on, and unknown to draft-04.
fn asserts_content(draft: Draft) -> bool {
    matches!(draft, Draft::Draft6 | Draft::Draft7)
}

fn is_json_media_type(value: Value<'_>) -> bool {
    value.as_str() == Some("application/json")
}

/// Whether a keyword beside `$ref` was meant to assert something, so that ignoring it is worth a
/// remark. Definitions and annotations are at home there.
fn is_assertive(draft: Draft, name: &str) -> bool {
    let annotations = [
        "$schema",
        "$id",
        "id",
        "$comment",
        "title",
        "description",
        "default",
        "examples",
        "definitions",
        "readOnly",
        "writeOnly",
    ];
    let known = holds(draft, name).is_some_and(|holds| holds != Holds::Members)
        || matches!(name, "properties" | "patternProperties")
        || matches!(
            name,
            "type"
                | "enum"
                | "const"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minLength"
                | "maxLength"
                | "minItems"
                | "maxItems"
                | "minProperties"
                | "maxProperties"
                | "pattern"
                | "format"
                | "required"
                | "uniqueItems"
                | "contentEncoding"
                | "contentMediaType"
        );
    known && !annotations.contains(&name)
}

/// Whether a value's kind is among the types.
impl Types {
    pub(super) fn allow(self, value: Value<'_>) -> bool {
        match value.kind() {
            Kind::Null => self.null,
            Kind::Boolean => self.boolean,
            Kind::Integer => self.number || self.integer,
            Kind::Double => {
                self.number
                    || (self.integer
                        && !self.literal_integers
                        && value.as_number().is_some_and(Number::is_integral))
            }
            Kind::String => self.string,
            Kind::Array => self.array,
            Kind::Object => self.object,
        }
    }
}
