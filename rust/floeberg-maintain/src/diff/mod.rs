//! What differs between two snapshots of a table?
//!
//! - `proof`: whether the history proves that no row differs.
//! - `metadata_then`: the metadata of the table when a snapshot was committed.
//! - `files`: the files that differ.
//! - `preview`: how many rows of each partition differ at most.
//! - `table_diff`: the facade.
//!
//! Spec: Snapshots (`operation`); Manifest Lists (counts of rows); Table Metadata (`metadata-log`).
//!
//! Invariant: what is said without reading rows is what reading them would say, or an upper limit that is named so.

mod proof;
mod metadata_then;
mod files;
mod preview;
mod table_diff;

pub use proof::Proof;
pub use table_diff::TableDiff;
