//! What does one attempt of a commit change?
//!
//! Out: requirements and updates for a catalog that applies them itself, and metadata for one that does not.
//! Spec: REST catalog specification, `CommitTableRequest`; Table Metadata Fields.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::{OpenOptions, Table};
use floeberg_io::{Store, StoreOptions};
use serde_json::Value as Json;

use crate::apply::write_table_metadata;
use crate::{Requirement, RowCounts, RowProof, Update, updates_to_json};

/// How many files are looked at before the next manifests are read.
const LOOKED_AT: usize = 4096;

/// A commit on one base.
#[derive(Debug)]
pub struct Attempt {
    base: Option<Table>,
    storage: StoreOptions,
    store: Arc<dyn Store>,
    metadata: Arc<TableMetadata>,
    requirements: Vec<Requirement>,
    updates: Vec<Update>,
    files: BTreeSet<String>,
    counts: RowCounts,
    is_rebased: bool,
    is_repaired: bool,
    row_proof: Option<RowProof>,
}

impl Attempt {
    pub(super) fn new(
        base: Option<Table>,
        storage: StoreOptions,
        store: Arc<dyn Store>,
        metadata: TableMetadata,
        requirements: Vec<Requirement>,
        updates: Vec<Update>,
        files: BTreeSet<String>,
    ) -> Self {
        let counts = RowCounts::default();
        let metadata = Arc::new(metadata);
        Self {
            base,
            storage,
            store,
            metadata,
            requirements,
            updates,
            files,
            counts,
            is_rebased: false,
            is_repaired: false,
            row_proof: None,
        }
    }

    /// The same, with the rows and files that its operations change.
    pub(super) fn with_counts(self, counts: RowCounts) -> Self {
        Self { counts, ..self }
    }

    /// The same, and whether rows of its operations were found on an older base.
    pub(super) fn with_rebased(self, is_rebased: bool) -> Self {
        Self { is_rebased, ..self }
    }

    /// The same, and whether parts of its metadata are mended, which no update says, and what proves that rows stay.
    pub(super) fn with_repaired(self, is_repaired: bool, row_proof: Option<RowProof>) -> Self {
        Self { is_repaired, row_proof, ..self }
    }

    /// Does the commit change anything? If not, there is nothing to commit.
    pub fn changes(&self) -> bool {
        !self.updates.is_empty() || self.is_repaired
    }

    /// The rows and files that its operations change.
    pub fn counts(&self) -> RowCounts {
        self.counts
    }

    /// What proves that a repair leaves the rows as they are; `None` for other operations, and for one that changes no manifest.
    pub fn row_proof(&self) -> Option<RowProof> {
        self.row_proof
    }

    /// Were rows that its operations change found on an older state of the table, and not looked for again on its base?
    pub fn is_rebased(&self) -> bool {
        self.is_rebased
    }

    /// The table that it is made on; `None` where it creates the table.
    pub fn base(&self) -> Option<&Table> {
        self.base.as_ref()
    }

    /// The last snapshot that it adds.
    pub fn snapshot_id(&self) -> Option<i64> {
        self.updates.iter().rev().find_map(|update| match update {
            Update::AddSnapshot(snapshot) => Some(snapshot.snapshot_id),
            _ => None,
        })
    }

    /// The metadata afterwards.
    pub fn metadata(&self) -> &Arc<TableMetadata> {
        &self.metadata
    }

    /// The requirements that must hold when the commit is applied.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The updates of the commit.
    pub fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// The requirements as JSON.
    pub fn requirements_json(&self) -> Json {
        self.requirements.iter().map(Requirement::to_json).collect()
    }

    /// The updates as JSON.
    pub fn updates_json(&self) -> Result<Json> {
        updates_to_json(&self.updates)
    }

    /// Manifests and manifest lists that its snapshots need.
    pub(super) fn files(&self) -> &BTreeSet<String> {
        &self.files
    }

    /// Writes the metadata, as gzip if the name says so; with `if_absent`, only if the file does not exist.
    ///
    /// Errors: `AlreadyExists`; those of the store. One of [unknown outcome](Error::is_outcome_unknown) may have taken effect.
    pub fn write_metadata(&self, location: &str, if_absent: bool) -> Result<()> {
        write_table_metadata(self.store.as_ref(), &self.metadata, location, if_absent)
    }

    /// Checks that all files are there that its snapshots name, once its metadata was written.
    ///
    /// Errors: `NotFound`, naming the first file that is missing; those of reading manifests and of the store.
    pub fn check_files(&self, metadata_location: &str, cancel: &Cancel) -> Result<()> {
        if self.metadata.snapshots.is_empty() {
            return Ok(());
        }
        let table = self.table(metadata_location)?;
        let mut files = table.reachable_files(cancel)?;
        loop {
            let some = files.by_ref().take(LOOKED_AT).collect::<Result<Vec<_>>>()?;
            if some.is_empty() {
                return Ok(());
            }
            ordered(&some, thread_budget()?, cancel, |file| {
                if self.store.exists(&file.location)? {
                    return Ok(());
                }
                Err(Error::not_found("a file of the commit was removed").with("path", &file.location))
            })?;
        }
    }

    /// The table afterwards, at the metadata file that it was written to. Nothing is read.
    pub fn table(&self, metadata_location: &str) -> Result<Table> {
        let (metadata, location) = (Arc::clone(&self.metadata), metadata_location.to_owned());
        if let Some(base) = &self.base {
            return base.moved_on(metadata, location);
        }
        let options = OpenOptions { storage: self.storage.clone(), ..OpenOptions::default() };
        Table::written(metadata, location, options)
    }
}
