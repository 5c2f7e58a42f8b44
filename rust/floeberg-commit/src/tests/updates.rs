use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::{RefKind, SnapshotRef, TableMetadata};
use serde_json::{Value as Json, json};

use super::kit::{Kit, append, map};
use crate::{LAST_ADDED, Previous, Requirement, Update, apply};

const LOCATION: &str = "memory://t/v1.metadata.json";

fn changed(metadata: &TableMetadata, updates: &[Update], now_ms: i64) -> TableMetadata {
    try_to_change(metadata, updates, now_ms).unwrap()
}

fn try_to_change(
    metadata: &TableMetadata,
    updates: &[Update],
    now_ms: i64,
) -> floeberg_core::Result<TableMetadata> {
    apply(Some(Previous { metadata, metadata_location: LOCATION }), &[], updates, now_ms)
}

fn with_snapshots(count: usize) -> Kit {
    let mut kit = Kit::partitioned(2, &[]);
    (0..count).for_each(|number| kit.commit(vec![append(&number.to_string(), "x")]));
    kit
}

#[test]
fn updates_and_requirements_read_as_they_were_written() {
    let documents = [
        json!({"action": "assign-uuid", "uuid": "u"}),
        json!({"action": "upgrade-format-version", "format-version": 3}),
        json!({"action": "set-current-schema", "schema-id": -1}),
        json!({"action": "set-default-spec", "spec-id": 4}),
        json!({"action": "set-default-sort-order", "sort-order-id": 4}),
        json!({"action": "add-spec", "spec": {"spec-id": 1, "fields": [
            {"name": "d", "transform": "day", "source-id": 2, "field-id": 1001}]}}),
        json!({"action": "add-sort-order", "sort-order": {"order-id": 1, "fields": [
            {"transform": "identity", "source-id": 2, "direction": "asc", "null-order": "nulls-last"}]}}),
        json!({"action": "add-schema", "schema": {"type": "struct", "schema-id": 3, "fields": [
            {"id": 1, "name": "a", "required": true, "type": "long"}]}, "last-column-id": 9}),
        json!({"action": "add-snapshot", "snapshot": {"sequence-number": 4, "snapshot-id": 5, "timestamp-ms": 6,
            "summary": {"operation": "append"}, "manifest-list": "s3://b/l.avro", "schema-id": 0}}),
        json!({"action": "set-snapshot-ref", "ref-name": "main", "snapshot-id": 5, "type": "branch",
            "max-snapshot-age-ms": 7}),
        json!({"action": "remove-snapshots", "snapshot-ids": [5, 6]}),
        json!({"action": "remove-snapshot-ref", "ref-name": "old"}),
        json!({"action": "set-location", "location": "s3://b/t"}),
        json!({"action": "set-properties", "updates": {"a": "b"}}),
        json!({"action": "remove-properties", "removals": ["a"]}),
        json!({"action": "set-statistics", "snapshot-id": 5, "statistics": {"snapshot-id": 5, "x": 1}}),
        json!({"action": "remove-statistics", "snapshot-id": 5}),
        json!({"action": "set-partition-statistics", "partition-statistics": {"snapshot-id": 5}}),
        json!({"action": "remove-partition-statistics", "snapshot-id": 5}),
        json!({"action": "remove-partition-specs", "spec-ids": [1]}),
        json!({"action": "remove-schemas", "schema-ids": [1]}),
    ];
    for document in documents {
        let update = Update::from_json(document.clone()).unwrap();
        assert_eq!(document["action"], update.action());
        assert_eq!(update.to_json().unwrap(), document);
    }
    let unknown = Update::from_json(json!({"action": "do-magic"})).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unsupported);
    for damaged in [json!({}), json!(3), json!({"action": "set-default-spec", "spec-id": "x"})] {
        assert_eq!(Update::from_json(damaged).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    let requirements = [
        json!({"type": "assert-create"}),
        json!({"type": "assert-table-uuid", "uuid": "u"}),
        json!({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 5}),
        json!({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": null}),
        json!({"type": "assert-last-assigned-field-id", "last-assigned-field-id": 5}),
        json!({"type": "assert-current-schema-id", "current-schema-id": 5}),
        json!({"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 5}),
        json!({"type": "assert-default-spec-id", "default-spec-id": 5}),
        json!({"type": "assert-default-sort-order-id", "default-sort-order-id": 5}),
    ];
    for document in requirements {
        assert_eq!(Requirement::from_json(document.clone()).unwrap().to_json(), document);
    }
    let unknown = Requirement::from_json(json!({"type": "assert-weather"})).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unsupported);
}

#[test]
fn a_requirement_that_does_not_hold_is_a_conflict_that_says_both_values() {
    let kit = with_snapshots(1);
    let metadata = kit.metadata();
    let current = metadata.current_snapshot_id;
    let uuid = metadata.table_uuid.clone().unwrap();
    let held = [
        Requirement::TableUuid(uuid.to_uppercase()),
        Requirement::RefSnapshotId("main".to_owned(), current),
        Requirement::RefSnapshotId("none".to_owned(), None),
        Requirement::LastAssignedFieldId(2),
        Requirement::CurrentSchemaId(0),
        Requirement::LastAssignedPartitionId(1000),
        Requirement::DefaultSpecId(0),
        Requirement::DefaultSortOrderId(0),
    ];
    for requirement in &held {
        requirement.check(Some(metadata)).unwrap();
    }
    let broken = [
        (Requirement::Create, false),
        (Requirement::TableUuid("other".to_owned()), false),
        (Requirement::RefSnapshotId("main".to_owned(), None), true),
        (Requirement::RefSnapshotId("none".to_owned(), current), true),
        (Requirement::LastAssignedFieldId(1), true),
        (Requirement::CurrentSchemaId(1), true),
        (Requirement::LastAssignedPartitionId(999), true),
        (Requirement::DefaultSpecId(1), true),
        (Requirement::DefaultSortOrderId(1), true),
    ];
    for (requirement, retryable) in broken {
        let error = requirement.check(Some(metadata)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CommitConflict);
        assert_eq!(error.is_retryable(), retryable, "{error}");
    }
    let error = Requirement::CurrentSchemaId(7).check(Some(metadata)).unwrap_err();
    assert!(error.to_string().contains("expected the current schema 7, found 0"), "{error}");
    Requirement::Create.check(None).unwrap();
    assert!(Requirement::DefaultSpecId(0).check(None).is_err());
}

#[test]
fn what_is_there_already_is_not_added_again() {
    let kit = with_snapshots(0);
    let metadata = kit.metadata();
    let same = Update::from_json(
        json!({"action": "add-schema", "schema": {"type": "struct", "schema-id": 9, "fields": [
        {"id": 1, "name": "id", "required": false, "type": "long"},
        {"id": 2, "name": "day", "required": false, "type": "string"}]}}),
    )
    .unwrap();
    let spec = Update::AddSpec(Arc::clone(metadata.default_spec()));
    let order = Update::AddSortOrder(Arc::clone(metadata.default_sort_order()));
    let after = changed(metadata, &[same, Update::SetCurrentSchema(LAST_ADDED), spec, order], 5);
    assert_eq!(after.schemas, metadata.schemas);
    assert_eq!(after.partition_specs, metadata.partition_specs);
    assert_eq!(after.sort_orders, metadata.sort_orders);
    let wider = Update::from_json(json!({"action": "add-schema", "last-column-id": 8, "schema": {"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "required": false, "type": "long"},
        {"id": 5, "name": "new", "required": false, "type": "string"}]}}))
    .unwrap();
    let after = changed(metadata, &[wider, Update::SetCurrentSchema(LAST_ADDED)], 5);
    assert_eq!((after.current_schema_id, after.last_column_id), (1, 8));
    assert_eq!(after.current_schema().schema_id(), 1);
    let nothing = try_to_change(metadata, &[Update::SetDefaultSpec(LAST_ADDED)], 5).unwrap_err();
    assert!(nothing.to_string().contains("but the commit added none"), "{nothing}");
    assert!(try_to_change(metadata, &[Update::SetCurrentSchema(9)], 5).is_err());
    assert!(try_to_change(metadata, &[Update::RemoveSchemas(vec![0])], 5).is_err());
    assert!(try_to_change(metadata, &[Update::RemovePartitionSpecs(vec![0])], 5).is_err());
}

#[test]
fn unknown_transforms_and_types_of_later_versions_are_not_written() {
    let kit = with_snapshots(0);
    let spec = json!({"action": "add-spec", "spec": {"spec-id": 1, "fields": [
        {"name": "d", "transform": "zorder[3]", "source-id": 2, "field-id": 1001}]}});
    let error = try_to_change(kit.metadata(), &[Update::from_json(spec).unwrap()], 5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let several = |transform: &str| {
        json!({"action": "add-spec", "spec": {"spec-id": 1, "fields": [
            {"name": "d", "transform": transform, "source-ids": [1, 2], "field-id": 1001}]}})
    };
    for transform in ["zorder[3]", "bucket[3]"] {
        let update = Update::from_json(several(transform)).unwrap();
        let error = try_to_change(kit.metadata(), std::slice::from_ref(&update), 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        let upgraded = try_to_change(kit.metadata(), &[Update::UpgradeFormatVersion(3), update], 5);
        assert_eq!(upgraded.is_ok(), transform == "zorder[3]", "{transform}");
    }
    let misfit = json!({"action": "add-spec", "spec": {"spec-id": 1, "fields": [
        {"name": "d", "transform": "day", "source-id": 1, "field-id": 1001}]}});
    let error = try_to_change(kit.metadata(), &[Update::from_json(misfit).unwrap()], 5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    let schema = json!({"action": "add-schema", "schema": {"type": "struct", "schema-id": 1, "fields": [
        {"id": 3, "name": "v", "required": false, "type": "variant"}]}});
    let error = try_to_change(kit.metadata(), &[Update::from_json(schema).unwrap()], 5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
}

#[test]
fn the_metadata_log_keeps_as_many_files_as_the_table_says() {
    let kit = with_snapshots(0);
    let mut metadata = changed(
        kit.metadata(),
        &[Update::SetProperties(map(&[("write.metadata.previous-versions-max", "3")]))],
        10,
    );
    for number in 0..5_i64 {
        let at = format!("memory://t/v{number}.metadata.json");
        let previous = Previous { metadata: &metadata, metadata_location: &at };
        let update = Update::SetProperties(map(&[("n", &number.to_string())]));
        metadata = apply(Some(previous), &[], &[update], i64::MAX - 10 + number).unwrap();
    }
    let files: Vec<_> = metadata.metadata_log.iter().map(|entry| entry.metadata_file.as_str()).collect();
    assert_eq!(
        files,
        ["memory://t/v2.metadata.json", "memory://t/v3.metadata.json", "memory://t/v4.metadata.json"]
    );
}

#[test]
fn time_goes_forward_in_a_table_whatever_clocks_say() {
    let kit = with_snapshots(1);
    let before = kit.metadata().last_updated_ms;
    let after = changed(kit.metadata(), &[Update::SetProperties(map(&[("a", "b")]))], 5);
    assert_eq!(after.last_updated_ms, before);
}

#[test]
fn the_snapshot_log_forgets_what_was_before_a_snapshot_that_is_gone() {
    let kit = with_snapshots(4);
    let metadata = kit.metadata();
    let ids: Vec<i64> = metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
    let after = changed(metadata, &[Update::RemoveSnapshots(vec![ids[1]])], 5);
    let log: Vec<i64> = after.snapshot_log.iter().map(|entry| entry.snapshot_id).collect();
    assert_eq!(log, ids[2..]);
    assert_eq!(after.snapshots.len(), 3);
    let back = Update::SetSnapshotRef("main".to_owned(), SnapshotRef::new(ids[0], RefKind::Branch));
    let after = changed(metadata, std::slice::from_ref(&back), metadata.last_updated_ms + 7);
    assert_eq!(after.current_snapshot_id, Some(ids[0]));
    let last = after.snapshot_log.last().unwrap();
    assert_eq!((last.snapshot_id, last.timestamp_ms), (ids[0], metadata.last_updated_ms + 7));
    let gone = changed(metadata, &[Update::RemoveSnapshots(ids.clone())], 5);
    assert!(gone.refs.is_empty() && gone.snapshot_log.is_empty() && gone.current_snapshot_id.is_none());
    assert!(try_to_change(&gone, &[back], 5).unwrap_err().to_string().contains("does not have"));
}

#[test]
fn statistics_are_one_file_a_snapshot_and_go_with_it() {
    let kit = with_snapshots(2);
    let id = kit.metadata().snapshots[0].snapshot_id;
    let file = |path: &str| json!({"snapshot-id": id, "statistics-path": path});
    let set =
        |path: &str| [Update::SetStatistics(id, file(path)), Update::SetPartitionStatistics(id, file(path))];
    let metadata = changed(kit.metadata(), &set("a"), 5);
    let metadata = changed(&metadata, &set("b"), 5);
    assert_eq!((&metadata.statistics, &metadata.partition_statistics), (&vec![file("b")], &vec![file("b")]));
    let without = changed(&metadata, &[Update::RemoveStatistics(id)], 5);
    assert_eq!((without.statistics.len(), without.partition_statistics.len()), (0, 1));
    let gone = changed(&metadata, &[Update::RemoveSnapshots(vec![id])], 5);
    assert_eq!((gone.statistics, gone.partition_statistics), (Vec::<Json>::new(), Vec::new()));
}

#[test]
fn a_snapshot_comes_once_and_in_order() {
    let kit = with_snapshots(2);
    let metadata = kit.metadata();
    let known = Arc::clone(&metadata.snapshots[1]);
    let again = try_to_change(metadata, &[Update::AddSnapshot(Arc::clone(&known))], 5).unwrap_err();
    assert!(again.to_string().contains("has a snapshot with this id"), "{again}");
    let mut late = known.as_ref().clone();
    late.snapshot_id += 1;
    let error = try_to_change(metadata, &[Update::AddSnapshot(Arc::new(late.clone()))], 5).unwrap_err();
    assert!(error.to_string().contains("expected a sequence number after 2, found 2"), "{error}");
    let v3 = changed(metadata, &[Update::UpgradeFormatVersion(3)], 5);
    late.sequence_number = 3;
    let error = try_to_change(&v3, &[Update::AddSnapshot(Arc::new(late.clone()))], 5).unwrap_err();
    assert!(error.to_string().contains("needs first-row-id and added-rows"), "{error}");
    for (first, added) in [(-1, 1), (i64::MAX, 1), (0, -1)] {
        (late.first_row_id, late.added_rows) = (Some(first), Some(added));
        assert!(try_to_change(&v3, &[Update::AddSnapshot(Arc::new(late.clone()))], 5).is_err());
    }
    (late.first_row_id, late.added_rows) = (Some(5), Some(2));
    assert_eq!(changed(&v3, &[Update::AddSnapshot(Arc::new(late))], 5).next_row_id, Some(7));
}
