//! `aov serve` from end to end: the real binary on a free port of this machine.

#[path = "../common/mod.rs"]
mod common;

mod allowance;
mod browser;
mod documents;
mod exhaustion;
mod facilitator;
mod hostile;
mod isolation;
mod limits;
mod mcp;
mod mcp_http;
mod mcp_receipts;
mod mcp_stdio;
mod operation;
mod pages;
mod parity;
mod payments;
mod purchases;
mod rest;
mod secrets;
mod server;
mod survival;
mod unfinished_purchases;

/// A request that passes, for an agent.
fn request(agent_id: &str) -> String {
    format!(
        r#"{{"task_id": "t", "agent_id": "{agent_id}", "expected_schema": {{"required": ["total"]}},
            "submitted_output": {{"total": 42}}}}"#
    )
}
