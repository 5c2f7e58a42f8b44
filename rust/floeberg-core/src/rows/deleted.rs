//! Which rows of a file are deleted, and which rows of a range remain?
//!
//! In: positions in one file, from any number of deletes. Out: counts, and masks of the rows that are kept.
//! Spec: Position Delete Files; Deletion Vectors.
//!
//! Invariant: a mask is built only for a range that is deleted in part.

use std::ops::{Range, RangeInclusive};

use arrow_buffer::{BooleanBuffer, Buffer};
use roaring::{RoaringBitmap, RoaringTreemap};

use crate::error::{Error, Result};

/// Positions read from a bitmap at once.
const STEP: usize = 1024;

/// The deleted rows of one file, by position from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeletedRows {
    positions: RoaringTreemap,
}

/// Which rows of a range are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeMask {
    /// All of them (an empty range is this).
    All,
    /// None of them.
    None,
    /// Those whose bit is set; bit 0 is the first row of the range.
    Some(BooleanBuffer),
}

impl RangeMask {
    /// The rows that a mask of the same range leaves of these.
    #[must_use]
    pub fn and(self, mask: &BooleanBuffer) -> Self {
        let left = match self {
            Self::All => mask.clone(),
            Self::None => return Self::None,
            Self::Some(kept) => &kept & mask,
        };
        match left.count_set_bits() {
            0 if !left.is_empty() => Self::None,
            count if count == left.len() => Self::All,
            _ => Self::Some(left),
        }
    }
}

impl DeletedRows {
    /// From a set of positions.
    pub fn new(positions: RoaringTreemap) -> Self {
        Self { positions }
    }

    /// Deletes those of another set too.
    pub fn add(&mut self, positions: &RoaringTreemap) {
        self.positions |= positions;
    }

    /// The positions.
    pub fn positions(&self) -> &RoaringTreemap {
        &self.positions
    }

    /// Are all rows left?
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Is a row deleted?
    pub fn contains(&self, position: u64) -> bool {
        self.positions.contains(position)
    }

    /// How many rows of a range are deleted.
    pub fn count(&self, range: Range<u64>) -> u64 {
        if range.is_empty() { 0 } else { self.positions.range_cardinality(range) }
    }

    /// Which rows of a range are left.
    ///
    /// Errors: `LimitExceeded` for a range that no mask in memory can cover.
    pub fn kept(&self, range: Range<u64>) -> Result<RangeMask> {
        let deleted = self.count(range.clone());
        if deleted == 0 {
            return Ok(RangeMask::All);
        }
        let rows = range.end - range.start;
        if deleted == rows {
            return Ok(RangeMask::None);
        }
        let rows = usize::try_from(rows)
            .map_err(|_| Error::limit(format!("a mask of {rows} rows does not fit into memory")))?;
        let mut words = vec![u64::MAX; rows.div_ceil(64)];
        for (high, bitmap) in self.positions.bitmaps() {
            let base = u64::from(high) << 32;
            let Some(inside) = overlap(base, &range) else { continue };
            for part in containers(inside) {
                let first = (base + u64::from(*part.start()) - range.start) as usize;
                clear(bitmap, part, &mut words, first);
            }
        }
        Ok(RangeMask::Some(BooleanBuffer::new(Buffer::from_vec(words), 0, rows)))
    }
}

/// Clears the bits of the rows of one container that a bitmap holds; `first` is the bit of the part's first row.
///
/// A part that is held whole is cleared whole, which is faster, and which the library gets wrong: `next_many` of
/// roaring 0.12.0 finds nothing in a run of all 65,536 values, as Java writes them.
fn clear(bitmap: &RoaringBitmap, part: RangeInclusive<u32>, words: &mut [u64], first: usize) {
    let start = *part.start();
    let rows = (part.end() - start) as usize + 1;
    match bitmap.range_cardinality(part.clone()) as usize {
        0 => {}
        deleted if deleted == rows => clear_run(words, first..first + rows),
        _ => {
            let mut rest = bitmap.range(part);
            let mut buffer = [0; STEP];
            loop {
                let found = rest.next_many(&mut buffer);
                if found.is_empty() {
                    break;
                }
                for low in found {
                    let row = first + (*low - start) as usize;
                    words[row / 64] &= !(1 << (row % 64));
                }
            }
        }
    }
}

/// Clears a run of bits, which is not empty.
fn clear_run(words: &mut [u64], bits: Range<usize>) {
    let (first, last) = (bits.start / 64, (bits.end - 1) / 64);
    let before = !(u64::MAX << (bits.start % 64));
    let after = !(u64::MAX >> (63 - (bits.end - 1) % 64));
    if first == last {
        words[first] &= before | after;
        return;
    }
    words[first] &= before;
    words[first + 1..last].fill(0);
    words[last] &= after;
}

/// A range of a 32-bit bitmap, cut where its containers of 65,536 values end.
fn containers(range: RangeInclusive<u32>) -> impl Iterator<Item = RangeInclusive<u32>> {
    let (start, end) = range.into_inner();
    (start >> 16..=end >> 16).map(move |key| start.max(key << 16)..=end.min(key << 16 | 0xffff))
}

/// The part of a range whose upper 32 bits are those of a bitmap, as its lower 32 bits.
fn overlap(base: u64, range: &Range<u64>) -> Option<RangeInclusive<u32>> {
    let first = range.start.max(base);
    let last = (range.end - 1).min(base | u64::from(u32::MAX));
    (first <= last).then(|| (first - base) as u32..=(last - base) as u32)
}
