//! The request: an output with the requirements that it is held against.
//!
//! Unknown fields are refused everywhere outside the schema and the output, since a mistyped
//! `enforce_rule` must not weaken a check silently. All problems are reported at once. Nothing of
//! the input but names of fields is repeated in a problem.

mod known;
mod requirements;
mod rule_set;

use std::fmt;

pub use known::{Compiled, Held, KnownRequirements, ReadRequest};
pub use requirements::{RawRequest, Requirements, Supplied};
pub(crate) use rule_set::TEMPLATE_SCHEMA;
pub use rule_set::{RuleSet, read_template};

use crate::digest::{Digest, Hasher};
use crate::jcs::Sink;
use crate::json::{Kind, Value};
use crate::rules::{Bound, Rule};
use crate::text::{closest, escaped, shortened};

/// Characters that `task_id` and `agent_id` may have.
pub const MAX_ID: usize = 200;

/// The shape of a response.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Detail {
    /// Everything
    #[default]
    Full,
    /// The summary and the receipt's fields
    Compact,
}

/// A whole request, as `POST /verify/schema` takes it.
#[derive(Debug)]
pub struct Request<'d> {
    /// The caller's name for the check.
    pub task_id: &'d str,
    /// The caller's label for the agent; nobody's identity.
    pub agent_id: Option<&'d str>,
    /// What is checked.
    pub output: Value<'d>,
    /// What it is held against.
    pub requirements: Requirements<'d>,
    /// The shape of the response.
    pub detail: Detail,
}

/// Options that replace what a request or a file says.
#[derive(Clone, Copy, Default, Debug)]
pub struct Overrides {
    /// Whether bounds and rules block, where this is to be settled.
    pub enforce_rules: Option<bool>,
    /// Whether content findings block in any case.
    pub strict_content_check: bool,
}

impl Overrides {
    /// The requirements with these options.
    pub fn apply<'d>(self, mut supplied: Supplied<'d>) -> Supplied<'d> {
        supplied.enforce_rules = self.enforce_rules.unwrap_or(supplied.enforce_rules);
        supplied.strict_content_check |= self.strict_content_check;
        supplied
    }
}

/// One thing that is wrong with a request.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FieldProblem {
    /// The field: `rules[0].type`, `bounds.a`, `expected_schema`.
    pub field: String,
    /// What is wrong, as a phrase that begins with a verb.
    pub problem: String,
    /// The way out, as a sentence.
    pub fix: String,
    /// Where it stands in the text that it was read from, if it is there at all.
    pub origin: Option<Origin>,
}

/// A place in one of the documents that requirements are read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    document: usize,
    /// The byte offset in it.
    pub offset: usize,
}

impl Origin {
    pub(crate) fn of(value: Value<'_>) -> Origin {
        Origin { document: address(value), offset: value.offset() }
    }

    /// Whether it is a place in this value's document.
    pub fn is_in(&self, value: Value<'_>) -> bool {
        self.document == address(value)
    }
}

fn address(value: Value<'_>) -> usize {
    std::ptr::from_ref(value.document()).addr()
}

/// A request that is refused, with everything that is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidRequest {
    /// The problems, in the order of the request's fields, the first [`MAX_PROBLEMS`].
    pub problems: Vec<FieldProblem>,
    /// How many more there are.
    pub omitted: usize,
}

/// Problems that are listed; more help nobody.
pub const MAX_PROBLEMS: usize = 100;

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{} {}", problem.field, problem.problem)?;
        }
        if self.omitted > 0 {
            write!(f, "; and {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidRequest {}

/// The fields of a request.
const FIELDS: [&str; 9] = [
    "task_id",
    "agent_id",
    "expected_schema",
    "submitted_output",
    "rules",
    "bounds",
    "enforce_rules",
    "strict_content_check",
    "detail",
];

impl<'d> Request<'d> {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] with all that is wrong: unknown or missing fields, wrong kinds, rules and
    /// bounds that say nothing definite, a schema that is none.
    pub fn parse(request: Value<'d>) -> Result<Request<'d>, InvalidRequest> {
        Request::parse_with(request, Overrides::default())
    }

    /// As [`Request::parse`], with some of the request's options replaced.
    ///
    /// # Errors
    ///
    /// As [`Request::parse`].
    pub fn parse_with(
        request: Value<'d>,
        overrides: Overrides,
    ) -> Result<Request<'d>, InvalidRequest> {
        let mut problems = Problems::default();
        let shape = RequestShape::read(request, overrides, &mut problems);
        let schema = requirements::read_schema(request.get("expected_schema"), &mut problems);
        let (shape, schema) = problems.settle(shape.zip(schema))?;
        let RequestShape { task_id, agent_id, output, detail, supplied, bounds, rules } = shape;
        let requirements = Requirements::new(supplied, schema, bounds, rules);
        Ok(Request { task_id, agent_id, output, requirements, detail })
    }
}

/// A request whose fields are all right, and whose schema nobody has looked into.
#[derive(Debug)]
pub struct RequestShape<'d> {
    task_id: &'d str,
    agent_id: Option<&'d str>,
    output: Value<'d>,
    detail: Detail,
    supplied: Supplied<'d>,
    bounds: Vec<Bound<'d>>,
    rules: Vec<Rule<'d>>,
}

impl<'d> RequestShape<'d> {
    /// Reads a request without compiling its schema: what hashing needs.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] with all that is wrong but for the schema's inside.
    pub fn parse(request: Value<'d>) -> Result<RequestShape<'d>, InvalidRequest> {
        let mut problems = Problems::default();
        let shape = RequestShape::read(request, Overrides::default(), &mut problems);
        problems.settle(shape)
    }

    /// Reads all fields; `None` comes with a problem.
    fn read(
        request: Value<'d>,
        overrides: Overrides,
        problems: &mut Problems,
    ) -> Option<RequestShape<'d>> {
        let fields = problems.fields(request, "", &FIELDS);
        if !request.is_object() {
            return None;
        }
        if !FIELDS.iter().any(|name| request.get(name).is_some()) {
            // A list of all that is missing would bury what is meant.
            let fix = "Give an object with task_id, expected_schema and submitted_output.";
            *problems = Problems::default();
            problems.add("$", "is not a request: it has none of its fields", fix, Some(request));
            return None;
        }
        let task_id = problems.id(fields.required("task_id"), "task_id");
        let agent_id = fields.optional("agent_id");
        let agent_id = agent_id.and_then(|value| problems.id(Some(value), "agent_id"));
        let schema = fields.required("expected_schema");
        match schema {
            None => {
                let fix = "Put a JSON Schema there; true allows anything.";
                problems.add("expected_schema", "is missing", fix, None);
            }
            Some(schema) => requirements::check_schema_kind(schema, problems),
        }
        let output = fields.required("submitted_output");
        if output.is_none() {
            let fix = "Put the output that is to be checked there.";
            problems.add("submitted_output", "is missing", fix, None);
        }
        let supplied = Supplied {
            schema,
            rules: fields.required("rules"),
            bounds: fields.required("bounds"),
            enforce_rules: problems.flag(fields.required("enforce_rules"), "enforce_rules"),
            strict_content_check: problems
                .flag(fields.required("strict_content_check"), "strict_content_check"),
        };
        let rules = requirements::read_rules(supplied.rules, problems);
        let bounds = requirements::read_bounds(supplied.bounds, problems);
        let detail = problems.detail(fields.required("detail"));
        let supplied = overrides.apply(supplied);
        Some(RequestShape {
            task_id: task_id?,
            agent_id,
            output: output?,
            detail,
            supplied,
            bounds,
            rules,
        })
    }

    /// The hash of the output.
    pub fn output_hash(&self) -> Digest {
        Digest::of(self.output)
    }

    /// The hash of the schema.
    pub fn schema_hash(&self) -> Digest {
        self.supplied.schema_hash()
    }

    /// The hash of `{"bounds": …, "rules": …}`, exactly what was supplied.
    pub fn rules_hash(&self) -> Digest {
        self.supplied.rules_hash()
    }

    /// The hash of the canonical request.
    pub fn request_hash(&self) -> Digest {
        let mut hasher = Hasher::default();
        self.write_canonical(&mut hasher);
        hasher.finish()
    }

    /// Writes the canonical request: the eight fields that are hashed, with every default.
    pub fn write_canonical(&self, out: &mut impl Sink) {
        self.supplied.write_request(self.task_id, self.agent_id, self.output, out);
    }
}

/// Reads a look-up of an agent: an object with an `agent_id` and nothing else.
///
/// # Errors
///
/// [`InvalidRequest`] with all that is wrong.
pub fn parse_look_up(look_up: Value<'_>) -> Result<&str, InvalidRequest> {
    let mut problems = Problems::default();
    let fields = problems.fields(look_up, "", &["agent_id"]);
    let agent_id = fields.required("agent_id");
    let agent_id = look_up.is_object().then(|| problems.id(agent_id, "agent_id")).flatten();
    problems.settle(agent_id)
}

/// Checks an id that does not come from a request: 1 to 200 characters.
///
/// # Errors
///
/// What is wrong with it, as a phrase that begins with a verb.
pub fn check_id(id: &str) -> Result<(), &'static str> {
    match id.chars().count() {
        0 => Err("is empty"),
        count if count > MAX_ID => Err("is longer than 200 characters"),
        _ => Ok(()),
    }
}

/// The problems so far, and the readers that add to them.
#[derive(Default)]
pub(crate) struct Problems {
    problems: Vec<FieldProblem>,
    omitted: usize,
}

/// The known members of an object.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'d> {
    object: Value<'d>,
}

impl<'d> Fields<'d> {
    /// A field's value, also where it is `null`.
    pub(crate) fn required(self, name: &str) -> Option<Value<'d>> {
        self.object.get(name)
    }

    /// A field's value, unless it is `null`, which means omitted here.
    pub(crate) fn optional(self, name: &str) -> Option<Value<'d>> {
        self.object.get(name).filter(|value| !value.is_null())
    }
}

impl Problems {
    pub(crate) fn add(
        &mut self,
        field: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
        at: Option<Value<'_>>,
    ) {
        self.push(FieldProblem {
            field: field.into(),
            problem: problem.into(),
            fix: fix.into(),
            origin: at.map(Origin::of),
        });
    }

    fn push(&mut self, problem: FieldProblem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.omitted += 1;
        }
    }

    /// What was read, unless there are problems; whatever is not there comes with one.
    pub(crate) fn settle<T>(self, read: Option<T>) -> Result<T, InvalidRequest> {
        match read {
            Some(read) if self.problems.is_empty() => Ok(read),
            _ => Err(InvalidRequest { problems: self.problems, omitted: self.omitted }),
        }
    }

    /// An object's fields, with a problem for each that is unknown. `prefix` is the object's own
    /// field name, empty for the request itself.
    pub(crate) fn fields<'d>(
        &mut self,
        object: Value<'d>,
        prefix: &str,
        known: &[&'static str],
    ) -> Fields<'d> {
        if !object.is_object() {
            let field = if prefix.is_empty() { "$" } else { prefix };
            let fix = format!("Write an object with the fields {}.", known.join(", "));
            self.add(field, format!("is {}, not an object", article(object)), fix, Some(object));
            return Fields { object };
        }
        for member in object.members() {
            let name = member.name();
            if known.contains(&name) {
                continue;
            }
            let shown = escaped(&shortened(name));
            let field = if prefix.is_empty() { shown } else { format!("{prefix}.{shown}") };
            let fix = match closest(name, known.iter().copied()) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => format!("Remove it; the known fields are {}.", known.join(", ")),
            };
            self.add(field, "is not a known field", fix, Some(member.name_value()));
        }
        Fields { object }
    }

    /// An id of 1 to 200 characters.
    pub(crate) fn id<'d>(&mut self, value: Option<Value<'d>>, field: &str) -> Option<&'d str> {
        const FIX: &str = "Write a string of 1 to 200 characters.";
        let Some(value) = value else {
            self.add(field, "is missing", FIX, None);
            return None;
        };
        let Some(id) = value.as_str() else {
            self.add(field, format!("is {}, not a string", article(value)), FIX, Some(value));
            return None;
        };
        if let Err(problem) = check_id(id) {
            self.add(field, problem, FIX, Some(value));
            return None;
        }
        Some(id)
    }

    /// A boolean; false where it is not given.
    pub(crate) fn flag(&mut self, value: Option<Value<'_>>, field: &str) -> bool {
        let Some(value) = value else { return false };
        value.as_bool().unwrap_or_else(|| {
            let problem = format!("is {}, not true or false", article(value));
            self.add(field, problem, "Write true or false, without quotes.", Some(value));
            false
        })
    }

    fn detail(&mut self, value: Option<Value<'_>>) -> Detail {
        match value.map(|value| (value, value.as_str())) {
            None | Some((_, Some("full"))) => Detail::Full,
            Some((_, Some("compact"))) => Detail::Compact,
            Some((value, _)) => {
                let fix = "Use one of: 'full' or 'compact'.";
                self.add("detail", "is not one of the allowed values", fix, Some(value));
                Detail::Full
            }
        }
    }

    /// The schema's problems, all at the field `expected_schema`.
    pub(crate) fn schema(&mut self, schema: Value<'_>, found: Vec<crate::schema::SchemaProblem>) {
        for problem in found {
            let place = match problem.place.as_str() {
                "$" => "it ".to_owned(),
                place => format!("at {} it ", shortened(&escaped(place))),
            };
            self.push(FieldProblem {
                field: "expected_schema".to_owned(),
                problem: format!("is not a usable JSON Schema: {place}{}", problem.problem),
                fix: problem.fix,
                origin: Some(Origin { document: address(schema), offset: problem.offset }),
            });
        }
    }
}

/// A value's kind with its article, without the value.
pub(crate) fn article(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Integer | Kind::Double => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
