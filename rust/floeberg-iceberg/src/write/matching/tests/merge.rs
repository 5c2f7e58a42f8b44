use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema};
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_core::{ErrorKind, Result};
use serde_json::{Value as Json, json};

use super::super::columns_to_add;
use super::{batch, matched};
use crate::metadata::{TableMetadata, parse_table_metadata};

/// A table of `id` and a struct `p` of `x`.
fn metadata(format_version: u8) -> TableMetadata {
    let mut document = json!({
        "format-version": format_version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t",
        "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 9, "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": "p", "required": false, "type": {"type": "struct", "fields": [
                {"id": 3, "name": "x", "required": false, "type": "long"}]}}]}],
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
fn what_the_format_version_has_no_type_for_is_told() {
    let moment = ArrowField::new("at", DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, None), true);
    let input = ArrowSchema::new(vec![ArrowField::new("id", DataType::Int64, false), moment]);
    let error = columns_to_add(&metadata(2), &input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("set format_version=3"), "{error}");
    assert!(columns_to_add(&metadata(3), &input).unwrap().is_some());
}
