//! Counts for Prometheus. Nothing that a client sent is in a label.

use std::time::Duration;

use agent_output_verifier::report::Verdict;
use agent_output_verifier::response::VERIFIER_VERSION;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// The upper ends of the classes of durations, in seconds.
const DURATIONS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Answered {
    route: Route,
    method: &'static str,
    status: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct OnRoute {
    route: Route,
}

/// A route as it was declared, or none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Route(pub(super) String);

impl EncodeLabelValue for Route {
    fn encode(
        &self,
        encoder: &mut prometheus_client::encoding::LabelValueEncoder<'_>,
    ) -> Result<(), std::fmt::Error> {
        self.0.as_str().encode(encoder)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct WithResult {
    result: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct WithOutcome {
    outcome: &'static str,
}

/// The counts.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<OnRoute, Histogram>,
    under_way: Gauge<i64>,
    checks: Family<WithResult, Counter>,
    recorded: Family<WithResult, Counter>,
    payments: Family<WithOutcome, Counter>,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("aov");
        let requests = Family::default();
        registry.register("http_requests", "Requests answered", requests.clone());
        let durations =
            Family::<OnRoute, Histogram>::new_with_constructor(|| Histogram::new(DURATIONS));
        registry.register_with_unit(
            "http_request_duration",
            "Time from a request's head to its answer's",
            Unit::Seconds,
            durations.clone(),
        );
        let under_way = Gauge::default();
        registry.register(
            "http_requests_under_way",
            "Requests not answered yet",
            under_way.clone(),
        );
        let checks = Family::default();
        registry.register("checks", "Checks made", checks.clone());
        let recorded = Family::default();
        registry.register("recorded_checks", "Checks written to the ledger", recorded.clone());
        let payments = Family::default();
        registry.register("payments", "Payments that came with a request", payments.clone());
        let version = Info::new([("version", VERIFIER_VERSION)]);
        registry.register("build", "The version that runs", version);
        Metrics { registry, requests, durations, under_way, checks, recorded, payments }
    }

    /// A request has come. The count of those under way sinks when the result is dropped.
    pub(crate) fn arrived(&self) -> UnderWay {
        self.under_way.inc();
        UnderWay(self.under_way.clone())
    }

    /// A request was answered.
    pub(crate) fn answered(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let route = Route(route.to_owned());
        self.durations.get_or_create(&OnRoute { route: route.clone() }).observe(took.as_secs_f64());
        self.requests.get_or_create(&Answered { route, method, status }).inc();
    }

    /// A check was made.
    pub(crate) fn judged(&self, verdict: Verdict) {
        self.checks.get_or_create(&WithResult { result: verdict.as_str() }).inc();
    }

    /// A check was written to the ledger.
    pub(crate) fn recorded(&self, verdict: Verdict) {
        self.recorded.get_or_create(&WithResult { result: verdict.as_str() }).inc();
    }

    /// A payment was settled, refused, or could be neither.
    pub(crate) fn payment(&self, outcome: &'static str) {
        self.payments.get_or_create(&WithOutcome { outcome }).inc();
    }

    /// All counts, in the OpenMetrics text format that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // A String takes all that is written.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// A request that is counted as under way.
pub(crate) struct UnderWay(Gauge<i64>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}
