//! Payments by x402 version 2: what is asked for, and how one payment buys one answer. No transport
//! is in here: a payment comes as parsed JSON, and what becomes of it goes back as data.
//!
//! # The life of a payment
//!
//! ```text
//!              reserve              on the disk            one commit            on the disk
//!   (nothing) ────────▶ reserved ─────────────▶ settling ─────────────▶ settled ────────▶ answered
//!       ▲                  │                      │                       │
//!       └──────────────────┴── it was not settled ┘                       └ never handed over:
//!                                                                           the same request gets it
//! ```
//!
//! - **reserved**: the ledger's thread keeps it for one call; a second one is refused. The
//!   facilitator verifies the payment and the request is checked meanwhile. No money has moved, so
//!   nothing of this is on the disk: a crash, an error or a client that leaves makes the payment
//!   usable again at once. Reservations are in memory, so payments need a ledger of their own: a
//!   second server that takes payments with the same one does not start.
//! - **settling**: written down before the facilitator is asked to move the money, with what the
//!   payment buys and what will be recorded. Whatever happens from here on, the row is there.
//!   A clear refusal removes it again, and so does a question that cannot have arrived.
//! - **in doubt**: `settling` while no call is at it. The process ended in between, or the
//!   facilitator did not answer for certain. Nothing was handed over, so the payment can still buy
//!   one answer: offered again, it goes the same way again, and if the facilitator says now that it
//!   was settled before, that counts, since it was we who asked for that. In the background the
//!   facilitator is asked to verify it (which moves no money): where it says that the payment was
//!   settled, so it is marked; where the payment is still good after [`resolve::PENDING`], it was
//!   not settled, and is forgotten. Where neither can be told, as once it has expired, the row
//!   stays, and the log says so.
//! - **settled**: marked in the same commit that records the check for its agent, after settlement
//!   and before the answer. A check that was not paid for is never recorded.
//! - **answered**: noted when the answer has been handed to the transport. Until then (a crash, or
//!   a client that has left) the same request with the same payment is given the same answer, with
//!   the same id and time, and nothing is charged. Any other request is refused, and after this
//!   every one is.
//!
//! What was begun goes on only for who shows the same proof, signature and all: payer and nonce of
//! a settled payment are public.
//!
//! So nothing is answered without a settlement or a second time for the same payment, and what was
//! paid and not answered can be had.

mod facilitator;
mod network;
mod payload;
mod price;
mod purchase;
mod resolve;
mod terms;
mod trial;

use std::sync::{Arc, PoisonError, RwLock};

use agent_output_verifier::error::{ErrorBody, ErrorCode};
use axum::http::HeaderValue;
use tokio::sync::{Notify, Semaphore};

use super::ledger::Ledger;
pub(crate) use facilitator::Endpoint;
use facilitator::Facilitator;
pub(crate) use network::{Network, PayTo};
use payload::PaymentKey;
pub(crate) use payload::{Offer, PaymentError};
pub(crate) use price::Price;
pub(crate) use purchase::{Declined, Purchase, Receipt, SettlementResponse};
use terms::Requirements;
pub(crate) use terms::{Good, PaymentRequired, Terms, X402_VERSION};
pub(crate) use trial::FreeTrial;

/// Purchases under way at one time. Each waits for the facilitator, and holds a request meanwhile.
const MAX_PURCHASES: usize = 256;

/// Seconds after which the facilitator may be there again.
const FACILITATOR_SECONDS: u64 = 5;

/// How payments are set up.
pub(crate) struct Settings {
    pub(crate) terms: Terms,
    pub(crate) facilitator: Endpoint,
    /// What the facilitator is told in `Authorization`
    pub(crate) authorization: Option<HeaderValue>,
}

/// Takes payments.
pub(crate) struct Payments {
    terms: Terms,
    facilitator: Facilitator,
    ledger: Ledger,
    places: Arc<Semaphore>,
    /// Who pays the fees on Solana, once that is known
    fee_payer: RwLock<Option<String>>,
    /// A settlement has come into doubt.
    doubt: Notify,
}

impl Payments {
    pub(crate) fn new(settings: Settings, ledger: Ledger) -> Result<Payments, reqwest::Error> {
        Ok(Payments {
            terms: settings.terms,
            facilitator: Facilitator::new(settings.facilitator, settings.authorization)?,
            ledger,
            places: Arc::new(Semaphore::new(MAX_PURCHASES)),
            fee_payer: RwLock::default(),
            doubt: Notify::new(),
        })
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// All ways to pay for a good now.
    fn requirements(&self, good: Good) -> Vec<Requirements> {
        let fee_payer = self.fee_payer.read().unwrap_or_else(PoisonError::into_inner);
        self.terms.requirements(good, fee_payer.as_deref())
    }

    /// What an answer asks to be paid. `url` is what the payment is for, `error` why it is asked
    /// for.
    pub(crate) fn required(
        &self,
        good: Good,
        url: &str,
        error: String,
    ) -> Result<PaymentRequired, ErrorBody> {
        let accepts = self.requirements(good);
        if accepts.is_empty() {
            let message = "The facilitator has not said yet how payments can be made. Nothing was \
                           charged.";
            return Err(unavailable(message));
        }
        Ok(PaymentRequired::new(good, url, accepts, error))
    }
}

fn unavailable(message: &str) -> ErrorBody {
    ErrorBody::of(ErrorCode::FACILITATOR_UNAVAILABLE, message).retry_after(FACILITATOR_SECONDS)
}
