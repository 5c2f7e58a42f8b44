//! How do rows of any table change?
//!
//! Rows of both table formats are matched with the rows of a source, compared, and given new values here. No module names a
//! table format.
//!
//! A module uses only modules that are declared before it.
//!
//! - `differing`: the rows in which two batches differ.
//! - `null_keys`: nulls in keys, and keys of several rows.
//! - `source_memory`: how much memory a source may take.

mod differing;
mod null_keys;
mod source_memory;

pub use differing::differing_rows;
pub use null_keys::{NullKeys, check_no_nulls, repeated_key};
pub use source_memory::{check_source_memory, source_memory};
