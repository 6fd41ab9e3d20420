//! `-o`: a file that is written whole or not at all.

use crate::{broken, failed, passed, sandbox};

#[test]
fn the_report_goes_to_the_file_in_place_of_standard_output() {
    let sandbox = sandbox().with("report.txt", "old");
    sandbox
        .aov(&["verify", "-s", "schema.json", "-o", "report.txt", "fail.json"])
        .run()
        .is(1, "", "");
    assert_eq!(sandbox.read("report.txt"), failed("fail.json"));
    sandbox
        .aov(&["verify", "-s", "schema.json", "--report", "new.txt", "pass.json"])
        .run()
        .is(0, "", "");
    assert_eq!(sandbox.read("new.txt"), passed("pass.json"));
}

#[test]
fn what_cannot_be_judged_is_in_the_file_too() {
    let sandbox = sandbox();
    sandbox
        .aov(&[
            "verify",
            "-s",
            "schema.json",
            "--format",
            "ndjson",
            "-o",
            "r.ndjson",
            "broken.json",
            "pass.json",
        ])
        .run()
        .is(2, "", &broken("broken.json"));
    let report = sandbox.read("r.ndjson");
    let lines: Vec<serde_json::Value> =
        report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["error"]["code"], "invalid_json");
    assert_eq!(lines[1]["result"], "pass");
}

#[test]
fn a_run_that_ends_with_a_usage_error_leaves_the_file_alone() {
    let sandbox = sandbox().with("report.txt", "old").with("blank.ndjson", "\n\n");
    let before = sandbox.names();
    for args in [
        &["verify", "-o", "report.txt", "pass.json"][..],
        &["verify", "-s", "missing.json", "-o", "report.txt", "pass.json"],
        &["verify", "-s", "broken.json", "-o", "report.txt", "pass.json"],
        &["verify", "-s", "schema.json", "-o", "report.txt", "--nope", "pass.json"],
        &["verify", "-s", "schema.json", "-o", "report.txt", "--task-id", "", "pass.json"],
    ] {
        let run = sandbox.aov(args).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{run:?}");
        assert_eq!(sandbox.read("report.txt"), "old", "{args:?}");
        assert_eq!(sandbox.names(), before, "{args:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_any_work() {
    let sandbox = sandbox().with_folder("folder");
    let before = sandbox.names();
    for target in ["no/report.txt", "folder"] {
        let run = sandbox.aov(&["verify", "-s", "schema.json", "-o", target, "broken.json"]).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
        let start = format!("error: cannot write {target}: ");
        assert!(run.stderr.starts_with(&start), "{run:?}");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run:?}");
        assert_eq!(sandbox.names(), before);
    }
}

#[cfg(unix)]
#[test]
fn the_file_has_the_mode_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox().with("ordinary", "");
    sandbox
        .aov(&["verify", "-s", "schema.json", "-o", "report.txt", "pass.json"])
        .run()
        .is(0, "", "");
    let mode = |name: &str| sandbox.path(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("report.txt"), mode("ordinary"));
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    let sandbox = sandbox();
    sandbox
        .aov(&["verify", "-s", "schema.json", "-o", "/dev/null", "pass.json"])
        .run()
        .is(0, "", "");
    sandbox.aov(&["verify", "-s", "schema.json", "-o", "/dev/stderr", "fail.json"]).run().is(
        1,
        "",
        &failed("fail.json"),
    );
}

#[test]
fn a_report_in_a_file_has_no_colour_unless_it_is_asked_for() {
    let sandbox = sandbox();
    sandbox
        .aov(&["verify", "-s", "schema.json", "-o", "report.txt", "pass.json"])
        .run()
        .is(0, "", "");
    assert!(!sandbox.read("report.txt").contains('\u{1b}'));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox().with("report.txt", "old");
    let mode = |name: &str| sandbox.path(name).metadata().unwrap().permissions().mode() & 0o777;
    for private in [0o600, 0o640, 0o666] {
        sandbox.set_mode("report.txt", private);
        sandbox
            .aov(&["verify", "-s", "schema.json", "-o", "report.txt", "pass.json"])
            .run()
            .is(0, "", "");
        assert_eq!(sandbox.read("report.txt"), passed("pass.json"));
        assert_eq!(mode("report.txt"), private);
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_and_nothing_is_written_where_it_leads() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox().with("ordinary", "").with_private("elsewhere/private", "mine");
    for target in ["elsewhere/private", "elsewhere/missing"] {
        let _ = std::fs::remove_file(sandbox.path("report.txt"));
        std::os::unix::fs::symlink(target, sandbox.path("report.txt")).unwrap();
        sandbox
            .aov(&["verify", "-s", "schema.json", "-o", "report.txt", "pass.json"])
            .run()
            .is(0, "", "");
        let found = sandbox.path("report.txt").symlink_metadata().unwrap();
        assert!(found.is_file(), "{target}: the link is still there");
        // What it led to has no say in who may read the report.
        let ordinary = sandbox.path("ordinary").metadata().unwrap().permissions().mode();
        assert_eq!(found.permissions().mode(), ordinary);
        assert_eq!(sandbox.read("report.txt"), passed("pass.json"));
        assert_eq!(sandbox.read("elsewhere/private"), "mine");
        assert!(!sandbox.path("elsewhere/missing").exists());
    }
}
