//! The arguments, as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Checks what an AI agent delivers, before money moves.
#[derive(Parser, Debug)]
#[command(name = "aov", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit status: 0 passed, 1 failed, 2 usage error or unreadable input, \
                        3 could not be decided. For many inputs the worst counts.")]
pub(crate) struct Cli {
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check outputs against a schema, bounds and rules
    Verify(Verify),
    /// Print canonical hashes, or the canonical form itself
    Hash(Hash),
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// What outputs are held against.
#[derive(Args, Debug)]
pub(crate) struct RequirementArgs {
    /// A whole request, as POST /verify/schema takes it, in place of OUTPUT
    #[arg(long, value_name = "FILE", conflicts_with_all = ["outputs", "requests", "schema",
          "rules", "bounds", "template", "lines"])]
    pub(crate) request: Option<PathBuf>,
    /// Every OUTPUT (with --lines: every line) is a whole request
    #[arg(long, conflicts_with_all = ["schema", "rules", "bounds", "template"])]
    pub(crate) requests: bool,
    /// The JSON Schema
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// A list of rules, or an object with rules, bounds and enforce_rules
    #[arg(short, long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// The bounds, by path
    #[arg(short, long, value_name = "FILE")]
    pub(crate) bounds: Option<PathBuf>,
    /// A verification-template/1 file in place of schema, rules and bounds
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["schema", "rules", "bounds"])]
    pub(crate) template: Option<PathBuf>,
    /// Let bounds and rules block, whatever the file says
    #[arg(long, overrides_with = "no_enforce_rules")]
    pub(crate) enforce_rules: bool,
    /// Let bounds and rules inform only, whatever the file says
    #[arg(long, overrides_with = "enforce_rules")]
    pub(crate) no_enforce_rules: bool,
    /// Let content findings block (strict_content_check)
    #[arg(long)]
    pub(crate) strict: bool,
    /// The check's name, for one input [default: the input's path]
    #[arg(long, value_name = "ID", conflicts_with = "lines")]
    pub(crate) task_id: Option<String>,
    /// The label of the agent that made the output
    #[arg(long, value_name = "ID")]
    pub(crate) agent_id: Option<String>,
}

impl RequirementArgs {
    /// `--enforce-rules` and `--no-enforce-rules`, where one is given.
    pub(crate) fn enforcement(&self) -> Option<bool> {
        match (self.enforce_rules, self.no_enforce_rules) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// Files, folders (every *.json below), or - for standard input [default: standard input]
    #[arg(value_name = "OUTPUT")]
    pub(crate) outputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) requirements: RequirementArgs,
    /// NDJSON: each line that is not blank is one output
    #[arg(long)]
    pub(crate) lines: bool,
    /// The shape of responses [default: full, or what the request says]
    #[arg(long, value_name = "DETAIL")]
    pub(crate) detail: Option<DetailArg>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// Write the report to a file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Stop at the first input that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Print no report for people; errors and the exit status remain
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DetailArg {
    Full,
    Compact,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people
    Human,
    /// One indented response; an array of them for several inputs
    Json,
    /// One response a line
    Ndjson,
}

#[derive(Args, Debug)]
pub(crate) struct Hash {
    /// Files, or - for standard input [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the four hashes of a whole request
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "lines", "check"])]
    pub(crate) request: Option<PathBuf>,
    /// Print the canonical bytes themselves, nothing added
    #[arg(long, conflicts_with_all = ["check", "format"])]
    pub(crate) canonical: bool,
    /// Compare with this hash: status 0 or 1
    #[arg(long, value_name = "HEX")]
    pub(crate) check: Option<String>,
    /// NDJSON: one hash for each line that is not blank
    #[arg(long, conflicts_with_all = ["canonical", "check"])]
    pub(crate) lines: bool,
    /// The format of the hashes
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: HashFormat,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HashFormat {
    /// As sha256sum prints them
    Human,
    /// As JSON
    Json,
}
