//! Which equality deletes of one scope may delete rows of a file?
//!
//! In: the deletes of a partition, or of all partitions, and the statistics of the file's key columns. Out: the deletes that may
//! apply.
//! Spec: Scan Planning; Equality Delete Files.
//!
//! Invariant: the result, and the reasons, are the same as those of a test of each delete. Many deletes with bounds of one column
//! are looked up by the bounds.

use floeberg_core::expr::Share;

use super::by_sequence::BySequence;
use super::indexed_delete::Keys;
use super::intervals::{Ends, Intervals};
use super::key_stats::{BOUNDS, InOrder, LazyStats, NAN_COUNT, NULL_COUNT, ends};
use crate::manifest::PruneCounts;

/// From this many on, deletes are looked up by their bounds.
const MANY: usize = 16;

/// Equality deletes of one scope.
#[derive(Debug, Default)]
pub(crate) struct EqualityList {
    deletes: BySequence,
    /// Does any of them have statistics of its keys?
    is_told_apart: bool,
    by_bounds: Option<ByBounds>,
}

/// The deletes with one first key column, for which bounds alone decide there.
#[derive(Debug)]
struct ByBounds {
    /// The number of the column.
    column: usize,
    /// The positions of these deletes in the order of sequence numbers.
    places: Vec<u32>,
    intervals: Intervals,
    /// The positions of all other deletes.
    others: Vec<u32>,
}

impl EqualityList {
    /// Adds a delete. Its sequence number must not be below that of the one before.
    pub fn push(&mut self, number: u32, sequence_number: i64) {
        self.deletes.push(number, sequence_number);
    }

    /// Sorts the deletes by bounds, after all were added.
    pub fn finish(&mut self, keys: &[Keys]) {
        let of = |place: u32| &keys[self.deletes.number(place) as usize];
        let all = 0..self.deletes.len() as u32;
        self.is_told_apart = all.clone().any(|place| !of(place).is_empty());
        let Some(column) = all.clone().find_map(|place| first_by_bounds(of(place))) else { return };
        let (places, others): (Vec<_>, Vec<_>) =
            all.partition(|place| first_by_bounds(of(*place)) == Some(column));
        if places.len() >= MANY {
            let intervals = Intervals::new(places.clone(), |place| first_ends(of(place)));
            self.by_bounds = Some(ByBounds { column, places, intervals, others });
        }
    }

    /// Appends the numbers of the deletes of at least a sequence number (`None` is past the end) whose keys the file may have, by
    /// sequence number. Counts these, and the dropped ones by the number of the column.
    pub fn matching<'a>(
        &self,
        least: Option<i64>,
        stats: &mut LazyStats<'_>,
        keys: &[Keys],
        found: &mut Vec<i32>,
        tally: &mut PruneCounts,
        path_of: impl Fn(u32) -> &'a str,
    ) {
        let start = self.deletes.since(least);
        let newer = self.deletes.numbers(start);
        tally.enter(newer.len());
        if !self.is_told_apart {
            found.extend(newer.iter().map(|number| *number as i32));
            return;
        }
        let mut ask = |number: u32, stats: &mut LazyStats<'_>, tally: &mut PruneCounts| match stats
            .mismatch(&keys[number as usize])
        {
            None => found.push(number as i32),
            Some((column, reason)) => tally.drop(column, reason, path_of(number)),
        };
        // To name all dropped deletes, each has to be tested.
        match self.by_bounds.as_ref().filter(|_| !newer.is_empty() && !tally.names()) {
            None => newer.iter().for_each(|number| ask(*number, stats, tally)),
            Some(by_bounds) => {
                for place in self.near(by_bounds, start, stats, keys, tally) {
                    ask(self.deletes.number(place), stats, tally);
                }
            }
        }
    }

    /// The positions, from one on, whose bounds overlap the file's, in order. Counts the others.
    fn near(
        &self,
        by_bounds: &ByBounds,
        start: u32,
        stats: &mut LazyStats<'_>,
        keys: &[Keys],
        tally: &mut PruneCounts,
    ) -> Vec<u32> {
        let is_newer = |place: &u32| *place >= start;
        let newer = by_bounds.places.len() - by_bounds.places.partition_point(|place| !is_newer(place));
        let data = stats.of(by_bounds.column);
        let mut near = Vec::new();
        let reason = if data.nulls == Share::All {
            NULL_COUNT
        } else if data.nans == Share::All {
            NAN_COUNT
        } else {
            let of_delete = |place: u32| first_ends(&keys[self.deletes.number(place) as usize]);
            by_bounds.intervals.touching(&ends(data), of_delete, |place| {
                near.extend(Some(place).filter(is_newer));
            });
            BOUNDS
        };
        tally.drop_many(by_bounds.column, reason, (newer - near.len()) as u64);
        near.extend(by_bounds.others.iter().copied().filter(is_newer));
        near.sort_unstable();
        near
    }
}

/// The first key column of a delete, if none of its keys is null or NaN there: then bounds alone decide for a file whose values
/// are neither all null nor all NaN.
fn first_by_bounds(keys: &Keys) -> Option<usize> {
    let (column, stats) = keys.first()?;
    (stats.nulls == Share::None && stats.nans == Share::None).then_some(*column)
}

fn first_ends(keys: &Keys) -> Ends<InOrder<'_>> {
    keys.first().map_or((None, None), |(_, stats)| ends(stats))
}
