//! Which columns does the schema of an Avro file declare?
//!
//! - `limits`: how much memory one file may take.
//! - `types`: the schema of the writer.
//! - `arrow_fields`: the same as Arrow fields.
//! - `parse_schema`: a schema from its JSON.

mod limits;
mod types;
mod same_encoding;
mod arrow_fields;
mod parse_schema;

pub use arrow_fields::arrow_fields;
pub(crate) use arrow_fields::{optional, pair};
pub use limits::Limits;
pub use parse_schema::parse_schema;
pub use types::{AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Logical, TypeId};
