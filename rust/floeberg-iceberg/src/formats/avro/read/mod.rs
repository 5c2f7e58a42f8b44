//! How are Avro files read?
//!
//! Block by block, from the start to the end; deletes and a filter are applied to what is decoded.

mod open;
mod reader;

pub(crate) use open::AvroFile;
