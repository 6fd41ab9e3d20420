//! The `aov` command: parse, run, exit.

mod cli;
mod clock;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
