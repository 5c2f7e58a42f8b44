use std::sync::Arc;

use arrow_array::{Int64Array, StringArray};
use arrow_schema::{DataType, Field};
use floeberg_core::ErrorKind;
use floeberg_core::expr::{BoundExpr, Operator};
use floeberg_core::schema::{PrimitiveType, Schema};
use floeberg_core::value::Value;
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;
use proptest::prelude::*;
use roaring::RoaringTreemap;

use super::fixture::{
    DATA, batches, below, column, delete_file, filtered, longs, numbers, numbers_schema, paged_numbers,
    parquet, reader, request, rows, store, task, test,
};
use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::{ReadRequest, count_left, count_rows};

const DELETES: &str = "memory://t/deletes.parquet";

pub(super) fn position_deletes(store: &MemoryStore, deletes: &[(&str, i64)]) {
    let paths = StringArray::from_iter_values(deletes.iter().map(|(path, _)| path));
    let positions = Int64Array::from_iter_values(deletes.iter().map(|(_, position)| *position));
    let fields = vec![
        column(2_147_483_546, "file_path", DataType::Utf8),
        column(2_147_483_545, "pos", DataType::Int64),
    ];
    store.put(DELETES, parquet(fields, vec![Arc::new(paths), Arc::new(positions)], 100));
}

pub(super) fn with_deletes(task: FileScanTask) -> FileScanTask {
    let delete = delete_file(DELETES, DeleteKind::Position, FileFormat::Parquet);
    FileScanTask { deletes: vec![Arc::new(delete)], ..task }
}

#[test]
fn positions_of_the_data_file_are_deleted_and_those_of_others_are_not() {
    let store = store(numbers(10, 100));
    position_deletes(&store, &[("memory://t/other.parquet", 1), (DATA, 3), (DATA, 9)]);
    let left = rows(request(&store, numbers_schema()), &with_deletes(task()));
    assert_eq!(left, [0, 1, 2, 4, 5, 6, 7, 8]);
}

#[test]
fn positions_count_from_the_start_of_the_file_in_every_row_group() {
    let store = store(numbers(50, 10));
    position_deletes(&store, &[(DATA, 0), (DATA, 10), (DATA, 29), (DATA, 49), (DATA, 400)]);
    let left = rows(request(&store, numbers_schema()), &with_deletes(task()));
    let expected: Vec<i64> = (0..50).filter(|row| ![0, 10, 29, 49].contains(row)).collect();
    assert_eq!(left, expected);
}

#[test]
fn one_place_may_be_spelled_in_three_ways() {
    let store = MemoryStore::new();
    store.put("/t/a.parquet", numbers(4, 100));
    position_deletes(&store, &[("file:/t/a.parquet", 0), ("file:///t/a.parquet", 1), ("/t/a.parquet", 2)]);
    let path = "/t/a.parquet".to_owned();
    let task = with_deletes(FileScanTask { file_path: path.clone(), location: path, ..task() });
    assert_eq!(rows(request(&store, numbers_schema()), &task), [3]);
}

#[test]
fn a_delete_file_without_ids_is_read_by_name() {
    let store = store(numbers(3, 100));
    let fields =
        vec![Field::new("pos", DataType::Int64, true), Field::new("file_path", DataType::Utf8, true)];
    let columns =
        vec![Arc::new(Int64Array::from(vec![1])) as _, Arc::new(StringArray::from(vec![DATA])) as _];
    store.put(DELETES, parquet(fields, columns, 10));
    assert_eq!(rows(request(&store, numbers_schema()), &with_deletes(task())), [0, 2]);
}

#[test]
fn paths_that_differ_only_where_statistics_are_cut_stay_apart() {
    let long = format!("memory://t/{}", "x".repeat(200));
    let (one, other) = (format!("{long}/a.parquet"), format!("{long}/b.parquet"));
    let store = MemoryStore::new();
    store.put(&one, numbers(4, 100));
    position_deletes(&store, &[(&one, 0), (&other, 1), (&one, 2)]);
    let task = with_deletes(FileScanTask { file_path: one.clone(), location: one, ..task() });
    assert_eq!(rows(request(&store, numbers_schema()), &task), [1, 3]);
}

#[test]
fn a_row_group_that_is_deleted_whole_is_not_read() {
    let store = store(numbers(30, 10));
    let middle: Vec<_> = (10..20).map(|row| (DATA, row)).collect();
    position_deletes(&store, &middle);
    let counting = Arc::new(CountingStore::new(Arc::new(store)));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    let left = rows(request, &with_deletes(task()));
    assert_eq!(left, (0..10).chain(20..30).collect::<Vec<_>>());
    // The footer, and two columns of two row groups.
    assert_eq!(counting.of(DATA).reads, 5);
}

#[test]
fn a_filter_and_deletes_both_hold() {
    let store = store(numbers(50, 10));
    position_deletes(&store, &[(DATA, 3), (DATA, 12), (DATA, 14)]);
    let left = rows(request(&store, numbers_schema()), &with_deletes(filtered(below(15))));
    assert_eq!(left, [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
}

#[test]
fn long_runs_of_deletes_are_skipped_and_short_ones_dropped() {
    let store = store(paged_numbers(40_000));
    let patterns: [fn(i64) -> bool; 6] = [
        |row| (5_000..12_000).contains(&row),
        |row| row % 20 == 3 || (5_000..12_000).contains(&row) || row >= 33_000,
        |row| row < 4_096 || row % 11 == 0,
        |row| row % 11 > 0,
        |row| row % 20_000 < 19_999,
        |row| !(7_000..40_000 - 7_000).contains(&row) || row == 20_000,
    ];
    for (number, is_deleted) in patterns.iter().enumerate() {
        let deleted: Vec<_> = (0..40_000).filter(|row| is_deleted(*row)).map(|row| (DATA, row)).collect();
        position_deletes(&store, &deleted);
        let expected: Vec<i64> = (0..40_000).filter(|row| !is_deleted(*row)).collect();
        for batch_rows in [333, 1 << 16] {
            let request = request(&store, numbers_schema()).with_batch_rows(batch_rows);
            assert!(rows(request, &with_deletes(task())) == expected, "{number}, {batch_rows} rows a batch");
        }
    }
}

#[test]
fn deletes_hold_where_pages_are_left_out() {
    let store = store(paged_numbers(20_000));
    let is_deleted = |row: &i64| row % 7 == 0 || (5_000..7_000).contains(row);
    let deleted: Vec<_> = (0..20_000).filter(is_deleted).map(|row| (DATA, row)).collect();
    position_deletes(&store, &deleted);
    for (from, to) in
        [(0, 10), (4_990, 7_020), (5_500, 5_600), (9_400, 13_333), (19_999, 20_000), (0, 20_000)]
    {
        let not_below = test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(from)]);
        let task = with_deletes(filtered(BoundExpr::And(vec![not_below, below(to)])));
        let expected: Vec<i64> = (from..to).filter(|row| !is_deleted(row)).collect();
        assert_eq!(rows(request(&store, numbers_schema()), &task), expected, "{from}..{to}");
        let small = request(&store, numbers_schema()).with_batch_rows(97);
        assert_eq!(rows(small, &task), expected, "{from}..{to}");
    }
}

#[test]
fn a_delete_file_is_read_once_for_all_tasks_of_a_reader() {
    let store = store(numbers(10, 100));
    position_deletes(&store, &[(DATA, 3)]);
    let counting = Arc::new(CountingStore::new(Arc::new(store)));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    let first = reader(request.clone());
    for _ in 0..2 {
        assert_eq!(count_rows(&first, &with_deletes(task())).unwrap(), 9);
        assert_eq!(counting.of(DELETES).opens, 1);
    }
    // What is kept ends with the reader.
    assert_eq!(count_rows(&reader(request), &with_deletes(task())).unwrap(), 9);
    assert_eq!(counting.of(DELETES).opens, 2);
}

#[test]
fn without_memory_to_share_a_delete_file_is_still_applied() {
    let store = store(numbers(4, 100));
    position_deletes(&store, &[("memory://t/other.parquet", 1), (DATA, 3)]);
    let request = request(&store, numbers_schema()).with_memory(0);
    assert_eq!(rows(request, &with_deletes(task())), [0, 1, 2]);
}

#[test]
fn a_negative_position_is_an_error() {
    let store = store(numbers(4, 100));
    position_deletes(&store, &[(DATA, -1)]);
    let error = batches(request(&store, numbers_schema()), &with_deletes(task())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(DELETES), "{error}");
}

#[test]
fn a_delete_that_cannot_be_applied_is_an_error_that_names_its_file() {
    let store = store(numbers(4, 100));
    let equality = DeleteKind::Equality { equality_ids: vec![1] };
    for (kind, format) in [(equality, FileFormat::Puffin), (DeleteKind::Position, FileFormat::Puffin)] {
        let deletes = vec![Arc::new(delete_file(DELETES, kind, format))];
        let error =
            batches(request(&store, numbers_schema()), &FileScanTask { deletes, ..task() }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains(DELETES), "{error}");
    }
}

/// A Puffin file that is nothing but a deletion vector between other bytes, and the delete that names it.
pub(super) fn vector(store: &MemoryStore, positions: &[u64], record_count: i64) -> FileScanTask {
    vector_of(store, &RoaringTreemap::from_iter(positions), record_count)
}

fn vector_of(store: &MemoryStore, positions: &RoaringTreemap, record_count: i64) -> FileScanTask {
    let mut body = vec![0xd1, 0xd3, 0x39, 0x64];
    positions.serialize_into(&mut body).unwrap();
    let checksum = crc32fast::hash(&body).to_be_bytes();
    let blob = [&(body.len() as u32).to_be_bytes()[..], &body, &checksum].concat();
    let size = blob.len() as i64;
    store.put(DELETES, [&b"before"[..], &blob, b"after"].concat());
    let kind = DeleteKind::Vector { content_offset: 6, content_size_in_bytes: size };
    let delete = DeleteFile { record_count, ..delete_file(DELETES, kind, FileFormat::Puffin) };
    FileScanTask { deletes: vec![Arc::new(delete)], ..task() }
}

#[test]
fn a_deletion_vector_deletes_its_positions() {
    let store = store(numbers(10, 4));
    let task = vector(&store, &[0, 5, 9, 77], 4);
    assert_eq!(rows(request(&store, numbers_schema()), &task), [1, 2, 3, 4, 6, 7, 8]);
}

#[test]
fn a_vector_of_another_count_or_outside_its_file_is_an_error() {
    let store = store(numbers(10, 4));
    let miscounted = vector(&store, &[0, 5], 3);
    let outside = DeleteKind::Vector { content_offset: 6, content_size_in_bytes: 1 << 40 };
    let outside = delete_file(DELETES, outside, FileFormat::Puffin);
    let outside = FileScanTask { deletes: vec![Arc::new(outside)], ..task() };
    for task in [miscounted, outside] {
        let error = batches(request(&store, numbers_schema()), &task).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains(DELETES), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_deletes_leave_exactly_the_other_rows(
        deleted in proptest::collection::btree_set(0_i64..260, 0..260),
        run in 0_i64..200,
        group_rows in 5_usize..120,
        bound in 0_i64..260,
        batch_rows in 1_usize..90,
    ) {
        let mut deleted = deleted;
        deleted.extend(run..run + 40);
        let store = store(numbers(250, group_rows));
        let pairs: Vec<_> = deleted.iter().map(|position| (DATA, *position)).collect();
        position_deletes(&store, &pairs);
        let expected: Vec<i64> = (0..bound.min(250)).filter(|row| !deleted.contains(row)).collect();
        let make = || request(&store, numbers_schema()).with_batch_rows(batch_rows);
        let task = with_deletes(filtered(below(bound)));
        prop_assert_eq!(count_rows(&reader(make()), &task).unwrap(), expected.len() as u64);
        prop_assert_eq!(rows(make(), &task), expected);
        let whole = FileScanTask { record_count: 250, ..with_deletes(self::task()) };
        let left = (0..250).filter(|row| !deleted.contains(row)).count() as u64;
        prop_assert_eq!(count_rows(&reader(make()), &whole).unwrap(), left);
        prop_assert_eq!(count_left(&reader(make()), &whole).unwrap(), left);
    }
}

/// Rows that reach into a third container.
const MANY: i64 = 140_000;

/// A row at the border of a container, at the end of the file and after it, and any other.
fn place() -> impl Strategy<Value = i64> {
    let borders = vec![0, 4_096, 65_535, 65_536, 65_537, 131_071, 131_072, MANY - 1, MANY, MANY + 70_000];
    prop_oneof![2 => proptest::sample::select(borders), 1 => 0..MANY]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn vectors_of_every_kind_of_container_leave_exactly_the_other_rows(
        runs in proptest::collection::vec((place(), place(), proptest::sample::select(vec![1_usize, 2, 15, 17])), 1..4),
        has_runs in any::<bool>(),
        group_rows in proptest::sample::select(vec![1_000, 65_536, 140_000]),
        (from, to) in (place(), place()),
    ) {
        let positions: RoaringTreemap = runs
            .iter()
            .flat_map(|(one, other, step)| (*one.min(other)..=*one.max(other)).step_by(*step))
            .map(|row| row as u64)
            .collect();
        let mut stored = positions.clone();
        if has_runs {
            stored.optimize();
        }
        let numbers_alone = Schema::new(0, vec![numbers_schema().fields()[0].clone()]).unwrap();
        let store = store(numbers(MANY, group_rows));
        let task = vector_of(&store, &stored, positions.len() as i64);
        let task = FileScanTask { record_count: MANY, ..task };
        let make = || request(&store, numbers_alone.clone());
        let live = |row: &i64| !positions.contains(*row as u64);
        let expected: Vec<i64> = (0..MANY).filter(live).collect();
        prop_assert!(longs(&batches(make(), &task).unwrap()) == expected);
        prop_assert_eq!(count_rows(&reader(make()), &task).unwrap(), expected.len() as u64);
        prop_assert_eq!(count_left(&reader(make()), &task).unwrap(), expected.len() as u64);
        let not_below = test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(from)]);
        let residual = Arc::new(BoundExpr::And(vec![not_below, below(to)]));
        let through = FileScanTask { residual, ..task };
        let expected: Vec<i64> = (from..to.min(MANY)).filter(live).collect();
        prop_assert_eq!(count_rows(&reader(make()), &through).unwrap(), expected.len() as u64);
        prop_assert!(longs(&batches(make(), &through).unwrap()) == expected);
    }
}
