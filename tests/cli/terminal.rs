//! What is shown on a terminal only.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::common::Sandbox;
use crate::sandbox;

/// Runs `aov` with standard error on a terminal: its status, standard output, and what the terminal
/// was sent.
fn with_stderr_on_a_terminal(sandbox: &Sandbox, args: &[&str]) -> (i32, String, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let path = std::ffi::OsStr::from_bytes(name.to_bytes());
    let theirs = File::options().read(true).write(true).open(path).unwrap();
    let screen = std::thread::spawn(move || {
        let mut sent = Vec::new();
        // Where nobody has the other end any more, Linux gives an error in place of an end.
        let _ = File::from(ours).read_to_end(&mut sent);
        String::from_utf8(sent).unwrap()
    });
    let mut command = sandbox.aov(args).env("TERM", "xterm").into_command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(theirs);
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    // It holds the other end too.
    drop(command);
    let stdout = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), stdout, screen.join().unwrap())
}

fn inputs() -> Sandbox {
    let line = "{\"total\": 5, \"note\": \"some text to carry along\"}\n";
    sandbox().with("many.ndjson", line.repeat(20_000))
}

#[test]
fn a_batch_shows_its_progress_on_a_terminal() {
    let sandbox = inputs();
    let lines = ["verify", "-s", "schema.json", "--lines", "many.ndjson"];
    let (status, stdout, screen) = with_stderr_on_a_terminal(&sandbox, &lines);
    assert_eq!(status, 0);
    assert!(stdout.ends_with("20000 inputs: 20000 passed\n"), "{screen}");
    assert!(screen.contains(" checked (") && screen.contains(" left)"), "{screen:?}");
    // It is gone at the end.
    assert!(screen.trim_end().ends_with("\u{1b}[2K"), "{screen:?}");

    let files = ["verify", "-s", "schema.json", "pass.json", "pass.json", "fail.json"];
    let (status, _, screen) = with_stderr_on_a_terminal(&sandbox, &files);
    assert_eq!(status, 1);
    assert!(screen.contains(" of 3 ("), "{screen:?}");
}

#[test]
fn one_document_and_quiet_runs_show_none() {
    let sandbox = inputs();
    for args in [
        &["verify", "-s", "schema.json", "pass.json"][..],
        &["verify", "-q", "-s", "schema.json", "--lines", "many.ndjson"],
    ] {
        let (status, _, screen) = with_stderr_on_a_terminal(&sandbox, args);
        assert_eq!((status, screen.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn without_a_terminal_there_is_none() {
    let run = inputs().aov(&["verify", "-s", "schema.json", "--lines", "many.ndjson"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}
