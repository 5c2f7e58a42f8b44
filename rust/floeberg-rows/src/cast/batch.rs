//! How do rows of any library become rows of a table with given Arrow types?
//!
//! In: batches in any form of Arrow. Out: batches with the columns of the table, in its types.
//!
//! Invariant: values are converted only where none changes, see `values`.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Schema, SchemaRef};
use floeberg_core::{Error, Result};

use super::mismatch::field_mismatches;
use super::values::cast_field;

/// Checks whether rows fit the columns of a table, as far as their types say.
///
/// Errors: one `InvalidInput` that lists every mismatch.
pub fn check_fits(given: &Schema, schema: &Schema) -> Result<()> {
    let wrong = field_mismatches(given.fields(), schema.fields());
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_input(format!("the rows do not fit the table: {}", wrong.join("; "))))
}

/// A batch with the columns of a table, by their names. Columns that it lacks are null.
///
/// Errors: `InvalidInput` for another column, a required one that is missing, and a value that does not fit.
pub fn conform_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    check_fits(batch.schema_ref(), schema)?;
    let mut columns = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        columns.push(match batch.schema_ref().column_with_name(field.name()) {
            Some((number, given)) => cast_field(field.name(), batch.column(number), given, field)?,
            None => new_null_array(field.data_type(), batch.num_rows()),
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(|failure| {
        Error::invalid_input("the columns of a batch do not fit the table").caused_by(failure)
    })
}
