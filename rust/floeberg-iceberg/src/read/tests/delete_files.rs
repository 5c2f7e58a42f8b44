//! What may position delete files and the blobs of vectors look like, and what is refused?

use std::sync::Arc;

use apache_avro::types::Value as Avro;
use arrow_array::{ArrayRef, Int64Array, StringArray, StructArray};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;
use roaring::RoaringTreemap;

use super::avro_fixture::{avro, none, of, some};
use super::fixture::{
    DATA, batches, column, delete_file, numbers, numbers_schema, parquet, request, rows, store, task,
};
use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::ReadRequest;

const FILE_PATH: i32 = 2_147_483_546;
const POS: i32 = 2_147_483_545;
const ROW: i32 = 2_147_483_544;

fn paths(rows: usize) -> ArrayRef {
    Arc::new(StringArray::from_iter_values((0..rows).map(|_| DATA)))
}

fn positions(positions: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(positions.to_vec()))
}

/// A position delete file in Parquet, with columns beside the two.
fn deletes(
    store: &MemoryStore,
    name: &str,
    at: &[i64],
    others: Vec<(ArrowField, ArrayRef)>,
) -> Arc<DeleteFile> {
    let location = format!("memory://t/{name}");
    let (mut fields, mut columns): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    fields.extend([column(FILE_PATH, "file_path", DataType::Utf8), column(POS, "pos", DataType::Int64)]);
    columns.extend([paths(at.len()), positions(at)]);
    store.put(&location, parquet(fields, columns, 3));
    Arc::new(delete_file(&location, DeleteKind::Position, FileFormat::Parquet))
}

fn left(store: &MemoryStore, deletes: Vec<Arc<DeleteFile>>) -> Vec<i64> {
    rows(request(store, numbers_schema()), &FileScanTask { deletes, ..task() })
}

#[test]
fn positions_need_not_be_sorted_and_may_repeat_within_and_across_files() {
    let store = store(numbers(12, 5));
    let one = deletes(&store, "one", &[9, 2, 2, 11, 0, 9], vec![]);
    let other = deletes(&store, "other", &[2, 3, 11], vec![]);
    assert_eq!(left(&store, vec![one, other]), [1, 4, 5, 6, 7, 8, 10]);
}

#[test]
fn positions_beyond_the_rows_of_the_file_delete_nothing() {
    let store = store(numbers(4, 3));
    let far = deletes(&store, "far", &[4, 1 << 31, 1 << 32, i64::MAX, 1], vec![]);
    assert_eq!(left(&store, vec![far]), [0, 2, 3]);
}

#[test]
fn the_deleted_row_and_other_columns_of_a_delete_file_are_not_read() {
    let store = store(numbers(5, 5));
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![70, 71]));
    let field = column(1, "n", DataType::Int64);
    let row = StructArray::from(vec![(Arc::new(field.clone()), inner)]);
    let row_field = column(ROW, "row", DataType::Struct(vec![field].into()));
    let note = column(7, "note", DataType::Utf8);
    let others: Vec<(ArrowField, ArrayRef)> = vec![(row_field, Arc::new(row)), (note, paths(2))];
    let with_rows = deletes(&store, "rows", &[1, 3], others);
    assert_eq!(left(&store, vec![with_rows]), [0, 2, 4]);
}

#[test]
fn a_delete_file_in_avro_may_hold_the_deleted_row() {
    let fields = r#"{"name":"file_path","type":"string","field-id":2147483546},
        {"name":"row","type":["null",{"type":"record","name":"deleted_row","fields":[{"name":"n","type":"long","field-id":1}]}],
            "field-id":2147483544},
        {"name":"pos","type":"long","field-id":2147483545}"#;
    let row = |path: &str, pos: i64, row: Avro| {
        vec![("file_path", Avro::String(path.to_owned())), ("row", row), ("pos", Avro::Long(pos))]
    };
    let deleted = some(of(&[("n", Avro::Long(3))]));
    let rows = [row(DATA, 3, deleted.clone()), row("memory://t/other", 0, none()), row(DATA, 1, none())];
    let store = store(numbers(5, 5));
    store.put("memory://t/deletes.avro", avro(fields, &rows, 2));
    let delete = delete_file("memory://t/deletes.avro", DeleteKind::Position, FileFormat::Avro);
    assert_eq!(left(&store, vec![Arc::new(delete)]), [0, 2, 4]);
}

#[test]
fn a_delete_file_without_a_path_or_position_is_an_error_that_names_it() {
    let store = store(numbers(5, 5));
    let null_path: ArrayRef = Arc::new(StringArray::from(vec![Some(DATA), None]));
    let null_position: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let path = || column(FILE_PATH, "file_path", DataType::Utf8);
    let position = || column(POS, "pos", DataType::Int64);
    for (fields, columns) in [
        (vec![path(), position()], vec![null_path, positions(&[1, 2])]),
        (vec![path(), position()], vec![paths(2), null_position]),
        (vec![path()], vec![paths(2)]),
        (vec![position()], vec![positions(&[1, 2])]),
        (vec![path(), column(POS, "pos", DataType::Utf8)], vec![paths(1), paths(1)]),
    ] {
        store.put("memory://t/damaged", parquet(fields, columns, 10));
        let delete = delete_file("memory://t/damaged", DeleteKind::Position, FileFormat::Parquet);
        let task = FileScanTask { deletes: vec![Arc::new(delete)], ..task() };
        let error = batches(request(&store, numbers_schema()), &task).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("memory://t/damaged"), "{error}");
    }
}

/// A file of two vectors, and where each of them is.
fn two_vectors(store: &MemoryStore) -> [(i64, i64); 2] {
    let blob = |positions: &[u64]| {
        let mut body = vec![0xd1, 0xd3, 0x39, 0x64];
        RoaringTreemap::from_iter(positions).serialize_into(&mut body).unwrap();
        let checksum = crc32fast::hash(&body).to_be_bytes();
        [&(body.len() as u32).to_be_bytes()[..], &body, &checksum].concat()
    };
    let (one, other) = (blob(&[1, 3]), blob(&[0, 2, 4]));
    store.put("memory://t/v.puffin", [&b"PFA1"[..], &one, &other, b"no footer is read"].concat());
    let (length, next) = (one.len() as i64, other.len() as i64);
    [(4, length), (4 + length, next)]
}

fn vector(offset: i64, size: i64, record_count: i64) -> FileScanTask {
    let kind = DeleteKind::Vector { content_offset: offset, content_size_in_bytes: size };
    let delete = delete_file("memory://t/v.puffin", kind, FileFormat::Puffin);
    FileScanTask { deletes: vec![Arc::new(DeleteFile { record_count, ..delete })], ..task() }
}

#[test]
fn of_a_puffin_file_only_the_blob_of_the_vector_is_read() {
    let store = store(numbers(6, 6));
    let [(offset, size), (next, next_size)] = two_vectors(&store);
    assert_eq!(rows(request(&store, numbers_schema()), &vector(offset, size, 2)), [0, 2, 4, 5]);
    let counting = Arc::new(CountingStore::new(Arc::new(store)));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    assert_eq!(rows(request, &vector(next, next_size, 3)), [1, 3, 5]);
    let counts = counting.of("memory://t/v.puffin");
    assert_eq!((counts.reads, counts.bytes), (1, next_size as u64));
}

#[test]
fn a_range_that_is_not_exactly_one_blob_is_an_error_that_names_the_file() {
    let store = store(numbers(6, 6));
    let [(offset, size), (next, next_size)] = two_vectors(&store);
    for (start, length, count) in [
        (offset + 1, size, 2),
        (offset - 1, size, 2),
        (offset, size - 1, 2),
        (offset, size + 1, 2),
        (offset, size + next_size, 2),
        (0, size, 2),
        (next + next_size, 17, 2),
        (-1, size, 2),
        (offset, -1, 2),
        (offset, 0, 0),
        (i64::MAX, i64::MAX, 2),
        // The blob of another data file, as its count tells.
        (next, next_size, 2),
        (offset, size, -2),
    ] {
        let error = batches(request(&store, numbers_schema()), &vector(start, length, count)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{start} {length} {count}");
        assert!(error.to_string().contains("v.puffin"), "{error}");
    }
}
