//! Deletes as their files name them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Fields};
use floeberg_core::schema::{Field, PrimitiveType as P, StructType, Type, reserved};
use floeberg_core::{ErrorKind, Result};
use floeberg_io::MemoryStore;

use super::fixture::{DATA, column, delete_file, numbers, numbers_schema, parquet, request, store};
use crate::plan::{DeleteKind, FileFormat};
use crate::read::ListedDeletes;

const DELETES: &str = "memory://t/deletes.parquet";

fn wanted() -> [Field; 3] {
    let row = vec![Field::optional(1, "n", P::Long), Field::optional(9, "added", P::Int)];
    [
        Field::required(reserved::DELETE_FILE_PATH, "file_path", P::String),
        Field::required(reserved::DELETE_FILE_POS, "pos", P::Long),
        Field::optional(reserved::DELETE_FILE_ROW, "row", Type::Struct(StructType { fields: row })),
    ]
}

fn listed(store: &MemoryStore, kind: DeleteKind, format: FileFormat) -> Result<Vec<RecordBatch>> {
    let delete = delete_file(DELETES, kind, format);
    ListedDeletes::open(&request(store, numbers_schema()), &delete, &wanted())?.collect()
}

fn put(store: &MemoryStore, with_row: bool) {
    let mut fields = vec![
        column(reserved::DELETE_FILE_PATH, "file_path", DataType::Utf8),
        column(reserved::DELETE_FILE_POS, "pos", DataType::Int64),
    ];
    let paths: ArrayRef = Arc::new(StringArray::from(vec![DATA, DATA, "memory://t/b", DATA]));
    let mut columns = vec![paths, Arc::new(Int64Array::from(vec![7, 7, 0, 1]))];
    if with_row {
        let own = Fields::from(vec![column(1, "n", DataType::Int64), column(2, "s", DataType::Utf8)]);
        let values: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![Some(70), None, Some(0), Some(10)])),
            Arc::new(StringArray::from(vec!["a", "b", "c", "d"])),
        ];
        fields.push(column(reserved::DELETE_FILE_ROW, "row", DataType::Struct(own.clone())));
        columns.push(Arc::new(StructArray::new(own, values, None)));
    }
    store.put(DELETES, parquet(fields, columns, 2));
}

#[test]
fn rows_come_as_they_are_written_repeated_ones_too() {
    let store = store(numbers(10, 100));
    put(&store, false);
    let batches = listed(&store, DeleteKind::Position, FileFormat::Parquet).unwrap();
    let named: Vec<(String, i64)> = batches
        .iter()
        .flat_map(|batch| {
            let paths = batch.column(0).as_string::<i32>();
            let positions = batch.column(1).as_primitive::<Int64Type>();
            paths.iter().map(|path| path.unwrap().to_owned()).zip(positions.values().to_vec())
        })
        .collect();
    let expected = [(DATA, 7), (DATA, 7), ("memory://t/b", 0), (DATA, 1)];
    assert_eq!(named, expected.map(|(path, position)| (path.to_owned(), position)));
    assert!(batches.iter().all(|batch| batch.column(2).null_count() == batch.num_rows()));
}

#[test]
fn deleted_rows_that_the_file_holds_are_read_by_field_id() {
    let store = store(numbers(10, 100));
    put(&store, true);
    let batches = listed(&store, DeleteKind::Position, FileFormat::Parquet).unwrap();
    let rows: Vec<Option<i64>> = batches
        .iter()
        .flat_map(|batch| {
            batch.column(2).as_struct().column(0).as_primitive::<Int64Type>().iter().collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(rows, [Some(70), None, Some(0), Some(10)]);
    for batch in batches {
        let row = batch.column(2).as_struct();
        assert_eq!(row.column_names(), ["n", "added"]);
        assert_eq!(row.column(1).null_count(), batch.num_rows());
    }
}

#[test]
fn what_is_no_delete_by_position_is_refused() {
    let store = store(numbers(10, 100));
    put(&store, false);
    let puffin = listed(&store, DeleteKind::Position, FileFormat::Puffin).unwrap_err();
    assert_eq!(puffin.kind(), ErrorKind::InvalidData);
    assert!(puffin.to_string().contains(DELETES), "{puffin}");
    let equality = DeleteKind::Equality { equality_ids: vec![1] };
    assert_eq!(listed(&store, equality, FileFormat::Parquet).unwrap_err().kind(), ErrorKind::Internal);
    store.put(DELETES, numbers(3, 100));
    let other = listed(&store, DeleteKind::Position, FileFormat::Parquet).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::InvalidData);
    assert!(other.to_string().contains(DELETES), "{other}");
}
