//! The tools as clients and models see them: names, what to send, what comes back.

use std::sync::{Arc, LazyLock};

use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::Document;
use agent_output_verifier::request::parse_look_up;
use rmcp::model::{JsonObject, ToolAnnotations};

use super::super::app::EXAMPLE_REQUEST;
use super::super::payment::Good;
use super::schemas;

/// What a client is told of the server as a whole.
pub(super) const INSTRUCTIONS: &str = "\
Checks JSON that an AI agent made against what was asked for, and signs what was found. Verdicts are \
computed, not judged by a model: the same request always comes to the same result.

- Before you deliver JSON, call verify_schema with the schema and rules you were given. On a fail, \
mend the output by `hints` and call it again. Then deliver the output with the whole answer, which is \
a signed receipt.
- Before you accept or pay for JSON, call verify_schema with your own schema and rules.
- Before you rely on a receipt that somebody handed you, call check_receipt with your own request.
- For what is recorded of an agent, call get_verification_record.

A `fail` is an answer, not an error. Errors are JSON with `code`, `message`, `fields` (what to mend) \
and `guidance`; if `retryable` is true, wait `retry_after` seconds. Nothing is charged for an error.

A pass says that the output fits the schema, bounds and rules that were sent. It does not say that \
its data is true, that the requirements were good, or who made it.";

/// A tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Tool {
    VerifySchema,
    GetVerificationRecord,
    CheckReceipt,
}

impl Tool {
    pub(super) const ALL: [Tool; 3] =
        [Tool::VerifySchema, Tool::GetVerificationRecord, Tool::CheckReceipt];

    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Tool::VerifySchema => "verify_schema",
            Tool::GetVerificationRecord => "get_verification_record",
            Tool::CheckReceipt => "check_receipt",
        }
    }

    /// What a call of it can cost
    pub(in super::super) fn good(self) -> Option<Good> {
        match self {
            Tool::VerifySchema => Some(Good::Check),
            Tool::GetVerificationRecord => Some(Good::Score),
            Tool::CheckReceipt => None,
        }
    }

    pub(super) fn named(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Tool::VerifySchema => "Verify an output",
            Tool::GetVerificationRecord => "Look up an agent's record",
            Tool::CheckReceipt => "Check a receipt",
        }
    }

    fn description(self) -> String {
        match self {
            Tool::VerifySchema => format!(
                "Checks a JSON output against a JSON Schema, bounds and rules between fields, and \
                 signs what was found. Use it before you deliver JSON, and before you accept or pay \
                 for some.\n\n\
                 Send `task_id` (your own name for this check), `expected_schema` (a JSON Schema) \
                 and `submitted_output` (the JSON itself, not a string with JSON in it). `rules` \
                 and `bounds` are optional; they only count for the verdict with `enforce_rules`: \
                 true. Leave out what you do not need.\n\n\
                 Example: {example}\n\n\
                 The answer has `result`, \"pass\" or \"fail\" (a fail is an answer, not an error), \
                 `errors` that made it fail, `hints` with place, expected and found for each \
                 finding, scores, hashes of what was checked, and a signature. The whole answer is \
                 a receipt: hand it on unchanged, with the output.\n\n\
                 A pass does not prove that the data is true, that the schema asks for enough, or \
                 who made the output. With an `agent_id` the result is recorded for that agent, \
                 unless the id begins with `test-`.",
                example = *EXAMPLE_REQUEST
            ),
            Tool::GetVerificationRecord => "\
                Looks up what is recorded of an agent's checks on this server: how many passed and \
                failed, and a signed trust score from 0 to 1 in which newer results weigh more.\n\n\
                Send `agent_id`, exactly as it was sent to verify_schema.\n\n\
                Example: {\"agent_id\": \"seller-7\"}\n\n\
                The answer has `trust_score`, `sample_size`, `confidence_interval_95`, `passed`, \
                `failed`, the first and last dates, and a signature. Of an unknown agent \
                `trust_score` is null and `reason` is \"no_data\": that is an answer, not an \
                error.\n\n\
                It does not prove who the agent is: an id is a label that callers chose, and \
                anyone can have checks recorded under it."
                .to_owned(),
            Tool::CheckReceipt => "\
                Checks a signed receipt (an answer of verify_schema or get_verification_record, \
                from whatever issuer) step by step: shape, key, issuer, signature, time, and \
                whether it is about your request. Use it before you rely on a receipt that \
                somebody handed you. Nothing is fetched.\n\n\
                Send `receipt` (the whole JSON, unchanged) and `request`: what it must be about, \
                with your own schema and rules and the output that you were given. Say whose \
                receipts you accept: name the host in `issuers`, or send the issuer's `agent_card` \
                or `public_key` from a place that you trust. The keys of this server and a copy of \
                the hosted service's key are here already, for others send a card.\n\n\
                Example: {\"receipt\": {\"...\": \"the whole receipt\"}, \"request\": {\"...\": \"your \
                request\"}, \"issuers\": [\"verify.sarnai.dev\"]}\n\n\
                The answer has `verdict` (\"valid\", \"invalid\" or \"undecided\") and `steps`, each \
                passed, failed or not_checked, with the reason and how to have it checked. Only \
                \"valid\" proves something. Then read `result`: a receipt of a failed check is \
                valid too. What stands under `claimed` is the receipt's own word.\n\n\
                It does not prove that the data is true or that the requirements were good. With \
                `recheck`: true the checks are made again, which counts as a check."
                .to_owned(),
        }
    }

    fn annotations(self) -> ToolAnnotations {
        let annotations = ToolAnnotations::new().destructive(false).open_world(false);
        match self {
            // A check is recorded, each time anew.
            Tool::VerifySchema => annotations.read_only(false).idempotent(false),
            Tool::GetVerificationRecord | Tool::CheckReceipt => {
                annotations.read_only(true).idempotent(true)
            }
        }
    }

    fn declared(self) -> rmcp::model::Tool {
        let (input, output) = match self {
            Tool::VerifySchema => (schemas::request(), schemas::response()),
            Tool::GetVerificationRecord => (schemas::look_up(), schemas::score()),
            Tool::CheckReceipt => (schemas::receipt_request(), schemas::checked()),
        };
        rmcp::model::Tool::new(self.name(), self.description(), object(input))
            .with_title(self.title())
            .with_raw_output_schema(object(output))
            .with_annotations(self.annotations())
    }
}

fn object(schema: serde_json::Value) -> Arc<JsonObject> {
    match schema {
        serde_json::Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    }
}

/// All tools, always in the same order.
pub(super) fn declared() -> &'static [rmcp::model::Tool] {
    static DECLARED: LazyLock<Vec<rmcp::model::Tool>> =
        LazyLock::new(|| Tool::ALL.into_iter().map(Tool::declared).collect());
    &DECLARED
}

/// The agent that a look-up is for.
pub(super) fn agent_id(arguments: &[u8]) -> Result<String, ErrorBody> {
    let document = Document::parse(arguments).map_err(|error| ErrorBody::invalid_json(&error))?;
    let agent_id = parse_look_up(document.root());
    agent_id.map(str::to_owned).map_err(|error| ErrorBody::invalid_request(&error))
}
