use floeberg_core::ErrorKind;
use floeberg_io::MemoryStore;

use super::deletes::{position_deletes, vector, with_deletes};
use super::fixture::{DATA, numbers_schema, reader, request, task};
use crate::plan::FileScanTask;
use crate::read::deleted_words::words;

/// The words of a file of so many rows.
fn words_of(store: &MemoryStore, task: FileScanTask, record_count: i64) -> Vec<i64> {
    let task = FileScanTask { record_count, ..task };
    words(&reader(request(store, numbers_schema())), &task).unwrap()
}

#[test]
fn a_row_is_a_bit() {
    let store = MemoryStore::new();
    position_deletes(&store, &[(DATA, 0), (DATA, 63), (DATA, 64), (DATA, 200), ("memory://t/other", 5)]);
    let found = words_of(&store, with_deletes(task()), 250);
    assert_eq!(found, [1 | i64::MIN, 1, 0, 1 << (200 - 192)]);
    let of_vector = words_of(&store, vector(&store, &[0, 63, 64, 200], 4), 250);
    assert_eq!(of_vector, found);
}

#[test]
fn words_end_with_the_last_deleted_row() {
    let store = MemoryStore::new();
    assert_eq!(words_of(&store, task(), 250), [0_i64; 0]);
    position_deletes(&store, &[(DATA, 65)]);
    assert_eq!(words_of(&store, with_deletes(task()), 100_000), [0, 2]);
}

#[test]
fn rows_that_the_file_lacks_have_no_bit() {
    let store = MemoryStore::new();
    position_deletes(&store, &[(DATA, 69), (DATA, 70), (DATA, 100), (DATA, 1_000)]);
    assert_eq!(words_of(&store, with_deletes(task()), 70), [0, 1 << (69 - 64)]);
    position_deletes(&store, &[(DATA, 70)]);
    assert_eq!(words_of(&store, with_deletes(task()), 70), [0_i64; 0]);
}

#[test]
fn all_rows_may_be_deleted() {
    let store = MemoryStore::new();
    let all: Vec<_> = (0..130).map(|row| (DATA, row)).collect();
    position_deletes(&store, &all);
    assert_eq!(words_of(&store, with_deletes(task()), 130), [-1, -1, 3]);
    assert_eq!(words_of(&store, with_deletes(task()), 128), [-1, -1]);
}

#[test]
fn a_count_of_rows_below_zero_is_an_error_that_names_the_file() {
    let store = MemoryStore::new();
    let task = FileScanTask { record_count: -1, ..task() };
    let error = words(&reader(request(&store, numbers_schema())), &task).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(DATA), "{error}");
}
