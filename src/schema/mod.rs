//! JSON Schema: a schema is compiled once and judges many instances.
//!
//! Verdict, counts and findings come from one walk over (subschema, value) pairs, in
//! [`evaluate`]. A check is one assertion keyword applied at one place of the output; keywords that
//! only lead on to subschemas count nothing themselves. Every outcome is three-valued: what the
//! work budget left unfinished is *unknown*, and stays so through `not`, `anyOf` and `if`.
//!
//! References are followed inside the document and into the built-in meta-schemas ([`registry`]);
//! nothing is ever fetched.

mod applicators;
mod assertions;
mod compile;
mod draft;
mod elementwise;
mod evaluate;
mod explain;
mod format;
mod loops;
mod memory;
mod metaschemas;
mod pattern;
mod registry;

use std::sync::Arc;

pub use draft::Draft;
pub use evaluate::{Counts, Truth};
pub(crate) use evaluate::{Examination, Stop};
use format::Format;
use pattern::Pattern;
use registry::ResourceId;

use crate::decimal::Decimal;
use crate::json::{Value, ValueHasher, is_same};

/// The index of a compiled subschema.
type SubschemaId = u32;

/// A compiled schema.
pub struct Schema<'d> {
    subschemas: Vec<Subschema<'d>>,
    root: SubschemaId,
    resources: Vec<DynamicScope<'d>>,
    /// Whether outcomes depend on the way by which a subschema was reached.
    dynamic: bool,
    ignored: Vec<Ignored<'d>>,
    hasher: ValueHasher,
    weight: u64,
}

/// What a resource offers to `$dynamicRef` and `$recursiveRef`.
#[derive(Default)]
struct DynamicScope<'d> {
    /// Sorted by name.
    anchors: Vec<(&'d str, SubschemaId)>,
    recursive: Option<SubschemaId>,
}

/// One subschema.
struct Subschema<'d> {
    source: Value<'d>,
    resource: ResourceId,
    /// Whether one value can come to it more than once, so that its outcomes are worth remembering.
    shared: bool,
    body: Body<'d>,
}

enum Body<'d> {
    /// `true` or `false`
    Boolean(bool),
    /// The keywords that assert something or lead on, in the schema's order.
    Keywords(Box<[Keyword<'d>]>),
}

/// A keyword with its meaning.
struct Keyword<'d> {
    /// Its name where it asserts something.
    name: &'static str,
    value: Value<'d>,
    meaning: Meaning<'d>,
}

/// A keyword that its draft ignores, for a remark to the schema's author.
#[derive(Clone, Copy, Debug)]
pub struct Ignored<'d> {
    /// The ignored keyword's name
    pub keyword: &'d str,
    /// The ignored keyword's value
    pub value: Value<'d>,
}

/// What a keyword asks for.
enum Meaning<'d> {
    Assertion(Assertion<'d>),
    Applicator(Applicator<'d>),
}

/// Keywords that are one check each.
enum Assertion<'d> {
    Type(Types),
    Enum(Values<'d>),
    Const(Value<'d>),
    Limit {
        limit: Threshold,
        kind: Limit,
    },
    /// `work`: what dividing by so many digits costs, in visits.
    MultipleOf {
        divisor: Decimal,
        work: u64,
    },
    Length {
        limit: u64,
        of: LengthOf,
        kind: Limit,
    },
    Pattern(Arc<Pattern>),
    Format(Format),
    Required(Box<[&'d str]>),
    DependentRequired(Dependencies<'d>),
    UniqueItems,
    NoAdditionalProperties(Declared<'d>),
    /// No elements behind the first so many.
    NoAdditionalItems(usize),
    AnyOf(Box<[SubschemaId]>),
    OneOf(Box<[SubschemaId]>),
    Not(SubschemaId),
    /// `marks`: what it finds counts as evaluated (2020-12).
    Contains {
        subschema: SubschemaId,
        min: u64,
        max: Option<u64>,
        marks: bool,
    },
    PropertyNames(SubschemaId),
    UnevaluatedProperties(SubschemaId),
    UnevaluatedItems(SubschemaId),
    ContentEncodingBase64,
    /// `application/json`, in base64 where `contentEncoding` says so.
    ContentMediaTypeJson {
        base64: bool,
    },
}

impl Meaning<'_> {
    /// Hands over every subschema that it leads to, with whether that applies to the same value.
    fn for_each_target(&self, mut each: impl FnMut(SubschemaId, bool)) {
        let mut all = |ids: &[SubschemaId], in_place| ids.iter().for_each(|&id| each(id, in_place));
        match self {
            Meaning::Assertion(assertion) => match assertion {
                Assertion::AnyOf(branches) | Assertion::OneOf(branches) => all(branches, true),
                Assertion::Not(subschema) => all(&[*subschema], true),
                Assertion::Contains { subschema, .. }
                | Assertion::PropertyNames(subschema)
                | Assertion::UnevaluatedProperties(subschema)
                | Assertion::UnevaluatedItems(subschema) => all(&[*subschema], false),
                _ => {}
            },
            Meaning::Applicator(applicator) => match applicator {
                Applicator::Ref(target)
                | Applicator::RecursiveRef(target)
                | Applicator::DynamicRef { otherwise: target, .. } => all(&[*target], true),
                Applicator::AllOf(branches) => all(branches, true),
                Applicator::If { condition, then, otherwise } => {
                    all(&[*condition], true);
                    all(then.as_slice(), true);
                    all(otherwise.as_slice(), true);
                }
                Applicator::DependentSchemas(table) => {
                    table.iter().for_each(|&(_, id)| all(&[id], true));
                }
                Applicator::Properties(table) => {
                    table.0.iter().for_each(|&(_, id)| all(&[id], false));
                }
                Applicator::PatternProperties(table) => {
                    table.iter().for_each(|&(_, id)| all(&[id], false));
                }
                Applicator::AdditionalProperties { subschema, .. }
                | Applicator::Items { subschema, .. } => all(&[*subschema], false),
                Applicator::PrefixItems(subschemas) => all(subschemas, false),
            },
        }
    }
}

/// Members, each with those that it calls for.
type Dependencies<'d> = Box<[(&'d str, Box<[&'d str]>)]>;

/// Keywords that lead on to subschemas and count nothing themselves.
enum Applicator<'d> {
    Ref(SubschemaId),
    /// To the outermost resource's anchor of this name, else to the first target.
    DynamicRef {
        anchor: &'d str,
        otherwise: SubschemaId,
    },
    RecursiveRef(SubschemaId),
    AllOf(Box<[SubschemaId]>),
    Properties(PropertyTable<'d>),
    PatternProperties(Box<[(Arc<Pattern>, SubschemaId)]>),
    AdditionalProperties {
        declared: Declared<'d>,
        subschema: SubschemaId,
    },
    PrefixItems(Box<[SubschemaId]>),
    /// To every element behind the first so many.
    Items {
        from: usize,
        subschema: SubschemaId,
    },
    If {
        condition: SubschemaId,
        then: Option<SubschemaId>,
        otherwise: Option<SubschemaId>,
    },
    DependentSchemas(Box<[(&'d str, SubschemaId)]>),
}

/// The number of `minimum` and its like, ready to be compared with.
enum Threshold {
    /// Where comparing as doubles is exact.
    Double(f64),
    Decimal(Decimal),
}

/// Which side of a number is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    AtLeast,
    AtMost,
    Above,
    Below,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LengthOf {
    String,
    Array,
    Object,
}

/// The kinds that `type` allows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Types {
    null: bool,
    boolean: bool,
    number: bool,
    integer: bool,
    string: bool,
    array: bool,
    object: bool,
    /// Draft-04: only a literal without fraction and exponent is an integer.
    literal_integers: bool,
}

/// The members that `properties` and `patternProperties` beside a keyword speak of.
struct Declared<'d> {
    names: Box<[&'d str]>,
    patterns: Box<[Arc<Pattern>]>,
}

/// `properties`, sorted by name for look-up.
struct PropertyTable<'d>(Box<[(&'d str, SubschemaId)]>);

impl PropertyTable<'_> {
    fn get(&self, name: &str) -> Option<SubschemaId> {
        /// Up to so many entries looking at each is faster than searching.
        const FEW: usize = 8;
        if self.0.len() <= FEW {
            let is_it = |(known, _): &&(&str, _)| is_same(known.as_bytes(), name.as_bytes());
            let found = self.0.iter().find(is_it);
            return found.map(|&(_, subschema)| subschema);
        }
        let place = self.0.binary_search_by(|(known, _)| order_names(known, name)).ok()?;
        Some(self.0[place].1)
    }
}

/// An order for look-up only: by length first, which tells most names apart.
fn order_names(a: &str, b: &str) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The values of an `enum`, with their hashes where there are many.
struct Values<'d> {
    values: Box<[Value<'d>]>,
    /// (hash, place in `values`), sorted; empty where the values are few.
    hashes: Box<[(u64, u32)]>,
}

/// Whether a text has a format of draft 2020-12.
pub(crate) fn has_format(name: &str, text: &str) -> bool {
    format::Format::known(name, Draft::DEFAULT).is_some_and(|format| format.is_valid(text))
}

/// A schema that is no valid schema, or that cannot be judged by.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SchemaProblem {
    /// The path of the fault in the schema, such as `$.properties.id.pattern`.
    pub place: String,
    /// Its byte offset in the document that the schema is part of.
    pub offset: usize,
    /// What is wrong, as a phrase that begins with a verb.
    pub problem: String,
    /// The way out, as a sentence.
    pub fix: String,
}

impl<'d> Schema<'d> {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, in document order: an unknown dialect, what its meta-schema says,
    /// a pattern that does not compile, a reference that leaves the document or leads back to
    /// itself. This holds everywhere in the schema, also where nothing leads.
    pub fn compile(value: Value<'d>) -> Result<Schema<'d>, Vec<SchemaProblem>> {
        compile::check_and_compile(value)
    }

    /// The schema as it was written.
    pub fn source(&self) -> Value<'d> {
        self.subschema(self.root).source
    }

    /// Whether the instance is certainly valid.
    pub fn is_valid(&self, instance: Value<'_>) -> bool {
        let mut examination = Examination::new(self, instance, Stop::AtFirstFailure);
        examination.run();
        examination.truth() == Truth::True
    }

    /// Keywords that the schema has but its draft ignores.
    pub fn ignored(&self) -> &[Ignored<'d>] {
        &self.ignored
    }

    /// How much there is to keep of it: subschemas, and characters to match in patterns.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    fn subschema(&self, id: SubschemaId) -> &Subschema<'d> {
        &self.subschemas[id as usize]
    }
}
