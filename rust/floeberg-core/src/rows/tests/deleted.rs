#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_buffer::BooleanBuffer;
use proptest::prelude::*;
use roaring::RoaringTreemap;

use crate::rows::{DeletedRows, Kept};

fn deleted(positions: &[u64]) -> DeletedRows {
    DeletedRows::new(positions.iter().copied().collect())
}

fn kept_rows(rows: &DeletedRows, start: u64, end: u64) -> Vec<u64> {
    match rows.kept(start..end).unwrap() {
        Kept::All => (start..end).collect(),
        Kept::None => Vec::new(),
        Kept::Some(mask) => mask.set_indices().map(|row| row as u64 + start).collect(),
    }
}

#[test]
fn a_range_without_deletes_needs_no_mask() {
    assert_eq!(deleted(&[5, 100]).kept(6..100).unwrap(), Kept::All);
    assert_eq!(deleted(&[5]).kept(5..5).unwrap(), Kept::All);
}

#[test]
fn a_range_deleted_whole_needs_no_mask() {
    assert_eq!(deleted(&[5, 6, 7]).kept(5..8).unwrap(), Kept::None);
}

#[test]
fn a_mask_starts_at_the_first_row_of_its_range() {
    let Kept::Some(mask) = deleted(&[70, 71, 135]).kept(70..136).unwrap() else { panic!("a mask") };
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
    let some = Kept::Some(mask(&[true, false, true]));
    assert_eq!(some.clone().and(&mask(&[false, true, true])), Kept::Some(mask(&[false, false, true])));
    assert_eq!(some.and(&mask(&[false, true, false])), Kept::None);
    assert_eq!(Kept::All.and(&mask(&[true, true])), Kept::All);
    assert_eq!(Kept::All.and(&mask(&[false, true])), Kept::Some(mask(&[false, true])));
    assert_eq!(Kept::All.and(&mask(&[])), Kept::All);
    assert_eq!(Kept::None.and(&mask(&[true])), Kept::None);
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
