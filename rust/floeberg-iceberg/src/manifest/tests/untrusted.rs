use serde_json::{Value as Json, json};

use crate::manifest::UntrustedColumns;
use crate::metadata::parse_table_metadata;

/// Schemas by their fields, the last one current; the untrusted columns with a mapping.
fn untrusted(schemas: &[Json], mapping: Option<&str>) -> UntrustedColumns {
    let schemas: Vec<Json> = schemas
        .iter()
        .enumerate()
        .map(|(id, fields)| json!({"type": "struct", "schema-id": id, "fields": fields}))
        .collect();
    let properties = mapping.map(|text| json!({ "schema.name-mapping.default": text })).unwrap_or(json!({}));
    let document = json!({
        "format-version": 2, "table-uuid": "u", "location": "/t", "last-updated-ms": 1, "last-sequence-number": 1,
        "last-column-id": 20, "current-schema-id": schemas.len() - 1, "schemas": schemas,
        "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
        "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}], "properties": properties,
    });
    let metadata =
        parse_table_metadata(document.to_string().as_bytes(), "/t/metadata/v1.metadata.json").unwrap();
    UntrustedColumns::of(&metadata)
}

fn long(id: i32, name: &str) -> Json {
    json!({"id": id, "name": name, "required": false, "type": "long"})
}

#[test]
fn without_a_mapping_all_columns_are_trusted() {
    let schemas = [json!([long(1, "p")]), json!([long(1, "q"), long(2, "p")])];
    assert_eq!(untrusted(&schemas, None), UntrustedColumns::default());
}

#[test]
fn a_column_that_kept_its_old_name_is_trusted() {
    let schemas = [json!([long(1, "p")]), json!([long(1, "q"), long(2, "n")])];
    let mapping = json!([{"field-id": 1, "names": ["p", "q"]}, {"field-id": 2, "names": ["n"]}]).to_string();
    assert_eq!(untrusted(&schemas, Some(&mapping)).ids(), Vec::<i32>::new());
}

#[test]
fn a_name_that_changed_hands_makes_both_columns_untrusted() {
    let schemas = [json!([long(1, "p"), long(3, "x")]), json!([long(1, "q"), long(2, "p"), long(3, "x")])];
    let mapping = json!([
        {"field-id": 1, "names": ["q"]}, {"field-id": 2, "names": ["p"]}, {"field-id": 3, "names": ["x"]}
    ]);
    let found = untrusted(&schemas, Some(&mapping.to_string()));
    assert_eq!(found.ids(), [1, 2]);
    assert!(found.contains(1) && found.contains(2) && !found.contains(3));
}

#[test]
fn a_name_that_is_mapped_no_more_makes_its_column_untrusted() {
    let mapping = json!([{"field-id": 2, "names": ["x"]}]).to_string();
    assert_eq!(untrusted(&[json!([long(1, "p"), long(2, "x")])], Some(&mapping)).ids(), [1]);
}

#[test]
fn names_are_compared_within_structs_lists_and_maps() {
    let nested = |id: i32, name: &str, field_type: Json| json!({"id": id, "name": name, "required": false, "type": field_type});
    let of = |field: Json| json!({"type": "struct", "fields": [field]});
    let list = |element: Json| json!({"type": "list", "element-id": 5, "element-required": false, "element": element});
    let map = |value: Json| {
        json!({
            "type": "map", "key-id": 8, "key": "string", "value-id": 9, "value-required": false, "value": value
        })
    };
    let schema = json!([
        nested(1, "s", of(long(2, "a"))),
        nested(4, "l", list(of(long(6, "u")))),
        nested(7, "m", map(of(long(10, "v")))),
    ]);
    let names =
        |id: i32, name: &str, fields: Json| json!({"field-id": id, "names": [name], "fields": fields});
    let mapping = |a: i32, u: i32, v: i32| {
        json!([
            names(1, "s", json!([names(a, "a", json!([]))])),
            names(4, "l", json!([names(5, "element", json!([names(u, "u", json!([]))]))])),
            names(
                7,
                "m",
                json!([names(8, "key", json!([])), names(9, "value", json!([names(v, "v", json!([]))]))])
            ),
        ])
        .to_string()
    };
    let of = |a, u, v| untrusted(std::slice::from_ref(&schema), Some(&mapping(a, u, v))).ids();
    assert_eq!(of(2, 6, 10), Vec::<i32>::new());
    assert_eq!(of(12, 6, 10), [2, 12]);
    assert_eq!(of(2, 16, 10), [6, 16]);
    assert_eq!(of(2, 6, 20), [10, 20]);
}

#[test]
fn a_mapping_that_cannot_be_read_lets_no_statistics_prove_anything() {
    let found = untrusted(&[json!([long(1, "p")])], Some("[{"));
    assert!(found.contains(1) && found.contains(99));
}
