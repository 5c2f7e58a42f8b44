//! Which rows does a position delete file have?
//!
//! In: the deleted rows of data files. Out: batches of (path, position), in the order of the specification.
//! Spec: Position Delete Files; Reserved Field IDs.
//!
//! Invariant: rows are sorted by path, as UTF-8 bytes, then by position. The deleted rows themselves are not stored.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_POS};
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::{Error, Result};

use super::deleted::DeletedPositions;

/// Rows of a batch, at most.
const BATCH_ROWS: usize = 64 * 1024;

/// The columns of a position delete file.
pub(crate) fn position_schema() -> Result<Schema> {
    let path = Field::required(DELETE_FILE_PATH, "file_path", PrimitiveType::String);
    Schema::new(0, vec![path, Field::required(DELETE_FILE_POS, "pos", PrimitiveType::Long)])
}

/// The rows of data files that are sorted by path.
pub(super) fn batches<'a>(
    deletes: &'a [&'a DeletedPositions],
) -> Result<impl Iterator<Item = Result<RecordBatch>> + 'a> {
    let schema: SchemaRef = Arc::new(schema_to_arrow(&position_schema()?)?);
    let mut rows = deletes
        .iter()
        .flat_map(|deleted| deleted.positions.iter().map(|position| (deleted.file_path.as_str(), position)));
    Ok(std::iter::from_fn(move || {
        let (paths, positions): (Vec<_>, Vec<_>) = rows.by_ref().take(BATCH_ROWS).unzip();
        if paths.is_empty() {
            return None;
        }
        Some(batch(&schema, &paths, positions))
    }))
}

fn batch(schema: &SchemaRef, paths: &[&str], positions: Vec<u64>) -> Result<RecordBatch> {
    let positions = positions.into_iter().map(|position| {
        i64::try_from(position)
            .map_err(|_| Error::invalid_input(format!("a row has a position below 2^63, found {position}")))
    });
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(paths)),
        Arc::new(Int64Array::from(positions.collect::<Result<Vec<_>>>()?)),
    ];
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|error| Error::internal("positions are a batch").caused_by(error))
}
