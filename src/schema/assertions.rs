//! What single assertions look at, for judging and for explaining alike.

use base64::Engine as _;

use super::{Limit, Threshold};
use crate::decimal::Decimal;
use crate::json::{Document, Number, Value, ValueHasher};

pub(super) fn is_within(number: Number<'_>, limit: &Threshold, kind: Limit) -> bool {
    let at_once = match limit {
        Threshold::Double(limit) => {
            number.as_exact_double().and_then(|number| number.partial_cmp(limit))
        }
        Threshold::Decimal(_) => None,
    };
    let order = at_once.unwrap_or_else(|| match limit {
        Threshold::Double(limit) => number.to_decimal().cmp(&Decimal::from_f64(*limit)),
        Threshold::Decimal(limit) => number.to_decimal().cmp(limit),
    });
    match kind {
        Limit::AtLeast => order.is_ge(),
        Limit::AtMost => order.is_le(),
        Limit::Above => order.is_gt(),
        Limit::Below => order.is_lt(),
    }
}

/// The members that others call for, with those others.
pub(super) fn missing_dependents<'a>(
    dependencies: &'a [(&str, Box<[&str]>)],
    value: Value<'_>,
) -> Vec<(&'a str, &'a str)> {
    dependencies
        .iter()
        .filter(|(name, _)| value.get(name).is_some())
        .flat_map(|(name, wanted)| wanted.iter().map(move |wanted| (*name, *wanted)))
        .filter(|(_, wanted)| value.get(wanted).is_none())
        .collect()
}

/// The positions of two equal elements.
pub(super) fn repeated_element(hasher: &ValueHasher, array: Value<'_>) -> Option<(usize, usize)> {
    if array.elements().len() < 2 {
        return None;
    }
    let elements: Vec<Value<'_>> = array.elements().collect();
    let mut hashes: Vec<(u64, usize)> =
        elements.iter().enumerate().map(|(at, &element)| (hasher.hash(element), at)).collect();
    hashes.sort_unstable();
    let same_hash = hashes.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
    let pairs = same_hash.filter_map(|run| {
        run[1..].iter().map(|&(_, at)| (run[0].1, at)).find(|&(a, b)| elements[a] == elements[b])
    });
    pairs.min_by_key(|&(_, second)| second)
}

pub(super) fn base64_content(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

pub(super) fn is_json_content(text: &str, base64: bool) -> bool {
    if !base64 {
        return Document::parse(text.as_bytes()).is_ok();
    }
    base64_content(text).is_some_and(|bytes| Document::parse(&bytes).is_ok())
}
