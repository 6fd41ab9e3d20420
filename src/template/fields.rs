//! The places of the samples that rules can name: those that a path leads to.

use super::shape::Shape;
use crate::path::{FieldPath, PathStep, PathWriter};

/// Places that rules are looked for at.
const MAX_FIELDS: usize = 4_000;

/// A place that a path leads to.
#[derive(Debug)]
pub(super) struct Field<'s> {
    pub(super) path: FieldPath,
    pub(super) shape: &'s Shape,
    /// Whether it is there, and not `null`, wherever the path's `[]` lead.
    pub(super) certain: bool,
}

impl Field<'_> {
    pub(super) fn steps(&self) -> &[PathStep] {
        self.path.steps()
    }

    /// The name of the member that its values are, or are elements of.
    pub(super) fn name(&self) -> &str {
        name_of(self.steps())
    }

    /// The steps to the object that it is a member of; `None` for elements and the root.
    pub(super) fn object(&self) -> Option<&[PathStep]> {
        match self.steps() {
            [object @ .., PathStep::Member(_)] => Some(object),
            _ => None,
        }
    }

    /// Whether there is nothing but values that can have one number or text.
    pub(super) fn is_scalar(&self) -> bool {
        self.shape.is_numeric() || self.shape.is_textual()
    }
}

/// The last member name of a path; none at the root.
pub(super) fn name_of(steps: &[PathStep]) -> &str {
    let names = steps.iter().rev().filter_map(|step| match step {
        PathStep::Member(name) => Some(name.as_str()),
        _ => None,
    });
    names.into_iter().next().unwrap_or_default()
}

/// How many leading steps there are up to the last `[]`.
pub(super) fn repeated(steps: &[PathStep]) -> usize {
    steps.iter().rposition(|step| *step == PathStep::Each).map_or(0, |last| last + 1)
}

/// All places, in the order of their names, save those inside maps.
pub(super) fn fields(shape: &Shape) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    collect(shape, &mut Vec::new(), true, &mut found);
    found
}

fn collect<'s>(
    shape: &'s Shape,
    steps: &mut Vec<PathStep>,
    certain: bool,
    found: &mut Vec<Field<'s>>,
) {
    if found.len() >= MAX_FIELDS {
        return;
    }
    let certain = certain && shape.nulls == 0;
    if let Some(path) = path_of(steps) {
        found.push(Field { path, shape, certain });
    }
    if let Some(objects) = &shape.objects {
        let only = objects.count == shape.non_nulls();
        for (name, member) in &objects.members {
            steps.push(PathStep::Member(name.clone()));
            let present = member.count == objects.count;
            collect(&member.shape, steps, certain && only && present, found);
            steps.pop();
        }
    }
    if let Some(arrays) = &shape.arrays {
        steps.push(PathStep::Each);
        collect(&arrays.elements, steps, certain && arrays.count == shape.non_nulls(), found);
        steps.pop();
    }
}

/// The path of some steps; `None` where none leads there, as to a member without a name.
pub(super) fn path_of(steps: &[PathStep]) -> Option<FieldPath> {
    let mut path = PathWriter::root();
    steps.iter().for_each(|step| path.step(step));
    FieldPath::parse(&path.field()).ok().filter(|path| path.steps() == steps)
}
