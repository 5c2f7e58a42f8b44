//! Which formats have files of rows?
//!
//! A folder a format, each with its reader, and its writer where it has one; none names another.

#[cfg(test)]
pub(crate) mod arrow_ipc;
pub(crate) mod avro;
pub(crate) mod orc;
pub(crate) mod parquet;
