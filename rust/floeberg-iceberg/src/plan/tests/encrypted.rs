//! What is encrypted is refused by name, whatever of a table it is, and what is plain in the same table is read.

use apache_avro::types::Value;
use floeberg_core::{Error, ErrorKind};
use serde_json::{Value as Json, json};

use super::one_manifest::{self, LIST, MANIFEST};
use crate::manifest::tests::document::document;
use crate::plan::{Plan, plan};
use crate::read::tests::avro_fixture::{none, some};

const DATA: &str = "memory://t/data.parquet";

/// Key metadata, or none.
fn key(key: Option<&[u8]>) -> Value {
    key.map_or_else(none, |key| some(Value::Bytes(key.to_vec())))
}

/// A manifest list of one manifest.
fn manifest_list(key_metadata: Option<&[u8]>) -> Vec<u8> {
    let field = r#"{"name":"key_metadata","type":["null","bytes"],"field-id":519}"#;
    one_manifest::manifest_list(field, "key_metadata", key(key_metadata))
}

/// A manifest of one data file.
fn manifest(key_metadata: Option<&[u8]>) -> Vec<u8> {
    let field = r#"{"name":"key_metadata","type":["null","bytes"],"field-id":131}"#;
    one_manifest::manifest(field, "key_metadata", vec![(DATA.to_owned(), 7, key(key_metadata))], 1)
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
    plan(one_manifest::request(&keyed(key_id), list, manifest, 1))
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
