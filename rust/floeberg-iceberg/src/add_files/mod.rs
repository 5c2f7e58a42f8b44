//! How are files of other writers added to a table?
//!
//! In: a table, and the files or folders that a user names. Out: each file as a manifest lists it, and the name mapping by which its
//! columns are found.
//! Spec: Column Projection; Name Mapping Serialization; Data File Fields; Partitioning.
//!
//! Invariant: nothing is written. A file that a scan could not read, or would read as something else, is an error that names it.

mod listing;
mod path_values;
mod types;
mod columns;
mod partition;
mod readable;
mod footers;

#[cfg(test)]
mod tests;

pub use footers::{DescribedFiles, FilesToAdd, FootersRead};
