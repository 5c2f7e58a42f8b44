use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField, Fields};
use serde_json::json;

use super::{batch, cast, matched, of_type, refusal};

const NO_NAMES: &[u8] = &[1, 0, 0];

fn bytes(values: Vec<Option<&[u8]>>) -> ArrayRef {
    Arc::new(BinaryArray::from(values))
}

fn group(columns: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> ArrayRef {
    let fields: Fields =
        columns.iter().map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::new(fields, arrays, nulls.map(NullBuffer::from)))
}

#[test]
fn whole_variants_are_two_columns_of_bytes() {
    let metadata = bytes(vec![Some(NO_NAMES), None]);
    let value = cast(&bytes(vec![Some(&[0]), None]), &DataType::BinaryView);
    let variants = of_type(&json!("variant"), false);
    let columns = vec![("value", value), ("metadata", metadata)];
    let rows =
        matched(&variants, &batch(vec![("x", group(columns.clone(), Some(vec![true, false])))])).unwrap();
    let made = rows.column(0).as_struct();
    assert_eq!(made.column_names(), ["metadata", "value"]);
    assert_eq!((made.is_null(1), made.column(1).as_binary::<i32>().value(0)), (true, [0].as_slice()));
    let message = refusal(&variants, &batch(vec![("x", group(columns, None))]));
    assert!(message.contains("column: x.metadata, row: 1"), "{message}");
}

#[test]
fn typed_columns_of_variants_are_put_together() {
    let columns = vec![
        ("metadata", bytes(vec![Some(NO_NAMES)])),
        ("value", bytes(vec![None])),
        ("typed_value", Arc::new(Int64Array::from(vec![7])) as ArrayRef),
    ];
    let rows = matched(&of_type(&json!("variant"), true), &batch(vec![("x", group(columns, None))])).unwrap();
    let made = rows.column(0).as_struct();
    assert_eq!(
        made.column(1).as_binary::<i32>().value(0),
        [vec![6 << 2], 7_i64.to_le_bytes().to_vec()].concat()
    );
}

#[test]
fn damaged_variants_are_refused_with_their_row() {
    let variants = of_type(&json!("variant"), false);
    for wrong in [&b""[..], &[0, 0], &[2, 1, 0, 0, 1, 0], &[1 << 2 | 1, 0xff], &[63 << 2]] {
        let columns = vec![
            ("metadata", bytes(vec![Some(NO_NAMES), Some(b"nothing"), Some(NO_NAMES)])),
            ("value", bytes(vec![Some(&[0]), Some(&[]), Some(wrong)])),
        ];
        let rows = batch(vec![("x", group(columns, Some(vec![true, false, true])))]);
        let message = refusal(&variants, &rows);
        assert!(
            message.contains("is not a valid variant") && message.contains("column: x, row: 2"),
            "{message}"
        );
    }
}

#[test]
fn what_is_no_variant_is_refused() {
    let variants = of_type(&json!("variant"), false);
    let plain: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert!(refusal(&variants, &batch(vec![("x", Arc::clone(&plain))])).contains("make it a variant"));
    let other = group(vec![("metadata", bytes(vec![Some(NO_NAMES)])), ("else", plain)], None);
    let message = refusal(&variants, &batch(vec![("x", other)]));
    assert!(
        message.contains("\"x.value\" is required") && message.contains("\"x.else\" is not"),
        "{message}"
    );
}
