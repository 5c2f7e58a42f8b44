use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use super::kit::{Kit, append, map};
use crate::{Operation, Requirement};

fn update(changes: &Json) -> Operation {
    Operation::UpdateSchema(json!({ "changes": changes }))
}

fn add(name: &str) -> Operation {
    update(&json!([{"change": "add-column", "name": name, "type": "int"}]))
}

fn names(kit: &Kit) -> Vec<String> {
    kit.metadata()
        .current_schema()
        .fields()
        .iter()
        .map(|field| format!("{} {}", field.id, field.name))
        .collect()
}

#[test]
fn a_changed_schema_is_added_and_becomes_the_current_one() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("a", "x")]);
    kit.commit(vec![add("n")]);
    assert_eq!(names(&kit), ["1 id", "2 day", "3 n"]);
    let metadata = kit.metadata();
    assert_eq!((metadata.schemas.len(), metadata.current_schema_id, metadata.last_column_id), (2, 1, 3));
    assert_eq!(metadata.snapshots.len(), 1, "no rows changed");
    kit.commit(vec![update(&json!([{"change": "delete-column", "name": "n"}]))]);
    assert_eq!(
        (kit.metadata().schemas.len(), kit.metadata().current_schema_id),
        (2, 0),
        "an equal schema is taken again"
    );
    kit.commit(vec![add("n")]);
    assert_eq!(names(&kit), ["1 id", "2 day", "4 n"], "no id is given twice");
}

#[test]
fn a_change_is_made_again_on_the_columns_of_another_writer() {
    let mut kit = Kit::partitioned(2, &[]);
    let slow = kit.begin(vec![add("mine")], "slow");
    let first = kit.attempt(&slow).unwrap();
    kit.commit(vec![add("theirs")]);
    let conflict = |requirement: &Requirement| requirement.check(Some(kit.metadata())).is_err();
    assert!(first.requirements().iter().any(conflict));
    let second = kit.attempt(&slow).unwrap();
    kit.take(&second);
    assert_eq!(names(&kit), ["1 id", "2 day", "3 theirs", "4 mine"]);
}

#[test]
fn a_change_that_another_writer_made_impossible_is_a_conflict() {
    let mut kit = Kit::partitioned(2, &[]);
    let slow = kit.begin(vec![add("n")], "slow");
    kit.commit(vec![add("n")]);
    let error = kit.attempt(&slow).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false));
    assert!(error.message().contains("another writer changed the columns"), "{error}");
    assert_eq!(kit.refused(add("n")).kind(), ErrorKind::InvalidInput, "nobody else is at fault");
}

#[test]
fn files_stand_with_the_columns_that_they_were_written_for() {
    let mut kit = Kit::partitioned(2, &[]);
    let slow = kit.begin(vec![add("mine"), append("a", "x")], "slow");
    kit.attempt(&slow).unwrap();
    kit.commit(vec![update(&json!([{"change": "update-doc", "name": "id", "doc": "d"}]))]);
    kit.attempt(&slow).unwrap();
    kit.commit(vec![add("theirs")]);
    let error = kit.attempt(&slow).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false));
    assert!(error.message().contains("write the rows again"), "{error}");

    kit.commit(vec![add("more"), append("b", "x")]);
    let snapshot = kit.metadata().current_snapshot().unwrap();
    assert_eq!(snapshot.schema_id, Some(kit.metadata().current_schema_id));
}

#[test]
fn what_properties_say_of_columns_goes_with_them() {
    let mode = "write.metadata.metrics.column.";
    let bloom = "write.parquet.bloom-filter-enabled.column.";
    let properties =
        [(format!("{mode}id"), "full"), (format!("{bloom}n"), "true"), (format!("{mode}other"), "none")];
    let properties: Vec<(&str, &str)> =
        properties.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let mut kit = Kit::partitioned(2, &properties);
    kit.commit(vec![add("n")]);
    kit.commit(vec![update(&json!([
        {"change": "rename-column", "name": "id", "new-name": "key"},
        {"change": "delete-column", "name": "n"},
    ]))]);
    let (key, other) = (format!("{mode}key"), format!("{mode}other"));
    assert_eq!(kit.metadata().properties, map(&[(key.as_str(), "full"), (other.as_str(), "none")]));
}

#[test]
fn files_without_ids_are_mapped_by_old_names_and_new_ones() {
    let mapping = "schema.name-mapping.default";
    let mapped = |kit: &Kit| kit.metadata().properties[mapping].clone();
    let text = r#"[{"field-id":1,"names":["id"]},{"field-id":2,"names":["day"]}]"#;
    let mut kit = Kit::partitioned(2, &[(mapping, text)]);
    let slow = kit.begin(vec![add("n")], "slow");
    kit.commit(vec![
        update(&json!([{"change": "rename-column", "name": "id", "new-name": "key"}])),
        add("more"),
    ]);
    let renamed = r#"[{"field-id":1,"names":["id","key"]},{"field-id":2,"names":["day"]},{"field-id":3,"names":["more"]}"#;
    assert_eq!(mapped(&kit), format!("{renamed}]"));
    let second = kit.attempt(&slow).unwrap();
    kit.take(&second);
    assert_eq!(
        mapped(&kit),
        format!(r#"{renamed},{{"field-id":4,"names":["n"]}}]"#),
        "on the newest mapping"
    );
    let before = mapped(&kit);
    kit.commit(vec![update(&json!([{"change": "move-first", "name": "n"}]))]);
    assert_eq!(mapped(&kit), before);
}

#[test]
fn what_changes_nothing_is_no_change() {
    let mut kit = Kit::partitioned(2, &[]);
    let nothing = kit.begin(vec![update(&json!([{"change": "make-optional", "name": "id"}]))], "k");
    let attempt = kit.attempt(&nothing).unwrap();
    assert!(!attempt.changes());
    kit.take(&attempt);
    assert_eq!(kit.metadata().schemas.len(), 1);
}

#[test]
fn the_bytes_of_a_change_are_that_change() {
    let operation = add("n");
    assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    let wrong = Operation::UpdateSchema(json!({"changes": 7}));
    assert_eq!(
        Operation::from_bytes(&wrong.to_bytes().unwrap()).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
}
