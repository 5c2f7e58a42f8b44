//! How do rows of any library become data files of a table?
//!
//! In: batches in any form of Arrow. Out: data files with the columns of the table, in its types.
//!
//! Invariant: values are converted only where none changes, so many rows at once that little memory is needed.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Result};
use floeberg_rows::{check_fits, conform_batch, plain_batch};

use super::data_files::{DataFileWriter, DataFiles};

/// The number of rows that are converted at once.
const ROWS_AT_ONCE: usize = 1 << 16;

/// How rows get the columns of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// By names, as rows that are added to a table: columns that they lack are null.
    OfTable,
    /// By their places, where the columns are the rows' own, in plain types.
    Plain,
}

/// Writes the rows of `next`, which have the columns `given`.
///
/// Errors: `InvalidInput` for rows that do not fit; those of `next` and of [`DataFileWriter`].
pub fn write_rows(
    mut writer: DataFileWriter,
    given: &SchemaRef,
    input: Input,
    mut next: impl FnMut() -> Result<Option<RecordBatch>>,
    cancel: &Cancel,
) -> Result<DataFiles> {
    let schema = SchemaRef::clone(writer.schema());
    if input == Input::OfTable {
        check_fits(given, &schema)?;
    }
    while let Some(batch) = next()? {
        let mut start = 0;
        while start < batch.num_rows() {
            cancel.check()?;
            let piece = batch.slice(start, ROWS_AT_ONCE.min(batch.num_rows() - start));
            start += piece.num_rows();
            let rows = match input {
                Input::OfTable => conform_batch(&piece, &schema)?,
                Input::Plain => plain_batch(&piece, &schema)?,
            };
            writer.write(&rows)?;
        }
    }
    writer.finish(&[])
}
