//! Files of other writers become part of a table, by names that mean the same columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_core::schema::NameMapping;
use floeberg_core::schema::name_mapping::mapping_of_schema;
use floeberg_iceberg::write::{Purpose, WrittenFile};
use floeberg_properties::NAME_MAPPING;
use serde_json::json;

use super::kit::{Kit, file, receipt, rename};
use crate::Operation;

/// A file without field ids, and the mapping by which it was looked at.
fn add(kit: &Kit, path: &str) -> Operation {
    let metadata = kit.metadata();
    let purpose = Arc::new(Purpose {
        table_uuid: metadata.table_uuid.clone(),
        location: metadata.location.clone(),
        schema: Arc::clone(metadata.current_schema()),
        spec: Arc::clone(metadata.default_spec()),
    });
    let known = metadata.properties.get(NAME_MAPPING).cloned();
    let name_mapping = Some(known.unwrap_or_else(|| mapping_of_schema(metadata.current_schema())));
    let written = WrittenFile { purpose: Some(purpose), ..file(path, "a", (0, 9)) };
    Operation::AddFiles { receipt: receipt(vec![written]), name_mapping }
}

fn set(name: &str, value: &str) -> Operation {
    Operation::SetProperties(BTreeMap::from([(name.to_owned(), value.to_owned())]))
}

fn mapped(kit: &Kit, name: &str) -> Option<i32> {
    NameMapping::from_json(&kit.metadata().properties[NAME_MAPPING]).unwrap().find(&[name])
}

#[test]
fn a_table_gets_the_mapping_that_its_files_need() {
    let mut kit = Kit::partitioned(2, &[]);
    let operation = add(&kit, "memory://f/1");
    kit.commit(vec![operation]);
    assert_eq!((mapped(&kit, "id"), mapped(&kit, "day"), mapped(&kit, "x")), (Some(1), Some(2), None));
    assert_eq!(kit.said("added-records"), Some("10"));
    let before = kit.metadata().properties.clone();
    let operation = add(&kit, "memory://f/2");
    kit.commit(vec![operation]);
    assert_eq!(kit.metadata().properties, before);
    assert_eq!(kit.live_paths(), ["memory://f/1", "memory://f/2"]);
}

#[test]
fn a_column_that_is_renamed_meanwhile_has_both_names() {
    let mut kit = Kit::partitioned(2, &[]);
    let commit = kit.begin(vec![add(&kit, "memory://f/1")], "k");
    kit.commit(vec![rename("id", "number")]);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!((mapped(&kit, "id"), mapped(&kit, "number")), (Some(1), Some(1)));
}

#[test]
fn names_that_mean_something_else_by_now_are_a_conflict() {
    let other = json!([{ "field-id": 2, "names": ["id"] }, { "field-id": 1, "names": ["day"] }]).to_string();
    let mut kit = Kit::partitioned(2, &[]);
    let commit = kit.begin(vec![add(&kit, "memory://f/1")], "k");
    kit.commit(vec![set(NAME_MAPPING, &other)]);
    let files = kit.files();
    assert_eq!(kit.attempt(&commit).unwrap_err().kind(), ErrorKind::CommitConflict);
    commit.abandon();
    assert_eq!(kit.files(), files);
    // One that has more names will do.
    let more = json!([{ "field-id": 1, "names": ["id", "old"] }, { "field-id": 2, "names": ["day"] }]);
    kit.commit(vec![set(NAME_MAPPING, &more.to_string())]);
    let attempt = kit.attempt(&commit).unwrap();
    kit.take(&attempt);
    assert_eq!(mapped(&kit, "old"), Some(1));
}

#[test]
fn adding_survives_a_journey() {
    let kit = Kit::partitioned(2, &[]);
    let none = Operation::AddFiles { receipt: receipt(Vec::new()), name_mapping: None };
    for operation in [add(&kit, "memory://f/1"), none] {
        assert_eq!(Operation::from_bytes(&operation.to_bytes().unwrap()).unwrap(), operation);
    }
}
