use serde_json::json;

use super::{column, columns, evolve, evolved_in};
use crate::value::Value;

#[test]
fn new_columns_have_ids_that_were_never_given() {
    let changes = json!([
        {"change": "add-column", "name": "a", "type": "string", "doc": "why"},
        {"change": "add-column", "parent": "place", "name": "z", "type": {"type": "list", "element-id": 1,
            "element-required": true, "element": "long"}},
        {"change": "add-column", "parent": "points", "name": "z", "type": "int"},
        {"change": "add-column", "parent": "props.value", "name": "z", "type": "int"},
        {"change": "add-column", "name": "s", "type": {"type": "struct", "fields": [
            {"id": 7, "name": "in", "required": true, "type": "int"}]}},
        {"change": "add-column", "parent": "s", "name": "out", "type": "int"},
    ]);
    let made = evolve(&changes).unwrap();
    let id = |name: &str| made.schema.find(name, true).unwrap();
    assert_eq!(
        ["a", "place.z", "place.z.element", "points.element.z", "props.value.z", "s", "s.in", "s.out"]
            .map(id),
        [21, 22, 23, 24, 25, 26, 27, 28]
    );
    assert_eq!((made.last_column_id, made.schema.schema_id(), made.is_changed), (28, 4, true));
    assert_eq!(made.schema.identifier_field_ids(), [1]);
    assert_eq!(made.schema.field(21).unwrap().doc.as_deref(), Some("why"));
}

#[test]
fn a_default_is_that_of_old_rows_and_of_writers() {
    let changes = json!([
        {"change": "add-column", "name": "n", "type": "int", "required": true, "default": 7},
        {"change": "update-default", "name": "n", "default": 8},
        {"change": "update-type", "name": "n", "type": "long"},
    ]);
    let added = evolve(&json!([changes[0]])).unwrap().schema.field(21).unwrap().clone();
    assert_eq!((added.initial_default, added.write_default), (Some(Value::Int(7)), Some(Value::Int(7))));
    let made = evolve(&changes).unwrap();
    let field = made.schema.field(21).unwrap();
    assert_eq!(
        (&field.initial_default, &field.write_default),
        (&Some(Value::Long(7)), &Some(Value::Long(8)))
    );
    assert!(field.required);
    let gone = json!([changes[0], {"change": "update-default", "name": "n", "default": null}]);
    let field = evolve(&gone).unwrap().schema.field(21).unwrap().clone();
    assert_eq!((field.initial_default, field.write_default), (Some(Value::Int(7)), None));
}

#[test]
fn columns_keep_their_ids_through_everything() {
    assert_eq!(
        column(
            &json!([{"change": "rename-column", "name": "points.x", "new-name": "east"}]),
            "points.element.east"
        ),
        "9: east: required int"
    );
    assert_eq!(
        column(&json!([{"change": "update-type", "name": "place.x", "type": "long"}]), "place.x"),
        "6: x: required long"
    );
    assert_eq!(
        column(&json!([{"change": "update-type", "name": "props.y", "type": "double"}]), "props.value.y"),
        "16: y: optional double"
    );
    assert_eq!(
        column(&json!([{"change": "update-type", "name": "ts", "type": "timestamp_ns"}]), "ts"),
        "2: ts: optional timestamp_ns"
    );
    assert_eq!(
        column(&json!([{"change": "make-optional", "name": "points.element"}]), "points.element.x"),
        "9: x: required int"
    );
    let places = evolve(&json!([{"change": "make-optional", "name": "points.element"}])).unwrap().schema;
    assert!(!places.field(8).unwrap().required);
}

#[test]
fn names_are_those_from_before_the_first_change() {
    let swapped = json!([
        {"change": "rename-column", "name": "id", "new-name": "ts"},
        {"change": "rename-column", "name": "ts", "new-name": "id"},
        {"change": "update-doc", "name": "id", "doc": "was id"},
    ]);
    let made = evolve(&swapped).unwrap();
    assert_eq!(columns(&made)[..2], ["1: ts: required long", "2: id: optional date"]);
    assert_eq!(made.schema.field(1).unwrap().doc.as_deref(), Some("was id"));
    let renamed = json!([
        {"change": "rename-column", "name": "ts", "new-name": "day"},
        {"change": "move-first", "name": "day"},
    ]);
    assert_eq!(columns(&evolve(&renamed).unwrap())[0], "2: day: optional date");
    let replaced = json!([
        {"change": "delete-column", "name": "ts"},
        {"change": "add-column", "name": "ts", "type": "timestamp"},
        {"change": "move-first", "name": "ts"},
    ]);
    assert_eq!(
        columns(&evolve(&replaced).unwrap())[..2],
        ["21: ts: optional timestamp", "1: id: required long"]
    );
}

#[test]
fn columns_move_among_their_siblings() {
    let order = |changes| -> Vec<i32> {
        evolve(&changes).unwrap().schema.fields().iter().map(|field| field.id).collect()
    };
    assert_eq!(order(json!([{"change": "move-first", "name": "place"}])), [3, 1, 2, 4, 5]);
    assert_eq!(order(json!([{"change": "move-after", "name": "id", "after": "props"}])), [2, 3, 4, 5, 1]);
    assert_eq!(order(json!([{"change": "move-before", "name": "props", "before": "ts"}])), [1, 5, 2, 3, 4]);
    assert_eq!(order(json!([{"change": "move-after", "name": "id", "after": "ts"}])), [2, 1, 3, 4, 5]);
    let nested = evolve(&json!([{"change": "move-first", "name": "points.y"}])).unwrap().schema;
    let element =
        nested.field(8).unwrap().field_type.children().iter().map(|field| field.id).collect::<Vec<_>>();
    assert_eq!(element, [10, 9]);
}

#[test]
fn columns_go_with_all_below_them() {
    let made = evolve(&json!([{"change": "delete-column", "name": "points"}, {"change": "delete-column", "name": "place.y"}])).unwrap();
    assert!([4, 8, 9, 10, 7].iter().all(|id| made.schema.field(*id).is_none()));
    assert_eq!((made.schema.fields().len(), made.last_column_id), (4, 20));
}

#[test]
fn identifier_fields_are_set_as_a_whole() {
    let none =
        json!([{"change": "set-identifier-fields", "names": []}, {"change": "delete-column", "name": "id"}]);
    assert!(evolve(&none).unwrap().schema.identifier_field_ids().is_empty());
    let several = json!([
        {"change": "add-column", "name": "k", "type": "string", "required": true, "default": "-"},
        {"change": "set-identifier-fields", "names": ["k", "id", "k"]},
    ]);
    assert_eq!(evolve(&several).unwrap().schema.identifier_field_ids(), [1, 21]);
}

#[test]
fn nothing_changes_where_all_is_as_it_shall_be() {
    let changes = json!([
        {"change": "update-type", "name": "id", "type": "long"},
        {"change": "make-optional", "name": "ts"},
        {"change": "require", "name": "id"},
        {"change": "set-identifier-fields", "names": ["id"]},
    ]);
    assert!(!evolve(&changes).unwrap().is_changed);
    assert!(!evolve(&json!([])).unwrap().is_changed);
}

#[test]
fn what_is_incompatible_is_done_where_it_is_allowed() {
    let changes = json!([
        {"change": "require", "name": "ts"},
        {"change": "add-column", "name": "n", "type": "int", "required": true},
    ]);
    assert!(evolve(&changes).is_err());
    let allowed = json!({"changes": changes, "allow-incompatible": true});
    let made = evolved_in(2, Vec::new(), &allowed).unwrap();
    assert!(made.schema.field(2).unwrap().required && made.schema.field(21).unwrap().required);
    let with_default = json!([
        {"change": "add-column", "name": "n", "type": "int", "default": 1},
        {"change": "require", "name": "n"},
    ]);
    assert!(evolve(&with_default).unwrap().schema.field(21).unwrap().required);
}

#[test]
fn the_case_of_names_may_not_count() {
    let changes = json!({"case-sensitive": false, "changes": [
        {"change": "rename-column", "name": "PLACE.X", "new-name": "east"},
        {"change": "delete-column", "name": "Points.Y"},
    ]});
    let schema = evolved_in(2, Vec::new(), &changes).unwrap().schema;
    assert_eq!((schema.field(6).unwrap().name.as_str(), schema.field(10)), ("east", None));
}
