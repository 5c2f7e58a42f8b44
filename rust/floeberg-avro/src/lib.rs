//! How are the records of an Avro file read as columns, and how are they written?
//!
//! Container files are decoded into Arrow columns by field id, and written in `write`. Supports Avro and the properties of
//! Iceberg for its types, but does not depend on tables.
//!
//! A module uses only modules that are declared before it; `testing` is for tests.
//!
//! - `testing`: the bytes of parts of a file.
//! - `schema`: the schema of the writer, from its JSON and as Arrow fields.
//! - `read`: files, read: blocks, records, and their values as columns.
//! - `write`: files, written: values, blocks, and the schema that declares Iceberg's types.
//! - `rewrite`: single values of a file, replaced.
//! - `unknown`: fields of records that a reader does not know, with their bytes.

#[doc(hidden)]
pub mod testing;
mod schema;
mod read;
pub mod write;
pub mod rewrite;
mod unknown;

pub use read::{
    Block, BlockForm, BlockRange, Blocks, Container, Decoder, Enough, FRAME_START, FixedForm, Frame, Framing,
    ParsedSchemas, Progress, Projection, Records, StoredFields, Taken, decode, decode_blocks,
};
pub use schema::{
    AvroArray, AvroField, AvroMap, AvroSchema, AvroType, Limits, Logical, TypeId, arrow_fields, parse_schema,
};
pub use unknown::{KnownFields, UnknownField, UnknownRow, UnknownValues, all_unknown_fields, unknown_values};

#[cfg(test)]
mod tests;
