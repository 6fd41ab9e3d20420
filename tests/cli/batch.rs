//! Many inputs: the worst status, the order of results, `--jobs` and `--fail-fast`.

use crate::common::Run;
use crate::{UNDECIDED, broken, failed_line, sandbox, with_undecided};

#[test]
fn the_worst_status_counts_in_the_order_2_1_3_0() {
    let sandbox = with_undecided(sandbox())
        .with("misfit.json", "{\"a\": 1}")
        .with("s.json", sandbox_schema());
    for (files, status) in [
        (&["pass.json", "pass.json"][..], 0),
        (&["pass.json", "hard.json"], 3),
        (&["hard.json", "pass.json"], 3),
        (&["hard.json", "misfit.json"], 1),
        (&["misfit.json", "hard.json", "pass.json"], 1),
        (&["misfit.json", "broken.json"], 2),
        (&["broken.json", "hard.json", "misfit.json", "pass.json"], 2),
        (&["missing.json", "pass.json"], 2),
    ] {
        for format in ["human", "json", "ndjson"] {
            let args = [&["verify", "-s", "s.json", "--format", format], files].concat();
            let run = sandbox.aov(&args).run();
            assert_eq!(run.status, status, "{files:?}: {run:?}");
        }
        let args = [&["verify", "-q", "-s", "s.json"], files].concat();
        assert_eq!(sandbox.aov(&args).run().status, status, "{files:?}");
    }
}

/// A schema that `hard.json` leaves undecided and `misfit.json` fails.
fn sandbox_schema() -> &'static str {
    r#"{"properties": {"a": {"type": "string", "pattern": "^(?!b)(a+)+\\1$"}}}"#
}

#[test]
fn a_line_of_each_kind_is_counted() {
    let lines =
        format!("{{\"a\": \"aa\"}}\n{{\"a\": 1}}\n{{\"a\": \n{{\"a\": \"{}b\"}}\n", "a".repeat(40));
    let stdout = format!(
        "PASS   l.ndjson:1
FAIL   l.ndjson:2  schema:type at 'a': found 1 (integer), expected a string
ERROR  l.ndjson:3  could not be judged
UNDECIDED  l.ndjson:4  {UNDECIDED}
4 inputs: 1 passed, 1 failed, 1 undecided, 1 could not be judged
"
    );
    let run = sandbox()
        .with("s.json", sandbox_schema())
        .with("l.ndjson", lines)
        .aov(&["verify", "-s", "s.json", "--lines", "l.ndjson"])
        .run();
    assert_eq!((run.status, run.stdout), (2, stdout));
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let kinds = ["{\"total\": 5}", "{\"total\": \"5\"}", "{\"total\": ", "", "{\"total\": 1e999}"];
    let lines: String = (0..4000).map(|n| format!("{}\n", kinds[n % 7 % 5])).collect();
    let mut sandbox = sandbox().with("l.ndjson", lines);
    let mut files = Vec::new();
    for n in 0..40 {
        let name = format!("in/{n:02}.json");
        sandbox = sandbox.with(&name, kinds[n % 5]);
        files.push(name);
    }
    for format in ["human", "json", "ndjson"] {
        for input in [&["--lines", "l.ndjson"][..], &["in"]] {
            let run = |jobs: &str| -> Run {
                let options = ["verify", "-s", "schema.json", "--format", format, "--jobs", jobs];
                sandbox.aov(&[&options, input].concat()).run().normalised()
            };
            let one = run("1");
            assert_eq!(one.status, 2);
            assert!(one.stdout.lines().count() > 39);
            for jobs in ["2", "13"] {
                run(jobs).is(one.status, &one.stdout, &one.stderr);
            }
        }
    }
}

#[test]
fn results_come_in_the_order_of_the_inputs() {
    let big = format!("{{\"total\": 1, \"list\": [{}]}}", ["1"; 20_000].join(","));
    let sandbox = sandbox().with("big.json", big);
    let stdout = format!(
        "PASS   big.json\nPASS   pass.json\n{}PASS   big.json\nERROR  broken.json  could not be \
         judged\nPASS   pass.json\n6 inputs: 4 passed, 1 failed, 1 could not be judged\n",
        failed_line("fail.json")
    );
    sandbox
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--jobs",
            "4",
            "big.json",
            "pass.json",
            "fail.json",
            "big.json",
            "broken.json",
            "pass.json",
        ])
        .run()
        .is(2, &stdout, &broken("broken.json"));
}

#[test]
fn fail_fast_stops_at_the_first_that_does_not_pass() {
    let lines = "{\"total\": 5}\n{\"total\": \"5\"}\n{\"total\": \n{\"total\": 5}\n";
    let sandbox = with_undecided(sandbox()).with("l.ndjson", lines);
    for jobs in ["1", "3"] {
        let fail_fast = |more: &[&'static str]| {
            let options = ["verify", "--fail-fast", "--jobs", jobs];
            sandbox.aov(&[&options, more].concat()).run()
        };
        let stdout =
            format!("PASS   pass.json\n{}2 inputs: 1 passed, 1 failed\n", failed_line("fail.json"));
        fail_fast(&["-s", "schema.json", "pass.json", "fail.json", "broken.json", "pass.json"])
            .is(1, &stdout, "");
        let stdout = format!(
            "PASS   l.ndjson:1\n{}2 inputs: 1 passed, 1 failed\n",
            failed_line("l.ndjson:2")
        );
        fail_fast(&["-s", "schema.json", "--lines", "l.ndjson"]).is(1, &stdout, "");
        fail_fast(&["-s", "schema.json", "broken.json", "fail.json"]).is(
            2,
            "ERROR  broken.json  could not be judged\n1 input: 0 passed, 1 could not be judged\n",
            &broken("broken.json"),
        );
        let stdout = format!("UNDECIDED  hard.json  {UNDECIDED}\n1 input: 0 passed, 1 undecided\n");
        fail_fast(&["-s", "hard-schema.json", "hard.json", "broken.json"]).is(3, &stdout, "");
        fail_fast(&["-s", "schema.json", "pass.json", "pass.json"]).is(
            0,
            "PASS   pass.json\nPASS   pass.json\n2 inputs: 2 passed\n",
            "",
        );
    }
}

#[test]
fn fail_fast_keeps_the_json_array_whole() {
    let run = sandbox()
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--fail-fast",
            "--format",
            "json",
            "pass.json",
            "fail.json",
            "pass.json",
        ])
        .run();
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let responses: Vec<serde_json::Value> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(responses.len(), 2);
}
