//! How are the records of an Avro file read as columns, and how are they written?
//!
//! Container files are decoded into Arrow columns by field id, and written in `encode`. Supports Avro and the properties of
//! Iceberg for its types, but does not depend on tables.
//!
//! A module uses only modules that are declared before it; `testing` is for tests.
//!
//! - `testing`: the bytes of parts of a file.
//! - `codec`: how the data of a block is stored.
//! - `column`: columns under construction.
//! - `cursor`: primitives, one after the other.
//! - `finish`: gathered values to Arrow arrays.
//! - `limits`: how much memory one file may take.
//! - `allowance`: how much of that remains.
//! - `frame`: where a block begins and ends.
//! - `schema`: the schema of the writer.
//! - `arrow_fields`: the same as Arrow fields.
//! - `parse_schema`: a schema from its JSON.
//! - `skip`: how unwanted values are skipped.
//! - `skip_plan`: the cheapest way to skip a type.
//! - `step`: how the bytes of one field are read.
//! - `keyed`: the values of single keys of a map.
//! - `block_range`: where a file may be split for several threads.
//! - `container`: the header of a file, and its blocks.
//! - `parsed_schemas`: schemas that were parsed before.
//! - `encode`: files, written: values, blocks, and the schema that declares Iceberg's types.
//! - `leaf`: from a writer's primitive to a value of the wanted type.
//! - `compile`: steps from a writer's records to wanted columns.
//! - `compile_leaves`: steps to some of the writer's own columns.
//! - `decode`: the records of a file, as columns.
//! - `records`: the same for a file that is read piece by piece.

#[doc(hidden)]
pub mod testing;
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
mod parsed_schemas;
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
pub use frame::{FRAME_START, Frame, Framing};
pub use leaf::FixedForm;
pub use limits::Limits;
pub use parse_schema::parse_schema;
pub use parsed_schemas::ParsedSchemas;
pub use records::{Records, Taken};
pub use schema::{AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Logical, TypeId};

#[cfg(test)]
mod tests;
