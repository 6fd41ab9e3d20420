//! Holds an output against requirements: schema, content, bounds and rules.

use std::io::{self, Read};

use crate::checks::{CheckId, Family};
use crate::content::{self, ContentCheck, TextRole};
use crate::finding::{Finding, Findings, MAX_LISTED};
use crate::json::{Kind, Number, Value, read_elements};
use crate::message::short;
use crate::path::{PathWriter, place_in};
use crate::report::{Conclusion, Remark, Report, Score, Undecided, Verdict};
use crate::request::Requirements;
use crate::rules::{Exhausted, Run};
use crate::schema::{Examination, Stop, Truth};

/// The seven content checks.
const CONTENT_CHECKS: u64 = ContentCheck::ALL.len() as u64;

/// Makes every check and reports them.
///
/// # Errors
///
/// [`Undecided`] where the work budget ran out and the verdict depends on what was left.
pub fn verify(requirements: &Requirements<'_>, output: Value<'_>) -> Result<Report, Undecided> {
    let mut examination = requirements.schema().examine(output);
    examination.run();
    let (content, content_failed) = content_findings(output);
    let rules = check_rules(requirements, output);
    let conclusion = conclusion(requirements, &examination, &content_failed, &rules)?;
    let counts = examination.counts();
    let schema = schema_findings(&mut examination, requirements.schema().source(), output);
    let integrity = Score {
        passed: CONTENT_CHECKS - content_failed.len() as u64 + rules.passed,
        total: CONTENT_CHECKS
            + requirements.bounds().len() as u64
            + requirements.rules().len() as u64,
    };
    let mut remarks = rules.remarks;
    if counts.undecided > 0 || rules.undecided {
        remarks.push(unfinished(counts.undecided > 0));
    }
    for ignored in requirements.schema().ignored() {
        remarks.push(Remark {
            check: CheckId::of_keyword(ignored.keyword),
            field: place_in(requirements.schema().source(), ignored.value),
            text: format!("'{}' beside '$ref' is ignored by the schema's draft", ignored.keyword),
        });
    }
    Ok(Report {
        verdict: conclusion.verdict,
        schema_compliance: Score { passed: counts.passed, total: counts.total() },
        integrity_checks: integrity,
        blocking_checks: conclusion.blocking_checks,
        schema,
        content,
        rules: rules.findings,
        enforce_rules: conclusion.enforce_rules,
        strict_content_check: conclusion.strict_content_check,
        remarks,
    })
}

/// Comes to the conclusion of [`verify`] without making checks that do not count for it, and without
/// words for what failed.
///
/// # Errors
///
/// As [`verify`].
pub fn conclude(
    requirements: &Requirements<'_>,
    output: Value<'_>,
) -> Result<Conclusion, Undecided> {
    let mut examination = requirements.schema().examine(output);
    examination.run();
    let content_failed = match requirements.strict_content_check() {
        true => content_findings(output).1,
        false => Vec::new(),
    };
    let rules = match requirements.enforce_rules() {
        true => check_rules(requirements, output),
        false => RuleResults::default(),
    };
    conclusion(requirements, &examination, &content_failed, &rules)
}

/// What follows from the checks.
fn conclusion(
    requirements: &Requirements<'_>,
    examination: &Examination<'_, '_, '_>,
    content_failed: &[CheckId],
    rules: &RuleResults,
) -> Result<Conclusion, Undecided> {
    let mut blocking_checks: Vec<CheckId> =
        examination.failed_keywords().into_iter().map(CheckId::of_keyword).collect();
    if requirements.strict_content_check() {
        blocking_checks.extend(content_failed);
    }
    if requirements.enforce_rules() {
        for check in &rules.failed {
            if !blocking_checks.contains(check) {
                blocking_checks.push(*check);
            }
        }
    }
    let verdict = if blocking_checks.is_empty() { Verdict::Pass } else { Verdict::Fail };
    if verdict == Verdict::Pass {
        if examination.truth() == Truth::Unknown {
            let exhausted = examination.is_exhausted();
            return Err(if exhausted { Undecided::Evaluation } else { Undecided::Matching });
        }
        if rules.undecided && requirements.enforce_rules() {
            return Err(Undecided::Rules);
        }
    }
    Ok(Conclusion {
        verdict,
        blocking_checks,
        enforce_rules: requirements.enforce_rules(),
        strict_content_check: requirements.strict_content_check(),
    })
}

/// Comes to the verdict of [`verify`] without a report, and without making checks that it does not
/// need.
///
/// # Errors
///
/// As [`verify`].
pub fn verdict(requirements: &Requirements<'_>, output: Value<'_>) -> Result<Verdict, Undecided> {
    let mut examination = Examination::new(requirements.schema(), output, Stop::AtFirstFailure);
    examination.run();
    let schema = examination.truth();
    if schema == Truth::False {
        return Ok(Verdict::Fail);
    }
    if requirements.strict_content_check() && !content_findings(output).1.is_empty() {
        return Ok(Verdict::Fail);
    }
    let rules = requirements.enforce_rules().then(|| check_rules(requirements, output));
    if rules.as_ref().is_some_and(|rules| !rules.failed.is_empty()) {
        return Ok(Verdict::Fail);
    }
    if schema == Truth::Unknown {
        let exhausted = examination.is_exhausted();
        return Err(if exhausted { Undecided::Evaluation } else { Undecided::Matching });
    }
    if rules.is_some_and(|rules| rules.undecided) {
        return Err(Undecided::Rules);
    }
    Ok(Verdict::Pass)
}

/// Comes to the verdict of [`verdict`] on an array that is read element by element, in memory for one of
/// them.
///
/// `None` where it cannot be had that way: the text is not an array or is at fault, an element is very
/// large, checks run out of their budget, or the requirements say more of an array than of its
/// elements and their number. The whole text then tells.
///
/// # Errors
///
/// Those of `source`.
pub fn verdict_by_element(
    requirements: &Requirements<'_>,
    source: impl Read,
) -> io::Result<Option<Verdict>> {
    let rules = !requirements.bounds().is_empty() || !requirements.rules().is_empty();
    if requirements.strict_content_check() || (requirements.enforce_rules() && rules) {
        return Ok(None);
    }
    let Some(mut parts) = requirements.schema().elementwise() else {
        return Ok(None);
    };
    let count = read_elements(source, |element| parts.take(element))?;
    let valid = count.map(|count| parts.finish(count));
    Ok(valid.map(|valid| if valid { Verdict::Pass } else { Verdict::Fail }))
}

fn unfinished(schema: bool) -> Remark {
    Remark {
        check: if schema { CheckId::of_keyword("false") } else { CheckId::BOUNDS_RANGE },
        field: "$".to_owned(),
        text: "some checks were not finished within the work budget and count as not passed; the \
               verdict does not depend on them"
            .to_owned(),
    }
}

fn schema_findings(
    examination: &mut Examination<'_, '_, '_>,
    schema: Value<'_>,
    output: Value<'_>,
) -> Findings {
    let failures = examination.take_failures();
    let mut findings = Findings::default();
    let total = examination.counts().failed;
    findings.add_unlisted(total - failures.len() as u64);
    for failure in &failures {
        let explanation = examination.explain(failure);
        findings.add(|| Finding {
            check: CheckId::of_keyword(explanation.keyword),
            field: PathWriter::between(output, explanation.value).field(),
            offset: explanation.value.offset(),
            expected: explanation.expected,
            found: explanation.found,
            detail: explanation.detail,
            advice: explanation.advice,
            requirement: Some(place_in(schema, explanation.requirement)),
        });
    }
    findings
}

/// The places of the findings of one content check.
#[derive(Default)]
struct Places<'v> {
    first: Vec<Value<'v>>,
    total: u64,
}

/// All content findings, and the checks that have any, in the order of the checks.
fn content_findings(output: Value<'_>) -> (Findings, Vec<CheckId>) {
    let mut places: [Places<'_>; ContentCheck::ALL.len()] = Default::default();
    let mut note = |check: ContentCheck, value| {
        let places = &mut places[check as usize];
        places.total += 1;
        if places.first.len() < MAX_LISTED {
            places.first.push(value);
        }
    };
    look_through(output, &mut note);
    let mut findings = Findings::default();
    let mut failed = Vec::new();
    for (check, places) in ContentCheck::ALL.into_iter().zip(places) {
        if places.total == 0 {
            continue;
        }
        let id = CheckId::of_content(check);
        failed.push(id);
        findings.add_unlisted(places.total - places.first.len() as u64);
        for value in places.first {
            findings.add(|| content_finding(id, check, output, value));
        }
    }
    (findings, failed)
}

/// Examines all strings, member names and integers of a value. Depth is bounded by the reader.
fn look_through<'v>(value: Value<'v>, note: &mut impl FnMut(ContentCheck, Value<'v>)) {
    match value.kind() {
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            content::examine(text, TextRole::Value).iter().for_each(|check| note(check, value));
        }
        Kind::Integer => {
            if let Some(Number::Integer(digits)) = value.as_number()
                && !is_safe(digits)
            {
                note(ContentCheck::UnsafeNumbers, value);
            }
        }
        Kind::Array => value.elements().for_each(|element| look_through(element, note)),
        Kind::Object => {
            for member in value.members() {
                let name = member.name_value();
                let checks = content::examine(member.name(), TextRole::Name);
                checks.iter().for_each(|check| note(check, name));
                look_through(member.value(), note);
            }
        }
        Kind::Null | Kind::Boolean | Kind::Double => {}
    }
}

/// Whether an integer is within ±(2^53−1), where doubles hold every integer.
fn is_safe(literal: &str) -> bool {
    const LARGEST: &str = "9007199254740991";
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    digits.len() < LARGEST.len() || (digits.len() == LARGEST.len() && digits <= LARGEST)
}

fn content_finding(
    id: CheckId,
    check: ContentCheck,
    output: Value<'_>,
    value: Value<'_>,
) -> Finding {
    let found = match value.as_str() {
        Some(text) => content::describe(text, check),
        None => short(value),
    };
    let expected = check.expected().to_owned();
    Finding {
        check: id,
        field: PathWriter::between(output, value).field(),
        offset: value.offset(),
        detail: format!("found {found}, expected {expected}"),
        expected,
        found,
        advice: Some(check.fix().to_owned()),
        requirement: None,
    }
}

/// What bounds and rules came to.
#[derive(Default)]
struct RuleResults {
    findings: Findings,
    passed: u64,
    failed: Vec<CheckId>,
    undecided: bool,
    remarks: Vec<Remark>,
}

fn check_rules(requirements: &Requirements<'_>, output: Value<'_>) -> RuleResults {
    let mut results = RuleResults::default();
    if requirements.bounds().is_empty() && requirements.rules().is_empty() {
        return results;
    }
    let RuleResults { findings, passed, failed, undecided, remarks } = &mut results;
    let mut run = Run::new(output, findings);
    let bounds = requirements.bounds().iter().map(|bound| (CheckId::BOUNDS_RANGE, &bound.field));
    let rules = requirements.rules().iter().map(|rule| (rule.rule_type().check(), &rule.field));
    for (position, (check, field)) in bounds.chain(rules).enumerate() {
        let before = run.findings.total();
        (run.seen, run.skipped) = (0, 0);
        let ended = match requirements.bounds().get(position) {
            Some(bound) => bound.check(output, &mut run),
            None => {
                requirements.rules()[position - requirements.bounds().len()].check(output, &mut run)
            }
        };
        if run.findings.total() > before {
            if !failed.contains(&check) {
                failed.push(check);
            }
            // It failed for certain, but not everything was looked at.
            *undecided |= ended == Err(Exhausted);
        } else if ended == Err(Exhausted) {
            *undecided = true;
        } else {
            *passed += 1;
            if run.seen == 0 {
                remarks.push(Remark {
                    check,
                    field: field.as_written().to_owned(),
                    text: match run.skipped {
                        0 => "passed without a value to look at: the path leads to 0 values",
                        _ => "passed without a value to look at: if_present skipped all of them",
                    }
                    .to_owned(),
                });
            }
        }
        if field.literal_member(output).is_some() {
            let escaped = {
                let mut path = PathWriter::root();
                path.member(field.as_written());
                path.field()
            };
            remarks.push(Remark {
                check,
                field: field.as_written().to_owned(),
                text: format!(
                    "the path is read step by step; the output also has a member whose name is \
                     all of it, which is reached by {escaped}"
                ),
            });
        }
    }
    results
}

impl CheckId {
    fn of_content(check: ContentCheck) -> CheckId {
        debug_assert_eq!(CheckId::named(check.id()).map(CheckId::family), Some(Family::Content));
        CheckId::named(check.id()).unwrap_or(CheckId::BOUNDS_RANGE)
    }
}
