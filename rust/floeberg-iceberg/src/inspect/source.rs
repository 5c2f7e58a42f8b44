//! Where do the tables about a snapshot's files read from?
//!
//! In: a table and a snapshot. Out: manifests and their entries.
//!
//! Invariant: entries are read whole, with inheritance applied; an encrypted or damaged manifest is an error that names it.

use std::sync::Arc;

use floeberg_core::{Cancel, Context, Result};

use super::partition_column::PartitionColumn;
use crate::Table;
use crate::manifest::{
    AllManifests, BoundSpec, EntryRequest, ManifestEntries, ManifestFile, ManifestReader, Specs,
};
use crate::metadata::{Snapshot, TableMetadata};
use crate::plan::{DeleteFile, delete_file};
use crate::read::ReadRequest;
use floeberg_exec::threads::ordered;

/// A table whose manifests are read.
#[derive(Debug)]
pub(super) struct Source {
    table: Table,
    snapshot: Option<Arc<Snapshot>>,
    reader: ManifestReader,
    specs: Arc<Specs>,
    partition: PartitionColumn,
}

impl Source {
    /// Of a table, at a snapshot if there is one.
    pub(super) fn new(table: &Table, snapshot: Option<Arc<Snapshot>>, cancel: &Cancel) -> Result<Self> {
        let metadata = table.metadata();
        let specs = Specs::new(metadata, metadata.current_schema())?;
        let reader = table.manifest_reader(cancel)?;
        let partition = PartitionColumn::new(metadata)?;
        Ok(Self { table: table.clone(), snapshot, reader, specs, partition })
    }

    pub(super) fn metadata(&self) -> &TableMetadata {
        self.table.metadata()
    }

    pub(super) fn partition(&self) -> &PartitionColumn {
        &self.partition
    }

    pub(super) fn specs(&self) -> &Specs {
        &self.specs
    }

    /// The spec of a manifest.
    pub(super) fn spec(&self, manifest: &ManifestFile) -> Result<&BoundSpec> {
        self.specs.get(manifest.partition_spec_id).context("manifest", &manifest.manifest_path)
    }

    /// The manifests of the snapshot; empty without a snapshot.
    pub(super) fn manifests(&self) -> Result<Vec<ManifestFile>> {
        match &self.snapshot {
            Some(snapshot) => self.manifests_of(snapshot),
            None => Ok(Vec::new()),
        }
    }

    /// The manifests of one snapshot.
    pub(super) fn manifests_of(&self, snapshot: &Snapshot) -> Result<Vec<ManifestFile>> {
        self.reader.manifests(snapshot).map_err(|error| self.table.explain_missing_file(error))
    }

    /// The manifests of all snapshots, each once.
    pub(super) fn all_manifests(&self) -> Result<Vec<ManifestFile>> {
        AllManifests::new(self.reader.clone(), self.metadata().snapshots.clone())
            .map(|manifest| manifest.map_err(|error| self.table.explain_missing_file(error)))
            .collect::<Result<_>>()
            .context("table", self.table.metadata_location())
    }

    /// The entries of a manifest.
    pub(super) fn entries(&self, manifest: &ManifestFile, wanted: &EntryRequest) -> Result<ManifestEntries> {
        let bytes = self.reader.open(manifest).map_err(|error| self.table.explain_missing_file(error))?;
        bytes.entries(&self.spec(manifest)?.partition_type, wanted)
    }

    /// The delete file of an entry of a delete manifest.
    pub(super) fn delete_file(
        &self,
        manifest: &ManifestFile,
        entries: &ManifestEntries,
        row: usize,
    ) -> Result<DeleteFile> {
        let partition = self.spec(manifest)?.values(&entries.partition, row)?;
        delete_file(entries, row, partition, &self.reader.relocation)
            .context("path", entries.file_path.value(row))
            .context("manifest", &manifest.manifest_path)
    }

    /// How delete files are read.
    pub(super) fn read_request(&self) -> ReadRequest {
        let schema = Arc::clone(self.metadata().current_schema());
        ReadRequest::new(Arc::clone(&self.reader.store), Arc::clone(&schema), schema)
            .with_cancel(self.reader.cancel.clone())
    }

    /// Works on items in parallel, as planning does.
    pub(super) fn ordered<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        ordered(items, self.reader.threads, &self.reader.cancel, work)
            .context("table", self.table.metadata_location())
    }

    /// How many manifests are held in memory at a time.
    pub(super) fn at_once(&self) -> usize {
        self.reader.threads
    }
}
