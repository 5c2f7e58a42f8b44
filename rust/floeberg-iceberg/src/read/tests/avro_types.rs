//! Types of Avro data files, and how columns are found in them.

use std::sync::Arc;

use apache_avro::types::Value as Written;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use floeberg_avro::testing::{file, long, prefixed, record};
use floeberg_core::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};

use super::avro_fixture::{avro, avro_task, none, of, request_of, some};
use super::fixture::{batches, one_batch};

fn schema(fields: Vec<Field>) -> Schema {
    Schema::new(0, fields).unwrap()
}

/// Reads a column of one value of that Avro type as the wanted type.
fn one(avro_type: &str, data: &[u8], wanted: impl Into<Type>) -> Result<ArrayRef> {
    let json = record(&format!(r#"{{"name":"v","type":{avro_type},"field-id":1}}"#));
    let request = request_of(file(&json, 1, data), schema(vec![Field::optional(1, "v", wanted)]));
    let batch = batches(request, &avro_task())?.remove(0);
    Ok(Arc::clone(batch.column(0)))
}

fn logical(avro_type: &str, name: &str) -> String {
    format!(r#"{{"type":"{avro_type}","logicalType":"{name}"}}"#)
}

#[test]
fn numbers_text_and_bytes_are_read() {
    use PrimitiveType as P;
    assert!(one(r#""boolean""#, &[1], P::Boolean).unwrap().as_boolean().value(0));
    assert_eq!(one(r#""int""#, &long(-5), P::Int).unwrap().as_primitive::<Int32Type>().value(0), -5);
    let least = one(r#""long""#, &long(i64::MIN), P::Long).unwrap();
    assert_eq!(least.as_primitive::<Int64Type>().value(0), i64::MIN);
    let float = one(r#""float""#, &0.1_f32.to_le_bytes(), P::Float).unwrap();
    assert_eq!(float.as_primitive::<Float32Type>().value(0), 0.1);
    let nan = one(r#""double""#, &f64::NAN.to_le_bytes(), P::Double).unwrap();
    assert!(nan.as_primitive::<Float64Type>().value(0).is_nan());
    let text = one(r#""string""#, &prefixed("é🐢".as_bytes()), P::String).unwrap();
    assert_eq!(text.as_string::<i32>().value(0), "é🐢");
    for wanted in [P::Binary, P::Geometry { crs: None }, P::Geography { crs: None, algorithm: None }] {
        let bytes = one(r#""bytes""#, &prefixed(&[0, 255]), wanted).unwrap();
        assert_eq!(bytes.as_binary::<i32>().value(0), [0, 255]);
    }
    let fixed = one(r#"{"type":"fixed","name":"f","size":3}"#, &[1, 2, 3], P::Fixed(3)).unwrap();
    assert_eq!(fixed.as_fixed_size_binary().value(0), [1, 2, 3]);
    let uuid = r#"{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}"#;
    let uuid = one(uuid, &[7; 16], P::Uuid).unwrap();
    assert_eq!(uuid.as_fixed_size_binary().value(0), [7; 16]);
    let symbol = one(r#"{"type":"enum","name":"e","symbols":["A","B"]}"#, &long(1), P::String).unwrap();
    assert_eq!(symbol.as_string::<i32>().value(0), "B");
}

#[test]
fn decimals_are_read_from_fixed_and_from_bytes() {
    let wanted = |precision| PrimitiveType::Decimal { precision, scale: 2 };
    let logical = r#""logicalType":"decimal","precision":9,"scale":2"#;
    let fixed = format!(r#"{{"type":"fixed","name":"d","size":4,{logical}}}"#);
    let bytes = format!(r#"{{"type":"bytes",{logical}}}"#);
    for (avro_type, data) in [(&fixed, vec![0xff, 0xff, 0xfb, 0x2e]), (&bytes, prefixed(&[0xfb, 0x2e]))] {
        // Promoted to more digits, too.
        for precision in [9, 38] {
            let decimal = one(avro_type, &data, wanted(precision)).unwrap();
            assert_eq!(decimal.as_primitive::<Decimal128Type>().value(0), -1234);
        }
        let error = one(avro_type, &data, PrimitiveType::Decimal { precision: 9, scale: 3 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(one(avro_type, &data, wanted(8)).is_err());
    }
    let widest = fixed.replace(r#""size":4"#, r#""size":16"#).replace('9', "38");
    let least = one(&widest, &i128::MIN.to_be_bytes(), wanted(38)).unwrap();
    assert_eq!(least.as_primitive::<Decimal128Type>().value(0), i128::MIN);
    // More digits than there can be: the logical type is ignored, and bytes are no decimal.
    let beyond = fixed.replace(":9,", ":39,");
    assert!(one(&beyond, &[0; 4], wanted(38)).is_err());
}

#[test]
fn times_are_read_in_every_unit() {
    use PrimitiveType as P;
    let micros = |array: ArrayRef| array.as_primitive::<TimestampMicrosecondType>().value(0);
    let nanos = |array: ArrayRef| array.as_primitive::<TimestampNanosecondType>().value(0);
    let times = |array: ArrayRef| array.as_primitive::<Time64MicrosecondType>().value(0);
    let days = one(&logical("int", "date"), &long(-1), P::Date).unwrap();
    assert_eq!(days.as_primitive::<Date32Type>().value(0), -1);
    assert_eq!(times(one(&logical("long", "time-micros"), &long(5), P::Time).unwrap()), 5);
    assert_eq!(times(one(&logical("int", "time-millis"), &long(5), P::Time).unwrap()), 5_000);
    for utc in ["", r#","adjust-to-utc":true"#, r#","adjust-to-utc":false"#] {
        for (name, in_micros, in_nanos) in [
            ("timestamp-millis", -5_000_000, -5_000_000_000),
            ("timestamp-micros", -5_000, -5_000_000),
            ("timestamp-nanos", -5, -5_000),
            ("local-timestamp-micros", -5_000, -5_000_000),
        ] {
            let avro_type = format!(r#"{{"type":"long","logicalType":"{name}"{utc}}}"#);
            for wanted in [P::Timestamp, P::Timestamptz] {
                let read = one(&avro_type, &long(-5_000), wanted).unwrap();
                assert_eq!(micros(read), in_micros, "{avro_type}");
            }
            for wanted in [P::TimestampNs, P::TimestamptzNs] {
                assert_eq!(nanos(one(&avro_type, &long(-5_000), wanted).unwrap()), in_nanos, "{avro_type}");
            }
        }
    }
}

#[test]
fn promotions_of_the_specification_are_read_and_others_are_errors() {
    use PrimitiveType as P;
    let wide = one(r#""int""#, &long(-7), P::Long).unwrap();
    assert_eq!(wide.as_primitive::<Int64Type>().value(0), -7);
    let double = one(r#""float""#, &0.1_f32.to_le_bytes(), P::Double).unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), f64::from(0.1_f32));
    let midnight = one(&logical("int", "date"), &long(-1), P::Timestamp).unwrap();
    assert_eq!(midnight.as_primitive::<TimestampMicrosecondType>().value(0), -86_400_000_000);
    let unknown = one(r#""null""#, &[], P::Long).unwrap();
    assert_eq!((unknown.len(), unknown.null_count()), (1, 1));
    for (avro_type, data, wanted) in [
        (r#""long""#, long(1), P::Int),
        (r#""double""#, vec![0; 8], P::Float),
        (r#""string""#, prefixed(b"1"), P::Long),
        (r#""int""#, long(1), P::String),
        (r#"["null","int","string"]"#, vec![0], P::Int),
    ] {
        let error = one(avro_type, &data, wanted).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{avro_type}: {error}");
        assert!(error.to_string().contains("\"v\""), "{error}");
    }
}

#[test]
fn null_may_be_either_branch_or_the_only_one() {
    for (union, null, value) in [(r#"["null","long"]"#, 0, 2), (r#"["long","null"]"#, 2, 0)] {
        assert_eq!(one(union, &[null], PrimitiveType::Long).unwrap().null_count(), 1);
        let five = one(union, &[value, 10], PrimitiveType::Long).unwrap();
        assert_eq!(five.as_primitive::<Int64Type>().value(0), 5);
        assert!(one(union, &[4, 10], PrimitiveType::Long).is_err());
    }
    assert_eq!(one(r#"["null"]"#, &[0], PrimitiveType::Long).unwrap().null_count(), 1);
    let only = one(r#"["long"]"#, &[0, 10], PrimitiveType::Long).unwrap();
    assert_eq!(only.as_primitive::<Int64Type>().value(0), 5);
}

#[test]
fn a_null_in_a_required_column_is_an_error() {
    let json = record(r#"{"name":"v","type":["null","long"],"field-id":1}"#);
    let wanted = schema(vec![Field::required(1, "v", PrimitiveType::Long)]);
    let error = batches(request_of(file(&json, 1, &[0]), wanted), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

fn map_type(key: PrimitiveType, value: impl Into<Type>) -> Type {
    let (key, value) = (Field::required(2, "key", key), Field::optional(3, "value", value));
    Type::Map(Box::new(MapType { key, value }))
}

#[test]
fn maps_are_read_from_maps_and_from_arrays_of_pairs() {
    let of_text = r#"{"type":"map","values":["null","int"],"key-id":2,"value-id":3}"#;
    let data = [long(2), prefixed(b"a"), vec![2, 8], prefixed(b"b"), vec![0], long(0)].concat();
    let map = one(of_text, &data, map_type(PrimitiveType::String, PrimitiveType::Long)).unwrap();
    let entries = map.as_map().value(0);
    assert_eq!(entries.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(entries.column(1).as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(4), None]);
    let pair = r#"{"type":"record","name":"k2_v3","fields":[{"name":"k","type":"long","field-id":2},
        {"name":"v","type":["null","string"],"field-id":3}]}"#;
    let of_pairs = format!(r#"{{"type":"array","logicalType":"map","items":{pair}}}"#);
    let data = [long(1), long(-9), vec![2], prefixed(b"x"), long(0)].concat();
    let wanted = || map_type(PrimitiveType::Long, PrimitiveType::String);
    let entries = one(&of_pairs, &data, wanted()).unwrap().as_map().value(0);
    assert_eq!(entries.column(0).as_primitive::<Int64Type>().value(0), -9);
    assert_eq!(entries.column(1).as_string::<i32>().value(0), "x");
    // Without the logical type it is a list of structs.
    let error = one(&of_pairs.replace(r#""logicalType":"map","#, ""), &data, wanted()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn keys_of_maps_in_arrays_of_pairs_may_be_structs() {
    let key = r#"{"type":"record","name":"key","fields":[{"name":"x","type":"int","field-id":4}]}"#;
    let pair = format!(
        r#"{{"type":"record","name":"k2_v3","fields":[{{"name":"key","type":{key},"field-id":2}},
        {{"name":"value","type":["null","string"],"field-id":3}}]}}"#
    );
    let of_pairs = format!(r#"{{"type":"array","logicalType":"map","items":{pair}}}"#);
    let data = [long(1), long(7), vec![2], prefixed(b"x"), long(0)].concat();
    let x = Field::optional(4, "renamed", PrimitiveType::Long);
    let key = Field::required(2, "key", Type::Struct(StructType { fields: vec![x] }));
    let value = Field::optional(3, "value", PrimitiveType::String);
    let wanted = Type::Map(Box::new(MapType { key, value }));
    let entries = one(&of_pairs, &data, wanted).unwrap().as_map().value(0);
    assert_eq!(entries.column(0).as_struct().column(0).as_primitive::<Int64Type>().value(0), 7);
    assert_eq!(entries.column(1).as_string::<i32>().value(0), "x");
}

#[test]
fn nested_fields_are_found_by_id_and_added_ones_have_their_default() {
    let inner = r#"{"type":"record","name":"i","fields":[{"name":"a","type":"int","field-id":4},
        {"name":"b","type":"string","field-id":5}]}"#;
    let list = format!(r#"{{"type":"array","items":["null",{inner}],"element-id":2}}"#);
    let fields = format!(r#"{{"name":"l","type":["null",{list}],"field-id":1}}"#);
    let item = |a: i32| some(of(&[("a", Written::Int(a)), ("b", Written::String(a.to_string()))]));
    let rows = [
        vec![("l", some(Written::Array(vec![item(1), none(), item(2)])))],
        vec![("l", none())],
        vec![("l", some(Written::Array(vec![])))],
    ];
    let added =
        Field { initial_default: Some(Value::Int(7)), ..Field::optional(9, "new", PrimitiveType::Int) };
    let of_item = vec![added, Field::optional(4, "renamed", PrimitiveType::Long)];
    let element = Field::optional(2, "element", Type::Struct(StructType { fields: of_item }));
    let wanted = schema(vec![Field::optional(1, "l", Type::List(Box::new(ListType { element })))]);
    let batch = one_batch(request_of(avro(&fields, &rows, 2), wanted), &avro_task());
    let lists = batch.column(0).as_list::<i32>();
    assert_eq!((0..3).map(|row| lists.is_null(row)).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!((lists.value(0).len(), lists.value(2).len()), (3, 0));
    let items = lists.value(0);
    let items = items.as_struct();
    assert!(items.is_null(1));
    assert_eq!(items.column(0).as_primitive::<Int32Type>().value(2), 7);
    assert_eq!(items.column(1).as_primitive::<Int64Type>().value(2), 2);
}

#[test]
fn a_struct_of_which_nothing_is_in_the_file_keeps_which_rows_have_it() {
    let empty = r#"{"type":"record","name":"e","fields":[]}"#;
    let fields = format!(
        r#"{{"name":"e","type":["null",{empty}],"field-id":1}},{{"name":"n","type":"long","field-id":2}}"#
    );
    let row = |value, n| vec![("e", value), ("n", Written::Long(n))];
    let bytes = avro(&fields, &[row(some(of(&[])), 5), row(none(), 6)], 5);
    let added =
        Field { initial_default: Some(Value::Int(7)), ..Field::optional(9, "new", PrimitiveType::Int) };
    let wanted = Type::Struct(StructType { fields: vec![added] });
    let wanted = schema(vec![Field::optional(2, "n", PrimitiveType::Long), Field::optional(1, "e", wanted)]);
    let batch = one_batch(request_of(bytes, wanted), &avro_task());
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[5, 6]);
    let structs = batch.column(1).as_struct();
    assert_eq!((structs.is_null(0), structs.is_null(1)), (false, true));
    assert_eq!(structs.column(0).as_primitive::<Int32Type>().value(0), 7);
}

/// A file without ids.
fn without_ids() -> Vec<u8> {
    let point = r#"{"type":"record","name":"p","fields":[{"name":"x","type":"long"}]}"#;
    let fields = format!(
        r#"{{"name":"b","type":"long"}},{{"name":"a","type":"string"}},
        {{"name":"l","type":{{"type":"array","items":{point}}}}}"#
    );
    let items = Written::Array(vec![of(&[("x", Written::Long(3))])]);
    avro(&fields, &[vec![("b", Written::Long(1)), ("a", Written::String("t".to_owned())), ("l", items)]], 5)
}

fn by_name() -> Schema {
    let point = Type::Struct(StructType { fields: vec![Field::optional(14, "x", PrimitiveType::Long)] });
    let list = Type::List(Box::new(ListType { element: Field::optional(13, "element", point) }));
    let a = Field::optional(11, "a", PrimitiveType::String);
    schema(vec![a, Field::optional(12, "l", list), Field::optional(1, "z", PrimitiveType::Long)])
}

#[test]
fn columns_without_ids_are_found_by_the_names_of_the_table() {
    let batch = one_batch(request_of(without_ids(), by_name()), &avro_task());
    assert_eq!(batch.column(0).as_string::<i32>().value(0), "t");
    let points = batch.column(1).as_list::<i32>().value(0);
    assert_eq!(points.as_struct().column(0).as_primitive::<Int64Type>().value(0), 3);
    // Never by position: the first column of the file is another one.
    assert_eq!(batch.column(2).null_count(), 1);
}

#[test]
fn columns_without_ids_are_found_by_the_name_mapping_alone_if_there_is_one() {
    let mapping = NameMapping::from_json(r#"[{"field-id":1,"names":["b"]}]"#).unwrap();
    let request = request_of(without_ids(), by_name()).with_name_mapping(Some(Arc::new(mapping)));
    let batch = one_batch(request, &avro_task());
    assert_eq!(batch.column(2).as_primitive::<Int64Type>().value(0), 1);
    assert_eq!((batch.column(0).null_count(), batch.column(1).null_count()), (1, 1));
}

#[test]
fn a_column_that_contains_itself_is_a_limit() {
    let json =
        r#"{"type":"record","name":"node","fields":[{"name":"next","type":["null","node"],"field-id":1}]}"#;
    let wanted = schema(vec![Field::optional(1, "next", PrimitiveType::Long)]);
    let error = batches(request_of(file(json, 1, &[0]), wanted), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}
