//! SARIF 2.1.0: a result for each finding, a notification for each input that could not be judged.
//!
//! Written from values of `serde_json`: crates that model the format take the whole log in memory,
//! and generate its some hundred types when they are built.

use std::collections::HashMap;

use agent_output_verifier::checks::{CheckId, Family};
use agent_output_verifier::digest::Digest;
use agent_output_verifier::text::escaped;
use serde_json::{Value, json};

use super::super::batch::Name;
use super::super::judge::{Judged, Judgement};
use super::whole::{Ending, Part, Piece};
use super::{Placed, placed, reasons, relative};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Where the documentation can be read: the package's repository, once it has one.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What comes before the results: the tool with the checks that it makes.
pub(super) fn head() -> String {
    let mut driver = json!({
        "name": "aov",
        "fullName": "Agent Output Verifier",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": CheckId::ALL.iter().map(|check| rule(*check)).collect::<Vec<_>>(),
    });
    if !REPOSITORY.is_empty() {
        driver["informationUri"] = REPOSITORY.into();
    }
    let tool = json!({ "driver": driver });
    format!(
        "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\
         \"columnKind\":\"unicodeCodePoints\",\"tool\":{tool},\n\"results\":[\n"
    )
}

/// What comes between the results and the notifications.
pub(super) fn middle(ending: &Ending) -> String {
    let totals = ending.totals;
    // What was not judged is not passed; a failed check is a result, not a fault of the run.
    let judged = totals.undecided + totals.unusable == 0 && !ending.interrupted;
    format!(
        "\n],\n\"invocations\":[{{\"executionSuccessful\":{judged},\
         \"toolExecutionNotifications\":[\n"
    )
}

/// Notifications of the run as a whole.
pub(super) fn notes(ending: &Ending) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |id: &str, text: &str| {
        let note = json!({
            "descriptor": { "id": id }, "level": "warning", "message": { "text": text },
        });
        notes.push(note.to_string());
    };
    if ending.left_out > 0 {
        note("left_out", &format!("{} more findings are left out.", ending.left_out));
    }
    if ending.interrupted {
        note("interrupted", "The run was interrupted: further inputs were not judged.");
    }
    notes
}

/// What comes behind the notifications.
pub(super) fn foot(ending: &Ending) -> String {
    let totals = ending.totals;
    let counts = json!({
        "inputs": totals.all(),
        "passed": totals.passed,
        "failed": totals.failed,
        "undecided": totals.undecided,
        "unusable": totals.unusable,
        "findingsLeftOut": ending.left_out,
    });
    format!("\n]}}],\n\"properties\":{counts}}}]}}\n")
}

/// The results of an input, or its notification.
pub(super) fn results(name: Name<'_>, judged: &Judged<'_>, pieces: &mut Vec<Piece>) {
    match judged {
        Judged::Report(judgement) => report_results(name, judgement, pieces),
        Judged::Undecided { undecided, .. } => {
            pieces.push(notification(name, "check_undecided", &undecided.to_string()));
        }
        Judged::Unusable { body, troubles, .. } => {
            pieces.push(notification(name, body.code(), &reasons(troubles).join(" ")));
        }
        // What comes to less than a report is judged only where no more is shown.
        Judged::Conclusion(_) | Judged::Verdict(_) => {}
    }
}

fn report_results(name: Name<'_>, judgement: &Judgement<'_>, pieces: &mut Vec<Piece>) {
    let (findings, unshown) = placed(name, judgement);
    let full = name.full();
    let artifact = json!({ "uri": uri(name.input) });
    // How often a check has failed at a field so far.
    let mut repeats: HashMap<(CheckId, &str), u64> = HashMap::new();
    for (place, Placed { finding, line, column, blocks }) in findings.iter().enumerate() {
        let repeat = repeats.entry((finding.check, &finding.field)).or_default();
        let fingerprint = fingerprint(finding.check, &finding.field, &full, *repeat);
        *repeat += 1;
        let fix = finding.fix();
        let text = format!("{} at '{}': {}. {fix}", finding.check, finding.field, finding.detail);
        let field = escaped(&finding.field);
        let result = json!({
            "ruleId": finding.check.as_str(),
            "ruleIndex": CheckId::ALL.iter().position(|check| *check == finding.check),
            "level": if *blocks { "error" } else { "note" },
            "message": { "text": message(&text) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": { "startLine": line, "startColumn": column },
                },
                "logicalLocations": [{ "fullyQualifiedName": field }],
            }],
            "partialFingerprints": { "checkFieldInput/v1": fingerprint },
            "properties": {
                "taskId": escaped(judgement.subject.task_id),
                "expected": escaped(&finding.expected),
                "found": escaped(&finding.found),
                "fix": escaped(&fix),
                "blocks": blocks,
            },
        });
        let last = place + 1 == findings.len();
        pieces.push(Piece {
            part: Part::Items,
            text: result.to_string(),
            short: String::new(),
            shown: 1,
            unshown: if last { unshown } else { 0 },
        });
    }
}

fn notification(name: Name<'_>, code: &str, text: &str) -> Piece {
    let mut place = json!({ "artifactLocation": { "uri": uri(name.input) } });
    if let Some(line) = name.line {
        place["region"] = json!({ "startLine": line });
    }
    let notification = json!({
        "descriptor": { "id": code },
        "level": "error",
        "message": { "text": message(&format!("{}: {text}", name.full())) },
        "locations": [{ "physicalLocation": place }],
    });
    Piece {
        part: Part::Errors,
        text: notification.to_string(),
        short: String::new(),
        shown: 1,
        unshown: 0,
    }
}

/// Tells a finding from all others, and stays the same while its input has the same name.
fn fingerprint(check: CheckId, field: &str, input: &str, repeat: u64) -> String {
    Digest::of_bytes(json!([check.as_str(), field, input, repeat]).to_string().as_bytes())
        .to_string()
}

/// Plain text of a message. What SARIF would read as a link, `[text](target)`, is none.
fn message(text: &str) -> String {
    escaped(text).replace("](", "\\](")
}

/// An input's name as a URI, relative where the input is below the folder of the run.
fn uri(name: &str) -> String {
    let name = relative(name);
    let mut out = String::with_capacity(name.len());
    if name.starts_with('/') {
        out.push_str("file://");
    } else if cfg!(windows) && name.get(1..3) == Some(":/") {
        out.push_str("file:///");
    }
    for &byte in name.as_bytes() {
        // A colon would make a scheme of what stands before it.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// What is known of a check before it is made.
fn rule(check: CheckId) -> Value {
    let (what, mend) = texts(check);
    // As the command line has it where no option says otherwise.
    let level = if check.family() == Family::Content { "note" } else { "error" };
    let anchor = check.anchor();
    let page = format!("docs/checks.md#{anchor}");
    let mut rule = json!({
        "id": check.as_str(),
        "shortDescription": { "text": what },
        "fullDescription": { "text": format!("{what} {mend}") },
        "help": {
            "text": format!("{what} {mend} See {page}."),
            "markdown": format!("{what} {mend}\n\nSee `{page}`."),
        },
        "defaultConfiguration": { "level": level },
        "properties": { "tags": [check.as_str().split(':').next()] },
    });
    if !REPOSITORY.is_empty() {
        let version = env!("CARGO_PKG_VERSION");
        let address = format!("{REPOSITORY}/blob/v{version}/{page}");
        rule["help"]["markdown"] = format!("{what} {mend}\n\n[More]({address})").into();
        rule["helpUri"] = address.into();
    }
    rule
}

/// What a check wants, and how to mend what fails it.
fn texts(check: CheckId) -> (&'static str, &'static str) {
    match check.as_str() {
        "schema:type" => ("A value has the type that the schema names.", "Write it as that type."),
        "schema:enum" => ("A value is one of those that the schema lists.", "Use one of them."),
        "schema:const" => ("A value is the one that the schema gives.", "Use that value."),
        "schema:multipleOf" => (
            "A number is a multiple of the schema's, in exact decimals.",
            "Round it where it is made.",
        ),
        "schema:minimum" => ("A number is the schema's minimum or above.", "Correct the number."),
        "schema:maximum" => ("A number is the schema's maximum or below.", "Correct the number."),
        "schema:exclusiveMinimum" => {
            ("A number is above the schema's lower limit.", "Correct the number.")
        }
        "schema:exclusiveMaximum" => {
            ("A number is below the schema's upper limit.", "Correct the number.")
        }
        "schema:minLength" => ("A string is long enough.", "Deliver the whole text."),
        "schema:maxLength" => ("A string is not too long.", "Shorten the text."),
        "schema:pattern" => {
            ("A string matches the schema's regular expression.", "Write it in that form.")
        }
        "schema:format" => {
            ("A string is what its format says, such as a date.", "Write it in that format.")
        }
        "schema:contentEncoding" => {
            ("A string decodes as the schema says.", "Encode it again from its source.")
        }
        "schema:contentMediaType" => {
            ("A string's content is of the media type that the schema names.", "Correct it.")
        }
        "schema:minItems" => ("An array has enough items.", "Add what is missing."),
        "schema:maxItems" => ("An array has not too many items.", "Remove what is too much."),
        "schema:uniqueItems" => ("No two items of an array are equal.", "Remove the repeats."),
        "schema:contains" => {
            ("An array has items of the kind that the schema asks for.", "Add or remove some.")
        }
        "schema:additionalItems" | "schema:unevaluatedItems" => (
            "An array has no items but those that the schema describes.",
            "Remove what is too much, or describe it in the schema.",
        ),
        "schema:minProperties" => ("An object has enough members.", "Add what is missing."),
        "schema:maxProperties" => {
            ("An object has not too many members.", "Remove what is too much.")
        }
        "schema:required" => ("The members that the schema requires are there.", "Add them."),
        "schema:dependentRequired" | "schema:dependencies" => {
            ("A member comes with those that it depends on.", "Add them, or remove it.")
        }
        "schema:propertyNames" => ("The names of members fit the schema.", "Rename the members."),
        "schema:additionalProperties" | "schema:unevaluatedProperties" => (
            "An object has no members but those that the schema describes.",
            "Remove what is too much, or describe it in the schema.",
        ),
        "schema:anyOf" => ("A value fits at least one branch.", "Make it fit one of them."),
        "schema:oneOf" => ("A value fits exactly one branch.", "Make it fit one of them only."),
        "schema:not" => ("A value does not fit what the schema forbids.", "Change the value."),
        "schema:false" => ("There is no value where the schema allows none.", "Remove it."),
        "content:control_characters" => {
            ("Strings hold no control characters.", "Remove them where the text is made.")
        }
        "content:invisible_characters" => (
            "Strings hold no invisible or text-reordering characters.",
            "Remove them; they hide what a text says.",
        ),
        "content:encoding_damage" => {
            ("Strings show no damage by a wrong encoding.", "Decode the source as what it is.")
        }
        "content:blank_strings" => ("Strings hold more than space.", "Put a real value there."),
        "content:placeholder_text" => {
            ("Strings hold no placeholders.", "Put the real value there.")
        }
        "content:embedded_json" => {
            ("Strings hold no JSON that should stand on its own.", "Deliver it as JSON.")
        }
        "content:unsafe_numbers" => {
            ("Numbers survive readers that use doubles.", "Write them as strings.")
        }
        "bounds:range" => ("Numbers are within the bounds given.", "Correct the number."),
        "consistency:sum_equals" => ("A total is the sum of its parts.", "Correct one of them."),
        "consistency:gte" => {
            ("A number is at least as large as another.", "Correct the one that is wrong.")
        }
        "consistency:lte" => {
            ("A number is at most as large as another.", "Correct the one that is wrong.")
        }
        "consistency:exists_in" => {
            ("A value is among those of another place.", "Correct the reference.")
        }
        "consistency:unique" => ("Values differ from each other.", "Change one of the two."),
        _ => UNKNOWN,
    }
}

/// Of a check that the table above lacks, which a test would show.
const UNKNOWN: (&str, &str) = ("A check of the output.", "Correct the output.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_its_texts() {
        for check in CheckId::ALL {
            assert_ne!(texts(*check), UNKNOWN, "{check}");
        }
    }

    #[test]
    fn uris_are_relative_and_encoded() {
        assert_eq!(uri("a,b:c d.json"), "a%2Cb%3Ac%20d.json");
        assert_eq!(uri("./é%.json"), "%C3%A9%25.json");
        assert_eq!(uri("../x.json"), "../x.json");
        if cfg!(unix) {
            assert_eq!(uri("/no such/x.json"), "file:///no%20such/x.json");
        }
        let here = std::env::current_dir().unwrap().join("out").join("x.json");
        assert_eq!(uri(&here.to_string_lossy()), "out/x.json");
    }

    #[test]
    fn fingerprints_are_stable_and_tell_findings_apart() {
        let check = CheckId::BOUNDS_RANGE;
        let print = fingerprint(check, "a", "x.json", 0);
        assert_eq!(print, fingerprint(check, "a", "x.json", 0));
        for other in [("b", "x.json", 0), ("a", "y.json", 0), ("a", "x.json", 1)] {
            assert_ne!(print, fingerprint(check, other.0, other.1, other.2));
        }
        // What joins the parts cannot be forged.
        assert_ne!(fingerprint(check, "a\",\"b", "c", 0), fingerprint(check, "a", "b\",\"c", 0));
    }

    #[test]
    fn messages_hold_no_links() {
        assert_eq!(message("[x](http://y)\u{1b}"), "[x\\](http://y)\\u001b");
    }
}
