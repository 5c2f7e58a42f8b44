//! What is a Lance table, and which rows are in it?
//!
//! In: the folder of a table. Out: its versions, branches and tags; of a version its schema, fragments, deletes and row ids, and a
//! plan of what to read. The pages of data files are decoded elsewhere, by what implements `pages`.
//!
//! A module uses only modules that are declared before it.
//!
//! - `wire`: bytes of manifests and transactions, and structures of named fields, both ways.
//! - `metadata`: versions and their names, features, schemas, bases, refs; a manifest is checked here.
//! - `row_ids`: stable ids and versions of rows.
//! - `deletes`: deletion files, read and written.
//! - `plan`: which fragments are read, with their rows and files.
//! - `checkout`: which version is meant by a version, tag, branch or moment.
//! - `table`: a version of a table, open.
//! - `standing`: whether a version is still one of the table at its location.
//! - `presence`: whether the files of a version are still there.
//! - `pages`: what decodes the pages of data files.
//! - `read`: the rows of a fragment, of batches of its data files.
//! - `scan`: which rows and columns are read.
//! - `group`: the part of a scan that a worker reads.
//! - `take`: rows by their ids or addresses.
//! - `rows`: batches of the rows of fragments, one fragment after another.
//! - `table_rows`: rows of a scan, to be compared with those of any other table.
//! - `taken_rows`: batches of the rows that are taken, in the order in which they were asked for.
//! - `rows_at`: batches of rows by ascending addresses.
//! - `source_keys`: the keys of a source.
//! - `placed_columns`: the columns that a change of rows reads.
//! - `differences`: which fragments of two versions differ.
//! - `found_rows`: the rows with a key of a source.
//! - `appended`: the fragments that hold rows appended since a version.
//! - `build`: which version follows from an operation; no file is opened.
//! - `changes`: the rows that a range of versions inserted, deleted and updated.
//! - `diff`: what differs between two versions.
//! - `change`: which operation does what is wanted.
//! - `commit`: conflicts of operations, and how one becomes a version.
//! - `write`: rows become data files that no version names yet.
//! - `refs`: tags, branches and clones, written.
//! - `clean`: versions and files that may be removed.
//! - `check`: whether a table is what the format says.

pub mod wire;
pub mod metadata;
pub mod row_ids;
pub mod deletes;
pub mod plan;
mod checkout;
mod table;
mod standing;
mod presence;
pub mod pages;
pub mod read;
mod scan;
mod group;
mod take;
mod rows;
mod table_rows;
mod taken_rows;
mod rows_at;
mod source_keys;
mod placed_columns;
pub mod differences;
mod found_rows;
pub mod changes;
pub mod diff;
mod appended;
pub mod build;
pub mod change;
pub mod commit;
pub mod write;
pub mod refs;
pub mod clean;
pub mod check;

#[cfg(test)]
mod tests;

pub use appended::{Appended, appended_since};
pub use checkout::Checkout;
pub use found_rows::FoundRows;
pub use group::Group;
pub use rows::{Fragments, RowStream};
pub use rows_at::RowsAt;
pub use scan::Scan;
pub use source_keys::SourceKeys;
pub use table::{OpenOptions, Table};
pub use table_rows::ScanRows;
pub use take::Taken;
pub use taken_rows::taken_rows;
