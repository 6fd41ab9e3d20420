//! The pages in a real browser. Where there is none, nothing here is tested; `.ci/run` says so.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::common::Sandbox;
use crate::facilitator::Facilitator;
use crate::payments::charging;
use crate::server::{PATIENCE, Server};

/// A server and a browser at its page, where there is a browser.
fn at_page(args: &[&str], path: &str) -> Option<(Server, Browser)> {
    let mut browser = Browser::start()?;
    let server = Server::start(args);
    browser.open(&format!("http://{}{path}", server.address));
    Some((server, browser))
}

/// Runs the command line that a page shows as a shell does, in a folder with its files.
fn shell(line: &str, folder: &Sandbox) -> Output {
    assert!(line.starts_with("aov "), "{line}");
    let program = Path::new(env!("CARGO_BIN_EXE_aov"));
    let line = format!("PATH=\"$0:$PATH\"; {line}");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).arg(program.parent().unwrap());
    command.current_dir(folder.path(".")).output().unwrap()
}

fn run(line: &str, folder: &Sandbox) -> i32 {
    shell(line, folder).status.code().unwrap()
}

/// Drops a file onto the field for the output.
fn drop_file(browser: &mut Browser, name: &str, bytes: &[u8]) {
    browser.evaluate(&format!(
        "(() => {{ const data = new DataTransfer(); \
         data.items.add(new File([new Uint8Array({bytes:?})], {})); \
         document.querySelector('#answer').dispatchEvent(new DragEvent('drop', \
         {{dataTransfer: data, bubbles: true, cancelable: true}})); }})()",
        json!(name)
    ));
}

#[test]
fn an_output_is_checked_and_its_findings_are_at_their_lines() {
    let Some((server, mut browser)) = at_page(&["--free-per-day", "7"], "/") else { return };
    browser.wait_for("document.querySelector('#allowance').textContent.includes('7 checks')");
    browser.look("empty");
    browser.click("[data-example=fail]");
    let result = browser.check("#output");
    for part in [
        "Fail\n",
        "What made it fail: schema:pattern, consistency:sum_equals.",
        "Findings (2)",
        "Output, line 2, column 17",
        "\"invoice_id\": \"7731\",",
        // The values that were summed
        "Output, line 4, column 39",
        "Output, line 5, column 39",
        "a sum equal to total (135.0)",
        "Free checks left today: 6.",
    ] {
        assert!(result.contains(part), "{part}: {result}");
    }
    assert_eq!(browser.text("#output .result mark"), "\"7731\"");
    browser.look("fail");
    // The way to the place marks the value there.
    browser.click("#output .place");
    let marked = "getSelection().toString() || (({value, selectionStart, selectionEnd}) => \
                  value.slice(selectionStart, selectionEnd))(document.activeElement)";
    assert_eq!(browser.evaluate(marked), "\"7731\"");
    assert_eq!(browser.evaluate("document.activeElement.id"), "answer");

    // The command does the same.
    let mut folder = Sandbox::new();
    for (field, file) in
        [("schema", "schema.json"), ("rules", "rules.json"), ("answer", "output.json")]
    {
        let text = browser.evaluate(&format!("document.getElementById('{field}').value"));
        folder = folder.with(file, text.as_str().unwrap());
    }
    let line = browser.text("#output .command");
    assert_eq!(line, "aov verify -s schema.json -r rules.json --task-id check-1 output.json");
    assert_eq!(run(&line, &folder), 1);
    // So does one with rules that only inform.
    browser.click("#enforce");
    assert!(browser.check("#output").contains("informs only"));
    assert!(browser.text("#output .command").contains(" --no-enforce-rules "));

    browser.click("#enforce");
    browser.click("[data-example=pass]");
    let result = browser.check("#output");
    assert!(result.starts_with("Pass\n"), "{result}");
    browser.look("pass");
    browser.assert_clean(&server);
}

#[test]
fn texts_are_sent_as_they_stand_in_the_page() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    // Every digit counts, and no order is changed.
    let output = "{\"b\": 12345678901234567890123, \"a\": 1.10, \"c\": -0,\n\n \"d\": \"\\u00e9\"}";
    browser.fill_in("#answer", output);
    browser.fill_in("#rules", "{\"bounds\": {\"a\": {\"max\": 1}}, \"enforce_rules\": false}");
    let result = browser.check("#output");
    assert!(
        result.starts_with("Pass\n") && result.contains("bounds:range informs only"),
        "{result}"
    );
    let folder = Sandbox::new().with("output.json", output);
    let hash = folder.aov(&["hash", "output.json"]).run().stdout;
    let hash = hash.split(' ').next().unwrap();
    let shown = "document.querySelector('#output .result details pre').textContent";
    assert!(browser.evaluate(shown).as_str().unwrap().contains(hash));

    // A whole request goes byte for byte; what the server says of it is at its lines.
    browser.click("[value=whole]");
    let request = "{\"task_id\": \"t\", \"expected_schema\": {\"items\": {\"minimum\": 5}},\n\
                   \"submitted_output\": [\n  7,\n  3],\n \"rules\": [{\"type\": \"uniqe\", \"field\": \"[]\"}]}";
    browser.fill_in("#request", request);
    let result = browser.check("#output");
    assert!(
        result.contains("rules[0].type") && result.contains("Request, line 5, column 21"),
        "{result}"
    );
    browser.fill_in("#request", &request.replace("uniqe", "unique"));
    let result = browser.check("#output");
    assert!(result.contains("Request, line 4, column 3"), "{result}");
    let line = browser.text("#output .command");
    assert_eq!(line, "aov verify --request request.json");
    let folder = Sandbox::new().with("request.json", request.replace("uniqe", "unique"));
    assert_eq!(run(&line, &folder), 1);
    browser.assert_clean(&server);
}

#[test]
fn what_is_wrong_with_a_text_is_told_at_its_place() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    let wrong = |browser: &mut Browser, text: &str| {
        browser.fill_in("#answer", text);
        browser.click("#output [type=submit]");
        browser.wait_for("document.querySelector('#answer').getAttribute('aria-invalid')");
        assert_eq!(browser.evaluate("document.activeElement.id"), "answer");
        browser.text("#answer-wrong")
    };
    // What was found before is not about what stands there now.
    browser.click("[data-example=pass]");
    browser.check("#output");
    let shown = "!document.querySelector('#output .result').hidden";
    wrong(&mut browser, "[");
    assert_eq!(browser.evaluate(shown), false);
    browser.fill_in("#rules", "");
    for (text, place) in [
        ("", "Line 1, column 1: There is no JSON here."),
        ("{\"a\": 1,\n \"é\" 2}", "Line 2, column 6: Expected a colon here."),
        ("{\"a\": 1,\n \"\\u0061\": 2}", "Line 2, column 2: This name stands twice in one object."),
        ("[1, 2,]", "Line 1, column 7: Expected a JSON value here."),
        ("[1] 2", "Line 1, column 5: Something follows the value. Keep one value."),
        (
            "[\"a",
            "Line 1, column 2: This string is not closed, or holds what a string cannot hold.",
        ),
        ("{\"a\": NaN}", "Line 1, column 7: Expected a JSON value here."),
        ("\"a\", \"rules\": []", "Line 1, column 4: Something follows the value. Keep one value."),
    ] {
        assert_eq!(wrong(&mut browser, text), place);
    }
    assert!(wrong(&mut browser, &"[".repeat(200)).contains("deeper than 128 levels"));
    // What only the server's reader finds is told at the line of its own field.
    browser.fill_in("#schema", "{\"type\": \"object\"}");
    browser.fill_in("#answer", "{\"a\": 1,\n\"b\": \"\\ud800\"}");
    let result = browser.check("#output");
    assert!(result.contains("in “Output” at line 2, column 7"), "{result}");
    // Fields too, whichever text they come from.
    browser.fill_in("#answer", "{}");
    browser.fill_in("#schema", "{\"type\": \"nonsense\"}");
    browser.fill_in("#rules", "[{\"type\": \"unique\",\n \"field\": \"a..b\"}]");
    let result = browser.check("#output");
    assert!(result.contains("JSON Schema, line 1, column 10"), "{result}");
    assert!(result.contains("Rules, line 2, column 11"), "{result}");
    browser.look("refused");
    browser.assert_clean(&server);
}

#[test]
fn paths_lead_to_their_places() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    let text = r#"{"a": [{"b": 1}, {"b": 2}, {}], "c.d": {"[x]": 3}, "": 4, "e": [], "$": 5, "\u0066": {"": 6}}"#;
    for (path, found) in [
        ("$", json!(["{"])),
        ("$.a[1].b", json!(["2"])),
        ("$.a[].b", json!(["1", "2", "missing {}"])),
        ("$.a[7]", json!(["missing ["])),
        (r"$.c\.d.\[x\]", json!(["3"])),
        ("$.\"\"", json!(["4"])),
        ("$.e[].x", json!(["missing []"])),
        (r"$.\$", json!(["5"])),
        ("$.f.\"\"", json!(["6"])),
        ("a[0].b", json!(["1"])),
        ("$.a.b.c", json!(["missing ["])),
    ] {
        let found_here = browser.evaluate(&format!(
            "import('/page/positions.js').then(({{ follow, read }}) => \
             follow(read({0}), {1}).map(({{ node, missing }}) => {{ \
             const source = {0}.slice(node.start, node.end); \
             return (missing ? 'missing ' : '') + (source.length > 3 ? source[0] : source); }}))",
            json!(text),
            json!(path)
        ));
        assert_eq!(found_here, found, "{path}");
    }
    let rooted = browser.evaluate(
        "import('/page/positions.js').then(({ follow, read, position }) => { \
         const text = '[[1],\\n [\"\u{1f600}\", 22]]'; \
         const [{ node }] = follow(read(text), '$.[1][1]'); \
         return position(text, node.start); })",
    );
    assert_eq!(rooted, json!({"line": 2, "column": 8}));
    // A long text needs no more room than a short one.
    let long = "import('/page/positions.js').then(({ read }) => \
                read('[\"' + 'x\\\\n'.repeat(3e6) + '\"' + ',1'.repeat(3e5) + ']').items.length)";
    assert_eq!(browser.evaluate(long), 300_001);
    browser.assert_clean(&server);
}

#[test]
fn a_check_that_has_its_price_says_so() {
    let facilitator = Facilitator::start();
    let url = facilitator.url();
    let args = charging(&url, &["--free-per-day", "0"]);
    let Some((server, mut browser)) = at_page(&args, "/") else { return };
    browser.wait_for("document.querySelector('#allowance').textContent.includes('$0.02')");
    browser.click("[data-example=pass]");
    let result = browser.check("#output");
    assert!(result.starts_with("Not checked\n") && result.contains("free checks"), "{result}");
    assert!(result.contains("Payment-Signature"), "{result}");
    browser.assert_clean(&server);
}

#[test]
fn text_from_strangers_stays_text() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    let hostile = "<img src=/x onerror=alert(1)>\\u202e<script>document.title='x'</script>";
    browser.fill_in("#schema", "{\"additionalProperties\": {\"type\": \"number\"}}");
    browser.fill_in(
        "#answer",
        &format!("{{\"{hostile}\": \"{hostile}\"}}").replace("\\u202e", "\u{202e}"),
    );
    browser.fill_in("#task", "<b>it's</b>");
    let result = browser.check("#output");
    assert!(result.contains("<img src=/x onerror=alert(1)>\\u202e<script>"), "{result}");
    assert!(!result.contains('\u{202e}'), "{result}");
    assert!(result.contains(r"--task-id '<b>it'\''s</b>' output.json"), "{result}");
    assert_eq!(
        browser
            .evaluate("document.querySelectorAll('.result img, .result script, .result b').length"),
        0
    );

    // In receipts, requests that are refused, and the names of files.
    let example = |name: &str| std::fs::read_to_string(format!("examples/receipt/{name}")).unwrap();
    let paper = example("invoice-7731-draft.receipt.json");
    let mut paper: Value = serde_json::from_str(&paper).unwrap();
    let hostile = "<img src=/x onerror=alert(1)>";
    for field in ["task_id", "agent_id", "verification_id"] {
        paper[field] = json!(hostile);
    }
    paper["verify"]["service"] = json!(hostile);
    paper["verify"]["public_key_url"] = json!(format!("https://verify.example/{hostile}"));
    paper["attestation"][hostile] = json!(hostile);
    browser.evaluate("location.hash = '#receipt'");
    browser.fill_in("#paper", &paper.to_string());
    browser.fill_in("#about", "{\"task_id\": \"<b>x</b>\"}");
    let result = browser.check("#receipt");
    assert!(result.contains(hostile) && result.starts_with("Invalid"), "{result}");
    browser.fill_in("#card", &json!({ hostile: hostile }).to_string());
    assert!(browser.check("#receipt").starts_with("Not checked"));
    browser.evaluate("location.hash = '#output'");
    browser.fill_in("#rules", &json!([{"type": hostile, hostile: 1}]).to_string());
    let result = browser.check("#output");
    assert!(result.starts_with("Not checked") && result.contains("rules[0]"), "{result}");
    drop_file(&mut browser, hostile, b"{}");
    browser.wait_for("document.querySelector('[data-pane=answer] .note').textContent");
    let made = "document.querySelectorAll('main img, main script, main b').length";
    assert_eq!(browser.evaluate(made), 0);
    browser.assert_clean(&server);
}

#[test]
fn a_receipt_is_checked_step_by_step() {
    let Some((server, mut browser)) = at_page(&[], "/#receipt") else { return };
    browser.click("[data-example=receipt]");
    browser.wait_for("document.querySelector('#card').value");
    browser.look("receipt");
    browser.click("#recheck");
    let result = browser.check("#receipt");
    for part in [
        "Valid (result: pass)\n",
        "What was proved",
        "Passed signature",
        "Passed request hash",
        "Passed recheck",
        "the user gave the agent-card",
        "test-example (the caller's label, not an identity)",
    ] {
        assert!(result.contains(part), "{part}: {result}");
    }
    browser.look("valid");
    let mut folder = Sandbox::new();
    for (field, file) in
        [("paper", "receipt.json"), ("about", "request.json"), ("card", "agent-card.json")]
    {
        let text = browser.evaluate(&format!("document.getElementById('{field}').value"));
        folder = folder.with(file, text.as_str().unwrap());
    }
    let line = browser.text("#receipt .command");
    let options = "--request request.json --agent-card agent-card.json --recheck";
    assert_eq!(line, format!("aov check-receipt {options} receipt.json"));
    assert_eq!(run(&line, &folder), 0);

    let paper = browser.evaluate("document.querySelector('#paper').value");
    let forged =
        paper.as_str().unwrap().replace("\"agent_id\":\"test-example\"", "\"agent_id\":\"me\"");
    browser.fill_in("#paper", &forged);
    let result = browser.check("#receipt");
    assert!(result.starts_with("Invalid\n") && result.contains("Failed signature"), "{result}");
    assert!(result.contains("What it claims (disproved)"), "{result}");
    browser.look("invalid");

    // Without a reason to accept its issuer, nothing is proved; what is missing is named.
    browser.fill_in("#paper", paper.as_str().unwrap());
    browser.fill_in("#card", "");
    browser.fill_in("#issuers", "verify.example");
    assert!(browser.check("#receipt").starts_with("Invalid\n"));
    browser.fill_in("#card", "{}");
    let result = browser.check("#receipt");
    assert!(
        result.contains("agent_card") && result.contains("Agent-card of the issuer, line 1"),
        "{result}"
    );

    // A receipt of the hosted service is known without a card.
    browser.fill_in("#issuers", "");
    browser.fill_in("#card", "");
    browser.click("#recheck");
    let example = |name: &str| std::fs::read_to_string(format!("examples/receipt/{name}")).unwrap();
    browser.fill_in("#paper", &example("invoice-7731-draft.receipt.json"));
    browser.fill_in("#about", &example("invoice-7731-draft.request.json"));
    let result = browser.check("#receipt");
    assert!(result.starts_with("Valid (result: fail)\n"), "{result}");
    assert!(result.contains("says that the output failed its checks"), "{result}");
    browser.assert_clean(&server);
}

#[test]
fn a_check_leads_on_to_its_receipt() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    let folder = Sandbox::new();
    let downloads = json!({"behavior": "allow", "downloadPath": folder.path(".")});
    browser.call("Page.setDownloadBehavior", downloads);
    browser.click("[data-example=pass]");
    browser.check("#output");
    // What it saves are files for the command line: the receipt, and what it is about.
    let press = |browser: &mut Browser, name: &str| {
        browser.evaluate(&format!(
            "Array.from(document.querySelectorAll('#output .result button'))\
             .find((button) => button.textContent === {name:?}).click()"
        ));
    };
    let card = server.get("/.well-known/agent-card.json");
    std::fs::write(folder.path("card.json"), card.text()).unwrap();
    for (name, file) in [("Save the receipt", "receipt.json"), ("Save the request", "request.json")]
    {
        press(&mut browser, name);
        let started = Instant::now();
        while !folder.path(file).exists() {
            assert!(started.elapsed() < PATIENCE, "{file}");
            browser.evaluate("new Promise((done) => setTimeout(done, 20))");
        }
    }
    let line =
        "aov check-receipt --agent-card card.json --request request.json --recheck receipt.json";
    assert_eq!(run(line, &folder), 0);
    assert_eq!(run("aov verify --request request.json", &folder), 0);
    // That the command was copied, or what to do instead, can be seen.
    press(&mut browser, "Copy");
    browser.wait_for("document.querySelector('#output .command + .actions .note').textContent");
    let told = browser.text("#output .command + .actions .note");
    let selected = browser.evaluate("getSelection().toString().trim()");
    let line = browser.text("#output .command");
    assert!(told == "Copied." || selected == line, "{told}: {selected}");
    press(&mut browser, "Check this receipt");
    browser.wait_for("!document.querySelector('#receipt').hidden");
    browser.wait_for("document.activeElement.id === 'receipt-title'");
    assert!(browser.check("#receipt").starts_with("Valid (result: pass)\n"));
    assert_eq!(browser.evaluate("document.querySelector('[aria-current]').hash"), "#receipt");
    browser.assert_clean(&server);
}

#[test]
fn files_are_opened_as_they_are() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    drop_file(&mut browser, "an output.json", "{\"a\": \"é\"}".as_bytes());
    browser.wait_for("document.querySelector('#answer').value");
    assert_eq!(browser.evaluate("document.querySelector('#answer').value"), "{\"a\": \"é\"}");
    browser.check("#output");
    browser.fill_in("#schema", "true");
    browser.check("#output");
    let line = browser.text("#output .command");
    assert_eq!(line, "aov verify -s schema.json --task-id check-1 'an output.json'");
    drop_file(&mut browser, "latin.json", b"{\"a\": \"\xe9\"}");
    browser.wait_for("document.querySelector('#answer').getAttribute('aria-invalid')");
    let told = browser.text("#answer-wrong");
    assert_eq!(told, "latin.json could not be read as text in UTF-8.");
    browser.assert_clean(&server);
}

#[test]
fn commands_do_in_a_shell_what_the_page_did() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    let file = "-it's $HOME `id` \"new\" & 1.json";
    drop_file(&mut browser, file, b"{\"a\": 1}");
    browser.wait_for("document.querySelector('#answer').value");
    browser.fill_in("#schema", "{\"required\": [\"b\"]}");
    let task = "-it's $(id) \\n \"x\" ! *";
    browser.fill_in("#task", task);
    browser.fill_in("#agent", "=test-é");
    let result = browser.check("#output");
    // The text that is in no file has to be put into one.
    assert!(result.contains("files of these names: schema.json. It makes"), "{result}");
    let folder =
        Sandbox::new().with("schema.json", "{\"required\": [\"b\"]}").with(file, "{\"a\": 1}");
    let line = browser.text("#output .command");
    let made = shell(&format!("{line} --format json"), &folder);
    assert_eq!(made.status.code(), Some(1), "{line}: {made:?}");
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!((&made["task_id"], &made["agent_id"]), (&json!(task), &json!("=test-é")));

    // What cannot be seen is written out, so that what is shown is what is copied.
    browser.fill_in("#task", "a\u{202e}'b\\");
    browser.check("#output");
    let line = browser.text("#output .command");
    assert!(line.contains(r"--task-id $'a\u202e\'b\\' "), "{line}");

    // Of receipts too.
    browser.evaluate("location.hash = '#receipt'");
    browser.click("[data-example=receipt]");
    browser.wait_for("document.querySelector('#card').value");
    browser.fill_in("#issuers", "-h.example, verify.example");
    browser.fill_in("#card", "");
    let result = browser.check("#receipt");
    assert!(result.contains("files of these names: receipt.json, request.json."), "{result}");
    let mut folder = Sandbox::new();
    for (field, file) in [("paper", "receipt.json"), ("about", "request.json")] {
        let text = browser.evaluate(&format!("document.getElementById('{field}').value"));
        folder = folder.with(file, text.as_str().unwrap());
    }
    let made = shell(&browser.text("#receipt .command"), &folder);
    assert!(String::from_utf8_lossy(&made.stdout).starts_with("INVALID"), "{made:?}");
    browser.assert_clean(&server);
}

#[test]
fn what_the_server_does_not_take_is_not_sent() {
    let Some((server, mut browser)) = at_page(&["--max-body", "3000"], "/") else { return };
    browser.wait_for("document.querySelector('#version').textContent");
    let long = format!("[\"{}\"]", "é".repeat(1500));
    drop_file(&mut browser, "long.json", long.as_bytes());
    browser.wait_for("document.querySelector('#answer').getAttribute('aria-invalid')");
    let told = browser.text("#answer-wrong");
    assert_eq!(told, "long.json has 3004 bytes; this server takes 3000.");
    browser.fill_in("#answer", &long);
    let result = browser.check("#output");
    assert!(result.starts_with("Not checked\n") && result.contains("takes 3000"), "{result}");
    assert!(browser.text("#told").contains("takes 3000"));
    browser.assert_clean(&server);
}

#[test]
fn a_server_that_is_gone_is_told_as_that() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    browser.wait_for("document.querySelector('#version').textContent");
    browser.click("[data-example=pass]");
    browser.check("#output");
    drop(server);
    let result = browser.check("#output");
    assert!(result.contains("The server cannot be reached"), "{result}");
    // What leads on to the receipt, and what fills in the forms, says so too.
    browser.evaluate("location.hash = '#receipt'");
    browser.wait_for("!document.querySelector('#receipt').hidden");
    for (button, field) in [("#own-card", "card"), ("[data-example=receipt]", "paper")] {
        browser.click(button);
        let told = format!("document.querySelector('#{field}-wrong').innerText");
        browser.wait_for(&told);
        let told = browser.evaluate(&told);
        assert!(told.as_str().unwrap().starts_with("The server cannot be reached"), "{told}");
    }
}

#[test]
fn without_scripts_the_page_says_what_to_do_instead() {
    let Some((server, mut browser)) = at_page(&[], "/health") else { return };
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    for (path, gone) in [("/", "Check an output"), ("/docs", "Checks")] {
        browser.open(&format!("http://{}{path}", server.address));
        let text = browser.text("body");
        assert!(text.contains("This page needs JavaScript."), "{text}");
        assert!(text.contains("llms.txt") && !text.contains(gone), "{text}");
    }
}

#[test]
fn all_that_can_be_used_has_a_name() {
    let Some((server, mut browser)) = at_page(&[], "/") else { return };
    browser.click("[data-example=fail]");
    browser.check("#output");
    for section in ["#output", "#receipt"] {
        browser.evaluate(&format!("location.hash = {section:?}"));
        browser.wait_for(&format!("!document.querySelector({section:?}).hidden"));
        let tree = browser.call("Accessibility.getFullAXTree", json!({}));
        let mut usable = 0;
        for node in tree["nodes"].as_array().unwrap() {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            if ["button", "textbox", "checkbox", "radio", "link", "region"].contains(&role) {
                let name = node["name"]["value"].as_str().unwrap_or_default();
                assert!(!name.is_empty(), "{node}");
                usable += 1;
            }
        }
        assert!(usable > 10, "{usable}");
    }
    // The keyboard gets through the form: from the first field on, each step is somewhere else.
    browser.evaluate("location.hash = '#output'");
    browser.wait_for("document.activeElement.id === 'output-title'");
    let mut seen = Vec::new();
    for _ in 0..12 {
        for kind in ["keyDown", "keyUp"] {
            let key =
                json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
            browser.call("Input.dispatchKeyEvent", key);
        }
        let here = "document.activeElement.id || document.activeElement.textContent";
        seen.push(browser.evaluate(here).as_str().unwrap().to_owned());
    }
    for name in ["schema", "answer", "rules", "enforce", "strict", "task"] {
        assert!(seen.contains(&name.to_owned()), "{name}: {seen:?}");
    }
    browser.assert_clean(&server);
}

#[test]
fn the_interface_can_be_tried_out() {
    let Some((server, mut browser)) = at_page(&[], "/docs") else { return };
    browser.wait_for("document.querySelectorAll('.opblock').length");
    let described = server.get("/openapi.json").json();
    let operations = described["paths"].as_object().unwrap().len();
    assert_eq!(browser.evaluate("document.querySelectorAll('.opblock').length"), operations);
    browser.click("#operations-Checks-verify_schema .opblock-summary-control");
    // The example is filled in after the button is there.
    browser.wait_for("document.querySelector('.execute')");
    browser.wait_for("document.querySelector('.body-param__text')?.value.includes('invoice-1')");
    browser.click(".execute");
    browser.wait_for("document.querySelector('.live-responses-table .response-col_status')");
    let status = browser.text(".live-responses-table tbody .response-col_status");
    assert!(status.contains("200"), "{status}");
    browser.look("docs");
    browser.assert_clean(&server);
}
