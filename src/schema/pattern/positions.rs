//! The engine for plain expressions: the position automaton (Glushkov), simulated a machine word
//! at a time. A state is a set of positions, one for each character of the expression with its
//! repetitions written out; building it takes microseconds and there is no cache that could
//! thrash, so the work is a function of pattern and text alone.

use std::sync::Arc;

use super::syntax::{CharSet, Node, Tree};

/// Expressions with more positions go to the general engine: a step costs a word per 64.
const MAX_POSITIONS: usize = 4_096;
/// `(a?){1000}` and `(w1|…|w500)*` have a quadratic number of successors.
const MAX_SUCCESSORS: usize = 32;

/// What a path without characters demands of the place it is at: bits of a condition.
const AT_START: usize = 1;
const AT_END: usize = 2;

/// A part of the expression, as seen from outside.
#[derive(Default)]
struct Fragment {
    /// Bit `c` is set when the part matches the empty string under condition `c`.
    empty: u8,
    /// Positions that can come first; the flag asks for the start of the text before them.
    first: Vec<(u32, bool)>,
    /// Positions that can come last; the flag asks for the end of the text after them.
    last: Vec<(u32, bool)>,
}

struct Builder<'t> {
    tree: &'t Tree,
    /// The set that each position matches.
    positions: Vec<u32>,
    /// Which position can follow which.
    follow: Vec<(u32, u32)>,
}

impl Builder<'_> {
    fn node(&mut self, node: &Node) -> Option<Fragment> {
        match node {
            Node::Empty => Some(empty(0)),
            Node::Start => Some(empty(AT_START)),
            Node::End => Some(empty(AT_END)),
            Node::Set(set) => {
                let position = self.positions.len() as u32;
                self.positions.push(*set);
                if self.positions.len() > MAX_POSITIONS {
                    return None;
                }
                let ends = vec![(position, false)];
                Some(Fragment { empty: 0, first: ends.clone(), last: ends })
            }
            Node::Group(_, body) => self.node(body),
            Node::Sequence(parts) => {
                let mut whole = empty(0);
                for part in parts {
                    let part = self.node(part)?;
                    whole = self.join(whole, part)?;
                }
                Some(whole)
            }
            Node::Choice(branches) => {
                let mut whole = Fragment::default();
                for branch in branches {
                    let branch = self.node(branch)?;
                    whole.empty |= branch.empty;
                    whole.first.extend(branch.first);
                    whole.last.extend(branch.last);
                }
                Some(whole)
            }
            Node::Repeat { body, min, max, .. } => self.repeat(body, *min, *max),
            Node::WordBoundary { .. } | Node::Look { .. } | Node::Reference(_) => None,
        }
    }

    fn repeat(&mut self, body: &Node, min: u32, max: Option<u32>) -> Option<Fragment> {
        // The optional copies nest to the right, `x(x(x)?)?`, so that each has one predecessor.
        let mut tail = empty(0);
        match max {
            None => {
                tail = self.node(body)?;
                self.follow(&tail.last.clone(), &tail.first.clone())?;
                if min == 0 {
                    tail.empty |= 1;
                }
            }
            Some(max) => {
                for _ in min..max {
                    let copy = self.node(body)?;
                    tail = self.join(copy, tail)?;
                    tail.empty |= 1;
                }
            }
        }
        let copies = if max.is_none() { min.saturating_sub(1) } else { min };
        for _ in 0..copies {
            let copy = self.node(body)?;
            tail = self.join(copy, tail)?;
        }
        Some(tail)
    }

    /// `one` and then `other`.
    fn join(&mut self, one: Fragment, other: Fragment) -> Option<Fragment> {
        self.follow(&one.last, &other.first)?;
        let mut whole = Fragment { empty: 0, first: one.first, last: other.last };
        for before in conditions(one.empty) {
            for after in conditions(other.empty) {
                whole.empty |= 1 << (before | after);
            }
        }
        // A character after `$`, or before `^`, is never matched: those entries are dropped.
        let starts = conditions(one.empty).filter(|condition| condition & AT_END == 0).min();
        if let Some(condition) = starts {
            let at_start = condition & AT_START != 0;
            whole.first.extend(other.first.iter().map(|&(p, start)| (p, start || at_start)));
        }
        let ends = conditions(other.empty).filter(|condition| condition & AT_START == 0).min();
        if let Some(condition) = ends {
            let at_end = condition & AT_END != 0;
            whole.last.extend(one.last.iter().map(|&(p, end)| (p, end || at_end)));
        }
        self.bounded(whole.first.len() + whole.last.len())?;
        Some(whole)
    }

    fn follow(&mut self, last: &[(u32, bool)], first: &[(u32, bool)]) -> Option<()> {
        self.bounded(last.len().saturating_mul(first.len()))?;
        for &(from, _) in last.iter().filter(|(_, at_end)| !at_end) {
            let next = first.iter().filter(|(_, at_start)| !at_start);
            self.follow.extend(next.map(|&(to, _)| (from, to)));
        }
        Some(())
    }

    /// Gives up where the automaton would be far larger than the expression.
    fn bounded(&self, more: usize) -> Option<()> {
        let limit = MAX_SUCCESSORS * (self.positions.len() + 128);
        (self.follow.len() + more <= limit).then_some(())
    }
}

fn empty(condition: usize) -> Fragment {
    Fragment { empty: 1 << condition, ..Fragment::default() }
}

fn conditions(empty: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |condition| empty >> condition & 1 == 1)
}

/// Positions as bits, in as many words as the automaton needs.
type Bits = Box<[u64]>;

/// The automaton of one expression.
#[derive(Debug)]
pub(super) struct Positions {
    words: usize,
    /// The empty string matches at the start or the end of any text, or only as the whole text.
    empty_always: bool,
    empty_alone: bool,
    first: Bits,
    first_at_start: Bits,
    last: Bits,
    last_at_end: Bits,
    /// For each ASCII character the row of `masks` with the positions that match it.
    rows: Box<[u8; 128]>,
    masks: Bits,
    /// The sets with members beyond ASCII, each with its positions.
    sets: Box<[(Arc<CharSet>, Bits)]>,
    follow: Follow,
}

/// Which positions can follow each.
#[derive(Debug)]
enum Follow {
    Word(Box<Word>),
    Lists { starts: Box<[u32]>, successors: Box<[u32]> },
}

/// The same tables again for an automaton of one word, where each look-up shows.
#[derive(Debug)]
struct Word {
    first: u64,
    first_at_start: u64,
    last: u64,
    last_at_end: u64,
    ascii: [u64; 128],
    follow: [u64; 64],
}

impl Positions {
    /// The automaton, or `None` for what needs the general engine: other assertions than `^` and
    /// `$`, or too many positions or successors.
    pub(super) fn new(tree: &Tree, root: &Node) -> Option<Positions> {
        let mut builder = Builder { tree, positions: Vec::new(), follow: Vec::new() };
        let whole = builder.node(root)?;
        let Builder { tree, positions, mut follow } = builder;
        let words = positions.len().div_ceil(64).max(1);
        let bits = |chosen: &mut dyn Iterator<Item = u32>| -> Bits {
            let mut bits = vec![0; words];
            chosen.for_each(|position| set_bit(&mut bits, position));
            bits.into()
        };
        let ends = |entries: &[(u32, bool)], flag: bool| {
            bits(&mut entries.iter().filter(|entry| entry.1 == flag).map(|entry| entry.0))
        };

        let (first, first_at_start) = (ends(&whole.first, false), ends(&whole.first, true));
        let (last, last_at_end) = (ends(&whole.last, false), ends(&whole.last, true));

        let mut by_set: Vec<(u32, Bits)> = Vec::new();
        let mut order: Vec<(u32, u32)> = (0..).zip(&positions).map(|(p, &set)| (set, p)).collect();
        order.sort_unstable();
        for (set, position) in order {
            match by_set.last_mut() {
                Some((last, bits)) if *last == set => set_bit(bits, position),
                _ => by_set.push((set, bits(&mut std::iter::once(position)))),
            }
        }
        let mut masks = vec![0; words];
        let mut rows = [0; 128];
        let mut mask = vec![0; words];
        for (code, row) in rows.iter_mut().enumerate() {
            mask.fill(0);
            for (set, bits) in &by_set {
                if tree.sets.get(*set as usize)?.ascii() >> code & 1 == 1 {
                    merge(&mut mask, bits);
                }
            }
            let same = masks.chunks_exact(words).position(|known| known == mask);
            *row = same.unwrap_or(masks.len() / words) as u8;
            if same.is_none() {
                masks.extend_from_slice(&mask);
            }
        }
        let sets = by_set
            .into_iter()
            .filter_map(|(set, bits)| {
                let set = tree.sets.get(set as usize)?;
                set.reaches_beyond_ascii().then(|| (Arc::clone(set), bits))
            })
            .collect();

        let follow = if words == 1 {
            let mut word = Box::new(Word {
                first: first[0],
                first_at_start: first_at_start[0],
                last: last[0],
                last_at_end: last_at_end[0],
                ascii: rows.map(|row| masks[usize::from(row)]),
                follow: [0; 64],
            });
            for (from, to) in follow {
                word.follow[from as usize] |= 1 << to;
            }
            Follow::Word(word)
        } else {
            follow.sort_unstable();
            follow.dedup();
            let mut starts = vec![0; positions.len() + 1];
            for &(from, _) in &follow {
                starts[from as usize + 1] += 1;
            }
            for index in 1..starts.len() {
                starts[index] += starts[index - 1];
            }
            let successors = follow.into_iter().map(|(_, to)| to).collect();
            Follow::Lists { starts: starts.into(), successors }
        };
        Some(Positions {
            words,
            empty_always: conditions(whole.empty).any(|c| c != (AT_START | AT_END)),
            empty_alone: whole.empty != 0,
            first,
            first_at_start,
            last,
            last_at_end,
            rows: Box::new(rows),
            masks: masks.into(),
            sets,
            follow,
        })
    }

    /// Searches `text`, adding the work to `work`; `None` as soon as that is more than `limit`.
    pub(super) fn is_match(&self, text: &str, work: &mut u64, limit: u64) -> Option<bool> {
        if self.empty_always || (self.empty_alone && text.is_empty()) {
            *work += 1;
            return Some(true);
        }
        match &self.follow {
            Follow::Word(word) => self.search_word(word, text, work, limit),
            Follow::Lists { starts, successors } => {
                self.search_words(starts, successors, text, work, limit)
            }
        }
    }

    fn search_word(&self, word: &Word, text: &str, work: &mut u64, limit: u64) -> Option<bool> {
        let limit = limit.saturating_sub(*work);
        let mut next = word.first | word.first_at_start;
        let mut state = 0;
        let mut spent = 0;
        let answer = 'search: {
            for c in text.chars() {
                spent += 1;
                state = next
                    & if let Some(mask) = word.ascii.get(c as usize) {
                        *mask
                    } else {
                        spent += self.sets.len() as u64;
                        let matching = self.sets.iter().filter(|(set, _)| set.contains(c));
                        matching.fold(0, |mask, (_, bits)| mask | bits[0])
                    };
                if state & word.last != 0 {
                    break 'search Some(true);
                }
                next = word.first;
                let mut left = state;
                while left != 0 {
                    spent += 1;
                    next |= word.follow[left.trailing_zeros() as usize];
                    left &= left - 1;
                }
                if next == 0 && state & word.last_at_end == 0 {
                    break 'search Some(false);
                }
                if spent > limit {
                    break 'search None;
                }
            }
            Some(state & word.last_at_end != 0)
        };
        *work += spent;
        answer
    }

    fn search_words(
        &self,
        starts: &[u32],
        successors: &[u32],
        text: &str,
        work: &mut u64,
        limit: u64,
    ) -> Option<bool> {
        let words = self.words;
        let mut next = self.first.to_vec();
        merge(&mut next, &self.first_at_start);
        let mut state = vec![0; words];
        let mut mask = vec![0; words];
        for c in text.chars() {
            *work += 1 + words as u64;
            let mask: &[u64] = if c.is_ascii() {
                let row = usize::from(self.rows[c as usize & 0x7F]) * words;
                &self.masks[row..row + words]
            } else {
                *work += self.sets.len() as u64;
                mask.fill(0);
                for (_, bits) in self.sets.iter().filter(|(set, _)| set.contains(c)) {
                    *work += words as u64;
                    merge(&mut mask, bits);
                }
                &mask
            };
            for (state, (next, mask)) in state.iter_mut().zip(next.iter().zip(mask)) {
                *state = next & mask;
            }
            if meet(&state, &self.last) {
                return Some(true);
            }
            next.copy_from_slice(&self.first);
            for (index, &word) in state.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let position = index * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let range = starts[position] as usize..starts[position + 1] as usize;
                    *work += 1 + range.len() as u64;
                    successors[range].iter().for_each(|&to| set_bit(&mut next, to));
                }
            }
            if next.iter().all(|&word| word == 0) && !meet(&state, &self.last_at_end) {
                return Some(false);
            }
            if *work > limit {
                return None;
            }
        }
        Some(meet(&state, &self.last_at_end))
    }
}

fn set_bit(bits: &mut [u64], position: u32) {
    bits[position as usize / 64] |= 1 << (position % 64);
}

fn merge(bits: &mut [u64], more: &[u64]) {
    bits.iter_mut().zip(more).for_each(|(bits, more)| *bits |= more);
}

fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

#[cfg(test)]
mod tests {
    use super::super::syntax;
    use super::*;

    fn positions(pattern: &str) -> Option<Positions> {
        let tree = syntax::parse(pattern).unwrap();
        Positions::new(&tree, &tree.root)
    }

    #[test]
    fn takes_plain_expressions_alone() {
        for pattern in ["^INV-[0-9]{4}$", "", "(a|^b$)*", "a{4096}", "^(?:[a-z]{1,50}-){1,9}$"] {
            assert!(positions(pattern).is_some(), "{pattern}");
        }
        for pattern in [r"\ba", "(?=a)b", r"(a)\1", "a{4097}", "^(a?){2000}$"] {
            assert!(positions(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn conditions_reach_through_empty_parts() {
        let search = |pattern, text| positions(pattern).unwrap().is_match(text, &mut 0, u64::MAX);
        for (pattern, yes, no) in [
            ("(?:^|x)(?:a?)(?:b|)$", ["ab", "xb", "zx"], ["zab", "abz", "zb"]),
            ("(?:^|a)(?:$|b)", ["", "ab", "zab"], ["z", "a ", "zb"]),
            ("(?:^(?:$)|x)", ["", "x", "ax"], ["a", " ", "aa"]),
        ] {
            for text in yes {
                assert_eq!(search(pattern, text), Some(true), "{pattern} {text:?}");
            }
            for text in no {
                assert_eq!(search(pattern, text), Some(false), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn one_word_and_many_answer_alike_and_stop_at_the_limit() {
        for (pattern, text) in
            [("(?:.*){9}x", "é1".repeat(500)), ("[01]*1[01]{99}x", "01".repeat(500))]
        {
            let automaton = positions(pattern).unwrap();
            assert_eq!(automaton.words > 1, pattern.contains("99"));
            assert_eq!(automaton.is_match(&text, &mut 0, u64::MAX), Some(false));
            let mut work = 0;
            assert_eq!(automaton.is_match(&text, &mut work, 100), None);
            assert!(work < 400, "{work}");
        }
    }
}
