//! How much may one Avro file make us hold?
//!
//! Invariant: what a file can make the decoder allocate is bounded by its own length or by one of these.

/// Bounds that a sane file stays far below. Passing one is an error of kind `LimitExceeded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one block after decompression.
    pub block_bytes: usize,
    /// Bytes of all blocks after decompression.
    pub file_bytes: u64,
    /// Bytes of the columns of one batch: values without bytes, and missing ones, cost memory all the same.
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
