//! Which date, time or timestamp does a string mean?
//!
//! In: ISO 8601 text. Out: days, microseconds or nanoseconds from 1970-01-01, and back to text.
//! Spec: Primitive Types; Appendix D, JSON single-value serialization.
//!
//! Invariant: integers only, proleptic Gregorian calendar, every division floors. Years outside 0000 to 9999
//! are written with a sign. Errors are `InvalidInput`: the text came from a user until a caller knows better.

mod calendar;
mod format;
mod parse;

pub use calendar::{civil_from_days, days_from_civil, days_in_month};
pub use format::{
    format_date, format_time, format_timestamp, format_timestamp_ns, format_timestamptz,
    format_timestamptz_ns,
};
pub use parse::{Moment, parse_date, parse_time, parse_timestamp};

/// Microseconds in a day.
pub const MICROS_PER_DAY: i64 = 86_400_000_000;
/// Nanoseconds in a day.
pub const NANOS_PER_DAY: i64 = 86_400_000_000_000;
