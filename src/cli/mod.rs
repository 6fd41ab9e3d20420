//! The command line: arguments, files, terminals and exit statuses. What is computed is the
//! library's; this only reads, calls and shows.

mod address;
mod args;
mod batch;
mod check_receipt;
mod exit;
mod fetch;
mod hash;
mod input;
mod judge;
mod keys;
mod man;
mod output;
mod pool;
mod render;
mod requirements;
#[cfg(feature = "serve")]
mod serve;
mod template;
mod trouble;
mod verify;

use std::io::Write as _;

use clap::Parser as _;

pub(crate) use exit::Status;

/// Lets a write beyond the size that files may have (`ulimit -f`) be an error as any other, which is
/// told. By itself the system ends the process there, in the middle of what it was writing.
fn outlive_full_files() {
    // Where no handler can be had, it stays as it is.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> Status {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let status = if error.use_stderr() { Status::Unusable } else { Status::Passed };
            // Nothing is left to say where the message itself cannot be written.
            let _ = error.print();
            return status;
        }
    };
    outlive_full_files();
    let result = match &cli.command {
        args::Command::Verify(verify) => verify::run(verify, cli.color),
        args::Command::Hash(hash) => hash::run(hash),
        args::Command::Attest(attest) => verify::attest(attest, cli.color),
        args::Command::CheckReceipt(check) => check_receipt::run(check, cli.color),
        args::Command::Keygen(keygen) => keys::keygen(keygen),
        args::Command::AgentCard(card) => keys::agent_card(card),
        #[cfg(feature = "serve")]
        args::Command::Serve(serve) => serve::run(serve),
        args::Command::Template(template) => template::run(template),
        args::Command::Completions(completions) => man::completions(completions),
        args::Command::Man(page) => man::run(page),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            let mut text = Vec::new();
            trouble::write_error(&error, &mut text);
            let _ = std::io::stderr().write_all(&text);
            Status::Unusable
        }
    }
}
