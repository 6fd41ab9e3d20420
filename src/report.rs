//! The report: what the checks of one output came to. The verdict is computed from them.

use std::fmt;

use crate::checks::{CheckId, Family};
use crate::finding::{Finding, Findings, MAX_LISTED};

/// Pass or fail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(rename_all = "snake_case"))]
pub enum Verdict {
    /// No check that blocks failed.
    Pass,
    /// A check that blocks failed.
    Fail,
}

impl Verdict {
    /// `pass` or `fail`
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
        }
    }
}

/// A share of checks that passed.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Score {
    /// Checks that passed
    pub passed: u64,
    /// Checks that were made
    pub total: u64,
}

impl Score {
    /// `passed / total` rounded to 6 places, ties to even; 1 where nothing was checked.
    pub fn ratio(self) -> f64 {
        if self.total == 0 {
            return 1.0;
        }
        let (scaled, total) = (u128::from(self.passed) * 1_000_000, u128::from(self.total));
        let (floor, rest) = (scaled / total, scaled % total);
        let up = match (rest * 2).cmp(&total) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => floor % 2 == 1,
            std::cmp::Ordering::Greater => true,
        };
        // At most 1,000,000: exact, and the quotient is the double nearest to the decimal.
        (floor + u128::from(up)) as f64 / 1_000_000.0
    }

    /// Both shares together.
    pub fn plus(self, other: Score) -> Score {
        Score {
            passed: self.passed.saturating_add(other.passed),
            total: self.total.saturating_add(other.total),
        }
    }
}

/// What one bound or rule saw, for people who wonder what a pass means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The check that the remark is about
    pub check: CheckId,
    /// The path, as written
    pub field: String,
    /// What there is to know
    pub text: String,
}

/// What the checks of one output came to, without what they found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conclusion {
    /// The verdict
    pub verdict: Verdict,
    /// Names of the checks that failed and block, in order of appearance.
    pub blocking_checks: Vec<CheckId>,
    /// Whether bounds and rules block.
    pub enforce_rules: bool,
    /// Whether content findings block.
    pub strict_content_check: bool,
}

/// What the checks of one output came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict
    pub verdict: Verdict,
    /// The schema's checks
    pub schema_compliance: Score,
    /// Content, bounds and rules
    pub integrity_checks: Score,
    /// Names of the checks that failed and block, in order of appearance.
    pub blocking_checks: Vec<CheckId>,
    /// Findings of the schema, by place in the output.
    pub schema: Findings,
    /// Findings of the content, in the order of the checks, each by place.
    pub content: Findings,
    /// Findings of bounds and rules, in the order of the request, each by place.
    pub rules: Findings,
    /// Whether bounds and rules block.
    pub enforce_rules: bool,
    /// Whether content findings block.
    pub strict_content_check: bool,
    /// Things to know that are no findings.
    pub remarks: Vec<Remark>,
}

impl Report {
    /// All checks together.
    pub fn overall(&self) -> Score {
        self.schema_compliance.plus(self.integrity_checks)
    }

    /// Whether findings of a family block.
    pub fn blocks(&self, family: Family) -> bool {
        match family {
            Family::Schema => true,
            Family::Content => self.strict_content_check,
            Family::Bounds | Family::Consistency => self.enforce_rules,
        }
    }

    /// Findings that block, the first [`MAX_LISTED`].
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        let lists = [&self.schema, &self.content, &self.rules];
        let all = lists.into_iter().flat_map(Findings::listed);
        all.filter(|finding| self.blocks(finding.check.family())).take(MAX_LISTED)
    }

    /// How many findings block.
    pub fn errors_total(&self) -> u64 {
        let content = if self.strict_content_check { self.content.total() } else { 0 };
        let rules = if self.enforce_rules { self.rules.total() } else { 0 };
        self.schema.total() + content + rules
    }

    /// Findings of content, bounds and rules, the first [`MAX_LISTED`].
    pub fn flags(&self) -> impl Iterator<Item = &Finding> {
        self.content.listed().iter().chain(self.rules.listed()).take(MAX_LISTED)
    }

    /// How many findings of content, bounds and rules there are.
    pub fn flags_total(&self) -> u64 {
        self.content.total() + self.rules.total()
    }

    /// All findings, the first [`MAX_LISTED`].
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.schema.listed().iter().chain(self.flags()).take(MAX_LISTED)
    }

    /// How many findings there are.
    pub fn findings_total(&self) -> u64 {
        self.schema.total() + self.flags_total()
    }

    /// The text of a finding in the list of errors.
    pub fn message(&self, finding: &Finding) -> String {
        let option = match finding.check.family() {
            Family::Schema => "",
            _ if !self.blocks(finding.check.family()) => "",
            Family::Content => "strict_content_check: ",
            Family::Bounds | Family::Consistency => "enforce_rules: ",
        };
        format!("{option}{} at '{}': {}", finding.check, finding.field, finding.detail)
    }
}

/// Why a check came to no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Undecided {
    /// Matching regular expressions ran out of its budget.
    Matching,
    /// Evaluating the schema ran out of its budget.
    Evaluation,
    /// Evaluating bounds and rules ran out of its budget.
    Rules,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Undecided::Matching => "matching its regular expressions",
            Undecided::Evaluation => "evaluating its schema",
            Undecided::Rules => "evaluating its bounds and rules",
        };
        write!(f, "The check could not be decided: {what} takes more work than a check may.")
    }
}

impl std::error::Error for Undecided {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_round_to_six_places_and_ties_to_even() {
        let ratio = |passed, total| Score { passed, total }.ratio();
        assert_eq!(ratio(0, 0), 1.0);
        assert_eq!(ratio(29, 30), 0.966667);
        assert_eq!(ratio(2, 3), 0.666667);
        assert_eq!(ratio(1, 2_000_000), 0.0);
        assert_eq!(ratio(3, 2_000_000), 0.000002);
        assert_eq!(ratio(1, 64), 0.015625);
        assert_eq!(ratio(u64::MAX - 1, u64::MAX), 1.0);
    }
}
