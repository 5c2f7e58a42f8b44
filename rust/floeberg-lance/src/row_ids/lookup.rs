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
    /// Ids that were in no order, with their places.
    Sorted(Vec<(u64, u64)>),
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

    /// The greatest id of all.
    pub fn greatest(&self) -> Option<u64> {
        self.greatest.last().copied()
    }
}
