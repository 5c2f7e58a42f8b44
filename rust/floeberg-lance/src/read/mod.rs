//! Which rows and columns does a fragment give?
//!
//! In: a task, and batches of its data files, whose pages are decoded elsewhere. Out: batches of the columns that are wanted, without
//! rows that are deleted or that a filter leaves out.
//!
//! - `row_columns`: the columns that tables have without declaring them.
//! - `file_columns`: which column of a data file is which field of the table.
//! - `assemble`: columns of a table out of those of several files.
//! - `request`: what is read: columns, filter.
//! - `open`: what a data file says of itself.
//! - `fragment`: the rows of a fragment.
//! - `fragment_batches`: batches of a fragment, of what decodes its data files.

mod row_columns;
mod file_columns;
mod assemble;
mod request;
mod open;
mod fragment;
mod fragment_batches;

#[cfg(test)]
mod tests;

pub(crate) use file_columns::FieldIds;
pub use file_columns::{FileColumns, FileField};
pub use fragment::{FragmentFile, FragmentRows, Rows};
pub use fragment_batches::FragmentBatches;
pub(crate) use open::Tail;
pub use request::ReadRequest;
pub(crate) use request::has_blob_v2;
pub use row_columns::RowColumn;
