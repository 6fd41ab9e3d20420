//! `unique`: no two values are equal.

use std::collections::HashMap;

use super::{Alike, Exhausted, Rule, RuleType, Run, is_absent, place, unfit};
use crate::finding::Finding;
use crate::json::Value;
use crate::message::short;
use crate::path::Reached;

pub(super) fn check(
    rule: &Rule<'_>,
    output: Value<'_>,
    run: &mut Run<'_>,
) -> Result<(), Exhausted> {
    let id = RuleType::Unique.check();
    let places = run.reach(&rule.field, 0..rule.field.steps().len(), output)?;
    let mut firsts: HashMap<u64, Alike<'_>> = HashMap::with_capacity(places.len());
    for reached in places {
        if rule.if_present && is_absent(&reached) {
            run.skipped += 1;
            continue;
        }
        let Reached::Value(value) = reached else {
            run.findings.add(|| unfit(id, output, &reached, "a value that no other one equals"));
            continue;
        };
        run.seen += 1;
        let hash = run.hash(value)?;
        let same = firsts.entry(hash).or_default();
        let Some(&first) = same.iter().find(|&&first| first == value) else {
            same.push(value);
            continue;
        };
        run.findings.add(|| {
            let (field, offset) = place(output, &reached);
            let (first, _) = place(output, &Reached::Value(first));
            let found = short(value);
            Finding {
                check: id,
                field,
                offset,
                expected: "a value that no other one equals".to_owned(),
                detail: format!("{found} repeats {first}"),
                found: format!("{found}, as at {first}"),
                advice: None,
                requirement: None,
            }
        });
    }
    Ok(())
}
