//! How are the rows that match a filter deleted?
//!
//! Spec: Snapshots (`delete`, `overwrite`); Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: every attempt finds the rows of its own base, so that a delete is as if it came after what others committed. Unless
//! it shall find its rows again, what others did to them is a conflict, as in Iceberg Java: under `serializable`, rows that were
//! added; where rows are written again, deletes too.

use floeberg_core::Result;
use floeberg_properties::DELETE_ISOLATION;

use super::by_filter::{Rows, RowsOfBase};
use crate::conflicts::{Validation, validate_added_data_files, validate_no_conflicts};
use crate::produce::{ActionContext, Produced};
use crate::{DeleteMode, IsolationLevel};

/// Removes the rows that match. `finds_again` takes those that others added since, too.
///
/// Errors: those of [`RowsOfBase::find`]; `CommitConflict`; those of reading and writing.
pub(super) fn delete(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rows: Rows<'_>,
    finds_again: bool,
) -> Result<Produced> {
    let found = RowsOfBase::find(context, validation, rows, DELETE_ISOLATION)?;
    if finds_again {
        // Nothing that others did is missed, and nothing that they deleted comes back.
        return found.replace(context, "delete", &[]);
    }
    if found.affected.partial.is_empty() || found.mode == DeleteMode::CopyOnWrite {
        validate_no_conflicts(context, validation, found.level, &found.removal, Some(&found.affected))?;
    } else if found.level == IsolationLevel::Serializable {
        validate_added_data_files(
            context,
            validation,
            validation.validate_from_snapshot_ids,
            &found.removal,
            None,
        )?;
    }
    found.replace(context, "delete", &[])
}
