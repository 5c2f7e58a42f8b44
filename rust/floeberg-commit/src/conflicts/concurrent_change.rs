//! What did another writer change since the operation began?
//!
//! In: the table when the operation began, the base of the attempt, and an error. Out: the error, or a conflict.
//! Spec: Commit Conflict Resolution and Retry.

use floeberg_core::{Error, ErrorKind};
use floeberg_iceberg::metadata::TableMetadata;

use crate::columns::ColumnsAtStart;

/// What an action needs to look for conflicts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validation<'a> {
    /// The table when the operation began; `None` asks for no isolation.
    pub starting: Option<&'a TableMetadata>,
    /// The base of the attempt, before all its operations.
    pub base: Option<&'a TableMetadata>,
    /// Does the commit add files? They were written for the table when the operation began.
    pub adds_files: bool,
    /// The snapshots that the new rows were made from, besides that of `starting`.
    pub validate_from_snapshot_ids: &'a [Option<i64>],
    /// The columns that the operation was made for; `None` is those of the base.
    pub columns_at_start: Option<&'a ColumnsAtStart>,
}

/// Makes an error a `CommitConflict` if another writer changed a part of the metadata since the operation began. `what` names the
/// part.
pub(crate) fn as_conflict_if<T: PartialEq>(
    validation: Validation<'_>,
    what: &'static str,
    part: impl Fn(&TableMetadata) -> T,
) -> impl FnOnce(Error) -> Error {
    let is_changed = validation.starting.map(&part) != validation.base.map(&part);
    move |error| if is_changed { as_conflict(&error, what) } else { error }
}

fn as_conflict(error: &Error, what: &str) -> Error {
    let message = format!("another writer changed the {what}: {}", error.message());
    let conflict = Error::new(ErrorKind::CommitConflict, message);
    error.context().iter().fold(conflict, |conflict, (key, value)| conflict.with(key, value))
}
