//! How do rows become data files that no version names yet?
//!
//! - `data_files`: rows, cut into files.
//! - `input`: rows of a user, in the types of a table.
//! - `deletes`: rows of a version that are deleted.
//! - `delta`: changed rows of a version.
//! - `new_columns`: a file of new columns for each fragment.
//! - `compaction`: fragments in fewer files.

mod data_files;
mod input;
mod deletes;
mod delta;
mod new_columns;
mod compaction;
#[cfg(test)]
mod tests;

pub use compaction::{Compacted, write_compacted};
pub use data_files::{DataFileWriter, DataFiles, Destination};
pub use deletes::matching_rows;
pub use delta::{ChangedRows, change_rows};
pub use input::{Input, write_rows};
pub use new_columns::{ColumnValues, NewColumns, RowByRow, column_types, write_columns};
