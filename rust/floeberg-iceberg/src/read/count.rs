//! How many rows does a task yield?
//!
//! Invariant: no column is decoded but those that a filter reads; without a filter nothing but the footer is read, where a file has one.

use floeberg_core::Result;
use floeberg_core::schema::Schema;

use super::ReadRequest;
use super::open_task::OpenTask;
use crate::plan::FileScanTask;

/// Counts the rows of a task, after its deletes and its residual.
pub fn count_rows(request: &ReadRequest, task: &FileScanTask) -> Result<u64> {
    let open = OpenTask::open_with(request, task, &Schema::new(0, Vec::new())?)?;
    let mut rows = 0;
    for unit in &open.units {
        request.cancel.check()?;
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
