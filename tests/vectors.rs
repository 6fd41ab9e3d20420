//! The cases in `tests/vectors/`, through the library, and through the binary where it is built.

mod common;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::json::Document;
use agent_output_verifier::report::Report;
use agent_output_verifier::request::{Request, RequestShape};
use agent_output_verifier::verify::{conclude, verdict, verify};
use agent_output_verifier::{checks::Family, jcs};
use common::{Aov, vector};
use serde_json::{Value, json};

fn text<'a>(case: &'a Value, member: &str) -> &'a str {
    case[member].as_str().unwrap_or_else(|| panic!("{member} in {case}"))
}

fn cases(name: &str) -> Vec<Value> {
    let cases: Vec<Value> = serde_json::from_str(&vector(name)).unwrap();
    assert!(cases.len() > 10, "{name}");
    cases
}

#[test]
fn canonical_forms_and_refusals() {
    for case in cases("jcs.json") {
        let input = text(&case, "input");
        let by_binary = cfg!(feature = "cli").then(|| Aov::new(&["hash", "-"]).input(input).run());
        match Document::parse(input.as_bytes()) {
            Ok(document) => {
                let canonical = text(&case, "canonical");
                let sha256 = text(&case, "sha256");
                assert_eq!(String::from_utf8(jcs::to_vec(document.root())).unwrap(), canonical);
                assert_eq!(Digest::of(document.root()).to_string(), sha256);
                let Some(by_binary) = by_binary else { continue };
                by_binary.succeeds_with(&format!("{sha256}  -\n"));
                Aov::new(&["hash", "--canonical", "-"]).input(input).run().succeeds_with(canonical);
            }
            Err(error) => {
                assert!(case.get("refused").is_some(), "{input} was refused: {error}");
                let Some(by_binary) = by_binary else { continue };
                assert_eq!((by_binary.status, by_binary.stdout.as_str()), (2, ""));
                assert!(by_binary.stderr.starts_with("error: stdin:"), "{}", by_binary.stderr);
            }
        }
    }
}

#[test]
fn the_four_hashes_and_the_canonical_request() {
    for case in cases("request_hash.json") {
        let request = text(&case, "request");
        let document = Document::parse(request.as_bytes()).unwrap();
        let shape = RequestShape::parse(document.root()).unwrap();
        let mut canonical = Vec::new();
        shape.write_canonical(&mut canonical);
        assert_eq!(String::from_utf8(canonical).unwrap(), text(&case, "canonical"));
        let compiled = Request::parse(document.root()).unwrap();
        let requirements = &compiled.requirements;
        let request_hash =
            requirements.request_hash(compiled.task_id, compiled.agent_id, compiled.output);
        let mut lines = String::new();
        for (name, of_shape, of_request) in [
            ("output_hash", shape.output_hash(), Digest::of(compiled.output)),
            ("schema_hash", shape.schema_hash(), requirements.schema_hash()),
            ("rules_hash", shape.rules_hash(), requirements.rules_hash()),
            ("request_hash", shape.request_hash(), request_hash),
        ] {
            let expected = text(&case, name);
            assert_eq!(of_shape.to_string(), expected, "{name} in {}", case["name"]);
            assert_eq!(of_request.to_string(), expected, "{name} in {}", case["name"]);
            lines += &format!("{expected}  {name}\n");
        }
        if !cfg!(feature = "cli") {
            continue;
        }
        Aov::new(&["hash", "--request", "-"]).input(request).run().succeeds_with(&lines);
        Aov::new(&["hash", "--canonical", "--request", "-"])
            .input(request)
            .run()
            .succeeds_with(text(&case, "canonical"));
    }
}

/// The fields at which a family's checks failed, in order.
fn failed_fields(report: &Report, family: Family, check: &str) -> Vec<String> {
    report
        .flags()
        .filter(|finding| finding.check.family() == family && finding.check.as_str() == check)
        .map(|finding| finding.field.clone())
        .collect()
}

#[test]
fn verdicts_scores_and_places() {
    for case in cases("checks.json") {
        let name = &case["name"];
        let text = text(&case, "request");
        let by_binary = cfg!(feature = "cli")
            .then(|| Aov::new(&["verify", "--format", "json", "--request", "-"]).input(text).run());
        let document = Document::parse(text.as_bytes()).unwrap();
        let request = match Request::parse(document.root()) {
            Ok(request) => request,
            Err(error) => {
                let fields: Vec<&str> = error.problems.iter().map(|p| p.field.as_str()).collect();
                assert_eq!(case["refused_fields"], json!(fields), "{name}");
                let Some(by_binary) = by_binary else { continue };
                assert_eq!(by_binary.status, 2, "{name}");
                let body: Value = serde_json::from_str(&by_binary.stdout).unwrap();
                assert_eq!(body["error"]["code"], "invalid_request");
                let named = body["error"]["fields"].as_array().unwrap().iter();
                assert!(
                    named
                        .map(|field| &field["field"])
                        .eq(case["refused_fields"].as_array().unwrap())
                );
                continue;
            }
        };
        assert!(case.get("refused_fields").is_none(), "{name} was not refused");
        let report = verify(&request.requirements, request.output).unwrap();
        assert_eq!(report.verdict.as_str(), case["result"], "{name}");
        assert_eq!(verdict(&request.requirements, request.output), Ok(report.verdict), "{name}");
        let brief = conclude(&request.requirements, request.output).unwrap();
        assert_eq!(brief.verdict, report.verdict, "{name}");
        assert_eq!(brief.blocking_checks, report.blocking_checks, "{name}");

        if let Some(by_binary) = by_binary {
            let response: Value = serde_json::from_str(&by_binary.stdout).unwrap();
            assert_eq!(response["result"], case["result"], "{name}");
            assert_eq!(by_binary.status, i32::from(case["result"] == "fail"), "{name}");
            for score in ["schema_compliance", "integrity_checks", "overall"] {
                assert_eq!(response[score], case[score], "{score} of {name}");
            }
        }

        let mut content: Vec<&str> =
            report.content.listed().iter().map(|finding| finding.check.as_str()).collect();
        content.dedup();
        assert_eq!(case["content_failed"], json!(content), "{name}");
        let bounds: Vec<&Value> = case["bounds_failed"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|v| v.as_array().unwrap())
            .collect();
        assert_eq!(
            json!(bounds),
            json!(failed_fields(&report, Family::Bounds, "bounds:range")),
            "{name}"
        );
        let rules: Vec<&Value> = case["rules_failed"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|v| v.as_array().unwrap())
            .collect();
        let found: Vec<&str> = report
            .rules
            .listed()
            .iter()
            .filter(|finding| finding.check.family() == Family::Consistency)
            .map(|finding| finding.field.as_str())
            .collect();
        assert_eq!(json!(rules), json!(found), "{name}");
    }
}

/// The members of a response in their order, without those that a key or the moment adds.
#[cfg(feature = "cli")]
fn comparable(response: &str) -> Vec<String> {
    let skipped = ["verification_id", "verified_at", "verifier_version", "verify", "attestation"];
    let document = Document::parse(response.as_bytes()).unwrap();
    let members = document.root().members();
    members
        .filter(|member| !skipped.contains(&member.name()))
        .map(|member| format!("{}: {}", member.name(), member.value().source()))
        .collect()
}

#[cfg(feature = "cli")]
#[test]
fn the_published_requests_give_the_published_responses() {
    for name in ["invoice-7731-draft", "invoice-7731-final"] {
        let request = format!("tests/vectors/receipts/{name}.request.json");
        let run = Aov::new(&["verify", "--format", "json", "--request", &request]).run();
        let receipt = vector(&format!("receipts/{name}.receipt.json"));
        assert_eq!(comparable(&run.stdout), comparable(&receipt), "{name}");
        assert_eq!(run.stderr, "");
    }
}
