//! Which rows of a table have a key of a source, and what are their other columns?
//!
//! - `source_keys`: the keys of a source, in memory, and the range that they are in.
//! - `found_rows`: the rows of a snapshot with such a key, by reading key columns and positions.
//! - `source_columns`: columns of a source, in the types of the table.
//! - `paired_rows`: columns of some rows of a file, each with its row of the source.
//! - `replaced_rows`: which rows differ from their rows of the source, by as few columns as tell.
//! - `replaced_stream`: what takes their place.
//! - `changed_stream`: what these rows, or all rows, become by a change.
//! - `change_rows`: new rows, written to files.
//! - `prepare`: which rows a change looks at.

mod source_keys;
mod found_rows;
mod source_columns;
mod paired_rows;
mod replaced_rows;
mod replaced_stream;
mod changed_stream;
mod change_rows;
mod prepare;

#[cfg(test)]
mod tests;

pub use change_rows::{ChangedRows, RowChanges, RowSink, change_rows};
pub use floeberg_rows::NullKeys;
pub(crate) use found_rows::of_free_name;
pub use found_rows::{FoundFile, FoundRows, RowsByFile};
pub use prepare::{
    PreparedChange, prepare_feed, prepare_feed_by_keys, prepare_merge, prepare_update, prepare_upsert,
};
pub use source_columns::SourceColumns;
pub use source_keys::SourceKeys;
