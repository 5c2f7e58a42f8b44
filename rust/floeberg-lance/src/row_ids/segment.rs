//! Which row ids does a segment hold?
//!
//! In: a message of one of five kinds. Out: ids, by their place; places, by their id; and back.
//! Spec: Lance, `rowids.proto`, `U64Segment`. Bits of a bitmap count from the lowest, which its comment says otherwise.
//!
//! Invariant: an id is at most once in a segment of ascending ids; a segment says how many it holds without making them.

use std::ops::Range;

use floeberg_core::{Error, Result};
use floeberg_protobuf::{Encoder, Records};

use super::array::PackedArray;

/// Row ids that follow one another in a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// All of a range.
    Range(Range<u64>),
    /// A range without some.
    RangeWithHoles {
        /// The range.
        range: Range<u64>,
        /// What is not in it, ascending.
        holes: PackedArray,
    },
    /// Those of a range that have a bit.
    RangeWithBitmap {
        /// The range.
        range: Range<u64>,
        /// A bit for each, the lowest of a byte first.
        bitmap: Vec<u8>,
        /// How many bits are set.
        count: u64,
    },
    /// Ascending ids.
    SortedArray(PackedArray),
    /// Ids in any order.
    Array(PackedArray),
}

impl Segment {
    /// The segment that holds ids in the fewest bytes.
    pub fn new(ids: &[u64]) -> Self {
        let (Some(first), Some(last)) = (ids.first().copied(), ids.last().copied()) else {
            return Self::Range(0..0);
        };
        if !ids.is_sorted_by(|one, next| one < next) {
            return Self::Array(PackedArray::new(ids));
        }
        let Some(end) = last.checked_add(1) else {
            return Self::SortedArray(PackedArray::new(ids));
        };
        let span = end - first;
        let holes = span - ids.len() as u64;
        if holes == 0 {
            return Self::Range(first..end);
        }
        let with_holes = holes.saturating_mul(4);
        let (with_bitmap, as_list) = (span.div_ceil(8), ids.len() as u64 * 2);
        if with_holes <= with_bitmap && with_holes <= as_list {
            let mut missing = Vec::new();
            for pair in ids.windows(2) {
                missing.extend(pair[0] + 1..pair[1]);
            }
            Self::RangeWithHoles { range: first..end, holes: PackedArray::new(&missing) }
        } else if with_bitmap <= as_list {
            let mut bitmap = vec![0_u8; with_bitmap as usize];
            for id in ids {
                let at = (id - first) as usize;
                bitmap[at / 8] |= 1 << (at % 8);
            }
            Self::RangeWithBitmap { range: first..end, bitmap, count: ids.len() as u64 }
        } else {
            Self::SortedArray(PackedArray::new(ids))
        }
    }

    /// Reads a segment. Errors: `InvalidData`.
    pub fn parse(message: &[u8]) -> Result<Self> {
        let mut parsed = None;
        for record in Records::new(message) {
            let record = record?;
            parsed = Some(match record.number {
                1 => Self::Range(parts(record.value.bytes()?)?.0),
                2 => with_holes(record.value.bytes()?)?,
                3 => with_bitmap(record.value.bytes()?)?,
                4 => {
                    let ids = PackedArray::parse(record.value.bytes()?)?;
                    if !ids.is_ascending() {
                        return Err(Error::invalid_data("expected ascending row ids, found others"));
                    }
                    Self::SortedArray(ids)
                }
                5 => Self::Array(PackedArray::parse(record.value.bytes()?)?),
                other => {
                    return Err(Error::unsupported(format!(
                        "row ids of kind {other} are not known to this version"
                    )));
                }
            });
        }
        parsed.ok_or_else(|| Error::invalid_data("expected a segment of row ids, found an empty message"))
    }

    /// The message of a segment.
    pub fn to_message(&self) -> Vec<u8> {
        let mut inner = Encoder::default();
        let tag = match self {
            Self::Range(range) => {
                bounds(&mut inner, range);
                1
            }
            Self::RangeWithHoles { range, holes } => {
                bounds(&mut inner, range);
                inner.some_bytes(3, holes.to_message());
                2
            }
            Self::RangeWithBitmap { range, bitmap, .. } => {
                bounds(&mut inner, range);
                inner.bytes(3, bitmap);
                3
            }
            Self::SortedArray(ids) => {
                inner.raw(&ids.to_message());
                4
            }
            Self::Array(ids) => {
                inner.raw(&ids.to_message());
                5
            }
        };
        let mut out = Encoder::default();
        out.some_bytes(tag, inner.finish());
        out.finish()
    }

    /// How many ids.
    pub fn len(&self) -> u64 {
        match self {
            Self::Range(range) => range.end - range.start,
            Self::RangeWithHoles { range, holes } => range.end - range.start - holes.len() as u64,
            Self::RangeWithBitmap { count, .. } => *count,
            Self::SortedArray(ids) | Self::Array(ids) => ids.len() as u64,
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least and the greatest that it can hold; `None` where it is empty.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        match self {
            _ if self.is_empty() => None,
            Self::Range(range) | Self::RangeWithHoles { range, .. } | Self::RangeWithBitmap { range, .. } => {
                Some((range.start, range.end - 1))
            }
            Self::SortedArray(ids) => Some((ids.get(0)?, ids.get(ids.len() - 1)?)),
            Self::Array(ids) => Some((ids.iter().min()?, ids.iter().max()?)),
        }
    }

    /// The id at a place.
    pub fn get(&self, place: u64) -> Option<u64> {
        if place >= self.len() {
            return None;
        }
        match self {
            Self::Range(range) => Some(range.start + place),
            Self::RangeWithHoles { range, holes } => {
                // The number of holes before the id: they have an id each, ahead of the id itself.
                let (mut low, mut high) = (0, holes.len());
                while low < high {
                    let middle = low.midpoint(high);
                    if holes.get(middle)? - range.start - middle as u64 <= place {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                Some(range.start + place + low as u64)
            }
            Self::RangeWithBitmap { range, bitmap, .. } => {
                let mut left = place;
                for (at, byte) in bitmap.iter().enumerate() {
                    let ones = u64::from(byte.count_ones());
                    if left < ones {
                        let bit = (0..8).filter(|bit| byte >> bit & 1 == 1).nth(left as usize)?;
                        return Some(range.start + at as u64 * 8 + bit);
                    }
                    left -= ones;
                }
                None
            }
            Self::SortedArray(ids) | Self::Array(ids) => ids.get(place as usize),
        }
    }

    /// The place of an id; of ids in any order the first.
    pub fn position(&self, id: u64) -> Option<u64> {
        match self {
            Self::Range(range) => range.contains(&id).then(|| id - range.start),
            Self::RangeWithHoles { range, holes } => match holes.search(id) {
                Err(before) if range.contains(&id) => Some(id - range.start - before as u64),
                _ => None,
            },
            Self::RangeWithBitmap { range, bitmap, .. } => {
                let at = range.contains(&id).then(|| (id - range.start) as usize)?;
                let (byte, bit) = (bitmap.get(at / 8)?, at % 8);
                if byte >> bit & 1 == 0 {
                    return None;
                }
                let before: u64 = bitmap[..at / 8].iter().map(|byte| u64::from(byte.count_ones())).sum();
                Some(before + u64::from((byte & ((1 << bit) - 1)).count_ones()))
            }
            Self::SortedArray(ids) => ids.search(id).ok().map(|place| place as u64),
            Self::Array(ids) => ids.iter().position(|known| known == id).map(|place| place as u64),
        }
    }

    /// Calls `take` for each id, in order, until it says no.
    pub(crate) fn each(&self, take: &mut impl FnMut(u64) -> bool) -> bool {
        match self {
            Self::Range(range) => range.clone().all(take),
            Self::RangeWithHoles { range, holes } => {
                let mut start = range.start;
                for hole in holes.iter() {
                    if !(start..hole).all(&mut *take) {
                        return false;
                    }
                    start = hole + 1;
                }
                (start..range.end).all(take)
            }
            Self::RangeWithBitmap { range, bitmap, .. } => (0_u64..)
                .zip(bitmap)
                .flat_map(|(at, byte)| {
                    (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| at * 8 + bit)
                })
                .all(|offset| take(range.start + offset)),
            Self::SortedArray(ids) | Self::Array(ids) => ids.iter().all(take),
        }
    }
}

fn bounds(out: &mut Encoder, range: &Range<u64>) {
    out.number(1, range.start);
    out.number(2, range.end);
}

/// The range of a message, and the bytes of its third field.
fn parts(message: &[u8]) -> Result<(Range<u64>, Option<&[u8]>)> {
    let (mut start, mut end, mut third) = (0, 0, None);
    for record in Records::new(message) {
        let record = record?;
        match record.number {
            1 => start = record.value.number()?,
            2 => end = record.value.number()?,
            3 => third = Some(record.value.bytes()?),
            _ => {}
        }
    }
    if start > end {
        return Err(Error::invalid_data(format!("expected a range of row ids, found {start} to {end}")));
    }
    Ok((start..end, third))
}

fn with_holes(message: &[u8]) -> Result<Segment> {
    let (range, holes) = parts(message)?;
    let holes = PackedArray::parse(holes.unwrap_or_default())?;
    let are_within = match (holes.get(0), holes.len().checked_sub(1).and_then(|last| holes.get(last))) {
        (Some(first), Some(last)) => range.start <= first && last < range.end,
        _ => true,
    };
    if !holes.is_ascending() || !are_within {
        return Err(Error::invalid_data(format!(
            "expected ascending row ids from {} up to {} that are not there, found others",
            range.start, range.end
        )));
    }
    Ok(Segment::RangeWithHoles { range, holes })
}

fn with_bitmap(message: &[u8]) -> Result<Segment> {
    let (range, bitmap) = parts(message)?;
    let bitmap = bitmap.unwrap_or_default();
    let bits = range.end - range.start;
    if bits.div_ceil(8) != bitmap.len() as u64 {
        return Err(Error::invalid_data(format!(
            "expected a bit for each of {bits} row ids, found {} bytes",
            bitmap.len()
        )));
    }
    if bits % 8 != 0 && bitmap.last().is_some_and(|last| last >> (bits % 8) != 0) {
        return Err(Error::invalid_data("expected no bit behind the last row id, found one"));
    }
    let count = bitmap.iter().map(|byte| u64::from(byte.count_ones())).sum();
    Ok(Segment::RangeWithBitmap { range, bitmap: bitmap.to_vec(), count })
}
