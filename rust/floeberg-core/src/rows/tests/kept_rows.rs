#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array, Int64Array, NullArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{Field, Schema};
use arrow_select::filter::filter_record_batch;
use proptest::prelude::*;

use crate::rows::KeptRows;

/// A row of every type is made of one number; `None` is a null.
type Seed = Option<u16>;

fn text(seed: u16, letters: &str) -> String {
    letters.chars().cycle().skip(usize::from(seed % 7)).take(usize::from(seed % 40)).collect()
}

fn strings(seeds: &[Seed], letters: &str) -> ArrayRef {
    Arc::new(seeds.iter().map(|seed| seed.map(|seed| text(seed, letters))).collect::<StringArray>())
}

fn bytes(seeds: &[Seed]) -> ArrayRef {
    let values = seeds.iter().map(|seed| seed.map(|seed| vec![seed as u8 | 0x80; usize::from(seed % 90)]));
    Arc::new(values.collect::<BinaryArray>())
}

fn numbers(seeds: &[Seed]) -> Int64Array {
    seeds.iter().map(|seed| seed.map(|seed| i64::from(seed) << 40)).collect()
}

fn nested(seeds: &[Seed]) -> ArrayRef {
    let flags: BooleanArray = seeds.iter().map(|seed| seed.map(|seed| seed % 3 == 0)).collect();
    let fields = vec![
        (Arc::new(Field::new("n", numbers(seeds).data_type().clone(), true)), Arc::new(numbers(seeds)) as _),
        (Arc::new(Field::new("f", flags.data_type().clone(), true)), Arc::new(flags) as _),
        (Arc::new(Field::new("s", arrow_schema::DataType::Utf8, true)), strings(seeds, "pqr")),
    ];
    let (fields, columns): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let nulls = seeds.iter().map(|seed| seed.is_none_or(|seed| seed % 5 > 0)).collect::<NullBuffer>();
    Arc::new(StructArray::new(fields.into(), columns, Some(nulls)))
}

fn list(seeds: &[Seed]) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for seed in seeds {
        lists.append_option(seed.map(|seed| (0..i32::from(seed % 4)).map(Some)));
    }
    Arc::new(lists.finish())
}

fn map(seeds: &[Seed]) -> ArrayRef {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for seed in seeds {
        for entry in 0..seed.unwrap_or(0) % 3 {
            maps.keys().append_value(text(entry, "key"));
            maps.values().append_option(seed.map(i32::from));
        }
        maps.append(seed.is_some()).unwrap();
    }
    Arc::new(maps.finish())
}

fn fixed(seeds: &[Seed]) -> ArrayRef {
    let values = seeds.iter().map(|seed| seed.map(u16::to_le_bytes));
    Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 2).unwrap())
}

fn dictionary(seeds: &[Seed]) -> ArrayRef {
    let names = ["a", "bb", "ccc"];
    let values = seeds.iter().map(|seed| seed.map(|seed| names[usize::from(seed % 3)]));
    Arc::new(values.collect::<DictionaryArray<Int32Type>>())
}

/// A column of every kind that is moved in its own way, and of those that Arrow filters.
fn batch(seeds: &[Seed]) -> RecordBatch {
    let each = seeds.iter().copied();
    let decimals: Decimal128Array =
        each.clone().map(|seed| seed.map(|seed| i128::from(seed) << 90)).collect();
    let instants: TimestampMicrosecondArray = each.clone().map(|seed| seed.map(i64::from)).collect();
    let no_null: Int64Array = each.clone().map(|seed| Some(i64::from(seed.unwrap_or(9)))).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(numbers(seeds)),
        Arc::new(no_null),
        Arc::new(each.clone().map(|seed| seed.map(|seed| seed as i8)).collect::<Int8Array>()),
        Arc::new(each.clone().map(|seed| seed.map(i32::from)).collect::<Date32Array>()),
        Arc::new(each.clone().map(|seed| seed.map(f32::from)).collect::<Float32Array>()),
        Arc::new(each.clone().map(|seed| seed.map(f64::from)).collect::<Float64Array>()),
        Arc::new(decimals.with_precision_and_scale(33, 4).unwrap()),
        Arc::new(instants.with_timezone("UTC")),
        Arc::new(each.map(|seed| seed.map(|seed| seed % 2 == 0)).collect::<BooleanArray>()),
        strings(seeds, "abcdefghij"),
        strings(seeds, "aßc漢e🧊"),
        bytes(seeds),
        nested(seeds),
        list(seeds),
        map(seeds),
        fixed(seeds),
        dictionary(seeds),
        Arc::new(NullArray::new(seeds.len())),
    ];
    let fields: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(number, column)| Field::new(format!("c{number}"), column.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn assert_like_arrow(batch: RecordBatch, mask: &BooleanBuffer) {
    let expected = filter_record_batch(&batch, &BooleanArray::new(mask.clone(), None)).unwrap();
    let filtered = KeptRows::new(mask.clone()).filter(batch).unwrap();
    assert_eq!(filtered, expected);
    for (column, expected) in filtered.columns().iter().zip(expected.columns()) {
        column.to_data().validate_full().unwrap();
        assert_eq!(column.null_count(), expected.null_count());
    }
}

/// Masks of runs, as deletes leave them: mostly kept, mostly dropped, or long runs of both.
fn masks() -> impl Strategy<Value = Vec<bool>> {
    let run = |kept, dropped| {
        proptest::collection::vec((0_usize..kept, 0_usize..dropped), 0..25).prop_map(|runs| {
            runs.into_iter()
                .flat_map(|(kept, dropped)| [vec![true; kept], vec![false; dropped]].concat())
                .collect()
        })
    };
    prop_oneof![run(40, 3), run(3, 40), run(140, 90)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn what_is_left_is_what_arrow_leaves(
        mask in masks(),
        seeds in proptest::collection::vec(proptest::option::weighted(0.8, any::<u16>()), 97),
        before in 0_usize..70,
    ) {
        let rows = mask.len();
        let seeds: Vec<Seed> = seeds.into_iter().cycle().take(before + rows + 3).collect();
        let mask = BooleanBuffer::from(mask);
        assert_like_arrow(batch(&seeds[..rows]), &mask);
        assert_like_arrow(batch(&seeds).slice(before, rows), &mask);
        let padded: BooleanBuffer = (0..before).map(|_| true).chain(mask.iter()).collect();
        assert_like_arrow(batch(&seeds[..rows]), &padded.slice(before, rows));
    }
}

#[test]
fn all_rows_and_no_rows_may_be_kept() {
    let seeds: Vec<Seed> = (0..100).map(|row| (row % 4 > 0).then_some(row * 31)).collect();
    assert_like_arrow(batch(&seeds), &BooleanBuffer::new_set(100));
    assert_like_arrow(batch(&seeds), &BooleanBuffer::new_unset(100));
    assert_like_arrow(batch(&[]), &BooleanBuffer::new_set(0));
}

#[test]
fn a_batch_that_others_share_is_not_changed() {
    let seeds: Vec<Seed> = (0..100).map(|row| (row % 4 > 0).then_some(row * 31)).collect();
    let shared = batch(&seeds);
    let mask: BooleanBuffer = (0..100).map(|row| row % 9 != 2).collect();
    let left = KeptRows::new(mask).filter(shared.clone()).unwrap();
    assert_eq!(left.num_rows(), 89);
    assert_eq!(shared, batch(&seeds));
}

#[test]
fn the_buffers_of_a_batch_are_used_again() {
    let column = Arc::new(Int64Array::from_iter_values(0..1_000));
    let before = column.values().as_ptr();
    let batch = RecordBatch::try_from_iter([("c", column as ArrayRef)]).unwrap();
    let mask = (0..1_000).map(|row| row % 20 != 7).collect();
    let left = KeptRows::new(mask).filter(batch).unwrap();
    let column = left.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(column.values().as_ptr(), before);
    assert_eq!(column.len(), 950);
}

#[test]
fn a_batch_without_columns_keeps_its_count() {
    let options = RecordBatchOptions::new().with_row_count(Some(3));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap();
    let left = KeptRows::new(BooleanBuffer::from(vec![true, false, true])).filter(batch).unwrap();
    assert_eq!(left.num_rows(), 2);
}

#[test]
fn a_mask_of_another_length_is_refused() {
    let error = KeptRows::new(BooleanBuffer::new_set(3)).filter(batch(&[Some(1)])).unwrap_err();
    assert!(error.to_string().contains("a mask of 3 rows is for a batch of 1"), "{error}");
}
