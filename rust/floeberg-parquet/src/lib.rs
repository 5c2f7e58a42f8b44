//! Which rows does a Parquet file hold, and how are rows written to one?
//!
//! Data and delete files behind the contract of `floeberg-files`. The only crate that calls the Parquet library, which may
//! panic on damaged files and is called behind a fence.
//!
//! A module uses only those that are declared before it.
//!
//! - `read`: files, read: their row groups and pages are left out by statistics, row groups by bloom filters too.
//! - `write`: files, written: columns are encoded on several threads, and described as manifests want it.
//! - `copy`: row groups of other files, written again without decoding them.

mod read;
mod write;
mod copy;

pub use copy::{CopyLayout, CopyWriter, StoredFile, StoredGroup};
pub use read::{ParquetFile, silence_caught_panics, stored_shape};
pub use write::{check_properties, layout};

#[cfg(test)]
mod testing;
