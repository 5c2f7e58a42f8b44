//! What is a Lance table, and which rows are in it?
//!
//! In: the folder of a table. Out: its versions, branches and tags; of a version its schema, fragments, deletes and row ids, and a
//! plan of what to read. The pages of data files are decoded elsewhere.
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
//! - `read`: the rows of a fragment, of batches of its data files.
//! - `scan`: which rows and columns are read.
//! - `group`: the part of a scan that a worker reads.
//! - `take`: rows by their ids or addresses.
//! - `appended`: the fragments that hold rows appended since a version.
//! - `build`: which version follows from an operation; no file is opened.
//! - `differences`: which fragments of two versions differ.
//! - `change`: which operation does what is wanted.
//! - `commit`: conflicts of operations, and how one becomes a version.
//! - `refs`: tags, branches and clones, written.
//! - `clean`: versions and files that may be removed.

pub mod wire;
pub mod metadata;
pub mod row_ids;
pub mod deletes;
pub mod plan;
mod checkout;
mod table;
mod standing;
mod presence;
pub mod read;
mod scan;
mod group;
mod take;
mod appended;
pub mod build;
pub mod differences;
pub mod change;
pub mod commit;
pub mod refs;
pub mod clean;

#[cfg(test)]
mod tests;

pub use appended::{Appended, appended_since};
pub use checkout::Checkout;
pub use group::Group;
pub use scan::Scan;
pub use table::{OpenOptions, Table};
pub use take::Taken;
