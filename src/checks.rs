//! The registry of checks: every name that a finding can bear. Names are stable and never reused.

/// The family that a check belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// `schema:…`: always blocks
    Schema,
    /// `content:…`: blocks with `strict_content_check`
    Content,
    /// `bounds:…`: blocks with `enforce_rules`
    Bounds,
    /// `consistency:…`: blocks with `enforce_rules`
    Consistency,
}

impl Family {
    /// What the hints call where a finding comes from.
    pub fn source(self) -> &'static str {
        if self == Family::Schema { "schema" } else { "integrity" }
    }
}

/// A check's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CheckId(&'static str);

impl CheckId {
    /// `bounds:range`
    pub const BOUNDS_RANGE: CheckId = CheckId("bounds:range");

    /// Every check that there is.
    pub const ALL: &'static [CheckId] = &[
        CheckId("schema:type"),
        CheckId("schema:enum"),
        CheckId("schema:const"),
        CheckId("schema:multipleOf"),
        CheckId("schema:minimum"),
        CheckId("schema:maximum"),
        CheckId("schema:exclusiveMinimum"),
        CheckId("schema:exclusiveMaximum"),
        CheckId("schema:minLength"),
        CheckId("schema:maxLength"),
        CheckId("schema:pattern"),
        CheckId("schema:format"),
        CheckId("schema:contentEncoding"),
        CheckId("schema:contentMediaType"),
        CheckId("schema:minItems"),
        CheckId("schema:maxItems"),
        CheckId("schema:uniqueItems"),
        CheckId("schema:contains"),
        CheckId("schema:additionalItems"),
        CheckId("schema:unevaluatedItems"),
        CheckId("schema:minProperties"),
        CheckId("schema:maxProperties"),
        CheckId("schema:required"),
        CheckId("schema:dependentRequired"),
        CheckId("schema:dependencies"),
        CheckId("schema:propertyNames"),
        CheckId("schema:additionalProperties"),
        CheckId("schema:unevaluatedProperties"),
        CheckId("schema:anyOf"),
        CheckId("schema:oneOf"),
        CheckId("schema:not"),
        CheckId("schema:false"),
        CheckId("content:control_characters"),
        CheckId("content:invisible_characters"),
        CheckId("content:encoding_damage"),
        CheckId("content:blank_strings"),
        CheckId("content:placeholder_text"),
        CheckId("content:embedded_json"),
        CheckId("content:unsafe_numbers"),
        CheckId::BOUNDS_RANGE,
        CheckId("consistency:sum_equals"),
        CheckId("consistency:gte"),
        CheckId("consistency:lte"),
        CheckId("consistency:exists_in"),
        CheckId("consistency:unique"),
    ];

    /// The check of this full name.
    pub fn named(name: &str) -> Option<CheckId> {
        CheckId::ALL.iter().copied().find(|check| check.0 == name)
    }

    /// The check of a schema keyword that asserts something, or of `false`.
    pub(crate) fn of_keyword(keyword: &str) -> CheckId {
        let of = |check: &&CheckId| check.0.strip_prefix("schema:") == Some(keyword);
        // The compiler's keywords and this list are held together by a test.
        CheckId::ALL.iter().find(of).copied().unwrap_or(CheckId("schema:false"))
    }

    /// The full name, such as `schema:type`.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// The anchor of its entry in `docs/checks.md`, as GitHub makes it of the heading: in small
    /// letters, without the colon.
    pub fn anchor(self) -> String {
        self.0.replace(':', "").to_ascii_lowercase()
    }

    /// The family.
    pub fn family(self) -> Family {
        match self.0.split_once(':') {
            Some(("schema", _)) => Family::Schema,
            Some(("content", _)) => Family::Content,
            Some(("bounds", _)) => Family::Bounds,
            _ => Family::Consistency,
        }
    }
}

impl std::fmt::Display for CheckId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (place, check) in CheckId::ALL.iter().enumerate() {
            assert_eq!(CheckId::named(check.as_str()), Some(*check));
            assert!(!CheckId::ALL[..place].contains(check), "{check}");
        }
        assert_eq!(CheckId::of_keyword("type").as_str(), "schema:type");
        assert_eq!(CheckId::of_keyword("false").family(), Family::Schema);
        assert_eq!(CheckId::named("schema:nothing"), None);
    }
}
