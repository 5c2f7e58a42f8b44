use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use crate::manifest::tests::document::document;
use crate::metadata::{TableMetadata, parse_table_metadata};
use crate::plan::Appends;
use crate::plan::explain::Dropped;

/// A table of snapshots as (id, parent, operation), the last of which is current.
fn table(snapshots: &[(i64, Option<i64>, Option<&str>)]) -> TableMetadata {
    let snapshot = |(id, parent, operation): &(i64, Option<i64>, Option<&str>)| {
        let summary = operation.map_or(json!({}), |operation| json!({ "operation": operation }));
        json!({
            "snapshot-id": id,
            "parent-snapshot-id": parent,
            "sequence-number": id,
            "timestamp-ms": id,
            "summary": summary,
            "manifest-list": format!("memory://t/{id}.avro"),
        })
    };
    let more = json!({
        "current-snapshot-id": snapshots.last().map(|(id, ..)| id),
        "snapshots": snapshots.iter().map(snapshot).collect::<Vec<Json>>(),
    });
    let document = document(2, 9, more);
    parse_table_metadata(document.to_string().as_bytes(), "memory://t/metadata").unwrap()
}

fn ids(metadata: &TableMetadata, after: Option<i64>, last: i64) -> Result<Vec<i64>> {
    let appends = Appends::between(metadata, after, metadata.snapshot(last)?)?;
    Ok(appends.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect())
}

/// 1 - 2 - 3 - 4 - 5, where 3 overwrites and 4 deletes, and 6 and 7 branch off 2.
fn history() -> TableMetadata {
    table(&[
        (1, None, Some("append")),
        (2, Some(1), Some("append")),
        (6, Some(2), Some("append")),
        (7, Some(6), Some("replace")),
        (3, Some(2), Some("overwrite")),
        (4, Some(3), Some("delete")),
        (5, Some(4), Some("append")),
    ])
}

#[test]
fn a_range_excludes_its_first_snapshot_and_includes_its_last() {
    let table = history();
    assert_eq!(ids(&table, Some(1), 2).unwrap(), [2]);
    assert_eq!(ids(&table, Some(1), 5).unwrap(), [2, 5]);
    assert_eq!(ids(&table, Some(4), 5).unwrap(), [5]);
    assert_eq!(ids(&table, Some(2), 4).unwrap(), [0; 0]);
    assert_eq!(ids(&table, Some(5), 5).unwrap(), [0; 0]);
}

#[test]
fn without_a_first_snapshot_all_ancestors_count() {
    assert_eq!(ids(&history(), None, 5).unwrap(), [1, 2, 5]);
    assert_eq!(ids(&history(), None, 1).unwrap(), [1]);
}

#[test]
fn only_the_ancestry_of_the_last_snapshot_counts() {
    let table = history();
    assert_eq!(ids(&table, Some(1), 7).unwrap(), [2, 6]);
    for (after, last) in [(6, 5), (5, 2), (7, 6), (99, 5)] {
        let error = ids(&table, Some(after), last).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.message(), format!("snapshot {after} is not an ancestor of snapshot {last}"));
    }
}

#[test]
fn an_expired_snapshot_can_be_the_first_if_the_next_one_names_it() {
    let table = table(&[(2, Some(1), Some("append")), (3, Some(2), Some("append"))]);
    assert_eq!(ids(&table, Some(1), 3).unwrap(), [2, 3]);
    assert_eq!(ids(&table, None, 3).unwrap(), [2, 3]);
    assert_eq!(ids(&table, Some(0), 3).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_snapshot_that_does_not_say_what_it_did_is_an_error_within_a_range_only() {
    let table = table(&[(1, None, None), (2, Some(1), Some("append"))]);
    assert_eq!(ids(&table, Some(1), 2).unwrap(), [2]);
    let error = ids(&table, None, 2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.context(), [("snapshot", "1".to_owned())]);
}

#[test]
fn parents_in_a_loop_end() {
    let table = table(&[(1, Some(2), Some("append")), (2, Some(1), Some("append"))]);
    assert_eq!(ids(&table, None, 2).unwrap(), [1, 2]);
    assert_eq!(ids(&table, Some(1), 2).unwrap(), [2]);
}

#[test]
fn the_account_names_what_other_snapshots_did() {
    let table = history();
    let stage = Appends::between(&table, None, table.snapshot(5).unwrap()).unwrap().stage();
    let dropped = |by: &str| Dropped {
        by: by.to_owned(),
        reason: "operation",
        columns: Vec::new(),
        count: 1,
        files: Vec::new(),
    };
    assert_eq!((stage.entered, stage.kept), (5, 3));
    assert_eq!(stage.dropped, [dropped("delete"), dropped("overwrite")]);
}
