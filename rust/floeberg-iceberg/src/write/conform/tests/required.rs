use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, Int64Array, NullArray, StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field as ArrowField, Fields};
use serde_json::json;

use super::{batch, matched, of_type, refusal};

fn within(inner: ArrayRef, nulls: Option<Vec<bool>>) -> ArrayRef {
    let fields = Fields::from(vec![ArrowField::new("a", inner.data_type().clone(), true)]);
    Arc::new(StructArray::new(fields, vec![inner], nulls.map(NullBuffer::from)))
}

#[test]
fn a_null_in_a_required_column_is_told_by_its_row() {
    let required = of_type(&json!("long"), true);
    let column =
        |values: Vec<Option<i64>>| batch(vec![("x", Arc::new(Int64Array::from(values)) as ArrayRef)]);
    assert!(matched(&required, &column(vec![Some(1), Some(2)])).is_ok());
    let message = refusal(&required, &column(vec![Some(1), None, None]));
    assert!(message.contains("is null") && message.contains("column: x, row: 1"), "{message}");
    let message = refusal(&required, &batch(vec![("x", Arc::new(NullArray::new(1)))]));
    assert!(message.contains("row: 0"), "{message}");
}

#[test]
fn nulls_of_dictionaries_count_wherever_they_are() {
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let dictionary = DictionaryArray::new(Int8Array::from(vec![0, 0, 1]), values);
    let message = refusal(&of_type(&json!("string"), true), &batch(vec![("x", Arc::new(dictionary))]));
    assert!(message.contains("row: 2"), "{message}");
}

#[test]
fn a_required_field_of_a_null_struct_may_be_null() {
    let table = of_type(
        &json!({"type": "struct", "fields": [{"id": 2, "name": "a", "required": true, "type": "long"}]}),
        false,
    );
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    assert!(
        matched(&table, &batch(vec![("x", within(Arc::clone(&inner), Some(vec![true, false])))])).is_ok()
    );
    let message = refusal(&table, &batch(vec![("x", within(inner, None))]));
    assert!(message.contains("column: x.a, row: 1"), "{message}");
}

#[test]
fn what_null_structs_hold_is_not_looked_at() {
    let table = of_type(
        &json!({"type": "struct", "fields": [
        {"id": 2, "name": "a", "required": true, "type": {"type": "struct", "fields": [
            {"id": 3, "name": "a", "required": false, "type": "time"}]}}]}),
        false,
    );
    let times: ArrayRef = Arc::new(arrow_array::Time64MicrosecondArray::from(vec![5, -1]));
    let rows = within(within(times, None), Some(vec![true, false]));
    assert!(matched(&table, &batch(vec![("x", rows)])).is_ok());
}
