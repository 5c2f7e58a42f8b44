//! What does an operation work with?
//!
//! In: a table, as the operations before it left it. Out: its branch, its manifests, and the locations of new ones.
//! Spec: Snapshot References; Snapshots.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use floeberg_core::expr::{BoundExpr, Expr, bind};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{EntryRequest, ManifestEntries, ManifestFile, ManifestReader, Specs};
use floeberg_iceberg::metadata::{PartitionSpec, RefKind, Snapshot, SnapshotRef, TableMetadata};

use floeberg_io::StoreOptions;
use floeberg_properties::PARTITION_SUMMARY_LIMIT;

use crate::columns::{ColumnsAtStart, with_names_of_now};
use crate::state::{CommitFiles, FoundRowsCache, ManifestKey, ManifestWork, Progress};

/// What one operation of an attempt works with.
#[derive(Debug)]
pub(crate) struct ActionContext<'a> {
    /// The table, as the operations before left it.
    pub metadata: Arc<TableMetadata>,
    /// The table's specs, once they are needed.
    pub specs: OnceLock<Arc<Specs>>,
    /// The manifests of the snapshot that the new one follows, once they were read.
    pub base_manifests: Mutex<Option<Arc<Vec<ManifestFile>>>>,
    /// Reads the table's manifests, and says where files are.
    pub reader: &'a ManifestReader,
    /// What earlier attempts made.
    pub kept: &'a CommitFiles,
    /// The rows that earlier attempts found.
    pub found_rows_cache: &'a FoundRowsCache,
    /// How far the attempt is.
    pub progress: &'a Progress,
    /// Were the added files written by the committer itself, under unique names?
    pub files_are_new: bool,
    /// Which operation of the commit it is.
    pub operation: usize,
    /// The branch it goes to.
    pub branch: &'a str,
    /// Does the snapshot stay without a branch?
    pub stage_only: bool,
    /// Does it leave a snapshot even if it changes nothing?
    pub leaves_record: bool,
    /// What the user says of the snapshot, and the commit's own key.
    pub properties: &'a BTreeMap<String, String>,
    /// The time of the commit.
    pub now_ms: i64,
}

impl ActionContext<'_> {
    /// The options of what is written here: its store is that of the reader, which is the only one that is asked.
    pub fn storage(&self) -> StoreOptions {
        StoreOptions::new().with_keys(self.reader.store.keys().cloned())
    }

    /// The most partitions whose changes are in the summary of a snapshot. The summary is in plain metadata: none of an encrypted table.
    ///
    /// Errors: `InvalidInput` for the property.
    pub fn most_partitions(&self) -> Result<u64> {
        match self.reader.store.keys() {
            Some(_) => Ok(0),
            None => PARTITION_SUMMARY_LIMIT.of(&self.metadata.properties),
        }
    }

    /// The snapshot that the new one follows: the branch's, or for a new branch the current one, as in Iceberg Java.
    ///
    /// Errors: `InvalidInput` for a tag.
    pub fn parent(&self) -> Result<Option<Arc<Snapshot>>> {
        match self.metadata.refs.get(self.branch) {
            Some(reference) if reference.kind == RefKind::Tag => {
                Err(Error::invalid_input(format!("{:?} is a tag: commits need a branch", self.branch)))
            }
            Some(_) => self.metadata.snapshot_of_ref(self.branch).map(|found| Some(Arc::clone(found))),
            None => Ok(self.metadata.current_snapshot().cloned()),
        }
    }

    /// The operation's branch at a snapshot, with the retention that it has.
    pub fn branch_at(&self, snapshot_id: i64) -> SnapshotRef {
        match self.metadata.refs.get(self.branch) {
            Some(known) => SnapshotRef { snapshot_id, ..known.clone() },
            None => SnapshotRef::new(snapshot_id, RefKind::Branch),
        }
    }

    /// The id of the snapshot that the operation makes.
    pub fn snapshot_id(&self) -> i64 {
        self.kept.snapshot_id(self.operation, &self.metadata)
    }

    /// The sequence number of the snapshot that the operation makes; 0 in v1.
    pub fn sequence_number(&self) -> Result<i64> {
        if self.metadata.format_version == 1 {
            return Ok(0);
        }
        let next = self.metadata.last_sequence_number.checked_add(1);
        next.ok_or_else(|| Error::invalid_data("the sequence numbers of the table are used up"))
    }

    /// The key of the operation's work on these manifests, for the next attempt.
    pub fn work(&self, kind: ManifestWork, inputs: &[ManifestFile]) -> ManifestKey {
        let snapshot_id = self.snapshot_id();
        // Manifests of the operation itself differ only in their sequence number between attempts.
        let settled = |manifest: &ManifestFile| match manifest.added_snapshot_id {
            Some(id) if id == snapshot_id => {
                ManifestFile { sequence_number: 0, min_sequence_number: 0, ..manifest.clone() }
            }
            _ => manifest.clone(),
        };
        ManifestKey {
            operation: self.operation,
            kind,
            snapshot_id,
            format_version: self.metadata.format_version,
            schema_id: self.metadata.current_schema_id,
            inputs: inputs.iter().map(settled).collect(),
        }
    }

    /// The entries of a manifest.
    pub fn entries(&self, manifest: &ManifestFile, wanted: &EntryRequest) -> Result<ManifestEntries> {
        self.reader.cancel.check()?;
        let specs = self.specs()?;
        let spec = specs.get(manifest.partition_spec_id)?;
        self.reader.entries(manifest, &spec.partition_type, wanted)
    }

    /// The table's specs, ready for planning.
    pub fn specs(&self) -> Result<Arc<Specs>> {
        if let Some(specs) = self.specs.get() {
            return Ok(Arc::clone(specs));
        }
        let specs = Specs::new(&self.metadata, self.metadata.current_schema())?;
        Ok(Arc::clone(self.specs.get_or_init(|| specs)))
    }

    /// The spec of an id.
    pub fn spec(&self, spec_id: i32) -> Result<&Arc<PartitionSpec>> {
        self.metadata.spec(spec_id)
    }

    /// A filter bound to the columns of the table. Names mean the columns that had them when the operation began.
    pub fn bind(
        &self,
        filter: &Expr,
        case_sensitive: bool,
        columns_at_start: Option<&ColumnsAtStart>,
    ) -> Result<BoundExpr> {
        let now = self.metadata.current_schema();
        match columns_at_start {
            None => bind(filter, now, case_sensitive),
            Some(at_start) => bind(&with_names_of_now(filter, at_start, now, case_sensitive)?, now, true),
        }
    }
}
