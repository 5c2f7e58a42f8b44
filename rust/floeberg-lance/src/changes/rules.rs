//! What do tables of all formats decide alike?

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use floeberg_core::Result;

/// Rules that tables of all formats share. They are given, since this crate names no other format.
#[derive(Debug, Clone, Copy)]
pub struct SharedRules {
    /// The rows, by two lists of columns of the same types and a number of rows, in which a value differs.
    pub differing: fn(&[ArrayRef], &[ArrayRef], usize) -> BooleanBuffer,
    /// Whether so many bytes of rows fit into memory. Errors: `LimitExceeded`.
    pub check_memory: fn(u64) -> Result<()>,
}
