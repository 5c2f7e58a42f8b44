//! The rows of an Avro file, as batches of the schema.
//!
//! Invariant: one piece of the file and one block are in memory at a time; positions of rows count from the start of the file.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use floeberg_avro::{Enough, Records, Taken};
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_files::{
    AfterDecoding, FileFields, FileFilter, FileMetrics, FileReader, Modes, Projection, Unit, UnitReader,
    UnitRequest,
};

use super::open::AvroFile;

/// Bytes per read.
const PIECE: u64 = 4 << 20;
/// The decoded bytes of one batch, about.
const BATCH_BYTES: usize = 64 << 20;

impl FileReader for AvroFile {
    fn fields(&self) -> &FileFields {
        &self.fields
    }

    fn delete_type(&self) -> Option<&str> {
        self.delete_type.as_deref()
    }

    /// The whole file, unless it starts outside the range.
    fn units(&self, bytes: Option<&Range<u64>>, _: &FileFilter) -> Vec<Unit> {
        let starts_inside = bytes.is_none_or(|bytes| bytes.contains(&0));
        starts_inside.then_some(Unit { number: 0, rows: None }).into_iter().collect()
    }

    fn prepared(self: Arc<Self>, _: &[Unit], _: &Projection, _: &FileFilter) -> Result<Arc<dyn FileReader>> {
        Ok(self)
    }

    /// As a writer of Avro files says: how many rows there are.
    fn metrics(&self, _: &Schema, _: &Modes) -> Result<FileMetrics> {
        let file_size_in_bytes = i64::try_from(self.size).unwrap_or(i64::MAX);
        Ok(FileMetrics { record_count: self.count_rows()?, file_size_in_bytes, ..FileMetrics::default() })
    }

    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader> {
        match request.unit.number {
            0 => Ok(Box::new(AvroReader::new(self, request)?)),
            other => Err(Error::internal(format!("an Avro file has no unit {other}"))),
        }
    }
}

/// The batches of a file. They end after an error.
struct AvroReader {
    file: Arc<AvroFile>,
    records: Records,
    after: AfterDecoding,
    enough: Enough,
    cancel: Cancel,
    /// Bytes of the file that were read and not consumed.
    piece: Bytes,
    /// Where they start in the file.
    offset: u64,
    /// The position of the next row.
    next_row: u64,
    finished: bool,
}

impl AvroReader {
    /// Prepares to read; nothing is read before the first batch is requested.
    fn new(file: Arc<AvroFile>, request: &UnitRequest<'_>) -> Result<Self> {
        let after = AfterDecoding::new(&file.fields, request);
        let records = Records::new(&file.form, &file.schema, &file.columns, after.leaves());
        let records = records.context("path", file.source.location())?;
        Ok(Self {
            records,
            after,
            enough: Enough { rows: request.batch_rows, bytes: BATCH_BYTES },
            cancel: request.cancel.clone(),
            piece: file.first_bytes.clone(),
            offset: file.data_start,
            next_row: 0,
            finished: false,
            file,
        })
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        while !self.finished {
            self.cancel.check()?;
            let decoded = self.decode()?;
            let start = self.next_row;
            self.next_row += decoded.num_rows() as u64;
            if let Some(batch) = self.after.apply(decoded, start)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// The next rows of the file, with the columns that are decoded.
    fn decode(&mut self) -> Result<RecordBatch> {
        while !self.records.advance(self.enough)? {
            if !self.records.is_in_block() && !self.take_block()? {
                self.finished = true;
                break;
            }
        }
        self.records.finish()
    }

    /// Takes the next block of the file; is there one?
    fn take_block(&mut self) -> Result<bool> {
        let left = self.file.size.saturating_sub(self.offset);
        if left == 0 {
            return Ok(false);
        }
        self.need(Records::START, left)?;
        let taken = match self.records.take_block(&self.piece, self.offset, left)? {
            Taken::Block(length) => length,
            Taken::Needs(bytes) => {
                self.need(bytes, left)?;
                match self.records.take_block(&self.piece, self.offset, left)? {
                    Taken::Block(length) => length,
                    Taken::Needs(_) => return Ok(false),
                }
            }
        };
        self.offset += taken as u64;
        self.piece = self.piece.slice(taken..);
        Ok(true)
    }

    /// Reads until at least this many bytes are buffered, or the file ends.
    fn need(&mut self, bytes: usize, left: u64) -> Result<()> {
        let bytes = (bytes as u64).min(left);
        if (self.piece.len() as u64) < bytes {
            let end = self.offset + bytes.max(PIECE).min(left);
            self.piece = self.file.source.read(self.offset..end)?;
        }
        Ok(())
    }
}

impl Iterator for AvroReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.finished = true;
        }
        step.context("path", self.file.source.location()).transpose()
    }
}
