//! What is paid for: when a payment is asked for, and a check or a score given for one.

use std::sync::{Arc, Weak};

use agent_output_verifier::digest::Digest;
use agent_output_verifier::error::{ErrorBody, ErrorCode};
use agent_output_verifier::json::Document;
use agent_output_verifier::request::Request;

use super::allowance::Balance;
use super::app::{Admission, Answer, App, Call, Judged, Refusal, internal_error};
use super::body::Text;
use super::ledger::Bought;
use super::payment::{
    Declined, FreeTrial, Good, PaymentError, PaymentRequired, Payments, Purchase,
    SettlementResponse,
};
use crate::clock::now;

/// What is asked of who has not paid, or not well enough.
#[derive(Clone, Debug)]
pub(crate) struct Challenge {
    pub(crate) required: PaymentRequired,
    /// Why the payment that came was refused
    pub(crate) refused: Option<PaymentError>,
    /// What became of its settlement, where that was tried
    pub(crate) settlement: Option<SettlementResponse>,
    /// The client's free checks, where it is checks that are charged for
    pub(crate) free_trial: Option<FreeTrial>,
    pub(crate) balance: Option<Balance>,
}

/// Whether anybody waits for an answer: it can be upgraded while someone does.
type Waiting = Weak<()>;

impl App {
    /// The answer to a request without a body, which asks what there is to pay; none where nothing
    /// is charged.
    pub(crate) fn probe(&self, call: &Call) -> Option<Refusal> {
        let payments = self.payments.as_ref()?;
        let why = "This request has no body: it is answered with what a check costs.";
        Some(self.ask_payment(payments, Good::Check, call, why))
    }

    /// Asks for a payment. `why` is a sentence.
    pub(super) fn ask_payment(
        &self,
        payments: &Payments,
        good: Good,
        call: &Call,
        why: &str,
    ) -> Refusal {
        let error = format!("Payment is required. {why}");
        self.challenge(payments, good, call, error, None, None)
    }

    fn challenge(
        &self,
        payments: &Payments,
        good: Good,
        call: &Call,
        error: String,
        refused: Option<PaymentError>,
        settlement: Option<SettlementResponse>,
    ) -> Refusal {
        let required = match payments.required(good, &call.url, error) {
            Ok(required) => required,
            Err(error) => return error.into(),
        };
        let (balance, free_trial) = match good {
            Good::Check => {
                let allowance = self.allowance.as_ref().zip(call.client);
                let balance = allowance.map(|(allowance, client)| allowance.balance(client, now()));
                let max_body = payments.terms().free_max_body;
                let mcp_url = self.identity.mcp_url.as_deref();
                let trial = FreeTrial::new(mcp_url, balance.as_ref(), max_body);
                (balance, Some(trial))
            }
            Good::Score => (None, None),
        };
        let challenge = Challenge { required, refused, settlement, free_trial, balance };
        Refusal::Payment(Box::new(challenge))
    }

    fn decline(&self, payments: &Payments, good: Good, call: &Call, declined: Declined) -> Refusal {
        let (refused, settlement) = match declined {
            Declined::Later(error) => {
                self.metrics.payment("unavailable");
                return Refusal::Error { error, balance: None };
            }
            Declined::Refused(error) => (error, None),
            Declined::NotSettled(error, settlement) => (error, Some(settlement)),
        };
        self.metrics.payment("refused");
        let error = format!("{}: {}", refused.code, refused.message);
        self.challenge(payments, good, call, error, Some(refused), settlement)
    }

    /// A check for the payment that came with it.
    pub(super) async fn check_for_payment(
        self: &Arc<App>,
        payments: &Arc<Payments>,
        text: Text,
        call: Call,
    ) -> Result<Answer, Refusal> {
        let (app, payments, text) = (Arc::clone(self), Arc::clone(payments), Arc::new(text));
        to_its_end(|waiting| async move {
            // What is invalid is told so before anything is paid.
            let judged = Arc::clone(&text);
            let request_hash =
                app.off_the_event_loop(move || request_hash_of(judged.as_bytes())).await??;
            let decline = |declined| app.decline(&payments, Good::Check, &call, declined);
            let purchase = app.begin(&payments, Good::Check, &call).await?;
            let made = purchase.made(Good::Check, request_hash);
            let made = made.map_err(|error| decline(error.into()))?;
            let judge = Arc::clone(&app);
            let admission = Admission::Paid(made);
            let judged =
                app.off_the_event_loop(move || judge.judge(text.as_bytes(), &admission)).await??;
            let Judged { mut answer, verdict, entry, made, .. } = judged;
            app.metrics.judged(verdict);
            still_wanted(&waiting)?;
            let is_recorded = entry.is_some();
            let bought = Bought { good: Good::Check.as_str(), request_hash, made: Some(made) };
            let receipt = purchase.settle(bought, entry).await.map_err(decline)?;
            if is_recorded {
                app.metrics.recorded(verdict);
            }
            app.metrics.payment("settled");
            answer.receipt = Some(receipt);
            Ok(answer)
        })
        .await
    }

    /// A score for the payment that came with the request for it.
    pub(super) async fn score_for_payment(
        self: &Arc<App>,
        payments: &Arc<Payments>,
        agent_id: &str,
        call: Call,
    ) -> Result<Answer, Refusal> {
        if call.payment.is_none() {
            let why = "Look-ups of an agent that has a score are paid for.";
            return Err(self.ask_payment(payments, Good::Score, &call, why));
        }
        let (app, payments) = (Arc::clone(self), Arc::clone(payments));
        let agent_id = agent_id.to_owned();
        to_its_end(|waiting| async move {
            let request_hash = Digest::of_bytes(agent_id.as_bytes());
            let decline = |declined| app.decline(&payments, Good::Score, &call, declined);
            let purchase = app.begin(&payments, Good::Score, &call).await?;
            let made = purchase.made(Good::Score, request_hash);
            made.map_err(|error| decline(error.into()))?;
            // As it is now, also where one was paid for and not fetched.
            let tally = app.tally(&agent_id).await?;
            let json = app.signed_score(&agent_id, &tally)?;
            still_wanted(&waiting)?;
            let bought = Bought { good: Good::Score.as_str(), request_hash, made: None };
            let receipt = purchase.settle(bought, None).await.map_err(decline)?;
            app.metrics.payment("settled");
            Ok(Answer { json, balance: None, receipt: Some(receipt) })
        })
        .await
    }

    async fn begin(
        &self,
        payments: &Arc<Payments>,
        good: Good,
        call: &Call,
    ) -> Result<Purchase, Refusal> {
        let Some(offer) = &call.payment else {
            return Err(self.ask_payment(payments, good, call, "There is none."));
        };
        let begun = payments.begin(offer, good).await;
        begun.map_err(|declined| self.decline(payments, good, call, declined))
    }
}

/// The hash that a request is known by; an error where it is invalid.
fn request_hash_of(text: &[u8]) -> Result<Digest, ErrorBody> {
    let document = Document::parse(text).map_err(|error| ErrorBody::invalid_json(&error))?;
    let request =
        Request::parse(document.root()).map_err(|error| ErrorBody::invalid_request(&error))?;
    Ok(request.requirements.request_hash(request.task_id, request.agent_id, request.output))
}

/// Runs a purchase to its end whether or not somebody waits for it: a client that leaves must not
/// leave a settlement half done. It is told whether someone still waits.
async fn to_its_end<F>(purchase: impl FnOnce(Waiting) -> F) -> Result<Answer, Refusal>
where
    F: Future<Output = Result<Answer, Refusal>> + Send + 'static,
{
    let waiting = Arc::new(());
    let running = tokio::spawn(purchase(Arc::downgrade(&waiting)));
    let bought = running.await.map_err(|_| internal_error(&"a purchase panicked"))?;
    drop(waiting);
    bought
}

/// Nobody is charged for an answer that has nowhere to go.
fn still_wanted(waiting: &Waiting) -> Result<(), ErrorBody> {
    match waiting.upgrade() {
        Some(_) => Ok(()),
        None => {
            let message = "The client left before the payment was settled. Nothing was charged.";
            Err(ErrorBody::of(ErrorCode::REQUEST_TIMEOUT, message).retry_after(1))
        }
    }
}
