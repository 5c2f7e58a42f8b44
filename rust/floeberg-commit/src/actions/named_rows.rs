//! What do the positions and paths of a delta mean on a base?
//!
//! In: the rows and data files that an operation names, and those that it read. Out: the same on the base: data files with the rows
//! that go, and data files that go whole.
//! Spec: Row Lineage; Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: a row that others deleted or changed is neither changed nor brought back, whatever deleted it. Rows of a data file
//! that others wrote again are followed by their lineage.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::lookup::RowsByFile;
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::metadata::Snapshot;
use floeberg_iceberg::plan::{DeleteFile, DeleteKind};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use crate::produce::ActionContext;
use crate::row_level::{
    Matched, RebasedRows, data_file, live_at, lost_rows_since, rebase_rows, with_deletes,
};
use crate::{IsolationLevel, RowDelta};

/// The rows that an operation looked at on an older base.
#[derive(Debug, Default)]
pub(super) struct ReadRows {
    rows: RowsByFile,
    /// Must rows that the operation left unchanged still be unchanged?
    must_stay: bool,
}

impl ReadRows {
    /// The rows that an operation read: under `serializable`, rows that it left unchanged must still be unchanged.
    pub fn of(context: &ActionContext<'_>, delta: &RowDelta, level: IsolationLevel) -> Result<Self> {
        let Some(found) = &delta.read_rows else { return Ok(Self::default()) };
        let head = context.parent()?.map(|snapshot| snapshot.snapshot_id);
        if head == delta.read_snapshot_id {
            return Ok(Self::default());
        }
        let rows = found.looked_at().filter(|(_, rows)| !rows.is_empty());
        let rows = rows.map(|(path, rows)| (path.to_owned(), rows)).collect();
        Ok(Self { rows, must_stay: level == IsolationLevel::Serializable })
    }
}

/// The rows and files that a delta names, on a base.
#[derive(Debug, Default)]
pub(super) struct NamedRows {
    /// The removed data files.
    pub replaced: Vec<WrittenFile>,
    /// The data files with deleted rows, and these rows.
    pub matched: Vec<Matched>,
    /// Did others delete some of these rows already?
    pub were_deleted: bool,
    /// Rows that the operation read and that others wrote again, in the files that have them now.
    pub moved: RowsByFile,
}

/// Finds the data files of positions and paths.
///
/// Errors: `CommitConflict` for a data file that is gone and whose rows cannot be followed, for a row to change that others
/// deleted or changed, for one that was read, and for deletes of a file to replace; `InvalidInput` for a row that its file does
/// not have.
pub(super) fn named_rows(
    context: &ActionContext<'_>,
    delta: &RowDelta,
    mut read: ReadRows,
) -> Result<NamedRows> {
    let mut rows = RowsByFile::new();
    for (path, positions) in delta.deleted_rows.iter().filter(|(_, positions)| !positions.is_empty()) {
        *rows.entry(canonical(path).to_owned()).or_default() |= positions;
    }
    let replaced: HashSet<&str> = delta.replaced.iter().map(|path| canonical(path)).collect();
    if let Some(path) = replaced.iter().find(|path| rows.contains_key(**path)) {
        let message = "an operation that replaces a data file deletes no rows of it by position";
        return Err(Error::invalid_input(message).with("file_path", path));
    }
    let named = rows.keys().cloned().chain(replaced.iter().map(|path| (*path).to_owned()));
    let paths: HashSet<String> = named.chain(read.rows.keys().cloned()).collect();
    if paths.is_empty() {
        return Ok(NamedRows::default());
    }
    let mut files = files_of(context, &paths)?;
    let gone: HashSet<&str> =
        paths.iter().map(String::as_str).filter(|path| !files.contains_key(*path)).collect();
    let mut found = NamedRows::default();
    if !gone.is_empty() {
        if let Some(path) = replaced.iter().find(|path| gone.contains(**path)) {
            return Err(is_gone(path));
        }
        let moved = follow(context, delta, [&rows, &read.rows], &gone)?;
        follow_to(&mut rows, &moved, &gone, true)?;
        follow_to(&mut read.rows, &moved, &gone, read.must_stay)?;
        let new = rows.keys().chain(read.rows.keys()).filter(|path| !files.contains_key(*path));
        files.extend(files_of(context, &new.cloned().collect())?);
        found.moved = moved.rows();
    }
    if !read.must_stay {
        read.rows.clear();
    }
    let adds_rows = delta.adds(FileContent::Data);
    let since = Read::of(context, delta);
    let in_order: BTreeMap<String, Matched> = files.into_iter().collect();
    for (path, mut file) in in_order {
        if replaced.contains(path.as_str()) {
            if adds_rows && since.has_newer(&file, |_| true) && since.lost_rows(context, &file)? {
                let message = "a data file had rows deleted that the operation writes again: another commit deleted rows \
                               since the operation read them";
                return Err(
                    Error::new(ErrorKind::CommitConflict, message).with("file_path", &file.task.file_path)
                );
            }
            found.replaced.push(data_file(&file.task));
        }
        let positions = rows.remove(&path).unwrap_or_default();
        let read = read.rows.remove(&path).unwrap_or_default() - &positions;
        check_inside(&file, &positions)?;
        let is_equality = |delete: &DeleteFile| matches!(delete.kind, DeleteKind::Equality { .. });
        let mut deleted = file.deleted.clone();
        let both = (&positions | &read) - &deleted;
        if !both.is_empty() && since.has_newer(&file, is_equality) {
            deleted |= &both - live_at(context, &file.task, &both)?;
        }
        let message = "a row that the operation read and left as it was, was deleted by another commit since";
        check_there(&file, &(&read & &deleted), message)?;
        // A key whose row is gone would be inserted, if the operation looked again.
        if adds_rows || delta.inserts_keys {
            let message =
                "a row that the operation changes was deleted by another commit since the operation read it";
            check_there(&file, &(&positions & &deleted), message)?;
        }
        found.were_deleted |= !positions.is_disjoint(&deleted);
        file.rows = positions - &deleted;
        if !file.rows.is_empty() {
            found.matched.push(file);
        }
    }
    Ok(found)
}

fn files_of(context: &ActionContext<'_>, paths: &HashSet<String>) -> Result<HashMap<String, Matched>> {
    let files = if paths.is_empty() { Vec::new() } else { with_deletes(context, paths)? };
    Ok(files.into_iter().map(|file| (canonical(&file.task.file_path).to_owned(), file)).collect())
}

/// Where the rows of files that are gone are now.
fn follow(
    context: &ActionContext<'_>,
    delta: &RowDelta,
    rows: [&RowsByFile; 2],
    gone: &HashSet<&str>,
) -> Result<RebasedRows> {
    let mut wanted = RowsByFile::new();
    for (path, positions) in rows.into_iter().flatten().filter(|(path, _)| gone.contains(path.as_str())) {
        *wanted.entry(path.clone()).or_default() |= positions;
    }
    rebase_rows(context, delta.read_snapshot_id, &wanted)
}

/// Replaces positions in removed files by the positions where the rows are now. Rows that are not found are left out, or are a
/// conflict.
fn follow_to(
    rows: &mut RowsByFile,
    moved: &RebasedRows,
    gone: &HashSet<&str>,
    is_required: bool,
) -> Result<()> {
    for path in gone {
        let Some(positions) = rows.remove(*path) else { continue };
        for row in &positions {
            match moved.place(path, row) {
                Some((path, position)) => {
                    rows.entry(path.to_owned()).or_default().insert(position);
                }
                None if is_required => return Err(is_gone(path).with("position", row)),
                None => {}
            }
        }
    }
    Ok(())
}

fn is_gone(path: &str) -> Error {
    Error::new(
        ErrorKind::CommitConflict,
        "a data file whose rows the operation read or deletes is not in the table any more: its rows were deleted, changed, or \
         written again without their row ids",
    )
    .with("file_path", path)
}

/// Errors: `InvalidInput` for a position behind the last row.
fn check_inside(file: &Matched, positions: &RoaringTreemap) -> Result<()> {
    let count = u64::try_from(file.task.record_count).unwrap_or(0);
    match positions.max().filter(|row| *row >= count) {
        None => Ok(()),
        Some(row) => {
            let message = format!(
                "a row to delete is not in its data file: expected a position below {count}, found {row}"
            );
            Err(Error::invalid_input(message).with("file_path", &file.task.file_path))
        }
    }
}

/// Errors: `CommitConflict` for a row that others deleted.
fn check_there(file: &Matched, gone: &RoaringTreemap, message: &str) -> Result<()> {
    let Some(row) = gone.min() else { return Ok(()) };
    Err(Error::new(ErrorKind::CommitConflict, message.to_owned())
        .with("file_path", &file.task.file_path)
        .with("position", row))
}

/// The snapshot that rows were read from.
struct Read {
    snapshot: Option<Arc<Snapshot>>,
}

impl Read {
    fn of(context: &ActionContext<'_>, delta: &RowDelta) -> Self {
        let found = delta.read_snapshot_id.and_then(|id| context.metadata.snapshot(id).ok());
        Self { snapshot: found.cloned() }
    }

    /// Does a file have such deletes that came since?
    fn has_newer(&self, file: &Matched, is_such: impl Fn(&DeleteFile) -> bool) -> bool {
        let since = self.snapshot.as_ref().map_or(0, |snapshot| snapshot.sequence_number);
        file.task.deletes.iter().any(|delete| delete.data_sequence_number > since && is_such(delete))
    }

    fn lost_rows(&self, context: &ActionContext<'_>, file: &Matched) -> Result<bool> {
        lost_rows_since(context, self.snapshot.clone(), &file.task)
    }
}
