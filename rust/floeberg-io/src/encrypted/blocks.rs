//! Where are the blocks of an encrypted stream?
//!
//! In: the stored length of a file. Out: which stored bytes hold which plain ones.
//! Spec: AES GCM Stream, File structure.
//!
//! ```text
//! magic, 4 bytes | block length, 4 bytes | blocks: nonce, ciphertext, tag      all but the last of the block length
//! ```
//!
//! Invariant: the length is that which an authentic source names, not that of the store: a file that lost its last blocks is an error.

use std::ops::Range;

use floeberg_core::{Error, Result};

use super::magic::MAGIC;
use crate::keys::CIPHER_OVERHEAD;

/// The plain bytes of a block, as Iceberg Java has them.
pub(super) const BLOCK: u64 = 1 << 20;
/// The stored bytes of a block.
const STORED_BLOCK: u64 = BLOCK + CIPHER_OVERHEAD as u64;
/// Magic and block length.
pub(super) const HEADER: u64 = 8;

/// The header of a stream.
pub(super) fn header() -> [u8; HEADER as usize] {
    let mut header = [0; HEADER as usize];
    let (magic, length) = header.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    length.copy_from_slice(&(BLOCK as u32).to_le_bytes());
    header
}

/// The blocks of a stream of a stored length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    count: u64,
    /// The plain bytes of all blocks.
    pub plain_size: u64,
    stored_size: u64,
}

impl Blocks {
    /// Errors: `InvalidData` for a length that no stream has.
    pub fn of(stored_size: u64) -> Result<Self> {
        let overhead = CIPHER_OVERHEAD as u64;
        let wrong = || {
            Error::invalid_data(format!(
                "expected an encrypted file (AES GCM stream), found {stored_size} bytes"
            ))
        };
        let body = stored_size.checked_sub(HEADER).ok_or_else(wrong)?;
        let (full, rest) = (body / STORED_BLOCK, body % STORED_BLOCK);
        // A file without bytes has one block without any.
        let has_end = rest > overhead || (rest == overhead && full == 0);
        let count = full + u64::from(has_end);
        if (rest > 0 && !has_end) || count == 0 || count > i32::MAX as u64 {
            return Err(wrong());
        }
        Ok(Self { count, plain_size: body - count * overhead, stored_size })
    }

    /// The blocks that hold plain bytes. The range lies in the file and is not empty.
    pub fn holding(&self, range: &Range<u64>) -> Range<u64> {
        range.start / BLOCK..(range.end.div_ceil(BLOCK)).min(self.count)
    }

    /// The stored bytes of some blocks.
    pub fn stored(&self, blocks: &Range<u64>) -> Range<u64> {
        HEADER + blocks.start * STORED_BLOCK..(HEADER + blocks.end * STORED_BLOCK).min(self.stored_size)
    }

    /// All blocks.
    pub fn all(&self) -> Range<u64> {
        0..self.count
    }

    /// The stored bytes of some blocks, block by block, with their numbers.
    pub fn each<'a>(blocks: &Range<u64>, stored: &'a [u8]) -> impl Iterator<Item = (u32, &'a [u8])> {
        (blocks.start as u32..).zip(stored.chunks(STORED_BLOCK as usize))
    }
}

/// What is authenticated with a block: its file, and its place there.
pub(super) fn aad(prefix: &[u8], number: u32, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(prefix);
    out.extend_from_slice(&number.to_le_bytes());
}
