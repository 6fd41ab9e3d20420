//! The free allowance: checks that a client may make free each UTC day, by whatever route.
//!
//! It is kept in memory only. A restart begins it anew, and no address reaches the disk.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_output_verifier::datetime::format_utc_micros;

use super::client::Client;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Clients that are remembered in a day: about 50 MB. Whoever comes after so many is not counted;
/// to use that, a million networks are needed, each of which has an allowance of its own.
const MAX_CLIENTS: usize = 1_000_000;

/// What a client has left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Balance {
    pub(crate) limit: u64,
    pub(crate) remaining: u64,
    /// The next midnight UTC
    pub(crate) resets: String,
    /// Seconds until then
    pub(crate) seconds: u64,
}

/// The checks made today.
pub(crate) struct Allowance {
    limit: u64,
    today: Mutex<Today>,
}

#[derive(Default)]
struct Today {
    day: i64,
    used: HashMap<Client, u64>,
}

impl Allowance {
    pub(crate) fn new(limit: u64) -> Allowance {
        Allowance { limit, today: Mutex::default() }
    }

    /// Checks that each client may make free in a day.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes one check out of a client's allowance; an error where nothing is left.
    pub(crate) fn take(&self, client: Client, now: i64) -> Result<Balance, Balance> {
        let mut today = self.today(now);
        let mut uncounted = 0;
        let full = today.used.len() >= MAX_CLIENTS && !today.used.contains_key(&client);
        let used = if full { &mut uncounted } else { today.used.entry(client).or_insert(0) };
        let left = *used < self.limit;
        *used += u64::from(left);
        let balance = self.balance_of(*used, today.day, now);
        if left { Ok(balance) } else { Err(balance) }
    }

    /// What a client has left.
    pub(crate) fn balance(&self, client: Client, now: i64) -> Balance {
        let today = self.today(now);
        self.balance_of(today.used.get(&client).copied().unwrap_or(0), today.day, now)
    }

    fn today(&self, now: i64) -> MutexGuard<'_, Today> {
        // Counts are right also where a holder panicked.
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now.div_euclid(MICROS_PER_DAY);
        // A clock that steps back over midnight does not give a day twice. One that steps back further
        // was wrong before, and would hold up every new day until the one it had been wrong about.
        if day > today.day || day < today.day - 1 {
            today.day = day;
            today.used = HashMap::new();
        }
        today
    }

    fn balance_of(&self, used: u64, day: i64, now: i64) -> Balance {
        let resets = (day + 1).saturating_mul(MICROS_PER_DAY);
        Balance {
            limit: self.limit,
            remaining: self.limit.saturating_sub(used),
            resets: format_utc_micros(resets).replace(".000000", ""),
            seconds: resets.saturating_sub(now).max(0) as u64 / 1_000_000 + 1,
        }
    }

    /// Puts a check back that came to nothing, if the day is still the one it was taken from.
    pub(crate) fn put_back(&self, client: Client, taken: i64) {
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.div_euclid(MICROS_PER_DAY) == today.day
            && let Some(used) = today.used.get_mut(&client)
        {
            *used = used.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Client = Client::V6(1);
    const B: Client = Client::V6(2);

    #[test]
    fn each_client_has_its_own_and_midnight_gives_a_new_one() {
        let allowance = Allowance::new(2);
        let noon = MICROS_PER_DAY / 2;
        assert_eq!(allowance.take(A, noon).unwrap().remaining, 1);
        assert_eq!(allowance.take(A, noon).unwrap().remaining, 0);
        let refused = allowance.take(A, noon).unwrap_err();
        assert_eq!((refused.remaining, refused.limit), (0, 2));
        assert_eq!(refused.resets, "1970-01-02T00:00:00+00:00");
        assert_eq!(refused.seconds, 43_201);
        assert!(allowance.take(B, noon).is_ok());
        assert_eq!(allowance.take(A, noon + MICROS_PER_DAY).unwrap().remaining, 1);
        // Back before midnight: still the later day.
        assert_eq!(allowance.take(A, noon).unwrap().remaining, 0);
        assert!(allowance.take(A, noon).is_err());
    }

    #[test]
    fn a_clock_that_was_far_ahead_holds_up_no_day() {
        let allowance = Allowance::new(1);
        let (noon, far) = (MICROS_PER_DAY / 2, 27_000 * MICROS_PER_DAY);
        assert!(allowance.take(A, noon).is_ok());
        assert!(allowance.take(A, far).is_ok());
        let corrected = noon + MICROS_PER_DAY;
        assert_eq!(allowance.take(A, corrected).unwrap().resets, "1970-01-03T00:00:00+00:00");
        assert!(allowance.take(A, corrected).is_err());
        // From a day that is gone, nothing is put back.
        allowance.put_back(A, far);
        assert!(allowance.take(A, corrected).is_err());
    }

    #[test]
    fn what_is_put_back_can_be_taken_again() {
        let allowance = Allowance::new(1);
        assert_eq!(allowance.balance(A, 0).remaining, 1);
        assert!(allowance.take(A, 0).is_ok());
        assert_eq!(allowance.balance(A, 0).remaining, 0);
        assert_eq!(allowance.balance(B, 0).remaining, 1);
        allowance.put_back(A, 0);
        assert!(allowance.take(A, 0).is_ok());
        assert!(allowance.take(A, 0).is_err());
        assert!(Allowance::new(0).take(A, 0).is_err());
    }
}
