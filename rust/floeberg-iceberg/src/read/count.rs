//! How many rows does a task return?
//!
//! Invariant: only the columns of the filter are decoded; without a filter only the footer is read, if the format has one.

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

/// Counts the rows of a task that position deletes leave, without opening its file. The metadata has the number of rows; deletes
/// past the end do not count.
pub fn count_left(reader: &TableReader, task: &FileScanTask) -> Result<u64> {
    let rows = u64::try_from(task.record_count).map_err(|_| {
        Error::invalid_data(format!("expected a data file with 0 or more rows, found {}", task.record_count))
            .with("path", &task.file_path)
    })?;
    let deleted = deletes::load(&reader.request, &reader.deletes, task).context("path", &task.location)?;
    Ok(rows - deleted.count(0..rows))
}
