//! Which metadata tables there are, and in which order Java walks names.

use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType as P, Schema, StructType, Type};

use crate::inspect::MetadataTable;
use crate::inspect::column_order::{java_compare, java_order};

#[test]
fn every_metadata_table_is_found_by_its_name_and_no_other_is() {
    for (name, table) in MetadataTable::ALL {
        assert_eq!(name.parse::<MetadataTable>().unwrap(), table);
    }
    let error = "file".parse::<MetadataTable>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("no metadata table \"file\", only snapshots, history, "), "{error}");
}

#[test]
fn children_are_met_before_parents_and_names_stand_by_their_hashes() {
    let point = StructType { fields: vec![Field::optional(7, "y", P::Int), Field::optional(6, "x", P::Int)] };
    let points = ListType { element: Field::optional(5, "element", Type::Struct(point)) };
    let map =
        MapType { key: Field::required(3, "key", P::String), value: Field::optional(4, "value", P::Int) };
    let fields = vec![
        Field::optional(1, "points", Type::List(Box::new(points))),
        Field::optional(2, "m", Type::Map(Box::new(map))),
    ];
    let schema = Schema::new(0, fields).unwrap();
    let order: Vec<_> = java_order(&schema).into_iter().map(|(name, field)| (name, field.id)).collect();
    // What `java.util.HashMap` of OpenJDK 17 gives for these names.
    let expected = [
        ("points.element.y", 7),
        ("m.value", 4),
        ("points.element.x", 6),
        ("points.element", 5),
        ("m.key", 3),
        ("m", 2),
        ("points", 1),
    ];
    let order: Vec<(&str, i32)> = order.iter().map(|(name, id)| (name.as_str(), *id)).collect();
    assert_eq!(order, expected);
}

#[test]
fn a_map_of_more_names_has_more_buckets() {
    let fields = (0..14).map(|number| Field::optional(number, format!("column_{number}"), P::Int)).collect();
    let schema = Schema::new(0, fields).unwrap();
    let order: Vec<_> = java_order(&schema).into_iter().map(|(_, field)| field.id).collect();
    assert_eq!(order, [9, 0, 8, 7, 6, 5, 4, 10, 3, 11, 2, 12, 1, 13]);
}

#[test]
fn names_are_compared_by_utf_16_units() {
    // U+1F422 begins with the unit D83D, which is below U+FF5E.
    assert!(java_compare("\u{1f422}", "\u{ff5e}").is_lt());
    assert!(java_compare("a", "a.b").is_lt());
    assert!(java_compare("B", "a").is_lt());
}
