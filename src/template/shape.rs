//! What was seen at one place of the samples: kinds, counts, and a bounded memory of values.
//!
//! Adding values and merging shapes come to the same in any order, so that the order of samples,
//! elements and members is irrelevant to what is inferred. The only exception is a set of samples
//! with more than [`MAX_SHAPES`] different places, of which the first ones are kept.

use std::collections::BTreeMap;

use crate::datetime::parse_instant;
use crate::json::{Kind, Number, Value};
use crate::schema::has_format;

/// Member names that an object may have as such; with more of them it is a map.
pub(super) const MAX_NAMES: usize = 256;

/// Places that are kept apart, over all samples.
pub(super) const MAX_SHAPES: usize = 200_000;

/// The formats that are looked for. A string can satisfy several; the first one is taken.
pub(super) const FORMATS: [&str; 5] = ["date", "date-time", "uuid", "email", "uri"];

/// Bytes of a text beyond which it has none of the formats, as far as this goes.
const MAX_FORMATTED: usize = 2_000;

/// Different texts that are remembered at one place, and their length: an enumeration has few
/// short values.
const MAX_DISTINCT: usize = 12;
const MAX_REMEMBERED: usize = 40;

/// All that was seen at one place.
#[derive(Clone, Default, Debug)]
pub(super) struct Shape {
    pub(super) nulls: u64,
    pub(super) booleans: u64,
    pub(super) integers: u64,
    pub(super) doubles: u64,
    /// Numbers below zero.
    pub(super) negatives: u64,
    pub(super) texts: Option<Box<Texts>>,
    pub(super) arrays: Option<Box<Arrays>>,
    pub(super) objects: Option<Box<Objects>>,
}

/// The strings at one place.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    pub(super) count: u64,
    /// Which of [`FORMATS`] all of them satisfy, by position.
    formats: [bool; FORMATS.len()],
    /// Whether all of them are dates or times that rules can compare.
    pub(super) instants: bool,
    /// How often each was seen; `None` where they are too many or too long.
    pub(super) distinct: Option<BTreeMap<String, u64>>,
}

/// The arrays at one place.
#[derive(Clone, Default, Debug)]
pub(super) struct Arrays {
    pub(super) count: u64,
    pub(super) elements: Shape,
}

/// The objects at one place.
#[derive(Clone, Default, Debug)]
pub(super) struct Objects {
    pub(super) count: u64,
    pub(super) members: BTreeMap<String, Presence>,
    /// The values of a map, whose names are data.
    pub(super) entries: Option<Box<Shape>>,
    /// Whether some members were not kept, because there are too many places.
    pub(super) cut: bool,
}

/// A member: in how many objects it is, and what its values are.
#[derive(Clone, Default, Debug)]
pub(super) struct Presence {
    pub(super) count: u64,
    pub(super) shape: Shape,
}

impl Shape {
    /// Adds a value. `room` is how many further places may be kept apart.
    pub(super) fn add(&mut self, value: Value<'_>, room: &mut usize) {
        match value.kind() {
            Kind::Null => self.nulls += 1,
            Kind::Boolean => self.booleans += 1,
            Kind::Integer => self.integers += 1,
            Kind::Double => self.doubles += 1,
            Kind::String => self
                .texts
                .get_or_insert_with(|| Box::new(Texts::none()))
                .add(value.as_str().unwrap_or_default()),
            Kind::Array => {
                let arrays = self.arrays.get_or_insert_default();
                arrays.count += 1;
                value.elements().for_each(|element| arrays.elements.add(element, room));
            }
            Kind::Object => self.objects.get_or_insert_default().add(value, room),
        }
        if value.as_number().is_some_and(is_negative) {
            self.negatives += 1;
        }
    }

    /// Adds what was seen at another place.
    pub(super) fn merge(&mut self, other: Shape) {
        self.nulls += other.nulls;
        self.booleans += other.booleans;
        self.integers += other.integers;
        self.doubles += other.doubles;
        self.negatives += other.negatives;
        if let Some(texts) = other.texts {
            self.texts.get_or_insert_with(|| Box::new(Texts::none())).merge(*texts);
        }
        if let Some(arrays) = other.arrays {
            let own = self.arrays.get_or_insert_default();
            own.count += arrays.count;
            own.elements.merge(arrays.elements);
        }
        if let Some(objects) = other.objects {
            self.objects.get_or_insert_default().merge(*objects);
        }
    }

    pub(super) fn numbers(&self) -> u64 {
        self.integers + self.doubles
    }

    pub(super) fn strings(&self) -> u64 {
        self.texts.as_ref().map_or(0, |texts| texts.count)
    }

    /// Values of any kind but `null`.
    pub(super) fn non_nulls(&self) -> u64 {
        let arrays = self.arrays.as_ref().map_or(0, |arrays| arrays.count);
        let objects = self.objects.as_ref().map_or(0, |objects| objects.count);
        self.booleans + self.numbers() + self.strings() + arrays + objects
    }

    /// Whether there are numbers, and nothing else but `null`.
    pub(super) fn is_numeric(&self) -> bool {
        self.numbers() > 0 && self.numbers() == self.non_nulls()
    }

    /// Whether there are strings, and nothing else but `null`.
    pub(super) fn is_textual(&self) -> bool {
        self.strings() > 0 && self.strings() == self.non_nulls()
    }

    /// The format that all strings have, if there are any.
    pub(super) fn format(&self) -> Option<&'static str> {
        let texts = self.texts.as_ref()?;
        texts.formats.iter().position(|&all| all).map(|place| FORMATS[place])
    }
}

fn is_negative(number: Number<'_>) -> bool {
    match number {
        Number::Integer(digits) => digits.starts_with('-') && digits != "-0",
        Number::Double(double) => double < 0.0,
    }
}

impl Texts {
    fn none() -> Texts {
        Texts {
            count: 0,
            formats: [true; FORMATS.len()],
            instants: true,
            distinct: Some(BTreeMap::new()),
        }
    }

    fn add(&mut self, text: &str) {
        self.count += 1;
        for (all, format) in self.formats.iter_mut().zip(FORMATS) {
            *all = *all && has_plainly(format, text);
        }
        self.instants = self.instants && parse_instant(text).is_some();
        let Some(distinct) = &mut self.distinct else { return };
        if let Some(count) = distinct.get_mut(text) {
            *count += 1;
        } else if distinct.len() < MAX_DISTINCT && text.len() <= MAX_REMEMBERED {
            distinct.insert(text.to_owned(), 1);
        } else {
            self.distinct = None;
        }
    }

    fn merge(&mut self, other: Texts) {
        self.count += other.count;
        for (all, others) in self.formats.iter_mut().zip(other.formats) {
            *all = *all && others;
        }
        self.instants = self.instants && other.instants;
        self.distinct = self.distinct.take().zip(other.distinct).and_then(|(mut own, others)| {
            for (text, count) in others {
                *own.entry(text).or_default() += count;
            }
            (own.len() <= MAX_DISTINCT).then_some(own)
        });
    }
}

/// Whether a text is plainly meant to have a format. `note: hi` is a URI too, as RFC 3986 has it.
fn has_plainly(format: &str, text: &str) -> bool {
    text.len() <= MAX_FORMATTED
        && (format != "uri" || text.contains("://"))
        && has_format(format, text)
}

impl Objects {
    fn add(&mut self, object: Value<'_>, room: &mut usize) {
        self.count += 1;
        for member in object.members() {
            let (name, value) = (member.name(), member.value());
            if let Some(entries) = &mut self.entries {
                entries.add(value, room);
            } else if let Some(presence) = self.members.get_mut(name) {
                presence.count += 1;
                presence.shape.add(value, room);
            } else if *room == 0 {
                self.cut = true;
            } else {
                *room -= 1;
                let mut presence = Presence { count: 1, shape: Shape::default() };
                presence.shape.add(value, room);
                self.members.insert(name.to_owned(), presence);
                if self.members.len() > MAX_NAMES {
                    *room += self.members.len();
                    self.make_map();
                }
            }
        }
    }

    fn merge(&mut self, mut other: Objects) {
        self.count += other.count;
        self.cut |= other.cut;
        if self.entries.is_some() || other.entries.is_some() {
            self.make_map();
            other.make_map();
            if let Some((own, others)) = self.entries.as_mut().zip(other.entries) {
                own.merge(*others);
            }
            return;
        }
        for (name, presence) in other.members {
            let own = self.members.entry(name).or_default();
            own.count += presence.count;
            own.shape.merge(presence.shape);
        }
        if self.members.len() > MAX_NAMES {
            self.make_map();
        }
    }

    /// Takes the names for data: all values are seen as one.
    pub(super) fn make_map(&mut self) {
        let mut entries = self.entries.take().unwrap_or_default();
        for (_, presence) in std::mem::take(&mut self.members) {
            entries.merge(presence.shape);
        }
        self.entries = Some(entries);
    }
}
