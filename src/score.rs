//! Scores and reputation of agents: what the checks recorded under a label come to.
//!
//! A result weighs `0.5^(age / 30 days)`. The score is a ratio of weights, and so is the effective
//! sample size: both stay the same when all weights are scaled. So a [`Tally`] keeps the sums as of
//! its last entry, takes each result in constant time, and needs no clock to be read.

use serde::Serialize;

use crate::attest::{Attestation, Signer, VerifySection};
use crate::datetime::format_utc_micros;
use crate::receipt::Kind;
use crate::report::Verdict;

/// In how many microseconds a result loses half of its weight: 30 days.
const HALF_LIFE: f64 = 30.0 * 86_400.0 * 1e6;

/// The two-sided 95 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Labels that begin so are for trying things out; nothing is recorded of them.
const RESERVED: &str = "test-";

/// Whether a check made for this agent is recorded.
pub fn is_recorded(agent_id: &str) -> bool {
    !agent_id.starts_with(RESERVED)
}

/// What is kept of the results of one agent. Times are microseconds since the Unix epoch.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Tally {
    /// Results that passed
    pub passed: u64,
    /// Results that failed
    pub failed: u64,
    /// The earliest result
    pub first_seen: i64,
    /// The latest result; weights are as of then.
    pub last_seen: i64,
    /// The sum of all weights
    pub weight: f64,
    /// The sum of the weights of the results that passed
    pub weight_passed: f64,
    /// The sum of the squares of all weights
    pub weight_squared: f64,
}

impl Tally {
    /// Takes a result in. Results may come in any order of time, as clocks step back.
    pub fn add(&mut self, at: i64, verdict: Verdict) {
        let empty = self.passed + self.failed == 0;
        match verdict {
            Verdict::Pass => self.passed += 1,
            Verdict::Fail => self.failed += 1,
        }
        if empty {
            (self.first_seen, self.last_seen) = (at, at);
        }
        if at > self.last_seen {
            let faded = weight_after(self.last_seen, at);
            self.weight *= faded;
            self.weight_passed *= faded;
            self.weight_squared *= faded * faded;
            self.last_seen = at;
        }
        self.first_seen = self.first_seen.min(at);
        let weight = weight_after(at, self.last_seen);
        self.weight += weight;
        self.weight_squared += weight * weight;
        if verdict == Verdict::Pass {
            self.weight_passed += weight;
        }
    }

    /// How many results there are.
    pub fn total(&self) -> u64 {
        self.passed + self.failed
    }

    /// The share of the weights that passed, 0 to 1; none where nothing is known.
    fn trust(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| (self.weight_passed / self.weight).clamp(0.0, 1.0))
    }

    /// Wilson's score interval on the effective sample size.
    fn interval(&self) -> Option<[f64; 2]> {
        let trust = self.trust()?;
        let n = self.weight * self.weight / self.weight_squared;
        let z2 = Z * Z;
        let centre = trust + z2 / (2.0 * n);
        let spread = Z * (trust * (1.0 - trust) / n + z2 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z2 / n;
        Some([(centre - spread) / scale, (centre + spread) / scale].map(|end| end.clamp(0.0, 1.0)))
    }
}

/// The weight of a result of `from` as of `to`, which is not before it.
fn weight_after(from: i64, to: i64) -> f64 {
    (-(to.abs_diff(from) as f64) / HALF_LIFE).exp2()
}

/// Six places, ties to even, as all ratios on the wire.
fn six_places(value: f64) -> f64 {
    (value * 1e6).round_ties_even() / 1e6
}

/// The counts of an agent's results: the answer of `GET /reputation/{agent_id}`.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Reputation<'a> {
    /// The label that the caller chose, not an identity.
    pub agent_id: &'a str,
    /// How many results there are
    pub verified: u64,
    /// Those that passed
    pub passed: u64,
    /// Those that failed
    pub failed: u64,
    /// The earliest, in UTC
    #[cfg_attr(feature = "serve", schema(required))]
    pub first_seen: Option<String>,
    /// The latest, in UTC
    #[cfg_attr(feature = "serve", schema(required))]
    pub last_seen: Option<String>,
}

impl<'a> Reputation<'a> {
    /// Of an agent's tally; zeros where nothing is known.
    pub fn new(agent_id: &'a str, tally: &Tally) -> Reputation<'a> {
        let known = tally.total() > 0;
        Reputation {
            agent_id,
            verified: tally.total(),
            passed: tally.passed,
            failed: tally.failed,
            first_seen: known.then(|| format_utc_micros(tally.first_seen)),
            last_seen: known.then(|| format_utc_micros(tally.last_seen)),
        }
    }
}

/// The signed answer of `GET /score/{agent_id}`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct ScoreResponse<'a> {
    #[serde(flatten)]
    reputation: Reputation<'a>,
    /// The share of results that passed, each weighed by its age; 0 to 1
    #[cfg_attr(feature = "serve", schema(required))]
    trust_score: Option<f64>,
    #[cfg_attr(feature = "serve", schema(required))]
    confidence_interval_95: Option<[f64; 2]>,
    sample_size: u64,
    /// Always false: the id is a label that callers chose
    identity_verified: bool,
    /// `no_data` where nothing is recorded of the agent
    #[cfg_attr(feature = "serve", schema(required))]
    reason: Option<&'static str>,
    scored_at: &'a str,
    verify: VerifySection<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "serve", schema(required, nullable = false))]
    attestation: Option<Attestation<'a>>,
}

impl<'a> ScoreResponse<'a> {
    /// Scores an agent's tally and signs the score.
    ///
    /// `scored_at` is in UTC with microseconds.
    ///
    /// # Errors
    ///
    /// Only where the response cannot be serialized.
    pub fn signed(
        agent_id: &'a str,
        tally: &Tally,
        scored_at: &'a str,
        signer: &Signer<'a>,
    ) -> Result<ScoreResponse<'a>, serde_json::Error> {
        let trust = tally.trust();
        let mut response = ScoreResponse {
            reputation: Reputation::new(agent_id, tally),
            trust_score: trust.map(six_places),
            confidence_interval_95: tally.interval().map(|ends| ends.map(six_places)),
            sample_size: tally.total(),
            identity_verified: false,
            reason: trust.is_none().then_some("no_data"),
            scored_at,
            verify: signer.verify_section(),
            attestation: None,
        };
        let json = serde_json::to_vec(&response)?;
        response.attestation = Some(signer.attest(Kind::Score, scored_at, &json)?);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn tally(results: &[(i64, Verdict)]) -> Tally {
        let mut tally = Tally::default();
        results.iter().for_each(|(at, verdict)| tally.add(*at, *verdict));
        tally
    }

    #[test]
    fn a_result_of_thirty_days_ago_weighs_half() {
        let tally = tally(&[(0, Verdict::Fail), (30 * DAY, Verdict::Pass)]);
        assert_eq!(tally.trust(), Some(1.0 / 1.5));
        assert_eq!((tally.first_seen, tally.last_seen), (0, 30 * DAY));
        assert_eq!((tally.passed, tally.failed), (1, 1));
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let mut results: Vec<(i64, Verdict)> = (0..40)
            .map(|n| (n * n * DAY / 7, if n % 3 == 0 { Verdict::Fail } else { Verdict::Pass }))
            .collect();
        let forwards = tally(&results);
        results.reverse();
        let backwards = tally(&results);
        assert!((forwards.trust().unwrap() - backwards.trust().unwrap()).abs() < 1e-12);
        assert_eq!(
            (forwards.first_seen, forwards.last_seen),
            (backwards.first_seen, backwards.last_seen)
        );
        let (a, b) = (forwards.interval().unwrap(), backwards.interval().unwrap());
        assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12);
    }

    #[test]
    fn the_interval_is_wilsons() {
        // 8 of 10 with equal weights: the published example of the interval, (0.4902, 0.9433).
        let results: Vec<(i64, Verdict)> =
            (0..10).map(|n| (0, if n < 8 { Verdict::Pass } else { Verdict::Fail })).collect();
        let [low, high] = tally(&results).interval().unwrap();
        assert!((low - 0.490_162_5).abs() < 1e-6, "{low}");
        assert!((high - 0.943_317_8).abs() < 1e-6, "{high}");
    }

    #[test]
    fn nothing_known_is_no_score() {
        let tally = Tally::default();
        assert_eq!((tally.trust(), tally.interval()), (None, None));
        let reputation = Reputation::new("a", &tally);
        assert_eq!((reputation.verified, reputation.first_seen), (0, None));
    }

    #[test]
    fn weights_that_fade_away_do_no_harm() {
        let tally = tally(&[(0, Verdict::Fail), (100_000 * DAY, Verdict::Pass)]);
        assert_eq!(tally.trust(), Some(1.0));
        assert!(tally.interval().unwrap()[0] > 0.2);
        // An old result after a new one: its weight is zero, and it still counts.
        let mut late = tally;
        late.add(i64::MIN, Verdict::Fail);
        assert_eq!(late.total(), 3);
        assert!(late.trust().unwrap().is_finite());
    }
}
