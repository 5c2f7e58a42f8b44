//! Equality delete files.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_io::testing::{Fault, FaultyStore};
use floeberg_io::{MemoryStore, Store};

use super::delete_fixture::{delete_recipe, document, try_recipe};
use super::fixture::{Rows, TASK, names, recipe, rows_of, schema_text};
use crate::manifest::FileContent;
use crate::write::{DeleteRecipe, EqualityWriter, Receipt};

const ID: i32 = 1;
const DAY: i32 = 2;

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn keys() -> Rows {
    vec![
        vec![Some(Value::Long(1)), Some(text("x"))],
        vec![None, Some(text("x"))],
        vec![Some(Value::Long(2)), None],
        vec![Some(Value::Long(1)), Some(text("x"))],
    ]
}

fn write_to(
    store: &Arc<dyn Store>,
    recipe: &DeleteRecipe,
    keys: &[i32],
    live: &[i32],
    rows: &Rows,
) -> Result<Receipt> {
    let live: BTreeSet<i32> = live.iter().copied().collect();
    let mut writer = EqualityWriter::new(recipe, store, TASK, &Cancel::default(), keys, &live)?;
    let schema = Arc::clone(writer.schema());
    let columns = schema.fields().iter().enumerate().map(|(number, field)| {
        let values: Vec<_> = rows.iter().map(|row| row[number].as_ref()).collect();
        values_to_array(&values, &field.field_type).unwrap()
    });
    // Whether a column may be null is the writer's to check.
    let arrow = schema_to_arrow(&schema).unwrap();
    let nullable = arrow.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    let arrow = Arc::new(ArrowSchema::new(nullable.collect::<Vec<_>>()));
    writer.write(&RecordBatch::try_new(arrow, columns.collect()).unwrap())?;
    writer.finish()
}

fn shared(store: impl Store + 'static) -> Arc<dyn Store> {
    Arc::new(store)
}

fn key_schema() -> Vec<Field> {
    vec![Field::optional(ID, "id", PrimitiveType::Long), Field::optional(DAY, "day", PrimitiveType::String)]
}

fn refused(recipe: &DeleteRecipe, keys: &[i32], live: &[i32]) -> Error {
    let store = MemoryStore::new();
    let live = live.iter().copied().collect();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let writer = EqualityWriter::new(recipe, &shared, TASK, &Cancel::default(), keys, &live);
    assert_eq!(names(&store, "memory://t/data"), [""; 0]);
    writer.err().unwrap()
}

#[test]
fn keys_are_under_each_spec_that_depends_on_keys_alone() {
    for format in ["parquet", "avro", "orc"] {
        let store = MemoryStore::new();
        let of = delete_recipe(2, &[("write.delete.format.default", format)]);
        let receipt = write_to(&shared(store.clone()), &of, &[ID, DAY], &[0, 1], &keys()).unwrap();
        let (mut partitions, mut rows) = (Vec::new(), [Vec::new(), Vec::new()]);
        for written in receipt.files() {
            let file = &written.file;
            assert_eq!(
                (file.content, &file.equality_ids),
                (FileContent::EqualityDeletes, &Some(vec![ID, DAY]))
            );
            assert_eq!((file.sort_order_id, file.file_format.as_str()), (Some(0), format));
            assert_eq!((&file.referenced_data_file, file.first_row_id), (&None, None));
            partitions.push((written.spec_id, file.partition.clone()));
            let schema = key_schema();
            rows[written.spec_id as usize].extend(rows_of(&store, &recipe(schema.clone()), written));
        }
        assert!(partitions.contains(&(0, vec![Some(text("x"))])) && partitions.contains(&(0, vec![None])));
        assert!(
            partitions.contains(&(1, vec![None, Some(text("x"))])),
            "a null key has its own bucket: {partitions:?}"
        );
        let sorted = |mut rows: Rows| {
            rows.sort_by_key(|row| format!("{row:?}"));
            rows
        };
        for rows in rows {
            assert_eq!(sorted(rows), sorted(keys()), "each spec has all keys");
        }
    }
}

#[test]
fn metrics_of_keys_prune() {
    let store = MemoryStore::new();
    let receipt = write_to(&shared(store), &delete_recipe(2, &[]), &[ID, DAY], &[0], &keys()).unwrap();
    let of_x = receipt.files().iter().find(|written| written.file.partition == [Some(text("x"))]).unwrap();
    assert_eq!(of_x.file.lower_bounds.as_ref().unwrap()[&ID], 1_i64.to_le_bytes());
    assert_eq!(of_x.file.null_value_counts.as_ref().unwrap()[&ID], 1);
    assert_eq!(of_x.file.record_count, 3);
}

#[test]
fn keys_that_reach_all_partitions_are_global_or_refused() {
    let row = vec![vec![Some(Value::Long(1))]];
    let specs = |live: &[i32]| {
        let of = delete_recipe(3, &[]);
        let receipt = write_to(&shared(MemoryStore::new()), &of, &[ID], live, &row).unwrap();
        receipt
            .files()
            .iter()
            .map(|written| (written.spec_id, written.file.partition.clone()))
            .collect::<Vec<_>>()
    };
    // Of the unpartitioned spec, whose values are all null.
    assert_eq!(specs(&[0]), [(2, vec![None])]);
    assert_eq!(specs(&[0, 1]), [(2, vec![None])]);
    assert_eq!(specs(&[]), [(2, vec![None])]);
    let without = try_recipe(&document(3, &[], false)).unwrap();
    let error = refused(&without, &[ID], &[0]);
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("column \"day\"") && error.message().contains("by a filter"), "{error}");
    assert!(
        refused(&without, &[DAY], &[0, 1]).message().contains("partition spec 1 depends on column \"id\"")
    );
}

#[test]
fn where_files_of_no_partition_are_live_the_keys_are_global_alone() {
    let of = delete_recipe(2, &[]);
    let receipt = write_to(&shared(MemoryStore::new()), &of, &[ID, DAY], &[0, 2], &keys()).unwrap();
    let specs: Vec<_> = receipt.files().iter().map(|written| written.spec_id).collect();
    assert_eq!(specs, [2]);
}

#[test]
fn columns_that_cannot_be_keys_are_refused() {
    let of = delete_recipe(2, &[]);
    for (keys, message) in [
        (&[][..], "at least one column"),
        (&[99], "no column has the field id 99"),
        (&[3], "\"ratio\" cannot be a key: floating-point"),
        (&[4], "\"tags\" cannot be a key: it is of type"),
        (&[5], "\"tags.element\" cannot be a key: it is inside a list or a map"),
        (&[6], "\"at\" cannot be a key"),
        (&[1, 1], "named twice"),
    ] {
        let error = refused(&of, keys, &[0]);
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn a_key_in_a_struct_is_stored_with_the_way_to_it() {
    let store = MemoryStore::new();
    let rows = vec![vec![Some(Value::Struct(vec![(7, Some(Value::Int(4)))]))], vec![None]];
    let receipt = write_to(&shared(store.clone()), &delete_recipe(2, &[]), &[7], &[2], &rows).unwrap();
    let schema = schema_text(&store, &receipt.files()[0]);
    assert!(schema.contains("OPTIONAL group at [6]") && schema.contains("x [7]"), "{schema}");
    assert!(!schema.contains("y [8]"), "{schema}");
}

#[test]
fn a_null_in_a_required_key_is_refused() {
    let error = write_to(&shared(MemoryStore::new()), &delete_recipe(2, &[]), &[9], &[2], &vec![vec![None]]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn at_every_operation_of_the_store_that_fails_nothing_is_left() {
    let of = delete_recipe(2, &[("write.data.path", "memory://d")]);
    let run = |store: Arc<dyn Store>| write_to(&store, &of, &[ID, DAY], &[0, 1], &keys());
    let sound = FaultyStore::new(Arc::new(MemoryStore::new()), Vec::new());
    let receipt = run(Arc::new(sound.clone())).unwrap();
    let folders: BTreeSet<&str> =
        receipt.locations().filter_map(|location| Some(location.rsplit_once('/')?.0)).collect();
    for number in 0..sound.operations() {
        let files = MemoryStore::new();
        let fault = vec![(number, Fault::Fail(ErrorKind::Storage))];
        let error = run(Arc::new(FaultyStore::new(Arc::new(files.clone()), fault))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
        for folder in &folders {
            assert_eq!(names(&files, folder), [""; 0], "{number}");
        }
    }
}
