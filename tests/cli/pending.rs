//! An end of the input that never comes, names without end, and inputs that hold nothing.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::common::Sandbox;
use crate::{broken, sandbox};

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

#[test]
fn an_input_without_lines_is_named_and_told_in_every_format() {
    let sandbox = sandbox()
        .with("empty.ndjson", "")
        .with("blank.ndjson", "\n  \n\r\n")
        .with("some.ndjson", "{\"total\": 5}\n");
    let ndjson = ["verify", "-s", "schema.json", "--format", "ndjson", "--lines"];
    let json = ["verify", "-s", "schema.json", "--format", "json", "--lines"];
    for name in ["empty.ndjson", "blank.ndjson"] {
        let start = format!("error: {name}: no line with a value");
        // Also where another input holds some: a list that came out empty is no success.
        for more in [&[][..], &["some.ndjson"]] {
            let run = sandbox.aov(&[&ndjson[..], &[name], more].concat()).run();
            assert!(run.stderr.starts_with(&start), "{run:?}");
            assert_eq!(run.status, 2, "{run:?}");
            let first: serde_json::Value =
                serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
            assert_eq!(first["input"], name);
            assert_eq!(first["error"]["code"], "unreadable_input");

            let run = sandbox.aov(&[&json[..], &[name], more].concat()).run();
            let items: Vec<serde_json::Value> = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(items.len(), 1 + more.len(), "{run:?}");
        }
        let run = sandbox.aov(&["hash", "--lines", "--format", "json", name]).run();
        assert!(run.stderr.starts_with(&start), "{run:?}");
        assert_eq!(run.status, 2, "{run:?}");
    }
}

#[test]
fn what_a_line_lacks_is_told_with_its_line() {
    let lines = "{\"task_id\":\"a\",\"expected_schema\":true,\"submitted_output\":1}\n{}\n";
    let run = Sandbox::new()
        .with("l.ndjson", lines)
        .aov(&["verify", "--requests", "--lines", "l.ndjson"])
        .run();
    assert_eq!(run.status, 2);
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains(" missing")).collect();
    assert_eq!(told.len(), 3, "{run:?}");
    for line in told {
        assert!(line.starts_with("error: l.ndjson:2"), "{line}");
    }
}

#[test]
fn names_in_the_input_never_make_a_message_without_end() {
    let long = "n".repeat(100_000);
    let sandbox = sandbox()
        .with("name.json", format!("{{\"{long}\": nul}}"))
        .with("twice.json", format!("{{\"{long}\": 1, \"{long}\": 2}}"))
        .with("id.json", format!("{{\"task_id\": \"{long}\"}}"));
    for name in ["name.json", "twice.json", "id.json"] {
        for format in ["human", "json", "ndjson"] {
            let run = sandbox.aov(&["verify", "--format", format, "--requests", name]).run();
            assert_eq!(run.status, 2);
            let length = run.stdout.len() + run.stderr.len();
            assert!(length < 10_000, "{name} as {format}: {length} bytes");
        }
    }
}

#[test]
fn the_task_id_option_names_a_refused_request_too() {
    let run = Sandbox::new()
        .with("bad.json", "{\"task_id\": \"theirs\"}")
        .aov(&["verify", "--format", "ndjson", "--task-id", "mine", "--request", "bad.json"])
        .run();
    let item: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(item["task_id"], "mine");
}

#[test]
fn standard_input_has_one_name() {
    let error = broken("stdin").replace("$.total", "$.a");
    for args in [
        &["verify", "-s", "-", "pass.json"][..],
        &["verify", "-r", "-", "pass.json"],
        &["verify", "-t", "-", "pass.json"],
        &["verify", "--request", "-"],
        &["hash", "--request", "-"],
        &["hash", "-"],
    ] {
        sandbox().aov(args).input("{\"a\":\n").run().is(2, "", &error);
    }
}
