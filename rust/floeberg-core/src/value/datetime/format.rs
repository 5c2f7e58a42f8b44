//! How is a date or a timestamp written?
//!
//! The fraction of a second is left out where it is zero, and has all digits of its unit otherwise.

use super::calendar::civil_from_days;
use super::{MICROS_PER_DAY, NANOS_PER_DAY};

/// `2017-11-16` of days from 1970-01-01.
pub fn format_date(days: i32) -> String {
    date_text(i64::from(days))
}

/// `22:31:08.123456` of microseconds from midnight. A value outside a day is written modulo a day.
pub fn format_time(micros: i64) -> String {
    time_text(micros.rem_euclid(MICROS_PER_DAY), 6)
}

/// `2017-11-16T22:31:08.123456` of microseconds from 1970-01-01.
pub fn format_timestamp(micros: i64) -> String {
    let (days, rest) = (micros.div_euclid(MICROS_PER_DAY), micros.rem_euclid(MICROS_PER_DAY));
    format!("{}T{}", date_text(days), time_text(rest, 6))
}

/// `2017-11-16T22:31:08.123456+00:00` of microseconds from 1970-01-01 UTC.
pub fn format_timestamptz(micros: i64) -> String {
    format_timestamp(micros) + "+00:00"
}

/// `2017-11-16T22:31:08.123456789` of nanoseconds from 1970-01-01.
pub fn format_timestamp_ns(nanos: i64) -> String {
    let (days, rest) = (nanos.div_euclid(NANOS_PER_DAY), nanos.rem_euclid(NANOS_PER_DAY));
    format!("{}T{}", date_text(days), time_text(rest, 9))
}

/// `2017-11-16T22:31:08.123456789+00:00` of nanoseconds from 1970-01-01 UTC.
pub fn format_timestamptz_ns(nanos: i64) -> String {
    format_timestamp_ns(nanos) + "+00:00"
}

fn date_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    let sign = match year {
        0..=9999 => "",
        10_000.. => "+",
        _ => "-",
    };
    format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// A time of day in units of ten to the minus `digits` seconds.
fn time_text(units: i64, digits: u32) -> String {
    let per_second = 10_i64.pow(digits);
    let (seconds, fraction) = (units / per_second, units % per_second);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 {
        format!("{hour:02}:{minute:02}:{second:02}")
    } else {
        format!("{hour:02}:{minute:02}:{second:02}.{fraction:0width$}", width = digits as usize)
    }
}
