//! The `aov` command: parse, run, exit.

mod cli;
mod clock;
#[cfg(feature = "serve")]
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
