//! How are Parquet files read?
//!
//! Row groups and pages are left out by statistics, row groups by bloom filters too, and the decoder itself drops the rows that deletes and a filter
//! drop.

mod decoded_rows;
mod encrypted;
mod fence;
mod footer;
mod shape;
mod left_rows;
mod page_index;
mod open;
mod one_text;
mod row_group;
mod statistics;
mod groups;
mod pages;
mod read_group;
mod stored_value;
mod bloom;
mod reader;

use fence::fence;
pub use fence::silence_caught_panics;
pub(crate) use open::ParquetFile;
pub(crate) use shape::stored_shape;
