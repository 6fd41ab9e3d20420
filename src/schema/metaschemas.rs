//! The dialects' own meta-schemas, built in: a schema is judged by them, and may refer to them.

use std::sync::OnceLock;

use super::{Draft, Schema};
use crate::json::Document;

macro_rules! documents {
    ($($uri:literal => $file:literal,)*) => {
        /// The URIs and texts of all of them.
        const TEXTS: &[(&str, &str)] = &[$(($uri, include_str!(concat!("metaschemas/", $file))),)*];
    };
}

documents! {
    "http://json-schema.org/draft-04/schema" => "draft-04.json",
    "http://json-schema.org/draft-06/schema" => "draft-06.json",
    "http://json-schema.org/draft-07/schema" => "draft-07.json",
    "https://json-schema.org/draft/2019-09/schema" => "draft-2019-09/schema.json",
    "https://json-schema.org/draft/2019-09/meta/core" => "draft-2019-09/core.json",
    "https://json-schema.org/draft/2019-09/meta/applicator" => "draft-2019-09/applicator.json",
    "https://json-schema.org/draft/2019-09/meta/validation" => "draft-2019-09/validation.json",
    "https://json-schema.org/draft/2019-09/meta/meta-data" => "draft-2019-09/meta-data.json",
    "https://json-schema.org/draft/2019-09/meta/format" => "draft-2019-09/format.json",
    "https://json-schema.org/draft/2019-09/meta/content" => "draft-2019-09/content.json",
    "https://json-schema.org/draft/2020-12/schema" => "draft-2020-12/schema.json",
    "https://json-schema.org/draft/2020-12/meta/core" => "draft-2020-12/core.json",
    "https://json-schema.org/draft/2020-12/meta/applicator" => "draft-2020-12/applicator.json",
    "https://json-schema.org/draft/2020-12/meta/unevaluated" => "draft-2020-12/unevaluated.json",
    "https://json-schema.org/draft/2020-12/meta/validation" => "draft-2020-12/validation.json",
    "https://json-schema.org/draft/2020-12/meta/meta-data" => "draft-2020-12/meta-data.json",
    "https://json-schema.org/draft/2020-12/meta/format-annotation" => "draft-2020-12/format-annotation.json",
    "https://json-schema.org/draft/2020-12/meta/format-assertion" => "draft-2020-12/format-assertion.json",
    "https://json-schema.org/draft/2020-12/meta/content" => "draft-2020-12/content.json",
}

/// The built-in document of a URI (without fragment), in either spelling of the scheme.
pub(super) fn document(uri: &str) -> Option<&'static Document<'static>> {
    static DOCUMENTS: [OnceLock<Option<Document<'static>>>; TEXTS.len()] =
        [const { OnceLock::new() }; TEXTS.len()];
    let bare = |uri: &str| -> Option<usize> {
        let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        TEXTS
            .iter()
            .position(|(known, _)| known.split_once("://").is_some_and(|(_, known)| known == rest))
    };
    let place = bare(uri)?;
    DOCUMENTS[place].get_or_init(|| Document::parse(TEXTS[place].1.as_bytes()).ok()).as_ref()
}

/// The meta-schemas that come in several documents, in one: the vocabularies' `properties` together, and
/// the recursion, which no further dialect extends here, as plain references. Compiling the documents
/// themselves would be half of what checking one small output takes.
fn in_one(draft: Draft) -> Option<&'static Document<'static>> {
    static ALL: [OnceLock<Option<Document<'static>>>; 2] = [const { OnceLock::new() }; 2];
    let (place, text) = match draft {
        Draft::Draft201909 => (0, include_str!("metaschemas/draft-2019-09/in-one.json")),
        Draft::Draft202012 => (1, include_str!("metaschemas/draft-2020-12/in-one.json")),
        _ => return None,
    };
    ALL[place].get_or_init(|| Document::parse(text.as_bytes()).ok()).as_ref()
}

/// A draft's meta-schema, compiled once a process.
pub(super) fn schema(draft: Draft) -> Option<&'static Schema<'static>> {
    static SCHEMAS: [OnceLock<Option<Schema<'static>>>; Draft::ALL.len()] =
        [const { OnceLock::new() }; Draft::ALL.len()];
    SCHEMAS[draft as usize]
        .get_or_init(|| {
            let root = in_one(draft).or_else(|| document(draft.uri()))?.root();
            super::compile::compile(root, draft).ok()
        })
        .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_document_reads_and_every_meta_schema_compiles() {
        for (uri, _) in TEXTS {
            assert!(document(uri).is_some(), "{uri}");
        }
        for draft in Draft::ALL {
            let schema = schema(draft).unwrap_or_else(|| panic!("{}", draft.name()));
            let itself = document(draft.uri()).unwrap().root();
            assert!(schema.is_valid(itself), "{}", draft.name());
        }
    }

    #[test]
    fn in_one_document_they_say_the_same_of_every_keyword() {
        let values = [
            "null",
            "true",
            "0",
            "1",
            "-1",
            "1.5",
            "\"\"",
            "\"a\"",
            "\"(\"",
            "\"#a\"",
            "\"string\"",
            "\"https://a.example/b\"",
            "\"a b\"",
            "[]",
            "[1]",
            "[\"a\"]",
            "[\"a\",\"a\"]",
            "[\"null\",\"string\"]",
            "[{}]",
            "[{\"type\":1}]",
            "{}",
            "{\"a\":1}",
            "{\"a\":{}}",
            "{\"a\":[]}",
            "{\"a\":[\"b\"]}",
            "{\"a\":{\"type\":1}}",
            "{\"(\":{}}",
            "{\"type\":1}",
        ];
        for draft in [Draft::Draft201909, Draft::Draft202012] {
            let documents =
                super::super::compile::compile(document(draft.uri()).unwrap().root(), draft);
            let (documents, in_one) = (documents.unwrap(), schema(draft).unwrap());
            let in_all = TEXTS.iter().filter(|(uri, _)| uri.contains(draft.name()));
            let mut names = vec!["unknown".to_owned()];
            for (uri, _) in in_all {
                let properties = document(uri).unwrap().root().get("properties").unwrap();
                names.extend(properties.members().map(|member| member.name().to_owned()));
            }
            assert!(names.len() > 50);
            for name in names {
                for value in values {
                    for text in [
                        format!("{{\"{name}\":{value}}}"),
                        format!("{{\"items\":{{\"$defs\":{{\"a\":{{\"{name}\":{value}}}}}}}}}"),
                        format!("{{\"allOf\":[true,{{\"{name}\":{value}}}]}}"),
                    ] {
                        let schema = Document::parse(text.as_bytes()).unwrap();
                        let (a, b) =
                            (documents.is_valid(schema.root()), in_one.is_valid(schema.root()));
                        assert_eq!(a, b, "{text}");
                    }
                }
            }
            for text in values {
                let schema = Document::parse(text.as_bytes()).unwrap();
                assert_eq!(
                    documents.is_valid(schema.root()),
                    in_one.is_valid(schema.root()),
                    "{text}"
                );
            }
        }
    }
}
