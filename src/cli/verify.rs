//! `aov verify` and `aov attest`: the same checks, unsigned and signed.

use std::fs::File;
use std::path::{Path, PathBuf};

use agent_output_verifier::attest::Signer;
use agent_output_verifier::datetime::{format_utc_micros, parse_instant};
use agent_output_verifier::json::Buffers;
use agent_output_verifier::request::{Detail, KnownRequirements};
use anyhow::Result;

use super::Status;
use super::args::{
    Attest, AttestFormat, BatchArgs, CheckArgs, ColorChoice, DetailArg, Format, Verify,
};
use super::batch::{Done, Name, Process, Run, inputs};
use super::input::{Input, claim_stdin};
use super::judge::{Against, Judge, Judged, Moment, Signature, Wanted};
use super::keys::{self, check_issuer_name, check_key_url};
use super::output::Output;
use super::render::{Frame, Renderer, Style};
use super::requirements::{Files, check_args, overrides};
use super::trouble::Trouble;

/// Runs `aov verify`.
pub(crate) fn run(args: &Verify, color: ColorChoice) -> Result<Status> {
    let silent = args.batch.quiet && args.batch.report.is_none();
    let wanted = match args.format {
        Format::Human if silent => Wanted::Verdict,
        Format::Json | Format::Ndjson => Wanted::Responses,
        _ => Wanted::Report,
    };
    let show = Show {
        wanted,
        signature: None,
        key_from_stdin: false,
        format: args.format,
        pair: false,
        silent,
        color,
    };
    check(&args.checks, &args.batch, show)
}

/// Runs `aov attest`.
pub(crate) fn attest(args: &Attest, color: ColorChoice) -> Result<Status> {
    let named = args.checks.requirements.files().chain(&args.checks.outputs);
    claim_stdin(named.map(PathBuf::as_path).chain([Path::new(&args.key.key)]))?;
    let key = keys::read(&args.key)?;
    if let Some(url) = &args.public_key_url {
        check_key_url(url)?;
    }
    check_issuer_name(args.issuer_name.as_deref())?;
    let signer = Signer {
        key: key.signing_key(),
        key_version: key.key_version(),
        public_key_url: args.public_key_url.as_deref().or(key.public_key_url.as_deref()),
        service: args.issuer_name.as_deref().or(key.issuer_name.as_deref()),
        mcp: None,
    };
    let moment = match (&args.timestamp, std::env::var_os("SOURCE_DATE_EPOCH")) {
        (Some(text), _) => Moment::At(parse_moment(text, "--timestamp")?),
        (None, Some(seconds)) => Moment::At(parse_epoch(&seconds.to_string_lossy())?),
        (None, None) => Moment::Now,
    };
    if let Some(id) = &args.verification_id
        && uuid::Uuid::try_parse(id).is_err()
    {
        let help = "Give a UUID, or leave it out.";
        return Err(Trouble::new("--verification-id is no UUID", help).into());
    }
    let format = match args.format {
        AttestFormat::Json => Format::Json,
        AttestFormat::Ndjson => Format::Ndjson,
    };
    let verification_id = args.verification_id.as_deref();
    let show = Show {
        wanted: Wanted::Responses,
        signature: Some(Signature { signer, moment, verification_id }),
        key_from_stdin: args.key.key == "-",
        format,
        pair: args.pair,
        silent: false,
        color,
    };
    check(&args.checks, &args.batch, show)
}

/// What is shown, and how.
struct Show<'a> {
    wanted: Wanted,
    signature: Option<Signature<'a>>,
    key_from_stdin: bool,
    format: Format,
    pair: bool,
    silent: bool,
    color: ColorChoice,
}

fn check(args: &CheckArgs, batch: &BatchArgs, show: Show<'_>) -> Result<Status> {
    let requirements = &args.requirements;
    check_args(requirements, &args.outputs)?;
    if !requirements.requests && requirements.files().next().is_none() {
        let help = "Give one of --schema, --rules, --bounds, --template, --request or --requests.";
        return Err(Trouble::new("there is nothing to check against", help).into());
    }
    let inputs = match &requirements.request {
        Some(request) => vec![Input::of_path(request)],
        None => {
            let taken =
                show.key_from_stdin || requirements.files().any(|path| path.as_os_str() == "-");
            inputs(&args.outputs, args.lines, taken, "output")?
        }
    };
    let many = args.lines || inputs.len() > 1;
    if many && requirements.task_id.is_some() {
        let help = "Leave it out; each input then has its own name as its task id.";
        return Err(Trouble::new("--task-id is for one input", help).into());
    }

    let files = Files::read(requirements)?;
    let documents = files.parse()?;
    let overrides = overrides(requirements);
    let whole_requests = requirements.requests || requirements.request.is_some();
    let compiled = if whole_requests { None } else { Some(documents.compile(overrides)?) };
    let against = match &compiled {
        Some(compiled) => Against::Shared(compiled),
        None => Against::Requests(KnownRequirements::new(overrides)),
    };
    let judge = Judge {
        against,
        task_id: requirements.task_id.as_deref(),
        agent_id: requirements.agent_id.as_deref(),
        detail: args.detail.map(|detail| match detail {
            DetailArg::Full => Detail::Full,
            DetailArg::Compact => Detail::Compact,
        }),
        wanted: show.wanted,
        signature: show.signature,
    };
    if many && judge.signature.is_some_and(|signature| signature.verification_id.is_some()) {
        let help = "Leave it out; each input then has its own.";
        return Err(Trouble::new("--verification-id is for one input", help).into());
    }
    let frame = Frame {
        format: show.format,
        command: "aov verify",
        many,
        silent: show.silent,
        style: Style::new(show.color, batch.report.is_none()),
        words: ["passed", "failed"],
    };
    let renderer = Renderer { frame, pair: show.pair };
    let output = Output::open(batch.report.as_deref())?;
    let process = Checks { judge, renderer };
    Run::new(&process, batch, args.lines).all(inputs, output)
}

/// Receipts that are signed at once: enough for what they share to weigh little, and their messages
/// stay in the processor's cache.
const SIGNED_AT_ONCE: usize = 32;

struct Checks<'r> {
    judge: Judge<'r>,
    renderer: Renderer,
}

impl Checks<'_> {
    fn show(&self, name: Name<'_>, judged: &Judged<'_>, done: &mut Done) {
        done.item(judged.status(), self.renderer.frame.between(), |out| {
            self.renderer.item(name, judged, out);
        });
        if done.out.unsigned.len() >= SIGNED_AT_ONCE {
            self.settle(done);
        }
        if let Judged::Unusable { troubles, .. } = judged {
            done.tell(troubles);
        }
    }
}

impl Process for Checks<'_> {
    fn text(&self, bytes: &[u8], name: Name<'_>, buffers: Buffers, done: &mut Done) -> Buffers {
        self.judge.judge(bytes, name, buffers, &mut |judged| self.show(name, &judged, done))
    }

    fn in_passing(&self, file: File, name: Name<'_>, done: &mut Done) -> bool {
        let Some(judged) = self.judge.judge_in_passing(file) else {
            return false;
        };
        self.show(name, &judged, done);
        true
    }

    fn unreadable(&self, name: Name<'_>, trouble: Trouble, done: &mut Done) {
        self.judge.unreadable(name, trouble, &mut |judged| self.show(name, &judged, done));
    }

    fn settle(&self, done: &mut Done) {
        if let Some(signature) = self.judge.signature {
            done.out.sign(signature.signer.key);
        }
    }

    fn frame(&self) -> &Frame {
        &self.renderer.frame
    }
}

/// A time that an option gives, in microseconds since the Unix epoch.
pub(crate) fn parse_moment(text: &str, option: &str) -> Result<i64> {
    let help = "Give an RFC 3339 time such as 2026-01-31T12:00:00Z.";
    let trouble = || Trouble::new(format!("{option} is no time"), help);
    // Elsewhere a date alone is its midnight, and a time without an offset is in UTC; what a
    // receipt or a verdict hangs on is given in full.
    let bytes = text.as_bytes();
    let has_offset = bytes.ends_with(b"Z")
        || bytes.ends_with(b"z")
        || bytes.iter().rev().nth(5).is_some_and(|byte| matches!(byte, b'+' | b'-'));
    let instant = parse_instant(text).filter(|_| bytes.len() > 19 && has_offset);
    let instant = instant.ok_or_else(trouble)?;
    Ok(instant.unix_micros().ok_or_else(trouble)?)
}

fn parse_epoch(seconds: &str) -> Result<i64> {
    let help = "Set it to seconds since 1970-01-01, or unset it.";
    let trouble = || Trouble::new("SOURCE_DATE_EPOCH is no number of seconds", help);
    let seconds: i64 = seconds.parse().map_err(|_| trouble())?;
    let micros = seconds.checked_mul(1_000_000).ok_or_else(trouble)?;
    // A year that RFC 3339 cannot write would make a receipt that nobody accepts.
    parse_instant(&format_utc_micros(micros)).ok_or_else(trouble)?;
    Ok(micros)
}
