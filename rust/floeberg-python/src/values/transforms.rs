//! How do partition transforms reach Python?
//!
//! In: a transform as text and one Arrow array. Out: an array with the transformed value of each row.
//!
//! Invariant: the results are those of the table's own transforms, since the same code applies them.

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field, TimeUnit};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::incoming::import_column;
use crate::runtime;

/// Types of columns, one of each that a transform may take.
const KINDS: [(&str, PrimitiveType); 13] = [
    ("int", PrimitiveType::Int),
    ("long", PrimitiveType::Long),
    ("decimal", PrimitiveType::Decimal { precision: 9, scale: 2 }),
    ("date", PrimitiveType::Date),
    ("time", PrimitiveType::Time),
    ("timestamp", PrimitiveType::Timestamp),
    ("timestamptz", PrimitiveType::Timestamptz),
    ("timestamp_ns", PrimitiveType::TimestampNs),
    ("timestamptz_ns", PrimitiveType::TimestamptzNs),
    ("string", PrimitiveType::String),
    ("uuid", PrimitiveType::Uuid),
    ("fixed", PrimitiveType::Fixed(16)),
    ("binary", PrimitiveType::Binary),
];

/// A transform (`bucket[16]`, `day`) of the one column of the batches of a `pyarrow.RecordBatchReader`.
#[pyfunction]
pub fn transform_column(py: Python<'_>, transform: &str, reader: Bound<'_, PyAny>) -> PyResult<Vec<Column>> {
    let (field, chunks) = import_column(py, &reader)?;
    runtime::call(py, || {
        let transform: Transform = transform.parse().map_err(Error::of_input)?;
        let source = source_type(&transform, &field)?;
        chunks.iter().map(|chunk| apply(&transform, chunk, &source)).collect()
    })
}

fn apply(transform: &Transform, chunk: &ArrayRef, source: &Type) -> Result<Column> {
    transform.apply_array(chunk, source).map(|result| {
        let field = Field::new("", result.data_type().clone(), true);
        Column(field, result)
    })
}

/// The type of a table's column that holds such an array.
fn source_type(transform: &Transform, field: &Field) -> Result<Type> {
    let taken = || KINDS.iter().filter(|(_, kind)| transform.accepts(&kind.clone().into()));
    let found = match field.data_type() {
        // Of no values, any type that the transform takes gives the same.
        DataType::Null => taken().map(|(_, kind)| kind.clone()).next(),
        other => kind(other),
    };
    let found = found.map(Type::Primitive).filter(|source| transform.accepts(source));
    found.ok_or_else(|| {
        let names: Vec<_> = taken().map(|(name, _)| *name).collect();
        Error::invalid_input(format!(
            "the transform {transform} cannot be applied to an Arrow array of {}: it takes {}",
            field.data_type(),
            names.join(", ")
        ))
    })
}

fn kind(data_type: &DataType) -> Option<PrimitiveType> {
    Some(match data_type {
        DataType::Int32 => PrimitiveType::Int,
        DataType::Int64 => PrimitiveType::Long,
        DataType::Decimal128(precision, scale) => {
            PrimitiveType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Date32 => PrimitiveType::Date,
        DataType::Time64(TimeUnit::Microsecond) => PrimitiveType::Time,
        DataType::Timestamp(TimeUnit::Nanosecond, None) => PrimitiveType::TimestampNs,
        DataType::Timestamp(TimeUnit::Nanosecond, Some(_)) => PrimitiveType::TimestamptzNs,
        DataType::Timestamp(_, None) => PrimitiveType::Timestamp,
        DataType::Timestamp(_, Some(_)) => PrimitiveType::Timestamptz,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => PrimitiveType::String,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => PrimitiveType::Binary,
        DataType::FixedSizeBinary(length) => PrimitiveType::Fixed(u32::try_from(*length).ok()?),
        DataType::Dictionary(_, values) => kind(values)?,
        DataType::RunEndEncoded(_, values) => kind(values.data_type())?,
        _ => return None,
    })
}
