//! Avro object containers, decoded into Arrow columns by field id.

mod codec;
mod column;
mod compile;
mod container;
mod cursor;
mod decode;
mod finish;
mod leaf;
mod limits;
mod parse_schema;
mod schema;
mod skip;
mod step;

pub use compile::{FixedForm, Projection};
pub use container::{Block, Blocks, Container};
pub use decode::{Decoder, decode};
pub use limits::Limits;
pub use parse_schema::parse_schema;
pub use schema::{AvroField, AvroSchema, AvroType, Logical, TypeId};

#[cfg(test)]
mod tests;
