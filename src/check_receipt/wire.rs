//! A checked receipt on the wire.

use serde::Serialize;

use super::{Checked, Claims};
#[cfg(feature = "serve")]
use super::{ReceiptVerdict, StepName, StepStatus};

/// A checked receipt, ready to be serialized: the verdict, the steps with their reasons, and what
/// was proved.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = CheckedReceipt))]
pub struct CheckedResponse<'a> {
    /// `valid`: all that is needed was proved. `invalid`: something was disproved. `undecided`:
    /// neither; the steps say what is missing.
    #[cfg_attr(feature = "serve", schema(value_type = ReceiptVerdict))]
    verdict: &'static str,
    /// Every step, in order
    steps: Vec<StepOut<'a>>,
    #[serde(flatten)]
    verified: ClaimsOut<'a>,
    /// What the receipt says of itself, proved or not.
    claimed: ClaimsOut<'a>,
    /// Members that the signature does not cover
    unsigned: &'a [String],
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = ReceiptStep))]
struct StepOut<'a> {
    #[cfg_attr(feature = "serve", schema(value_type = StepName))]
    step: &'static str,
    #[cfg_attr(feature = "serve", schema(value_type = StepStatus))]
    status: &'static str,
    /// Why, and for what was not checked, how to have it checked
    detail: &'a str,
}

#[derive(Serialize, Default, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(as = ReceiptClaims))]
struct ClaimsOut<'a> {
    #[cfg_attr(feature = "serve", schema(required))]
    issuer: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    key_version: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    result: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    task_id: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    agent_id: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    verified_at: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    verification_id: Option<&'a str>,
    #[cfg_attr(feature = "serve", schema(required))]
    enforce_rules: Option<bool>,
    #[cfg_attr(feature = "serve", schema(required))]
    strict_content_check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_score: Option<&'a str>,
}

impl<'a> ClaimsOut<'a> {
    fn of(claims: &'a Claims) -> ClaimsOut<'a> {
        ClaimsOut {
            issuer: claims.issuer.as_deref(),
            key_version: claims.key_version.as_deref(),
            result: claims.result.as_deref(),
            task_id: claims.task_id.as_deref(),
            agent_id: claims.agent_id.as_deref(),
            verified_at: claims.verified_at.as_deref(),
            verification_id: claims.verification_id.as_deref(),
            enforce_rules: claims.enforce_rules,
            strict_content_check: claims.strict_content_check,
            trust_score: claims.trust_score.as_deref(),
        }
    }
}

impl<'a> From<&'a Checked> for CheckedResponse<'a> {
    fn from(checked: &'a Checked) -> CheckedResponse<'a> {
        let steps = checked.steps.iter().map(|step| StepOut {
            step: step.name.as_str(),
            status: step.status.as_str(),
            detail: &step.detail,
        });
        let verified = checked.verified.as_ref().map(|verified| verified.claims());
        CheckedResponse {
            verdict: checked.verdict.as_str(),
            steps: steps.collect(),
            verified: verified.map(ClaimsOut::of).unwrap_or_default(),
            claimed: ClaimsOut::of(&checked.claimed),
            unsigned: &checked.unsigned,
        }
    }
}
