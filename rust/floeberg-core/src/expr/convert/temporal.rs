//! Which date or timestamp does a literal mean?
//!
//! In: an integer in the column's unit, ISO 8601 text, or a value that is a day or moment already. Out: its place.
//! Spec: Primitive Types.
//!
//! Invariant: a moment with a zone is never compared with one without. A day is the moment of its midnight.

use super::lattice::Position;
use super::{Converted, expected};
use crate::error::{Error, Result};
use crate::expr::RawLiteral;
use crate::schema::PrimitiveType;
use crate::value::Value;
use crate::value::datetime::{
    MICROS_PER_DAY, Moment, NANOS_PER_DAY, parse_date, parse_time, parse_timestamp,
};

const NANOS_PER_MICRO: i128 = 1_000;

/// A literal that names a time.
enum Written {
    /// In the column's own unit.
    Units(i128),
    /// Nanoseconds from 1970-01-01, no zone.
    Naive(i128),
    /// Nanoseconds from 1970-01-01 UTC.
    Zoned(i128),
    /// Microseconds from midnight.
    TimeOfDay(i64),
}

/// The place among the values of a date, time or timestamp type.
pub(super) fn temporal(literal: &RawLiteral, target: &PrimitiveType) -> Result<Converted> {
    let nanos_per_unit = match target {
        PrimitiveType::Date => i128::from(NANOS_PER_DAY),
        PrimitiveType::TimestampNs | PrimitiveType::TimestamptzNs => 1,
        _ => NANOS_PER_MICRO,
    };
    let zoned = matches!(target, PrimitiveType::Timestamptz | PrimitiveType::TimestamptzNs);
    let place = match written(literal, target)? {
        Written::Units(number) => Position::At(number),
        Written::TimeOfDay(micros) if *target == PrimitiveType::Time => Position::At(i128::from(micros)),
        Written::Naive(nanos) if !zoned && *target != PrimitiveType::Time => {
            Position::divided(nanos, nanos_per_unit)
        }
        Written::Zoned(nanos) if zoned => Position::divided(nanos, nanos_per_unit),
        Written::Naive(_) if zoned => {
            return Err(Error::invalid_input(
                "expected a timestamp with a time zone, as '2020-01-01T00:00:00+00:00', or an integer",
            ));
        }
        Written::Zoned(_) => {
            return Err(Error::invalid_input(
                "expected a date or a timestamp without a time zone, or an integer",
            ));
        }
        Written::Naive(_) | Written::TimeOfDay(_) => return Err(expected(kind(target))),
    };
    Ok(among(place, target))
}

/// The value of `TIMESTAMP '..'`: with or without a zone, in nanoseconds only where microseconds are too coarse.
///
/// Errors: `InvalidInput`.
pub(in crate::expr) fn parse_any_timestamp(text: &str) -> Result<Value> {
    let moment = parse_timestamp(text.trim())?;
    match (moment.micros(), moment.has_zone()) {
        (Ok(micros), false) => Ok(Value::Timestamp(micros)),
        (Ok(micros), true) => Ok(Value::Timestamptz(micros)),
        (Err(_), false) => Ok(Value::TimestampNs(moment.nanos()?)),
        (Err(_), true) => Ok(Value::TimestamptzNs(moment.nanos()?)),
    }
}

fn written(literal: &RawLiteral, target: &PrimitiveType) -> Result<Written> {
    match literal {
        RawLiteral::Integer(number) => Ok(Written::Units(*number)),
        RawLiteral::String(text) => parse(text.trim(), target),
        RawLiteral::Typed(value) => match value {
            Value::Int(number) => Ok(Written::Units(i128::from(*number))),
            Value::Long(number) => Ok(Written::Units(i128::from(*number))),
            Value::Date(days) => Ok(Written::Naive(i128::from(*days) * i128::from(NANOS_PER_DAY))),
            Value::Time(micros) => Ok(Written::TimeOfDay(*micros)),
            Value::Timestamp(micros) => Ok(Written::Naive(i128::from(*micros) * NANOS_PER_MICRO)),
            Value::Timestamptz(micros) => Ok(Written::Zoned(i128::from(*micros) * NANOS_PER_MICRO)),
            Value::TimestampNs(nanos) => Ok(Written::Naive(i128::from(*nanos))),
            Value::TimestamptzNs(nanos) => Ok(Written::Zoned(i128::from(*nanos))),
            Value::String(text) => parse(text.trim(), target),
            _ => Err(expected(kind(target))),
        },
        RawLiteral::Boolean(_)
        | RawLiteral::Float(_)
        | RawLiteral::Decimal { .. }
        | RawLiteral::Binary(_) => Err(expected(kind(target))),
    }
}

fn parse(text: &str, target: &PrimitiveType) -> Result<Written> {
    match target {
        PrimitiveType::Time => parse_time(text).map(Written::TimeOfDay),
        PrimitiveType::Date => match parse_timestamp(text) {
            Ok(moment) => in_nanos(moment),
            // The longer years of a day, and the better message.
            Err(_) => {
                parse_date(text).map(|days| Written::Naive(i128::from(days) * i128::from(NANOS_PER_DAY)))
            }
        },
        _ => in_nanos(parse_timestamp(text)?),
    }
}

fn in_nanos(moment: Moment) -> Result<Written> {
    let nanos = match moment.nanos() {
        Ok(nanos) => i128::from(nanos),
        Err(_) => i128::from(moment.micros()?) * NANOS_PER_MICRO,
    };
    Ok(if moment.has_zone() { Written::Zoned(nanos) } else { Written::Naive(nanos) })
}

fn among(place: Position, target: &PrimitiveType) -> Converted {
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    match target {
        PrimitiveType::Date => {
            place.among(i128::from(i32::MIN), i128::from(i32::MAX), |days| Value::Date(days as i32))
        }
        PrimitiveType::Time => {
            place.among(0, i128::from(MICROS_PER_DAY) - 1, |micros| Value::Time(micros as i64))
        }
        PrimitiveType::Timestamptz => place.among(least, most, |micros| Value::Timestamptz(micros as i64)),
        PrimitiveType::TimestampNs => place.among(least, most, |nanos| Value::TimestampNs(nanos as i64)),
        PrimitiveType::TimestamptzNs => place.among(least, most, |nanos| Value::TimestamptzNs(nanos as i64)),
        _ => place.among(least, most, |micros| Value::Timestamp(micros as i64)),
    }
}

fn kind(target: &PrimitiveType) -> &'static str {
    match target {
        PrimitiveType::Date => "a day, as '2020-01-01', or an integer of days from 1970-01-01",
        PrimitiveType::Time => "a time of day, as '10:00:00', or an integer of microseconds",
        PrimitiveType::TimestampNs | PrimitiveType::TimestamptzNs => {
            "a moment, as '2020-01-01T10:00:00', or an integer of nanoseconds from 1970-01-01"
        }
        _ => "a moment, as '2020-01-01T10:00:00', or an integer of microseconds from 1970-01-01",
    }
}
