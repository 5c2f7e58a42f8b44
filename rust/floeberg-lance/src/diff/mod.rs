//! What differs between two versions of a table?
//!
//! - `fragments`: the fragments that differ, and their files.
//! - `history`: what the versions between the two did.
//! - `matching`: which rows of both versions are one row.
//! - `repeated`: the same of rows whose keys other rows have too.
//! - `versions`: the two versions, their columns, and what makes rows one row.
//! - `stream`: the rows that differ, before and after.
//! - `table_diff`: the facade.
//!
//! Spec: Lance, Fragments; Stable Row IDs; Row Lineage; Transactions.
//!
//! Invariant: what is said without reading rows is what reading them would say, or an upper limit that is named so.

mod fragments;
mod history;
mod matching;
mod repeated;
mod versions;
mod stream;
mod table_diff;

pub use fragments::all_files;
pub use history::Proof;
pub use stream::DiffStream;
pub use table_diff::{FieldParts, TableDiff};
pub use versions::primary_key_columns;
