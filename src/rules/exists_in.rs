//! `exists_in`: every value equals some value of another field, or of a list.

use std::collections::HashMap;

use super::{Alike, Exhausted, Rule, RuleType, Run, is_absent, place, unfit};
use crate::finding::Finding;
use crate::json::Value;
use crate::message::{list, short};
use crate::path::{FieldPath, Reached};

pub(super) fn check_field(
    rule: &Rule<'_>,
    field: &FieldPath,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let places = run.reach(field, 0..field.steps().len(), output)?;
    let nothing_there = !places.is_empty() && places.iter().all(is_absent);
    if rule.if_present && nothing_there {
        run.skipped += 1;
        return Ok(());
    }
    let candidates: Vec<Value<'_>> = places
        .iter()
        .filter_map(|reached| match reached {
            Reached::Value(value) => Some(*value),
            Reached::Missing { .. } => None,
        })
        .collect();
    let among = format!("a value that exists in {}", field.as_written());
    check(rule, &candidates, &among, output, run)
}

pub(super) fn check_values(
    rule: &Rule<'_>,
    values: Value<'_>,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let candidates: Vec<Value<'_>> = values.elements().collect();
    let shown = list(candidates.iter().take(50).map(|&value| short(value)));
    check(rule, &candidates, &format!("one of {shown}"), output, run)
}

fn check(
    rule: &Rule<'_>,
    candidates: &[Value<'_>],
    among: &str,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let id = RuleType::ExistsIn.check();
    let mut known: HashMap<u64, Alike<'_>> = HashMap::with_capacity(candidates.len());
    for &candidate in candidates {
        let hash = run.hash(candidate)?;
        known.entry(hash).or_default().push(candidate);
    }
    for reached in run.reach(&rule.field, 0..rule.field.steps().len(), output)? {
        if rule.if_present && is_absent(&reached) {
            run.skipped += 1;
            continue;
        }
        let Reached::Value(value) = reached else {
            run.findings.add(|| unfit(id, output, &reached, among));
            continue;
        };
        run.seen += 1;
        let hash = run.hash(value)?;
        if known.get(&hash).is_some_and(|same| same.contains(&value)) {
            continue;
        }
        run.findings.add(|| {
            let (field, offset) = place(output, &reached);
            let found = short(value);
            Finding {
                check: id,
                field,
                offset,
                expected: among.to_owned(),
                detail: format!("found {found}, expected {among}"),
                found,
                advice: None,
                requirement: None,
            }
        });
    }
    Ok(())
}
