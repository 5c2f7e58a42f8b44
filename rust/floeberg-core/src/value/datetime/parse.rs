//! Which day or moment does a text name?

use super::MICROS_PER_DAY;
use super::calendar::{days_from_civil, days_in_month};
use crate::error::{Error, Result, beginning};

/// A moment as it was written, before it gets a column's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    seconds: i64,
    nanos: u32,
    offset_seconds: Option<i32>,
}

impl Moment {
    /// Was an offset (`Z`, `+02:00`) written? Then the moment counts from 1970-01-01 UTC.
    pub fn has_zone(&self) -> bool {
        self.offset_seconds.is_some()
    }

    /// The offset that was written, in seconds east of UTC.
    pub fn offset_seconds(&self) -> Option<i32> {
        self.offset_seconds
    }

    /// Microseconds from 1970-01-01.
    ///
    /// Errors: `InvalidInput` where digits beyond the microsecond are not zero, or 64 bits are too few.
    pub fn micros(&self) -> Result<i64> {
        if !self.nanos.is_multiple_of(1_000) {
            return Err(Error::invalid_input(
                "expected at most 6 fraction digits (microseconds), found more",
            ));
        }
        self.scaled(1_000_000, i64::from(self.nanos / 1_000))
    }

    /// Nanoseconds from 1970-01-01.
    ///
    /// Errors: `InvalidInput` where 64 bits are too few (years before 1677 and after 2262).
    pub fn nanos(&self) -> Result<i64> {
        self.scaled(1_000_000_000, i64::from(self.nanos))
    }

    fn scaled(&self, per_second: i64, fraction: i64) -> Result<i64> {
        let total = i128::from(self.seconds) * i128::from(per_second) + i128::from(fraction);
        i64::try_from(total).map_err(|_| {
            Error::invalid_input(format!(
                "a timestamp of {} seconds from 1970 does not fit into 64 bits of 1/{per_second} seconds",
                self.seconds
            ))
        })
    }
}

/// Days from 1970-01-01 of `2017-11-16`.
///
/// Years have four digits, or a sign and more. Errors: `InvalidInput`.
pub fn parse_date(text: &str) -> Result<i32> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let days = cursor.date().filter(|_| cursor.rest.is_empty());
    days.and_then(|days| i32::try_from(days).ok()).ok_or_else(|| wrong("a date like 2017-11-16", text))
}

/// Microseconds from midnight of `22:31:08.123456`; seconds and fraction may be missing.
///
/// Errors: `InvalidInput`, also for fraction digits beyond the microsecond that are not zero.
pub fn parse_time(text: &str) -> Result<i64> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    match cursor.time().filter(|(_, nanos)| cursor.rest.is_empty() && nanos.is_multiple_of(1_000)) {
        Some((seconds, nanos)) => Ok(seconds * 1_000_000 + i64::from(nanos / 1_000)),
        None => Err(wrong("a time like 22:31:08.123456", text)),
    }
}

/// The moment of `2017-11-16T22:31:08.123456+00:00`.
///
/// A space may stand for the `T`; seconds, fraction (at most 9 digits), offset (`Z`, `+hh:mm`, `+hh`) and the
/// whole time (midnight then) may be missing. Errors: `InvalidInput`.
pub fn parse_timestamp(text: &str) -> Result<Moment> {
    Cursor { rest: text.as_bytes() }
        .moment()
        .ok_or_else(|| wrong("a timestamp like 2017-11-16T22:31:08.123456", text))
}

fn wrong(expected: &str, found: &str) -> Error {
    let shown = beginning(found);
    Error::invalid_input(format!("expected {expected}, found {shown:?}"))
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        if !wanted.contains(first) {
            return None;
        }
        self.rest = rest;
        Some(*first)
    }

    /// A number of `least` to `most` digits, and how many there were.
    fn digits(&mut self, least: usize, most: usize) -> Option<(i64, usize)> {
        let count = self.rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        if count < least {
            return None;
        }
        let (number, rest) = self.rest.split_at(count);
        self.rest = rest;
        Some((number.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), count))
    }

    fn two(&mut self, most: i64) -> Option<i64> {
        self.digits(2, 2).map(|(number, _)| number).filter(|number| *number <= most)
    }

    fn date(&mut self) -> Option<i64> {
        let sign = self.take(b"+-");
        let (digits, _) = self.digits(4, if sign.is_some() { 9 } else { 4 })?;
        let year = if sign == Some(b'-') { -digits } else { digits };
        self.take(b"-")?;
        let month = self.two(12).filter(|month| *month >= 1)? as u32;
        self.take(b"-")?;
        let day = self.two(31).filter(|day| *day >= 1)? as u32;
        (day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))
    }

    /// Seconds from midnight and nanoseconds.
    fn time(&mut self) -> Option<(i64, u32)> {
        let hour = self.two(23)?;
        self.take(b":")?;
        let minute = self.two(59)?;
        let (mut second, mut nanos) = (0, 0);
        if self.take(b":").is_some() {
            second = self.two(59)?;
            if self.take(b".").is_some() {
                let (fraction, count) = self.digits(1, 9)?;
                nanos = fraction as u32 * 10_u32.pow(9 - count as u32);
            }
        }
        Some((hour * 3600 + minute * 60 + second, nanos))
    }

    fn offset(&mut self) -> Option<i32> {
        if self.take(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.take(b"+-")? == b'-' { -1 } else { 1 };
        let hours = self.two(18)?;
        let minutes = if self.take(b":").is_some() { self.two(59)? } else { 0 };
        Some(sign * (hours * 3600 + minutes * 60) as i32)
    }

    fn moment(&mut self) -> Option<Moment> {
        let midnight = self.date()? * (MICROS_PER_DAY / 1_000_000);
        if self.rest.is_empty() {
            return Some(Moment { seconds: midnight, nanos: 0, offset_seconds: None });
        }
        self.take(b"Tt ")?;
        let (seconds, nanos) = self.time()?;
        let offset_seconds = if self.rest.is_empty() { None } else { Some(self.offset()?) };
        let seconds = midnight + seconds - i64::from(offset_seconds.unwrap_or(0));
        self.rest.is_empty().then_some(Moment { seconds, nanos, offset_seconds })
    }
}
