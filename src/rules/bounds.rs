//! Bounds: every value of a path within a range, both ends included, exactly.

use super::{Comparable, Exhausted, Run, comparable, is_absent, place, unfit};
use crate::checks::CheckId;
use crate::finding::Finding;
use crate::json::{Number, Value};
use crate::message::short;
use crate::path::{FieldPath, Reached};

/// A bound, read from a request.
#[derive(Clone, Debug)]
pub struct Bound<'d> {
    /// The path whose values it is about.
    pub field: FieldPath,
    /// The least value allowed, a number or a date.
    pub min: Option<Value<'d>>,
    /// The greatest value allowed.
    pub max: Option<Value<'d>>,
    /// Whether what is missing or `null` is skipped.
    pub if_present: bool,
}

impl Bound<'_> {
    /// Holds the bound against an output.
    pub(crate) fn check(&self, output: Value<'_>, run: &mut Run<'_>) -> Result<(), Exhausted> {
        let id = CheckId::BOUNDS_RANGE;
        let min = self.min.and_then(|value| Some((value, comparable(value)?)));
        let max = self.max.and_then(|value| Some((value, comparable(value)?)));
        let expected = self.expected();
        let kind = min.as_ref().or(max.as_ref()).map_or("a number", |(_, limit)| limit.kind());
        for reached in run.reach(&self.field, 0..self.field.steps().len(), output)? {
            if is_absent(&reached) {
                run.skipped += u64::from(self.if_present);
                if !self.if_present {
                    run.findings.add(|| unfit(id, output, &reached, kind));
                }
                continue;
            }
            let Reached::Value(value) = reached else {
                continue;
            };
            run.seen += 1;
            if let Some(Number::Integer(digits)) = value.as_number() {
                run.charge(digits.len() as u64 / 16)?;
            }
            let held = comparable(value);
            let order = |limit: &Option<(Value<'_>, Comparable<'_>)>| {
                let (_, limit) = limit.as_ref()?;
                Some(held.as_ref()?.order(limit))
            };
            let (to_min, to_max) = (order(&min), order(&max));
            if held.is_none() || to_min == Some(None) || to_max == Some(None) {
                run.findings.add(|| unfit(id, output, &reached, kind));
                continue;
            }
            let below = to_min.flatten().is_some_and(std::cmp::Ordering::is_lt);
            let above = to_max.flatten().is_some_and(std::cmp::Ordering::is_gt);
            let Some((limit, side)) = (match (below, above) {
                (true, _) => self.min.map(|limit| (limit, "below the minimum")),
                (_, true) => self.max.map(|limit| (limit, "above the maximum")),
                _ => None,
            }) else {
                continue;
            };
            run.findings.add(|| {
                let (field, offset) = place(output, &reached);
                let found = short(value);
                Finding {
                    check: id,
                    field,
                    offset,
                    expected: expected.clone(),
                    detail: format!("{found} is {side} {}", short(limit)),
                    found,
                    advice: None,
                    requirement: None,
                }
            });
        }
        Ok(())
    }

    fn expected(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("a value from {} to {}", short(min), short(max)),
            (Some(min), None) => format!("a value >= {}", short(min)),
            (None, Some(max)) => format!("a value <= {}", short(max)),
            (None, None) => "a value".to_owned(),
        }
    }
}
