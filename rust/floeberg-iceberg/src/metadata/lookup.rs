//! Which schema, spec, order or snapshot does an id, a name or a time mean?
//!
//! In: the metadata and a key. Out: the part, or an error that lists the known ones.
//! Spec: Snapshot References; Appendix F, Point in Time Reads.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};

use super::{PartitionSpec, Snapshot, SnapshotRef, SortOrder, TableMetadata};

/// How many names or ids an error lists.
const LISTED: usize = 20;

impl TableMetadata {
    /// The current schema.
    pub fn current_schema(&self) -> &Arc<Schema> {
        &self.current.schema
    }

    /// The schema with an id.
    pub fn schema(&self, schema_id: i32) -> Option<&Arc<Schema>> {
        self.schemas.iter().find(|schema| schema.schema_id() == schema_id)
    }

    /// The schemas, the current one first and then from the newest to the oldest.
    pub fn schemas_newest_first(&self) -> impl Iterator<Item = &Arc<Schema>> {
        let others = self.schemas.iter().rev().filter(|schema| schema.schema_id() != self.current_schema_id);
        std::iter::once(self.current_schema()).chain(others)
    }

    /// The spec for new data.
    pub fn default_spec(&self) -> &Arc<PartitionSpec> {
        &self.current.spec
    }

    /// The spec of an id. Errors: `InvalidData`, since only files of the table name specs.
    pub fn spec(&self, spec_id: i32) -> Result<&Arc<PartitionSpec>> {
        self.partition_specs.iter().find(|spec| spec.spec_id == spec_id).ok_or_else(|| {
            let known = listed(self.partition_specs.iter().map(|spec| spec.spec_id));
            Error::invalid_data(format!("the table has no partition spec {spec_id}; it has {known}"))
        })
    }

    /// The sort order for new data.
    pub fn default_sort_order(&self) -> &Arc<SortOrder> {
        &self.current.sort_order
    }

    /// The sort order of an id. Order 0, unsorted, may be left out by writers.
    pub fn sort_order(&self, order_id: i32) -> Option<&Arc<SortOrder>> {
        self.sort_orders.iter().find(|order| order.order_id == order_id)
    }

    /// The snapshot of an id. Errors: `NotFound`, listing the newest ones.
    pub fn snapshot(&self, snapshot_id: i64) -> Result<&Arc<Snapshot>> {
        self.find_snapshot(snapshot_id).ok_or_else(|| {
            let known = if self.snapshots.is_empty() {
                "it has none".to_owned()
            } else {
                format!("it has {}", listed(self.snapshots.iter().rev().map(|snapshot| snapshot.snapshot_id)))
            };
            Error::not_found(format!("the table has no snapshot {snapshot_id}, or it was expired; {known}"))
                .with("snapshot", snapshot_id)
        })
    }

    /// The current snapshot; `None` for a table that was never written to.
    pub fn current_snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.current_snapshot_id.and_then(|id| self.find_snapshot(id))
    }

    /// The ref of a name. Errors: `NotFound`, listing the known ones.
    pub fn reference(&self, name: &str) -> Result<&SnapshotRef> {
        self.refs.get(name).ok_or_else(|| {
            let known = if self.refs.is_empty() {
                "it has none, since it has no snapshot".to_owned()
            } else {
                format!("it has {}", listed(self.refs.keys().map(|known| format!("{known:?}"))))
            };
            Error::not_found(format!("the table has no branch or tag {name:?}; {known}"))
        })
    }

    /// The snapshot that a branch or tag names.
    ///
    /// Errors: `NotFound` for an unknown name, listing the known ones; `InvalidData` for a ref to a missing snapshot.
    pub fn snapshot_of_ref(&self, name: &str) -> Result<&Arc<Snapshot>> {
        let snapshot_id = self.reference(name)?.snapshot_id;
        self.find_snapshot(snapshot_id).ok_or_else(|| {
            Error::invalid_data(format!(
                "the ref {name:?} names snapshot {snapshot_id}, which the table does not have"
            ))
            .with("snapshot", snapshot_id)
        })
    }

    /// The newest snapshot of a branch; of a missing branch, the snapshot that it would start at.
    pub fn branch_head(&self, branch: &str) -> Option<i64> {
        match self.refs.get(branch) {
            Some(reference) => Some(reference.snapshot_id),
            None => self.current_snapshot_id,
        }
    }

    /// The snapshot that was current at a time in milliseconds from 1970-01-01 UTC: the last one of the snapshot log
    /// that is not later. Ancestry does not count: a rollback is history too.
    ///
    /// Errors: `NotFound` for a time before the first entry, naming the earliest time, and for an expired snapshot.
    pub fn snapshot_as_of(&self, timestamp_ms: i64) -> Result<&Arc<Snapshot>> {
        let entry = self.snapshot_log.iter().rev().find(|entry| entry.timestamp_ms <= timestamp_ms);
        let Some(entry) = entry else {
            let earliest = self.snapshot_log.iter().map(|entry| entry.timestamp_ms).min();
            return Err(Error::not_found(match earliest {
                Some(earliest) => format!(
                    "no snapshot was current at {timestamp_ms} ms; the earliest in the snapshot log is from {earliest} ms"
                ),
                None => format!("no snapshot found for {timestamp_ms} ms: the snapshot log is empty"),
            }));
        };
        self.snapshot(entry.snapshot_id)
    }

    /// The snapshot that a branch had at a time in milliseconds from 1970-01-01 UTC: the newest of its snapshots that is not later.
    ///
    /// Errors: `NotFound` for a time before its first one, naming the earliest time.
    pub fn snapshot_of_branch_as_of(&self, branch: &str, timestamp_ms: i64) -> Result<Arc<Snapshot>> {
        let snapshots = self.snapshots_of(branch);
        let found = snapshots.iter().find(|snapshot| snapshot.timestamp_ms <= timestamp_ms);
        found.map(Arc::clone).ok_or_else(|| {
            let earliest = snapshots.last().map_or(0, |snapshot| snapshot.timestamp_ms);
            Error::not_found(format!(
                "the branch {branch:?} had no snapshot at {timestamp_ms} ms; its earliest is from {earliest} ms"
            ))
        })
    }

    /// The schema of a snapshot, which a read by snapshot id or by tag uses; the current schema if an old writer did not
    /// record it.
    ///
    /// Errors: `InvalidData` for a missing schema.
    pub fn schema_for_snapshot(&self, snapshot: &Snapshot) -> Result<&Arc<Schema>> {
        let Some(schema_id) = snapshot.schema_id else {
            return Ok(self.current_schema());
        };
        self.schema(schema_id).ok_or_else(|| {
            let known = listed(self.schemas.iter().map(|schema| schema.schema_id()));
            Error::invalid_data(format!("a snapshot names schema {schema_id}; the table has {known}"))
                .with("snapshot", snapshot.snapshot_id)
        })
    }

    pub(super) fn find_snapshot(&self, snapshot_id: i64) -> Option<&Arc<Snapshot>> {
        self.snapshots.iter().rev().find(|snapshot| snapshot.snapshot_id == snapshot_id)
    }
}

/// The first of some names, and how many more there are.
fn listed<T: ToString>(names: impl ExactSizeIterator<Item = T>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first = names.take(LISTED).map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
