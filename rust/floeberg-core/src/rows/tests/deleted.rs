#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use arrow_buffer::BooleanBuffer;
use proptest::prelude::*;
use roaring::RoaringTreemap;

use crate::rows::{DeletedRows, RangeMask};

fn deleted(positions: &[u64]) -> DeletedRows {
    DeletedRows::new(positions.iter().copied().collect())
}

fn kept_rows(rows: &DeletedRows, start: u64, end: u64) -> Vec<u64> {
    match rows.kept(start..end).unwrap() {
        RangeMask::All => (start..end).collect(),
        RangeMask::None => Vec::new(),
        RangeMask::Some(mask) => mask.set_indices().map(|row| row as u64 + start).collect(),
    }
}

#[test]
fn a_range_without_deletes_needs_no_mask() {
    assert_eq!(deleted(&[5, 100]).kept(6..100).unwrap(), RangeMask::All);
    assert_eq!(deleted(&[5]).kept(5..5).unwrap(), RangeMask::All);
}

#[test]
fn a_range_deleted_whole_needs_no_mask() {
    assert_eq!(deleted(&[5, 6, 7]).kept(5..8).unwrap(), RangeMask::None);
}

#[test]
fn a_mask_starts_at_the_first_row_of_its_range() {
    let RangeMask::Some(mask) = deleted(&[70, 71, 135]).kept(70..136).unwrap() else { panic!("a mask") };
    assert_eq!(mask.len(), 66);
    assert_eq!(mask.count_set_bits(), 63);
    assert!(!mask.value(0) && !mask.value(1) && mask.value(2) && !mask.value(65));
}

#[test]
fn a_range_may_cross_the_32_bit_boundary() {
    let edge = 1_u64 << 32;
    let rows = deleted(&[edge - 2, edge, edge + 3]);
    assert_eq!(kept_rows(&rows, edge - 3, edge + 4), [edge - 3, edge - 1, edge + 1, edge + 2]);
    assert_eq!(rows.count(edge - 2..edge + 1), 2);
}

#[test]
fn a_union_deletes_what_either_deletes() {
    let mut rows = deleted(&[1, 3]);
    rows.add(&RoaringTreemap::from_iter([3, 4]));
    assert_eq!(kept_rows(&rows, 0, 6), [0, 2, 5]);
}

#[test]
fn what_a_mask_leaves_of_kept_rows_is_all_none_or_a_mask() {
    let mask = |bits: &[bool]| BooleanBuffer::from(bits.to_vec());
    let some = RangeMask::Some(mask(&[true, false, true]));
    assert_eq!(some.clone().and(&mask(&[false, true, true])), RangeMask::Some(mask(&[false, false, true])));
    assert_eq!(some.and(&mask(&[false, true, false])), RangeMask::None);
    assert_eq!(RangeMask::All.and(&mask(&[true, true])), RangeMask::All);
    assert_eq!(RangeMask::All.and(&mask(&[false, true])), RangeMask::Some(mask(&[false, true])));
    assert_eq!(RangeMask::All.and(&mask(&[])), RangeMask::All);
    assert_eq!(RangeMask::None.and(&mask(&[true])), RangeMask::None);
    assert!(deleted(&[3]).contains(3) && !deleted(&[3]).contains(4));
}

proptest! {
    #[test]
    fn a_mask_keeps_exactly_what_is_not_deleted(
        positions in proptest::collection::btree_set(0_u64..3_000, 0..900),
        start in 0_u64..3_000,
        length in 0_u64..3_000,
    ) {
        let rows = deleted(&positions.iter().copied().collect::<Vec<_>>());
        let naive: Vec<u64> = (start..start + length).filter(|row| !positions.contains(row)).collect();
        prop_assert_eq!(rows.count(start..start + length), length - naive.len() as u64);
        prop_assert_eq!(kept_rows(&rows, start, start + length), naive);
    }
}

/// The values of a container of a Roaring bitmap.
const CONTAINER: u64 = 1 << 16;

/// As Java writes vectors: run-length encoded where that is smaller.
fn with_runs(positions: &RoaringTreemap) -> RoaringTreemap {
    RoaringTreemap::from_bitmaps(positions.bitmaps().map(|(key, bitmap)| {
        let mut bitmap = bitmap.clone();
        bitmap.optimize();
        (key, bitmap)
    }))
}

#[test]
fn a_run_that_fills_its_container_is_deleted() {
    for (start, end) in [(0, 1), (1, 3), (0xffff, 0x1_0001)] {
        let mut positions = RoaringTreemap::new();
        positions.insert_range(start * CONTAINER..end * CONTAINER);
        let rows = DeletedRows::new(with_runs(&positions));
        let range = (start * CONTAINER).saturating_sub(70)..end * CONTAINER + 3;
        let expected: Vec<u64> = range.clone().filter(|row| !positions.contains(*row)).collect();
        assert_eq!(kept_rows(&rows, range.start, range.end), expected);
    }
}

/// Runs whose ends are at and beside the borders of containers, those of the first and the last of a bitmap too.
fn runs_at_borders() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let border = (prop_oneof![0_u64..5, 0xfffe_u64..0x1_0003], -3_i64..4)
        .prop_map(|(container, beside)| (container * CONTAINER).saturating_add_signed(beside));
    let length = prop_oneof![0_u64..5, CONTAINER - 2..CONTAINER + 3, 2 * CONTAINER - 1..2 * CONTAINER + 2];
    proptest::collection::vec((border, length), 0..5)
}

fn inserted(runs: &[(u64, u64)]) -> RoaringTreemap {
    let mut positions = RoaringTreemap::new();
    for (start, length) in runs {
        positions.insert_range(*start..start + length);
    }
    positions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// All that is asked of the library, beside a plain set.
    #[test]
    fn runs_and_the_borders_of_containers_are_as_in_a_plain_set(
        one in runs_at_borders(),
        other in runs_at_borders(),
        single in proptest::collection::vec((0_u64..4 * CONTAINER).prop_map(|row| row * 3), 0..50),
        (start, length) in (0_u64..3 * CONTAINER, 0_u64..3 * CONTAINER),
    ) {
        let runs = one.iter().chain(&other);
        let naive: BTreeSet<u64> =
            runs.clone().flat_map(|(start, length)| *start..start + length).chain(single.iter().copied()).collect();
        let mut positions = with_runs(&inserted(&other));
        let sorted: BTreeSet<u64> = single.iter().copied().collect();
        if positions.append(sorted).is_err() {
            positions.extend(single);
        }
        let mut rows = DeletedRows::new(with_runs(&inserted(&one)));
        rows.add(&positions);
        prop_assert_eq!(rows.positions().len(), naive.len() as u64);
        prop_assert!(rows.positions().iter().eq(naive.iter().copied()));
        prop_assert!(rows.positions().clone().into_iter().eq(naive.iter().copied()));
        let edge = 1_u64 << 32;
        for range in [start..start + length, CONTAINER..2 * CONTAINER, edge - CONTAINER..edge + CONTAINER + 1] {
            let left: Vec<u64> = range.clone().filter(|row| !naive.contains(row)).collect();
            prop_assert_eq!(rows.count(range.clone()), range.end - range.start - left.len() as u64);
            prop_assert_eq!(kept_rows(&rows, range.start, range.end), left);
        }
        for (start, length) in runs {
            for row in start.saturating_sub(1)..=start + 1 {
                prop_assert_eq!(rows.contains(row), naive.contains(&row));
                prop_assert_eq!(rows.contains(row + length), naive.contains(&(row + length)));
            }
        }
    }
}
