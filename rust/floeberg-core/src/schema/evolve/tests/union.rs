use serde_json::{Value as Json, json};

use super::{columns, evolve, evolved_in, refusal};

fn union(fields: &Json) -> Json {
    json!([{"change": "union-by-name", "schema": {"type": "struct", "fields": fields}}])
}

fn field(id: i32, name: &str, field_type: &Json) -> Json {
    json!({"id": id, "name": name, "required": false, "type": field_type})
}

#[test]
fn missing_columns_come_as_optional_ones_at_every_level() {
    let inner =
        json!({"type": "struct", "fields": [field(3, "z", &json!("long")), field(4, "x", &json!("int"))]});
    let fields = json!([
        field(2, "place", &inner),
        {"id": 5, "name": "new", "required": true, "type": "string", "doc": "d"},
        field(6, "points", &json!({"type": "list", "element-id": 7, "element-required": true,
            "element": {"type": "struct", "fields": [field(8, "z", &json!("int"))]}})),
    ]);
    let made = evolve(&union(&fields)).unwrap();
    let schema = &made.schema;
    assert_eq!(
        ["place.z", "new", "points.element.z"].map(|name| schema.find(name, true).unwrap()),
        [21, 22, 23]
    );
    assert_eq!(columns(&made)[5], "22: new: optional string");
    assert_eq!(schema.field(22).unwrap().doc.as_deref(), Some("d"));
    assert!(!schema.field(6).unwrap().required && schema.field(8).unwrap().required);
}

#[test]
fn what_is_there_widens_and_stays_where_it_is_wider() {
    let fields = json!([field(1, "id", &json!("int")), field(2, "ts", &json!("timestamp")),]);
    let set_free = json!([{"change": "set-identifier-fields", "names": []}, union(&fields)[0]]);
    let made = evolve(&set_free).unwrap();
    assert_eq!(columns(&made)[..2], ["1: id: optional long", "2: ts: optional timestamp"]);
}

#[test]
fn what_cannot_be_united_is_told() {
    for field_type in [
        json!("string"),
        json!({"type": "list", "element-id": 2, "element-required": true, "element": "int"}),
    ] {
        let other = json!([field(1, "ts", &field_type)]);
        assert!(refusal(&union(&other)).contains("\"ts\""));
    }
    // The schema has no such column, but a struct "place" with a field "x".
    let dotted = json!([field(1, "place.x", &json!("long"))]);
    assert!(refusal(&union(&dotted)).contains("\"place.x\" is that of a field in a struct"));
    let of_v3 = json!({"changes": union(&json!([field(1, "n", &json!("timestamp_ns"))]))});
    assert!(evolved_in(2, Vec::new(), &of_v3).is_err());
}

#[test]
fn a_default_comes_with_its_column() {
    let mut added = field(1, "n", &json!("decimal(9,2)"));
    added["initial-default"] = json!("1.50");
    let made = evolve(&union(&json!([added]))).unwrap();
    let n = made.schema.field(21).unwrap();
    assert!(n.initial_default.is_some() && n.initial_default == n.write_default);
}

#[test]
fn a_union_made_twice_adds_nothing_more() {
    let fields = json!([field(1, "new", &json!("string"))]);
    let twice = json!([union(&fields)[0], union(&fields)[0]]);
    assert_eq!(evolve(&twice).unwrap().last_column_id, 21);
}
