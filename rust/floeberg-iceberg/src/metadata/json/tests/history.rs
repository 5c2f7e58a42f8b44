//! Snapshots and the snapshot log stay text: what is read of them, and what is written again.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::super::table::{parse_usual, parse_whole};
use crate::metadata::fixture::{parsed, refused, snapshot, v1, v2, with};
use crate::metadata::{SnapshotManifests, TableMetadata};

const HEAD: &str = "/snapshots/2";

/// The text with the last snapshot spelled so.
fn spelled(last: &str) -> String {
    let text = v2().to_string();
    let snapshot = snapshot(30, Some(20), 3).to_string();
    assert!(text.contains(&snapshot));
    text.replace(&snapshot, last)
}

/// The summary of the last snapshot.
fn summary(metadata: &TableMetadata) -> BTreeMap<String, String> {
    BTreeMap::clone(&metadata.snapshots.last().unwrap().summary)
}

#[test]
fn whatever_is_read_as_text_reads_the_same_when_taken_apart() {
    let changes = [
        ("summary", json!({ "operation": "append", "a \" b": "\u{1F9CA}", "empty": "" })),
        ("summary", json!({})),
        ("summary", json!({ "operation": "append" })),
        ("summary", (0..100).map(|at| (format!("k{at}"), json!("v"))).collect::<Json>()),
        ("key-id", json!("k1")),
        ("manifests", json!(["a", "b"])),
        ("unknown", json!({ "deep": [[[]]] })),
        ("first-row-id", json!(0)),
        ("added-rows", json!(i64::MAX)),
        ("schema-id", json!(-1)),
        ("timestamp-ms", json!(i64::MIN)),
    ];
    for (key, value) in changes {
        let text = with(v2(), HEAD, key, value).to_string();
        let apart = parse_usual(text.as_bytes()).unwrap();
        let whole = parse_whole(text.as_bytes()).unwrap();
        assert_eq!(apart, whole, "{key}");
        assert_eq!(apart.to_json().unwrap(), whole.to_json().unwrap(), "{key}");
        let again = parse_whole(apart.to_text().unwrap().as_bytes()).unwrap();
        assert_eq!(again, whole, "{key}");
    }
}

#[test]
fn nulls_count_as_absent() {
    let keys = [
        "parent-snapshot-id",
        "sequence-number",
        "summary",
        "schema-id",
        "first-row-id",
        "added-rows",
        "key-id",
        "manifests",
    ];
    for key in keys {
        let mut document = v2();
        document["snapshots"][2][key] = Json::Null;
        let text = document.to_string();
        let apart = parse_usual(text.as_bytes()).unwrap();
        assert_eq!(apart, parse_whole(text.as_bytes()).unwrap(), "{key}");
    }
    for key in ["snapshots", "snapshot-log"] {
        let mut document = with(v2(), "", "current-snapshot-id", json!(-1));
        document["refs"] = json!({});
        document[key] = Json::Null;
        parsed(&document);
    }
}

#[test]
fn what_is_wrong_is_found_when_the_table_is_opened() {
    let wrong = [
        ("summary", json!({ "added-records": 1 })),
        ("summary", json!({ "a": null })),
        ("summary", json!(["a"])),
        ("summary", json!("a")),
        ("snapshot-id", json!("30")),
        ("snapshot-id", json!(20)),
        ("snapshot-id", json!(30.0)),
        ("timestamp-ms", json!(u64::MAX)),
        ("schema-id", json!(1_i64 << 31)),
        ("manifest-list", json!(7)),
        ("manifest-list", json!(null)),
    ];
    for (key, value) in wrong {
        let document = with(v2(), HEAD, key, value.clone());
        assert!(parse_usual(document.to_string().as_bytes()).is_none(), "{key}: {value}");
        let error = refused(&document);
        assert!(error.message().starts_with("table metadata: snapshots"), "{error}");
    }
    let error = refused(&with(v2(), "/snapshot-log/1", "timestamp-ms", json!("2000")));
    assert!(error.message().starts_with("table metadata: snapshot-log[1].timestamp-ms"), "{error}");
}

#[test]
fn a_key_that_occurs_twice_is_refused_in_a_snapshot_too() {
    for twice in [
        r#"{"snapshot-id":30,"snapshot-id":31,"sequence-number":3,"timestamp-ms":3000,"manifest-list":"l"}"#,
        r#"{"snapshot-id":30,"sequence-number":3,"timestamp-ms":3000,"manifest-list":"l","summary":{"a":"1","a":"2"}}"#,
        r#"{"snapshot-id":30,"sequence-number":3,"timestamp-ms":3000,"manifest-list":"l","summary":{"a":"1","\u0061":"2"}}"#,
        r#"{"snapshot-id":30,"sequence-number":3,"timestamp-ms":3000,"manifest-list":"l","x":{"a":1,"a":2}}"#,
    ] {
        let text = spelled(twice);
        assert!(parse_usual(text.as_bytes()).is_none(), "{twice}");
        let error = parse_whole(text.as_bytes()).unwrap_err();
        assert!(error.message().contains("occurs twice"), "{error}");
    }
    let text = v2().to_string().replacen('{', r#"{"snapshots":[],"#, 1);
    assert!(parse_usual(text.as_bytes()).is_none());
    parse_whole(text.as_bytes()).unwrap_err();
}

#[test]
fn a_summary_is_found_by_keys_however_they_are_spelled() {
    let text = spelled(
        r#"{ "manifest-list" : "l" , "summary" : { "operation":"delete", "\u0061b" : "1", "c":"\n" },
            "timestamp-ms":3000, "sequence-number":3, "snapshot-id":30 , "parent-snapshot-id":20 }"#,
    );
    let metadata = parse_usual(text.as_bytes()).unwrap();
    let head = metadata.current_snapshot().unwrap();
    assert_eq!(head.operation.as_deref(), Some("delete"));
    assert_eq!(head.manifests, SnapshotManifests::List("l".to_owned()));
    assert_eq!(head.summary.get("absent"), None);
    assert_eq!(head.summary.get("ab").map(String::as_str), Some("1"));
    assert_eq!(head.summary.get("operation"), None);
    let mut seen = Vec::new();
    metadata.snapshots[0]
        .summary
        .visit(|key, value| {
            seen.push((key.to_owned(), value.to_owned()));
            Ok::<_, ()>(())
        })
        .unwrap();
    assert_eq!(seen, [("added-records".to_owned(), "1".to_owned())]);
    assert_eq!(metadata.snapshots[0].summary.visit(|_, _| Err(7)), Err(7));
    assert_eq!(summary(&metadata), BTreeMap::from([("ab".into(), "1".into()), ("c".into(), "\n".into())]));
}

#[test]
fn snapshots_are_written_as_they_were() {
    let last = r#"{"summary" : {"z":"1", "a":"2"}, "snapshot-id":30,"sequence-number":3,"timestamp-ms":3000,"manifest-list":"l"}"#;
    let metadata = parsed_text(&spelled(last));
    assert!(metadata.to_text().unwrap().contains(last));
    assert_eq!(parsed_text(&metadata.to_text().unwrap()), metadata);
    let mut changed = (*metadata.snapshots[2]).clone();
    changed.snapshot_id = 31;
    let emitted = super::super::emit_snapshot(&changed, 2);
    assert_eq!(emitted["snapshot-id"], json!(31));
    // A copy has no text: it may have been changed.
    assert!(changed.text.0.is_none());
}

#[test]
fn snapshots_of_an_upgraded_table_get_a_sequence_number() {
    let mut document = v1();
    let mut old = snapshot(10, None, 1);
    old.as_object_mut().unwrap().shift_remove("sequence-number");
    document["snapshots"] = json!([old]);
    document["current-snapshot-id"] = json!(10);
    document["snapshot-log"] = json!([{ "timestamp-ms": 1000, "snapshot-id": 10, "unknown": true }]);
    let mut metadata = parsed(&document);
    assert!(!metadata.to_text().unwrap().contains("sequence-number"));
    metadata.format_version = 2;
    metadata.table_uuid = Some("9c12d441-03fe-4693-9a96-a0705ddf69c1".to_owned());
    let text = metadata.to_text().unwrap();
    assert!(text.contains(r#""snapshots":[{"sequence-number":0,"#), "{text}");
    assert!(text.contains(r#""snapshot-id":10,"unknown":true"#), "{text}");
    assert_eq!(text, metadata.to_json().unwrap().to_string());
}

#[test]
fn text_and_json_say_the_same() {
    for document in [v1(), v2()] {
        let metadata = parsed(&document);
        let text: Json = serde_json::from_str(&metadata.to_text().unwrap()).unwrap();
        assert_eq!(text, metadata.to_json().unwrap());
    }
}

fn parsed_text(text: &str) -> TableMetadata {
    parse_whole(text.as_bytes()).unwrap();
    parse_usual(text.as_bytes()).unwrap()
}
