//! A purchase: from the offer of a payment to the receipt that goes with the answer.

use std::sync::Arc;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::error::{ErrorBody, ErrorCode, PaymentErrorCode};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::super::app::ledger_unavailable;
use super::super::ledger::{
    Attempt, Bought, Entry, Holder, Ledger, Settlement, Standing, Unavailable,
};
use super::facilitator::Down;
use super::payload::{Offer, Payment, PaymentError, PaymentKey};
use super::terms::Good;
use super::{Payments, unavailable};
use crate::clock::now;

/// What became of a settlement: the value of `Payment-Response`.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementResponse {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_reason: Option<String>,
    transaction: String,
    network: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    payer: Option<String>,
}

impl From<&Settlement> for SettlementResponse {
    fn from(settlement: &Settlement) -> SettlementResponse {
        SettlementResponse {
            success: true,
            error_reason: None,
            transaction: settlement.transaction.clone(),
            network: settlement.network.clone(),
            payer: settlement.payer.clone(),
        }
    }
}

/// Why a payment bought nothing.
#[derive(Debug)]
pub(crate) enum Declined {
    /// It is not good enough.
    Refused(PaymentError),
    /// It was, and could not be settled.
    NotSettled(PaymentError, SettlementResponse),
    /// It cannot be told now.
    Later(Box<ErrorBody>),
}

impl From<PaymentError> for Declined {
    fn from(error: PaymentError) -> Declined {
        Declined::Refused(error)
    }
}

impl From<ErrorBody> for Declined {
    fn from(error: ErrorBody) -> Declined {
        Declined::Later(Box::new(error))
    }
}

impl From<Unavailable> for Declined {
    fn from(Unavailable: Unavailable) -> Declined {
        ledger_unavailable().into()
    }
}

/// Keeps a payment for one call.
pub(super) struct Reservation {
    ledger: Ledger,
    key: PaymentKey,
    over: bool,
}

impl Reservation {
    /// Of a payment that the ledger has just reserved.
    pub(super) fn new(ledger: Ledger, key: PaymentKey) -> Reservation {
        Reservation { ledger, key, over: false }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.over {
            self.ledger.release(self.key);
        }
    }
}

/// A payment that can buy an answer.
pub(crate) struct Purchase {
    payments: Arc<Payments>,
    reservation: Reservation,
    state: State,
    _place: OwnedSemaphorePermit,
}

enum State {
    /// It was settled earlier, and what it bought was never handed over.
    Paid(Bought, Settlement),
    /// The facilitator says that it is good.
    Verified { payment: Payment, payer: Option<String>, in_doubt: bool },
    /// It was in doubt, and the facilitator says now that it was settled.
    Spent(Payment),
}

impl Payments {
    /// Takes an offer up: reserves the payment and has it verified.
    pub(crate) async fn begin(
        self: &Arc<Payments>,
        offer: &Offer,
        good: Good,
    ) -> Result<Purchase, Declined> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let message = "Too many payments are under way. Nothing was charged.";
            ErrorBody::of(ErrorCode::OVERLOADED, message).retry_after(super::FACILITATOR_SECONDS)
        })?;
        let payment = Payment::read(offer, &self.requirements(good))?;
        let standing = self.ledger.reserve(payment.key, Holder::Call).await?;
        let used = |message| PaymentError::new(PaymentErrorCode::PAYMENT_ALREADY_USED, message);
        const USED: &str = "This payment was already used.";
        match standing {
            Standing::Used => return Err(used(USED).into()),
            Standing::InUse(Holder::Resolver) => {
                let message = "What became of this payment's settlement is being found out. Send \
                               the same request with the same payment again; it is not charged \
                               twice.";
                return Err(unavailable(message).into());
            }
            Standing::InUse(Holder::Call) => {
                return Err(used("This payment is already used by a call under way.").into());
            }
            Standing::Fresh | Standing::InDoubt(_) | Standing::Unanswered(..) => {}
        }
        let reservation = Reservation::new(self.ledger.clone(), payment.key);
        let state = match standing {
            // What was begun goes on for whoever can show the same proof. Payer and nonce are known
            // to everyone once the network has them.
            Standing::InDoubt(proof) | Standing::Unanswered(proof, ..)
                if proof != payment.proof =>
            {
                return Err(used(USED).into());
            }
            Standing::Unanswered(_, bought, settlement) => State::Paid(bought, settlement),
            standing => self.verified(payment, standing != Standing::Fresh).await?,
        };
        Ok(Purchase { payments: Arc::clone(self), reservation, state, _place: place })
    }

    async fn verified(&self, payment: Payment, in_doubt: bool) -> Result<State, Declined> {
        payment.fits()?;
        match self.facilitator.verify(payment.question()).await {
            Ok(Ok(verified)) => {
                let payer = payment.payer.clone().or(verified.payer);
                Ok(State::Verified { payment, payer, in_doubt })
            }
            Ok(Err(refusal)) if in_doubt && refusal.spent => Ok(State::Spent(payment)),
            Ok(Err(refusal)) => Err(refusal.error.into()),
            Err(Down { why, .. }) => {
                tracing::warn!(why, "the facilitator could not verify a payment");
                let message = "The facilitator did not answer, so the payment could not be \
                               verified. Nothing was charged; the payment can be used again.";
                Err(unavailable(message).into())
            }
        }
    }
}

impl Purchase {
    /// The id and time of the check that this payment has bought already, where this is the request
    /// that it was for; an error where it was for another one.
    pub(crate) fn made(
        &self,
        good: Good,
        request_hash: Digest,
    ) -> Result<Option<(String, i64)>, PaymentError> {
        match &self.state {
            State::Verified { .. } | State::Spent(_) => Ok(None),
            State::Paid(bought, _)
                if bought.good == good.as_str() && bought.request_hash == request_hash =>
            {
                Ok(bought.made.clone())
            }
            State::Paid(..) => {
                let message = "This payment was already used for another request, whose answer was \
                               not fetched. That request gets it.";
                Err(PaymentError::new(PaymentErrorCode::PAYMENT_ALREADY_USED, message))
            }
        }
    }

    /// Moves the money and records what it bought.
    pub(crate) async fn settle(
        self,
        bought: Bought,
        entry: Option<Entry>,
    ) -> Result<Receipt, Declined> {
        let Purchase { payments, reservation, state, _place } = self;
        let (payment, payer, in_doubt, spent) = match state {
            State::Paid(_, settlement) => return Ok(Receipt { settlement, reservation }),
            State::Verified { payment, payer, in_doubt } => (payment, payer, in_doubt, false),
            State::Spent(payment) => {
                let payer = payment.payer.clone();
                (payment, payer, true, true)
            }
        };
        let ledger = &payments.ledger;
        let network = payment.requirements.network;
        let question = payment.question();
        let amount = payment.requirements.amount.units();
        let attempt = Attempt {
            key: payment.key,
            network: network.id(),
            asset: network.asset(),
            pay_to: payment.requirements.pay_to.clone(),
            amount,
            payer: payer.clone(),
            proof: payment.proof,
            bought,
            started_at: now(),
            question: question.clone(),
            entry,
        };
        // Before the facilitator hears of it: from here on a crash leaves a trace.
        ledger.settling(attempt).await?;
        let (transaction, payer) = if spent {
            (String::new(), payer)
        } else {
            match payments.facilitator.settle(question).await {
                Ok(Ok(settled)) => (settled.transaction, settled.payer.or(payer)),
                Ok(Err(refusal)) if in_doubt && refusal.spent => (String::new(), payer),
                Ok(Err(refusal)) => {
                    // One in doubt stays so: an earlier settlement may have emptied the wallet.
                    if !in_doubt {
                        ledger.unsettled(payment.key).await?;
                    }
                    let told = SettlementResponse {
                        success: false,
                        error_reason: Some(refusal.error.code.clone().into_owned()),
                        transaction: String::new(),
                        network: network.id().to_owned(),
                        payer,
                    };
                    return Err(Declined::NotSettled(refusal.error, told));
                }
                Err(down) => {
                    tracing::warn!(
                        why = down.why,
                        in_doubt = down.may_have_acted || in_doubt,
                        payment = %payment.key,
                        "the facilitator could not settle a payment"
                    );
                    if down.may_have_acted || in_doubt {
                        payments.doubt.notify_one();
                    } else {
                        ledger.unsettled(payment.key).await?;
                    }
                    let message = "The facilitator did not answer for certain. The same request \
                                   with the same payment can be sent again; it is not charged \
                                   twice.";
                    return Err(unavailable(message).into());
                }
            }
        };
        let settlement = Settlement { network: network.id().to_owned(), transaction, payer };
        if ledger.settled(payment.key, settlement.clone(), now()).await.is_err() {
            payments.doubt.notify_one();
            let message = "The payment was taken, and the ledger is not available to record that. \
                           The same request with the same payment can be sent again; it is not \
                           charged twice.";
            let error = ErrorBody::of(ErrorCode::LEDGER_UNAVAILABLE, message);
            return Err(error.retry_after(super::FACILITATOR_SECONDS).into());
        }
        tracing::info!(
            network = settlement.network,
            transaction = settlement.transaction,
            amount,
            payment = %payment.key,
            "a payment was settled"
        );
        Ok(Receipt { settlement, reservation })
    }
}

/// A settlement, to be handed over with what it bought. Dropped before that, the answer can be had
/// again.
pub(crate) struct Receipt {
    settlement: Settlement,
    reservation: Reservation,
}

impl Receipt {
    /// What the payer is told.
    pub(crate) fn response(&self) -> SettlementResponse {
        SettlementResponse::from(&self.settlement)
    }

    /// The answer has been handed to the transport.
    pub(crate) fn handed_over(mut self) {
        self.reservation.over = true;
        self.reservation.ledger.answered(self.reservation.key, now());
    }
}
