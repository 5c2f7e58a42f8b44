//! What decodes and encodes the pages of data files?
//!
//! In: a data file, some of its columns, and rows; or rows. Out: batches of these rows; or a data file.
//!
//! Invariant: this library decodes and encodes no page itself. Another library takes the place of the one in use by implementing
//! [`Pages`].

use std::fmt;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::Result;

/// Decodes and encodes data files.
///
/// Columns are dotted names of the file's fields, in backticks where they are not plain words.
pub trait Pages: Send + Sync + fmt::Debug {
    /// Begins to read columns of a range of rows.
    ///
    /// Errors: `NotFound` where the file is missing; `InvalidData`, naming the file, where it is damaged; `Unsupported`.
    fn read(&self, location: &str, columns: &[String], rows: Range<u64>) -> Result<Box<dyn PageBatches>>;

    /// Begins to read columns of single rows, whose numbers ascend. Errors: those of [`Self::read`].
    fn take(&self, location: &str, columns: &[String], rows: &[u64]) -> Result<Box<dyn PageBatches>>;

    /// Begins a data file of a version of the format, such as `2.2`.
    ///
    /// Errors: `Unsupported`, naming the file, where it cannot be written.
    fn write(&self, location: &str, schema: &SchemaRef, version: &str) -> Result<Box<dyn PageWriter>>;
}

/// Batches of a data file, cut as the decoder likes.
pub trait PageBatches: Send + fmt::Debug {
    /// The columns, with the names of the file.
    fn schema(&self) -> SchemaRef;

    /// The next batch; `None` after the last one. Errors: `InvalidData` for damaged pages.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>>;
}

/// Encodes one data file.
pub trait PageWriter: Send + fmt::Debug {
    /// Writes rows with the columns of the file. Errors: `Unsupported` for values that cannot be written.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Ends the file, and returns its size in bytes. Errors: `Unsupported`.
    fn finish(&mut self) -> Result<u64>;

    /// Ends a file that is not needed.
    fn abandon(&mut self);
}
