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

#[test]
fn no_more_files_are_open_than_are_read_at_one_time() {
    let sandbox = (0..600).fold(sandbox(), |sandbox, number| {
        sandbox.with(&format!("many/{number:03}.json"), "{\"total\": 5}")
    });
    for args in [&["verify", "-s", "schema.json", "--jobs", "2", "many"][..], &["hash", "many"]] {
        let run = limited(&sandbox, "-n 16", args);
        let (stdout, stderr) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((run.status.code(), stderr), (Some(0), ""), "{args:?}");
        assert_eq!(stdout.lines().filter(|line| line.contains(".json")).count(), 600);
    }
}

/// Held whole, so many findings would take many times the memory that there is.
#[cfg(target_os = "linux")]
#[test]
fn a_million_findings_fit_into_little_memory() {
    let sandbox = sandbox()
        .with("strings.json", r#"{"items": {"type": "string"}}"#)
        .with("million.json", format!("[{}1]", "0,".repeat(999_999)));
    let args = ["verify", "-s", "strings.json", "--format", "json", "million.json"];
    let run = limited(&sandbox, "-v 400000", &args);
    assert_eq!((run.status.code(), text(&run.stderr)), (Some(1), ""));
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["errors_total"], 1_000_000);
    assert_eq!(report["errors_omitted"], 999_900);
    assert!(run.stdout.len() < 100_000, "{}", run.stdout.len());
}

/// Nobody has named the pipe, and nobody may ever write to it.
#[test]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let sandbox = sandbox().with("folder/pass.json", "{\"total\": 5}");
    let made = Command::new("mkfifo").arg(sandbox.path("folder/pipe.json")).status().unwrap();
    assert!(made.success());
    let told = "error: folder/pipe.json: it is no regular file\n  help: Name it itself where it is \
                meant, or take it away.\n";
    for input in ["folder", "folder/*.json"] {
        let run = sandbox.aov(&["verify", "-s", "schema.json", input]).run();
        assert_eq!((run.status, run.stderr.as_str()), (2, told), "{input}");
        assert!(run.stdout.contains("PASS   folder/pass.json\n"), "{input}: {}", run.stdout);
        assert!(run.stdout.contains("ERROR  folder/pipe.json  could not be judged\n"));
    }
    std::fs::remove_file(sandbox.path("folder/pass.json")).unwrap();
    let run = sandbox.aov(&["hash", "folder"]).run();
    run.is(2, "", told);
}

/// Some systems take no such names.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_read_and_shown() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let sandbox = sandbox().with_folder("folder");
    for (name, output) in
        [(&b"folder/\xFFa.json"[..], "{\"total\": 5}"), (b"folder/\xFEa.json", "{\"total\": \n")]
    {
        std::fs::write(sandbox.path("").join(OsStr::from_bytes(name)), output).unwrap();
    }
    let shown = "folder/\u{fffd}a.json";
    let run = sandbox.aov(&["verify", "-s", "schema.json", "folder"]).run();
    let stdout = format!(
        "ERROR  {shown}  could not be judged\nPASS   {shown}\n2 inputs: 1 passed, 1 could not be \
         judged\n"
    );
    run.is(2, &stdout, &crate::broken(shown));
    let mut aov = sandbox.aov(&["hash"]).into_command();
    let run = aov.arg(OsStr::from_bytes(b"folder/\xFFa.json")).output().unwrap();
    assert!(run.status.success());
    assert!(text(&run.stdout).ends_with(&format!("  {shown}\n")), "{run:?}");
}

#[test]
fn a_report_into_a_pipe_ends_quietly_with_its_reader() {
    let many = "{\"total\": 5}\n".repeat(50_000);
    let sandbox = sandbox().with("lines.ndjson", many);
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            use std::io::Read as _;
            let mut start = [0; 4];
            std::fs::File::open(pipe).unwrap().read_exact(&mut start).unwrap();
            start
        })
    };
    let args = ["verify", "-s", "schema.json", "--lines", "lines.ndjson", "-o", "pipe"];
    sandbox.aov(&args).run().is(0, "", "");
    assert_eq!(&reader.join().unwrap(), b"PASS");
    // It is still what it was.
    assert!(!pipe.metadata().unwrap().is_file());
}
