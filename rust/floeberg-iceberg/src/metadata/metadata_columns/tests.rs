#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{partition_struct, with_metadata_columns};
use crate::metadata::TableMetadata;
use crate::metadata::fixture::{parsed, v2, with};

/// The columns of the current schema and those that names ask for.
fn columns(metadata: &TableMetadata, names: &[&str], case_sensitive: bool) -> Vec<String> {
    let schema = metadata.current_schema();
    let found = with_metadata_columns(schema, names.iter().copied(), case_sensitive, metadata).unwrap();
    found.fields().iter().map(ToString::to_string).collect()
}

fn with_columns(fields: &Json) -> TableMetadata {
    parsed(&with(v2(), "/schemas/1", "fields", fields.clone()))
}

#[test]
fn metadata_columns_follow_the_tables_own_in_the_order_of_the_specification() {
    let metadata = parsed(&v2());
    let own = columns(&metadata, &[], true);
    assert_eq!(own.len(), 3);
    let names = ["_last_updated_sequence_number", "_pos", "_row_id", "_file", "_spec_id", "_deleted", "key"];
    assert_eq!(
        columns(&metadata, &names, true)[3..],
        [
            "2147483646: _file: required string",
            "2147483645: _pos: required long",
            "2147483644: _deleted: required boolean",
            "2147483643: _spec_id: required int",
            "2147483540: _row_id: optional long",
            "2147483539: _last_updated_sequence_number: optional long",
        ]
    );
}

#[test]
fn a_schema_of_which_no_metadata_column_is_named_stays_the_same_one() {
    let metadata = parsed(&v2());
    let schema = metadata.current_schema();
    let names = ["key", "_filet", "_FILE", "_partitions.a"];
    assert!(Arc::ptr_eq(&with_metadata_columns(schema, names, true, &metadata).unwrap(), schema));
}

#[test]
fn without_case_a_name_is_found_in_any() {
    let metadata = parsed(&v2());
    assert_eq!(columns(&metadata, &["_FILE", "_Partition.ID"], false).len(), 5);
}

#[test]
fn a_column_of_the_table_hides_the_metadata_column_of_its_name() {
    let metadata = with_columns(&json!([
        { "id": 1, "name": "_file", "required": false, "type": "long" },
        { "id": 2, "name": "_POS", "required": false, "type": "long" }
    ]));
    let names = ["_file", "_pos"];
    assert_eq!(
        columns(&metadata, &names, true),
        ["1: _file: optional long", "2: _POS: optional long", "2147483645: _pos: required long"]
    );
    assert_eq!(columns(&metadata, &names, false).len(), 2);
}

#[test]
fn the_partition_has_the_fields_of_all_specs_and_says_which_are_whose() {
    let field = |name: &str, transform: &str, source: i32, id: i32| json!({ "name": name, "transform": transform, "source-id": source, "field-id": id });
    let specs = json!([
        { "spec-id": 0, "fields": [field("d", "day", 2, 1001), field("i", "identity", 1, 1000)] },
        { "spec-id": 1, "fields": [field("b", "bucket[2]", 1, 1002), field("day", "day", 2, 1001)] },
        { "spec-id": 2, "fields": [] }
    ]);
    let partition = partition_struct(&parsed(&with(v2(), "", "partition-specs", specs))).unwrap();
    assert_eq!(
        partition.column.to_string(),
        "2147483642: _partition: optional struct<1000: i: optional long, 1001: day: optional date, \
         1002: b: optional int>"
    );
    let ids: Vec<_> = partition.field_ids.into_iter().collect();
    assert_eq!(ids, [(0, vec![1001, 1000]), (1, vec![1002, 1001]), (2, vec![])]);
}

#[test]
fn a_partition_field_whose_id_a_column_has_gets_another() {
    let metadata = with_columns(&json!([
        { "id": 1, "name": "key", "required": true, "type": "long" },
        { "id": 1000, "name": "thousandth", "required": false, "type": "long" },
        { "id": 2_147_483_447, "name": "last", "required": false, "type": "long" }
    ]));
    let partition = partition_struct(&metadata).unwrap();
    assert_eq!(partition.field_ids[&0], [2_147_483_446]);
    assert_eq!(
        columns(&metadata, &["_partition"], true)[3],
        "2147483642: _partition: optional struct<2147483446: id: optional long>"
    );
}
