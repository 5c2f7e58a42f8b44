//! How are the rows that match a filter deleted?
//!
//! Spec: Snapshots (`delete`, `overwrite`); Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: a delete that looks for its rows again on a newer base conflicts with rows that were added, under `serializable`. One
//! that writes rows again conflicts with deletes of others too, as in Iceberg Java.

use floeberg_core::Result;
use floeberg_properties::DELETE_ISOLATION;

use super::by_filter::{Rows, RowsOfBase};
use crate::produce::{ActionContext, Produced};
use crate::validate::{validate_added_data_files, validate_no_conflicts};
use crate::validation::Validation;
use crate::{DeleteMode, IsolationLevel};

/// Removes the rows that match.
///
/// Errors: those of [`RowsOfBase::find`]; `CommitConflict`; those of reading and writing.
pub(super) fn delete(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rows: Rows<'_>,
) -> Result<Produced> {
    let found = RowsOfBase::find(context, validation, rows, DELETE_ISOLATION)?;
    if found.affected.partial.is_empty() || found.mode == DeleteMode::CopyOnWrite {
        validate_no_conflicts(context, validation, found.level, &found.removal, Some(&found.affected))?;
    } else if found.level == IsolationLevel::Serializable {
        validate_added_data_files(context, validation, validation.made_from, &found.removal)?;
    }
    found.replace(context, "delete", &[])
}
