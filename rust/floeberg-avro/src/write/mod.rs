//! How are Avro files written?
//!
//! In: records and their schema. Out: values, blocks and container files, and the schema that declares Iceberg's types.

mod compress;
mod declare;
mod encoder;
mod blocks;
mod container;

pub use blocks::BlockEncoder;
pub use compress::Compression;
pub use container::{ContainerOptions, ContainerWriter, header, random_marker};
pub use declare::{decimal_size, declare};
pub use encoder::Encoder;

#[cfg(test)]
mod tests;
