#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int32Array, ListArray, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use proptest::prelude::*;

use crate::rows::RowHashes;

fn numbers(columns: &[ArrayRef]) -> Vec<u128> {
    RowHashes::default().of(columns, columns[0].len()).unwrap()
}

fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}

/// The rows are all different, and the same again in another order.
fn check_different(column: &ArrayRef) {
    let count = column.len();
    let hashes = RowHashes::default();
    let found = hashes.of(&[Arc::clone(column)], count).unwrap();
    for (row, number) in found.iter().enumerate() {
        assert_eq!(found.iter().filter(|other| *other == number).count(), 1, "row {row} of {column:?}");
        let alone = hashes.of(&[column.slice(row, 1)], 1).unwrap();
        assert_eq!(alone, [*number], "row {row} of {column:?}");
    }
}

#[test]
fn rows_of_different_values_have_different_numbers_in_nested_columns_too() {
    let lists: [Option<Vec<Option<i32>>>; 7] = [
        None,
        Some(vec![]),
        Some(vec![None]),
        Some(vec![None, None]),
        Some(vec![Some(1)]),
        Some(vec![Some(1), Some(2)]),
        Some(vec![Some(2), Some(1)]),
    ];
    check_different(&array(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)));
    check_different(&array(Float64Array::from(vec![None, Some(0.0), Some(-0.0), Some(f64::NAN), Some(1.0)])));
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for entries in [vec![], vec![("a", Some(1))], vec![("a", None)], vec![("b", Some(1))]] {
        for (key, value) in entries {
            maps.keys().append_value(key);
            maps.values().append_option(value);
        }
        maps.append(true).unwrap();
    }
    maps.append(false).unwrap();
    check_different(&array(maps.finish()));
    let fields = vec![Field::new("a", DataType::Int32, true), Field::new("b", DataType::Utf8, true)];
    let children: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![None, None, Some(1), Some(1)])),
        Arc::new(StringArray::from(vec![None, None, None, Some("")])),
    ];
    let nulls = NullBuffer::from(vec![false, true, true, true]);
    check_different(&array(StructArray::new(fields.into(), children, Some(nulls))));
}

#[test]
fn values_do_not_move_between_columns() {
    let column = |values: [&str; 2]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    let found = numbers(&[column(["ab", "a"]), column(["c", "bc"])]);
    assert_ne!(found[0], found[1]);
}

#[test]
fn what_is_below_a_null_does_not_count() {
    let below = |value: i32| {
        let fields = vec![Field::new("a", DataType::Int32, true)];
        let child: ArrayRef = Arc::new(Int32Array::from(vec![value]));
        Arc::new(StructArray::new(fields.into(), vec![child], Some(NullBuffer::new_null(1)))) as ArrayRef
    };
    let hashes = RowHashes::default();
    assert_eq!(hashes.of(&[below(1)], 1).unwrap(), hashes.of(&[below(2)], 1).unwrap());
}

proptest! {
    #[test]
    fn rows_have_equal_numbers_if_and_only_if_they_are_equal(
        rows in prop::collection::vec((prop::option::of(0..3_i32), prop::option::of("[ab]{0,2}")), 1..40)
    ) {
        let first: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>());
        let second: ArrayRef = Arc::new(rows.iter().map(|row| row.1.clone()).collect::<StringArray>());
        let found = numbers(&[first, second]);
        for (one, row) in rows.iter().enumerate() {
            for (other, same) in rows.iter().enumerate() {
                prop_assert_eq!(found[one] == found[other], row == same);
            }
        }
    }
}
