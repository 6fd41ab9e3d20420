//! Checks receipts: every step by name as passed, failed or not checked, with the reason. The
//! verdict is computed from the steps, so that no path to *valid* forgets one.
//!
//! Whose key it is must be the user's word, never the receipt's: a receipt names its own key URL,
//! and whoever forges a receipt can publish a card there.

mod about;
mod issuer;
mod request;
mod wire;
mod wording;

use std::fmt;

use crate::agent_card::{AgentCard, SERVICE_URLS, Selected};
use crate::datetime::{Instant, format_utc_micros, parse_instant};
use crate::digest::Digest;
use crate::json::{Number, Value};
use crate::key::{VerifyingKey, decode_base64};
use crate::message::short;
use crate::receipt::{Kind, Receipt};
use crate::request::Supplied;
use crate::text::quoted;

pub use issuer::{Issuer, host_of};
pub use request::{GivenKey, NotAStep, ReceiptRequest, pair};
pub use wire::CheckedResponse;
pub use wording::Wording;

/// The steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(rename_all = "snake_case"))]
pub enum StepName {
    /// It is a receipt, and agrees with itself.
    Shape,
    /// The key of its version is there and usable.
    Key,
    /// The key is that of an issuer whom the user accepts.
    Issuer,
    /// The signature is the key's, over these very values.
    Signature,
    /// The time of signing is a date and not ahead of now.
    Time,
    /// The output is the one that was checked.
    OutputHash,
    /// The schema is the one that it was checked against.
    SchemaHash,
    /// So are rules and bounds.
    RulesHash,
    /// So is the whole request.
    RequestHash,
    /// The receipt's fields are the request's.
    RequestFields,
    /// The checks come to the same again.
    Recheck,
}

impl StepName {
    /// All of them, in order.
    pub const ALL: [StepName; 11] = [
        StepName::Shape,
        StepName::Key,
        StepName::Issuer,
        StepName::Signature,
        StepName::Time,
        StepName::OutputHash,
        StepName::SchemaHash,
        StepName::RulesHash,
        StepName::RequestHash,
        StepName::RequestFields,
        StepName::Recheck,
    ];

    /// The steps without which no receipt is valid.
    const NEEDED: [StepName; 5] =
        [StepName::Shape, StepName::Key, StepName::Issuer, StepName::Signature, StepName::Time];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            StepName::Shape => "shape",
            StepName::Key => "key",
            StepName::Issuer => "issuer",
            StepName::Signature => "signature",
            StepName::Time => "time",
            StepName::OutputHash => "output_hash",
            StepName::SchemaHash => "schema_hash",
            StepName::RulesHash => "rules_hash",
            StepName::RequestHash => "request_hash",
            StepName::RequestFields => "request_fields",
            StepName::Recheck => "recheck",
        }
    }

    /// The step of this name.
    pub fn named(name: &str) -> Option<StepName> {
        StepName::ALL.into_iter().find(|step| step.as_str() == name)
    }
}

/// How a step came out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(rename_all = "snake_case"))]
pub enum StepStatus {
    /// Proved
    Passed,
    /// Disproved
    Failed,
    /// Neither
    NotChecked,
}

impl StepStatus {
    /// The status on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            StepStatus::Passed => "passed",
            StepStatus::Failed => "failed",
            StepStatus::NotChecked => "not_checked",
        }
    }
}

/// A step with its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which
    pub name: StepName,
    /// How it came out
    pub status: StepStatus,
    /// Why, and for what was not checked, how to have it checked
    pub detail: String,
}

/// What all steps together come to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema), schema(rename_all = "snake_case"))]
pub enum ReceiptVerdict {
    /// All that is needed, and all that was asked for, was proved.
    Valid,
    /// Something was disproved.
    Invalid,
    /// Neither.
    Undecided,
}

impl ReceiptVerdict {
    /// The verdict on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ReceiptVerdict::Valid => "valid",
            ReceiptVerdict::Invalid => "invalid",
            ReceiptVerdict::Undecided => "undecided",
        }
    }
}

/// Where a card comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CardOrigin<'a> {
    /// The user gave it; with the URL, where the user typed one.
    User {
        /// The URL
        url: Option<&'a str>,
    },
    /// From the URL that the receipt names, because the user allowed that.
    Named {
        /// The URL
        url: &'a str,
    },
}

/// Where the key comes from.
#[derive(Clone, Copy, Debug)]
pub enum KeySource<'a> {
    /// A card.
    Card {
        /// The card
        card: &'a AgentCard,
        /// Where it comes from
        origin: CardOrigin<'a>,
    },
    /// This very key, in the user's own words, for one version or any.
    Given {
        /// The key
        key: &'a VerifyingKey,
        /// The only version that it is for
        key_version: Option<&'a str>,
    },
    /// Nothing but the built-in copy of the hosted service's key, for receipts that name it.
    BuiltIn {
        /// Why there is nothing else, and how to change that.
        otherwise: &'a str,
    },
    /// A card that could not be had.
    Unavailable {
        /// Why
        reason: &'a str,
    },
}

/// What the receipt is about, as far as the user has it.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// Nothing is at hand.
    Nothing,
    /// The whole request.
    Request(Value<'a>),
    /// Single parts of it.
    Parts {
        /// The output
        output: Option<Value<'a>>,
        /// The schema
        schema: Option<Value<'a>>,
        /// Rules and bounds as they were supplied, where either is given
        rules: Option<Supplied<'a>>,
    },
    /// A request was looked for and not found.
    NotFound {
        /// Where
        reason: &'a str,
    },
}

/// What must have passed beyond what every receipt needs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Required {
    /// These steps
    pub steps: Vec<StepName>,
    /// Every step that this kind of receipt has, save the recheck
    pub all: bool,
}

/// All that a receipt is checked by.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// Where the key comes from.
    pub key: KeySource<'a>,
    /// The issuers whom the user accepts by name.
    pub issuers: &'a [Issuer],
    /// The time to judge by, in microseconds since the Unix epoch.
    pub now: i64,
    /// What the receipt is about.
    pub about: About<'a>,
    /// Whether to make the checks again.
    pub recheck: bool,
    /// What else must have passed.
    pub required: &'a Required,
    /// What the reasons call that which the user can give.
    pub wording: &'a Wording,
}

/// What a receipt says of itself. Only [`Checked::verified`] holds claims that were proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claims {
    /// The host of its key URL, or the name it gives its issuer. In a verified receipt only where
    /// that name was settled, and not just the key.
    pub issuer: Option<String>,
    /// The version of its key
    pub key_version: Option<String>,
    /// `pass` or `fail`; none in a score
    pub result: Option<String>,
    /// The caller's name for the check
    pub task_id: Option<String>,
    /// The caller's label for the agent, nobody's identity
    pub agent_id: Option<String>,
    /// When it was signed
    pub verified_at: Option<String>,
    /// The id of the check
    pub verification_id: Option<String>,
    /// Whether bounds and rules counted for the result
    pub enforce_rules: Option<bool>,
    /// Whether content findings counted for the result
    pub strict_content_check: Option<bool>,
    /// The score, in a score receipt
    pub trust_score: Option<String>,
}

/// Claims of a valid receipt. Only a check that came out valid makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifiedReceipt(Claims);

impl VerifiedReceipt {
    /// The claims.
    pub fn claims(&self) -> &Claims {
        &self.0
    }
}

/// What checking a receipt came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The verdict
    pub verdict: ReceiptVerdict,
    /// The steps, in order
    pub steps: Vec<Step>,
    /// What was proved; only of valid receipts
    pub verified: Option<VerifiedReceipt>,
    /// What the receipt says, proved or not; to find it again, not to act on
    pub claimed: Claims,
    /// Members that the signature does not cover
    pub unsigned: Vec<String>,
}

/// Five minutes: how far a signer's clock may be ahead.
const CLOCK_SKEW_MICROS: i64 = 5 * 60 * 1_000_000;

/// Checks one receipt.
pub fn check(value: Value<'_>, terms: &Terms<'_>) -> Checked {
    let mut steps = Steps::default();
    let receipt = match Receipt::read(value) {
        Ok(receipt) => receipt,
        Err(reason) => {
            steps.add(StepName::Shape, StepStatus::Failed, reason);
            for name in [StepName::Key, StepName::Issuer, StepName::Signature, StepName::Time] {
                steps.add(name, StepStatus::NotChecked, "there is no attestation to check");
            }
            return steps.finish(value, None, terms);
        }
    };
    steps.add_result(StepName::Shape, check_shape(&receipt));
    let key = check_key(&receipt, terms, &mut steps);
    check_issuer(&receipt, terms, &mut steps);
    check_signature(&receipt, key.as_ref(), &mut steps);
    check_time(&receipt, terms, &mut steps);
    if receipt.kind == Kind::Verification {
        about::check(&receipt, terms, &mut steps);
    }
    steps.finish(value, Some(&receipt), terms)
}

/// The steps so far.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    /// Steps that the user asked for by giving what they need.
    asked: Vec<StepName>,
}

impl Steps {
    fn add(&mut self, name: StepName, status: StepStatus, detail: impl Into<String>) {
        self.steps.push(Step { name, status, detail: detail.into() });
    }

    /// A passed step's detail, or why it failed.
    fn add_result(&mut self, name: StepName, result: Result<String, String>) {
        match result {
            Ok(detail) => self.add(name, StepStatus::Passed, detail),
            Err(reason) => self.add(name, StepStatus::Failed, reason),
        }
    }

    fn has_passed(&self, name: StepName) -> bool {
        self.steps.iter().any(|step| step.name == name && step.status == StepStatus::Passed)
    }

    fn finish(self, value: Value<'_>, receipt: Option<&Receipt<'_>>, terms: &Terms<'_>) -> Checked {
        let mut wanted: Vec<StepName> = StepName::NEEDED.to_vec();
        wanted.extend(&self.asked);
        wanted.extend(&terms.required.steps);
        if terms.recheck {
            wanted.push(StepName::Recheck);
        }
        if terms.required.all {
            let there = self.steps.iter().map(|step| step.name);
            wanted.extend(there.filter(|name| *name != StepName::Recheck));
        }
        let verdict = if self.steps.iter().any(|step| step.status == StepStatus::Failed) {
            ReceiptVerdict::Invalid
        } else if wanted.iter().all(|name| self.has_passed(*name)) {
            ReceiptVerdict::Valid
        } else {
            ReceiptVerdict::Undecided
        };
        let claimed = claims(value, receipt);
        let valid = verdict == ReceiptVerdict::Valid;
        let verified = valid.then(|| {
            let url = receipt.and_then(Receipt::public_key_url);
            let mut proved = claimed.clone();
            proved.issuer = proved.issuer.filter(|_| is_name_settled(url, terms));
            VerifiedReceipt(proved)
        });
        let unsigned = receipt.map(Receipt::unsigned_members).unwrap_or_default();
        let unsigned = unsigned.into_iter().map(str::to_owned).collect();
        Checked { verdict, steps: self.steps, verified, claimed, unsigned }
    }
}

fn claims(value: Value<'_>, receipt: Option<&Receipt<'_>>) -> Claims {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let service = value.get("verify").and_then(|verify| verify.get("service"));
    let url = receipt.and_then(Receipt::public_key_url);
    let issuer =
        url.and_then(host_of).or_else(|| service.and_then(Value::as_str).map(str::to_owned));
    Claims {
        issuer,
        key_version: receipt.map(|receipt| receipt.key_version.to_owned()),
        result: text("result"),
        task_id: text("task_id"),
        agent_id: text("agent_id"),
        verified_at: receipt.map(|receipt| receipt.timestamp.to_owned()),
        verification_id: text("verification_id"),
        enforce_rules: value.get("enforce_rules").and_then(Value::as_bool),
        strict_content_check: value.get("strict_content_check").and_then(Value::as_bool),
        trust_score: value.get("trust_score").map(short),
    }
}

/// That the receipt is whole and agrees with itself.
fn check_shape(receipt: &Receipt<'_>) -> Result<String, String> {
    let value = receipt.value();
    if receipt.algorithm != "Ed25519" {
        return Err(format!("attestation.algorithm is {}, not Ed25519", quoted(receipt.algorithm)));
    }
    let verify = value.get("verify").filter(|verify| verify.is_object());
    let verify = verify.ok_or("it has no verify section")?;
    let named = verify.get("key_version").and_then(Value::as_str);
    if named != Some(receipt.key_version) {
        return Err("attestation.key_version and verify.key_version differ".to_owned());
    }
    match verify.get("public_key_url") {
        Some(url) if url.as_str().is_none() && !url.is_null() => {
            return Err("verify.public_key_url is no string".to_owned());
        }
        _ => {}
    }
    let agent_id = value.get("agent_id");
    if agent_id.is_some_and(|id| id.as_str().is_none() && !id.is_null()) {
        return Err("agent_id is no string".to_owned());
    }
    match receipt.kind {
        Kind::Verification => check_verification_shape(receipt, value)?,
        Kind::Score => {
            let scored_at = receipt.text("scored_at");
            if scored_at.is_some_and(|scored_at| scored_at != receipt.timestamp) {
                return Err("attestation.timestamp and scored_at differ".to_owned());
            }
            if agent_id.and_then(Value::as_str).is_none() {
                return Err("agent_id is missing".to_owned());
            }
        }
    }
    Ok(match receipt.kind {
        Kind::Verification => "a receipt of a verification".to_owned(),
        Kind::Score => "a receipt of a score".to_owned(),
    })
}

fn check_verification_shape(receipt: &Receipt<'_>, value: Value<'_>) -> Result<(), String> {
    let verified_at = value.get("verified_at");
    if verified_at.is_some_and(|at| at.as_str() != Some(receipt.timestamp)) {
        return Err("attestation.timestamp and verified_at differ".to_owned());
    }
    let result = receipt.text("result").filter(|result| matches!(*result, "pass" | "fail"));
    let result = result.ok_or("result is neither pass nor fail")?;
    let summary = value.get("summary").and_then(|summary| summary.get("result"));
    if summary.and_then(Value::as_str) != Some(result) {
        return Err("result and summary.result differ".to_owned());
    }
    if receipt.text("task_id").is_none() {
        return Err("task_id is missing or no string".to_owned());
    }
    for name in ["output_hash", "schema_hash", "rules_hash"] {
        if receipt.text(name).and_then(Digest::parse).is_none() {
            return Err(format!("{name} is missing or no SHA-256"));
        }
    }
    if value.get("request_hash").is_some()
        && receipt.text("request_hash").and_then(Digest::parse).is_none()
    {
        return Err("request_hash is no SHA-256".to_owned());
    }
    for name in ["schema_compliance", "integrity_checks", "overall"] {
        if let Some(score) = value.get(name) {
            check_score(score).map_err(|problem| format!("{name}: {problem}"))?;
        }
    }
    Ok(())
}

fn check_score(score: Value<'_>) -> Result<(), &'static str> {
    let number = |name: &str| {
        let number = score.get(name).and_then(Value::as_number);
        number.ok_or("passed, total or ratio is no number")
    };
    let (passed, total, ratio) = (number("passed")?, number("total")?, number("ratio")?);
    if passed.compare(total).is_gt() || passed.compare(Number::Integer("0")).is_lt() {
        return Err("passed is not between 0 and total");
    }
    let double = |number: Number<'_>| match number {
        Number::Integer(digits) => digits.parse().unwrap_or(f64::INFINITY),
        Number::Double(double) => double,
    };
    let (passed, total, ratio) = (double(passed), double(total), double(ratio));
    let expected = if total == 0.0 { 1.0 } else { passed / total };
    // One rounding step beside the six places that are written.
    if (ratio - expected).abs() > 1e-6 { Err("ratio is not passed / total") } else { Ok(()) }
}

/// The key, if there is one to verify with.
fn check_key(receipt: &Receipt<'_>, terms: &Terms<'_>, steps: &mut Steps) -> Option<VerifyingKey> {
    let version = quoted(receipt.key_version);
    let built_in;
    let (card, whose) = match &terms.key {
        KeySource::Card { card, .. } => (*card, "the agent-card"),
        KeySource::Given { key, key_version } => {
            if key_version.is_some_and(|only| only != receipt.key_version) {
                let detail = format!(
                    "the receipt's key version is {version}, the given key is for {} only",
                    quoted(key_version.unwrap_or_default())
                );
                steps.add(StepName::Key, StepStatus::NotChecked, detail);
                return None;
            }
            steps.add(StepName::Key, StepStatus::Passed, "the given public key");
            return Some((*key).clone());
        }
        KeySource::BuiltIn { otherwise } => {
            if !names_service(receipt) {
                steps.add(StepName::Key, StepStatus::NotChecked, *otherwise);
                return None;
            }
            built_in = AgentCard::of_service();
            (&built_in, "the built-in copy of the service's key (not reconfirmed with its card)")
        }
        KeySource::Unavailable { reason } => {
            steps.add(StepName::Key, StepStatus::NotChecked, *reason);
            return None;
        }
    };
    match card.select(receipt.key_version) {
        Selected::Key(key) => {
            let detail = format!("key version {version}, from {whose}");
            steps.add(StepName::Key, StepStatus::Passed, detail);
            Some(key.clone())
        }
        Selected::Missing => {
            let detail = format!(
                "{whose} has no key of version {version}; give a current card with {}",
                terms.wording.agent_card
            );
            steps.add(StepName::Key, StepStatus::NotChecked, detail);
            None
        }
        Selected::Unusable(reason) => {
            let detail = format!("key version {version} in {whose}: {reason}");
            steps.add(StepName::Key, StepStatus::Failed, detail);
            None
        }
    }
}

/// Whether a receipt names one of the hosted service's addresses.
fn names_service(receipt: &Receipt<'_>) -> bool {
    receipt
        .public_key_url()
        .is_some_and(|url| SERVICE_URLS.iter().any(|service| url.starts_with(service)))
}

fn check_issuer(receipt: &Receipt<'_>, terms: &Terms<'_>, steps: &mut Steps) {
    let named = receipt.public_key_url();
    let card_url = match terms.key {
        KeySource::Card { origin: CardOrigin::User { url }, .. } => url,
        KeySource::Card { origin: CardOrigin::Named { url }, .. } => Some(url),
        _ => None,
    };
    if !terms.issuers.is_empty() {
        let accepts = |url: &str| terms.issuers.iter().any(|issuer| issuer.accepts(url));
        let result = match named {
            None => {
                Err("the receipt names no key URL, so it is none of the accepted issuers'".into())
            }
            Some(url) if !accepts(url) => {
                Err(format!("the receipt names {}, which is not accepted", place_of(url)))
            }
            Some(_) if card_url.is_some_and(|url| !accepts(url)) => Err(format!(
                "the agent-card came from {}, which is not accepted",
                place_of(card_url.unwrap_or_default())
            )),
            Some(url) => Ok(format!("{}, accepted with {}", place_of(url), terms.wording.issuer)),
        };
        // A host accepted by name says nothing while there is no key of it.
        if result.is_ok() && !steps.has_passed(StepName::Key) {
            let detail =
                format!("accepted with {}, but there is no key of it", terms.wording.issuer);
            return steps.add(StepName::Issuer, StepStatus::NotChecked, detail);
        }
        return steps.add_result(StepName::Issuer, result);
    }
    let (status, detail) = match terms.key {
        KeySource::Card { origin: CardOrigin::User { .. }, .. } => {
            (StepStatus::Passed, "the user gave the agent-card".to_owned())
        }
        KeySource::Given { .. } if !steps.has_passed(StepName::Key) => {
            (StepStatus::NotChecked, "the given key is for another version".to_owned())
        }
        KeySource::Given { .. } => (StepStatus::Passed, "the user gave the key".to_owned()),
        KeySource::BuiltIn { .. } if names_service(receipt) => {
            (StepStatus::Passed, "the hosted service, known to this program".to_owned())
        }
        _ => (StepStatus::NotChecked, not_accepted(named, terms.wording)),
    };
    steps.add(StepName::Issuer, status, detail);
}

/// Whether it is settled that the key is that of the host which the receipt names. A key or a card
/// that the user gave settles whose word the receipt is, not what its signer calls itself.
fn is_name_settled(named: Option<&str>, terms: &Terms<'_>) -> bool {
    let host = named.and_then(host_of);
    match terms.key {
        _ if !terms.issuers.is_empty() => true,
        KeySource::BuiltIn { .. } | KeySource::Card { origin: CardOrigin::Named { .. }, .. } => {
            true
        }
        KeySource::Card { origin: CardOrigin::User { url: Some(url) }, .. } => {
            host.is_some() && host == host_of(url)
        }
        _ => false,
    }
}

fn not_accepted(named: Option<&str>, wording: &Wording) -> String {
    match named {
        Some(url) => format!(
            "the receipt itself names its key's place, {}; whoever forges a receipt can do that. \
             Accept it with {} {}, or give its card with {}",
            place_of(url),
            wording.issuer,
            host_of(url).unwrap_or_else(|| "HOST".to_owned()),
            wording.agent_card,
        ),
        None => format!(
            "the receipt names no place for its key; give the signer's key with {} or {}",
            wording.public_key, wording.agent_card
        ),
    }
}

/// A URL as messages show it.
fn place_of(url: &str) -> String {
    quoted(url)
}

fn check_signature(receipt: &Receipt<'_>, key: Option<&VerifyingKey>, steps: &mut Steps) {
    let decoded = decode_base64(receipt.signature)
        .map_err(|error| format!("the signature is {error}"))
        .and_then(|bytes| {
            <[u8; 64]>::try_from(bytes)
                .map_err(|bytes| format!("the signature has {} bytes, not 64", bytes.len()))
        });
    let signature = match decoded {
        Ok(signature) => signature,
        Err(reason) => return steps.add(StepName::Signature, StepStatus::Failed, reason),
    };
    let Some(key) = key else {
        let detail = "there is no key to verify it with";
        return steps.add(StepName::Signature, StepStatus::NotChecked, detail);
    };
    let result = if key.verify(&receipt.signed_message(), &signature) {
        Ok("Ed25519, over all but the attestation".to_owned())
    } else {
        Err("it is not this key's signature over these values".to_owned())
    };
    steps.add_result(StepName::Signature, result);
}

fn check_time(receipt: &Receipt<'_>, terms: &Terms<'_>, steps: &mut Steps) {
    let now = terms.now;
    let Some(signed) = parse_instant(receipt.timestamp) else {
        let detail = format!("{} is no date and time", quoted(receipt.timestamp));
        return steps.add(StepName::Time, StepStatus::Failed, detail);
    };
    let latest = parse_instant(&format_utc_micros(now.saturating_add(CLOCK_SKEW_MICROS)));
    let age = now.div_euclid(1_000_000) - signed.unix_seconds();
    if latest.as_ref().is_some_and(|latest: &Instant| signed > *latest) {
        let detail = format!("signed {} in the future: {}", duration(-age), terms.wording.future);
        return steps.add(StepName::Time, StepStatus::NotChecked, detail);
    }
    let detail = if age >= 0 {
        format!("signed {} ago", duration(age))
    } else {
        format!("signed {} ahead of this clock, which is allowed", duration(-age))
    };
    steps.add(StepName::Time, StepStatus::Passed, detail);
}

fn duration(seconds: i64) -> String {
    let (count, unit) = match seconds {
        ..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
