//! Do these rows fit this table, and how do they get there?

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Error, ErrorKind, Result};

use super::convert::convert_column;
use super::fault::Fault;
use super::identity::goes_by_ids;
use super::resolve::Resolver;
use super::step::Column;

/// How many rows are made anew at a time.
pub(super) const PIECE: usize = 1 << 16;

/// How batches of one schema become batches of a table.
///
/// Columns are found by field id where the input has them from the table (`PARQUET:field_id`), else by name, nested ones
/// too. They may be in any order. Large, view, dictionary and run-end forms are written out, and narrower types widened. A
/// column that is missing is its write default, or null.
#[derive(Debug)]
pub struct Matching {
    form: SchemaRef,
    input: SchemaRef,
    columns: Vec<Column>,
    is_copied: bool,
}

impl Matching {
    /// Of a table's schema and that of the batches that come.
    ///
    /// Errors: `InvalidInput`, one for everything that does not fit, with what to do about each; `Unsupported` for a
    /// table with a column of a type that this version does not know.
    pub fn new(table: &Schema, input: &ArrowSchema) -> Result<Self> {
        let form = schema_to_arrow(table)?;
        let mut resolver = Resolver::new(goes_by_ids(table.fields(), input.fields()));
        let columns = resolver.columns(table.fields(), form.fields(), input.fields(), "");
        if !resolver.problems.is_empty() {
            return Err(Error::invalid_input(format!(
                "the rows do not fit the table's schema: {}",
                resolver.problems.join("; ")
            )));
        }
        let is_copied = columns.iter().any(Column::is_copied);
        Ok(Self { form: Arc::new(form), input: Arc::new(input.clone()), columns, is_copied })
    }

    /// The table's Arrow form, which all batches come out in.
    pub fn schema(&self) -> &SchemaRef {
        &self.form
    }

    /// One batch in the table's form. Columns that have it already are shared.
    ///
    /// `first_row` is the number of its first row among all, for errors. Errors: `InvalidInput`, naming column and row, for a null in
    /// a required column and a value that does not fit; `LimitExceeded` for more text, bytes or elements than one batch holds.
    pub fn apply(&self, batch: &RecordBatch, first_row: u64) -> Result<RecordBatch> {
        if batch.num_columns() != self.input.fields().len() {
            return Err(Error::invalid_input(format!(
                "expected batches of {} columns, as their schema says, found one of {}",
                self.input.fields().len(),
                batch.num_columns()
            )));
        }
        let rows = batch.num_rows();
        let made = || -> Result<RecordBatch, Fault> {
            let columns =
                self.columns.iter().map(|column| convert_column(column, batch.columns(), rows, None));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            Ok(RecordBatch::try_new_with_options(Arc::clone(&self.form), columns, &options)?)
        };
        made().map_err(|fault| fault.into_error(first_row))
    }

    /// Gives a batch of any size in the table's form to a function, in pieces where columns are made anew, so that memory
    /// stays small and no piece is beyond what a batch holds.
    ///
    /// Errors: those of [`Self::apply`] and of the function.
    pub fn apply_in_pieces(
        &self,
        batch: &RecordBatch,
        first_row: u64,
        take: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let size = if self.is_copied { PIECE } else { batch.num_rows() };
        let mut done = 0;
        while done < batch.num_rows() {
            let rows = size.min(batch.num_rows() - done);
            self.halved(&batch.slice(done, rows), first_row.saturating_add(done as u64), take)?;
            done += rows;
        }
        Ok(())
    }

    /// One piece, or its halves where it holds too much.
    fn halved(
        &self,
        piece: &RecordBatch,
        first_row: u64,
        take: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let half = piece.num_rows() / 2;
        match self.apply(piece, first_row) {
            Err(error) if error.kind() == ErrorKind::LimitExceeded && half > 0 => {
                self.halved(&piece.slice(0, half), first_row, take)?;
                let rest = piece.slice(half, piece.num_rows() - half);
                self.halved(&rest, first_row.saturating_add(half as u64), take)
            }
            made => take(made?),
        }
    }
}
