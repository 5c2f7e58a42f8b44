//! How are rows deleted or changed by files that are written already, and by positions?
//!
//! Spec: Snapshots (`append`, `overwrite`, `delete`); Row-level Deletes; Commit Conflict Resolution and Retry.
//!
//! Invariant: deletes and copies of rows stand on what the table has now: see [`check_base`]. Positions are joined with what others
//! deleted of the same files. A row that others deleted is never changed.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::lookup::{RowsByFile, SourceKeys};
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::write::WrittenFile;

use super::named_rows::{NamedRows, ReadRows, named_rows};
use crate::conflicts::{Validation, validate_added_data_files, validate_added_keys};
use crate::produce::{
    ActionContext, BaseCheck, FileChange, FilesByPath, Produced, Removal, change_files, check_base,
};
use crate::row_level::{RowChange, counted, row_change};
use crate::state::Step;
use crate::{DeleteMode, IsolationLevel, RowCommand, RowCounts, RowDelta};

/// Adds and removes the files of a delta, and deletes its rows.
pub(super) fn row_delta(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    delta: &RowDelta,
) -> Result<Produced> {
    let has_rows = !delta.deleted_rows.is_empty() || !delta.replaced.is_empty();
    let changes_nothing = delta.added.files().is_empty() && delta.removed.files().is_empty() && !has_rows;
    if changes_nothing && delta.command == RowCommand::Delta {
        return Err(Error::invalid_input("the operation neither adds nor removes files"));
    }
    context.progress.begin(Step::Planning, 0);
    check_format(context, validation, delta)?;
    check_columns(validation, delta)?;
    let level = level(context, delta)?;
    let NamedRows { replaced, matched, were_deleted, moved } =
        named_rows(context, delta, ReadRows::of(context, delta, level)?)?;
    let RowChange { added: deletes, removed: gone, mut counts } =
        row_change(context, mode(context, delta)?, Vec::new(), matched)?;
    let mut removed = delta.removed.files().to_vec();
    removed.extend(replaced.iter().cloned());
    let check = BaseCheck {
        added: delta.added.files(),
        removed: delta.removed.files(),
        named: &FilesByPath::new(&removed),
        referenced_data_files: &delta.referenced_data_files,
        read_snapshot_id: delta.read_snapshot_id,
    };
    check_base(context, check)?;
    validate_added_rows(context, validation, delta, Since { level, were_deleted, moved: &moved })?;
    if changes_nothing && !context.leaves_record {
        // What a command found nothing to do for must still be so: other operations of its commit rely on it.
        return Ok(Produced::default());
    }
    for written in &replaced {
        counts.rewritten_files += 1;
        counts.rewritten_bytes += u64::try_from(written.file.file_size_in_bytes).unwrap_or(0);
    }
    removed.extend(gone);
    let added: Vec<WrittenFile> = delta.added.files().iter().chain(deletes.files()).cloned().collect();
    let is_data = |content| content == FileContent::Data;
    let adds_rows = added.iter().any(|written| is_data(written.file.content));
    let adds_deletes = added.iter().any(|written| !is_data(written.file.content));
    let operation = match (adds_rows, adds_deletes || !removed.is_empty()) {
        (true, false) => "append",
        (true, true) => "overwrite",
        (false, _) if changes_nothing => "overwrite",
        (false, _) => "delete",
    };
    let removal = Removal::Files(FilesByPath::new(&removed));
    let removal = (!removed.is_empty()).then_some(&removal);
    let change = FileChange { is_of_attempt: has_rows, ..FileChange::new(operation, &added, removal) };
    let mut produced = change_files(context, change)?;
    produced.files.extend(deletes.locations().map(str::to_owned));
    Ok(Produced { counts, ..produced })
}

/// What became of the rows of an operation since it read them.
#[derive(Clone, Copy)]
struct Since<'a> {
    level: IsolationLevel,
    /// Did others delete rows that it deletes? Then added ones may be the same rows, changed.
    were_deleted: bool,
    /// Rows that others only wrote again.
    moved: &'a RowsByFile,
}

/// Errors: `CommitConflict` for rows that others added since the operation read, and that it would have changed, or whose keys it
/// inserts.
fn validate_added_rows(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    delta: &RowDelta,
    since: Since<'_>,
) -> Result<()> {
    if delta.filter.is_none() && delta.keys.is_none() {
        return Ok(());
    }
    let filter = delta
        .filter
        .as_ref()
        .map(|filter| context.bind(filter, delta.case_sensitive, validation.columns_at_start));
    let filter = filter.transpose()?;
    let is_serializable = since.level == IsolationLevel::Serializable;
    let read = [delta.read_snapshot_id];
    if let Some(filter) = filter.filter(|_| is_serializable) {
        let missed = Removal::rows(filter, context.specs()?);
        validate_added_data_files(context, validation, &read, &missed, Some(since.moved))?;
    }
    match &delta.keys {
        Some(keys) if is_serializable || delta.inserts_keys || since.were_deleted => {
            check_key_types(context, keys)?;
            validate_added_keys(context, validation, &read, keys, since.moved)
        }
        _ => Ok(()),
    }
}

/// Errors: `CommitConflict` for a key column that was dropped, or has another type since the operation read: rows that others added
/// cannot be compared with its keys.
fn check_key_types(context: &ActionContext<'_>, keys: &SourceKeys) -> Result<()> {
    let schema = context.metadata.current_schema();
    for key in keys.schema().fields() {
        let now = schema.field(key.id).map(|field| &field.field_type);
        if now != Some(&key.field_type) {
            let now = now.map_or_else(|| "was dropped".to_owned(), |now| format!("is of type {now} now"));
            let message =
                format!("another writer changed a key column: it was of type {}, and {now}", key.field_type);
            return Err(Error::new(ErrorKind::CommitConflict, message).with("column", &key.name));
        }
    }
    Ok(())
}

fn level(context: &ActionContext<'_>, delta: &RowDelta) -> Result<IsolationLevel> {
    let by_property = || IsolationLevel::of(&context.metadata, delta.command.isolation());
    delta.isolation.map_or_else(by_property, Ok)
}

/// What would change. Nothing is written.
///
/// Errors: those of [`row_delta`] for data files that are not there.
pub(super) fn count(context: &ActionContext<'_>, delta: &RowDelta) -> Result<RowCounts> {
    context.progress.begin(Step::Planning, 0);
    let mode = mode(context, delta)?;
    let NamedRows { matched, .. } = named_rows(context, delta, ReadRows::default())?;
    Ok(counted(mode, &[], &matched))
}

/// How rows are deleted. Errors: `InvalidInput` for another word of a property, and for merge-on-read in v1.
fn mode(context: &ActionContext<'_>, delta: &RowDelta) -> Result<DeleteMode> {
    let by_property = match delta.command.mode() {
        None => Ok(DeleteMode::MergeOnRead),
        Some(property) => DeleteMode::of(&context.metadata, property),
    };
    let mode = delta.mode.map_or(by_property, Ok)?;
    // Without positions, the format has nothing to say.
    if delta.command == RowCommand::Delta { Ok(mode) } else { mode.checked(&context.metadata) }
}

/// Errors: `CommitConflict` for position delete files of a table that became v3 meanwhile, and for changed rows that got ids
/// since they were read.
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
    let changes_rows =
        delta.adds(FileContent::Data) && !(delta.deleted_rows.is_empty() && delta.replaced.is_empty());
    if changes_rows && delta.command != RowCommand::Delta && rows_got_ids(context, delta)? {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "the first commit since the table was upgraded to version 3 gave ids to the rows that were changed. They keep \
             these ids. Change the rows again",
        ));
    }
    Ok(())
}

/// Do the rows of the base have ids that they lacked when the operation read them?
///
/// Rows of an upgraded table get their ids by the first snapshot after it.
fn rows_got_ids(context: &ActionContext<'_>, delta: &RowDelta) -> Result<bool> {
    let read = delta.read_snapshot_id.and_then(|id| context.metadata.snapshot(id).ok());
    let lacked_ids = read.is_some_and(|snapshot| snapshot.first_row_id.is_none());
    Ok(lacked_ids && context.parent()?.is_some_and(|snapshot| snapshot.first_row_id.is_some()))
}

/// Errors: `CommitConflict` for columns that another writer added, where new rows take the place of rows that nobody read:
/// values of these columns would be lost.
fn check_columns(validation: Validation<'_>, delta: &RowDelta) -> Result<()> {
    let replaces_unread = delta.command == RowCommand::ApplyChanges
        && delta.adds(FileContent::EqualityDeletes)
        && delta.adds(FileContent::Data);
    let (Some(starting), Some(base)) = (validation.starting, validation.base) else { return Ok(()) };
    if !replaces_unread || base.last_column_id == starting.last_column_id {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::CommitConflict,
        "another writer added columns since: the changes need every column of the table, since the rows that they replace are not \
         read. Add the columns to the changes",
    ))
}
