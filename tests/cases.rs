//! Faults that users of such tools met, kept as requests in `tests/cases/`, through the binary.
//!
//! A folder holds one kind of fault. Its `expected.json` says of every other file what must come
//! of it: the status, the findings as `check path`, hashes, and what the report for people and
//! standard error say, or never say.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::Aov;
use serde::Deserialize;
use serde_json::Value;

/// What must come of a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Hashed(Hashed),
    Judged(Judged),
}

/// Of a document on its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hashed {
    sha256: String,
    canonical: String,
}

/// Of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    status: i32,
    findings: Option<Vec<String>>,
    output_hash: Option<String>,
    /// The code of the error, where there is no verdict.
    code: Option<String>,
    /// The fields that the error names.
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    never_says: Vec<String>,
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.file_name().unwrap().as_encoded_bytes().starts_with(b"."))
        .collect();
    entries.sort();
    assert!(!entries.is_empty(), "{} is empty", folder.display());
    entries
}

fn list<'v>(value: &'v Value, member: &str) -> &'v Vec<Value> {
    value[member].as_array().unwrap_or_else(|| panic!("no {member} in {value}"))
}

fn judge(path: &str, expected: &Judged) {
    let json = Aov::new(&["verify", "--format", "json", "--request", path]).run();
    assert_eq!(json.status, expected.status, "{path}: {}", json.stderr);
    let response: Value = serde_json::from_str(&json.stdout).unwrap();
    if let Some(findings) = &expected.findings {
        let found: Vec<String> = list(&response, "hints")
            .iter()
            .map(|hint| {
                let text = |member: &str| hint[member].as_str().unwrap();
                format!("{} {}", text("check"), text("path"))
            })
            .collect();
        assert_eq!(found, *findings, "{path}");
        let verdict = if expected.status == 0 { "pass" } else { "fail" };
        assert_eq!(response["result"], verdict, "{path}");
        assert_eq!(json.stderr, "", "{path}");
    } else {
        let error = &response["error"];
        assert_eq!(error["code"].as_str(), expected.code.as_deref(), "{path}");
        let fields: Vec<&str> =
            list(error, "fields").iter().map(|field| field["field"].as_str().unwrap()).collect();
        assert_eq!(fields, expected.fields, "{path}");
    }
    if let Some(hash) = &expected.output_hash {
        assert_eq!(response["output_hash"], **hash, "{path}");
    }

    let human = Aov::new(&["verify", "--request", path]).run();
    assert_eq!(human.status, expected.status, "{path}");
    assert_eq!(human.stderr, json.stderr, "{path}");
    let said = format!("{}{}", human.stdout, human.stderr);
    for text in &expected.says {
        assert!(said.contains(text), "{path} does not say {text:?}: {said}");
    }
    for text in &expected.never_says {
        for said in [&said, &json.stdout] {
            assert!(!said.contains(text), "{path} says {text:?}: {said}");
        }
    }
}

fn hash(path: &str, expected: &Hashed) {
    Aov::new(&["hash", path]).run().succeeds_with(&format!("{}  {path}\n", expected.sha256));
    Aov::new(&["hash", "--canonical", path]).run().succeeds_with(&expected.canonical);
}

#[test]
fn every_case_comes_out_as_its_folder_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in entries(&root.join("tests/cases")) {
        let table = fs::read_to_string(folder.join("expected.json")).unwrap();
        let mut table: BTreeMap<String, Expected> = serde_json::from_str(&table)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for file in entries(&folder) {
            let name = file.file_name().unwrap().to_str().unwrap();
            if name == "expected.json" {
                continue;
            }
            let path = file.strip_prefix(root).unwrap().to_str().unwrap();
            match table.remove(name) {
                Some(Expected::Judged(expected)) => judge(path, &expected),
                Some(Expected::Hashed(expected)) => hash(path, &expected),
                None => panic!("{path} has no entry in expected.json"),
            }
            seen += 1;
        }
        let left: Vec<&String> = table.keys().collect();
        assert!(left.is_empty(), "{}: no file for {left:?}", folder.display());
    }
    assert!(seen > 60, "only {seen} cases");
}
