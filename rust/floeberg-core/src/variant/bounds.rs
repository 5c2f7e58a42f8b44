//! What are the bounds of a variant's fields?
//!
//! In: bounds of typed columns, by their paths. Out: one variant with all bounds, as in manifests.
//! Spec: Iceberg, Bounds for Variant; RFC 9535, Normalized Paths.
//!
//! Invariant: a bound has the variant type that the values of its column have.

use std::collections::BTreeMap;

use arrow_schema::{DataType, TimeUnit};

use super::encode::{self, Entry, Primitive, close_object, primitive, sorted_names};
use crate::error::{Error, Result};
use crate::primitive::PrimitiveType;
use crate::value::Value;

/// The lower, or the upper bounds of the fields of a column of variants.
#[derive(Debug, Default)]
pub struct Bounds(BTreeMap<String, Vec<u8>>);

impl Bounds {
    /// Adds the bound of a field, which is stored in a typed column of an Arrow type.
    ///
    /// `path` is what [`path_of`] makes. Errors: `Internal` for a value that the column cannot have.
    pub fn insert(&mut self, path: &str, column: &DataType, bound: &Value) -> Result<()> {
        let mut value = Vec::new();
        write(&mut value, column, bound)?;
        self.0.insert(path.to_owned(), value);
        Ok(())
    }

    /// Metadata, and after it an object of the bounds by path.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        let mut bytes = Vec::new();
        sorted_names(&mut bytes, &names)?;
        let start = bytes.len();
        let mut entries = Vec::with_capacity(names.len());
        for (id, (name, value)) in self.0.iter().enumerate() {
            entries.push(Entry { name: name.as_bytes(), id, offset: bytes.len() - start });
            bytes.extend_from_slice(value);
        }
        close_object(&mut bytes, start, &mut entries)?;
        Ok(bytes)
    }
}

/// The normalized path to a field: `$['location']['latitude']`, and `$` without names.
pub fn path_of(names: &[&str]) -> String {
    let mut path = "$".to_owned();
    for name in names {
        path.push_str("['");
        name.chars().for_each(|character| push_escaped(&mut path, character));
        path.push_str("']");
    }
    path
}

fn push_escaped(path: &mut String, character: char) {
    match character {
        '\u{8}' => path.push_str("\\b"),
        '\t' => path.push_str("\\t"),
        '\n' => path.push_str("\\n"),
        '\u{c}' => path.push_str("\\f"),
        '\r' => path.push_str("\\r"),
        '\'' | '\\' => path.extend(['\\', character]),
        '\0'..='\u{1f}' => path.extend(format!("\\u{:04x}", u32::from(character)).chars()),
        other => path.push(other),
    }
}

/// The type of a typed column; `None` for one that variants are not shredded as. Integers of fewer than 32 bits keep their width.
pub fn primitive_of_column(column: &DataType) -> Option<PrimitiveType> {
    use PrimitiveType as P;
    use TimeUnit as U;
    Some(match column {
        DataType::Boolean => P::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::Int32 => P::Int,
        DataType::Int64 => P::Long,
        DataType::Float32 => P::Float,
        DataType::Float64 => P::Double,
        DataType::Decimal128(precision, scale) => {
            P::Decimal { precision: *precision, scale: scale.unsigned_abs() }
        }
        DataType::Date32 => P::Date,
        DataType::Time64(U::Microsecond) => P::Time,
        DataType::Timestamp(U::Microsecond, None) => P::Timestamp,
        DataType::Timestamp(U::Microsecond, Some(_)) => P::Timestamptz,
        DataType::Timestamp(U::Nanosecond, None) => P::TimestampNs,
        DataType::Timestamp(U::Nanosecond, Some(_)) => P::TimestamptzNs,
        DataType::Binary => P::Binary,
        DataType::Utf8 => P::String,
        DataType::FixedSizeBinary(16) => P::Uuid,
        _ => return None,
    })
}

/// Appends the value of a typed column.
pub(super) fn write(out: &mut Vec<u8>, column: &DataType, bound: &Value) -> Result<()> {
    use Primitive as P;
    let unfit = || Error::internal(format!("{bound} cannot be the bound of a column of {column}"));
    match (column, bound) {
        (DataType::Boolean, Value::Boolean(value)) => {
            primitive(out, if *value { P::True } else { P::False }, &[]);
        }
        (DataType::Int8, Value::Int(value)) => {
            primitive(out, P::Int8, &i8::try_from(*value).map_err(|_| unfit())?.to_le_bytes());
        }
        (DataType::Int16, Value::Int(value)) => {
            primitive(out, P::Int16, &i16::try_from(*value).map_err(|_| unfit())?.to_le_bytes());
        }
        (DataType::Int32, Value::Int(value)) => primitive(out, P::Int32, &value.to_le_bytes()),
        (DataType::Int64, Value::Long(value)) => primitive(out, P::Int64, &value.to_le_bytes()),
        (DataType::Float32, Value::Float(value)) => primitive(out, P::Float, &value.to_le_bytes()),
        (DataType::Float64, Value::Double(value)) => primitive(out, P::Double, &value.to_le_bytes()),
        (DataType::Decimal128(precision, scale), Value::Decimal { unscaled, .. }) => {
            encode::decimal(out, *precision, *scale, *unscaled)?;
        }
        (DataType::Date32, Value::Date(value)) => primitive(out, P::Date, &value.to_le_bytes()),
        (DataType::Time64(_), Value::Time(value)) => primitive(out, P::Time, &value.to_le_bytes()),
        (DataType::Timestamp(..), Value::Timestamp(value)) => {
            primitive(out, P::Timestamp, &value.to_le_bytes());
        }
        (DataType::Timestamp(..), Value::Timestamptz(value)) => {
            primitive(out, P::Timestamptz, &value.to_le_bytes());
        }
        (DataType::Timestamp(..), Value::TimestampNs(value)) => {
            primitive(out, P::TimestampNanos, &value.to_le_bytes());
        }
        (DataType::Timestamp(..), Value::TimestamptzNs(value)) => {
            primitive(out, P::TimestamptzNanos, &value.to_le_bytes());
        }
        (DataType::Utf8, Value::String(value)) => encode::string(out, value.as_bytes())?,
        (DataType::Binary, Value::Binary(value)) => encode::sized(out, P::Binary, value)?,
        (DataType::FixedSizeBinary(16), Value::Uuid(value)) => primitive(out, P::Uuid, value),
        _ => return Err(unfit()),
    }
    Ok(())
}
