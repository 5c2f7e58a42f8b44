//! How much memory may one Avro file take?
//!
//! Invariant: whatever the decoder allocates is bounded by the length of the file or by one of these limits.

use floeberg_core::{Error, Result};

/// Bounds that a sane file stays far below. Passing one is an error of kind `LimitExceeded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one block after decompression.
    pub block_bytes: usize,
    /// Bytes of all blocks after decompression.
    pub file_bytes: u64,
    /// Bytes of the columns of one batch. Values without bytes, and missing ones, still cost memory.
    pub batch_bytes: usize,
    /// Bytes of the writer schema's JSON.
    pub schema_bytes: usize,
    /// How deep types may nest.
    pub type_depth: usize,
    /// Types in the writer schema, every use of a named type counted.
    pub type_count: usize,
    /// Values that take no bytes (nulls, empty records) in the whole file.
    pub empty_values: u64,
}

impl Limits {
    /// For data files, which are decoded block by block and have no limit on their total size.
    pub fn of_rows() -> Self {
        Self {
            block_bytes: 256 << 20,
            file_bytes: u64::MAX,
            batch_bytes: 1 << 30,
            schema_bytes: 16 << 20,
            type_depth: 128,
            type_count: 1 << 19,
            empty_values: 1 << 24,
        }
    }

    /// Refuses a schema with too many types, or one that is too deep.
    pub(crate) fn check_walk(&self, types: usize, depth: usize) -> Result<()> {
        if depth > self.type_depth {
            let most = self.type_depth;
            return Err(Error::limit(format!("Avro types nest deeper than {most}, or one contains itself")));
        }
        if types > self.type_count {
            let most = self.type_count;
            return Err(Error::limit(format!("an Avro schema uses more than {most} types")));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            block_bytes: 128 << 20,
            file_bytes: 4 << 30,
            batch_bytes: 2 << 30,
            schema_bytes: 32 << 20,
            type_depth: 64,
            type_count: 1 << 20,
            empty_values: 1 << 24,
        }
    }
}
