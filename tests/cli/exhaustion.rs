//! What runs out, and what never ends: descriptors, room for files, names that are no text.

#![cfg(unix)]

use std::process::{Command, Output};

use crate::common::Sandbox;
use crate::sandbox;

/// A run within a limit that the shell sets.
fn limited(sandbox: &Sandbox, limit: &str, args: &[&str]) -> Output {
    let mut run = Command::new("sh");
    // Some systems have a lower hard limit already; the soft one is ours to lower.
    run.args(["-c", &format!("ulimit -S {limit} && exec \"$0\" \"$@\"")]);
    run.arg(env!("CARGO_BIN_EXE_aov")).args(args).current_dir(sandbox.path(""));
    run.output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_report_that_finds_no_room_is_told_and_left_out_whole() {
    let lines = "{\"total\": 5}\n".repeat(20_000);
    let sandbox = sandbox().with("lines.ndjson", lines).with("old.txt", "the report before");
    let before = sandbox.names();
    for format in ["human", "ndjson", "junit", "html"] {
        for report in ["new.txt", "old.txt"] {
            let args = ["verify", "-s", "schema.json", "--lines", "lines.ndjson", "--format"];
            let run = limited(&sandbox, "-f 16", &[&args[..], &[format, "-o", report]].concat());
            let stderr = text(&run.stderr);
            assert_eq!(run.status.code(), Some(2), "{format}: {stderr}");
            assert!(stderr.starts_with("error: cannot write "), "{format}: {stderr}");
            assert!(stderr.contains("  help: Check the file and the disk.\n"), "{stderr}");
            assert_eq!(sandbox.names(), before, "{format}");
            assert_eq!(sandbox.read("old.txt"), "the report before", "{format}");
        }
    }
}
