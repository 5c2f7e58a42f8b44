//! Which files did appends add between two snapshots?
//!
//! In: a range of snapshots in one line of ancestry. Out: the manifests that its appends wrote, and the entries that
//! they added.
//! Spec: Snapshots (`operation`); Manifest Entry Fields (`status`, `snapshot_id`).
//!
//! Invariant: deletes do not apply, and snapshots of other operations are left out completely, as in Iceberg Java.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::{Error, Result};

use super::explain::{Dropped, Stage};
use crate::manifest::{
    ADDED, ManifestContent, ManifestEntries, ManifestFile, ManifestReader, NO_TEST, PruneCounts, PruneMask,
};
use crate::metadata::{Snapshot, TableMetadata};
use floeberg_exec::threads::ordered;

/// The operation of a snapshot that only adds.
const APPEND: &str = "append";

/// The snapshots of a range, of which only appends are read.
#[derive(Debug, Clone, PartialEq)]
pub struct Appends {
    /// The snapshots that appended, oldest first.
    pub(super) snapshots: Vec<Arc<Snapshot>>,
    /// Their ids.
    ids: HashSet<i64>,
    /// How many others the range has, by operation.
    others: BTreeMap<String, u64>,
}

impl Appends {
    /// The appends after one snapshot up to another, that one included. Without a first one: of all ancestors that the
    /// metadata still has.
    ///
    /// The first snapshot may be expired, as long as a snapshot of the range names it as its parent. If it is also the last one,
    /// the range is empty.
    ///
    /// Errors: `InvalidInput` if the first is not an ancestor of the last; `Unsupported` for a snapshot without an
    /// operation.
    pub fn between(metadata: &TableMetadata, after: Option<i64>, last: &Snapshot) -> Result<Self> {
        let mut appends = Self { snapshots: Vec::new(), ids: HashSet::new(), others: BTreeMap::new() };
        let mut parent = Some(last.snapshot_id);
        for snapshot in metadata.ancestors_of(last.snapshot_id) {
            if after == Some(snapshot.snapshot_id) {
                break;
            }
            parent = snapshot.parent_snapshot_id;
            match snapshot.operation.as_deref() {
                Some(APPEND) => {
                    appends.ids.insert(snapshot.snapshot_id);
                    appends.snapshots.push(snapshot);
                }
                Some(other) => *appends.others.entry(other.to_owned()).or_default() += 1,
                None => {
                    return Err(Error::unsupported(
                        "the snapshot does not record its operation, so it may not be an append",
                    )
                    .with("snapshot", snapshot.snapshot_id));
                }
            }
        }
        if let Some(after) = after.filter(|after| parent != Some(*after)) {
            return Err(Error::invalid_input(format!(
                "snapshot {after} is not an ancestor of snapshot {}",
                last.snapshot_id
            )));
        }
        appends.snapshots.reverse();
        Ok(appends)
    }

    /// The manifests in which the appends may have added files, each once, those of the oldest first.
    pub(super) fn manifests(&self, reader: &ManifestReader) -> Result<Vec<ManifestFile>> {
        let lists =
            ordered(&self.snapshots, reader.threads, &reader.cancel, |snapshot| reader.manifests(snapshot))?;
        let mut seen = HashSet::new();
        let mut manifests = Vec::new();
        for manifest in lists.into_iter().flatten() {
            // In a v1 table without manifest lists, it is not known which snapshot added a manifest.
            let is_theirs = manifest.added_snapshot_id.is_none_or(|id| self.ids.contains(&id));
            if manifest.content == ManifestContent::Data
                && is_theirs
                && seen.insert(manifest.manifest_path.clone())
            {
                manifests.push(manifest);
            }
        }
        Ok(manifests)
    }

    /// Which entries of a manifest did the appends add?
    pub(super) fn keep(&self, entries: &ManifestEntries, tally: &mut PruneCounts) -> Result<Vec<bool>> {
        let snapshot_ids = &entries.details()?.snapshot_id;
        let mut verdicts = PruneMask::new(None, entries.len());
        for (row, (status, id)) in entries.status.values().iter().zip(snapshot_ids).enumerate() {
            if *status != ADDED || id.is_none_or(|id| !self.ids.contains(&id)) {
                verdicts.drop(row, NO_TEST, "not added by an append of the range");
            }
        }
        tally.count(&verdicts, &entries.file_path);
        Ok(verdicts.into_mask())
    }

    /// The stage of the snapshots themselves, for `explain`.
    pub(super) fn stage(&self) -> Stage {
        let kept = self.snapshots.len() as u64;
        let dropped: Vec<_> = self
            .others
            .iter()
            .map(|(by, count)| Dropped {
                by: by.clone(),
                reason: "operation",
                columns: Vec::new(),
                count: *count,
                files: Vec::new(),
            })
            .collect();
        let entered = kept + dropped.iter().map(|dropped| dropped.count).sum::<u64>();
        Stage { name: "snapshots", entered, dropped, kept }
    }
}
