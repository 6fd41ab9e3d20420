//! The one parsed form of every JSON text that is hashed or checked.
//!
//! A [`Document`] is a flat tape: one 16-byte node a value or member name, in document order, with
//! strings borrowed from the text where they hold no escapes, number literals kept as written, and
//! byte offsets kept for messages. Reading, judging, canonicalising and reporting all use it.
//! The strict reader is in [`reader`], equality by value in [`equality`].

mod elements;
mod equality;
mod error;
mod number;
mod position;
mod reader;
mod same;

pub use elements::read_elements;
pub use equality::ValueHasher;
pub use error::{ReadError, ReadErrorKind};
pub use position::{Position, PositionFinder};
pub use reader::{MAX_DEPTH, MAX_INTEGER_DIGITS};
pub(crate) use same::is_same;

use std::fmt;

/// What a node holds. Small, so that a node stays 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum NodeKind {
    Null,
    False,
    True,
    Integer,
    Double,
    /// A string without escapes: `a` is its length, its text begins after the quote.
    String,
    /// A string with escapes: `a` and `b` are its start and length in the unescaped text.
    EscapedString,
    Array,
    Object,
}

/// One value or member name.
///
/// `start` is the byte offset in the text. For containers `a` is the index behind the last node
/// inside and `b` the number of elements or members; for numbers `a` is the length.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    a: u32,
    b: u32,
    kind: NodeKind,
}

/// The allocations of a document, for reuse by the next one.
///
/// Reading a million lines with one set of buffers allocates only while a line is the largest yet.
#[derive(Default, Debug)]
pub struct Buffers {
    nodes: Vec<Node>,
    /// Unescaped text of the strings that have escapes.
    unescaped: String,
    /// Objects with many members, as (node, start in `order`, by ascending node).
    large_objects: Vec<(u32, u32)>,
    /// Member-name nodes of the large objects, each object's sorted by name.
    order: Vec<u32>,
    /// Names of the objects still open while reading.
    names: Vec<u32>,
    frames: Vec<reader::Frame>,
}

/// A refusal that hands back the buffers.
#[derive(Debug)]
pub struct Refused {
    /// Why the text was refused.
    pub error: ReadError,
    /// The buffers, for the next document.
    pub buffers: Buffers,
}

/// A JSON text that was read completely and without any leniency.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    buffers: Buffers,
}

impl<'t> Document<'t> {
    /// Reads one JSON value.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] that says what is wrong, where, and how to mend it: text that is not UTF-8,
    /// not JSON (RFC 8259), has a repeated member name or a lone surrogate (RFC 7493 §2), a number
    /// beyond double's range, or more than [`MAX_DEPTH`] levels of nesting.
    pub fn parse(bytes: &'t [u8]) -> Result<Document<'t>, ReadError> {
        Document::parse_with(bytes, Buffers::default()).map_err(|refused| refused.error)
    }

    /// As [`Document::parse`], in buffers that are handed back with an error.
    ///
    /// # Errors
    ///
    /// As [`Document::parse`].
    pub fn parse_with(bytes: &'t [u8], buffers: Buffers) -> Result<Document<'t>, Box<Refused>> {
        reader::read(bytes, buffers).map(|(text, buffers)| Document { text, buffers })
    }

    /// The buffers, for the next document.
    pub fn into_buffers(self) -> Buffers {
        self.buffers
    }

    /// The value itself.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, index: 0 }
    }

    /// The text that was read, without a byte order mark.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// How many values and member names it holds: what work over it is measured by.
    pub fn node_count(&self) -> usize {
        self.buffers.nodes.len()
    }

    /// Turns byte offsets of [`Document::text`] into lines and columns.
    pub fn positions(&self) -> PositionFinder<'t> {
        PositionFinder::new(self.text)
    }

    fn node(&self, index: u32) -> Node {
        self.buffers.nodes[index as usize]
    }

    fn string_at(&self, index: u32) -> &str {
        string_of(self.text, &self.buffers.unescaped, self.node(index)).unwrap_or_default()
    }

    /// Whether the name at `index` is this one.
    fn is_name(&self, index: u32, name: &str) -> bool {
        let node = self.node(index);
        let (held, start, length) = match node.kind {
            NodeKind::String => (self.text, node.start + 1, node.a),
            _ => (self.buffers.unescaped.as_str(), node.a, node.b),
        };
        // As bytes, which need no look at where characters begin.
        let (start, length) = (start as usize, length as usize);
        held.as_bytes()
            .get(start..start + length)
            .is_some_and(|held| is_same(held, name.as_bytes()))
    }

    /// The index behind the value at `index`.
    fn next(&self, index: u32) -> u32 {
        let node = self.node(index);
        match node.kind {
            NodeKind::Array | NodeKind::Object => node.a,
            _ => index + 1,
        }
    }
}

fn string_of<'a>(text: &'a str, unescaped: &'a str, node: Node) -> Option<&'a str> {
    match node.kind {
        NodeKind::String => {
            let start = node.start as usize + 1;
            text.get(start..start + node.a as usize)
        }
        NodeKind::EscapedString => {
            unescaped.get(node.a as usize..node.a as usize + node.b as usize)
        }
        _ => None,
    }
}

/// The kinds of a JSON value. An integer is a number literal without fraction and exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// An integer literal, exact, of any size
    Integer,
    /// A number literal with a fraction or an exponent
    Double,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The name that JSON Schema uses, with `number` for both kinds of number.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Integer | Kind::Double => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// A number as the reader keeps it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number<'d> {
    /// The digits of an integer literal, with its sign.
    Integer(&'d str),
    /// A literal with a fraction or an exponent.
    Double(f64),
}

/// One value of a [`Document`].
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    index: u32,
}

impl<'d> Value<'d> {
    /// The document that it is part of.
    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// Its place among the document's nodes: ascending in document order, 0 for the root.
    pub fn index(self) -> u32 {
        self.index
    }

    /// The value at a place that [`Value::index`] gave for the same document.
    pub fn at(self, index: u32) -> Value<'d> {
        Value { document: self.document, index }
    }

    /// The index behind the last node inside, so that `index()..end_index()` is its subtree.
    pub fn end_index(self) -> u32 {
        self.document.next(self.index)
    }

    /// The byte offset of its first character in [`Document::text`].
    pub fn offset(self) -> usize {
        self.document.node(self.index).start as usize
    }

    /// Bytes of text up to what follows it: what reading it again costs, in constant time.
    pub(crate) fn span(self) -> usize {
        let nodes = &self.document.buffers.nodes;
        let end = nodes.get(self.end_index() as usize);
        end.map_or(self.document.text.len(), |node| node.start as usize) - self.offset()
    }

    /// The value's own text, as written.
    pub fn source(self) -> &'d str {
        let node = self.document.node(self.index);
        let start = node.start as usize;
        let text = self.document.text;
        let end = match node.kind {
            NodeKind::Null | NodeKind::True => start + 4,
            NodeKind::False => start + 5,
            NodeKind::Integer | NodeKind::Double => start + node.a as usize,
            NodeKind::String => start + node.a as usize + 2,
            NodeKind::EscapedString | NodeKind::Array | NodeKind::Object => {
                start + reader::value_length(&text.as_bytes()[start..])
            }
        };
        &text[start..end]
    }

    /// What kind of value it is.
    pub fn kind(self) -> Kind {
        match self.document.node(self.index).kind {
            NodeKind::Null => Kind::Null,
            NodeKind::False | NodeKind::True => Kind::Boolean,
            NodeKind::Integer => Kind::Integer,
            NodeKind::Double => Kind::Double,
            NodeKind::String | NodeKind::EscapedString => Kind::String,
            NodeKind::Array => Kind::Array,
            NodeKind::Object => Kind::Object,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.document.node(self.index).kind == NodeKind::Null
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.document.node(self.index).kind {
            NodeKind::False => Some(false),
            NodeKind::True => Some(true),
            _ => None,
        }
    }

    /// The unescaped text, if it is a string.
    pub fn as_str(self) -> Option<&'d str> {
        let node = self.document.node(self.index);
        string_of(self.document.text, &self.document.buffers.unescaped, node)
    }

    /// The text, if it is a string that was written without escapes and so was not copied.
    pub(crate) fn as_plain_str(self) -> Option<&'d str> {
        let node = self.document.node(self.index);
        if node.kind == NodeKind::String { self.as_str() } else { None }
    }

    /// The value's own text, if it can be told at a look that it is a scalar in canonical form: a string
    /// without escapes, with its quotes, or a number.
    pub(crate) fn canonical_scalar(self) -> Option<&'d [u8]> {
        let node = self.document.node(self.index);
        let start = node.start as usize;
        let written = |length: usize| &self.document.text.as_bytes()[start..start + length];
        match node.kind {
            NodeKind::Null | NodeKind::True => Some(written(4)),
            NodeKind::False => Some(written(5)),
            NodeKind::String => Some(written(node.a as usize + 2)),
            NodeKind::Integer => Some(written(node.a as usize)).filter(|digits| digits != b"-0"),
            NodeKind::Double => {
                let literal = &self.document.text[start..start + node.a as usize];
                number::is_canonical_fraction(literal).then_some(literal.as_bytes())
            }
            NodeKind::EscapedString | NodeKind::Array | NodeKind::Object => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<Number<'d>> {
        let node = self.document.node(self.index);
        let literal = || {
            let start = node.start as usize;
            &self.document.text[start..start + node.a as usize]
        };
        match node.kind {
            NodeKind::Integer => Some(Number::Integer(literal())),
            NodeKind::Double => Some(Number::Double(number::to_double(literal()))),
            _ => None,
        }
    }

    /// Whether it is a number that is written with a minus sign, be it that of zero.
    pub(crate) fn is_written_negative(self) -> bool {
        self.document.text.as_bytes().get(self.offset()) == Some(&b'-')
    }

    /// The number of elements or members; 0 for anything but arrays and objects.
    pub fn len(self) -> usize {
        let node = self.document.node(self.index);
        match node.kind {
            NodeKind::Array | NodeKind::Object => node.b as usize,
            _ => 0,
        }
    }

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.document.node(self.index).kind == NodeKind::Object
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.document.node(self.index).kind == NodeKind::Array
    }

    /// The elements of an array in order; none for any other kind.
    pub fn elements(self) -> Elements<'d> {
        let left = if self.is_array() { self.len() } else { 0 };
        Elements { document: self.document, index: self.index + 1, left }
    }

    /// The members of an object in document order; none for any other kind.
    pub fn members(self) -> Members<'d> {
        let left = if self.is_object() { self.len() } else { 0 };
        Members { document: self.document, index: self.index + 1, left }
    }

    /// The members of a large object in the order of their names' bytes.
    pub(crate) fn members_by_name(self) -> Option<impl Iterator<Item = Member<'d>>> {
        if !self.is_object() || self.len() <= reader::SMALL_OBJECT {
            return None;
        }
        let order = self.name_order()?;
        Some(order.iter().map(move |&name| Member { name: self.at(name) }))
    }

    /// The names of a large object, sorted.
    fn name_order(self) -> Option<&'d [u32]> {
        let buffers = &self.document.buffers;
        let place = buffers.large_objects.binary_search_by_key(&self.index, |&(node, _)| node);
        let start = buffers.large_objects[place.ok()?].1 as usize;
        buffers.order.get(start..start + self.len())
    }

    /// An object's member, by its unescaped name.
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        if !self.is_object() {
            return None;
        }
        if self.len() <= reader::SMALL_OBJECT {
            let mut members = self.members();
            let found = members.find(|member| self.document.is_name(member.name.index, name));
            return found.map(Member::value);
        }
        let order = self.name_order()?;
        let found = order.binary_search_by(|&key| self.document.string_at(key).cmp(name)).ok()?;
        Some(self.at(order[found] + 1))
    }

    /// An array's element.
    pub fn element(self, position: usize) -> Option<Value<'d>> {
        self.elements().nth(position)
    }

    /// The names and positions that lead from an enclosing value to this value or member name;
    /// from the document's root where `from` is of another document.
    pub fn steps_from(self, from: Value<'_>) -> Vec<Step<'d>> {
        let mut steps = Vec::new();
        let inside = std::ptr::eq(
            std::ptr::from_ref(self.document).cast::<()>(),
            std::ptr::from_ref(from.document).cast::<()>(),
        );
        let mut at = self.at(if inside { from.index } else { 0 });
        while at.index != self.index {
            let holds = |value: Value<'d>| self.index < value.end_index();
            let inside = match at.kind() {
                Kind::Object => at
                    .members()
                    .find(|member| holds(member.value()))
                    .map(|member| (Step::Member(member.name()), member)),
                _ => None,
            };
            if let Some((step, member)) = inside {
                steps.push(step);
                if member.name_value().index == self.index {
                    break;
                }
                at = member.value();
            } else {
                let Some((position, element)) =
                    at.elements().enumerate().find(|&(_, element)| holds(element))
                else {
                    break;
                };
                steps.push(Step::Element(position));
                at = element;
            }
        }
        steps
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.source())
    }
}

/// One step from a container to what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'d> {
    /// To the member of this name
    Member(&'d str),
    /// To the element at this position
    Element(usize),
}

/// The elements of an array.
#[derive(Clone)]
pub struct Elements<'d> {
    document: &'d Document<'d>,
    index: u32,
    left: usize,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let value = Value { document: self.document, index: self.index };
        self.index = value.end_index();
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member<'d> {
    name: Value<'d>,
}

impl<'d> Member<'d> {
    /// The unescaped name.
    pub fn name(self) -> &'d str {
        self.name.document.string_at(self.name.index)
    }

    /// The first bytes of the name as a number. Where two members have different ones, their names are in
    /// the order of these, by bytes and by UTF-16 code units alike. `None` where the name has
    /// escapes, or other characters than ASCII among these bytes.
    pub(crate) fn name_start(self) -> Option<u64> {
        const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
        let name = self.name.document.node(self.name.index);
        if name.kind != NodeKind::String {
            return None;
        }
        let length = name.a as usize;
        let bytes = &self.name.document.text.as_bytes()[name.start as usize + 1..];
        let start = match bytes.first_chunk() {
            Some(eight) if length >= 8 => u64::from_be_bytes(*eight),
            // What is beyond the name counts as zero, which no name without escapes holds.
            Some(eight) if length > 0 => u64::from_be_bytes(*eight) & !(u64::MAX >> (8 * length)),
            _ => {
                let mut padded = [0; 8];
                let length = length.min(8);
                padded[..length].copy_from_slice(&bytes[..length]);
                u64::from_be_bytes(padded)
            }
        };
        (start & NOT_ASCII == 0).then_some(start)
    }

    /// The member's own text, with the comma before it where there is one, if it can be told at a look that
    /// it is in canonical form: a plain name and a scalar, with nothing between.
    pub(crate) fn canonical_text(self) -> Option<&'d [u8]> {
        let document = self.name.document;
        let name = document.node(self.name.index);
        let value = self.value();
        let scalar = value.canonical_scalar()?;
        let (start, colon) = (name.start as usize, name.start as usize + name.a as usize + 2);
        let bytes = document.text.as_bytes();
        let together = name.kind == NodeKind::String
            && value.offset() == colon + 1
            && bytes.get(colon) == Some(&b':');
        let before = usize::from(start > 0 && bytes[start - 1] == b',');
        together.then(|| &bytes[start - before..colon + 1 + scalar.len()])
    }

    /// The name as a string value, with its own place.
    pub fn name_value(self) -> Value<'d> {
        self.name
    }

    /// The value.
    pub fn value(self) -> Value<'d> {
        self.name.at(self.name.index + 1)
    }
}

/// The members of an object.
#[derive(Clone)]
pub struct Members<'d> {
    document: &'d Document<'d>,
    index: u32,
    left: usize,
}

impl<'d> Iterator for Members<'d> {
    type Item = Member<'d>;

    fn next(&mut self) -> Option<Member<'d>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let name = Value { document: self.document, index: self.index };
        self.index = self.document.next(self.index + 1);
        Some(Member { name })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Members<'_> {}

/// Whether the text is exactly one JSON object or array.
pub fn is_container_text(text: &str) -> bool {
    let trimmed = text.trim_start_matches(reader::is_space_char);
    trimmed.starts_with(['{', '[']) && Document::parse(trimmed.as_bytes()).is_ok()
}

/// The content of the string, if the text is exactly one JSON string.
pub fn string_content(text: &str) -> Option<String> {
    let trimmed = text.trim_matches(reader::is_space_char);
    if !trimmed.starts_with('"') {
        return None;
    }
    let document = Document::parse(trimmed.as_bytes()).ok()?;
    document.root().as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_small_and_large_objects() {
        let small = Document::parse(br#"{"a":1,"b":{"c":[2,3]}}"#).unwrap();
        assert_eq!(small.root().get("b").unwrap().get("c").unwrap().len(), 2);
        assert!(small.root().get("c").is_none());

        let text = format!(
            "{{{}}}",
            (0..500).map(|n| format!("\"m{n}\":{n}")).collect::<Vec<_>>().join(",")
        );
        let large = Document::parse(text.as_bytes()).unwrap();
        for n in 0..500 {
            let value = large.root().get(&format!("m{n}")).unwrap();
            assert_eq!(value.source(), n.to_string());
        }
        assert!(large.root().get("m500").is_none());
    }

    #[test]
    fn steps_lead_to_values_and_to_member_names() {
        let document = Document::parse(br#"{"a":[{"b":1},{"b":2}]}"#).unwrap();
        let array = document.root().get("a").unwrap();
        let second = array.element(1).unwrap().get("b").unwrap();
        assert_eq!(
            second.steps_from(document.root()),
            [Step::Member("a"), Step::Element(1), Step::Member("b")]
        );
        let name = array.element(1).unwrap().members().next().unwrap().name_value();
        assert_eq!(
            name.steps_from(document.root()),
            [Step::Member("a"), Step::Element(1), Step::Member("b")]
        );
        assert_eq!(second.steps_from(array), [Step::Element(1), Step::Member("b")]);
        assert!(document.root().steps_from(document.root()).is_empty());
    }

    #[test]
    fn the_source_of_a_value_is_its_own_text() {
        let document = Document::parse(br#" { "a\n" : [ 1.50 , "x\"]" ] , "b" : null } "#).unwrap();
        let array = document.root().get("a\n").unwrap();
        assert_eq!(array.source(), r#"[ 1.50 , "x\"]" ]"#);
        assert_eq!(array.element(1).unwrap().source(), r#""x\"]""#);
        assert_eq!(document.root().get("b").unwrap().source(), "null");
    }

    #[test]
    fn a_node_stays_small() {
        assert_eq!(std::mem::size_of::<Node>(), 16);
    }
}
