//! What decodes the pages of data files?
//!
//! In: a data file, some of its columns, and rows. Out: batches of these rows.
//!
//! Invariant: this library decodes no page itself. Another decoder takes the place of the one in use by implementing [`Pages`].

use std::fmt;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::Result;

/// Decodes data files.
///
/// Columns are dotted names of the file's fields, in backticks where they are not plain words.
pub trait Pages: Send + Sync + fmt::Debug {
    /// Begins to read columns of a range of rows.
    ///
    /// Errors: `NotFound` where the file is missing; `InvalidData`, naming the file, where it is damaged; `Unsupported`.
    fn read(&self, location: &str, columns: &[String], rows: Range<u64>) -> Result<Box<dyn PageBatches>>;

    /// Begins to read columns of single rows, whose numbers ascend. Errors: those of [`Self::read`].
    fn take(&self, location: &str, columns: &[String], rows: &[u64]) -> Result<Box<dyn PageBatches>>;
}

/// Batches of a data file, cut as the decoder likes.
pub trait PageBatches: Send + fmt::Debug {
    /// The columns, with the names of the file.
    fn schema(&self) -> SchemaRef;

    /// The next batch; `None` after the last one. Errors: `InvalidData` for damaged pages.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>>;
}
