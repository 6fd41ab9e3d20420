//! Instants of ISO 8601 dates and date-times, as far as RFC 3339 §5.6 has them.
//!
//! Owns reading them for comparison (`full-date`, and `date-time` with or without its offset) and
//! writing timestamps. It refuses everything else that ISO 8601 knows: week and ordinal dates,
//! times without seconds, 24:00, a space for the `T`, a comma for the point, years beyond four
//! digits. Whether 60 seconds are possible is decided as RFC 3339 §5.7 does.

const SECONDS_PER_DAY: i64 = 86_400;

/// An instant on the UTC time line, exact to the last digit of the fraction that was written.
///
/// The order of the fields is the order in time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Instant {
    /// Seconds since the Unix epoch; for a leap second, those of the second before it.
    second: i64,
    /// Whether this is within a leap second, which follows the second of the same number.
    leap: bool,
    /// The digits of the fraction without zeros at the end, so that their order as text is their
    /// order as numbers, however many there are.
    fraction: Box<str>,
}

impl Instant {
    /// Microseconds since the Unix epoch, cut to whole ones; `None` in a leap second, which they
    /// have no number for.
    pub fn unix_micros(&self) -> Option<i64> {
        let digits = self.fraction.get(..6).unwrap_or(&self.fraction);
        let micros: i64 = if digits.is_empty() {
            0
        } else {
            digits.parse::<i64>().ok()? * 10_i64.pow(6 - digits.len() as u32)
        };
        (!self.leap).then(|| self.second * 1_000_000 + micros)
    }

    /// Seconds since the Unix epoch, cut to whole ones.
    pub fn unix_seconds(&self) -> i64 {
        self.second
    }
}

/// Reads a date (its midnight in UTC) or a date-time (in UTC where it has no offset).
///
/// `None` for all other text, and for dates and times that do not exist. A leap second exists at
/// the end of each month in UTC: the months that got one are not all known in advance.
pub fn parse_instant(text: &str) -> Option<Instant> {
    // Most text that is no date ends here, or at its first byte.
    let (date, rest) = text.split_at_checked(10)?;
    let days = parse_date(date)?;
    if rest.is_empty() {
        let second = days * SECONDS_PER_DAY;
        return Some(Instant { second, leap: false, fraction: Box::default() });
    }
    let (time, rest) = rest.strip_prefix(['T', 't'])?.split_at_checked(8)?;
    let (minute_of_day, second_of_minute) = parse_time(time)?;
    let (fraction, offset) = split_fraction(rest)?;

    let minute = days * (SECONDS_PER_DAY / 60) + minute_of_day - parse_offset(offset)?;
    let leap = second_of_minute == 60;
    if leap && !is_last_of_month(minute) {
        return None;
    }
    let second = minute * 60 + second_of_minute - i64::from(leap);
    Some(Instant { second, leap, fraction: fraction.trim_end_matches('0').into() })
}

/// `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` for a number of microseconds since the Unix epoch.
///
/// A year beyond 9999 has as many digits as it needs, one before 0 a minus sign.
pub fn format_utc_micros(micros: i64) -> String {
    let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (days, second_of_day) =
        (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = date_of_days(days);
    let (hour, minute, second) =
        (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    if !(0..=9999).contains(&year) {
        return format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}+00:00"
        );
    }
    // Each line of a batch has one.
    let mut text = *b"0000-00-00T00:00:00.000000+00:00";
    let mut put = |place: usize, number: i64| {
        text[place] = b'0' + (number / 10) as u8;
        text[place + 1] = b'0' + (number % 10) as u8;
    };
    put(0, year / 100);
    put(2, year % 100);
    put(5, month);
    put(8, day);
    put(11, hour);
    put(14, minute);
    put(17, second);
    put(20, fraction / 10_000);
    put(22, fraction / 100 % 100);
    put(24, fraction % 100);
    String::from_utf8_lossy(&text).into_owned()
}

/// `YYYY-MM-DD` as days since the Unix epoch.
fn parse_date(date: &str) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date.as_bytes() else {
        return None;
    };
    let year = number([y1, y2, y3, y4])?;
    let month = number([m1, m2])?;
    let day = number([d1, d2])?;
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    exists.then(|| days_of_date(year, month, day))
}

/// `HH:MM:SS` as the minute of the day and the second of the minute, which may be 60.
fn parse_time(time: &str) -> Option<(i64, i64)> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *time.as_bytes() else {
        return None;
    };
    let minute_of_day = hours_and_minutes([h1, h2], [m1, m2])?;
    let second = number([s1, s2])?;
    (second <= 60).then_some((minute_of_day, second))
}

/// The digits of the fraction that may follow the seconds, and what follows them.
fn split_fraction(text: &str) -> Option<(&str, &str)> {
    let Some(digits) = text.strip_prefix('.') else {
        return Some(("", text));
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    (end > 0).then(|| digits.split_at(end))
}

/// `Z`, `+HH:MM`, `-HH:MM` or nothing, as the minutes to subtract.
fn parse_offset(offset: &str) -> Option<i64> {
    match *offset.as_bytes() {
        [] | [b'Z' | b'z'] => Some(0),
        [b'+', h1, h2, b':', m1, m2] => hours_and_minutes([h1, h2], [m1, m2]),
        [b'-', h1, h2, b':', m1, m2] => {
            hours_and_minutes([h1, h2], [m1, m2]).map(|minutes| -minutes)
        }
        _ => None,
    }
}

/// Two digits up to 23 and two up to 59, as minutes.
fn hours_and_minutes(hours: [u8; 2], minutes: [u8; 2]) -> Option<i64> {
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 23 && minutes <= 59).then_some(hours * 60 + minutes)
}

/// The value of decimal digits.
fn number<const N: usize>(digits: [u8; N]) -> Option<i64> {
    digits.iter().try_fold(0, |value, digit| {
        digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'))
    })
}

/// Whether the minute, counted from the Unix epoch, is the last one of a month in UTC.
fn is_last_of_month(minute: i64) -> bool {
    let next = minute + 1;
    let minutes_per_day = SECONDS_PER_DAY / 60;
    next.rem_euclid(minutes_per_day) == 0 && date_of_days(next.div_euclid(minutes_per_day)).2 == 1
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the 400 years after which the Gregorian calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// Days from 0000-03-01, where eras start here, to 1970-01-01.
const DAYS_TO_EPOCH: i64 = 719_468;

/// Days since the Unix epoch of a date of the proleptic Gregorian calendar.
///
/// Years are counted from March, so that the leap day comes last and the months before it follow
/// one pattern: 153 days for every five.
fn days_of_date(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + year * 365 + year / 4 - year / 100 + day_of_year - DAYS_TO_EPOCH
}

/// The inverse of [`days_of_date`]: year, month and day.
fn date_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_EPOCH;
    let (era, day) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    // Without the leap days before it, each day is in the year that 365 divides it into.
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (year * 365 + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts, their microseconds since the epoch and their UTC form, as CPython's `datetime` has
    /// them.
    const PYTHON: &[(&str, i64, &str)] = &[
        ("1970-01-01T00:00:00+00:00", 0, "1970-01-01T00:00:00.000000+00:00"),
        ("1969-12-31T23:59:59.999999+00:00", -1, "1969-12-31T23:59:59.999999+00:00"),
        ("2000-02-29T12:00:00+00:00", 951825600000000, "2000-02-29T12:00:00.000000+00:00"),
        ("1900-02-28T23:59:59+00:00", -2203891201000000, "1900-02-28T23:59:59.000000+00:00"),
        ("1900-03-01T00:00:00+00:00", -2203891200000000, "1900-03-01T00:00:00.000000+00:00"),
        ("2026-03-01T12:00:00+09:00", 1772334000000000, "2026-03-01T03:00:00.000000+00:00"),
        ("2026-03-01T00:00:00-23:59", 1772409540000000, "2026-03-01T23:59:00.000000+00:00"),
        ("2024-12-31T23:59:59.5+00:00", 1735689599500000, "2024-12-31T23:59:59.500000+00:00"),
        ("0001-01-01T00:00:00+00:00", -62135596800000000, "0001-01-01T00:00:00.000000+00:00"),
        (
            "9999-12-31T23:59:59.999999+00:00",
            253402300799999999,
            "9999-12-31T23:59:59.999999+00:00",
        ),
        ("2100-02-28T23:30:00-01:00", 4107544200000000, "2100-03-01T00:30:00.000000+00:00"),
        ("1600-02-29T00:00:00+05:30", -11671018200000000, "1600-02-28T18:30:00.000000+00:00"),
        ("7413-09-28T14:28:32-11:23", 171787917092000000, "7413-09-29T01:51:32.000000+00:00"),
        (
            "8389-08-21T19:50:11.098695-03:17",
            202584236831098695,
            "8389-08-21T23:07:11.098695+00:00",
        ),
        ("2325-02-18T22:40:02.624360+06:56", 11206914242624360, "2325-02-18T15:44:02.624360+00:00"),
        ("2582-10-01T16:04:03-07:29", 19336577583000000, "2582-10-01T23:33:03.000000+00:00"),
        ("9826-01-25T14:20:28+11:27", 247913492008000000, "9826-01-25T02:53:28.000000+00:00"),
        ("3830-11-10T15:00:42.089117+20:43", 58722949062089117, "3830-11-09T18:17:42.089117+00:00"),
        ("4559-07-18T02:45:16+11:01", 81718040656000000, "4559-07-17T15:44:16.000000+00:00"),
        ("4737-01-03T18:49:06-04:08", 87318341826000000, "4737-01-03T22:57:06.000000+00:00"),
        ("6334-02-01T21:00:13+08:06", 137717240053000000, "6334-02-01T12:54:13.000000+00:00"),
        ("6153-12-13T13:04:36+22:05", 132032645976000000, "6153-12-12T14:59:36.000000+00:00"),
        ("4422-06-03T09:21:00-14:48", 77390986140000000, "4422-06-04T00:09:00.000000+00:00"),
        ("4038-12-04T00:03:29.835737-11:52", 65288980529835737, "4038-12-04T11:55:29.835737+00:00"),
    ];

    fn instant(text: &str) -> Instant {
        parse_instant(text).unwrap_or_else(|| panic!("{text} is an instant"))
    }

    #[test]
    fn agrees_with_python() {
        for &(text, micros, utc) in PYTHON {
            assert_eq!(format_utc_micros(micros), utc);
            assert_eq!(instant(text), instant(utc), "{text}");
            assert_eq!(instant(text).second, micros.div_euclid(1_000_000), "{text}");
        }
    }

    #[test]
    fn one_instant_has_many_spellings() {
        for text in [
            "2026-03-01",
            "2026-03-01T00:00:00",
            "2026-03-01t00:00:00z",
            "2026-03-01T00:00:00.000Z",
            "2026-03-01T00:00:00-00:00",
            "2026-03-01T09:00:00+09:00",
            "2026-02-28T00:01:00-23:59",
        ] {
            assert_eq!(instant(text), instant("2026-03-01T00:00:00Z"), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "2026",
            "2026-03",
            "2026-3-1",
            "20260301",
            "2026-W09-7",
            "2026-060",
            "2026-00-01",
            "2026-13-01",
            "2026-01-00",
            "2026-02-29",
            "2026-02-30",
            "2026-04-31",
            "1900-02-29",
            "+2026-03-01",
            "-026-03-01",
            "12026-03-01",
            " 2026-03-01",
            "2026-03-01 ",
            "2026-03-01\n",
            "2026-03-01Z",
            "2026-03-01+09:00",
            "2026-03-01T",
            "2026-03-01T12",
            "2026-03-01T12:00",
            "2026-03-01T12:00Z",
            "2026-03-01 12:00:00Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01T12:60:00Z",
            "2026-03-01T12:00:61Z",
            "2026-03-01T1:00:000Z",
            "2026-03-01T12:00:00.Z",
            "2026-03-01T12:00:00.",
            "2026-03-01T12:00:00,5Z",
            "2026-03-01T12:00:00.5.5Z",
            "2026-03-01T12:00:00 Z",
            "2026-03-01T12:00:00ZZ",
            "2026-03-01T12:00:00+24:00",
            "2026-03-01T12:00:00+09:60",
            "2026-03-01T12:00:00+0900",
            "2026-03-01T12:00:00+09",
            "2026-03-01T12:00:00\u{2212}09:00",
            "２０２６-03-01",
            "2026-03-0１",
            "2026-03-01T12:00:0１",
            "2026-03-01T12:00:00.１Z",
            "2026-03-01T12:00:00.5１Z",
        ] {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }

    #[test]
    fn leap_seconds_end_a_month_in_utc() {
        for text in [
            "1998-12-31T23:59:60Z",
            "1998-12-31T23:59:60",
            "1998-12-31T15:59:60.123-08:00",
            "1999-01-01T08:59:60+09:00",
            "2016-02-29T23:59:60Z",
            "1990-06-30T23:29:60-00:30",
        ] {
            assert!(parse_instant(text).is_some(), "{text}");
        }
        for text in [
            "1998-12-31T23:58:60Z",
            "1998-12-31T22:59:60Z",
            "1998-12-31T23:59:60-08:00",
            "1998-12-30T23:59:60Z",
            "2016-02-28T23:59:60Z",
        ] {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_exact() {
        let fraction = format!("1998-12-31T23:59:59.{}1Z", "0".repeat(100_000));
        let ordered = [
            "0000-01-01T00:00:00+23:59",
            "0000-01-01",
            "1969-12-31T23:59:59.5Z",
            "1970-01-01",
            "1998-12-31T23:59:59Z",
            &fraction,
            "1998-12-31T23:59:59.1Z",
            "1998-12-31T23:59:59.10000000000000000000000000000000000000000000000001Z",
            "1998-12-31T23:59:59.11Z",
            "1998-12-31T23:59:59.999999999999999999999999999999Z",
            "1998-12-31T23:59:60Z",
            "1998-12-31T23:59:60.9Z",
            "1999-01-01",
            "1999-01-01T00:00:00.000000000000000000000000000001Z",
            "9999-12-31T23:59:59-23:59",
        ];
        for pair in ordered.windows(2) {
            assert!(instant(pair[0]) < instant(pair[1]), "{} < {}", pair[0], pair[1]);
        }
        assert_eq!(instant("1998-12-31T23:59:59.1Z"), instant("1998-12-31T23:59:59.1000Z"));
    }

    #[test]
    fn formats_every_count() {
        assert_eq!(format_utc_micros(i64::MAX), "294247-01-10T04:00:54.775807+00:00");
        assert!(format_utc_micros(i64::MIN).starts_with("-290308-12-21T"));
    }

    #[test]
    fn dates_are_consecutive() {
        let mut days = days_of_date(0, 1, 1);
        for year in 0..=9_999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_of_date(year, month, day), days);
                    assert_eq!(date_of_days(days), (year, month, day));
                    days += 1;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in any::<String>()) {
            parse_instant(&text);
        }

        #[test]
        fn never_panics_on_what_begins_well(rest in "[Tt]?[0-9:.+Zz１-]{0,20}") {
            parse_instant(&format!("2026-03-01{rest}"));
        }

        #[test]
        fn order_is_that_of_microseconds(
            a in -62_167_219_200_000_000_i64..253_402_300_800_000_000,
            distance in -3_000_000_i64..3_000_000,
        ) {
            let b = (a + distance).clamp(-62_167_219_200_000_000, 253_402_300_799_999_999);
            let (instant_a, instant_b) =
                (instant(&format_utc_micros(a)), instant(&format_utc_micros(b)));
            prop_assert_eq!(instant_a.cmp(&instant_b), a.cmp(&b));
        }
    }
}
