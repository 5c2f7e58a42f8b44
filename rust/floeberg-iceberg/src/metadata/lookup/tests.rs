#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use serde_json::json;

use crate::metadata::fixture::{parsed, v1, v2, with};

#[test]
fn ids_find_their_parts() {
    let metadata = parsed(&v2());
    assert_eq!(metadata.current_schema().schema_id(), 1);
    assert_eq!(metadata.schema(0).unwrap().fields().len(), 3);
    assert!(metadata.schema(9).is_none());
    assert_eq!(metadata.spec(0).unwrap(), metadata.default_spec());
    assert_eq!(metadata.sort_order(0).unwrap(), metadata.default_sort_order());
    assert_eq!(metadata.snapshot(20).unwrap().parent_snapshot_id, Some(10));
    assert_eq!(metadata.current_snapshot().unwrap().snapshot_id, 30);
}

#[test]
fn what_is_not_there_is_an_error_that_lists_what_is() {
    let metadata = parsed(&v2());
    let error = metadata.snapshot(40).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.message(), "the table has no snapshot 40, or it was expired; it has 30, 20, 10");
    let error = metadata.snapshot_of_ref("mian").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let expected = "the table has no branch or tag \"mian\"; it has \"audit\", \"first\", \"main\"";
    assert_eq!(error.message(), expected);
    let error = metadata.spec(3).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::InvalidData, "the table has no partition spec 3; it has 0")
    );
}

#[test]
fn an_empty_table_says_that_it_has_nothing() {
    let metadata = parsed(&v1());
    assert!(metadata.current_snapshot().is_none());
    assert!(metadata.snapshot(1).unwrap_err().message().ends_with("it has none"));
    assert!(metadata.snapshot_of_ref("main").unwrap_err().message().contains("no snapshot"));
    assert!(metadata.snapshot_as_of(i64::MAX).unwrap_err().message().contains("the snapshot log is empty"));
}

#[test]
fn a_time_finds_the_last_snapshot_that_is_not_later() {
    let metadata = parsed(&v2());
    for (timestamp_ms, expected) in
        [(1000, 10), (1999, 10), (2000, 20), (2999, 20), (3000, 30), (i64::MAX, 30)]
    {
        assert_eq!(metadata.snapshot_as_of(timestamp_ms).unwrap().snapshot_id, expected, "{timestamp_ms}");
    }
    let error = metadata.snapshot_as_of(999).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.message(),
        "no snapshot was current at 999 ms; the earliest in the snapshot log is from 1000 ms"
    );
}

#[test]
fn a_time_is_looked_up_in_the_log_and_not_among_the_snapshots() {
    let log = json!([
        { "timestamp-ms": 1000, "snapshot-id": 10 },
        { "timestamp-ms": 2000, "snapshot-id": 20 },
        { "timestamp-ms": 2500, "snapshot-id": 10 },
        { "timestamp-ms": 3000, "snapshot-id": 30 }
    ]);
    let metadata = parsed(&with(v2(), "", "snapshot-log", log));
    assert_eq!(metadata.snapshot_as_of(2600).unwrap().snapshot_id, 10);
}

#[test]
fn a_time_whose_snapshot_was_expired_is_an_error_that_names_it() {
    let log = json!([{ "timestamp-ms": 500, "snapshot-id": 5 }, { "timestamp-ms": 3000, "snapshot-id": 30 }]);
    let metadata = parsed(&with(v2(), "", "snapshot-log", log));
    let error = metadata.snapshot_as_of(700).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().starts_with("the table has no snapshot 5, or it was expired"), "{error}");
}

#[test]
fn a_snapshot_is_read_with_its_own_schema() {
    let metadata = parsed(&v2());
    let schema_of = |id| metadata.schema_for_snapshot(metadata.snapshot(id).unwrap()).unwrap().schema_id();
    assert_eq!((schema_of(10), schema_of(30)), (0, 1));
}

#[test]
fn a_snapshot_that_names_no_schema_is_read_with_the_current_one() {
    let metadata = parsed(&with(v2(), "/snapshots/0", "schema-id", json!(null)));
    let schema = metadata.schema_for_snapshot(metadata.snapshot(10).unwrap()).unwrap();
    assert_eq!(schema.schema_id(), 1);
}

#[test]
fn a_snapshot_that_names_an_absent_schema_is_an_error() {
    let metadata = parsed(&with(v2(), "/snapshots/0", "schema-id", json!(8)));
    let error = metadata.schema_for_snapshot(metadata.snapshot(10).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a snapshot names schema 8; the table has 0, 1 (snapshot: 10)");
}

#[test]
fn schemas_come_with_the_current_one_first_and_then_the_newest() {
    let mut document = v2();
    let mut later = document["schemas"][0].clone();
    later["schema-id"] = json!(2);
    document["schemas"].as_array_mut().unwrap().push(later);
    let metadata = parsed(&document);
    let ids: Vec<_> = metadata.schemas_newest_first().map(|schema| schema.schema_id()).collect();
    assert_eq!(ids, [1, 2, 0]);
}

#[test]
fn an_error_lists_no_more_names_than_fit() {
    let mut document = v2();
    for number in 0..100 {
        document["refs"][format!("tag{number:03}")] = json!({ "snapshot-id": 10, "type": "tag" });
    }
    let error = parsed(&document).snapshot_of_ref("x").unwrap_err();
    assert!(error.message().ends_with("and 83 more"), "{error}");
}
