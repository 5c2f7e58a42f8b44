//! Which rows of a file are deleted, and which of a range of rows are left?
//!
//! In: positions in one file, from any number of deletes. Out: counts, and masks of the rows that are kept.
//! Spec: Position Delete Files; Deletion Vectors.
//!
//! Invariant: a mask is built only for a range that is deleted in part.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, Buffer};
use roaring::RoaringTreemap;

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
pub enum Kept {
    /// All of them (an empty range is this).
    All,
    /// None of them.
    None,
    /// Those whose bit is set; bit 0 is the first row of the range.
    Some(BooleanBuffer),
}

impl Kept {
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

    /// Is no row deleted?
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
    pub fn kept(&self, range: Range<u64>) -> Result<Kept> {
        let deleted = self.count(range.clone());
        if deleted == 0 {
            return Ok(Kept::All);
        }
        let rows = range.end - range.start;
        if deleted == rows {
            return Ok(Kept::None);
        }
        let rows = usize::try_from(rows)
            .map_err(|_| Error::limit(format!("a mask of {rows} rows is larger than memory")))?;
        let mut words = vec![u64::MAX; rows.div_ceil(64)];
        for (high, bitmap) in self.positions.bitmaps() {
            let base = u64::from(high) << 32;
            let Some(inside) = overlap(base, &range) else { continue };
            let mut rest = bitmap.range(inside);
            let mut buffer = [0; STEP];
            loop {
                let found = rest.next_many(&mut buffer);
                if found.is_empty() {
                    break;
                }
                for low in found {
                    let row = (base + u64::from(*low) - range.start) as usize;
                    words[row / 64] &= !(1 << (row % 64));
                }
            }
        }
        Ok(Kept::Some(BooleanBuffer::new(Buffer::from_vec(words), 0, rows)))
    }
}

/// The part of a range whose upper 32 bits are those of a bitmap, as its lower 32 bits.
fn overlap(base: u64, range: &Range<u64>) -> Option<std::ops::RangeInclusive<u32>> {
    let first = range.start.max(base);
    let last = (range.end - 1).min(base | u64::from(u32::MAX));
    (first <= last).then(|| (first - base) as u32..=(last - base) as u32)
}
