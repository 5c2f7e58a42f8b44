//! What is checked?
//!
//! In: what a user asks for. Out: the snapshots whose files are checked.
//! Spec: Snapshots; Snapshot References.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::finding::{Level, check_sample};
use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};

/// The snapshots whose files are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SnapshotsToCheck {
    /// The current one.
    #[default]
    Current,
    /// One.
    One(i64),
    /// The ancestors of the first one, itself among them, that are not those of the second; only manifests that the second does not
    /// have are read. `None` is the current snapshot.
    Since(Option<i64>, i64),
    /// All that the table has.
    All,
}

/// Snapshots, and one whose manifests are not read again.
pub(super) type Chosen = (Vec<Arc<Snapshot>>, Option<Arc<Snapshot>>);

/// What is checked of a table or a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckRequest {
    /// How deep.
    pub level: Level,
    /// Which snapshots. The metadata is checked as a whole.
    pub snapshots: SnapshotsToCheck,
    /// Which part of the files is opened, from 0 to 1. `None` is all.
    pub sample: Option<f64>,
}

impl CheckRequest {
    /// Errors: `InvalidInput` for a sample that is no part.
    pub(super) fn check(&self) -> Result<()> {
        check_sample(self.sample)
    }

    /// The snapshots, oldest first, and one whose manifests are not read again.
    ///
    /// Errors: `NotFound` for a snapshot that the table does not have; `InvalidInput` for one that is no ancestor.
    pub(super) fn snapshots(&self, metadata: &TableMetadata) -> Result<Chosen> {
        let current = || metadata.current_snapshot().map(Arc::clone);
        Ok(match self.snapshots {
            SnapshotsToCheck::Current => (current().into_iter().collect(), None),
            SnapshotsToCheck::One(id) => (vec![Arc::clone(metadata.snapshot(id)?)], None),
            SnapshotsToCheck::Since(newest, since) => {
                let base = Arc::clone(metadata.snapshot(since)?);
                let newest = match newest {
                    Some(id) => Some(Arc::clone(metadata.snapshot(id)?)),
                    None => current(),
                };
                let (mut found, mut seen) = (Vec::new(), HashSet::new());
                let mut next = newest;
                loop {
                    let Some(snapshot) = next else {
                        let message =
                            format!("since: snapshot {since} is no ancestor of the snapshot that is checked");
                        return Err(Error::invalid_input(message).with("snapshot", since));
                    };
                    if snapshot.snapshot_id == since || !seen.insert(snapshot.snapshot_id) {
                        break;
                    }
                    next =
                        snapshot.parent_snapshot_id.and_then(|id| metadata.snapshot(id).ok()).map(Arc::clone);
                    found.push(snapshot);
                }
                found.reverse();
                (found, Some(base))
            }
            SnapshotsToCheck::All => {
                let mut all = metadata.snapshots.clone();
                all.sort_by_key(|snapshot| (snapshot.sequence_number, snapshot.timestamp_ms));
                (all, None)
            }
        })
    }
}
