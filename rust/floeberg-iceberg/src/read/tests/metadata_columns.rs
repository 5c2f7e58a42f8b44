//! Where are rows, are they deleted, and which rows are they?

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use floeberg_core::ErrorKind;
use floeberg_core::expr::{BoundExpr, Operator};
use floeberg_core::schema::reserved::{
    DELETED, FILE, LAST_UPDATED_SEQUENCE_NUMBER, POS, ROW_ID, SPEC_ID, metadata_column, partition_column,
};
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_io::MemoryStore;
use proptest::prelude::*;
use serde_json::Map;

use super::avro_fixture::{avro_numbers, avro_task};
use super::fixture::{
    DATA, batches, below, column, delete_file, filtered, numbers, numbers_schema, one_batch, paged_numbers,
    parquet, reader, request, store, task, test,
};
use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::{ReadRequest, count_rows};

const POSITIONS: &str = "memory://t/positions.parquet";
const KEYS: &str = "memory://t/keys.parquet";

/// `n` of the numbers, and some metadata columns; filters may test them too.
fn asking(store: &MemoryStore, ids: &[i32]) -> ReadRequest {
    let own = numbers_schema().fields().to_vec();
    let asked: Vec<_> = ids.iter().filter_map(|id| metadata_column(*id)).collect();
    let mut request = request(store, Schema::new(0, [own.clone(), asked.clone()].concat()).unwrap());
    request.projected = Arc::new(Schema::new(0, [vec![own[0].clone()], asked].concat()).unwrap());
    request
}

/// All values of a column of longs.
fn longs_of(batches: &[RecordBatch], place: usize) -> Vec<Option<i64>> {
    batches.iter().flat_map(|batch| batch.column(place).as_primitive::<Int64Type>().iter()).collect()
}

fn position_deletes(store: &MemoryStore, deleted: impl IntoIterator<Item = i64>) -> Arc<DeleteFile> {
    let positions = Int64Array::from_iter_values(deleted);
    let paths = StringArray::from_iter_values((0..positions.len()).map(|_| DATA));
    let fields = vec![
        column(2_147_483_546, "file_path", DataType::Utf8),
        column(2_147_483_545, "pos", DataType::Int64),
    ];
    store.put(POSITIONS, parquet(fields, vec![Arc::new(paths), Arc::new(positions)], 100_000));
    Arc::new(delete_file(POSITIONS, DeleteKind::Position, FileFormat::Parquet))
}

fn equality_deletes(store: &MemoryStore, deleted: impl IntoIterator<Item = i64>) -> Arc<DeleteFile> {
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(deleted));
    store.put(KEYS, parquet(vec![column(1, "n", DataType::Int64)], vec![keys], 100));
    let kind = DeleteKind::Equality { equality_ids: vec![1] };
    let delete = delete_file(KEYS, kind, FileFormat::Parquet);
    Arc::new(DeleteFile { data_sequence_number: 2, ..delete })
}

/// `from <= n < to`.
fn between(from: i64, to: i64) -> BoundExpr {
    let not_below = test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(from)]);
    BoundExpr::And(vec![not_below, below(to)])
}

fn long_test(id: i32, op: Operator, values: &[i64]) -> BoundExpr {
    test(id, PrimitiveType::Long, op, values.iter().copied().map(Value::Long).collect())
}

#[test]
fn the_path_is_the_written_one_and_the_spec_that_of_the_file() {
    let store = store(numbers(3, 2));
    store.put("memory://t/moved.parquet", numbers(3, 2));
    let task = FileScanTask {
        file_path: "s3://b/a b%20c//d.parquet".to_owned(),
        location: "memory://t/moved.parquet".to_owned(),
        ..task()
    };
    let batch = one_batch(asking(&store, &[FILE, POS, SPEC_ID]), &task);
    assert_eq!(batch.column(1).as_string::<i32>(), &StringArray::from(vec!["s3://b/a b%20c//d.parquet"; 3]));
    assert_eq!(batch.column(2).as_primitive::<Int64Type>().values(), &[0, 1, 2]);
    assert_eq!(batch.column(3).as_primitive::<Int32Type>().values(), &[0, 0, 0]);
    let schema = batch.schema();
    let ids = schema.fields().iter().map(|field| field.metadata()["PARQUET:field_id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), ["1", "2147483646", "2147483645", "2147483643"]);
}

#[test]
fn metadata_columns_alone_need_no_column_of_the_file() {
    let store = store(numbers(25, 10));
    let mut request = asking(&store, &[POS, FILE]);
    request.projected = Arc::new(request.projected.select(&[POS, FILE]).unwrap());
    let found = batches(request, &task()).unwrap();
    assert_eq!(longs_of(&found, 0), (0..25).map(Some).collect::<Vec<_>>());
    let store = MemoryStore::new();
    store.put(DATA, avro_numbers(25, 10));
    let mut request = asking(&store, &[POS]);
    request.projected = Arc::new(request.projected.select(&[POS]).unwrap());
    assert_eq!(longs_of(&batches(request, &avro_task()).unwrap(), 0).len(), 25);
}

#[test]
fn positions_are_right_where_pages_are_left_out_and_rows_dropped() {
    let store = store(paged_numbers(20_000));
    let is_deleted = |row: &i64| row % 7 == 0 || (5_000..10_000).contains(row);
    let deletes = [vec![], vec![position_deletes(&store, (0..20_000).filter(is_deleted))]];
    for deletes in deletes {
        for (from, to) in [(0, 10), (4_990, 10_020), (9_400, 13_333), (19_999, 20_000), (0, 20_000)] {
            let expected: Vec<i64> =
                (from..to).filter(|row| deletes.is_empty() || !is_deleted(row)).collect();
            for residual in [between(from, to), BoundExpr::True] {
                let task = FileScanTask { deletes: deletes.clone(), ..filtered(residual.clone()) };
                for batch_rows in [97, 1 << 16] {
                    let found = batches(asking(&store, &[POS]).with_batch_rows(batch_rows), &task).unwrap();
                    assert_eq!(longs_of(&found, 0), longs_of(&found, 1), "{from}..{to}");
                    if residual != BoundExpr::True {
                        assert_eq!(
                            longs_of(&found, 1),
                            expected.iter().copied().map(Some).collect::<Vec<_>>()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn positions_count_from_the_start_of_a_file_that_is_read_in_ranges() {
    let bytes = numbers(60, 10);
    let size = bytes.len() as u64;
    let store = store(bytes);
    let mut all = Vec::new();
    for start in (0..size).step_by(333) {
        let byte_range = Some(start..(start + 333).min(size));
        let found = batches(asking(&store, &[POS]), &FileScanTask { byte_range, ..task() }).unwrap();
        assert_eq!(longs_of(&found, 0), longs_of(&found, 1));
        all.extend(longs_of(&found, 1));
    }
    assert_eq!(all, (0..60).map(Some).collect::<Vec<_>>());
}

#[test]
fn filters_test_positions_with_and_without_columns() {
    let parquet = store(paged_numbers(20_000));
    let avro = MemoryStore::new();
    avro.put(DATA, avro_numbers(20_000, 700));
    for (store, base) in [(parquet, task()), (avro, avro_task())] {
        let deletes = vec![position_deletes(&store, (0..20_000).filter(|row| row % 3 == 0))];
        let few = long_test(POS, Operator::In, &[4, 9_001, 19_999]);
        let late = long_test(POS, Operator::GtEq, &[15_001]);
        for (residual, expected) in [
            (few.clone(), vec![4, 9_001, 19_999]),
            (BoundExpr::And(vec![few.clone(), below(9_002)]), vec![4, 9_001]),
            (BoundExpr::Or(vec![few, between(9_000, 9_005)]), vec![4, 9_001, 9_002, 9_004, 19_999]),
            (BoundExpr::And(vec![late, below(15_006)]), vec![15_001, 15_002, 15_004, 15_005]),
            (long_test(POS, Operator::Lt, &[0]), vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().filter(|row| row % 3 != 0).map(Some).collect();
            let task =
                FileScanTask { deletes: deletes.clone(), residual: Arc::new(residual), ..base.clone() };
            let found = batches(asking(&store, &[POS]).with_batch_rows(500), &task).unwrap();
            assert_eq!((longs_of(&found, 0), longs_of(&found, 1)), (expected.clone(), expected.clone()));
            assert_eq!(count_rows(&reader(asking(&store, &[POS])), &task).unwrap(), expected.len() as u64);
        }
    }
}

/// A file of `n` and stored lineage.
fn with_lineage(ids: Vec<Option<i64>>, updated: Vec<Option<i64>>, group_rows: usize) -> MemoryStore {
    let fields = vec![
        column(1, "n", DataType::Int64),
        column(ROW_ID, "_row_id", DataType::Int64),
        column(LAST_UPDATED_SEQUENCE_NUMBER, "_last_updated_sequence_number", DataType::Int64),
    ];
    let rows = Int64Array::from_iter_values(0..ids.len() as i64);
    let columns: Vec<ArrayRef> =
        vec![Arc::new(rows), Arc::new(Int64Array::from(ids)), Arc::new(Int64Array::from(updated))];
    store(parquet(fields, columns, group_rows))
}

const LINEAGE: [i32; 2] = [ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER];

/// A task of a file whose rows have lineage.
fn lineage_task(first_row_id: Option<i64>) -> FileScanTask {
    FileScanTask { first_row_id, data_sequence_number: 7, ..task() }
}

#[test]
fn rows_without_stored_lineage_inherit_it_from_their_file() {
    let store = store(numbers(4, 3));
    let found = batches(asking(&store, &LINEAGE), &lineage_task(Some(100))).unwrap();
    assert_eq!(longs_of(&found, 1), [Some(100), Some(101), Some(102), Some(103)]);
    assert_eq!(longs_of(&found, 2), [Some(7); 4]);
}

#[test]
fn stored_lineage_is_kept_and_its_nulls_are_inherited() {
    let store = with_lineage(vec![Some(5), None, Some(3), None], vec![Some(2), Some(1), None, None], 3);
    let found = batches(asking(&store, &LINEAGE), &lineage_task(Some(100))).unwrap();
    assert_eq!(longs_of(&found, 1), [Some(5), Some(101), Some(3), Some(103)]);
    assert_eq!(longs_of(&found, 2), [Some(2), Some(1), Some(7), Some(7)]);
}

#[test]
fn a_file_without_a_first_row_id_has_no_lineage_even_where_it_stores_some() {
    let store = with_lineage(vec![Some(5), None], vec![Some(2), None], 10);
    let found = batches(asking(&store, &LINEAGE), &lineage_task(None)).unwrap();
    assert_eq!((longs_of(&found, 1), longs_of(&found, 2)), (vec![None; 2], vec![None; 2]));
    let is_null = test(ROW_ID, PrimitiveType::Long, Operator::IsNull, vec![]);
    let task = FileScanTask { residual: Arc::new(is_null), ..lineage_task(None) };
    assert_eq!(longs_of(&batches(asking(&store, &LINEAGE), &task).unwrap(), 0).len(), 2);
}

#[test]
fn a_filter_by_row_id_sees_inherited_ids_whatever_the_statistics_of_stored_ones_say() {
    let ids = (0..40).map(|row| (row % 4 == 0).then_some(row)).collect();
    let store = with_lineage(ids, vec![None; 40], 5);
    for (op, values, expected) in [
        (Operator::In, vec![8, 9, 121, 117], vec![8, 17, 21]),
        (Operator::GtEq, vec![137], vec![37, 38, 39]),
        (Operator::Lt, vec![100], (0..40).filter(|row| row % 4 == 0).collect::<Vec<i64>>()),
        (Operator::IsNull, vec![], vec![]),
    ] {
        let task =
            FileScanTask { residual: Arc::new(long_test(ROW_ID, op, &values)), ..lineage_task(Some(100)) };
        let found = batches(asking(&store, &LINEAGE), &task).unwrap();
        let expected: Vec<_> = expected.into_iter().map(Some).collect();
        assert_eq!(longs_of(&found, 0), expected, "{op:?} {values:?}");
    }
}

#[test]
fn a_filter_by_inherited_row_ids_reads_only_the_row_groups_that_have_them() {
    let store = store(numbers(60, 10));
    let residual = Arc::new(long_test(ROW_ID, Operator::In, &[123, 124, 1_000]));
    let task = FileScanTask { residual, ..lineage_task(Some(100)) };
    let counting = Arc::new(floeberg_io::testing::CountingStore::new(Arc::new(store.clone())));
    let plain = asking(&store, &LINEAGE);
    let counted = ReadRequest::new(Arc::clone(&counting) as _, plain.schema, plain.projected);
    let found = batches(counted, &task).unwrap();
    assert_eq!(longs_of(&found, 0), [Some(23), Some(24)]);
    // The footer, and one column of one row group.
    assert_eq!(counting.of(DATA).reads, 2);
}

#[test]
fn row_ids_that_do_not_fit_are_an_error_that_names_the_file() {
    let store = store(numbers(4, 3));
    let error = batches(asking(&store, &LINEAGE), &lineage_task(Some(i64::MAX - 1))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("first_row_id") && error.to_string().contains(DATA), "{error}");
}

#[test]
fn deleted_rows_come_out_marked_where_they_are_asked_for() {
    let parquet = store(numbers(40, 7));
    let avro = MemoryStore::new();
    avro.put(DATA, avro_numbers(40, 9));
    for (store, base) in [(parquet, task()), (avro, avro_task())] {
        let by_position = position_deletes(&store, (7..14).chain([0, 3, 39, 500]));
        let by_key = equality_deletes(&store, [3, 4, 38, 77]);
        for memory in [0, 256 << 20] {
            for deletes in [vec![], vec![by_position.clone()], vec![by_position.clone(), by_key.clone()]] {
                let is_deleted = |row: i64| match deletes.len() {
                    0 => false,
                    1 => [0, 3, 39].contains(&row) || (7..14).contains(&row),
                    _ => [0, 3, 39, 4, 38].contains(&row) || (7..14).contains(&row),
                };
                for (from, to) in [(0, 40), (3, 12)] {
                    let residual = if to == 40 { BoundExpr::True } else { between(from, to) };
                    let task = FileScanTask {
                        deletes: deletes.clone(),
                        residual: Arc::new(residual),
                        ..base.clone()
                    };
                    let make = || asking(&store, &[POS, DELETED]).with_memory(memory).with_batch_rows(6);
                    let found = batches(make(), &task).unwrap();
                    assert_eq!(longs_of(&found, 0), (from..to).map(Some).collect::<Vec<_>>());
                    assert_eq!(longs_of(&found, 0), longs_of(&found, 1));
                    let marks: Vec<_> = found.iter().flat_map(|batch| batch.column(2).as_boolean()).collect();
                    assert_eq!(marks, (from..to).map(|row| Some(is_deleted(row))).collect::<Vec<_>>());
                    assert_eq!(count_rows(&reader(make()), &task).unwrap(), (to - from) as u64);
                    // Without the column they are missing.
                    let mut unmarked = asking(&store, &[POS]).with_memory(memory);
                    unmarked.files.batch_rows = 6;
                    let left: Vec<_> = (from..to).filter(|row| !is_deleted(*row)).map(Some).collect();
                    assert_eq!(longs_of(&batches(unmarked, &task).unwrap(), 1), left);
                }
            }
        }
    }
}

#[test]
fn the_partition_is_a_struct_over_all_specs() {
    let store = store(numbers(2, 10));
    let field = |id: i32, transform| PartitionField {
        field_id: id,
        source_ids: vec![99],
        name: format!("p{id}"),
        transform,
        unknown_keys: Map::new(),
    };
    let spec = PartitionSpec {
        spec_id: 1,
        fields: vec![field(1001, Transform::Day), field(1000, Transform::Identity)],
        unknown_keys: Map::new(),
    };
    let fields = vec![
        Field::optional(1000, "i", PrimitiveType::Long),
        Field::optional(1001, "d", PrimitiveType::Date),
        Field::optional(1002, "b", PrimitiveType::Int),
    ];
    let partition = partition_column(StructType { fields });
    let mut request = request(&store, Schema::new(0, vec![partition]).unwrap())
        .with_specs([Arc::new(spec)])
        .with_partition_fields([(1, vec![1001, 1000])].into());
    let values = vec![(1001, None), (1000, Some(Value::Int(5)))];
    let task = FileScanTask { spec_id: 1, partition: Arc::new(values), ..task() };
    request.files.batch_rows = 1;
    let found = batches(request, &task).unwrap();
    for batch in &found {
        let partition = batch.column(0).as_struct();
        assert_eq!(partition.column_names(), ["i", "d", "b"]);
        assert_eq!(partition.column(0).as_primitive::<Int64Type>().values(), &[5]);
        assert_eq!((partition.column(1).null_count(), partition.column(2).null_count()), (1, 1));
        assert_eq!(partition.null_count(), 0);
    }
}

#[test]
fn a_table_that_was_never_partitioned_has_a_null_partition() {
    let store = store(numbers(2, 10));
    let partition = partition_column(StructType { fields: Vec::new() });
    let found = one_batch(request(&store, Schema::new(0, vec![partition]).unwrap()), &task());
    assert_eq!((found.num_rows(), found.column(0).null_count()), (2, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_reads_know_where_their_rows_are(
        deleted in proptest::collection::btree_set(0_i64..260, 0..260),
        group_rows in 5_usize..120,
        (from, to) in (0_i64..260, 0_i64..260),
        at in proptest::collection::btree_set(0_i64..260, 1..20),
        by_position in any::<bool>(),
        batch_rows in 1_usize..90,
        is_avro in any::<bool>(),
    ) {
        let store = MemoryStore::new();
        let bytes = if is_avro { avro_numbers(250, group_rows) } else { numbers(250, group_rows) };
        store.put(DATA, bytes);
        let deletes = vec![position_deletes(&store, deleted.iter().copied())];
        let base = if is_avro { avro_task() } else { task() };
        let at: Vec<i64> = at.into_iter().collect();
        let also = if by_position { long_test(POS, Operator::NotIn, &at) } else { BoundExpr::True };
        let residual = Arc::new(BoundExpr::all_of([between(from, to), also]));
        let task = FileScanTask { deletes, residual, first_row_id: Some(1_000), ..base };
        let found = batches(asking(&store, &[POS, ROW_ID]).with_batch_rows(batch_rows), &task).unwrap();
        let is_left = |row: &i64| !(deleted.contains(row) || by_position && at.contains(row));
        let expected: Vec<_> = (from..to.min(250)).filter(is_left).map(Some).collect();
        prop_assert_eq!(longs_of(&found, 0), expected.clone());
        prop_assert_eq!(longs_of(&found, 1), expected.clone());
        let ids: Vec<_> = expected.iter().map(|row| row.map(|row| row + 1_000)).collect();
        prop_assert_eq!(longs_of(&found, 2), ids);
    }
}
