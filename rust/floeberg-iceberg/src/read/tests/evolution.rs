use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, ListArray, MapArray, StringArray, StructArray, new_null_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use serde_json::Map;

use super::fixture::{batches, column, one_batch, parquet, request, store, task};
use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::FileScanTask;

fn schema(fields: Vec<Field>) -> Schema {
    Schema::new(0, fields).unwrap()
}

fn two_columns() -> Vec<u8> {
    parquet(
        vec![column(1, "a", DataType::Int32), column(2, "b", DataType::Utf8)],
        vec![Arc::new(Int32Array::from(vec![1, 2])), Arc::new(StringArray::from(vec!["x", "y"]))],
        10,
    )
}

#[test]
fn columns_are_found_by_id_whatever_their_name_and_order() {
    let wanted = schema(vec![
        Field::optional(2, "renamed", PrimitiveType::String),
        Field::optional(9, "added", PrimitiveType::Long),
        Field::optional(1, "b", PrimitiveType::Int),
    ]);
    let batch = one_batch(request(&store(two_columns()), wanted), &task());
    assert_eq!(batch.column(0).as_string::<i32>(), &StringArray::from(vec!["x", "y"]));
    assert_eq!(batch.column(1).null_count(), 2);
    assert_eq!(batch.column(2).as_primitive::<Int32Type>().values(), &[1, 2]);
    assert_eq!(batch.schema().field(0).name(), "renamed");
}

#[test]
fn a_projection_without_columns_keeps_the_row_count() {
    let batch = one_batch(request(&store(two_columns()), schema(vec![])), &task());
    assert_eq!((batch.num_columns(), batch.num_rows()), (0, 2));
}

#[test]
fn an_added_column_has_its_initial_default() {
    let added =
        Field { initial_default: Some(Value::Long(7)), ..Field::required(9, "added", PrimitiveType::Long) };
    let batch = one_batch(request(&store(two_columns()), schema(vec![added])), &task());
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[7, 7]);
}

#[test]
fn a_required_column_that_is_absent_is_an_error_that_names_it() {
    let wanted = schema(vec![Field::required(9, "missing one", PrimitiveType::Long)]);
    let error = batches(request(&store(two_columns()), wanted), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let text = error.to_string();
    assert!(text.contains("missing one") && text.contains("data.parquet"), "{text}");
}

#[test]
fn a_required_column_with_nulls_is_an_error() {
    let bytes = parquet(
        vec![column(1, "a", DataType::Int32)],
        vec![Arc::new(Int32Array::from(vec![Some(1), None]))],
        10,
    );
    let wanted = schema(vec![Field::required(1, "a", PrimitiveType::Int)]);
    let error = batches(request(&store(bytes), wanted), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn a_change_of_type_that_is_no_promotion_is_an_error() {
    let wanted = schema(vec![Field::optional(2, "b", PrimitiveType::Int)]);
    let error = batches(request(&store(two_columns()), wanted), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("\"b\""), "{error}");
}

#[test]
fn an_unknown_column_is_null_even_where_the_file_has_one() {
    let wanted = schema(vec![Field::optional(1, "a", PrimitiveType::Unknown)]);
    let batch = one_batch(request(&store(two_columns()), wanted), &task());
    assert_eq!(batch.column(0).data_type(), &DataType::Null);
    assert_eq!(batch.num_rows(), 2);
}

fn identity_of(source: i32) -> Arc<PartitionSpec> {
    let field = PartitionField {
        field_id: 1000,
        source_ids: vec![source],
        name: "p".into(),
        transform: Transform::Identity,
        unknown_keys: Map::new(),
    };
    Arc::new(PartitionSpec { spec_id: 0, fields: vec![field], unknown_keys: Map::new() })
}

fn in_partition(value: Value) -> FileScanTask {
    FileScanTask { partition: Arc::new(vec![(1000, Some(value))]), ..task() }
}

#[test]
fn an_absent_identity_column_has_its_partition_value_before_its_default() {
    let added =
        Field { initial_default: Some(Value::Long(7)), ..Field::optional(9, "p", PrimitiveType::Long) };
    let request = request(&store(two_columns()), schema(vec![added])).with_specs([identity_of(9)]);
    let batch = one_batch(request, &in_partition(Value::Int(5)));
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[5, 5]);
}

#[test]
fn a_column_of_the_file_goes_before_its_partition_value() {
    let wanted = schema(vec![Field::optional(1, "a", PrimitiveType::Int)]);
    let request = request(&store(two_columns()), wanted).with_specs([identity_of(1)]);
    let batch = one_batch(request, &in_partition(Value::Int(5)));
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[1, 2]);
}

#[test]
fn a_file_without_ids_is_read_by_position() {
    let bytes = parquet(
        vec![ArrowField::new("x", DataType::Int32, true), ArrowField::new("y", DataType::Int32, true)],
        vec![Arc::new(Int32Array::from(vec![1])), Arc::new(Int32Array::from(vec![2]))],
        10,
    );
    let wanted = schema(vec![
        Field::optional(2, "b", PrimitiveType::Int),
        Field::optional(3, "c", PrimitiveType::Int),
    ]);
    let batch = one_batch(request(&store(bytes), wanted), &task());
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[2]);
    assert_eq!(batch.column(1).null_count(), 1);
}

#[test]
fn a_file_without_ids_is_read_by_the_name_mapping() {
    let nested = DataType::Struct(vec![ArrowField::new("in.ner", DataType::Int32, true)].into());
    let DataType::Struct(fields) = &nested else { unreachable!() };
    let inner = StructArray::new(fields.clone(), vec![Arc::new(Int32Array::from(vec![3]))], None);
    let bytes = parquet(
        vec![
            ArrowField::new("old name", DataType::Int32, true),
            ArrowField::new("ignored", DataType::Int32, true),
            ArrowField::new("s", nested, true),
        ],
        vec![Arc::new(Int32Array::from(vec![1])), Arc::new(Int32Array::from(vec![2])), Arc::new(inner)],
        10,
    );
    let mapping = r#"[{"field-id": 7, "names": ["a", "old name"]}, {"names": ["ignored"]},
        {"field-id": 8, "names": ["s"], "fields": [{"field-id": 9, "names": ["in.ner"]}]}]"#;
    let inner = StructType { fields: vec![Field::optional(9, "i", PrimitiveType::Int)] };
    let wanted = schema(vec![
        Field::optional(8, "s", Type::Struct(inner)),
        Field::optional(2, "b", PrimitiveType::Int),
        Field::optional(7, "a", PrimitiveType::Int),
    ]);
    let mapping = Arc::new(NameMapping::from_json(mapping).unwrap());
    let batch = one_batch(request(&store(bytes), wanted).with_name_mapping(Some(mapping)), &task());
    assert_eq!(batch.column(0).as_struct().column(0).as_primitive::<Int32Type>().values(), &[3]);
    assert_eq!(batch.column(1).null_count(), 1);
    assert_eq!(batch.column(2).as_primitive::<Int32Type>().values(), &[1]);
}

#[test]
fn a_partition_value_goes_before_a_mapped_column() {
    let bytes = parquet(
        vec![ArrowField::new("p", DataType::Int32, true)],
        vec![Arc::new(Int32Array::from(vec![1, 2]))],
        10,
    );
    let mapping = Arc::new(NameMapping::from_json(r#"[{"field-id": 1, "names": ["p"]}]"#).unwrap());
    let request = request(&store(bytes), schema(vec![Field::optional(1, "p", PrimitiveType::Int)]))
        .with_specs([identity_of(1)])
        .with_name_mapping(Some(mapping));
    let batch = one_batch(request, &in_partition(Value::Int(5)));
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[5, 5]);
}

/// A struct whose ids start at one.
fn struct_type(id: i32) -> DataType {
    DataType::Struct(vec![column(id, "x", DataType::Int32), column(id + 1, "y", DataType::Utf8)].into())
}

fn struct_array(id: i32, valid: &[bool]) -> StructArray {
    let DataType::Struct(fields) = struct_type(id) else { unreachable!() };
    let x = Int32Array::from_iter_values(0..valid.len() as i32);
    let y = StringArray::from_iter_values((0..valid.len()).map(|row| format!("y{row}")));
    StructArray::new(fields, vec![Arc::new(x), Arc::new(y)], Some(valid.to_vec().into()))
}

fn evolved(id: i32) -> Type {
    Type::Struct(StructType {
        fields: vec![
            Field::optional(id + 1, "why", PrimitiveType::String),
            Field::optional(id + 2, "z", PrimitiveType::Int),
            Field::optional(id, "x", PrimitiveType::Long),
        ],
    })
}

fn check_evolved(array: &ArrayRef, valid: &[bool]) {
    let parent = array.as_struct();
    for (row, valid) in valid.iter().enumerate() {
        assert_eq!(parent.is_valid(row), *valid);
        if *valid {
            assert_eq!(parent.column(0).as_string::<i32>().value(row), format!("y{row}"));
            assert_eq!(parent.column(2).as_primitive::<Int64Type>().value(row), row as i64);
        }
        assert!(parent.column(1).is_null(row));
    }
}

#[test]
fn nested_fields_are_renamed_reordered_added_and_promoted_in_a_struct() {
    let valid = [true, false, true];
    let bytes = parquet(vec![column(1, "s", struct_type(11))], vec![Arc::new(struct_array(11, &valid))], 10);
    let batch =
        one_batch(request(&store(bytes), schema(vec![Field::optional(1, "s", evolved(11))])), &task());
    check_evolved(batch.column(0), &valid);
}

#[test]
fn a_struct_of_added_fields_keeps_which_rows_have_it() {
    let valid = [true, false, true];
    let bytes = parquet(vec![column(1, "s", struct_type(11))], vec![Arc::new(struct_array(11, &valid))], 10);
    let added = StructType { fields: vec![Field::optional(13, "z", PrimitiveType::Int)] };
    let wanted = schema(vec![Field::optional(1, "s", Type::Struct(added))]);
    let batch = one_batch(request(&store(bytes), wanted), &task());
    assert_eq!((0..3).map(|row| batch.column(0).is_valid(row)).collect::<Vec<_>>(), valid);
}

#[test]
fn nested_fields_evolve_in_lists_and_in_map_values() {
    let element = Arc::new(column(2, "element", struct_type(11)));
    let list = ListArray::new(
        Arc::clone(&element),
        OffsetBuffer::from_lengths([2, 0, 1]),
        Arc::new(struct_array(11, &[true, false, true])),
        Some(vec![true, false, true].into()),
    );
    let key = column(4, "key", DataType::Utf8).with_nullable(false);
    let value = column(5, "value", struct_type(21));
    let entries = StructArray::new(
        vec![key, value].into(),
        vec![
            Arc::new(StringArray::from(vec!["a", "b", "c"])),
            Arc::new(struct_array(21, &[true, true, false])),
        ],
        None,
    );
    let pairs = Arc::new(ArrowField::new("entries", entries.data_type().clone(), false));
    let some = Some(vec![true, true, false].into());
    let map = MapArray::new(Arc::clone(&pairs), OffsetBuffer::from_lengths([1, 2, 0]), entries, some, false);
    let bytes = parquet(
        vec![column(1, "l", DataType::List(element)), column(3, "m", DataType::Map(pairs, false))],
        vec![Arc::new(list), Arc::new(map)],
        10,
    );
    let list = ListType { element: Field::optional(2, "element", evolved(11)) };
    let map = MapType {
        key: Field::required(4, "key", PrimitiveType::String),
        value: Field::optional(5, "value", evolved(21)),
    };
    let wanted = schema(vec![
        Field::optional(3, "m", Type::Map(Box::new(map))),
        Field::optional(1, "l", Type::List(Box::new(list))),
    ]);
    let batch = one_batch(request(&store(bytes), wanted), &task());
    let map = batch.column(0).as_map();
    assert_eq!(map.value_offsets(), &[0, 1, 3, 3]);
    assert!(map.is_null(2), "null is not empty");
    assert_eq!(map.keys().as_string::<i32>(), &StringArray::from(vec!["a", "b", "c"]));
    check_evolved(map.values(), &[true, true, false]);
    let list = batch.column(1).as_list::<i32>();
    assert!(list.is_null(1));
    assert_eq!(list.value_offsets(), &[0, 2, 2, 3]);
    check_evolved(list.values(), &[true, false, true]);
}

#[test]
fn an_all_null_file_column_is_read() {
    let bytes = parquet(vec![column(1, "a", DataType::Int64)], vec![new_null_array(&DataType::Int64, 4)], 2);
    let wanted = schema(vec![Field::optional(1, "a", PrimitiveType::Long)]);
    let batch = one_batch(request(&store(bytes), wanted), &task());
    assert_eq!(batch.column(0).as_primitive::<Int64Type>(), &Int64Array::from(vec![None::<i64>; 4]));
}

#[test]
fn two_columns_of_one_id_are_an_error_that_names_both_where_they_are_read() {
    let ints = || Arc::new(Int32Array::from(vec![1])) as ArrayRef;
    let fields = |ids: [Option<i32>; 3]| {
        let named = ids.into_iter().zip(["a", "b", "c"]);
        let field = |(id, name): (Option<i32>, &str)| match id {
            Some(id) => column(id, name, DataType::Int32),
            None => ArrowField::new(name, DataType::Int32, true),
        };
        named.map(field).collect::<Vec<_>>()
    };
    let file = |ids| parquet(fields(ids), vec![ints(), ints(), ints()], 10);
    let mapping = r#"[{"field-id": 1, "names": ["a", "b"]}, {"field-id": 2, "names": ["c"]}]"#;
    let mapping = Arc::new(NameMapping::from_json(mapping).unwrap());
    let one = |id| schema(vec![Field::optional(id, "x", PrimitiveType::Int)]);
    for (ids, mapping) in [([Some(1), Some(1), Some(2)], None), ([None; 3], Some(mapping))] {
        let request = |id| request(&store(file(ids)), one(id)).with_name_mapping(mapping.clone());
        let error = batches(request(1), &task()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let text = error.to_string();
        assert!(text.contains(r#""a" and "b""#) && text.contains("field id 1"), "{text}");
        assert!(text.contains("data.parquet"), "{text}");
        assert_eq!(one_batch(request(2), &task()).column(0).as_primitive::<Int32Type>().values(), &[1]);
    }
}
