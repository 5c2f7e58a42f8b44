#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, ListArray, StringArray};
use arrow_schema::DataType;
use proptest::prelude::*;

use crate::ErrorKind;
use crate::rows::{KeyIndex, NO_ROW};

fn longs(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn index(columns: &[ArrayRef], nulls_are_equal: bool) -> KeyIndex {
    let types = columns.iter().map(|column| column.data_type().clone()).collect();
    let mut index = KeyIndex::new(types, nulls_are_equal).unwrap();
    index.insert(columns).unwrap();
    index
}

#[test]
fn a_row_finds_the_row_of_the_source_with_its_key() {
    let source = [longs(&[Some(1), Some(2), Some(2)]), strings(&[Some("a"), Some("a"), Some("b")])];
    let index = index(&source, false);
    assert_eq!(index.rows(), 3);
    let rows =
        [longs(&[Some(2), Some(1), Some(2), Some(3)]), strings(&[Some("b"), Some("b"), Some("a"), None])];
    assert_eq!(index.find(&rows).unwrap(), [2, NO_ROW, 1, NO_ROW]);
}

#[test]
fn a_key_that_is_there_twice_is_told_and_chained() {
    let mut index = KeyIndex::new(vec![DataType::Int64], false).unwrap();
    assert_eq!(index.insert(&[longs(&[Some(7), Some(8)])]).unwrap(), None);
    assert_eq!(index.insert(&[longs(&[Some(9), Some(8), Some(7), Some(8)])]).unwrap(), Some((3, 1)));
    let first = index.find(&[longs(&[Some(8)])]).unwrap()[0];
    let mut chain = vec![first];
    while let Some(next) = index.next(chain[chain.len() - 1]) {
        chain.push(next);
    }
    assert_eq!(first, 1);
    chain.sort_unstable();
    assert_eq!(chain, [1, 3, 5]);
}

#[test]
fn null_equals_null_only_where_that_is_chosen() {
    let rows = [longs(&[None, Some(1)])];
    assert_eq!(index(&rows, true).find(&rows).unwrap(), [0, 1]);
    assert_eq!(index(&rows, false).find(&rows).unwrap(), [NO_ROW, 1]);
    let mut twice = KeyIndex::new(vec![DataType::Int64], false).unwrap();
    assert_eq!(twice.insert(&[longs(&[None, None])]).unwrap(), None, "they have no key");
}

#[test]
fn there_is_one_nan_and_one_zero() {
    let source: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, 0.0, 1.0]));
    let rows: ArrayRef = Arc::new(Float64Array::from(vec![-0.0, -f64::NAN, f64::INFINITY]));
    assert_eq!(index(&[source], false).find(&[rows]).unwrap(), [1, 0, NO_ROW]);
}

#[test]
fn keys_are_of_primitive_types_and_of_the_types_that_were_said() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
    let error = KeyIndex::new(vec![lists.data_type().clone()], false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(KeyIndex::new(Vec::new(), false).unwrap_err().kind(), ErrorKind::InvalidInput);
    let index = index(&[longs(&[Some(1)])], false);
    assert_eq!(index.find(&[strings(&[Some("1")])]).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(index.find(&[longs(&[Some(1)]), longs(&[Some(1)])]).is_err());
}

#[test]
fn every_key_of_many_is_found_and_no_other() {
    let mut index = KeyIndex::new(vec![DataType::Int64], false).unwrap();
    // The filter grows meanwhile.
    for first in [0, 1, 3, 500, 60_000] {
        let end = [1, 3, 500, 60_000, 90_000].into_iter().find(|end| *end > first).unwrap();
        let keys: Vec<_> = (first..end).map(|key| Some(key * 2)).collect();
        assert_eq!(index.insert(&[longs(&keys)]).unwrap(), None);
    }
    let rows: Vec<_> = (0..180_000).map(Some).collect();
    let found = index.find(&[longs(&rows)]).unwrap();
    for (row, found) in (0_u32..).zip(found) {
        assert_eq!(found, if row % 2 == 0 { row / 2 } else { NO_ROW }, "of {row}");
    }
}

proptest! {
    #[test]
    fn it_finds_what_a_search_finds(
        source in prop::collection::vec((prop::option::of(0_i64..8), prop::option::of("[ab]{0,2}")), 1..40),
        rows in prop::collection::vec((prop::option::of(0_i64..8), prop::option::of("[ab]{0,2}")), 1..40),
        nulls_are_equal in any::<bool>(),
    ) {
        let arrays = |rows: &[(Option<i64>, Option<String>)]| {
            let numbers: Vec<_> = rows.iter().map(|(number, _)| *number).collect();
            let texts: Vec<_> = rows.iter().map(|(_, text)| text.as_deref()).collect();
            [longs(&numbers), strings(&texts)]
        };
        let index = index(&arrays(&source), nulls_are_equal);
        let found = index.find(&arrays(&rows)).unwrap();
        for (row, found) in rows.iter().zip(found) {
            let has_null = row.0.is_none() || row.1.is_none();
            let expected = source.iter().position(|other| other == row && (nulls_are_equal || !has_null));
            prop_assert_eq!(found, expected.map_or(NO_ROW, |row| row as u32));
        }
    }
}
