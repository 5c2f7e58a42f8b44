//! What may others have done since an operation began?
//!
//! In: the snapshots since then. Out: nothing, or the conflict, naming file, snapshot and operation.
//! Spec: Commit Conflict Resolution and Retry; Iceberg documentation, Configuration (`write.*.isolation-level`).
//!
//! Invariant: a file that may hold rows which the operation takes out is a conflict, as in Iceberg Java: one that was
//! added is under `serializable`, one that was deleted, or deletes, under `snapshot` too.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::{Context, Error, ErrorKind, Result};

use super::produce::{ActionContext, Removal, manifests_of};
use super::since::Since;
use crate::manifest::{ADDED, DELETED, EntryRequest, ManifestContent, ManifestFile, RowsMatch};
use crate::metadata::{Snapshot, TableMetadata};

/// How far an operation is kept apart from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolationLevel {
    /// As if operations had come one after the other, and each had seen all before it.
    Serializable,
    /// Rows that others added meanwhile may be there or not.
    Snapshot,
}

/// The property that says how far deletes are kept apart.
pub(crate) const OF_DELETES: &str = "write.delete.isolation-level";
/// The property that says how far overwrites are kept apart.
pub(crate) const OF_OVERWRITES: &str = "write.update.isolation-level";

impl IsolationLevel {
    /// The level that a table's property says; serializable where it says nothing.
    ///
    /// Errors: `InvalidInput` for another word.
    pub(crate) fn of(metadata: &TableMetadata, property: &'static str) -> Result<Self> {
        metadata
            .properties
            .get(property)
            .map_or(Ok(Self::Serializable), |text| text.parse())
            .context("property", property)
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serializable => "serializable",
            Self::Snapshot => "snapshot",
        }
    }
}

impl std::str::FromStr for IsolationLevel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let levels = [Self::Serializable, Self::Snapshot];
        let found = levels.into_iter().find(|level| level.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| {
            Error::invalid_input(format!(
                "expected serializable or snapshot as isolation level, found {text:?}"
            ))
        })
    }
}

/// What others did to a file, and what that needs to be a conflict.
struct Deed {
    /// Files of data, or of deletes?
    content: ManifestContent,
    /// The status of its entries.
    status: i32,
    /// The operations that do it.
    operations: &'static [&'static str],
    /// What it is, for people.
    told: &'static str,
}

const ADDED_DATA: Deed = Deed {
    content: ManifestContent::Data,
    status: ADDED,
    operations: &["append", "overwrite"],
    told: "added a file that may hold rows of",
};
const DELETED_DATA: Deed = Deed {
    content: ManifestContent::Data,
    status: DELETED,
    operations: &["overwrite", "replace", "delete"],
    told: "removed a file that may hold rows of",
};
const ADDED_DELETES: Deed = Deed {
    content: ManifestContent::Deletes,
    status: ADDED,
    operations: &["overwrite", "delete"],
    told: "added deletes that may be of rows of",
};

/// Looks through what others committed to the branch between the snapshot that the operation began at, and the base.
///
/// Errors: `CommitConflict`, which trying again does not help: the operation has to begin anew.
pub(crate) fn check_isolation(
    context: &ActionContext<'_>,
    since: Since<'_>,
    level: IsolationLevel,
    removal: &Removal,
) -> Result<()> {
    let (Some(began_at), Some(base)) = (since.began_at, since.base) else { return Ok(()) };
    let mut others = snapshots_between(head(began_at, context.branch), base, context.branch)?;
    for made_from in since.made_from {
        // Both end at the base, so that the longer one has the other.
        let longer = snapshots_between(*made_from, base, context.branch)?;
        others = if longer.len() > others.len() { longer } else { others };
    }
    let deeds: &[Deed] = match level {
        IsolationLevel::Serializable => &[ADDED_DATA, DELETED_DATA, ADDED_DELETES],
        IsolationLevel::Snapshot => &[DELETED_DATA, ADDED_DELETES],
    };
    let ids: HashSet<i64> = others.iter().map(|snapshot| snapshot.snapshot_id).collect();
    for snapshot in &others {
        let operation = snapshot.operation.as_deref();
        let did = |deed: &&Deed| operation.is_none_or(|operation| deed.operations.contains(&operation));
        let deeds: Vec<&Deed> = deeds.iter().filter(did).collect();
        if deeds.is_empty() {
            continue;
        }
        for manifest in manifests_of(context, snapshot)? {
            if manifest.added_snapshot_id != Some(snapshot.snapshot_id) {
                continue;
            }
            for deed in deeds.iter().filter(|deed| deed.content == manifest.content) {
                look_through(context, snapshot, &manifest, deed, &ids, removal)?;
            }
        }
    }
    Ok(())
}

/// The newest snapshot of a branch; where there is no such branch, the one that it would begin at.
fn head(metadata: &TableMetadata, branch: &str) -> Option<i64> {
    match metadata.refs.get(branch) {
        Some(reference) => Some(reference.snapshot_id),
        None => metadata.current_snapshot_id,
    }
}

/// The snapshots of a branch after the one that an operation began at, oldest first.
fn snapshots_between(start: Option<i64>, base: &TableMetadata, branch: &str) -> Result<Vec<Arc<Snapshot>>> {
    let Some(end) = head(base, branch).filter(|end| start != Some(*end)) else { return Ok(Vec::new()) };
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
            "what others did since the operation began is not known: the branch was moved, or snapshots expired",
        )
        .with("branch", branch)
        .with("snapshot", end));
    }
    others.reverse();
    Ok(others)
}

fn look_through(
    context: &ActionContext<'_>,
    snapshot: &Snapshot,
    manifest: &ManifestFile,
    deed: &Deed,
    ids: &HashSet<i64>,
    removal: &Removal,
) -> Result<()> {
    if !removal.concerns(manifest)? {
        return Ok(());
    }
    let wanted =
        EntryRequest { statistics_of: removal.columns(), with_deleted: true, ..EntryRequest::default() };
    let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
    let rows_match = removal.rows_match(&entries)?;
    let snapshot_ids = &entries.details()?.snapshot_id;
    for (row, (status, id)) in entries.status.values().iter().zip(snapshot_ids).enumerate() {
        let is_theirs = *status == deed.status && id.is_some_and(|id| ids.contains(&id));
        if is_theirs && rows_match[row] != RowsMatch::None {
            let operation = snapshot.operation.as_deref().unwrap_or("unknown");
            return Err(Error::new(
                ErrorKind::CommitConflict,
                format!("another commit {} {}, since the operation began", deed.told, removal.told()),
            )
            .with("file_path", entries.file_path.value(row))
            .with("snapshot", snapshot.snapshot_id)
            .with("operation", operation));
        }
    }
    Ok(())
}
