//! How do rows of values become a batch?

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::schema::Field;
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

/// A row: a value a column.
pub(super) type Row = Vec<Option<Value>>;

/// The Arrow schema of columns.
pub(super) fn arrow_schema(fields: &[Field]) -> Result<SchemaRef> {
    Ok(Arc::new(ArrowSchema::new(fields_to_arrow(fields)?)))
}

/// A batch of rows.
pub(super) fn batch_of_rows(fields: &[Field], rows: &[Row]) -> Result<RecordBatch> {
    let columns = fields.iter().enumerate().map(|(position, field)| {
        let values: Vec<_> = rows.iter().map(|row| row.get(position).and_then(Option::as_ref)).collect();
        values_to_array(&values, &field.field_type)
    });
    batch_of_columns(arrow_schema(fields)?, columns.collect::<Result<_>>()?, rows.len())
}

/// A batch of columns.
pub(super) fn batch_of_columns(
    schema: SchemaRef,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(|error| {
        Error::internal("the columns of a metadata table do not fit its schema").caused_by(error)
    })
}

/// A moment as a value. Errors: `InvalidData` where microseconds do not fit 64 bits.
pub(super) fn moment(timestamp_ms: i64) -> Result<Option<Value>> {
    let micros = timestamp_ms.checked_mul(1_000).ok_or_else(|| {
        Error::invalid_data(format!("the time {timestamp_ms} ms from 1970 is out of the range of timestamps"))
    })?;
    Ok(Some(Value::Timestamptz(micros)))
}

/// A text as a value.
pub(super) fn text(written: impl Into<String>) -> Value {
    Value::String(written.into())
}
