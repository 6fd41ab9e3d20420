//! The official JSON Schema test suite, read from the folder that `AOV_CONFORMANCE_DIR` names (it is
//! not part of this repository). Says so where the variable is unset.

use std::fs;
use std::path::{Path, PathBuf};

use agent_output_verifier::json::{Document, Value};
use agent_output_verifier::schema::{Draft, Schema};

fn suite() -> Option<PathBuf> {
    let folder = std::env::var_os("AOV_CONFORMANCE_DIR")?;
    Some(PathBuf::from(folder).join("json-schema-test-suite/tests"))
}

fn folder(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "draft4",
        Draft::Draft6 => "draft6",
        Draft::Draft7 => "draft7",
        Draft::Draft201909 => "draft2019-09",
        Draft::Draft202012 => "draft2020-12",
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

/// The schema's text with the draft named, as a user would have to name it.
fn schema_text(schema: Value<'_>, draft: Draft) -> String {
    let source = schema.source();
    if !schema.is_object() || schema.get("$schema").is_some() {
        return source.to_owned();
    }
    let comma = if schema.is_empty() { "" } else { "," };
    format!("{{\"$schema\":\"{}\"{comma}{}", draft.uri(), &source[1..])
}

#[derive(Default, Debug, PartialEq)]
struct Run {
    passed: usize,
    /// Tests of schemas that refer to documents or dialects elsewhere, which are refused here.
    elsewhere: usize,
    wrong: Vec<String>,
}

fn run_file(path: &Path, draft: Draft, run: &mut Run) {
    let bytes = fs::read(path).unwrap();
    let file =
        Document::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for group in file.root().elements() {
        let name = |test: &str| {
            let description = group.get("description").and_then(Value::as_str).unwrap_or_default();
            format!("{}: {description}: {test}", path.display())
        };
        let tests = group.get("tests").unwrap();
        let text = schema_text(group.get("schema").unwrap(), draft);
        let document = Document::parse(text.as_bytes()).unwrap();
        let schema = match Schema::compile(document.root()) {
            Ok(schema) => schema,
            Err(problems) => {
                let elsewhere = problems.iter().all(|problem| {
                    problem.problem.contains("leaves the document")
                        || problem.problem.contains("not a dialect")
                });
                if elsewhere {
                    run.elsewhere += tests.len();
                } else {
                    run.wrong.push(name(&format!("does not compile: {problems:?}")));
                }
                continue;
            }
        };
        for test in tests.elements() {
            let valid = test.get("valid").and_then(Value::as_bool).unwrap();
            if schema.is_valid(test.get("data").unwrap()) == valid {
                run.passed += 1;
            } else {
                let description = test.get("description").and_then(Value::as_str);
                run.wrong.push(name(description.unwrap_or_default()));
            }
        }
    }
}

#[test]
fn the_required_tests_of_all_drafts_hold() {
    let Some(suite) = suite() else {
        println!("skipped: AOV_CONFORMANCE_DIR is not set");
        return;
    };
    for draft in Draft::ALL {
        let mut run = Run::default();
        for file in files(&suite.join(folder(draft))) {
            // There formats are annotations; here they are asserted.
            if !file.ends_with("format.json") {
                run_file(&file, draft, &mut run);
            }
        }
        println!("{}: {} passed, {} elsewhere", draft.name(), run.passed, run.elsewhere);
        assert!(run.wrong.is_empty(), "{}: {:#?}", draft.name(), run.wrong);
        assert!(run.passed > 500, "{}: only {} tests", draft.name(), run.passed);
        assert!(run.elsewhere * 10 < run.passed, "{}: {} elsewhere", draft.name(), run.elsewhere);
    }
}

#[test]
fn the_optional_format_tests_hold() {
    let Some(suite) = suite() else {
        println!("skipped: AOV_CONFORMANCE_DIR is not set");
        return;
    };
    for draft in Draft::ALL {
        let mut run = Run::default();
        for file in files(&suite.join(folder(draft)).join("optional/format")) {
            run_file(&file, draft, &mut run);
        }
        println!("{}: {} passed", draft.name(), run.passed);
        assert!(run.wrong.is_empty(), "{}: {:#?}", draft.name(), run.wrong);
        assert!(run.passed > 50, "{}: only {} tests", draft.name(), run.passed);
    }
}
