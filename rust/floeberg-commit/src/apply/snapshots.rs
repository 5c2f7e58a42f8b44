//! Which snapshots and refs has a table after a commit?
//!
//! Spec: Snapshots; Snapshot References; Snapshot Row IDs.
//!
//! Invariant: `main` is the current snapshot. A ref names an existing snapshot.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{MAIN_BRANCH, RefKind, Snapshot, SnapshotLogEntry, SnapshotRef};
use serde_json::Map;

use super::builder::TableMetadataBuilder;

impl TableMetadataBuilder {
    pub(super) fn add_snapshot(&mut self, snapshot: Arc<Snapshot>) -> Result<()> {
        let metadata = &mut self.metadata;
        let id = snapshot.snapshot_id;
        let refused = |why: String| Err(Error::invalid_input(why).with("snapshot", id));
        if metadata.snapshots.iter().any(|known| known.snapshot_id == id) {
            return refused("the table already has a snapshot with this id".to_owned());
        }
        let (number, last) = (snapshot.sequence_number, metadata.last_sequence_number);
        if metadata.format_version >= 2 && number <= last && snapshot.parent_snapshot_id.is_some() {
            return refused(format!("expected a sequence number after {last}, found {number}"));
        }
        if metadata.format_version >= 3 {
            let next = metadata.next_row_id.unwrap_or(0);
            let (Some(first), Some(added)) = (snapshot.first_row_id, snapshot.added_rows) else {
                return refused(
                    "a snapshot of format version 3 needs first-row-id and added-rows".to_owned(),
                );
            };
            let after = first.checked_add(added).filter(|_| first >= next && added >= 0);
            let Some(after) = after else {
                return refused(format!("expected row ids from {next} on, found {added} from {first} on"));
            };
            metadata.next_row_id = Some(after);
        }
        if metadata.format_version >= 2 {
            metadata.last_sequence_number = last.max(number);
        }
        self.now_ms = self.now_ms.max(snapshot.timestamp_ms);
        metadata.snapshots.push(snapshot);
        self.added_snapshots.insert(id);
        Ok(())
    }

    pub(super) fn set_ref(&mut self, name: &str, reference: &SnapshotRef) -> Result<()> {
        let metadata = &mut self.metadata;
        let id = reference.snapshot_id;
        let Some(snapshot) = metadata.snapshots.iter().rev().find(|known| known.snapshot_id == id) else {
            return Err(Error::invalid_input("a ref names a snapshot that the table does not have")
                .with("ref", name)
                .with("snapshot", id));
        };
        if name == MAIN_BRANCH {
            if reference.kind != RefKind::Branch {
                return Err(Error::invalid_input("main is a branch and cannot be a tag"));
            }
            if metadata.current_snapshot_id != Some(id) {
                let is_new = self.added_snapshots.contains(&id);
                let timestamp_ms = if is_new { snapshot.timestamp_ms } else { self.now_ms };
                let entry = SnapshotLogEntry { timestamp_ms, snapshot_id: id, unknown_keys: Map::new() };
                metadata.snapshot_log.push(entry);
                metadata.current_snapshot_id = Some(id);
            }
        }
        metadata.refs.insert(name.to_owned(), reference.clone());
        Ok(())
    }

    /// The snapshot log stays without `main`, as in Iceberg Java: what was current then can still be read.
    pub(super) fn remove_ref(&mut self, name: &str) {
        if self.metadata.refs.remove(name).is_some() && name == MAIN_BRANCH {
            self.metadata.current_snapshot_id = None;
        }
    }

    /// Refs to them go too, and their statistics.
    pub(super) fn remove_snapshots(&mut self, ids: &[i64]) {
        let ids: HashSet<i64> = ids.iter().copied().collect();
        self.metadata.snapshots.retain(|snapshot| !ids.contains(&snapshot.snapshot_id));
        let refs = self.metadata.refs.iter().filter(|(_, reference)| ids.contains(&reference.snapshot_id));
        let gone: Vec<String> = refs.map(|(name, _)| name.clone()).collect();
        for name in &gone {
            self.remove_ref(name);
        }
        for id in ids {
            self.set_statistics(id, None);
            self.set_partition_statistics(id, None);
        }
        self.removes_snapshots = true;
    }
}
