//! The steps that need what a receipt is about: the request, or parts of it.

use super::{About, StepName, StepStatus, Steps, Terms};
use crate::digest::Digest;
use crate::json::{Kind, Value};
use crate::message::list;
use crate::receipt::Receipt;
use crate::report::Report;
use crate::request::{RawRequest, Request};
use crate::response::VERIFIER_VERSION;
use crate::text::quoted;
use crate::verify::verify;

/// The steps that need what the receipt is about.
pub(super) fn check(receipt: &Receipt<'_>, terms: &Terms<'_>, steps: &mut Steps) {
    let request = match terms.about {
        About::Request(request) => Some(RawRequest::new(request)),
        _ => None,
    };
    let hash = |name: StepName| -> Option<Option<Digest>> {
        // The outer: whether it was given; the inner: whether it is there.
        match (&terms.about, &request) {
            (_, Some(request)) => Some(match name {
                StepName::OutputHash => request.output_hash(),
                StepName::SchemaHash => request.schema_hash(),
                StepName::RulesHash => Some(request.rules_hash()),
                _ => Some(request.request_hash()),
            }),
            (About::Parts { output, schema, rules }, None) => match name {
                StepName::OutputHash => output.map(|output| Some(Digest::of(output))),
                StepName::SchemaHash => schema.map(|schema| Some(Digest::of(schema))),
                StepName::RulesHash => rules.map(|rules| Some(rules.rules_hash())),
                _ => None,
            },
            _ => None,
        }
    };
    let missing = |name: StepName| match (terms.about, name) {
        (About::NotFound { reason }, _) => reason.to_owned(),
        (_, StepName::OutputHash) => format!("not given; {}", terms.wording.output),
        (_, StepName::SchemaHash) => format!("not given; {}", terms.wording.schema),
        (_, StepName::RulesHash) => format!("not given; {}", terms.wording.rules),
        _ => format!("not given; {}", terms.wording.request),
    };
    for name in
        [StepName::OutputHash, StepName::SchemaHash, StepName::RulesHash, StepName::RequestHash]
    {
        let Some(stated) = receipt.text(name.as_str()).and_then(Digest::parse) else {
            // Compact receipts have no request hash; that another is missing fails the shape.
            continue;
        };
        if matches!(terms.about, About::NotFound { .. }) {
            // Looking for a request is asking for what it would settle.
            steps.asked.push(name);
        }
        match hash(name) {
            None => steps.add(name, StepStatus::NotChecked, missing(name)),
            Some(actual) => {
                steps.asked.push(name);
                let result = match actual {
                    Some(actual) if actual == stated => Ok("equal".to_owned()),
                    Some(actual) => Err(format!("the receipt says {stated}, but it is {actual}")),
                    None => Err("the request has nothing there".to_owned()),
                };
                steps.add_result(name, result);
            }
        }
    }
    match &request {
        Some(request) => {
            steps.asked.push(StepName::RequestFields);
            steps.add_result(StepName::RequestFields, check_fields(receipt, request));
        }
        None => {
            let name = StepName::RequestFields;
            if matches!(terms.about, About::NotFound { .. }) {
                steps.asked.push(name);
            }
            steps.add(name, StepStatus::NotChecked, missing(name));
        }
    }
    if terms.recheck {
        let (status, detail) = match request {
            Some(_) => recheck(receipt, terms.about),
            None => (StepStatus::NotChecked, "it needs the request".to_owned()),
        };
        steps.add(StepName::Recheck, status, detail);
    }
}

fn check_fields(receipt: &Receipt<'_>, request: &RawRequest<'_>) -> Result<String, String> {
    let mut differing = Vec::new();
    for name in ["task_id", "agent_id", "enforce_rules", "strict_content_check"] {
        let stated = receipt.value().get(name).filter(|value| !value.is_null());
        let sent = request.field(name).filter(|value| !value.is_null());
        // An omitted flag is false.
        let is_false = |value: Option<Value<'_>>| value.is_none_or(|v| v.as_bool() == Some(false));
        let flag = matches!(name, "enforce_rules" | "strict_content_check");
        let equal = match (stated, sent) {
            (Some(stated), Some(sent)) => stated == sent,
            (None, None) => true,
            _ => flag && is_false(stated) && is_false(sent),
        };
        if !equal {
            differing.push(name.to_owned());
        }
    }
    if differing.is_empty() {
        return Ok("task_id, agent_id, enforce_rules and strict_content_check are equal".to_owned());
    }
    Err(format!("the request has another {}", list(differing)))
}

/// Makes the checks again.
fn recheck(receipt: &Receipt<'_>, about: About<'_>) -> (StepStatus, String) {
    let About::Request(request) = about else {
        return (StepStatus::NotChecked, "it needs the request".to_owned());
    };
    let request = match Request::parse(request) {
        Ok(request) => request,
        Err(error) => {
            return (StepStatus::NotChecked, format!("the request would be refused: {error}"));
        }
    };
    let report = match verify(&request.requirements, request.output) {
        Ok(report) => report,
        Err(undecided) => return (StepStatus::NotChecked, undecided.to_string()),
    };
    let stated = receipt.text("result").unwrap_or_default();
    if report.verdict.as_str() != stated {
        let detail = format!(
            "the receipt says {stated}, the checks here come to {}",
            report.verdict.as_str()
        );
        return (StepStatus::Failed, detail);
    }
    let differences = differences(receipt, &report);
    let version = receipt.text("verifier_version").unwrap_or_default();
    if differences.is_empty() {
        return (StepStatus::Passed, "the checks come to the same".to_owned());
    }
    let differing = list(differences);
    if version.starts_with("aov-") {
        let detail = format!("the result is the same, but not {differing} (signed by {version})");
        return (StepStatus::Failed, detail);
    }
    let detail = format!(
        "the result is the same; {differing} differ, as they may: {} made them, here it is {}",
        quoted(version),
        VERIFIER_VERSION
    );
    (StepStatus::Passed, detail)
}

/// Names of what a receipt states otherwise than a report.
fn differences(receipt: &Receipt<'_>, report: &Report) -> Vec<String> {
    let mut differing = Vec::new();
    let summary = receipt.value().get("summary");
    let blocking = summary.and_then(|summary| summary.get("blocking_checks"));
    let stated = blocking.into_iter().flat_map(Value::elements).map(Value::as_str);
    if !stated.eq(report.blocking_checks.iter().map(|check| Some(check.as_str()))) {
        differing.push("blocking_checks".to_owned());
    }
    for (name, score) in [
        ("schema_compliance", report.schema_compliance),
        ("integrity_checks", report.integrity_checks),
        ("overall", report.overall()),
    ] {
        let Some(stated) = receipt.value().get(name) else { continue };
        let equal =
            [("passed", score.passed), ("total", score.total)].iter().all(|(part, count)| {
                let stated = stated.get(part).filter(|value| value.kind() == Kind::Integer);
                stated.is_some_and(|value| value.source() == count.to_string())
            });
        if !equal {
            differing.push(name.to_owned());
        }
    }
    differing
}
