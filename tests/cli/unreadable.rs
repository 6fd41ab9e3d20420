//! Inputs that cannot be read or are no JSON: each is told, none stops the others.

use crate::{SCHEMA, failed_line, passed, sandbox};

/// Judges one bad input between two good ones, in every order, and as schema.
#[track_caller]
fn does_not_stop_the_others(sandbox: &crate::Sandbox, bad: &str, error: &str) {
    let stdout = format!(
        "PASS   pass.json\nERROR  {bad}  could not be judged\n{}3 inputs: 1 passed, 1 failed, 1 \
         could not be judged\n",
        failed_line("fail.json")
    );
    sandbox
        .aov(&["verify", "-s", "schema.json", "pass.json", bad, "fail.json"])
        .run()
        .is(2, &stdout, error);
    sandbox.aov(&["verify", "-s", "schema.json", bad]).run().is(2, "", error);
    sandbox.aov(&["verify", "-s", bad, "pass.json"]).run().is(2, "", error);
    let run = sandbox.aov(&["hash", "pass.json", bad, "fail.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (2, error));
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
}

#[test]
fn a_missing_file() {
    let error = "error: cannot read missing.json: there is no such file\n  help: Check the name; \
                 nothing was checked in its place.\n";
    let sandbox = sandbox();
    does_not_stop_the_others(&sandbox, "missing.json", error);
    sandbox.aov(&["verify", "-s", "schema.json", "--lines", "missing.json", "pass.json"]).run().is(
        2,
        "ERROR  missing.json  could not be judged\nPASS   pass.json:1\n2 inputs: 1 passed, 1 \
             could not be judged\n",
        error,
    );
}

#[test]
fn a_folder_where_a_file_is_wanted() {
    let sandbox = sandbox().with_folder("folder");
    for args in [
        &["verify", "-s", "folder", "pass.json"][..],
        &["verify", "-r", "folder", "pass.json"],
        &["verify", "-t", "folder", "pass.json"],
        &["verify", "--request", "folder"],
        &["hash", "--request", "folder"],
    ] {
        let run = sandbox.aov(args).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        // Other platforms call it a file that may not be read.
        if cfg!(unix) {
            assert_eq!(
                run.stderr,
                "error: cannot read folder: it is a folder\n  help: Name a file, or a folder \
                 where folders are taken.\n",
                "{args:?}"
            );
        }
    }
    let run = sandbox.aov(&["verify", "-s", "schema.json", "--lines", "folder", "pass.json"]).run();
    run.is(
        2,
        "ERROR  folder  could not be judged\nPASS   pass.json:1\n2 inputs: 1 passed, 1 could not \
         be judged\n",
        "error: folder: no *.jsonl or *.ndjson below it; nothing was checked\n  help: Check the \
         name; a run that checks nothing is never a success.\n",
    );
}

#[cfg(unix)]
#[test]
fn a_file_without_read_permission() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox().with("secret.json", "{}");
    let path = sandbox.path("secret.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        println!("skipped: this user may read every file");
        return;
    }
    let error = "error: cannot read secret.json: permission denied\n  help: Check who may access \
                 it.\n";
    does_not_stop_the_others(&sandbox, "secret.json", error);
}

#[cfg(unix)]
#[test]
fn a_fifo_is_an_input_like_any_other() {
    let sandbox = sandbox();
    let path = sandbox.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    for (args, text, stdout) in [
        (&["-s", "schema.json", "fifo"][..], "{\"total\": 5}", passed("fifo")),
        (
            &["-s", "schema.json", "--lines", "fifo"],
            "{\"total\": 5}",
            "PASS   fifo:1\n1 input: 1 passed\n".to_owned(),
        ),
        (&["-s", "fifo", "pass.json"], SCHEMA, passed("pass.json")),
    ] {
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || std::fs::write(path, text).unwrap())
        };
        sandbox.aov(&[&["verify"], args].concat()).run().is(0, &stdout, "");
        writer.join().unwrap();
    }
}

#[test]
fn an_empty_or_blank_file() {
    let sandbox = sandbox().with("empty.json", "").with("blank.json", " \n\t\n ");
    for (name, place) in [("empty.json", "1:1"), ("blank.json", "3:2")] {
        let error = format!(
            "error: {name}:{place}: no JSON value: it is empty or only white space\n  help: Put \
             one JSON value into it.\n"
        );
        does_not_stop_the_others(&sandbox, name, &error);
    }
}

#[test]
fn lines_without_any_value_are_no_success() {
    let sandbox = sandbox().with("empty.ndjson", "").with("blank.ndjson", "\n  \n\r\n");
    for name in ["empty.ndjson", "blank.ndjson"] {
        for format in ["human", "json", "ndjson"] {
            let run = sandbox
                .aov(&["verify", "-s", "schema.json", "--format", format, "--lines", name])
                .run();
            assert_eq!(run.status, 2, "{run:?}");
            assert!(run.stderr.starts_with("error: "), "{run:?}");
            assert!(run.stderr.contains("no line with a value"), "{run:?}");
        }
        let run = sandbox.aov(&["hash", "--lines", name]).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains("no line with a value"), "{run:?}");
    }
}

#[test]
fn a_hundred_thousand_levels_of_nesting() {
    let levels = 100_000;
    let sandbox = sandbox()
        .with("closed.json", "[".repeat(levels) + &"]".repeat(levels))
        .with("open.json", "[".repeat(levels))
        .with("objects.json", "{\"a\":".repeat(levels))
        .with("edge.json", "[".repeat(128) + &"]".repeat(128))
        .with("over.json", "[".repeat(129) + &"]".repeat(129));
    let help = "\n  help: Nest less deeply; 128 levels are read.\n";
    for (name, column, step) in [
        ("closed.json", 129, "[0]"),
        ("open.json", 129, "[0]"),
        ("over.json", 129, "[0]"),
        ("objects.json", 641, ".a"),
    ] {
        let run = sandbox.aov(&["verify", "-s", "schema.json", name]).run();
        let start = format!("error: {name}:1:{column}: nested deeper than 128 levels, in $");
        assert!(run.stderr.starts_with(&start), "{}", run.stderr);
        assert!(run.stderr.contains(step) && run.stderr.ends_with(help), "{}", run.stderr);
        does_not_stop_the_others(&sandbox, name, &run.stderr);
        let run = sandbox.aov(&["verify", "--request", name]).run();
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    }
    let run = sandbox.aov(&["verify", "-s", "schema.json", "edge.json"]).run();
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let run = sandbox.aov(&["hash", "--canonical", "edge.json"]).run();
    run.succeeds_with(&("[".repeat(128) + &"]".repeat(128)));
}

#[test]
fn a_text_that_is_not_utf_8() {
    let utf16 = |to_bytes: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
        let text = if mark { "\u{feff}{\"total\": 5}" } else { "{\"total\": 5}" };
        text.encode_utf16().flat_map(to_bytes).collect()
    };
    let sandbox = sandbox()
        .with("le.json", utf16(u16::to_le_bytes, true))
        .with("be.json", utf16(u16::to_be_bytes, true))
        .with("le-bare.json", utf16(u16::to_le_bytes, false))
        .with("be-bare.json", utf16(u16::to_be_bytes, false))
        .with("latin1.json", b"{\"total\": \"\xe9\"}");
    for (name, encoding) in [
        ("le.json", "UTF-16 (little-endian)"),
        ("be.json", "UTF-16 (big-endian)"),
        ("le-bare.json", "UTF-16 (little-endian)"),
        ("be-bare.json", "UTF-16 (big-endian)"),
    ] {
        let run = sandbox.aov(&["verify", "-s", "schema.json", name]).run();
        let start = format!("error: {name}:1:1: the text is {encoding}, not UTF-8");
        assert!(run.stderr.starts_with(&start), "{}", run.stderr);
        assert!(run.stderr.ends_with("\n  help: Save it as UTF-8.\n"), "{}", run.stderr);
        does_not_stop_the_others(&sandbox, name, &run.stderr);
    }
    let error = "error: latin1.json:1:12: a byte that is not valid UTF-8 (byte offset 11)\n  \
                 help: Save it as UTF-8; nothing was replaced or guessed.\n";
    let run = sandbox.aov(&["verify", "-s", "schema.json", "latin1.json"]).run();
    run.is(2, "", error);
    does_not_stop_the_others(&sandbox, "latin1.json", error);
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let sandbox = sandbox()
        .with("bom.json", "\u{feff}{\n  \"total\": \"5\"\n}\n")
        .with("bom-schema.json", format!("\u{feff}{SCHEMA}"))
        .with("bom.ndjson", "\u{feff}{\"total\": 5}\n{\"total\": 5}\n");
    sandbox.aov(&["verify", "-s", "bom-schema.json", "bom.json"]).run().is(
        1,
        &crate::failed("bom.json"),
        "",
    );
    sandbox.aov(&["verify", "-s", "schema.json", "--lines", "bom.ndjson"]).run().is(
        0,
        "PASS   bom.ndjson:1\nPASS   bom.ndjson:2\n2 inputs: 2 passed\n",
        "",
    );
    let hash = |name: &str| sandbox.aov(&["hash", name]).run().stdout[..64].to_owned();
    assert_eq!(hash("bom.json"), hash("fail.json"));
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
