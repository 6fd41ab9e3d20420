//! `sum_equals`: the values of a path add up to a target, exactly but for a tolerance.

use super::{Exhausted, Group, Rule, Run, Target, groups, is_absent, place, unfit};
use crate::checks::CheckId;
use crate::decimal::Decimal;
use crate::finding::{Finding, MAX_LISTED};
use crate::json::{Number, Value};
use crate::message;
use crate::path::{PathWriter, Reached};

pub(super) fn check(
    rule: &Rule<'_>,
    target: &Target<'_>,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let id = super::RuleType::SumEquals.check();
    for group in groups(&rule.field, target, output, run)? {
        check_group(rule, target, id, &group, output, run)?;
    }
    Ok(())
}

/// A sum in the making.
struct Sum {
    total: Decimal,
    has_double: bool,
    addends: u64,
    /// Places that are no number, the first of them.
    unfit: Vec<usize>,
    unfit_total: u64,
}

fn add_up(rule: &Rule<'_>, group: &Group<'_, '_>, run: &mut Run<'_>) -> Result<Sum, Exhausted> {
    let mut sum = Sum {
        total: Decimal::ZERO,
        has_double: false,
        addends: 0,
        unfit: Vec::new(),
        unfit_total: 0,
    };
    for (position, reached) in group.values.iter().enumerate() {
        let number = match reached {
            Reached::Value(value) => value.as_number(),
            Reached::Missing { .. } => None,
        };
        if let Some(number) = number {
            if let Number::Integer(digits) = number {
                run.charge(digits.len() as u64 / 16)?;
            }
            sum.has_double |= matches!(number, Number::Double(_));
            sum.total += &number.to_decimal();
            sum.addends += 1;
        } else if rule.if_present && is_absent(reached) {
            run.skipped += 1;
        } else {
            sum.unfit_total += 1;
            if sum.unfit.len() < MAX_LISTED {
                sum.unfit.push(position);
            }
        }
    }
    run.seen += sum.addends;
    Ok(sum)
}

fn check_group(
    rule: &Rule<'_>,
    target: &Target<'_>,
    id: CheckId,
    group: &Group<'_, '_>,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let sum = add_up(rule, group, run)?;
    let literal = match target {
        Target::Literal(value) => Some(*value),
        Target::Field(_) => None,
    };
    let target_value = match (&group.target, literal) {
        (Some(Reached::Value(value)), _) => Some(*value),
        (None, literal) => literal,
        (Some(Reached::Missing { .. }), _) => None,
    };
    let wanted = target_value.and_then(|value| Some((value, value.as_number()?)));
    let target_is_absent = group.target.as_ref().is_some_and(is_absent);
    let unfit_target = group
        .target
        .as_ref()
        .filter(|_| wanted.is_none() && !(rule.if_present && target_is_absent));
    if sum.unfit_total > 0 || unfit_target.is_some() {
        report_unfit(id, output, group, &sum, unfit_target, run);
        return Ok(());
    }
    let lost_all = !group.values.is_empty() && sum.addends == 0;
    let Some((target_value, wanted)) = wanted.filter(|_| !lost_all) else {
        return Ok(());
    };
    let wanted_decimal = wanted.to_decimal();
    let difference = (&sum.total - &wanted_decimal).abs();
    if difference <= rule.tolerance {
        return Ok(());
    }
    run.findings.add(|| {
        let printed = print(&sum);
        let wanted = match &group.target {
            Some(reached) => format!("{} ({})", place(output, reached).0, message::number(wanted)),
            None => message::number(wanted),
        };
        let shared = match target {
            Target::Field(path) => path.repeated_steps(),
            Target::Literal(_) => 0,
        };
        let field = if shared == 0 {
            rule.field.as_written().to_owned()
        } else {
            let mut path = PathWriter::between(output, group.root);
            rule.field.steps()[shared..].iter().for_each(|step| path.step(step));
            path.field()
        };
        let at = if group.target.is_some() { target_value } else { output };
        Finding {
            check: id,
            field,
            offset: at.offset(),
            expected: format!("a sum equal to {wanted}"),
            found: format!("sum {printed}"),
            detail: format!("values sum to {printed}, expected {wanted}"),
            advice: Some(format!(
                "The sum is {} {} the target; correct whichever is wrong.",
                message_decimal(&difference),
                if sum.total < wanted_decimal { "below" } else { "above" }
            )),
            requirement: None,
        }
    });
    Ok(())
}

/// What is no number: the addends in order, and the target in its place among them.
fn report_unfit(
    id: CheckId,
    output: Value<'_>,
    group: &Group<'_, '_>,
    sum: &Sum,
    target: Option<&Reached<'_, '_>>,
    run: &mut Run<'_>,
) {
    if run.findings.is_full() {
        run.findings.add_unlisted(sum.unfit_total + u64::from(target.is_some()));
        return;
    }
    let mut places: Vec<&Reached<'_, '_>> =
        sum.unfit.iter().map(|&position| &group.values[position]).collect();
    places.extend(target);
    places.sort_by_key(|reached| match reached {
        Reached::Value(value) => value.index(),
        Reached::Missing { within, .. } => within.index(),
    });
    for reached in &places {
        run.findings.add(|| unfit(id, output, reached, "a number"));
    }
    run.findings.add_unlisted(sum.unfit_total - sum.unfit.len() as u64);
}

/// The exact sum, with `.0` where it is whole and an addend is a double.
fn print(sum: &Sum) -> String {
    let text = message_decimal(&sum.total);
    if sum.has_double && sum.total.is_integer() { text + ".0" } else { text }
}

fn message_decimal(decimal: &Decimal) -> String {
    crate::text::shortened(&decimal.to_string())
}
