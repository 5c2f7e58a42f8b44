#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use serde_json::{Value as Json, json};

use super::{unified_partition, unified_partition_type};
use crate::metadata::fixture::{parsed, v1, v2, with};

fn field(name: &str, transform: &str, source: i32, id: i32) -> Json {
    json!({ "name": name, "transform": transform, "source-id": source, "field-id": id })
}

/// The partition type of a spec of these fields, each as `id name type`.
fn type_of(fields: Json) -> Vec<String> {
    let metadata = parsed(&with(v2(), "/partition-specs/0", "fields", fields));
    shown(&metadata.default_spec().partition_type(&metadata).unwrap())
}

fn shown(fields: &floeberg_core::schema::StructType) -> Vec<String> {
    assert!(fields.fields.iter().all(|field| !field.required));
    fields.fields.iter().map(|field| format!("{} {} {}", field.id, field.name, field.field_type)).collect()
}

fn unified(base: Json, specs: &[Json]) -> crate::metadata::UnifiedPartition {
    let specs: Vec<_> =
        (0..).zip(specs).map(|(id, fields)| json!({ "spec-id": id, "fields": fields })).collect();
    let document = with(base, "", "default-spec-id", json!(0));
    unified_partition(&parsed(&with(document, "", "partition-specs", json!(specs)))).unwrap()
}

#[test]
fn fields_have_the_result_types_of_their_transforms() {
    let fields = json!([
        field("i", "identity", 1, 1000),
        field("b", "bucket[4]", 1, 1003),
        field("y", "year", 2, 1001),
        field("d", "day", 4, 1002),
        field("h", "hour", 4, 1004),
        field("t", "truncate[2]", 1, 1005)
    ]);
    assert_eq!(
        type_of(fields),
        ["1000 i long", "1003 b int", "1001 y int", "1002 d date", "1004 h int", "1005 t long"]
    );
}

#[test]
fn a_source_is_looked_up_in_the_current_schema_first() {
    assert_eq!(type_of(json!([field("i", "identity", 1, 1000)])), ["1000 i long"]);
}

#[test]
fn a_dropped_source_is_found_in_an_older_schema() {
    assert_eq!(type_of(json!([field("g", "identity", 3, 1000)])), ["1000 g string"]);
}

#[test]
fn what_cannot_be_known_is_unknown() {
    let fields = json!([
        field("a", "identity", 99, 1000),
        field("b", "void", 99, 1001),
        field("c", "zorder", 1, 1002),
        { "name": "d", "transform": "bucket[4]", "source-ids": [1, 2], "field-id": 1003 }
    ]);
    assert_eq!(type_of(fields), ["1000 a unknown", "1001 b unknown", "1002 c unknown", "1003 d unknown"]);
}

#[test]
fn a_source_of_a_type_that_is_not_known_is_no_error() {
    let fields = json!([field("a", "identity", 4, 1000)]);
    let document = with(v2(), "/partition-specs/0", "fields", fields);
    let metadata = parsed(&with(document, "/schemas/1/fields/2", "type", json!("interval")));
    assert_eq!(shown(&metadata.default_spec().partition_type(&metadata).unwrap()), ["1000 a unknown"]);
}

#[test]
fn a_transform_that_does_not_fit_its_source_is_an_error() {
    let fields = json!([field("h", "hour", 3, 1000)]);
    let metadata = parsed(&with(v2(), "/partition-specs/0", "fields", fields));
    let error = metadata.default_spec().partition_type(&metadata).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("partition field: h, partition spec: 0"), "{error}");
}

#[test]
fn the_union_has_every_field_once_by_ascending_id() {
    let union = unified(
        v2(),
        &[
            json!([field("d", "day", 2, 1001), field("i", "identity", 1, 1000)]),
            json!([field("b", "bucket[2]", 1, 1002), field("d", "day", 2, 1001)]),
            json!([]),
        ],
    );
    assert_eq!(shown(&union.struct_type), ["1000 i long", "1001 d date", "1002 b int"]);
    assert_eq!(union.positions[&0], [1, 0]);
    assert_eq!(union.positions[&1], [2, 1]);
    assert!(union.positions[&2].is_empty());
}

#[test]
fn a_renamed_field_has_its_newest_name() {
    let specs = [json!([field("old", "day", 2, 1000)]), json!([field("new", "day", 2, 1000)])];
    assert_eq!(shown(&unified(v2(), &specs).struct_type), ["1000 new date"]);
}

#[test]
fn a_voided_field_has_the_type_that_it_had() {
    let specs = [json!([field("d", "bucket[4]", 2, 1000)]), json!([field("d", "void", 2, 1000)])];
    let union = unified(v1(), &specs);
    assert_eq!(shown(&union.struct_type), ["1000 d int"]);
    assert_eq!((&union.positions[&0], &union.positions[&1]), (&vec![0], &vec![0]));
}

#[test]
fn an_id_that_v1_used_twice_becomes_two_fields() {
    let specs = [
        json!([field("a", "identity", 1, 1000), field("b", "year", 2, 1001)]),
        json!([field("b", "year", 2, 1000)]),
        json!([field("c", "identity", 1, 1000)]),
    ];
    let union = unified(v1(), &specs);
    assert_eq!(shown(&union.struct_type), ["1000 c long", "1001 b_1001 int", "1002 b int"]);
    assert_eq!(union.positions[&2], [0]);
    assert_eq!(union.positions[&1], [2]);
    assert_eq!(union.positions[&0], [0, 1]);
}

#[test]
fn a_voided_field_whose_id_v1_used_again_has_the_type_that_it_had() {
    let specs = [
        json!([field("b", "bucket[4]", 2, 1000)]),
        json!([field("b", "void", 2, 1000)]),
        json!([field("i", "identity", 1, 1000)]),
    ];
    let union = unified(v1(), &specs);
    assert_eq!(shown(&union.struct_type), ["1000 i long", "1001 b int"]);
    assert_eq!((&union.positions[&0], &union.positions[&1]), (&vec![1], &vec![1]));
}

#[test]
fn a_field_that_is_void_in_every_spec_has_the_type_of_its_source() {
    let specs = [json!([field("d", "void", 2, 1000)]), json!([field("d", "void", 2, 1000)])];
    assert_eq!(shown(&unified(v1(), &specs).struct_type), ["1000 d timestamp"]);
}

#[test]
fn two_fields_of_one_name_get_two_names() {
    let specs = [json!([field("p", "day", 2, 1000)]), json!([field("p", "year", 2, 1001)])];
    assert_eq!(shown(&unified(v2(), &specs).struct_type), ["1000 p_1000 date", "1001 p int"]);
}

#[test]
fn a_table_that_was_never_partitioned_has_an_empty_union() {
    let metadata = parsed(&v1());
    assert!(unified_partition_type(&metadata).unwrap().fields.is_empty());
}
