//! Which rows does a metadata table have?
//!
//! In: a table, the name of a metadata table, and a snapshot for tables about one. Out: batches.
//!
//! Names, order, types, nullability and field ids of columns are those of Iceberg Java's metadata tables, in the table's current
//! schema, whichever snapshot they are about.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::schema::Field;
use floeberg_core::{Cancel, Context, Result};

use super::entries::{EntryTable, Shape};
use super::kind::{FileScope, MetadataTable};
use super::manifest_stream::ItemBatches;
use super::position_deletes::PositionDeleteRows;
use super::rows::{Row, arrow_schema, batch_of_rows};
use super::source::Source;
use super::{history, manifests, metadata_log_entries, partitions, refs, snapshots};
use crate::manifest::{ManifestContent, ManifestFile};
use crate::{Scan, SnapshotChoice, Table};

/// A metadata table of a table.
#[derive(Debug, Clone)]
pub struct Inspection {
    table: Table,
    which: MetadataTable,
    choice: SnapshotChoice,
}

impl Inspection {
    /// Of the current snapshot.
    pub fn new(table: Table, which: MetadataTable) -> Self {
        Self { table, which, choice: SnapshotChoice::Current }
    }

    /// Of another snapshot. Tables about all snapshots stay as they are.
    #[must_use]
    pub fn at(self, choice: SnapshotChoice) -> Self {
        Self { choice, ..self }
    }

    /// Starts reading.
    ///
    /// Errors: `NotFound` for an unknown snapshot; `InvalidData` for damaged files, naming them; `Unsupported`
    /// for encrypted ones; those of the store. Some come only with the rows.
    pub fn open(&self, cancel: &Cancel) -> Result<MetadataRows> {
        self.rows(cancel).context("table", self.table.metadata_location())
    }

    fn rows(&self, cancel: &Cancel) -> Result<MetadataRows> {
        let metadata = self.table.metadata();
        Ok(match self.which {
            MetadataTable::Snapshots => known(&snapshots::fields(), &snapshots::rows(metadata)?)?,
            MetadataTable::History => known(&history::fields(), &history::rows(metadata, self.audited())?)?,
            MetadataTable::Refs => known(&refs::fields(), &refs::rows(metadata))?,
            MetadataTable::MetadataLogEntries => {
                known(&metadata_log_entries::fields(), &metadata_log_entries::rows(&self.table)?)?
            }
            MetadataTable::Manifests => one(manifests::batch(&self.source(cancel)?)?),
            MetadataTable::AllManifests => {
                let snapshots = metadata.snapshots.clone();
                let schema = arrow_schema(&manifests::all_fields())?;
                let batches = ItemBatches::new(self.source(cancel)?, snapshots, manifests::batch_of_snapshot);
                MetadataRows { schema, batches: Box::new(batches) }
            }
            MetadataTable::Entries => {
                self.entries(cancel, Shape::Entry, FileScope::Both, Source::manifests)?
            }
            MetadataTable::AllEntries => {
                self.entries(cancel, Shape::Entry, FileScope::Both, Source::all_manifests)?
            }
            MetadataTable::Files(scope) => self.entries(cancel, Shape::File, scope, Source::manifests)?,
            MetadataTable::AllFiles(scope) => {
                self.entries(cancel, Shape::File, scope, Source::all_manifests)?
            }
            MetadataTable::Partitions => one(partitions::batch(&self.source(cancel)?)?),
            MetadataTable::PositionDeletes => {
                let rows = PositionDeleteRows::new(self.source(cancel)?)?;
                MetadataRows { schema: SchemaRef::clone(rows.schema()), batches: Box::new(rows) }
            }
        })
    }

    /// The branch that is read instead of the current snapshot.
    fn audited(&self) -> Option<&str> {
        match &self.choice {
            SnapshotChoice::Audit(branch) => Some(branch),
            _ => None,
        }
    }

    fn source(&self, cancel: &Cancel) -> Result<Source> {
        let snapshot = Scan::new(self.table.clone()).at(self.choice.clone()).snapshot()?;
        Source::new(&self.table, snapshot, cancel)
    }

    fn entries(
        &self,
        cancel: &Cancel,
        shape: Shape,
        scope: FileScope,
        manifests: impl Fn(&Source) -> Result<Vec<ManifestFile>>,
    ) -> Result<MetadataRows> {
        let source = self.source(cancel)?;
        let table = EntryTable::new(&source, shape)?;
        let mut manifests = manifests(&source)?;
        manifests.retain(|manifest| match scope {
            FileScope::Both => true,
            FileScope::Data => manifest.content == ManifestContent::Data,
            FileScope::Deletes => manifest.content == ManifestContent::Deletes,
        });
        let schema = SchemaRef::clone(table.schema());
        let work = move |source: &Source, manifest: &ManifestFile| table.batch(source, manifest);
        Ok(MetadataRows { schema, batches: Box::new(ItemBatches::new(source, manifests, work)) })
    }
}

fn known(fields: &[Field], rows: &[Row]) -> Result<MetadataRows> {
    batch_of_rows(fields, rows).map(one)
}

fn one(batch: RecordBatch) -> MetadataRows {
    let schema = batch.schema();
    MetadataRows { schema, batches: Box::new(std::iter::once(Ok(batch))) }
}

/// The rows of a metadata table, as batches of one schema. After an error nothing follows.
pub struct MetadataRows {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch>> + Send>,
}

impl MetadataRows {
    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl Iterator for MetadataRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}
