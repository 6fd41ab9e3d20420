//! ECMA-262 pattern syntax, as under the `u` flag: text to a tree with every class resolved to
//! code points, every group numbered and every reference bound.
//!
//! Stricter engines refuse two things that this accepts, because they have one possible meaning
//! and are everywhere in published schemas: a backslash before any punctuation (`\-`, `\@`), and
//! a `]` or `}` that closes nothing. Inline modifiers (`(?i:…)`) are refused.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use regex_syntax::hir::{Class, HirKind};

/// Groups deeper than this are refused, since every pass over the tree recurses.
const MAX_DEPTH: u32 = 200;

/// Capturing groups beyond this are refused, since names are compared in pairs.
const MAX_GROUPS: u32 = 1_000;

/// Inclusive ranges of code points.
type Ranges = Vec<(u32, u32)>;

const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// `WhiteSpace` and `LineTerminator`: `\s` includes U+FEFF, and U+0085 is not in it.
const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
const LINE_TERMINATOR: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

/// A set of characters: a bit for each ASCII one, sorted disjoint ranges for the others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CharSet {
    ascii: u128,
    others: Box<[(u32, u32)]>,
}

impl CharSet {
    fn new(mut ranges: Ranges, negated: bool) -> CharSet {
        ranges.sort_unstable();
        let mut merged: Ranges = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        if negated {
            merged = complement(&merged);
        }
        let mut ascii = 0;
        let mut others = Vec::with_capacity(merged.len());
        for (low, high) in merged {
            for code in low..=high.min(0x7F) {
                ascii |= 1 << code;
            }
            if high > 0x7F {
                others.push((low.max(0x80), high));
            }
        }
        CharSet { ascii, others: others.into() }
    }

    fn one(c: char) -> CharSet {
        CharSet::new(vec![(c as u32, c as u32)], false)
    }

    #[inline]
    pub(super) fn contains(&self, c: char) -> bool {
        let code = c as u32;
        if code < 0x80 {
            return self.ascii >> code & 1 == 1;
        }
        self.others
            .binary_search_by(|&(low, high)| {
                if high < code {
                    std::cmp::Ordering::Less
                } else if low > code {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
    }

    /// Whether it holds any character beyond ASCII.
    pub(super) fn reaches_beyond_ascii(&self) -> bool {
        !self.others.is_empty()
    }

    /// The ASCII members, bit `n` for code point `n`.
    pub(super) fn ascii(&self) -> u128 {
        self.ascii
    }
}

fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut rest = Vec::with_capacity(ranges.len() + 1);
    let mut next = 0;
    for &(low, high) in ranges {
        if low > next {
            rest.push((next, low - 1));
        }
        next = high.saturating_add(1);
    }
    if next <= char::MAX as u32 {
        rest.push((next, char::MAX as u32));
    }
    rest
}

/// One construct of a pattern.
#[derive(Debug)]
pub(super) enum Node {
    Empty,
    /// One character out of the set with this index in [`Tree::sets`].
    Set(u32),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
        groups: (u32, u32),
    },
    /// A capturing group, numbered from 0.
    Group(u32, Box<Node>),
    Start,
    End,
    WordBoundary {
        negated: bool,
    },
    /// A look-around; numbered from 0 so that inner ones come before those around them.
    Look {
        number: u32,
        ahead: bool,
        negated: bool,
        body: Box<Node>,
    },
    /// A reference to whichever of these groups took part (several may share a name).
    Reference(Vec<u32>),
}

impl Node {
    /// Characters to match after all repetitions are written out, at least 1.
    pub(super) fn size(&self) -> u64 {
        match self {
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().map(Node::size).fold(1, u64::saturating_add)
            }
            Node::Repeat { body, min, max, .. } => {
                let copies = max.unwrap_or(min.saturating_add(1)).max(1);
                body.size().saturating_mul(u64::from(copies))
            }
            Node::Group(_, body) | Node::Look { body, .. } => body.size().saturating_add(1),
            _ => 1,
        }
    }

    /// Whether this or anything inside satisfies `wanted`.
    pub(super) fn any(&self, wanted: &dyn Fn(&Node) -> bool) -> bool {
        wanted(self)
            || match self {
                Node::Sequence(parts) | Node::Choice(parts) => parts.iter().any(|p| p.any(wanted)),
                Node::Repeat { body, .. } | Node::Group(_, body) | Node::Look { body, .. } => {
                    body.any(wanted)
                }
                _ => false,
            }
    }
}

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: Node,
    pub(super) sets: Vec<Arc<CharSet>>,
    pub(super) groups: u32,
    pub(super) looks: u32,
}

/// Why a pattern is refused, and the byte where that showed.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) reason: &'static str,
    pub(super) at: usize,
}

type Parsed<T> = Result<T, SyntaxError>;

/// Parses a whole pattern.
pub(super) fn parse(pattern: &str) -> Parsed<Tree> {
    let mut parser = Parser {
        pattern,
        at: 0,
        depth: 0,
        groups: 0,
        looks: 0,
        names: HashMap::new(),
        alternatives: Vec::new(),
        references: Vec::new(),
        sets: Vec::new(),
        known: HashMap::new(),
    };
    let mut root = parser.choice()?;
    if parser.at < pattern.len() {
        return Err(parser.error("a closing parenthesis has no opening one"));
    }
    parser.bind(&mut root)?;
    let Parser { sets, groups, looks, .. } = parser;
    Ok(Tree { root, sets, groups, looks })
}

/// A group name's declaration: its number, and the path of (choice, branch) that leads to it.
struct Named {
    group: u32,
    path: Vec<(u32, u32)>,
}

/// What a reference names, until all groups are known.
enum Target<'p> {
    Number(u32),
    Name(&'p str),
}

struct Parser<'p> {
    pattern: &'p str,
    at: usize,
    depth: u32,
    groups: u32,
    looks: u32,
    names: HashMap<&'p str, Vec<Named>>,
    /// The branch being parsed of each enclosing choice, outermost first.
    alternatives: Vec<(u32, u32)>,
    references: Vec<(usize, Target<'p>)>,
    sets: Vec<Arc<CharSet>>,
    /// Sets already in `sets`, by the text they were read from.
    known: HashMap<&'p str, u32>,
}

impl<'p> Parser<'p> {
    fn error(&self, reason: &'static str) -> SyntaxError {
        SyntaxError { reason, at: self.at }
    }

    fn error_at<T>(&self, at: usize, reason: &'static str) -> Parsed<T> {
        Err(SyntaxError { reason, at })
    }

    fn rest(&self) -> &'p str {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// The set written since `start`, so that `[a-z]` ten times in a pattern is one set.
    fn set_from(&mut self, start: usize, make: impl FnOnce() -> Arc<CharSet>) -> Node {
        let text = self.pattern.get(start..self.at).unwrap_or_default();
        let sets = &mut self.sets;
        Node::Set(*self.known.entry(text).or_insert_with(|| {
            sets.push(make());
            sets.len() as u32 - 1
        }))
    }

    fn choice(&mut self) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("its groups are nested more than 200 deep"));
        }
        let id = self.at as u32;
        let mut branches = Vec::new();
        loop {
            self.alternatives.push((id, branches.len() as u32));
            branches.push(self.sequence()?);
            self.alternatives.pop();
            if !self.eat("|") {
                break;
            }
        }
        self.depth -= 1;
        Ok(match branches.pop() {
            Some(only) if branches.is_empty() => only,
            Some(last) => {
                branches.push(last);
                Node::Choice(branches)
            }
            None => Node::Empty,
        })
    }

    fn sequence(&mut self) -> Parsed<Node> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let groups = self.groups;
            let atom = self.atom()?;
            parts.push(self.quantified(atom, groups)?);
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                Node::Sequence(parts)
            }
            None => Node::Empty,
        })
    }

    fn quantified(&mut self, atom: Node, first_group: u32) -> Parsed<Node> {
        let start = self.at;
        let (min, max) = if self.eat("*") {
            (0, None)
        } else if self.eat("+") {
            (1, None)
        } else if self.eat("?") {
            (0, Some(1))
        } else if self.eat("{") {
            self.counts()?
        } else {
            return Ok(atom);
        };
        if matches!(atom, Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. }) {
            return self.error_at(start, "an assertion cannot be repeated");
        }
        if max.is_some_and(|max| max < min) {
            return self.error_at(start, "the numbers of a repetition are out of order");
        }
        let greedy = !self.eat("?");
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return Err(self.error("a repetition follows another"));
        }
        Ok(Node::Repeat {
            body: Box::new(atom),
            min,
            max,
            greedy,
            groups: (first_group, self.groups),
        })
    }

    /// `n}`, `n,}` or `n,m}`; numbers beyond `u32` count as its maximum, which no text reaches.
    fn counts(&mut self) -> Parsed<(u32, Option<u32>)> {
        let start = self.at - 1;
        let malformed = "a brace that starts no repetition must be escaped";
        let Some(min) = self.number() else {
            return self.error_at(start, malformed);
        };
        let max = if self.eat(",") { self.number() } else { Some(min) };
        if !self.eat("}") {
            return self.error_at(start, malformed);
        }
        Ok((min, max))
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let text = self.rest().get(..digits).filter(|text| !text.is_empty())?;
        self.at += digits;
        Some(text.parse().unwrap_or(u32::MAX))
    }

    fn atom(&mut self) -> Parsed<Node> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok(Node::Empty);
        };
        match c {
            '^' => Ok(Node::Start),
            '$' => Ok(Node::End),
            '.' => {
                Ok(self.set_from(start, || Arc::new(CharSet::new(LINE_TERMINATOR.to_vec(), true))))
            }
            '(' => self.group(start),
            '[' => {
                let (ranges, negated) = self.class(start)?;
                Ok(self.set_from(start, || Arc::new(CharSet::new(ranges, negated))))
            }
            '\\' => self.escape(start),
            '*' | '+' | '?' => self.error_at(start, "a repetition has nothing to repeat"),
            '{' => self.error_at(start, "a brace that starts no repetition must be escaped"),
            c => Ok(self.set_from(start, || Arc::new(CharSet::one(c)))),
        }
    }

    /// What follows an opening parenthesis.
    fn group(&mut self, start: usize) -> Parsed<Node> {
        let close = |parser: &mut Self, node: Node| {
            if parser.eat(")") { Ok(node) } else { parser.error_at(start, "a group is not closed") }
        };
        for (mark, ahead, negated) in
            [("?=", true, false), ("?!", true, true), ("?<=", false, false), ("?<!", false, true)]
        {
            if self.eat(mark) {
                let body = Box::new(self.choice()?);
                self.looks += 1;
                let number = self.looks - 1;
                return close(self, Node::Look { number, ahead, negated, body });
            }
        }
        if self.eat("?:") {
            let body = self.choice()?;
            // Kept apart, so that the repetition of `(?:^)` is not one of an assertion.
            return close(self, Node::Sequence(vec![body]));
        }
        let number = self.groups;
        if self.eat("?<") {
            let name = self.name()?;
            let path = self.alternatives.clone();
            let same = self.names.entry(name).or_default();
            if same.iter().any(|other| !exclusive(&other.path, &path)) {
                return self.error_at(start, "two groups have one name");
            }
            same.push(Named { group: number, path });
        } else if self.rest().starts_with('?') {
            return self.error_at(start, "this kind of group is not supported");
        }
        self.groups += 1;
        if self.groups > MAX_GROUPS {
            return self.error_at(start, "it has more than 1000 capturing groups");
        }
        let body = self.choice()?;
        close(self, Node::Group(number, Box::new(body)))
    }

    /// `name>`. Escapes in names are legal but unheard of, and refused.
    fn name(&mut self) -> Parsed<&'p str> {
        let rest = self.rest();
        let name = rest.split_once('>').map(|(name, _)| name).unwrap_or_default();
        let mut chars = name.chars();
        let valid = chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '$' | '_'))
            && chars.all(|c| c.is_alphanumeric() || "$_\u{200C}\u{200D}".contains(c));
        if !valid {
            return Err(self.error("this is no valid group name"));
        }
        self.at += name.len() + 1;
        Ok(name)
    }

    fn escape(&mut self, start: usize) -> Parsed<Node> {
        match self.peek() {
            Some('b') => {
                self.at += 1;
                Ok(Node::WordBoundary { negated: false })
            }
            Some('B') => {
                self.at += 1;
                Ok(Node::WordBoundary { negated: true })
            }
            Some('1'..='9') => {
                let number = self.number().unwrap_or(u32::MAX);
                self.references.push((start, Target::Number(number)));
                Ok(Node::Reference(vec![self.references.len() as u32 - 1]))
            }
            Some('k') => {
                self.at += 1;
                if !self.eat("<") {
                    return self.error_at(start, "`\\k` needs a group name");
                }
                let name = self.name()?;
                self.references.push((start, Target::Name(name)));
                Ok(Node::Reference(vec![self.references.len() as u32 - 1]))
            }
            Some('p' | 'P') => {
                let (set, negated) = self.property(start)?;
                if negated {
                    let ranges = set.ranges();
                    Ok(self.set_from(start, || Arc::new(CharSet::new(ranges, true))))
                } else {
                    Ok(self.set_from(start, || set))
                }
            }
            _ => {
                if let Some((ranges, negated)) = self.perl_class() {
                    let make = || Arc::new(CharSet::new(ranges.to_vec(), negated));
                    return Ok(self.set_from(start, make));
                }
                let code = self.character_escape(start)?;
                Ok(self.set_from(start, || Arc::new(CharSet::new(vec![(code, code)], false))))
            }
        }
    }

    /// `d`, `w`, `s` or their negations; the backslash is read.
    fn perl_class(&mut self) -> Option<(&'static [(u32, u32)], bool)> {
        let c = self.peek()?;
        let ranges = match c.to_ascii_lowercase() {
            'd' => DIGIT,
            'w' => WORD,
            's' => SPACE,
            _ => return None,
        };
        self.at += 1;
        Some((ranges, c.is_ascii_uppercase()))
    }

    /// The code point of an escape that stands for one character; the backslash is read.
    fn character_escape(&mut self, start: usize) -> Parsed<u32> {
        let Some(c) = self.bump() else {
            return self.error_at(start, "it ends in a backslash");
        };
        let code = match c {
            't' => Some(0x09),
            'n' => Some(0x0A),
            'v' => Some(0x0B),
            'f' => Some(0x0C),
            'r' => Some(0x0D),
            'c' => {
                let letter = self.bump().filter(char::is_ascii_alphabetic);
                letter.map(|letter| letter as u32 % 32)
            }
            '0' => (!self.peek().is_some_and(|c| c.is_ascii_digit())).then_some(0),
            'x' => self.hex(2),
            'u' => self.unicode_escape(),
            c if !c.is_alphanumeric() => Some(c as u32),
            _ => None,
        };
        match code {
            Some(code) => Ok(code),
            None => self.error_at(start, "ECMA-262 has no such escape"),
        }
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits)?;
        if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        u32::from_str_radix(text, 16).ok()
    }

    /// After `\u`. A high surrogate joins the low one that follows; one alone matches nothing,
    /// since a string in UTF-8 holds none.
    fn unicode_escape(&mut self) -> Option<u32> {
        if self.eat("{") {
            let (digits, _) = self.rest().split_once('}')?;
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            self.at += digits.len() + 1;
            let digits = digits.trim_start_matches('0');
            let code = if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 16).ok()? };
            return (code <= char::MAX as u32).then_some(code);
        }
        let high = self.hex(4)?;
        let after = self.at;
        if (0xD800..0xDC00).contains(&high) && self.eat("\\u") {
            if let Some(low @ 0xDC00..=0xDFFF) = self.hex(4) {
                return Some(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            }
            self.at = after;
        }
        Some(high)
    }

    /// `p{…}` or `P{…}`; the backslash is read.
    fn property(&mut self, start: usize) -> Parsed<(Arc<CharSet>, bool)> {
        let negated = self.bump() == Some('P');
        let words = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let Some((text, _)) = words else {
            return self.error_at(start, "a property needs a name in braces");
        };
        self.at += text.len() + 2;
        match property(text) {
            Some(set) => Ok((set, negated)),
            None => self.error_at(start, "ECMA-262 has no such Unicode property"),
        }
    }

    /// A bracketed class; the opening bracket is read.
    fn class(&mut self, start: usize) -> Parsed<(Ranges, bool)> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        let mut properties = Vec::new();
        loop {
            if self.eat("]") {
                return Ok((ranges, negated));
            }
            let from = self.at;
            let low = self.class_atom(start, &mut ranges, &mut properties)?;
            let dash = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            if !dash {
                ranges.extend(low.map(|low| (low, low)));
                continue;
            }
            self.at += 1;
            let high = self.class_atom(start, &mut ranges, &mut properties)?;
            match (low, high) {
                (Some(low), Some(high)) if low <= high => ranges.push((low, high)),
                (Some(_), Some(_)) => {
                    return self.error_at(from, "the ends of a range are out of order");
                }
                _ => {
                    let reason = "a class such as `\\w` cannot end a range; escape the hyphen";
                    return self.error_at(from, reason);
                }
            }
        }
    }

    /// One member of a class: its code point, or `None` when it was a class itself and its ranges
    /// went to `ranges`.
    /// A property named again adds nothing: each has hundreds of ranges.
    fn class_atom(
        &mut self,
        start: usize,
        ranges: &mut Ranges,
        properties: &mut Vec<(Arc<CharSet>, bool)>,
    ) -> Parsed<Option<u32>> {
        let at = self.at;
        match self.bump() {
            None => self.error_at(start, "a class is not closed"),
            Some('\\') => match self.peek() {
                Some('b') => {
                    self.at += 1;
                    Ok(Some(0x08))
                }
                Some('p' | 'P') => {
                    let (set, negated) = self.property(at)?;
                    let same = |known: &(Arc<CharSet>, bool)| {
                        Arc::ptr_eq(&known.0, &set) && known.1 == negated
                    };
                    if !properties.iter().any(same) {
                        let found = set.ranges();
                        ranges.extend(if negated { complement(&found) } else { found });
                        properties.push((set, negated));
                    }
                    Ok(None)
                }
                _ => match self.perl_class() {
                    Some((found, true)) => {
                        ranges.extend(complement(found));
                        Ok(None)
                    }
                    Some((found, false)) => {
                        ranges.extend(found);
                        Ok(None)
                    }
                    None => self.character_escape(at).map(Some),
                },
            },
            Some(c) => Ok(Some(c as u32)),
        }
    }

    /// Replaces the placeholder in each reference by the numbers of its groups.
    fn bind(&self, node: &mut Node) -> Parsed<()> {
        match node {
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter_mut().try_for_each(|part| self.bind(part))
            }
            Node::Repeat { body, .. } | Node::Group(_, body) | Node::Look { body, .. } => {
                self.bind(body)
            }
            Node::Reference(groups) => {
                let placeholder = groups.first().map_or(0, |&index| index as usize);
                let Some((at, target)) = self.references.get(placeholder) else {
                    return Ok(());
                };
                *groups = match target {
                    Target::Number(number) if *number <= self.groups => vec![number - 1],
                    Target::Number(_) => {
                        return self.error_at(*at, "it refers to a group that it does not have");
                    }
                    Target::Name(name) => match self.names.get(name) {
                        Some(named) => named.iter().map(|named| named.group).collect(),
                        None => {
                            let reason = "it refers to a group name that it does not have";
                            return self.error_at(*at, reason);
                        }
                    },
                };
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Whether two groups sit in different branches of one choice, and so never both take part.
fn exclusive(one: &[(u32, u32)], other: &[(u32, u32)]) -> bool {
    one.iter()
        .zip(other)
        .find(|(one, other)| one != other)
        .is_some_and(|(one, other)| one.0 == other.0)
}

impl CharSet {
    /// All ranges, sorted and disjoint (a range across U+0080 is in two parts).
    fn ranges(&self) -> Ranges {
        let mut ranges = Vec::new();
        for code in 0..0x80 {
            if self.ascii >> code & 1 == 1 {
                match ranges.last_mut() {
                    Some((_, high)) if *high + 1 == code => *high = code,
                    _ => ranges.push((code, code)),
                }
            }
        }
        ranges.extend(&self.others);
        ranges
    }
}

/// The characters of `Name` or `Name=Value`, by the Unicode tables of `regex-syntax`, which take
/// names in any case.
///
/// Each is kept once read: a request can name thousands, at twenty microseconds. The keys are
/// what the names come down to there, so there are no more of them than Unicode has names.
fn property(text: &str) -> Option<Arc<CharSet>> {
    static KNOWN: OnceLock<Mutex<HashMap<String, Arc<CharSet>>>> = OnceLock::new();
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let shape = match text.split_once('=') {
        Some((name, value)) => {
            matches!(
                name,
                "General_Category" | "gc" | "Script" | "sc" | "Script_Extensions" | "scx"
            ) && word(value)
        }
        None => word(text),
    };
    if !shape {
        return None;
    }
    let key = text.replace('_', "").to_ascii_lowercase();
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(set) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(Arc::clone(set));
    }
    let ranges = unicode_ranges(text)?;
    // Rust takes a script by its bare name, ECMA-262 only as a value of `Script`.
    if !text.contains('=')
        && unicode_ranges(&format!("gc={text}")).is_none()
        && unicode_ranges(&format!("sc={text}")).is_some()
    {
        return None;
    }
    let set = Arc::new(CharSet::new(ranges, false));
    known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&set));
    Some(set)
}

fn unicode_ranges(property: &str) -> Option<Ranges> {
    let hir = regex_syntax::parse(&format!(r"\p{{{property}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(
            class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect(),
        ),
        // A property of one character is simplified to it.
        HirKind::Literal(literal) => {
            let c = std::str::from_utf8(&literal.0).ok()?.chars().next()? as u32;
            Some(vec![(c, c)])
        }
        _ => Some(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_their_ranges_say() {
        let ranges = vec![(0x61, 0x7A), (0x41, 0x42), (0x79, 0x100), (0x2028, 0x2029)];
        let (set, others) =
            (CharSet::new(ranges.clone(), false), CharSet::new(ranges.clone(), true));
        for c in ('\0'..='\u{3000}').chain(['\u{10FFFF}']) {
            let held = ranges.iter().any(|&(low, high)| (low..=high).contains(&(c as u32)));
            assert_eq!(set.contains(c), held, "{c:?}");
            assert_eq!(others.contains(c), !held, "{c:?}");
        }
        assert_eq!(complement(&complement(&set.ranges())).len(), 3);
        assert!(!CharSet::new(Vec::new(), false).contains('a'));
        assert!(CharSet::new(Vec::new(), true).contains('\u{10FFFF}'));
    }

    #[test]
    fn a_set_written_twice_is_one() {
        let tree = parse(r"[a-z]-[a-z]\d\d--\p{L}\p{L}").unwrap();
        assert_eq!(tree.sets.len(), 4);
    }

    #[test]
    fn properties_are_kept_under_one_name() {
        let letter = property("Letter").unwrap();
        assert!(Arc::ptr_eq(&letter, &property("letter").unwrap()));
        assert!(property("Script=Greek").unwrap().contains('α'));
        assert!(property("ASCII").unwrap().contains('a'));
        assert!(property("Any").unwrap().contains('\u{10FFFF}'));
        for unknown in ["Greek", "gc", "gc=", "=L", "Age=6.0", "L u", "L:u", "InGreek", ""] {
            assert!(property(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn sizes_count_repetitions_written_out() {
        for (pattern, size) in [("abc", 4), ("a{9}", 9), ("(ab){2,9}", 36), ("a*", 1), ("a{3,}", 4)]
        {
            assert_eq!(parse(pattern).unwrap().root.size(), size, "{pattern}");
        }
    }
}
