//! Is it another writer's fault that an operation cannot be applied?
//!
//! In: the table when the operation began, the base of the attempt, and an error. Out: the error, or a conflict.
//! Spec: Commit Conflict Resolution and Retry.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{ColumnChoice, TableMetadata};

use crate::seen::Seen;
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

/// Checks that a column's name still means the column that it meant when the operation began. A name that meant no column is left
/// to the operation.
///
/// Errors: `CommitConflict`.
pub(crate) fn check_column(
    seen: Option<&Seen>,
    metadata: &TableMetadata,
    column: &ColumnChoice,
    case_sensitive: bool,
) -> Result<()> {
    let (Some(seen), ColumnChoice::Name(name)) = (seen, column) else { return Ok(()) };
    let Ok(then) = seen.schema.find(name, case_sensitive) else { return Ok(()) };
    let now = metadata.current_schema().find(name, case_sensitive).ok();
    if now == Some(then) {
        return Ok(());
    }
    let message = format!(
        "another writer changed the columns: the name {name:?} means another column now, or no column"
    );
    Err(Error::new(ErrorKind::CommitConflict, message))
}
