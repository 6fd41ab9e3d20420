//! Holds the pages on threats and on dependencies against what there is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix("| ")?.strip_suffix(" |")?;
    Some(inner.split(" | ").collect())
}

/// The cells of a page's tables, row by row, without headings.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_rule = |line: &&str| line.starts_with("| ---");
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let heads = lines.get(at + 1).is_some_and(is_rule);
        if !is_rule(line) && !heads {
            rows.extend(cells(line));
        }
    }
    rows
}

/// What stands in backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The names of a file's tests.
fn tests_of(text: &str) -> BTreeSet<&str> {
    let mut tests = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("fn ") {
            Some(rest) if is_test => {
                tests.extend(rest.split('(').next());
                is_test = false;
            }
            Some(_) => {}
            None if line == "#[test]" => is_test = true,
            // Other attributes, comments and blank lines may stand between.
            None => {
                let between = line.is_empty() || line.starts_with('#') || line.starts_with("//");
                is_test = is_test && between;
            }
        }
    }
    tests
}

#[test]
fn every_test_that_the_threat_model_names_is_there() {
    let page = read("docs/threat-model.md");
    let rows = rows(&page);
    assert!(rows.len() > 30, "{}", rows.len());
    let mut named = 0;
    for row in &rows {
        let [threat, defence, module, evidence] = row[..] else { panic!("{row:?}") };
        assert!(threat.ends_with('.') && defence.ends_with('.'), "{row:?}");
        let [module] = quoted(module)[..] else { panic!("{row:?}") };
        assert!(module.starts_with("src/"), "{row:?}");
        read(module);
        let tests = quoted(evidence);
        assert!(!tests.is_empty(), "nothing shows: {threat}");
        for test in tests {
            let (file, function) = test.split_once("::").unwrap_or_else(|| panic!("{test}"));
            assert!(tests_of(&read(file)).contains(function), "there is no test {test}");
            named += 1;
        }
    }
    // None stands outside the tables, where nobody would look for it.
    assert_eq!(page.matches(".rs::").count(), named);
}

#[test]
fn tests_are_told_from_other_functions() {
    let text = "
        fn helper() {}
        #[cfg(unix)]
        #[test]
        // A comment.
        #[ignore]
        fn one() {}
        fn between() {}
        #[test]
        fn two() {
            fn inner() {}
        }
        #[test] // not alone on its line
        fn three() {}
    ";
    assert_eq!(tests_of(text), BTreeSet::from(["one", "two"]));
}

/// The direct dependencies by the part of the program that needs them, with their features.
fn dependencies() -> BTreeMap<(&'static str, String), BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == env!("CARGO_PKG_NAME"));
    let package = package.unwrap();
    let in_feature = |feature: &str, name: &str| {
        let wanted = format!("dep:{name}");
        package["features"][feature].as_array().unwrap().iter().any(|part| *part == *wanted)
    };
    let mut found = BTreeMap::new();
    for dependency in package["dependencies"].as_array().unwrap() {
        let name = dependency["name"].as_str().unwrap();
        let part = match (dependency["kind"].as_str(), dependency["optional"] == true) {
            (None, false) => "The library",
            (None, true) if in_feature("cli", name) => "The command line",
            (None, true) => "The server",
            (Some("dev"), _) => "Tests",
            (other, _) => panic!("{name}: {other:?}"),
        };
        let features = dependency["features"].as_array().unwrap().iter();
        let mut features: BTreeSet<String> =
            features.map(|feature| feature.as_str().unwrap().to_owned()).collect();
        if dependency["uses_default_features"] == true {
            features.insert("default".to_owned());
        }
        assert_eq!(found.insert((part, name.to_owned()), features), None, "{name}");
    }
    found
}

#[test]
fn every_dependency_has_its_row_and_every_row_its_dependency() {
    let page = read("docs/dependencies.md");
    let mut told = BTreeMap::new();
    for part in ["The library", "The command line", "The server", "Tests"] {
        let (_, rest) = page.split_once(&format!("\n## {part}\n")).unwrap();
        let section = rest.split("\n## ").next().unwrap();
        for row in rows(section) {
            let [name, why, count, licence, features] = row[..] else { panic!("{row:?}") };
            let [name] = quoted(name)[..] else { panic!("{row:?}") };
            assert!(!why.is_empty() && !licence.is_empty(), "{row:?}");
            assert!(count.parse::<usize>().is_ok(), "{row:?}");
            let features = quoted(features).into_iter().map(str::to_owned).collect();
            assert_eq!(told.insert((part, name.to_owned()), features), None, "{name} twice");
        }
    }
    assert_eq!(told, dependencies());
}
