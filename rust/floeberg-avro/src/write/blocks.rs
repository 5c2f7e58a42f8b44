//! How do records become blocks?
//!
//! In: records. Out: the bytes of whole blocks, each with its frame.
//! Spec: Avro 1.12, Object Container Files (drawn beside the reader, `container.rs`).
//!
//! Invariant: a block is held at a time; a record that failed leaves no bytes behind, and every written block can be read.

use floeberg_core::{Error, Result};

use super::compress::Compression;
use super::compress::Compressor;
use super::encoder::Encoder;
use crate::Limits;

/// The records of one block after another.
pub struct BlockEncoder {
    sync: [u8; 16],
    compressor: Compressor,
    /// A block ends with the record that brings it to this many bytes, before it is compressed.
    block_bytes: usize,
    /// Records in the block.
    rows: i64,
    block: Encoder,
}

impl BlockEncoder {
    /// Errors: `InvalidInput` for a level that the codec does not have.
    pub fn new(compression: Compression, sync: [u8; 16], block_bytes: usize) -> Result<Self> {
        let compressor = Compressor::new(compression)?;
        Ok(Self { sync, compressor, block_bytes, rows: 0, block: Encoder::default() })
    }

    /// Adds the record that `put` encodes; a failure leaves the block unchanged. Is the block full?
    pub fn add(&mut self, put: impl FnOnce(&mut Encoder) -> Result<()>) -> Result<bool> {
        let start = self.block.bytes().len();
        if let Err(error) = put(&mut self.block) {
            self.block.truncate(start);
            return Err(error);
        }
        let size = self.block.bytes().len();
        let most = Limits::default().block_bytes;
        if size > most {
            self.block.truncate(start);
            return Err(Error::limit(format!(
                "a record of {} bytes cannot be written: readers accept blocks of up to {most} bytes",
                size - start
            )));
        }
        self.rows += 1;
        Ok(size >= self.block_bytes)
    }

    /// The bytes of the open block, before compression.
    pub fn pending(&self) -> usize {
        self.block.bytes().len()
    }

    /// Ends the block, if it has records. Returns its bytes, in parts.
    pub fn end(&mut self, mut give: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let stored = self.compressor.compress(self.block.bytes())?;
        let mut frame = Encoder::default();
        frame.long(self.rows);
        frame.long(stored.len() as i64);
        for part in [frame.bytes(), stored, &self.sync] {
            give(part)?;
        }
        self.rows = 0;
        self.block.truncate(0);
        Ok(())
    }
}
