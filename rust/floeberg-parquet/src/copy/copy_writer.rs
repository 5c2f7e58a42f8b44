//! A file that is made of row groups of other files.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};
use floeberg_files::{FileMetrics, FileWriter};
use floeberg_io::Store;

use super::StoredGroup;
use crate::write::{GroupColumn, ParquetLayout, ParquetWriter, stored_columns};

/// A file that is being written. It is removed if it does not end.
pub struct CopyWriter {
    file: ParquetWriter,
    layout: Arc<ParquetLayout>,
}

impl CopyWriter {
    pub(super) fn create(store: &dyn Store, location: &str, layout: Arc<ParquetLayout>) -> Result<Self> {
        let file = ParquetWriter::create(store, location, Arc::clone(&layout))?;
        Ok(Self { file, layout })
    }

    /// How many bytes the file has so far.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Copies a row group. `encoded` has its rows, with the columns of [`StoredFile::encoded`](super::StoredFile::encoded) in the form
    /// of the table.
    ///
    /// Errors: those of the store; `InvalidData` for another number of rows; `InvalidInput` for a null in a required column.
    pub fn append(&mut self, stored: StoredGroup, encoded: &[RecordBatch]) -> Result<()> {
        let StoredGroup { location, rows, columns, encoded: ids } = stored;
        let given: usize = encoded.iter().map(RecordBatch::num_rows).sum();
        if !ids.is_empty() && given as u64 != rows {
            let message = format!("expected {rows} rows of a row group, found {given}");
            return Err(Error::invalid_data(message).with("path", location));
        }
        let fields = self.layout.fields.iter().filter(|field| ids.contains(&field.id));
        let fields: Vec<_> = fields.cloned().collect();
        let batches = encoded.iter().map(|batch| stored_columns(batch.columns(), &fields));
        let batches = batches.collect::<Result<Vec<_>>>()?;
        let mut number = 0;
        let mut values = || {
            let values = batches.iter().filter_map(|columns| columns.get(number)).cloned().collect();
            number += 1;
            GroupColumn::Encoded(values)
        };
        let columns = columns.into_iter().map(|chunks| chunks.map_or_else(&mut values, GroupColumn::Copied));
        let columns = columns.collect();
        self.file.append_group(rows, columns)
    }

    /// Ends the file: it is durable then. Errors: those of the store.
    pub fn finish(self) -> Result<FileMetrics> {
        Box::new(self.file).finish()
    }
}
