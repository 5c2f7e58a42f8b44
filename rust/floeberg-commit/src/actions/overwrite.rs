//! How are the rows that match a filter replaced?
//!
//! Spec: Snapshots (`overwrite`); Scan Planning (strict projection); Row-level Deletes.
//!
//! Invariant: rows are deleted and added in one snapshot. The new rows may be made of the old ones, so that a delete of old rows
//! by another commit is a conflict in both modes.

use floeberg_core::Result;
use floeberg_core::expr::BoundExpr;
use floeberg_iceberg::write::Receipt;
use floeberg_properties::UPDATE_ISOLATION;

use super::by_filter::{Rows, RowsOfBase};
use crate::conflicts::{Validation, validate_no_conflicts};
use crate::produce::{ActionContext, Produced};

/// Removes the rows that match and adds files.
///
/// Errors: those of [`RowsOfBase::find`]; `CommitConflict`; those of reading and writing.
pub(super) fn overwrite(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    receipt: &Receipt,
    rows: Rows<'_>,
) -> Result<Produced> {
    let found = RowsOfBase::find(context, validation, rows, UPDATE_ISOLATION)?;
    // As in Iceberg Java, the request decides the operation, not the files that were found.
    let operation = match (found.bound == BoundExpr::False, receipt.files().is_empty()) {
        (true, _) => "append",
        (false, true) => "delete",
        (false, false) => "overwrite",
    };
    validate_no_conflicts(context, validation, found.level, &found.removal, Some(&found.affected))?;
    found.replace(context, operation, receipt.files())
}
