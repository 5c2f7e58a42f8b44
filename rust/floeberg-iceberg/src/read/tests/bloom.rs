use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, Float32Array, Float64Array,
    Int32Array, Int64Array, RecordBatch, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray,
};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::expr::{BoundExpr, Operator};
use floeberg_core::schema::{Field, NameMapping, PrimitiveType, Schema};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_io::testing::{CountingStore, Counts};
use parquet::file::properties::{BloomFilterPosition, WriterProperties};
use serde_json::Map;

use super::fixture::{DATA, batches, column, filtered, parquet_with, request, store, test, with_chunks};
use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::FileScanTask;
use crate::read::ReadRequest;

/// Rows of a row group.
const GROUP: usize = 2_000;
/// The read of the footer.
const FOOTER: u64 = 1;

fn properties(position: BloomFilterPosition) -> WriterProperties {
    WriterProperties::builder()
        .set_max_row_group_row_count(Some(GROUP))
        .set_dictionary_enabled(false)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_max_ndv(GROUP as u64)
        .set_bloom_filter_position(position)
        .build()
}

/// A file of column 1 `c` whose values are given row group by row group.
fn file_of(values: ArrayRef) -> Vec<u8> {
    let field = column(1, "c", values.data_type().clone());
    parquet_with(vec![field], vec![values], properties(BloomFilterPosition::End))
}

/// Numbers of three row groups with the same bounds: `3 n`, `3 n + 1` and `3 n + 2`, and in each the least and the greatest.
fn interleaved() -> Vec<i64> {
    let last = 3 * GROUP as i64;
    let group = |offset: i64| (1..GROUP as i64 - 1).map(move |n| 3 * n + offset);
    (0..3).flat_map(|offset| [0].into_iter().chain(group(offset)).chain([last])).collect()
}

/// What of a file a filter reads, and how many rows it finds.
fn read(bytes: Vec<u8>, schema: Schema, filter: BoundExpr) -> (Counts, usize) {
    let counting = Arc::new(CountingStore::new(Arc::new(store(bytes))));
    let schema = Arc::new(schema);
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    let found = batches(request, &filtered(filter)).unwrap();
    (counting.of(DATA), found.iter().map(RecordBatch::num_rows).sum())
}

fn one_column(field_type: PrimitiveType) -> Schema {
    Schema::new(0, vec![Field::optional(1, "c", field_type)]).unwrap()
}

fn is_one_of(field_type: PrimitiveType, values: &[Value]) -> BoundExpr {
    let op = if values.len() == 1 { Operator::Eq } else { Operator::In };
    test(1, field_type, op, values.to_vec())
}

fn longs_are(values: &[i64]) -> BoundExpr {
    is_one_of(PrimitiveType::Long, &values.iter().copied().map(Value::Long).collect::<Vec<_>>())
}

/// How many column chunks a filter reads of [`interleaved`] numbers; the bloom filters lie in the end that is read anyway.
fn chunks(filter: BoundExpr) -> (u64, usize) {
    let bytes = file_of(Arc::new(Int64Array::from(interleaved())));
    let (counts, rows) = read(bytes, one_column(PrimitiveType::Long), filter);
    (counts.reads - FOOTER, rows)
}

#[test]
fn row_groups_whose_bloom_filter_lacks_the_values_are_not_read() {
    assert_eq!(chunks(longs_are(&[301])), (1, 1), "in the second alone");
    assert_eq!(chunks(longs_are(&[300, 303, 306])), (1, 3));
    assert_eq!(chunks(longs_are(&[301, 302])), (2, 2));
    assert_eq!(chunks(longs_are(&[0])), (3, 3), "in all");
    let and = BoundExpr::And(vec![longs_are(&[301, 302]), longs_are(&[302, 303])]);
    assert_eq!(chunks(and), (1, 1));
    let or = BoundExpr::Or(vec![longs_are(&[301]), longs_are(&[304])]);
    assert_eq!(chunks(or), (1, 2));
}

#[test]
fn tests_that_a_bloom_filter_cannot_answer_leave_every_row_group() {
    let above = || test(1, PrimitiveType::Long, Operator::Gt, vec![Value::Long(5_990)]);
    let or = BoundExpr::Or(vec![longs_are(&[301]), above()]);
    assert_eq!(chunks(or).0, 3, "any row group may have a row above");
    let not = test(1, PrimitiveType::Long, Operator::NotEq, vec![Value::Long(301)]);
    assert_eq!(chunks(not), (3, 3 * GROUP - 1));
    let mut truncated = longs_are(&[300]);
    if let BoundExpr::Predicate(test) = &mut truncated {
        test.transform = Some(Transform::Truncate(10));
    }
    assert_eq!(chunks(truncated).0, 3, "300 to 309 are asked for, and 300 alone is not");
    let with_statistics = BoundExpr::Or(vec![
        longs_are(&[301]),
        test(1, PrimitiveType::Long, Operator::Gt, vec![Value::Long(1_000_000)]),
    ]);
    assert_eq!(chunks(with_statistics), (1, 1), "statistics and bloom filters rule out together");
}

#[test]
fn a_bloom_filter_is_read_only_where_it_can_decide() {
    // Row groups of 160 kB, each followed by its bloom filter.
    let rows = 20_000;
    let values = (0..3 * rows).map(|row| (row % rows) * 3 + row / rows);
    let properties = properties(BloomFilterPosition::AfterRowGroup).into_builder();
    let properties = properties
        .set_max_row_group_row_count(Some(rows as usize))
        .set_bloom_filter_max_ndv(rows as u64)
        .build();
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
    let bytes = parquet_with(vec![column(1, "c", DataType::Int64)], vec![values], properties);
    let read = |filter| read(bytes.clone(), one_column(PrimitiveType::Long), filter).0;
    let chunk = rows as u64 * 8;
    let one = read(longs_are(&[30_001]));
    // Two bloom filters before the end of the file, which is read with the footer, and one column chunk.
    assert_eq!(one.reads, FOOTER + 2 + 1);
    assert!(one.bytes < (64 << 10) + 2 * 33_000 + chunk + 1_000, "{one:?}");
    let above = read(test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(30_001)]));
    assert_eq!(above.reads, FOOTER + 3, "column chunks alone");
    assert_eq!(read(longs_are(&[1_000_000])).reads, FOOTER, "statistics decide");
}

/// Is a value that the row groups' bounds hold found where it is, and no row group read for one that is nowhere?
fn assert_told_apart(values: &ArrayRef, field_type: &PrimitiveType, there: Value, nowhere: Value) {
    let wanted = |value| is_one_of(field_type.clone(), &[value]);
    let found = read(file_of(Arc::clone(values)), one_column(field_type.clone()), wanted(there));
    assert!(found.1 > 0, "{field_type} of {}", values.data_type());
    let (counts, rows) = read(file_of(Arc::clone(values)), one_column(field_type.clone()), wanted(nowhere));
    assert_eq!((counts.reads, rows), (FOOTER, 0), "{field_type} of {}", values.data_type());
}

/// Even numbers, so that odd ones are nowhere.
fn even() -> impl Iterator<Item = i64> {
    (0..GROUP as i64).map(|n| 2 * n)
}

#[test]
fn values_are_asked_for_in_the_form_that_the_file_stores() {
    use PrimitiveType as P;
    let told_apart = |values: ArrayRef, field_type: &P, there: Value, nowhere: Value| {
        assert_told_apart(&values, field_type, there, nowhere);
    };
    let ints = || Arc::new(Int32Array::from_iter_values(even().map(|n| n as i32)));
    told_apart(ints(), &P::Int, Value::Int(8), Value::Int(9));
    told_apart(ints(), &P::Long, Value::Long(8), Value::Long(9));
    let floats = || Arc::new(Float32Array::from_iter_values(even().map(|n| n as f32)));
    told_apart(floats(), &P::Float, Value::Float(8.0), Value::Float(9.0));
    told_apart(floats(), &P::Double, Value::Double(8.0), Value::Double(9.0));
    told_apart(floats(), &P::Double, Value::Double(8.0), Value::Double(8.000_000_000_1));
    let doubles = Arc::new(Float64Array::from_iter_values(even().map(|n| n as f64)));
    told_apart(doubles, &P::Double, Value::Double(8.0), Value::Double(9.0));
    for precision in [6, 15, 38] {
        // Stored as 32 and 64 bits and as bytes of a fixed length.
        let decimals = Decimal128Array::from_iter_values(even().map(|n| i128::from(n) - 2_000));
        let decimals = decimals.with_precision_and_scale(precision, 2).unwrap();
        let decimal = |unscaled| Value::Decimal { unscaled, scale: 2 };
        let wide = P::Decimal { precision: 38, scale: 2 };
        told_apart(Arc::new(decimals), &wide, decimal(-8), decimal(-9));
    }
    let days = || Arc::new(Date32Array::from_iter_values(even().map(|n| n as i32)));
    told_apart(days(), &P::Date, Value::Date(8), Value::Date(9));
    let day = 86_400_000_000;
    told_apart(days(), &P::Timestamp, Value::Timestamp(8 * day), Value::Timestamp(9 * day));
    told_apart(days(), &P::Timestamp, Value::Timestamp(8 * day), Value::Timestamp(8 * day + 1));
    let nanos = |days| Value::TimestampNs(days * day * 1_000);
    told_apart(days(), &P::TimestampNs, nanos(8), nanos(9));
    let times = Arc::new(Time64MicrosecondArray::from_iter_values(even()));
    told_apart(times, &P::Time, Value::Time(8), Value::Time(9));
    let micros = || Arc::new(TimestampMicrosecondArray::from_iter_values(even()).with_timezone("UTC"));
    told_apart(micros(), &P::Timestamptz, Value::Timestamptz(8), Value::Timestamptz(9));
    let millis = || Arc::new(TimestampMillisecondArray::from_iter_values(even()));
    told_apart(millis(), &P::Timestamp, Value::Timestamp(8_000), Value::Timestamp(9_000));
    let nanos = Arc::new(TimestampNanosecondArray::from_iter_values(even()));
    told_apart(nanos, &P::TimestampNs, Value::TimestampNs(8), Value::TimestampNs(9));
    let text = |n: i64| format!("{n:05}");
    let texts = Arc::new(StringArray::from_iter_values(even().map(text)));
    told_apart(texts, &P::String, Value::String(text(8)), Value::String(text(9)));
    let bytes = |n: i64| n.to_be_bytes().to_vec();
    let binary = Arc::new(BinaryArray::from_iter_values(even().map(bytes)));
    told_apart(binary, &P::Binary, Value::Binary(bytes(8)), Value::Binary(bytes(9)));
    let fixed = FixedSizeBinaryArray::try_from_iter(even().map(bytes)).unwrap();
    told_apart(Arc::new(fixed), &P::Fixed(8), Value::Fixed(bytes(8)), Value::Fixed(bytes(9)));
    let uuid = |n: i64| i128::from(n).to_be_bytes();
    let uuids = FixedSizeBinaryArray::try_from_iter(even().map(uuid)).unwrap();
    told_apart(Arc::new(uuids), &P::Uuid, Value::Uuid(uuid(8)), Value::Uuid(uuid(9)));
}

#[test]
fn both_zeros_are_found_and_reading_that_cuts_digits_off_is_not_asked_for() {
    let mut values: Vec<f64> = even().map(|n| n as f64 - 2_001.0).collect();
    values[0] = -0.0;
    let doubles = || file_of(Arc::new(Float64Array::from(values.clone())));
    let double = |value| is_one_of(PrimitiveType::Double, &[Value::Double(value)]);
    assert_eq!(read(doubles(), one_column(PrimitiveType::Double), double(0.0)).1, 1);
    assert_eq!(read(doubles(), one_column(PrimitiveType::Double), double(-0.0)).1, 1);
    let nanos: ArrayRef = Arc::new(TimestampNanosecondArray::from_iter_values(even().map(|n| n * 1_000 + 7)));
    let micros = is_one_of(PrimitiveType::Timestamp, &[Value::Timestamp(8)]);
    assert_eq!(read(file_of(nanos), one_column(PrimitiveType::Timestamp), micros).1, 1);
}

/// The file with bloom filters said to be elsewhere.
fn with_filters_at(bytes: &[u8], place: impl Fn(i64, i32) -> (Option<i64>, Option<i32>)) -> Vec<u8> {
    with_chunks(bytes, |chunk| {
        let (offset, length) =
            place(chunk.bloom_filter_offset().unwrap(), chunk.bloom_filter_length().unwrap());
        let chunk = chunk.into_builder().set_bloom_filter_offset(offset).set_bloom_filter_length(length);
        chunk.build().unwrap()
    })
}

#[test]
fn a_bloom_filter_of_a_length_that_only_its_header_says_is_read() {
    let bytes = file_of(Arc::new(Int64Array::from(interleaved())));
    let bytes = with_filters_at(&bytes, |offset, _| (Some(offset), None));
    let (counts, rows) = read(bytes, one_column(PrimitiveType::Long), longs_are(&[301]));
    assert_eq!((counts.reads, rows), (FOOTER + 1, 1));
}

#[test]
fn a_bloom_filter_that_is_damaged_is_passed_over() {
    let bytes = file_of(Arc::new(Int64Array::from(interleaved())));
    let damaged = |place: fn(i64, i32) -> (Option<i64>, Option<i32>)| {
        let bytes = with_filters_at(&bytes, place);
        let (counts, rows) = read(bytes, one_column(PrimitiveType::Long), longs_are(&[301]));
        (counts.reads - FOOTER, rows)
    };
    assert_eq!(damaged(|_, _| (Some(i64::MAX), Some(40))), (3, 1));
    assert_eq!(damaged(|_, _| (Some(-1), Some(40))), (3, 1));
    assert_eq!(damaged(|offset, length| (Some(offset + 1), Some(length))), (3, 1));
    assert_eq!(damaged(|offset, length| (Some(offset), Some(length - 32))), (3, 1));
    assert_eq!(damaged(|offset, _| (Some(offset), Some(0))), (3, 1));
    assert_eq!(damaged(|_, _| (Some(4), None)), (3, 1), "no header is there");
}

#[test]
fn a_partition_value_in_place_of_a_mapped_column_is_not_looked_for_in_the_file() {
    let field = PartitionField {
        field_id: 1000,
        source_ids: vec![1],
        name: "p".into(),
        transform: Transform::Identity,
        unknown_keys: Map::new(),
    };
    let spec = Arc::new(PartitionSpec { spec_id: 0, fields: vec![field], unknown_keys: Map::new() });
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..2_000));
    let named = ArrowField::new("c", DataType::Int64, true);
    let other = ArrowField::new("d", DataType::Int64, true);
    let columns = vec![Arc::clone(&values), values];
    let bytes = parquet_with(vec![named, other], columns, properties(BloomFilterPosition::End));
    let mapping = r#"[{"field-id": 1, "names": ["c"]}, {"field-id": 2, "names": ["d"]}]"#;
    let fields = [(1, "c"), (2, "d")].map(|(id, name)| Field::optional(id, name, PrimitiveType::Long));
    let schema = Schema::new(0, fields.to_vec()).unwrap();
    let request = request(&store(bytes), schema)
        .with_specs([spec])
        .with_name_mapping(Some(Arc::new(NameMapping::from_json(mapping).unwrap())));
    let of_both = BoundExpr::And(vec![
        longs_are(&[1_000_000]),
        test(2, PrimitiveType::Long, Operator::Eq, vec![Value::Long(7)]),
    ]);
    let partition = Arc::new(vec![(1000, Some(Value::Long(1_000_000)))]);
    let found = batches(request, &FileScanTask { partition, ..filtered(of_both) }).unwrap();
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
}
