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
    /// process; without an allowance
    #[arg(long, conflicts_with_all = ["listen", "free_per_day", "trust_proxy", "cors_origin",
                                      "metrics"])]
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
