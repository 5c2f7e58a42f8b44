#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::arrow::{field_to_arrow, schema_to_arrow};
use floeberg_core::schema::reserved::DELETE_FILE_ROW;
use floeberg_core::schema::{Field, NameMapping, PrimitiveType, Schema, StructType, Type};
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_files::{
    FileConstants, FileFilter, LayoutRequest, Modes, Projection, UnitRequest, WriteProperties, units_to_read,
};
use floeberg_io::{MemoryStore, Store};
use floeberg_properties::FORMAT;
use serde_json::json;

use super::*;
use crate::metadata::{TableMetadata, parse_table_metadata};
use crate::plan::FileFormat;
use crate::read::{FileAccess, Names};
use crate::wire::puffin::{parse_footer, read_blob};
use crate::write::{end_unit, layout_of, position_schema};

const VECTORS: &[u8] = include_bytes!("../wire/puffin/testdata/vectors.puffin");

/// A table whose column 9 was dropped.
fn metadata() -> TableMetadata {
    let schema =
        |id: i32, fields: serde_json::Value| json!({ "type": "struct", "schema-id": id, "fields": fields });
    let key = json!({ "id": 1, "name": "key", "required": false, "type": "long" });
    let document = json!({
        "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t",
        "last-sequence-number": 1, "last-updated-ms": 1, "last-column-id": 9, "current-schema-id": 1,
        "schemas": [
            schema(0, json!([key, { "id": 9, "name": "gone", "required": false, "type": "string" }])),
            schema(1, json!([key])),
        ],
        "default-spec-id": 0, "partition-specs": [{ "spec-id": 0, "fields": [] }], "last-partition-id": 999,
        "default-sort-order-id": 0, "sort-orders": [{ "order-id": 0, "fields": [] }]
    });
    parse_table_metadata(document.to_string().as_bytes(), "/t/metadata/v1.metadata.json").unwrap()
}

fn access(store: &MemoryStore) -> FileAccess {
    FileAccess { store: Arc::new(store.clone()), batch_rows: 2, cancel: Cancel::default() }
}

/// The columns of a file with deleted rows in it.
fn with_row() -> Schema {
    let columns =
        [Field::optional(1, "key", PrimitiveType::Long), Field::optional(9, "gone", PrimitiveType::String)];
    let row = Type::Struct(StructType { fields: columns.to_vec() });
    let fields =
        [position_schema().unwrap().fields(), &[Field::optional(DELETE_FILE_ROW, "row", row)]].concat();
    Schema::new(0, fields).unwrap()
}

fn rows(schema: &Schema) -> RecordBatch {
    let paths: ArrayRef = Arc::new(StringArray::from(vec!["/t/a", "/t/a", "/t/b"]));
    let positions: ArrayRef = Arc::new(Int64Array::from(vec![3, 5, 0]));
    let mut columns = vec![paths, positions];
    if let Some(Type::Struct(row)) = schema.fields().get(2).map(|field| &field.field_type) {
        let fields: Vec<_> =
            row.fields.iter().map(|field| Arc::new(field_to_arrow(field).unwrap())).collect();
        let keys: ArrayRef = Arc::new(Int64Array::from(vec![Some(30), None, Some(0)]));
        let gone: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("y"), None]));
        columns.push(Arc::new(StructArray::new(fields.into(), vec![keys, gone], None)));
    }
    RecordBatch::try_new(Arc::new(schema_to_arrow(schema).unwrap()), columns).unwrap()
}

fn write(store: &MemoryStore, location: &str, format: &str, schema: &Schema) {
    let properties = [(FORMAT.name.to_owned(), format.to_owned())].into_iter().collect();
    let properties = WriteProperties::of_map(properties);
    let modes = Modes::new(&properties, schema, []).unwrap();
    let request =
        LayoutRequest { schema, properties: &properties, modes, sorted_by: Vec::new(), deletes: None };
    let layout = layout_of(&request).unwrap();
    let mut file = Arc::clone(&layout).create(store, location).unwrap();
    let pieces = [layout.piece(&rows(schema)).unwrap()];
    file.encode(&pieces).unwrap().into_iter().for_each(|work| work().unwrap());
    end_unit(file.as_mut()).unwrap();
    file.finish().unwrap();
}

fn read(store: &MemoryStore, location: &str, format: FileFormat, schema: &Schema) -> Vec<RecordBatch> {
    let mapping = NameMapping::of_schema(schema);
    let file = access(store).open(location, None, format, Names::Mapped(&mapping)).unwrap();
    let constants = FileConstants::default();
    let projection = Arc::new(Projection::of_fields(schema.fields(), file.fields(), &constants).unwrap());
    let units = units_to_read(file.as_ref(), None, &DeletedRows::default(), &FileFilter::All);
    let batches = units.iter().flat_map(|unit| {
        let request = UnitRequest {
            unit,
            projection: &projection,
            deletes: &Arc::default(),
            predicate: None,
            batch_rows: 100,
            cancel: &Cancel::default(),
            counts: None,
        };
        Arc::clone(&file).read(&request).unwrap().collect::<Vec<_>>()
    });
    batches.collect::<Result<_>>().unwrap()
}

fn copied(store: &MemoryStore, format: FileFormat, target: &str) -> Result<CopiedFile> {
    let table = metadata();
    let rows = RowsToCopy { metadata: &table, location: "memory://from", format, claimed_size: 0 };
    copy_position_deletes(&access(store), &rows, (store, target), &longer)
}

#[expect(clippy::unnecessary_wraps, reason = "has the shape of what changes a path")]
fn longer(path: &str) -> Result<String> {
    Ok(path.replace("/t/", "s3://bucket/longer/"))
}

fn size(store: &MemoryStore, location: &str) -> u64 {
    store.open(location).unwrap().size().unwrap()
}

#[test]
fn rows_are_copied_with_the_deleted_rows() {
    let formats = [("parquet", FileFormat::Parquet), ("avro", FileFormat::Avro), ("orc", FileFormat::Orc)];
    for (name, format) in formats {
        for schema in [position_schema().unwrap(), with_row()] {
            let store = MemoryStore::new();
            write(&store, "memory://from", name, &schema);
            let copy = copied(&store, format, "memory://to").unwrap();
            assert_eq!(copy.file_size_in_bytes, size(&store, "memory://to"), "{name}");
            assert_eq!(copy.split_offsets.is_some(), format != FileFormat::Avro);
            let [found] = &read(&store, "memory://to", format, &schema)[..] else {
                unreachable!("one batch")
            };
            let paths: Vec<_> = found.column(0).as_string::<i32>().iter().flatten().collect();
            let [a, b] = ["s3://bucket/longer/a", "s3://bucket/longer/b"];
            assert_eq!(paths, [a, a, b]);
            assert_eq!(found.column(1).as_primitive::<Int64Type>().values(), &[3, 5, 0]);
            assert_eq!(found.columns()[2..], rows(&schema).columns()[2..], "{name}");
            // The same file gives the same bytes, so that its size is known before it is copied.
            copied(&store, format, "memory://again").unwrap();
            let bytes = |at: &str| store.open(at).unwrap().read_all(1 << 20).unwrap();
            assert_eq!(bytes("memory://to"), bytes("memory://again"));
        }
    }
}

#[test]
fn rows_that_cannot_be_copied_leave_no_file() {
    let store = MemoryStore::new();
    assert_eq!(copied(&store, FileFormat::Orc, "memory://to").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(copied(&store, FileFormat::Parquet, "memory://to").unwrap_err().kind(), ErrorKind::NotFound);
    write(&store, "memory://from", "avro", &position_schema().unwrap());
    let table = metadata();
    let rows =
        RowsToCopy { metadata: &table, location: "memory://from", format: FileFormat::Avro, claimed_size: 0 };
    let outside = |_: &str| Err(Error::invalid_input("outside"));
    let error = copy_position_deletes(&access(&store), &rows, (&store, "memory://to"), &outside).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("memory://from"), "{error}");
    assert!(!store.exists("memory://to").unwrap());
}

#[test]
fn vectors_stay_where_they_are() {
    let store = MemoryStore::new();
    store.put("memory://from", VECTORS);
    let path = |path: &str| Ok(format!("s3://other/{path}"));
    let copy = copy_vectors((&store, "memory://from"), (&store, "memory://to"), &path).unwrap();
    let bytes = store.open("memory://to").unwrap().read_all(1 << 20).unwrap();
    assert_eq!(copy.file_size_in_bytes, bytes.len() as u64);
    let (before, after) = (parse_footer(VECTORS).unwrap(), parse_footer(&bytes).unwrap());
    assert_eq!(before.properties, after.properties);
    assert!(!before.blobs.is_empty());
    for (before, after) in before.blobs.iter().zip(&after.blobs) {
        assert_eq!((before.offset, before.length), (after.offset, after.length));
        assert_eq!(read_blob(VECTORS, before).unwrap(), read_blob(&bytes, after).unwrap());
        let name = "referenced-data-file";
        assert_eq!(after.properties[name], format!("s3://other/{}", before.properties[name]));
        assert_eq!(before.properties["cardinality"], after.properties["cardinality"]);
    }
    for damaged in [&VECTORS[..VECTORS.len() - 5], &VECTORS[4..], b""] {
        store.put("memory://from", damaged.to_vec());
        let error = copy_vectors((&store, "memory://from"), (&store, "memory://no"), &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(!store.exists("memory://no").unwrap());
    }
}
