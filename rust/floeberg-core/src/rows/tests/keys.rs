#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array,
    Float64Array, Int32Array, Int64Array, NullArray, StringArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use proptest::prelude::*;

use crate::ErrorKind;
use crate::rows::DeletedKeys;

fn array(values: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(values)
}

fn longs(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    array(Int64Array::from_iter_values(values))
}

fn optional_longs(values: &[Option<i64>]) -> ArrayRef {
    array(values.iter().copied().collect::<Int64Array>())
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    array(values.iter().copied().collect::<StringArray>())
}

fn fixed<const N: usize>(values: &[Option<[u8; N]>]) -> ArrayRef {
    let mut builder = FixedSizeBinaryBuilder::new(N as i32);
    for value in values {
        match value {
            Some(value) => builder.append_value(value).unwrap(),
            None => builder.append_null(),
        }
    }
    array(builder.finish())
}

/// A map of the keys of rows, all of number 5.
fn keys(columns: &[ArrayRef]) -> DeletedKeys {
    let mut keys =
        DeletedKeys::new(columns.iter().map(|column| column.data_type().clone()).collect()).unwrap();
    keys.insert(columns, 5).unwrap();
    keys
}

fn deleted(keys: &DeletedKeys, columns: &[ArrayRef], data_sequence_number: i64) -> Vec<bool> {
    let found = keys.deleted(columns, data_sequence_number).unwrap();
    assert_eq!(found.len(), columns[0].len());
    found.iter().collect()
}

/// Four different values of each type that can be a key, and a null.
fn all_types() -> Vec<ArrayRef> {
    let longs = [Some(i64::MIN), Some(-1), Some(0), Some(i64::MAX), None];
    let ints = [Some(i32::MIN), Some(-1), Some(0), Some(i32::MAX), None];
    vec![
        array(BooleanArray::from_iter([Some(true), Some(false), None])),
        array(Int32Array::from_iter(ints)),
        array(Int64Array::from_iter(longs)),
        array(Float32Array::from_iter([Some(f32::NAN), Some(-0.0), Some(0.0), Some(f32::INFINITY), None])),
        array(Float64Array::from_iter([Some(f64::NAN), Some(-0.0), Some(0.0), Some(f64::MIN), None])),
        array(Date32Array::from_iter(ints)),
        array(Time64MicrosecondArray::from_iter(longs)),
        array(TimestampMicrosecondArray::from_iter(longs)),
        array(TimestampMicrosecondArray::from_iter(longs).with_timezone("UTC")),
        array(TimestampNanosecondArray::from_iter(longs)),
        array(TimestampNanosecondArray::from_iter(longs).with_timezone("UTC")),
        array(
            Decimal128Array::from_iter([Some(i128::MIN), Some(-1), Some(1 << 64), Some(1), None])
                .with_precision_and_scale(38, 2)
                .unwrap(),
        ),
        strings(&[Some(""), Some("a"), Some("ab"), Some("a text that is longer than sixteen bytes"), None]),
        array(BinaryArray::from_iter([Some(&b""[..]), Some(b"\0"), Some(b"\0\0"), Some(b"\xff"), None])),
        fixed(&[Some([0_u8; 16]), Some([1; 16]), Some([255; 16]), Some(*b"0123456789abcdef"), None]),
        fixed(&[Some([0_u8; 3]), Some([0, 0, 1]), Some([1, 0, 0]), Some([255; 3]), None]),
        fixed(&[Some([0_u8; 20]), Some([1; 20]), Some([2; 20]), Some([255; 20]), None]),
    ]
}

#[test]
fn each_value_of_each_type_is_found_and_no_other() {
    for values in all_types() {
        for row in 0..values.len() {
            let one = keys(&[values.slice(row, 1)]);
            let expected: Vec<bool> = (0..values.len()).map(|other| other == row).collect();
            assert_eq!(deleted(&one, &[Arc::clone(&values)], 4), expected, "{values:?} {row}");
            assert_eq!(one.len(), 1);
        }
    }
}

#[test]
fn each_value_of_each_type_is_found_beside_another_column() {
    for values in all_types() {
        let second = longs(0..values.len() as i64);
        for row in 0..values.len() {
            let pair = [values.slice(row, 1), second.slice(row, 1)];
            let expected: Vec<bool> = (0..values.len()).map(|other| other == row).collect();
            assert_eq!(deleted(&keys(&pair), &[Arc::clone(&values), Arc::clone(&second)], 4), expected);
            let pair = [pair[1].clone(), pair[0].clone()];
            assert_eq!(deleted(&keys(&pair), &[Arc::clone(&second), Arc::clone(&values)], 4), expected);
            // Nor does a second column that is the same everywhere hide a difference.
            let same = longs(std::iter::repeat_n(7, values.len()));
            let pair = [values.slice(row, 1), same.slice(0, 1)];
            assert_eq!(deleted(&keys(&pair), &[Arc::clone(&values), same], 4), expected);
        }
    }
}

#[test]
fn sliced_arrays_are_read_from_their_offset() {
    for values in all_types() {
        let second = strings(&["p", "q", "r", "s", "t"].map(Some)[..values.len()]);
        let rows = values.len() - 1;
        let expected = vec![true; rows];
        let one = [values.slice(1, rows)];
        assert_eq!(deleted(&keys(&one), &one, 4), expected);
        assert_eq!(deleted(&keys(&one), &[Arc::clone(&values)], 4), [&[false][..], &expected].concat());
        let two = [values.slice(1, rows), second.slice(1, rows)];
        assert_eq!(deleted(&keys(&two), &two, 4), expected);
        assert_eq!(deleted(&keys(&two), &[values, second], 4), [&[false][..], &expected].concat());
    }
}

#[test]
fn a_key_deletes_strictly_older_data_only() {
    let found = keys(&[longs([1])]);
    assert_eq!(deleted(&found, &[longs([1, 2])], 4), [true, false]);
    assert_eq!(deleted(&found, &[longs([1, 2])], 5), [false, false]);
    assert_eq!(deleted(&found, &[longs([1, 2])], 6), [false, false]);
}

#[test]
fn a_key_keeps_the_newest_of_its_numbers() {
    let columns = [
        vec![optional_longs(&[Some(1), Some(2), Some(3), None])],
        vec![strings(&[Some("a"), Some("b"), Some("c"), None])],
        vec![optional_longs(&[Some(1), Some(2), Some(3), None]), strings(&[None, None, None, None])],
    ];
    for columns in columns {
        let part = |first, rows| -> Vec<ArrayRef> {
            columns.iter().map(|column| column.slice(first, rows)).collect()
        };
        let mut found = keys(&part(0, 2));
        found.insert(&part(1, 3), 9).unwrap();
        found.insert(&part(0, 4), 2).unwrap();
        assert_eq!(found.len(), 4);
        assert_eq!(deleted(&found, &columns, 1), [true; 4]);
        assert_eq!(deleted(&found, &columns, 4), [true; 4]);
        assert_eq!(deleted(&found, &columns, 5), [false, true, true, true]);
        assert_eq!(deleted(&found, &columns, 8), [false, true, true, true]);
        assert_eq!(deleted(&found, &columns, 9), [false; 4]);
    }
}

#[test]
fn null_equals_null_and_no_value() {
    // A value stands behind the null; it is not the key.
    let behind = Int64Array::new(ScalarBuffer::from(vec![7, 8]), Some(NullBuffer::from(vec![false, true])));
    let found = keys(&[array(behind.clone())]);
    assert_eq!(
        deleted(&found, &[optional_longs(&[None, Some(0), Some(7), Some(8)])], 0),
        [true, false, false, true]
    );
    let found = keys(&[longs([7])]);
    assert_eq!(deleted(&found, &[array(behind)], 0), [false, false]);
}

#[test]
fn nulls_of_several_columns_are_told_apart() {
    let found = keys(&[optional_longs(&[Some(1), None, None]), optional_longs(&[None, Some(2), None])]);
    let left = optional_longs(&[Some(1), None, None, None, Some(1), Some(2)]);
    let right = optional_longs(&[None, Some(2), None, Some(1), Some(1), None]);
    assert_eq!(deleted(&found, &[left, right], 0), [true, true, true, false, false, false]);
}

#[test]
fn texts_of_several_columns_do_not_run_together() {
    let found = keys(&[strings(&[Some("ab")]), strings(&[Some("c")])]);
    let left = strings(&[Some("a"), Some("abc"), Some("ab"), Some("")]);
    let right = strings(&[Some("bc"), Some(""), Some("c"), Some("abc")]);
    assert_eq!(deleted(&found, &[left, right], 0), [false, false, true, false]);
}

#[test]
fn every_nan_is_one_and_the_zeros_are_two() {
    let quiet = f64::from_bits(0x7ff8_0000_0000_0001);
    let negative = f64::from_bits(0xfff0_0000_0000_0001);
    let found = keys(&[array(Float64Array::from_iter_values([quiet, 0.0]))]);
    let data = array(Float64Array::from_iter_values([f64::NAN, negative, 0.0, -0.0, f64::INFINITY]));
    assert_eq!(deleted(&found, &[data], 0), [true, true, true, false, false]);
    let negative = f32::from_bits(0xff80_0001);
    let found = keys(&[array(Float32Array::from_iter_values([negative, -0.0]))]);
    let data = array(Float32Array::from_iter_values([f32::NAN, 0.0, -0.0]));
    assert_eq!(deleted(&found, &[data], 0), [true, false, true]);
}

#[test]
fn a_column_without_values_is_null_in_every_row() {
    let found = keys(&[array(NullArray::new(2))]);
    assert_eq!(found.len(), 1);
    assert_eq!(deleted(&found, &[array(NullArray::new(3))], 0), [true; 3]);
    let found = keys(&[array(NullArray::new(1)), longs([4])]);
    assert_eq!(deleted(&found, &[array(NullArray::new(2)), longs([4, 5])], 0), [true, false]);
}

#[test]
fn nothing_is_deleted_by_nothing() {
    let found = keys(&[longs([])]);
    assert!(found.is_empty());
    assert_eq!(found.memory(), 0);
    assert_eq!(deleted(&found, &[optional_longs(&[Some(1), None])], -1), [false, false]);
    assert_eq!(deleted(&keys(&[longs([1])]), &[longs([])], 0), [false; 0]);
    assert_eq!(deleted(&keys(&[strings(&[None])]), &[strings(&[])], 0), [false; 0]);
}

#[test]
fn other_types_cannot_be_keys() {
    let element = Arc::new(Field::new("element", DataType::Int32, true));
    let refused = [
        DataType::List(Arc::clone(&element)),
        DataType::Struct(vec![element].into()),
        DataType::LargeUtf8,
        DataType::Decimal256(40, 2),
        DataType::Timestamp(TimeUnit::Second, None),
    ];
    for data_type in refused {
        let error = DeletedKeys::new(vec![DataType::Int64, data_type.clone()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(&data_type.to_string()), "{error}");
    }
    assert_eq!(DeletedKeys::new(vec![]).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn arrays_of_other_types_or_lengths_are_refused() {
    let mut found = keys(&[longs([1]), longs([2])]);
    let wrong = [
        vec![longs([1])],
        vec![longs([1]), array(Int32Array::from(vec![2]))],
        vec![longs([1]), longs([2, 3])],
        vec![longs([1]), longs([2]), longs([3])],
    ];
    for columns in wrong {
        assert_eq!(found.insert(&columns, 9).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(found.deleted(&columns, 0).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    assert_eq!(found.len(), 1);
}

#[test]
fn memory_is_that_of_the_different_keys() {
    let mut found = keys(&[longs(0..10_000)]);
    let once = found.memory();
    assert!((10_000 * 12..10_000 * 40).contains(&once), "{once}");
    found.insert(&[longs(0..10_000)], 7).unwrap();
    assert_eq!(found.len(), 10_000);
    assert!(found.memory() < once + 200, "a number more takes a few bytes");

    let texts: Vec<String> = (0..10_000).map(|number| format!("{number:0100}")).collect();
    let texts = array(StringArray::from_iter_values(&texts));
    let mut found = keys(&[Arc::clone(&texts)]);
    let once = found.memory();
    assert!((10_000 * 112..10_000 * 280).contains(&once), "{once}");
    found.insert(&[texts], 7).unwrap();
    assert!(found.memory() < once + 200);
}

#[test]
fn a_debug_print_shows_no_key() {
    let printed = format!("{:?}", keys(&[strings(&[Some("secret")])]));
    assert!(printed.contains("len: 1") && !printed.contains("secret"), "{printed}");
}

/// A row as an oracle compares it: floats by the text of their bits.
type Row = Vec<Option<String>>;

fn columns_of(rows: &[Row], types: &[DataType]) -> Vec<ArrayRef> {
    let texts = |column: usize| rows.iter().map(move |row| row[column].as_deref());
    let column = |(column, data_type): (usize, &DataType)| match data_type {
        DataType::Int32 => array(
            texts(column).map(|text| text.map(|text| text.parse::<i32>().unwrap())).collect::<Int32Array>(),
        ),
        DataType::Int64 => array(
            texts(column).map(|text| text.map(|text| text.parse::<i64>().unwrap())).collect::<Int64Array>(),
        ),
        DataType::Float64 => array(
            texts(column).map(|text| text.map(|text| text.parse::<f64>().unwrap())).collect::<Float64Array>(),
        ),
        DataType::Boolean => {
            array(texts(column).map(|text| text.map(|text| text == "1")).collect::<BooleanArray>())
        }
        DataType::Utf8 => array(texts(column).collect::<StringArray>()),
        other => panic!("{other}"),
    };
    types.iter().enumerate().map(column).collect()
}

fn value_of(data_type: &DataType, pick: u8) -> Option<String> {
    let value = match data_type {
        DataType::Float64 => {
            ["NaN", "-0", "0", "1.5", "-1.5", "inf", "-inf"][usize::from(pick) % 7].to_owned()
        }
        DataType::Boolean => (pick % 2).to_string(),
        DataType::Utf8 => "xy".repeat(usize::from(pick % 20)),
        _ => (i32::from(pick) - 100).to_string(),
    };
    (!pick.is_multiple_of(5)).then_some(value)
}

fn rows_of(types: &[DataType], picks: &[Vec<u8>]) -> Vec<Row> {
    let row = |picks: &Vec<u8>| {
        types.iter().zip(picks).map(|(data_type, pick)| value_of(data_type, *pick)).collect()
    };
    picks.iter().map(row).collect()
}

proptest! {
    #[test]
    fn keys_delete_what_a_map_of_rows_deletes(
        types in proptest::collection::vec(
            prop_oneof![
                Just(DataType::Int32), Just(DataType::Int64), Just(DataType::Float64), Just(DataType::Boolean),
                Just(DataType::Utf8)
            ],
            1..4,
        ),
        files in proptest::collection::vec(
            (proptest::collection::vec(proptest::collection::vec(any::<u8>(), 4), 0..40), 0_i64..4), 0..5,
        ),
        data in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 4), 0..200),
        data_sequence_number in -1_i64..4,
        skipped in 0_usize..20,
    ) {
        let mut found = DeletedKeys::new(types.clone()).unwrap();
        let mut oracle: HashMap<Row, i64> = HashMap::new();
        for (picks, number) in &files {
            let rows = rows_of(&types, picks);
            found.insert(&columns_of(&rows, &types), *number).unwrap();
            for row in rows {
                let newest = oracle.entry(row).or_insert(*number);
                *newest = (*newest).max(*number);
            }
        }
        prop_assert_eq!(found.len(), oracle.len());
        let rows = rows_of(&types, &data);
        let skipped = skipped.min(rows.len());
        let columns: Vec<ArrayRef> = columns_of(&rows, &types)
            .iter()
            .map(|column| column.slice(skipped, rows.len() - skipped))
            .collect();
        let expected: Vec<bool> = rows[skipped..]
            .iter()
            .map(|row| oracle.get(row).is_some_and(|number| *number > data_sequence_number))
            .collect();
        prop_assert_eq!(found.deleted(&columns, data_sequence_number).unwrap().iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn many_keys_delete_what_a_map_of_rows_deletes(first in any::<i64>(), count in 1_usize..5_000, step in 1_i64..1_000) {
        let value = |number: usize| first.wrapping_add((number as i64).wrapping_mul(step));
        let some = longs((0..count).filter(|number| number % 3 == 0).map(value));
        let all = longs((0..count).map(value));
        let expected: Vec<bool> = (0..count).map(|number| number % 3 == 0).collect();
        prop_assert_eq!(deleted(&keys(&[Arc::clone(&some)]), &[Arc::clone(&all)], 0), expected.clone());
        prop_assert_eq!(deleted(&keys(&[Arc::clone(&some), some]), &[Arc::clone(&all), all], 0), expected);
    }
}
