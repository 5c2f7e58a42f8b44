//! Avro object containers: decoded into Arrow columns by field id, and in `encode` written.

mod allowance;
mod arrow_fields;
mod codec;
mod column;
mod compile;
mod compile_leaves;
mod container;
mod cursor;
mod decode;
pub mod encode;
mod finish;
mod frame;
mod keyed;
mod leaf;
mod limits;
mod parse_schema;
mod records;
mod schema;
mod skip;
mod skips;
mod step;
mod stretch;

pub use arrow_fields::arrow_fields;
pub use compile::{FixedForm, Projection};
pub use container::{Block, BlockForm, Blocks, Container};
pub use decode::{Decoder, Enough, Progress, decode, decode_blocks};
pub use limits::Limits;
pub use parse_schema::parse_schema;
pub use records::{Records, Taken};
pub use schema::{AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Logical, TypeId};
pub use stretch::Stretch;

#[cfg(test)]
pub(crate) mod tests;
