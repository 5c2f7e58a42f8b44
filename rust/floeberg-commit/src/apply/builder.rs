//! What is a table after a commit?
//!
//! In: the metadata before, requirements and updates. Out: the metadata after, whole.
//! Spec: Table Metadata Fields; REST catalog specification, `TableUpdate`.
//!
//! Invariant: the metadata before is never changed, so a failure leaves nothing behind.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, TableMetadata};

use super::logs::{log_metadata, log_snapshots};
use super::repair::repair_metadata;
use crate::{MetadataRepair, Requirement, Update};

/// The base of a commit, and the file that it was read from.
#[derive(Debug, Clone, Copy)]
pub struct Previous<'a> {
    /// What it says.
    pub metadata: &'a TableMetadata,
    /// Its location, which goes into the metadata log.
    pub metadata_location: &'a str,
}

/// Applies a commit at a time in milliseconds from 1970-01-01 UTC. Without a base the table is created.
///
/// Errors: `CommitConflict` if a requirement does not hold; `InvalidInput` for updates that the table or its format version
/// does not allow.
pub fn apply(
    base: Option<Previous<'_>>,
    requirements: &[Requirement],
    updates: &[Update],
    now_ms: i64,
) -> Result<TableMetadata> {
    let metadata = base.map(|previous| previous.metadata);
    requirements.iter().try_for_each(|requirement| requirement.check(metadata))?;
    let mut builder = TableMetadataBuilder::begin(base, now_ms)?;
    for update in updates {
        builder.apply(update)?;
    }
    builder.finish()
}

/// A table that is being changed.
#[derive(Debug, Clone)]
pub(crate) struct TableMetadataBuilder {
    pub(super) metadata: TableMetadata,
    /// The file and time of the metadata before.
    previous: Option<(String, i64)>,
    pub(super) now_ms: i64,
    /// Snapshots of this commit.
    pub(super) added_snapshots: HashSet<i64>,
    /// Were snapshots removed?
    pub(super) removes_snapshots: bool,
    pub(super) last_added: LastAdded,
    /// Is anything different?
    changed: bool,
}

/// The ids of what this commit added last.
#[derive(Debug, Clone, Default)]
pub(super) struct LastAdded {
    pub(super) schema: Option<i32>,
    pub(super) spec: Option<i32>,
    pub(super) sort_order: Option<i32>,
}

/// The format version of a new table until an update says another.
const FIRST_FORMAT_VERSION: u8 = 1;

impl TableMetadataBuilder {
    /// Begins with the base, or with an empty table.
    pub fn begin(base: Option<Previous<'_>>, now_ms: i64) -> Result<Self> {
        Ok(Self {
            metadata: match base {
                Some(previous) => previous.metadata.clone(),
                None => TableMetadata::empty(FIRST_FORMAT_VERSION)?,
            },
            previous: base
                .map(|previous| (previous.metadata_location.to_owned(), previous.metadata.last_updated_ms)),
            // Clocks differ. The time of a table must never decrease.
            now_ms: now_ms.max(base.map_or(0, |previous| previous.metadata.last_updated_ms)),
            added_snapshots: HashSet::new(),
            removes_snapshots: false,
            last_added: LastAdded::default(),
            changed: false,
        })
    }

    /// Begins a new table with metadata that has no snapshots: its ids and counters stay as they are.
    pub fn begin_with(&mut self, metadata: &TableMetadata) {
        self.metadata = metadata.clone();
    }

    /// The table as it is now.
    pub fn metadata(&self) -> &TableMetadata {
        &self.metadata
    }

    /// The time of the commit.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Applies one update. Errors: `InvalidInput`.
    pub fn apply(&mut self, update: &Update) -> Result<()> {
        self.change(update).context("update", update.action())?;
        self.changed = true;
        Ok(())
    }

    /// Mends parts of the metadata, which no update says.
    pub fn repair(&mut self, repair: &MetadataRepair) {
        if !repair.is_empty() {
            repair_metadata(&mut self.metadata, repair);
            self.changed = true;
        }
    }

    fn change(&mut self, update: &Update) -> Result<()> {
        match update {
            Update::AssignUuid(uuid) => self.assign_uuid(uuid),
            Update::UpgradeFormatVersion(version) => self.upgrade(*version),
            Update::AddSchema(schema, last_column_id) => self.add_schema(schema, *last_column_id),
            Update::SetCurrentSchema(id) => self.set_current_schema(*id),
            Update::RemoveSchemas(ids) => self.remove_schemas(ids),
            Update::AddEncryptionKey(key) => self.add_encryption_key(key),
            Update::RemoveEncryptionKey(id) => self.remove_encryption_key(id),
            Update::AddSpec(spec) => self.add_spec(spec),
            Update::SetDefaultSpec(id) => self.set_default_spec(*id),
            Update::RemovePartitionSpecs(ids) => self.remove_specs(ids),
            Update::AddSortOrder(order) => self.add_sort_order(order),
            Update::SetDefaultSortOrder(id) => self.set_default_sort_order(*id),
            Update::AddSnapshot(snapshot) => self.add_snapshot(Arc::clone(snapshot)),
            Update::SetSnapshotRef(name, reference) => self.set_ref(name, reference),
            Update::RemoveSnapshots(ids) => {
                self.remove_snapshots(ids);
                Ok(())
            }
            Update::RemoveSnapshotRef(name) => {
                self.remove_ref(name);
                Ok(())
            }
            Update::SetLocation(location) => self.set_location(location),
            Update::SetProperties(updates) => {
                self.metadata.properties.extend(updates.clone());
                Ok(())
            }
            Update::RemoveProperties(keys) => {
                self.metadata.properties.retain(|name, _| !keys.contains(name));
                Ok(())
            }
            Update::SetStatistics(snapshot_id, file) => {
                self.set_statistics(*snapshot_id, Some(file));
                Ok(())
            }
            Update::RemoveStatistics(snapshot_id) => {
                self.set_statistics(*snapshot_id, None);
                Ok(())
            }
            Update::SetPartitionStatistics(snapshot_id, file) => {
                self.set_partition_statistics(*snapshot_id, Some(file));
                Ok(())
            }
            Update::RemovePartitionStatistics(snapshot_id) => {
                self.set_partition_statistics(*snapshot_id, None);
                Ok(())
            }
        }
    }

    /// The table after the commit; unchanged if nothing changed.
    ///
    /// Errors: `InvalidInput` for a new table that lacks a part.
    pub fn finish(self) -> Result<TableMetadata> {
        let Self { mut metadata, previous, now_ms, added_snapshots, removes_snapshots, changed, .. } = self;
        metadata.check_whole()?;
        if !changed {
            return Ok(metadata);
        }
        metadata.last_updated_ms = now_ms;
        log_snapshots(&mut metadata, &added_snapshots, removes_snapshots);
        if let Some((location, last_updated_ms)) = previous {
            log_metadata(&mut metadata, location, last_updated_ms)?;
        }
        Ok(metadata)
    }

    fn assign_uuid(&mut self, uuid: &str) -> Result<()> {
        match &self.metadata.table_uuid {
            Some(known) if !known.eq_ignore_ascii_case(uuid) => {
                Err(Error::invalid_input(format!("the table has the uuid {known}, and a uuid cannot change")))
            }
            _ => {
                self.metadata.table_uuid = Some(uuid.to_owned());
                Ok(())
            }
        }
    }

    fn set_location(&mut self, location: &str) -> Result<()> {
        if location.is_empty() {
            return Err(Error::invalid_input("the location of a table cannot be empty"));
        }
        location.clone_into(&mut self.metadata.location);
        Ok(())
    }

    fn upgrade(&mut self, version: u8) -> Result<()> {
        let now = self.metadata.format_version;
        if version < now {
            return Err(Error::invalid_input(format!(
                "a table of format version {now} cannot be downgraded to {version}"
            )));
        }
        if version > 3 {
            return Err(Error::unsupported(format!("expected format version 1, 2 or 3, found {version}")));
        }
        let is_inline = |snapshot: &Arc<Snapshot>| matches!(snapshot.manifests, SnapshotManifests::Inline(_));
        if now < 2
            && version >= 2
            && let Some(snapshot) = self.metadata.snapshots.iter().find(|each| is_inline(each))
        {
            return Err(Error::invalid_input(
                "a snapshot lists its manifests in the metadata file, which later format versions do not allow: expire such snapshots first",
            )
            .with("snapshot", snapshot.snapshot_id));
        }
        self.metadata.format_version = version;
        if version >= 3 && self.metadata.next_row_id.is_none() {
            self.metadata.next_row_id = Some(0);
        }
        Ok(())
    }
}
