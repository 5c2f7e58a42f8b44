//! Where may a file be split for several threads?
//!
//! In: a whole file. Out: block ranges, which are runs of adjacent blocks.
//!
//! Invariant: every block is in exactly one block range, and block ranges are in the order of the file.

use std::ops::Range;

use floeberg_core::{Context, Result};

use super::frame::whole_frame;
use crate::schema::Limits;

/// A run of adjacent blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockRange {
    /// Where they lie in the file.
    pub(crate) bytes: Range<usize>,
    /// The number of their first record in the file.
    pub first_row: u64,
    /// How many records they have.
    pub rows: u64,
}

/// Walks over the blocks from `start` on, without decompressing them.
pub(crate) fn ranges(
    bytes: &[u8],
    start: usize,
    sync: &[u8; 16],
    limits: &Limits,
    most_bytes: usize,
) -> Result<Vec<BlockRange>> {
    let stored = bytes.len() - start;
    let target = stored.div_ceil(stored.div_ceil(most_bytes.max(1)).max(1));
    let mut made = Vec::new();
    let mut open = BlockRange { bytes: start..start, first_row: 0, rows: 0 };
    while open.bytes.end < bytes.len() {
        let offset = open.bytes.end;
        let frame = whole_frame(&bytes[offset..], sync, limits).context("block_offset", offset)?;
        open.bytes.end += frame.length;
        open.rows = open.rows.saturating_add(frame.rows);
        if open.bytes.len() >= target && open.bytes.end < bytes.len() {
            let first_row = open.first_row.saturating_add(open.rows);
            let next = BlockRange { bytes: open.bytes.end..open.bytes.end, first_row, rows: 0 };
            made.push(std::mem::replace(&mut open, next));
        }
    }
    made.push(open);
    Ok(made)
}
