//! What is read and written again.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use floeberg_core::value::Value;
use serde_json::{Value as Json, json};

use crate::metadata::fixture::{parsed, snapshot, v1, v2, with};
use crate::metadata::parse_table_metadata;

fn v3() -> Json {
    let document = with(with(v2(), "", "format-version", json!(3)), "", "next-row-id", json!(50));
    let document = with(
        with(document, "/snapshots/2", "first-row-id", json!(40)),
        "/snapshots/2",
        "added-rows",
        json!(10),
    );
    let document = with(document, "/snapshots/2", "key-id", json!("k1"));
    let key = json!({ "key-id": "k1", "encrypted-key-metadata": "YQ==", "properties": { "a": "b" } });
    with(document, "", "encryption-keys", json!([key]))
}

#[test]
fn v2_and_v3_are_written_as_they_were_read() {
    assert_eq!(parsed(&v2()).to_json().unwrap(), v2());
    let metadata = parsed(&v3());
    assert_eq!((metadata.next_row_id, metadata.encryption_keys.len()), (Some(50), 1));
    let snapshot = metadata.current_snapshot().unwrap();
    assert_eq!((snapshot.first_row_id, snapshot.added_rows), (Some(40), Some(10)));
    assert_eq!(snapshot.key_id.as_deref(), Some("k1"));
    assert_eq!(metadata.to_json().unwrap(), v3());
}

#[test]
fn what_is_written_reads_the_same() {
    for document in [v1(), v2(), v3()] {
        let metadata = parsed(&document);
        assert_eq!(parsed(&metadata.to_json().unwrap()), metadata);
    }
}

#[test]
fn v1_is_written_with_lists_and_single_forms() {
    let written = parsed(&v1()).to_json().unwrap();
    assert_eq!(written["schema"], written["schemas"][0]);
    assert_eq!(written["partition-spec"], written["partition-specs"][0]["fields"]);
    assert_eq!(written["last-partition-id"], json!(999));
    assert!(written.get("last-sequence-number").is_none());
    assert!(written.get("current-snapshot-id").is_none());
}

#[test]
fn v1_has_no_sequence_number_whatever_is_written() {
    let mut document = v1();
    document["last-sequence-number"] = json!(5);
    assert_eq!(parsed(&document), parsed(&v1()));
}

#[test]
fn snapshots_of_v1_have_the_sequence_number_0_once_the_table_is_upgraded() {
    let snapshot = with(snapshot(10, None, 1), "", "sequence-number", json!(null));
    let mut metadata = parsed(&with(v1(), "", "snapshots", json!([snapshot])));
    assert_eq!(metadata.to_json().unwrap()["snapshots"][0].get("sequence-number"), None);
    metadata.format_version = 2;
    assert_eq!(metadata.to_json().unwrap()["snapshots"][0]["sequence-number"], json!(0));
}

#[test]
fn unknown_keys_are_kept_at_every_object() {
    let mut document = v2();
    let field =
        json!({ "transform": "day", "source-id": 2, "direction": "desc", "null-order": "nulls-last" });
    document["sort-orders"] = json!([{ "order-id": 0, "fields": [] }, { "order-id": 1, "fields": [field] }]);
    document["statistics"] = json!([{ "snapshot-id": 10, "statistics-path": "p", "blob-metadata": [] }]);
    for parent in [
        "",
        "/schemas/0",
        "/schemas/0/fields/1",
        "/partition-specs/0",
        "/partition-specs/0/fields/0",
        "/sort-orders/1",
        "/sort-orders/1/fields/0",
        "/snapshots/1",
        "/refs/audit",
        "/snapshot-log/1",
        "/metadata-log/0",
        "/statistics/0",
    ] {
        document = with(document, parent, "x-later", json!({ "a": [1, null, 1.5], "z": {} }));
    }
    let metadata = parsed(&document);
    assert_eq!(metadata.unknown_keys.len(), 1);
    assert_eq!(metadata.to_json().unwrap(), document);
}

#[test]
fn a_transform_that_is_not_known_is_kept_as_written() {
    let fields = json!([
        { "name": "a", "transform": "bucketV2[4]", "source-ids": [1, 2], "field-id": 1000 },
        { "name": "b", "transform": "zorder(3)", "source-id": 1, "field-id": 1001 }
    ]);
    let document =
        with(with(v2(), "/partition-specs/0", "fields", fields), "", "last-partition-id", json!(1001));
    let metadata = parsed(&document);
    assert_eq!(metadata.default_spec().fields[0].source_ids, [1, 2]);
    assert_eq!(metadata.to_json().unwrap(), document);
}

#[test]
fn one_of_several_sources_is_written_as_one() {
    let field = json!({ "name": "a", "transform": "identity", "source-ids": [1], "field-id": 1000 });
    let metadata = parsed(&with(v2(), "/partition-specs/0", "fields", json!([field])));
    let written = &metadata.to_json().unwrap()["partition-specs"][0]["fields"][0];
    assert_eq!((written["source-id"].as_i64(), written.get("source-ids")), (Some(1), None));
}

#[test]
fn types_of_v3_are_read_in_v2() {
    let field = json!({ "id": 9, "name": "n", "required": false, "type": "timestamptz_ns" });
    let mut document = with(v2(), "", "last-column-id", json!(9));
    document["schemas"][1]["fields"].as_array_mut().unwrap().push(field);
    assert_eq!(parsed(&document).to_json().unwrap(), document);
}

#[test]
fn an_initial_default_is_read_in_v2() {
    let field = json!({ "id": 9, "name": "n", "required": true, "type": "long", "initial-default": 7 });
    let mut document = with(v2(), "", "last-column-id", json!(9));
    document["schemas"][1]["fields"].as_array_mut().unwrap().push(field);
    let metadata = parsed(&document);
    assert_eq!(metadata.current_schema().field(9).unwrap().initial_default, Some(Value::Long(7)));
    assert_eq!(metadata.to_json().unwrap(), document);
}

#[test]
fn gzip_is_read_whatever_the_name() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(v2().to_string().as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(parse_table_metadata(&bytes, "v1.metadata.json").unwrap(), parsed(&v2()));
}
