//! How are Avro files read?
//!
//! Block by block, from start to end; deletes and a filter are applied to decoded batches.

mod open;
mod rows;
mod reader;

pub(crate) use open::AvroFile;
