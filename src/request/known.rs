//! Requirements that were compiled before, for requests that come with the same ones: the usual case, and
//! compiling them costs more than checking a small output.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use self_cell::self_cell;

use super::{
    Detail, InvalidRequest, Overrides, Problems, Request, RequestShape, Requirements, Supplied,
};
use crate::json::{Document, Value};

/// Bytes of requirements that are kept for the next request.
const MAX_SOURCE: usize = 16 * 1024;

/// What a schema may weigh to be kept: subschemas, and characters to match in patterns. Most take some
/// hundred bytes, those of the largest classes of Unicode five thousand: so much, times [`MAX_KEPT`], is
/// the memory that this can be made to take.
const MAX_WEIGHT: u64 = 1_000;

/// Requirements that are kept.
const MAX_KEPT: usize = 32;

self_cell!(
    struct OwnedDocument {
        owner: String,
        #[covariant]
        dependent: Document,
    }
);

self_cell!(
    struct OwnedRequirements {
        owner: OwnedDocument,
        #[covariant]
        dependent: Requirements,
    }
);

/// Requirements that belong to no request.
pub struct Compiled {
    owned: OwnedRequirements,
    /// When they were last asked for, in calls.
    used: AtomicU64,
    slow: AtomicBool,
}

impl Compiled {
    /// Compiles requirements from their text; `None` where they are at fault.
    fn new(text: String, overrides: Overrides) -> Option<Compiled> {
        let document =
            OwnedDocument::try_new(text, |text| Document::parse(text.as_bytes())).ok()?;
        let owned = OwnedRequirements::try_new(document, |document| {
            let root = document.borrow_dependent().root();
            let supplied = Supplied {
                schema: root.get("expected_schema"),
                rules: root.get("rules"),
                bounds: root.get("bounds"),
                enforce_rules: root.get("enforce_rules").and_then(Value::as_bool) == Some(true),
                strict_content_check: root.get("strict_content_check").and_then(Value::as_bool)
                    == Some(true),
            };
            Requirements::compile(overrides.apply(supplied))
        });
        Some(Compiled { owned: owned.ok()?, used: AtomicU64::new(0), slow: AtomicBool::new(false) })
    }

    /// The requirements.
    pub fn requirements(&self) -> &Requirements<'_> {
        self.owned.borrow_dependent()
    }

    /// Whether the last check with them took long, as far as the caller has told.
    pub fn is_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed)
    }

    /// Notes whether a check with them took long: for callers to whom it matters where it is made.
    pub fn set_slow(&self, slow: bool) {
        self.slow.store(slow, Ordering::Relaxed);
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.requirements().fmt(f)
    }
}

/// The requirements of a request: its own, or those of one before it.
#[derive(Debug)]
pub enum Held<'d> {
    /// Compiled from this request.
    Own(Box<Requirements<'d>>),
    /// The same as this request's, to the byte.
    Known(Arc<Compiled>),
}

impl Held<'_> {
    /// The requirements.
    pub fn requirements(&self) -> &Requirements<'_> {
        match self {
            Held::Own(requirements) => requirements,
            Held::Known(compiled) => compiled.requirements(),
        }
    }
}

/// A request with the requirements of its own or of one before it.
#[derive(Debug)]
pub struct ReadRequest<'d> {
    /// The caller's name for the check.
    pub task_id: &'d str,
    /// The caller's label for the agent; nobody's identity.
    pub agent_id: Option<&'d str>,
    /// What is checked.
    pub output: Value<'d>,
    /// The shape of the response.
    pub detail: Detail,
    /// What the output is held against.
    pub held: Held<'d>,
}

impl<'d> From<Request<'d>> for ReadRequest<'d> {
    fn from(request: Request<'d>) -> ReadRequest<'d> {
        let Request { task_id, agent_id, output, requirements, detail } = request;
        let held = Held::Own(Box::new(requirements));
        ReadRequest { task_id, agent_id, output, detail, held }
    }
}

/// The requirements that were asked for last, whatever number of threads ask.
///
/// They are told apart by their text, so that what is kept never changes what a request comes to.
#[derive(Default, Debug)]
pub struct KnownRequirements {
    overrides: Overrides,
    kept: Mutex<HashMap<String, Arc<Compiled>>>,
    calls: AtomicU64,
}

impl KnownRequirements {
    /// For requests of which some options are replaced.
    pub fn new(overrides: Overrides) -> KnownRequirements {
        KnownRequirements { overrides, ..KnownRequirements::default() }
    }

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// As [`Request::parse`].
    pub fn read<'d>(&self, request: Value<'d>) -> Result<ReadRequest<'d>, InvalidRequest> {
        let known = self.read_with(request, |text| self.find(text).or_else(|| self.compile(text)));
        match known {
            Some(request) => Ok(request),
            None => Request::parse_with(request, self.overrides).map(ReadRequest::from),
        }
    }

    /// Reads a request whose fields are right and whose requirements are known.
    pub fn read_known<'d>(&self, request: Value<'d>) -> Option<ReadRequest<'d>> {
        self.read_with(request, |text| self.find(text))
    }

    fn read_with<'d>(
        &self,
        request: Value<'d>,
        compiled: impl FnOnce(&str) -> Option<Arc<Compiled>>,
    ) -> Option<ReadRequest<'d>> {
        let mut problems = Problems::default();
        let shape = RequestShape::read(request, self.overrides, &mut problems);
        let shape = shape.filter(|_| problems.problems.is_empty())?;
        let held = Held::Known(compiled(&source(request)?)?);
        let RequestShape { task_id, agent_id, output, detail, .. } = shape;
        Some(ReadRequest { task_id, agent_id, output, detail, held })
    }

    fn find(&self, text: &str) -> Option<Arc<Compiled>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = kept.get(text)?;
        compiled.used.store(self.calls.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(compiled))
    }

    /// Compiles requirements and keeps them, unless they are heavy; `None` where they are at fault.
    fn compile(&self, text: &str) -> Option<Arc<Compiled>> {
        let compiled = Arc::new(Compiled::new(text.to_owned(), self.overrides)?);
        if compiled.requirements().schema().weight() > MAX_WEIGHT {
            return Some(compiled);
        }
        compiled.used.store(self.calls.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            let last_used =
                |(_, compiled): &(&String, &Arc<Compiled>)| compiled.used.load(Ordering::Relaxed);
            let oldest = kept.iter().min_by_key(last_used).map(|(text, _)| text.clone());
            oldest.and_then(|oldest| kept.remove(&oldest));
        }
        kept.insert(text.to_owned(), Arc::clone(&compiled));
        Some(compiled)
    }
}

/// What a request says of its requirements, as it is written; `None` where that is long.
fn source(request: Value<'_>) -> Option<String> {
    const NAMES: [&str; 5] =
        ["expected_schema", "rules", "bounds", "enforce_rules", "strict_content_check"];
    let mut text = String::with_capacity(1024);
    for name in NAMES {
        let Some(value) = request.get(name) else { continue };
        if text.len() + value.span() > MAX_SOURCE {
            return None;
        }
        text.push_str(if text.is_empty() { "{\"" } else { ",\"" });
        text.push_str(name);
        text.push_str("\":");
        text.push_str(value.source());
    }
    text.push('}');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;
    use crate::verify::verify;

    fn request(schema: &str, more: &str) -> String {
        format!(
            r#"{{"task_id": "t", "expected_schema": {schema}, "submitted_output": {{"a": 1}}{more}}}"#
        )
    }

    fn read<'d>(known: &KnownRequirements, document: &'d Document<'_>) -> ReadRequest<'d> {
        known.read(document.root()).unwrap()
    }

    fn kept(known: &KnownRequirements) -> usize {
        known.kept.lock().unwrap().len()
    }

    #[test]
    fn what_was_compiled_is_used_again_and_comes_to_the_same() {
        let known = KnownRequirements::default();
        let texts = [
            request(r#"{"required": ["a"]}"#, ""),
            request(r#"{"required": ["b"]}"#, ""),
            request(r#"{"required": ["a"]}"#, r#", "bounds": {"a": {"max": 0}}"#),
            request(
                r#"{"required": ["a"]}"#,
                r#", "bounds": {"a": {"max": 0}}, "enforce_rules": true"#,
            ),
        ];
        for _ in 0..2 {
            for text in &texts {
                let document = Document::parse(text.as_bytes()).unwrap();
                let own = Request::parse(document.root()).unwrap();
                let held = read(&known, &document);
                let requirements = held.held.requirements();
                let hash = own.requirements.request_hash("t", None, own.output);
                assert_eq!(requirements.request_hash("t", None, held.output), hash);
                assert_eq!(requirements.schema_hash(), own.requirements.schema_hash());
                assert_eq!(requirements.rules_hash(), own.requirements.rules_hash());
                let report = verify(requirements, held.output).unwrap();
                assert_eq!(report.verdict, verify(&own.requirements, own.output).unwrap().verdict);
            }
            assert_eq!(kept(&known), 4);
        }
        let document = Document::parse(texts[0].as_bytes()).unwrap();
        let (first, second) = (read(&known, &document), read(&known, &document));
        let (Held::Known(first), Held::Known(second)) = (first.held, second.held) else {
            panic!("it is known");
        };
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn the_longest_unused_give_way() {
        let known = KnownRequirements::default();
        for n in 0..MAX_KEPT + 10 {
            for n in [0, n] {
                let text = request(&format!(r#"{{"maxProperties": {n}}}"#), "");
                read(&known, &Document::parse(text.as_bytes()).unwrap());
            }
            assert!(kept(&known) <= MAX_KEPT);
        }
        let kept = known.kept.lock().unwrap();
        assert!(
            kept.keys()
                .any(|text| text.contains(":{\"maxProperties\": 0}") || text.contains(": 0}"))
        );
        assert!(!kept.keys().any(|text| text.contains(" 1}")));
    }

    #[test]
    fn what_is_heavy_is_not_kept() {
        let known = KnownRequirements::default();
        let long = format!(r#"{{"description": "{}"}}"#, "x".repeat(MAX_SOURCE));
        let heavy = r#"{"pattern": "^(?:[a-z]{100}[0-9]){200}$"}"#;
        for schema in [long.as_str(), heavy] {
            let text = request(schema, "");
            let document = Document::parse(text.as_bytes()).unwrap();
            assert!(verify(read(&known, &document).held.requirements(), document.root()).is_ok());
            assert_eq!(kept(&known), 0);
        }
    }

    #[test]
    fn faults_are_told_as_they_always_are() {
        let known = KnownRequirements::default();
        for text in [
            request(r#"{"type": "nothing"}"#, r#", "task": 1"#),
            request("true", r#", "rules": [{"type": "sum"}]"#),
            "[]".to_owned(),
        ] {
            let document = Document::parse(text.as_bytes()).unwrap();
            let (own, held) = (Request::parse(document.root()), known.read(document.root()));
            assert_eq!(held.unwrap_err(), own.unwrap_err());
        }
        assert_eq!(kept(&known), 0);
    }
}
