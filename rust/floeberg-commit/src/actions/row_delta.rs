//! How are rows deleted or changed by files that are written already, and by positions?
//!
//! Spec: Snapshots (`append`, `overwrite`, `delete`); Row-level Deletes; Commit Conflict Resolution and Retry.
//!
//! Invariant: deletes and copies of rows stand on what the table has now: see [`check_base`]. Positions are joined with what others
//! deleted of the same files. A row that others deleted is never changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::lookup::SourceKeys;
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use crate::produce::{
    ActionContext, BaseCheck, FileChange, NamedFiles, Produced, Removal, change_files, check_base,
};
use crate::progress::Step;
use crate::row_level::{Matched, RowChange, counted, data_file, row_change, with_deletes};
use crate::validate::{validate_added_data_files, validate_added_keys};
use crate::validation::Validation;
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
    let read = read_rows(context, delta)?;
    let NamedRows { changed, replaced, matched, were_deleted } = named_rows(context, delta, &read)?;
    let RowChange { added: deletes, removed: gone, mut counts } =
        row_change(context, mode(context, delta)?, Vec::new(), matched)?;
    let mut removed = delta.removed.files().to_vec();
    removed.extend(replaced.iter().cloned());
    let check = BaseCheck {
        added: delta.added.files(),
        removed: &removed,
        named: &NamedFiles::new(&removed),
        referenced_data_files: &delta.referenced_data_files,
        changed: &changed,
        read_snapshot_id: delta.read_snapshot_id,
    };
    check_base(context, check)?;
    validate_added_rows(context, validation, delta, were_deleted)?;
    if changes_nothing {
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
        (false, _) => "delete",
    };
    let removal = Removal::Files(NamedFiles::new(&removed));
    let removal = (!removed.is_empty()).then_some(&removal);
    let change = FileChange {
        operation,
        added: &added,
        removal,
        merges: true,
        replaces_partitions: false,
        is_of_attempt: has_rows,
        may_have_links: false,
    };
    let mut produced = change_files(context, change)?;
    produced.files.extend(deletes.locations().map(str::to_owned));
    Ok(Produced { counts, ..produced })
}

/// Errors: `CommitConflict` for rows that others added since the operation read, and that it would have changed, or whose keys it
/// inserts. Where others deleted rows that it deletes (`were_deleted`), added ones may be the same rows, changed.
fn validate_added_rows(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    delta: &RowDelta,
    were_deleted: bool,
) -> Result<()> {
    if delta.filter.is_none() && delta.keys.is_none() {
        return Ok(());
    }
    let filter =
        delta.filter.as_ref().map(|filter| context.bind(filter, delta.case_sensitive, validation.seen));
    let filter = filter.transpose()?;
    let is_serializable = level(context, delta)? == IsolationLevel::Serializable;
    let read = [delta.read_snapshot_id];
    if let Some(filter) = filter.filter(|_| is_serializable) {
        let missed = Removal::rows(filter, context.specs()?);
        validate_added_data_files(context, validation, &read, &missed)?;
    }
    match &delta.keys {
        Some(keys) if is_serializable || delta.inserts_keys || were_deleted => {
            check_key_types(context, keys)?;
            validate_added_keys(context, validation, &read, keys)
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
    let NamedRows { matched, .. } = named_rows(context, delta, &ReadRows::new())?;
    Ok(counted(mode, &[], &matched))
}

/// How rows go. Errors: `InvalidInput` for another word of a property, and for merge-on-read in v1.
fn mode(context: &ActionContext<'_>, delta: &RowDelta) -> Result<DeleteMode> {
    let by_property = match delta.command.mode() {
        None => Ok(DeleteMode::MergeOnRead),
        Some(property) => DeleteMode::of(&context.metadata, property),
    };
    let mode = delta.mode.map_or(by_property, Ok)?;
    // Without positions, the format has nothing to say.
    if delta.command == RowCommand::Delta { Ok(mode) } else { mode.checked(&context.metadata) }
}

/// Positions of rows, by the canonical paths of data files.
type ReadRows = HashMap<String, RoaringTreemap>;

/// The rows that the operation read on an older base, and that others must not have changed since: under `serializable`, what it left
/// as it was must still be so.
fn read_rows(context: &ActionContext<'_>, delta: &RowDelta) -> Result<ReadRows> {
    let Some(found) = &delta.read_rows else { return Ok(ReadRows::new()) };
    let head = context.parent()?.map(|snapshot| snapshot.snapshot_id);
    if head == delta.read_snapshot_id || level(context, delta)? == IsolationLevel::Snapshot {
        return Ok(ReadRows::new());
    }
    let rows = found.looked_at().filter(|(_, rows)| !rows.is_empty());
    Ok(rows.map(|(path, rows)| (path.to_owned(), rows)).collect())
}

/// What the positions and paths of a delta mean on a base.
#[derive(Debug, Default)]
struct NamedRows {
    /// The data files with rows that others take the place of, or that the operation read.
    changed: Vec<WrittenFile>,
    /// The data files that go.
    replaced: Vec<WrittenFile>,
    /// The data files of which rows go, with these rows.
    matched: Vec<Matched>,
    /// Did others delete some of these rows already?
    were_deleted: bool,
}

/// Finds the data files of positions and paths.
///
/// Errors: `CommitConflict` for a data file that is not live, for a row to change that others deleted, and for a row that was read and
/// that they deleted; `InvalidInput` for a row that its file does not have.
fn named_rows(context: &ActionContext<'_>, delta: &RowDelta, read: &ReadRows) -> Result<NamedRows> {
    let mut rows: BTreeMap<&str, RoaringTreemap> = BTreeMap::new();
    for (path, positions) in delta.deleted_rows.iter().filter(|(_, positions)| !positions.is_empty()) {
        *rows.entry(canonical(path)).or_default() |= positions;
    }
    let replaced: HashSet<&str> = delta.replaced.iter().map(|path| canonical(path)).collect();
    if let Some(path) = replaced.iter().find(|path| rows.contains_key(**path)) {
        let message = "an operation that replaces a data file deletes no rows of it by position";
        return Err(Error::invalid_input(message).with("file_path", path));
    }
    let named = rows.keys().chain(&replaced).map(|path| (*path).to_owned());
    let paths: HashSet<String> = named.chain(read.keys().cloned()).collect();
    if paths.is_empty() {
        return Ok(NamedRows::default());
    }
    let files = with_deletes(context, &paths)?;
    let files: HashMap<String, _> =
        files.into_iter().map(|file| (canonical(&file.task.file_path).to_owned(), file)).collect();
    if let Some(path) = paths.iter().find(|path| !files.contains_key(*path)) {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "a data file whose rows the operation read or deletes is not in the table any more: its rows were deleted, or \
             written again elsewhere",
        )
        .with("file_path", path));
    }
    let adds_rows = delta.added.files().iter().any(|written| written.file.content == FileContent::Data);
    let (mut found, mut matched) = (NamedRows::default(), Vec::new());
    let mut in_order: Vec<_> = files.into_iter().collect();
    in_order.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, mut file) in in_order {
        let positions = rows.remove(path.as_str());
        if let Some(read) = read.get(&path) {
            check_kept(&file, positions.as_ref().map_or_else(|| read.clone(), |positions| read - positions))?;
        }
        let Some(positions) = positions else {
            let is_replaced = replaced.contains(path.as_str());
            let named = if is_replaced { &mut found.replaced } else { &mut found.changed };
            named.push(data_file(&file.task));
            continue;
        };
        let count = u64::try_from(file.task.record_count).unwrap_or(0);
        if let Some(row) = positions.max().filter(|row| *row >= count) {
            let message = format!(
                "a row to delete is not in its data file: expected a position below {count}, found {row}"
            );
            return Err(Error::invalid_input(message).with("file_path", &file.task.file_path));
        }
        if adds_rows {
            if let Some(row) = (&positions & &file.deleted).min() {
                return Err(Error::new(
                    ErrorKind::CommitConflict,
                    "a row that the operation changes was deleted by another commit since the operation read it",
                )
                .with("file_path", &file.task.file_path)
                .with("position", row));
            }
            found.changed.push(data_file(&file.task));
        }
        found.were_deleted |= !positions.is_disjoint(&file.deleted);
        file.rows = positions - &file.deleted;
        if !file.rows.is_empty() {
            matched.push(file);
        }
    }
    found.matched = matched;
    Ok(found)
}

/// Errors: `CommitConflict` for a row that others deleted.
fn check_kept(file: &Matched, rows: RoaringTreemap) -> Result<()> {
    let Some(row) = (rows & &file.deleted).min() else { return Ok(()) };
    Err(Error::new(
        ErrorKind::CommitConflict,
        "a row that the operation read and left as it was, was deleted by another commit since",
    )
    .with("file_path", &file.task.file_path)
    .with("position", row))
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
