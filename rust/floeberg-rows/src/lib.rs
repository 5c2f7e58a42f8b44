//! How do rows of any table change?
//!
//! Rows of both table formats are matched with the rows of a source, compared, and given new values here. No module names a
//! table format.
//!
//! A module uses only modules that are declared before it.
//!
//! - `cast`: values become those of a column's type, where none changes.
//! - `names`: columns by their names; those of a source by those of a table.
//! - `differing`: the rows in which two batches differ.
//! - `changed_cells`: rows before and after, side by side, with the columns that changed.
//! - `matching`: which rows that went, and which that came, are one row.
//! - `paired`: updated rows, each found beside what it was.
//! - `common_columns`: the columns in which rows of two tables are compared.
//! - `hashable`: values of any type, so that they can be hashed.
//! - `two_tables`: the rows that differ between two tables.
//! - `files_alone`: the files that one of two tables has alone.
//! - `null_keys`: nulls in keys, and keys of several rows.
//! - `source_memory`: how much memory a source may take.
//! - `source`: the rows of a source, by their numbers.
//! - `view`: columns of rows, by the names that conditions have for them.
//! - `new_value`: new values and conditions.
//! - `change`: what becomes of rows.
//! - `update`: sets columns of rows.
//! - `feed`: the last change of each key.
//! - `cast_source`: columns of a source, in the types of a table.
//! - `replace`: replaces rows by those of a source.
//! - `merge`: changes, deletes and inserts rows by clauses.
//! - `request`: what a user asks for.
//! - `changer`: changes of rows that come batch by batch.

mod cast;
mod names;
mod differing;
mod changed_cells;
mod matching;
mod paired;
mod common_columns;
mod hashable;
mod value_numbers;
mod two_tables;
mod files_alone;
mod null_keys;
mod source_memory;
mod source;
mod view;
mod new_value;
mod change;
mod update;
mod feed;
mod cast_source;
mod replace;
mod merge;
mod request;
mod changer;

pub use cast::{
    Conversion, Fault, Lists, Rule, Why, cast_field, check_fits, conform_batch, convert, kind_name,
    plain_batch, plain_schema, rule, units, written_out,
};
pub use cast_source::CastSource;
pub use change::{BatchChange, FoundRows, RowChange, UpdatedRows};
pub use changed_cells::{ChangedCells, DELETE, INSERT, RowCounts, UPDATE};
pub use changer::Changer;
pub use differing::differing_rows;
pub use feed::{ChangeFeed, LastChanges};
pub use files_alone::files_alone;
pub use matching::{ChangeType, Changes, Matched, Matcher, RowNumbers, Side};
pub use merge::{Action, Clause, ClauseRows, JoinKeys, Merge, MergeRequest};
pub use names::{JoinedColumns, assigned_columns};
pub use new_value::{Assignment, Condition, Functions, NewValue, NoFunctions, computed_columns};
pub use null_keys::{NullKeys, check_no_nulls, repeated_key};
pub use paired::{MatchedSides, PairedRows, Select, SideRows, other_rows};
pub use replace::Replace;
pub use request::{ApplyFeed, ClauseRequest, ClauseSets, MergeRows, UpdateRows, UpsertRows};
pub use source::SourceRows;
pub use source_memory::{check_source_memory, source_memory};
pub use two_tables::{TableBatches, TableRows, TwoTables, TwoTablesStream, differing_columns};
pub use update::Update;
pub use value_numbers::value_numbers;
pub use view::batch_of;

#[cfg(test)]
mod tests;
