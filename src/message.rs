//! Values and lists in messages.

use crate::decimal;
use crate::jcs;
use crate::json::{Kind, Number, Value};
use crate::text::{QUOTE_LIMIT, quoted, shortened};

/// A value as messages quote it: scalars as JSON, doubles as Python prints them (`135.0`), arrays
/// and objects by their size when they are large; 200 characters at most.
pub(crate) fn short(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Integer | Kind::Double => value.as_number().map(number).unwrap_or_default(),
        Kind::String => quoted_value(value.as_str().unwrap_or_default()),
        Kind::Array | Kind::Object
            if value.end_index() - value.index() > 64 || value.source().len() > 4 * QUOTE_LIMIT =>
        {
            kind_of(value)
        }
        _ => shortened(&String::from_utf8_lossy(&jcs::to_vec(value))),
    }
}

fn quoted_value(text: &str) -> String {
    let cut = shortened(text);
    let mut bytes = Vec::with_capacity(cut.len() + 2);
    jcs::write_string(&cut, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A number as messages print it: an integer as its digits, a double as Python's `repr`.
pub(crate) fn number(number: Number<'_>) -> String {
    match number {
        Number::Integer("-0") => "0".to_owned(),
        Number::Integer(digits) => shortened(digits),
        Number::Double(double) => decimal::python_repr(double),
    }
}

/// A value with its kind, where the value alone would not tell what is wrong: `"3" (string)`.
pub(crate) fn short_with_kind(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Array | Kind::Object => kind_of(value),
        Kind::Integer => format!("{} (integer)", short(value)),
        kind => format!("{} ({})", short(value), kind.name()),
    }
}

/// A value's kind and size: `an object with 3 members`.
pub(crate) fn kind_of(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Boolean => "a boolean".to_owned(),
        Kind::Integer => "an integer".to_owned(),
        Kind::Double => "a number".to_owned(),
        Kind::String => "a string".to_owned(),
        Kind::Array if value.is_empty() => "an empty array".to_owned(),
        Kind::Array => format!("an array of {}", count(value.len() as u64, "element", "elements")),
        Kind::Object if value.is_empty() => "an empty object".to_owned(),
        Kind::Object => {
            format!("an object with {}", count(value.len() as u64, "member", "members"))
        }
    }
}

/// `1 element`, `2 elements`.
pub(crate) fn count(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Parts joined by commas, cut at 200 characters or so with a count of the rest.
pub(crate) fn list(parts: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for part in parts {
        if !text.is_empty() && (left_out > 0 || text.len() + part.len() > QUOTE_LIMIT) {
            left_out += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&part);
    }
    if left_out > 0 {
        text.push_str(&format!(" and {left_out} more"));
    }
    text
}

/// Names in quotes, joined by commas.
pub(crate) fn quoted_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(names.into_iter().map(quoted))
}
