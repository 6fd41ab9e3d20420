//! Rules between fields that their names propose and that the samples bear out: orders, references
//! and unique ids; and bounds. What a name proposes is held against every sample with the very code
//! that `verify` runs; sums, which numbers propose, are in [`super::sums`].

use std::collections::HashMap;

use super::fields::{Field, name_of, repeated};
use super::names;
use crate::decimal::Decimal;
use crate::finding::Findings;
use crate::json::Value;
use crate::path::{FieldPath, PathStep, Reached};
use crate::rules::{Ask, Rule, Run, Target};

/// Rules of one type that are proposed.
const MAX_PROPOSED: usize = 200;

/// Values from which on numbers that were never negative are taken to be so by nature.
const ENOUGH_NUMBERS: u64 = 20;

/// The tolerance that a rule has where it names none.
pub(super) fn default_tolerance() -> Decimal {
    Decimal::from_f64(1e-9)
}

pub(super) fn rule(field: &Field<'_>, if_present: bool, ask: Ask<'static>) -> Rule<'static> {
    Rule { field: field.path.clone(), if_present, tolerance: default_tolerance(), ask }
}

/// Whether a rule holds in every sample, and how many values it saw at most in one of them.
fn held(rule: &Rule<'_>, samples: &[Value<'_>]) -> Option<u64> {
    let mut most = 0;
    for sample in samples {
        let mut findings = Findings::default();
        let mut run = Run::new(*sample, &mut findings);
        rule.check(*sample, &mut run).ok()?;
        most = most.max(run.seen);
        if findings.total() > 0 {
            return None;
        }
    }
    Some(most)
}

/// `gte` between two members of an object whose names say which comes first.
pub(super) fn orders(fields: &[Field<'_>], samples: &[Value<'_>]) -> Vec<Rule<'static>> {
    let mut by_object: HashMap<&[PathStep], Vec<&Field<'_>>> = HashMap::new();
    for field in fields {
        let dates = is_dates(field);
        if let Some(object) = field.object()
            && (dates || field.shape.is_numeric())
        {
            by_object.entry(object).or_default().push(field);
        }
    }
    let mut proposed = Vec::new();
    for group in by_object.values() {
        // A discount makes a total smaller than its subtotal.
        let discounted = group.iter().any(|field| field.name().contains("discount"));
        for low in group {
            for high in group {
                let alike = is_dates(low) == is_dates(high)
                    && low.shape.format() == high.shape.format()
                    && names::are_ordered(low.name(), high.name(), is_dates(low));
                if alike && !(discounted && names::is_total(high.name())) {
                    proposed.push((*low, *high));
                }
            }
        }
    }
    proposed.sort_by_key(|(low, high)| (high.path.as_written(), low.path.as_written()));
    proposed.truncate(MAX_PROPOSED);
    let rules = proposed.into_iter().filter_map(|(low, high)| {
        let if_present = !(low.certain && high.certain);
        let target = || Target::Field(low.path.clone());
        let gte = rule(high, if_present, Ask::Gte(target()));
        // Two values that are always the same show no order.
        let seen = held(&gte, samples)?;
        let same = held(&rule(high, if_present, Ask::Lte(target())), samples).is_some();
        (seen > 0 && !same).then_some(gte)
    });
    rules.collect()
}

fn is_dates(field: &Field<'_>) -> bool {
    field.shape.is_textual() && field.shape.texts.as_ref().is_some_and(|texts| texts.instants)
}

/// `unique` over what identifies the elements of an array.
pub(super) fn unique_ids(fields: &[Field<'_>], samples: &[Value<'_>]) -> Vec<Rule<'static>> {
    let ids = fields.iter().filter(|field| field.is_scalar() && is_own_id(field));
    let rules = ids.take(MAX_PROPOSED).filter_map(|field| {
        let unique = rule(field, !field.certain, Ask::Unique);
        let seen = held(&unique, samples)?;
        // `null` twice is a repetition; an id is no fraction.
        let fit = seen >= 2 && field.shape.doubles == 0;
        // Numbered within each list, ids repeat as soon as there are two lists.
        (fit && is_seen_apart(field, samples)).then_some(unique)
    });
    rules.collect()
}

/// `id`, or `order_id` in `orders`: the id of the element itself, not of what it refers to.
fn is_own_id(field: &Field<'_>) -> bool {
    let steps = field.steps();
    let [array @ .., PathStep::Each, PathStep::Member(name)] = steps else {
        return false;
    };
    let words = names::words(name);
    let is_key = |word: &String| matches!(word.as_str(), "id" | "uuid" | "guid");
    match words.split_last() {
        Some((key, [])) => is_key(key),
        Some((key, front)) => is_key(key) && front == names::singular_words(name_of(array)),
        None => false,
    }
}

/// Whether ids below several `[]` were seen in more than one list of one sample.
fn is_seen_apart(field: &Field<'_>, samples: &[Value<'_>]) -> bool {
    let lists = repeated(field.steps()) - 1;
    if !field.steps()[..lists].contains(&PathStep::Each) {
        return true;
    }
    samples.iter().any(|sample| {
        let mut filled = 0u32;
        field.path.follow(0..lists, *sample, &mut |reached| {
            filled += u32::from(matches!(reached, Reached::Value(list) if !list.is_empty()));
        });
        filled >= 2
    })
}

/// `exists_in` from a field that is named after an array, or after its own id, to that array's id.
pub(super) fn references(
    fields: &[Field<'_>],
    ids: &[Rule<'static>],
    samples: &[Value<'_>],
) -> Vec<Rule<'static>> {
    let ids: Vec<&FieldPath> = ids.iter().map(|rule| &rule.field).collect();
    let mut rules = Vec::new();
    for field in fields.iter().filter(|field| field.is_scalar() && !is_own_id(field)) {
        let words = names::singular_words(field.name());
        let Some((last, front)) = words.split_last() else { continue };
        if last != "id" && !(front.is_empty() && is_end(last)) {
            continue;
        }
        for &id in &ids {
            if rules.len() < MAX_PROPOSED && refers_to(field, last, front, id) {
                let in_field = id.clone();
                let exists = rule(field, !field.certain, Ask::ExistsInField(in_field));
                rules.extend(held(&exists, samples).filter(|&seen| seen > 0).map(|_| exists));
            }
        }
    }
    rules
}

/// Whether a field is named after the elements that have this id: `customer_id` after
/// `customers[].id`, `parent_id` after the `id` beside it, `from` of an edge after `nodes[].id`.
fn refers_to(field: &Field<'_>, last: &str, front: &[String], id: &FieldPath) -> bool {
    let array = &id.steps()[..repeated(id.steps()) - 1];
    let element = names::singular_words(name_of(array));
    if last == "id" {
        let beside = field.object() == id.steps().get(..id.steps().len() - 1);
        return !front.is_empty() && (front == element || beside && front == ["parent"]);
    }
    let owner = field.object().map(|object| names::singular_words(name_of(object)));
    let is_edge = owner.is_some_and(|owner| owner == ["edge"] || owner == ["link"]);
    is_edge && (element == ["node"] || element == ["vertex"])
}

/// The ends of an edge.
fn is_end(name: &str) -> bool {
    matches!(name, "from" | "to" | "source" | "target")
}

/// Whether numbers were never negative, and cannot well be.
pub(super) fn is_from_zero(field: &Field<'_>) -> bool {
    let (shape, name) = (field.shape, field.name());
    let never = shape.is_numeric() && shape.negatives == 0;
    let enough = shape.numbers() >= ENOUGH_NUMBERS && !names::is_signed(name);
    never && (enough || names::is_from_zero(name))
}

#[cfg(test)]
mod tests {
    use crate::template::tests::rules;

    #[test]
    fn orders_are_named_and_hold_everywhere() {
        let stay = r#"{"start_date": "2024-01-01", "end_date": "2024-01-03", "min": 1, "max": 2,
                       "other": 7}"#;
        assert_eq!(rules(&[stay]), ["end_date gte start_date", "max gte min"]);
        let reversed = r#"{"start_date": "2024-01-04", "end_date": "2024-01-03", "min": 1,
                           "max": null}"#;
        assert_eq!(rules(&[stay, reversed]), ["max? gte min"]);
        assert_eq!(rules(&[r#"{"min": 1, "max": 1}"#]), [""; 0], "no order was seen");
        assert_eq!(rules(&[r#"{"from": 1, "to": 2}"#]), [""; 0], "no dates");
        assert_eq!(rules(&[r#"{"min": 1, "max": "2024-01-01"}"#]), [""; 0]);
        assert_eq!(rules(&[r#"{"subtotal": 1, "total": 2}"#]), ["total gte subtotal"]);
        assert_eq!(rules(&[r#"{"subtotal": 1, "total": 2, "discount": 0}"#]), [""; 0]);
        assert_eq!(
            rules(&[r#"[{"a.b": {"low": 1, "high": 2}}, {"a.b": {"low": 3, "high": 3}}]"#]),
            [r"[].a\.b.high gte [].a\.b.low"]
        );
    }

    #[test]
    fn own_ids_are_unique() {
        assert_eq!(rules(&[r#"[{"id": 1}, {"id": 2}]"#]), ["[].id unique"]);
        assert_eq!(
            rules(&[r#"{"orders": [{"order_id": "a"}, {"orderId": "b"}, {"order_id": "c"}]}"#]),
            ["orders[].order_id? unique"]
        );
        assert_eq!(rules(&[r#"{"orders": [{"customer_id": 1}, {"customer_id": 2}]}"#]), [""; 0]);
        assert_eq!(rules(&[r#"[{"id": 1}, {"id": 2}]"#, r#"[{"id": 1}, {"id": 1.0}]"#]), [""; 0]);
        assert_eq!(rules(&[r#"[{"id": 1}]"#, r#"[{"id": 2}]"#]), [""; 0], "one at a time");
        // Numbered within each list, as soon as two lists show it; one list shows nothing.
        let list = r#"{"lines": [{"id": 1}, {"id": 2}]}"#;
        assert_eq!(rules(&[&format!("[{list}]")]), [""; 0]);
        assert_eq!(rules(&[&format!("[{list}, {list}]")]), [""; 0]);
        let other = list.replace("1}", "3}").replace("2}", "4}");
        assert_eq!(rules(&[&format!("[{list}, {other}]")]), ["[].lines[].id unique"]);
    }

    #[test]
    fn references_are_named_after_what_they_refer_to() {
        let shop = r#"{"customers": [{"id": 1}, {"id": 2}],
                       "orders": [{"customer_id": 2, "line_id": 1}, {"customer_id": 2}]}"#;
        let unique = "customers[].id unique";
        let reference = "orders[].customer_id exists_in customers[].id";
        assert_eq!(rules(&[shop]), [reference, unique]);
        let dangling = shop.replace("\"customer_id\": 2}", "\"customer_id\": 3}");
        assert_eq!(rules(&[shop, &dangling]), [unique]);
        let graph = r#"{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"from": "a", "to": "b"}],
                        "mails": [{"from": "a", "to": "b"}]}"#;
        assert_eq!(
            rules(&[graph]),
            [
                "edges[].from exists_in nodes[].id",
                "edges[].to exists_in nodes[].id",
                "nodes[].id unique"
            ]
        );
        let tree = r#"[{"id": 1, "parent_id": null}, {"id": 2, "parent_id": 1}]"#;
        assert_eq!(rules(&[tree]), ["[].parent_id? exists_in [].id", "[].id unique"]);
        let members = r#"{"users": [{"id": 1}, {"id": 2}], "team": {"user_ids": [2, 1]}}"#;
        assert_eq!(
            rules(&[members]),
            ["team.user_ids[] exists_in users[].id", "users[].id unique"]
        );
    }
}
