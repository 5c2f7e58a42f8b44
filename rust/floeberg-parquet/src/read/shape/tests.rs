#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use floeberg_io::{MemoryStore, Store};
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::schema::parser::parse_message_type;
use serde_json::{Value as Json, json};

use super::{column, stored_shape};
use crate::testing::numbers;

const FILE: &str = "memory://t/data.parquet";

fn shape(bytes: Vec<u8>) -> Json {
    let store = MemoryStore::new();
    store.put(FILE, bytes);
    serde_json::from_str(&stored_shape(store.open(FILE).unwrap().as_ref()).unwrap()).unwrap()
}

/// A file of a column `n` of one number.
fn number(properties: WriterPropertiesBuilder) -> Vec<u8> {
    let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]));
    let rows: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![7]))];
    let batch = RecordBatch::try_new(Arc::clone(&schema), rows).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// What a column of a message is said to mean.
fn meaning(declared: &str) -> Json {
    let message = parse_message_type(&format!("message m {{ {declared}; }}")).unwrap();
    column(&message.get_fields()[0], &mut std::iter::empty())["means"].clone()
}

#[test]
fn columns_have_their_names_ids_and_types() {
    let said = shape(numbers(10, 5));
    let leaf = |name: &str, id: i32, stored: &str, means: Json| {
        json!({
            "name": name, "id": id, "repetition": "optional", "means": means, "stored": stored, "unusual": []
        })
    };
    let columns = [leaf("n", 1, "INT64", Json::Null), leaf("s", 2, "BYTE_ARRAY", json!("string"))];
    assert_eq!(said, json!({ "columns": columns, "legacy_calendar": false }));
}

#[test]
fn parts_of_groups_are_columns_of_them() {
    let id = |id: &str| HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_owned())]);
    let inner = Field::new("x", DataType::Int64, false).with_metadata(id("4"));
    let outer = Field::new("g", DataType::Struct(Fields::from(vec![inner])), true).with_metadata(id("3"));
    let schema = Arc::new(Schema::new(vec![outer]));
    let mut bytes = Vec::new();
    ArrowWriter::try_new(&mut bytes, schema, None).unwrap().close().unwrap();
    let said = shape(bytes);
    let group = &said["columns"][0];
    assert_eq!((&group["name"], &group["id"], &group["stored"]), (&json!("g"), &json!(3), &Json::Null));
    let part = &group["columns"][0];
    assert_eq!(
        (&part["id"], &part["repetition"], &part["stored"]),
        (&json!(4), &json!("required"), &json!("INT64"))
    );
}

#[test]
fn annotations_are_said_in_the_words_of_types() {
    for (declared, means) in [
        ("optional int64 c", Json::Null),
        ("optional binary c (STRING)", json!("string")),
        ("optional binary c (UTF8)", json!("string")),
        ("optional int32 c (DATE)", json!("date")),
        ("optional int32 c (INTEGER(32,true))", json!("int")),
        ("optional int32 c (INT_32)", json!("int")),
        ("optional int64 c (INTEGER(64,true))", json!("long")),
        ("optional int32 c (INTEGER(8,true))", json!("integer of 8 bits")),
        ("optional int32 c (INT_16)", json!("integer of 16 bits")),
        ("optional int64 c (INTEGER(64,false))", json!("unsigned integer of 64 bits")),
        ("optional int32 c (UINT_32)", json!("unsigned integer of 32 bits")),
        ("optional int32 c (DECIMAL(9,2))", json!("decimal(9, 2)")),
        ("optional int64 c (TIMESTAMP(MICROS,true))", json!("timestamptz")),
        ("optional int64 c (TIMESTAMP(MICROS,false))", json!("timestamp")),
        ("optional int64 c (TIMESTAMP_MICROS)", json!("timestamptz")),
        ("optional int64 c (TIMESTAMP(NANOS,false))", json!("timestamp in nanoseconds")),
        ("optional int64 c (TIMESTAMP(MILLIS,true))", json!("timestamptz in milliseconds")),
        ("optional int64 c (TIME(MICROS,false))", json!("time")),
        ("optional int32 c (TIME(MILLIS,false))", json!("time in milliseconds")),
        ("optional int64 c (TIME(NANOS,false))", json!("time in nanoseconds")),
        ("optional fixed_len_byte_array(16) c (UUID)", json!("uuid")),
        ("optional fixed_len_byte_array(2) c (FLOAT16)", json!("float16")),
        ("optional binary c (JSON)", json!("json")),
        ("optional binary c (BSON)", json!("bson")),
        ("optional binary c (ENUM)", json!("enum")),
        ("optional fixed_len_byte_array(12) c (INTERVAL)", json!("interval")),
    ] {
        assert_eq!(meaning(declared), means, "{declared}");
    }
}

#[test]
fn codecs_and_encodings_that_not_every_reader_has_are_told() {
    let said = |properties| shape(number(properties))["columns"][0]["unusual"].clone();
    let plain = || WriterProperties::builder().set_dictionary_enabled(false);
    assert_eq!(said(plain().set_compression(Compression::SNAPPY)), json!([]));
    assert_eq!(said(plain().set_encoding(Encoding::BYTE_STREAM_SPLIT)), json!(["BYTE_STREAM_SPLIT"]));
}

#[test]
fn the_calendar_of_spark_2_is_told() {
    for (key, value, legacy) in [
        ("org.apache.spark.version", Some("2.4.8"), true),
        ("org.apache.spark.version", None, true),
        ("org.apache.spark.version", Some("3.0.0"), false),
        ("org.apache.spark.legacyDateTime", Some(""), true),
        ("other", Some("2.4.8"), false),
    ] {
        let entry = KeyValue::new(key.to_owned(), value.map(str::to_owned));
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![entry]));
        assert_eq!(shape(number(properties))["legacy_calendar"], json!(legacy), "{key} {value:?}");
    }
}
