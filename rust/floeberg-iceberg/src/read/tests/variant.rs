//! Columns of variants: in the three formats, unshredded and shredded, wherever a type may stand.

use std::path::PathBuf;
use std::sync::Arc;

use apache_avro::types::Value as Written;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int64Array, ListArray, RecordBatch, StructArray, UInt32Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field as ArrowField};
use floeberg_core::ErrorKind;
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator};
use floeberg_core::schema::{Field, ListType, MapType, NameMapping, PrimitiveType, Schema, StructType, Type};
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;

use super::avro_fixture::{avro, avro_task, none, of, request_of, some};
use super::fixture::{
    DATA, batches, below, column, delete_file, filtered, one_batch, parquet, request, store, task,
};
use super::variant_model::{Names, Tree, decode, encode};
use crate::plan::{DeleteKind, FileFormat, FileScanTask};
use crate::read::ReadRequest;

const V1: &[u8] = &[1, 0, 0];

fn schema(fields: Vec<Field>) -> Schema {
    Schema::new(0, fields).unwrap()
}

fn id_and_v() -> Schema {
    schema(vec![Field::optional(1, "id", PrimitiveType::Long), Field::optional(2, "v", Type::Variant)])
}

fn bytes(values: Vec<Option<&[u8]>>) -> ArrayRef {
    Arc::new(BinaryArray::from(values))
}

fn group(columns: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> ArrayRef {
    let fields = columns.iter().map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true));
    let fields = fields.collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::new(fields, arrays, nulls.map(NullBuffer::from)))
}

/// `n`, row by row, as variants shredded as long, every third in `value`; the last row is null.
fn shredded(rows: i64) -> ArrayRef {
    let value = |row: i64| [vec![6 << 2], row.to_le_bytes().to_vec()].concat();
    let is_typed = |row: &i64| row % 3 != 0;
    let values: Vec<_> = (0..rows).map(|row| (!is_typed(&row)).then(|| value(row))).collect();
    let typed: Int64Array = (0..rows).map(|row| is_typed(&row).then_some(row)).collect();
    let metadata: Vec<_> = (0..rows).map(|_| Some(V1)).collect();
    let columns = vec![
        ("typed_value", Arc::new(typed) as ArrayRef),
        ("value", bytes(values.iter().map(Option::as_deref).collect())),
        ("metadata", bytes(metadata)),
    ];
    group(columns, Some((0..rows).map(|row| row + 1 < rows).collect()))
}

/// A file of column 1 `id`, from 0 up, and 2 `v`, [`shredded`].
fn shredded_file(rows: i64, group_rows: usize) -> Vec<u8> {
    let v = shredded(rows);
    let fields = vec![column(1, "id", DataType::Int64), column(2, "v", v.data_type().clone())];
    parquet(fields, vec![Arc::new(Int64Array::from_iter_values(0..rows)), v], group_rows)
}

/// The trees of a column of variants.
fn trees(array: &dyn Array) -> Vec<Option<Tree>> {
    let variants = array.as_struct();
    let (metadata, value) = (variants.column(0).as_binary::<i32>(), variants.column(1).as_binary::<i32>());
    let tree = |row| variants.is_valid(row).then(|| decode(metadata.value(row), value.value(row)));
    (0..variants.len()).map(tree).collect()
}

/// The ids of all rows, and whether each variant is that number.
fn ids(batches: &[RecordBatch]) -> Vec<(i64, Option<Tree>)> {
    let rows = |batch: &RecordBatch| {
        let ids = batch.column(0).as_primitive::<Int64Type>().values().to_vec();
        ids.into_iter().zip(trees(batch.column(1))).collect::<Vec<_>>()
    };
    batches.iter().flat_map(rows).collect()
}

fn expected(ids: impl IntoIterator<Item = i64>, rows: i64) -> Vec<(i64, Option<Tree>)> {
    ids.into_iter().map(|id| (id, (id + 1 < rows).then_some(Tree::Number(i128::from(id), 0)))).collect()
}

fn null_test(op: Operator) -> BoundExpr {
    let v =
        BoundColumn { id: 2, name: "v".into(), path: vec![2], field_type: Type::Variant, required: false };
    let literals = Arc::from([]);
    BoundExpr::Predicate(BoundPredicate { op, column: Arc::new(v), transform: None, literals })
}

#[test]
fn a_variant_is_the_extension_type_with_an_id_on_the_outer_field_alone() {
    let batch = one_batch(request(&store(shredded_file(4, 10)), id_and_v()), &task());
    let schema = batch.schema();
    let field = schema.field(1);
    let metadata = ["ARROW:extension:name", "ARROW:extension:metadata", "PARQUET:field_id"]
        .map(|key| field.metadata().get(key).map_or("none", AsRef::as_ref).to_owned());
    assert_eq!(metadata, ["arrow.parquet.variant", "", "2"]);
    let DataType::Struct(fields) = field.data_type() else { panic!("{field}") };
    let inner: Vec<_> = fields.iter().map(|field| field.as_ref().clone()).collect();
    let plain = |name: &str| ArrowField::new(name, DataType::Binary, false);
    assert_eq!(inner, [plain("metadata"), plain("value")]);
    assert_eq!(ids(std::slice::from_ref(&batch)), expected(0..4, 4));
}

#[test]
fn the_group_is_found_by_id_and_its_columns_by_name() {
    let v =
        group(vec![("value", bytes(vec![Some(&[0]), None])), ("metadata", bytes(vec![Some(V1); 2]))], None);
    let fields = vec![column(7, "v", v.data_type().clone()), column(2, "renamed", v.data_type().clone())];
    let other = group(
        vec![("value", bytes(vec![Some(&[1 << 2]); 2])), ("metadata", bytes(vec![Some(V1); 2]))],
        Some(vec![true, false]),
    );
    let file = parquet(fields, vec![v, other], 10);
    let batch =
        one_batch(request(&store(file), schema(vec![Field::optional(2, "v", Type::Variant)])), &task());
    assert_eq!(trees(batch.column(0)), [Some(Tree::Primitive(1, Vec::new())), None]);
}

#[test]
fn ids_on_the_inner_columns_do_not_matter() {
    let id = |id, name: &str| column(id, name, DataType::Binary);
    let inner = vec![id(1, "metadata"), id(9, "value")];
    let arrays = vec![bytes(vec![Some(V1)]), bytes(vec![Some(&[0])])];
    let v: ArrayRef = Arc::new(StructArray::new(inner.into(), arrays, None));
    let fields = vec![column(2, "v", v.data_type().clone()), column(1, "id", DataType::Int64)];
    let file = parquet(fields, vec![v, Arc::new(Int64Array::from(vec![5]))], 10);
    let batch = one_batch(request(&store(file), id_and_v()), &task());
    assert_eq!(ids(&[batch]), [(5, Some(Tree::Primitive(0, Vec::new())))]);
}

#[test]
fn deletes_filters_and_pages_leave_the_rows_that_they_should() {
    let store = store(shredded_file(1_000, 300));
    let filter = BoundExpr::And(vec![below(700), null_test(Operator::NotNull)]);
    let fields = vec![
        column(2_147_483_546, "file_path", DataType::Utf8),
        column(2_147_483_545, "pos", DataType::Int64),
    ];
    let deleted = [0, 5, 299, 300, 699];
    let paths = arrow_array::StringArray::from_iter_values(deleted.map(|_| DATA));
    let deletes = parquet(fields, vec![Arc::new(paths), Arc::new(Int64Array::from(deleted.to_vec()))], 100);
    store.put("memory://t/deletes.parquet", deletes);
    let delete = delete_file("memory://t/deletes.parquet", DeleteKind::Position, FileFormat::Parquet);
    let task = FileScanTask { deletes: vec![Arc::new(delete)], ..filtered(filter) };
    let found = ids(&batches(request(&store, id_and_v()), &task).unwrap());
    assert_eq!(found, expected((0..700).filter(|id| !deleted.contains(id)), 1_000));
}

#[test]
fn null_is_asked_of_variants() {
    let store = store(shredded_file(10, 4));
    let rows = |op| ids(&batches(request(&store, id_and_v()), &filtered(null_test(op))).unwrap());
    assert_eq!(rows(Operator::IsNull), expected([9], 10));
    assert_eq!(rows(Operator::NotNull), expected(0..9, 10));
}

#[test]
fn a_variant_that_is_not_asked_for_is_neither_decoded_nor_judged() {
    let wrong: ArrayRef = Arc::new(UInt32Array::from(vec![1]));
    let v = group(vec![("metadata", bytes(vec![Some(V1)])), ("typed_value", wrong)], None);
    let fields = vec![column(1, "id", DataType::Int64), column(2, "v", v.data_type().clone())];
    let store = store(parquet(fields, vec![Arc::new(Int64Array::from(vec![5])), v], 10));
    let mut narrow = request(&store, id_and_v());
    narrow.projected = Arc::new(schema(vec![Field::optional(1, "id", PrimitiveType::Long)]));
    assert_eq!(one_batch(narrow, &task()).column(0).as_primitive::<Int64Type>().values(), &[5]);
    let error = batches(request(&store, id_and_v()), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("UInt32") && error.to_string().contains(DATA), "{error}");
}

#[test]
fn bytes_of_variants_are_read_only_where_they_are_asked_for() {
    let counting = Arc::new(CountingStore::new(Arc::new(store(shredded_file(20_000, 100_000)))));
    let read = |fields| {
        let projected = Arc::new(schema(fields));
        let store = Arc::clone(&counting) as Arc<dyn floeberg_io::Store>;
        let request = ReadRequest::new(store, Arc::new(id_and_v()), projected);
        let before = counting.total().bytes;
        batches(request, &task()).unwrap();
        counting.total().bytes - before
    };
    let id = Field::optional(1, "id", PrimitiveType::Long);
    let (narrow, wide) = (read(vec![id.clone()]), read(vec![id, Field::optional(2, "v", Type::Variant)]));
    // A variant of a long has eight bytes at least.
    assert!(narrow + 20_000 * 8 < wide, "{narrow} {wide}");
}

#[test]
fn values_shredded_against_the_rules_name_the_file() {
    let typed: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let columns =
        vec![("metadata", bytes(vec![Some(V1)])), ("value", bytes(vec![Some(&[0])])), ("typed_value", typed)];
    let v = group(columns, None);
    let store = store(parquet(vec![column(2, "v", v.data_type().clone())], vec![v], 10));
    let wanted = schema(vec![Field::optional(2, "v", Type::Variant)]);
    let error = batches(request(&store, wanted), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("both as") && error.to_string().contains(DATA), "{error}");
}

#[test]
fn a_column_that_is_no_group_is_no_variant() {
    let file = parquet(vec![column(2, "v", DataType::Binary)], vec![bytes(vec![Some(&[0])])], 10);
    let wanted = schema(vec![Field::optional(2, "v", Type::Variant)]);
    let error = batches(request(&store(file), wanted), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn a_variant_that_the_file_lacks_is_null_and_a_required_one_an_error() {
    let file = || {
        store(parquet(vec![column(1, "id", DataType::Int64)], vec![Arc::new(Int64Array::from(vec![5]))], 10))
    };
    let batch = one_batch(request(&file(), id_and_v()), &task());
    assert_eq!(ids(&[batch]), [(5, None)]);
    let required = schema(vec![Field::required(2, "v", Type::Variant)]);
    let error = batches(request(&file(), required), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn variants_stand_in_structs_lists_and_maps() {
    let list_of = |items: ArrayRef| -> ArrayRef {
        let field = Arc::new(column(11, "element", items.data_type().clone()));
        Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([2, 0, 2]), items, None))
    };
    let inner = shredded(3);
    let within = vec![column(21, "v", inner.data_type().clone())];
    let parent: ArrayRef = Arc::new(StructArray::new(
        within.into(),
        vec![inner],
        Some(NullBuffer::from(vec![false, true, true])),
    ));
    let lists = list_of(shredded(4));
    let fields =
        vec![column(10, "l", lists.data_type().clone()), column(20, "s", parent.data_type().clone())];
    let file = parquet(fields, vec![lists, parent], 10);
    let element = Field::optional(11, "element", Type::Variant);
    let wanted = schema(vec![
        Field::optional(
            20,
            "s",
            Type::Struct(StructType { fields: vec![Field::optional(21, "v", Type::Variant)] }),
        ),
        Field::optional(10, "l", Type::List(Box::new(ListType { element }))),
    ]);
    let batch = one_batch(request(&store(file), wanted), &task());
    let parent = batch.column(0).as_struct();
    assert_eq!((parent.is_null(0), parent.is_null(1)), (true, false));
    let number = |number| Some(Tree::Number(number, 0));
    assert_eq!(trees(parent.column(0))[1..], [number(1), None]);
    let lists = batch.column(1).as_list::<i32>();
    assert_eq!(lists.value_offsets(), [0, 2, 2, 4]);
    assert_eq!(trees(lists.values()), [number(0), number(1), number(2), None]);
}

/// Reads a file of testdata, whose columns have no ids.
fn testdata(name: &str, wanted: &Schema) -> Vec<RecordBatch> {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let path = folder.join("src/read/tests/testdata/variant").join(name);
    let store = MemoryStore::new();
    store.put(DATA, std::fs::read(&path).unwrap());
    let mapping = NameMapping::of_schema(wanted);
    let request = request(&store, wanted.clone()).with_name_mapping(Some(Arc::new(mapping)));
    let file_format = if name.ends_with("orc") { FileFormat::Orc } else { FileFormat::Parquet };
    batches(request, &FileScanTask { file_format, ..task() }).unwrap()
}

#[test]
fn what_spark_shredded_is_what_it_did_not_shred() {
    for (name, rows) in [("object", 17), ("primitive", 8), ("array", 5), ("types", 3)] {
        let read = |kind| ids(&testdata(&format!("{name}-{kind}.parquet"), &id_and_v()));
        let (shredded, truth) = (read("shredded"), read("unshredded"));
        assert_eq!(truth.len(), rows, "{name}");
        // NaN is no number that equals itself: bytes are compared.
        assert_eq!(shredded, truth, "{name}");
    }
}

#[test]
fn what_spark_shredded_inside_of_other_types_is_what_it_did_not_shred() {
    let variant = |id, name: &str| Field::optional(id, name, Type::Variant);
    let wanted = schema(vec![
        Field::optional(1, "id", PrimitiveType::Long),
        variant(2, "v"),
        Field::optional(3, "s", Type::Struct(StructType { fields: vec![variant(4, "inner")] })),
        Field::optional(5, "l", Type::List(Box::new(ListType { element: variant(6, "element") }))),
        Field::optional(
            7,
            "m",
            Type::Map(Box::new(MapType {
                key: Field::required(8, "key", PrimitiveType::String),
                value: variant(9, "value"),
            })),
        ),
    ]);
    let columns = |kind| {
        let batches = testdata(&format!("inferred-{kind}.parquet"), &wanted);
        assert_eq!(batches.len(), 1);
        let batch = &batches[0];
        let (lists, maps) = (batch.column(3).as_list::<i32>(), batch.column(4).as_map());
        [
            trees(batch.column(1)),
            trees(batch.column(2).as_struct().column(0)),
            trees(lists.values()),
            trees(maps.values()),
        ]
    };
    let (shredded, truth) = (columns("shredded"), columns("unshredded"));
    assert_eq!(truth.iter().map(Vec::len).collect::<Vec<_>>(), [60, 60, 120, 60]);
    assert_eq!(truth[0].iter().filter(|tree| tree.is_none()).count(), 3);
    assert_eq!(shredded, truth);
}

#[test]
fn orc_stores_variants_as_structs() {
    let truth = ids(&testdata("object-unshredded.parquet", &id_and_v()));
    assert_eq!(ids(&testdata("object.orc", &id_and_v())), truth);
}

/// An Avro file of a column `v` of that type.
fn in_avro(field_type: &str, rows: &[Written]) -> ReadRequest {
    let fields = format!(r#"{{"name":"v","type":{field_type},"field-id":2}}"#);
    let rows: Vec<_> = rows.iter().map(|row| vec![("v", row.clone())]).collect();
    request_of(avro(&fields, &rows, 2), schema(vec![Field::optional(2, "v", Type::Variant)]))
}

#[test]
fn avro_stores_variants_as_records() {
    let record = r#"["null",{"type":"record","name":"variant","fields":[
        {"name":"value","type":"bytes"},{"name":"metadata","type":"bytes"}]}]"#;
    let names = Names(vec!["a".into()]);
    let tree = Tree::Object([("a".to_owned(), Tree::String("x".into()))].into());
    let (metadata, value) = (names.encode(1), encode(&tree, &names, 0));
    let row = of(&[("value", Written::Bytes(value)), ("metadata", Written::Bytes(metadata))]);
    let request = in_avro(record, &[some(row.clone()), none(), some(row)]);
    let found: Vec<_> =
        batches(request, &avro_task()).unwrap().iter().flat_map(|batch| trees(batch.column(0))).collect();
    assert_eq!(found, [Some(tree.clone()), None, Some(tree)]);
}

#[test]
fn avro_has_no_shredding() {
    let record = r#"{"type":"record","name":"variant","fields":[{"name":"metadata","type":"bytes"},
        {"name":"value","type":["null","bytes"]},{"name":"typed_value","type":["null","long"]}]}"#;
    let row = of(&[
        ("metadata", Written::Bytes(V1.to_vec())),
        ("value", none()),
        ("typed_value", some(Written::Long(1))),
    ]);
    let error = batches(in_avro(record, &[row]), &avro_task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(
        error.to_string().contains("which this file format does not allow")
            && error.to_string().contains(DATA),
        "{error}"
    );
}

#[test]
fn a_column_that_was_of_unknown_type_is_null() {
    let batch = one_batch(in_avro(r#""null""#, &[Written::Null, Written::Null]), &avro_task());
    assert_eq!(trees(batch.column(0)), [None, None]);
}

#[test]
fn damaged_files_of_variants_never_panic() {
    let whole = shredded_file(12, 6);
    let mut errors = 0;
    for position in 0..whole.len() {
        for flip in [0xff, 0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            if let Err(error) = batches(request(&store(bytes), id_and_v()), &task()) {
                let known = [ErrorKind::InvalidData, ErrorKind::Unsupported, ErrorKind::LimitExceeded];
                assert!(known.contains(&error.kind()), "{error:?}");
                assert!(error.to_string().contains("data.parquet"), "{error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 0, "no damage was noticed");
}
