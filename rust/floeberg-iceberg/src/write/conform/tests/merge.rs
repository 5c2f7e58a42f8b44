use std::sync::Arc;

use arrow_array::{
    ArrayRef, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema};
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use super::super::columns_to_add;
use super::{batch, matched};
use crate::metadata::{TableMetadata, parse_table_metadata};

/// A table of `id` and a struct `p` of `x`.
fn metadata(format_version: u8) -> TableMetadata {
    of_fields(
        format_version,
        &json!([
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": "p", "required": false, "type": {"type": "struct", "fields": [
                {"id": 3, "name": "x", "required": false, "type": "long"}]}},
        ]),
    )
}

fn of_fields(format_version: u8, fields: &Json) -> TableMetadata {
    let mut document = json!({
        "format-version": format_version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t",
        "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 9, "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
    });
    if format_version > 2 {
        document["next-row-id"] = json!(0);
    }
    parse_table_metadata(document.to_string().as_bytes(), "/t/v1.metadata.json").unwrap()
}

fn ids() -> ArrayRef {
    Arc::new(Int64Array::from(vec![1]))
}

fn merged(metadata: &TableMetadata, rows: &RecordBatch) -> Result<(Json, RecordBatch)> {
    let changes = columns_to_add(metadata, &rows.schema())?.unwrap();
    let evolved = metadata.evolve_schema(&SchemaChanges::from_json(&changes)?)?;
    Ok((changes, matched(&evolved.schema, rows)?))
}

#[test]
fn columns_that_are_new_are_added_at_every_level() {
    let y: ArrayRef = Arc::new(StringArray::from(vec!["q"]));
    let p = StructArray::from(vec![(Arc::new(ArrowField::new("y", DataType::Utf8, true)), Arc::clone(&y))]);
    let rows = batch(vec![("id", ids()), ("p", Arc::new(p)), ("new", y)]);
    let (changes, made) = merged(&metadata(2), &rows).unwrap();
    let added = changes["changes"].as_array().unwrap();
    assert_eq!(
        added.iter().map(|each| (&each["parent"], &each["name"])).collect::<Vec<_>>(),
        [(&json!("p"), &json!("y")), (&Json::Null, &json!("new")),]
    );
    assert_eq!((made.num_columns(), made.num_rows()), (3, 1));
}

#[test]
fn nothing_is_added_where_all_is_there() {
    assert_eq!(columns_to_add(&metadata(2), &batch(vec![("id", ids())]).schema()).unwrap(), None);
    let other_type = batch(vec![("id", Arc::new(StringArray::from(vec!["q"])) as ArrayRef)]);
    assert_eq!(columns_to_add(&metadata(2), &other_type.schema()).unwrap(), None);
    assert_eq!(columns_to_add(&metadata(2), &batch(vec![("ID", ids())]).schema()).unwrap(), None);
}

#[test]
fn columns_that_are_too_narrow_are_promoted_at_every_level_and_stay_required() {
    let document = of_fields(
        2,
        &json!([
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": "p", "required": false, "type": {"type": "struct", "fields": [
                {"id": 3, "name": "i", "required": false, "type": "int"}]}},
            {"id": 4, "name": "f", "required": true, "type": "float"},
            {"id": 5, "name": "d", "required": false, "type": "decimal(9, 2)"},
        ]),
    );
    let i: ArrayRef = ids();
    let p = StructArray::from(vec![(Arc::new(ArrowField::new("i", DataType::Int64, true)), i)]);
    let wide = Decimal128Array::from(vec![1]).with_precision_and_scale(12, 2).unwrap();
    let rows = batch(vec![
        ("id", ids()),
        ("p", Arc::new(p)),
        ("f", Arc::new(Float64Array::from(vec![0.1]))),
        ("d", Arc::new(wide)),
    ]);
    let (changes, _) = merged(&document, &rows).unwrap();
    let told: Vec<_> = changes["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| (each["change"].as_str().unwrap(), each["name"].as_str().unwrap(), &each["type"]))
        .collect();
    assert_eq!(
        told,
        [
            ("update-type", "p.i", &json!("long")),
            ("update-type", "f", &json!("double")),
            ("update-type", "d", &json!("decimal(12,2)")),
        ]
    );
    let evolved = document.evolve_schema(&SchemaChanges::from_json(&changes).unwrap()).unwrap();
    assert!(evolved.schema.field(4).unwrap().required);
}

#[test]
fn columns_that_rows_fit_are_not_promoted() {
    let narrower = batch(vec![("id", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    assert_eq!(columns_to_add(&metadata(2), &narrower.schema()).unwrap(), None);
    // A long does not become a double, nor a decimal another scale.
    let other = batch(vec![("id", Arc::new(Float64Array::from(vec![1.0])) as ArrayRef)]);
    assert_eq!(columns_to_add(&metadata(2), &other.schema()).unwrap(), None);
}

#[test]
fn what_the_format_version_has_no_type_for_is_told() {
    let moment = ArrowField::new("at", DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, None), true);
    let input = ArrowSchema::new(vec![ArrowField::new("id", DataType::Int64, false), moment]);
    let error = columns_to_add(&metadata(2), &input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("set format_version=3"), "{error}");
    assert!(columns_to_add(&metadata(3), &input).unwrap().is_some());
}
