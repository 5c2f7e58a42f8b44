//! Changes of rows, without a table format.

#![allow(clippy::unwrap_used, reason = "a test")]

mod feeds;
mod joined_columns;
mod merges;
mod sources;

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::SourceRows;

fn numbers(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A key, a number and a text.
fn table() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int32, true),
        Field::new("n", DataType::Int32, true),
        Field::new("s", DataType::Utf8, true),
    ]))
}

fn source(rows: RecordBatch) -> Arc<SourceRows> {
    Arc::new(SourceRows::in_memory(rows.schema(), vec![rows]).unwrap())
}

fn ints(column: &ArrayRef) -> Vec<Option<i32>> {
    column.as_primitive::<Int32Type>().iter().collect()
}
