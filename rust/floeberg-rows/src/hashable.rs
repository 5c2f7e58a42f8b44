//! How do values of any Arrow type become such as can be hashed?
//!
//! In: columns of both tables, of one type. Out: the same columns, in types that Iceberg tables have.
//!
//! Invariant: two values of a type are equal if and only if their converted values are equal.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use floeberg_core::{Error, Result};

use crate::cast::{element, type_name};

/// Columns that can be hashed.
///
/// Errors: `Unsupported`, with the column, for a type whose values cannot be compared.
pub(crate) fn hashable(name: &str, column: &ArrayRef) -> Result<ArrayRef> {
    let to = hashed_as(column.data_type())
        .ok_or_else(|| {
            let found = type_name(column.data_type());
            Error::unsupported(format!("columns of type {found} cannot be compared: select other columns"))
        })
        .map_err(|error| error.with("column", name))?;
    if to == *column.data_type() {
        return Ok(Arc::clone(column));
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, &to, &options).map_err(|failure| {
        Error::limit("values of a column are too large to be compared")
            .with("column", name)
            .caused_by(failure)
    })
}

fn hashed_as(kind: &DataType) -> Option<DataType> {
    use DataType as T;
    let part = |field: &FieldRef| -> Option<FieldRef> {
        let below = hashed_as(field.data_type())?;
        Some(Arc::new(Field::clone(field).with_data_type(below)))
    };
    Some(match kind {
        T::Null
        | T::Boolean
        | T::Int32
        | T::Int64
        | T::Float32
        | T::Float64
        | T::Date32
        | T::Time64(TimeUnit::Microsecond)
        | T::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, _)
        | T::Decimal128(..)
        | T::FixedSizeBinary(_)
        | T::Utf8
        | T::Binary => kind.clone(),
        T::Int8 | T::Int16 | T::UInt8 | T::UInt16 | T::Time32(_) => T::Int32,
        T::UInt32 | T::Date64 | T::Time64(_) | T::Timestamp(..) | T::Duration(_) => T::Int64,
        T::UInt64 => T::Decimal128(20, 0),
        T::Float16 => T::Float32,
        T::Decimal32(digits, scale) | T::Decimal64(digits, scale) => T::Decimal128(*digits, *scale),
        T::LargeUtf8 | T::Utf8View => T::Utf8,
        T::LargeBinary | T::BinaryView => T::Binary,
        T::Struct(fields) => T::Struct(fields.iter().map(part).collect::<Option<_>>()?),
        T::Map(pairs, sorted) => T::Map(part(pairs)?, *sorted),
        other => T::List(part(element(other)?)?),
    })
}

#[cfg(test)]
mod tests;
