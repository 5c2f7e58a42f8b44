//! What is encrypted is refused by name, whatever of a table it is, and what is plain in the same table is read.

use std::sync::Arc;

use apache_avro::types::Value;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Cancel, Error, ErrorKind};
use floeberg_io::MemoryStore;
use serde_json::{Value as Json, json};

use super::document::document;
use crate::metadata::{Relocation, parse_table_metadata};
use crate::plan::{Plan, PlanRequest, plan};
use crate::read::tests::avro_fixture::{avro, none, some};

const LIST: &str = "memory://t/list.avro";
const MANIFEST: &str = "memory://t/manifest.avro";
const DATA: &str = "memory://t/data.parquet";

/// Key metadata, or none.
fn key(key: Option<&[u8]>) -> Value {
    key.map_or_else(none, |key| some(Value::Bytes(key.to_vec())))
}

/// A manifest list of one manifest.
fn manifest_list(key_metadata: Option<&[u8]>) -> Vec<u8> {
    let fields = r#"{"name":"manifest_path","type":"string","field-id":500},
        {"name":"manifest_length","type":"long","field-id":501},
        {"name":"partition_spec_id","type":"int","field-id":502},
        {"name":"sequence_number","type":"long","field-id":515},
        {"name":"min_sequence_number","type":"long","field-id":516},
        {"name":"added_snapshot_id","type":"long","field-id":503},
        {"name":"key_metadata","type":["null","bytes"],"field-id":519}"#;
    let row = vec![
        ("manifest_path", Value::String(MANIFEST.to_owned())),
        ("manifest_length", Value::Long(1)),
        ("partition_spec_id", Value::Int(0)),
        ("sequence_number", Value::Long(1)),
        ("min_sequence_number", Value::Long(1)),
        ("added_snapshot_id", Value::Long(1)),
        ("key_metadata", key(key_metadata)),
    ];
    avro(fields, &[row], 1)
}

/// A manifest of one data file.
fn manifest(key_metadata: Option<&[u8]>) -> Vec<u8> {
    let fields = r#"{"name":"status","type":"int","field-id":0},
        {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
            {"name":"file_path","type":"string","field-id":100},
            {"name":"file_format","type":"string","field-id":101},
            {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}},
            {"name":"record_count","type":"long","field-id":103},
            {"name":"file_size_in_bytes","type":"long","field-id":104},
            {"name":"key_metadata","type":["null","bytes"],"field-id":131}]}}"#;
    let file = Value::Record(vec![
        ("file_path".to_owned(), Value::String(DATA.to_owned())),
        ("file_format".to_owned(), Value::String("PARQUET".to_owned())),
        ("partition".to_owned(), Value::Record(Vec::new())),
        ("record_count".to_owned(), Value::Long(7)),
        ("file_size_in_bytes".to_owned(), Value::Long(100)),
        ("key_metadata".to_owned(), key(key_metadata)),
    ]);
    avro(fields, &[vec![("status", Value::Int(1)), ("data_file", file)]], 1)
}

fn keyed(key_id: Option<&str>) -> Json {
    let more = json!({
        "next-row-id": 7,
        "properties": { "encryption.key-id": "k" },
        "encryption-keys": [{ "key-id": "k1", "encrypted-key-metadata": "YQ==" }],
        "current-snapshot-id": 1,
        "snapshots": [{
            "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": LIST, "first-row-id": 0, "added-rows": 7, "key-id": key_id
        }],
    });
    document(3, 1, more)
}

fn planned(key_id: Option<&str>, list: Vec<u8>, manifest: Vec<u8>) -> Result<Plan, Error> {
    let store = MemoryStore::new();
    store.put(LIST, list);
    store.put(MANIFEST, manifest);
    let metadata = keyed(key_id).to_string();
    let metadata = Arc::new(parse_table_metadata(metadata.as_bytes(), "memory://t/m.json").unwrap());
    plan(&PlanRequest {
        snapshot: metadata.current_snapshot().cloned(),
        appends: None,
        statistics_of: None,
        schema: Arc::clone(metadata.current_schema()),
        metadata,
        filter: BoundExpr::True,
        store: Arc::new(store),
        relocation: Arc::new(Relocation::new(&[]).unwrap()),
        threads: 1,
        cancel: Cancel::default(),
    })
}

fn refused(key_id: Option<&str>, list: Vec<u8>, manifest: Vec<u8>) -> String {
    let error = planned(key_id, list, manifest).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.message().contains("encrypted"), "{error}");
    error.to_string()
}

#[test]
fn plain_files_of_a_table_that_has_keys_are_planned() {
    let plan = planned(None, manifest_list(None), manifest(None)).unwrap();
    assert_eq!((plan.len(), plan.task(0).unwrap().record_count), (1, 7));
}

#[test]
fn an_encrypted_manifest_list_is_refused() {
    let text = refused(Some("k1"), manifest_list(None), manifest(None));
    assert!(text.contains("manifest list") && text.contains("snapshot: 1"), "{text}");
    // Whatever the snapshot says of it.
    let text = refused(None, b"AGS1\x00\x00\x10\x00and so on".to_vec(), manifest(None));
    assert!(text.contains(LIST), "{text}");
}

#[test]
fn an_encrypted_manifest_is_refused() {
    let text = refused(None, manifest_list(Some(b"key")), manifest(None));
    assert!(text.contains(MANIFEST), "{text}");
    let text = refused(None, manifest_list(None), b"AGS1\x00\x00\x10\x00and so on".to_vec());
    assert!(text.contains(MANIFEST), "{text}");
}

#[test]
fn an_encrypted_data_file_is_refused_before_it_is_opened() {
    let text = refused(None, manifest_list(None), manifest(Some(b"key")));
    assert!(text.contains(DATA), "{text}");
}
