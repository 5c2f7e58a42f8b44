//! In which year, month, day or hour is a timestamp?
//!
//! In: days, or microseconds, from 1970-01-01. Out: the count of whole units from there.
//! Spec: Partition Transforms.
//!
//! Invariant: every division floors, so that one microsecond before 1970 is hour, day, month and year -1.

use crate::value::datetime::{MICROS_PER_DAY, civil_from_days};

const MICROS_PER_HOUR: i64 = 3_600_000_000;

/// Whole microseconds of nanoseconds.
#[inline]
pub fn nanos_to_micros(nanos: i64) -> i64 {
    nanos.div_euclid(1_000)
}

/// Days from 1970-01-01 of microseconds. Every i64 of microseconds has fewer days than an i32 holds.
#[inline]
pub fn day(micros: i64) -> i32 {
    micros.div_euclid(MICROS_PER_DAY) as i32
}

/// Hours from 1970-01-01 00:00 of microseconds, wrapping beyond 32 bits (245,000 years away) as the reference
/// implementation does.
#[inline]
pub fn hour(micros: i64) -> i32 {
    micros.div_euclid(MICROS_PER_HOUR) as i32
}

/// Years from 1970 of days.
#[inline]
pub fn year(days: i32) -> i32 {
    (civil_from_days(i64::from(days)).0 - 1970) as i32
}

/// Months from 1970-01 of days.
#[inline]
pub fn month(days: i32) -> i32 {
    let (year, month, _) = civil_from_days(i64::from(days));
    ((year - 1970) * 12 + i64::from(month) - 1) as i32
}
