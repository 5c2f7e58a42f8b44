use serde_json::{Value as Json, json};

use crate::error::{ErrorKind, Result};
use crate::schema::Schema;
use crate::schema::evolve::{Evolution, SchemaChanges};
use crate::schema::json::schema_from_json;
use crate::schema::name_mapping::evolved_mapping;

fn schema() -> Schema {
    let struct_of = |fields: Json| json!({ "type": "struct", "fields": fields });
    let field = |id: i32, name: &str, field_type: Json| json!({ "id": id, "name": name, "required": false, "type": field_type });
    let point = struct_of(json!([field(4, "x", json!("int")), field(5, "y", json!("int"))]));
    let list = json!({ "type": "list", "element-id": 6, "element-required": false,
        "element": struct_of(json!([field(7, "u", json!("int")), field(8, "v", json!("int"))])) });
    let map = json!({ "type": "map", "key-id": 9, "key": "string", "value-id": 10, "value-required": false,
        "value": struct_of(json!([field(11, "w", json!("int"))])) });
    let fields = json!([
        field(1, "id", json!("long")),
        field(2, "point", point),
        field(3, "items", list),
        field(12, "pairs", map)
    ]);
    schema_from_json(&json!({ "type": "struct", "schema-id": 0, "fields": fields })).unwrap()
}

fn mapping() -> Json {
    json!([
        { "field-id": 1, "names": ["id", "ID"] },
        { "field-id": 2, "names": ["point"], "fields": [
            { "field-id": 4, "names": ["x"] }, { "field-id": 5, "names": ["y"] } ] },
        { "field-id": 3, "names": ["items"], "fields": [ { "field-id": 6, "names": ["element"], "fields": [
            { "field-id": 7, "names": ["u"] }, { "field-id": 8, "names": ["v"] } ] } ] },
        { "field-id": 12, "names": ["pairs"], "fields": [
            { "field-id": 9, "names": ["key"] },
            { "field-id": 10, "names": ["value"], "fields": [ { "field-id": 11, "names": ["w"] } ] } ] },
        { "names": ["hidden"] }
    ])
}

/// The mapping after changes; `None` where it is the same.
fn after(mapping: &Json, changes: &Json) -> Option<Json> {
    after_each(mapping, &[changes])
}

/// The mapping after changes that are made one after the other.
fn after_each(mapping: &Json, changes: &[&Json]) -> Option<Json> {
    changed_by_each(mapping, changes).unwrap()
}

fn changed_by_each(mapping: &Json, changes: &[&Json]) -> Result<Option<Json>> {
    let (mut schema, mut last_column_id, mut text) = (schema(), 12, mapping.to_string());
    let mut is_changed = false;
    for changes in changes {
        let changes = SchemaChanges::from_json(&json!({ "changes": changes })).unwrap();
        let evolution =
            Evolution { schema: &schema, schema_id: 1, last_column_id, format_version: 3, uses: vec![] };
        let evolved = evolution.apply(&changes).unwrap();
        if let Some(changed) = evolved_mapping(&text, &schema, &evolved.schema)? {
            (text, is_changed) = (changed, true);
        }
        (schema, last_column_id) = (evolved.schema, evolved.last_column_id);
    }
    Ok(is_changed.then(|| serde_json::from_str(&text).unwrap()))
}

/// What is said of a name that files without ids have for another column.
fn refusal(changes: &[&Json]) -> String {
    let error = changed_by_each(&mapping(), changes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.message().to_owned()
}

fn rename(name: &str, new_name: &str) -> Json {
    json!({ "change": "rename-column", "name": name, "new-name": new_name })
}

fn add(parent: Option<&str>, name: &str, field_type: &Json) -> Json {
    json!({ "change": "add-column", "parent": parent, "name": name, "type": field_type })
}

fn delete(name: &str) -> Json {
    json!({ "change": "delete-column", "name": name })
}

/// What the mapping says with some of it replaced.
#[expect(clippy::unnecessary_wraps, reason = "it is compared with a mapping that may be none")]
fn with(replaced: &[(&str, Json)]) -> Option<Json> {
    let mut mapping = mapping();
    for (pointer, value) in replaced {
        if let Some(place) = mapping.pointer_mut(pointer) {
            *place = value.clone();
        } else {
            let (array, _) = pointer.rsplit_once('/').unwrap();
            mapping.pointer_mut(array).unwrap().as_array_mut().unwrap().push(value.clone());
        }
    }
    Some(mapping)
}

#[test]
fn renamed_columns_have_old_names_and_new_ones_at_every_level() {
    let changes = json!([
        rename("id", "key"),
        rename("point.x", "lon"),
        rename("items.u", "a"),
        rename("pairs.w", "b")
    ]);
    let expected = with(&[
        ("/0/names", json!(["id", "ID", "key"])),
        ("/1/fields/0/names", json!(["x", "lon"])),
        ("/2/fields/0/fields/0/names", json!(["u", "a"])),
        ("/3/fields/1/fields/0/names", json!(["w", "b"])),
    ]);
    assert_eq!(after(&mapping(), &changes), expected);
}

#[test]
fn new_columns_are_mapped_with_all_below_them() {
    let list = json!({ "type": "list", "element-id": 0, "element-required": false, "element": "int" });
    let changes = json!([
        add(None, "n", &list),
        add(Some("point"), "z", &json!("int")),
        add(Some("items"), "a", &json!("int")),
        add(Some("pairs"), "b", &json!("int"))
    ]);
    let expected = with(&[
        (
            "/5",
            json!({ "field-id": 13, "names": ["n"], "fields": [{ "field-id": 14, "names": ["element"] }] }),
        ),
        ("/1/fields/-", json!({ "field-id": 15, "names": ["z"] })),
        ("/2/fields/0/fields/-", json!({ "field-id": 16, "names": ["a"] })),
        ("/3/fields/1/fields/-", json!({ "field-id": 17, "names": ["b"] })),
    ]);
    assert_eq!(after(&mapping(), &changes), expected);
}

#[test]
fn a_name_that_files_have_for_another_column_is_refused() {
    let of = |column: &str| format!("in files without field ids this is the name of {column}");
    let traded = json!([rename("point.x", "y"), rename("point.y", "x")]);
    assert!(refusal(&[&traded]).contains(&of("the column \"point.x\"")));
    let given_up = [&json!([rename("id", "key")]), &json!([add(None, "id", &json!("int"))])];
    assert!(refusal(&given_up).contains(&of("the column \"key\"")));
    let second = [
        &json!([rename("point.x", "z")]),
        &json!([rename("items.u", "a"), add(Some("point"), "x", &json!("int"))]),
    ];
    assert!(refusal(&second).contains(&of("the column \"point.z\"")));
    let hidden = json!([add(None, "hidden", &json!("int"))]);
    assert!(refusal(&[&hidden]).contains(&of("a column that is not read")));
    let dropped = json!([delete("point.x"), rename("point.y", "x")]);
    assert!(refusal(&[&dropped]).contains(&of("a column that the table no longer has")));
    let again = [&json!([delete("point.x")]), &json!([add(Some("point"), "x", &json!("int"))])];
    assert!(refusal(&again).contains(&of("a column that the table no longer has")));
}

#[test]
fn a_name_of_another_level_is_another_name() {
    let changes = json!([add(None, "x", &json!("int"))]);
    let expected = with(&[("/5", json!({ "field-id": 13, "names": ["x"] }))]);
    assert_eq!(after(&mapping(), &changes), expected);
}

#[test]
fn a_column_takes_its_own_name_back() {
    let changes = [&json!([rename("id", "key")]), &json!([rename("key", "id")])];
    assert_eq!(after_each(&mapping(), &changes), with(&[("/0/names", json!(["id", "ID", "key"]))]));
}

#[test]
fn a_dropped_column_stays_mapped() {
    assert_eq!(after(&mapping(), &json!([delete("point.x")])), None);
}

#[test]
fn what_is_not_mapped_is_not_mapped_afterwards() {
    let mapping = json!([{ "field-id": 2, "names": ["point"] }, { "field-id": 1, "names": [], "note": 7 }]);
    assert_eq!(after(&mapping, &json!([rename("items", "things"), rename("point.x", "lon")])), None);
    let changes = json!([add(Some("point"), "z", &json!("int")), rename("id", "key")]);
    let expected = json!([
        { "field-id": 2, "names": ["point"], "fields": [{ "field-id": 13, "names": ["z"] }] },
        { "field-id": 1, "names": ["key"], "note": 7 }
    ]);
    assert_eq!(after(&mapping, &changes), Some(expected));
}

#[test]
fn no_name_comes_to_stand_twice() {
    // Entries of one id, and an id that is mapped before there is such a column.
    let mapping = json!([
        { "field-id": 1, "names": ["a"] }, { "field-id": 1, "names": ["b", "key"] }, { "field-id": 13, "names": ["n"] }
    ]);
    let changes = json!([rename("id", "key"), add(None, "n", &json!("int"))]);
    assert_eq!(after(&mapping, &changes), None);
}

#[test]
fn other_changes_leave_a_mapping_as_it_is() {
    let changes = json!([
        { "change": "move-first", "name": "pairs" },
        { "change": "update-type", "name": "point.x", "type": "long" },
        { "change": "update-doc", "name": "id", "doc": "d" }
    ]);
    assert_eq!(after(&mapping(), &changes), None);
}

#[test]
fn a_mapping_that_cannot_be_read_is_an_error() {
    let schema = schema();
    assert_eq!(evolved_mapping("[7]", &schema, &schema).unwrap_err().kind(), ErrorKind::InvalidData);
}
