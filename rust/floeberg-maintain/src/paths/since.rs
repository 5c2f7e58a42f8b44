//! What was added after a version?
//!
//! In: the metadata of the version. Out: whether a file, or a manifest, is newer.
//! Spec: Sequence Numbers; Manifest Entry Fields.
//!
//! Invariant: in doubt a file is newer, and is copied again.

use std::collections::HashSet;

use floeberg_iceberg::metadata::TableMetadata;

/// What a version had. By default, nothing.
#[derive(Debug, Default)]
pub(super) struct Since {
    snapshots: HashSet<i64>,
    /// Its last sequence number; `None` in v1, where files have none.
    last_sequence_number: Option<i64>,
    has_files: bool,
}

impl Since {
    pub(super) fn of(start: Option<&TableMetadata>) -> Self {
        let Some(start) = start else { return Self::default() };
        Self {
            snapshots: start.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect(),
            last_sequence_number: (start.format_version > 1).then_some(start.last_sequence_number),
            has_files: true,
        }
    }

    /// Did the version have the snapshot?
    pub(super) fn has_snapshot(&self, snapshot_id: i64) -> bool {
        self.snapshots.contains(&snapshot_id)
    }

    /// Was something added after the version, by this snapshot, at this sequence number?
    pub(super) fn is_newer(&self, snapshot_id: Option<i64>, sequence_number: Option<i64>) -> bool {
        if !self.has_files {
            return true;
        }
        if snapshot_id.is_some_and(|id| self.snapshots.contains(&id)) {
            return false;
        }
        // The snapshot may have expired before the version, or after it.
        match (self.last_sequence_number, sequence_number) {
            (Some(last), Some(number)) => number > last,
            _ => true,
        }
    }
}
