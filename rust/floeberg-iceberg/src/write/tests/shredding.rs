//! Files whose variants are shredded: what their columns are, and what is read back.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BinaryArray, Int64Array, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, ListType, PrimitiveType as P, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_io::MemoryStore;

use super::fixture::{COLUMN_MEMORY, TASK, batch_of, footer, names, partitioned, recipe, schema_text, with};
use super::sorting::sorted;
use crate::metadata::{NullOrder, SortDirection};
use crate::read::tests::variant_model::{Names, Tree, decode, encode, normal};
use crate::write::{Receipt, WriteRecipe, Writer, WrittenFile};

pub(super) const SHRED: (&str, &str) = ("write.parquet.shred-variants", "true");
pub(super) const BUFFER: &str = "write.parquet.variant-inference-buffer-size";

/// Rows of a number `id` and a variant `v`.
pub(super) fn table(properties: &[(&str, &str)]) -> WriteRecipe {
    let fields = vec![Field::required(1, "id", P::Long), Field::optional(2, "v", Type::Variant)];
    with(recipe(fields), properties)
}

fn field_names() -> Names {
    Names(["kind", "n", "", "a.b", "it's", "deep", "tags"].map(str::to_owned).to_vec())
}

fn variants(trees: &[Option<Tree>]) -> ArrayRef {
    let names = field_names();
    let metadata = names.encode(1);
    let values = trees.iter().map(|tree| tree.as_ref().map_or(vec![0], |tree| encode(tree, &names, 0)));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BinaryArray::from_iter_values(trees.iter().map(|_| &metadata))),
        Arc::new(BinaryArray::from_iter_values(values)),
    ];
    let recipe = table(&[]);
    let schema = schema_to_arrow(&recipe.schema).unwrap();
    let arrow_schema::DataType::Struct(fields) = schema.field(1).data_type() else { panic!("{schema}") };
    let nulls = trees.iter().map(Option::is_some).collect::<NullBuffer>();
    Arc::new(StructArray::new(fields.clone(), columns, Some(nulls)))
}

fn rows(recipe: &WriteRecipe, rows: &[(i64, Option<Tree>)]) -> RecordBatch {
    let ids: Int64Array = rows.iter().map(|(id, _)| Some(*id)).collect();
    let trees: Vec<_> = rows.iter().map(|(_, tree)| tree.clone()).collect();
    let schema = Arc::new(schema_to_arrow(&recipe.schema).unwrap());
    RecordBatch::try_new(schema, vec![Arc::new(ids), variants(&trees)]).unwrap()
}

fn try_write(recipe: &WriteRecipe, store: &MemoryStore, batches: &[RecordBatch]) -> Result<Receipt> {
    let mut writer = Writer::new(recipe, Arc::new(store.clone()), TASK, &Cancel::default())?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()
}

pub(super) fn written(recipe: &WriteRecipe, of: &[(i64, Option<Tree>)]) -> (MemoryStore, Receipt) {
    let store = MemoryStore::new();
    // Several batches, of which the first has few rows.
    let all = rows(recipe, of);
    let cut = 2.min(all.num_rows());
    let batches = [all.slice(0, cut), all.slice(cut, all.num_rows() - cut)];
    let receipt = try_write(recipe, &store, &batches).unwrap();
    (store, receipt)
}

fn read(store: &MemoryStore, recipe: &WriteRecipe, file: &WrittenFile) -> Vec<(i64, Option<Tree>)> {
    let batch = batch_of(store, recipe, file);
    let ids = batch.column(0).as_primitive::<arrow_array::types::Int64Type>();
    let variants = batch.column(1).as_struct();
    let (metadata, value) = (variants.column(0).as_binary::<i32>(), variants.column(1).as_binary::<i32>());
    let tree = |row| variants.is_valid(row).then(|| decode(metadata.value(row), value.value(row)));
    (0..batch.num_rows()).map(|row| (ids.value(row), tree(row))).collect()
}

pub(super) fn object(fields: &[(&str, Tree)]) -> Tree {
    Tree::Object(fields.iter().map(|(name, tree)| ((*name).to_owned(), tree.clone())).collect())
}

pub(super) fn text(text: impl Into<String>) -> Tree {
    Tree::String(text.into())
}

pub(super) fn number(number: i128) -> Tree {
    Tree::Number(number, 0)
}

pub(super) fn null() -> Tree {
    Tree::Primitive(0, Vec::new())
}

/// Objects that are alike, one a row, and from the tenth row on others too.
fn events(count: i64) -> Vec<(i64, Option<Tree>)> {
    let event = |row: i64| {
        let tags = (0..row % 3).map(|tag| text(format!("tag {tag}"))).collect();
        object(&[
            ("kind", text(format!("kind {}", row % 5))),
            ("n", if row % 4 == 0 { null() } else { number(i128::from(row) + 70_000) }),
            ("", normal(i128::from(row) * 10 + 1, 2)),
            ("a.b", Tree::Primitive(7, (row as f64).to_le_bytes().to_vec())),
            ("it's", Tree::Primitive(1 + (row % 2) as u8, Vec::new())),
            ("deep", object(&[("kind", Tree::Primitive(11, (row as i32).to_le_bytes().to_vec()))])),
            ("tags", Tree::Array(tags)),
        ])
    };
    let other = |row: i64| match row % 10 {
        1 => Some(text("no object")),
        2 => None,
        3 => Some(object(&[("n", text("no number")), ("deep", Tree::Array(vec![null()]))])),
        4 => Some(null()),
        5 => Some(object(&[])),
        _ => Some(event(row)),
    };
    (0..count).map(|row| (row, if row < 10 { Some(event(row)) } else { other(row) })).collect()
}

#[test]
fn columns_are_those_of_the_shredding_specification_without_ids() {
    let recipe = table(&[SHRED, (BUFFER, "10")]);
    let (store, receipt) = written(&recipe, &events(10));
    let expected = "\
message table {
  REQUIRED INT64 id [1];
  OPTIONAL group v [2] (VARIANT(Some(1))) {
    REQUIRED BYTE_ARRAY metadata;
    OPTIONAL BYTE_ARRAY value;
    OPTIONAL group typed_value {
      REQUIRED group  {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL INT32 typed_value (DECIMAL(2,2));
      }
      REQUIRED group a.b {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL DOUBLE typed_value;
      }
      REQUIRED group deep {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL group typed_value {
          REQUIRED group kind {
            OPTIONAL BYTE_ARRAY value;
            OPTIONAL INT32 typed_value (DATE);
          }
        }
      }
      REQUIRED group it's {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL BOOLEAN typed_value;
      }
      REQUIRED group kind {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL BYTE_ARRAY typed_value (STRING);
      }
      REQUIRED group n {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL INT32 typed_value;
      }
      REQUIRED group tags {
        OPTIONAL BYTE_ARRAY value;
        OPTIONAL group typed_value (LIST) {
          REPEATED group list {
            REQUIRED group element {
              OPTIONAL BYTE_ARRAY value;
              OPTIONAL BYTE_ARRAY typed_value (STRING);
            }
          }
        }
      }
    }
  }
}
";
    assert_eq!(schema_text(&store, &receipt.files()[0]), expected);
}

#[test]
fn small_integers_and_wide_decimals_have_their_logical_types() {
    let rows: Vec<_> =
        (0..4).map(|row| (row, Some(object(&[("n", number(5)), ("kind", number(300))])))).collect();
    let recipe = table(&[SHRED]);
    let (store, receipt) = written(&recipe, &rows);
    let found = schema_text(&store, &receipt.files()[0]);
    assert!(found.contains("INT32 typed_value (INTEGER(8,true))"), "{found}");
    assert!(found.contains("INT32 typed_value (INTEGER(16,true))"), "{found}");
    let rows = vec![(0, Some(Tree::Number(10_i128.pow(20) + 1, 3)))];
    let (store, receipt) = written(&recipe, &rows);
    let found = schema_text(&store, &receipt.files()[0]);
    assert!(found.contains("FIXED_LEN_BYTE_ARRAY (9) typed_value (DECIMAL(21,3))"), "{found}");
    assert_eq!(read(&store, &recipe, &receipt.files()[0]), rows);
}

#[test]
fn shredded_variants_are_read_back_as_they_were() {
    let small_groups = [
        ("write.parquet.row-group-size-bytes", "1000"),
        ("write.parquet.row-group-check-min-record-count", "7"),
        ("write.parquet.page-version", "v2"),
    ];
    for more in [&[], small_groups.as_slice()] {
        let recipe = table(&[&[SHRED, (BUFFER, "10")], more].concat());
        let (store, receipt) = written(&recipe, &events(400));
        let [file] = receipt.files() else { panic!("{} files", receipt.files().len()) };
        assert!(schema_text(&store, file).contains("typed_value"));
        assert_eq!(read(&store, &recipe, file), events(400));
        assert_eq!(file.file.value_counts.as_ref().unwrap()[&2], 400);
        assert_eq!(file.file.null_value_counts.as_ref().unwrap()[&2], 39);
    }
}

#[test]
fn nothing_is_shredded_unless_it_is_asked_for() {
    for properties in [vec![], vec![("write.parquet.shred-variants", "false")]] {
        let recipe = table(&properties);
        let (store, receipt) = written(&recipe, &events(20));
        let found = schema_text(&store, &receipt.files()[0]);
        assert!(!found.contains("typed_value") && found.contains("REQUIRED BYTE_ARRAY value"), "{found}");
    }
    // Nor where the first rows have nothing in common.
    let mixed: Vec<_> =
        [number(1), text("a")].into_iter().map(Some).zip(0..).map(|(row, id)| (id, row)).collect();
    let recipe = table(&[SHRED]);
    let (store, receipt) = written(&recipe, &mixed);
    assert!(!schema_text(&store, &receipt.files()[0]).contains("typed_value"));
    assert_eq!(read(&store, &recipe, &receipt.files()[0]), mixed);
}

#[test]
fn the_first_rows_decide() {
    let rows: Vec<_> = (0..9).map(|row| (row, Some(if row < 3 { number(300) } else { text("x") }))).collect();
    for (first, expected) in [("3", true), ("4", false)] {
        let recipe = table(&[SHRED, (BUFFER, first)]);
        let (store, receipt) = written(&recipe, &rows);
        assert_eq!(
            schema_text(&store, &receipt.files()[0]).contains("INTEGER(16,true)"),
            expected,
            "{first}"
        );
        assert_eq!(read(&store, &recipe, &receipt.files()[0]), rows);
    }
}

#[test]
fn files_of_other_partitions_have_layouts_of_their_own() {
    let tree = |id: i64| if id % 2 == 0 { object(&[("n", number(70_000))]) } else { text("x") };
    let rows: Vec<_> = (0..40).map(|id| (id, Some(tree(id)))).collect();
    let recipe = partitioned(table(&[SHRED]), &[(1, Transform::Truncate(2))]);
    // One row of each kind in every file.
    let (store, receipt) = written(&recipe, &rows);
    assert_eq!(receipt.files().len(), 20);
    assert!(receipt.files().iter().all(|file| !schema_text(&store, file).contains("typed_value")));
    // Rows of one partition are objects, those of the other texts.
    let recipe = partitioned(table(&[SHRED]), &[(1, Transform::Truncate(100))]);
    let rows: Vec<_> = (0..40).map(|id| (id % 2 * 100 + id, Some(tree(id)))).collect();
    let (store, receipt) = written(&recipe, &rows);
    let texts: Vec<_> = receipt.files().iter().map(|file| schema_text(&store, file)).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("REQUIRED group n {") && !texts[0].contains("STRING"), "{}", texts[0]);
    assert!(texts[1].contains("typed_value (STRING)") && !texts[1].contains("group n"), "{}", texts[1]);
    let mut found: Vec<_> = receipt.files().iter().flat_map(|file| read(&store, &recipe, file)).collect();
    found.sort_by_key(|(id, _)| id % 100);
    assert_eq!(found, rows);
}

#[test]
fn every_file_infers_anew_and_sorted_rows_are_shredded_too() {
    // Texts come first, and numbers are first in the order of the table.
    let rows: Vec<_> =
        (0..600).map(|row| (599 - row, Some(if row < 300 { text("x") } else { number(70_000) }))).collect();
    let recipe = table(&[SHRED, (BUFFER, "5"), ("write.target-file-size-bytes", "1")]);
    let recipe = sorted(recipe, &[(1, Transform::Identity, SortDirection::Ascending, NullOrder::First)]);
    let (store, receipt) = written(&recipe, &rows);
    let layouts: Vec<_> = receipt
        .files()
        .iter()
        .map(|file| schema_text(&store, file).contains("OPTIONAL INT32 typed_value"))
        .collect();
    assert!(layouts.len() > 2 && layouts[0] && !layouts[layouts.len() - 1], "{layouts:?}");
    let found: Vec<_> = receipt.files().iter().flat_map(|file| read(&store, &recipe, file)).collect();
    assert_eq!(found, rows.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn a_file_with_shredded_columns_says_by_which_of_its_columns_it_is_sorted() {
    let trees: Vec<_> = (0..20).map(|n| Some(object(&[("n", number(n + 70_000))]))).collect();
    let fields = vec![Field::optional(2, "v", Type::Variant), Field::required(1, "id", P::Long)];
    let by = [(1, Transform::Identity, SortDirection::Descending, NullOrder::Last)];
    for (properties, place) in [(&[][..], 2), (&[SHRED], 4)] {
        let recipe = sorted(with(recipe(fields.clone()), properties), &by);
        let schema = Arc::new(schema_to_arrow(&recipe.schema).unwrap());
        let columns = vec![variants(&trees), Arc::new(Int64Array::from_iter_values(0..20)) as ArrayRef];
        let batch = RecordBatch::try_new(schema, columns).unwrap();
        let store = MemoryStore::new();
        let receipt = try_write(&recipe, &store, &[batch]).unwrap();
        let metadata = footer(&store, &receipt.files()[0]);
        let by = metadata.row_group(0).sorting_columns().unwrap();
        let path = metadata.row_group(0).column(place).column_path().string();
        assert_eq!((by[0].column_idx, path.as_str()), (place as i32, "id"));
    }
}

#[test]
fn files_are_not_shredded_where_their_columns_do_not_fit_into_memory() {
    let rows: Vec<_> = (0..40).map(|id| (id, Some(object(&[("n", number(70_000))])))).collect();
    let recipe = partitioned(table(&[SHRED]), &[(1, Transform::Truncate(4))]);
    // Ten files, of which each has five columns if its variants are shredded and three if they are not.
    for (columns, expected) in [(50, 10), (30, 6), (4, 0)] {
        let store = MemoryStore::new();
        let memory = 2 * columns * COLUMN_MEMORY;
        let sink = Arc::new(store.clone());
        let mut writer = Writer::with_memory(&recipe, sink, TASK, &Cancel::default(), memory).unwrap();
        writer.write(&self::rows(&recipe, &rows)).unwrap();
        let receipt = writer.finish().unwrap();
        let is_shredded = |file: &&WrittenFile| schema_text(&store, file).contains("typed_value");
        assert_eq!(receipt.files().iter().filter(is_shredded).count(), expected, "{columns}");
        let found: Vec<_> = receipt.files().iter().flat_map(|file| read(&store, &recipe, file)).collect();
        assert_eq!(found, rows);
    }
}

#[test]
fn variants_in_lists_and_structs_are_not_shredded() {
    let inner = |id| Field::optional(id, "x", Type::Variant);
    let list = ListType { element: inner(3) };
    let fields = vec![
        Field::optional(1, "s", Type::Struct(StructType { fields: vec![inner(4)] })),
        Field::optional(2, "l", Type::List(Box::new(list))),
    ];
    let recipe = with(recipe(fields), &[SHRED]);
    let schema = Arc::new(schema_to_arrow(&recipe.schema).unwrap());
    let inner = variants(&[Some(number(1)), Some(number(2))]);
    let arrow_schema::DataType::Struct(in_struct) = schema.field(0).data_type() else { panic!() };
    let arrow_schema::DataType::List(element) = schema.field(1).data_type() else { panic!() };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StructArray::new(in_struct.clone(), vec![Arc::clone(&inner)], None)),
        Arc::new(arrow_array::ListArray::new(
            Arc::clone(element),
            arrow_buffer::OffsetBuffer::from_lengths([1, 1]),
            inner,
            None,
        )),
    ];
    let store = MemoryStore::new();
    let batch = RecordBatch::try_new(schema, columns).unwrap();
    let receipt = try_write(&recipe, &store, std::slice::from_ref(&batch)).unwrap();
    assert!(!schema_text(&store, &receipt.files()[0]).contains("typed_value"));
    assert_eq!(batch_of(&store, &recipe, &receipt.files()[0]).columns(), batch.columns());
}

#[test]
fn properties_that_are_not_understood_are_errors() {
    let wrong = [("write.parquet.shred-variants", "yes"), (BUFFER, "0"), (BUFFER, "many"), (BUFFER, "-1")];
    for (name, value) in wrong {
        let error = try_write(&table(&[(name, value)]), &MemoryStore::new(), &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert_eq!(error.context(), [("property", name.to_owned())], "{error}");
        assert!(error.message().ends_with(&format!("found {value:?}")), "{error}");
    }
}

#[test]
fn damaged_variants_are_errors_that_name_the_column_and_leave_no_file() {
    let recipe = table(&[SHRED, (BUFFER, "1")]);
    let good = rows(&recipe, &[(1, Some(object(&[("n", number(1))])))]);
    let damaged = |value: &[u8]| {
        let variants = good.column(1).as_struct();
        let columns: Vec<ArrayRef> =
            vec![Arc::clone(variants.column(0)), Arc::new(BinaryArray::from_iter_values([value]))];
        let variants = StructArray::new(variants.fields().clone(), columns, None);
        RecordBatch::try_new(good.schema(), vec![Arc::clone(good.column(0)), Arc::new(variants)]).unwrap()
    };
    let unnamed = damaged(&[2, 1, 200, 0, 1, 0]);
    for batches in [vec![unnamed.clone()], vec![good.clone(), unnamed], vec![good.clone(), damaged(&[2, 9])]]
    {
        let store = MemoryStore::new();
        let error = try_write(&recipe, &store, &batches).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        assert!(error.to_string().contains("column: v"), "{error}");
        assert!(names(&store, "memory://t/data").is_empty());
    }
}
