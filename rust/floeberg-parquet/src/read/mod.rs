//! How are Parquet files read?
//!
//! Statistics skip row groups and pages, bloom filters skip row groups, and the decoder itself drops deleted rows and rows that do
//! not match the filter.

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
mod typed_fields;
mod group_statistics;
mod groups;
mod pages;
mod read_group;
mod stored_value;
mod metrics;
mod bloom;
mod reader;

pub(crate) use fence::fence;
pub use fence::silence_caught_panics;
pub(crate) use footer::check_length;
pub(crate) use metrics::split_offsets;
pub use open::ParquetFile;
pub use shape::stored_shape;
