//! Pipes and large inputs: closed early, slow, long, or one very large document.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout};
use std::time::{Duration, Instant};

use crate::common::{Aov, Sandbox};
use crate::{broken_line, sandbox};

fn lines_of(child: &mut Child) -> BufReader<ChildStdout> {
    BufReader::new(child.stdout.take().unwrap())
}

fn next_line(reader: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line
}

/// Ends a run, and gives back its status and what it said on standard error.
fn finish(mut child: Child) -> (i32, String) {
    drop(child.stdin.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (child.wait().unwrap().code().expect("ended by a signal"), stderr)
}

fn start_over_lines(sandbox: &Sandbox, jobs: &str, format: &str, input: &str) -> Child {
    let args = ["verify", "-s", "schema.json", "--lines", "--jobs", jobs, "--format", format];
    sandbox.aov(&[&args[..], &[input]].concat()).start()
}

#[test]
fn a_closed_pipe_ends_quietly_with_the_worst_status_so_far() {
    let many = "{\"total\": 5}\n".repeat(20_000);
    for (first, status, stderr) in [
        ("{\"total\": 5}", 0, String::new()),
        ("{\"total\": \"5\"}", 1, String::new()),
        ("{\"total\": ", 2, broken_line("l.ndjson", 1)),
    ] {
        let sandbox = sandbox().with("l.ndjson", format!("{first}\n{many}"));
        for format in ["human", "json", "ndjson"] {
            for jobs in ["1", "3"] {
                let mut child = start_over_lines(&sandbox, jobs, format, "l.ndjson");
                let mut stdout = lines_of(&mut child);
                assert!(!next_line(&mut stdout).is_empty());
                drop(stdout);
                assert_eq!(finish(child), (status, stderr.clone()), "{format}, {jobs} jobs");
            }
        }
    }
    let sandbox = sandbox().with("l.ndjson", many);
    let mut child = sandbox.aov(&["hash", "--lines", "l.ndjson"]).start();
    let mut stdout = lines_of(&mut child);
    assert!(next_line(&mut stdout).ends_with("  l.ndjson:1\n"));
    drop(stdout);
    assert_eq!(finish(child), (0, String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = sandbox();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for args in [&["verify", "-s", "schema.json", "pass.json"][..], &["hash", "pass.json"]] {
        let output = sandbox.aov(args).into_command().stdout(full()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: cannot write standard output: "), "{stderr}");
    }
}

#[test]
fn the_first_result_comes_before_a_slow_pipe_ends() {
    for format in ["human", "json", "ndjson"] {
        for jobs in ["1", "2"] {
            let sandbox = sandbox();
            let mut child = start_over_lines(&sandbox, jobs, format, "-");
            let mut stdin = child.stdin.take().unwrap();
            let mut stdout = lines_of(&mut child);
            for number in 1..=3 {
                stdin.write_all(b"{\"total\": 5}\n").unwrap();
                // Blocks for ever where results wait for the end of the input.
                loop {
                    let line = next_line(&mut stdout);
                    assert!(!line.is_empty(), "ended early");
                    if line.contains(&format!("stdin:{number}")) {
                        break;
                    }
                }
            }
            drop(stdin);
            let mut rest = String::new();
            stdout.read_to_string(&mut rest).unwrap();
            assert_eq!(finish(child), (0, String::new()));
        }
    }
}

/// The most memory a process has had so far, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Feeds so many lines through a pipe, and asks for the memory when all of them are judged.
#[cfg(target_os = "linux")]
fn peak_over(count: usize) -> u64 {
    let sandbox = sandbox();
    let mut child =
        sandbox.aov(&["verify", "-s", "schema.json", "--lines", "--jobs", "2", "-"]).start();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let block = "{\"total\": 5, \"note\": \"some text to carry along\"}\n".repeat(100);
        for _ in 0..count / 100 {
            stdin.write_all(block.as_bytes()).unwrap();
        }
        stdin
    });
    let mut stdout = lines_of(&mut child);
    for number in 1..=count {
        assert_eq!(next_line(&mut stdout), format!("PASS   stdin:{number}\n"));
    }
    let peak = peak(&child);
    drop(writer.join().unwrap());
    assert_eq!(next_line(&mut stdout), format!("{count} inputs: {count} passed\n"));
    assert_eq!(finish(child), (0, String::new()));
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat_over_lines() {
    let (few, many) = (peak_over(30_000), peak_over(300_000));
    // Held whole, the longer input would take 14 MB more, parsed several times that.
    assert!(many < few + 8 * 1024, "{few} KiB, then {many} KiB");
    assert!(many < 96 * 1024, "{many} KiB");
}

/// An array of records of about so many bytes.
fn large_document(bytes: usize) -> String {
    let mut text = String::from("[");
    let mut number = 0;
    while text.len() < bytes {
        if number > 0 {
            text.push(',');
        }
        text += &format!(
            "\n{{\"id\":{number},\"name\":\"record number {number}\",\"price\":{}.25,\
             \"tags\":[\"alpha\",\"beta\"],\"stock\":true,\"note\":null}}",
            number % 1000
        );
        number += 1;
    }
    text + "]"
}

/// A debug build is some twenty times slower.
const LARGE: usize = if cfg!(debug_assertions) { 8_000_000 } else { 50_000_000 };

#[test]
fn a_large_document_is_judged_whole() {
    let document = large_document(LARGE);
    let last = document.lines().count();
    let failing = document.replace("\"note\":null}]", "\"note\":7}]");
    let sandbox = sandbox()
        .with("null.json", "{\"items\": {\"properties\": {\"note\": {\"type\": \"null\"}}}}")
        .with("large.json", failing);
    let run = sandbox.aov(&["verify", "-s", "null.json", "large.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let place = format!("place    large.json:{last}:");
    assert!(run.stdout.contains(&place), "{}", run.stdout);
    assert!(run.stdout.contains("schema:type at '["), "{}", run.stdout);
    let run = sandbox.aov(&["verify", "-s", "null.json", "--lines", "-"]).input(document).run();
    // It holds line ends, so that this is many lines that are no JSON: told, one by one.
    assert_eq!(run.status, 2);
    assert_eq!(run.stderr.matches("error: stdin:").count(), last);
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_costs_about_eight_times_its_size() {
    let document = large_document(LARGE);
    let limit = 32 * 1024 + 8 * document.len() / 1024;
    let sandbox = sandbox().with("any.json", "{}").with("large.json", document);
    let limited = |kilobytes: usize| {
        let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
        let run = sandbox.aov(&["verify", "-s", "any.json", "large.json"]).into_command();
        std::process::Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(run.get_program())
            .args(run.get_args())
            .current_dir(run.get_current_dir().unwrap())
            .output()
            .unwrap()
    };
    let output = limited(limit);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "with {limit} KiB: {stderr}");
    // The limit does limit.
    assert_ne!(limited(LARGE / 1024).status.code(), Some(0));
}

#[test]
fn a_line_longer_than_any_buffer_is_one_value() {
    let long = format!("{{\"total\": 5, \"pad\": \"{}\"}}", "text ".repeat(200_000));
    sandbox()
        .aov(&["verify", "-s", "schema.json", "--lines"])
        .input(format!("{long}\n{long}\n{{\"total\": \"5\"}}"))
        .run()
        .is(
            1,
            &format!(
                "PASS   stdin:1\nPASS   stdin:2\n{}3 inputs: 2 passed, 1 failed\n",
                crate::failed_line("stdin:3")
            ),
            "",
        );
}

#[test]
fn input_that_nobody_reads_does_no_harm() {
    let run = Aov::new(&["verify", "--nope"]).input("x".repeat(1_000_000)).run();
    assert_eq!(run.status, 2);
}

/// The status of a run that ends without being fed any further; `None` where it never does.
fn ends(child: &mut Child) -> Option<i32> {
    let patience = Instant::now() + Duration::from_secs(30);
    while Instant::now() < patience {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

#[test]
fn fail_fast_does_not_wait_for_a_pipe_that_stays_open() {
    for jobs in ["1", "2"] {
        let sandbox = sandbox();
        let mut child = sandbox
            .aov(&["verify", "-s", "schema.json", "--lines", "--fail-fast", "--jobs", jobs, "-"])
            .start();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"{\"total\": \"5\"}\n").unwrap();
        assert_eq!(ends(&mut child), Some(1), "{jobs} jobs");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_what_it_judged() {
    let sandbox = sandbox();
    let mut child =
        sandbox.aov(&["verify", "-s", "schema.json", "--lines", "--format", "json", "-"]).start();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"{\"total\": 5}\n").unwrap();
    let mut text = String::new();
    while !text.contains("stdin:1") {
        assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "ended early");
    }
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    assert!(ends(&mut child).is_some(), "ended by the signal itself, or not at all");
    stdout.read_to_string(&mut text).unwrap();
    let responses: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(responses.len(), 1);
}
