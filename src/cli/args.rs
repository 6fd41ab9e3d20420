//! The arguments, as clap reads them.

#[cfg(feature = "serve")]
pub(crate) mod serve;

use std::ops::Deref;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

/// The exit statuses, below every command's help.
const STATUSES: &str = "Exit status: 0 passed or valid, 1 failed or invalid, 2 usage error or \
                        unreadable input, 3 could not be decided. For many inputs the worst \
                        counts, in the order 2, 1, 3, 0.";

/// Checks what an AI agent delivers, before money moves.
#[derive(Parser, Debug)]
#[command(name = "aov", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = STATUSES)]
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
    #[command(after_help = STATUSES)]
    Verify(Deferred<Verify>),
    /// Print canonical hashes, or the canonical form itself
    #[command(after_help = STATUSES)]
    Hash(Deferred<Hash>),
    /// Check outputs as verify does, and sign what was found
    #[command(after_help = STATUSES)]
    Attest(Deferred<Attest>),
    /// Check receipts: signature, issuer, and what they are about
    #[command(after_help = STATUSES)]
    CheckReceipt(Deferred<CheckReceipt>),
    /// Make a signing key
    #[command(after_help = STATUSES)]
    Keygen(Deferred<Keygen>),
    /// Print an agent-card with a key file's public keys
    #[command(after_help = STATUSES)]
    AgentCard(Deferred<AgentCardArgs>),
    /// Answer over HTTP in place of the hosted service
    #[cfg(feature = "serve")]
    Serve(Deferred<serve::Serve>),
    /// Infer a verification template from sample outputs
    #[command(after_help = STATUSES)]
    Template(Deferred<Template>),
    /// Print a script that completes command lines in a shell
    #[command(after_help = STATUSES)]
    Completions(Deferred<Completions>),
    /// Print a man page
    #[command(after_help = STATUSES)]
    Man(Deferred<ManArgs>),
}

/// Arguments that are described when their command is called: describing those of all commands is an
/// eighth of what checking one small output takes.
#[derive(Debug)]
pub(crate) struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        /// What the command is about stays, whatever its arguments say of themselves.
        fn describe<T: Args>(command: clap::Command) -> clap::Command {
            let texts = (command.get_about().cloned(), command.get_long_about().cloned());
            let about = texts.0.map_or(Resettable::Reset, Resettable::Value);
            let long_about = texts.1.map_or(Resettable::Reset, Resettable::Value);
            T::augment_args(command).about(about).long_about(long_about)
        }
        command.defer(describe::<T>)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(T::augment_args_for_update)
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Deferred<T>, clap::Error> {
        T::from_arg_matches(matches).map(Deferred)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
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
    /// A whole request in one file, in place of OUTPUT
    #[arg(long, value_name = "FILE", conflicts_with_all = ["outputs", "requests", "schema",
          "rules", "bounds", "template", "lines"])]
    pub(crate) request: Option<PathBuf>,
    /// Every OUTPUT (with --lines: every line) is a whole request
    #[arg(long, conflicts_with_all = ["schema", "rules", "bounds", "template"])]
    pub(crate) requests: bool,
    /// The JSON Schema [default: anything is allowed]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// A list of rules, or an object with rules, bounds and enforce_rules; enforced unless the
    /// object says otherwise
    #[arg(short, long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// The bounds, by path; enforced
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
    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.request, &self.schema, &self.rules, &self.bounds, &self.template];
        files.into_iter().flatten()
    }

    /// `--enforce-rules` and `--no-enforce-rules`, where one is given.
    pub(crate) fn enforcement(&self) -> Option<bool> {
        match (self.enforce_rules, self.no_enforce_rules) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// What is checked, against what.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
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
}

/// How a run over many inputs is done.
#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// Write the results to a file, whole or not at all
    #[arg(short = 'o', long = "report", value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
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

#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) checks: CheckArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

/// Where a signing key comes from.
#[derive(Args, Debug)]
pub(crate) struct KeyArgs {
    /// The key file, - for standard input, or env:NAME for a variable
    #[arg(long, value_name = "FILE|-|env:NAME", value_hint = ValueHint::FilePath)]
    pub(crate) key: String,
    /// The key's version, for PEM keys
    #[arg(long, value_name = "V")]
    pub(crate) key_version: Option<String>,
    /// Take a key file that others can read
    #[arg(long)]
    pub(crate) insecure_key_permissions: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Attest {
    #[command(flatten)]
    pub(crate) checks: CheckArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    /// What receipts call the issuer [default: the key file's]
    #[arg(long, value_name = "NAME")]
    pub(crate) issuer_name: Option<String>,
    /// Where the agent-card is published [default: the key file's]
    #[arg(long, value_name = "URL")]
    pub(crate) public_key_url: Option<String>,
    /// Print {"receipt": …, "request": …}, which check-receipt takes
    #[arg(long)]
    pub(crate) pair: bool,
    /// The time that receipts bear, for reproducible runs [default: SOURCE_DATE_EPOCH, or now]
    #[arg(long, value_name = "RFC3339")]
    pub(crate) timestamp: Option<String>,
    /// The id of the check, for one input
    #[arg(long, value_name = "UUID")]
    pub(crate) verification_id: Option<String>,
    /// The format of the receipts
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) format: AttestFormat,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttestFormat {
    /// One indented receipt; an array of them for several inputs
    Json,
    /// One receipt a line
    Ndjson,
}

#[derive(Args, Debug)]
pub(crate) struct CheckReceipt {
    /// Files, folders (every *.json below), or - for standard input [default: standard input]
    #[arg(value_name = "RECEIPT")]
    pub(crate) receipts: Vec<PathBuf>,
    /// The request that the receipt is about
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "schema", "rules", "bounds"])]
    pub(crate) request: Option<PathBuf>,
    /// The output alone
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The schema alone
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// The rules alone: a list, or an object with rules and bounds
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// The bounds alone
    #[arg(long, value_name = "FILE")]
    pub(crate) bounds: Option<PathBuf>,
    /// A folder or NDJSON file of requests; each receipt finds its own
    #[arg(long, value_name = "PATH",
          conflicts_with_all = ["request", "output", "schema", "rules", "bounds"])]
    pub(crate) requests: Option<PathBuf>,
    /// Take the key from this agent-card, and accept it as the issuer's
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["public_key", "fetch"],
          value_hint = ValueHint::FilePath)]
    pub(crate) agent_card: Option<String>,
    /// This very public key, and accept it as the issuer's
    #[arg(long, value_name = "BASE64", conflicts_with = "fetch")]
    pub(crate) public_key: Option<String>,
    /// The only key version that --public-key is for
    #[arg(long, value_name = "V", requires = "public_key")]
    pub(crate) key_version: Option<String>,
    /// Accept this issuer (repeatable)
    #[arg(long, value_name = "HOST|URL")]
    pub(crate) issuer: Vec<String>,
    /// Get the agent-card that the receipt names; nothing is fetched without this
    #[arg(long, conflicts_with = "offline")]
    pub(crate) fetch: bool,
    /// Refuse anything that would touch the network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Make the checks again and compare
    #[arg(long)]
    pub(crate) recheck: bool,
    /// These steps must have passed, else undecided; all: every one but recheck
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    pub(crate) require: Vec<String>,
    /// The time to judge by [default: now]
    #[arg(long, value_name = "RFC3339")]
    pub(crate) now: Option<String>,
    /// NDJSON: each line is a receipt, or a {"receipt": …, "request": …} pair
    #[arg(long)]
    pub(crate) lines: bool,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: ReceiptFormat,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReceiptFormat {
    /// For people
    Human,
    /// One indented result; an array of them for several receipts
    Json,
    /// One result a line
    Ndjson,
    /// JUnit XML, a test case for each receipt
    Junit,
    /// Markdown for a job's summary
    Markdown,
    /// A page for browsers, in one file that needs nothing from elsewhere
    Html,
}

impl From<ReceiptFormat> for Format {
    fn from(format: ReceiptFormat) -> Format {
        match format {
            ReceiptFormat::Human => Format::Human,
            ReceiptFormat::Json => Format::Json,
            ReceiptFormat::Ndjson => Format::Ndjson,
            ReceiptFormat::Junit => Format::Junit,
            ReceiptFormat::Markdown => Format::Markdown,
            ReceiptFormat::Html => Format::Html,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Keygen {
    /// The key file to write; never over an existing one
    #[arg(
        short = 'o',
        long = "key-file",
        value_name = "FILE",
        default_value = "aov-signing-key.json"
    )]
    pub(crate) file: PathBuf,
    /// The key's version [default: v1-DATE]
    #[arg(long, value_name = "V")]
    pub(crate) key_version: Option<String>,
    /// What receipts call the issuer
    #[arg(long, value_name = "NAME")]
    pub(crate) issuer_name: Option<String>,
    /// Where the agent-card is published
    #[arg(long, value_name = "URL")]
    pub(crate) public_key_url: Option<String>,
    /// Renew this key file: a new key, and the old one's public half kept
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) rotate: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct AgentCardArgs {
    #[command(flatten)]
    pub(crate) key: KeyArgs,
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
    /// JUnit XML, a test case for each input
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow commands, which annotate files
    Github,
    /// Markdown for a job's summary
    Markdown,
    /// A page for browsers, in one file that needs nothing from elsewhere
    Html,
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

#[derive(Args, Debug)]
pub(crate) struct Template {
    /// Samples: files, folders (every *.json below), or - for standard input [default: standard
    /// input]
    #[arg(value_name = "OUTPUT")]
    pub(crate) samples: Vec<PathBuf>,
    /// NDJSON: each line that is not blank is one sample
    #[arg(long)]
    pub(crate) lines: bool,
    /// Write the template to a file, whole or not at all
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) template_file: Option<PathBuf>,
    /// Do not say what was inferred; errors remain
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command [default: aov itself]
    #[arg(value_name = "COMMAND", value_hint = ValueHint::Other)]
    pub(crate) command: Option<String>,
}
