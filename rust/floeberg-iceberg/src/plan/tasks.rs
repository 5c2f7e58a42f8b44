//! How does a row of a plan become a task?

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use floeberg_core::arrow_values::from_array;
use floeberg_core::expr::BoundExpr;
use floeberg_core::value::Value;
use floeberg_core::{Context, Error, Result};

use super::columns::{column, typed};
use super::{DeleteFile, FileFormat, FileScanTask};
use crate::manifest::Specs;

/// The parts that the numbers in a chunk of a plan refer to.
#[derive(Clone, Copy)]
pub(crate) struct TaskSource<'a> {
    /// The table's specs.
    pub specs: &'a Specs,
    /// The delete files, by number.
    pub delete_files: &'a [Arc<DeleteFile>],
    /// The residuals, by number.
    pub residuals: &'a [Arc<BoundExpr>],
}

impl<'a> TaskSource<'a> {
    /// A delete file by its number.
    pub fn delete_file(self, number: i32) -> Result<&'a Arc<DeleteFile>> {
        self.delete_files.get(number as usize).ok_or_else(missing)
    }
}

/// One row of a plan: the fields of a data file, mostly borrowed.
pub(crate) struct TaskRow<'a> {
    pub file_path: &'a str,
    pub location: &'a str,
    pub file_format: FileFormat,
    pub file_size_in_bytes: i64,
    pub record_count: i64,
    pub spec_id: i32,
    pub partition: Vec<(i32, Option<Value>)>,
    pub data_sequence_number: i64,
    pub first_row_id: Option<i64>,
    /// Numbers into the delete files of the plan.
    pub deletes: &'a [i32],
    /// A number into the residuals of the plan.
    pub residual: i32,
}

impl<'a> TaskRow<'a> {
    /// The row of a chunk of a plan.
    pub fn of(source: TaskSource<'_>, chunk: &'a RecordBatch, row: usize) -> Result<Self> {
        let string =
            |position: usize| typed::<StringArray>(chunk.column(position)).map(|values| values.value(row));
        let long =
            |position: usize| typed::<Int64Array>(chunk.column(position)).map(|values| values.value(row));
        let int =
            |position: usize| typed::<Int32Array>(chunk.column(position)).map(|values| values.value(row));
        let spec_id = int(column::SPEC_ID)?;
        let file_path = string(column::FILE_PATH)?;
        let first_row_ids = typed::<Int64Array>(chunk.column(column::FIRST_ROW_ID))?;
        Ok(Self {
            location: string(column::LOCATION)?,
            file_format: string(column::FILE_FORMAT)?.parse().context("path", file_path)?,
            file_size_in_bytes: long(column::FILE_SIZE)?,
            record_count: long(column::RECORD_COUNT)?,
            spec_id,
            partition: partition_of(source.specs, spec_id, chunk.column(column::PARTITION), row)?,
            data_sequence_number: long(column::DATA_SEQUENCE_NUMBER)?,
            first_row_id: first_row_ids.is_valid(row).then(|| first_row_ids.value(row)),
            deletes: delete_numbers(chunk, row)?,
            residual: int(column::RESIDUAL)?,
            file_path,
        })
    }

    /// The task, of the whole file.
    pub fn task(self, source: TaskSource<'_>) -> Result<FileScanTask> {
        let deletes = self.deletes.iter().map(|number| source.delete_file(*number).cloned());
        Ok(FileScanTask {
            file_path: self.file_path.to_owned(),
            location: self.location.to_owned(),
            file_format: self.file_format,
            file_size_in_bytes: self.file_size_in_bytes,
            record_count: self.record_count,
            byte_range: None,
            spec_id: self.spec_id,
            partition: Arc::new(self.partition),
            data_sequence_number: self.data_sequence_number,
            first_row_id: self.first_row_id,
            deletes: deletes.collect::<Result<_>>()?,
            residual: source.residuals.get(self.residual as usize).cloned().ok_or_else(missing)?,
        })
    }
}

/// The numbers of the delete files that apply to the file of a row.
pub(crate) fn delete_numbers(chunk: &RecordBatch, row: usize) -> Result<&[i32]> {
    let deletes = typed::<ListArray>(chunk.column(column::DELETE_FILES))?;
    let ends = deletes.value_offsets();
    let numbers = typed::<Int32Array>(deletes.values())?.values();
    Ok(&numbers[ends[row] as usize..ends[row + 1] as usize])
}

fn missing() -> Error {
    Error::internal("a plan refers to a residual or delete file that it does not have")
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
