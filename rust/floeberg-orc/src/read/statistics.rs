//! What do statistics and bloom filters of a column say of rows, in the type of the table?
//!
//! In: statistics as they are written, how many rows there are, and the type of the column in the table. Out: shares of nulls, and
//! bounds.
//! Spec: ORC v1, Column Statistics; Iceberg, Scan Planning.
//!
//! Invariant: what may be wrong is unknown: bounds with NaN, statistics that contradict themselves, types that are read as others.

use floeberg_core::expr::{ColumnStats, Share};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::value::decimal::{parse_decimal, rescale};

use super::schema::Column;
use crate::bloom::BloomFilter;
use crate::wire::{ColumnStatistics, TimestampRange, TypeKind};

/// Milliseconds of a second.
const SECOND: i64 = 1_000;
/// The nanoseconds of the last millisecond that writers leave out.
const LAST_NANOS: i64 = 999_999;

/// The statistics of a column without parts, of so many rows.
pub(crate) fn column_stats(
    statistics: &ColumnStatistics,
    rows: u64,
    column: &Column,
    field_type: &Type,
) -> ColumnStats {
    let Type::Primitive(primitive) = field_type else { return ColumnStats::default() };
    let nulls = nulls(statistics, rows);
    let nans = match primitive {
        PrimitiveType::Float | PrimitiveType::Double => Share::Unknown,
        _ => Share::None,
    };
    if statistics.values == 0 {
        return ColumnStats { nulls, nans, lower: None, upper: None };
    }
    let (lower, upper) = ends(statistics, column.kind, primitive).unwrap_or_default();
    ColumnStats { nulls, nans, lower, upper }
}

/// Values are counted without nulls, also those of structs around them.
fn nulls(statistics: &ColumnStatistics, rows: u64) -> Share {
    let says_none = statistics.has_null == Some(false);
    match rows.checked_sub(statistics.values) {
        Some(0) if rows > 0 => Share::None,
        // Statistics of the field do not count the nulls of a struct around it.
        Some(left) if left == rows && rows > 0 && !says_none => Share::All,
        Some(left) if left > 0 && !says_none => Share::Some,
        _ => Share::Unknown,
    }
}

type Ends = (Option<Value>, Option<Value>);

fn ends(statistics: &ColumnStatistics, kind: TypeKind, primitive: &PrimitiveType) -> Option<Ends> {
    use PrimitiveType as P;
    let is_whole = matches!(kind, TypeKind::Byte | TypeKind::Short | TypeKind::Int | TypeKind::Long);
    Some(match primitive {
        P::Boolean if kind == TypeKind::Boolean => {
            let trues = *statistics.trues.as_ref()?.counts.first()?;
            if trues > statistics.values {
                return None;
            }
            (Some(Value::Boolean(trues == statistics.values)), Some(Value::Boolean(trues > 0)))
        }
        P::Int if is_whole => {
            let range = statistics.integers.as_ref()?;
            let value = |end: i64| i32::try_from(end).ok().map(Value::Int);
            (range.least.and_then(|end| value(end.0)), range.most.and_then(|end| value(end.0)))
        }
        P::Long | P::Time if is_whole => {
            let range = statistics.integers.as_ref()?;
            let value = if matches!(primitive, P::Long) { Value::Long } else { Value::Time };
            (range.least.map(|end| value(end.0)), range.most.map(|end| value(end.0)))
        }
        P::Float | P::Double if matches!(kind, TypeKind::Float | TypeKind::Double) => {
            let range = statistics.floats.as_ref()?;
            let (least, most) = (f64::from(range.least?), f64::from(range.most?));
            // Writers that begin with NaN never leave it.
            if least.is_nan() || most.is_nan() {
                return None;
            }
            match (primitive, kind) {
                (P::Float, TypeKind::Float) => {
                    (Some(Value::Float(least as f32)), Some(Value::Float(most as f32)))
                }
                (P::Double, _) => (Some(Value::Double(least)), Some(Value::Double(most))),
                _ => return None,
            }
        }
        P::Date if kind == TypeKind::Date => {
            let range = statistics.dates.as_ref()?;
            let value = |end: i64| i32::try_from(end).ok().map(Value::Date);
            (range.least.and_then(|end| value(end.0)), range.most.and_then(|end| value(end.0)))
        }
        P::String if matches!(kind, TypeKind::String | TypeKind::Varchar) => {
            let range = statistics.texts.as_ref()?;
            let text = |end: &Option<Vec<u8>>| String::from_utf8(end.clone()?).ok().map(Value::String);
            (
                text(&range.least).or_else(|| text(&range.lower)),
                text(&range.most).or_else(|| text(&range.upper)),
            )
        }
        P::Decimal { scale, .. } if kind == TypeKind::Decimal => {
            let range = statistics.decimals.as_ref()?;
            let value = |end: &Option<String>| {
                let (unscaled, found) = parse_decimal(end.as_ref()?.trim()).ok()?;
                Some(Value::Decimal { unscaled: rescale(unscaled, found, *scale)?, scale: *scale })
            };
            (value(&range.least), value(&range.most))
        }
        P::Timestamp | P::Timestamptz | P::TimestampNs | P::TimestamptzNs
            if matches!(kind, TypeKind::Timestamp | TypeKind::TimestampInstant) =>
        {
            times(statistics.timestamps.as_ref()?, primitive)?
        }
        _ => return None,
    })
}

fn times(range: &TimestampRange, primitive: &PrimitiveType) -> Option<Ends> {
    use PrimitiveType as P;
    let (mut least, mut most) = (range.least?.0, range.most?.0);
    let nanos = |written: Option<i32>, usual: i64| match written {
        Some(written) if (1..=LAST_NANOS + 1).contains(&i64::from(written)) => i64::from(written) - 1,
        _ => usual,
    };
    let mut least_nanos = nanos(range.least_nanos, 0);
    let mut most_nanos = nanos(range.most_nanos, LAST_NANOS);
    // Times of the last second before 1970 are read a second later than they were given to their writer.
    if least < 0 && (-SECOND..SECOND).contains(&most) {
        (most, most_nanos) = (SECOND, LAST_NANOS);
    }
    // Arrow's writer rounds milliseconds before 1970 toward zero.
    if least <= 0 {
        (least, least_nanos) = (least.checked_sub(1)?, 0);
    }
    let value: fn(i64) -> Value = match primitive {
        P::Timestamp => Value::Timestamp,
        P::Timestamptz => Value::Timestamptz,
        P::TimestampNs => Value::TimestampNs,
        _ => Value::TimestamptzNs,
    };
    let counts_nanos = matches!(primitive, P::TimestampNs | P::TimestamptzNs);
    let units = |millis: i64, nanos: i64| {
        if counts_nanos {
            millis.checked_mul(1_000_000)?.checked_add(nanos)
        } else {
            millis.checked_mul(1_000)?.checked_add(nanos / 1_000)
        }
    };
    Some((units(least, least_nanos).map(value), units(most, most_nanos).map(value)))
}

/// Is a value in a bloom filter? `None` where the form that writers hash is not certain.
pub(crate) fn may_have(
    filter: &BloomFilter,
    kind: TypeKind,
    field_type: &Type,
    value: &Value,
) -> Option<bool> {
    use PrimitiveType as P;
    let Type::Primitive(primitive) = field_type else { return None };
    let float = |value: f64| {
        // Zeros are equal, but have two forms.
        let forms = if value == 0.0 { [0.0, -0.0] } else { [value; 2] };
        let has = |form: f64| filter.may_have_number(form.to_bits() as i64);
        (!value.is_nan()).then(|| forms.into_iter().any(has))
    };
    let is_whole = matches!(kind, TypeKind::Byte | TypeKind::Short | TypeKind::Int | TypeKind::Long);
    let is_float = matches!(kind, TypeKind::Float | TypeKind::Double);
    match (primitive, value) {
        (P::Int, Value::Int(value)) if is_whole => Some(filter.may_have_number(i64::from(*value))),
        (P::Long, Value::Long(value)) | (P::Time, Value::Time(value)) if is_whole => {
            Some(filter.may_have_number(*value))
        }
        (P::Date, Value::Date(value)) if kind == TypeKind::Date => {
            Some(filter.may_have_number(i64::from(*value)))
        }
        (P::Float, Value::Float(value)) if kind == TypeKind::Float => float(f64::from(*value)),
        (P::Double, Value::Double(value)) if is_float => float(*value),
        (P::String, Value::String(value)) if kind == TypeKind::String => {
            Some(filter.may_have_bytes(value.as_bytes()))
        }
        (P::Binary, Value::Binary(value)) | (P::Fixed(_), Value::Fixed(value))
            if kind == TypeKind::Binary =>
        {
            Some(filter.may_have_bytes(value))
        }
        (P::Uuid, Value::Uuid(value)) if kind == TypeKind::Binary => Some(filter.may_have_bytes(value)),
        _ => None,
    }
}
