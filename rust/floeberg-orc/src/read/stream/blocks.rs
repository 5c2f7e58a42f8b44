//! Where are the blocks of a stream?
//!
//! In: the bytes of a stream as stored. Out: its blocks, one after the other, decompressed.
//! Spec: ORC v1, Compression: three bytes before each block say its length and whether it is stored as it was.
//!
//! Invariant: one block is in memory at a time.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use super::Inflater;
use crate::wire::Compression;

/// A stream, cut into blocks.
pub(crate) struct Blocks {
    stored: Bytes,
    /// Where the next block starts.
    next: usize,
    /// Not in blocks: the stream is one.
    plain: bool,
    inflater: Inflater,
    current: Current,
}

enum Current {
    /// Stored as it was.
    Stored(Range<usize>),
    /// The size in bytes of the inflater's buffer.
    Inflated(usize),
}

impl Blocks {
    pub(crate) fn new(stored: Bytes, compression: Compression, block_size: usize) -> Self {
        let inflater = Inflater::new(compression, block_size);
        let plain = compression == Compression::None;
        Self { stored, next: 0, plain, inflater, current: Current::Stored(0..0) }
    }

    /// The current block; empty before the first.
    pub(crate) fn current(&self) -> &[u8] {
        match &self.current {
            Current::Stored(range) => &self.stored[range.clone()],
            Current::Inflated(length) => &self.inflater.buffer()[..*length],
        }
    }

    /// Goes on to the next block; false at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        let left = &self.stored[self.next..];
        if left.is_empty() {
            return Ok(false);
        }
        if self.plain {
            self.current = Current::Stored(self.next..self.stored.len());
            self.next = self.stored.len();
            return Ok(true);
        }
        let Some((header, left)) = left.split_first_chunk::<3>() else {
            return Err(Error::invalid_data("a stream of the ORC file ends within the header of a block"));
        };
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let length = (header >> 1) as usize;
        let Some(stored) = left.get(..length) else {
            return Err(Error::invalid_data(format!(
                "a block of {length} bytes is truncated: its stream in the ORC file has {} bytes left",
                left.len()
            )));
        };
        let start = self.next + 3;
        self.next = start + length;
        self.current = if header & 1 == 1 {
            Current::Stored(start..self.next)
        } else {
            Current::Inflated(self.inflater.inflate(stored)?)
        };
        Ok(true)
    }

    /// All blocks together. Errors: `LimitExceeded` if they are longer than `limit`.
    pub(crate) fn read_all(mut self, limit: usize, what: &str) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while self.advance()? {
            let block = self.current();
            if all.len() + block.len() > limit {
                return Err(Error::limit(format!("{what} of the ORC file is longer than {limit} bytes")));
            }
            all.extend_from_slice(block);
        }
        Ok(all)
    }
}
