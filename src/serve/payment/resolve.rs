//! What goes on beside the requests: learning who pays the fees on Solana, and resolving
//! settlements whose outcome is not known.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::super::ledger::{Doubt, Holder, Settlement, Standing, Unavailable};
use super::facilitator::Down;
use super::network::{Family, Network};
use super::purchase::Reservation;
use super::{PaymentKey, Payments};
use crate::clock::now;

/// A transaction that was sent and has not been taken by the network after this long will not be.
pub(super) const PENDING: Duration = Duration::from_secs(120);

/// Waits between two attempts, from first to longest.
const WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

/// How long what the facilitator said of itself is believed.
const FRESH: Duration = Duration::from_secs(600);

impl Payments {
    /// Starts what goes on in the background.
    pub(crate) fn tend(self: &Arc<Payments>) {
        let on_solana = |network: Network| network.family() == Family::Solana;
        if self.terms.pay_to.iter().any(|to| on_solana(to.network)) {
            let payments = Arc::clone(self);
            tokio::spawn(async move { payments.learn_fee_payer().await });
        }
        let payments = Arc::clone(self);
        tokio::spawn(async move { payments.resolve_doubts().await });
    }

    async fn learn_fee_payer(&self) {
        let [mut wait, longest] = WAITS;
        loop {
            let pause = match self.facilitator.fee_payer().await {
                Ok(Some(fee_payer)) => {
                    let mut known = self.fee_payer.write().unwrap_or_else(PoisonError::into_inner);
                    if known.as_ref() != Some(&fee_payer) {
                        tracing::info!(fee_payer, "payments on Solana are accepted");
                        *known = Some(fee_payer);
                    }
                    wait = WAITS[0];
                    FRESH
                }
                Ok(None) => {
                    tracing::warn!(
                        "the facilitator settles no payments on Solana; none are accepted"
                    );
                    *self.fee_payer.write().unwrap_or_else(PoisonError::into_inner) = None;
                    FRESH
                }
                // What is known already stays good: a facilitator that is down settles nothing.
                Err(Down { why, .. }) => {
                    tracing::warn!(why, "the facilitator could not say who pays fees on Solana");
                    let pause = wait;
                    wait = (wait * 2).min(longest);
                    pause
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn resolve_doubts(&self) {
        let [mut wait, longest] = WAITS;
        let mut given_up = HashSet::new();
        loop {
            if self.resolve_once(&mut given_up).await.unwrap_or(true) {
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(longest);
            } else {
                self.doubt.notified().await;
                wait = WAITS[0];
            }
        }
    }

    /// Resolves what can be resolved now; whether anything is left to try later.
    async fn resolve_once(&self, given_up: &mut HashSet<PaymentKey>) -> Result<bool, Unavailable> {
        let mut left = false;
        for doubt in self.ledger.doubts().await? {
            if given_up.contains(&doubt.key) {
                continue;
            }
            match self.ledger.reserve(doubt.key, Holder::Resolver).await? {
                Standing::InDoubt(_) => {}
                // A call is at it, and will know more soon.
                Standing::InUse(_) => {
                    left = true;
                    continue;
                }
                standing => {
                    if standing != Standing::Used {
                        self.ledger.release(doubt.key);
                    }
                    continue;
                }
            }
            let _reservation = Reservation::new(self.ledger.clone(), doubt.key);
            match self.resolve(&doubt).await? {
                Resolved::Clear => {}
                Resolved::Later => left = true,
                Resolved::Never => {
                    given_up.insert(doubt.key);
                }
            }
        }
        Ok(left)
    }

    async fn resolve(&self, doubt: &Doubt) -> Result<Resolved, Unavailable> {
        let (key, network) = (doubt.key, doubt.network.as_str());
        let payer = doubt.payer.as_deref().unwrap_or_default();
        match self.facilitator.verify(doubt.question.clone()).await {
            Err(Down { why, .. }) => {
                tracing::warn!(why, payment = %key, "a settlement is in doubt");
                Ok(Resolved::Later)
            }
            Ok(Err(refusal)) if refusal.spent => {
                let settlement = Settlement {
                    network: doubt.network.clone(),
                    transaction: String::new(),
                    payer: None,
                };
                self.ledger.settled(key, settlement, now()).await?;
                tracing::info!(payment = %key, network, payer, "a payment in doubt was settled");
                Ok(Resolved::Clear)
            }
            Ok(Err(refusal)) => {
                let reason = refusal.error.code.as_ref();
                tracing::warn!(
                    payment = %key, network, payer, reason,
                    "whether a payment was settled cannot be told: only the network knows"
                );
                Ok(Resolved::Never)
            }
            Ok(Ok(_)) => {
                let age = now().saturating_sub(doubt.started_at).max(0).unsigned_abs();
                if Duration::from_micros(age) < PENDING {
                    return Ok(Resolved::Later);
                }
                self.ledger.unsettled(key).await?;
                tracing::info!(payment = %key, network, payer, "a payment in doubt was not settled");
                Ok(Resolved::Clear)
            }
        }
    }
}

/// What a doubt has come to.
enum Resolved {
    Clear,
    Later,
    /// The facilitator will not be able to tell.
    Never,
}
