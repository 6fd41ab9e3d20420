//! The engines for what the position automaton cannot do, over one instruction set.
//!
//! Without back-references, whether a look-around holds at a place depends on nothing but the
//! place: each is decided for all places of the text in one pass (a look-ahead's body reversed,
//! from the end), innermost first, and the expression itself in a last one. Nothing backtracks,
//! so the work is at most instructions × characters × passes.
//!
//! With back-references, matching is ECMA-262's own backtracking, step by step, captures forgotten
//! at each iteration and a reference to a group that took no part matching the empty string. That
//! can take exponential time: every step is counted, and the count is limited.

use std::sync::Arc;

use super::syntax::{CharSet, Node, Tree};

/// The most that one match with back-references may cost: their time can be exponential, and one
/// such value should not leave the rest of the request without an answer.
const BACKTRACK_LIMIT: u64 = 2_000_000;

/// Choices and captures that a backtracking match may remember: 24 MB.
const MAX_FRAMES: usize = 1_000_000;

#[derive(Debug)]
enum Inst {
    /// One character of the set with this index, in the direction of the code.
    Set {
        set: u32,
        back: bool,
    },
    /// The first alternative is preferred.
    Split(u32, u32),
    Jump(u32),
    Start,
    End,
    WordBoundary {
        negated: bool,
    },
    /// A look-around whose body is the code at `body`; index in `Program::looks`.
    Look {
        look: u32,
        negated: bool,
    },
    /// Stores the place in a slot.
    Save(u32),
    /// Forgets the slots of the groups in this range.
    Forget(u32, u32),
    /// Fails when nothing was consumed since the slot was stored.
    Progress(u32),
    /// The text of whichever of these groups took part.
    Reference {
        groups: Box<[u32]>,
        back: bool,
    },
    Match,
}

/// The body of a look-around.
#[derive(Debug)]
struct Look {
    entry: u32,
    /// Direction of the pass over the text that decides it.
    back: bool,
}

/// Compiled code of one expression.
#[derive(Debug)]
pub(super) struct Program {
    code: Vec<Inst>,
    sets: Vec<Arc<CharSet>>,
    /// By number, inner ones before those around them; `None` for those of other expressions.
    looks: Vec<Option<Look>>,
    entry: u32,
    slots: usize,
    /// Whether the expression can only match at the start of the text.
    anchored: bool,
    backtracks: bool,
}

impl Program {
    pub(super) fn new(tree: &Tree, root: &Node) -> Program {
        let backtracks = root.any(&|node| matches!(node, Node::Reference(_)));
        let mut program = Program {
            code: Vec::new(),
            sets: tree.sets.clone(),
            looks: (0..tree.looks).map(|_| None).collect(),
            entry: 0,
            slots: tree.groups as usize * 2,
            anchored: starts_anchored(root),
            backtracks,
        };
        program.compile_looks(root);
        program.entry = program.body(root, false);
        program
    }

    /// Code for a whole expression or the body of a look-around.
    fn body(&mut self, node: &Node, back: bool) -> u32 {
        let entry = self.here();
        self.node(node, back);
        self.code.push(Inst::Match);
        entry
    }

    /// Compiles the bodies of the look-arounds in `node`, once each however often repeated.
    fn compile_looks(&mut self, node: &Node) {
        match node {
            Node::Look { number, ahead, body, .. } => {
                self.compile_looks(body);
                // A pass decides a look-ahead backwards; a backtracker just goes and looks.
                let back = *ahead != self.backtracks;
                let entry = self.body(body, back);
                self.looks[*number as usize] = Some(Look { entry, back });
            }
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().for_each(|part| self.compile_looks(part));
            }
            Node::Repeat { body, .. } | Node::Group(_, body) => self.compile_looks(body),
            _ => {}
        }
    }

    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    fn push(&mut self, inst: Inst) -> usize {
        self.code.push(inst);
        self.code.len() - 1
    }

    fn node(&mut self, node: &Node, back: bool) {
        match node {
            Node::Empty => {}
            Node::Set(set) => {
                self.push(Inst::Set { set: *set, back });
            }
            Node::Sequence(parts) if back => {
                parts.iter().rev().for_each(|part| self.node(part, back));
            }
            Node::Sequence(parts) => parts.iter().for_each(|part| self.node(part, back)),
            Node::Choice(branches) => self.choice(branches, back),
            Node::Repeat { body, min, max, greedy, groups } => {
                let shape = Repetition { body, groups: *groups, greedy: *greedy, back };
                self.repeat(&shape, *min, *max);
            }
            Node::Group(number, body) => {
                let (before, after) = (number * 2, number * 2 + 1);
                let (before, after) = if back { (after, before) } else { (before, after) };
                if self.backtracks {
                    self.push(Inst::Save(before));
                }
                self.node(body, back);
                if self.backtracks {
                    self.push(Inst::Save(after));
                }
            }
            Node::Start => {
                self.push(Inst::Start);
            }
            Node::End => {
                self.push(Inst::End);
            }
            Node::WordBoundary { negated } => {
                self.push(Inst::WordBoundary { negated: *negated });
            }
            Node::Look { number, negated, .. } => {
                self.push(Inst::Look { look: *number, negated: *negated });
            }
            Node::Reference(groups) => {
                self.push(Inst::Reference { groups: groups.as_slice().into(), back });
            }
        }
    }

    fn choice(&mut self, branches: &[Node], back: bool) {
        let mut exits = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let last = index + 1 == branches.len();
            let split = (!last).then(|| self.push(Inst::Split(0, 0)));
            let start = self.here();
            self.node(branch, back);
            if let Some(split) = split {
                exits.push(self.push(Inst::Jump(0)));
                self.code[split] = Inst::Split(start, self.here());
            }
        }
        let end = self.here();
        exits.into_iter().for_each(|exit| self.code[exit] = Inst::Jump(end));
    }

    fn repeat(&mut self, shape: &Repetition<'_>, min: u32, max: Option<u32>) {
        for _ in 0..min {
            self.iteration(shape, false);
        }
        let Some(max) = max else {
            let split = self.push(Inst::Split(0, 0));
            let start = self.here();
            self.iteration(shape, true);
            self.push(Inst::Jump(split as u32));
            self.code[split] = shape.split(start, self.here());
            return;
        };
        let mut splits = Vec::new();
        for _ in min..max {
            splits.push(self.push(Inst::Split(0, 0)));
            self.iteration(shape, true);
        }
        let end = self.here();
        for split in splits {
            self.code[split] = shape.split(split as u32 + 1, end);
        }
    }

    /// One copy of a repeated expression. An optional iteration that consumes nothing fails, and
    /// every iteration starts with its groups unset (ECMA-262, RepeatMatcher).
    fn iteration(&mut self, shape: &Repetition<'_>, optional: bool) {
        let mark = (self.backtracks && optional).then(|| {
            self.slots += 1;
            self.slots as u32 - 1
        });
        if self.backtracks && shape.groups.0 < shape.groups.1 {
            self.push(Inst::Forget(shape.groups.0 * 2, shape.groups.1 * 2));
        }
        if let Some(slot) = mark {
            self.push(Inst::Save(slot));
        }
        self.node(shape.body, shape.back);
        if let Some(slot) = mark {
            self.push(Inst::Progress(slot));
        }
    }

    /// Searches `text`, adding the work to `work`; `None` as soon as that is more than `limit`.
    pub(super) fn is_match(&self, text: &str, work: &mut u64, limit: u64) -> Option<bool> {
        if self.backtracks {
            let limit = limit.min(work.saturating_add(BACKTRACK_LIMIT));
            Backtracker::new(self, text, limit).search(work)
        } else {
            Passes { program: self, text, limit }.search(work)
        }
    }
}

struct Repetition<'n> {
    body: &'n Node,
    groups: (u32, u32),
    greedy: bool,
    back: bool,
}

impl Repetition<'_> {
    fn split(&self, body: u32, exit: u32) -> Inst {
        if self.greedy { Inst::Split(body, exit) } else { Inst::Split(exit, body) }
    }
}

fn starts_anchored(node: &Node) -> bool {
    match node {
        Node::Start => true,
        Node::Sequence(parts) => parts.first().is_some_and(starts_anchored),
        Node::Choice(branches) => branches.iter().all(starts_anchored),
        Node::Group(_, body) => starts_anchored(body),
        Node::Repeat { body, min, .. } => *min > 0 && starts_anchored(body),
        _ => false,
    }
}

fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

fn after(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// ECMA-262's word boundary knows ASCII only.
fn at_word_boundary(text: &str, at: usize) -> bool {
    let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    word(at.checked_sub(1).and_then(|before| bytes.get(before))) != word(bytes.get(at))
}

/// A set of instructions that remembers the order of insertion.
struct Threads {
    list: Vec<u32>,
    index: Vec<u32>,
}

impl Threads {
    fn new(size: usize) -> Threads {
        Threads { list: Vec::with_capacity(size.min(64)), index: vec![0; size] }
    }

    fn insert(&mut self, at: u32) -> bool {
        let known = self.list.get(self.index[at as usize] as usize) == Some(&at);
        if !known {
            self.index[at as usize] = self.list.len() as u32;
            self.list.push(at);
        }
        !known
    }
}

/// Matching without back-references.
struct Passes<'p> {
    program: &'p Program,
    text: &'p str,
    limit: u64,
}

/// For each place of the text (a byte offset), whether something holds there.
type Places = Vec<u64>;

impl Passes<'_> {
    fn search(&self, work: &mut u64) -> Option<bool> {
        let mut looks: Vec<Places> = Vec::with_capacity(self.program.looks.len());
        for look in &self.program.looks {
            let Some(look) = look else {
                looks.push(Places::new());
                continue;
            };
            *work += self.text.len() as u64 / 8 + 1;
            let mut places = vec![0; self.text.len() / 64 + 1];
            self.pass(look.entry, look.back, false, &looks, work, &mut |at| {
                places[at / 64] |= 1_u64 << (at % 64);
                false
            })?;
            looks.push(places);
        }
        let anchored = self.program.anchored;
        let mut found = false;
        self.pass(self.program.entry, false, anchored, &looks, work, &mut |_| {
            found = true;
            true
        })?;
        Some(found)
    }

    /// Runs the code at `entry` from every place (or the first alone) and tells `matched` where
    /// some run ends, until it returns true.
    fn pass(
        &self,
        entry: u32,
        back: bool,
        anchored: bool,
        looks: &[Places],
        work: &mut u64,
        matched: &mut dyn FnMut(usize) -> bool,
    ) -> Option<()> {
        let size = self.program.code.len();
        *work += size as u64 / 8 + 1;
        let mut now = Threads::new(size);
        let mut next = Threads::new(size);
        let mut stack = Vec::new();
        let mut at = if back { self.text.len() } else { 0 };
        let mut fresh = true;
        loop {
            if fresh || !anchored {
                stack.push(entry);
                self.close(at, &mut now, &mut stack, looks, work);
            }
            fresh = false;
            let c = if back { before(self.text, at) } else { after(self.text, at) };
            let step = c.map_or(0, char::len_utf8);
            let to = if back { at - step } else { at + step };
            next.list.clear();
            *work += 1 + now.list.len() as u64;
            for &pc in &now.list {
                match &self.program.code[pc as usize] {
                    Inst::Match if matched(at) => return Some(()),
                    Inst::Set { set, .. }
                        if c.is_some_and(|c| self.program.sets[*set as usize].contains(c)) =>
                    {
                        stack.push(pc + 1);
                    }
                    _ => {}
                }
            }
            if *work > self.limit {
                return None;
            }
            if c.is_none() || (anchored && stack.is_empty()) {
                return Some(());
            }
            at = to;
            self.close(at, &mut next, &mut stack, looks, work);
            std::mem::swap(&mut now, &mut next);
        }
    }

    /// Adds what can be reached from the stack without consuming.
    fn close(
        &self,
        at: usize,
        threads: &mut Threads,
        stack: &mut Vec<u32>,
        looks: &[Places],
        work: &mut u64,
    ) {
        while let Some(pc) = stack.pop() {
            *work += 1;
            if !threads.insert(pc) {
                continue;
            }
            let passes = match &self.program.code[pc as usize] {
                Inst::Split(one, other) => {
                    stack.push(*other);
                    stack.push(*one);
                    false
                }
                Inst::Jump(to) => {
                    stack.push(*to);
                    false
                }
                Inst::Start => at == 0,
                Inst::End => at == self.text.len(),
                Inst::WordBoundary { negated } => at_word_boundary(self.text, at) != *negated,
                Inst::Look { look, negated } => {
                    let holds = looks[*look as usize][at / 64] >> (at % 64) & 1 == 1;
                    holds != *negated
                }
                // Consuming instructions wait for the next character; captures are only
                // compiled for the backtracker.
                _ => false,
            };
            if passes {
                stack.push(pc + 1);
            }
        }
    }
}

const UNSET: usize = usize::MAX;

/// What to return to when a path fails.
enum Frame {
    Branch { pc: u32, at: usize },
    Restore { slot: u32, value: usize },
}

/// Matching with back-references.
struct Backtracker<'p> {
    program: &'p Program,
    text: &'p str,
    slots: Vec<usize>,
    stack: Vec<Frame>,
    limit: u64,
}

impl<'p> Backtracker<'p> {
    fn new(program: &'p Program, text: &'p str, limit: u64) -> Self {
        let slots = vec![UNSET; program.slots];
        Backtracker { program, text, slots, stack: Vec::new(), limit }
    }

    fn search(&mut self, work: &mut u64) -> Option<bool> {
        *work += self.slots.len() as u64 / 8 + 1;
        let mut at = 0;
        loop {
            if self.run(self.program.entry, at, work)? {
                return Some(true);
            }
            match after(self.text, at) {
                Some(c) if !self.program.anchored => at += c.len_utf8(),
                _ => return Some(false),
            }
        }
    }

    fn store(&mut self, slot: u32, value: usize) {
        let slot_value = &mut self.slots[slot as usize];
        self.stack.push(Frame::Restore { slot, value: *slot_value });
        *slot_value = value;
    }

    /// Takes back everything since the stack had `base` frames, up to the last choice, if any.
    fn retreat(&mut self, base: usize) -> Option<(u32, usize)> {
        while self.stack.len() > base {
            match self.stack.pop()? {
                Frame::Branch { pc, at } => return Some((pc, at)),
                Frame::Restore { slot, value } => self.slots[slot as usize] = value,
            }
        }
        None
    }

    /// Runs code until it matches or all its paths failed. After a match, the frames that undo
    /// its captures stay on the stack, its choices do not (a look-around is not re-entered).
    fn run(&mut self, entry: u32, start: usize, work: &mut u64) -> Option<bool> {
        let base = self.stack.len();
        let (mut pc, mut at) = (entry, start);
        loop {
            *work += 1;
            if *work > self.limit || self.stack.len() > MAX_FRAMES {
                return None;
            }
            let next = match &self.program.code[pc as usize] {
                Inst::Match => {
                    *work += (self.stack.len() - base) as u64;
                    let mut kept = base;
                    for index in base..self.stack.len() {
                        if matches!(self.stack[index], Frame::Restore { .. }) {
                            self.stack.swap(kept, index);
                            kept += 1;
                        }
                    }
                    self.stack.truncate(kept);
                    return Some(true);
                }
                Inst::Set { set, back } => {
                    let c = if *back { before(self.text, at) } else { after(self.text, at) };
                    match c {
                        Some(c) if self.program.sets[*set as usize].contains(c) => {
                            let step = c.len_utf8();
                            Some((pc + 1, if *back { at - step } else { at + step }))
                        }
                        _ => None,
                    }
                }
                Inst::Split(one, other) => {
                    self.stack.push(Frame::Branch { pc: *other, at });
                    Some((*one, at))
                }
                Inst::Jump(to) => Some((*to, at)),
                Inst::Start => (at == 0).then_some((pc + 1, at)),
                Inst::End => (at == self.text.len()).then_some((pc + 1, at)),
                Inst::WordBoundary { negated } => {
                    (at_word_boundary(self.text, at) != *negated).then_some((pc + 1, at))
                }
                Inst::Look { look, negated } => {
                    let frames = self.stack.len();
                    let body = self.program.looks[*look as usize].as_ref()?;
                    let holds = self.run(body.entry, at, work)?;
                    if holds && *negated {
                        // Only restores are left above `frames`, so this undoes them all.
                        self.retreat(frames);
                    }
                    (holds != *negated).then_some((pc + 1, at))
                }
                Inst::Save(slot) => {
                    self.store(*slot, at);
                    Some((pc + 1, at))
                }
                Inst::Forget(from, to) => {
                    for slot in *from..*to {
                        *work += 1;
                        if self.slots[slot as usize] != UNSET {
                            self.store(slot, UNSET);
                        }
                    }
                    Some((pc + 1, at))
                }
                Inst::Progress(slot) => (self.slots[*slot as usize] != at).then_some((pc + 1, at)),
                Inst::Reference { groups, back } => {
                    self.refer(groups, *back, at, work).map(|at| (pc + 1, at))
                }
            };
            match next.or_else(|| self.retreat(base)) {
                Some(place) => (pc, at) = place,
                None => return Some(false),
            }
        }
    }

    /// Where a reference ends, or `None` when its text is not here.
    fn refer(&self, groups: &[u32], back: bool, at: usize, work: &mut u64) -> Option<usize> {
        *work += groups.len() as u64;
        let captured = groups.iter().find_map(|&group| {
            let start = self.slots[group as usize * 2];
            let end = self.slots[group as usize * 2 + 1];
            // Within its own group a reference sees an unfinished capture: unset.
            (start != UNSET && end != UNSET).then(|| self.text.get(start..end)).flatten()
        });
        let wanted = captured.unwrap_or_default();
        *work += wanted.len() as u64 / 16;
        if back {
            self.text.get(..at)?.ends_with(wanted).then(|| at - wanted.len())
        } else {
            self.text.get(at..)?.starts_with(wanted).then(|| at + wanted.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax;
    use super::*;

    fn program(pattern: &str) -> Program {
        let tree = syntax::parse(pattern).unwrap();
        Program::new(&tree, &tree.root)
    }

    #[test]
    fn work_without_references_is_linear_in_the_text() {
        for pattern in ["(?=(a+)+$)b", r"(?:a|\b|a)*\b(?<!x.*)y", "(?!.*(?=.*(?!.*z)y)x)q"] {
            let program = program(pattern);
            let work = |length: usize| {
                let mut work = 0;
                let answer = program.is_match(&"a".repeat(length), &mut work, u64::MAX);
                assert_eq!(answer, Some(false), "{pattern}");
                work
            };
            assert!(work(4_000) < 5 * work(1_000), "{pattern}");
        }
    }

    #[test]
    fn every_engine_stops_at_its_limit() {
        for pattern in ["(?=.*b)c", r"\b.*c", r"^(a+)+\1c"] {
            let mut work = 0;
            let answer = program(pattern).is_match(&"a".repeat(10_000), &mut work, 5_000);
            assert_eq!(answer, None, "{pattern}");
            assert!(work < 20_000, "{pattern}: {work}");
        }
    }

    #[test]
    fn backtracking_has_a_limit_of_its_own() {
        let mut work = 0;
        let text = "a".repeat(40) + "b";
        assert_eq!(program(r"^(a+)+\1$").is_match(&text, &mut work, u64::MAX), None);
        assert!((BACKTRACK_LIMIT..BACKTRACK_LIMIT + 100).contains(&work), "{work}");
    }

    #[test]
    fn an_anchored_expression_is_tried_once() {
        for (pattern, anchored) in [("^a|(?:^b)+", true), ("(^a)?b", false), ("a^", false)] {
            assert_eq!(program(pattern).anchored, anchored, "{pattern}");
        }
    }
}
