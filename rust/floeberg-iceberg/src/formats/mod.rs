//! Which file formats are there?
//!
//! One folder per format, with its reader and, if it has one, its writer. No format uses another. Parquet is a crate.

#[cfg(test)]
pub(crate) mod arrow_ipc;
pub(crate) mod avro;
pub(crate) mod orc;
