//! Which position deletes of a partition may delete rows of a file?
//!
//! In: the deletes of one partition that are not for a single file. Out: for a path, the deletes whose bounds allow it.
//! Spec: Scan Planning; Delete File Stats.
//!
//! Invariant: bounds may be truncated, upper ones upward. They are compared only with paths that spell the local scheme in the
//! same way. Many deletes are looked up by their bounds; few are tested one by one.

use super::by_sequence::BySequence;
use super::indexed_delete::IndexedDelete;
use super::intervals::{Ends, Intervals};

/// From this many on, deletes are looked up by their bounds.
const MANY: usize = 16;

/// The number of spellings of local paths: see [`local_spelling`].
const SPELLINGS: usize = 3;

/// Position deletes of one partition.
#[derive(Debug, Default)]
pub(crate) struct PositionList {
    deletes: BySequence,
    /// Has any of them a bound?
    is_bounded: bool,
    /// For each spelling of paths the deletes by bounds, if there are many and some bounds have that spelling.
    by_bounds: [Option<Intervals>; SPELLINGS],
}

impl PositionList {
    /// Adds a delete. Its sequence number must not be below that of the one before.
    pub fn push(&mut self, number: u32, sequence_number: i64) {
        self.deletes.push(number, sequence_number);
    }

    /// Sorts the deletes by bounds, after all were added.
    pub fn finish(&mut self, all: &[IndexedDelete]) {
        let bounds = |place: u32| {
            let delete = &all[self.deletes.number(place) as usize];
            [&delete.lowest_path, &delete.highest_path].into_iter().flatten()
        };
        let places = 0..self.deletes.len() as u32;
        self.is_bounded = places.clone().any(|place| bounds(place).next().is_some());
        if !self.is_bounded || self.deletes.len() < MANY {
            return;
        }
        for spelling in 0..SPELLINGS {
            if places.clone().flat_map(bounds).any(|bound| local_spelling(bound) == spelling) {
                let of_delete = |place| ends(&all[self.deletes.number(place) as usize], spelling);
                self.by_bounds[spelling] = Some(Intervals::new(places.clone().collect(), of_delete));
            }
        }
    }

    /// Appends the numbers of the deletes that may apply to a data file, by sequence number: they are not older, and
    /// their bounds include its path.
    pub fn matching(&self, path: &str, sequence_number: i64, all: &[IndexedDelete], found: &mut Vec<i32>) {
        let start = self.deletes.since(Some(sequence_number));
        let delete = |place: u32| &all[self.deletes.number(place) as usize];
        if !self.is_bounded {
            found.extend(self.deletes.numbers(start).iter().map(|number| *number as i32));
            return;
        }
        let spelling = local_spelling(path);
        let range = (Some(path), Some(path));
        let Some(by_bounds) = &self.by_bounds[spelling] else {
            let places = start..self.deletes.len() as u32;
            let may_name = |place: &u32| Intervals::touch(&ends(delete(*place), spelling), &range);
            found.extend(places.filter(may_name).map(|place| self.deletes.number(place) as i32));
            return;
        };
        let mut places = Vec::new();
        by_bounds.touching(&range, |place| ends(delete(place), spelling), |place| places.push(place));
        places.sort_unstable();
        let newer = places.into_iter().filter(|place| *place >= start);
        found.extend(newer.map(|place| self.deletes.number(place) as i32));
    }
}

/// The path bounds of a delete that can be compared with paths of a spelling.
fn ends(delete: &IndexedDelete, spelling: usize) -> Ends<&str> {
    let alike = |bound: &&str| local_spelling(bound) == spelling;
    (delete.lowest_path.as_deref().filter(alike), delete.highest_path.as_deref().filter(alike))
}

/// How a path spells the local scheme: `file:///x` 2, `file:/x` 1, `/x` and other schemes 0.
fn local_spelling(path: &str) -> usize {
    if path.starts_with("file://") { 2 } else { usize::from(path.starts_with("file:")) }
}
