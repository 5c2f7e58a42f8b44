//! An Avro file that is being written.
//!
//! In: pieces of rows. Out: the file, and how many rows it has.
//! Spec: Data File Fields; Avro 1.12, Object Container Files.
//!
//! Invariant: as in Iceberg Java, the file has no metrics of columns and no split offsets.

use std::mem;
use std::sync::Arc;

use floeberg_avro::write::{header, random_marker};
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{FileMetrics, FileWriter, Piece, Waiting, Work, rows_for};
use floeberg_io::{Sink, Store};

use super::layout::AvroLayout;
use super::run::{Run, runs};

/// About how many bytes of memory an open file takes: a block before and after compression, and the codec's buffers.
pub(super) const FILE_MEMORY: u64 = 1 << 20;
/// Rows between two checks of the file size, at least, as in Iceberg Java.
const FEWEST_ROWS: u64 = 1_000;

/// A file that is being written.
pub(super) struct AvroWriter {
    location: String,
    layout: Arc<AvroLayout>,
    sink: Box<dyn Sink>,
    sync: [u8; 16],
    /// Encoded and not written yet.
    runs: Vec<Run>,
    written: u64,
    rows: u64,
    /// Is more stored than is written?
    is_encrypted: bool,
}

impl AvroWriter {
    /// Starts a file with its header. Errors: those of the store.
    pub(super) fn create(store: &dyn Store, location: &str, layout: Arc<AvroLayout>) -> Result<Self> {
        let mut sink = store.create(location)?;
        let sync = random_marker();
        let header = header(&layout.schema, &layout.metadata, layout.compression, sync);
        sink.write(&header)?;
        let written = header.len() as u64;
        let location = location.to_owned();
        Ok(Self {
            location,
            layout,
            sink,
            sync,
            runs: Vec::new(),
            written,
            rows: 0,
            is_encrypted: store.keys().is_some(),
        })
    }
}

impl FileWriter for AvroWriter {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> u64 {
        self.written + self.memory()
    }

    fn memory(&self) -> u64 {
        self.runs.iter().map(|run| run.blocks.len() as u64).sum()
    }

    fn file_memory(&self) -> u64 {
        FILE_MEMORY
    }

    fn room(&self, waiting: Waiting, file_size: u64) -> u64 {
        let left = file_size.saturating_sub(self.size());
        let rows = if self.rows > 0 {
            rows_for(left, self.size(), self.rows)
        } else {
            rows_for(left, waiting.bytes, waiting.rows)
        };
        rows.max(FEWEST_ROWS)
    }

    /// Blocks do not wait for each other.
    fn is_unit_full(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Each run of rows is one part of the work.
    fn encode<'a>(&'a mut self, rows: &'a [Piece]) -> Result<Vec<Work<'a>>> {
        self.rows += Waiting::of(rows).rows;
        let pieces = runs(rows);
        let first = self.runs.len();
        self.runs.resize_with(first + pieces.len(), Run::default);
        let (layout, sync, location) = (self.layout.as_ref(), self.sync, self.location.as_str());
        let of_run = |(run, pieces): (&'a mut Run, Vec<Piece>)| -> Work<'a> {
            Box::new(move || run.encode(layout, sync, &pieces).context("path", location))
        };
        Ok(self.runs[first..].iter_mut().zip(pieces).map(of_run).collect())
    }

    fn end_unit(&mut self) -> Result<Vec<Work<'_>>> {
        Ok(Vec::new())
    }

    fn write_unit(&mut self) -> Result<()> {
        for run in mem::take(&mut self.runs) {
            self.sink.write(&run.blocks)?;
            self.written += run.blocks.len() as u64;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<FileMetrics> {
        let Self { location, sink, written, rows, is_encrypted, .. } = *self;
        let size = sink.finish()?;
        if !is_encrypted && size != written {
            return Err(Error::internal(format!("{written} bytes were written, {size} are stored"))
                .with("path", location));
        }
        Ok(FileMetrics {
            record_count: rows as i64,
            file_size_in_bytes: size as i64,
            ..FileMetrics::default()
        })
    }
}
