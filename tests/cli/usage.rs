//! What the command line itself refuses, and what it says of itself.

use crate::sandbox;

#[test]
fn nothing_to_check_against_is_refused() {
    let stderr = "error: there is nothing to check against
  help: Give one of --schema, --rules, --bounds, --template, --request or --requests.
";
    let sandbox = sandbox();
    for args in
        [&["verify"][..], &["verify", "pass.json"], &["verify", "--strict", "--lines", "pass.json"]]
    {
        sandbox.aov(args).run().is(2, "", stderr);
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let sandbox = sandbox();
    for (args, first, second) in [
        (&["-s", "schema.json", "-t", "schema.json"][..], "--schema", "--template"),
        (&["-r", "schema.json", "-t", "schema.json"], "--rules", "--template"),
        (&["-b", "schema.json", "-t", "schema.json"], "--bounds", "--template"),
        (&["--request", "pass.json", "-s", "schema.json"], "--request", "--schema"),
        (&["--request", "pass.json", "-t", "schema.json"], "--request", "--template"),
        (&["--request", "pass.json", "--requests"], "--request", "--requests"),
        (&["--request", "pass.json", "--lines"], "--request", "--lines"),
        (&["--request", "pass.json", "pass.json"], "--request", "[OUTPUT]"),
        (&["--requests", "-s", "schema.json"], "--requests", "--schema"),
        (&["--requests", "-r", "schema.json"], "--requests", "--rules"),
        (&["-s", "schema.json", "--lines", "--task-id", "x"], "--task-id", "--lines"),
    ] {
        let args = [&["verify"], args].concat();
        let run = sandbox.aov(&args).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
        let line = run.stderr.lines().next().unwrap();
        assert!(line.starts_with("error: the argument "), "{args:?}: {line}");
        assert!(line.contains(first) && line.contains(second), "{args:?}: {line}");
    }
}

#[test]
fn unknown_options_and_values_are_refused() {
    let sandbox = sandbox();
    for (args, says) in [
        (&["verify", "--nope"][..], "unexpected argument '--nope'"),
        (&["verfiy"], "unrecognized subcommand 'verfiy'"),
        (&["verify", "--format", "xml"], "invalid value 'xml' for '--format"),
        (&["verify", "--detail", "none"], "invalid value 'none' for '--detail"),
        (&["verify", "--jobs", "0"], "invalid value '0' for '--jobs"),
        (&["verify", "--jobs", "many"], "invalid value 'many' for '--jobs"),
        (&["verify", "--color", "blue"], "invalid value 'blue' for '--color"),
        (&["verify", "-s"], "a value is required for '--schema"),
        (&["hash", "--format", "ndjson"], "invalid value 'ndjson' for '--format"),
        (&["hash", "--nope"], "unexpected argument '--nope'"),
    ] {
        let run = sandbox.aov(args).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
        assert!(run.stderr.starts_with(&format!("error: {says}")), "{run:?}");
    }
}

#[test]
fn no_command_shows_the_help_and_is_a_usage_error() {
    let run = sandbox().aov(&[]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("Usage: aov"), "{run:?}");
}

#[test]
fn help_and_version_succeed_on_standard_output() {
    let sandbox = sandbox();
    let version = format!("aov {}\n", env!("CARGO_PKG_VERSION"));
    sandbox.aov(&["--version"]).run().succeeds_with(&version);
    for args in [
        &["--help"][..],
        &["help"],
        &["verify", "--help"],
        &["hash", "-h"],
        &["attest", "--help"],
        &["check-receipt", "--help"],
        &["keygen", "--help"],
        &["agent-card", "--help"],
    ] {
        let run = sandbox.aov(args).run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(run.stdout.contains("Usage: aov"), "{run:?}");
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
    }
    let help = sandbox.aov(&["--help"]).run().stdout;
    assert!(
        help.contains("Exit status: 0 passed or valid, 1 failed or invalid, 2 usage error"),
        "{help}"
    );
}

#[test]
fn completions_and_pages_are_for_what_there_is() {
    let sandbox = sandbox();
    let run = sandbox.aov(&["completions", "csh"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.starts_with("error: invalid value 'csh' for '<SHELL>'"), "{run:?}");
    sandbox.aov(&["man", "verfy"]).run().is(
        2,
        "",
        "error: there is no command \"verfy\"\n  help: Did you mean 'verify'?\n",
    );
    let run = sandbox.aov(&["man", "\u{1b}[31m"]).run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
    let first = "error: there is no command \"\\u001b[31m\"\n  help: The commands are verify, ";
    assert!(run.stderr.starts_with(first), "{run:?}");
}
