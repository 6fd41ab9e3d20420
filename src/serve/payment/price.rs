//! Prices: dollars as the operator writes them, atomic units as x402 sends them. Without floats.

use std::fmt;
use std::str::FromStr;

/// The decimal places of USDC, on every network that is known here.
const PLACES: usize = 6;

/// The most that a price may be, in dollars: whoever types more has typed a zero too many.
const MAX_DOLLARS: u64 = 1_000_000;

/// A price, in atomic units of USDC (millionths of a dollar). Never zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Price(u64);

/// Why a text is no price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PriceError {
    NotDecimal,
    TooFine,
    TooMuch,
    Zero,
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PriceError::NotDecimal => f.write_str("is no amount in dollars, such as 0.02"),
            PriceError::TooFine => write!(f, "has more than {PLACES} decimal places"),
            PriceError::TooMuch => write!(f, "is over {MAX_DOLLARS} dollars"),
            PriceError::Zero => f.write_str("is zero; what is free needs no payment"),
        }
    }
}

impl std::error::Error for PriceError {}

impl FromStr for Price {
    type Err = PriceError;

    fn from_str(text: &str) -> Result<Price, PriceError> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return Err(PriceError::NotDecimal),
            Some(parts) => parts,
            None => (text, ""),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return Err(PriceError::NotDecimal);
        }
        if fraction.len() > PLACES {
            return Err(PriceError::TooFine);
        }
        // Only digits: what does not fit is too much.
        let dollars: u64 = whole.parse().map_err(|_| PriceError::TooMuch)?;
        if dollars > MAX_DOLLARS {
            return Err(PriceError::TooMuch);
        }
        let millionths: u64 =
            format!("{fraction:0<PLACES$}").parse().map_err(|_| PriceError::NotDecimal)?;
        match dollars * 10_u64.pow(PLACES as u32) + millionths {
            0 => Err(PriceError::Zero),
            units => Ok(Price(units)),
        }
    }
}

impl Price {
    /// Millionths of a dollar.
    pub(crate) fn units(self) -> u64 {
        self.0
    }
}

/// In dollars with two places at least: `$0.02`.
impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_u64.pow(PLACES as u32);
        let fraction = format!("{:0PLACES$}", self.0 % scale);
        let cents = fraction.trim_end_matches('0');
        write!(f, "${}.{cents:0<2}", self.0 / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_become_units_exactly() {
        for (text, units, shown) in [
            ("0.02", 20_000, "$0.02"),
            ("0.01", 10_000, "$0.01"),
            ("0.1", 100_000, "$0.10"),
            ("0.29", 290_000, "$0.29"),
            ("1", 1_000_000, "$1.00"),
            ("0.000001", 1, "$0.000001"),
            ("4.350000", 4_350_000, "$4.35"),
            ("007.5", 7_500_000, "$7.50"),
            ("1000000", 1_000_000_000_000, "$1000000.00"),
        ] {
            let price: Price = text.parse().unwrap();
            assert_eq!((price.units(), price.to_string().as_str()), (units, shown), "{text}");
        }
    }

    #[test]
    fn what_is_no_price_is_refused() {
        use PriceError::{NotDecimal, TooFine, TooMuch, Zero};
        for (text, error) in [
            ("", NotDecimal),
            (".5", NotDecimal),
            ("5.", NotDecimal),
            ("-1", NotDecimal),
            ("+1", NotDecimal),
            ("1e-2", NotDecimal),
            ("0,02", NotDecimal),
            ("$0.02", NotDecimal),
            ("0.02 ", NotDecimal),
            ("0.0.2", NotDecimal),
            ("٠", NotDecimal),
            ("0", Zero),
            ("0.000000", Zero),
            ("0.0000001", TooFine),
            ("1000001", TooMuch),
            ("99999999999999999999999", TooMuch),
        ] {
            assert_eq!(text.parse::<Price>(), Err(error), "{text}");
        }
    }
}
