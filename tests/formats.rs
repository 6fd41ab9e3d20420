//! One hostile report in every format, by the real binary; and what each format makes of inputs
//! that passed, failed, could not be decided and could not be read.

use std::collections::HashSet;
use std::path::Path;

use roxmltree::{Document, Node};
use serde_json::{Value, json};

mod common;

use common::{Run, Sandbox, html, vector};

const FORMATS: [&str; 8] =
    ["human", "json", "ndjson", "junit", "sarif", "github", "markdown", "html"];

/// Text that breaks out of every format that does not escape it.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7} %0A::error file=README.md::forged\r\n\
    ::error::forged\n##[error]forged ]]> <![CDATA[ \
    </failure></script><img src=x onerror=y> & \u{0}\u{8}\u{85} \
    | a | b |\n| --- | --- |\n# heading\n![i](http://evil.example/i.png) [l](http://evil.example) \
    <http://evil.example> https://evil.example www.evil.example m@evil.example ``` `` ` ~~~ \
    \u{202e}rtl\u{2066} \u{200b}\u{feff}\u{fffe}\u{ffff} \\ \" ' {0} **b** @user #1";

/// A name that only a careless format would take apart.
const HOSTILE_NAME: &str = "a,b:c.json";

/// Requests whose every text is hostile, and texts that no verdict comes of.
fn hostile() -> Sandbox {
    let mut task_id = HOSTILE.to_owned();
    task_id.truncate(150);
    let request = json!({
        "task_id": task_id,
        "agent_id": "](x) ::error::",
        "expected_schema": {
            "properties": { HOSTILE: { "const": "ok" }, "s": { "pattern": "^<b>|`$" } },
            "required": ["`|<b>\n::error::"],
        },
        "submitted_output": { HOSTILE: HOSTILE, "s": HOSTILE },
    });
    let sandbox = Sandbox::new()
        .with(HOSTILE_NAME, serde_json::to_string_pretty(&request).unwrap())
        .with("broken.json", format!("{{\"{}", "\u{202e}]]> ::error::"));
    if cfg!(unix) {
        let name = "in/\n::error::x`|<b>##[error]\u{1b}]]>.json";
        sandbox.with(name, request.to_string()).with("in/\n::error::.json", "]")
    } else {
        sandbox.with("in/x.json", request.to_string())
    }
}

fn run_hostile(format: &str) -> Run {
    let args = ["verify", "--requests", "--format", format, HOSTILE_NAME, "broken.json", "in"];
    let run = hostile().aov(&args).run();
    assert_eq!(run.status, 2, "{run:?}");
    run
}

/// A passed, a failed, an undecided, a broken and a missing input.
fn mixed() -> Sandbox {
    let schema = json!({ "properties": {
        "a": { "pattern": r"^(?!b)(a+)+\1$" }, "total": { "type": "number" },
    }});
    Sandbox::new()
        .with("s.json", schema.to_string())
        .with("pass.json", "{\"total\": 5}")
        .with("note.json", "{\"total\": 5, \"x\": \"TBD\"}")
        .with("fail.json", "{\n  \"total\": \"5\"\n}\n")
        .with("hard.json", format!("{{\"a\": \"{}b\"}}", "a".repeat(40)))
        .with("broken.json", "{\"total\": \n")
}

const MIXED: [&str; 6] =
    ["pass.json", "note.json", "fail.json", "hard.json", "broken.json", "missing.json"];

fn run_mixed(format: &str) -> Run {
    let args = [&["verify", "-s", "s.json", "--format", format], &MIXED[..]].concat();
    let run = mixed().aov(&args).run();
    assert_eq!(run.status, 2, "{run:?}");
    run
}

/// Characters that drive a terminal or reorder a line.
fn is_hazardous(c: char) -> bool {
    matches!(c, '\0'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn cases<'d>(document: &'d Document<'_>) -> Vec<Node<'d, 'd>> {
    document.descendants().filter(|node| node.has_tag_name("testcase")).collect()
}

/// The element inside a test case: its name, type, message and text.
fn inside<'d>(case: &Node<'d, 'd>) -> Vec<(&'d str, &'d str, &'d str, &'d str)> {
    let elements = case.children().filter(Node::is_element);
    elements
        .map(|node| {
            let attribute = |name| node.attribute(name).unwrap_or_default();
            (
                node.tag_name().name(),
                attribute("type"),
                attribute("message"),
                node.text().unwrap_or_default(),
            )
        })
        .collect()
}

/// The log, valid by the schema of the standard where that is at hand.
#[track_caller]
fn sarif(run: &Run) -> Value {
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    let Some(folder) = std::env::var_os("AOV_CONFORMANCE_DIR") else {
        println!("not held against the schema: AOV_CONFORMANCE_DIR is not set");
        return log;
    };
    let path = Path::new(&folder).join("sarif/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let options = jsonschema::options().should_validate_formats(true);
    let validator = options.build(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    log
}

/// The commands that the runner takes from a log: it looks at lines without the space before them
/// for the newer form, and anywhere in a line for the older one.
fn commands(log: &str) -> Vec<&str> {
    let lines = log.split(['\n', '\r']);
    lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

/// The commands of standard output, each in the form of an annotation.
#[track_caller]
fn annotations(run: &Run) -> Vec<String> {
    let form = regex::Regex::new(
        r"^::(error|notice) file=[^:,\s]+(,line=\d+(,col=\d+)?)?,title=[^:,\r\n]+::[^\r\n]+$",
    )
    .unwrap();
    let found = commands(&run.stdout);
    for line in &found {
        assert!(form.is_match(line), "{line}");
    }
    assert!(!run.stdout.contains('\r'));
    assert_eq!(commands(&run.stderr), [""; 0]);
    found.into_iter().map(str::to_owned).collect()
}

/// What Markdown is made of, as a reader of GitHub's dialect takes it.
fn markup(text: &str) -> HashSet<String> {
    use pulldown_cmark::{Event, Options, Parser};
    let mut found = HashSet::new();
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(tag) => {
                let tag = format!("{tag:?}");
                let end = tag.find([' ', '(']).unwrap_or(tag.len());
                found.insert(tag[..end].to_owned());
            }
            Event::Html(_) | Event::InlineHtml(_) => drop(found.insert("Html".to_owned())),
            Event::Text(text) => {
                let foreign = ["evil", "forged", "user", "rtl"];
                assert!(!foreign.iter().any(|word| text.contains(word)), "outside of code: {text}");
            }
            _ => {}
        }
    }
    found
}

#[test]
fn hostile_text_never_reaches_a_reader_raw() {
    for format in FORMATS {
        let run = run_hostile(format);
        for text in [&run.stdout, &run.stderr] {
            let found: Vec<char> = text.chars().filter(|c| is_hazardous(*c)).collect();
            // JSON itself escapes what is below U+0020; the rest is data there, which it keeps.
            let kept = |c: &char| matches!(format, "json" | "ndjson") && *c >= '\u{7f}';
            assert!(found.iter().all(kept), "{format}: {found:?} in {text}");
        }
    }
}

#[test]
fn hostile_text_leaves_xml_well_formed() {
    let run = run_hostile("junit");
    let document = Document::parse(&run.stdout).unwrap();
    let names: HashSet<&str> =
        document.descendants().filter(Node::is_element).map(|n| n.tag_name().name()).collect();
    let known = ["testsuites", "testsuite", "testcase", "failure", "error", "system-out"];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    let cases = cases(&document);
    assert_eq!(cases.len(), if cfg!(unix) { 4 } else { 3 });
    assert_eq!(cases[0].attribute("name"), Some(HOSTILE_NAME));
    assert!(inside(&cases[0])[0].3.contains("]]>"));
}

#[test]
fn hostile_text_leaves_sarif_valid() {
    let log = sarif(&run_hostile("sarif"));
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 6);
    for result in results {
        let text = result["message"]["text"].as_str().unwrap();
        assert!(!text.replace("\\](", "").contains("]("), "a link: {text}");
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let safe = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
        assert!(uri.chars().all(safe), "{uri}");
    }
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "a%2Cb%3Ac.json");
    let prints = results.iter().map(|result| result["partialFingerprints"].to_string());
    assert_eq!(prints.collect::<HashSet<_>>().len(), results.len());
}

#[test]
fn hostile_text_starts_no_workflow_command() {
    let run = run_hostile("github");
    let found = annotations(&run);
    let (errors, notices): (Vec<_>, Vec<_>) =
        found.iter().partition(|line| line.starts_with("::error"));
    // Three findings that block in each request, and a line for each text that is no JSON.
    assert_eq!(errors.len(), if cfg!(unix) { 3 + 1 + 3 + 1 } else { 3 + 1 + 3 });
    assert!(!notices.is_empty());
    assert!(found[0].starts_with("::error file=a%2Cb%3Ac.json,line="), "{}", found[0]);
    // The task id is what the runner decodes.
    assert!(found[0].contains("%0A::error::forged%0A"), "{}", found[0]);
    assert!(found[0].contains("%250A::error file=README.md"), "{}", found[0]);
    let summary = run.stdout.lines().last().unwrap();
    assert!(summary.contains(" inputs: 0 passed, 2 failed, "), "{summary}");
}

#[test]
fn hostile_text_is_no_markup() {
    let run = run_hostile("markdown");
    let known = ["Heading", "Table", "TableHead", "TableRow", "TableCell", "List", "Item"];
    let markup = markup(&run.stdout);
    let foreign: Vec<_> =
        markup.iter().filter(|tag| !known.contains(&tag.as_str()) && *tag != "Paragraph").collect();
    assert!(foreign.is_empty(), "{foreign:?} in {}", run.stdout);
    assert!(!run.stdout.contains('<'));
    let rows: Vec<_> = run.stdout.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(run.stdout.matches("\n### ").count(), if cfg!(unix) { 4 } else { 3 });
}

#[test]
fn hostile_text_is_no_element_and_no_attribute() {
    let run = run_hostile("html");
    let clean = run_mixed("html");
    let (page, clean) = (html(&run.stdout), html(&clean.stdout));
    // Whatever a page can hold, one of a run over harmless inputs holds too.
    let names = |page: &Document<'_>| -> HashSet<String> {
        let elements = page.descendants().filter(Node::is_element);
        let names = elements.flat_map(|node| {
            let tag = node.tag_name().name().to_owned();
            let own = node.attributes().map(|a| a.name().to_owned()).collect::<Vec<_>>();
            own.into_iter().chain([tag])
        });
        names.collect()
    };
    // Only here are inputs requests, which bear a task and an agent's label.
    let own = HashSet::from(["small".to_owned()]);
    let foreign = &(&names(&page) - &names(&clean)) - &own;
    assert!(foreign.is_empty(), "{foreign:?}");
    for tag in ["script", "style"] {
        let of = |page: &Document<'_>| -> Vec<String> {
            let nodes = page.descendants().filter(|node| node.has_tag_name(tag));
            nodes.map(|node| node.text().unwrap().to_owned()).collect()
        };
        assert_eq!(of(&page).len(), 1);
        assert_eq!(of(&page), of(&clean));
    }
    let rows: Vec<_> = page
        .descendants()
        .filter(|node| node.has_tag_name("bdi"))
        .filter_map(|n| n.text())
        .collect();
    assert!(rows.contains(&HOSTILE_NAME), "{rows:?}");
    assert!(rows.iter().any(|text| text.contains("<img src=x onerror=y>")), "{rows:?}");
    let values = page.descendants().flat_map(|node| node.attributes()).map(|a| a.value());
    for value in values {
        let forged = ["evil", "forged", "onerror", "rtl"].iter().any(|word| value.contains(word));
        assert!(!forged, "{value}");
    }
}

#[test]
fn junit_has_a_test_case_for_each_input() {
    let run = run_mixed("junit");
    let document = Document::parse(&run.stdout).unwrap();
    for node in [document.root_element(), document.root_element().first_element_child().unwrap()] {
        for (name, value) in
            [("name", "aov verify"), ("tests", "6"), ("failures", "1"), ("errors", "3")]
        {
            assert_eq!(node.attribute(name), Some(value), "{name}");
        }
    }
    let cases = cases(&document);
    let names: Vec<_> = cases.iter().map(|case| case.attribute("name").unwrap()).collect();
    assert_eq!(names, MIXED);
    assert_eq!(inside(&cases[0]), []);
    let note = inside(&cases[1]);
    assert_eq!(note[0].0, "system-out");
    assert!(note[0].3.contains("note.json:1:19: content:placeholder_text"), "{note:?}");
    assert_eq!(
        inside(&cases[2]),
        [(
            "failure",
            "schema:type",
            "schema:type at 'total': found \"5\" (string), expected a number",
            "\nfail.json:2:12: schema:type at 'total': found \"5\" (string), expected a \
             number\n  fix: \
             Write the number without quotes.\n"
        )]
    );
    for (case, code, message) in [
        (3, "check_undecided", "The check could not be decided"),
        (4, "invalid_json", "broken.json:2:1: the text ends inside a value"),
        (5, "unreadable_input", "cannot read missing.json: there is no such file"),
    ] {
        let [(tag, kind, says, text)] = inside(&cases[case])[..] else { panic!("{code}") };
        assert_eq!((tag, kind), ("error", code));
        assert!(says.starts_with(message), "{says}");
        assert!(text.trim().starts_with(says), "{text}");
    }
}

#[test]
fn sarif_has_results_rules_and_notifications() {
    let log = sarif(&run_mixed("sarif"));
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let (note, error) = (&results[0], &results[1]);
    assert_eq!(
        (&note["level"], &note["ruleId"]),
        (&json!("note"), &json!("content:placeholder_text"))
    );
    assert_eq!((&error["level"], &error["ruleId"]), (&json!("error"), &json!("schema:type")));
    assert_eq!(
        error["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": "fail.json" },
            "region": { "startLine": 2, "startColumn": 12 },
        })
    );
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let all = agent_output_verifier::checks::CheckId::ALL;
    assert_eq!(rules.len(), all.len());
    for (rule, check) in rules.iter().zip(all) {
        assert_eq!(rule["id"], check.as_str());
        let help = rule["help"]["text"].as_str().unwrap();
        assert!(help.contains("docs/checks.md#"), "{help}");
    }
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
    let what = notifications.iter().map(|notification| {
        let place = &notification["locations"][0]["physicalLocation"]["artifactLocation"];
        (notification["descriptor"]["id"].as_str().unwrap(), place["uri"].as_str().unwrap())
    });
    assert_eq!(
        what.collect::<Vec<_>>(),
        [
            ("check_undecided", "hard.json"),
            ("invalid_json", "broken.json"),
            ("unreadable_input", "missing.json"),
        ]
    );
    // The same findings have the same fingerprints in every run.
    let again = sarif(&run_mixed("sarif"));
    assert_eq!(again["runs"][0]["results"], run["results"]);
}

#[test]
fn github_annotates_findings_and_errors() {
    let run = run_mixed("github");
    assert_eq!(annotations(&run).len(), 5);
    let stdout = "::notice file=note.json,line=1,col=19,title=content%3Aplaceholder_text at \
                  'x'::found the whole value is the placeholder \"TBD\"";
    assert!(run.stdout.starts_with(stdout), "{}", run.stdout);
    for line in [
        "::error file=fail.json,line=2,col=12,title=schema%3Atype at 'total'::found \"5\" \
         (string), \
         expected a number%0AWrite the number without quotes.\n",
        "::error file=hard.json,title=undecided::The check could not be decided",
        "::error file=broken.json,title=could not be judged::broken.json:2:1: the text ends",
        "::error file=missing.json,title=could not be judged::cannot read missing.json",
        "\n6 inputs: 2 passed, 1 failed, 1 undecided, 2 could not be judged\n",
    ] {
        assert!(run.stdout.contains(line), "{line} in {}", run.stdout);
    }
}

#[test]
fn markdown_has_totals_and_what_did_not_pass() {
    let run = run_mixed("markdown");
    let start = "## aov verify: incomplete

| inputs | passed | failed | undecided | could not be judged |
| ---: | ---: | ---: | ---: | ---: |
| 6 | 2 | 1 | 1 | 2 |

### FAIL `fail.json`

- `schema:type` at `total`, line 2, column 12: `found \"5\" (string), expected a number`
  - Fix: `Write the number without quotes.`

### UNDECIDED `hard.json`

- `The check could not be decided";
    assert!(run.stdout.starts_with(start), "{}", run.stdout);
    let headings: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("### ")).collect();
    let [_, _, broken, missing] = headings[..] else { panic!("{headings:?}") };
    assert_eq!((broken, missing), ("### ERROR `broken.json`", "### ERROR `missing.json`"));
}

#[test]
fn one_input_that_passes() {
    let sandbox = mixed();
    let run = |format: &str| {
        let run = sandbox.aov(&["verify", "-s", "s.json", "--format", format, "pass.json"]).run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        run
    };
    assert_eq!(run("github").stdout, "1 input: 1 passed\n");
    assert!(run("markdown").stdout.starts_with("## aov verify: passed\n"));
    let junit = run("junit").stdout;
    assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"0\""), "{junit}");
    let log = sarif(&run("sarif"));
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn quiet_silences_no_machine_format_and_files_get_the_same_bytes() {
    for format in ["junit", "sarif", "github", "markdown", "html"] {
        let sandbox = mixed();
        let args = ["verify", "-q", "-s", "s.json", "--format", format, "pass.json", "fail.json"];
        let shown = sandbox.aov(&args).run();
        assert_eq!(shown.status, 1);
        let written = sandbox.aov(&[&args[..], &["-o", "report"]].concat()).run();
        written.is(1, "", "");
        assert_eq!(sandbox.read("report"), shown.stdout);
        assert!(shown.stdout.contains("fail.json"), "{format}");
    }
}

#[test]
fn lines_of_many_inputs_are_in_order_and_findings_are_capped() {
    // A hundred findings a line in 150 lines, then one that passes and one that is no JSON.
    let line = json!({ "a": vec!["x"; 100] }).to_string() + "\n";
    let schema = json!({ "properties": { "a": { "items": { "type": "number" } } } });
    let sandbox = Sandbox::new()
        .with("s.json", schema.to_string())
        .with("l.ndjson", line.repeat(150) + "{}\n]\n");
    let run = |format: &str, jobs: &str| {
        let args = ["verify", "-s", "s.json", "--lines", "l.ndjson", "--format", format];
        let run = sandbox.aov(&[&args[..], &["--jobs", jobs]].concat()).run();
        assert_eq!(run.status, 2);
        run
    };
    for format in ["junit", "sarif", "github", "markdown", "html"] {
        assert_eq!(run(format, "1").stdout, run(format, "3").stdout, "{format}");
    }
    let junit = run("junit", "2");
    let document = Document::parse(&junit.stdout).unwrap();
    let cases = cases(&document);
    assert_eq!(cases.len(), 152);
    assert_eq!(cases[149].attribute("name"), Some("l.ndjson:150"));
    // Left out are findings, never that the input failed.
    assert!(inside(&cases[99])[0].3.contains("l.ndjson:100:"));
    assert_eq!(inside(&cases[149])[0].3, "");
    assert!(inside(&cases[149])[0].2.ends_with("(+99 more)"));
    assert_eq!(inside(&cases[150]), []);
    assert_eq!(inside(&cases[151])[0].0, "error");
    assert!(junit.stdout.contains("5001 more findings are left out."));

    let log = sarif(&run("sarif", "2"));
    let log = &log["runs"][0];
    assert_eq!(log["results"].as_array().unwrap().len(), 10_000);
    assert_eq!(log["properties"]["findingsLeftOut"], 5001);
    assert_eq!(log["invocations"][0]["executionSuccessful"], false);
    let region = &log["results"][9_999]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 100);

    // GitHub shows no summary of more than 1 MiB.
    let markdown = run("markdown", "2").stdout;
    assert!(markdown.len() < 1 << 20);
    assert!(markdown.contains("\n| 152 | 1 | 150 | 0 | 1 |\n"));
    assert!(markdown.ends_with(" more findings are left out.\n"));

    let github = run("github", "2");
    assert_eq!(annotations(&github).len(), 15_001);
}

#[test]
fn receipts_in_junit_and_markdown() {
    let receipt = vector("receipts/invoice-7731-final.receipt.json");
    let forged = receipt.replace("invoice-7731-final", "invoice-7731-`|<b>");
    assert_ne!(receipt, forged);
    let sandbox = Sandbox::new()
        .with("card.json", vector("receipts/agent-card.json"))
        .with("good.json", &receipt)
        .with("forged.json", forged)
        .with("broken.json", "]");
    let run = |format: &str, card: &[&str]| {
        let args = ["check-receipt", "--format", format];
        let names = ["good.json", "forged.json", "broken.json", "missing.json"];
        let run = sandbox.aov(&[&args[..], card, &names].concat()).run();
        assert_eq!(run.status, 2, "{run:?}");
        run.stdout
    };
    let card = ["--agent-card", "card.json"];
    let junit = run("junit", &card);
    let document = Document::parse(&junit).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("name"), Some("aov check-receipt"));
    let counts = ["tests", "failures", "errors"].map(|name| root.attribute(name).unwrap());
    assert_eq!(counts, ["4", "1", "2"]);
    let cases = cases(&document);
    assert_eq!(inside(&cases[0]), []);
    let [(tag, kind, _, text)] = inside(&cases[1])[..] else { panic!("{junit}") };
    assert_eq!((tag, kind), ("failure", "signature"));
    assert!(text.contains("signature failed: "), "{text}");
    assert_eq!(inside(&cases[2])[0].1, "invalid_json");
    assert_eq!(inside(&cases[3])[0].1, "unreadable_input");

    let markdown = run("markdown", &card);
    assert!(markdown.contains("| inputs | valid | invalid | undecided | could not be judged |"));
    assert!(markdown.contains("\n| 4 | 1 | 1 | 0 | 2 |\n"), "{markdown}");
    assert!(markdown.contains("\n### INVALID `forged.json`\n\n- `signature` failed: "));
    assert!(!markdown.contains("good.json"));

    // Without an issuer that the user named, nothing is decided.
    let key = ["--require", "all", "--agent-card", "card.json"];
    let junit = run("junit", &key);
    let document = Document::parse(&junit).unwrap();
    let undecided = document.descendants().find(|node| node.has_tag_name("testcase"));
    assert_eq!(inside(&undecided.unwrap())[0].0, "error");
    assert!(run("markdown", &key).contains("\n### UNDECIDED `good.json`\n"));

    for format in ["sarif", "github"] {
        let run = sandbox.aov(&["check-receipt", "--format", format, "good.json"]).run();
        assert_eq!(run.status, 2);
    }
}
