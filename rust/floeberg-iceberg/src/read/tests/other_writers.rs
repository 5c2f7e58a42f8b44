use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use floeberg_core::ErrorKind;
use floeberg_core::expr::Operator;
use floeberg_core::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;
use parquet::basic::{Compression, Type as Physical};
use parquet::data_type::Int96;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::{Statistics, ValueStatistics};

use super::fixture::{
    batches, filtered, numbers, numbers_schema, one_batch, request, store, task, test, with_chunks,
};

/// A file that another writer wrote, of `testdata`.
macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../testdata/", $name, ".parquet")).to_vec()
    };
}

fn schema(fields: Vec<Field>) -> Schema {
    Schema::new(0, fields).unwrap()
}

fn primitives() -> Schema {
    schema(vec![
        Field::optional(1, "n", PrimitiveType::Long),
        Field::optional(2, "i", PrimitiveType::Int),
        Field::optional(3, "s", PrimitiveType::String),
        Field::optional(4, "d", PrimitiveType::Double),
    ])
}

/// The batch has the first so many rows of what pyarrow was given.
fn assert_primitives(batch: &RecordBatch, rows: usize) {
    assert_eq!(batch.num_rows(), rows);
    for row in 0..rows {
        let n = row as i64;
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(row), n);
        let sign = if n % 2 == 0 { 1 } else { -1 };
        let i = (sign * n * 7919).rem_euclid(1000);
        assert_eq!(i64::from(batch.column(1).as_primitive::<Int32Type>().value(row)), i);
        assert_eq!(text(batch.column(2), row), (n % 11 != 0).then(|| format!("prefix {} {n}", n / 10)));
        assert_eq!(batch.column(3).as_primitive::<Float64Type>().value(row), n as f64 / 4.0);
    }
}

fn text(array: &ArrayRef, row: usize) -> Option<String> {
    array.is_valid(row).then(|| array.as_string::<i32>().value(row).to_owned())
}

#[test]
fn every_codec_and_both_kinds_of_pages_are_read() {
    for bytes in [
        file!("pyarrow_none_v1"),
        file!("pyarrow_none_v2"),
        file!("pyarrow_snappy_v1"),
        file!("pyarrow_snappy_v2"),
        file!("pyarrow_gzip_v1"),
        file!("pyarrow_gzip_v2"),
        file!("pyarrow_zstd_v1"),
        file!("pyarrow_zstd_v2"),
        file!("pyarrow_lz4_v1"),
        file!("pyarrow_lz4_v2"),
        file!("pyarrow_brotli_v1"),
        file!("pyarrow_brotli_v2"),
    ] {
        assert_primitives(&one_batch(request(&store(bytes), primitives()), &task()), 40);
    }
}

#[test]
fn delta_encodings_and_split_streams_are_read() {
    assert_primitives(&one_batch(request(&store(file!("pyarrow_delta")), primitives()), &task()), 300);
    let wanted = schema(vec![Field::optional(3, "s", PrimitiveType::String)]);
    let batch = one_batch(request(&store(file!("pyarrow_delta_length")), wanted), &task());
    assert_eq!((text(batch.column(0), 0), text(batch.column(0), 299)), (None, Some("prefix 29 299".into())));
}

#[test]
fn delta_encoded_rows_are_filtered_and_skipped() {
    let equal = test(1, PrimitiveType::Long, Operator::Eq, vec![Value::Long(217)]);
    let batch = one_batch(request(&store(file!("pyarrow_delta")), primitives()), &filtered(equal));
    assert_eq!((batch.num_rows(), text(batch.column(2), 0)), (1, Some("prefix 21 217".into())));
}

#[test]
fn an_encrypted_file_is_refused_also_where_its_footer_is_plain() {
    for bytes in [file!("pyarrow_encrypted_footer"), file!("pyarrow_plaintext_footer")] {
        // A column that has no key of its own is encrypted with the footer's.
        for id in [1, 2] {
            let wanted = schema(vec![primitives().field(id).unwrap().clone()]);
            let error = batches(request(&store(bytes.clone()), wanted), &task()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
            assert!(error.to_string().contains("encrypted") && error.to_string().contains("data.parquet"));
        }
    }
}

#[test]
fn lzo_is_an_error_that_names_the_codec_and_the_file() {
    let lzo = |chunk: ColumnChunkMetaData| chunk.into_builder().set_compression(Compression::LZO).build();
    let written = with_chunks(&numbers(10, 10), |chunk| lzo(chunk).unwrap());
    let error = batches(request(&store(written), numbers_schema()), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("LZO") && error.to_string().contains("data.parquet"), "{error}");
}

/// Microseconds of the moments that the INT96 files hold: before 1970, and the first and last years that nanoseconds in 64
/// bits do not reach.
const BEFORE_1970: i64 = -1;
const YEAR_1: i64 = -62_135_596_800_000_000;
const YEAR_9999: i64 = 253_402_300_799_999_999;
const YEAR_2262: i64 = 9_223_372_800_000_000;

fn micros(array: &dyn Array) -> Vec<Option<i64>> {
    array.as_primitive::<TimestampMicrosecondType>().iter().collect()
}

fn list(id: i32, element: impl Into<Type>) -> Type {
    Type::List(Box::new(ListType { element: Field::optional(id, "element", element) }))
}

#[test]
fn int96_timestamps_of_pyarrow_are_read_nested_and_far_from_1970() {
    let inner = StructType { fields: vec![Field::optional(12, "t", PrimitiveType::Timestamp)] };
    let wanted = schema(vec![
        Field::optional(1, "l", list(11, PrimitiveType::Timestamptz)),
        Field::optional(2, "s", Type::Struct(inner)),
        Field::optional(3, "t", PrimitiveType::Timestamp),
    ]);
    let mapping = Arc::new(NameMapping::of_schema(&wanted));
    let request = request(&store(file!("pyarrow_int96")), wanted).with_name_mapping(Some(mapping));
    let batch = one_batch(request, &task());
    let expected = vec![Some(BEFORE_1970), Some(YEAR_1), Some(YEAR_9999), None, Some(YEAR_2262)];
    assert_eq!(micros(batch.column(0).as_list::<i32>().values()), expected);
    assert_eq!(micros(batch.column(1).as_struct().column(0)), expected);
    assert_eq!(micros(batch.column(2)), expected);
}

/// The columns of the file that Spark wrote with `spark.sql.parquet.writeLegacyFormat`.
fn legacy() -> Schema {
    let decimal = |precision, scale| PrimitiveType::Decimal { precision, scale };
    let item = StructType {
        fields: vec![
            Field::optional(21, "x", PrimitiveType::Int),
            Field::optional(22, "at", PrimitiveType::Timestamptz),
        ],
    };
    let key = Field::required(13, "key", PrimitiveType::String);
    let value = Field::optional(14, "value", PrimitiveType::Int);
    schema(vec![
        Field::optional(1, "id", PrimitiveType::Int),
        Field::optional(2, "ts", PrimitiveType::Timestamptz),
        Field::optional(3, "l", list(12, PrimitiveType::Int)),
        Field::optional(4, "m", Type::Map(Box::new(MapType { key, value }))),
        Field::optional(5, "ls", list(15, Type::Struct(item))),
        Field::optional(6, "ll", list(16, list(17, PrimitiveType::Int))),
        Field::optional(7, "d9", decimal(9, 2)),
        Field::optional(8, "d18", decimal(20, 2)),
        Field::optional(9, "d38", decimal(38, 3)),
    ])
}

fn spark_legacy(mapping: Option<NameMapping>) -> RecordBatch {
    let request = request(&store(file!("spark_legacy_int96")), legacy());
    one_batch(request.with_name_mapping(mapping.map(Arc::new)), &task())
}

#[test]
fn lists_maps_decimals_and_int96_of_sparks_legacy_form_are_read() {
    let batch = spark_legacy(Some(NameMapping::of_schema(&legacy())));
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[1, 2, 3, 4]);
    assert_eq!(micros(batch.column(1)), [Some(BEFORE_1970), Some(YEAR_9999), None, Some(YEAR_2262)]);
    let lists = batch.column(2).as_list::<i32>();
    let ints = |row: usize| -> Option<Vec<Option<i32>>> {
        lists.is_valid(row).then(|| lists.value(row).as_primitive::<Int32Type>().iter().collect())
    };
    let expected = [Some(vec![Some(1), None, Some(3)]), Some(vec![]), None, Some(vec![Some(4)])];
    assert_eq!((0..4).map(ints).collect::<Vec<_>>(), expected);
    let maps = batch.column(3).as_map();
    assert_eq!((0..4).map(|row| maps.is_valid(row)).collect::<Vec<_>>(), [true, true, false, true]);
    let first = maps.value(0);
    assert_eq!(first.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(first.column(1).as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [Some(1), None]);
    let structs = batch.column(4).as_list::<i32>();
    assert_eq!((structs.value_length(0), structs.value_length(1), structs.is_null(2)), (1, 0, true));
    let last = structs.value(3);
    assert_eq!((last.is_null(0), last.is_null(1)), (false, true));
    assert_eq!(micros(structs.value(0).as_struct().column(1)), [Some(YEAR_1)]);
    let nested = batch.column(5).as_list::<i32>();
    assert_eq!((nested.is_null(1), nested.value_length(0), nested.value_length(2)), (true, 2, 0));
    assert_eq!(nested.value(3).as_list::<i32>().value(0).as_primitive::<Int32Type>().values(), &[7]);
    for (column, first) in
        [(6, -1_234), (7, -123_456_789_012), (8, -12_345_678_901_234_567_890_123_456_789_012_345_678)]
    {
        let decimals = batch.column(column).as_primitive::<Decimal128Type>();
        assert_eq!((decimals.value(0), decimals.is_null(2), decimals.value(3)), (first, true, 0));
    }
}

#[test]
fn without_ids_and_mapping_positions_count_at_the_top_alone() {
    let batch = spark_legacy(None);
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[1, 2, 3, 4]);
    assert_eq!(batch.column(2).as_list::<i32>().value_length(0), 3);
    let items = batch.column(4).as_list::<i32>().value(0);
    assert_eq!((items.len(), items.as_struct().column(0).null_count()), (1, 1), "no id, no value");
}

#[test]
fn statistics_of_int96_rule_out_nothing() {
    // Writers differ in the order of INT96: these bounds hold no moment of the file.
    let mut julian = Int96::new();
    julian.set_data(0, 0, 2_440_588);
    let bounded = with_chunks(&file!("spark_legacy_int96"), |chunk| {
        if chunk.column_type() != Physical::INT96 {
            return chunk;
        }
        let bound = || Some(julian);
        let statistics =
            Statistics::from(ValueStatistics::<Int96>::new(bound(), bound(), None, Some(1), false));
        chunk.into_builder().set_statistics(statistics).build().unwrap()
    });
    let at = |micros| test(2, PrimitiveType::Timestamptz, Operator::Eq, vec![Value::Timestamptz(micros)]);
    for micros in [BEFORE_1970, YEAR_9999, YEAR_2262] {
        let mapping = Arc::new(NameMapping::of_schema(&legacy()));
        let request = request(&store(bounded.clone()), legacy()).with_name_mapping(Some(mapping));
        assert_eq!(one_batch(request, &filtered(at(micros))).num_rows(), 1);
    }
}

#[test]
fn geometries_are_read_with_and_without_their_logical_type() {
    let wkb = |x: f64, y: f64| [&[1, 1, 0, 0, 0][..], &x.to_le_bytes(), &y.to_le_bytes()].concat();
    let expected = [Some(wkb(30.0, 10.0)), None, Some(wkb(-179.5, 89.0))];
    for id in 1..=3 {
        for name in ["geometry", "geography(srid:4326, karney)"] {
            let wanted = schema(vec![Field::optional(id, "g", name.parse::<Type>().unwrap())]);
            let batch = one_batch(request(&store(file!("pyarrow_geo")), wanted.clone()), &task());
            let values = batch.column(0).as_binary::<i32>();
            let values: Vec<_> = values.iter().map(|value| value.map(<[u8]>::to_vec)).collect();
            assert_eq!(values, expected);
            assert_eq!(batch.schema().field(0).data_type(), &DataType::Binary);
            assert_eq!(batch.schema().field(0).metadata()["ARROW:extension:name"], "geoarrow.wkb");
            for (op, rows) in [(Operator::IsNull, 1), (Operator::NotNull, 2)] {
                let geo = wanted.field(id).unwrap().field_type.as_primitive().unwrap().clone();
                let filter = filtered(test(id, geo, op, Vec::new()));
                let found = one_batch(request(&store(file!("pyarrow_geo")), wanted.clone()), &filter);
                assert_eq!(found.num_rows(), rows);
            }
        }
    }
}

#[test]
fn bloom_filters_of_spark_rule_out_and_lose_nothing() {
    let wanted = || {
        schema(vec![
            Field::optional(1, "n", PrimitiveType::Long),
            Field::optional(2, "s", PrimitiveType::String),
            Field::optional(3, "d", PrimitiveType::Decimal { precision: 20, scale: 2 }),
        ])
    };
    let count = |filter| -> usize {
        let found = batches(request(&store(file!("spark_bloom")), wanted()), &filtered(filter)).unwrap();
        found.iter().map(RecordBatch::num_rows).sum()
    };
    for n in (0..3_000).step_by(2) {
        let text = Value::String(format!("key {n:06}"));
        let decimal = Value::Decimal { unscaled: i128::from(n) * 100, scale: 2 };
        let wide = PrimitiveType::Decimal { precision: 20, scale: 2 };
        if n % 100 == 0 {
            assert_eq!(count(test(1, PrimitiveType::Long, Operator::Eq, vec![Value::Long(n)])), 1);
            assert_eq!(count(test(2, PrimitiveType::String, Operator::Eq, vec![text])), 1);
            assert_eq!(count(test(3, wide, Operator::Eq, vec![decimal])), 1);
        }
    }
    assert_eq!(count(test(1, PrimitiveType::Long, Operator::Eq, vec![Value::Long(1_001)])), 0);
}
