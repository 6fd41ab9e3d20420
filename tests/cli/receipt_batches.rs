//! `aov check-receipt` on many receipts, in every format.

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::signing::{attested, check, receipt, signed_at, signed_with, signer};

const CARD: [&str; 2] = ["--agent-card", "card.json"];

/// A receipt of each kind.
fn kinds() -> Sandbox {
    let sandbox = signer();
    let receipt = receipt(&sandbox);
    let mut forged = receipt.clone();
    forged["agent_id"] = json!("somebody");
    let other_key = signed_with(&receipt, |receipt| {
        receipt["verify"]["key_version"] = json!("k9");
        receipt["attestation"]["key_version"] = json!("k9");
    });
    sandbox
        .with("valid.json", receipt.to_string())
        .with("forged.json", forged.to_string())
        .with("open.json", other_key.to_string())
        .with("future.json", signed_at(&receipt, "2027-01-01T00:00:00Z").to_string())
        .with("cut.json", "{\"total\": \n")
}

const LINES: [(&str, &str); 4] = [
    ("valid.json", "VALID      valid.json  pass pass.json\n"),
    (
        "forged.json",
        "INVALID    forged.json  signature: it is not this key's signature over these values\n",
    ),
    (
        "open.json",
        "UNDECIDED  open.json  key: the agent-card has no key of version \"k9\"; give a current \
         card with --agent-card\n",
    ),
    ("cut.json", "ERROR      cut.json  could not be read\n"),
];

#[test]
fn the_worst_status_counts_in_the_order_2_1_3_0() {
    let sandbox = kinds();
    for (files, status) in [
        (&["valid.json", "valid.json"][..], 0),
        (&["valid.json", "open.json"], 3),
        (&["open.json", "future.json"], 3),
        (&["open.json", "forged.json", "valid.json"], 1),
        (&["cut.json", "forged.json"], 2),
        (&["open.json", "missing.json", "valid.json"], 2),
        (&["valid.json", "forged.json", "open.json", "cut.json"], 2),
    ] {
        for format in ["human", "json", "ndjson"] {
            let run = check(&sandbox, &[&CARD[..], &["--format", format], files].concat());
            assert_eq!(run.status, status, "{files:?} as {format}");
        }
        let run = check(&sandbox, &[&CARD[..], &["-q"], files].concat());
        assert_eq!((run.status, run.stdout.as_str()), (status, ""), "{files:?}, quiet");
    }
}

#[test]
fn many_receipts_get_a_line_each_and_a_summary() {
    let sandbox = kinds();
    let files = LINES.map(|(name, _)| name);
    let summary = "4 inputs: 1 valid, 1 invalid, 1 undecided, 1 could not be judged\n";
    let stdout = LINES.map(|(_, line)| line).concat() + summary;
    for jobs in ["1", "3"] {
        let run = check(&sandbox, &[&CARD[..], &["--jobs", jobs], &files].concat());
        run.is(2, &stdout, &crate::broken("cut.json"));
    }
    check(&sandbox, &[&CARD[..], &["-o", "report.txt"], &files].concat()).is(
        2,
        "",
        &crate::broken("cut.json"),
    );
    assert_eq!(sandbox.read("report.txt"), stdout);
    let stop = check(&sandbox, &[&CARD[..], &["--fail-fast", "--jobs", "1"], &files].concat());
    let stdout = format!("{}{}2 inputs: 1 valid, 1 invalid\n", LINES[0].1, LINES[1].1);
    stop.is(1, &stdout, "");
}

#[test]
fn machines_get_every_receipt_in_its_place() {
    let sandbox = kinds();
    let files = LINES.map(|(name, _)| name);
    let json = check(&sandbox, &[&CARD[..], &["-q", "--format", "json"], &files].concat());
    let ndjson = check(&sandbox, &[&CARD[..], &["--format", "ndjson"], &files].concat());
    let items: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    let lines: Vec<Value> =
        ndjson.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(items, lines);
    let verdicts: Vec<&Value> = items.iter().map(|item| &item["verdict"]).collect();
    assert_eq!(verdicts, [&json!("valid"), &json!("invalid"), &json!("undecided"), &Value::Null]);
    for (item, name) in items.iter().zip(files) {
        assert_eq!(item["input"], name);
    }
    assert_eq!(items[3]["error"]["code"], "invalid_json");
    let claims = ["key_version", "result", "task_id", "verified_at", "verification_id"];
    for claim in claims {
        // Claims are found again below `claimed`; only what was proved stands beside the verdict.
        assert!(items[0][claim].is_string(), "{claim}");
        assert_eq!(items[0]["claimed"][claim], items[0][claim]);
        for item in &items[1..3] {
            assert!(item[claim].is_null() && item["claimed"][claim].is_string(), "{claim}");
        }
    }
    // The card settles the key, not what its signer calls itself.
    assert!(items[0]["issuer"].is_null() && items[0]["claimed"]["issuer"].is_string());
    let one = check(&sandbox, &[&CARD[..], &["--format", "json", "valid.json"]].concat());
    let one: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(one, items[0]);
    for step in one["steps"].as_array().unwrap() {
        let members: Vec<&String> = step.as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 3, "{members:?}");
        assert!(step["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
    }
}

#[test]
fn receipts_come_on_standard_input_and_as_lines() {
    let sandbox = kinds();
    let text = sandbox.read("valid.json");
    let start = ["check-receipt", "--now", crate::signing::LATER, "--agent-card", "card.json"];
    for args in [&[][..], &["-"]] {
        let run = sandbox.aov(&[&start[..], args].concat()).input(&text).run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.starts_with("VALID  stdin  (result: pass)\n"), "{run:?}");
    }
    let lines = format!("{text}\n\n{}\n{{\"a\":\n", sandbox.read("forged.json"));
    let run = sandbox.aov(&[&start[..], &["--lines", "-"]].concat()).input(lines).run();
    let stdout = "VALID      stdin:1  pass pass.json
INVALID    stdin:3  signature: it is not this key's signature over these values
ERROR      stdin:4  could not be read
3 inputs: 1 valid, 1 invalid, 1 could not be judged
";
    assert_eq!((run.status, run.stdout.as_str()), (2, stdout));
    assert!(run.stderr.starts_with("error: stdin:4:6: "), "{run:?}");
    let run = sandbox.aov(&start).input("").run();
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let sandbox = sandbox.with("empty.ndjson", "\n\n").with_folder("empty");
    for args in [&["--lines", "empty.ndjson"][..], &["empty"], &["*.nothing"]] {
        let run = sandbox.aov(&[&start[..], args].concat()).run();
        assert_eq!(run.status, 2, "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{run:?}");
    }
}

#[test]
fn the_one_bad_receipt_of_three_hundred_is_named() {
    let lines: String = (0..300).map(|i| format!("{{\"total\": {i}}}\n")).collect();
    let sandbox = signer().with("l.ndjson", lines).with_folder("receipts");
    let form = ["-s", "schema.json", "--lines", "--format", "ndjson", "l.ndjson"];
    let run = attested(&sandbox, &form);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let mut texts: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
    assert_eq!(texts.len(), 300);
    // Another receipt's signature, as genuine as any.
    let signature = |text: &str| {
        let receipt: Value = serde_json::from_str(text).unwrap();
        receipt["attestation"]["signature"].as_str().unwrap().to_owned()
    };
    texts[217] = texts[217].replace(&signature(&texts[217]), &signature(&texts[218]));
    for (i, text) in texts.iter().enumerate() {
        std::fs::write(sandbox.path(&format!("receipts/{i:03}.json")), text).unwrap();
    }
    let sandbox = sandbox.with("all.ndjson", texts.join("\n"));
    let why = "signature: it is not this key's signature over these values";
    let folder = std::path::Path::new("receipts").join("217.json");
    for (args, bad) in [
        (&["receipts"][..], format!("INVALID    {}  {why}", folder.display())),
        (&["--lines", "all.ndjson"], format!("INVALID    all.ndjson:218  {why}")),
    ] {
        let run = check(&sandbox, &[&CARD[..], args].concat());
        assert_eq!((run.status, run.stderr.as_str()), (1, ""));
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(lines.len(), 301);
        assert_eq!(lines[217], bad);
        let others = lines.iter().filter(|line| line.starts_with("VALID      ")).count();
        assert_eq!(others, 299);
        assert_eq!(lines[300], "300 inputs: 299 valid, 1 invalid");
    }
}
