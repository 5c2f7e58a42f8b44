//! Has any row id two rows that are not deleted?
//!
//! In: the row ids of all fragments, and deletion files of those that share ids. Out: findings.
//! Spec: Lance, Row ID Index.
//!
//! An update leaves the id of a row with its old place, which is deleted, so that ids of two fragments may overlap. Only then deletion
//! files are read.
//!
//! Invariant: ids are kept as ranges: their number is that of the ranges, holes and bits that the manifest has, and of deleted rows.

use std::collections::BTreeSet;
use std::ops::Range;

use floeberg_core::Result;
use floeberg_core::finding::{Findings, split};
use roaring::RoaringBitmap;

use super::files::{File, files_of};
use super::reading::{Document, Reading};
use super::rules::files::ROW_IDS_ONCE;
use crate::deletes;
use crate::row_ids::{RowIds, Segment};
use crate::wire::LineageOf;

/// Ids of a fragment, by its place.
type Ids = (Range<u64>, usize);

/// Checks that an id is of one row. Errors: those of the store.
pub(super) fn check_row_ids_once(reading: &Reading, document: &Document, found: &mut Findings) -> Result<()> {
    let fragments = &document.file.manifest.fragments;
    let mut all = Vec::new();
    for place in 0..fragments.len() {
        if let Some(ids) = ids_of(document, place) {
            add_ids(&ids, &RoaringBitmap::new(), place, &mut all);
        }
    }
    let shared: BTreeSet<usize> =
        twice(&mut all).into_iter().flat_map(|(_, one, other)| [one, other]).collect();
    drop(all);
    let mut live = Vec::new();
    for place in shared {
        // Of a deletion file that cannot be read, a finding of its own says so; nothing is known of the rows.
        let Some(deleted) = deleted_rows(reading, document, place)? else { continue };
        if let Some(ids) = ids_of(document, place) {
            add_ids(&ids, &deleted, place, &mut live);
        }
    }
    let mut pairs = BTreeSet::new();
    for (ids, one, other) in twice(&mut live) {
        if pairs.insert((one, other)) {
            let (one, other) = (fragments.ids()[one], fragments.ids()[other]);
            let message =
                format!("expected a row id in one row, found {} in fragment {one} and in {other}", ids.start);
            found.add(&ROW_IDS_ONCE, format_args!("fragments {one} and {other}"), message);
        }
    }
    Ok(())
}

/// The ids of a fragment, one for each of its rows; `None` where another rule is broken.
fn ids_of(document: &Document, place: usize) -> Option<RowIds> {
    let fragments = &document.file.manifest.fragments;
    let LineageOf::Inline(bytes) = fragments.row_ids(place) else { return None };
    let ids = RowIds::parse(bytes).ok()?;
    let rows = fragments.physical_rows()[place];
    (u32::try_from(rows).is_ok() && ids.check_length(rows).is_ok()).then_some(ids)
}

fn deleted_rows(reading: &Reading, document: &Document, place: usize) -> Result<Option<RoaringBitmap>> {
    for file in files_of(document, place) {
        if let File::Deletion(deletion, location) = &file.file {
            let bytes = split(deletes::bytes(reading.store.as_ref(), location, file.rows))?;
            return Ok(bytes.and_then(|bytes| deletes::rows_of(&bytes, deletion.file_type)).ok());
        }
    }
    let has_one = document.file.manifest.fragments.has_deletion_file(place);
    Ok((!has_one).then(RoaringBitmap::new))
}

/// Adds the ids of rows that are not deleted, as ranges.
fn add_ids(ids: &RowIds, deleted: &RoaringBitmap, place: usize, all: &mut Vec<Ids>) {
    let mut first_row = 0_u64;
    for segment in ids.segments() {
        match segment {
            Segment::Range(range) => add_range(range.clone(), first_row, deleted, place, all),
            Segment::RangeWithHoles { range, holes } => {
                let (mut start, mut row) = (range.start, first_row);
                for hole in holes.iter() {
                    add_range(start..hole, row, deleted, place, all);
                    (row, start) = (row + (hole - start), hole + 1);
                }
                add_range(start..range.end, row, deleted, place, all);
            }
            other => {
                let mut row = first_row;
                other.each(&mut |id| {
                    add_range(id..id.saturating_add(1), row, deleted, place, all);
                    row += 1;
                    true
                });
            }
        }
        first_row += segment.len();
    }
}

/// Adds ids of rows from `row` on, but for those that are deleted.
fn add_range(ids: Range<u64>, row: u64, deleted: &RoaringBitmap, place: usize, all: &mut Vec<Ids>) {
    let (mut start, end) = (ids.start, ids.end);
    let rows = row as u32..(row + (end - start)).min(u64::from(u32::MAX)) as u32;
    for gone in deleted.range(rows) {
        let id = ids.start + (u64::from(gone) - row);
        push(start..id, place, all);
        start = id + 1;
    }
    push(start..end, place, all);
}

fn push(ids: Range<u64>, place: usize, all: &mut Vec<Ids>) {
    match all.last_mut() {
        _ if ids.is_empty() => {}
        Some((last, of)) if *of == place && last.end == ids.start => last.end = ids.end,
        _ => all.push((ids, place)),
    }
}

/// Ids that are in two ranges, with the places of their fragments.
fn twice(all: &mut [Ids]) -> Vec<(Range<u64>, usize, usize)> {
    all.sort_unstable_by_key(|(ids, place)| (ids.start, *place));
    let mut found = Vec::new();
    let mut farthest: Option<&Ids> = None;
    for each in all.iter() {
        if let Some((last, place)) = farthest
            && each.0.start < last.end
        {
            found.push((each.0.start..each.0.end.min(last.end), *place, each.1));
        }
        if farthest.is_none_or(|(last, _)| each.0.end > last.end) {
            farthest = Some(each);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(ids: &[u64], deleted: &[u32]) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        add_ids(&RowIds::new(ids), &deleted.iter().copied().collect(), 0, &mut all);
        all.into_iter().map(|(ids, _)| (ids.start, ids.end)).collect()
    }

    #[test]
    fn ids_become_ranges_without_deleted_rows() {
        assert_eq!(ranges(&[4, 5, 6, 7], &[]), [(4, 8)]);
        assert_eq!(ranges(&[4, 5, 6, 7], &[0, 2]), [(5, 6), (7, 8)]);
        assert_eq!(ranges(&[9, 3, 4], &[0]), [(3, 5)]);
        let with_holes: Vec<u64> = (0..100).filter(|id| *id != 50).collect();
        assert_eq!(ranges(&with_holes, &[50]), [(0, 50), (52, 100)]);
    }

    #[test]
    fn ids_of_two_ranges_are_found_behind_a_longer_one() {
        let mut all = vec![(0..100, 0), (5..6, 1), (50..60, 2), (100..110, 3)];
        assert_eq!(twice(&mut all), [(5..6, 0, 1), (50..60, 0, 2)]);
        assert_eq!(twice(&mut [(7..8, 4), (7..8, 4)]), [(7..8, 4, 4)]);
    }
}
