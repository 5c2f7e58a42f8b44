//! What are the values of a column in a stripe?
//!
//! A file a family of types: numbers, texts with and without dictionary, decimals, timestamps, and what nests.

mod reader;
mod bytes;
mod decimals;
mod dictionary;
mod nested;
mod numbers;
mod timestamps;
mod plan;

pub(crate) use plan::{Streams, numbers_of, reader_of};
pub(crate) use reader::ColumnReader;
