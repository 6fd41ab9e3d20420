//! The page of the checks holds: an entry for every check of the registry, and for each one output
//! that fails it and nothing else, and one that passes.

use std::collections::HashSet;
use std::path::Path;

use agent_output_verifier::checks::{CheckId, Family};
use agent_output_verifier::json::Document;
use agent_output_verifier::report::{Report, Verdict};
use agent_output_verifier::request::Request;
use agent_output_verifier::verify;
use regex::Regex;

/// An entry of the page.
struct Entry<'p> {
    heading: &'p str,
    /// The heading of the part that it is in.
    part: &'p str,
    text: String,
    blocks: Vec<String>,
}

impl Entry<'_> {
    /// What is asked for, what fails it, what passes it.
    #[track_caller]
    fn example(&self) -> (&str, &str, &str) {
        let [asked, fails, passes] = &self.blocks[..] else {
            panic!("{}: {} blocks of JSON", self.heading, self.blocks.len());
        };
        (asked, fails, passes)
    }
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checks.md");
    std::fs::read_to_string(path).unwrap()
}

fn entries(page: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut part = "";
    let mut block: Option<String> = None;
    for line in page.lines() {
        if let Some(text) = &mut block {
            if line == "```" {
                entries.last_mut().expect("a block outside an entry").blocks.extend(block.take());
            } else {
                text.push_str(line);
                text.push('\n');
            }
        } else if line == "```json" {
            block = Some(String::new());
        } else if let Some(title) = line.strip_prefix("## ") {
            part = title;
        } else if let Some(heading) = line.strip_prefix("### ") {
            entries.push(Entry { heading, part, text: String::new(), blocks: Vec::new() });
        } else if let Some(entry) = entries.last_mut() {
            assert!(!line.starts_with("```"), "{}: {line}", entry.heading);
            entry.text.push_str(line);
            entry.text.push('\n');
        }
    }
    assert_eq!(block, None, "a block is never closed");
    entries
}

/// What the library says of an output, held against what is asked for. The whole verdict and the
/// short way to it must agree.
#[track_caller]
fn report(asked: &str, output: &str) -> Report {
    let asked = asked.trim_end().strip_suffix('}').expect("an object");
    let request = format!(r#"{asked}, "task_id": "t", "submitted_output": {output}}}"#);
    let document = Document::parse(request.as_bytes()).unwrap_or_else(|e| panic!("{e}: {request}"));
    let request = Request::parse(document.root()).unwrap_or_else(|e| panic!("{e}: {request}"));
    let report = verify::verify(&request.requirements, request.output).unwrap();
    assert_eq!(verify::verdict(&request.requirements, request.output), Ok(report.verdict));
    report
}

#[test]
fn every_check_has_an_entry_in_the_order_of_the_registry() {
    let page = page();
    let headings: Vec<&str> = entries(&page).iter().map(|entry| entry.heading).collect();
    let checks: Vec<&str> = CheckId::ALL.iter().map(|check| check.as_str()).collect();
    assert_eq!(headings, checks);
}

#[test]
fn every_entry_says_what_there_is_to_say_in_its_family_s_part() {
    let page = page();
    for (entry, check) in entries(&page).iter().zip(CheckId::ALL) {
        let part = match check.family() {
            Family::Schema => "Schema",
            Family::Content => "Content",
            Family::Bounds => "Bounds",
            Family::Consistency => "Consistency",
        };
        assert_eq!(entry.part, part, "{check}");
        let order = [
            "\n**Looks at** ",
            "\nFails:\n",
            "\nPasses:\n",
            "\n**To mend it:** ",
            "\n**Why it is there:** ",
        ];
        let places: Vec<usize> = order
            .iter()
            .map(|label| {
                let mut places = entry.text.match_indices(label).map(|(place, _)| place);
                let place = places.next().unwrap_or_else(|| panic!("{check}: no {label:?}"));
                assert_eq!(places.next(), None, "{check}: {label:?} twice");
                place
            })
            .collect();
        assert!(places.is_sorted(), "{check}: {places:?}");
    }
}

#[test]
fn every_check_has_an_output_that_fails_it_alone_and_one_that_passes() {
    let page = page();
    let entries = entries(&page);
    for &check in CheckId::ALL {
        let entry = entries.iter().find(|entry| entry.heading == check.as_str()).unwrap();
        let (asked, fails, passes) = entry.example();
        assert_ne!(fails, passes, "{check}");

        let failed = report(asked, fails);
        assert_eq!(failed.verdict, Verdict::Fail, "{check}");
        assert_eq!(failed.blocking_checks, [check]);
        assert_eq!(failed.findings_total(), 1, "{check}");
        let finding = failed.findings().next().unwrap();
        assert_eq!(finding.check, check);
        assert!(!finding.fix().is_empty(), "{check}");

        let passed = report(asked, passes);
        let findings: Vec<_> = passed.findings().collect();
        assert_eq!(passed.verdict, Verdict::Pass, "{check}: {findings:?}");
        assert_eq!(passed.findings_total(), 0, "{check}: {findings:?}");
        // It passes because the check was made, not because there was nothing to look at. Only
        // `false` counts nothing where nothing is.
        assert!(passed.remarks.is_empty(), "{check}: {:?}", passed.remarks);
        if check.family() == Family::Schema && check.as_str() != "schema:false" {
            assert_eq!(passed.schema_compliance.total, failed.schema_compliance.total, "{check}");
        }
    }
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn anchors_are_those_that_links_use() {
    let page = page();
    let mut anchors = HashSet::new();
    for heading in page.lines().filter_map(|line| line.split_once("# ").map(|(_, text)| text)) {
        assert!(anchors.insert(anchor(heading)), "two headings have the anchor of {heading:?}");
    }
    for check in CheckId::ALL {
        assert_eq!(check.anchor(), anchor(check.as_str()));
        assert!(anchors.contains(&check.anchor()), "{check}");
    }
    for link in Regex::new(r"\]\(#([^)]*)\)").unwrap().captures_iter(&page) {
        assert!(anchors.contains(&link[1]), "#{} leads nowhere", &link[1]);
    }
}
