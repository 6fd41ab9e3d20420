//! The `aov` command: parse, run, exit.

mod cli;
mod clock;
mod random;
#[cfg(feature = "serve")]
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
