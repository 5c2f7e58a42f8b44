#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::json;

use crate::metadata::HistoryEntry;
use crate::metadata::fixture::{parsed, snapshot, v2, with};

fn ids(metadata: &crate::metadata::TableMetadata, id: i64) -> Vec<i64> {
    metadata.ancestors_of(id).iter().map(|snapshot| snapshot.snapshot_id).collect()
}

#[test]
fn ancestors_are_the_snapshot_and_its_parents_newest_first() {
    let metadata = parsed(&v2());
    assert_eq!(ids(&metadata, 30), [30, 20, 10]);
    assert_eq!(ids(&metadata, 20), [20, 10]);
    assert!(ids(&metadata, 77).is_empty());
}

#[test]
fn a_branch_that_is_not_there_begins_at_what_main_has() {
    let metadata = parsed(&v2());
    let ids = |branch| metadata.snapshots_of(branch).iter().map(|each| each.snapshot_id).collect::<Vec<_>>();
    let main = metadata.current_snapshot_id.unwrap();
    assert_eq!(ids("main").first(), Some(&main));
    assert_eq!(ids("new"), ids("main"));
}

#[test]
fn ancestors_end_where_a_parent_was_expired() {
    let metadata = parsed(&with(v2(), "/snapshots/1", "parent-snapshot-id", json!(9)));
    assert_eq!(ids(&metadata, 30), [30, 20]);
}

#[test]
fn a_loop_of_parents_ends() {
    let metadata = parsed(&with(v2(), "/snapshots/0", "parent-snapshot-id", json!(30)));
    assert_eq!(ids(&metadata, 30), [30, 20, 10]);
    let metadata = parsed(&with(v2(), "/snapshots/0", "parent-snapshot-id", json!(10)));
    assert_eq!(ids(&metadata, 10), [10]);
}

#[test]
fn history_is_the_log_and_says_what_was_rolled_back() {
    let mut document = with(v2(), "", "refs", json!(null));
    document["snapshots"] =
        json!([snapshot(10, None, 1), snapshot(20, Some(10), 2), snapshot(30, Some(10), 3)]);
    document["snapshot-log"] = json!([
        { "timestamp-ms": 500, "snapshot-id": 5 },
        { "timestamp-ms": 1000, "snapshot-id": 10 },
        { "timestamp-ms": 2000, "snapshot-id": 20 },
        { "timestamp-ms": 2500, "snapshot-id": 10 },
        { "timestamp-ms": 3000, "snapshot-id": 30 }
    ]);
    let entry = |made_current_at_ms, snapshot_id, parent_id, is_current_ancestor| HistoryEntry {
        made_current_at_ms,
        snapshot_id,
        parent_id,
        is_current_ancestor,
    };
    let expected = [
        entry(500, 5, None, false),
        entry(1000, 10, None, true),
        entry(2000, 20, Some(10), false),
        entry(2500, 10, None, true),
        entry(3000, 30, Some(10), true),
    ];
    assert_eq!(parsed(&document).history(), expected);
}

#[test]
fn a_long_line_of_ancestors_is_walked_in_time() {
    let mut document = with(with(v2(), "", "refs", json!(null)), "", "current-snapshot-id", json!(20_000));
    let snapshots: Vec<_> = (1..=20_000).map(|id| snapshot(id, Some(id - 1), id)).collect();
    document["snapshots"] = json!(snapshots);
    assert_eq!(parsed(&document).ancestors_of(20_000).len(), 20_000);
}
