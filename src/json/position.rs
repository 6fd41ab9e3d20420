//! Lines and columns from byte offsets.

/// A place in a text for people, both numbers from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line
    pub line: usize,
    /// The column, in characters
    pub column: usize,
}

/// Finds positions in a text.
///
/// It remembers the last place, so that a hundred findings in ascending order cost one pass over
/// the text and not a hundred.
#[derive(Clone, Debug)]
pub struct PositionFinder<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'t> PositionFinder<'t> {
    pub(super) fn new(text: &'t str) -> PositionFinder<'t> {
        PositionFinder { text, offset: 0, line: 1, column: 1 }
    }

    /// The position of the character at a byte offset; past the end it is the end.
    pub fn position(&mut self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        if offset < self.offset {
            *self = PositionFinder::new(self.text);
        }
        let between = &self.text[self.offset..offset];
        if let Some(last) = memchr::memrchr(b'\n', between.as_bytes()) {
            self.line += memchr::memchr_iter(b'\n', between.as_bytes()).count();
            self.column = 1 + between[last + 1..].chars().count();
        } else {
            self.column += between.chars().count();
        }
        self.offset = offset;
        Position { line: self.line, column: self.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let mut finder = PositionFinder::new("aé\n€x\n");
        let at = |finder: &mut PositionFinder<'_>, offset| {
            let Position { line, column } = finder.position(offset);
            (line, column)
        };
        assert_eq!(at(&mut finder, 0), (1, 1));
        assert_eq!(at(&mut finder, 3), (1, 3));
        assert_eq!(at(&mut finder, 7), (2, 2));
        assert_eq!(at(&mut finder, 4), (2, 1), "going back starts over");
        assert_eq!(at(&mut finder, 99), (3, 1));
    }
}
