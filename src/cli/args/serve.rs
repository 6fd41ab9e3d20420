//! The arguments of `aov serve`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// The address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8402")]
    pub(crate) listen: String,
    /// What documents and receipts call this server [default: the address listened on]
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// The key file, or env:NAME for a variable [default: one in the user's data folder, made on
    /// the first start]
    #[arg(long, value_name = "FILE|env:NAME")]
    pub(crate) key: Option<String>,
    /// The key's version, for PEM keys
    #[arg(long, value_name = "V", requires = "key")]
    pub(crate) key_version: Option<String>,
    /// Take a key file that others can read
    #[arg(long)]
    pub(crate) insecure_key_permissions: bool,
    /// What receipts call the issuer
    #[arg(long, value_name = "NAME", default_value = "Agent Output Verifier")]
    pub(crate) issuer_name: String,
    /// Where checks are recorded, or :memory: [default: a file in the user's data folder]
    #[arg(long, value_name = "FILE|:memory:")]
    pub(crate) ledger: Option<PathBuf>,
    /// Checks that a client address may make free each UTC day [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) free_per_day: Option<u64>,
    /// Charge with x402, in USDC paid to this address; eip155:8453 is Base,
    /// solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana, eip155:84532 Base Sepolia (repeatable)
    /// [default: nothing is charged]
    #[arg(long, value_name = "NETWORK=ADDRESS", requires = "facilitator")]
    pub(crate) pay_to: Vec<String>,
    /// Who verifies and settles payments; what it wants to be told in Authorization is taken from
    /// the variable AOV_FACILITATOR_AUTHORIZATION
    #[arg(long, value_name = "URL", requires = "pay_to")]
    pub(crate) facilitator: Option<String>,
    /// What a check costs beyond the free ones
    #[arg(long, value_name = "USD", default_value = "0.02", requires = "pay_to")]
    pub(crate) price: String,
    /// What the look-up of a score costs, where there is one
    #[arg(long, value_name = "USD", default_value = "0.01", requires = "pay_to")]
    pub(crate) score_price: String,
    /// With payments on, larger requests are paid for even while free checks remain
    #[arg(long, value_name = "BYTES", default_value_t = 32 * 1024, requires = "pay_to")]
    pub(crate) free_max_body: u64,
    /// The largest request body
    #[arg(long, value_name = "BYTES", default_value_t = 10 * 1024 * 1024,
          value_parser = clap::value_parser!(u64).range(1024..=1024 * 1024 * 1024))]
    pub(crate) max_body: u64,
    /// Believe Forwarded and X-Forwarded-For, which a proxy in front must set
    #[arg(long)]
    pub(crate) trust_proxy: bool,
    /// Let web pages of this origin use the server; * for all (repeatable) [default: none]
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors_origin: Vec<String>,
    /// Serve /metrics for Prometheus
    #[arg(long)]
    pub(crate) metrics: bool,
    /// The form of the log, which goes to standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Serve MCP over standard input and output in place of HTTP, for a client that starts this
    /// process; without an allowance and without payments
    #[arg(long, conflicts_with_all = ["listen", "free_per_day", "pay_to", "trust_proxy",
                                      "cors_origin", "metrics"])]
    pub(crate) stdio: bool,
    /// Log every request; twice, connections too
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogFormat {
    /// A line for people
    Text,
    /// A JSON object a line
    Json,
}
