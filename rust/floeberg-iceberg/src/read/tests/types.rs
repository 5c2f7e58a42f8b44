use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float64Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, Float32Array,
    Int32Array, RecordBatch, Time32MillisecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type as ParquetType;

use super::fixture::{batches, column, one_batch, parquet, request, store, task};

fn read_as(array: ArrayRef, wanted: PrimitiveType) -> RecordBatch {
    let bytes = parquet(vec![column(1, "c", array.data_type().clone())], vec![array], 10);
    let schema = Schema::new(0, vec![Field::optional(1, "c", wanted)]).unwrap();
    one_batch(request(&store(bytes), schema), &task())
}

#[test]
fn int_is_read_as_long_and_float_as_double() {
    let batch = read_as(Arc::new(Int32Array::from(vec![-1, i32::MAX])), PrimitiveType::Long);
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[-1, i64::from(i32::MAX)]);
    let batch = read_as(Arc::new(Float32Array::from(vec![1.5, f32::NAN])), PrimitiveType::Double);
    let doubles = batch.column(0).as_primitive::<Float64Type>();
    assert_eq!(doubles.value(0), 1.5);
    assert!(doubles.value(1).is_nan());
}

#[test]
fn decimals_widen_and_keep_their_scale() {
    for precision in [4, 12, 30] {
        let narrow = Decimal128Array::from(vec![123, -45]).with_precision_and_scale(precision, 2).unwrap();
        let batch = read_as(Arc::new(narrow), PrimitiveType::Decimal { precision: 38, scale: 2 });
        let wide = batch.column(0).as_primitive::<Decimal128Type>();
        assert_eq!(wide.values(), &[123, -45]);
        assert_eq!(wide.precision(), 38);
    }
}

#[test]
fn a_date_is_read_as_the_timestamp_of_its_midnight() {
    let days = || Arc::new(Date32Array::from(vec![1, -1]));
    let batch = read_as(days(), PrimitiveType::Timestamp);
    let micros = batch.column(0).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(micros.values(), &[86_400_000_000, -86_400_000_000]);
    let batch = read_as(days(), PrimitiveType::TimestampNs);
    let nanos = batch.column(0).as_primitive::<TimestampNanosecondType>();
    assert_eq!(nanos.values(), &[86_400_000_000_000, -86_400_000_000_000]);
}

#[test]
fn a_date_beyond_nanoseconds_is_an_error() {
    let array = Arc::new(Date32Array::from(vec![i32::MAX]));
    let bytes = parquet(vec![column(1, "c", array.data_type().clone())], vec![array], 10);
    let schema = Schema::new(0, vec![Field::optional(1, "c", PrimitiveType::TimestampNs)]).unwrap();
    let error = batches(request(&store(bytes), schema), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn timestamps_in_millis_and_nanos_are_read_in_micros_rounded_down() {
    let millis = Arc::new(TimestampMillisecondArray::from(vec![-1]).with_timezone("UTC"));
    let batch = read_as(millis, PrimitiveType::Timestamptz);
    assert_eq!(batch.column(0).as_primitive::<TimestampMicrosecondType>().values(), &[-1_000]);
    let nanos = Arc::new(TimestampNanosecondArray::from(vec![-1, 1_999]));
    let batch = read_as(nanos, PrimitiveType::Timestamp);
    assert_eq!(batch.column(0).as_primitive::<TimestampMicrosecondType>().values(), &[-1, 1]);
}

#[test]
fn a_timestamp_without_zone_read_as_one_with_zone_keeps_its_value() {
    let batch = read_as(Arc::new(TimestampMillisecondArray::from(vec![5])), PrimitiveType::Timestamptz);
    assert_eq!(batch.column(0).as_primitive::<TimestampMicrosecondType>().values(), &[5_000]);
    assert_eq!(batch.schema().field(0).data_type(), batch.column(0).data_type());
}

#[test]
fn time_in_millis_is_read_in_micros() {
    let batch = read_as(Arc::new(Time32MillisecondArray::from(vec![7])), PrimitiveType::Time);
    assert_eq!(batch.column(0).as_primitive::<Time64MicrosecondType>().values(), &[7_000]);
}

#[test]
fn binary_without_annotation_is_read_as_string_if_it_is_utf8() {
    let batch = read_as(Arc::new(BinaryArray::from_vec(vec![b"caf\xc3\xa9"])), PrimitiveType::String);
    assert_eq!(batch.column(0).as_string::<i32>().value(0), "café");
    let array = Arc::new(BinaryArray::from_vec(vec![b"\xff"]));
    let bytes = parquet(vec![column(1, "c", array.data_type().clone())], vec![array], 10);
    let schema = Schema::new(0, vec![Field::optional(1, "c", PrimitiveType::String)]).unwrap();
    let error = batches(request(&store(bytes), schema), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn uuid_and_fixed_are_read_as_their_bytes() {
    let sixteen = FixedSizeBinaryArray::try_from_iter([[7_u8; 16]].iter()).unwrap();
    let batch = read_as(Arc::new(sixteen), PrimitiveType::Uuid);
    assert_eq!(batch.column(0).as_fixed_size_binary().value(0), &[7; 16]);
}

#[test]
fn int96_reaches_beyond_the_years_of_nanoseconds() {
    let leaf = ParquetType::primitive_type_builder("ts", Physical::INT96)
        .with_repetition(Repetition::REQUIRED)
        .with_id(Some(1))
        .build()
        .unwrap();
    let root = ParquetType::group_type_builder("root").with_fields(vec![Arc::new(leaf)]).build().unwrap();
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(root), properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut leaf = group.next_column().unwrap().unwrap();
    // Julian day 2,440,588 is 1970-01-01; 1,000,000 days later is the year 4707.
    let mut value = Int96::new();
    value.set_data(1_000, 0, 3_440_588);
    leaf.typed::<Int96Type>().write_batch(&[value], None, None).unwrap();
    leaf.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let schema = Schema::new(0, vec![Field::optional(1, "ts", PrimitiveType::Timestamptz)]).unwrap();
    let batch = one_batch(request(&store(bytes), schema), &task());
    let micros = batch.column(0).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(micros.value(0), 1_000_000 * 86_400_000_000 + 1);
}
