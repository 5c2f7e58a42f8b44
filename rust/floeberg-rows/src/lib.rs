//! How do rows of any table change?
//!
//! Rows of both table formats are matched with the rows of a source, compared, and given new values here. No module names a
//! table format.
//!
//! A module uses only modules that are declared before it.
//!
//! - `differing`: the rows in which two batches differ.

mod differing;

pub use differing::differing_rows;
