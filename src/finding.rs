//! Findings: failed checks as data, and the bounded lists that hold them.

use crate::checks::CheckId;

/// One failed check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The check
    pub check: CheckId,
    /// Where: `items[2].price`, `$` for the root; for a sum the path as the rule has it.
    pub field: String,
    /// The byte offset of the value that is meant in the output's document.
    pub offset: usize,
    /// What the check wants, as a noun phrase.
    pub expected: String,
    /// What is there instead.
    pub found: String,
    /// Both in one phrase.
    pub detail: String,
    /// More help than `expected` gives, as a sentence, where there is some.
    pub advice: Option<String>,
    /// The place of the keyword in the schema, for findings of the schema.
    pub requirement: Option<String>,
}

/// Findings in a list of a response; totals count all.
pub const MAX_LISTED: usize = 100;

/// Findings in order: the first [`MAX_LISTED`] in words, all of them counted.
#[derive(Clone, Default, Debug)]
pub struct Findings {
    listed: Vec<Finding>,
    total: u64,
}

impl Findings {
    /// Counts a finding, and puts it into words where it is listed.
    pub(crate) fn add(&mut self, finding: impl FnOnce() -> Finding) {
        self.total += 1;
        if self.listed.len() < MAX_LISTED {
            self.listed.push(finding());
        }
    }

    /// Findings that are counted without words.
    pub(crate) fn add_unlisted(&mut self, count: u64) {
        self.total += count;
    }

    /// The first ones.
    pub fn listed(&self) -> &[Finding] {
        &self.listed
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether further ones are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.listed.len() >= MAX_LISTED
    }
}

impl Finding {
    /// How to mend it, as a sentence.
    pub fn fix(&self) -> String {
        if let Some(advice) = &self.advice {
            return advice.clone();
        }
        let expected = &self.expected;
        match self.check.as_str() {
            "schema:required" | "schema:dependentRequired" | "schema:dependencies" => {
                format!("Add {expected}.")
            }
            "schema:additionalProperties" | "schema:unevaluatedProperties" => {
                "Remove what is too much, or name it in the schema.".to_owned()
            }
            "schema:anyOf" | "schema:oneOf" => "Make the value fit one of the branches.".to_owned(),
            "schema:false" => "Remove the value; the schema allows none here.".to_owned(),
            "consistency:unique" => "Change one of the two values.".to_owned(),
            _ if self.found == "missing" => format!("Put {expected} there."),
            // What is delivered should be right, not made to fit.
            "bounds:range" | "consistency:gte" | "consistency:lte" | "consistency:exists_in" => {
                format!("Correct it if it is wrong; what is asked for is {expected}.")
            }
            _ => format!("Change it to {expected}."),
        }
    }
}
