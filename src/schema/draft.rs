//! The five dialects, and where each of them holds subschemas.

use crate::text;

/// A dialect of JSON Schema. Later ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Draft {
    /// draft-04
    Draft4,
    /// draft-06
    Draft6,
    /// draft-07
    Draft7,
    /// 2019-09
    Draft201909,
    /// 2020-12
    Draft202012,
}

impl Draft {
    /// All of them, oldest first.
    pub const ALL: [Draft; 5] =
        [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012];

    /// The dialect that a schema without `$schema` is read in.
    pub const DEFAULT: Draft = Draft::Draft202012;

    /// The URI of its meta-schema, without an empty fragment.
    pub fn uri(self) -> &'static str {
        match self {
            Draft::Draft4 => "http://json-schema.org/draft-04/schema",
            Draft::Draft6 => "http://json-schema.org/draft-06/schema",
            Draft::Draft7 => "http://json-schema.org/draft-07/schema",
            Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Its usual name, such as `draft-07`.
    pub fn name(self) -> &'static str {
        match self {
            Draft::Draft4 => "draft-04",
            Draft::Draft6 => "draft-06",
            Draft::Draft7 => "draft-07",
            Draft::Draft201909 => "2019-09",
            Draft::Draft202012 => "2020-12",
        }
    }

    /// The dialect of a `$schema`; an `http:` or `https:` and a `#` spelling are the same.
    pub fn of_uri(uri: &str) -> Option<Draft> {
        let bare = |uri: &str| -> Option<String> {
            let uri = uri.strip_suffix('#').unwrap_or(uri);
            let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
            Some(rest.to_owned())
        };
        let asked = bare(uri)?;
        Draft::ALL.into_iter().find(|draft| bare(draft.uri()).as_ref() == Some(&asked))
    }

    /// What to write in place of an unknown `$schema`.
    pub(super) fn advice(uri: &str) -> String {
        let known = Draft::ALL.map(Draft::uri);
        match text::closest(uri, known) {
            Some(near) => format!("Did you mean '{near}'?"),
            None => format!("Use one of: {}.", known.map(|uri| format!("'{uri}'")).join(", ")),
        }
    }

    /// The keyword that names a resource.
    pub(super) fn id_keyword(self) -> &'static str {
        if self == Draft::Draft4 { "id" } else { "$id" }
    }

    /// Whether `$ref` makes its draft ignore every keyword beside it.
    pub(super) fn ref_hides_siblings(self) -> bool {
        self <= Draft::Draft7
    }
}

/// How a keyword's value holds subschemas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// The value is one
    One,
    /// Each element is one
    Each,
    /// The value is one, or each element is
    OneOrEach,
    /// Each member's value is one
    Members,
    /// Each member's value is one, save arrays (`dependencies`)
    MembersSaveArrays,
}

/// What a keyword holds in a draft; `None` where it holds no subschema or is not a keyword.
pub(super) fn holds(draft: Draft, keyword: &str) -> Option<Holds> {
    use Draft::{Draft6, Draft7, Draft201909, Draft202012};
    let (since, until, holds) = match keyword {
        "additionalProperties" | "not" => (Draft::Draft4, Draft202012, Holds::One),
        "additionalItems" => (Draft::Draft4, Draft201909, Holds::One),
        "items" if draft >= Draft202012 => (Draft202012, Draft202012, Holds::One),
        "items" => (Draft::Draft4, Draft201909, Holds::OneOrEach),
        "contains" | "propertyNames" => (Draft6, Draft202012, Holds::One),
        "if" | "then" | "else" => (Draft7, Draft202012, Holds::One),
        "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => {
            (Draft201909, Draft202012, Holds::One)
        }
        "allOf" | "anyOf" | "oneOf" => (Draft::Draft4, Draft202012, Holds::Each),
        "prefixItems" => (Draft202012, Draft202012, Holds::Each),
        // Later drafts renamed `definitions` but keep it in their meta-schemas, and many use it.
        "properties" | "patternProperties" | "definitions" => {
            (Draft::Draft4, Draft202012, Holds::Members)
        }
        "$defs" | "dependentSchemas" => (Draft201909, Draft202012, Holds::Members),
        "dependencies" => (Draft::Draft4, Draft7, Holds::MembersSaveArrays),
        _ => return None,
    };
    (since <= draft && draft <= until).then_some(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_dialect_is_that_dialect() {
        for draft in Draft::ALL {
            let uri = draft.uri();
            assert_eq!(Draft::of_uri(uri), Some(draft));
            assert_eq!(Draft::of_uri(&format!("{uri}#")), Some(draft));
            assert_eq!(Draft::of_uri(&uri.replace("https:", "http:")), Some(draft));
            assert_eq!(Draft::of_uri(&uri.replace("http:", "https:")), Some(draft));
        }
        assert_eq!(Draft::of_uri("https://example.com/mine"), None);
        assert_eq!(Draft::of_uri("http://json-schema.org/schema#"), None);
    }

    #[test]
    fn keywords_hold_subschemas_in_their_drafts_only() {
        assert_eq!(holds(Draft::Draft202012, "prefixItems"), Some(Holds::Each));
        assert_eq!(holds(Draft::Draft201909, "prefixItems"), None);
        assert_eq!(holds(Draft::Draft202012, "items"), Some(Holds::One));
        assert_eq!(holds(Draft::Draft4, "items"), Some(Holds::OneOrEach));
        assert_eq!(holds(Draft::Draft6, "if"), None);
        assert_eq!(holds(Draft::Draft7, "enum"), None);
    }
}
