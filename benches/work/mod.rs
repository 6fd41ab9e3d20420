//! What the benches work on, all of it made here: an invoice as a line of a batch, an array of them,
//! and a schema of the size that a CI service has for its workflows, with a workflow.

use std::fmt::Write as _;

/// The invoice's schema.
pub(crate) const SCHEMA: &str = r#"{"type":"object","required":["invoice_id","currency","line_items","total"],"properties":{"invoice_id":{"type":"string","pattern":"^INV-[0-9]{4}$"},"currency":{"enum":["USD","EUR"]},"line_items":{"type":"array","minItems":1,"items":{"type":"object","required":["sku","qty","line_total"],"properties":{"sku":{"type":"string"},"qty":{"type":"integer","minimum":1},"line_total":{"type":"number","minimum":0}}}},"total":{"type":"number"}}}"#;

/// A rule of each type over an invoice.
pub(crate) const RULES: &str = r#"[{"type":"sum_equals","field":"line_items[].line_total","equals_field":"total"},{"type":"unique","field":"line_items[].sku"},{"type":"exists_in","field":"currency","values":["USD","EUR","GBP"]},{"type":"gte","field":"total","value":0},{"type":"lte","field":"line_items[].line_total","other_field":"total"}]"#;

/// The first of them alone: what most requests ask.
pub(crate) const SUM_RULE: &str =
    r#"[{"type":"sum_equals","field":"line_items[].line_total","equals_field":"total"}]"#;

/// A line of a batch: four items, 262 bytes.
pub(crate) const INVOICE: &str = r#"{"invoice_id":"INV-0242","currency":"USD","line_items":[{"sku":"SKU-43893","qty":9,"line_total":1098.54},{"sku":"SKU-46333","qty":8,"line_total":712.56},{"sku":"SKU-43448","qty":20,"line_total":3551.8},{"sku":"SKU-1","qty":2,"line_total":19.98}],"total":5382.88}"#;

/// An array of so many of that invoice.
pub(crate) fn invoices(count: usize) -> String {
    format!("[{}]", vec![INVOICE; count].join(","))
}

/// The schema of the workflow below: definitions that refer to each other, alternatives by shape,
/// members by pattern, closed objects, and a description at everything, as people write them.
pub(crate) fn workflow_schema() -> String {
    let remark = "Says what this is for, in the words that an editor shows beside it. ".repeat(4);
    let expression = r##"{"type":"string","pattern":"^\\$\\{\\{(.|[\\r\\n])*\\}\\}$"}"##.to_owned();
    let text = |limit| {
        format!(r#"{{"type":"string","minLength":1,"maxLength":{limit},"description":"{remark}"}}"#)
    };
    let mut definitions = vec![
        ("expression".to_owned(), expression),
        ("name".to_owned(), r#"{"type":"string","pattern":"^[_a-zA-Z][a-zA-Z0-9_-]*$"}"#.to_owned()),
        ("text".to_owned(), text(10_000)),
        (
            "env".to_owned(),
            r##"{"oneOf":[{"type":"object","additionalProperties":{"oneOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}},{"$ref":"#/$defs/expression"}]}"##
                .to_owned(),
        ),
        (
            "condition".to_owned(),
            r##"{"anyOf":[{"type":"boolean"},{"type":"number"},{"type":"string"}]}"##.to_owned(),
        ),
        (
            "needs".to_owned(),
            r##"{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/name"},"minItems":1},{"$ref":"#/$defs/name"}]}"##
                .to_owned(),
        ),
        (
            "matrix".to_owned(),
            r##"{"oneOf":[{"type":"object","patternProperties":{"^(include|exclude)$":{"type":"array","items":{"type":"object"},"minItems":1}},"additionalProperties":{"oneOf":[{"type":"array","minItems":1},{"$ref":"#/$defs/expression"}]},"minProperties":1},{"$ref":"#/$defs/expression"}]}"##
                .to_owned(),
        ),
        (
            "step".to_owned(),
            format!(
                r##"{{"allOf":[{{"oneOf":[{{"required":["uses"]}},{{"required":["run"]}}]}},{{"type":"object","properties":{{"id":{{"$ref":"#/$defs/name"}},"if":{{"$ref":"#/$defs/condition"}},"name":{{"$ref":"#/$defs/text"}},"uses":{{"type":"string","pattern":"^[^ ]+$","description":"{remark}"}},"run":{{"$ref":"#/$defs/text"}},"with":{{"$ref":"#/$defs/env"}},"env":{{"$ref":"#/$defs/env"}},"timeout-minutes":{{"anyOf":[{{"type":"integer","minimum":1}},{{"$ref":"#/$defs/expression"}}]}}}},"additionalProperties":false}}]}}"##
            ),
        ),
        (
            "job".to_owned(),
            r##"{"type":"object","properties":{"name":{"type":"string"},"needs":{"$ref":"#/$defs/needs"},"if":{"$ref":"#/$defs/condition"},"runs-on":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"},"minItems":1}]},"env":{"$ref":"#/$defs/env"},"strategy":{"type":"object","properties":{"matrix":{"$ref":"#/$defs/matrix"},"fail-fast":{"type":["boolean","string"]}},"required":["matrix"],"additionalProperties":false},"steps":{"type":"array","items":{"$ref":"#/$defs/step"},"minItems":1},"timeout-minutes":{"anyOf":[{"type":"integer","minimum":1},{"$ref":"#/$defs/expression"}]}},"required":["runs-on"],"additionalProperties":false}"##
                .to_owned(),
        ),
    ];
    let mut events = String::new();
    for event in 0..45 {
        let separator = if event == 0 { "" } else { "," };
        let _ =
            write!(events, r##"{separator}"event_{event}":{{"$ref":"#/$defs/event_{event}"}}"##);
        definitions.push((
            format!("event_{event}"),
            format!(
                r##"{{"description":"{remark}","type":["object","null"],"properties":{{"types":{{"description":"{remark}","type":"array","items":{{"enum":["opened","edited","closed","reopened","labeled","unlabeled","kind_{event}"]}},"minItems":1}},"branches":{{"description":"{remark}","type":"array","items":{{"type":"string"}},"minItems":1}},"paths":{{"description":"{remark}","type":"array","items":{{"type":"string"}},"minItems":1}}}},"additionalProperties":false}}"##
            ),
        ));
    }
    let definitions: Vec<String> = definitions
        .into_iter()
        .map(|(name, definition)| format!(r#""{name}":{definition}"#))
        .collect();
    format!(
        r##"{{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{{"name":{{"type":"string"}},"on":{{"oneOf":[{{"type":"string"}},{{"type":"array","items":{{"type":"string"}}}},{{"type":"object","properties":{{{events}}},"additionalProperties":false}}]}},"env":{{"$ref":"#/$defs/env"}},"jobs":{{"type":"object","patternProperties":{{"^[_a-zA-Z][a-zA-Z0-9_-]*$":{{"$ref":"#/$defs/job"}}}},"minProperties":1,"additionalProperties":false}}}},"required":["on","jobs"],"additionalProperties":false,"$defs":{{{}}}}}"##,
        definitions.join(",")
    )
}

/// A workflow of twelve jobs, about 16 kB, which the schema allows.
pub(crate) fn workflow() -> String {
    let jobs: Vec<String> = (0..12)
        .map(|job| {
            let steps: Vec<String> = (0..9)
                .map(|step| match step % 3 {
                    0 => format!(r#"{{"uses":"actions/step-{step}@v5","with":{{"key":"job-{job}","fetch-depth":0}}}}"#),
                    1 => format!(r#"{{"name":"Build {step}","run":"cargo build --locked --features all-databases,runtime-${{{{ matrix.runtime }}}} -- -D warnings\n"}}"#),
                    _ => format!(r#"{{"name":"Test {step}","run":"cargo test --locked --no-default-features --target-dir target/{step}\n","env":{{"DATABASE_URL":"postgres://localhost/{job}","RETRIES":3}},"timeout-minutes":30}}"#),
                })
                .collect();
            let needs = if job == 0 { String::new() } else { format!(r#""needs":["job-{}"],"#, job - 1) };
            format!(
                r#""job-{job}":{{"name":"Job {job}",{needs}"runs-on":"ubuntu-24.04","strategy":{{"matrix":{{"runtime":["tokio","smol"],"tls":["none","rustls"],"include":[{{"runtime":"async-std"}}]}}}},"timeout-minutes":30,"steps":[{}]}}"#,
                steps.join(",")
            )
        })
        .collect();
    format!(
        r#"{{"name":"CI","on":{{"event_3":null,"event_7":{{"branches":["main","*-dev"]}}}},"env":{{"RUST_BACKTRACE":1}},"jobs":{{{}}}}}"#,
        jobs.join(",")
    )
}
