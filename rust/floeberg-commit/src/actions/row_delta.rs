//! How are rows deleted or changed by files that are written already?
//!
//! Spec: Snapshots (`append`, `overwrite`, `delete`); Row-level Deletes; Commit Conflict Resolution and Retry.
//!
//! Invariant: deletes and copies of rows stand on what the table has now: see [`check_base`].

use floeberg_core::{Error, ErrorKind, Result};

use crate::produce::{
    ActionContext, BaseCheck, FileChange, NamedFiles, Produced, Removal, change_files, check_base,
};
use crate::validate::validate_added_data_files;
use crate::validation::Validation;
use crate::{IsolationLevel, RowDelta};
use floeberg_iceberg::manifest::FileContent;
use floeberg_properties::DELETE_ISOLATION;

/// Adds and removes the files of a delta.
pub(super) fn row_delta(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    delta: &RowDelta,
) -> Result<Produced> {
    let (added, removed) = (delta.added.files(), delta.removed.files());
    if added.is_empty() && removed.is_empty() {
        return Err(Error::invalid_input("the operation neither adds nor removes files"));
    }
    check_format(context, validation, delta)?;
    let named = NamedFiles::new(removed);
    let check = BaseCheck {
        added,
        removed,
        named: &named,
        referenced_data_files: &delta.referenced_data_files,
        read_snapshot_id: delta.read_snapshot_id,
    };
    check_base(context, check)?;
    if let Some(filter) = &delta.filter {
        let bound = context.bind(filter, delta.case_sensitive, validation.seen)?;
        let by_property = || IsolationLevel::of(&context.metadata, DELETE_ISOLATION);
        if delta.isolation.map_or_else(by_property, Ok)? == IsolationLevel::Serializable {
            let missed = Removal::rows(bound, context.specs()?);
            validate_added_data_files(context, validation, &[delta.read_snapshot_id], &missed)?;
        }
    }
    let is_data = |content| content == FileContent::Data;
    let adds_rows = added.iter().any(|written| is_data(written.file.content));
    let adds_deletes = added.iter().any(|written| !is_data(written.file.content));
    let operation = match (adds_rows, adds_deletes || !removed.is_empty()) {
        (true, false) => "append",
        (true, true) => "overwrite",
        (false, _) => "delete",
    };
    let removal = Removal::Files(named);
    let removal = (!removed.is_empty()).then_some(&removal);
    let change = FileChange {
        operation,
        added,
        removal,
        merges: true,
        replaces_partitions: false,
        is_of_attempt: false,
    };
    change_files(context, change)
}

/// Errors: `CommitConflict` for position delete files of a table that became v3 meanwhile.
fn check_format(context: &ActionContext<'_>, validation: Validation<'_>, delta: &RowDelta) -> Result<()> {
    let was_raised = validation.starting.is_some_and(|starting| starting.format_version < 3)
        && context.metadata.format_version >= 3;
    let has_positions = delta
        .added
        .files()
        .iter()
        .any(|written| written.file.content == FileContent::PositionDeletes && !written.file.is_vector());
    if was_raised && has_positions {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "the table was upgraded to version 3 since rows were deleted: deletes by position are vectors there. Delete \
             the rows again",
        ));
    }
    Ok(())
}
