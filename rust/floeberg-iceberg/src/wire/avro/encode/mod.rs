//! Avro object containers, written: values, blocks, and the schema that declares Iceberg's types.

mod compress;
mod declare;
mod encoder;
mod container;

pub use compress::Compression;
pub use container::{ContainerOptions, ContainerWriter};
pub use declare::{decimal_size, declare};
pub use encoder::Encoder;

#[cfg(test)]
mod tests;
