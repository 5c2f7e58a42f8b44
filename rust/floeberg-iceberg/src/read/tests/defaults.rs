use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Date32Array, Int32Array, ListArray, MapArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_core::expr::Operator;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use serde_json::Map;

use super::fixture::{batches, column, filtered, one_batch, parquet, request, store, task, test};
use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::FileScanTask;

fn schema(fields: Vec<Field>) -> Schema {
    Schema::new(0, fields).unwrap()
}

/// `x` and `y` with a default of 0.
fn point() -> Type {
    let zero = |id, name| Field {
        initial_default: Some(Value::Int(0)),
        ..Field::optional(id, name, PrimitiveType::Int)
    };
    Type::Struct(StructType { fields: vec![zero(11, "x"), zero(12, "y")] })
}

/// A struct of `x` alone in each row.
fn only_x(values: Vec<i32>) -> ArrayRef {
    let fields = vec![column(11, "x", DataType::Int32)];
    Arc::new(StructArray::new(fields.into(), vec![Arc::new(Int32Array::from(values))], None))
}

fn pairs(array: &ArrayRef) -> Vec<Option<(i32, i32)>> {
    let points = array.as_struct();
    let [x, y] = [0, 1].map(|place| points.column(place).as_primitive::<Int32Type>());
    (0..points.len()).map(|row| points.is_valid(row).then(|| (x.value(row), y.value(row)))).collect()
}

#[test]
fn a_struct_takes_its_own_default_and_those_of_its_fields() {
    let with = |initial_default| Field { initial_default, ..Field::optional(1, "point", point()) };
    let empty = || Some(Value::Struct(Vec::new()));
    let missing =
        || parquet(vec![column(9, "other", DataType::Int32)], vec![Arc::new(Int32Array::from(vec![5]))], 5);
    let partial = || {
        let x = only_x(vec![3]);
        parquet(vec![column(1, "point", x.data_type().clone())], vec![x], 5)
    };
    for (default, file, expected) in [
        (None, missing(), None),
        (None, partial(), Some((3, 0))),
        (empty(), missing(), Some((0, 0))),
        (empty(), partial(), Some((3, 0))),
    ] {
        let batch = one_batch(request(&store(file), schema(vec![with(default)])), &task());
        assert_eq!(pairs(batch.column(0)), [expected]);
    }
}

#[test]
fn structs_in_lists_and_maps_take_the_defaults_of_their_fields() {
    let points = only_x(vec![3, 4]);
    let element = Arc::new(column(2, "element", points.data_type().clone()));
    let list = ListArray::new(element, OffsetBuffer::from_lengths([2, 0]), Arc::clone(&points), None);
    let entry = vec![
        ArrowField::new("key", DataType::Int32, false)
            .with_metadata(column(4, "", DataType::Null).metadata().clone()),
        column(5, "value", points.data_type().clone()),
    ];
    let keys: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let entries = StructArray::new(entry.into(), vec![keys, points], None);
    let entry_field = Arc::new(ArrowField::new("key_value", entries.data_type().clone(), false));
    let map = MapArray::new(entry_field, OffsetBuffer::from_lengths([0, 2]), entries, None, false);
    let bytes = parquet(
        vec![column(1, "l", list.data_type().clone()), column(3, "m", map.data_type().clone())],
        vec![Arc::new(list), Arc::new(map)],
        5,
    );
    // The same ids below list and map: each is read from its own file column.
    let in_list = Type::List(Box::new(ListType { element: Field::optional(2, "element", point()) }));
    let list =
        one_batch(request(&store(bytes.clone()), schema(vec![Field::optional(1, "l", in_list)])), &task());
    assert_eq!(pairs(list.column(0).as_list::<i32>().values()), [Some((3, 0)), Some((4, 0))]);
    let (key, value) = (Field::required(4, "key", PrimitiveType::Int), Field::optional(5, "value", point()));
    let in_map = Type::Map(Box::new(MapType { key, value }));
    let map = one_batch(request(&store(bytes), schema(vec![Field::optional(3, "m", in_map)])), &task());
    assert_eq!(pairs(map.column(0).as_map().values()), [Some((3, 0)), Some((4, 0))]);
}

#[test]
fn a_filter_asks_for_the_default_of_a_field_that_the_file_lacks() {
    let x = only_x(vec![3, 4]);
    let bytes = parquet(vec![column(1, "point", x.data_type().clone())], vec![x], 5);
    let of_y = |value| {
        let mut filter = test(12, PrimitiveType::Int, Operator::Eq, vec![Value::Int(value)]);
        if let floeberg_core::expr::BoundExpr::Predicate(test) = &mut filter {
            let column = Arc::make_mut(&mut test.column);
            column.path = vec![1, 12];
        }
        filtered(filter)
    };
    let wanted = || schema(vec![Field::optional(1, "point", point())]);
    let rows = |value| {
        let found = batches(request(&store(bytes.clone()), wanted()), &of_y(value)).unwrap();
        found.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!((rows(0), rows(1)), (2, 0));
}

#[test]
fn a_nested_partition_source_that_the_file_lacks_has_the_partition_value_before_its_default() {
    let field = PartitionField {
        field_id: 1000,
        source_ids: vec![12],
        name: "p".into(),
        transform: Transform::Identity,
        unknown_keys: Map::new(),
    };
    let spec = Arc::new(PartitionSpec { spec_id: 0, fields: vec![field], unknown_keys: Map::new() });
    let x = only_x(vec![3, 4]);
    let bytes = parquet(vec![column(1, "point", x.data_type().clone())], vec![x], 5);
    let request =
        request(&store(bytes), schema(vec![Field::optional(1, "point", point())])).with_specs([spec]);
    let task = FileScanTask { partition: Arc::new(vec![(1000, Some(Value::Int(8)))]), ..task() };
    assert_eq!(pairs(one_batch(request, &task).column(0)), [Some((3, 8)), Some((4, 8))]);
}

#[test]
fn unknown_elements_and_values_are_null_whatever_the_file_holds() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![3, 4]));
    let element = Arc::new(column(2, "element", DataType::Int32));
    let list =
        ListArray::new(element, OffsetBuffer::from_lengths([2, 0]), numbers, Some(vec![true, false].into()));
    let bytes = parquet(vec![column(1, "l", list.data_type().clone())], vec![Arc::new(list)], 5);
    let element = Field::optional(2, "element", PrimitiveType::Unknown);
    let wanted = schema(vec![Field::optional(1, "l", Type::List(Box::new(ListType { element })))]);
    let batch = one_batch(request(&store(bytes), wanted), &task());
    let lists = batch.column(0).as_list::<i32>();
    assert_eq!((lists.value_length(0), lists.is_null(1)), (2, true));
    assert_eq!(lists.values().data_type(), &DataType::Null);
}

#[test]
fn unknown_becomes_any_type_and_files_from_before_read_null() {
    let bytes =
        || parquet(vec![column(9, "other", DataType::Int32)], vec![Arc::new(Int32Array::from(vec![5]))], 5);
    for name in
        ["int", "string", "decimal(38,2)", "timestamptz_ns", "uuid", "geometry(srid:3857)", "fixed[3]"]
    {
        let wanted = schema(vec![Field::optional(1, "promoted", name.parse::<Type>().unwrap())]);
        assert_eq!(one_batch(request(&store(bytes()), wanted), &task()).column(0).null_count(), 1, "{name}");
    }
}

#[test]
fn a_date_becomes_no_timestamp_with_zone_and_a_decimal_keeps_its_scale() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![1]));
    let decimals = arrow_array::Decimal128Array::from(vec![150]).with_precision_and_scale(9, 2).unwrap();
    let decimals: ArrayRef = Arc::new(decimals);
    for (array, wanted) in [
        (&days, "timestamptz"),
        (&days, "timestamptz_ns"),
        (&days, "long"),
        (&decimals, "decimal(10,3)"),
        (&decimals, "decimal(8,2)"),
        (&decimals, "decimal(9,1)"),
    ] {
        let bytes = parquet(vec![column(1, "c", array.data_type().clone())], vec![Arc::clone(array)], 5);
        let schema = schema(vec![Field::optional(1, "c", wanted.parse::<Type>().unwrap())]);
        let error = batches(request(&store(bytes), schema), &task()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{wanted}");
        assert!(error.to_string().contains("which cannot be promoted to it"), "{error}");
    }
}

#[test]
fn a_default_of_writers_is_no_value_of_rows_that_were_there_before() {
    let bytes =
        parquet(vec![column(9, "other", DataType::Int32)], vec![Arc::new(Int32Array::from(vec![5]))], 5);
    let write_default = Some(Value::Int(7));
    let added = Field { write_default: write_default.clone(), ..Field::optional(1, "a", PrimitiveType::Int) };
    let both = Field {
        initial_default: Some(Value::Int(3)),
        write_default,
        ..Field::required(2, "b", PrimitiveType::Int)
    };
    let batch = one_batch(request(&store(bytes), schema(vec![added, both])), &task());
    assert_eq!(batch.column(0).null_count(), 1);
    assert_eq!(batch.column(1).as_primitive::<Int32Type>().values(), &[3]);
}
