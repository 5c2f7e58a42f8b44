//! What is the history of a table?
//!
//! In: the metadata. Out: ancestors of a snapshot, and the snapshot log, marked by what is still current history.
//! Spec: Snapshots; Table Metadata Fields (`snapshot-log`).
//!
//! Invariant: the walk ends even if parents form a loop, as in damaged metadata.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{MAIN_BRANCH, Snapshot, TableMetadata};

/// A snapshot became current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryEntry {
    /// When: milliseconds from 1970-01-01 UTC.
    pub made_current_at_ms: i64,
    /// The snapshot, which may be expired.
    pub snapshot_id: i64,
    /// Its parent; also `None` if the snapshot was expired.
    pub parent_id: Option<i64>,
    /// Is it the current snapshot or an ancestor of it? False after a rollback past it.
    pub is_current_ancestor: bool,
}

impl TableMetadata {
    /// The snapshot and its ancestors that are not expired, newest first. Empty for an unknown id.
    pub fn ancestors_of(&self, snapshot_id: i64) -> Vec<Arc<Snapshot>> {
        let by_id = self.snapshots_by_id();
        let mut seen = HashSet::new();
        let mut ancestors = Vec::new();
        let mut next = Some(snapshot_id);
        while let Some(snapshot) = next.filter(|id| seen.insert(*id)).and_then(|id| by_id.get(&id)) {
            ancestors.push(Arc::clone(snapshot));
            next = snapshot.parent_snapshot_id;
        }
        ancestors
    }

    /// The snapshots of a branch that are not expired, newest first. A branch that is not there yet begins at what `main` has.
    pub fn snapshots_of(&self, branch: &str) -> Vec<Arc<Snapshot>> {
        let head = self.refs.get(branch).or_else(|| self.refs.get(MAIN_BRANCH));
        head.map(|head| self.ancestors_of(head.snapshot_id)).unwrap_or_default()
    }

    /// Is a snapshot another one or an ancestor of it? False where a snapshot between them was expired.
    pub fn is_ancestor(&self, ancestor: i64, of: i64) -> bool {
        self.ancestors_of(of).iter().any(|snapshot| snapshot.snapshot_id == ancestor)
    }

    /// The snapshot log, oldest first.
    pub fn history(&self) -> Vec<HistoryEntry> {
        let current = self.current_snapshot_id.map(|id| self.ancestors_of(id)).unwrap_or_default();
        let current: HashSet<_> = current.iter().map(|snapshot| snapshot.snapshot_id).collect();
        let by_id = self.snapshots_by_id();
        self.snapshot_log
            .iter()
            .map(|entry| HistoryEntry {
                made_current_at_ms: entry.timestamp_ms,
                snapshot_id: entry.snapshot_id,
                parent_id: by_id.get(&entry.snapshot_id).and_then(|snapshot| snapshot.parent_snapshot_id),
                is_current_ancestor: current.contains(&entry.snapshot_id),
            })
            .collect()
    }

    /// What the snapshot log would be of a branch, which has none: its snapshots that are not expired, oldest first.
    pub fn history_of(&self, branch: &str) -> Vec<HistoryEntry> {
        let entry = |snapshot: &Arc<Snapshot>| HistoryEntry {
            made_current_at_ms: snapshot.timestamp_ms,
            snapshot_id: snapshot.snapshot_id,
            parent_id: snapshot.parent_snapshot_id,
            is_current_ancestor: true,
        };
        self.snapshots_of(branch).iter().rev().map(entry).collect()
    }

    /// The snapshots by their ids.
    pub fn snapshots_by_id(&self) -> HashMap<i64, &Arc<Snapshot>> {
        self.snapshots.iter().map(|snapshot| (snapshot.snapshot_id, snapshot)).collect()
    }
}
