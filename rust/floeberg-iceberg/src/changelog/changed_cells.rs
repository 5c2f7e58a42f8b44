//! Which columns does a difference of two snapshots have?

use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Context as _, Result};
use floeberg_rows::ChangedCells;

use crate::Scan;

/// The columns of a difference, of those that a scan selects, and which of them are the key.
///
/// Errors: those of the scan's columns.
pub(super) fn changed_cells(scan: &Scan, key: &[String]) -> Result<ChangedCells> {
    let selected =
        schema_to_arrow(scan.projection()?.as_ref()).context("table", scan.table().metadata_location())?;
    Ok(ChangedCells::new(selected.fields()).with_key(key))
}
