//! Is it another writer's fault that an operation cannot be applied?
//!
//! In: the table when the operation began, the base of the attempt, and an error. Out: the error, or a conflict.
//! Spec: Commit Conflict Resolution and Retry.

use floeberg_core::{Error, ErrorKind};
use floeberg_iceberg::metadata::TableMetadata;

use crate::validation::Validation;

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
