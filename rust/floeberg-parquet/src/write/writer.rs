//! A Parquet file that is being written.
//!
//! In: pieces of rows. Out: the file and its metrics.
//!
//! ```text
//! piece -> encoders of the row group, a column each -> chunks -> the file's end
//!          in memory, on any thread                    written in order
//! ```
//!
//! Invariant: a row group is in memory until it ends; a file that is dropped unfinished is removed by its sink.

use std::mem;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray as _;
use arrow_schema::Field;
use bytes::Bytes;
use floeberg_core::{Error, Result};
use floeberg_files::{FileMetrics, FileWriter, Piece, Waiting, Work, rows_for};
use floeberg_io::Store;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::writer::SerializedFileWriter;

use super::layout::{COLUMN_MEMORY, ParquetLayout};
use super::leaves::count;
use super::metrics::describe;
use super::output::{Output, writing};
use super::shredding::{Shredding, Shreddings};

/// A file that is being written.
pub(crate) struct ParquetWriter {
    location: String,
    layout: Arc<ParquetLayout>,
    shreddings: Shreddings,
    file: SerializedFileWriter<Output>,
    factory: ArrowRowGroupWriterFactory,
    group: Vec<ColumnEncoder>,
    /// The row group that has ended and is not written yet.
    ended: Vec<Ended>,
    group_rows: u64,
    /// Bytes that the rows of the row group took in memory.
    group_raw_size: u64,
    rows: u64,
}

/// What encodes a column, with the columns in it, for one row group.
struct ColumnEncoder {
    field: Arc<Field>,
    /// How variants are shredded.
    shredding: Option<Shredding>,
    leaves: Vec<ArrowColumnWriter>,
}

/// A column of a row group that comes from another file.
pub(crate) enum GroupColumn {
    /// Its chunks are copied.
    Copied(Vec<(Bytes, ColumnCloseResult)>),
    /// Its values are encoded.
    Encoded(Vec<ArrayRef>),
}

/// A column of a row group that ends.
struct Ended {
    encoder: Option<ColumnEncoder>,
    chunks: Vec<ArrowColumnChunk>,
}

impl ParquetWriter {
    /// Starts a file. Errors: those of the store.
    pub fn create(store: &dyn Store, location: &str, layout: Arc<ParquetLayout>) -> Result<Self> {
        let (sink, key) = store.create_native(location)?;
        let properties = match &key {
            Some(key) => layout.options().encrypted_by(key).map_err(|error| error.with("path", location))?,
            None => Arc::clone(&layout.options().properties),
        };
        let file = writing(location, || {
            SerializedFileWriter::new(Output::new(sink), Arc::clone(&layout.parquet), properties)
        })?;
        let factory = ArrowRowGroupWriterFactory::new(&file, Arc::clone(&layout.arrow));
        Ok(Self {
            location: location.to_owned(),
            shreddings: Shreddings::new(&layout.shapes),
            layout,
            file,
            factory,
            group: Vec::new(),
            ended: Vec::new(),
            group_rows: 0,
            group_raw_size: 0,
            rows: 0,
        })
    }

    /// About how many bytes the row group has, once it is encoded.
    fn group_size(&self) -> u64 {
        self.group.iter().map(ColumnEncoder::size).sum()
    }

    /// The size that decides when the row group ends.
    fn group_weight(&self) -> u64 {
        if self.layout.options().are_groups_of_raw_size { self.group_raw_size } else { self.group_size() }
    }

    /// Begins a row group, with one encoder per stored column.
    fn begin_group(&mut self) -> Result<()> {
        let number = self.file.flushed_row_groups().len();
        let factory = &self.factory;
        let mut writers = writing(&self.location, || factory.create_column_writers(number))?.into_iter();
        let fields = self.layout.arrow.fields().iter().zip(&self.layout.stored);
        self.group = fields
            .map(|(field, stored)| {
                let leaves = writers.by_ref().take(count(field.data_type())).collect();
                let shredding = self.shreddings.of(stored.id).cloned();
                ColumnEncoder { field: Arc::clone(field), shredding, leaves }
            })
            .collect();
        Ok(())
    }

    /// Adds a row group of another file. Errors: those of the store.
    pub fn append_group(&mut self, rows: u64, columns: Vec<GroupColumn>) -> Result<()> {
        self.begin_group()?;
        self.rows += rows;
        let encoders = mem::take(&mut self.group);
        let Self { file, location, .. } = self;
        let mut group = writing(location, || file.next_row_group())?;
        for (mut encoder, column) in encoders.into_iter().zip(columns) {
            match column {
                GroupColumn::Copied(chunks) => {
                    for (bytes, described) in chunks {
                        writing(location, || group.append_column(&bytes, described))?;
                    }
                }
                GroupColumn::Encoded(values) => {
                    values.iter().try_for_each(|values| encoder.encode(values, location))?;
                    for chunk in encoder.finish(location)? {
                        writing(location, || chunk.append_to_row_group(&mut group))?;
                    }
                }
            }
        }
        writing(location, || group.close().map(drop))
    }
}

impl FileWriter for ParquetWriter {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> u64 {
        self.file.bytes_written() as u64 + self.group_size()
    }

    fn memory(&self) -> u64 {
        self.group.iter().map(ColumnEncoder::memory).sum()
    }

    fn file_memory(&self) -> u64 {
        self.layout.column_memory()
    }

    /// At least the fewest rows of a row group. Encoded rows are seldom larger than rows in memory.
    fn room(&self, waiting: Waiting, file_size: u64) -> u64 {
        let options = self.layout.options();
        let room = |of: u64, used: u64, group: u64| {
            let left = of.saturating_sub(used);
            if self.group_rows > 0 {
                rows_for(left, group, self.group_rows)
            } else {
                rows_for(left, waiting.bytes, waiting.rows)
            }
        };
        let in_group = room(options.row_group_size, self.group_weight(), self.group_weight());
        let in_file = room(file_size, self.size(), self.group_size());
        let most = options.rows_between_checks.unwrap_or(u64::MAX);
        let most = most.min(
            self.layout
                .options()
                .row_group_limit
                .map_or(u64::MAX, |limit| limit.saturating_sub(self.group_rows).max(1)),
        );
        in_group.min(in_file).max(options.row_group_rows).min(most)
    }

    /// Two rows early, as in Iceberg Java.
    fn is_unit_full(&self) -> bool {
        let (size, rows) = (self.group_weight(), self.group_rows);
        let options = self.layout.options();
        options.row_group_limit.is_some_and(|limit| rows >= limit)
            || rows >= options.row_group_rows
                && size.saturating_add(2 * size / rows.max(1)) >= options.row_group_size
    }

    /// Each column is one part of the work.
    fn encode<'a>(&'a mut self, rows: &'a [Piece]) -> Result<Vec<Work<'a>>> {
        if self.group.is_empty() {
            self.begin_group()?;
        }
        let given = Waiting::of(rows);
        self.group_rows += given.rows;
        self.group_raw_size += given.bytes;
        self.rows += given.rows;
        let location = self.location.as_str();
        let of_column = |(number, encoder): (usize, &'a mut ColumnEncoder)| -> Work<'a> {
            let mut values = rows.iter().filter_map(move |piece| piece.columns.get(number));
            Box::new(move || values.try_for_each(|values| encoder.encode(values, location)))
        };
        Ok(self.group.iter_mut().enumerate().map(of_column).collect())
    }

    fn end_unit(&mut self) -> Result<Vec<Work<'_>>> {
        (self.group_rows, self.group_raw_size) = (0, 0);
        let ended = |encoder| Ended { encoder: Some(encoder), chunks: Vec::new() };
        self.ended = mem::take(&mut self.group).into_iter().map(ended).collect();
        let location = self.location.as_str();
        let works = self.ended.iter_mut().map(|column| -> Work<'_> {
            Box::new(move || {
                if let Some(encoder) = column.encoder.take() {
                    column.chunks = encoder.finish(location)?;
                }
                Ok(())
            })
        });
        Ok(works.collect())
    }

    fn write_unit(&mut self) -> Result<()> {
        let ended = mem::take(&mut self.ended);
        if ended.is_empty() {
            return Ok(());
        }
        let file = &mut self.file;
        writing(&self.location, || {
            let mut group = file.next_row_group()?;
            for chunk in ended.into_iter().flat_map(|column| column.chunks) {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close().map(drop)
        })
    }

    fn finish(self: Box<Self>) -> Result<FileMetrics> {
        let Self { location, layout, shreddings, mut file, rows, .. } = *self;
        let metadata = writing(&location, || file.finish())?;
        let size = file.inner_mut().finish()?;
        let described = describe(&metadata, &layout, &shreddings, size as i64)?;
        if described.record_count != rows as i64 {
            let stored = described.record_count;
            return Err(Error::internal(format!("{rows} rows were given, {stored} are stored"))
                .with("path", location));
        }
        Ok(described)
    }
}

impl ColumnEncoder {
    /// Encodes values of the column. Errors name the file.
    fn encode(&mut self, values: &ArrayRef, location: &str) -> Result<()> {
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
    fn finish(self, location: &str) -> Result<Vec<ArrowColumnChunk>> {
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
