//! Tests of how rows of a user become rows of a table.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;
mod forms;
mod lists;
mod merge;
mod timestamps;
mod pieces;
mod required;
mod variants;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema};
use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_from_json;
use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use super::Matching;

/// A table of these fields, in the JSON of the specification.
fn table(fields: &Json) -> Schema {
    schema_from_json(&json!({"type": "struct", "schema-id": 0, "fields": fields})).unwrap()
}

/// A table of one column `x`.
fn of_type(field_type: &Json, required: bool) -> Schema {
    table(&json!([{"id": 1, "name": "x", "required": required, "type": field_type}]))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<ArrowField> =
        columns.iter().map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays).unwrap()
}

fn matched(table: &Schema, rows: &RecordBatch) -> Result<RecordBatch> {
    Matching::new(table, &rows.schema())?.apply(rows, 0)
}

/// What becomes of one array in a column of a type.
fn converted(field_type: &str, array: ArrayRef) -> Result<ArrayRef> {
    matched(&of_type(&json!(field_type), false), &batch(vec![("x", array)]))
        .map(|rows| Arc::clone(rows.column(0)))
}

/// The message of rows that do not fit.
fn refusal(table: &Schema, rows: &RecordBatch) -> String {
    let error = matched(table, rows).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.to_string()
}

fn cast(array: &ArrayRef, to: &DataType) -> ArrayRef {
    arrow_cast::cast::cast(array, to).unwrap()
}
