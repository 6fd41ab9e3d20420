//! The `aov` command: parse, run, exit.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
