//! What an answer that asks for payment says of the free checks.

use serde::Serialize;
use utoipa::ToSchema;

use super::super::allowance::Balance;

/// The state of a client's free checks.
#[derive(Clone, Serialize, ToSchema, Debug)]
pub(crate) struct FreeTrial {
    available: bool,
    via: &'static str,
    transport: &'static str,
    #[schema(required)]
    url: Option<String>,
    tool: &'static str,
    /// None: no limit
    #[schema(required)]
    calls_per_client_per_day: Option<u64>,
    #[schema(required)]
    remaining_calls_today: Option<u64>,
    #[schema(required)]
    resets_at: Option<String>,
    max_input_bytes: usize,
    client: &'static str,
    rest_free: bool,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<&'static str>,
}

impl FreeTrial {
    /// For a client with this balance; without one, checks are not counted.
    pub(crate) fn new(
        mcp_url: Option<&str>,
        balance: Option<&Balance>,
        max_input_bytes: usize,
    ) -> Self {
        let used_up = balance.is_some_and(|balance| balance.remaining == 0);
        let message = match balance {
            None => format!("Checks of up to {max_input_bytes} bytes are free."),
            Some(balance) if used_up => format!(
                "This client has used up its {} free checks of the day, which REST and MCP share. \
                 They begin anew at {}; until then, checks are paid for.",
                balance.limit, balance.resets
            ),
            Some(balance) => format!(
                "This client has {} of {} free checks left until {}, which REST and MCP share, \
                 each of up to {max_input_bytes} bytes.",
                balance.remaining, balance.limit, balance.resets
            ),
        };
        FreeTrial {
            available: !used_up,
            via: "mcp+rest",
            transport: "streamable-http",
            url: mcp_url.map(str::to_owned),
            tool: "verify_schema",
            calls_per_client_per_day: balance.map(|balance| balance.limit),
            remaining_calls_today: balance.map(|balance| balance.remaining),
            resets_at: balance.map(|balance| balance.resets.clone()),
            max_input_bytes,
            client: "known by the address that its requests come from",
            rest_free: true,
            message,
            code: used_up.then_some("free_trial_exhausted"),
        }
    }
}
