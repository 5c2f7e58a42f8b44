//! Which rows of a table have a key of a source, and what are their other columns?
//!
//! - `source_keys`: the keys of a source, in memory, and the range that they are in.
//! - `found_rows`: the rows of a snapshot with such a key, by reading key columns and positions.
//! - `source_columns`: the other columns of a source.
//! - `paired_rows`: columns of some rows of a file, each with its row of the source.
//! - `replaced_rows`: which rows differ from their rows of the source, by as few columns as tell.
//! - `replaced_stream`: what takes their place.
//! - `matched_stream`: the columns of these rows, or of all rows, each with its row of the source.

mod source_keys;
mod found_rows;
mod source_columns;
mod paired_rows;
mod replaced_rows;
mod replaced_stream;
mod matched_stream;

#[cfg(test)]
mod tests;

pub use floeberg_rows::NullKeys;
pub(crate) use found_rows::of_free_name;
pub use found_rows::{FoundFile, FoundRows, RowsByFile};
pub use matched_stream::{MatchedStream, SOURCE_ROW};
pub use replaced_rows::ReplacedRows;
pub use replaced_stream::ReplacedStream;
pub use source_columns::{SourceColumns, memory_of_rows};
pub use source_keys::SourceKeys;
