//! Colour, and what must never reach a terminal.

use crate::common::Sandbox;
use crate::{failed, sandbox};

const COLOURED: &str = "\u{1b}[31;1mFAIL\u{1b}[0m  fail.json

  \u{1b}[31;1mschema:type\u{1b}[0m at 'total'
    \u{1b}[2mplace   \u{1b}[0m fail.json:2:12
             \u{1b}[2m|\u{1b}[0m \"total\": \"5\"
             \u{1b}[2m|\u{1b}[0m \u{1b}[31;1m         ^^^\u{1b}[0m
    \u{1b}[2mexpected\u{1b}[0m a number
    \u{1b}[2mfound   \u{1b}[0m \"5\" (string)
    \u{1b}[2mfix     \u{1b}[0m Write the number without quotes.
    \u{1b}[2mschema  \u{1b}[0m $.properties.total.type

  9 of 10 checks passed (90.0%): schema 2 of 3, integrity 7 of 7
";

#[test]
fn colour_follows_the_option_then_the_environment() {
    let sandbox = sandbox();
    let plain = failed("fail.json");
    for (option, environment, coloured) in [
        // Standard output is no terminal here.
        ("auto", &[][..], false),
        ("auto", &[("CLICOLOR_FORCE", "1")], true),
        ("auto", &[("CLICOLOR_FORCE", "0")], false),
        ("auto", &[("CLICOLOR_FORCE", "")], false),
        ("auto", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ("auto", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")], true),
        ("always", &[], true),
        ("always", &[("NO_COLOR", "1")], true),
        ("never", &[("CLICOLOR_FORCE", "1")], false),
    ] {
        let args = ["verify", "--color", option, "-s", "schema.json", "fail.json"];
        let mut run = sandbox.aov(&args);
        for (name, value) in environment {
            run = run.env(name, value);
        }
        let stdout = if coloured { COLOURED } else { &plain };
        run.run().is(1, stdout, "");
    }
    // The option is every command's, before it or behind it.
    sandbox
        .aov(&["--color", "always", "verify", "-s", "schema.json", "fail.json"])
        .run()
        .is(1, COLOURED, "");
}

#[test]
fn formats_for_machines_have_no_colour() {
    let sandbox = sandbox();
    for format in ["json", "ndjson"] {
        let run = sandbox
            .aov(&[
                "verify",
                "--color",
                "always",
                "-s",
                "schema.json",
                "--format",
                format,
                "fail.json",
                "broken.json",
            ])
            .run();
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
    }
}

/// Sequences that clear screens, set titles, make links, reorder lines and hide text.
const HOSTILE: &str = "\\u001b[2J\\u001b]0;x\\u0007\\u009b31m\\u007f\\u202e\\u2066\\u200b\\u2028";

fn assert_harmless(text: &str, machine: bool) {
    for c in text.chars() {
        let control = c < ' ' && c != '\n';
        let drives = matches!(c, '\u{7f}'..='\u{9f}' | '\u{200b}'..='\u{200f}')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!control && (machine || !drives), "{c:?} in {text:?}");
    }
}

#[test]
fn escape_sequences_in_data_never_reach_the_output_raw() {
    // In a path brackets have a meaning unless a backslash stands before them.
    let path = HOSTILE.replace('[', "\\\\[").replace(']', "\\\\]");
    let request = format!(
        r#"{{"task_id": "t{HOSTILE}", "agent_id": "a{HOSTILE}",
        "expected_schema": {{"properties": {{
            "s{HOSTILE}": {{"enum": ["e{HOSTILE}"]}},
            "p": {{"pattern": "^{HOSTILE}x", "const": "c{HOSTILE}"}},
            "o": {{"required": ["r{HOSTILE}"], "additionalProperties": false}},
            "one": {{"oneOf": [{{"const": "{HOSTILE}"}}, {{"title": "{HOSTILE}", "type": "null"}}]}}
        }}}},
        "submitted_output": {{"s{HOSTILE}": "v{HOSTILE}", "p": "{HOSTILE}",
            "o": {{"more{HOSTILE}": 1}}, "one": 7, "f{HOSTILE}": "```\n[1]\n```",
            "{HOSTILE}": ["{{{{ {HOSTILE} }}}}", "TODO: {HOSTILE}", 99999999999999999]}},
        "rules": [{{"type": "unique", "field": "u{path}"}},
            {{"type": "exists_in", "field": "p", "values": ["x{HOSTILE}"]}}],
        "bounds": {{"s{path}": {{"min": 1}}, "b{path}": {{"max": 3}}}},
        "enforce_rules": true, "strict_content_check": true}}"#
    )
    .replace("\n[1]\n", "\\n[1]\\n");
    let sandbox = Sandbox::new()
        .with("a.json", &request)
        .with("b.json", request.replace("\"enforce_rules\"", &format!("\"e{HOSTILE}\"")))
        .with("c.json", request.replace("\"min\"", &format!("\"m{HOSTILE}\"")))
        .with("d.json", format!("{{\"{HOSTILE}\": 1, \"{HOSTILE}\": 2}}"))
        .with("e.json", format!("{{\"{HOSTILE}\": nul}}"))
        .with("f.json", "{\"a\": \u{1b}[2J}")
        .with("g.json", "{\"a\": \"\u{1b}[2J\"}")
        .with("h.json", "{\"a\": \u{9b}}");
    let one = sandbox.aov(&["verify", "--request", "a.json"]).run();
    assert_eq!((one.status, one.stderr.as_str()), (1, ""), "{one:?}");
    assert!(one.stdout.contains("\\u001b[2J\\u001b]0;x\\u0007\\u009b31m\\u007f\\u202e"));
    assert_harmless(&one.stdout, false);
    for format in ["human", "json", "ndjson"] {
        let run = sandbox.aov(&["verify", "--requests", "--format", format, "."]).run();
        assert_eq!(run.status, 2);
        assert!(run.stderr.matches("error: ").count() >= 7, "{}", run.stderr);
        assert_harmless(&run.stdout, format != "human");
        assert_harmless(&run.stderr, false);
    }
}
