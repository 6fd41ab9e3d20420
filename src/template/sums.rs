//! Sums: an array's numbers that add up to another number, in every sample and every group.
//!
//! Numbers propose, names decide. One group with the right sum can be chance, unless the target is
//! called a total and the parts are not the price of one; without such names it takes several.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::fields::{Field, repeated};
use super::relations::{default_tolerance, rule};
use super::{NoteKind, Notes, names};
use crate::decimal::Decimal;
use crate::json::Value;
use crate::path::{PathStep, Reached};
use crate::rules::{Ask, Rule, Target};

/// Parts that are looked at, and targets for each: work grows with their product.
const MAX_PARTS: usize = 200;
const MAX_TARGETS: usize = 24;

/// Groups that must add up where names do not say that they do, and where names leave a choice.
const WITHOUT_NAMES: u64 = 3;
const WITHOUT_DOUBT: u64 = 5;

/// Parts and a target, with the groups that speak for them.
struct Sum<'f, 's> {
    parts: &'f Field<'s>,
    target: &'f Field<'s>,
    /// Groups that add up, of two parts or more that are not 0, to more than a handful.
    telling: u64,
    /// Whether something was missing or `null` on the way.
    absent: bool,
    alive: bool,
}

/// Finds them.
pub(super) fn sums(
    fields: &[Field<'_>],
    samples: &[Value<'_>],
    notes: &mut Notes,
) -> Vec<Rule<'static>> {
    let numbers: Vec<&Field<'_>> = fields
        .iter()
        .filter(|field| field.shape.is_numeric() && !names::is_label(field.name()))
        .collect();
    let parts = numbers.iter().filter(|field| field.steps().contains(&PathStep::Each));
    let mut found = Vec::new();
    for parts in parts.take(MAX_PARTS) {
        let targets = targets(parts, &numbers);
        let mut sums: Vec<Sum<'_, '_>> = targets
            .into_iter()
            .map(|target| Sum { parts, target, telling: 0, absent: false, alive: true })
            .collect();
        for sample in samples {
            sums.retain(|sum| sum.alive);
            if sums.is_empty() {
                break;
            }
            observe(parts, &mut sums, *sample);
        }
        found.extend(sums.into_iter().filter(|sum| sum.alive && is_plain(sum, fields)));
    }
    choose(found, notes)
}

/// The numbers that parts can add up to: beside the array or above it, or in an object beside it;
/// those that are called totals first.
fn targets<'f, 's>(parts: &Field<'s>, numbers: &[&'f Field<'s>]) -> Vec<&'f Field<'s>> {
    let list = &parts.steps()[..repeated(parts.steps()) - 1];
    let Some((_, around)) = list.split_last() else {
        return Vec::new();
    };
    let is_target = |field: &&&'f Field<'s>| {
        let Some(object) = field.object() else { return false };
        let beside = around.starts_with(object);
        let within = || match object {
            [front @ .., PathStep::Member(_)] => {
                around.starts_with(front) && !list.starts_with(object)
            }
            _ => false,
        };
        beside || within()
    };
    let mut targets: Vec<&'f Field<'s>> = numbers.iter().filter(is_target).copied().collect();
    targets.sort_by_key(|target| !names::is_total(target.name()));
    targets.truncate(MAX_TARGETS);
    targets
}

/// Holds sums of the same parts against a sample.
fn observe(parts: &Field<'_>, sums: &mut [Sum<'_, '_>], sample: Value<'_>) {
    // Targets that share the same `[]` have the same groups.
    let mut by_shared: HashMap<usize, Vec<usize>> = HashMap::new();
    for (place, sum) in sums.iter().enumerate() {
        by_shared.entry(sum.target.path.repeated_steps()).or_default().push(place);
    }
    let tolerance = default_tolerance();
    for (shared, mut places) in by_shared {
        parts.path.follow(0..shared, sample, &mut |reached| {
            let Reached::Value(root) = reached else {
                places.iter().for_each(|&place| sums[place].absent = true);
                return;
            };
            places.retain(|&place| sums[place].alive);
            if places.is_empty() {
                return;
            }
            let group = add_up(parts, shared, root);
            for &place in &places {
                compare(&mut sums[place], shared, root, &group, &tolerance);
            }
        });
    }
}

/// The sum of one group.
#[derive(Default)]
struct Added {
    total: Option<Decimal>,
    addends: u64,
    non_zero: u64,
    absent: u64,
    fraction: bool,
}

fn add_up(parts: &Field<'_>, shared: usize, root: Value<'_>) -> Added {
    let mut added = Added::default();
    let mut total = Decimal::ZERO;
    parts.path.follow(shared..parts.steps().len(), root, &mut |reached| {
        let number = match reached {
            Reached::Value(value) => value.as_number(),
            Reached::Missing { .. } => None,
        };
        let Some(number) = number else {
            added.absent += 1;
            return;
        };
        let number = number.to_decimal();
        added.addends += 1;
        added.non_zero += u64::from(!number.is_zero());
        added.fraction |= !number.is_integer();
        total += &number;
    });
    // Without any addend left there is no sum, but that of an empty array is 0.
    added.total = (added.addends > 0 || added.absent == 0).then_some(total);
    added
}

fn compare(
    sum: &mut Sum<'_, '_>,
    shared: usize,
    root: Value<'_>,
    group: &Added,
    tolerance: &Decimal,
) {
    let path = &sum.target.path;
    let mut wanted = None;
    path.follow(shared..path.steps().len(), root, &mut |reached| {
        if let Reached::Value(value) = reached {
            wanted = value.as_number();
        }
    });
    sum.absent |= group.absent > 0 || wanted.is_none();
    let Some((wanted, total)) = wanted.zip(group.total.as_ref()) else {
        return;
    };
    if (total - &wanted.to_decimal()).abs() > *tolerance {
        sum.alive = false;
        return;
    }
    let large = total.abs() >= Decimal::from_integer_literal("10");
    sum.telling += u64::from(group.non_zero >= 2 && (large || group.fraction));
}

/// Whether a sum is no chance.
fn is_plain(sum: &Sum<'_, '_>, fields: &[Field<'_>]) -> bool {
    let (parts, target) = (sum.parts.name(), sum.target.name());
    let counted = sum.parts.object().is_some_and(|object| {
        let beside = fields.iter().filter(|field| field.object() == Some(object));
        beside.map(Field::name).any(names::is_count)
    });
    let per_unit = counted && names::is_per_unit(parts);
    let same_measure = names::is_count(parts) == names::is_count(target) || names::is_total(target);
    let named = names::is_total(target) || names::are_related(parts, target);
    if named && same_measure && !per_unit { sum.telling >= 1 } else { sum.telling >= WITHOUT_NAMES }
}

/// Of several parts for a target, and several targets for some parts, keeps the one that names
/// speak for, unless the samples leave no doubt.
fn choose(found: Vec<Sum<'_, '_>>, notes: &mut Notes) -> Vec<Rule<'static>> {
    let array = |sum: &Sum<'_, '_>| repeated(sum.parts.steps());
    let rank = |sum: &Sum<'_, '_>| {
        let (parts, target) = (sum.parts.name(), sum.target.name());
        (
            // The sums of the innermost groups imply those around them.
            Reverse(sum.target.path.repeated_steps()),
            names::total_rank(target).unwrap_or(usize::MAX),
            !names::are_related(parts, target),
            names::is_per_unit(parts),
            sum.parts.path.as_written().to_owned(),
            sum.target.path.as_written().to_owned(),
        )
    };
    let mut found = found;
    found.sort_by_cached_key(rank);
    let mut kept: Vec<&Sum<'_, '_>> = Vec::new();
    for sum in &found {
        let rival = kept.iter().find(|other| {
            let same_array = array(other) == array(sum)
                && other.parts.steps()[..array(sum)] == sum.parts.steps()[..array(sum)];
            let same_target = other.target.path == sum.target.path;
            let related = names::are_related(sum.parts.name(), sum.target.name());
            other.parts.path == sum.parts.path || same_array && (same_target || !related)
        });
        match rival {
            Some(rival) if sum.telling < WITHOUT_DOUBT => notes.add(NoteKind::Open, || {
                let text = format!(
                    "adds up to {} too; only {} = {} is a rule",
                    sum.target.path.as_written(),
                    rival.parts.path.as_written(),
                    rival.target.path.as_written()
                );
                (sum.parts.path.as_written().to_owned(), text)
            }),
            _ => kept.push(sum),
        }
    }
    let rules = kept.into_iter().map(|sum| {
        let certain = sum.parts.certain && sum.target.certain && !sum.absent;
        rule(sum.parts, !certain, Ask::SumEquals(Target::Field(sum.target.path.clone())))
    });
    let mut rules: Vec<Rule<'static>> = rules.collect();
    rules.sort_by(|a, b| a.field.as_written().cmp(b.field.as_written()));
    rules
}

#[cfg(test)]
mod tests {
    use crate::template::tests::{inferred, rules};

    fn sums(samples: &[&str]) -> Vec<String> {
        rules(samples).into_iter().filter(|rule| rule.contains("sum_equals")).collect()
    }

    #[test]
    fn parts_of_a_total_add_up_to_it() {
        let invoice = r#"{"lines": [{"line_total": 10.1}, {"line_total": 20.2}], "total": 30.3}"#;
        assert_eq!(sums(&[invoice]), ["lines[].line_total sum_equals total"]);
        let wrong = invoice.replace("30.3", "30.4");
        assert_eq!(sums(&[invoice, &wrong]), [""; 0]);
        let each = format!("{{\"invoices\": [{invoice}, {invoice}], \"grand_total\": 60.6}}");
        assert_eq!(
            sums(&[&each]),
            [
                "invoices[].lines[].line_total sum_equals invoices[].total",
                "invoices[].total sum_equals grand_total"
            ]
        );
        let wrong = each.replacen("30.3", "30.4", 1);
        assert_eq!(
            sums(&[&wrong]),
            ["invoices[].lines[].line_total sum_equals grand_total"],
            "all of them still add up"
        );
        let numbers = r#"{"parts": [4, 5, 6], "result": {"total": 15}}"#;
        assert_eq!(sums(&[numbers]), ["parts[] sum_equals result.total"]);
        let empty = r#"{"parts": [], "result": {"total": 0}}"#;
        assert_eq!(sums(&[numbers, empty]), ["parts[] sum_equals result.total"]);
        assert_eq!(sums(&[numbers, r#"{"parts": [], "result": {"total": 1}}"#]), [""; 0]);
        assert_eq!(
            sums(&[numbers, r#"{"parts": [null, 7], "result": {"total": 7}}"#, "{}"]),
            ["parts[]? sum_equals result.total"]
        );
        let long = "9".repeat(60);
        let huge = format!(r#"{{"parts": [{long}, 1], "total": 1{}}}"#, "0".repeat(60));
        assert_eq!(sums(&[&huge]), ["parts[] sum_equals total"]);
    }

    #[test]
    fn a_coincidence_is_no_rule() {
        for sample in [
            r#"{"parts": [12], "total": 12}"#,
            r#"{"parts": [12, 0], "total": 12}"#,
            r#"{"parts": [1, 2], "total": 3}"#,
            r#"{"parts": [4, 8], "height": 12}"#,
            r#"{"ids": [4, 8], "total": 12}"#,
            r#"{"parts": [{"unit_price": 4, "qty": 1}, {"unit_price": 8, "qty": 1}], "total": 12}"#,
        ] {
            assert_eq!(sums(&[sample]), [""; 0], "{sample}");
        }
        // Three times is none.
        let samples = [[4, 8, 12], [5, 9, 14], [20, 30, 50]]
            .map(|[a, b, c]| format!(r#"{{"parts": [{a}, {b}], "height": {c}}}"#));
        let samples = samples.each_ref().map(String::as_str);
        assert_eq!(sums(&samples[..2]), [""; 0]);
        assert_eq!(sums(&samples), ["parts[] sum_equals height"]);
    }

    #[test]
    fn where_several_add_up_names_choose_and_the_others_are_mentioned() {
        let sample = r#"{"lines": [{"line_total": 10, "weight": 10}, {"line_total": 20, "weight": 20}],
                         "subtotal": 30, "total": 30}"#;
        assert_eq!(sums(&[sample]), ["lines[].line_total sum_equals subtotal"]);
        let notes = inferred(&[sample]).notes;
        let told = notes.iter().map(|note| format!("{}: {}", note.field, note.text));
        assert!(told.clone().any(|note| note
            == "lines[].line_total: adds up to total too; only lines[].line_total = subtotal is a \
                rule"));
    }
}
