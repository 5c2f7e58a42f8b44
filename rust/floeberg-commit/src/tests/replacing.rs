//! Tables that replace others keep their history, and ids.

use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_core::transform::Transform;
use floeberg_iceberg::metadata::declare_table;
use serde_json::{Value as Json, json};

use super::kit::{Kit, append, rename, set_current};
use crate::{NewTable, Operation};

/// Another table: of `day`, `note` and `id`.
fn replace(kit: &Kit, partitions: &Json, format_version: u8) -> Operation {
    let schema = json!({ "type": "struct", "schema-id": 0, "identifier-field-ids": [3], "fields": [
        { "id": 1, "name": "day", "required": false, "type": "string" },
        { "id": 2, "name": "note", "required": false, "type": "string" },
        { "id": 3, "name": "id", "required": true, "type": "long" }
    ] });
    Operation::ReplaceTable(Box::new(NewTable {
        declared: declare_table(&schema, partitions, &json!(["note"]), format_version).unwrap(),
        location: kit.location.clone(),
        properties: BTreeMap::from([("owner".to_owned(), "jo".to_owned())]),
        format_version,
        uuid: None,
    }))
}

#[test]
fn a_replaced_table_keeps_its_history_and_its_ids() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[("kept", "yes")]);
        kit.commit(vec![append("memory://f/1", "a")]);
        let before = kit.metadata().clone();
        let operation = replace(&kit, &json!(["note", "day"]), version);
        kit.commit(vec![operation]);
        let after = kit.metadata();
        assert_eq!((&after.table_uuid, after.format_version), (&before.table_uuid, version));
        assert_eq!((after.snapshots.len(), after.current_snapshot_id), (1, None));
        let ids: Vec<_> =
            after.current_schema().fields().iter().map(|field| (field.name.as_str(), field.id)).collect();
        assert_eq!(ids, [("day", 2), ("note", 3), ("id", 1)]);
        assert_eq!(after.current_schema().identifier_field_ids(), [1]);
        assert_eq!((after.last_column_id, after.schemas.len()), (3, 2));
        // The field of the day keeps its id, and the new one gets the next.
        let fields: Vec<_> =
            after.default_spec().fields.iter().map(|field| (field.name.as_str(), field.field_id)).collect();
        assert_eq!(fields, [("note", 1001), ("day", 1000)]);
        assert_eq!(after.default_sort_order().fields[0].source_ids, [3]);
        assert_eq!((after.properties["kept"].as_str(), after.properties["owner"].as_str()), ("yes", "jo"));
        assert_eq!(after.snapshot_log, before.snapshot_log, "what was current once is still known");
        let last = after.last_sequence_number;
        assert_eq!(last, before.last_sequence_number, "numbers go on");
    }
}

#[test]
fn a_column_of_another_type_is_another_column() {
    let mut kit = Kit::partitioned(2, &[]);
    let schema = json!({ "type": "struct", "schema-id": 0, "fields": [
        { "id": 1, "name": "day", "required": false, "type": "date" },
        { "id": 2, "name": "id", "required": false, "type": "long" }
    ] });
    kit.commit(vec![Operation::ReplaceTable(Box::new(NewTable {
        declared: declare_table(&schema, &json!(["day"]), &Json::Null, 2).unwrap(),
        location: kit.location.clone(),
        properties: BTreeMap::new(),
        format_version: 2,
        uuid: None,
    }))]);
    let fields = kit.metadata().current_schema().fields();
    assert_eq!((fields[0].id, fields[1].id), (3, 1));
    let partition = &kit.metadata().default_spec().fields[0];
    assert_eq!((partition.field_id, partition.source_ids.as_slice()), (1001, [3].as_slice()));
}

#[test]
fn fields_of_a_replaced_table_of_version_1_stay_as_void_ones() {
    let mut kit = Kit::partitioned(1, &[]);
    let operation = replace(&kit, &json!(["note"]), 1);
    kit.commit(vec![operation]);
    let fields: Vec<_> = kit.metadata().default_spec().fields.clone();
    assert_eq!((fields[0].transform.clone(), fields[0].field_id), (Transform::Void, 1000));
    assert_eq!((fields[1].name.as_str(), fields[1].field_id), ("note", 1001));
}

#[test]
fn a_replacement_is_made_again_on_new_rows_and_conflicts_with_new_columns() {
    let mut kit = Kit::partitioned(2, &[]);
    let commit = kit.begin(vec![replace(&kit, &json!([]), 2)], "k");
    kit.commit(vec![append("memory://f/1", "a")]);
    let attempt = kit.attempt(&commit).unwrap();
    assert_eq!(attempt.metadata().current_snapshot_id, None);
    assert_eq!(attempt.metadata().snapshots.len(), 1, "what others wrote stays in the history");
    kit.commit(vec![rename("id", "number")]);
    assert_eq!(kit.attempt(&commit).unwrap_err().kind(), ErrorKind::CommitConflict);
    let lower = replace(&kit, &json!([]), 1);
    assert_eq!(kit.refused(lower).kind(), ErrorKind::InvalidInput);
}

#[test]
fn replacing_survives_a_journey() {
    let kit = Kit::partitioned(2, &[]);
    let mut operation = replace(&kit, &json!(["day"]), 2);
    assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    if let Operation::ReplaceTable(table) = &mut operation {
        table.uuid = Some("u".to_owned());
    }
    assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
}

#[test]
fn a_branch_is_not_set_to_values_that_would_read_as_null() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("memory://f/1", "a")]);
    let old = kit.metadata().current_snapshot_id.unwrap();
    let schema = json!({ "type": "struct", "schema-id": 0, "fields": [
        { "id": 1, "name": "day", "required": false, "type": "date" },
        { "id": 2, "name": "id", "required": false, "type": "long" }
    ] });
    kit.commit(vec![Operation::ReplaceTable(Box::new(NewTable {
        declared: declare_table(&schema, &json!([]), &Json::Null, 2).unwrap(),
        location: kit.location.clone(),
        properties: BTreeMap::new(),
        format_version: 2,
        uuid: None,
    }))]);
    let error = kit.refused(set_current(old));
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("\"day\" (string then, date now)"), "{error}");
    // The same columns in another order are no hindrance.
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("memory://f/1", "a")]);
    let old = kit.metadata().current_snapshot_id.unwrap();
    let operation = replace(&kit, &json!([]), 2);
    kit.commit(vec![operation]);
    kit.commit(vec![set_current(old)]);
    assert_eq!(kit.metadata().current_snapshot_id, Some(old));
}
