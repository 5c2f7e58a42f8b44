//! How many rows does a task yield?
//!
//! Invariant: no column is decoded but those that a filter reads; without a filter nothing but the footer is read, where a file has one.

use floeberg_core::schema::Schema;
use floeberg_core::{Context, Error, Result};

use super::deletes;
use super::open_task::OpenTask;
use super::table_reader::TableReader;
use crate::plan::FileScanTask;

/// Counts the rows of a task, after its deletes and its residual.
pub fn count_rows(reader: &TableReader, task: &FileScanTask) -> Result<u64> {
    let open = OpenTask::open_with(reader, task, &Schema::new(0, Vec::new())?)?;
    let mut rows = 0;
    for unit in &open.units {
        reader.request.files.cancel.check()?;
        match open.kept_rows(unit) {
            Some(kept) => rows += kept,
            None => {
                for batch in open.read(unit)? {
                    rows += batch?.num_rows() as u64;
                }
            }
        }
    }
    Ok(rows)
}

/// Counts the rows of a task that deletes by position leave, without opening its file: there are as many as the metadata
/// says, and what is deleted past them is nothing.
pub fn count_left(reader: &TableReader, task: &FileScanTask) -> Result<u64> {
    let rows = u64::try_from(task.record_count).map_err(|_| {
        Error::invalid_data(format!("expected a data file with 0 or more rows, found {}", task.record_count))
            .with("path", &task.file_path)
    })?;
    let deleted = deletes::load(&reader.request, &reader.deletes, task).context("path", &task.location)?;
    Ok(rows - deleted.count(0..rows))
}
