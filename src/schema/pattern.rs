//! `pattern` and `patternProperties`: ECMA-262 expressions as under the `u` flag, searched for
//! anywhere in a string.
//!
//! Every step of matching is counted, never timed, and paid for from the request's
//! [`MatchBudget`]; what the budget cannot pay for has no answer, rather than a guessed one. The
//! same request always costs the same. Refused are expressions that ECMA-262 does not know, and
//! those that are too large with their repetitions written out.

mod positions;
mod program;
mod syntax;

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use positions::Positions;
use program::Program;
use syntax::{CharSet, Node, SyntaxError, Tree};

/// The largest expression, in characters to match after repetitions are written out.
const MAX_SIZE: u64 = 32_768;

/// Expressions up to this size are built at no charge: a request's text bounds their number.
const FREE_SIZE: u64 = 64;
/// The price of building a larger one, for each of its characters.
const BUILD_PRICE: u64 = 32;
/// The price of any match, for the call itself.
const CALL_PRICE: u64 = 4;

/// The work for any request, then the work for each byte of it. A unit is a few nanoseconds; an
/// ordinary expression takes two or three units for a byte of the strings that it is applied to.
const BASE_WORK: u64 = 40_000_000;
const WORK_PER_BYTE: u64 = 100;

/// Characters of a refused pattern that its error quotes.
const MAX_QUOTED: usize = 60;

/// Why an expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternError(Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Syntax { reason: &'static str, character: usize, near: String },
    TooLarge { size: u64 },
}

impl PatternError {
    fn syntax(pattern: &str, error: &SyntaxError) -> PatternError {
        let before = pattern.get(..error.at).unwrap_or(pattern);
        let rest = pattern.get(error.at..).unwrap_or_default();
        let mut near: String = rest.chars().take(MAX_QUOTED).collect();
        if near.len() < rest.len() {
            near.push('…');
        }
        let character = before.chars().count() + 1;
        PatternError(Reason::Syntax { reason: error.reason, character, near })
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Syntax { reason, character, near } if near.is_empty() => {
                write!(f, "does not compile: {reason} (at its end, character {character})")
            }
            Reason::Syntax { reason, character, near } => {
                write!(f, "does not compile: {reason} (character {character}, at {near:?})")
            }
            Reason::TooLarge { size } => write!(
                f,
                "is too large: {size} characters with its repetitions written out, \
                 more than {MAX_SIZE}"
            ),
        }
    }
}

impl std::error::Error for PatternError {}

/// Work left for matching in one request: a fixed amount and a share for each byte of the input,
/// so that large honest documents never run out.
#[derive(Debug)]
pub(super) struct MatchBudget {
    left: u64,
    /// The large expressions that this request has paid for. It pays whether or not an earlier
    /// request has built them already: what runs out must not depend on what ran before.
    paid: HashSet<u64>,
}

impl Default for MatchBudget {
    /// The budget of any request, before its bytes are counted.
    fn default() -> MatchBudget {
        MatchBudget { left: BASE_WORK, paid: HashSet::new() }
    }
}

impl MatchBudget {
    /// Adds what so many bytes of a request are worth.
    pub(super) fn extend(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(WORK_PER_BYTE.saturating_mul(bytes as u64));
    }

    /// Whether nothing is left, so that no further match gets an answer.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Takes work from what is left, and tells whether there was enough. Assertions other than
    /// patterns whose time grows with the string pay here too.
    pub(super) fn spend(&mut self, work: u64) -> bool {
        let enough = work < self.left;
        self.left = self.left.saturating_sub(work);
        enough
    }
}

/// One expression, ready to be searched for from any number of threads.
#[derive(Debug)]
pub(super) struct Pattern {
    source: Box<str>,
    /// Tells patterns apart in a budget.
    id: u64,
    size: u64,
    tree: Tree,
    /// All of these must hold.
    parts: Vec<Part>,
}

/// What must match, or must not when negated. Built on first use: of a schema's thousands of
/// patterns, a document may reach few.
#[derive(Debug)]
struct Part {
    negated: bool,
    root: Node,
    matcher: OnceLock<Matcher>,
}

#[derive(Debug)]
enum Matcher {
    /// `^X{min,max}$`, for which counting is enough.
    Count {
        set: Arc<CharSet>,
        min: u32,
        max: Option<u32>,
    },
    Positions(Positions),
    Program(Program),
}

/// Whether a text is an expression that ECMA-262 knows, of any size.
pub(super) fn is_expression(text: &str) -> bool {
    syntax::parse(text).is_ok()
}

impl Pattern {
    /// Characters to match, with repetitions written out.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// When it is no ECMA-262 expression, or too large.
    pub(super) fn new(ecma: &str) -> Result<Pattern, PatternError> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let mut tree = syntax::parse(ecma).map_err(|error| PatternError::syntax(ecma, &error))?;
        let root = std::mem::replace(&mut tree.root, Node::Empty);
        // Counting costs the same whatever the numbers are.
        let size = if counted(&root).is_some() { 1 } else { root.size() };
        if size > MAX_SIZE {
            return Err(PatternError(Reason::TooLarge { size }));
        }
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Ok(Pattern { source: ecma.into(), id, size, tree, parts: conjunction(root) })
    }

    /// The expression as it was given.
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether the expression matches anywhere in `text`; `None` when the budget ran out first.
    pub(super) fn is_match(&self, text: &str, budget: &mut MatchBudget) -> Option<bool> {
        let unpaid = self.size > FREE_SIZE && budget.paid.insert(self.id);
        let build = if unpaid { self.size.saturating_mul(BUILD_PRICE) } else { 0 };
        if !budget.spend(build) {
            return None;
        }
        let mut work = CALL_PRICE;
        let mut answer = Some(true);
        for part in &self.parts {
            let matcher = part.matcher.get_or_init(|| Matcher::new(&self.tree, &part.root));
            answer = matcher
                .is_match(text, &mut work, budget.left)
                .map(|matches| matches != part.negated);
            if answer != Some(true) {
                break;
            }
        }
        // Work beyond what was left has no answer already: the engines stop at the limit.
        budget.spend(work);
        answer
    }
}

impl Matcher {
    fn new(tree: &Tree, root: &Node) -> Matcher {
        if let Some((set, min, max)) = counted(root)
            && let Some(set) = tree.sets.get(set as usize)
        {
            return Matcher::Count { set: Arc::clone(set), min, max };
        }
        match Positions::new(tree, root) {
            Some(positions) => Matcher::Positions(positions),
            None => Matcher::Program(Program::new(tree, root)),
        }
    }

    fn is_match(&self, text: &str, work: &mut u64, limit: u64) -> Option<bool> {
        match self {
            Matcher::Count { set, min, max } => {
                let mut count = 0_u64;
                let all = text.chars().all(|c| {
                    count += 1;
                    max.is_none_or(|max| count <= u64::from(max)) && set.contains(c)
                });
                *work += count;
                Some(all && count >= u64::from(*min))
            }
            Matcher::Positions(positions) => positions.is_match(text, work, limit),
            Matcher::Program(program) => program.is_match(text, work, limit),
        }
    }
}

/// The set and the numbers of `^X{min,max}$`.
fn counted(root: &Node) -> Option<(u32, u32, Option<u32>)> {
    let Node::Sequence(parts) = root else {
        return None;
    };
    let [Node::Start, Node::Repeat { body, min, max, .. }, Node::End] = parts.as_slice() else {
        return None;
    };
    match **body {
        Node::Set(set) => Some((set, *min, *max)),
        _ => None,
    }
}

/// `^(?=A)(?!B)C` as the conditions `^A`, not `^B` and `^C`, each of them plain. Nearly all
/// look-arounds in schemas are of this shape.
fn conjunction(root: Node) -> Vec<Part> {
    let part = |negated, root| Part { negated, root, matcher: OnceLock::new() };
    let refers = root.any(&|node| matches!(node, Node::Reference(_)));
    let nodes = match root {
        Node::Sequence(nodes) if !refers && matches!(nodes.first(), Some(Node::Start)) => nodes,
        root => return vec![part(false, root)],
    };
    let mut parts = Vec::new();
    let mut rest = Vec::new();
    for node in nodes {
        match node {
            Node::Look { ahead: true, negated, body, .. } if rest.len() == 1 => {
                parts.push(part(negated, Node::Sequence(vec![Node::Start, *body])));
            }
            node => rest.push(node),
        }
    }
    parts.push(part(false, Node::Sequence(rest)));
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn budget_for(bytes: usize) -> MatchBudget {
        let mut budget = MatchBudget::default();
        budget.extend(bytes);
        budget
    }

    fn matches(pattern: &str, text: &str) -> bool {
        let compiled = Pattern::new(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        compiled.is_match(text, &mut budget_for(0)).unwrap()
    }

    fn refusal(pattern: &str) -> String {
        Pattern::new(pattern).map(|p| p.as_str().to_owned()).unwrap_err().to_string()
    }

    #[test]
    fn means_what_ecma_262_means() {
        // (pattern, strings that match, strings that do not), as node's RegExp answers with `u`.
        let table: &[(&str, &[&str], &[&str])] = &[
            (r"^\d+$", &["42"], &["৪২", "٣", ""]),
            (r"^\w+$", &["a_1"], &["é", "ſ"]),
            (r"^\s$", &["\u{FEFF}", "\u{A0}", "\u{2028}", "\t"], &["\u{85}", "\u{200B}"]),
            (r"^\S\D\W$", &["é৪é"], &[" a-", "a1-"]),
            ("^abc$", &["abc"], &["abc\n", "xabc", "abcx"]),
            (r"INV-\d{4}", &["ref INV-20267 (copy)"], &["INV-202"]),
            (r"^\p{Letter}+$", &["Привет"], &["a1"]),
            (r"^\p{Script=Greek}\p{sc=Grek}\P{Lu}$", &["αβγ"], &["αβΓ", "aβγ"]),
            (r"^[\p{Lu}\P{L}]$", &["Ä", "1"], &["ä"]),
            (r"^\p{Zl}$", &["\u{2028}"], &["\u{2029}"]),
            ("^.$", &["😀", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}", "ab"]),
            (r"^\uD83D\uDE00\u{1F600}$", &["😀😀"], &["😀"]),
            (r"\uD83D", &[], &["😀", "a"]),
            (r"^[\uD83D\uDE00-\u{1F64F}]$", &["🙏"], &["a"]),
            ("[]", &[], &["", "a"]),
            ("^[^]$", &["\n", "a"], &["", "ab"]),
            (r"^[\b]\cJ\0\x41$", &["\u{8}\n\0A"], &["bJ0A"]),
            (r"^[a\-z]$", &["-", "z"], &["b"]),
            (r"^[\]\\^-]+$", &[r"]\^-"], &["["]),
            (r"^[&&~~||+--]+$", &["&~|+,-"], &["a"]),
            (r"\bé", &["aé"], &["é", "éé"]),
            (r"^a\B$", &[], &["a"]),
            (r"a\b", &["aé", "a", "a b"], &["ab"]),
            ("^$|^[a-z]+$", &["", "abc"], &["ABC", " "]),
            ("a$|^b", &["xa", "bx"], &["ax", "xb"]),
            ("(?:^a)*b$", &["b", "ab", "xab"], &["ba"]),
            ("$a|a^", &[], &["a", ""]),
            ("^a{2,3}b{0}c{1,}?$", &["aac", "aaacc"], &["aabc", "ac", "aaaac"]),
            ("^a{99999999999}$", &[], &["aaa"]),
            ("^(?:a*){3}(?:b?){2,}$", &["", "aabb"], &["ba"]),
            ("^(?=.*[A-Z])(?!.*draft).{6,}$", &["Invoice7"], &["invoice", "Indraft7", "Inv"]),
            (r"^(?=.*\d)(?=.*\w$)", &["a1b"], &["a৪b", "1é"]),
            ("x(?=a|bc)(?!ab)", &["xaa", "xbc"], &["xab", "xc"]),
            ("^((?!draft).)*$", &["a dr aft"], &["a draft"]),
            ("(?<=a.*)c", &["abbc"], &["bbc"]),
            ("(?<!a)(?<=[ab])c", &["bc"], &["ac", "c"]),
            ("(?<=^(?=a)..)$", &["ab"], &["ba", "abc"]),
            (r"^(a+)b\1$", &["aabaa"], &["aaba"]),
            // A group that took no part is empty, and an iteration forgets the last one's groups.
            (r"^(?:(a)|b)\1$", &["b", "aa"], &["a"]),
            (r"^(?:(a)|b)*\1$", &["ab", "aa"], &["abc"]),
            (r"^\1(a)\1$", &["aa"], &["a", "aaa"]),
            (r"^(a\1)$", &["a"], &["aa"]),
            (r"^(?!(a)\1)a\1", &["ab"], &["aa"]),
            (r"^(?=(a+))a*b\1$", &["aabaa", "aba"], &["aab"]),
            (r"(?<=\1(a))b", &["aab"], &["ab"]),
            (r"^(?<=([ab]+)([bc]+))$|^(?<n>a)\k<n>$", &["aa"], &["a"]),
            (r"^(?:(?<y>\d)-|(?<y>\w)_)\k<y>$", &["1-1", "a_a"], &["1-a"]),
            (r"^(a?b??)*\1$", &["", "abab"], &["ab", "c"]),
            // Accepted beyond the letter of ECMA-262, with the one meaning they can have.
            (r"^\-\_\@\ ]}$", &["-_@ ]}"], &[r"\-"]),
        ];
        for (pattern, yes, no) in table {
            for text in *yes {
                assert!(matches(pattern, text), "{pattern} matches {text:?}");
            }
            for text in *no {
                assert!(!matches(pattern, text), "{pattern} does not match {text:?}");
            }
        }
    }

    #[test]
    fn refuses_what_ecma_262_does_not_know() {
        let refused = [
            "(a",
            "a)",
            "(?",
            "(?i)a",
            "(?i:a)",
            "(?P<n>a)",
            "(?#a)",
            "(?>a)",
            "(?<n>a)(?<n>b)",
            "(?<1>a)",
            "(?<>a)",
            r"\k<n>",
            r"(?<n>a)\k",
            r"\1",
            r"(a)\2",
            "[a",
            "[z-a]",
            r"[\w-a]",
            r"[a-\d]",
            "*a",
            "a**",
            "a{1}{2}",
            "a{2,1}",
            "a{",
            "a{,5}",
            "{",
            "^*",
            r"\b+",
            "(?=a)*",
            r"\",
            r"\a",
            r"\z",
            r"\A",
            r"\G",
            r"\h",
            r"\é",
            r"\x4",
            r"\u12",
            r"\u{110000}",
            r"\u{}",
            r"\01",
            r"\c1",
            r"\p",
            r"\pL",
            r"\p{}",
            r"\p{Nope}",
            r"\p{Greek}",
            r"\p{Block=Basic}",
            r"\p{gc=Greek}",
            r"\p{^L}",
            r"[\B]",
            r"[\1]",
        ];
        for pattern in refused {
            let message = refusal(pattern);
            assert!(message.starts_with("does not compile: "), "{pattern}: {message}");
        }
    }

    #[test]
    fn errors_name_the_reason_and_the_place() {
        assert_eq!(
            refusal("é(ab"),
            r#"does not compile: a group is not closed (character 2, at "(ab")"#
        );
        assert_eq!(
            refusal(r"a\"),
            r#"does not compile: it ends in a backslash (character 2, at "\\")"#
        );
        assert_eq!(
            refusal("(?<n"),
            r#"does not compile: this is no valid group name (character 4, at "n")"#
        );
        let long = refusal(&format!("[z-a]{}", "é".repeat(1_000)));
        assert!(long.len() < 250 && long.contains("order") && long.contains('…'), "{long}");
        assert_eq!(
            refusal("(a{1000}){1000}"),
            "is too large: 1001000 characters with its repetitions written out, more than 32768"
        );
    }

    #[test]
    fn large_or_deep_expressions_are_refused_however_they_are_written() {
        for pattern in ["(?:){1000000000}", "(?:(?=a){1,9}){9}", "((a{99}){99}){99}", "(a?){40000}"]
        {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
        for opening in ["(", "(?:", "(?=", "(?<!a", "[", "(?<n>"] {
            assert!(Pattern::new(&opening.repeat(50_000)).is_err(), "{opening}");
        }
        assert!(Pattern::new(&"()".repeat(2_000)).is_err());
        for opening in ["(", "(?=", "(?<!"] {
            let deep = format!("{}a{}\\b", opening.repeat(199), ")".repeat(199));
            for pattern in [deep.clone(), format!(r"{deep}(?<n>)\k<n>")] {
                let pattern = Pattern::new(&pattern).unwrap();
                assert!(pattern.is_match("ba", &mut budget_for(0)).is_some());
            }
        }
        assert!(Pattern::new(r"^[\s\S]{0,1000000}$").is_ok());
    }

    /// Expressions and texts that take exponential or quadratic time in other engines.
    fn adversaries() -> Vec<(String, String)> {
        let looks = format!("{}a{}", "(?=.*".repeat(190), ")".repeat(190));
        let words: String = (0..600).map(|n| format!("w{n}|")).collect();
        vec![
            (r"(.*)*\1x".into(), "a".repeat(20_000)),
            (r"^(a+)+\1$".into(), "a".repeat(20_000) + "b"),
            (r"(?:(a)|b|c|)*\1x".into(), "abc".repeat(7_000)),
            ("(?=(a+)+$)b".into(), "a".repeat(20_000)),
            (looks, "b".repeat(20_000)),
            ("(?=.*b)".repeat(2_000), "a".repeat(20_000)),
            ("[01]*1[01]{500}x".into(), "0110".repeat(5_000)),
            ("[01]*1[01]{30000}x".into(), "0110".repeat(5_000)),
            ("^(a?){1000}(a?){1000}b$".into(), "a".repeat(20_000)),
            (format!("^(?:{words}z)*$"), "w99".repeat(7_000) + "!"),
            (format!("{}x", r"\b.*".repeat(5_000)), "a".repeat(20_000)),
        ]
    }

    #[test]
    fn costs_the_same_whatever_ran_before_and_never_much_more_than_the_budget() {
        for (pattern, text) in adversaries() {
            let pattern = Pattern::new(&pattern).unwrap();
            let mut first = budget_for(100_000);
            let mut again = budget_for(100_000);
            let answer = pattern.is_match(&text, &mut first);
            assert_eq!(answer, pattern.is_match(&text, &mut again), "{}", pattern.as_str());
            assert_eq!(first.left, again.left, "{}", pattern.as_str());
            assert_ne!(answer, Some(true));
        }
    }

    #[test]
    fn an_exhausted_budget_answers_nothing() {
        let pattern = Pattern::new("^a$").unwrap();
        let mut budget = budget_for(0);
        assert_eq!(pattern.is_match("a", &mut budget), Some(true));
        assert!(budget.spend(1_000) && budget.left > 0);
        assert!(!budget.spend(u64::MAX) && budget.left == 0);
        assert_eq!(pattern.is_match("a", &mut budget), None);
    }

    #[test]
    fn one_exponential_match_leaves_the_others_their_answers() {
        let mut budget = budget_for(1_000);
        let hostile = Pattern::new(r"^(a+)+\1$").unwrap();
        assert_eq!(hostile.is_match(&("a".repeat(40) + "b"), &mut budget), None);
        assert!(budget.left > 0);
        assert_eq!(Pattern::new("^a$").unwrap().is_match("a", &mut budget), Some(true));
    }

    #[test]
    fn a_large_document_of_ordinary_strings_does_not_run_out() {
        let names = Pattern::new(r"^[\p{L}\p{M}' -]{1,100}$").unwrap();
        let look = Pattern::new(r"x?(?!.*(?:draft|final))\p{L}").unwrap();
        let words: String = (0..200).map(|n| format!("w{n}|")).collect();
        let words = Pattern::new(&format!("^(?:{words}Zürich an der Limmat)$")).unwrap();
        let text = "Zürich an der Limmat";
        let count = 20_000;
        let mut budget = MatchBudget { left: 0, ..budget_for(0) };
        // The share of the bytes alone, with nothing of the fixed amount.
        budget.left = WORK_PER_BYTE * (text.len() * count) as u64;
        for _ in 0..count {
            assert_eq!(names.is_match(text, &mut budget), Some(true));
            assert_eq!(look.is_match(text, &mut budget), Some(true));
            assert_eq!(words.is_match(text, &mut budget), Some(true));
        }
    }

    #[test]
    fn patterns_are_shared_between_threads() {
        let pattern = Pattern::new(r"^(?=\w)[a-z]+-\d+$").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut budget = budget_for(0);
                    assert_eq!(pattern.is_match("abc-12", &mut budget), Some(true));
                });
            }
        });
    }

    #[test]
    fn agrees_with_the_official_suite() {
        let Some(root) = std::env::var_os("AOV_CONFORMANCE_DIR") else {
            println!("skipped: AOV_CONFORMANCE_DIR is not set");
            return;
        };
        let tests = std::path::Path::new(&root).join("json-schema-test-suite/tests");
        let mut judged = 0;
        for draft in ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"] {
            for file in ["pattern.json", "optional/ecmascript-regex.json"] {
                let Ok(text) = std::fs::read_to_string(tests.join(draft).join(file)) else {
                    continue;
                };
                let groups: serde_json::Value = serde_json::from_str(&text).unwrap();
                for group in groups.as_array().unwrap() {
                    let Some(pattern) = group["schema"]["pattern"].as_str() else {
                        continue;
                    };
                    for test in group["tests"].as_array().unwrap() {
                        let Some(text) = test["data"].as_str() else {
                            continue;
                        };
                        let place = (draft, file, &group["description"], &test["description"]);
                        assert_eq!(test["valid"], matches(pattern, text), "{place:?}");
                        judged += 1;
                    }
                }
            }
        }
        assert!(judged > 200, "only {judged} tests found");
    }

    /// Plain expressions that Rust's engine understands in the same way after translation.
    fn plain() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(vec![
            "a", "b", "c", "é", ".", "^", "$", "[ab]", "[^a]", r"\d", r"\w", r"\S", r"\p{L}", "",
        ])
        .prop_map(str::to_owned);
        atom.prop_recursive(4, 24, 4, |inner| {
            let repeat =
                prop::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,3}?"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
                (inner, repeat).prop_map(|(a, repeat)| format!("({a}){repeat}")),
            ]
        })
    }

    fn is_match(pattern: &str, text: &str) -> Result<bool, TestCaseError> {
        let compiled = Pattern::new(pattern)
            .map_err(|error| TestCaseError::fail(format!("{pattern}: {error}")))?;
        let answer = compiled.is_match(text, &mut budget_for(0));
        // The backtracker may give up on what the other engines decide.
        answer.ok_or_else(|| TestCaseError::reject("out of work"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn all_engines_agree_with_rusts(pattern in plain(), text in "[abcé1\n]{0,8}") {
            let rust = jsonschema_regex::to_rust_regex(&pattern).unwrap();
            let expected = regex::Regex::new(&rust).unwrap().is_match(&text);
            let forms = [
                pattern.clone(),
                // The general engine, for the assertion; the backtracker, for the reference.
                format!(r"(?:{pattern})(?:|\b)"),
                format!(r"(?:{pattern})(?<e>)\k<e>"),
                // As look-arounds, decided by a pass over the text, and by the backtracker.
                format!("(?={pattern})"),
                format!("^(?=[^]*(?:{pattern}))"),
                format!("(?<={pattern})"),
                format!(r"(?<={pattern})(?<e>)\k<e>"),
                format!(r"^(?:(?!{pattern})[^])*(?={pattern})"),
                // More than one word of positions.
                format!("(?:{pattern})(?:x{{100}}|)"),
            ];
            for form in forms {
                prop_assert_eq!(is_match(&form, &text)?, expected, "{} on {:?}", form, &text);
            }
            let none = format!("^(?![^]*(?:{pattern}))");
            prop_assert_eq!(is_match(&none, &text)?, !expected, "{} on {:?}", none, &text);
        }

        #[test]
        fn anything_is_parsed_or_refused(
            pattern in r"[\\()\[\]{}?*+|^$<>=!:a-cpPukxd0-3,\-é]{0,20}"
        ) {
            if let Ok(compiled) = Pattern::new(&pattern) {
                let valid = jsonschema_regex::is_valid_ecma_regex(&pattern);
                prop_assert!(valid || pattern.contains([']', '}']), "{}", &pattern);
                compiled.is_match("abc-é", &mut budget_for(0));
            }
        }
    }
}
