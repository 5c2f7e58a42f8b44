//! How are equality delete files loaded: once, within the memory, and what if they are damaged?

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::schema::{NameMapping, PrimitiveType, Schema};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Error, ErrorKind};
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;

use super::equality::{
    by_identity, by_nothing, data, deletes, in_partition, ints, key, left, longs_of, rows_of, texts, with,
};
use super::fixture::{
    DATA, batches, below, column, filtered, longs, numbers, numbers_schema, parquet, reader, request, rows,
    store,
};
use crate::plan::{DeleteFile, FileScanTask};
use crate::read::{ReadRequest, count_rows, stream};

const DELETES: &str = "memory://t/deletes.parquet";

/// A request that counts what it opens.
fn counting(store: &MemoryStore, schema: Schema) -> (Arc<CountingStore>, ReadRequest) {
    let counting = Arc::new(CountingStore::new(Arc::new(store.clone())));
    let schema = Arc::new(schema);
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    (counting, request)
}

#[test]
fn a_delete_file_is_opened_once_for_all_tasks_of_a_stream() {
    let store = store(numbers(10, 100));
    let delete = Arc::new(deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(3)])]));
    let tasks: Vec<_> = (0..20)
        .map(|number| {
            let location = format!("memory://t/{number}.parquet");
            store.put(&location, numbers(10, 100));
            let task = with(Vec::new());
            FileScanTask { file_path: location.clone(), location, deletes: vec![Arc::clone(&delete)], ..task }
        })
        .collect();
    for threads in [1, 4] {
        let (counting, request) = counting(&store, numbers_schema());
        let tasks = tasks.clone().into_iter().map(Ok);
        let read: Vec<_> = stream(reader(request), tasks, threads, None).collect::<Result<_, _>>().unwrap();
        assert_eq!(longs(&read), [0, 1, 2, 4, 5, 6, 7, 8, 9].repeat(20));
        assert_eq!(counting.of(DELETES).opens, 1, "{threads} threads");
    }
}

#[test]
fn deletes_of_a_spec_of_void_fields_are_opened_once_for_all_partitions() {
    let store = store(numbers(4, 100));
    let delete = deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(3)])]);
    let delete = DeleteFile { spec_id: 3, partition: vec![(1003, None)], ..delete };
    let (counting, request) = counting(&store, numbers_schema());
    let reader = reader(request.with_specs([by_identity(), by_nothing()]));
    for partition in 0..3 {
        let task = in_partition(with(vec![delete.clone()]), partition);
        assert_eq!(count_rows(&reader, &task).unwrap(), 3);
    }
    assert_eq!(counting.of(DELETES).opens, 1);
}

#[test]
fn sets_that_no_task_uses_make_room_for_others() {
    let store = store(numbers(4_000, 1_000));
    let memory = 200 << 10;
    let (counting, request) = counting(&store, numbers_schema());
    let reader = reader(request.with_memory(memory).with_specs([by_identity()]));
    for partition in 0..20 {
        let location = format!("memory://t/{partition}.parquet");
        let keys = (0..1_000).map(|key| Some(key + i64::from(partition))).collect();
        let delete = deletes(&store, &location, &[1], vec![longs_of(1, keys)]);
        let delete = DeleteFile { partition: vec![(1000, Some(Value::Int(partition)))], ..delete };
        let task = in_partition(with(vec![delete]), partition);
        assert_eq!(count_rows(&reader, &task).unwrap(), 3_000, "{partition}");
        // Once: it found room, and was not applied in parts.
        assert_eq!(counting.of(&location).opens, 1, "{partition}");
        assert_eq!(count_rows(&reader, &task).unwrap(), 3_000, "{partition}");
        assert_eq!(counting.of(&location).opens, 1, "{partition}");
    }
}

#[test]
fn keys_in_parts_delete_the_rows_that_keys_in_one_set_delete() {
    let store = store(numbers(3_000, 500));
    let one: Vec<i64> = (0..3_000).filter(|key| key % 3 == 0).collect();
    let two: Vec<i64> = (0..3_000).filter(|key| key % 7 == 0).collect();
    let as_keys = |keys: &[i64]| vec![longs_of(1, keys.iter().copied().map(Some).collect())];
    let names: Vec<String> = (700..1_300).map(|number| format!("text {number}")).collect();
    let names = names.iter().map(|name| Some(name.as_str())).collect();
    let task = with(vec![
        deletes(&store, "memory://t/one", &[1], as_keys(&one)),
        deletes(&store, "memory://t/two", &[1], as_keys(&two)),
        deletes(&store, "memory://t/three", &[2], vec![texts(2, names)]),
    ]);
    let gone: BTreeSet<i64> = one.into_iter().chain(two).chain(700..1_300).collect();
    let expected: Vec<i64> = (0..3_000).filter(|row| !gone.contains(row)).collect();
    for memory in [0, 5 << 10, 60 << 10, 256 << 20] {
        for batch_rows in [100, 65_536] {
            let make = || request(&store, numbers_schema()).with_memory(memory).with_batch_rows(batch_rows);
            assert_eq!(rows(make(), &task), expected, "{memory} bytes, batches of {batch_rows}");
            assert_eq!(count_rows(&reader(make()), &task).unwrap(), expected.len() as u64);
            let some = FileScanTask { deletes: task.deletes.clone(), ..filtered(below(1_700)) };
            let below: Vec<i64> = expected.iter().copied().filter(|row| *row < 1_700).collect();
            assert_eq!(rows(make(), &some), below, "{memory} bytes, batches of {batch_rows}");
        }
    }
}

#[test]
fn a_part_of_a_file_loses_its_own_rows_where_keys_come_in_parts() {
    let bytes = numbers(3_000, 500);
    let half = bytes.len() as u64 / 2;
    let store = store(bytes);
    let keys = (0..3_000).filter(|key| key % 3 > 0).map(Some).collect();
    let task = with(vec![deletes(&store, DELETES, &[1], vec![longs_of(1, keys)])]);
    let part = |range| {
        let task = FileScanTask { byte_range: Some(range), ..task.clone() };
        rows(request(&store, numbers_schema()).with_memory(0), &task)
    };
    let (first, second) = (part(0..half), part(half..u64::MAX));
    assert!(!first.is_empty() && !second.is_empty());
    let expected: Vec<i64> = (0..3_000).step_by(3).collect();
    assert_eq!([first, second].concat(), expected);
}

/// What reading a file of column 1 with a delete file fails with.
fn failure(store: &MemoryStore, delete: DeleteFile) -> Error {
    let task = with(vec![delete]);
    let make = || rows_of(store, vec![key(1, PrimitiveType::Int), key(2, PrimitiveType::String)]);
    let error = batches(make(), &task).unwrap_err();
    let in_parts = batches(make().with_memory(0), &task).unwrap_err();
    assert_eq!((in_parts.kind(), in_parts.to_string()), (error.kind(), error.to_string()));
    error
}

#[test]
fn a_delete_file_without_a_key_column_is_an_error_that_names_both() {
    let store = data(vec![ints(1, vec![Some(1)])]);
    let error = failure(&store, deletes(&store, DELETES, &[1, 2], vec![ints(1, vec![Some(1)])]));
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let text = error.to_string();
    assert!(text.contains(DELETES) && text.contains("id 2") && text.contains("c2"), "{text}");
}

#[test]
fn a_delete_file_without_ids_is_read_by_the_name_mapping_or_not_at_all() {
    let store = data(vec![ints(1, vec![Some(1), Some(2)])]);
    let named =
        (ArrowField::new("old", DataType::Int64, true), Arc::new(Int64Array::from(vec![2])) as ArrayRef);
    let delete = deletes(&store, DELETES, &[1], vec![named]);
    let error = failure(&store, delete.clone());
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(DELETES), "{error}");
    let mapping = NameMapping::from_json(r#"[{"field-id": 1, "names": ["c1", "old"]}]"#).unwrap();
    let request =
        rows_of(&store, vec![key(1, PrimitiveType::Long)]).with_name_mapping(Some(Arc::new(mapping)));
    assert_eq!(left(request, &with(vec![delete])), [0]);
}

#[test]
fn keys_of_a_type_that_no_promotion_explains_are_an_error_that_names_the_delete_file() {
    let store = data(vec![ints(1, vec![Some(1)])]);
    let error = failure(&store, deletes(&store, DELETES, &[1], vec![texts(1, vec![Some("1")])]));
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(DELETES), "{error}");
}

#[test]
fn a_damaged_delete_file_is_an_error_that_names_it() {
    let store = data(vec![ints(1, vec![Some(1)])]);
    let fields = vec![column(1, "c1", DataType::Utf8)];
    let whole = parquet(fields, vec![Arc::new(StringArray::from(vec!["some text"; 50])) as ArrayRef], 10);
    for length in [0, 3, 12, whole.len() / 2, whole.len() - 1] {
        let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1)])]);
        store.put(DELETES, whole[..length].to_vec());
        let error = failure(&store, delete);
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{length}: {error}");
        assert!(error.to_string().contains(DELETES), "{length}: {error}");
    }
    let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1)])]);
    store.remove(DELETES);
    let error = failure(&store, delete);
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains(DELETES), "{error}");
}

#[test]
fn what_is_said_of_the_size_of_a_delete_file_is_not_believed() {
    let store = data(vec![ints(1, vec![Some(1), Some(2)])]);
    for (record_count, file_size_in_bytes) in [(0, 0), (-1, -1), (i64::MAX, i64::MAX)] {
        let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1)])]);
        let delete = DeleteFile { record_count, file_size_in_bytes, ..delete };
        assert_eq!(left(rows_of(&store, vec![key(1, PrimitiveType::Int)]), &with(vec![delete])), [1]);
    }
}

#[test]
fn loading_ends_when_the_caller_wants_no_more() {
    let store = store(numbers(10, 100));
    let task = with(vec![deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(3)])])]);
    for memory in [0, 1 << 20] {
        let cancel = Cancel::default();
        cancel.cancel();
        let (counting, request) = counting(&store, numbers_schema());
        let error = batches(request.with_memory(memory).with_cancel(cancel), &task).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert_eq!(counting.of(DATA).reads, 0);
    }
}
