//! Objects that are maps: their names are data, such as ids, dates or words, and differ from one
//! output to the next. Describing each name would reject every other one.

use std::collections::BTreeMap;

use crate::schema::has_format;

use super::shape::{Objects, Presence, Shape};

/// Turns every object that is plainly a map into one, at every depth.
pub(super) fn find_maps(shape: &mut Shape) {
    if let Some(arrays) = &mut shape.arrays {
        find_maps(&mut arrays.elements);
    }
    if let Some(objects) = &mut shape.objects {
        if objects.entries.is_none() && is_map(objects) {
            objects.make_map();
        }
        match &mut objects.entries {
            Some(entries) => find_maps(entries),
            None => objects.members.values_mut().for_each(|member| find_maps(&mut member.shape)),
        }
    }
}

/// Names from which on one object alone is taken for a map if its values are alike.
const MANY: usize = 64;

fn is_map(objects: &Objects) -> bool {
    let names = objects.members.len();
    if names < 2 || !are_alike(objects) {
        return false;
    }
    let everywhere = objects.members.values().filter(|m| m.count == objects.count).count();
    let entries: u64 = objects.members.values().map(|member| member.count).sum();
    // Most names are in few of the objects.
    let varies =
        names >= 8 && names as u64 * objects.count >= 2 * entries && everywhere * 4 < names;
    let large = names >= MANY && (objects.count < 3 || everywhere < names);
    varies || large || are_data(objects)
}

/// Whether all values are of one kind, and objects among them have much the same members.
fn are_alike(objects: &Objects) -> bool {
    let mut kinds = [0u64; 5];
    for Presence { shape, .. } in objects.members.values() {
        let has = [
            shape.booleans > 0,
            shape.numbers() > 0,
            shape.texts.is_some(),
            shape.arrays.is_some(),
            shape.objects.is_some(),
        ];
        kinds.iter_mut().zip(has).for_each(|(count, has)| *count += u64::from(has));
    }
    if kinds.iter().filter(|&&count| count > 0).count() != 1 {
        return false;
    }
    let with_members = kinds[4];
    with_members == 0 || have_like_members(objects, with_members)
}

fn have_like_members(objects: &Objects, with_members: u64) -> bool {
    let mut seen = BTreeMap::new();
    for inner in objects.members.values().filter_map(|member| member.shape.objects.as_deref()) {
        for name in inner.members.keys() {
            *seen.entry(name.as_str()).or_insert(0u64) += 1;
        }
    }
    let common = seen.values().filter(|&&count| 2 * count > with_members).count();
    2 * common >= seen.len() && !seen.is_empty()
}

/// Whether the names themselves say that they are data.
fn are_data(objects: &Objects) -> bool {
    let names = || objects.members.keys().map(String::as_str);
    let plain = |name: &str| {
        is_number(name)
            || ["date", "date-time", "uuid", "email"].iter().any(|format| has_format(format, name))
            || name.contains("://")
            || name.starts_with('/')
    };
    if names().all(plain) {
        return true;
    }
    // Fields are numbered too (`line_1`, `line_2`) and may have a dot in their names: here it takes
    // more of them.
    names().count() >= 5 && (names().all(is_numbered) || names().all(is_host))
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Such as `user_17`.
fn is_numbered(name: &str) -> bool {
    let front = name.trim_end_matches(|c: char| c.is_ascii_digit());
    front.len() < name.len() && front.ends_with(['_', '-', ':', '#'])
}

/// Such as `example.com`.
fn is_host(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    labels.len() >= 2 && labels.iter().all(is_label)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::template::tests::schema;

    fn map_of(kind: &str) -> serde_json::Value {
        json!({"type": "object", "additionalProperties": {"type": kind}})
    }

    fn object(names: impl Iterator<Item = String>, value: &str) -> String {
        let members: Vec<String> = names.map(|name| format!("\"{name}\": {value}")).collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn names_that_are_data_make_a_map() {
        for sample in [
            r#"{"2024-01-01": 1, "2024-01-02": 2}"#,
            r#"{"17": 1, "4": 2}"#,
            r#"{"/a": 1, "/b/c": 2}"#,
            r#"{"a@b.example": 1, "c@d.example": 2}"#,
            r#"{"user_1": 1, "user_2": 1, "user_3": 1, "user_9": 1, "user_12": 1}"#,
            r#"{"a.example": 1, "b.example": 1, "c.example": 1, "d.org": 1, "e.f.net": 1}"#,
        ] {
            assert_eq!(schema(&[sample]), map_of("integer"), "{sample}");
        }
        for sample in [
            r#"{"2024-01-01": 1, "2024-01-02": "a"}"#,
            r#"{"17": 1}"#,
            r#"{"line_1": "a", "line_2": "b"}"#,
            r#"{"totals.net": 1, "totals.gross": 2}"#,
            r#"{"a": 1, "b": 2, "c": 3}"#,
        ] {
            assert!(schema(&[sample])["properties"].is_object(), "{sample}");
        }
    }

    #[test]
    fn names_that_differ_from_one_object_to_the_next_make_a_map() {
        let samples: Vec<String> = (0..5)
            .map(|n| object((0..3).map(|m| format!("w{}", (b'a' + 3 * n + m) as char)), "1.5"))
            .collect();
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        assert_eq!(schema(&samples), map_of("number"));
        // With the same names in all of them it is a record, whatever their number.
        let fixed = object((0..100).map(|n| format!("f{n}")), "1");
        let record = schema(&[&fixed, &fixed, &fixed]);
        assert_eq!(record["properties"].as_object().unwrap().len(), 100);
        assert_eq!(schema(&[&fixed]), map_of("integer"), "there is nothing to tell");
    }

    #[test]
    fn beyond_a_number_of_names_there_is_no_record() {
        let large = object((0..5_000).map(|n| format!("n{n}")), "{\"a\": [true]}");
        let fixed = [large.as_str(); 4];
        let value = json!({"type": "object", "required": ["a"],
            "properties": {"a": {"type": "array", "items": {"type": "boolean"}}}});
        assert_eq!(schema(&fixed), json!({"type": "object", "additionalProperties": value}));
        let small = object((0..200).map(|n| format!("s{n}")), "{\"a\": []}");
        assert_eq!(schema(&[&large, &small]), schema(&[&small, &large]));
    }

    #[test]
    fn values_of_a_map_are_alike() {
        let like = r#"{"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2, "c": 3}}"#;
        assert_eq!(schema(&[like])["additionalProperties"]["required"], json!(["a", "b"]));
        let unlike = r#"{"1": {"a": 1, "b": 2}, "2": {"c": 1, "d": 2}}"#;
        assert!(schema(&[unlike])["properties"].is_object());
    }
}
