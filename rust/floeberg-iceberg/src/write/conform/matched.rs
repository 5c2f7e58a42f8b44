//! Do rows fit a table, and how are they converted?

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_rows::Fault;

use super::convert::convert_column;
use super::fault::append_error;
use super::identity::goes_by_ids;
use super::resolve::Resolver;
use super::step::Column;

/// How many rows are converted at a time.
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
    /// From a table's schema and the schema of the batches.
    ///
    /// Errors: one `InvalidInput` that lists everything that does not fit, with advice; `Unsupported` for a
    /// table with a column of an unknown type.
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

    /// The Arrow schema of the table, which all returned batches have.
    pub fn schema(&self) -> &SchemaRef {
        &self.form
    }

    /// One batch with the Arrow schema of the table. Columns that fit already are shared.
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
        made().map_err(|fault| append_error(fault, first_row))
    }

    /// The values of one column of the table, by its number, of those of its column of the input.
    ///
    /// Errors: those of [`Self::apply`].
    pub fn apply_column(&self, column: usize, values: &ArrayRef) -> Result<ArrayRef> {
        let input = vec![Arc::clone(values); self.input.fields().len()];
        let column =
            self.columns.get(column).ok_or_else(|| Error::internal("a column is one of the table"))?;
        convert_column(column, &input, values.len(), None).map_err(|fault| append_error(fault, 0))
    }

    /// Do all values of columns of the input fit? `numbers` has the number of each row, for errors.
    ///
    /// Errors: those of [`Self::apply`].
    pub fn check(&self, columns: &[ArrayRef], numbers: &[u32]) -> Result<()> {
        for column in &self.columns {
            convert_column(column, columns, numbers.len(), None)
                .map_err(|fault| append_error(fault.in_row(|row| numbers[row] as usize), 0))?;
        }
        Ok(())
    }

    /// Passes a converted batch of any size to a function, in pieces if columns are converted, so that memory stays small and no piece
    /// exceeds the limits of a batch.
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

    /// One piece, or its halves if it is too large.
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
