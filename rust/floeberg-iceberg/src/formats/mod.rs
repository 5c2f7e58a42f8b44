//! Which file formats are there?
//!
//! One folder per format, with its reader and, if it has one, its writer. No format uses another.

#[cfg(test)]
pub(crate) mod arrow_ipc;
pub(crate) mod avro;
pub(crate) mod orc;
pub(crate) mod parquet;
