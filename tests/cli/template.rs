//! `aov template`.

use crate::common::Sandbox;
use crate::{STDIN_TWICE, broken, broken_line};

const SAMPLE: &str = r#"{"id": 7, "parts": [{"amount": 4.5}, {"amount": 6}], "total": 10.5}"#;

/// The template of `SAMPLE`.
const TEMPLATE: &str = r#"{
  "schema": "verification-template/1",
  "template_id": "vt_3103a86cca315d90",
  "template": {
    "expected_schema": {
      "type": "object",
      "required": [
        "id",
        "parts",
        "total"
      ],
      "properties": {
        "id": {
          "type": "integer"
        },
        "parts": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "amount"
            ],
            "properties": {
              "amount": {
                "type": "number"
              }
            }
          }
        },
        "total": {
          "type": "number"
        }
      }
    },
    "rules": [
      {
        "type": "sum_equals",
        "field": "parts[].amount",
        "equals_field": "total"
      }
    ],
    "bounds": {},
    "enforce_rules": true
  }
}
"#;

const NOTES: &str = "inferred from 1 sample
  rules
    parts[].amount: sum_equals total
One sample shows little: name more, and read the template before use.
";

fn sandbox() -> Sandbox {
    let broken = "{\"total\": \n";
    Sandbox::new().with("a.json", SAMPLE).with("broken.json", broken)
}

#[test]
fn a_template_is_printed_and_what_was_inferred_is_told() {
    let sandbox = sandbox();
    sandbox.aov(&["template", "a.json"]).run().is(0, TEMPLATE, NOTES);
    sandbox.aov(&["template", "-q", "a.json"]).run().succeeds_with(TEMPLATE);
    for args in [&["template"][..], &["template", "-"]] {
        sandbox.aov(args).input(SAMPLE).run().is(0, TEMPLATE, NOTES);
    }
}

#[test]
fn a_template_is_written_and_verify_takes_it() {
    let sandbox = sandbox().with("wrong.json", SAMPLE.replace("10.5", "11"));
    sandbox.aov(&["template", "-q", "a.json", "-o", "t.json"]).run().succeeds_with("");
    assert_eq!(sandbox.read("t.json"), TEMPLATE);
    assert_eq!(sandbox.aov(&["verify", "-q", "-t", "t.json", "a.json"]).run().status, 0);
    let failed = sandbox.aov(&["verify", "-t", "t.json", "wrong.json"]).run();
    assert_eq!(failed.status, 1);
    assert!(failed.stdout.contains("consistency:sum_equals"), "{}", failed.stdout);
}

#[test]
fn samples_come_from_folders_patterns_and_lines() {
    let other = SAMPLE.replace("\"id\": 7, ", "");
    let lines = format!("{SAMPLE}\n\n{other}\n");
    let sandbox = Sandbox::new()
        .with("in/a.json", SAMPLE)
        .with("in/deep/b.json", &other)
        .with("all.ndjson", &lines);
    let run = sandbox.aov(&["template", "in"]).run();
    assert_eq!(run.status, 0);
    let told = "inferred from 2 samples\n  optional members\n    id: in 1 of 2\n  rules\n    \
                parts[].amount: sum_equals total\nRead the template before use.\n";
    assert_eq!(run.stderr, told);
    for args in [
        &["template", "in/deep/*.json", "in/a.json"][..],
        &["template", "--lines", "all.ndjson"],
        &["template", "--lines", "*.ndjson"],
    ] {
        sandbox.aov(args).run().is(0, &run.stdout, told);
    }
    sandbox.aov(&["template", "--lines"]).input(lines).run().is(0, &run.stdout, told);
}

#[test]
fn what_cannot_be_read_does_not_stop_the_others() {
    let missing = "error: cannot read missing.json: there is no such file\n  help: Check the \
                   name; nothing was checked in its place.\n";
    let sandbox = sandbox().with("l.ndjson", format!("{SAMPLE}\n{{\"total\": \n")).with("e", "\n");
    let told = |faults: usize| {
        NOTES.replacen("1 sample", &format!("1 sample; {faults} could not be read"), 1)
    };
    sandbox.aov(&["template", "missing.json", "broken.json", "a.json"]).run().is(
        2,
        TEMPLATE,
        &(missing.to_owned() + &broken("broken.json") + &told(2)),
    );
    let broken_line = broken_line("l.ndjson", 2);
    let nothing = "error: e: no line with a value\n  help: Check the input; a run that checks \
                   nothing is never a success.\n";
    sandbox.aov(&["template", "--lines", "l.ndjson", "e"]).run().is(
        2,
        TEMPLATE,
        &(nothing.to_owned() + &broken_line + &told(2)),
    );
    let none = "error: there is no sample that can be read\n  help: Mend one of them, or name \
                others.\n";
    sandbox.aov(&["template", "broken.json", "-o", "t.json"]).run().is(
        2,
        "",
        &(broken("broken.json") + none),
    );
    assert!(!sandbox.names().contains(&"t.json".to_owned()));
    sandbox.aov(&["template", "-", "-"]).run().is(2, "", STDIN_TWICE);
}

#[test]
fn hostile_names_are_told_escaped() {
    let sample = r#"{"status\u001b[31m": null, "a\u202e": "2024-01-01"}"#;
    let run = Sandbox::new().aov(&["template"]).input(sample).run();
    assert_eq!(run.status, 0);
    assert!(run.stderr.contains("a\\u202e: date"), "{}", run.stderr);
    assert!(run.stderr.contains("status\\u001b\\[31m: always null"), "{}", run.stderr);
}

#[test]
fn many_notes_are_cut_and_counted() {
    let members: Vec<String> = (0..20).map(|n| format!("\"m{n:02}\": null")).collect();
    let run = Sandbox::new().aov(&["template"]).input(format!("{{{}}}", members.join(","))).run();
    assert!(run.stderr.contains("    m11: always null: anything goes\n    and 8 more\n"));
}
