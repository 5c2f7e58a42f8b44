//! What are the rows of a source?
//!
//! In: batches of equal columns, in memory or mapped from a file. Out: rows by their numbers.
//!
//! Invariant: nothing is copied before it is taken, so that rows in a file stay there.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::interleave::interleave;
use arrow_select::take::take;
use floeberg_core::{Error, Result};

/// About this many bytes are taken at once.
const TAKEN: u64 = 32 << 20;
/// At most this many rows are taken at once.
const MOST_ROWS: usize = 1 << 16;
/// Batches in memory are joined up to this many bytes: 32-bit offsets count the bytes of texts.
const JOINED: u64 = 1 << 30;

/// The rows of a source.
#[derive(Debug)]
pub struct SourceRows {
    schema: SchemaRef,
    pieces: Vec<RecordBatch>,
    /// The number of the first row of each piece, and in the end the number of all rows.
    starts: Vec<usize>,
    at_once: usize,
}

impl SourceRows {
    /// Rows in memory. Small batches are joined, so that taking rows looks at few of them.
    ///
    /// Errors: `InvalidInput` for batches of other columns, `LimitExceeded` for more than 2^32 - 2 rows.
    pub fn in_memory(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let (mut pieces, mut joined, mut size) = (Vec::new(), Vec::new(), 0_u64);
        for batch in batches {
            let bytes = bytes_of(&batch);
            if size + bytes > JOINED && !joined.is_empty() {
                pieces.push(concat_batches(&schema, &joined).map_err(joining)?);
                (joined, size) = (Vec::new(), 0);
            }
            size += bytes;
            joined.push(batch);
        }
        if !joined.is_empty() {
            pieces.push(concat_batches(&schema, &joined).map_err(joining)?);
        }
        Self::in_file(schema, pieces)
    }

    /// Rows that stay where they are: batches that are mapped from a file.
    ///
    /// Errors: `LimitExceeded` for more than 2^32 - 2 rows.
    pub fn in_file(schema: SchemaRef, pieces: Vec<RecordBatch>) -> Result<Self> {
        let (mut starts, mut bytes) = (vec![0], 0_u64);
        for piece in &pieces {
            starts.push(starts[starts.len() - 1] + piece.num_rows());
            bytes = bytes.saturating_add(bytes_of(piece));
        }
        let rows = starts[starts.len() - 1];
        if rows >= u32::MAX as usize {
            return Err(Error::limit(
                "a source has at most 2^32 - 2 rows: change the table in several steps",
            ));
        }
        let of_row = bytes / (rows as u64).max(1);
        let at_once = usize::try_from(TAKEN / of_row.max(1)).unwrap_or(MOST_ROWS).clamp(1, MOST_ROWS);
        Ok(Self { schema, pieces, starts, at_once })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts[self.pieces.len()]
    }

    /// The most rows that are taken at once: fewer where rows are long.
    pub fn rows_at_once(&self) -> usize {
        self.at_once
    }

    /// Some columns of all rows, in one batch.
    ///
    /// Errors: `InvalidInput` for a column that the source does not have.
    pub fn select(&self, names: &[String]) -> Result<RecordBatch> {
        let columns = names.iter().map(|name| self.schema.index_of(name));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(unknown)?;
        let schema = Arc::new(self.schema.project(&columns).map_err(unknown)?);
        let pieces = self.pieces.iter().map(|piece| piece.project(&columns));
        let pieces = pieces.collect::<Result<Vec<_>, _>>().map_err(unknown)?;
        if let [only] = &pieces[..] {
            return Ok(only.clone());
        }
        concat_batches(&schema, &pieces).map_err(joining)
    }

    /// The bytes that some columns take, about.
    ///
    /// Errors: `InvalidInput` for a column that the source does not have.
    pub fn bytes_of(&self, names: &[String]) -> Result<u64> {
        let columns = names.iter().map(|name| self.schema.index_of(name));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(unknown)?;
        let mut bytes = 0_u64;
        for piece in &self.pieces {
            bytes = bytes.saturating_add(bytes_of(&piece.project(&columns).map_err(unknown)?));
        }
        Ok(bytes)
    }

    /// Ranges of the numbers of all rows, at most [`Self::rows_at_once`] in each.
    pub fn ranges(&self, rows: usize) -> impl Iterator<Item = Range<usize>> {
        let at_once = self.at_once;
        (0..rows).step_by(at_once).map(move |start| start..(start + at_once).min(rows))
    }

    /// The values of a column in some rows, by the numbers of rows, in their order.
    ///
    /// Errors: `Internal` for a number or a column that the source does not have.
    pub fn take_column(&self, column: usize, rows: &[u32]) -> Result<ArrayRef> {
        let taken = if let [piece] = &self.pieces[..] {
            take(piece.column(column), &UInt32Array::from(rows.to_vec()), None)
        } else {
            self.interleaved(column, rows)
        };
        taken.map_err(|error| Error::internal("rows of the source are taken").caused_by(error))
    }

    /// Some rows, by their numbers, in the order of these.
    ///
    /// Errors: `Internal` for a number that the source does not have.
    pub fn take(&self, rows: &[u32]) -> Result<RecordBatch> {
        let columns = (0..self.schema.fields().len()).map(|column| self.take_column(column, rows));
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns.collect::<Result<_>>()?, &options)
            .map_err(|error| Error::internal("rows of the source are taken").caused_by(error))
    }

    /// The same for several pieces, of which only those are looked at that have one of the rows.
    fn interleaved(&self, column: usize, rows: &[u32]) -> Result<ArrayRef, ArrowError> {
        if rows.is_empty() {
            return Ok(arrow_array::new_empty_array(self.schema.field(column).data_type()));
        }
        let at = rows.iter().map(|row| {
            let piece = self.starts.partition_point(|start| *start <= *row as usize) - 1;
            (piece, *row as usize - self.starts[piece])
        });
        let mut at: Vec<_> = at.collect();
        let mut used: Vec<usize> = at.iter().map(|(piece, _)| *piece).collect();
        used.sort_unstable();
        used.dedup();
        for (piece, _) in &mut at {
            *piece = used.partition_point(|other| other < piece);
        }
        let pieces: Vec<_> = used.iter().map(|piece| self.pieces[*piece].column(column).as_ref()).collect();
        interleave(&pieces, &at)
    }
}

/// About how many bytes rows take. Of arrays that others share only their own part counts.
pub fn bytes_of(rows: &RecordBatch) -> u64 {
    let of_column = |column: &ArrayRef| {
        let data = column.to_data();
        data.get_slice_memory_size().unwrap_or_else(|_| data.get_array_memory_size()) as u64
    };
    rows.columns().iter().map(of_column).sum()
}

fn unknown(error: ArrowError) -> Error {
    Error::invalid_input("the source has no such column").caused_by(error)
}

fn joining(error: ArrowError) -> Error {
    Error::invalid_input("the batches of the source have other columns than its schema").caused_by(error)
}
