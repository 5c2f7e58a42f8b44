use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{Field as ArrowField, Metadata, Schema as ArrowSchema};
use floeberg_core::ErrorKind;
use floeberg_core::schema::arrow::{FIELD_ID_KEY, schema_to_arrow};
use floeberg_core::schema::{Field, Schema, Type};
use serde_json::json;

use super::super::Matching;
use super::{batch, matched, of_type, refusal, table};

fn ints(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

/// The same rows, whose columns carry ids.
fn with_ids(rows: &RecordBatch, ids: &[i32]) -> RecordBatch {
    let schema = rows.schema();
    let fields: Vec<ArrowField> = schema
        .fields()
        .iter()
        .zip(ids)
        .map(|(field, id)| {
            field.as_ref().clone().with_metadata(Metadata::new().with(FIELD_ID_KEY, id.to_string()))
        })
        .collect();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), rows.columns().to_vec()).unwrap()
}

fn pair() -> Schema {
    table(&json!([
        {"id": 1, "name": "a", "required": false, "type": "long"},
        {"id": 2, "name": "b", "required": false, "type": "long"},
    ]))
}

fn numbers(rows: &RecordBatch) -> Vec<i64> {
    rows.columns().iter().map(|column| column.as_primitive::<Int64Type>().value(0)).collect()
}

#[test]
fn columns_are_found_by_name_in_any_order_and_shared() {
    let rows = batch(vec![("b", ints(&[2])), ("a", ints(&[1]))]);
    let made = matched(&pair(), &rows).unwrap();
    assert_eq!(made.schema().as_ref(), &schema_to_arrow(&pair()).unwrap());
    assert_eq!(numbers(&made), [1, 2]);
    assert!(Arc::ptr_eq(made.column(0), rows.column(1)));
}

#[test]
fn ids_find_columns_that_were_renamed() {
    let rows = with_ids(&batch(vec![("old_b", ints(&[2])), ("a", ints(&[1]))]), &[2, 1]);
    assert_eq!(numbers(&matched(&pair(), &rows).unwrap()), [1, 2]);
}

#[test]
fn ids_of_another_table_do_not_count() {
    let swapped = with_ids(&batch(vec![("b", ints(&[2])), ("a", ints(&[1]))]), &[1, 2]);
    assert_eq!(numbers(&matched(&pair(), &swapped).unwrap()), [1, 2]);
    let foreign = with_ids(&batch(vec![("x", ints(&[2])), ("y", ints(&[1]))]), &[1, 2]);
    assert!(refusal(&pair(), &foreign).contains("\"x\" is not in the table"));
    let beyond = with_ids(&batch(vec![("a", ints(&[1])), ("b", ints(&[2]))]), &[7, 8]);
    assert_eq!(numbers(&matched(&pair(), &beyond).unwrap()), [1, 2]);
}

#[test]
fn rows_of_the_table_itself_fit_it_unchanged() {
    let nested = table(&json!([{"id": 1, "name": "m", "required": true, "type": {
        "type": "map", "key-id": 2, "key": "string", "value-id": 3, "value-required": false,
        "value": {"type": "list", "element-id": 4, "element-required": true, "element": {
            "type": "struct", "fields": [{"id": 5, "name": "a", "required": false, "type": "int"}]}}}}]));
    let form = Arc::new(schema_to_arrow(&nested).unwrap());
    let rows = RecordBatch::new_empty(form);
    assert_eq!(matched(&nested, &rows).unwrap(), rows);
}

#[test]
fn what_is_missing_is_its_write_default_or_null() {
    let fields = json!([
        {"id": 1, "name": "a", "required": false, "type": "long"},
        {"id": 2, "name": "n", "required": true, "type": "int", "initial-default": 1, "write-default": 7},
        {"id": 3, "name": "s", "required": false, "write-default": {}, "type": {"type": "struct", "fields": [
            {"id": 4, "name": "x", "required": true, "type": "int", "initial-default": 1, "write-default": 8},
            {"id": 5, "name": "y", "required": false, "type": "string"}]}},
    ]);
    let made = matched(&table(&fields), &batch(vec![("a", ints(&[5, 6]))])).unwrap();
    assert_eq!(made.column(1).as_primitive::<Int32Type>().values(), &[7, 7]);
    let structs = made.column(2).as_struct();
    assert_eq!(structs.column(0).as_primitive::<Int32Type>().values(), &[8, 8]);
    assert_eq!((structs.null_count(), structs.column(1).null_count()), (0, 2));

    let y: ArrayRef = Arc::new(StringArray::from(vec!["q", "r"]));
    let given = StructArray::from(vec![(Arc::new(ArrowField::new("y", y.data_type().clone(), true)), y)]);
    let made = matched(&table(&fields), &batch(vec![("s", Arc::new(given))])).unwrap();
    assert_eq!(made.column(0).null_count(), 2);
    assert_eq!(made.column(2).as_struct().column(0).as_primitive::<Int32Type>().values(), &[8, 8]);
}

#[test]
fn one_error_lists_every_mismatch_and_its_fix() {
    let wanted = table(&json!([
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 2, "name": "n", "required": false, "type": "int"},
        {"id": 3, "name": "at", "required": false, "type": "timestamptz"},
        {"id": 4, "name": "tags", "required": false, "type":
            {"type": "list", "element-id": 5, "element-required": false, "element": "string"}},
        {"id": 6, "name": "p", "required": false, "type":
            {"type": "struct", "fields": [{"id": 7, "name": "x", "required": false, "type": "date"}]}},
    ]));
    let x: ArrayRef = Arc::new(StringArray::from(vec!["2020-01-01"]));
    let p = StructArray::from(vec![(Arc::new(ArrowField::new("x", x.data_type().clone(), true)), x)]);
    let rows = batch(vec![
        ("n", Arc::new(StringArray::from(vec!["1"]))),
        (
            "at",
            super::cast(
                &ints(&[1]),
                &arrow_schema::DataType::Timestamp(arrow_schema::TimeUnit::Second, None),
            ),
        ),
        ("tags", Arc::new(StringArray::from(vec!["a"]))),
        ("p", Arc::new(p)),
        ("N", ints(&[1])),
        ("more", ints(&[1])),
    ]);
    let message = refusal(&wanted, &rows);
    for said in [
        "column \"id\" is required and missing: add it",
        "column \"n\" is string, and int in the table: cast it to int32",
        "column \"at\" is timestamp[s], and timestamptz in the table: say in which time zone it is, as timestamp[us, tz=UTC]",
        "column \"tags\" is string, and a list in the table: make it a list",
        "column \"p.x\" is string, and date in the table: cast it to date32",
        "column \"N\" is not in the table, which has \"n\": rename it",
        "column \"more\" is not in the table: drop it, or add it with schema_mode=\"merge\"",
    ] {
        assert!(message.contains(said), "{said}\n{message}");
    }
}

#[test]
fn a_column_that_is_there_twice_is_refused() {
    let rows = batch(vec![("a", ints(&[1])), ("a", ints(&[2]))]);
    assert!(refusal(&pair(), &rows).contains("\"a\" occurs twice"));
}

#[test]
fn a_table_of_a_type_that_is_not_known_cannot_be_written() {
    let unknown =
        Schema::new(0, vec![Field::optional(1, "x", Type::Unrecognized("interval".to_owned()))]).unwrap();
    let error = matched(&unknown, &batch(vec![("x", ints(&[1]))])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn a_batch_that_is_not_of_its_schema_is_refused() {
    let matching =
        Matching::new(&pair(), &batch(vec![("a", ints(&[1])), ("b", ints(&[2]))]).schema()).unwrap();
    assert_eq!(
        matching.apply(&batch(vec![("a", ints(&[1]))]), 0).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["q"]));
    let other = batch(vec![("a", Arc::clone(&texts)), ("b", texts)]);
    assert_eq!(matching.apply(&other, 0).unwrap_err().kind(), ErrorKind::InvalidInput);
    let lists = Matching::new(
        &of_type(
            &json!({"type": "list", "element-id": 2, "element-required": false, "element": "long"}),
            false,
        ),
        &batch(vec![(
            "x",
            Arc::new(arrow_array::ListArray::new_null(
                Arc::new(ArrowField::new("item", arrow_schema::DataType::Int64, true)),
                1,
            )),
        )])
        .schema(),
    );
    assert!(lists.unwrap().apply(&batch(vec![("x", ints(&[1]))]), 0).is_err());
}
