//! Avro files hold what was written, and their headers say what the specification asks for.

use std::sync::Arc;

use apache_avro::Reader;
use apache_avro::types::Value as AvroValue;
use floeberg_avro::{Container, Limits};
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType as P, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::{MemoryStore, Store as _};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::fixture::{Rows, TASK, names, partitioned, recipe, rows_of, with, write};
use super::sorting::sorted;
use super::types::{bits, tables};
use crate::metadata::{NullOrder, SortDirection};
use crate::write::{WriteRecipe, Writer, WrittenFile};

fn in_avro(recipe: WriteRecipe, properties: &[(&str, &str)]) -> WriteRecipe {
    let all: Vec<_> = [("write.format.default", "avro")].iter().chain(properties).copied().collect();
    with(recipe, &all)
}

fn bytes_of(store: &MemoryStore, written: &WrittenFile) -> Vec<u8> {
    store.open(&written.file.file_path).unwrap().read_all(u64::MAX).unwrap().to_vec()
}

/// The declared schema of a file.
fn declared(store: &MemoryStore, written: &WrittenFile) -> Json {
    let bytes = bytes_of(store, written);
    let container = Container::open(&bytes, &Limits::of_rows()).unwrap();
    serde_json::from_str(container.metadata_text("avro.schema").unwrap().unwrap()).unwrap()
}

fn numbers(count: i64) -> Rows {
    (0..count)
        .map(|n| vec![Some(Value::Long(n)), Some(Value::String(format!("text {}", n * 7 % 13)))])
        .collect()
}

fn number_of(row: &[Option<Value>]) -> i64 {
    let Some(Value::Long(n)) = row[0] else { panic!("{row:?}") };
    n
}

fn number_fields() -> Vec<Field> {
    vec![Field::required(1, "n", P::Long), Field::optional(2, "s", P::String)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn what_is_written_is_read_back(
        (recipe, rows) in tables(),
        batch_rows in 1_usize..20,
        codec in prop::sample::select(vec!["gzip", "zstd", "snappy", "uncompressed"]),
    ) {
        let recipe = in_avro(recipe, &[("write.avro.compression-codec", codec)]);
        let (store, receipt) = write(&recipe, &rows, batch_rows);
        prop_assert_eq!(receipt.rows(), rows.len() as u64);
        let read: Rows = receipt.files().iter().flat_map(|file| rows_of(&store, &recipe, file)).collect();
        prop_assert_eq!(bits(&read), bits(&rows));
    }
}

#[test]
fn columns_have_the_types_and_ids_of_the_specification() {
    let types = [
        (P::Int, json!("int")),
        (
            P::Decimal { precision: 9, scale: 2 },
            json!({"type": "fixed", "name": "decimal_9_2", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}),
        ),
        (P::Date, json!({"type": "int", "logicalType": "date"})),
        (P::Time, json!({"type": "long", "logicalType": "time-micros"})),
        (P::Timestamp, json!({"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": false})),
        (P::Timestamptz, json!({"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": true})),
        (P::TimestampNs, json!({"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": false})),
        (P::TimestamptzNs, json!({"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": true})),
        (P::Uuid, json!({"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"})),
        (P::Fixed(7), json!({"type": "fixed", "name": "fixed_7", "size": 7})),
        (P::Geometry { crs: None }, json!("bytes")),
    ];
    let fields: Vec<_> = types
        .iter()
        .zip(1..)
        .map(|((each, _), id)| Field::optional(id, format!("c{id}"), each.clone()))
        .collect();
    let rows = vec![vec![None; fields.len()]];
    let (store, receipt) = write(&in_avro(recipe(fields), &[]), &rows, 1);
    let columns = types.into_iter().zip(1..).map(|((_, each), id)| {
        json!({"name": format!("c{id}"), "type": ["null", each], "default": null, "field-id": id})
    });
    let expected = json!({"type": "record", "name": "table", "fields": columns.collect::<Vec<_>>()});
    assert_eq!(declared(&store, &receipt.files()[0]), expected);
}

#[test]
fn nested_columns_and_those_of_version_3_have_theirs() {
    let list = Type::List(Box::new(ListType { element: Field::required(2, "element", P::Int) }));
    let map =
        MapType { key: Field::required(4, "key", P::Int), value: Field::optional(5, "value", P::String) };
    let inner = StructType { fields: vec![Field::required(7, "x", P::Boolean)] };
    let fields = vec![
        Field::required(1, "l", list),
        Field::required(3, "m", Type::Map(Box::new(map))),
        Field::required(6, "s", Type::Struct(inner)),
        Field::optional(8, "v", Type::Variant),
        Field::optional(9, "u", P::Unknown),
    ];
    let (store, receipt) = write(
        &in_avro(recipe(fields), &[]),
        &vec![vec![
            Some(Value::List(vec![Some(Value::Int(1))])),
            Some(Value::Map(vec![(Value::Int(1), None)])),
            Some(Value::Struct(vec![(7, Some(Value::Boolean(true)))])),
            None,
            None,
        ]],
        1,
    );
    let pair = json!([
        {"name": "key", "type": "int", "field-id": 4},
        {"name": "value", "type": ["null", "string"], "default": null, "field-id": 5},
    ]);
    let variant = json!({"type": "record", "name": "r8", "logicalType": "variant", "fields": [
        {"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}]});
    assert_eq!(
        declared(&store, &receipt.files()[0])["fields"],
        json!([
            {"name": "l", "type": {"type": "array", "items": "int", "element-id": 2}, "field-id": 1},
            {"name": "m", "type": {"type": "array", "logicalType": "map", "items": {"type": "record", "name": "k4_v5", "fields": pair}}, "field-id": 3},
            {"name": "s", "type": {"type": "record", "name": "r6", "fields": [{"name": "x", "type": "boolean", "field-id": 7}]}, "field-id": 6},
            {"name": "v", "type": ["null", variant], "default": null, "field-id": 8},
            {"name": "u", "type": "null", "default": null, "field-id": 9},
        ])
    );
}

#[test]
fn another_reader_finds_the_rows() {
    for codec in ["gzip", "uncompressed"] {
        let recipe = in_avro(recipe(number_fields()), &[("write.avro.compression-codec", codec)]);
        let rows = numbers(20_000);
        let (store, receipt) = write(&recipe, &rows, 3_000);
        let bytes = bytes_of(&store, &receipt.files()[0]);
        let found: Vec<_> = Reader::new(&bytes[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!(found.len(), rows.len());
        for (found, row) in found.iter().zip(&rows) {
            let AvroValue::Record(fields) = found else { panic!("{found:?}") };
            let expected = (row[0].clone(), row[1].clone());
            let text = match &fields[1].1 {
                AvroValue::Union(1, text) => text.as_ref(),
                other => panic!("{other:?}"),
            };
            let (AvroValue::Long(n), AvroValue::String(s)) = (&fields[0].1, text) else {
                panic!("{found:?}")
            };
            assert_eq!((Some(Value::Long(*n)), Some(Value::String(s.clone()))), expected);
        }
    }
}

#[test]
fn of_a_file_its_rows_and_bytes_are_said_as_iceberg_java_does() {
    let (store, receipt) = write(&in_avro(recipe(number_fields()), &[]), &numbers(3), 3);
    let [written] = receipt.files() else { panic!("{receipt:?}") };
    let file = &written.file;
    assert_eq!(file.file_path, "memory://t/data/00003-7-w-00001.avro");
    assert_eq!((file.file_format.as_str(), file.record_count), ("avro", 3));
    assert_eq!(file.file_size_in_bytes as usize, bytes_of(&store, written).len());
    let counts = [&file.column_sizes, &file.value_counts, &file.null_value_counts, &file.nan_value_counts];
    assert!(counts.into_iter().all(Option::is_none), "{file:?}");
    assert_eq!((&file.lower_bounds, &file.upper_bounds, &file.split_offsets), (&None, &None, &None));
}

#[test]
fn a_file_is_read_by_the_schema_that_the_table_has_now() {
    let old = vec![
        Field::required(1, "n", P::Int),
        Field::optional(2, "s", P::String),
        Field::optional(3, "gone", P::Date),
        Field::optional(4, "d", P::Decimal { precision: 9, scale: 2 }),
    ];
    let row = vec![
        Some(Value::Int(7)),
        Some(Value::String("x".into())),
        Some(Value::Date(3)),
        Some(Value::Decimal { unscaled: 12, scale: 2 }),
    ];
    let (store, receipt) = write(&in_avro(recipe(old), &[]), &vec![row], 1);
    let now = vec![
        Field::optional(4, "d", P::Decimal { precision: 20, scale: 2 }),
        Field { initial_default: Some(Value::Long(5)), ..Field::required(5, "new", P::Long) },
        Field::required(1, "renamed", P::Long),
        Field::optional(6, "s", P::String),
    ];
    let expected = vec![
        Some(Value::Decimal { unscaled: 12, scale: 2 }),
        Some(Value::Long(5)),
        Some(Value::Long(7)),
        None,
    ];
    assert_eq!(rows_of(&store, &recipe(now), &receipt.files()[0]), vec![expected]);
}

#[test]
fn rows_are_sorted_split_and_partitioned_as_in_any_format() {
    let rows = numbers(5_000);
    let properties =
        [("write.target-file-size-bytes", "3000"), ("write.avro.compression-codec", "uncompressed")];
    let recipe = partitioned(in_avro(recipe(number_fields()), &properties), &[(2, Transform::Identity)]);
    let recipe = sorted(recipe, &[(1, Transform::Identity, SortDirection::Descending, NullOrder::First)]);
    let (store, receipt) = write(&recipe, &rows, 700);
    assert!(receipt.files().len() >= 13, "{}", receipt.files().len());
    let mut all = Vec::new();
    for written in receipt.files() {
        let read = rows_of(&store, &recipe, written);
        let keys: Vec<_> = read.iter().map(|row| number_of(row)).collect();
        assert!(keys.is_sorted_by(|one, other| one > other), "{keys:?}");
        assert!(read.iter().all(|row| row[1] == written.file.partition[0]), "{}", written.file.file_path);
        assert_eq!(written.file.sort_order_id, Some(5));
        all.extend(read);
    }
    all.sort_by_key(|row| number_of(row));
    assert_eq!(all, rows);
}

#[test]
fn what_cannot_be_written_is_refused_before_a_row_is() {
    let refused = |fields: Vec<Field>, properties: &[(&str, &str)]| {
        let recipe = with(recipe(fields), properties);
        let error =
            Writer::new(&recipe, Arc::new(MemoryStore::new()), TASK, &Cancel::default()).err().unwrap();
        (error.kind(), error.to_string())
    };
    let avro = ("write.format.default", "avro");
    let (kind, said) = refused(number_fields(), &[("write.format.default", "csv")]);
    assert!(kind == ErrorKind::Unsupported && said.contains("csv"), "{said}");
    for (name, value) in [
        ("write.avro.compression-codec", "lz4"),
        ("write.avro.compression-level", "0"),
        ("write.avro.compression-level", "10"),
        ("write.avro.compression-level", "fast"),
    ] {
        let (kind, said) = refused(number_fields(), &[avro, (name, value)]);
        assert!(kind == ErrorKind::InvalidInput && said.contains(name), "{said}");
    }
    let matrix = vec![Field::optional(1, "c", Type::Unrecognized("matrix".to_owned()))];
    assert_eq!(refused(matrix, &[avro]).0, ErrorKind::Unsupported);
}

#[test]
fn names_that_are_the_same_for_avro_are_told_apart() {
    let same = vec![Field::required(1, "a b", P::Int), Field::required(2, "a_x20b", P::Int)];
    let recipe = in_avro(recipe(same), &[]);
    assert!(Writer::new(&recipe, Arc::new(MemoryStore::new()), TASK, &Cancel::default()).is_ok());
}

#[test]
fn a_writer_that_is_dropped_leaves_no_file() {
    let recipe = in_avro(recipe(number_fields()), &[("write.target-file-size-bytes", "100")]);
    let store = MemoryStore::new();
    let mut writer = Writer::new(&recipe, Arc::new(store.clone()), TASK, &Cancel::default()).unwrap();
    writer.write(&super::fixture::batch(&recipe, &numbers(5_000))).unwrap();
    drop(writer);
    assert_eq!(names(&store, "memory://t/data"), Vec::<String>::new());
}
