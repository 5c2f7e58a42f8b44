//! How is one row of a plan made into a task?

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use floeberg_core::expr::BoundExpr;
use floeberg_core::value::Value;
use floeberg_core::value::arrow::from_array;
use floeberg_core::{Context, Error, Result};

use super::chunk::{column, typed};
use super::specs::Specs;
use super::{DeleteFile, FileScanTask};

/// What the numbers in a chunk of a plan stand for.
#[derive(Clone, Copy)]
pub(crate) struct TaskSource<'a> {
    /// The table's specs.
    pub specs: &'a Specs,
    /// The delete files, by number.
    pub delete_files: &'a [Arc<DeleteFile>],
    /// The residuals, by number.
    pub residuals: &'a [Arc<BoundExpr>],
}

/// The task of a row of a chunk.
pub(crate) fn task(source: TaskSource<'_>, chunk: &RecordBatch, row: usize) -> Result<FileScanTask> {
    let string = |position: usize| {
        typed::<StringArray>(chunk.column(position)).map(|values| values.value(row).to_owned())
    };
    let long = |position: usize| typed::<Int64Array>(chunk.column(position)).map(|values| values.value(row));
    let int = |position: usize| typed::<Int32Array>(chunk.column(position)).map(|values| values.value(row));
    let spec_id = int(column::SPEC_ID)?;
    let residual = int(column::RESIDUAL)? as usize;
    let missing = || Error::internal("a plan names a residual or delete file that it does not hold");
    let file_path = string(column::FILE_PATH)?;
    let deletes = typed::<ListArray>(chunk.column(column::DELETE_FILES))?.value(row);
    let deletes = typed::<Int32Array>(&deletes)?
        .values()
        .iter()
        .map(|number| source.delete_files.get(*number as usize).cloned().ok_or_else(missing));
    Ok(FileScanTask {
        location: string(column::LOCATION)?,
        file_format: string(column::FILE_FORMAT)?.parse().context("path", &file_path)?,
        file_size_in_bytes: long(column::FILE_SIZE)?,
        record_count: long(column::RECORD_COUNT)?,
        byte_range: None,
        spec_id,
        partition: Arc::new(partition_of(source.specs, spec_id, chunk.column(column::PARTITION), row)?),
        data_sequence_number: long(column::DATA_SEQUENCE_NUMBER)?,
        first_row_id: {
            let ids = typed::<Int64Array>(chunk.column(column::FIRST_ROW_ID))?;
            ids.is_valid(row).then(|| ids.value(row))
        },
        deletes: deletes.collect::<Result<_>>()?,
        residual: source.residuals.get(residual).cloned().ok_or_else(missing)?,
        file_path,
    })
}

/// Where a file's row groups start, empty where it is not known.
pub(crate) fn split_offsets(chunk: &RecordBatch, row: usize) -> Result<Vec<i64>> {
    let lists = typed::<ListArray>(chunk.column(column::SPLIT_OFFSETS))?;
    if lists.is_null(row) {
        return Ok(Vec::new());
    }
    Ok(typed::<Int64Array>(&lists.value(row))?.values().to_vec())
}

/// Marks the delete files that a chunk names.
pub(crate) fn mark_attached(chunk: &RecordBatch, attached: &mut [bool]) {
    let Ok(lists) = typed::<ListArray>(chunk.column(column::DELETE_FILES)) else { return };
    let Ok(numbers) = typed::<Int32Array>(lists.values()) else { return };
    for number in numbers.values() {
        if let Some(mark) = attached.get_mut(*number as usize) {
            *mark = true;
        }
    }
}

fn partition_of(
    specs: &Specs,
    spec_id: i32,
    partition: &ArrayRef,
    row: usize,
) -> Result<Vec<(i32, Option<Value>)>> {
    let values = typed::<StructArray>(partition)?;
    let fields = specs.unified_fields(spec_id)?;
    fields
        .map(|(id, position, field)| Ok((id, from_array(values.column(position), row, &field.field_type)?)))
        .collect()
}
