//! What `gte`, `lte` and bounds can compare: numbers, and ISO-8601 dates and date-times.

use std::cmp::Ordering;

use crate::datetime::{Instant, parse_instant};
use crate::decimal::Decimal;
use crate::json::{Number, Value};

/// A value that has an order.
#[derive(Clone, Debug)]
pub(crate) enum Comparable<'d> {
    /// A number
    Number(Number<'d>),
    /// A date or date-time
    Instant(Instant),
}

/// The value's place in an order; `None` for any other kind.
pub(crate) fn comparable(value: Value<'_>) -> Option<Comparable<'_>> {
    if let Some(number) = value.as_number() {
        return Some(Comparable::Number(number));
    }
    value.as_str().and_then(parse_instant).map(Comparable::Instant)
}

impl Comparable<'_> {
    /// What kind of value can be held against this one.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Comparable::Number(_) => "a number",
            Comparable::Instant(_) => "an ISO-8601 date",
        }
    }

    /// The order of two values of one kind; `None` for a number against a date.
    pub(crate) fn order(&self, other: &Comparable<'_>) -> Option<Ordering> {
        match (self, other) {
            (Comparable::Number(a), Comparable::Number(b)) => Some(a.compare(*b)),
            (Comparable::Instant(a), Comparable::Instant(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Whether this exceeds `other` by no more than a tolerance, which dates do not have.
    pub(crate) fn is_at_most(&self, other: &Comparable<'_>, tolerance: &Decimal) -> Option<bool> {
        let order = self.order(other)?;
        Some(match (self, other) {
            (Comparable::Number(a), Comparable::Number(b)) if order.is_gt() => {
                &a.to_decimal() - &b.to_decimal() <= *tolerance
            }
            _ => order.is_le(),
        })
    }
}
