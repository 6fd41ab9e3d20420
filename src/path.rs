//! Field paths: `line_items[].line_total`.
//!
//! Member names joined by `.`, `[]` for every element of an array, `[0]` for one, `\` to take the
//! next character literally, an optional leading `$.`; a path may begin with `[]` for a root array.
//! Anything else is refused, since a path that is read otherwise than it was meant checks another
//! value than its author thinks.

use std::fmt;
use std::ops::{ControlFlow, Range};

use crate::json::{Step, Value};

/// One step of a [`FieldPath`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PathStep {
    /// To the member of this name
    Member(String),
    /// To the element at this position
    Element(usize),
    /// To every element
    Each,
}

/// A path as a rule or bound gives it.
#[derive(Clone, Debug)]
pub struct FieldPath {
    steps: Vec<PathStep>,
    written: String,
}

/// Two paths are equal when they lead to the same places, however they are spelt.
impl PartialEq for FieldPath {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

impl Eq for FieldPath {}

impl std::hash::Hash for FieldPath {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.steps.hash(state);
    }
}

/// Why a text is no path.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PathError {
    /// What is wrong, such as "has an empty member name at character 3".
    pub problem: String,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for PathError {}

/// What a path leads to at one place.
#[derive(Clone, Copy, Debug)]
pub enum Reached<'p, 'd> {
    /// A value
    Value(Value<'d>),
    /// Nothing: `within` lacks what the step asks for.
    Missing {
        /// The last value that there is on the way.
        within: Value<'d>,
        /// The first step that fails.
        step: &'p PathStep,
    },
}

impl FieldPath {
    /// Reads a path.
    ///
    /// # Errors
    ///
    /// A [`PathError`] that names the fault and its place.
    pub fn parse(text: &str) -> Result<FieldPath, PathError> {
        let written = match text.strip_prefix('$') {
            Some("") => {
                return Ok(FieldPath { steps: Vec::new(), written: String::new() });
            }
            Some(rest) if rest.starts_with('[') => rest,
            Some(rest) => rest.strip_prefix('.').unwrap_or(text),
            None => text,
        };
        let skipped = text[..text.len() - written.len()].chars().count();
        let steps = parse_steps(written).map_err(|(problem, at)| PathError {
            problem: format!("{problem} at character {}", skipped + at),
        })?;
        // Without what stood before it, a first name `$` would mean the root.
        let rest = written.strip_prefix('$');
        let like_root = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let escape = if like_root { "\\" } else { "" };
        Ok(FieldPath { steps, written: format!("{escape}{written}") })
    }

    /// The steps; none for the root.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// The path as written, without a leading `$.`; `$` for the root. It reads back as the same path.
    pub fn as_written(&self) -> &str {
        if self.written.is_empty() { "$" } else { &self.written }
    }

    /// Follows a range of the steps from the value that those before it led to, and reports each
    /// place in document order.
    pub fn follow<'p, 'd>(
        &'p self,
        steps: Range<usize>,
        from: Value<'d>,
        report: &mut dyn FnMut(Reached<'p, 'd>),
    ) {
        let mut report = |reached| {
            report(reached);
            ControlFlow::Continue(())
        };
        // It goes on to the end.
        let _ = follow(&self.steps[steps], from, &|_| {}, &mut report);
    }

    /// As [`FieldPath::follow`], until `report` breaks. `pass` is told how many elements are passed over
    /// on the way to one that a step names by its position.
    pub(crate) fn follow_while<'p, 'd>(
        &'p self,
        steps: Range<usize>,
        from: Value<'d>,
        pass: &dyn Fn(usize),
        report: &mut dyn FnMut(Reached<'p, 'd>) -> ControlFlow<()>,
    ) {
        // How it ended is what the caller wanted.
        let _ = follow(&self.steps[steps], from, pass, report);
    }

    /// How many leading steps there are up to the last `[]`: 0 for a path to one place.
    pub fn repeated_steps(&self) -> usize {
        self.steps.iter().rposition(|step| *step == PathStep::Each).map_or(0, |last| last + 1)
    }

    /// Whether the path is more than one plain name and the whole of it, read without any meaning
    /// of `.` and `[]`, is the name of a member of the root: then its author may have meant that.
    pub fn literal_member<'d>(&self, root: Value<'d>) -> Option<Value<'d>> {
        if matches!(self.steps.as_slice(), [] | [PathStep::Member(_)]) {
            return None;
        }
        root.get(&self.written)
    }
}

fn follow<'p, 'd>(
    steps: &'p [PathStep],
    mut at: Value<'d>,
    pass: &dyn Fn(usize),
    report: &mut dyn FnMut(Reached<'p, 'd>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (position, step) in steps.iter().enumerate() {
        let next = match step {
            PathStep::Member(name) => at.get(name),
            PathStep::Element(index) => {
                pass((*index).min(at.elements().len()));
                at.element(*index)
            }
            PathStep::Each if at.is_array() => {
                for element in at.elements() {
                    follow(&steps[position + 1..], element, pass, report)?;
                }
                return ControlFlow::Continue(());
            }
            PathStep::Each => None,
        };
        match next {
            Some(value) => at = value,
            None => return report(Reached::Missing { within: at, step }),
        }
    }
    report(Reached::Value(at))
}

/// The steps, or what is wrong and at which character (from 1).
fn parse_steps(text: &str) -> Result<Vec<PathStep>, (&'static str, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let mut steps = Vec::new();
    let mut at = 0;
    if chars.is_empty() {
        return Err(("is empty", 1));
    }
    if chars[0] != '[' {
        steps.push(PathStep::Member(parse_name(&chars, &mut at)?));
    }
    while at < chars.len() {
        match chars[at] {
            '.' => {
                at += 1;
                steps.push(PathStep::Member(parse_name(&chars, &mut at)?));
            }
            '[' => {
                let close = chars[at..].iter().position(|&c| c == ']');
                let close = at + close.ok_or(("has a '[' without its ']'", at + 1))?;
                let inside: String = chars[at + 1..close].iter().collect();
                let digits = !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit());
                if inside.is_empty() {
                    steps.push(PathStep::Each);
                } else if digits && (inside == "0" || !inside.starts_with('0')) {
                    let index = inside.parse().map_err(|_| ("has too large an index", at + 2))?;
                    steps.push(PathStep::Element(index));
                } else {
                    return Err(("has something other than digits between '[' and ']'", at + 2));
                }
                at = close + 1;
                if chars.get(at).is_some_and(|&c| c != '.' && c != '[') {
                    return Err(("goes on behind a ']' without a '.'", at + 1));
                }
            }
            _ => return Err(("has a ']' without its '['", at + 1)),
        }
    }
    Ok(steps)
}

fn parse_name(chars: &[char], at: &mut usize) -> Result<String, (&'static str, usize)> {
    let start = *at;
    let mut name = String::new();
    while let Some(&c) = chars.get(*at) {
        match c {
            '\\' => {
                let next = chars.get(*at + 1).ok_or(("ends with a backslash", *at + 1))?;
                name.push(*next);
                *at += 2;
            }
            '.' | '[' => break,
            ']' => return Err(("has a ']' without its '['", *at + 1)),
            _ => {
                name.push(c);
                *at += 1;
            }
        }
    }
    if name.is_empty() {
        return Err(("has an empty member name", start + 1));
    }
    Ok(name)
}

/// Writes the concrete path of a place, with names escaped so that [`FieldPath`] reads them back.
#[derive(Clone, Debug)]
pub(crate) struct PathWriter {
    field: String,
}

impl PathWriter {
    pub(crate) fn root() -> PathWriter {
        PathWriter { field: String::new() }
    }

    /// The path from an enclosing value to another.
    pub(crate) fn between(root: Value<'_>, value: Value<'_>) -> PathWriter {
        let mut path = PathWriter::root();
        for step in value.steps_from(root) {
            match step {
                Step::Member(name) => path.member(name),
                Step::Element(position) => path.element(position),
            }
        }
        path
    }

    pub(crate) fn member(&mut self, name: &str) {
        if !self.field.is_empty() {
            self.field.push('.');
        }
        let first = self.field.len();
        for c in name.chars() {
            // At the start, a name that is all dollar would read as the root.
            let root_like = name == "$" && self.field.is_empty();
            if matches!(c, '.' | '[' | ']' | '\\') || root_like {
                self.field.push('\\');
            }
            self.field.push(c);
        }
        if self.field.len() == first {
            // No path leads to a member without a name; this at least shows that there is one.
            self.field.push_str("\"\"");
        }
    }

    pub(crate) fn element(&mut self, position: usize) {
        self.field.push('[');
        self.field.push_str(&position.to_string());
        self.field.push(']');
    }

    pub(crate) fn step(&mut self, step: &PathStep) {
        match step {
            PathStep::Member(name) => self.member(name),
            PathStep::Element(position) => self.element(*position),
            PathStep::Each => self.field.push_str("[]"),
        }
    }

    /// The path as findings name it: `items[2].price`, `$` for the root.
    pub(crate) fn field(self) -> String {
        if self.field.is_empty() { "$".to_owned() } else { self.field }
    }

    /// The path as `$.items[2].price`.
    pub(crate) fn dollar(self) -> String {
        dollar(&self.field())
    }
}

/// The `path` that belongs to a finding's field: `$.` and the field, `$` for the root.
pub fn dollar(field: &str) -> String {
    if field == "$" { field.to_owned() } else { format!("$.{field}") }
}

/// The path from an enclosing value to another as `$.a.b[0]`, for messages about requirements.
pub(crate) fn place_in(root: Value<'_>, value: Value<'_>) -> String {
    PathWriter::between(root, value).dollar()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn steps(text: &str) -> Vec<PathStep> {
        FieldPath::parse(text).unwrap().steps
    }

    fn member(name: &str) -> PathStep {
        PathStep::Member(name.to_owned())
    }

    #[test]
    fn paths_are_read() {
        assert_eq!(steps("a"), [member("a")]);
        assert_eq!(steps("$.a.b"), [member("a"), member("b")]);
        assert_eq!(
            steps("a[].b[0]"),
            [member("a"), PathStep::Each, member("b"), PathStep::Element(0)]
        );
        assert_eq!(steps("[].x"), [PathStep::Each, member("x")]);
        assert_eq!(steps("$.[3]"), [PathStep::Element(3)]);
        assert_eq!(steps("$[]"), [PathStep::Each]);
        assert_eq!(steps("openai\\.com"), [member("openai.com")]);
        assert_eq!(steps("\\$.a"), [member("$"), member("a")]);
        assert_eq!(steps("a b"), [member("a b")]);
        assert_eq!(steps("$"), []);
        assert_eq!(steps("$x"), [member("$x")]);
    }

    #[test]
    fn what_is_no_path_is_refused_with_the_place() {
        for (text, problem) in [
            ("", "is empty at character 1"),
            ("$.", "is empty at character 3"),
            ("a..b", "has an empty member name at character 3"),
            ("a.", "has an empty member name at character 3"),
            (".a", "has an empty member name at character 1"),
            ("a.[0]", "has an empty member name at character 3"),
            ("a[", "has a '[' without its ']' at character 2"),
            ("a]", "has a ']' without its '[' at character 2"),
            ("a[*]", "has something other than digits between '[' and ']' at character 3"),
            ("a[-1]", "has something other than digits between '[' and ']' at character 3"),
            ("a[01]", "has something other than digits between '[' and ']' at character 3"),
            ("a[0]b", "goes on behind a ']' without a '.' at character 5"),
            ("a\\", "ends with a backslash at character 2"),
            ("$.é..b", "has an empty member name at character 5"),
        ] {
            assert_eq!(FieldPath::parse(text).unwrap_err().problem, problem, "{text}");
        }
    }

    #[test]
    fn following_reports_values_and_the_first_step_that_fails() {
        let text = br#"{"a":[{"b":{"c":1}},{"b":2},{},7],"n":3}"#;
        let document = Document::parse(text).unwrap();
        let reached = |path: &str| {
            let path = FieldPath::parse(path).unwrap();
            let mut found = Vec::new();
            path.follow(0..path.steps().len(), document.root(), &mut |reached| {
                found.push(match reached {
                    Reached::Value(value) => format!(
                        "{} = {value:?}",
                        PathWriter::between(document.root(), value).field()
                    ),
                    Reached::Missing { within, step } => {
                        let mut path = PathWriter::between(document.root(), within);
                        path.step(step);
                        format!("{} missing", path.field())
                    }
                });
            });
            found
        };
        assert_eq!(
            reached("a[].b.c"),
            ["a[0].b.c = 1", "a[1].b.c missing", "a[2].b missing", "a[3].b missing"]
        );
        assert_eq!(reached("n[].x"), ["n[] missing"]);
        assert_eq!(reached("a[9]"), ["a[9] missing"]);
        assert_eq!(reached("n"), ["n = 3"]);
    }

    #[test]
    fn following_ends_when_told_and_tells_what_it_passes_over() {
        let document = Document::parse(br#"{"a":[[1,2,3],[4,5],[],6,[7,8,9]]}"#).unwrap();
        let path = FieldPath::parse("a[][2]").unwrap();
        let passed = std::cell::RefCell::new(Vec::new());
        let mut places = 0;
        path.follow_while(
            0..path.steps().len(),
            document.root(),
            &|elements| passed.borrow_mut().push(elements),
            &mut |_| {
                places += 1;
                if places < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        assert_eq!((places, passed.into_inner()), (4, vec![2, 2, 0, 0]));
    }

    #[test]
    fn written_places_read_back() {
        let document = Document::parse(br#"{"a.b":{"c[]":[{"\\":1}]},"$":2}"#).unwrap();
        let deep = document.root().get("a.b").unwrap().get("c[]").unwrap();
        let deep = deep.element(0).unwrap().get("\\").unwrap();
        let field = PathWriter::between(document.root(), deep).field();
        assert_eq!(field, r"a\.b.c\[\][0].\\");
        let mut values = Vec::new();
        let path = FieldPath::parse(&dollar(&field)).unwrap();
        path.follow(0..path.steps().len(), document.root(), &mut |reached| {
            if let Reached::Value(value) = reached {
                values.push(value.index());
            }
        });
        assert_eq!(values, [deep.index()]);
        let dollar =
            PathWriter::between(document.root(), document.root().get("$").unwrap()).field();
        assert_eq!(dollar, r"\$");
    }

    #[test]
    fn what_is_left_of_a_path_reads_back_as_the_same() {
        for (text, left) in [
            ("$", "$"),
            ("$.a", "a"),
            ("$.$", "\\$"),
            ("$.$.a", "\\$.a"),
            ("$.$[0]", "\\$[0]"),
            ("$.$a", "$a"),
            ("\\$", "\\$"),
            ("$$", "$$"),
        ] {
            let path = FieldPath::parse(text).unwrap();
            assert_eq!(path.as_written(), left, "{text}");
            assert_eq!(FieldPath::parse(left), Ok(path), "{text}");
        }
    }

    #[test]
    fn a_member_with_the_literal_name_is_noticed() {
        let document = Document::parse(br#"{"a.b":1,"a":{"b":2}}"#).unwrap();
        let path = FieldPath::parse("$.a.b").unwrap();
        assert!(path.literal_member(document.root()).is_some());
        let path = FieldPath::parse(r"a\.b").unwrap();
        assert!(path.literal_member(document.root()).is_none());
    }
}
