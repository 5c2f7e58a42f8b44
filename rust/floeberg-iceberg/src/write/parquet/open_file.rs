//! A Parquet file that is being written.
//!
//! In: pieces of rows of one partition. Out: the file, and what is said of it.
//!
//! ```text
//! piece -> encoders of the row group, a column each -> chunks -> the file's end
//!          in memory, on any thread                    written in order
//! ```
//!
//! Invariant: a row group is in memory until it ends; a file that is dropped unfinished is removed by its sink.

use std::mem;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Field;
use floeberg_core::{Error, Result};
use floeberg_io::Store;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::file::writer::SerializedFileWriter;

use super::form::{COLUMN_MEMORY, FileForm};
use super::leaves::count;
use super::metrics::describe;
use super::output::{Output, writing};
use super::shredding::{Shredding, Shreddings};
use super::stored::stored_columns;
use crate::manifest::DataFile;

/// Rows in the form in which they are stored.
#[derive(Debug, Clone)]
pub(in crate::write) struct Piece {
    pub columns: Vec<ArrayRef>,
    pub rows: usize,
    /// About how many bytes they take.
    pub bytes: u64,
}

/// A file that is being written.
pub(in crate::write) struct OpenFile {
    location: String,
    form: Arc<FileForm>,
    shreddings: Shreddings,
    file: SerializedFileWriter<Output>,
    factory: ArrowRowGroupWriterFactory,
    group: Vec<ColumnEncoder>,
    group_rows: u64,
    /// Bytes that the rows of the row group took in memory.
    group_raw_size: u64,
    rows: u64,
}

/// What encodes a column, with the columns in it, for one row group.
pub(in crate::write) struct ColumnEncoder {
    field: Arc<Field>,
    /// How variants are shredded.
    shredding: Option<Shredding>,
    leaves: Vec<ArrowColumnWriter>,
}

impl Piece {
    /// The rows of a batch in the table's form.
    pub fn new(batch: &RecordBatch, form: &FileForm) -> Result<Self> {
        let columns = stored_columns(batch.columns(), &form.fields)?;
        Ok(Self::of_columns(columns, batch.num_rows()))
    }

    /// Rows of stored columns.
    pub fn of_columns(columns: Vec<ArrayRef>, rows: usize) -> Self {
        Self { bytes: bytes_of(&columns), columns, rows }
    }

    /// Some of the rows, which share the memory.
    pub fn slice(&self, start: usize, rows: usize) -> Self {
        let columns: Vec<_> = self.columns.iter().map(|column| column.slice(start, rows)).collect();
        Self::of_columns(columns, rows)
    }
}

/// Bytes of the rows themselves, whatever the memory around them.
fn bytes_of(columns: &[ArrayRef]) -> u64 {
    let of_column = |column: &ArrayRef| {
        let data = column.to_data();
        data.get_slice_memory_size().unwrap_or_else(|_| data.get_array_memory_size()) as u64
    };
    columns.iter().map(of_column).sum()
}

impl OpenFile {
    /// Starts a file. Errors: those of the store.
    pub fn create(store: &dyn Store, location: String, form: &Arc<FileForm>) -> Result<Self> {
        let sink = store.create(&location)?;
        let properties = Arc::clone(&form.layout().properties);
        let file = writing(&location, || {
            SerializedFileWriter::new(Output::new(sink), Arc::clone(&form.parquet), properties)
        })?;
        let factory = ArrowRowGroupWriterFactory::new(&file, Arc::clone(&form.arrow));
        Ok(Self {
            location,
            form: Arc::clone(form),
            shreddings: Shreddings::new(&form.shapes),
            file,
            factory,
            group: Vec::new(),
            group_rows: 0,
            group_raw_size: 0,
            rows: 0,
        })
    }

    /// Where it is.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// About how many bytes its columns take, beside their values.
    pub fn column_memory(&self) -> u64 {
        self.form.column_memory()
    }

    /// Rows of the row group.
    pub fn group_rows(&self) -> u64 {
        self.group_rows
    }

    /// About how many bytes the row group has, once it is encoded.
    pub fn group_size(&self) -> u64 {
        self.group.iter().map(ColumnEncoder::size).sum()
    }

    /// The size that decides when the row group ends.
    pub fn group_weight(&self) -> u64 {
        if self.form.layout().are_groups_of_raw_size { self.group_raw_size } else { self.group_size() }
    }

    /// About how many bytes of memory the row group takes.
    pub fn memory(&self) -> u64 {
        self.group.iter().map(ColumnEncoder::memory).sum()
    }

    /// About how many bytes the file has.
    pub fn size(&self) -> u64 {
        self.file.bytes_written() as u64 + self.group_size()
    }

    /// The encoders of the row group, one a stored column, to encode these further rows.
    pub fn encoders(&mut self, pieces: &[Piece]) -> Result<&mut [ColumnEncoder]> {
        if self.group.is_empty() {
            let number = self.file.flushed_row_groups().len();
            let factory = &self.factory;
            let mut writers = writing(&self.location, || factory.create_column_writers(number))?.into_iter();
            let fields = self.form.arrow.fields().iter().zip(&self.form.stored);
            self.group = fields
                .map(|(field, stored)| {
                    let leaves = writers.by_ref().take(count(field.data_type())).collect();
                    let shredding = self.shreddings.of(stored.id).cloned();
                    ColumnEncoder { field: Arc::clone(field), shredding, leaves }
                })
                .collect();
        }
        let rows: u64 = pieces.iter().map(|piece| piece.rows as u64).sum();
        self.group_rows += rows;
        self.group_raw_size += pieces.iter().map(|piece| piece.bytes).sum::<u64>();
        self.rows += rows;
        Ok(&mut self.group)
    }

    /// The encoders of the row group, to be ended.
    pub fn take_encoders(&mut self) -> Vec<ColumnEncoder> {
        (self.group_rows, self.group_raw_size) = (0, 0);
        mem::take(&mut self.group)
    }

    /// Writes a row group whose encoders were ended.
    pub fn append(&mut self, chunks: Vec<ArrowColumnChunk>) -> Result<()> {
        let file = &mut self.file;
        writing(&self.location, || {
            let mut group = file.next_row_group()?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close().map(drop)
        })
    }

    /// Ends the file: it is durable then. Row groups must have been ended.
    pub fn finish(self) -> Result<DataFile> {
        let Self { location, form, shreddings, mut file, rows, .. } = self;
        let metadata = writing(&location, || file.finish())?;
        let size = file.inner_mut().finish()?;
        let mut described = DataFile::new(location, "parquet");
        describe(&mut described, &metadata, &form, &shreddings)?;
        if described.record_count != rows as i64 {
            return Err(Error::internal(format!(
                "{rows} rows were given, {} are stored",
                described.record_count
            ))
            .with("path", described.file_path));
        }
        described.file_size_in_bytes = size as i64;
        Ok(described)
    }
}

impl ColumnEncoder {
    /// Encodes values of the column. Errors name the file.
    pub fn encode(&mut self, values: &ArrayRef, location: &str) -> Result<()> {
        let Self { field, shredding, leaves } = self;
        let named = |error: Error| error.with("column", field.name());
        let shredded: ArrayRef = match (shredding, values.as_struct_opt()) {
            (Some(shredding), Some(variants)) => {
                Arc::new(shredding.shred(variants).map_err(|error| named(error.with("path", location)))?)
            }
            _ => Arc::clone(values),
        };
        writing(location, || {
            for (leaf, levels) in leaves.iter_mut().zip(compute_leaves(field, &shredded)?) {
                leaf.write(&levels)?;
            }
            Ok(())
        })
        .map_err(named)
    }

    /// Ends the column.
    pub fn finish(self, location: &str) -> Result<Vec<ArrowColumnChunk>> {
        let leaves = self.leaves;
        writing(location, || leaves.into_iter().map(ArrowColumnWriter::close).collect())
    }

    fn size(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.get_estimated_total_bytes() as u64).sum()
    }

    fn memory(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.memory_size() as u64 + COLUMN_MEMORY).sum()
    }
}
