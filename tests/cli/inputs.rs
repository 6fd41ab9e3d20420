//! What is checked: files, folders, patterns, standard input, and their names.

use crate::common::Sandbox;
use crate::{STDIN_TWICE, broken, failed, failed_line, passed, sandbox};

#[test]
fn one_file_gets_a_full_report() {
    let sandbox = sandbox();
    sandbox.aov(&["verify", "-s", "schema.json", "pass.json"]).run().is(
        0,
        &passed("pass.json"),
        "",
    );
    sandbox.aov(&["verify", "--schema", "schema.json", "fail.json"]).run().is(
        1,
        &failed("fail.json"),
        "",
    );
}

#[test]
fn several_files_get_a_line_each_and_a_summary() {
    let stdout = format!(
        "PASS   pass.json\n{}ERROR  broken.json  could not be judged\n\
         3 inputs: 1 passed, 1 failed, 1 could not be judged\n",
        failed_line("fail.json")
    );
    sandbox()
        .aov(&["verify", "-s", "schema.json", "pass.json", "fail.json", "broken.json"])
        .run()
        .is(2, &stdout, &broken("broken.json"));
}

#[test]
fn a_folder_stands_for_every_json_file_below_it_sorted() {
    let sandbox = sandbox()
        .with("out/b.json", "{\"total\": 1}")
        .with("out/a/c.json", "{\n  \"total\": \"5\"\n}")
        .with("out/a.json", "{\"total\": 2}")
        .with("out/note.txt", "no JSON")
        .with("out/list.ndjson", "no JSON either");
    // Slashes as the platform writes them.
    let name = |parts: [&str; 2]| parts.join(std::path::MAIN_SEPARATOR_STR);
    let deep = name(["out", &name(["a", "c.json"])]);
    let (a, b) = (name(["out", "a.json"]), name(["out", "b.json"]));
    let stdout =
        format!("{}PASS   {a}\nPASS   {b}\n3 inputs: 2 passed, 1 failed\n", failed_line(&deep));
    sandbox.aov(&["verify", "-s", "schema.json", "out"]).run().is(1, &stdout, "");
}

#[cfg(unix)]
#[test]
fn links_below_a_folder_are_read_but_never_followed_in_circles() {
    let sandbox = sandbox().with_folder("out");
    std::os::unix::fs::symlink("..", sandbox.path("out/up")).unwrap();
    std::os::unix::fs::symlink("../pass.json", sandbox.path("out/link.json")).unwrap();
    sandbox.aov(&["verify", "-s", "schema.json", "out"]).run().is(0, &passed("out/link.json"), "");
}

#[test]
fn a_pattern_that_the_shell_left_alone_is_expanded() {
    let sandbox = sandbox();
    sandbox.aov(&["verify", "-s", "schema.json", "f*.json"]).run().is(1, &failed("fail.json"), "");
    let stdout = "ERROR  broken.json  could not be judged\nPASS   pass.json\nPASS   pass.json\n\
                  3 inputs: 2 passed, 1 could not be judged\n";
    sandbox.aov(&["verify", "-s", "schema.json", "[bp]*.json", "p?ss.json"]).run().is(
        2,
        stdout,
        &broken("broken.json"),
    );
}

#[test]
fn a_file_whose_name_looks_like_a_pattern_is_that_file() {
    sandbox()
        .with("[a].json", "{\n  \"total\": \"5\"\n}")
        .with("a.json", "{\"total\": 5}")
        .aov(&["verify", "-s", "schema.json", "[a].json"])
        .run()
        .is(1, &failed("[a].json"), "");
}

const NOTHING: &str = "  help: Check the name; a run that checks nothing is never a success.\n";

#[test]
fn nothing_found_is_never_a_success() {
    let sandbox = sandbox().with_folder("empty").with("empty/none.ndjson", "");
    for (argument, message) in [
        ("out/*.jsn", "out/*.jsn: no file matches"),
        ("empty", "empty: no *.json below it"),
        ("empty/", "empty/: no *.json below it"),
    ] {
        let stderr = format!("error: {message}; nothing was checked\n{NOTHING}");
        sandbox.aov(&["verify", "-s", "schema.json", argument]).run().is(2, "", &stderr);
        sandbox.aov(&["verify", "-s", "schema.json", "pass.json", argument]).run().is(
            2,
            &format!(
                "PASS   pass.json\nERROR  {argument}  could not be judged\n\
                     2 inputs: 1 passed, 1 could not be judged\n"
            ),
            &stderr,
        );
    }
}

#[test]
fn standard_input_is_read_once_by_its_name_or_when_it_is_a_pipe() {
    let sandbox = sandbox();
    let text = sandbox.read("fail.json");
    for args in [&["verify", "-s", "schema.json", "-"][..], &["verify", "-s", "schema.json"]] {
        sandbox.aov(args).input(&text).run().is(1, &failed("stdin"), "");
    }
    let stdout =
        format!("PASS   pass.json\n{}2 inputs: 1 passed, 1 failed\n", failed_line("stdin"));
    sandbox
        .aov(&["verify", "-s", "schema.json", "pass.json", "-"])
        .input(&text)
        .run()
        .is(1, &stdout, "");
    for args in [
        &["verify", "-s", "schema.json", "-", "-"][..],
        &["verify", "-s", "schema.json", "-b", "-", "-"],
        &["verify", "-s", "-", "-"],
        &["verify", "-s", "-", "-r", "-", "pass.json"],
        &["hash", "-", "-"],
    ] {
        sandbox.aov(args).input(&text).run().is(2, "", STDIN_TWICE);
    }
    sandbox.aov(&["verify", "-s", "-"]).input(&text).run().is(
        2,
        "",
        "error: there is no output to check\n  help: Name files, a folder, or - for standard \
             input.\n",
    );
}

#[test]
fn empty_standard_input_is_no_success() {
    let stderr = "error: stdin:1:1: no JSON value: it is empty or only white space\n  \
                  help: Put one JSON value into it.\n";
    let sandbox = sandbox();
    for args in [
        &["verify", "-s", "schema.json", "-"][..],
        &["verify", "-s", "schema.json"],
        &["verify", "--request", "-"],
        &["hash"],
        &["hash", "-"],
    ] {
        sandbox.aov(args).input("").run().is(2, "", stderr);
    }
}

#[test]
fn the_schema_can_come_from_standard_input() {
    sandbox().aov(&["verify", "-s", "-", "fail.json"]).input(crate::SCHEMA).run().is(
        1,
        &failed("fail.json"),
        "",
    );
}

#[test]
fn a_requests_task_id_is_shown_where_it_is_not_the_name() {
    let request = r#"{"task_id": "job 7", "expected_schema": true, "submitted_output": 1}"#;
    Sandbox::new()
        .with("request.json", request)
        .aov(&["verify", "--request", "request.json"])
        .run()
        .is(
            0,
            "PASS  request.json  (task job 7)\n\n  7 of 7 checks passed (100.0%): schema 0 of 0, \
             integrity 7 of 7\n",
            "",
        );
}

fn task_ids(stdout: &str) -> Vec<String> {
    stdout
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["task_id"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn the_default_task_id_is_the_end_of_the_inputs_name() {
    let long = format!("{}/{}.json", "é".repeat(90), "ü".repeat(110));
    let sandbox = sandbox().with(&long, "{\"total\": 5}").with("l.ndjson", "\n{\"total\": 5}\n");
    let run = |args: &[&str]| {
        let run = sandbox.aov(args).input("{\"total\": 5}").run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        task_ids(&run.stdout)
    };
    let ndjson = ["verify", "-s", "schema.json", "--format", "ndjson"];
    let with = |more: &[&'static str]| [&ndjson, more].concat();
    assert_eq!(run(&with(&["pass.json", "-"])), ["pass.json", "stdin"]);
    assert_eq!(run(&with(&["--lines", "l.ndjson", "-"])), ["l.ndjson:2", "stdin:1"]);
    assert_eq!(run(&with(&["--task-id", "mine", "pass.json"])), ["mine"]);

    let mut args = ndjson.to_vec();
    args.push(&long);
    let last = long.chars().skip(long.chars().count() - 200);
    assert_eq!(run(&args), [last.collect::<String>()]);
}

#[cfg(unix)]
#[test]
fn names_with_line_ends_and_escape_sequences_stay_on_their_line() {
    let name = "a\nPASS  b\u{1b}[2J.json";
    let sandbox =
        sandbox().with(name, "{\n  \"total\": \"5\"\n}").with("x\ny.json", "{\"total\": \n");
    let shown = "a\\nPASS  b\\u001b[2J.json";
    sandbox.aov(&["verify", "-s", "schema.json", name]).run().is(1, &failed(shown), "");
    let stdout = format!(
        "{}ERROR  x\\ny.json  could not be judged\n2 inputs: 0 passed, 1 failed, 1 could not be \
         judged\n",
        failed_line(shown)
    );
    sandbox.aov(&["verify", "-s", "schema.json", name, "x\ny.json"]).run().is(
        2,
        &stdout,
        &broken("x\\ny.json"),
    );
    let run = sandbox.aov(&["hash", name, "no\u{1b}such", "x\ny.json"]).run();
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stdout.ends_with(&format!("  {shown}\n")), "{run:?}");
    assert_eq!(
        run.stderr,
        format!(
            "error: cannot read no\\u001bsuch: there is no such file\n  help: Check the name; \
             nothing was checked in its place.\n{}",
            broken("x\\ny.json")
        )
    );
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

/// A file of over a megabyte is judged element by element where that is enough; nobody should see it.
#[test]
fn a_large_array_is_judged_as_a_small_one_is() {
    let schema = r#"{"type": "array", "maxItems": 200000, "items": {"type": "object",
        "properties": {"a": {"type": "string", "pattern": "^(?!b)(a+)+\\1$"}, "n": {"type": "integer"}}}}"#;
    let hard = format!("{{\"a\": \"{}b\"}}", "a".repeat(40));
    let tails = [
        ("{\"n\": 1}]", 0),
        ("{\"n\": \"1\"}]", 1),
        ("{\"n\": \"1\"}", 2),
        ("{\"n\": 1}]]", 2),
        ("{\"n\": 1, \"n\": 2}]", 2),
        (&format!("{hard}]"), 3),
        (&format!("{{\"n\": \"1\"}},{hard}]"), 1),
    ];
    let rows = |count: usize, tail: &str| format!("[{}{tail}", "{\"n\": 1},\n".repeat(count));
    let mut sandbox = sandbox().with("s.json", schema);
    for (place, (tail, _)) in tails.iter().enumerate() {
        sandbox = sandbox
            .with(&format!("small{place}.json"), rows(10, tail))
            .with(&format!("large{place}.json"), rows(120_000, tail));
    }
    for (place, (tail, status)) in tails.iter().enumerate() {
        for size in ["small", "large"] {
            let name = format!("{size}{place}.json");
            let run = sandbox.aov(&["verify", "-q", "-s", "s.json", &name]).run();
            assert_eq!(run.status, *status, "{name} {tail}: {}", run.stderr);
            // What is wrong is told with its place, however it was read.
            let line = if size == "small" { 11 } else { 120_001 };
            assert_eq!(run.stderr.contains(&format!("{name}:{line}:")), *status == 2, "{run:?}");
        }
    }
    // More elements than are allowed, and a schema that has to see all of them together.
    let few = sandbox
        .with("few.json", r#"{"maxItems": 5}"#)
        .with("unique.json", r#"{"uniqueItems": true}"#);
    for schema in ["few.json", "unique.json"] {
        let run = few.aov(&["verify", "-q", "-s", schema, "large0.json"]).run();
        assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{schema}");
    }
}
