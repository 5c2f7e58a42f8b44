//! What are the values of rows of a source?
//!
//! In: columns of a source, in the table's types. Out: those of some rows, by their numbers.
//!
//! Invariant: nothing is copied before it is taken, so that rows in a file stay there.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::ArrowError;
use arrow_select::interleave::interleave;
use arrow_select::take::take;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};
use floeberg_files::Piece;

/// Columns of all rows of a source.
#[derive(Debug)]
pub struct SourceColumns {
    schema: Arc<Schema>,
    pieces: Vec<RecordBatch>,
    /// The number of the first row of each piece, and in the end how many rows there are.
    starts: Vec<usize>,
    bytes: u64,
}

/// About so many bytes are taken at once.
const TAKEN: u64 = 32 << 20;

impl SourceColumns {
    /// No rows yet, with columns of the top level of a table by their ids, in this order.
    ///
    /// Errors: `InvalidInput` for another id.
    pub fn new(table: &Schema, ids: &[i32]) -> Result<Self> {
        let field = |id: &i32| {
            let found = table.fields().iter().find(|field| field.id == *id);
            let unknown = || Error::invalid_input(format!("the table has no column with the id {id}"));
            Ok(Field { required: false, ..found.ok_or_else(unknown)?.clone() })
        };
        let fields = ids.iter().map(field).collect::<Result<_>>()?;
        let schema = Arc::new(Schema::new(table.schema_id(), fields)?);
        Ok(Self { schema, pieces: Vec::new(), starts: vec![0], bytes: 0 })
    }

    /// The columns, all optional.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many rows the source has.
    pub fn rows(&self) -> usize {
        self.starts[self.pieces.len()]
    }

    /// Adds the next rows: the columns of [`Self::schema`].
    pub fn insert(&mut self, rows: RecordBatch) {
        self.starts.push(self.rows() + rows.num_rows());
        self.bytes += memory_of_rows(&rows);
        self.pieces.push(rows);
    }

    /// How many rows may be taken at once: fewer where rows are long.
    pub(super) fn rows_at_once(&self) -> usize {
        let of_row = self.bytes / (self.rows() as u64).max(1);
        usize::try_from(TAKEN / of_row.max(1)).unwrap_or(usize::MAX).max(1)
    }

    /// The values of a column in some rows, in their order.
    pub(super) fn take(&self, column: usize, rows: &[u32]) -> Result<ArrayRef> {
        let taken = if let [piece] = &self.pieces[..] {
            take(piece.column(column), &UInt32Array::from(rows.to_vec()), None)
        } else {
            self.interleaved(column, rows)
        };
        taken.map_err(|error| Error::internal("rows of the source are taken").caused_by(error))
    }

    /// The same for several pieces, of which only those are looked at that have one of the rows.
    fn interleaved(&self, column: usize, rows: &[u32]) -> Result<ArrayRef, ArrowError> {
        let places = rows.iter().map(|row| {
            let piece = self.starts.partition_point(|start| *start <= *row as usize) - 1;
            (piece, *row as usize - self.starts[piece])
        });
        let mut places: Vec<_> = places.collect();
        let mut used: Vec<usize> = places.iter().map(|(piece, _)| *piece).collect();
        used.sort_unstable();
        used.dedup();
        for (piece, _) in &mut places {
            *piece = used.partition_point(|other| other < piece);
        }
        let pieces: Vec<_> = used.iter().map(|piece| self.pieces[*piece].column(column).as_ref()).collect();
        interleave(&pieces, &places)
    }
}

/// About how many bytes rows take. Of arrays that others share only their own part counts.
pub fn memory_of_rows(rows: &RecordBatch) -> u64 {
    Piece::of_columns(rows.columns().to_vec(), rows.num_rows()).bytes
}
