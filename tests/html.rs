//! The page that `--format html` writes, by the real binary: it is whole in itself, holds all that
//! the human report holds, and stays bounded however long the run.

use agent_output_verifier::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use roxmltree::{Document, Node};
use serde_json::json;

mod common;

use common::{Run, Sandbox, html, vector};

/// All text in a node, without the white space that only separates elements.
fn text(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text).filter_map(|node| node.text());
    texts.collect::<String>().trim().to_owned()
}

fn all<'d>(node: Node<'d, 'd>, tag: &str) -> Vec<Node<'d, 'd>> {
    node.descendants().filter(|node| node.has_tag_name(tag)).collect()
}

fn by_id<'d>(page: &'d Document<'_>, id: &str) -> Node<'d, 'd> {
    let found = page.descendants().find(|node| node.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("nothing is named {id}"))
}

/// The rows of the table: class, result, name and how much passed, as shown.
fn rows<'d>(page: &'d Document<'_>) -> Vec<(&'d str, [String; 3])> {
    let groups = all(by_id(page, "rows"), "tbody").into_iter();
    groups
        .map(|group| {
            let row = group.first_element_child().unwrap();
            let cells: Vec<_> = row.children().filter(Node::is_element).map(text).collect();
            (group.attribute("class").unwrap(), cells.try_into().unwrap())
        })
        .collect()
}

/// What is below a row.
fn below<'d>(page: &'d Document<'_>, place: usize) -> Node<'d, 'd> {
    let group = all(by_id(page, "rows"), "tbody")[place];
    group.last_element_child().unwrap().first_element_child().unwrap()
}

/// The terms of a list with what they are.
fn entries(list: Node<'_, '_>) -> Vec<(String, String)> {
    let of = |tag| all(list, tag).into_iter().map(text).collect::<Vec<_>>();
    of("dt").into_iter().zip(of("dd")).collect()
}

/// The totals, as shown.
fn totals(page: &Document<'_>) -> Vec<String> {
    let list = all(page.root(), "dl")[0];
    entries(list).into_iter().map(|(term, count)| format!("{term} {count}")).collect()
}

/// The lines of the chart, as shown, each with the width of its bar.
fn chart(page: &Document<'_>) -> Vec<(String, String)> {
    let table = page.descendants().find(|node| node.attribute("class") == Some("chart"));
    let Some(table) = table else { return Vec::new() };
    let lines = all(all(table, "tbody")[0], "tr").into_iter();
    lines
        .map(|line| {
            let cells: Vec<_> = line.children().filter(Node::is_element).map(text).collect();
            let bar = all(line, "rect")[0].attribute("width").unwrap();
            (cells.join(" ").trim().to_owned(), bar.to_owned())
        })
        .collect()
}

fn paragraphs(node: Node<'_, '_>) -> Vec<String> {
    all(node, "p").into_iter().map(text).collect()
}

/// A passed, a noted, a failed, an undecided, a broken and a missing input.
fn mixed() -> Sandbox {
    let schema = json!({ "properties": {
        "a": { "pattern": r"^(?!b)(a+)+\1$" }, "total": { "type": "number" },
    }});
    let rules = json!({
        "rules": [{ "type": "sum_equals", "field": "lines[].n", "equals_field": "total" }],
        "enforce_rules": true,
    });
    let hard = format!("{{\"a\": \"{}b\", \"total\": 0, \"lines\": []}}", "a".repeat(40));
    Sandbox::new()
        .with("s.json", schema.to_string())
        .with("r.json", rules.to_string())
        .with("pass.json", "{\"total\": 0, \"lines\": []}")
        .with("note.json", "{\"total\": 5, \"lines\": [{\"n\": 5}], \"x\": \"TBD\"}")
        .with(
            "fail.json",
            "{\n  \"total\": \"5\",\n  \"lines\": [{\"n\": 5}],\n  \"y\": \"N/A\"\n}\n",
        )
        .with("hard.json", hard)
        .with("broken.json", "{\"total\": \n")
}

const MIXED: [&str; 6] =
    ["pass.json", "note.json", "fail.json", "hard.json", "broken.json", "missing.json"];

fn verify(sandbox: &Sandbox, inputs: &[&str]) -> Run {
    let args = ["verify", "-s", "s.json", "-r", "r.json", "--format", "html"];
    sandbox.aov(&[&args[..], inputs].concat()).run()
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let run = verify(&mixed(), &MIXED);
    assert_eq!(run.status, 2);
    assert!(run.stdout.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
    for elsewhere in ["http:", "https:", "src=", "href=", "url(", "@import", "style="] {
        assert!(!run.stdout.contains(elsewhere), "{elsewhere} in {}", run.stdout);
    }
    let page = html(&run.stdout);
    let policy = all(page.root(), "meta")
        .into_iter()
        .find(|meta| meta.attribute("http-equiv") == Some("Content-Security-Policy"))
        .and_then(|meta| meta.attribute("content"))
        .unwrap();
    let own = |tag| {
        let [element] = all(page.root(), tag)[..] else { panic!("not one {tag}") };
        let digest = Digest::of_bytes(element.text().unwrap().as_bytes());
        format!("{tag}-src 'sha256-{}'", STANDARD.encode(digest.as_bytes()))
    };
    let (style, script) = (own("style"), own("script"));
    assert_eq!(
        policy,
        format!("default-src 'none'; {style}; {script}; base-uri 'none'; form-action 'none'")
    );
}

#[test]
fn totals_and_rows_are_in_order_with_the_reasons_of_what_has_no_verdict() {
    let run = verify(&mixed(), &MIXED);
    let page = html(&run.stdout);
    assert_eq!(text(all(page.root(), "title")[0]), "aov verify: incomplete");
    assert_eq!(text(all(page.root(), "h1")[0]), "aov verify: incomplete");
    assert_eq!(
        totals(&page),
        ["inputs 6", "passed 2 (33.3%)", "failed 1", "undecided 1", "could not be judged 2"]
    );
    let shown: Vec<_> = rows(&page)
        .into_iter()
        .map(|(class, [result, name, passed])| format!("{class}: {result} {name} {passed}"))
        .collect();
    assert_eq!(
        shown,
        [
            "pass: PASS pass.json 9 of 9",
            "pass: PASS note.json 8 of 9",
            "fail: FAIL fail.json 6 of 9",
            "undecided: UNDECIDED hard.json –",
            "error: ERROR broken.json –",
            "error: ERROR missing.json –",
        ]
    );
    let checks = "23 of 27 checks passed (85.2%): schema 2 of 3, integrity 21 of 24";
    assert!(paragraphs(page.root()).contains(&checks.to_owned()), "{:?}", paragraphs(page.root()));
    for (place, reason) in [
        (3, "The check could not be decided: matching its regular expressions takes more work"),
        (4, "broken.json:2:1: the text ends inside a value"),
        (5, "cannot read missing.json: there is no such file. Check the name;"),
    ] {
        let reasons = paragraphs(below(&page, place));
        assert!(reasons[0].starts_with(reason), "{reasons:?}");
    }
}

#[test]
fn a_finding_is_shown_in_its_place_and_what_only_informs_says_so() {
    let run = verify(&mixed(), &MIXED);
    let page = html(&run.stdout);
    let cell = below(&page, 2);
    let summary = text(all(cell, "summary")[0]);
    let first = "3 findings: schema:type at total: found \"5\" (string), expected a number";
    assert_eq!(summary, first);
    let findings = all(cell, "li");
    let titles: Vec<_> = findings.iter().map(|finding| text(all(*finding, "h3")[0])).collect();
    assert_eq!(
        titles,
        [
            "schema:type at total",
            "consistency:sum_equals at total",
            "content:placeholder_text at y (informs only)",
        ]
    );
    assert_eq!(text(all(findings[0], "pre")[0]), "\"total\": \"5\",");
    assert_eq!(text(all(findings[0], "mark")[0]), "\"5\"");
    let entries = entries(findings[0]);
    let entries: Vec<_> = entries.iter().map(|(term, what)| (&**term, &**what)).collect();
    assert_eq!(
        entries,
        [
            ("place", "fail.json:2:12\"total\": \"5\","),
            ("expected", "a number"),
            ("found", "\"5\" (string)"),
            ("fix", "Write the number without quotes."),
            ("schema", "$.properties.total.type"),
        ]
    );
    assert_eq!(text(all(findings[2], "mark")[0]), "\"N/A\"");
}

#[test]
fn what_passed_without_a_value_is_noted() {
    let run = verify(&mixed(), &MIXED);
    let page = html(&run.stdout);
    let cell = below(&page, 0);
    assert_eq!(text(all(cell, "summary")[0]), "1 note");
    assert_eq!(
        text(all(cell, "li")[0]),
        "note: consistency:sum_equals at lines[].n: passed without a value to look at: the path \
         leads to 0 values"
    );
}

#[test]
fn the_chart_counts_each_check_the_heaviest_first() {
    let run = verify(&mixed(), &MIXED);
    let expected = [
        ("schema:type failed 1 1", "50.0"),
        ("consistency:sum_equals failed 1 1", "50.0"),
        ("content:placeholder_text informs only 2 2", "100.0"),
    ];
    let page = html(&run.stdout);
    let chart = chart(&page);
    let chart: Vec<_> = chart.iter().map(|(line, bar)| (&**line, &**bar)).collect();
    assert_eq!(chart, expected);
}

#[test]
fn one_input_is_open_and_several_are_closed() {
    let sandbox = mixed();
    let open = |inputs: &[&str]| {
        let run = verify(&sandbox, inputs);
        let page = html(&run.stdout);
        let details = all(page.root(), "details");
        assert!(!details.is_empty());
        details.iter().map(|node| node.attribute("open").is_some()).collect::<Vec<_>>()
    };
    assert_eq!(open(&["fail.json"]), [true]);
    assert_eq!(open(&["fail.json", "pass.json"]), [false, false]);
    let run = verify(&sandbox, &["pass.json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let page = html(&run.stdout);
    assert_eq!(chart(&page), []);
    assert_eq!(totals(&page)[1], "passed 1 (100.0%)");
}

#[test]
fn a_request_bears_its_task_and_the_label_of_its_agent() {
    let request = json!({
        "task_id": "t-1", "agent_id": "bot <1>", "expected_schema": true, "submitted_output": {},
    });
    let sandbox = Sandbox::new().with("q.json", request.to_string());
    let run = sandbox.aov(&["verify", "--format", "html", "--request", "q.json"]).run();
    let page = html(&run.stdout);
    assert_eq!(
        rows(&page)[0].1[1],
        "q.json task t-1 agent bot <1> (the caller's label, not an identity)"
    );
}

#[test]
fn findings_and_rows_are_bounded_and_counted() {
    // A hundred findings in each of 150 lines; then more lines that pass than a page lists; then
    // one more that fails.
    let line = json!({ "a": vec!["x"; 120] }).to_string() + "\n";
    let passing = "{}\n".repeat(10_020);
    let schema = json!({ "properties": { "a": { "items": { "type": "number" } } } });
    let sandbox = Sandbox::new()
        .with("s.json", schema.to_string())
        .with("l.ndjson", line.repeat(150) + &passing + "{\"a\": [\"last\"]}\n");
    let args = ["verify", "-s", "s.json", "--format", "html", "-o", "page.html"];
    let run = sandbox.aov(&[&args[..], &["--lines", "l.ndjson"]].concat()).run();
    run.is(1, "", "");
    assert_eq!(sandbox.names(), ["l.ndjson", "page.html", "s.json"]);
    let page = sandbox.read("page.html");
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    let page = html(&page);
    assert_eq!(totals(&page)[..3], ["inputs 10171", "passed 10020 (98.5%)", "failed 151"]);
    assert_eq!(all(page.root(), "mark").len(), 10_000);
    let notes = paragraphs(page.root());
    // 50 lines in which nothing is shown, 20 findings in each of the others, and the last line.
    for note in [
        format!("{} more findings are left out.", 50 * 120 + 100 * 20 + 1),
        "20 more inputs are counted, but not listed here.".to_owned(),
        format!(
            "{} more findings are not in this table: of each input, only the first 100 of a kind \
             name their check.",
            150 * 20
        ),
    ] {
        assert!(notes.contains(&note), "{note} is not in {:?}", &notes[..8]);
    }
    assert_eq!(chart(&page)[0].0, "schema:type failed 15001 151");
    let rows = rows(&page);
    assert_eq!(rows.len(), 151 + 10_000);
    assert_eq!(rows[0].1[1], "l.ndjson:1");
    assert_eq!(rows[150].1[0], "PASS");
    let (class, [_, name, _]) = rows.last().unwrap();
    assert_eq!((*class, name.as_str()), ("fail", "l.ndjson:10171"));
    // What is left out are findings, never that the input failed, nor why at first.
    let last = text(below(&page, rows.len() - 1));
    let why = "1 finding: schema:type at a[0]: found \"last\" (string), expected a number";
    assert_eq!(last, why);
    assert!(text(below(&page, 99)).ends_with("and 20 more"));
}

#[test]
fn receipts_have_their_steps() {
    let receipt = vector("receipts/invoice-7731-final.receipt.json");
    let forged = receipt.replace("invoice-7731-final", "invoice-7731-<b>");
    assert_ne!(receipt, forged);
    let sandbox = Sandbox::new()
        .with("card.json", vector("receipts/agent-card.json"))
        .with("good.json", &receipt)
        .with("forged.json", forged)
        .with("broken.json", "]");
    let names = ["good.json", "forged.json", "broken.json", "missing.json"];
    let run = |args: &[&str]| {
        let command = ["check-receipt", "--format", "html", "--agent-card", "card.json"];
        sandbox.aov(&[&command[..], args].concat()).run()
    };
    let checked = run(&names);
    assert_eq!(checked.status, 2);
    let page = html(&checked.stdout);
    assert_eq!(
        totals(&page),
        ["inputs 4", "valid 1 (25.0%)", "invalid 1", "undecided 0", "could not be judged 2"]
    );
    let results: Vec<_> = rows(&page).into_iter().map(|(_, [result, ..])| result).collect();
    assert_eq!(results, ["VALID", "INVALID", "ERROR", "ERROR"]);

    let headings = |place| all(below(&page, place), "h3").into_iter().map(text).collect::<Vec<_>>();
    assert_eq!(headings(0), ["What was proved", "Passed", "Not checked"]);
    assert_eq!(headings(1), ["What it claims (disproved)", "Failed", "Passed", "Not checked"]);
    let lists = all(below(&page, 0), "dl");
    let has = |list, term: &str, start: &str| {
        let entries = entries(list);
        let found = entries.iter().find(|(name, _)| name == term);
        assert!(found.is_some_and(|(_, what)| what.starts_with(start)), "{term}: {entries:?}");
    };
    has(lists[0], "task", "invoice-7731-final");
    has(lists[0], "agent", "test-seller-invoice-agent (the caller's label");
    has(lists[1], "signature", "Ed25519");
    has(lists[2], "output_hash", "not given; --request or --output gives it");
    let lists = all(below(&page, 1), "dl");
    has(lists[0], "task", "invoice-7731-<b>");
    has(lists[1], "signature", "it is not this key's signature");
    let summary = text(all(below(&page, 1), "summary")[0]);
    assert!(summary.starts_with("signature: it is not"), "{summary}");
    assert!(chart(&page)[0].0.starts_with("signature failed 1 1"), "{:?}", chart(&page));

    // One that lacks something that was asked for is undecided.
    let undecided = run(&["--require", "all", "good.json"]);
    assert_eq!(undecided.status, 3);
    let page = html(&undecided.stdout);
    assert_eq!(text(all(page.root(), "h1")[0]), "aov check-receipt: undecided");
    assert_eq!(rows(&page)[0].0, "undecided");
    assert_eq!(text(all(below(&page, 0), "h3")[0]), "What it claims (not proved)");
    assert!(all(page.root(), "details")[0].attribute("open").is_some());
}
