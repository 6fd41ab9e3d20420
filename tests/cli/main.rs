//! The binary from end to end: whole standard output, standard error and exit status.

#[path = "../common/mod.rs"]
mod common;

mod attest;
mod batch;
mod check_receipt;
mod colour;
mod exhaustion;
mod fetching;
mod formats;
mod hash;
mod inputs;
mod key_files;
mod keygen;
mod output;
mod receipt_batches;
mod receipt_terms;
mod regressions;
mod requirements;
mod signing;
mod streams;
mod template;
#[cfg(target_os = "linux")]
mod terminal;
mod unreadable;
mod usage;

use common::Sandbox;

const SCHEMA: &str =
    r#"{"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}}"#;

/// A schema, an output that fits it, one that does not, and a text that is no JSON.
fn sandbox() -> Sandbox {
    Sandbox::new()
        .with("schema.json", SCHEMA)
        .with("pass.json", "{\"total\": 5}\n")
        .with("fail.json", "{\n  \"total\": \"5\"\n}\n")
        .with("broken.json", "{\"total\": \n")
}

/// A schema whose pattern takes more work than there is, and an output that makes it.
fn with_undecided(sandbox: Sandbox) -> Sandbox {
    let pattern = r"^(?!b)(a+)+\\1$";
    sandbox
        .with(
            "hard-schema.json",
            format!(r#"{{"properties": {{"a": {{"pattern": "{pattern}"}}}}}}"#),
        )
        .with("hard.json", format!("{{\"a\": \"{}b\"}}", "a".repeat(40)))
}

const UNDECIDED: &str = "The check could not be decided: matching its regular expressions takes \
                         more work than a check may.";

/// The report for people on an output like `pass.json`.
fn passed(name: &str) -> String {
    format!(
        "PASS  {name}

  10 of 10 checks passed (100.0%): schema 3 of 3, integrity 7 of 7
"
    )
}

/// The report for people on an output like `fail.json`.
fn failed(name: &str) -> String {
    format!(
        "FAIL  {name}

  schema:type at 'total'
    place    {name}:2:12
             | \"total\": \"5\"
             |          ^^^
    expected a number
    found    \"5\" (string)
    fix      Write the number without quotes.
    schema   $.properties.total.type

  9 of 10 checks passed (90.0%): schema 2 of 3, integrity 7 of 7
"
    )
}

/// The line of an output like `fail.json` among several.
fn failed_line(name: &str) -> String {
    format!("FAIL   {name}  schema:type at 'total': found \"5\" (string), expected a number\n")
}

/// What standard error says of a text like `broken.json`.
fn broken(name: &str) -> String {
    format!(
        "error: {name}:2:1: the text ends inside a value, in $.total
  help: Check that it was written and transferred completely.
"
    )
}

/// What standard error says of such a text on a line of its own, with `--lines`.
fn broken_line(name: &str, line: usize) -> String {
    format!(
        "error: {name}:{line}:11: the text ends inside a value, in $.total
  help: Complete the line; for one value over several lines leave --lines out.
"
    )
}

const STDIN_TWICE: &str = "error: standard input (-) is named twice
  help: Name - once; put the other input into a file.
";
