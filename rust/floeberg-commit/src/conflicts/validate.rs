//! Do commits of others since an operation began conflict with it?
//!
//! In: the snapshots since then. Out: nothing, or the conflict, naming file, snapshot and operation.
//! Spec: Commit Conflict Resolution and Retry.
//!
//! Invariant: a file that may hold rows which the operation removes is a conflict, as in Iceberg Java: an added file under
//! `serializable`, a removed file and new deletes under `snapshot` too. An added file of which bounds cannot tell is read: without
//! such a row it is not a conflict.

use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::Array as _;
use floeberg_core::{Context, Error, ErrorKind, Result};
use floeberg_iceberg::lookup::{RowsByFile, SourceKeys};
use floeberg_iceberg::manifest::{ADDED, DELETED, EntryRequest, ManifestContent, ManifestFile, RowsMatch};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};
use floeberg_io::location::canonical;

use super::concurrent_change::Validation;
use crate::operations::IsolationLevel;
use crate::produce::{ActionContext, Removal, manifests_of};
use crate::row_level::{Affected, any_match, any_with_key};

/// A kind of change that another commit may have made, and the operations that make it.
struct ConcurrentChange {
    /// Files of data, or of deletes?
    content: ManifestContent,
    /// The status of its entries.
    status: i32,
    /// The operations of snapshots that make it.
    operations: &'static [&'static str],
    /// The change in words, for errors.
    description: &'static str,
}

const ADDED_DATA_FILES: ConcurrentChange = ConcurrentChange {
    content: ManifestContent::Data,
    status: ADDED,
    operations: &["append", "overwrite"],
    description: "added a file that may hold rows",
};
const DELETED_DATA_FILES: ConcurrentChange = ConcurrentChange {
    content: ManifestContent::Data,
    status: DELETED,
    operations: &["overwrite", "replace", "delete"],
    description: "removed a file that may hold rows",
};
const NEW_DELETES: ConcurrentChange = ConcurrentChange {
    content: ManifestContent::Deletes,
    status: ADDED,
    operations: &["overwrite", "delete"],
    description: "added deletes that may apply to rows",
};

/// Looks for conflicts in the snapshots of the branch between the one that the operation began at and the base. `affected` are the
/// files of the base that may hold matching rows: deletes by position of another file are not a conflict. Such a file had no such
/// rows, or it was removed since, which is a conflict itself.
///
/// Errors: `CommitConflict`, not retryable: the operation has to start anew.
pub(crate) fn validate_no_conflicts(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    level: IsolationLevel,
    removal: &Removal,
    affected: Option<&Affected>,
) -> Result<()> {
    let changes: &[ConcurrentChange] = match level {
        IsolationLevel::Serializable => &[ADDED_DATA_FILES, DELETED_DATA_FILES, NEW_DELETES],
        IsolationLevel::Snapshot => &[DELETED_DATA_FILES, NEW_DELETES],
    };
    validate_no_changes(
        context,
        validation,
        validation.validate_from_snapshot_ids,
        changes,
        Wanted { affected: affected.map(Affected::paths).as_ref(), ..Wanted::of(removal) },
    )
}

/// Looks for data files that others added since snapshots were read, and since the operation began, and that may hold rows which
/// the operation would have removed. Rows of `moved` were only written again.
///
/// Errors: `CommitConflict`, not retryable: the operation has to start anew.
pub(crate) fn validate_added_data_files(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    validate_from_snapshot_ids: &[Option<i64>],
    removal: &Removal,
    moved: Option<&RowsByFile>,
) -> Result<()> {
    let wanted = Wanted { moved, ..Wanted::of(removal) };
    validate_no_changes(context, validation, validate_from_snapshot_ids, &[ADDED_DATA_FILES], wanted)
}

/// Looks for data files that others added since snapshots were read, and since the operation began, and that have rows with a key
/// of the operation's source. Bounds alone prove nothing: the keys of files that they leave are read. Rows of `moved` were only
/// written again.
///
/// Errors: `CommitConflict`, not retryable: the operation has to start anew.
pub(crate) fn validate_added_keys(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    validate_from_snapshot_ids: &[Option<i64>],
    keys: &SourceKeys,
    moved: &RowsByFile,
) -> Result<()> {
    let range = Removal::rows(keys.range(), context.specs()?);
    let wanted = Wanted { keys: Some(keys), moved: Some(moved), ..Wanted::of(&range) };
    validate_no_changes(context, validation, validate_from_snapshot_ids, &[ADDED_DATA_FILES], wanted)
}

/// The rows that changes of others must not be of.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    removal: &'a Removal,
    /// The files that deletes by position are a conflict for; `None` is all.
    affected: Option<&'a HashSet<&'a str>>,
    /// Only rows with these keys.
    keys: Option<&'a SourceKeys>,
    /// Not these rows of added files.
    moved: Option<&'a RowsByFile>,
}

impl<'a> Wanted<'a> {
    fn of(removal: &'a Removal) -> Self {
        Self { removal, affected: None, keys: None, moved: None }
    }

    /// The rows, for messages.
    fn describe(&self) -> String {
        match self.keys {
            Some(_) => "with a key of the source".to_owned(),
            None => format!("matching {}", self.removal.describe()),
        }
    }
}

fn validate_no_changes(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    validate_from_snapshot_ids: &[Option<i64>],
    changes: &[ConcurrentChange],
    wanted: Wanted<'_>,
) -> Result<()> {
    let (Some(starting), Some(base)) = (validation.starting, validation.base) else { return Ok(()) };
    let mut others = snapshots_between(starting.branch_head(context.branch), base, context.branch)?;
    for from in validate_from_snapshot_ids {
        // Both end at the base, so the longer one contains the other.
        let longer = snapshots_between(*from, base, context.branch)?;
        others = if longer.len() > others.len() { longer } else { others };
    }
    let ids: HashSet<i64> = others.iter().map(|snapshot| snapshot.snapshot_id).collect();
    let mut doubtful = Doubtful::new();
    for snapshot in &others {
        let operation = snapshot.operation.as_deref();
        let is_made = |change: &&ConcurrentChange| {
            operation.is_none_or(|operation| change.operations.contains(&operation))
        };
        let changes: Vec<&ConcurrentChange> = changes.iter().filter(is_made).collect();
        if changes.is_empty() {
            continue;
        }
        for manifest in manifests_of(context, snapshot)? {
            if manifest.added_snapshot_id != Some(snapshot.snapshot_id) {
                continue;
            }
            for change in changes.iter().filter(|change| change.content == manifest.content) {
                let found = validate_manifest(context, snapshot, &manifest, change, &ids, wanted)?;
                doubtful.extend(found);
            }
        }
    }
    // What these operations put in the place of an added file was added too. A compaction's files are not looked at.
    let is_looked_at = |snapshot: &Arc<Snapshot>| {
        matches!(snapshot.operation.as_deref(), Some("append" | "overwrite" | "delete"))
    };
    validate_by_reading(context, wanted, doubtful, !others.iter().all(is_looked_at))
}

/// Added files of which bounds do not say whether a row matches: canonical paths, and the conflict that they may be.
type Doubtful = HashMap<String, Error>;

/// Reads the filter's columns of added files. With `gone_too` a file that is not in the table any more is a conflict: its rows may
/// be in others.
fn validate_by_reading(
    context: &ActionContext<'_>,
    wanted: Wanted<'_>,
    mut doubtful: Doubtful,
    gone_too: bool,
) -> Result<()> {
    let Removal::Rows(pruner, ..) = wanted.removal else { return Ok(()) };
    if doubtful.is_empty() {
        return Ok(());
    }
    let paths = doubtful.keys().cloned().collect();
    let none = RowsByFile::new();
    let except = wanted.moved.unwrap_or(&none);
    let found = match wanted.keys {
        Some(keys) => any_with_key(context, keys, &paths, gone_too, except)?,
        None => any_match(context, pruner.whole(), &paths, gone_too, except)?,
    };
    found.and_then(|path| doubtful.remove(&path)).map_or(Ok(()), Err)
}

/// The snapshots of a branch after the one that an operation began at, oldest first.
fn snapshots_between(start: Option<i64>, base: &TableMetadata, branch: &str) -> Result<Vec<Arc<Snapshot>>> {
    let Some(end) = base.branch_head(branch).filter(|end| start != Some(*end)) else { return Ok(Vec::new()) };
    let mut others = base.ancestors_of(end);
    let known = others.iter().position(|snapshot| Some(snapshot.snapshot_id) == start);
    let is_whole = match known {
        Some(position) => {
            others.truncate(position);
            true
        }
        None => others.last().is_some_and(|oldest| oldest.parent_snapshot_id == start),
    };
    if !is_whole {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "conflicts cannot be ruled out: the snapshots since the operation began are missing, because the branch \
             was moved or snapshots expired",
        )
        .with("branch", branch)
        .with("snapshot", end));
    }
    others.reverse();
    Ok(others)
}

fn validate_manifest(
    context: &ActionContext<'_>,
    snapshot: &Snapshot,
    manifest: &ManifestFile,
    change: &ConcurrentChange,
    ids: &HashSet<i64>,
    rows: Wanted<'_>,
) -> Result<Doubtful> {
    let mut doubtful = Doubtful::new();
    let removal = rows.removal;
    if !removal.concerns(manifest)? {
        return Ok(doubtful);
    }
    let wanted =
        EntryRequest { statistics_of: removal.columns(), with_deleted: true, ..EntryRequest::default() };
    let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
    let rows_match = removal.rows_match(&entries)?;
    let details = entries.details()?;
    let (snapshot_ids, referenced) = (&details.snapshot_id, &details.referenced_data_file);
    let is_elsewhere = |row: usize| {
        let path = referenced.is_valid(row).then(|| referenced.value(row));
        path.zip(rows.affected).is_some_and(|(path, affected)| !affected.contains(canonical(path)))
    };
    for (row, (status, id)) in entries.status.values().iter().zip(snapshot_ids).enumerate() {
        let is_theirs = *status == change.status && id.is_some_and(|id| ids.contains(&id));
        if is_theirs && rows_match[row] != RowsMatch::None && !is_elsewhere(row) {
            let operation = snapshot.operation.as_deref().unwrap_or("unknown");
            let path = entries.file_path.value(row);
            let conflict = Error::new(
                ErrorKind::CommitConflict,
                format!(
                    "a conflicting change was committed since the operation began: it {} {}",
                    change.description,
                    rows.describe()
                ),
            )
            .with("file_path", path)
            .with("snapshot", snapshot.snapshot_id)
            .with("operation", operation);
            let is_added_data = change.content == ManifestContent::Data && change.status == ADDED;
            let may_have_moved = rows.moved.is_some_and(|moved| !moved.is_empty());
            let is_certain = rows_match[row] == RowsMatch::All && rows.keys.is_none() && !may_have_moved;
            if !is_added_data || is_certain {
                return Err(conflict);
            }
            doubtful.insert(canonical(path).to_owned(), conflict);
        }
    }
    Ok(doubtful)
}
