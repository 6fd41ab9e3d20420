//! Exact decimal numbers, and how a double prints in messages.
//!
//! Owns the arithmetic of bounds, rules and `multipleOf`: adding, comparing and testing for
//! multiples, always on the decimal number that a reader sees (`0.1` is one tenth, although no
//! double is). Nothing is ever rounded. It refuses nothing either: its callers pass only finite
//! doubles and integer literals of the JSON grammar (RFC 8259 §6).

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::ops::{Add, AddAssign, Sub};

use num_bigint::BigUint;
use smallvec::SmallVec;

/// Decimal digits in one limb: the most that leave a `u64` room for a sum of two and a carry.
const LIMB_DIGITS: usize = 18;

/// The value of one unit of the next higher limb.
const BASE: u64 = POWERS_OF_TEN[LIMB_DIGITS];

/// `10^0` to `10^18`.
const POWERS_OF_TEN: [u64; LIMB_DIGITS + 1] = {
    let mut powers = [1; LIMB_DIGITS + 1];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// An exact decimal number: a sign, and a coefficient times a power of ten.
///
/// The coefficient is kept in groups of 18 decimal digits whose places are fixed relative to the
/// decimal point. Numbers of any two magnitudes are therefore already aligned: adding never
/// multiplies, not even where `1e308` meets `5e-324`, and a running sum touches only the groups
/// that an addend has. Zero groups at either end are not kept, so each number has exactly one
/// representation, and equality and hashing are those of the fields.
///
/// Up to three groups, which hold sums of everyday amounts, live inline without allocation.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Never set for zero.
    negative: bool,
    /// The place of the first limb: limb `i` counts units of `BASE^(low + i)`. 0 for zero.
    low: i32,
    /// Least significant first, each below `BASE`, the first and the last not 0. Empty for zero.
    limbs: SmallVec<[u64; 3]>,
}

impl Decimal {
    /// The number 0.
    pub const ZERO: Decimal = Decimal { negative: false, low: 0, limbs: SmallVec::new_const() };

    /// The number that an integer literal (`-?[0-9]+`) stands for; `-0` is 0.
    ///
    /// Text of any other form gives an unspecified number.
    pub fn from_integer_literal(digits: &str) -> Decimal {
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, digits),
        };
        debug_assert!(!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        // The remainder keeps every limb below BASE, whatever the text holds.
        let value = |digit: &u8| u64::from(digit.wrapping_sub(b'0') % 10);
        let limb = |group: &[u8]| group.iter().fold(0, |limb, digit| limb * 10 + value(digit));
        let limbs = digits.as_bytes().rchunks(LIMB_DIGITS).map(limb);
        let mut number = Decimal { negative, low: 0, limbs: limbs.collect() };
        number.trim();
        number
    }

    /// The number that a finite double stands for: the shortest decimal that reads back as it.
    ///
    /// A double that is not finite gives an unspecified number.
    pub fn from_f64(value: f64) -> Decimal {
        debug_assert!(value.is_finite());
        let magnitude = value.abs();
        // Most numbers have at most 15 digits, four of them after the point. No two decimals of up
        // to 15 digits read as the same double, and division rounds as reading does: where the
        // quotient is the double, the dividend holds its shortest digits.
        let scaled = (magnitude * 1e4 + 0.5) as u64;
        let shortest = if scaled < 10_u64.pow(15) && scaled as f64 / 1e4 == magnitude {
            Shortest { coefficient: scaled, exponent: -4 }
        } else {
            Shortest::of(magnitude)
        };
        Decimal::from_shortest(value.is_sign_negative(), shortest)
    }

    fn from_shortest(negative: bool, shortest: Shortest) -> Decimal {
        let coefficient = shortest.coefficient;
        if coefficient == 0 {
            return Decimal::ZERO;
        }
        let limb_digits = LIMB_DIGITS as i32;
        let low = shortest.exponent.div_euclid(limb_digits);
        let shift = shortest.exponent.rem_euclid(limb_digits) as usize;
        // 17 digits, wherever they start, reach into two limbs at most.
        let split = POWERS_OF_TEN[LIMB_DIGITS - shift];
        let lower = coefficient % split * POWERS_OF_TEN[shift];
        let (low, limbs) = match (lower, coefficient / split) {
            (0, upper) => (low + 1, SmallVec::from_slice(&[upper])),
            (lower, 0) => (low, SmallVec::from_slice(&[lower])),
            (lower, upper) => (low, SmallVec::from_slice(&[lower, upper])),
        };
        Decimal { negative, low, limbs }
    }

    /// The number without its sign.
    pub fn abs(&self) -> Decimal {
        Decimal { negative: false, ..self.clone() }
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// Whether this is below 0.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether this has no fraction; `1.0` has none.
    pub fn is_integer(&self) -> bool {
        self.low >= 0
    }

    /// Whether `self / divisor` is an integer. 0 is a multiple of everything, and the only
    /// multiple of 0; signs do not matter.
    pub fn is_multiple_of(&self, divisor: &Decimal) -> bool {
        if self.is_zero() {
            return true;
        }
        if divisor.is_zero() || self.cmp_magnitude(divisor).is_lt() {
            return false;
        }
        // Let self be c·10^e and divisor d·10^f, neither c nor d ending in 0. Where e < f,
        // c would have to end in 0 to be a multiple of d·10^(f-e); else d must divide
        // c·10^(e-f).
        let Ok(scale) = u32::try_from(self.exponent() - divisor.exponent()) else {
            return false;
        };
        let small = divisor.coefficient_steps().try_fold(0_u64, |value, (factor, digits)| {
            value.checked_mul(factor)?.checked_add(digits)
        });
        // Every double's coefficient is small; only integer literals have larger ones.
        match small {
            Some(modulus) => {
                let modulus = u128::from(modulus);
                let remainder = self.coefficient_steps().fold(0, |value, (factor, digits)| {
                    (value * u128::from(factor) + u128::from(digits)) % modulus
                });
                (remainder * power_of_ten_modulo(scale, modulus)).is_multiple_of(modulus)
            }
            None => {
                let dividend = self.coefficient() * BigUint::from(10_u32).pow(scale);
                dividend % divisor.coefficient() == BigUint::ZERO
            }
        }
    }

    /// The place after the last limb.
    fn top(&self) -> i32 {
        // Thousands of digits are hundreds of limbs: the cast cannot truncate.
        self.low + self.limbs.len() as i32
    }

    /// Adds a number with the magnitude of `other` and the given sign.
    fn accumulate(&mut self, other: &Decimal, other_negative: bool) {
        if other.is_zero() {
            return;
        }
        self.widen(other);
        let offset = self.low.abs_diff(other.low) as usize;
        let limbs = self.limbs.as_mut_slice();
        if self.negative == other_negative {
            if add_limbs(&mut limbs[offset..], &other.limbs) {
                self.limbs.push(1);
            }
        } else if subtract_limbs(&mut limbs[offset..], &other.limbs) {
            // The other magnitude was the greater one, and the limbs now hold the difference as
            // a complement.
            self.negative = other_negative;
            let mut borrow = 0;
            for limb in limbs {
                *limb = subtract_limb(0, *limb, &mut borrow);
            }
        }
        self.trim();
    }

    /// Adds zero limbs until every place of `other`, which is not zero, has a limb.
    fn widen(&mut self, other: &Decimal) {
        if self.is_zero() {
            self.low = other.low;
        }
        if self.top() < other.top() {
            self.limbs.resize(other.top().abs_diff(self.low) as usize, 0);
        }
        if self.low > other.low {
            let added = self.low.abs_diff(other.low) as usize;
            let old_len = self.limbs.len();
            self.limbs.resize(old_len + added, 0);
            self.limbs.copy_within(..old_len, added);
            self.limbs[..added].fill(0);
            self.low = other.low;
        }
    }

    /// Restores the one representation: no zero limb at either end, no negative zero.
    fn trim(&mut self) {
        let limbs = self.limbs.as_slice();
        let Some(first) = limbs.iter().position(|&limb| limb != 0) else {
            *self = Decimal::ZERO;
            return;
        };
        let above = limbs.iter().rev().take_while(|&&limb| limb == 0).count();
        let len = limbs.len() - above;
        self.limbs.truncate(len);
        if first > 0 {
            self.limbs.copy_within(first.., 0);
            self.limbs.truncate(len - first);
            self.low += first as i32;
        }
    }

    /// Compares without the signs: by the highest place, then limb by limb from there.
    fn cmp_magnitude(&self, other: &Decimal) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        // Lexicographic order is right also where one number's limbs begin the other's: what the
        // longer one has besides ends in a limb that is not 0.
        let limbs = || self.limbs.iter().rev().cmp(other.limbs.iter().rev());
        self.top().cmp(&other.top()).then_with(limbs)
    }

    /// The decimal zeros at the end of the first limb.
    fn zeros(&self) -> usize {
        let ends_in = |zeros: &usize| {
            self.limbs.first().is_some_and(|limb| limb.is_multiple_of(POWERS_OF_TEN[*zeros]))
        };
        (1..LIMB_DIGITS).take_while(ends_in).count()
    }

    /// The power of ten of the last digit that is not 0.
    fn exponent(&self) -> i32 {
        self.low * LIMB_DIGITS as i32 + self.zeros() as i32
    }

    /// The digits from the first to the last that is not 0, as steps of Horner's scheme: starting
    /// from 0, multiply by each first item and add the second.
    fn coefficient_steps(&self) -> impl Iterator<Item = (u64, u64)> {
        let zeros = self.zeros();
        self.limbs.iter().enumerate().rev().map(move |(index, &limb)| match index {
            0 => (POWERS_OF_TEN[LIMB_DIGITS - zeros], limb / POWERS_OF_TEN[zeros]),
            _ => (BASE, limb),
        })
    }

    /// The digits from the first to the last that is not 0, as one integer.
    fn coefficient(&self) -> BigUint {
        self.coefficient_steps()
            .fold(BigUint::ZERO, |value, (factor, digits)| value * factor + digits)
    }
}

/// Adds into the lower limbs of `sum` and says whether a carry leaves its last one.
fn add_limbs(sum: &mut [u64], addend: &[u64]) -> bool {
    let (aligned, above) = sum.split_at_mut(addend.len());
    let mut carry = false;
    for (limb, addend) in aligned.iter_mut().zip(addend) {
        *limb += addend + u64::from(carry);
        carry = *limb >= BASE;
        if carry {
            *limb -= BASE;
        }
    }
    for limb in above {
        if !carry {
            break;
        }
        carry = *limb == BASE - 1;
        *limb = if carry { 0 } else { *limb + 1 };
    }
    carry
}

/// Subtracts from the lower limbs of `difference` and says whether its last one had to borrow.
fn subtract_limbs(difference: &mut [u64], subtrahend: &[u64]) -> bool {
    let (aligned, above) = difference.split_at_mut(subtrahend.len());
    let mut borrow = 0;
    for (limb, &subtrahend) in aligned.iter_mut().zip(subtrahend) {
        *limb = subtract_limb(*limb, subtrahend, &mut borrow);
    }
    for limb in above {
        if borrow == 0 {
            break;
        }
        *limb = subtract_limb(*limb, 0, &mut borrow);
    }
    borrow != 0
}

/// One step of a subtraction; `borrow` is 0 or 1, before and after.
fn subtract_limb(limb: u64, subtrahend: u64, borrow: &mut u64) -> u64 {
    let (difference, borrowed) = limb.overflowing_sub(subtrahend + *borrow);
    *borrow = u64::from(borrowed);
    if borrowed { difference.wrapping_add(BASE) } else { difference }
}

/// `10^exponent mod modulus`, by squaring; the modulus is below 2^64, so products fit.
fn power_of_ten_modulo(mut exponent: u32, modulus: u128) -> u128 {
    let mut power = 1 % modulus;
    let mut square = 10 % modulus;
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * square % modulus;
        }
        square = square * square % modulus;
        exponent /= 2;
    }
    power
}

impl Clone for Decimal {
    fn clone(&self) -> Decimal {
        // Copies the limbs at once; their own `clone` goes limb by limb and costs more than adding.
        Decimal { limbs: SmallVec::from_slice(&self.limbs), ..*self }
    }
}

impl AddAssign<&Decimal> for Decimal {
    fn add_assign(&mut self, addend: &Decimal) {
        self.accumulate(addend, addend.negative);
    }
}

impl Add for &Decimal {
    type Output = Decimal;

    fn add(self, addend: &Decimal) -> Decimal {
        // Starting from the one that reaches lower saves moving the other's limbs up.
        let (longer, shorter) =
            if self.low <= addend.low { (self, addend) } else { (addend, self) };
        let mut sum = longer.clone();
        sum.accumulate(shorter, shorter.negative);
        sum
    }
}

impl Sub for &Decimal {
    type Output = Decimal;

    fn sub(self, subtrahend: &Decimal) -> Decimal {
        let mut difference = self.clone();
        difference.accumulate(subtrahend, !subtrahend.negative);
        difference
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (negative, other_negative) => other_negative.cmp(&negative),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Every digit and no exponent: `129.5`, `-0.001`, `135`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut padded = String::new();
        for place in (self.low.min(0)..self.top().max(1)).rev() {
            if place == -1 {
                padded.push('.');
            }
            let limb = usize::try_from(place - self.low).ok().and_then(|i| self.limbs.get(i));
            write!(padded, "{:0LIMB_DIGITS$}", limb.unwrap_or(&0))?;
        }
        let mut text = padded.trim_start_matches('0');
        if text.contains('.') {
            text = text.trim_end_matches('0');
        }
        let sign = if self.negative { "-" } else { "" };
        let zero = if text.is_empty() || text.starts_with('.') { "0" } else { "" };
        write!(f, "{sign}{zero}{text}")
    }
}

/// The shortest round-trip decimal of a double without its sign, `coefficient · 10^exponent`.
struct Shortest {
    /// At most 17 digits.
    coefficient: u64,
    exponent: i32,
}

impl Shortest {
    /// The digits that ECMAScript prints; the last one is not 0 unless it is the only one.
    fn of(value: f64) -> Shortest {
        let mut buffer = ryu_js::Buffer::new();
        let mut bytes = buffer.format_finite(value.abs()).bytes();
        let mut coefficient = 0;
        let mut exponent = 0;
        let mut in_fraction = false;
        // Zeros count as digits only once another digit follows: `format_finite` pads with up to
        // 20 of them, which a `u64` would not hold.
        let mut zeros = 0;
        for byte in bytes.by_ref() {
            match byte {
                b'.' => in_fraction = true,
                b'e' => break,
                digit => {
                    zeros += 1;
                    exponent -= i32::from(in_fraction);
                    if digit != b'0' {
                        coefficient = coefficient * POWERS_OF_TEN[zeros] + u64::from(digit - b'0');
                        zeros = 0;
                    }
                }
            }
        }
        if coefficient != 0 {
            exponent += zeros as i32;
        }
        // What is left is the exponent, with a sign, or nothing.
        let negative = bytes.next() == Some(b'-');
        let written = bytes.fold(0, |written, digit| written * 10 + i32::from(digit - b'0'));
        exponent += if negative { -written } else { written };
        Shortest { coefficient, exponent }
    }
}

/// How a double prints in messages, which is how Python's `repr` prints it: `135.0`, `1e+21`,
/// `1e-05`; with an exponent where that would be below -4 or above 15.
pub fn python_repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let Shortest { coefficient, exponent } = Shortest::of(value);
    let digits = coefficient.to_string();
    // 1 to 17 digits: the cast cannot truncate.
    let scientific = exponent + digits.len() as i32 - 1;
    match scientific {
        -4..=-1 => {
            let zeros = "0".repeat(scientific.unsigned_abs() as usize - 1);
            format!("{sign}0.{zeros}{digits}")
        }
        0..=15 => {
            // Padded so that at least one digit follows the point.
            let whole_digits = scientific as usize + 1;
            let padded = format!("{digits:0<width$}", width = whole_digits + 1);
            let (whole, fraction) = padded.split_at(whole_digits);
            format!("{sign}{whole}.{fraction}")
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{sign}{first}{point}{rest}e{scientific:+03}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use num_bigint::{BigInt, Sign};
    use proptest::prelude::*;

    use super::*;

    /// Bits of a double and `repr` of it, as CPython 3 prints it.
    const PYTHON_REPR: &[(u64, &str)] = &[
        (0x0000000000000000, "0.0"),
        (0x8000000000000000, "-0.0"),
        (0x3ff0000000000000, "1.0"),
        (0x4060e00000000000, "135.0"),
        (0x3fb999999999999a, "0.1"),
        (0xbfb999999999999a, "-0.1"),
        (0x430c6bf526340000, "1000000000000000.0"),
        (0x4341c37937e07fff, "9999999999999998.0"),
        (0x4341c37937e08000, "1e+16"),
        (0x437b69b4ba630f35, "1.2345678901234568e+17"),
        (0x444b1ae4d6e2ef50, "1e+21"),
        (0x4480f0cf064dd592, "1e+22"),
        (0x44b52d02c7e14af6, "1e+23"),
        (0x3f1a36e2eb1c432d, "0.0001"),
        (0x3ee4f8b588e368f1, "1e-05"),
        (0x3f202e4b6ce5dc68, "0.00012345"),
        (0x3f1a36371ea531a8, "9.999e-05"),
        (0x0000000000000001, "5e-324"),
        (0x0000000000000003, "1.5e-323"),
        (0x0010000000000000, "2.2250738585072014e-308"),
        (0x000fffffffffffff, "2.225073858507201e-308"),
        (0x7fefffffffffffff, "1.7976931348623157e+308"),
        (0x3d30000000000000, "5.684341886080802e-14"),
        (0x4330000000000001, "4503599627370497.0"),
        (0x4340000000000000, "9007199254740992.0"),
        (0x43e0000000000000, "9.223372036854776e+18"),
        (0x43f0000000000000, "1.8446744073709552e+19"),
        (0x4011666666666666, "4.35"),
        (0x3fd3333333333333, "0.3"),
        (0x3fd5555555555555, "0.3333333333333333"),
        (0x3fe5555555555555, "0.6666666666666666"),
        (0x4059000000000000, "100.0"),
        (0x40934a456d5cfaad, "1234.5678"),
        (0xc055e00000000000, "-87.5"),
        (0x54b249ad2594c37d, "1e+100"),
        (0x3e8421f5f40d8376, "1.5e-07"),
        (0x3e60000000000000, "2.9802322387695312e-08"),
        (0x4830f0cf064dd592, "5.764607523034235e+39"),
        (0x447c7e83209e90b2, "8.41e+21"),
        (0x4580000000000000, "6.189700196426902e+26"),
        (0x432fffffffffffff, "4503599627370495.5"),
        (0x81a56e1fc2f8f359, "-1e-300"),
        (0xf2a74de452e6b438, "-1.989032661366619e+244"),
        (0x6513270e269e0d37, "7.761117632285041e+178"),
        (0x0c5c7fd0a6a3a450, "3.980498358697587e-249"),
        (0xd23f0824128b2f33, "-1.5432835417340557e+88"),
        (0x1818e811892f902b, "1.3647584518757569e-192"),
        (0x9531985d5d9dc9f8, "-1.3701135617873088e-206"),
        (0xe8e25d940ed90475, "-1.7160537630466207e+197"),
        (0x36f675cc81e74ef5, "6.294675241195386e-44"),
        (0x1600a35a099950d8, "1.0613447212142254e-202"),
        (0x6b0d549b6f03675a, "4.708325160387546e+207"),
        (0x3d9c172411e20b8f, "6.387016158513563e-12"),
        (0x8d116ece1738f7d9, "-9.973130378568733e-246"),
    ];

    /// A number of 10^-400, which all numbers of these tests are whole multiples of.
    type Fixed = BigInt;
    const FIXED_DIGITS: i32 = 400;

    /// Reads `[-]digits[.digits][e[-]digits]`, sharing nothing with the code under test.
    fn fixed(text: &str) -> Fixed {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        digits * BigInt::from(10).pow((FIXED_DIGITS + exponent) as u32)
    }

    /// The shortest round-trip decimal by its definition: the exact value, rounded half to even
    /// to as few digits as suffice. (The standard library, which rounds half up, will not do.)
    fn shortest(value: f64) -> String {
        let exact = format!("{:.800e}", value.abs());
        let (mantissa, exponent) = exact.split_once('e').unwrap();
        let exponent = exponent.parse::<i32>().unwrap();
        let digits = mantissa.replace('.', "");
        let to_digits = |count: usize| {
            let (kept, rest) = digits.split_at(count);
            let kept = kept.parse::<u64>().unwrap();
            let up = match rest.cmp(&format!("{:0<width$}", 5, width = rest.len())) {
                Ordering::Less => 0,
                Ordering::Equal => kept % 2,
                Ordering::Greater => 1,
            };
            let sign = if value < 0.0 { "-" } else { "" };
            let text = format!("{sign}{}e{}", kept + up, exponent + 1 - count as i32);
            (text.parse() == Ok(value)).then_some(text)
        };
        (1..=17).find_map(to_digits).unwrap()
    }

    /// One number, as the code under test has it and as the tests do.
    #[derive(Clone, Debug)]
    struct Sample {
        decimal: Decimal,
        fixed: Fixed,
    }

    impl Sample {
        fn double(value: f64) -> Sample {
            Sample { decimal: Decimal::from_f64(value), fixed: fixed(&shortest(value)) }
        }

        fn literal(digits: &str) -> Sample {
            Sample { decimal: Decimal::from_integer_literal(digits), fixed: fixed(digits) }
        }
    }

    fn finite() -> impl Strategy<Value = f64> {
        use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
    }

    /// Doubles and literals of every size, most of them near enough to each other to interact.
    fn sample() -> impl Strategy<Value = Sample> {
        prop_oneof![
            4 => (-99_999_i32..99_999, 0..4).prop_map(|(cents, digits)| {
                Sample::double(f64::from(cents) / 10_f64.powi(digits))
            }),
            2 => finite().prop_map(Sample::double),
            1 => (-9_i32..=9, -330..308).prop_map(|(digit, exponent)| {
                Sample::double(format!("{digit}e{exponent}").parse().unwrap())
            }),
            2 => "-?[0-9]{1,60}".prop_map(|digits| Sample::literal(&digits)),
            2 => ("-?[1-9][0-9]{0,3}", 0_usize..80)
                .prop_map(|(digits, zeros)| Sample::literal(&(digits + &"0".repeat(zeros)))),
            2 => ("-?[0-9]{0,3}", 1_usize..80)
                .prop_map(|(digits, nines)| Sample::literal(&(digits + &"9".repeat(nines)))),
            1 => "-?[0-9]{400,700}".prop_map(|digits| Sample::literal(&digits)),
        ]
    }

    fn hash(number: &Decimal) -> u64 {
        BuildHasherDefault::<DefaultHasher>::new().hash_one(number)
    }

    fn double(value: f64) -> Decimal {
        Decimal::from_f64(value)
    }

    fn literal(digits: &str) -> Decimal {
        Decimal::from_integer_literal(digits)
    }

    /// The one representation that derived equality and hashing depend on.
    fn assert_canonical(number: &Decimal) {
        assert!(number.limbs.iter().all(|&limb| limb < BASE), "{number:?}");
        assert_ne!(number.limbs.first(), Some(&0), "{number:?}");
        assert_ne!(number.limbs.last(), Some(&0), "{number:?}");
        if number.limbs.is_empty() {
            assert!(!number.negative && number.low == 0, "{number:?}");
        }
    }

    #[test]
    fn adds_as_on_paper() {
        assert_eq!(&double(0.1) + &double(0.2), double(0.3));
        assert_eq!(&double(87.0) + &double(42.5), double(129.5));
        assert_eq!(&double(1e308) - &double(1e308), Decimal::ZERO);
        assert_eq!(&literal("9007199254740993") - &double(1.0), literal("9007199254740992"));
        let difference = (&double(129.5) - &literal("135")).abs();
        assert_eq!(difference, double(5.5));
    }

    #[test]
    fn borrows_and_carries_over_many_places() {
        let nines = literal(&"9".repeat(4_300));
        let power = &nines + &literal("1");
        assert_eq!(power, literal(&format!("1{}", "0".repeat(4_300))));
        assert_eq!(power.limbs.len(), 1);
        assert_eq!(&literal("1") - &power, literal(&format!("-{}", "9".repeat(4_300))));
        let mut sum = double(1e308);
        sum += &double(-5e-324);
        assert_eq!(sum.limbs.len(), 36);
        sum += &double(5e-324);
        assert_eq!(sum, double(1e308));
        assert_eq!(sum.limbs.len(), 1);
    }

    #[test]
    fn everyday_sums_do_not_allocate() {
        let mut sum = Decimal::ZERO;
        for value in [1e17, 0.1, 123_456.789, -1e-17, 999_999_999.99] {
            sum += &double(value);
            assert!(!sum.limbs.spilled());
        }
        assert_eq!(sum.to_string(), "100000001000123456.87899999999999999");
    }

    #[test]
    fn alternating_extremes_stay_cheap() {
        let (huge, tiny) = (double(1e308), double(5e-324));
        let mut sum = Decimal::ZERO;
        for _ in 0..25_000 {
            sum += &huge;
            sum += &tiny;
        }
        let expected = format!("25{}.{}125", "0".repeat(311), "0".repeat(318));
        assert_eq!(sum.to_string(), expected);
    }

    #[test]
    fn prints_every_digit() {
        for (number, text) in [
            (Decimal::ZERO, "0"),
            (double(-0.0), "0"),
            (literal("-0"), "0"),
            (double(135.0), "135"),
            (double(129.5), "129.5"),
            (double(-0.001), "-0.001"),
            (double(1e18), "1000000000000000000"),
            (double(1e-18), "0.000000000000000001"),
            (double(-1e-19), "-0.0000000000000000001"),
            (literal("-12345678901234567890123"), "-12345678901234567890123"),
        ] {
            assert_eq!(number.to_string(), text);
        }
        assert_eq!(double(1e308).to_string(), format!("1{}", "0".repeat(308)));
        assert_eq!(double(5e-324).to_string(), format!("0.{}5", "0".repeat(323)));
    }

    #[test]
    fn tells_signs_and_fractions() {
        assert!(double(-0.0).is_zero() && !double(-0.0).is_negative());
        assert!(double(-5e-324).is_negative() && !double(-5e-324).is_integer());
        assert!(double(1e300).is_integer() && double(3.0).is_integer());
        assert!(Decimal::ZERO.is_integer() && !double(1.5).is_integer());
        assert!(double(-1.5) < Decimal::ZERO && Decimal::ZERO < double(5e-324));
    }

    #[test]
    fn knows_multiples() {
        let long = format!("1{}1", "0".repeat(4_000));
        for (number, divisor, expected) in [
            (double(4.35), double(0.01), true),
            (double(0.3), double(0.1), true),
            (double(0.35), double(0.1), false),
            (double(1e308), double(5e-324), true),
            (double(1e308), double(1.23456789e-8), false),
            (double(5e-324), double(1e308), false),
            (Decimal::ZERO, double(1e308), true),
            (double(-7.5), double(2.5), true),
            (literal("10"), literal("100"), false),
            (literal("100"), literal("10"), true),
            (literal(&long), literal(&long), true),
            (literal(&long), literal("3"), false),
            (literal(&format!("{long}0")), literal(&long), true),
            (literal(&format!("{long}1")), literal(&long), false),
            (double(1.0), Decimal::ZERO, false),
        ] {
            assert_eq!(number.is_multiple_of(&divisor), expected, "{number} {divisor}");
        }
    }

    #[test]
    fn prints_doubles_as_python_does() {
        for &(bits, text) in PYTHON_REPR {
            assert_eq!(python_repr(f64::from_bits(bits)), text);
        }
        assert_eq!(python_repr(f64::NAN), "nan");
        assert_eq!(python_repr(f64::NEG_INFINITY), "-inf");
    }

    proptest! {
        #[test]
        fn addition_is_exact(a in sample(), b in sample()) {
            let sum = &a.decimal + &b.decimal;
            assert_canonical(&sum);
            prop_assert_eq!(fixed(&sum.to_string()), &a.fixed + &b.fixed);
            prop_assert_eq!(hash(&sum), hash(&(&b.decimal + &a.decimal)));
            prop_assert_eq!(&sum, &(&b.decimal + &a.decimal));

            let difference = &a.decimal - &b.decimal;
            assert_canonical(&difference);
            prop_assert_eq!(fixed(&difference.to_string()), &a.fixed - &b.fixed);
            prop_assert_eq!(&difference + &b.decimal, a.decimal);
        }

        #[test]
        fn addition_is_associative(a in sample(), b in sample(), c in sample()) {
            let left = &(&a.decimal + &b.decimal) + &c.decimal;
            prop_assert_eq!(left, &a.decimal + &(&b.decimal + &c.decimal));
        }

        #[test]
        fn sums_are_exact(samples in prop::collection::vec(sample(), 0..40)) {
            let mut sum = Decimal::ZERO;
            let mut expected = Fixed::ZERO;
            for sample in &samples {
                sum += &sample.decimal;
                expected += &sample.fixed;
            }
            assert_canonical(&sum);
            prop_assert_eq!(fixed(&sum.to_string()), expected);
        }

        #[test]
        fn order_is_that_of_the_numbers(a in sample(), b in sample()) {
            prop_assert_eq!(a.decimal.cmp(&b.decimal), a.fixed.cmp(&b.fixed));
            prop_assert_eq!(a.decimal == b.decimal, a.fixed == b.fixed);
            prop_assert_eq!(a.decimal.is_negative(), a.fixed.sign() == Sign::Minus);
            let one = BigInt::from(10).pow(FIXED_DIGITS as u32);
            prop_assert_eq!(a.decimal.is_integer(), &a.fixed % one == BigInt::ZERO);
            let magnitude = BigInt::from(a.fixed.magnitude().clone());
            prop_assert_eq!(fixed(&a.decimal.abs().to_string()), magnitude);
        }

        #[test]
        fn equal_numbers_of_both_kinds_hash_alike(value in -(1_i64 << 53)..=1 << 53) {
            let (literal, double) = (literal(&value.to_string()), double(value as f64));
            prop_assert_eq!(hash(&literal), hash(&double));
            prop_assert_eq!(literal, double);
        }

        #[test]
        fn doubles_keep_their_value(value in finite()) {
            let number = double(value);
            assert_canonical(&number);
            let text = number.to_string();
            prop_assert_eq!(text.parse::<f64>().unwrap(), value);
            prop_assert_eq!(fixed(&text), fixed(&shortest(value)));
        }

        #[test]
        fn multiples_are_those_of_the_definition(a in sample(), b in sample()) {
            prop_assume!(!b.decimal.is_zero());
            let divisible = &a.fixed % &b.fixed == BigInt::ZERO;
            prop_assert_eq!(a.decimal.is_multiple_of(&b.decimal), divisible);
        }

        #[test]
        fn products_are_multiples(b in sample(), factor in -300_i32..300) {
            prop_assume!(!b.decimal.is_zero());
            let step = if factor < 0 { &Decimal::ZERO - &b.decimal } else { b.decimal.clone() };
            let mut product = Decimal::ZERO;
            for _ in 0..factor.abs() {
                product += &step;
            }
            prop_assert!(product.is_multiple_of(&b.decimal));
            prop_assert_eq!(
                b.decimal.is_multiple_of(&product),
                factor.abs() == 1,
            );
        }

        #[test]
        fn repr_reads_back(value in finite()) {
            let text = python_repr(value);
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
            prop_assert!(text.contains(['.', 'e']));
        }
    }
}
