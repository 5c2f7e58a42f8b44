//! How is a value written in SQL?

use std::fmt::{self, Display as _};

use super::bytes_text::{format_hex, format_uuid};
use super::decimal::format_decimal;
use super::{Value, datetime};

/// SQL literal text: `'x'`, `5`, `14.20`, `DATE '2020-01-01'`, `X'00ff'`. Nested values have a text for people only.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Long(value) => value.fmt(f),
            Self::Float(value) if value.is_finite() => write!(f, "{value:?}"),
            Self::Float(value) => write_not_finite(f, f64::from(*value)),
            Self::Double(value) if value.is_finite() => write!(f, "{value:?}"),
            Self::Double(value) => write_not_finite(f, *value),
            Self::Decimal { unscaled, scale } => f.write_str(&format_decimal(*unscaled, *scale)),
            Self::Date(days) => write!(f, "DATE '{}'", datetime::format_date(*days)),
            Self::Time(micros) => write!(f, "TIME '{}'", datetime::format_time(*micros)),
            Self::Timestamp(micros) => write!(f, "TIMESTAMP '{}'", datetime::format_timestamp(*micros)),
            Self::Timestamptz(micros) => write!(f, "TIMESTAMPTZ '{}'", datetime::format_timestamptz(*micros)),
            Self::TimestampNs(nanos) => write!(f, "TIMESTAMP_NS '{}'", datetime::format_timestamp_ns(*nanos)),
            Self::TimestamptzNs(nanos) => {
                write!(f, "TIMESTAMPTZ_NS '{}'", datetime::format_timestamptz_ns(*nanos))
            }
            Self::String(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Uuid(bytes) => write!(f, "UUID '{}'", format_uuid(bytes)),
            Self::Fixed(bytes) | Self::Binary(bytes) => write!(f, "X'{}'", format_hex(bytes)),
            Self::Struct(fields) => {
                write_all(f, ["{", "}"], fields, |f, (id, value)| write_pair(f, id, value.as_ref()))
            }
            Self::List(elements) => {
                write_all(f, ["[", "]"], elements, |f, element| write_nullable(f, element.as_ref()))
            }
            Self::Map(entries) => {
                write_all(f, ["{", "}"], entries, |f, (key, value)| write_pair(f, key, value.as_ref()))
            }
        }
    }
}

fn write_not_finite(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    f.write_str(if value.is_nan() {
        "'NaN'"
    } else if value > 0.0 {
        "'Infinity'"
    } else {
        "'-Infinity'"
    })
}

fn write_nullable(f: &mut fmt::Formatter<'_>, value: Option<&Value>) -> fmt::Result {
    match value {
        Some(value) => value.fmt(f),
        None => f.write_str("NULL"),
    }
}

fn write_pair(f: &mut fmt::Formatter<'_>, key: &dyn fmt::Display, value: Option<&Value>) -> fmt::Result {
    write!(f, "{key}: ")?;
    write_nullable(f, value)
}

fn write_all<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [&str; 2],
    items: &[T],
    write_item: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(", ")?;
        }
        write_item(f, item)?;
    }
    f.write_str(close)
}
