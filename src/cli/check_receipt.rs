//! `aov check-receipt`.

mod requests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agent_output_verifier::agent_card::{self, AgentCard};
use agent_output_verifier::check_receipt::{
    About, CardOrigin, Issuer, KeySource, ReceiptVerdict, Required, Terms, Wording, check, host_of,
    pair,
};
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::{Buffers, Document, Value};
use agent_output_verifier::key::VerifyingKey;
use agent_output_verifier::receipt::Receipt;
use agent_output_verifier::request::{RuleSet, Supplied};
use anyhow::Result;

use super::Status;
use super::args::{CheckReceipt, ColorChoice};
use super::batch::{Done, Name, Process, Run, inputs};
use super::fetch::{NamedBy, fetch};
use super::input::{Input, claim_stdin, read_file};
use super::output::Output;
use super::render::receipt::{Item, ReceiptRenderer};
use super::render::{Frame, Style};
use super::trouble::{Trouble, Troubles, of_invalid_request, of_refusal, shown};
use super::verify::parse_moment;
use crate::clock::now;
use requests::Requests;

/// Runs the command.
pub(crate) fn run(args: &CheckReceipt, color: ColorChoice) -> Result<Status> {
    let files = [&args.request, &args.output, &args.schema, &args.rules, &args.bounds];
    let files = files.into_iter().flatten().map(PathBuf::as_path);
    let files = files.chain(args.agent_card.as_deref().map(Path::new));
    claim_stdin(files.clone().chain(args.receipts.iter().map(PathBuf::as_path)))?;
    let stdin_taken = files.clone().any(|path| path == Path::new("-"));
    let card = card_of(args)?;
    let issuers = args.issuer.iter().map(|issuer| {
        Issuer::parse(issuer).map_err(|error| {
            Trouble::new(format!("--issuer {} is {error}", shown(issuer)), "Give one of them.")
        })
    });
    let issuers: Vec<Issuer> = issuers.collect::<Result<_, _>>()?;
    let now = match &args.now {
        Some(text) => parse_moment(text, "--now")?,
        None => now(),
    };
    let parts = PartFiles::read(args)?;
    let parts = parts.parse()?;
    let about = parts.about()?;
    let requests = args.requests.as_deref().map(Requests::open).transpose()?;
    let inputs = inputs(&args.receipts, args.lines, stdin_taken, "receipt")?;
    let receipts = Receipts {
        card,
        cards: Mutex::default(),
        issuers,
        now,
        about,
        requests,
        recheck: args.recheck,
        required: required(&args.require)?,
        renderer: ReceiptRenderer {
            frame: Frame {
                format: args.format.into(),
                command: "aov check-receipt",
                many: args.lines || inputs.len() > 1,
                silent: args.batch.quiet && args.batch.report.is_none(),
                style: Style::new(color, args.batch.report.is_none()),
                words: ["valid", "invalid"],
            },
        },
    };
    let output = Output::open(args.batch.report.as_deref())?;
    Run::new(&receipts, &args.batch, args.lines).all(inputs, output)
}

/// The options that give a check what it needs.
const OPTIONS: Wording = Wording {
    agent_card: "--agent-card",
    public_key: "--public-key",
    issuer: "--issuer",
    future: "check the clock, or give the time with --now",
    output: "--request or --output gives it",
    schema: "--request or --schema gives it",
    rules: "--request, or --rules and --bounds, give it",
    request: "--request gives it",
};

fn required(names: &[String]) -> Result<Required> {
    let mut required = Required::default();
    for name in names {
        required.add(name).map_err(|error| {
            let message = format!("--require {}: there is no such step", shown(name));
            Trouble::new(message, error.fix())
        })?;
    }
    Ok(required)
}

/// Where keys come from in this run.
enum Source {
    Card {
        card: AgentCard,
        url: Option<String>,
    },
    Key {
        key: VerifyingKey,
        key_version: Option<String>,
    },
    /// The card that each receipt names
    Named,
    BuiltIn,
    Unavailable(String),
}

fn card_of(args: &CheckReceipt) -> Result<Source> {
    if let Some(text) = &args.public_key {
        let key = VerifyingKey::from_base64(text).map_err(|error| {
            let help = "Give the 32 bytes of an Ed25519 public key in base64.";
            Trouble::new(format!("--public-key: {error}"), help)
        })?;
        return Ok(Source::Key { key, key_version: args.key_version.clone() });
    }
    let Some(card) = &args.agent_card else {
        return Ok(if args.fetch { Source::Named } else { Source::BuiltIn });
    };
    if card.contains("://") {
        if args.offline {
            let help = "Give the card as a file, or leave --offline out.";
            return Err(Trouble::new("--agent-card is a URL, and --offline was given", help).into());
        }
        return Ok(match fetch_card(card, NamedBy::User) {
            Ok(parsed) => Source::Card { card: parsed, url: Some(card.clone()) },
            Err(reason) => {
                let help = "give the card as a file with --agent-card";
                Source::Unavailable(format!("{reason}; {help}"))
            }
        });
    }
    let bytes = read_file(Path::new(card))?;
    let card = agent_card::parse(&bytes).map_err(|error| {
        let help = "Give the issuer's agent-card, such as its /.well-known/agent-card.json.";
        Trouble::new(format!("{}: {error}", shown(card)), help)
    })?;
    Ok(Source::Card { card, url: None })
}

fn fetch_card(url: &str, named_by: NamedBy) -> Result<AgentCard, String> {
    let bytes = fetch(url, named_by).map_err(|error| error.to_string())?;
    agent_card::parse(&bytes).map_err(|error| format!("what {} answers is {error}", shown(url)))
}

/// The files that single hashes are compared with.
#[derive(Default)]
struct PartFiles {
    files: Vec<(Part, String, Vec<u8>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Request,
    Output,
    Schema,
    Rules,
    Bounds,
}

impl PartFiles {
    fn read(args: &CheckReceipt) -> Result<PartFiles> {
        let mut files = Vec::new();
        for (part, path) in [
            (Part::Request, &args.request),
            (Part::Output, &args.output),
            (Part::Schema, &args.schema),
            (Part::Rules, &args.rules),
            (Part::Bounds, &args.bounds),
        ] {
            if let Some(path) = path {
                files.push((part, Input::of_path(path).name(), read_file(path)?));
            }
        }
        Ok(PartFiles { files })
    }

    fn parse(&self) -> Result<Parts<'_>> {
        let (mut documents, mut troubles) = (Vec::new(), Vec::new());
        for (part, name, bytes) in &self.files {
            match Document::parse(bytes) {
                Ok(document) => documents.push((*part, name.as_str(), document)),
                Err(error) => troubles.push(Trouble::of_read_error(name, &error)),
            }
        }
        if troubles.is_empty() { Ok(Parts { documents }) } else { Err(Troubles(troubles).into()) }
    }
}

/// The parsed files.
struct Parts<'f> {
    documents: Vec<(Part, &'f str, Document<'f>)>,
}

impl Parts<'_> {
    fn get(&self, part: Part) -> Option<Value<'_>> {
        self.documents.iter().find(|(p, ..)| *p == part).map(|(.., document)| document.root())
    }

    /// What the files say of every receipt.
    fn about(&self) -> Result<About<'_>> {
        if let Some(request) = self.get(Part::Request) {
            return Ok(About::Request(request));
        }
        if self.documents.is_empty() {
            return Ok(About::Nothing);
        }
        let rules = self.get(Part::Rules).map(RuleSet::read).transpose().map_err(|error| {
            let files: Vec<(&str, &Document<'_>)> =
                self.documents.iter().map(|(_, name, document)| (*name, document)).collect();
            Troubles(of_invalid_request(&error, &files, None))
        })?;
        let bounds = self.get(Part::Bounds);
        let supplied = rules.map(|set| Supplied {
            rules: set.rules,
            bounds: bounds.or(set.bounds),
            ..Supplied::default()
        });
        let bounds_only = bounds.map(|_| Supplied { bounds, ..Supplied::default() });
        Ok(About::Parts {
            output: self.get(Part::Output),
            schema: self.get(Part::Schema),
            rules: supplied.or(bounds_only),
        })
    }
}

/// What every receipt of a run is checked by.
struct Receipts<'r> {
    card: Source,
    /// Cards that receipts named, each fetched once.
    cards: Mutex<HashMap<String, Arc<Result<AgentCard, String>>>>,
    issuers: Vec<Issuer>,
    now: i64,
    /// What the files that the user named say of every receipt.
    about: About<'r>,
    requests: Option<Requests>,
    recheck: bool,
    required: Required,
    renderer: ReceiptRenderer,
}

impl Receipts<'_> {
    /// The card that a receipt names, fetched once for all receipts that name it.
    fn named_card(&self, url: &str) -> Arc<Result<AgentCard, String>> {
        // Held while fetching, so that one URL is never fetched twice at the same time.
        let mut cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        let fetched = cards.entry(url.to_owned());
        Arc::clone(fetched.or_insert_with(|| Arc::new(fetch_card(url, NamedBy::Receipt))))
    }

    fn check(&self, document: &Document<'_>, name: Name<'_>, done: &mut Done) {
        let (receipt, paired) = pair(document.root());
        let found = match (paired, &self.requests) {
            (None, Some(requests)) => Some(requests.find(receipt)),
            _ => None,
        };
        let request_document = match &found {
            Some(Ok(bytes)) => Document::parse(bytes).ok(),
            _ => None,
        };
        let about = match (paired, &found, &request_document) {
            (Some(request), ..) => About::Request(request),
            (None, Some(_), Some(document)) => About::Request(document.root()),
            (None, Some(Err(reason)), _) => About::NotFound { reason },
            (None, Some(Ok(_)), None) => {
                About::NotFound { reason: "the request changed while it was read" }
            }
            (None, None, _) => self.about,
        };
        self.check_about(receipt, about, name, done);
    }

    fn check_about(&self, receipt: Value<'_>, about: About<'_>, name: Name<'_>, done: &mut Done) {
        let url = Receipt::read(receipt).ok().and_then(|receipt| receipt.public_key_url());
        let named = match (&self.card, url) {
            (Source::Named, Some(url)) => Some(self.named_card(url)),
            _ => None,
        };
        let hint = hint(url);
        let key = match (&self.card, named.as_deref(), url) {
            (Source::Card { card, url }, ..) => {
                KeySource::Card { card, origin: CardOrigin::User { url: url.as_deref() } }
            }
            (Source::Key { key, key_version }, ..) => {
                KeySource::Given { key, key_version: key_version.as_deref() }
            }
            (Source::Named, Some(Ok(card)), Some(url)) => {
                KeySource::Card { card, origin: CardOrigin::Named { url } }
            }
            (Source::Named, Some(Err(reason)), _) => KeySource::Unavailable { reason },
            (Source::Named, ..) | (Source::BuiltIn, ..) => KeySource::BuiltIn { otherwise: &hint },
            (Source::Unavailable(reason), ..) => KeySource::Unavailable { reason },
        };
        let terms = Terms {
            key,
            issuers: &self.issuers,
            now: self.now,
            about,
            recheck: self.recheck,
            required: &self.required,
            wording: &OPTIONS,
        };
        let checked = check(receipt, &terms);
        let status = match checked.verdict {
            ReceiptVerdict::Valid => Status::Passed,
            ReceiptVerdict::Invalid => Status::Failed,
            ReceiptVerdict::Undecided => Status::Undecided,
        };
        done.item(status, self.renderer.frame.between(), |out| {
            self.renderer.item(name, &Item::Checked(&checked), out);
        });
    }

    fn error(&self, name: Name<'_>, body: ErrorBody, troubles: &[Trouble], done: &mut Done) {
        done.item(Status::Unusable, self.renderer.frame.between(), |out| {
            self.renderer.item(name, &Item::Error(&body), out);
        });
        done.tell(troubles);
    }
}

/// How to have a key, where there is none.
fn hint(url: Option<&str>) -> String {
    match url {
        Some(url) => format!(
            "there is no key; the receipt names {}: get that card with --fetch and accept it with \
             --issuer {}, or give a card that you trust with --agent-card",
            agent_output_verifier::text::quoted(url),
            host_of(url).unwrap_or_else(|| "HOST".to_owned())
        ),
        None => "there is no key, and the receipt names no place for it; give --agent-card or \
                 --public-key"
            .to_owned(),
    }
}

impl Process for Receipts<'_> {
    fn text(&self, bytes: &[u8], name: Name<'_>, buffers: Buffers, done: &mut Done) -> Buffers {
        match Document::parse_with(bytes, buffers) {
            Ok(document) => {
                self.check(&document, name, done);
                document.into_buffers()
            }
            Err(refused) => {
                let (body, trouble) = of_refusal(name, refused.error);
                self.error(name, body, &[trouble], done);
                refused.buffers
            }
        }
    }

    fn unreadable(&self, name: Name<'_>, trouble: Trouble, done: &mut Done) {
        let body = ErrorBody::unreadable(trouble.message.clone());
        self.error(name, body, &[trouble], done);
    }

    fn frame(&self) -> &Frame {
        &self.renderer.frame
    }
}
