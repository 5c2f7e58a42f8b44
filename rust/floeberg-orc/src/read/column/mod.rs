//! What are the values of a column in a stripe?
//!
//! One file per family of types: numbers, strings with and without dictionary, decimals, timestamps, and nested types.

mod reader;
mod bytes;
mod decimals;
mod dictionary;
mod nested;
mod numbers;
mod timestamps;
mod starts;
mod plan;

pub(crate) use plan::{Streams, numbers_of, reader_of};
pub(crate) use reader::ColumnReader;
pub(crate) use starts::{Start, starts_of};
