use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field as ArrowField};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{batch, cast, matched, of_type, refusal};

fn list_of(element: &str, required: bool) -> Json {
    json!({"type": "list", "element-id": 2, "element-required": required, "element": element})
}

fn lists(rows: Vec<Option<Vec<Option<i32>>>>) -> ArrayRef {
    let mut builder = ListBuilder::new(Int32Builder::new());
    for row in rows {
        builder.append_option(row);
    }
    Arc::new(builder.finish())
}

fn values(array: &ArrayRef) -> Vec<Option<Vec<Option<i64>>>> {
    let lists = array.as_list::<i32>();
    lists.iter().map(|row| row.map(|row| row.as_primitive::<Int64Type>().iter().collect())).collect()
}

fn made(array: ArrayRef) -> ArrayRef {
    let rows = matched(&of_type(&list_of("long", false), false), &batch(vec![("x", array)])).unwrap();
    Arc::clone(rows.column(0))
}

fn item(data_type: DataType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("item", data_type, true))
}

#[test]
fn every_form_of_lists_is_written_out() {
    let plain = lists(vec![Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(3)])]);
    let expected = vec![Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(3)])];
    let element = item(DataType::Int32);
    for form in [
        plain.data_type().clone(),
        DataType::LargeList(Arc::clone(&element)),
        DataType::ListView(Arc::clone(&element)),
        DataType::LargeListView(element),
    ] {
        assert_eq!(values(&made(cast(&plain, &form))), expected, "{form}");
    }
    let mut fixed = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for (row, is_there) in [([1, 2], true), ([8, 8], false), ([3, 4], true)] {
        fixed.values().append_slice(&row);
        fixed.append(is_there);
    }
    let expected = vec![Some(vec![Some(1), Some(2)]), None, Some(vec![Some(3), Some(4)])];
    assert_eq!(values(&made(Arc::new(fixed.finish()))), expected);
}

#[test]
fn null_lists_hold_nothing_that_could_be_wrong() {
    let elements: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let nulls = NullBuffer::from(vec![true, false, true]);
    let hidden =
        ListArray::new(item(DataType::Int32), OffsetBuffer::from_lengths([1, 1, 1]), elements, Some(nulls));
    let table = of_type(&list_of("long", true), false);
    let rows = matched(&table, &batch(vec![("x", Arc::new(hidden))])).unwrap();
    assert_eq!(values(rows.column(0)), [Some(vec![Some(1)]), None, Some(vec![Some(3)])]);
}

#[test]
fn a_null_element_is_told_by_the_row_of_its_list() {
    let table = of_type(&list_of("int", true), false);
    let rows = lists(vec![Some(vec![Some(1)]), Some(vec![]), None, Some(vec![Some(2), None])]);
    let message = refusal(&table, &batch(vec![("x", Arc::clone(&rows))]));
    assert!(message.contains("column: x.element, row: 3"), "{message}");
    let message = refusal(&table, &batch(vec![("x", rows.slice(2, 2))]));
    assert!(message.contains("row: 1"), "{message}");
    assert!(matched(&table, &batch(vec![("x", rows.slice(0, 3))])).is_ok());
}

#[test]
fn maps_are_their_keys_and_values() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    builder.keys().append_value("a");
    builder.values().append_value(1);
    builder.append(true).unwrap();
    builder.append(false).unwrap();
    builder.keys().append_value("b");
    builder.values().append_null();
    builder.append(true).unwrap();
    let maps: ArrayRef = Arc::new(builder.finish());
    let of = |required: bool| json!({"type": "map", "key-id": 2, "key": "string", "value-id": 3, "value-required": required, "value": "long"});
    let rows = matched(&of_type(&of(false), false), &batch(vec![("x", Arc::clone(&maps))])).unwrap();
    let made = rows.column(0).as_map();
    assert_eq!((made.len(), made.is_null(1), made.value(2).len()), (3, true, 1));
    assert_eq!(made.values().as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(1), None]);
    let message = refusal(&of_type(&of(true), false), &batch(vec![("x", maps)]));
    assert!(message.contains("column: x.value, row: 2"), "{message}");
}

#[test]
fn null_maps_hold_nothing_that_could_be_wrong() {
    let keys: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let entry = StructArray::from(vec![
        (Arc::new(ArrowField::new("keys", DataType::Int32, false)), keys),
        (Arc::new(ArrowField::new("values", DataType::Int32, true)), values),
    ]);
    let entries = Arc::new(ArrowField::new("entries", entry.data_type().clone(), false));
    let nulls = NullBuffer::from(vec![true, false]);
    let maps = MapArray::new(entries, OffsetBuffer::from_lengths([1, 1]), entry, Some(nulls), false);
    let wanted = json!({"type": "map", "key-id": 2, "key": "int", "value-id": 3, "value-required": true, "value": "int"});
    let rows = matched(&of_type(&wanted, false), &batch(vec![("x", Arc::new(maps))])).unwrap();
    let made = rows.column(0).as_map();
    assert_eq!(
        (made.is_null(1), made.values().as_primitive::<Int32Type>().values().as_ref()),
        (true, [1].as_slice())
    );
}

proptest! {
    #[test]
    fn a_slice_of_lists_is_that_slice(
        rows in proptest::collection::vec(proptest::option::of(proptest::collection::vec(proptest::option::of(any::<i32>()), 0..4)), 0..30),
        cut in 0_usize..30,
    ) {
        let cut = cut.min(rows.len());
        let widened = |row: &Option<Vec<Option<i32>>>| row.as_ref().map(|row| row.iter().map(|value| value.map(i64::from)).collect::<Vec<_>>());
        let expected: Vec<_> = rows[cut..].iter().map(widened).collect();
        let array = lists(rows);
        let large = cast(&array, &DataType::LargeList(item(DataType::Int32)));
        for form in [array, large] {
            prop_assert_eq!(values(&made(form.slice(cut, form.len() - cut))), expected.clone());
        }
    }
}
