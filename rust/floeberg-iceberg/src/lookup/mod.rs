//! Which rows of a table have a key of a source, and what are their other columns?
//!
//! - `source_memory`: how much memory a source may take.
//! - `source_keys`: the keys of a source, in memory, and the range that they are in.
//! - `found_rows`: the rows of a snapshot with such a key, by reading key columns and positions.
//! - `differing`: the rows in which two batches differ.
//! - `matched_stream`: the columns of these rows, or of all rows, each with its row of the source.

mod source_memory;
mod source_keys;
mod found_rows;
mod differing;
mod matched_stream;

#[cfg(test)]
mod tests;

pub use differing::differing_rows;
pub(crate) use found_rows::of_free_name;
pub use found_rows::{FoundFile, FoundRows, RowsByFile};
pub use matched_stream::{MatchedStream, SOURCE_ROW};
pub use source_keys::{NullKeys, SourceKeys};
pub use source_memory::{check_source_memory, source_memory};
