//! Avro object containers: decoded into Arrow columns by field id, and written in `encode`.

mod codec;
mod column;
mod cursor;
mod finish;
mod limits;
mod allowance;
mod frame;
mod schema;
mod arrow_fields;
mod parse_schema;
mod skip;
mod skip_plan;
mod step;
mod keyed;
mod block_range;
mod container;
pub mod encode;
mod leaf;
mod compile;
mod compile_leaves;
mod decode;
mod records;

pub use arrow_fields::arrow_fields;
pub use block_range::BlockRange;
pub use compile::Projection;
pub use container::{Block, BlockForm, Blocks, Container};
pub use decode::{Decoder, Enough, Progress, decode, decode_blocks};
pub use leaf::FixedForm;
pub use limits::Limits;
pub use parse_schema::parse_schema;
pub use records::{Records, Taken};
pub use schema::{AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Logical, TypeId};

#[cfg(test)]
pub(crate) mod tests;
