//! What are the values of a column in a stripe?

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
