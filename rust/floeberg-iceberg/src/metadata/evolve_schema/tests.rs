//! Tests of how a table's schema changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::schema::evolve::{Evolved, SchemaChanges};
use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use crate::metadata::fixture::{parsed, v2, with};

fn evolve(document: &Json, changes: &Json) -> Result<Evolved> {
    parsed(document).evolve_schema(&SchemaChanges::from_json(&json!({ "changes": changes }))?)
}

/// A v3 table that partitions by day and sorts by `at`.
fn v3() -> Json {
    let by_day = json!([{"spec-id": 0, "fields": [
        {"name": "at_day", "transform": "day", "source-id": 4, "field-id": 1000},
        {"name": "old", "transform": "void", "source-id": 1, "field-id": 1001},
        {"name": "by_day", "transform": "identity", "source-id": 2, "field-id": 1002}]}]);
    let sorted = json!([{"order-id": 0, "fields": []}, {"order-id": 1, "fields": [
        {"transform": "identity", "source-id": 2, "direction": "asc", "null-order": "nulls-first"}]}]);
    let document = with(with(v2(), "", "partition-specs", by_day), "", "sort-orders", sorted);
    let document = with(with(document, "", "default-sort-order-id", json!(1)), "", "next-row-id", json!(0));
    with(document, "", "format-version", json!(3))
}

#[test]
fn a_new_schema_has_the_next_id_and_columns_new_ones() {
    let made = evolve(&v2(), &json!([{"change": "add-column", "name": "n", "type": "int"}])).unwrap();
    assert_eq!((made.schema.schema_id(), made.last_column_id, made.is_changed), (2, 5, true));
    assert_eq!(made.schema.find("n", true).unwrap(), 5);
}

#[test]
fn an_equal_schema_is_taken_again() {
    let same = evolve(&v2(), &json!([{"change": "make-optional", "name": "day"}])).unwrap();
    assert_eq!((same.schema.schema_id(), same.is_changed), (1, false));
    let rename = json!([{"change": "rename-column", "name": "day", "new-name": "date"}]);
    let mut document = v2();
    let mut third = document["schemas"][1].clone();
    third["schema-id"] = json!(7);
    third["fields"][1]["name"] = json!("date");
    document["schemas"].as_array_mut().unwrap().push(third);
    let again = evolve(&document, &rename).unwrap();
    assert_eq!((again.schema.schema_id(), again.last_column_id, again.is_changed), (7, 4, true));
}

#[test]
fn what_files_are_partitioned_and_sorted_by_stays() {
    for (name, said) in [("at", "\"at_day\" of spec 0 depends on it"), ("day", "depends on it")] {
        let error = evolve(&v3(), &json!([{"change": "delete-column", "name": name}])).unwrap_err();
        assert!(error.message().contains(said), "{error}");
    }
    let promote = json!([{"change": "update-type", "name": "day", "type": "timestamp"}]);
    assert!(evolve(&v3(), &promote).unwrap_err().message().contains("\"by_day\" of spec 0"));
    assert!(evolve(&v3(), &json!([{"change": "delete-column", "name": "key"}])).is_ok());
    let unsorted = with(v2(), "", "partition-specs", json!([{"spec-id": 0, "fields": []}]));
    assert!(evolve(&unsorted, &json!([{"change": "delete-column", "name": "day"}])).is_ok());
}

#[test]
fn no_column_takes_the_name_of_a_partition_field_of_another() {
    for change in [
        json!({"change": "add-column", "name": "at_day", "type": "int"}),
        json!({"change": "rename-column", "name": "key", "new-name": "at_day"}),
    ] {
        let error = evolve(&v3(), &json!([change])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains("\"at_day\""), "{error}");
    }
    let own = json!([{"change": "rename-column", "name": "day", "new-name": "by_day"}]);
    assert!(evolve(&v3(), &own).is_ok());
}
