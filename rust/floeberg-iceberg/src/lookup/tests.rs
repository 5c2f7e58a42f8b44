#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use floeberg_core::ErrorKind;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};

use floeberg_rows::NullKeys;

use super::SourceKeys;

fn table() -> Schema {
    let field = |id, name: &str, field_type| Field::optional(id, name, Type::Primitive(field_type));
    let fields = vec![
        field(1, "id", PrimitiveType::Long),
        field(2, "day", PrimitiveType::String),
        field(3, "x", PrimitiveType::Double),
    ];
    Schema::new(0, fields).unwrap()
}

fn keys(
    ids: &[i32],
    nulls: NullKeys,
    repeats: bool,
    columns: Vec<ArrayRef>,
) -> floeberg_core::Result<SourceKeys> {
    let mut keys = SourceKeys::new(&table(), ids, nulls, repeats)?;
    let schema = Arc::new(schema_to_arrow(keys.schema()).unwrap());
    keys.insert(&RecordBatch::try_new(schema, columns).unwrap())?;
    Ok(keys)
}

fn longs(values: impl IntoIterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<Int64Array>())
}

#[test]
fn few_keys_are_a_list_and_many_a_range() {
    let few = keys(&[1], NullKeys::Refused, false, vec![longs([Some(7), Some(3)])]).unwrap();
    assert_eq!(few.range().to_string(), "id IN (3, 7)");
    let one = keys(&[1], NullKeys::Refused, false, vec![longs([Some(7)])]).unwrap();
    assert_eq!(one.range().to_string(), "id = 7");
    let many = keys(&[1], NullKeys::Refused, false, vec![longs((0..201).map(Some))]).unwrap();
    assert_eq!(many.range().to_string(), "id >= 0 AND id <= 200");
    let none = keys(&[1], NullKeys::Unequal, false, vec![longs([None])]).unwrap();
    assert_eq!(none.range().to_string(), "FALSE");
    let null = keys(&[1], NullKeys::Equal, false, vec![longs([None, Some(1)])]).unwrap();
    assert_eq!(null.range().to_string(), "id = 1 OR id IS NULL");
}

#[test]
fn a_float_has_no_range_for_nan_is_a_key() {
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN]));
    assert_eq!(keys(&[3], NullKeys::Refused, false, vec![doubles]).unwrap().range().to_string(), "TRUE");
}

#[test]
fn nulls_and_repeated_keys_are_errors_that_show_them() {
    let error = keys(&[1], NullKeys::Refused, false, vec![longs([Some(1), None])]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("a key of the source is null"), "{error}");
    let days: ArrayRef = Arc::new(StringArray::from(vec!["x", "y", "x"]));
    let columns = vec![longs([Some(1), Some(1), Some(1)]), days];
    let error = keys(&[1, 2], NullKeys::Refused, false, columns.clone()).unwrap_err();
    assert!(error.to_string().contains("have one key: id = 1, day = 'x'"), "{error}");
    assert_eq!(keys(&[1, 2], NullKeys::Refused, true, columns).unwrap().rows(), 3);
}

#[test]
fn keys_are_columns_of_the_table_each_once() {
    let unknown = SourceKeys::new(&table(), &[9], NullKeys::Refused, false).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unsupported);
    let twice = SourceKeys::new(&table(), &[1, 1], NullKeys::Refused, false).unwrap_err();
    assert!(twice.to_string().contains("named twice"), "{twice}");
}
