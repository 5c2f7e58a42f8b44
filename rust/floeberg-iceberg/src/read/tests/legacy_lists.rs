use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef};
use floeberg_core::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};
use parquet::data_type::Int32Type as ParquetInt32;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::fixture::{one_batch, request, store, task};

/// The definition and repetition levels and the values of one leaf of 32-bit integers.
type Leaf<'a> = (&'a [i16], &'a [i16], &'a [i32]);

/// A file of a schema as Parquet's own text has it, all leaves of which are integers.
fn file(message: &str, leaves: &[Leaf<'_>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(message).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (definition, repetition, values) in leaves {
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<ParquetInt32>();
        typed.write_batch(values, Some(definition), Some(repetition)).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

/// The one column of a file, by the ids in it, and by a name mapping where the same file has no ids.
fn with_and_without_ids(message: &str, leaves: &[Leaf<'_>], wanted: Type) -> [ArrayRef; 2] {
    let schema = Schema::new(0, vec![Field::optional(1, "c", wanted)]).unwrap();
    let by_id = one_batch(request(&store(file(message, leaves)), schema.clone()), &task());
    let without: String = message.split_inclusive(';').map(without_id).collect();
    let without: String = without.split_inclusive('{').map(without_id).collect();
    assert!(!without.contains('='), "{without}");
    let mapping = Arc::new(NameMapping::of_schema(&schema));
    let bare = request(&store(file(&without, leaves)), schema).with_name_mapping(Some(mapping));
    [Arc::clone(by_id.column(0)), Arc::clone(one_batch(bare, &task()).column(0))]
}

/// A piece of a schema's text without the ` = id` before its last sign.
fn without_id(piece: &str) -> String {
    let Some((before, id)) = piece.rsplit_once(" = ") else { return piece.to_owned() };
    let end = id.trim_start_matches(|sign: char| sign.is_ascii_digit());
    format!("{before}{end}")
}

fn list(element: impl Into<Type>) -> Type {
    Type::List(Box::new(ListType { element: Field::optional(2, "element", element) }))
}

fn point() -> Type {
    Type::Struct(StructType { fields: vec![Field::optional(3, "x", PrimitiveType::Int)] })
}

/// The lists of a column, each with its elements as integers.
fn lists(array: &ArrayRef, element: impl Fn(&ArrayRef) -> ArrayRef) -> Vec<Option<Vec<Option<i32>>>> {
    let lists = array.as_list::<i32>();
    let integers = |row| element(&lists.value(row)).as_primitive::<Int32Type>().iter().collect();
    (0..lists.len()).map(|row| lists.is_valid(row).then(|| integers(row))).collect()
}

fn itself(array: &ArrayRef) -> ArrayRef {
    Arc::clone(array)
}

/// Of structs of one field, that field.
fn x(array: &ArrayRef) -> ArrayRef {
    Arc::clone(array.as_struct().column(0))
}

#[test]
fn a_list_of_two_levels_has_the_repeated_field_as_its_element() {
    // [1, 2], null, []
    let leaf: Leaf<'_> = (&[2, 2, 0, 1], &[0, 1, 0, 0], &[1, 2]);
    let expected = [Some(vec![Some(1), Some(2)]), None, Some(vec![])];
    let message = "message m { optional group c (LIST) = 1 { repeated int32 array = 2; } }";
    for array in with_and_without_ids(message, &[leaf], list(PrimitiveType::Int)) {
        assert_eq!(lists(&array, itself), expected);
    }
}

#[test]
fn a_list_of_two_levels_may_hold_structs_of_one_field() {
    let leaf: Leaf<'_> = (&[3, 2, 0, 1], &[0, 1, 0, 0], &[1]);
    let expected = [Some(vec![Some(1), None]), None, Some(vec![])];
    for name in ["array", "c_tuple"] {
        let message = format!(
            "message m {{ optional group c (LIST) = 1 {{ repeated group {name} = 2 {{ optional int32 x = 3; }} }} }}"
        );
        for array in with_and_without_ids(&message, &[leaf], list(point())) {
            assert_eq!(lists(&array, x), expected, "{name}");
        }
    }
}

#[test]
fn a_list_of_two_levels_may_hold_structs_of_several_fields() {
    let leaf: Leaf<'_> = (&[3, 2, 0, 1], &[0, 1, 0, 0], &[1]);
    let message = "message m { optional group c (LIST) = 1 { repeated group element = 2 {
        optional int32 x = 3; optional int32 y = 4; } } }";
    for array in with_and_without_ids(message, &[leaf, leaf], list(point())) {
        assert_eq!(lists(&array, x), [Some(vec![Some(1), None]), None, Some(vec![])]);
    }
}

#[test]
fn a_list_of_three_levels_may_have_the_names_of_hive() {
    let leaf: Leaf<'_> = (&[3, 2, 0, 1], &[0, 1, 0, 0], &[1]);
    let expected = [Some(vec![Some(1), None]), None, Some(vec![])];
    for (repeated, element) in [("bag", "array_element"), ("list", "element"), ("array_list", "item")] {
        let message = format!(
            "message m {{ optional group c (LIST) = 1 {{ repeated group {repeated} {{ optional int32 {element} = 2; }} }} }}"
        );
        for array in with_and_without_ids(&message, &[leaf], list(PrimitiveType::Int)) {
            assert_eq!(lists(&array, itself), expected, "{repeated}");
        }
    }
}

#[test]
fn a_repeated_field_without_annotation_is_a_list() {
    let leaf: Leaf<'_> = (&[1, 1, 0], &[0, 1, 0], &[1, 2]);
    let message = "message m { repeated int32 c = 1; }";
    for array in with_and_without_ids(message, &[leaf], list(PrimitiveType::Int)) {
        assert_eq!(lists(&array, itself), [Some(vec![Some(1), Some(2)]), Some(vec![])]);
    }
}

#[test]
fn lists_of_two_levels_nest() {
    // [[1, 2], [3]], []
    let leaf: Leaf<'_> = (&[3, 3, 3, 1], &[0, 2, 1, 0], &[1, 2, 3]);
    let message = "message m { optional group c (LIST) = 1 { repeated group array (LIST) = 2 {
        repeated int32 array = 3; } } }";
    let element = Field::required(3, "element", PrimitiveType::Int);
    for array in with_and_without_ids(message, &[leaf], list(Type::List(Box::new(ListType { element })))) {
        let inner = array.as_list::<i32>().value(0);
        assert_eq!(lists(&inner, itself), [Some(vec![Some(1), Some(2)]), Some(vec![Some(3)])]);
        assert_eq!(array.as_list::<i32>().value_length(1), 0);
    }
}

#[test]
fn maps_have_any_names_and_the_annotation_of_old_writers() {
    // {1: 10, 2: null}, null, {}
    let keys: Leaf<'_> = (&[2, 2, 0, 1], &[0, 1, 0, 0], &[1, 2]);
    let values: Leaf<'_> = (&[3, 2, 0, 1], &[0, 1, 0, 0], &[10]);
    let (key, value) =
        (Field::required(2, "key", PrimitiveType::Int), Field::optional(3, "value", PrimitiveType::Int));
    let wanted = Type::Map(Box::new(MapType { key, value }));
    for (outer, repeated, names) in [
        ("MAP", "key_value", ["key", "value"]),
        ("MAP", "map", ["key", "value"]),
        ("MAP", "entries", ["k", "v"]),
        ("MAP_KEY_VALUE", "map", ["key", "value"]),
    ] {
        let [key, value] = names;
        let message = format!(
            "message m {{ optional group c ({outer}) = 1 {{ repeated group {repeated} {{
                required int32 {key} = 2; optional int32 {value} = 3; }} }} }}"
        );
        for array in with_and_without_ids(&message, &[keys, values], wanted.clone()) {
            let maps = array.as_map();
            assert_eq!((0..3).map(|row| maps.is_valid(row)).collect::<Vec<_>>(), [true, false, true]);
            let first = maps.value(0);
            assert_eq!(first.column(0).as_primitive::<Int32Type>().values(), &[1, 2], "{outer} {repeated}");
            let values: Vec<_> = first.column(1).as_primitive::<Int32Type>().iter().collect();
            assert_eq!(values, [Some(10), None]);
            assert_eq!(maps.value_length(2), 0);
        }
    }
}

#[test]
fn in_a_file_with_some_ids_columns_without_one_are_no_columns_of_the_table() {
    let leaf: Leaf<'_> = (&[1, 0], &[0, 0], &[7]);
    let message =
        "message m { optional int32 a; optional int32 b = 2; optional group s = 3 { optional int32 x; } }";
    let nested: Leaf<'_> = (&[2, 1], &[0, 0], &[7]);
    let bytes = file(message, &[leaf, leaf, nested]);
    let names = r#"[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["b"]},
        {"field-id": 3, "names": ["s"], "fields": [{"field-id": 4, "names": ["x"]}]}]"#;
    let inner = StructType { fields: vec![Field::optional(4, "x", PrimitiveType::Int)] };
    let fields = vec![
        Field::optional(1, "a", PrimitiveType::Int),
        Field::optional(2, "b", PrimitiveType::Int),
        Field::optional(3, "s", Type::Struct(inner)),
    ];
    for mapping in [None, Some(Arc::new(NameMapping::from_json(names).unwrap()))] {
        let wanted = Schema::new(0, fields.clone()).unwrap();
        let batch = one_batch(request(&store(bytes.clone()), wanted).with_name_mapping(mapping), &task());
        assert_eq!(batch.column(0).null_count(), 2);
        assert_eq!(batch.column(1).as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [Some(7), None]);
        assert_eq!(
            (batch.column(2).null_count(), batch.column(2).as_struct().column(0).null_count()),
            (0, 2)
        );
    }
}
