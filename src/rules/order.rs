//! `gte` and `lte`: every value is at least, or at most, another, give or take a tolerance.

use super::{
    Comparable, Exhausted, Rule, RuleType, Run, Target, comparable, groups, is_absent, place, unfit,
};
use crate::checks::CheckId;
use crate::finding::Finding;
use crate::json::{Number, Value};
use crate::message::short;
use crate::path::Reached;

/// Which side of the other the values are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    AtLeast,
    AtMost,
}

pub(super) fn check(
    rule: &Rule<'_>,
    target: &Target<'_>,
    side: Side,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let id = if side == Side::AtLeast { RuleType::Gte } else { RuleType::Lte }.check();
    for group in groups(&rule.field, target, output, run)? {
        let other = match (&group.target, target) {
            (Some(Reached::Value(value)), _) => Some(*value),
            (None, Target::Literal(value)) => Some(*value),
            _ => None,
        };
        let other_is_absent = group.target.as_ref().is_some_and(is_absent);
        if other_is_absent && rule.if_present {
            run.skipped += 1;
            continue;
        }
        let limit = other.and_then(comparable);
        for reached in &group.values {
            run.charge(1)?;
            if is_absent(reached) {
                run.skipped += u64::from(rule.if_present);
                if !rule.if_present {
                    let needed =
                        limit.as_ref().map_or("a number or an ISO-8601 date", Comparable::kind);
                    run.findings.add(|| unfit(id, output, reached, needed));
                }
                continue;
            }
            let Reached::Value(value) = reached else {
                continue;
            };
            run.seen += 1;
            charge_digits(*value, run)?;
            if let Some(other) = other {
                charge_digits(other, run)?;
            }
            let held = comparable(*value);
            let holds = match (&held, &limit) {
                (Some(held), Some(limit)) => match side {
                    Side::AtLeast => limit.is_at_most(held, &rule.tolerance),
                    Side::AtMost => held.is_at_most(limit, &rule.tolerance),
                },
                _ => None,
            };
            if holds == Some(true) {
                continue;
            }
            run.findings.add(|| {
                let name = group.target.as_ref().map(|target| place(output, target).0);
                let Some((limit, other)) = limit.as_ref().zip(other) else {
                    let target = group.target.as_ref();
                    return unordered(id, output, reached, target, name.as_deref());
                };
                let shown = match &name {
                    Some(name) => format!("{name} ({})", short(other)),
                    None => short(other),
                };
                if holds.is_none() {
                    let needed = format!("{} to hold against {shown}", limit.kind());
                    return unfit(id, output, reached, &needed);
                }
                let (relation, fault) = match side {
                    Side::AtLeast => (">=", "less"),
                    Side::AtMost => ("<=", "greater"),
                };
                let (field, offset) = place(output, reached);
                let found = short(*value);
                Finding {
                    check: id,
                    field,
                    offset,
                    expected: format!("a value {relation} {shown}"),
                    detail: format!("{found} is {fault} than {shown}"),
                    found,
                    advice: None,
                    requirement: None,
                }
            });
        }
    }
    Ok(())
}

/// Comparing long integers costs more than a step.
fn charge_digits(value: Value<'_>, run: &mut Run<'_>) -> Result<(), Exhausted> {
    match value.as_number() {
        Some(Number::Integer(digits)) => run.charge(digits.len() as u64 / 16),
        _ => Ok(()),
    }
}

/// A finding about a value whose other is missing or has no order.
fn unordered(
    id: CheckId,
    output: Value<'_>,
    reached: &Reached<'_, '_>,
    target: Option<&Reached<'_, '_>>,
    name: Option<&str>,
) -> Finding {
    let (field, offset) = place(output, reached);
    let found = match target {
        Some(Reached::Value(value)) => {
            format!("{} is {}", name.unwrap_or("the other value"), super::describe(*value).0)
        }
        _ => format!("{} missing", name.unwrap_or("the other value")),
    };
    let expected = format!(
        "{} to be a number or an ISO-8601 date to hold it against",
        name.unwrap_or("the other value")
    );
    Finding {
        check: id,
        field,
        offset,
        detail: format!("{found}, expected a number or an ISO-8601 date there"),
        expected,
        found,
        advice: None,
        requirement: None,
    }
}
