//! Where is the row of an id?
//!
//! In: the ids of all fragments. Out: fragments and places where an id stands.
//! Spec: Lance, Stable Row IDs, Row ID Index.
//!
//! Invariant: an id may stand in several fragments, of which all but one have it deleted: an update moves a row, and its old
//! place keeps the id. Who asks must leave deleted rows out.

use super::segment::Segment;
use super::sequence::RowIds;

/// Ids to rows.
#[derive(Debug, Clone, Default)]
pub struct RowIdIndex {
    /// Ascending by their least ids.
    parts: Vec<Part>,
    /// The greatest id of all parts up to each.
    greatest: Vec<u64>,
}

#[derive(Debug, Clone)]
struct Part {
    least: u64,
    greatest: u64,
    /// The place of the fragment in the manifest.
    fragment: usize,
    /// The row of the first id.
    first_row: u64,
    ids: Ids,
}

#[derive(Debug, Clone)]
enum Ids {
    Segment(Segment),
    /// A segment with a bitmap, and the number of ids before each block of it.
    Ranked(Segment, Vec<u64>),
    /// Ids that were in no order, with their places.
    Sorted(Vec<(u64, u64)>),
}

/// At most this many bytes of a bitmap are counted to find an id.
const BLOCK: usize = 64;

/// The number of ids before each block of a bitmap.
fn ranks(bitmap: &[u8]) -> Vec<u64> {
    let counts = bitmap.chunks(BLOCK).map(ones);
    counts.scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect()
}

fn ones(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(byte.count_ones())).sum()
}

/// The place of an id, as [`Segment::position`] gives it, without a look at the whole bitmap.
fn ranked_position(segment: &Segment, ranks: &[u64], id: u64) -> Option<u64> {
    let Segment::RangeWithBitmap { range, bitmap, .. } = segment else { return segment.position(id) };
    let at = usize::try_from(id.checked_sub(range.start).filter(|_| range.contains(&id))?).ok()?;
    let (place, bit) = (at / 8, at % 8);
    let byte = *bitmap.get(place)?;
    if byte >> bit & 1 == 0 {
        return None;
    }
    let block = place / BLOCK;
    let before = ranks.get(block)? + ones(&bitmap[block * BLOCK..place]);
    Some(before + u64::from((byte & ((1 << bit) - 1)).count_ones()))
}

impl RowIdIndex {
    /// The index of fragments, by their places in the manifest. Lengths of sequences are to be checked before.
    pub fn new(fragments: impl IntoIterator<Item = (usize, RowIds)>) -> Self {
        let mut parts = Vec::new();
        for (fragment, ids) in fragments {
            let mut first_row = 0;
            for segment in ids.segments() {
                let rows = segment.len();
                if let Some((least, greatest)) = segment.bounds() {
                    let ids = match segment {
                        Segment::Array(ids) => {
                            let mut sorted: Vec<_> = ids.iter().zip(0_u64..).collect();
                            sorted.sort_unstable();
                            Ids::Sorted(sorted)
                        }
                        Segment::RangeWithBitmap { bitmap, .. } => {
                            Ids::Ranked(segment.clone(), ranks(bitmap))
                        }
                        other => Ids::Segment(other.clone()),
                    };
                    parts.push(Part { least, greatest, fragment, first_row, ids });
                }
                first_row += rows;
            }
        }
        parts.sort_by_key(|part| part.least);
        let greatest = parts
            .iter()
            .scan(0, |most, part| {
                *most = part.greatest.max(*most);
                Some(*most)
            })
            .collect();
        Self { parts, greatest }
    }

    /// Every fragment, by its place, and row in it that has an id, the fragment of the highest place first.
    pub fn candidates(&self, id: u64) -> Vec<(usize, u64)> {
        let after = self.parts.partition_point(|part| part.least <= id);
        let mut found: Vec<_> = (0..after)
            .rev()
            .take_while(|at| self.greatest[*at] >= id)
            .filter_map(|at| {
                let part = &self.parts[at];
                let place = match &part.ids {
                    _ if part.greatest < id => None,
                    Ids::Segment(segment) => segment.position(id),
                    Ids::Ranked(segment, ranks) => ranked_position(segment, ranks, id),
                    Ids::Sorted(sorted) => {
                        let at = sorted.binary_search_by_key(&id, |(known, _)| *known).ok()?;
                        Some(sorted[at].1)
                    }
                };
                place.map(|place| (part.fragment, part.first_row + place))
            })
            .collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        found
    }
}
