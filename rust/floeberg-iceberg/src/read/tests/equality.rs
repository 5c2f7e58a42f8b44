//! Which rows do equality deletes delete?

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Decimal128Array, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_core::expr::Operator;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_io::MemoryStore;
use serde_json::Map;

use super::fixture::{
    DATA, batches, column, delete_file, filtered, longs, parquet, reader, request, store, task, test,
};
use crate::metadata::{PartitionField, PartitionSpec};
use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::{ReadRequest, count_rows};

/// The column that numbers the rows of a data file.
pub(super) const ROW: i32 = 100;
const DELETES: &str = "memory://t/deletes.parquet";

/// A data file of some columns and [`ROW`].
pub(super) fn data(columns: Vec<(ArrowField, ArrayRef)>) -> MemoryStore {
    let rows = columns[0].1.len() as i64;
    let (mut fields, mut arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    fields.push(column(ROW, "row", DataType::Int64));
    arrays.push(Arc::new(Int64Array::from_iter_values(0..rows)));
    store(parquet(fields, arrays, 100))
}

/// A request for [`ROW`] of a table with some other columns.
pub(super) fn rows_of(store: &MemoryStore, others: Vec<Field>) -> ReadRequest {
    let row = Field::optional(ROW, "row", PrimitiveType::Long);
    let mut request = request(store, Schema::new(1, [vec![row.clone()], others].concat()).unwrap());
    request.projected = Arc::new(Schema::new(1, vec![row]).unwrap());
    request
}

/// A delete file newer than the data file.
pub(super) fn deletes(
    store: &MemoryStore,
    location: &str,
    ids: &[i32],
    columns: Vec<(ArrowField, ArrayRef)>,
) -> DeleteFile {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    store.put(location, parquet(fields, arrays, 100));
    let kind = DeleteKind::Equality { equality_ids: ids.to_vec() };
    DeleteFile { data_sequence_number: 2, ..delete_file(location, kind, FileFormat::Parquet) }
}

/// A task with deletes.
pub(super) fn with(deletes: Vec<DeleteFile>) -> FileScanTask {
    FileScanTask { deletes: deletes.into_iter().map(Arc::new).collect(), ..task() }
}

/// The rows that are left; counting must find as many, and so must keys that are applied in parts.
pub(super) fn left(request: ReadRequest, task: &FileScanTask) -> Vec<i64> {
    let counted = count_rows(&reader(request.clone()), task).unwrap();
    let in_parts = ReadRequest::new(
        Arc::clone(&request.files.store),
        Arc::clone(&request.schema),
        Arc::clone(&request.projected),
    )
    .with_specs(request.specs.values().cloned())
    .with_key_schemas(request.key_schemas.clone())
    .with_name_mapping(request.name_mapping.clone())
    .with_memory(0);
    let in_parts = longs(&batches(in_parts, task).unwrap());
    let left = longs(&batches(request, task).unwrap());
    assert_eq!(counted, left.len() as u64);
    assert_eq!(in_parts, left);
    left
}

pub(super) fn ints(id: i32, values: Vec<Option<i32>>) -> (ArrowField, ArrayRef) {
    (column(id, &format!("c{id}"), DataType::Int32), Arc::new(Int32Array::from(values)))
}

pub(super) fn longs_of(id: i32, values: Vec<Option<i64>>) -> (ArrowField, ArrayRef) {
    (column(id, &format!("c{id}"), DataType::Int64), Arc::new(Int64Array::from(values)))
}

pub(super) fn texts(id: i32, values: Vec<Option<&str>>) -> (ArrowField, ArrayRef) {
    (column(id, &format!("c{id}"), DataType::Utf8), Arc::new(StringArray::from(values)))
}

pub(super) fn key(id: i32, field_type: PrimitiveType) -> Field {
    Field::optional(id, format!("c{id}"), field_type)
}

#[test]
fn rows_whose_key_is_in_a_delete_file_go() {
    let store = data(vec![longs_of(1, vec![Some(5), Some(6), Some(7), Some(5), None])]);
    let delete = deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(5), Some(8)])]);
    assert_eq!(left(rows_of(&store, vec![key(1, PrimitiveType::Long)]), &with(vec![delete])), [1, 2, 4]);
}

#[test]
fn the_columns_that_were_asked_for_come_out_as_they_were() {
    let store =
        data(vec![longs_of(1, vec![Some(5), Some(6), None]), texts(2, vec![Some("a"), None, Some("ü")])]);
    let delete = deletes(&store, DELETES, &[2], vec![texts(2, vec![Some("a")])]);
    let fields = vec![key(2, PrimitiveType::String), key(1, PrimitiveType::Long)];
    let request = request(&store, Schema::new(0, fields).unwrap());
    let schema = request.output_schema().unwrap();
    let found = batches(request, &with(vec![delete])).unwrap();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec![None, Some("ü")])),
        Arc::new(Int64Array::from(vec![Some(6), None])),
    ];
    assert_eq!(found, [RecordBatch::try_new(schema, columns).unwrap()]);
}

#[test]
fn null_equals_null_in_every_key_column() {
    let a = || ints(1, vec![Some(1), Some(1), None, None, Some(2)]);
    let b = || texts(2, vec![Some("x"), None, Some("x"), None, None]);
    let keys = || vec![key(1, PrimitiveType::Int), key(2, PrimitiveType::String)];
    for (deleted_a, deleted_b, expected) in
        [(Some(1), None, [0, 2, 3, 4]), (None, Some("x"), [0, 1, 3, 4]), (None, None, [0, 1, 2, 4])]
    {
        let store = data(vec![a(), b()]);
        let columns = vec![ints(1, vec![deleted_a]), texts(2, vec![deleted_b])];
        let delete = deletes(&store, DELETES, &[1, 2], columns);
        assert_eq!(left(rows_of(&store, keys()), &with(vec![delete])), expected);
    }
    let store = data(vec![a(), b()]);
    let delete = deletes(&store, DELETES, &[2], vec![texts(2, vec![None])]);
    assert_eq!(left(rows_of(&store, keys()), &with(vec![delete])), [0, 2]);
}

#[test]
fn not_a_number_equals_itself_and_minus_zero_is_not_zero() {
    let values = vec![f64::NAN, -f64::NAN, 0.0, -0.0, 1.0];
    let doubles = |values: Vec<f64>| {
        (column(1, "d", DataType::Float64), Arc::new(Float64Array::from(values)) as ArrayRef)
    };
    for (deleted, expected) in [(f64::NAN, &[2, 3, 4][..]), (0.0, &[0, 1, 3, 4]), (-0.0, &[0, 1, 2, 4])] {
        let store = data(vec![doubles(values.clone())]);
        let delete = deletes(&store, DELETES, &[1], vec![doubles(vec![deleted])]);
        let keys = vec![key(1, PrimitiveType::Double)];
        assert_eq!(left(rows_of(&store, keys), &with(vec![delete])), expected);
    }
}

#[test]
fn key_columns_are_the_same_in_any_order_and_other_columns_of_the_file_are_ignored() {
    let store = data(vec![
        ints(1, vec![Some(1), Some(1), Some(2)]),
        ints(2, vec![Some(1), Some(2), Some(1)]),
        ints(3, vec![Some(0), Some(0), Some(0)]),
    ]);
    let columns = vec![ints(3, vec![Some(9)]), ints(2, vec![Some(2)]), ints(1, vec![Some(1)])];
    let one = deletes(&store, DELETES, &[2, 1], columns);
    let columns = vec![ints(1, vec![Some(2)]), ints(2, vec![Some(1)])];
    let other = deletes(&store, "memory://t/other.parquet", &[1, 2], columns);
    let keys = (1..=3).map(|id| key(id, PrimitiveType::Int)).collect();
    assert_eq!(left(rows_of(&store, keys), &with(vec![one, other])), [0]);
}

#[test]
fn deletes_by_different_columns_all_hold() {
    let store = data(vec![ints(1, (0..6).map(Some).collect()), ints(2, vec![Some(7); 6])]);
    let by_one = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(2)])]);
    let columns = vec![ints(1, vec![Some(3), Some(4)]), ints(2, vec![Some(7), Some(8)])];
    let by_both = deletes(&store, "memory://t/other.parquet", &[1, 2], columns);
    let keys = vec![key(1, PrimitiveType::Int), key(2, PrimitiveType::Int)];
    assert_eq!(left(rows_of(&store, keys), &with(vec![by_one, by_both])), [0, 1, 4, 5]);
}

#[test]
fn only_strictly_older_rows_are_deleted() {
    let store = data(vec![ints(1, vec![Some(1), Some(2), Some(3)])]);
    let numbered = |location, value, data_sequence_number| {
        let delete = deletes(&store, location, &[1], vec![ints(1, vec![Some(value)])]);
        DeleteFile { data_sequence_number, ..delete }
    };
    let all = vec![
        numbered("memory://t/d1", 1, 4),
        numbered("memory://t/d2", 2, 5),
        numbered("memory://t/d3", 3, 6),
        numbered("memory://t/d4", 3, 5),
    ];
    for (number, expected) in [(3, &[][..]), (4, &[0]), (5, &[0, 1]), (6, &[0, 1, 2])] {
        let task = FileScanTask { data_sequence_number: number, ..with(all.clone()) };
        assert_eq!(left(rows_of(&store, vec![key(1, PrimitiveType::Int)]), &task), expected, "{number}");
    }
}

/// A struct `s` (10) of `a` (11, long) and `b` (12, string), null in some rows.
fn nested(a: Vec<Option<i64>>, b: Vec<Option<&str>>, valid: Vec<bool>) -> (ArrowField, ArrayRef) {
    let fields = vec![column(11, "a", DataType::Int64), column(12, "b", DataType::Utf8)];
    let children: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(a)), Arc::new(StringArray::from(b))];
    let array = StructArray::new(fields.into(), children, Some(NullBuffer::from(valid)));
    (column(10, "s", array.data_type().clone()), Arc::new(array))
}

fn nested_field(children: Vec<Field>) -> Field {
    Field::optional(10, "s", Type::Struct(StructType { fields: children }))
}

#[test]
fn a_nested_key_is_null_where_its_struct_is() {
    let b = || key(12, PrimitiveType::String);
    let a = || key(11, PrimitiveType::Long);
    for (deleted, expected) in [(vec![None], &[1, 3][..]), (vec![Some("x")], &[0, 2, 3])] {
        let values = (vec![Some(1); 4], vec![None, Some("x"), Some("x"), Some("y")]);
        let store = data(vec![nested(values.0, values.1, vec![true, true, false, true])]);
        let rows = deleted.len();
        let columns = vec![nested(vec![Some(5); rows], deleted, vec![true; rows])];
        let delete = deletes(&store, DELETES, &[12], columns);
        let request = rows_of(&store, vec![nested_field(vec![a(), b()])]);
        assert_eq!(left(request, &with(vec![delete])), expected);
    }
    // A delete file whose struct is null deletes as one whose leaf is.
    let store = data(vec![nested(vec![Some(1), Some(2)], vec![None, Some("x")], vec![true, true])]);
    let delete = deletes(&store, DELETES, &[12], vec![nested(vec![None], vec![Some("x")], vec![false])]);
    let request = rows_of(&store, vec![nested_field(vec![a(), b()])]);
    assert_eq!(left(request, &with(vec![delete])), [1]);
}

#[test]
fn a_key_beside_a_projected_field_of_the_same_struct_is_read() {
    let store = data(vec![nested(vec![Some(1), Some(2)], vec![Some("x"), Some("y")], vec![true, true])]);
    let delete = deletes(&store, DELETES, &[11], vec![nested(vec![Some(1)], vec![None], vec![true])]);
    let whole = nested_field(vec![key(11, PrimitiveType::Long), key(12, PrimitiveType::String)]);
    let mut request = request(&store, Schema::new(0, vec![whole]).unwrap());
    request.projected = Arc::new(request.schema.select(&[12]).unwrap());
    let found = batches(request, &with(vec![delete])).unwrap();
    let texts = StringArray::from(vec!["y"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].num_columns(), 1);
    let column = found[0].column(0).as_any().downcast_ref::<StructArray>().unwrap();
    assert_eq!(column.columns(), [Arc::new(texts) as ArrayRef]);
}

#[test]
fn keys_are_compared_in_the_type_that_the_column_has_now() {
    let long = || vec![key(1, PrimitiveType::Long)];
    let store = data(vec![longs_of(1, vec![Some(1), Some(1 << 40), Some(3)])]);
    let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(3)])]);
    assert_eq!(left(rows_of(&store, long()), &with(vec![delete])), [0, 1]);
    let store = data(vec![ints(1, vec![Some(1), Some(2), Some(3)])]);
    let delete = deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(2), Some(1 << 40)])]);
    assert_eq!(left(rows_of(&store, long()), &with(vec![delete])), [0, 2]);

    let floats =
        |values| (column(1, "c1", DataType::Float32), Arc::new(Float32Array::from(values)) as ArrayRef);
    let store = data(vec![floats(vec![0.5, 1.5])]);
    let doubles = (column(1, "c1", DataType::Float64), Arc::new(Float64Array::from(vec![1.5])) as ArrayRef);
    let delete = deletes(&store, DELETES, &[1], vec![doubles]);
    assert_eq!(left(rows_of(&store, vec![key(1, PrimitiveType::Double)]), &with(vec![delete])), [0]);

    let decimals = |precision, values: Vec<i128>| {
        let array = Decimal128Array::from(values).with_precision_and_scale(precision, 2).unwrap();
        (column(1, "c1", array.data_type().clone()), Arc::new(array) as ArrayRef)
    };
    let store = data(vec![decimals(9, vec![100, 250])]);
    let delete = deletes(&store, DELETES, &[1], vec![decimals(20, vec![250])]);
    let wide = PrimitiveType::Decimal { precision: 20, scale: 2 };
    assert_eq!(left(rows_of(&store, vec![key(1, wide)]), &with(vec![delete])), [0]);
}

#[test]
fn an_older_schema_reads_a_column_by_the_type_that_keys_have_now() {
    let store = data(vec![ints(1, vec![Some(1), Some(2)])]);
    let delete = deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(1), Some(1 << 40)])]);
    let old = rows_of(&store, vec![key(1, PrimitiveType::Int)]);
    let new = Arc::new(Schema::new(2, vec![key(1, PrimitiveType::Long)]).unwrap());
    let schemas = [new, Arc::clone(&old.schema)];
    assert_eq!(left(old.with_key_schemas(schemas), &with(vec![delete])), [1]);
}

#[test]
fn a_dropped_column_still_deletes_by_the_newest_type_that_it_had() {
    let store = data(vec![ints(1, vec![Some(1), Some(2)]), ints(9, vec![Some(2), Some(1)])]);
    let delete = deletes(&store, DELETES, &[1], vec![longs_of(1, vec![Some(1)])]);
    // Its name was given to another column since.
    let now = rows_of(&store, vec![Field::optional(9, "c1", PrimitiveType::Int)]);
    let of = |id, field_type| Arc::new(Schema::new(id, vec![key(1, field_type)]).unwrap());
    let schemas = [Arc::clone(&now.schema), of(1, PrimitiveType::Long), of(0, PrimitiveType::Int)];
    let task = with(vec![delete]);
    assert_eq!(left(now.with_key_schemas(schemas), &task), [1]);
}

#[test]
fn a_dropped_column_that_was_required_may_be_missing_from_newer_files() {
    let store = data(vec![ints(2, vec![Some(1), Some(2)])]);
    let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1)])]);
    let now = rows_of(&store, vec![key(2, PrimitiveType::Int)]);
    let before = Schema::new(0, vec![Field::required(1, "c1", PrimitiveType::Int)]).unwrap();
    let schemas = [Arc::clone(&now.schema), Arc::new(before)];
    assert_eq!(left(now.with_key_schemas(schemas), &with(vec![delete])), [0, 1]);
}

#[test]
fn an_added_column_has_its_default_or_null_in_older_files() {
    for (default, deleted, expected) in [
        (None, None, &[][..]),
        (None, Some(7), &[0, 1]),
        (Some(Value::Int(7)), Some(7), &[]),
        (Some(Value::Int(7)), None, &[0, 1]),
    ] {
        let store = data(vec![ints(2, vec![Some(1), Some(2)])]);
        let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![deleted])]);
        let added = Field { initial_default: default, ..key(1, PrimitiveType::Int) };
        assert_eq!(left(rows_of(&store, vec![added]), &with(vec![delete])), expected, "{deleted:?}");
    }
}

fn spec(spec_id: i32, transform: Transform) -> Arc<PartitionSpec> {
    let field = PartitionField {
        field_id: 1000 + spec_id,
        source_ids: vec![1],
        name: "p".into(),
        transform,
        unknown_keys: Map::new(),
    };
    Arc::new(PartitionSpec { spec_id, fields: vec![field], unknown_keys: Map::new() })
}

pub(super) fn in_partition(task: FileScanTask, value: i32) -> FileScanTask {
    FileScanTask { partition: Arc::new(vec![(1000, Some(Value::Int(value)))]), ..task }
}

pub(super) fn by_identity() -> Arc<PartitionSpec> {
    spec(0, Transform::Identity)
}

pub(super) fn by_nothing() -> Arc<PartitionSpec> {
    spec(3, Transform::Void)
}

#[test]
fn a_key_that_the_file_lacks_has_its_partition_value() {
    let store = data(vec![ints(2, vec![Some(1), Some(2)])]);
    let columns = vec![ints(1, vec![Some(5)]), ints(2, vec![Some(2)])];
    let delete = deletes(&store, DELETES, &[1, 2], columns);
    let delete = DeleteFile { partition: vec![(1000, Some(Value::Int(5)))], ..delete };
    let keys = || vec![key(1, PrimitiveType::Int), key(2, PrimitiveType::Int)];
    let request = rows_of(&store, keys()).with_specs([by_identity()]);
    assert_eq!(left(request, &in_partition(with(vec![delete]), 5)), [0]);
}

#[test]
fn deletes_of_one_partition_leave_the_others_alone() {
    let store = data(vec![ints(2, vec![Some(1), Some(2), Some(3)])]);
    let of = |partition: i32, value: i32| {
        let location = format!("memory://t/{partition}.parquet");
        let delete = deletes(&store, &location, &[2], vec![ints(2, vec![Some(value)])]);
        let delete = DeleteFile { partition: vec![(1000, Some(Value::Int(partition)))], ..delete };
        in_partition(with(vec![delete]), partition)
    };
    let request = rows_of(&store, vec![key(2, PrimitiveType::Int)]).with_specs([by_identity()]);
    let (one, two) = (of(1, 1), of(2, 2));
    let reader = reader(request);
    for (task, expected) in [(&one, [1, 2]), (&two, [0, 2]), (&one, [1, 2])] {
        let read = crate::read::read_task(&reader, task).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(longs(&read), expected);
    }
}

#[test]
fn filters_and_positions_hold_beside_equality_deletes() {
    let store = data(vec![ints(1, (0..10).map(Some).collect())]);
    let equality = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1), Some(8)])]);
    let paths = StringArray::from(vec![DATA, DATA]);
    let positions = Int64Array::from(vec![1, 3]);
    let fields = vec![
        column(2_147_483_546, "file_path", DataType::Utf8),
        column(2_147_483_545, "pos", DataType::Int64),
    ];
    let location = "memory://t/positions.parquet";
    store.put(location, parquet(fields, vec![Arc::new(paths), Arc::new(positions)], 100));
    let position = delete_file(location, DeleteKind::Position, FileFormat::Parquet);
    let below = test(ROW, PrimitiveType::Long, Operator::Lt, vec![Value::Long(6)]);
    let deletes = vec![Arc::new(equality), Arc::new(position)];
    let request = || rows_of(&store, vec![key(1, PrimitiveType::Int)]);
    assert_eq!(left(request(), &FileScanTask { deletes: deletes.clone(), ..filtered(below) }), [0, 2, 4, 5]);
    let task = FileScanTask { deletes, ..task() };
    assert_eq!(left(request(), &task), [0, 2, 4, 5, 6, 7, 9]);
}

#[test]
fn rows_of_no_columns_are_counted_after_equality_deletes() {
    let store = data(vec![ints(1, vec![Some(1), Some(2), Some(1)])]);
    let delete = deletes(&store, DELETES, &[1], vec![ints(1, vec![Some(1)])]);
    let mut request = rows_of(&store, vec![key(1, PrimitiveType::Int)]);
    request.projected = Arc::new(Schema::new(0, Vec::new()).unwrap());
    let found = batches(request, &with(vec![delete])).unwrap();
    let shapes: Vec<_> = found.iter().map(|batch| (batch.num_columns(), batch.num_rows())).collect();
    assert_eq!(shapes, [(0, 1)]);
}

#[test]
fn a_key_that_cannot_be_one_is_an_error_that_names_the_delete_file() {
    let store = data(vec![ints(1, vec![Some(1)])]);
    let list = Type::List(Box::new(floeberg_core::schema::ListType { element: key(21, PrimitiveType::Int) }));
    let fields = vec![
        key(1, PrimitiveType::Int),
        nested_field(vec![key(11, PrimitiveType::Long)]),
        Field::optional(20, "list", list),
        Field::optional(30, "variant", Type::Variant),
    ];
    for id in [10, 20, 21, 30, 77] {
        let delete = deletes(&store, DELETES, &[1, id], vec![ints(1, vec![Some(1)])]);
        let error = batches(rows_of(&store, fields.clone()), &with(vec![delete])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{id}: {error}");
        let text = error.to_string();
        assert!(text.contains(DELETES) && text.contains(&id.to_string()), "{id}: {text}");
    }
}
