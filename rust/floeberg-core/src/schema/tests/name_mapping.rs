use crate::error::ErrorKind;
use crate::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};

#[test]
fn names_are_found_level_by_level_and_dots_are_literal() {
    let mapping = NameMapping::from_json(
        r#"[ {"field-id": 1, "names": ["id", "record_id"]},
             {"field-id": 2, "names": ["a.b"]},
             {"field-id": 3, "names": ["location"], "fields": [
                {"field-id": 4, "names": ["latitude", "lat"]}, {"names": ["extra"]}, {"field-id": 9, "names": []}]},
             {"field-id": 5, "names": ["tags"], "fields": [{"field-id": 6, "names": ["element"]}]},
             {"names": ["ignored"], "fields": [{"field-id": 8, "names": ["x"]}]} ]"#,
    )
    .unwrap();
    assert_eq!(mapping.find(&["id"]), Some(1));
    assert_eq!(mapping.find(&["record_id"]), Some(1));
    assert_eq!(mapping.find(&["a.b"]), Some(2));
    assert_eq!(mapping.find(&["a", "b"]), None);
    assert_eq!(mapping.find(&["location", "lat"]), Some(4));
    assert_eq!(mapping.find(&["location.lat"]), None);
    assert_eq!(mapping.find(&["location", "extra"]), None);
    assert_eq!(mapping.find(&["tags", "element"]), Some(6));
    assert_eq!(mapping.find(&["ignored"]), None);
    assert!(mapping.get("ignored").is_some());
    assert_eq!(mapping.find(&[]), None);
}

#[test]
fn the_names_of_a_schema_stand_for_its_ids() {
    let text = PrimitiveType::String;
    let point = Type::Struct(StructType { fields: vec![Field::optional(3, "x.y", text.clone())] });
    let tags = Type::List(Box::new(ListType { element: Field::optional(5, "tag", point) }));
    let key = Field::required(7, "k", text.clone());
    let pairs = Type::Map(Box::new(MapType { key, value: Field::optional(8, "v", text.clone()) }));
    let fields =
        vec![Field::required(1, "n", text), Field::optional(4, "tags", tags), Field::optional(6, "m", pairs)];
    let mapping = NameMapping::of_schema(&Schema::new(0, fields).unwrap());
    assert_eq!(mapping.find(&["n"]), Some(1));
    assert_eq!(mapping.find(&["tags"]), Some(4));
    assert_eq!(mapping.find(&["tags", "element"]), Some(5));
    assert_eq!(mapping.find(&["tags", "element", "x.y"]), Some(3));
    assert_eq!(mapping.find(&["tags", "tag"]), None);
    assert_eq!(mapping.find(&["m", "key"]), Some(7));
    assert_eq!(mapping.find(&["m", "value"]), Some(8));
    assert_eq!(mapping.find(&["x.y"]), None);
}

#[test]
fn malformed_mappings_are_invalid_data() {
    let deep = format!(r"{}[]{}", r#"[{"names":[],"fields":"#.repeat(110), "}]".repeat(110));
    for text in [
        "",
        "{}",
        "[1]",
        r#"[{"field-id": 1}]"#,
        r#"[{"field-id": 1, "names": "a"}]"#,
        r#"[{"field-id": "1", "names": ["a"]}]"#,
        r#"[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["a"]}]"#,
        &deep,
    ] {
        assert_eq!(NameMapping::from_json(text).unwrap_err().kind(), ErrorKind::InvalidData, "{text}");
    }
}

#[test]
fn many_names_at_many_levels_take_no_more_room_than_their_text() {
    let depth = 40;
    let text =
        format!(r"{}[]{}", r#"[{"field-id":1,"names":["a","b"],"fields":"#.repeat(depth), "}]".repeat(depth));
    let mapping = NameMapping::from_json(&text).unwrap();
    assert_eq!(mapping.find(&vec!["b"; depth]), Some(1));
}
