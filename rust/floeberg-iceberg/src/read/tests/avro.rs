//! Avro data files: rows, filters, deletes, limits.

use std::sync::Arc;

use apache_avro::types::Value as Written;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use floeberg_avro::testing::{block, header, long, prefixed, record};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType, Type};
use floeberg_core::value::Value;
use floeberg_io::testing::CountingStore;
use proptest::prelude::*;

use super::avro_fixture::{avro, avro_numbers, avro_task, none, of, request_of, some};
use super::fixture::{
    DATA, batches, below, delete_file, longs, numbers_schema, one_batch, reader, request, rows,
    rows_or_fault, store,
};
use crate::plan::{DeleteKind, FileFormat, FileScanTask};
use crate::read::{count_rows, read_task};

const DELETES: &str = "memory://t/deletes.avro";

/// A position delete file in Avro.
fn position_deletes(deletes: &[(&str, i64)]) -> Vec<u8> {
    let fields = r#"{"name":"file_path","type":"string","field-id":2147483546},
        {"name":"pos","type":"long","field-id":2147483545}"#;
    let row = |(path, pos): &(&str, i64)| {
        vec![("file_path", Written::String((*path).to_owned())), ("pos", Written::Long(*pos))]
    };
    avro(fields, &deletes.iter().map(row).collect::<Vec<_>>(), 3)
}

fn with_deletes(task: FileScanTask) -> FileScanTask {
    let delete = delete_file(DELETES, DeleteKind::Position, FileFormat::Avro);
    FileScanTask { deletes: vec![Arc::new(delete)], ..task }
}

#[test]
fn the_rows_of_all_blocks_come_out_in_order() {
    let request = request_of(avro_numbers(10, 3), numbers_schema());
    assert_eq!(rows(request, &avro_task()), (0..10).collect::<Vec<_>>());
    let none = batches(request_of(avro_numbers(0, 3), numbers_schema()), &avro_task()).unwrap();
    assert!(none.is_empty());
}

#[test]
fn batches_end_within_blocks_and_go_over_them() {
    let request = request_of(avro_numbers(100, 7), numbers_schema()).with_batch_rows(10);
    let all = batches(request, &avro_task()).unwrap();
    assert_eq!(all.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [10; 10]);
    assert_eq!(longs(&all), (0..100).collect::<Vec<_>>());
}

#[test]
fn a_filter_may_read_a_column_that_is_not_projected() {
    let mut request = request_of(avro_numbers(10, 4), numbers_schema());
    request.projected = Arc::new(request.schema.select(&[2]).unwrap());
    let task = FileScanTask { residual: Arc::new(below(3)), ..avro_task() };
    let batch = one_batch(request, &task);
    assert_eq!(batch.num_columns(), 1);
    let texts: Vec<_> = batch.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(texts, ["text 0", "text 1", "text 2"]);
}

#[test]
fn a_filter_and_the_projection_may_read_different_fields_of_a_struct() {
    let point = r#"{"type":"record","name":"p","fields":[{"name":"x","type":"long","field-id":3},
        {"name":"y","type":"string","field-id":4},{"name":"z","type":"long","field-id":6}]}"#;
    let fields = format!(
        r#"{{"name":"p","type":["null",{point}],"field-id":1}},{{"name":"n","type":"long","field-id":2}}"#
    );
    let row = |n: i64| {
        let point = of(&[
            ("x", Written::Long(10 * n)),
            ("y", Written::String(n.to_string())),
            ("z", Written::Long(-n)),
        ]);
        vec![("p", if n == 1 { none() } else { some(point) }), ("n", Written::Long(n))]
    };
    let bytes = avro(&fields, &(0..4).map(row).collect::<Vec<_>>(), 10);
    let struct_of = |fields| Type::Struct(StructType { fields });
    let all = struct_of(vec![
        Field::required(3, "x", PrimitiveType::Long),
        Field::required(4, "y", PrimitiveType::String),
    ]);
    let n = Field::required(2, "n", PrimitiveType::Long);
    let schema = Schema::new(0, vec![Field::optional(1, "p", all), n.clone()]).unwrap();
    let only_y = struct_of(vec![Field::required(4, "y", PrimitiveType::String)]);
    let mut request = request_of(bytes, schema);
    request.projected = Arc::new(Schema::new(0, vec![n, Field::optional(1, "p", only_y)]).unwrap());
    let column = floeberg_core::expr::BoundColumn {
        id: 3,
        name: "p.x".to_owned(),
        path: vec![1, 3],
        field_type: PrimitiveType::Long.into(),
        required: false,
    };
    let at_least_20 = floeberg_core::expr::BoundPredicate {
        op: floeberg_core::expr::Operator::GtEq,
        column: Arc::new(column),
        transform: None,
        literals: vec![Value::Long(20)].into(),
    };
    let residual = Arc::new(floeberg_core::expr::BoundExpr::Predicate(at_least_20));
    let batch = one_batch(request, &FileScanTask { residual, ..avro_task() });
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[2, 3]);
    let points = batch.column(1).as_struct();
    assert_eq!(points.num_columns(), 1);
    assert_eq!(points.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["2", "3"]);
}

#[test]
fn ranges_that_cut_a_file_yield_every_row_once() {
    let bytes = avro_numbers(10, 3);
    let size = bytes.len() as u64;
    let mut found = Vec::new();
    for range in [0..size / 3, size / 3..size - 1, size - 1..size] {
        let task = FileScanTask { byte_range: Some(range), ..avro_task() };
        found.extend(rows(request_of(bytes.clone(), numbers_schema()), &task));
    }
    assert_eq!(found, (0..10).collect::<Vec<_>>());
}

#[test]
fn rows_are_counted_without_their_columns() {
    let request = request_of(avro_numbers(10, 3), numbers_schema());
    assert_eq!(count_rows(&reader(request), &avro_task()).unwrap(), 10);
}

#[test]
fn a_small_file_is_read_at_once() {
    let store = Arc::new(CountingStore::new(Arc::new(store(avro_numbers(10, 3)))));
    let mut request = request_of(Vec::new(), numbers_schema());
    request.files.store = Arc::clone(&store) as _;
    assert_eq!(rows(request, &avro_task()).len(), 10);
    assert_eq!(store.total().reads, 1);
}

#[test]
fn a_header_and_a_block_may_be_longer_than_a_read() {
    let doc = format!(r#","doc":"{}""#, "d".repeat(200_000));
    let fields = format!(
        r#"{{"name":"n","type":"long","field-id":1{doc}}},{{"name":"s","type":"string","field-id":2}}"#
    );
    let text = "x".repeat(3 << 20);
    let row = |n| vec![("n", Written::Long(n)), ("s", Written::String(text.clone()))];
    let bytes = avro(&fields, &(0..4).map(row).collect::<Vec<_>>(), 2);
    let all = batches(request_of(bytes, numbers_schema()), &avro_task()).unwrap();
    assert_eq!(longs(&all), [0, 1, 2, 3]);
    assert!(all.iter().all(|batch| batch.column(1).as_string::<i32>().iter().flatten().all(|s| s == text)));
}

#[test]
fn cancelling_stops_a_read_that_finds_nothing() {
    let request = request_of(avro_numbers(100, 1), numbers_schema()).with_batch_rows(1);
    let cancel = request.files.cancel.clone();
    let table = reader(request);
    let task = FileScanTask { residual: Arc::new(below(-1)), ..avro_task() };
    let mut open = crate::read::open_task::OpenTask::open(&table, &task).unwrap();
    let unit = open.units.remove(0);
    let mut batches = open.read(&unit).unwrap();
    cancel.cancel();
    assert_eq!(batches.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(batches.next().is_none(), "nothing follows an error");
    assert!(read_task(&table, &task).unwrap().next().unwrap().is_err());
}

#[test]
fn position_deletes_in_avro_delete_rows_of_any_format() {
    let deletes = position_deletes(&[(DATA, 1), (DATA, 4), ("memory://t/other", 0), (DATA, 9), (DATA, 2)]);
    let expected = [0, 3, 5, 6, 7, 8];
    for (bytes, task) in
        [(avro_numbers(10, 4), avro_task()), (super::fixture::numbers(10, 4), super::fixture::task())]
    {
        let store = store(bytes);
        store.put(DELETES, deletes.clone());
        for batch_rows in [1, 3, 100] {
            let request = request(&store, numbers_schema()).with_batch_rows(batch_rows);
            assert_eq!(rows(request, &with_deletes(task.clone())), expected);
        }
        let request = request(&store, numbers_schema());
        assert_eq!(count_rows(&reader(request), &with_deletes(task.clone())).unwrap(), 6);
    }
}

#[test]
fn an_avro_delete_file_without_ids_is_read_by_name() {
    let fields = r#"{"name":"pos","type":"long"},{"name":"file_path","type":"string"}"#;
    let row = vec![("pos", Written::Long(1)), ("file_path", Written::String(DATA.to_owned()))];
    let store = store(avro_numbers(3, 4));
    store.put(DELETES, avro(fields, &[row], 4));
    assert_eq!(rows(request(&store, numbers_schema()), &with_deletes(avro_task())), [0, 2]);
}

#[test]
fn a_damaged_delete_file_is_an_error_that_names_it() {
    let store = store(avro_numbers(3, 4));
    let whole = position_deletes(&[(DATA, 1)]);
    store.put(DELETES, whole[..whole.len() - 1].to_vec());
    let error = batches(request(&store, numbers_schema()), &with_deletes(avro_task())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(DELETES), "{error}");
}

/// Reads a damaged file. Out: its rows, or an error of a file's fault that names the file.
fn damaged(bytes: Vec<u8>) -> Option<Vec<i64>> {
    rows_or_fault(request_of(bytes, numbers_schema()), &avro_task())
}

#[test]
fn a_truncated_file_is_an_error_unless_it_ends_with_a_block() {
    let whole = avro_numbers(9, 3);
    for length in 0..whole.len() {
        if let Some(found) = damaged(whole[..length].to_vec()) {
            assert!(found.len().is_multiple_of(3), "the first {length} bytes");
        }
    }
}

#[test]
fn a_flipped_byte_never_panics() {
    let whole = avro_numbers(9, 3);
    let mut errors = 0;
    for position in 0..whole.len() {
        for flip in [0xff, 0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            errors += usize::from(damaged(bytes).is_none());
        }
    }
    assert!(errors > whole.len(), "{errors} of {} damages were noticed", 3 * whole.len());
}

#[test]
fn what_a_block_claims_is_bounded_by_the_file() {
    let json = record(r#"{"name":"n","type":"long","field-id":1}"#);
    let start = header(&json, "null");
    for claim in [[long(1), long(1 << 40)], [long(1), long(-1)], [long(-1), long(0)]] {
        assert!(damaged([start.clone(), claim.concat()].concat()).is_none());
    }
    for rows in [2, i64::MAX] {
        assert!(damaged([start.clone(), block(rows, &long(5))].concat()).is_none());
    }
}

#[test]
fn a_record_that_grows_far_beyond_its_bytes_is_a_limit() {
    // Lists of nulls of a wide fixed: a byte each in the file, and 16 MiB each in memory.
    let wide = r#"{"type":"fixed","name":"f","size":16777216}"#;
    let list = format!(r#"{{"type":"array","items":["null",{wide}],"element-id":3}}"#);
    let json = record(&format!(r#"{{"name":"l","type":{list},"field-id":1}}"#));
    let list_of_nulls = [long(1 << 20), vec![0; 1 << 20], long(0)].concat();
    let bytes = [header(&json, "null"), block(1, &list_of_nulls)].concat();
    let element = Field::optional(3, "element", PrimitiveType::Fixed(16_777_216));
    let list = Type::List(Box::new(floeberg_core::schema::ListType { element }));
    let schema = Schema::new(0, vec![Field::required(1, "l", list)]).unwrap();
    let error = batches(request_of(bytes, schema), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn wide_nulls_end_a_batch_before_they_are_many() {
    let json =
        record(r#"{"name":"f","type":["null",{"type":"fixed","name":"f","size":1048576}],"field-id":1}"#);
    let bytes = [header(&json, "null"), block(150, &[0; 150])].concat();
    let schema = Schema::new(0, vec![Field::optional(1, "f", PrimitiveType::Fixed(1 << 20))]).unwrap();
    let all = batches(request_of(bytes, schema), &avro_task()).unwrap();
    assert_eq!(all.iter().map(RecordBatch::num_rows).sum::<usize>(), 150);
    assert!(all.iter().all(|batch| batch.num_rows() < 70 && batch.column(0).null_count() > 0));
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    let json = record(r#"{"name":"n","type":"long","field-id":1}"#);
    let bytes = [header(&json, "bzip2"), block(1, &prefixed(b"BZh"))].concat();
    let error = batches(request_of(bytes, numbers_schema()), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("bzip2"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_deletes_and_a_filter_leave_exactly_the_other_rows(
        deleted in proptest::collection::btree_set(0_i64..130, 0..130),
        block_rows in 1_usize..60,
        bound in 0_i64..130,
        batch_rows in 1_usize..90,
    ) {
        let store = store(avro_numbers(120, block_rows));
        let pairs: Vec<_> = deleted.iter().map(|position| (DATA, *position)).collect();
        store.put(DELETES, position_deletes(&pairs));
        let expected: Vec<i64> = (0..bound.min(120)).filter(|row| !deleted.contains(row)).collect();
        let make = || request(&store, numbers_schema()).with_batch_rows(batch_rows);
        let task = with_deletes(FileScanTask { residual: Arc::new(below(bound)), ..avro_task() });
        prop_assert_eq!(count_rows(&reader(make()), &task).unwrap(), expected.len() as u64);
        prop_assert_eq!(rows(make(), &task), expected);
    }
}

#[test]
fn two_columns_of_one_id_are_an_error_that_names_both() {
    let fields = r#"{"name":"a","type":"long","field-id":1},{"name":"b","type":"long","field-id":1}"#;
    let row = vec![("a", Written::Long(1)), ("b", Written::Long(2))];
    let schema = Schema::new(0, vec![Field::optional(1, "a", PrimitiveType::Long)]).unwrap();
    let error = batches(request_of(avro(fields, &[row], 10), schema), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains(r#""a" and "b""#), "{error}");
}
