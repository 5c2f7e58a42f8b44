//! How is a partition value written for people?
//!
//! In: a transform and a value, or its result type and the bytes of a bound. Out: Iceberg Java's text.
//! Spec: Manifest Lists (field summary); Appendix D, Binary single-value serialization.
//!
//! Invariant: a missing bound is the string `null`, as in Java; a bound that cannot be decoded has none.

use arrow_cast::base64::{BASE64_STANDARD, Engine as _};
use floeberg_core::schema::Type;
use floeberg_core::transform::Transform;
use floeberg_core::value::{Value, datetime, format_uuid, single_value};

use super::java_numbers;

/// The text of a bound.
pub(crate) fn bound_to_human_string(
    transform: &Transform,
    result: &Type,
    bound: Option<&[u8]>,
) -> Option<String> {
    let Some(bytes) = bound else { return Some("null".to_owned()) };
    let Type::Primitive(primitive) = result else { return None };
    let value = single_value::from_bytes(primitive, bytes).ok()?;
    Some(to_human_string(transform, &value))
}

/// The text of a partition value.
pub(super) fn to_human_string(transform: &Transform, value: &Value) -> String {
    match (transform, value) {
        (Transform::Year, Value::Int(years)) => format!("{:04}", 1970 + i64::from(*years)),
        (Transform::Month, Value::Int(months)) => {
            let months = i64::from(*months);
            format!("{:04}-{:02}", 1970 + months.div_euclid(12), 1 + months.rem_euclid(12))
        }
        (Transform::Day, Value::Int(days)) => day(i64::from(*days)),
        (Transform::Hour, Value::Int(hours)) => {
            let hours = i64::from(*hours);
            format!("{}-{:02}", day(hours.div_euclid(24)), hours.rem_euclid(24))
        }
        (_, Value::Date(days)) => day(i64::from(*days)),
        (_, Value::Time(micros)) => time(*micros),
        (_, Value::Timestamp(micros)) => short_fraction(&datetime::format_timestamp(*micros)),
        (_, Value::Timestamptz(micros)) => short_fraction(&datetime::format_timestamp(*micros)) + "+00:00",
        (_, Value::TimestampNs(nanos)) => short_fraction(&datetime::format_timestamp_ns(*nanos)),
        (_, Value::TimestamptzNs(nanos)) => short_fraction(&datetime::format_timestamp_ns(*nanos)) + "+00:00",
        (_, Value::Fixed(bytes) | Value::Binary(bytes)) => BASE64_STANDARD.encode(bytes),
        (_, Value::Uuid(bytes)) => format_uuid(bytes),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Float(value)) => java_numbers::float(*value),
        (_, Value::Double(value)) => java_numbers::double(*value),
        (_, Value::Decimal { unscaled, scale }) => java_numbers::decimal(*unscaled, *scale),
        (_, other) => other.to_string(),
    }
}

fn day(days: i64) -> String {
    let (year, month, day) = datetime::civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `10:15`, `10:15:30`, `10:15:30.500`: seconds only where there are some, fractions in groups of three digits.
fn time(micros: i64) -> String {
    let text = datetime::format_time(micros);
    match text.split_once('.') {
        Some((seconds, fraction)) => {
            let fraction = fraction.strip_suffix("000").unwrap_or(fraction);
            format!("{seconds}.{fraction}")
        }
        None => text.strip_suffix(":00").map(str::to_owned).unwrap_or(text),
    }
}

/// The moment without the last zeros of its fraction.
fn short_fraction(moment: &str) -> String {
    if moment.contains('.') { moment.trim_end_matches('0').to_owned() } else { moment.to_owned() }
}

#[cfg(test)]
mod tests;
