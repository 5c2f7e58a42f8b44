//! How are rows cut into data files?
//!
//! In: batches with the columns of the files. Out: files that no version names yet.
//!
//! Invariant: a file is on the disk, with its name, before anything is committed. Files of a write that fails are removed.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::Result;
use floeberg_io::{Store, location, prepare_foreign_file, sync_foreign_file};

use crate::change::{NewFile, append};
use crate::commit::data_file_name;
use crate::pages::{PageWriter, Pages};
use crate::table::Table;

/// The folder of data files, below that of the table or of its branch.
const DATA: &str = "data";

/// Where new data files go, and what encodes them.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The folder of the table or of its branch.
    pub folder: String,
    /// The store of the folder.
    pub store: Arc<dyn Store>,
    /// The version of the files' format, such as `2.2`.
    pub version: String,
    /// What encodes the files.
    pub pages: Arc<dyn Pages>,
}

impl Destination {
    /// Beside the files of a table, in their version. Errors: `Unsupported` for a table whose columns cannot be written.
    pub fn of_table(table: &Table, pages: &Arc<dyn Pages>) -> Result<Self> {
        append(table, &[])?;
        let version = table.manifest().head.data_format.as_ref().map(|format| format.version.clone());
        Ok(Self {
            folder: table.bases().folder().to_owned(),
            store: Arc::clone(table.store()),
            version: version.unwrap_or_default(),
            pages: Arc::clone(pages),
        })
    }
}

/// Data files that were written, and that no version names yet.
#[derive(Debug, Clone)]
pub struct DataFiles {
    store: Arc<dyn Store>,
    files: Vec<NewFile>,
    locations: Vec<String>,
}

impl DataFiles {
    /// The files, in the order of their rows.
    pub fn files(&self) -> &[NewFile] {
        &self.files
    }

    /// Where the files are.
    pub fn locations(&self) -> &[String] {
        &self.locations
    }

    /// The number of their rows.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// Their bytes.
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    /// Removes the files. What cannot be removed stays, and harms nobody.
    pub fn remove(&self) {
        for location in &self.locations {
            drop(self.store.remove(location));
        }
    }
}

/// Writes rows to as many files as they need. Dropped before [`Self::finish`], it removes what it wrote.
pub struct DataFileWriter {
    destination: Destination,
    schema: SchemaRef,
    rows_per_file: u64,
    open: Option<OpenFile>,
    files: Vec<NewFile>,
    locations: Vec<String>,
}

/// The file that is being written.
struct OpenFile {
    name: String,
    rows: u64,
    pages: Box<dyn PageWriter>,
}

impl DataFileWriter {
    /// Of files with these columns and at most this many rows, at least one. Nothing is written before the first row.
    pub fn new(destination: Destination, schema: SchemaRef, rows_per_file: u64) -> Self {
        let rows_per_file = rows_per_file.max(1);
        Self { destination, schema, rows_per_file, open: None, files: Vec::new(), locations: Vec::new() }
    }

    /// The columns of the files.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Writes rows with the columns of the files. Errors: those of the encoder and of the store.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let (mut start, end) = (0, batch.num_rows());
        while start < end {
            let rows_per_file = self.rows_per_file;
            let open = self.open()?;
            let room = usize::try_from(rows_per_file - open.rows).unwrap_or(usize::MAX);
            let rows = room.min(end - start);
            open.pages.write(&batch.slice(start, rows))?;
            open.rows += rows as u64;
            start += rows;
            if open.rows == rows_per_file {
                self.end_file()?;
            }
        }
        Ok(())
    }

    /// Ends the file that is being written: further rows go to another one. Returns the number of files until now.
    ///
    /// Errors: those of the encoder and of the store.
    pub fn end_file(&mut self) -> Result<usize> {
        if let Some(mut open) = self.open.take() {
            let written = open.pages.finish().and_then(|size_bytes| {
                sync_foreign_file(&self.location_of(&open.name))?;
                Ok(size_bytes)
            });
            let size_bytes = written.inspect_err(|_| open.pages.abandon())?;
            let OpenFile { name, rows, .. } = open;
            self.files.push(NewFile { name, rows, size_bytes, row_ids: Vec::new() });
        }
        Ok(self.files.len())
    }

    /// The files. `row_ids` are the stable ids of the first rows; the others get new ones. Errors: those of [`Self::end_file`].
    pub fn finish(mut self, row_ids: &[u64]) -> Result<DataFiles> {
        self.end_file()?;
        let mut left = row_ids;
        for file in &mut self.files {
            let (of_file, others) = left.split_at(left.len().min(file.rows as usize));
            file.row_ids = of_file.to_vec();
            left = others;
        }
        let (files, locations) = (std::mem::take(&mut self.files), std::mem::take(&mut self.locations));
        Ok(DataFiles { store: Arc::clone(&self.destination.store), files, locations })
    }

    fn location_of(&self, name: &str) -> String {
        location::join(&location::join(&self.destination.folder, DATA), name)
    }

    fn open(&mut self) -> Result<&mut OpenFile> {
        if self.open.is_none() {
            let name = data_file_name();
            let location = self.location_of(&name);
            prepare_foreign_file(&location)?;
            // Known before its first byte is written, so that it is removed in any case.
            self.locations.push(location.clone());
            let Destination { pages, version, .. } = &self.destination;
            let pages = pages.write(&location, &self.schema, version)?;
            self.open = Some(OpenFile { name, rows: 0, pages });
        }
        self.open.as_mut().ok_or_else(|| floeberg_core::Error::internal("a file is open"))
    }
}

impl Drop for DataFileWriter {
    fn drop(&mut self) {
        if let Some(open) = &mut self.open {
            open.pages.abandon();
        }
        let files = DataFiles {
            store: Arc::clone(&self.destination.store),
            files: Vec::new(),
            locations: std::mem::take(&mut self.locations),
        };
        files.remove();
    }
}

impl fmt::Debug for DataFileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataFileWriter").field("locations", &self.locations).finish_non_exhaustive()
    }
}
