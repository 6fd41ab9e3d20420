//! Requirements in files of their own: a list of rules, a rule object, a template.

use super::{InvalidRequest, Problems, Supplied, article};
use crate::json::Value;

/// Rules as a file gives them: a list, or an object with `rules`, `bounds` and `enforce_rules`.
#[derive(Clone, Copy, Default, Debug)]
pub struct RuleSet<'d> {
    /// The list of rules.
    pub rules: Option<Value<'d>>,
    /// The bounds, by path.
    pub bounds: Option<Value<'d>>,
    /// Whether they block, where the file says so.
    pub enforce_rules: Option<bool>,
}

impl<'d> RuleSet<'d> {
    /// Reads a list of rules or a rule object.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] for anything else, and for unknown fields.
    pub fn read(value: Value<'d>) -> Result<RuleSet<'d>, InvalidRequest> {
        if value.is_array() {
            return Ok(RuleSet { rules: Some(value), ..RuleSet::default() });
        }
        let mut problems = Problems::default();
        if !value.is_object() {
            let problem = format!("is {}, not a list or an object", article(value));
            let fix = "Write a list of rules, or an object with rules, bounds and enforce_rules.";
            problems.add("rules", problem, fix, Some(value));
            return problems.settle(None);
        }
        let fields = problems.fields(value, "", &["rules", "bounds", "enforce_rules"]);
        let enforce_rules = fields.required("enforce_rules");
        let set = RuleSet {
            rules: fields.required("rules"),
            bounds: fields.required("bounds"),
            enforce_rules: enforce_rules.map(|value| problems.flag(Some(value), "enforce_rules")),
        };
        problems.settle(Some(set))
    }
}

/// The `schema` that marks a template file.
pub(crate) const TEMPLATE_SCHEMA: &str = "verification-template/1";

/// Reads a template: `{"schema": "verification-template/1", "template": {…}, …}`. Without an
/// `enforce_rules` of its own its rules are enforced.
///
/// # Errors
///
/// [`InvalidRequest`] for a file that is no template, and for unknown fields in `template`; what
/// stands beside it is the publisher's.
pub fn read_template(value: Value<'_>) -> Result<Supplied<'_>, InvalidRequest> {
    let mut problems = Problems::default();
    if value.get("schema").and_then(Value::as_str) != Some(TEMPLATE_SCHEMA) {
        let fix = format!("Name a file with \"schema\": \"{TEMPLATE_SCHEMA}\".");
        problems.add("schema", format!("is not '{TEMPLATE_SCHEMA}'"), fix, Some(value));
        return problems.settle(None);
    }
    let Some(template) = value.get("template") else {
        let fix = "Put the requirements there.";
        problems.add("template", "is missing", fix, Some(value));
        return problems.settle(None);
    };
    let known = ["expected_schema", "rules", "bounds", "enforce_rules", "strict_content_check"];
    let fields = problems.fields(template, "template", &known);
    let schema = fields.required("expected_schema");
    if schema.is_none() && template.is_object() {
        let fix = "Put a JSON Schema there; true allows anything.";
        problems.add("template.expected_schema", "is missing", fix, Some(template));
    }
    let enforce_rules = fields.required("enforce_rules");
    let supplied = Supplied {
        schema,
        rules: fields.required("rules"),
        bounds: fields.required("bounds"),
        enforce_rules: enforce_rules.is_none()
            || problems.flag(enforce_rules, "template.enforce_rules"),
        strict_content_check: problems
            .flag(fields.required("strict_content_check"), "template.strict_content_check"),
    };
    problems.settle(Some(supplied))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn problems(text: &str, template: bool) -> Vec<String> {
        let document = Document::parse(text.as_bytes()).unwrap();
        let root = document.root();
        let error = if template { read_template(root).err() } else { RuleSet::read(root).err() };
        let problems = error.map(|error| error.problems).unwrap_or_default();
        problems.into_iter().map(|p| format!("{} {} {}", p.field, p.problem, p.fix)).collect()
    }

    #[test]
    fn rule_files_are_lists_or_objects() {
        assert!(problems(r#"[{"type": "unique", "field": "a"}]"#, false).is_empty());
        assert!(
            problems(r#"{"rules": [], "bounds": {}, "enforce_rules": false}"#, false).is_empty()
        );
        assert_eq!(
            problems(r#"{"rule": []}"#, false),
            ["rule is not a known field Did you mean 'rules'?"]
        );
        assert_eq!(problems("3", false).len(), 1);
    }

    #[test]
    fn templates_are_told_by_their_mark() {
        let good = r#"{"schema": "verification-template/1", "template_id": "x", "label": "y",
                       "template": {"expected_schema": true, "rules": [], "bounds": {}}}"#;
        assert!(problems(good, true).is_empty());
        let document = Document::parse(good.as_bytes()).unwrap();
        assert!(read_template(document.root()).unwrap().enforce_rules);
        assert_eq!(problems(r#"{"template": {}}"#, true).len(), 1);
        assert_eq!(problems(r#"{"schema": "verification-template/1"}"#, true).len(), 1);
        let mistyped = good.replace("\"rules\"", "\"rule\"");
        assert_eq!(
            problems(&mistyped, true),
            ["template.rule is not a known field Did you mean 'rules'?"]
        );
    }
}
