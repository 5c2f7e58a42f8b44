//! What is asked of two snapshots of a table?
//!
//! Invariant: where the history proves that no row differs, no manifest is read for rows, counts and previews.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use floeberg_core::{Cancel, Context as _, Result};
use floeberg_iceberg::difference_tasks::DifferenceTasks;
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};
use floeberg_iceberg::{Difference, DifferenceStream, Scan};
use floeberg_rows::RowCounts;

use super::files::files;
use super::metadata_then::metadata_then;
use super::preview::preview;
use super::proof::{Proof, proof};

/// What differs between two snapshots.
#[derive(Debug, Clone)]
pub struct TableDiff {
    difference: Difference,
}

impl TableDiff {
    /// Between a snapshot and that of a scan, as [`Difference::new`] says.
    pub fn new(scan: Scan, start: Option<i64>, key: Option<Vec<String>>) -> Result<Self> {
        Ok(Self { difference: Difference::new(scan, start, key)? })
    }

    /// What differs, row by row.
    pub fn difference(&self) -> &Difference {
        &self.difference
    }

    /// The Arrow schema of the rows.
    pub fn output_schema(&self) -> Result<Schema> {
        self.difference.output_schema()
    }

    /// What proves that no row differs; `None` where rows have to be compared.
    ///
    /// Errors: those of reading manifest lists.
    pub fn proof(&self, cancel: &Cancel) -> Result<Option<Proof>> {
        let scan = self.difference.scan();
        let table = scan.table();
        let before = self.start()?;
        let reader = table.manifest_reader(cancel)?;
        proof(table.metadata(), before.as_deref(), scan.snapshot()?.as_deref(), &reader)
            .context("table", table.metadata_location())
    }

    /// The rows that differ.
    ///
    /// Errors: those of planning. The stream gives those of reading.
    pub fn stream(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        match self.proof(cancel)? {
            Some(_) => self.difference.no_rows(cancel),
            None => self.difference.stream(cancel),
        }
    }

    /// How many rows differ.
    ///
    /// Errors: those of planning and of reading.
    pub fn counts(&self, cancel: &Cancel) -> Result<RowCounts> {
        match self.proof(cancel)? {
            Some(_) => Ok(RowCounts::default()),
            None => self.difference.counts(cancel),
        }
    }

    /// Tasks of other processes that find the rows that differ, at most so many; `None` where the history proves that none does.
    ///
    /// Errors: those of planning.
    pub fn tasks(&self, most_tasks: usize, cancel: &Cancel) -> Result<Option<DifferenceTasks>> {
        match self.proof(cancel)? {
            Some(_) => Ok(None),
            None => DifferenceTasks::new(&self.difference, most_tasks, cancel).map(Some),
        }
    }

    /// The files that differ, with any rows: `change` (`added`, `removed` or `other deletes`), `content`, `file_path`, `spec_id`,
    /// `partition`, `record_count` and `file_size_in_bytes`.
    ///
    /// Errors: those of planning.
    pub fn files(&self, cancel: &Cancel) -> Result<RecordBatch> {
        let scan = self.difference.scan();
        let all = Scan::new(scan.table().clone()).at(scan.snapshot_choice().clone());
        let found = Difference::new(all, self.difference.start(), None)?.files(cancel)?;
        files(scan.table().metadata(), found.as_ref())
    }

    /// How many rows of each partition differ at most.
    ///
    /// Errors: those of planning.
    pub fn preview(&self, cancel: &Cancel) -> Result<RecordBatch> {
        let found = match self.proof(cancel)? {
            Some(_) => None,
            None => self.difference.files(cancel)?,
        };
        preview(self.difference.scan().table().metadata(), found.as_ref())
    }

    /// The metadata with which a snapshot of the table was committed; `None` where it is not known any more.
    ///
    /// Errors: `NotFound` for a snapshot that the table does not have, and those of reading metadata.
    pub fn metadata_then(&self, snapshot_id: i64, cancel: &Cancel) -> Result<Option<Arc<TableMetadata>>> {
        let table = self.difference.scan().table();
        let snapshot = table.metadata().snapshot(snapshot_id)?;
        metadata_then(table, snapshot, &table.manifest_reader(cancel)?)
            .context("table", table.metadata_location())
    }

    fn start(&self) -> Result<Option<Arc<Snapshot>>> {
        let metadata = self.difference.scan().table().metadata();
        self.difference.start().map(|start| metadata.snapshot(start).cloned()).transpose()
    }
}
