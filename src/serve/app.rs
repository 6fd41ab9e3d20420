//! What all interfaces of the server share: who signs, what is free, the ledger, and the check
//! itself from a request's text to a signed answer.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use agent_output_verifier::attest::{Signer, Unsigned};
use agent_output_verifier::datetime::format_utc_micros;
use agent_output_verifier::error::{ErrorBody, ErrorCode, Guidance};
use agent_output_verifier::json::{Buffers, Document};
use agent_output_verifier::key::KeyFile;
use agent_output_verifier::report::Verdict;
use agent_output_verifier::request::{Held, KnownRequirements, ReadRequest, check_id};
use agent_output_verifier::response::{Response, Subject};
use agent_output_verifier::score::{Reputation, ScoreResponse, Tally, is_recorded};
use agent_output_verifier::verify::verify;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::allowance::{Allowance, Balance};
use super::body::{Bodies, Text};
use super::charge::Challenge;
use super::client::Client;
use super::ledger::{Entry, Ledger, Unavailable};
use super::metrics::Metrics;
use super::payment::{Good, Offer, Payments, Receipt};
use super::signing;
use crate::clock::now;
use crate::random::new_id;

/// Seconds after which a request that found the server busy may come again.
const BUSY_SECONDS: u64 = 1;

/// Seconds after which a fault may be mended.
const FAULT_SECONDS: u64 = 5;

/// Bytes of a request that may be checked on the event loop, and how long the last check with its
/// requirements may have taken.
const AT_ONCE: usize = 16 * 1024;
const SLOW: Duration = Duration::from_millis(1);

/// A request that works, for whoever sent one that did not.
pub(crate) static EXAMPLE_REQUEST: LazyLock<serde_json::Value> =
    LazyLock::new(|| serde_json::from_str(EXAMPLE_TEXT).unwrap_or_default());

/// The same as a text, in the order in which people write it.
pub(crate) const EXAMPLE_TEXT: &str = r#"{
  "task_id": "invoice-1",
  "expected_schema": {
    "type": "object",
    "required": ["lines", "total"],
    "properties": {"total": {"type": "number"}}
  },
  "submitted_output": {"lines": [{"amount": 30}, {"amount": 12}], "total": 42},
  "rules": [{"type": "sum_equals", "field": "lines[].amount", "equals_field": "total"}],
  "enforce_rules": true
}"#;

/// Who this server is.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// What receipts and documents call it; without a slash at the end. Empty where nobody can
    /// reach it.
    pub(crate) base_url: String,
    /// Where its keys are published, and where its tools can be called
    pub(crate) card_url: Option<String>,
    pub(crate) mcp_url: Option<String>,
    pub(crate) name: String,
}

impl Identity {
    pub(crate) fn new(base_url: &str, name: &str) -> Identity {
        let base_url = base_url.trim_end_matches('/').to_owned();
        Identity {
            card_url: Some(format!("{base_url}/.well-known/agent-card.json")),
            mcp_url: Some(format!("{base_url}/mcp")),
            base_url,
            name: name.to_owned(),
        }
    }

    /// Of a server that only the process which started it can reach.
    pub(crate) fn private(card_url: Option<String>, name: &str) -> Identity {
        Identity { base_url: String::new(), card_url, mcp_url: None, name: name.to_owned() }
    }
}

/// The server's state.
pub(crate) struct App {
    pub(crate) identity: Identity,
    pub(crate) key: KeyFile,
    pub(crate) ledger: Ledger,
    /// None: no limit.
    pub(crate) allowance: Option<Allowance>,
    /// None: nothing is charged.
    pub(crate) payments: Option<Arc<Payments>>,
    pub(crate) bodies: Bodies,
    /// What requests asked for before
    pub(crate) known: KnownRequirements,
    /// Requests under way.
    pub(crate) gate: Arc<Semaphore>,
    pub(crate) metrics: Metrics,
    /// Has the threads for what keeps one busy.
    pub(crate) checkers: Handle,
}

/// What comes with a request, over whatever transport.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Without a name, there is no allowance to use up.
    pub(crate) client: Option<Client>,
    /// What a payment is for
    pub(crate) url: String,
    pub(crate) payment: Option<Offer>,
}

/// A signed answer, as it is sent.
pub(crate) struct Answer {
    pub(crate) json: Vec<u8>,
    /// What is left of the client's allowance, where there is one.
    pub(crate) balance: Option<Balance>,
    /// How it was paid for, where it was.
    pub(crate) receipt: Option<Receipt>,
}

/// Why there is no answer.
pub(crate) enum Refusal {
    Error {
        error: Box<ErrorBody>,
        /// The client's allowance, where it is what the refusal is about.
        balance: Option<Balance>,
    },
    /// A payment is needed, or the one that came is not good enough.
    Payment(Box<Challenge>),
}

impl From<ErrorBody> for Refusal {
    fn from(error: ErrorBody) -> Refusal {
        Refusal::Error { error: Box::new(error), balance: None }
    }
}

/// What lets a request be checked.
pub(super) enum Admission<'a> {
    /// The allowance, if there is enough of it
    Free(&'a Call),
    /// A payment, with the id and time of the check where it was made before
    Paid(Option<(String, i64)>),
}

impl App {
    /// Lets a request in, or turns it away where too many are under way.
    pub(crate) fn enter(&self) -> Result<OwnedSemaphorePermit, ErrorBody> {
        Arc::clone(&self.gate).try_acquire_owned().map_err(|_| {
            let message = "Too many requests are under way. Nothing was charged.";
            ErrorBody::of(ErrorCode::OVERLOADED, message).retry_after(BUSY_SECONDS)
        })
    }

    /// Checks a request and signs what was found. A check of an agent is in the ledger when this
    /// returns. A request that brings a payment is paid for, also while free checks remain.
    pub(crate) async fn check(self: &Arc<App>, text: Text, call: Call) -> Result<Answer, Refusal> {
        if let Some(payments) = &self.payments
            && call.payment.is_some()
        {
            return self.check_for_payment(payments, text, call).await;
        }
        let client = call.client;
        let judged = match self.judge_at_once(text.as_bytes(), &Admission::Free(&call)) {
            Some(judged) => {
                let (mut judged, unsigned) = judged?;
                let json = std::mem::take(&mut judged.answer.json);
                judged.answer.json = signing::sign(self.key.signing_key(), (unsigned, json)).await;
                judged
            }
            None => {
                let app = Arc::clone(self);
                let judge = move || app.judge(text.as_bytes(), &Admission::Free(&call));
                self.off_the_event_loop(judge).await??
            }
        };
        let Judged { answer, verdict, entry, taken, .. } = judged;
        self.metrics.judged(verdict);
        if let Some(entry) = entry {
            if self.ledger.record(entry).await.is_err() {
                self.put_back(client, taken);
                return Err(ledger_unavailable().into());
            }
            self.metrics.recorded(verdict);
        }
        Ok(answer)
    }

    /// Runs what keeps a thread busy where it holds up nobody else. There are as many threads for it as
    /// the machine has cores; what comes beside it waits. A panic is an error of this one request.
    pub(crate) async fn off_the_event_loop<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ErrorBody> {
        let mut working = Working(self.checkers.spawn_blocking(work));
        // What was thrown may hold something of the request, and is not repeated.
        (&mut working.0).await.map_err(|_| internal_error(&"a check panicked"))
    }

    /// The whole check but for its signature, where that takes no longer than handing it to another
    /// thread would: of a small request whose requirements are known not to be slow.
    fn judge_at_once(
        &self,
        text: &[u8],
        admission: &Admission<'_>,
    ) -> Option<Result<(Judged, Unsigned), Refusal>> {
        if text.len() > AT_ONCE {
            return None;
        }
        let judge = || {
            let document = Document::parse_with(text, BUFFERS.take()).ok()?;
            let request = self.known.read_known(document.root())?;
            let quick = matches!(&request.held, Held::Known(compiled) if !compiled.is_slow());
            let judged = quick.then(|| self.judge_request(&request, text.len(), admission));
            drop(request);
            BUFFERS.set(document.into_buffers());
            judged
        };
        // As on a thread of its own.
        catch_unwind(AssertUnwindSafe(judge))
            .unwrap_or_else(|_| Some(Err(internal_error(&"a check panicked").into())))
    }

    /// The whole check, on a thread that may be kept busy.
    pub(super) fn judge(&self, text: &[u8], admission: &Admission) -> Result<Judged, Refusal> {
        let document = Document::parse(text).map_err(|error| ErrorBody::invalid_json(&error))?;
        let request =
            self.known.read(document.root()).map_err(|error| ErrorBody::invalid_request(&error))?;
        let (mut judged, mut unsigned) = self.judge_request(&request, text.len(), admission)?;
        unsigned.sign(self.key.signing_key(), &mut judged.answer.json);
        Ok(judged)
    }

    fn judge_request(
        &self,
        request: &ReadRequest<'_>,
        size: usize,
        admission: &Admission<'_>,
    ) -> Result<(Judged, Unsigned), Refusal> {
        let requirements = request.held.requirements();
        // What is invalid costs nothing; what is valid is admitted before it is checked.
        let taken = now();
        let (client, balance, made) = match admission {
            Admission::Free(call) => (call.client, self.admit_check(call, size, taken)?, None),
            Admission::Paid(made) => (None, None, made.as_ref()),
        };
        let started = Instant::now();
        let report = verify(requirements, request.output);
        if let Held::Known(compiled) = &request.held {
            compiled.set_slow(started.elapsed() > SLOW);
        }
        let report = report.map_err(|undecided| {
            self.put_back(client, Some(taken));
            ErrorBody::undecided(undecided)
        })?;
        let (verification_id, verified) = match made {
            Some((id, at)) => (id.clone(), *at),
            None => (new_id(), now()),
        };
        let verified_at = format_utc_micros(verified);
        let subject = Subject {
            verification_id: &verification_id,
            task_id: request.task_id,
            agent_id: request.agent_id,
            output: request.output,
            verified_at: &verified_at,
            detail: request.detail,
        };
        let mut response = Response::new(subject, requirements, &report);
        let mut json = Vec::with_capacity(4096);
        let mut unsigned = Unsigned::default();
        self.signer().write(&mut response, &mut unsigned, &mut json).map_err(|error| {
            self.put_back(client, Some(taken));
            internal_error(&error)
        })?;
        let hashes = response.hashes();
        let entry = request.agent_id.filter(|id| is_recorded(id)).map(|agent_id| Entry {
            verification_id: verification_id.clone(),
            verified_at: verified,
            agent_id: agent_id.to_owned(),
            verdict: report.verdict,
            output_hash: hashes.output,
            schema_hash: hashes.schema,
            rules_hash: hashes.rules,
            request_hash: hashes.request.unwrap_or_else(|| {
                requirements.request_hash(request.task_id, request.agent_id, request.output)
            }),
        });
        let answer = Answer { json, balance, receipt: None };
        let (verdict, made) = (report.verdict, (verification_id, verified));
        Ok((Judged { answer, verdict, entry, taken: Some(taken), made }, unsigned))
    }

    /// What a request comes to, for documents: nobody asked for it, and it is neither counted nor
    /// recorded. Where it is refused, the error.
    pub(crate) fn example(&self, text: &str) -> Vec<u8> {
        match self.judge(text.as_bytes(), &Admission::Paid(None)) {
            Ok(judged) => judged.answer.json,
            // Plain data: it cannot fail to be written.
            Err(Refusal::Error { error, .. }) => {
                serde_json::to_vec(&self.guided(*error)).unwrap_or_default()
            }
            Err(Refusal::Payment(_)) => Vec::new(),
        }
    }

    /// Takes a check out of the client's allowance, where there is one.
    fn admit_check(&self, call: &Call, size: usize, now: i64) -> Result<Option<Balance>, Refusal> {
        let Some(payments) = &self.payments else { return self.admit(call.client, now) };
        let limit = payments.terms().free_max_body;
        if size > limit {
            let why = format!("This request is larger than the {limit} bytes that are free.");
            return Err(self.ask_payment(payments, Good::Check, call, &why));
        }
        self.admit(call.client, now).map_err(|_| {
            let why = "This client's free checks for today are used up.";
            self.ask_payment(payments, Good::Check, call, why)
        })
    }

    /// Takes a check out of the client's allowance, where there is one; an error where it is used
    /// up.
    pub(crate) fn admit(
        &self,
        client: Option<Client>,
        now: i64,
    ) -> Result<Option<Balance>, Refusal> {
        let Some((allowance, client)) = self.allowance.as_ref().zip(client) else {
            return Ok(None);
        };
        allowance.take(client, now).map(Some).map_err(|balance| {
            let message = format!(
                "This client's {} free checks for today are used up; they begin anew at {}. \
                 Nothing was charged.",
                balance.limit, balance.resets
            );
            let error = ErrorBody::of(ErrorCode::RATE_LIMITED, message);
            let error = Box::new(error.retry_after(balance.seconds));
            Refusal::Error { error, balance: Some(balance) }
        })
    }

    /// Puts back what was taken for a check that came to nothing.
    fn put_back(&self, client: Option<Client>, taken: Option<i64>) {
        if let (Some(allowance), Some(client), Some(taken)) = (&self.allowance, client, taken) {
            allowance.put_back(client, taken);
        }
    }

    /// The counts of an agent's checks.
    pub(crate) async fn reputation(&self, agent_id: &str) -> Result<Vec<u8>, ErrorBody> {
        let tally = self.tally(agent_id).await?;
        serde_json::to_vec(&Reputation::new(agent_id, &tally))
            .map_err(|error| internal_error(&error))
    }

    /// The signed score of an agent's checks. Where there is one, it has its price.
    pub(crate) async fn score(
        self: &Arc<App>,
        agent_id: &str,
        call: Call,
    ) -> Result<Answer, Refusal> {
        let tally = self.tally(agent_id).await?;
        if let Some(payments) = &self.payments
            && tally.total() > 0
        {
            return self.score_for_payment(payments, agent_id, call).await;
        }
        let json = self.signed_score(agent_id, &tally)?;
        Ok(Answer { json, balance: None, receipt: None })
    }

    pub(super) fn signed_score(&self, agent_id: &str, tally: &Tally) -> Result<Vec<u8>, ErrorBody> {
        let scored_at = format_utc_micros(now());
        ScoreResponse::signed(agent_id, tally, &scored_at, &self.signer())
            .and_then(|response| serde_json::to_vec(&response))
            .map_err(|error| internal_error(&error))
    }

    pub(super) async fn tally(&self, agent_id: &str) -> Result<Tally, ErrorBody> {
        if let Err(problem) = check_id(agent_id) {
            let fix = "Give an id of 1 to 200 characters.";
            return Err(ErrorBody::invalid_field("agent_id", problem, fix));
        }
        self.ledger.tally(agent_id).await.map_err(|Unavailable| ledger_unavailable())
    }

    /// Whether what the server depends on is there.
    pub(crate) async fn healthy(&self) -> Result<(), ErrorBody> {
        self.ledger.healthy().await.map_err(|Unavailable| ledger_unavailable())
    }

    fn signer(&self) -> Signer<'_> {
        Signer {
            key: self.key.signing_key(),
            key_version: self.key.key_version(),
            public_key_url: self.identity.card_url.as_deref(),
            service: Some(&self.identity.name),
            mcp: self.identity.mcp_url.as_deref(),
        }
    }

    /// An error with what helps its reader.
    pub(crate) fn guided(&self, error: ErrorBody) -> ErrorBody {
        error.guided(&EXAMPLE_REQUEST, self.price(), self.free_checks())
    }

    /// What helps the reader of an answer that asks for payment.
    pub(crate) fn guidance(&self, what_to_do: &'static str) -> Guidance {
        Guidance {
            what_to_do,
            example_request: &EXAMPLE_REQUEST,
            price: self.price(),
            free_allowance: self.free_checks(),
        }
    }

    /// What is charged, in sentences.
    pub(crate) fn price(&self) -> String {
        match &self.payments {
            None => "Nothing is charged by this server.".to_owned(),
            Some(payments) => payments.terms().to_string(),
        }
    }

    /// What is free, in sentences.
    pub(crate) fn free_checks(&self) -> String {
        let size = match &self.payments {
            None => String::new(),
            Some(payments) => format!(" Each may have {} bytes.", payments.terms().free_max_body),
        };
        match &self.allowance {
            None => format!("Checks are free, without a limit.{size}"),
            Some(allowance) if allowance.limit() == 0 => "No check is free.".to_owned(),
            Some(allowance) => format!(
                "{} checks a client address and UTC day are free, over all routes together.{size}",
                allowance.limit()
            ),
        }
    }
}

thread_local! {
    /// For the next small request: what is read needs no memory of its own then.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// What a check came to.
pub(super) struct Judged {
    pub(super) answer: Answer,
    pub(super) verdict: Verdict,
    /// What is to be recorded
    pub(super) entry: Option<Entry>,
    /// When the allowance was used
    taken: Option<i64>,
    /// The id and the time of the check
    pub(super) made: (String, i64),
}

/// Work that is not begun any more once nobody waits for it.
struct Working<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Working<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An error of ours. What happened is for the log, not for the client.
pub(crate) fn internal_error(error: &dyn std::fmt::Display) -> ErrorBody {
    tracing::error!(error = %error, "a request failed on this side");
    let message = "Something went wrong on this side. Nothing was charged.";
    ErrorBody::of(ErrorCode::INTERNAL_ERROR, message).retry_after(FAULT_SECONDS)
}

pub(super) fn ledger_unavailable() -> ErrorBody {
    let message = "The ledger is not available, so nothing was recorded. Nothing was charged.";
    ErrorBody::of(ErrorCode::LEDGER_UNAVAILABLE, message).retry_after(FAULT_SECONDS)
}
