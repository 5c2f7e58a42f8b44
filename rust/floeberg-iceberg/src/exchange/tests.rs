#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use floeberg_core::ErrorKind;
use proptest::prelude::*;

use super::ends::{range_ends, range_of};
use super::pieces::{from_bytes, to_bytes};
use super::sample::KeySample;

fn sample(keys: Vec<Vec<u8>>) -> KeySample {
    KeySample { rows: keys.len() as u64, keys }
}

#[test]
fn ranges_have_about_equal_numbers_of_rows() {
    let keys = |first: u16| (first..2000).step_by(2).map(|key| key.to_be_bytes().to_vec()).collect();
    // One group has a key for each row, the other one for ten.
    let few: Vec<Vec<u8>> = (2000..2200_u16).map(|key| key.to_be_bytes().to_vec()).collect();
    let samples = vec![sample(keys(0)), sample(keys(1)), KeySample { keys: few, rows: 2000 }];
    let ends = range_ends(samples, 4);
    let numbers: Vec<u16> = ends.iter().map(|end| u16::from_be_bytes([end[0], end[1]])).collect();
    assert_eq!(numbers, [1000, 2000, 2100]);
}

#[test]
fn a_key_of_many_rows_is_one_range() {
    let keys = (0..100_u8).map(|row| vec![if (10..80).contains(&row) { 10 } else { row }]).collect();
    let ends = range_ends(vec![sample(keys)], 10);
    assert_eq!(ends, [vec![10], vec![80], vec![90]]);
    assert!(range_ends(vec![sample(vec![vec![1]; 50])], 10).is_empty());
    assert!(range_ends(Vec::new(), 3).is_empty());
}

proptest! {
    #[test]
    fn ranges_follow_the_order_of_keys(
        keys in prop::collection::vec(prop::collection::vec(0_u8..4, 0..4), 0..60),
        ranges in 1_usize..8,
    ) {
        let ends = range_ends(vec![sample(keys.clone())], ranges);
        prop_assert!(ends.len() < ranges);
        prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
        let mut sorted = keys;
        sorted.sort();
        let numbers: Vec<usize> = sorted.iter().map(|key| range_of(&ends, key)).collect();
        prop_assert!(numbers.is_sorted());
        // No range is without rows.
        let mut different = numbers.clone();
        different.dedup();
        prop_assert!(sorted.is_empty() || different.len() == ends.len() + 1);
    }
}

#[test]
fn rows_cross_as_they_are() {
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
        ("name", Arc::new(StringArray::from(vec![None, Some(""), Some("é")]))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
    let batch = batch.unwrap();
    let bytes = to_bytes(&[batch.clone(), batch.slice(1, 1)]).unwrap();
    let mut found = Vec::new();
    from_bytes(&bytes, &mut |batch| {
        found.push(batch);
        Ok(())
    })
    .unwrap();
    assert_eq!(found, [batch.clone(), batch.slice(1, 1)]);
    for wrong in [&b"rows"[..], &[255; 16], &bytes[..40]] {
        let error = from_bytes(wrong, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}
