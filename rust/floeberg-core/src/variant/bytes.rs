//! A column of bytes that grows.
//!
//! Invariant: 32-bit offsets reach all of it.

use arrow_array::BinaryArray;
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer};

use crate::error::{Error, Result};

/// Byte strings, appended row by row.
pub(super) struct Bytes {
    /// Those of the rows, and of the row that is being written.
    pub(super) data: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Bytes {
    pub(super) fn new() -> Self {
        Self { data: Vec::new(), offsets: vec![0], nulls: NullBufferBuilder::new(0) }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Appends a row.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.data.extend_from_slice(bytes);
        self.end()
    }

    /// Ends a row of what was appended to the data.
    pub(super) fn end(&mut self) -> Result<()> {
        self.nulls.append_non_null();
        self.offsets.push(offset(self.data.len())?);
        Ok(())
    }

    /// Appends a null.
    pub(super) fn skip(&mut self) {
        self.nulls.append_null();
        self.offsets.extend(self.offsets.last().copied());
    }

    pub(super) fn finish(mut self) -> Result<BinaryArray> {
        let offsets = OffsetBuffer::new(self.offsets.into());
        BinaryArray::try_new(offsets, Buffer::from_vec(self.data), self.nulls.finish()).map_err(|error| {
            Error::internal(format!("the bytes of variants do not fit into a column: {error}"))
        })
    }
}

/// Where a row ends. Errors: `LimitExceeded`.
pub(super) fn offset(length: usize) -> Result<i32> {
    i32::try_from(length).map_err(|_| Error::limit("the variants of one batch take more than 2 GiB"))
}
