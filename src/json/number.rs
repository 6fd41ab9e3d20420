//! Number literals of the common kind, read and judged by their digits alone.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Significant digits that every double keeps: no two numbers of so many digits are the same double,
/// so the shortest digits of the double are these.
pub(super) const EXACT_DIGITS: usize = 15;

/// The double nearest to a literal that the reader let through.
pub(super) fn to_double(literal: &str) -> f64 {
    // The reader let only finite literals through.
    few_digits(literal.as_bytes()).unwrap_or_else(|| literal.parse().unwrap_or_default())
}

/// The double of an integer literal of up to [`EXACT_DIGITS`] digits, which is the integer itself.
pub(super) fn few_digits_of_integer(literal: &str) -> Option<f64> {
    let (negative, digits) = without_sign(literal.as_bytes());
    if digits.len() > EXACT_DIGITS {
        return None;
    }
    let number = appended(0, digits)? as f64;
    Some(if negative { -number } else { number })
}

/// The double of a literal of few digits without an exponent: both numbers of the quotient are exact, so
/// it is rounded once, as it has to be.
fn few_digits(literal: &[u8]) -> Option<f64> {
    let (negative, digits) = without_sign(literal);
    // The digits and the point.
    if digits.len() > EXACT_DIGITS + 1 {
        return None;
    }
    let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(digits.len());
    let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
    if whole.len() + fraction.len() > EXACT_DIGITS {
        return None;
    }
    let number = appended(appended(0, whole)?, fraction)?;
    let quotient = number as f64 / POWERS.get(fraction.len())?;
    Some(if negative { -quotient } else { quotient })
}

fn without_sign(literal: &[u8]) -> (bool, &[u8]) {
    match literal {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    }
}

/// A number with more digits behind it; `None` where they are none.
fn appended(number: u64, digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(number, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + u64::from(digit))
    })
}

/// Whether a literal with a fraction stands as ECMAScript's `Number::toString` writes it. False where
/// that takes more than a look.
pub(super) fn is_canonical_fraction(literal: &str) -> bool {
    let digits = literal.strip_prefix('-').unwrap_or(literal).as_bytes();
    if digits.len() > EXACT_DIGITS + 1 {
        return false;
    }
    let Some(point) = digits.iter().position(|&byte| byte == b'.') else {
        return false;
    };
    let (whole, fraction) = (&digits[..point], &digits[point + 1..]);
    // Numbers below 10^-6 are written with an exponent.
    let is_small = whole == b"0" && fraction.starts_with(b"000000");
    !is_small
        && fraction.last().is_some_and(|last| (b'1'..=b'9').contains(last))
        && fraction.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_ends_of_what_is_taken_at_a_look() {
        for (literal, canonical) in [
            ("0.1", true),
            ("-12.5", true),
            ("0.000001", true),
            ("0.0000001", false),
            ("99999999999999.9", true),
            ("999999999999999.9", false),
            ("1.50", false),
            ("1.0", false),
            ("-0.0", false),
            ("1.5e3", false),
            ("1e3", false),
            ("1.5e-12", false),
        ] {
            assert_eq!(is_canonical_fraction(literal), canonical, "{literal}");
        }
        assert!(to_double("-0.0").is_sign_negative());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn digits_are_read_and_printed_as_doubles_are(
            literal in "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?(e-?[0-9]{1,2})?"
        ) {
            let double: f64 = literal.parse().unwrap();
            prop_assert_eq!(to_double(&literal).to_bits(), double.to_bits());
            if !literal.contains(['.', 'e']) && let Some(few) = few_digits_of_integer(&literal) {
                prop_assert_eq!(few.to_bits(), double.to_bits());
            }
            if is_canonical_fraction(&literal) {
                let mut printed = ryu_js::Buffer::new();
                prop_assert_eq!(printed.format_finite(double), literal.as_str());
            }
        }
    }
}
