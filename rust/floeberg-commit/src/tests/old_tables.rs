//! Tables of v1 as old writers left them.

use std::sync::Arc;

use floeberg_iceberg::metadata::{TableMetadata, parse_table_metadata};
use serde_json::json;

use super::kit::{Kit, append, delete, merge_append};
use crate::Operation;

/// The same table, with its metadata changed by hand.
fn with_metadata(kit: &mut Kit, change: impl FnOnce(&mut serde_json::Value)) {
    let table = kit.table.clone().unwrap();
    let mut json = table.metadata().to_json().unwrap();
    change(&mut json);
    let location = table.metadata_location().to_owned();
    let metadata: TableMetadata = parse_table_metadata(json.to_string().as_bytes(), &location).unwrap();
    kit.table = Some(table.moved_on(Arc::new(metadata), location).unwrap());
}

/// A table of v1 whose snapshot names its manifests itself.
fn without_list() -> Kit {
    let mut kit = Kit::partitioned(1, &[("commit.manifest.min-count-to-merge", "2")]);
    kit.commit(vec![append("a", "x"), append("b", "y")]);
    let paths: Vec<String> = kit.manifests().into_iter().map(|manifest| manifest.manifest_path).collect();
    with_metadata(&mut kit, |json| {
        let snapshots = json["snapshots"].as_array_mut().unwrap();
        snapshots.remove(0);
        let snapshot = snapshots[0].as_object_mut().unwrap();
        snapshot.shift_remove("manifest-list");
        snapshot.shift_remove("summary");
        snapshot.insert("manifests".to_owned(), json!(paths));
    });
    kit
}

#[test]
fn manifests_that_a_snapshot_names_itself_are_counted_and_listed() {
    let mut kit = without_list();
    kit.commit(vec![append("c", "x")]);
    assert_eq!(kit.live_paths(), ["a", "b", "c"]);
    for manifest in kit.manifests() {
        assert!(manifest.added_snapshot_id.is_some());
        assert_eq!((manifest.added_files_count, manifest.added_rows_count), (Some(1), Some(10)));
    }
    assert_eq!(kit.said("total-records"), None, "totals that were not told before are not told");
    assert_eq!(kit.said("added-records"), Some("10"));
}

#[test]
fn they_are_merged_and_filtered_like_any_other() {
    let mut kit = without_list();
    kit.commit(vec![merge_append("c", "x")]);
    assert_eq!(kit.manifests().len(), 1);
    let mut kit = without_list();
    kit.commit(vec![delete("day = 'x'")]);
    assert_eq!(kit.live_paths(), ["b"]);
}

#[test]
fn they_are_upgraded_once_no_snapshot_names_its_manifests_itself() {
    let mut kit = without_list();
    for version in [2, 3] {
        let error = kit.refused(Operation::UpgradeFormatVersion(version));
        assert!(error.message().contains("lists its manifests in the metadata file"), "{error}");
    }
    kit.commit(vec![append("c", "x")]);
    with_metadata(&mut kit, |json| {
        json["snapshots"].as_array_mut().unwrap().retain(|snapshot| snapshot.get("manifests").is_none());
    });
    kit.commit(vec![Operation::UpgradeFormatVersion(2), append("d", "x")]);
    let live = [("a".to_owned(), 0), ("b".to_owned(), 0), ("c".to_owned(), 0), ("d".to_owned(), 1)];
    assert_eq!(kit.live(), live.into());
    kit.commit(vec![Operation::UpgradeFormatVersion(3), append("e", "x")]);
    assert_eq!(kit.metadata().next_row_id, Some(50));
    kit.commit(vec![delete("day = 'x'")]);
    assert_eq!(kit.live_paths(), ["b"]);
}

#[test]
fn a_table_without_a_uuid_gets_one_when_it_is_upgraded() {
    let mut kit = Kit::partitioned(1, &[]);
    with_metadata(&mut kit, |json| drop(json.as_object_mut().unwrap().shift_remove("table-uuid")));
    kit.commit(vec![append("a", "x")]);
    assert_eq!(kit.metadata().table_uuid, None);
    kit.commit(vec![Operation::UpgradeFormatVersion(3)]);
    assert!(kit.metadata().table_uuid.is_some());
}
