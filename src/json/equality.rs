//! Equality by value: JSON Schema 2020-12 Core §4.2.2, used by `const`, `enum`, `uniqueItems` and
//! the rules `unique` and `exists_in` alike.
//!
//! Numbers are equal by mathematical value (`1` and `1.0`), strings byte for byte, objects whatever
//! the order of their members.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};

use super::number::few_digits_of_integer;
use super::{Kind, Number, Value, is_same};
use crate::decimal::Decimal;

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Boolean, Kind::Boolean) => self.as_bool() == other.as_bool(),
            (Kind::String, Kind::String) => match (self.as_str(), other.as_str()) {
                (Some(a), Some(b)) => is_same(a.as_bytes(), b.as_bytes()),
                _ => false,
            },
            (Kind::Integer | Kind::Double, Kind::Integer | Kind::Double) => {
                match (self.as_number(), other.as_number()) {
                    (Some(a), Some(b)) => a.equals(b),
                    _ => false,
                }
            }
            (Kind::Array, Kind::Array) => {
                self.len() == other.len()
                    && self.elements().zip(other.elements()).all(|(a, b)| a == b)
            }
            (Kind::Object, Kind::Object) => {
                self.len() == other.len()
                    && self.members().all(|member| other.get(member.name()) == Some(member.value()))
            }
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

impl Number<'_> {
    /// The value as a double where comparing it as one is exact: integers of few digits, since the
    /// shortest decimal of a double rounds to that double, and rounding is monotonic.
    pub(crate) fn as_exact_double(self) -> Option<f64> {
        match self {
            Number::Integer(literal) => few_digits_of_integer(literal),
            Number::Double(double) => Some(double),
        }
    }

    /// The exact value.
    pub fn to_decimal(self) -> Decimal {
        match self {
            Number::Integer(digits) => Decimal::from_integer_literal(digits),
            Number::Double(double) => Decimal::from_f64(double),
        }
    }

    /// Compares the mathematical values exactly.
    pub fn compare(self, other: Number<'_>) -> std::cmp::Ordering {
        if let (Some(a), Some(b)) = (self.as_exact_double(), other.as_exact_double())
            && let Some(order) = a.partial_cmp(&b)
        {
            return order;
        }
        self.to_decimal().cmp(&other.to_decimal())
    }

    fn equals(self, other: Number<'_>) -> bool {
        self.compare(other).is_eq()
    }

    /// Whether the value is mathematically an integer.
    pub fn is_integral(self) -> bool {
        match self {
            Number::Integer(_) => true,
            Number::Double(double) => double.fract() == 0.0,
        }
    }
}

/// Hashes values so that equal ones agree, with keys drawn per process: who writes the data cannot
/// make its values collide.
#[derive(Clone, Default, Debug)]
pub struct ValueHasher {
    keys: RandomState,
}

impl ValueHasher {
    /// The hash of one value.
    pub fn hash(&self, value: Value<'_>) -> u64 {
        let mut hasher = self.keys.build_hasher();
        match value.kind() {
            Kind::Null => 0u8.hash(&mut hasher),
            Kind::Boolean => (1u8, value.as_bool()).hash(&mut hasher),
            Kind::String => (2u8, value.as_str()).hash(&mut hasher),
            Kind::Integer | Kind::Double => {
                3u8.hash(&mut hasher);
                match value.as_number().map(|number| (number, number.as_exact_double())) {
                    // Beyond 15 digits an integer and a double can be equal without both being
                    // exact as doubles; the exact decimal is the same for both.
                    Some((_, Some(double))) if double.abs() < 1e15 => {
                        (double + 0.0).to_bits().hash(&mut hasher);
                    }
                    Some((number, _)) => number.to_decimal().hash(&mut hasher),
                    None => {}
                }
            }
            Kind::Array => {
                (4u8, value.len()).hash(&mut hasher);
                for element in value.elements() {
                    self.hash(element).hash(&mut hasher);
                }
            }
            Kind::Object => {
                // A sum is the same in any order.
                let members = value.members().fold(0u64, |sum, member| {
                    let member = (member.name(), self.hash(member.value()));
                    sum.wrapping_add(self.keys.hash_one(member))
                });
                (5u8, value.len(), members).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let (a, b) =
            (Document::parse(a.as_bytes()).unwrap(), Document::parse(b.as_bytes()).unwrap());
        let hasher = ValueHasher::default();
        let equal = a.root() == b.root();
        assert_eq!(equal, b.root() == a.root());
        if equal {
            assert_eq!(hasher.hash(a.root()), hasher.hash(b.root()), "{a:?} {b:?}");
        }
        equal
    }

    #[test]
    fn hashes_cannot_be_foreseen() {
        let texts = ["null", "true", "1", "\"a\"", "[]", "{}", "[1]", r#"{"a":1}"#, "1e300"];
        for text in texts {
            let document = Document::parse(text.as_bytes()).unwrap();
            let hash = || ValueHasher::default().hash(document.root());
            assert_ne!(hash(), hash(), "{text}");
        }
    }

    #[test]
    fn values_are_equal_by_value() {
        for (a, b) in [
            ("1", "1.0"),
            ("0", "-0.0"),
            ("-0", "0"),
            ("1e2", "100"),
            ("10000000000000000000000", "1e22"),
            ("1000000000000000", "1e15"),
            ("123456789012345", "123456789012345.0"),
            ("-123456789012345", "-123456789012345.0"),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1}"#),
            (r#""\u0041""#, r#""A""#),
            ("[]", " [ ] "),
        ] {
            assert!(equal(a, b), "{a} {b}");
        }
    }

    #[test]
    fn and_unequal_otherwise() {
        for (a, b) in [
            ("1", "true"),
            ("1", "\"1\""),
            ("0", "false"),
            ("null", "0"),
            ("[]", "{}"),
            ("9007199254740993", "9007199254740992"),
            ("9007199254740993", "9007199254740992.0"),
            ("12345678901234567890123", "12345678901234567890124"),
            (r#""é""#, "\"e\u{301}\""),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"c":2}"#, r#"{"a":1,"b":2}"#),
            ("[0]", "[false]"),
            ("0.1", "0.10000000000000002"),
        ] {
            assert!(!equal(a, b), "{a} {b}");
        }
    }
}
