//! Which stored bytes mean a given value of the table?
//!
//! In: a value of the table's type and a column of the file. Out: its bytes in Parquet's plain encoding.
//! Spec: Appendix A, Parquet; Schema Evolution (a file may be older than a promotion).
//!
//! Invariant: every stored value that reads as the wanted one has one of these encodings. If that is not certain, because reading
//! drops digits or a value has many encodings, the result is unknown.

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::value::Value;
use floeberg_core::value::datetime::{MICROS_PER_DAY, NANOS_PER_DAY};
use floeberg_files::FileField;
use parquet::basic::Type as Physical;
use parquet::schema::types::ColumnDescriptor;

/// The possible bytes of a value. There may be none: an int column cannot hold a value that is too large for it.
pub(super) fn stored_forms(
    value: &Value,
    field: &FileField,
    column: &ColumnDescriptor,
) -> Option<Vec<Vec<u8>>> {
    use DataType as T;
    let physical = column.physical_type();
    match (value, &field.data_type) {
        (Value::Int(value), T::Int8 | T::Int16 | T::Int32) => integer(Some(i64::from(*value)), physical),
        (Value::Long(value), T::Int8 | T::Int16 | T::Int32 | T::Int64) => integer(Some(*value), physical),
        (Value::Date(days), T::Date32 | T::Int32) => integer(Some(i64::from(*days)), physical),
        (Value::Time(micros), T::Time64(TimeUnit::Microsecond) | T::Int64) => {
            integer(Some(*micros), physical)
        }
        (Value::Timestamp(micros) | Value::Timestamptz(micros), stored) => {
            let per_unit = match stored {
                T::Timestamp(TimeUnit::Microsecond, _) | T::Int64 => 1,
                T::Timestamp(TimeUnit::Millisecond, _) => 1_000,
                T::Date32 => MICROS_PER_DAY,
                _ => return None,
            };
            integer(whole(*micros, per_unit), physical)
        }
        (Value::TimestampNs(nanos) | Value::TimestamptzNs(nanos), stored) => {
            let per_unit = match stored {
                T::Timestamp(TimeUnit::Nanosecond, _) | T::Int64 => 1,
                T::Timestamp(TimeUnit::Microsecond, _) => 1_000,
                T::Timestamp(TimeUnit::Millisecond, _) => 1_000_000,
                T::Date32 => NANOS_PER_DAY,
                _ => return None,
            };
            integer(whole(*nanos, per_unit), physical)
        }
        (Value::Float(value), T::Float32) => float(*value, physical),
        (Value::Double(value), T::Float32) if f64::from(*value as f32) == *value => {
            float(*value as f32, physical)
        }
        (Value::Double(value), T::Float32) if !value.is_nan() => Some(Vec::new()),
        (Value::Double(value), T::Float64) => double(*value, physical),
        (Value::Decimal { unscaled, scale }, T::Decimal128(_, stored))
            if i16::from(*stored) == i16::from(*scale) =>
        {
            decimal(*unscaled, column)
        }
        (Value::String(text), T::Utf8 | T::Binary) => bytes(text.as_bytes(), Physical::BYTE_ARRAY, physical),
        (Value::Binary(value), T::Utf8 | T::Binary) => bytes(value, Physical::BYTE_ARRAY, physical),
        (Value::Fixed(value), T::FixedSizeBinary(_)) => {
            bytes(value, Physical::FIXED_LEN_BYTE_ARRAY, physical)
        }
        (Value::Uuid(value), T::FixedSizeBinary(16)) => {
            bytes(value, Physical::FIXED_LEN_BYTE_ARRAY, physical)
        }
        _ => None,
    }
}

/// A count in a larger unit; `None` if it is not a whole number of units.
fn whole(count: i64, per_unit: i64) -> Option<i64> {
    (count % per_unit == 0).then_some(count / per_unit)
}

fn integer(value: Option<i64>, physical: Physical) -> Option<Vec<Vec<u8>>> {
    let form = match physical {
        Physical::INT32 => {
            value.and_then(|value| i32::try_from(value).ok()).map(|value| value.to_le_bytes().to_vec())
        }
        Physical::INT64 => value.map(|value| value.to_le_bytes().to_vec()),
        _ => return None,
    };
    Some(form.into_iter().collect())
}

/// A filter treats both zeros as equal.
fn float(value: f32, physical: Physical) -> Option<Vec<Vec<u8>>> {
    let forms = if value == 0.0 { vec![0.0, -0.0] } else { vec![value] };
    let is_certain = physical == Physical::FLOAT && !value.is_nan();
    is_certain.then(|| forms.into_iter().map(|form: f32| form.to_le_bytes().to_vec()).collect())
}

fn double(value: f64, physical: Physical) -> Option<Vec<Vec<u8>>> {
    let forms = if value == 0.0 { vec![0.0, -0.0] } else { vec![value] };
    let is_certain = physical == Physical::DOUBLE && !value.is_nan();
    is_certain.then(|| forms.into_iter().map(|form: f64| form.to_le_bytes().to_vec()).collect())
}

/// Bytes without a fixed length are not certain: they may be longer than needed.
fn decimal(unscaled: i128, column: &ColumnDescriptor) -> Option<Vec<Vec<u8>>> {
    match column.physical_type() {
        Physical::FIXED_LEN_BYTE_ARRAY => {
            let length = usize::try_from(column.type_length()).ok()?;
            let start = 16_usize.checked_sub(length)?;
            let wide = unscaled.to_be_bytes();
            let sign = if unscaled < 0 { 0xff } else { 0 };
            let top = wide.get(start)?;
            let fits = wide[..start].iter().all(|byte| *byte == sign) && (top ^ sign) & 0x80 == 0;
            Some(fits.then(|| wide[start..].to_vec()).into_iter().collect())
        }
        physical => integer(i64::try_from(unscaled).ok(), physical),
    }
}

fn bytes(value: &[u8], wanted: Physical, physical: Physical) -> Option<Vec<Vec<u8>>> {
    (physical == wanted).then(|| vec![value.to_vec()])
}
