//! Which rows of a data file are deleted by position?
//!
//! Spec: Scan Planning; Position Delete Files; Deletion Vectors.
//!
//! Invariant: a delete that cannot be applied is an error. Equality deletes have no positions and are left out.

use floeberg_core::{Context as _, Result};
use roaring::RoaringTreemap;

use super::TableReader;
use super::deletes::load;
use crate::plan::FileScanTask;

/// The positions that the vector and the position deletes of a task delete.
///
/// Errors: those of [`read_task`](super::read_task) for deletes.
pub fn deleted_positions(reader: &TableReader, task: &FileScanTask) -> Result<RoaringTreemap> {
    let deleted = load(&reader.request, &reader.deletes, task).context("path", &task.file_path)?;
    Ok(deleted.positions().clone())
}
