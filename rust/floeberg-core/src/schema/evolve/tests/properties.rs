use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{base, evolve};
use crate::schema::{Field, Schema, Type};

fn change() -> impl Strategy<Value = Json> {
    let name = || {
        prop::sample::select(vec![
            "id",
            "ts",
            "place",
            "points",
            "props",
            "place.x",
            "place.y",
            "points.x",
            "points.element.y",
            "props.value.x",
            "props.key.x",
            "n",
            "m",
            "place.n",
            "nope",
        ])
    };
    let leaf = || prop::sample::select(vec!["n", "m", "x", "id"]);
    let kind = || prop::sample::select(vec!["int", "long", "double", "timestamp", "string"]);
    prop_oneof![
        (leaf(), kind()).prop_map(|(name, kind)| json!({"change": "add-column", "name": name, "type": kind})),
        (name(), leaf(), kind()).prop_map(
            |(parent, name, kind)| json!({"change": "add-column", "parent": parent, "name": name, "type": kind})
        ),
        name().prop_map(|name| json!({"change": "delete-column", "name": name})),
        (name(), leaf()).prop_map(|(name, new)| json!({"change": "rename-column", "name": name, "new-name": new})),
        (name(), kind()).prop_map(|(name, kind)| json!({"change": "update-type", "name": name, "type": kind})),
        name().prop_map(|name| json!({"change": "make-optional", "name": name})),
        name().prop_map(|name| json!({"change": "move-first", "name": name})),
        (name(), name()).prop_map(|(name, other)| json!({"change": "move-after", "name": name, "after": other})),
        (name(), name()).prop_map(|(name, other)| json!({"change": "move-before", "name": name, "before": other})),
        Just(json!({"change": "set-identifier-fields", "names": []})),
    ]
}

fn types(schema: &Schema) -> BTreeMap<i32, Type> {
    fn walk(field: &Field, all: &mut BTreeMap<i32, Type>) {
        all.insert(field.id, field.field_type.clone());
        field.field_type.children().into_iter().for_each(|child| walk(child, all));
    }
    let mut all = BTreeMap::new();
    schema.fields().iter().for_each(|field| walk(field, &mut all));
    all
}

proptest! {
    /// Whatever is changed, the schema that comes out can be written, columns keep their ids and what kind of thing they
    /// are, and ids that are new were never given.
    #[test]
    fn a_schema_that_was_changed_is_one(changes in proptest::collection::vec(change(), 1..8)) {
        let before = base();
        let Ok(made) = evolve(&json!(changes)) else { return Ok(()) };
        prop_assert!(made.schema.check_to_write(3).is_ok());
        let (old, new) = (types(&before), types(&made.schema));
        for (id, field_type) in &new {
            match old.get(id) {
                Some(was) => prop_assert_eq!(was.as_primitive().is_some(), field_type.as_primitive().is_some()),
                None => prop_assert!(*id > 20 && *id <= made.last_column_id),
            }
        }
    }
}
