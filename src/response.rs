//! The response on the wire: field for field as the hosted service has it, in its order.

mod plain;

use serde::Serialize;

use crate::attest::{Attestation, VerifySection};
use crate::checks::CheckId;
use crate::digest::Digest;
use crate::finding::Finding;
use crate::json::Value;
use crate::path::dollar;
use crate::report::{Conclusion, Report, Score, Verdict};
use crate::request::{Detail, Requirements};

/// The `verifier_version` of responses made here.
pub const VERIFIER_VERSION: &str = concat!("aov-", env!("CARGO_PKG_VERSION"));

/// What a response says besides the report.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The id of this very check.
    pub verification_id: &'a str,
    /// The caller's name for the check.
    pub task_id: &'a str,
    /// The caller's label for the agent.
    pub agent_id: Option<&'a str>,
    /// What was checked.
    pub output: Value<'a>,
    /// When, in UTC with microseconds.
    pub verified_at: &'a str,
    /// The shape.
    pub detail: Detail,
}

/// A response, ready to be serialized.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = CheckResponse))]
pub struct Response<'a> {
    summary: Summary,
    next_actions: &'static [NextAction],
    /// The verdict
    #[cfg_attr(feature = "serve", schema(value_type = Verdict))]
    result: &'static str,
    /// The id of this very check
    verification_id: &'a str,
    /// The caller's name for the check
    task_id: &'a str,
    /// The caller's label for the agent; nobody's identity
    #[cfg_attr(feature = "serve", schema(required))]
    agent_id: Option<&'a str>,
    /// SHA-256 over the canonical form (RFC 8785) of the output
    #[cfg_attr(feature = "serve", schema(value_type = String))]
    output_hash: Digest,
    /// The same of the schema
    #[cfg_attr(feature = "serve", schema(value_type = String))]
    schema_hash: Digest,
    /// The same of rules and bounds as they were sent
    #[cfg_attr(feature = "serve", schema(value_type = String))]
    rules_hash: Digest,
    /// The same of the whole request, with every default; not in the compact shape
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(value_type = Option<String>, nullable = false))]
    request_hash: Option<Digest>,
    /// When, in UTC with microseconds
    verified_at: &'a str,
    verifier_version: &'static str,
    /// Whether bounds and rules counted for the result
    enforce_rules: bool,
    /// Whether content findings counted for the result
    strict_content_check: bool,
    #[serde(flatten)]
    full: Option<Full<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(required, nullable = false))]
    verify: Option<VerifySection<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(required, nullable = false))]
    attestation: Option<Attestation<'a>>,
}

/// The hashes of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResponseHashes {
    /// Of the output
    pub output: Digest,
    /// Of the schema
    pub schema: Digest,
    /// Of rules and bounds
    pub rules: Digest,
    /// Of the whole request; only the full shape has it.
    pub request: Option<Digest>,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct Summary {
    #[cfg_attr(feature = "serve", schema(value_type = Verdict))]
    result: &'static str,
    /// The checks that made the result fail
    blocking_checks: Vec<&'static str>,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct NextAction {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(nullable = false))]
    using: Option<&'static str>,
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(nullable = false))]
    whom: Option<&'static str>,
}

const AFTER_PASS: &[NextAction] = &[
    NextAction { action: "attach_receipt", using: None, whom: Some("seller") },
    NextAction { action: "proceed_to_payment", using: None, whom: Some("buyer") },
];

const AFTER_FAIL: &[NextAction] = &[
    NextAction { action: "repair_and_reverify", using: Some("hints"), whom: None },
    NextAction { action: "withhold_payment", using: None, whom: Some("buyer") },
];

/// What only the full shape has.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = FullPart))]
struct Full<'a> {
    /// What made the result fail, as sentences; of this and every other list the first 100
    errors: Vec<String>,
    errors_total: u64,
    errors_omitted: u64,
    errors_detail: Vec<ErrorDetail<'a>>,
    errors_detail_total: u64,
    errors_detail_omitted: u64,
    /// Every finding of content, bounds and rules, whether it counted or not
    flags: Vec<Flag<'a>>,
    flags_total: u64,
    flags_omitted: u64,
    /// What to mend: one for every finding
    hints: Vec<Hint<'a>>,
    hints_total: u64,
    hints_omitted: u64,
    schema_compliance: ScoreOut,
    integrity_checks: ScoreOut,
    overall: ScoreOut,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct ErrorDetail<'a> {
    check: &'static str,
    path: String,
    expected: &'a str,
    found: &'a str,
    message: String,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct Flag<'a> {
    check: &'static str,
    field: &'a str,
    /// `error` where it counted for the result, else `info`
    severity: &'static str,
    detail: &'a str,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct Hint<'a> {
    /// `schema` or `integrity`
    source: &'static str,
    check: &'static str,
    /// Where in the output: `$.items[2].price`
    path: String,
    expected: &'a str,
    found: &'a str,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = Score))]
struct ScoreOut {
    /// To six places; 1 where there is nothing to pass
    ratio: f64,
    passed: u64,
    total: u64,
}

impl From<Score> for ScoreOut {
    fn from(score: Score) -> ScoreOut {
        ScoreOut { ratio: score.ratio(), passed: score.passed, total: score.total }
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.hex().as_str())
    }
}

impl<'a> Response<'a> {
    /// Puts a report into the shape of the wire. The hashes are computed here, where they are
    /// shown.
    pub fn new(
        subject: Subject<'a>,
        requirements: &Requirements<'_>,
        report: &'a Report,
    ) -> Response<'a> {
        let mut response =
            Response::of(subject, requirements, report.verdict, &report.blocking_checks);
        if subject.detail == Detail::Full {
            let Subject { task_id, agent_id, output, .. } = subject;
            response.request_hash = Some(requirements.request_hash(task_id, agent_id, output));
            response.full = Some(Full::new(report));
        }
        response
    }

    /// Puts a conclusion into the compact shape, whatever shape the subject asks for: the other would
    /// list what was found.
    pub fn compact(
        subject: Subject<'a>,
        requirements: &Requirements<'_>,
        conclusion: &Conclusion,
    ) -> Response<'a> {
        Response::of(subject, requirements, conclusion.verdict, &conclusion.blocking_checks)
    }

    /// What both shapes have.
    fn of(
        subject: Subject<'a>,
        requirements: &Requirements<'_>,
        verdict: Verdict,
        blocking_checks: &[CheckId],
    ) -> Response<'a> {
        Response {
            summary: Summary {
                result: verdict.as_str(),
                blocking_checks: blocking_checks.iter().map(|check| check.as_str()).collect(),
            },
            next_actions: match verdict {
                Verdict::Pass => AFTER_PASS,
                Verdict::Fail => AFTER_FAIL,
            },
            result: verdict.as_str(),
            verification_id: subject.verification_id,
            task_id: subject.task_id,
            agent_id: subject.agent_id,
            output_hash: Digest::of(subject.output),
            schema_hash: requirements.schema_hash(),
            rules_hash: requirements.rules_hash(),
            request_hash: None,
            verified_at: subject.verified_at,
            verifier_version: VERIFIER_VERSION,
            enforce_rules: requirements.enforce_rules(),
            strict_content_check: requirements.strict_content_check(),
            full: None,
            verify: None,
            attestation: None,
        }
    }

    /// The hashes that bind the response to what was checked.
    pub fn hashes(&self) -> ResponseHashes {
        ResponseHashes {
            output: self.output_hash,
            schema: self.schema_hash,
            rules: self.rules_hash,
            request: self.request_hash,
        }
    }

    /// Appends the response as JSON.
    ///
    /// # Errors
    ///
    /// Only where it cannot be serialized.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        match self.plain() {
            Some(plain) => {
                plain.write(out);
                Ok(())
            }
            None => serde_json::to_writer(out, self),
        }
    }

    pub(crate) fn verified_at(&self) -> &'a str {
        self.verified_at
    }

    pub(crate) fn set_verify(&mut self, verify: VerifySection<'a>) {
        self.verify = Some(verify);
    }

    pub(crate) fn set_attestation(&mut self, attestation: Attestation<'a>) {
        self.attestation = Some(attestation);
    }
}

impl<'a> Full<'a> {
    fn new(report: &'a Report) -> Full<'a> {
        let errors: Vec<String> = report.errors().map(|finding| report.message(finding)).collect();
        let errors_detail: Vec<ErrorDetail<'a>> = report
            .errors()
            .map(|finding| ErrorDetail {
                check: finding.check.as_str(),
                path: dollar(&finding.field),
                expected: &finding.expected,
                found: &finding.found,
                message: report.message(finding),
            })
            .collect();
        let severity = |finding: &Finding| {
            if report.blocks(finding.check.family()) { "error" } else { "info" }
        };
        let flags: Vec<Flag<'a>> = report
            .flags()
            .map(|finding| Flag {
                check: finding.check.as_str(),
                field: &finding.field,
                severity: severity(finding),
                detail: &finding.detail,
            })
            .collect();
        let hints: Vec<Hint<'a>> = report
            .findings()
            .map(|finding| Hint {
                source: finding.check.family().source(),
                check: finding.check.as_str(),
                path: dollar(&finding.field),
                expected: &finding.expected,
                found: &finding.found,
            })
            .collect();
        let omitted = |total: u64, listed: usize| total - listed as u64;
        let (errors_total, flags_total, hints_total) =
            (report.errors_total(), report.flags_total(), report.findings_total());
        Full {
            errors_omitted: omitted(errors_total, errors.len()),
            errors_detail_omitted: omitted(errors_total, errors_detail.len()),
            flags_omitted: omitted(flags_total, flags.len()),
            hints_omitted: omitted(hints_total, hints.len()),
            errors,
            errors_total,
            errors_detail,
            errors_detail_total: errors_total,
            flags,
            flags_total,
            hints,
            hints_total,
            schema_compliance: report.schema_compliance.into(),
            integrity_checks: report.integrity_checks.into(),
            overall: report.overall().into(),
        }
    }
}
