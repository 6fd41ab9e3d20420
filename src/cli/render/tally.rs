//! How often each check came out badly over a whole run: what a chart is drawn from.

use std::collections::{BTreeMap, HashSet};

use agent_output_verifier::check_receipt::{Checked, StepName, StepStatus};
use agent_output_verifier::checks::CheckId;
use agent_output_verifier::report::{Report, Score};

/// What a check that did not pass means for its input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Weight {
    /// A finding that blocks, or a step that failed
    Failed,
    /// A finding that blocks nothing
    Informs,
    /// A step that nothing was there for
    NotChecked,
}

/// How often a check came out badly.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) times: u64,
    pub(crate) inputs: u64,
}

/// A check by its outcome, its place among all checks or steps, and its name.
type Key = (Weight, Option<usize>, &'static str);

/// The counts of a run. They are as many as there are checks, however long the run.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    counts: BTreeMap<Key, Count>,
    /// Findings that a report counts without naming their check.
    unnamed: u64,
    schema: Score,
    integrity: Score,
}

impl Tally {
    /// Counts a report.
    pub(super) fn report(&mut self, report: &Report) {
        self.schema = self.schema.plus(report.schema_compliance);
        self.integrity = self.integrity.plus(report.integrity_checks);
        let mut seen = HashSet::new();
        let mut named = 0;
        let lists = [&report.schema, &report.content, &report.rules];
        for finding in lists.into_iter().flat_map(|findings| findings.listed()) {
            let blocks = report.blocks(finding.check.family());
            let weight = if blocks { Weight::Failed } else { Weight::Informs };
            let place = CheckId::ALL.iter().position(|check| *check == finding.check);
            let key = (weight, place, finding.check.as_str());
            let count = self.counts.entry(key).or_default();
            count.times += 1;
            count.inputs += u64::from(seen.insert(finding.check));
            named += 1;
        }
        self.unnamed += report.findings_total().saturating_sub(named);
    }

    /// Counts a checked receipt.
    pub(super) fn receipt(&mut self, checked: &Checked) {
        for step in &checked.steps {
            let weight = match step.status {
                StepStatus::Passed => continue,
                StepStatus::Failed => Weight::Failed,
                StepStatus::NotChecked => Weight::NotChecked,
            };
            let place = StepName::ALL.iter().position(|name| *name == step.name);
            let key = (weight, place, step.name.as_str());
            let count = self.counts.entry(key).or_default();
            count.times += 1;
            count.inputs += 1;
        }
    }

    /// Adds another part of the run.
    pub(super) fn add(&mut self, other: Tally) {
        for (key, Count { times, inputs }) in other.counts {
            let count = self.counts.entry(key).or_default();
            count.times += times;
            count.inputs += inputs;
        }
        self.unnamed += other.unnamed;
        self.schema = self.schema.plus(other.schema);
        self.integrity = self.integrity.plus(other.integrity);
    }

    /// What did not pass: the heaviest first, then the most frequent.
    pub(super) fn ranked(&self) -> Vec<(Weight, &'static str, Count)> {
        let all = self.counts.iter().map(|(&(weight, _, name), &count)| (weight, name, count));
        let mut all: Vec<_> = all.collect();
        // Those that are equally frequent stay in the order in which they are checked.
        all.sort_by_key(|&(weight, _, count)| (weight, std::cmp::Reverse(count.times)));
        all
    }

    /// Findings whose check no report names.
    pub(super) fn unnamed(&self) -> u64 {
        self.unnamed
    }

    /// The checks of all outputs: those of the schema, and the others.
    pub(super) fn scores(&self) -> [Score; 2] {
        [self.schema, self.integrity]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_and_most_frequent_come_first() {
        let part = |counts: &[(Weight, &'static str, u64)]| Tally {
            counts: counts
                .iter()
                .map(|&(weight, name, times)| ((weight, None, name), Count { times, inputs: 1 }))
                .collect(),
            ..Tally::default()
        };
        let mut tally = part(&[(Weight::Informs, "a", 9), (Weight::Failed, "b", 1)]);
        tally.add(part(&[(Weight::Failed, "c", 2), (Weight::Failed, "b", 1)]));
        tally.add(part(&[(Weight::Failed, "d", 5)]));
        let ranked = tally.ranked();
        let names: Vec<_> = ranked.iter().map(|&(_, name, count)| (name, count.times)).collect();
        assert_eq!(names, [("d", 5), ("b", 2), ("c", 2), ("a", 9)]);
        assert_eq!(ranked[1].2.inputs, 2);
    }
}
