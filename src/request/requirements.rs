//! What an output is held against: schema, bounds and rules, compiled once for many outputs.

use std::sync::OnceLock;

use super::{Detail, Fields, InvalidRequest, Problems, article};
use crate::decimal::Decimal;
use crate::digest::{Digest, Hasher};
use crate::jcs::{self, Sink};
use crate::json::{Document, Value};
use crate::path::FieldPath;
use crate::rules::{Ask, Bound, Comparable, Rule, RuleType, Target, comparable};
use crate::schema::Schema;
use crate::text::{escaped, shortened};

/// Requirements as they were given, before they are read.
#[derive(Clone, Copy, Default, Debug)]
pub struct Supplied<'d> {
    /// The JSON Schema; without one anything is allowed.
    pub schema: Option<Value<'d>>,
    /// The list of rules.
    pub rules: Option<Value<'d>>,
    /// The bounds, by path.
    pub bounds: Option<Value<'d>>,
    /// Whether bounds and rules block.
    pub enforce_rules: bool,
    /// Whether content findings block.
    pub strict_content_check: bool,
}

/// Compiled requirements.
pub struct Requirements<'d> {
    supplied: Supplied<'d>,
    schema: Schema<'d>,
    bounds: Vec<Bound<'d>>,
    rules: Vec<Rule<'d>>,
    schema_hash: OnceLock<Digest>,
    rules_hash: OnceLock<Digest>,
    /// The canonical request up to and behind the output, which is all that differs in a batch.
    canonical: OnceLock<Vec<u8>>,
}

impl std::fmt::Debug for Requirements<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.supplied.fmt(f)
    }
}

const RULE_FIELDS: [&str; 10] = [
    "type",
    "field",
    "equals_field",
    "equals",
    "other_field",
    "value",
    "in_field",
    "values",
    "tolerance",
    "if_present",
];

/// The fields of a rule that not every type has.
const ALTERNATIVES: [&str; 6] =
    ["equals_field", "equals", "other_field", "value", "in_field", "values"];

const BOUND_FIELDS: [&str; 3] = ["min", "max", "if_present"];

/// The schema that stands in where none is given.
pub(crate) fn anything() -> Option<Value<'static>> {
    static ANYTHING: OnceLock<Option<Document<'static>>> = OnceLock::new();
    ANYTHING.get_or_init(|| Document::parse(b"true").ok()).as_ref().map(Document::root)
}

impl<'d> Requirements<'d> {
    /// Compiles requirements that are given apart from a request. Without a schema anything is
    /// allowed.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] with all that is wrong.
    pub fn compile(mut supplied: Supplied<'d>) -> Result<Requirements<'d>, InvalidRequest> {
        let anything: Option<Value<'d>> = anything();
        supplied.schema = supplied.schema.or(anything);
        let mut problems = Problems::default();
        if let Some(schema) = supplied.schema {
            check_schema_kind(schema, &mut problems);
        }
        let schema = read_schema(supplied.schema, &mut problems);
        let rules = read_rules(supplied.rules, &mut problems);
        let bounds = read_bounds(supplied.bounds, &mut problems);
        let schema = problems.settle(schema)?;
        Ok(Requirements::new(supplied, schema, bounds, rules))
    }

    pub(super) fn new(
        supplied: Supplied<'d>,
        schema: Schema<'d>,
        bounds: Vec<Bound<'d>>,
        rules: Vec<Rule<'d>>,
    ) -> Requirements<'d> {
        Requirements {
            supplied,
            schema,
            bounds,
            rules,
            schema_hash: OnceLock::new(),
            rules_hash: OnceLock::new(),
            canonical: OnceLock::new(),
        }
    }

    /// The compiled schema.
    pub fn schema(&self) -> &Schema<'d> {
        &self.schema
    }

    /// The bounds, in the request's order.
    pub fn bounds(&self) -> &[Bound<'d>] {
        &self.bounds
    }

    /// The rules, in the request's order.
    pub fn rules(&self) -> &[Rule<'d>] {
        &self.rules
    }

    /// Whether bounds and rules block.
    pub fn enforce_rules(&self) -> bool {
        self.supplied.enforce_rules
    }

    /// Whether content findings block.
    pub fn strict_content_check(&self) -> bool {
        self.supplied.strict_content_check
    }

    /// The hash of the schema.
    pub fn schema_hash(&self) -> Digest {
        *self.schema_hash.get_or_init(|| self.supplied.schema_hash())
    }

    /// The hash of `{"bounds": …, "rules": …}`, exactly what was supplied.
    pub fn rules_hash(&self) -> Digest {
        *self.rules_hash.get_or_init(|| self.supplied.rules_hash())
    }

    /// The hash of the whole request with these requirements.
    pub fn request_hash(&self, task_id: &str, agent_id: Option<&str>, output: Value<'_>) -> Digest {
        let middle = self.canonical.get_or_init(|| {
            let mut bytes = Vec::new();
            self.supplied.write_middle(&mut bytes);
            bytes
        });
        hash_of(|out| write_request(task_id, agent_id, output, out, |out| out.push(middle)))
    }
}

impl Requirements<'_> {
    /// A request with these requirements, as it could be sent: on one line, every value spelt as it
    /// was given.
    pub fn request_text(
        &self,
        task_id: &str,
        agent_id: Option<&str>,
        output: Value<'_>,
        detail: Detail,
    ) -> String {
        let mut text = Vec::new();
        let mut put = |name: &str, value: &str| {
            text.push(if text.is_empty() { b'{' } else { b',' });
            jcs::write_string(name, &mut text);
            text.push(b':');
            // Line ends stand only between the parts of a value; in strings they are escaped.
            text.extend(value.bytes().map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { b }));
        };
        let string = |value: &str| {
            let mut quoted = Vec::new();
            jcs::write_string(value, &mut quoted);
            String::from_utf8_lossy(&quoted).into_owned()
        };
        put("task_id", &string(task_id));
        if let Some(agent_id) = agent_id {
            put("agent_id", &string(agent_id));
        }
        let supplied = &self.supplied;
        for (name, value) in [
            ("expected_schema", supplied.schema),
            ("submitted_output", Some(output)),
            ("rules", supplied.rules),
            ("bounds", supplied.bounds),
        ] {
            if let Some(value) = value {
                put(name, value.source());
            }
        }
        for (name, flag) in [
            ("enforce_rules", supplied.enforce_rules),
            ("strict_content_check", supplied.strict_content_check),
        ] {
            if flag {
                put(name, "true");
            }
        }
        if detail == Detail::Compact {
            put("detail", "\"compact\"");
        }
        text.push(b'}');
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Supplied<'_> {
    pub(super) fn schema_hash(&self) -> Digest {
        hash_of(|out| write_or_null(self.schema, out))
    }

    /// Over what was supplied, `null` where it was omitted.
    pub fn rules_hash(&self) -> Digest {
        hash_of(|out| {
            out.push(b"{\"bounds\":");
            write_or_null(self.bounds, out);
            out.push(b",\"rules\":");
            write_or_null(self.rules, out);
            out.push(b"}");
        })
    }

    /// Writes the canonical request: the eight fields that are hashed, with every default.
    pub(super) fn write_request(
        &self,
        task_id: &str,
        agent_id: Option<&str>,
        output: Value<'_>,
        out: &mut impl Sink,
    ) {
        write_request(task_id, agent_id, output, out, |out| self.write_middle(out));
    }

    /// The canonical request between `agent_id` and the output.
    fn write_middle(&self, out: &mut impl Sink) {
        let boolean = |flag: bool| if flag { b"true".as_slice() } else { b"false".as_slice() };
        self.write_middle_with(
            |out| out.push(boolean(self.enforce_rules)),
            |out| out.push(boolean(self.strict_content_check)),
            out,
        );
    }

    fn write_middle_with<S: Sink>(
        &self,
        write_enforce: impl FnOnce(&mut S),
        write_strict: impl FnOnce(&mut S),
        out: &mut S,
    ) {
        out.push(b",\"bounds\":");
        write_bounds(self.bounds, out);
        out.push(b",\"enforce_rules\":");
        write_enforce(out);
        out.push(b",\"expected_schema\":");
        write_or_null(self.schema, out);
        out.push(b",\"rules\":");
        write_rules(self.rules, out);
        out.push(b",\"strict_content_check\":");
        write_strict(out);
        out.push(b",\"submitted_output\":");
    }
}

/// The hashes of a request that is only read, not understood: what a receipt says of it can be
/// compared even where the request would be refused.
#[derive(Clone, Copy, Debug)]
pub struct RawRequest<'d> {
    request: Value<'d>,
    supplied: Supplied<'d>,
}

impl<'d> RawRequest<'d> {
    /// Takes any JSON value for a request.
    pub fn new(request: Value<'d>) -> RawRequest<'d> {
        let supplied = Supplied {
            schema: request.get("expected_schema"),
            rules: request.get("rules"),
            bounds: request.get("bounds"),
            ..Supplied::default()
        };
        RawRequest { request, supplied }
    }

    /// A field's value, as it was sent.
    pub fn field(&self, name: &str) -> Option<Value<'d>> {
        self.request.get(name)
    }

    /// The hash of the output, where there is one.
    pub fn output_hash(&self) -> Option<Digest> {
        self.field("submitted_output").map(Digest::of)
    }

    /// The hash of the schema, where there is one.
    pub fn schema_hash(&self) -> Option<Digest> {
        self.supplied.schema.map(Digest::of)
    }

    /// The hash of `{"bounds": …, "rules": …}`.
    pub fn rules_hash(&self) -> Digest {
        self.supplied.rules_hash()
    }

    /// The hash of the canonical request.
    pub fn request_hash(&self) -> Digest {
        hash_of(|out| {
            out.push(b"{\"agent_id\":");
            write_or_null(self.field("agent_id"), out);
            self.supplied.write_middle_with(
                |out| write_or(self.field("enforce_rules"), b"false", out),
                |out| write_or(self.field("strict_content_check"), b"false", out),
                out,
            );
            write_or_null(self.field("submitted_output"), out);
            out.push(b",\"task_id\":");
            write_or_null(self.field("task_id"), out);
            out.push(b"}");
        })
    }
}

fn write_request<S: Sink>(
    task_id: &str,
    agent_id: Option<&str>,
    output: Value<'_>,
    out: &mut S,
    write_middle: impl FnOnce(&mut S),
) {
    out.push(b"{\"agent_id\":");
    match agent_id {
        Some(agent_id) => jcs::write_string(agent_id, out),
        None => out.push(b"null"),
    }
    write_middle(out);
    jcs::write(output, out);
    out.push(b",\"task_id\":");
    jcs::write_string(task_id, out);
    out.push(b"}");
}

fn hash_of(write: impl FnOnce(&mut Hasher)) -> Digest {
    let mut hasher = Hasher::default();
    write(&mut hasher);
    hasher.finish()
}

fn write_or_null(value: Option<Value<'_>>, out: &mut impl Sink) {
    match value {
        Some(value) => jcs::write(value, out),
        None => out.push(b"null"),
    }
}

/// Bounds with every default filled in; none at all is `null`.
fn write_bounds(bounds: Option<Value<'_>>, out: &mut impl Sink) {
    let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) else {
        return out.push(b"null");
    };
    let mut members: Vec<_> = bounds.members().collect();
    members.sort_by(|a, b| jcs::compare_names(a.name(), b.name()));
    out.push(b"{");
    for (position, member) in members.into_iter().enumerate() {
        if position > 0 {
            out.push(b",");
        }
        jcs::write_string(member.name(), out);
        out.push(b":{\"if_present\":");
        write_or(member.value().get("if_present"), b"false", out);
        out.push(b",\"max\":");
        write_or(member.value().get("max"), b"null", out);
        out.push(b",\"min\":");
        write_or(member.value().get("min"), b"null", out);
        out.push(b"}");
    }
    out.push(b"}");
}

/// Rules with every default filled in; none at all is `null`.
fn write_rules(rules: Option<Value<'_>>, out: &mut impl Sink) {
    let Some(rules) = rules.filter(|rules| !rules.is_empty()) else {
        return out.push(b"null");
    };
    let mut fields = RULE_FIELDS;
    fields.sort_unstable();
    out.push(b"[");
    for (position, rule) in rules.elements().enumerate() {
        out.push(if position > 0 { b",{" } else { b"{" });
        for (place, field) in fields.into_iter().enumerate() {
            if place > 0 {
                out.push(b",");
            }
            jcs::write_string(field, out);
            out.push(b":");
            let default: &[u8] = match field {
                "tolerance" => b"1e-9",
                "if_present" => b"false",
                _ => b"null",
            };
            write_or(rule.get(field), default, out);
        }
        out.push(b"}");
    }
    out.push(b"]");
}

fn write_or(value: Option<Value<'_>>, default: &[u8], out: &mut impl Sink) {
    match value {
        Some(value) => jcs::write(value, out),
        None => out.push(default),
    }
}

/// A schema is an object or a boolean; what is in it is another question.
pub(super) fn check_schema_kind(schema: Value<'_>, problems: &mut Problems) {
    if !is_schema_kind(schema) {
        let problem = format!("is {}, not an object or a boolean", article(schema));
        problems.add("expected_schema", problem, "Put a JSON Schema there.", Some(schema));
    }
}

fn is_schema_kind(schema: Value<'_>) -> bool {
    schema.is_object() || schema.as_bool().is_some()
}

/// Compiles a schema; `None` comes with a problem, here or from [`check_schema_kind`].
pub(super) fn read_schema<'d>(
    schema: Option<Value<'d>>,
    problems: &mut Problems,
) -> Option<Schema<'d>> {
    let schema = schema.filter(|schema| is_schema_kind(*schema))?;
    Schema::compile(schema).map_err(|found| problems.schema(schema, found)).ok()
}

pub(super) fn read_rules<'d>(rules: Option<Value<'d>>, problems: &mut Problems) -> Vec<Rule<'d>> {
    let Some(rules) = rules.filter(|rules| !rules.is_null()) else {
        return Vec::new();
    };
    if !rules.is_array() {
        let problem = format!("is {}, not a list", article(rules));
        problems.add("rules", problem, "Write a list of rules.", Some(rules));
        return Vec::new();
    }
    let elements = rules.elements().enumerate();
    elements
        .filter_map(|(position, rule)| read_rule(rule, &format!("rules[{position}]"), problems))
        .collect()
}

fn read_rule<'d>(rule: Value<'d>, name: &str, problems: &mut Problems) -> Option<Rule<'d>> {
    let fields = problems.fields(rule, name, &RULE_FIELDS);
    if !rule.is_object() {
        return None;
    }
    let rule_type = read_rule_type(fields, rule, name, problems);
    let field = read_path(fields.required("field"), rule, &format!("{name}.field"), problems);
    let tolerance = read_tolerance(fields.required("tolerance"), name, problems);
    let if_present = problems.flag(fields.required("if_present"), &format!("{name}.if_present"));
    let rule_type = rule_type?;
    let own: &[&str] = match rule_type {
        RuleType::SumEquals => &["equals_field", "equals"],
        RuleType::Gte | RuleType::Lte => &["other_field", "value"],
        RuleType::ExistsIn => &["in_field", "values"],
        RuleType::Unique => &[],
    };
    for foreign in ALTERNATIVES.into_iter().filter(|alternative| !own.contains(alternative)) {
        if let Some(value) = fields.optional(foreign) {
            let problem = format!("does not belong to a rule of type '{}'", rule_type.name());
            let fix = match own {
                [] => "Remove it.".to_owned(),
                _ => format!("Remove it; this type has '{}'.", own.join("' or '")),
            };
            problems.add(format!("{name}.{foreign}"), problem, fix, Some(value));
        }
    }
    let given: Vec<&str> =
        own.iter().copied().filter(|alternative| fields.optional(alternative).is_some()).collect();
    if given.len() != 1 && !own.is_empty() {
        let problem = format!(
            "has {} of '{}'",
            if given.is_empty() { "none" } else { "both" },
            own.join("' and '")
        );
        problems.add(name, problem, "Give exactly one of the two.", Some(rule));
        return None;
    }
    let ask = read_ask(rule_type, fields, field.as_ref(), name, problems);
    Some(Rule { field: field?, if_present, tolerance, ask: ask? })
}

fn read_rule_type(
    fields: Fields<'_>,
    rule: Value<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<RuleType> {
    let value = fields.required("type");
    let found = value.and_then(Value::as_str);
    let known = RuleType::ALL.into_iter().find(|known| Some(known.name()) == found);
    if known.is_none() {
        let problem =
            if value.is_none() { "is missing" } else { "is not one of the allowed values" };
        let fix = "Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.";
        problems.add(format!("{name}.type"), problem, fix, value.or(Some(rule)));
    }
    known
}

fn read_path(
    value: Option<Value<'_>>,
    holder: Value<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<FieldPath> {
    const FIX: &str =
        "Write a path such as line_items[].price; put a \\ before a literal . [ ] or \\.";
    let Some(value) = value else {
        problems.add(name, "is missing", FIX, Some(holder));
        return None;
    };
    let Some(text) = value.as_str() else {
        problems.add(name, format!("is {}, not a path", article(value)), FIX, Some(value));
        return None;
    };
    FieldPath::parse(text)
        .map_err(|error| {
            problems.add(name, format!("is not a path: it {error}"), FIX, Some(value));
        })
        .ok()
}

fn read_tolerance(value: Option<Value<'_>>, name: &str, problems: &mut Problems) -> Decimal {
    let Some(value) = value else {
        return Decimal::from_f64(1e-9);
    };
    match value.as_number().map(crate::json::Number::to_decimal) {
        Some(tolerance) if !tolerance.is_negative() => tolerance,
        _ => {
            let fix = "Write a number of 0 or more.";
            let problem = "is not a number of 0 or more";
            problems.add(format!("{name}.tolerance"), problem, fix, Some(value));
            Decimal::ZERO
        }
    }
}

fn read_ask<'d>(
    rule_type: RuleType,
    fields: Fields<'d>,
    field: Option<&FieldPath>,
    name: &str,
    problems: &mut Problems,
) -> Option<Ask<'d>> {
    match rule_type {
        RuleType::SumEquals => {
            let names = ("equals_field", "equals");
            let number = |value: Value<'d>| value.as_number().is_some();
            let target = read_target(fields, names, field, name, number, "a number", problems)?;
            Some(Ask::SumEquals(target))
        }
        RuleType::Gte | RuleType::Lte => {
            let names = ("other_field", "value");
            let ordered = |value: Value<'d>| comparable(value).is_some();
            let wanted = "a number or an ISO-8601 date";
            let target = read_target(fields, names, field, name, ordered, wanted, problems)?;
            Some(if rule_type == RuleType::Gte { Ask::Gte(target) } else { Ask::Lte(target) })
        }
        RuleType::ExistsIn => match fields.optional("in_field") {
            Some(path) => {
                let path = read_path(Some(path), path, &format!("{name}.in_field"), problems)?;
                Some(Ask::ExistsInField(path))
            }
            None => {
                let values = fields.optional("values")?;
                if !values.is_array() {
                    let problem = format!("is {}, not a list", article(values));
                    let fix = "Write a list of the allowed values.";
                    problems.add(format!("{name}.values"), problem, fix, Some(values));
                    return None;
                }
                Some(Ask::ExistsInValues(values))
            }
        },
        RuleType::Unique => Some(Ask::Unique),
    }
}

fn read_target<'d>(
    fields: Fields<'d>,
    (field_name, literal_name): (&str, &str),
    field: Option<&FieldPath>,
    name: &str,
    fits: impl Fn(Value<'d>) -> bool,
    wanted: &str,
    problems: &mut Problems,
) -> Option<Target<'d>> {
    if let Some(value) = fields.optional(field_name) {
        let name = format!("{name}.{field_name}");
        let path = read_path(Some(value), value, &name, problems)?;
        let repeated = path.repeated_steps();
        let shares = |field: &FieldPath| {
            field.steps().len() >= repeated && field.steps()[..repeated] == path.steps()[..repeated]
        };
        if field.is_some_and(|field| !shares(field)) {
            let problem = "has a [] that it does not share with the rule's field";
            let fix = "Use [] only along the leading steps that both paths have, such as \
                       invoices[].total for invoices[].lines[].amount.";
            problems.add(name, problem, fix, Some(value));
            return None;
        }
        return Some(Target::Field(path));
    }
    let value = fields.optional(literal_name)?;
    if !fits(value) {
        let problem = format!("is {}, not {wanted}", article(value));
        problems.add(
            format!("{name}.{literal_name}"),
            problem,
            format!("Write {wanted}."),
            Some(value),
        );
        return None;
    }
    Some(Target::Literal(value))
}

pub(super) fn read_bounds<'d>(
    bounds: Option<Value<'d>>,
    problems: &mut Problems,
) -> Vec<Bound<'d>> {
    let Some(bounds) = bounds.filter(|bounds| !bounds.is_null()) else {
        return Vec::new();
    };
    if !bounds.is_object() {
        let problem = format!("is {}, not an object", article(bounds));
        let fix = "Write an object of paths, each with min, max or both.";
        problems.add("bounds", problem, fix, Some(bounds));
        return Vec::new();
    }
    let members = bounds.members();
    members
        .filter_map(|member| {
            let name = format!("bounds.{}", escaped(&shortened(member.name())));
            read_bound(member.name_value(), member.value(), &name, problems)
        })
        .collect()
}

fn read_bound<'d>(
    path: Value<'d>,
    bound: Value<'d>,
    name: &str,
    problems: &mut Problems,
) -> Option<Bound<'d>> {
    let field = read_path(Some(path), path, name, problems);
    let fields = problems.fields(bound, name, &BOUND_FIELDS);
    if !bound.is_object() {
        return None;
    }
    let if_present = problems.flag(fields.required("if_present"), &format!("{name}.if_present"));
    let mut limit = |end: &str| -> Option<(Value<'d>, Option<Comparable<'d>>)> {
        let value = fields.optional(end)?;
        let limit = comparable(value);
        if limit.is_none() {
            let problem = format!("is {}, not a number or an ISO-8601 date", article(value));
            let fix = "Write a number or an ISO-8601 date.";
            problems.add(format!("{name}.{end}"), problem, fix, Some(value));
        }
        Some((value, limit))
    };
    let (min, max) = (limit("min"), limit("max"));
    let problem = match (&min, &max) {
        (None, None) => Some(("has neither min nor max", "Give min, max or both.")),
        (Some((_, Some(low))), Some((_, Some(high)))) => match low.order(high) {
            None => Some((
                "has a number on one side and a date on the other",
                "Write two numbers or two dates.",
            )),
            Some(order) if order.is_gt() => Some(("has a min above its max", "Exchange the two.")),
            Some(_) => None,
        },
        _ => None,
    };
    if let Some((problem, fix)) = problem {
        problems.add(name, problem, fix, Some(bound));
    }
    let value = |limit: Option<(Value<'d>, Option<Comparable<'d>>)>| limit.map(|(value, _)| value);
    Some(Bound { field: field?, min: value(min), max: value(max), if_present })
}
