//! How are Parquet files read?
//!
//! Row groups and pages are left out by statistics, row groups by bloom filters too, and the decoder itself drops the rows that deletes and a filter
//! drop.

mod bloom;
mod decoded_rows;
mod encrypted;
mod fence;
mod footer;
mod groups;
mod left_rows;
mod one_text;
mod open;
mod page_index;
mod pages;
mod read;
mod row_group;
mod statistics;
mod stored_value;

use fence::fence;
pub use fence::hush_fenced_panics;
pub(in crate::read) use open::ParquetFile;
pub(in crate::read) use row_group::GroupReader;
