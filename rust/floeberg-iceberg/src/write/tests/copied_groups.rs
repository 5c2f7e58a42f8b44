//! Row groups of other files become files of the table, as they are stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::reserved::{LAST_UPDATED_SEQUENCE_NUMBER, ROW_ID};
use floeberg_core::schema::{Field, PrimitiveType as P, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};
use floeberg_io::testing::{Fault, FaultyStore};
use floeberg_io::{MemoryStore, Store};
use proptest::prelude::*;
use serde_json::Map;

use super::fixture::{Rows, TASK, batch_of, footer, names, recipe, rows_of, with, write};
use super::types::{bits, tables};
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};
use crate::write::{GroupCopier, Receipt, StoredFile, WriteRecipe, WrittenFile};

/// Row groups of any size are large enough.
const SMALL: (&str, &str) = ("write.parquet.row-group-size-bytes", "1");

fn fields() -> Vec<Field> {
    vec![
        Field::required(1, "id", P::Long),
        Field::optional(2, "amount", P::Double),
        Field::optional(3, "note", P::String),
        Field::optional(4, "hash", P::Long),
        Field::optional(5, "code", P::Long),
    ]
}

fn table() -> WriteRecipe {
    with(recipe(fields()), &[SMALL])
}

fn rows(from: i64, to: i64) -> Rows {
    let row = |number: i64| {
        let amount = if number % 5 == 0 { f64::NAN } else { number as f64 };
        let amount = (number % 7 != 0).then_some(Value::Double(amount));
        let note = Value::String(format!("note {}", number % 10));
        let hash = |factor: i64| Some(Value::Long(number.wrapping_add(1).wrapping_mul(factor)));
        vec![
            Some(Value::Long(number)),
            amount,
            Some(note),
            hash(0x1e37_79b9_7f4a_7c15),
            hash(0x2545_f491_4f6c_dd1d),
        ]
    };
    (from..to).map(row).collect()
}

fn copier(store: impl Store + 'static, recipe: &WriteRecipe) -> GroupCopier {
    let recipe = recipe.clone().with_copied_groups();
    GroupCopier::new(&recipe, Arc::new(store), TASK, Vec::new()).unwrap().unwrap()
}

/// A file, as far as it can be copied by a recipe.
fn stored(store: &MemoryStore, written: &WrittenFile, recipe: &WriteRecipe) -> Option<StoredFile> {
    let source = store.open(&written.file.file_path).unwrap();
    copier(store.clone(), recipe).copies().stored(source).unwrap()
}

/// The ids of the columns of a file of the table that are encoded by a recipe.
fn encoded(recipe: &WriteRecipe) -> Vec<i32> {
    encoded_of(&table(), recipe)
}

/// The ids of the columns that one recipe encodes of a file of another.
fn encoded_of(of: &WriteRecipe, recipe: &WriteRecipe) -> Vec<i32> {
    let (store, receipt) = write(of, &rows(0, 200), 100);
    stored(&store, &receipt.files()[0], recipe).unwrap().encoded().to_vec()
}

/// Copies whole files.
fn copy(
    to: impl Store + 'static,
    store: &MemoryStore,
    files: &[WrittenFile],
    recipe: &WriteRecipe,
) -> Result<Receipt> {
    let mut copier = copier(to, recipe);
    for written in files {
        let file = stored(store, written, recipe).unwrap();
        let all = batch_of(store, recipe, written);
        let columns = recipe.schema.fields().iter().enumerate();
        let columns = columns.filter(|(_, field)| file.encoded().contains(&field.id)).map(|(place, _)| place);
        let all = all.project(&columns.collect::<Vec<_>>()).unwrap();
        let mut from = 0;
        for (group, rows) in file.group_rows().enumerate() {
            let of_group = if all.num_columns() == 0 { None } else { Some(all.slice(from, rows as usize)) };
            from += rows as usize;
            let encoded: Vec<RecordBatch> = of_group.into_iter().collect();
            copier.append(file.read(group)?, &encoded)?;
        }
    }
    copier.finish()
}

#[test]
fn row_groups_are_copied_with_all_that_is_said_of_them() {
    let (store, receipt) = write(&table(), &rows(0, 1000), 100);
    let (_, other) = {
        let later = WriteRecipe { write_id: "later".to_owned(), ..table() };
        let (of_later, other) = write(&later, &rows(1000, 1500), 100);
        let path = &other.files()[0].file.file_path;
        store.put(path, of_later.open(path).unwrap().read_all(u64::MAX).unwrap());
        (of_later, other)
    };
    let files: Vec<_> = receipt.files().iter().chain(other.files()).cloned().collect();
    let groups: usize = files.iter().map(|file| footer(&store, file).num_row_groups()).sum();
    assert!(files.iter().all(|file| stored(&store, file, &table()).unwrap().encoded().is_empty()));
    let copied = copy(store.clone(), &store, &files, &table()).unwrap();
    let [written] = copied.files() else { panic!("{copied:?}") };
    assert_eq!(bits(&rows_of(&store, &table(), written)), bits(&rows(0, 1500)));

    let metadata = footer(&store, written);
    assert_eq!(metadata.num_row_groups(), groups);
    let index = metadata.page_index().unwrap();
    for (number, group) in metadata.row_groups().iter().enumerate() {
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let pages = index.page_locations(number, leaf).unwrap();
            let (start, length) = chunk.byte_range();
            let first = pages.first().unwrap();
            let last = pages.last().unwrap();
            assert_eq!(first.offset, chunk.data_page_offset());
            assert_eq!(last.offset as u64 + last.compressed_page_size as u64, start + length);
            assert!(chunk.statistics().unwrap().null_count_opt().is_some());
            // By these, readers in Java know whether all pages have a dictionary.
            assert!(chunk.page_encoding_stats_mask().is_some());
        }
    }
    // They are those of the rows, written at once.
    let (_, at_once) = write(&table(), &rows(0, 1500), 100);
    let expected = &at_once.files()[0].file;
    let found = &written.file;
    assert_eq!(found.record_count, 1500);
    assert_eq!(found.value_counts, expected.value_counts);
    assert_eq!(found.null_value_counts, expected.null_value_counts);
    assert_eq!(found.nan_value_counts, expected.nan_value_counts);
    assert_eq!(found.lower_bounds, expected.lower_bounds);
    assert_eq!(found.upper_bounds, expected.upper_bounds);
    assert_eq!(found.sort_order_id, expected.sort_order_id);
    assert_eq!(found.split_offsets.as_ref().map(Vec::len), Some(groups));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn files_of_all_types_are_copied((recipe, rows) in tables(), batch_rows in 1_usize..20) {
        let properties = [SMALL, ("write.parquet.row-group-check-min-record-count", "7")];
        let recipe = with(recipe, &properties);
        if rows.is_empty() || has_variant(recipe.schema.fields()) {
            return Ok(());
        }
        let (store, receipt) = write(&recipe, &rows, batch_rows);
        // Files that are mostly of columns without bounds are not copied.
        if receipt.files().iter().any(|file| stored(&store, file, &recipe).is_none()) {
            return Ok(());
        }
        let copied = copy(store.clone(), &store, receipt.files(), &recipe).unwrap();
        let [written] = copied.files() else { panic!("{copied:?}") };
        prop_assert_eq!(bits(&rows_of(&store, &recipe, written)), bits(&rows));
        let [of_source] = receipt.files() else { return Ok(()) };
        prop_assert_eq!(&written.file.value_counts, &of_source.file.value_counts);
        prop_assert_eq!(&written.file.null_value_counts, &of_source.file.null_value_counts);
        prop_assert_eq!(&written.file.nan_value_counts, &of_source.file.nan_value_counts);
        prop_assert_eq!(&written.file.lower_bounds, &of_source.file.lower_bounds);
        prop_assert_eq!(&written.file.upper_bounds, &of_source.file.upper_bounds);
    }
}

fn has_variant(fields: &[Field]) -> bool {
    let mut types = fields.iter().map(|field| &field.field_type);
    types.any(|each| {
        *each == Type::Variant || has_variant(&each.children().into_iter().cloned().collect::<Vec<_>>())
    })
}

#[test]
fn a_column_that_is_stored_in_another_way_is_encoded() {
    let changed = |change: fn(&mut Vec<Field>)| {
        let mut fields = fields();
        change(&mut fields);
        with(recipe(fields), &[SMALL])
    };
    assert_eq!(encoded(&table()), [0; 0]);
    // Columns are known by their ids, in any order.
    assert_eq!(encoded(&changed(|fields| "renamed".clone_into(&mut fields[0].name))), [0; 0]);
    assert_eq!(encoded(&changed(|fields| fields.swap(0, 2))), [0; 0]);
    // The others are left out.
    assert_eq!(encoded(&changed(|fields| drop(fields.remove(1)))), [0; 0]);
    assert_eq!(encoded(&changed(|fields| fields[0].required = false)), [1]);
    assert_eq!(encoded(&changed(|fields| fields[1].id = 9)), [9]);
    assert_eq!(encoded(&changed(|fields| fields.push(Field::optional(9, "new", P::Int)))), [9]);
    assert_eq!(encoded(&changed(|fields| fields[2].field_type = P::Binary.into())), [3]);
    // A promoted column.
    let narrow =
        with(recipe(vec![Field::required(1, "id", P::Long), Field::optional(2, "n", P::Int)]), &[SMALL]);
    let wide =
        with(recipe(vec![Field::required(1, "id", P::Long), Field::optional(2, "n", P::Long)]), &[SMALL]);
    let numbers: Rows =
        (0..200).map(|n| vec![Some(Value::Long(n << 40 | n)), Some(Value::Int(n as i32))]).collect();
    let (store, receipt) = write(&narrow, &numbers, 100);
    assert_eq!(stored(&store, &receipt.files()[0], &wide).unwrap().encoded(), [2]);
}

#[test]
fn properties_of_columns_decide_what_is_encoded() {
    let bloom = ("write.parquet.bloom-filter-enabled.column.note", "true");
    let with_bloom = with(recipe(fields()), &[SMALL, bloom]);
    assert_eq!(encoded(&with_bloom), [3]);
    assert_eq!(encoded_of(&with_bloom, &with_bloom), [0; 0]);
    let (store, receipt) = write(&with_bloom, &rows(0, 200), 100);
    let copied = copy(store.clone(), &store, receipt.files(), &with_bloom).unwrap();
    let metadata = footer(&store, &copied.files()[0]);
    assert!(metadata.row_groups().iter().all(|group| group.column(2).bloom_filter_offset().is_some()));

    let silent = with(recipe(fields()), &[SMALL, ("write.parquet.stats-enabled.column.id", "false")]);
    assert_eq!(encoded_of(&silent, &table()), [1]);
}

#[test]
fn a_file_that_is_better_encoded_again_is_not_copied() {
    let none = |of: &WriteRecipe, recipe: &WriteRecipe| {
        let (store, receipt) = write(of, &rows(0, 200), 100);
        assert!(stored(&store, &receipt.files()[0], recipe).is_none());
    };
    // Its row groups are small.
    none(&table(), &recipe(fields()));
    // They are larger than a file.
    none(&table(), &with(recipe(fields()), &[SMALL, ("write.target-file-size-bytes", "10")]));
    none(&table(), &with(recipe(fields()), &[SMALL, ("write.parquet.row-group-limit", "10")]));
    // Another codec: nothing would be copied.
    none(&table(), &with(recipe(fields()), &[SMALL, ("write.parquet.compression-codec", "gzip")]));
    // Another file format has no row groups, and each file stores variants in its own way.
    let none = |recipe: WriteRecipe| {
        let store = Arc::new(MemoryStore::new());
        assert!(GroupCopier::new(&recipe, store, TASK, Vec::new()).unwrap().is_none());
    };
    none(table());
    let avro = with(recipe(fields()), &[("write.format.default", "avro")]);
    none(avro.with_copied_groups());
    let variants = recipe(vec![Field::optional(1, "v", Type::Variant)]);
    none(variants.with_copied_groups());
    let by_id = SortField {
        transform: Transform::Identity,
        source_ids: vec![1],
        direction: SortDirection::Ascending,
        null_order: NullOrder::First,
        unknown_keys: Map::new(),
    };
    let order = SortOrder { order_id: 1, fields: vec![by_id], unknown_keys: Map::new() };
    let sorted = WriteRecipe { order: Arc::new(order), ..table() };
    none(sorted.with_copied_groups());
}

#[test]
fn rows_ids_are_copied_where_none_is_inherited() {
    let of_ids = table().with_lineage().unwrap();
    let rows = |inherits: bool| -> Rows {
        let id = |n: i64| (!inherits || n % 2 == 0).then_some(Value::Long(n + 100));
        rows(0, 200)
            .into_iter()
            .zip(0..)
            .map(|(row, n)| row.into_iter().chain([id(n), id(n)]).collect())
            .collect()
    };
    for (inherits, expected) in [(false, vec![]), (true, vec![ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER])] {
        let (store, receipt) = write(&of_ids, &rows(inherits), 100);
        let file = stored(&store, &receipt.files()[0], &of_ids).unwrap();
        assert_eq!(file.encoded(), expected);
    }
    assert_eq!(encoded(&of_ids), [ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER]);
}

#[test]
fn files_end_at_the_size_of_the_table() {
    let (store, receipt) = write(&table(), &rows(0, 2000), 100);
    let size = receipt.files()[0].file.file_size_in_bytes;
    let files: Vec<_> = std::iter::repeat_n(receipt.files()[0].clone(), 7).collect();
    let target = (3 * size).to_string();
    let recipe = with(recipe(fields()), &[SMALL, ("write.target-file-size-bytes", &target)]);
    let copied = copy(store.clone(), &store, &files, &recipe).unwrap();
    let (last, full) = copied.files().split_last().unwrap();
    assert!(!full.is_empty());
    // A file has a footer, beside its row groups.
    assert!(full.iter().all(|written| (2 * size..4 * size).contains(&written.file.file_size_in_bytes)));
    assert!(last.file.file_size_in_bytes < 4 * size);
}

#[test]
fn other_numbers_of_rows_are_refused() {
    let lineage = table().with_lineage().unwrap();
    let (store, receipt) = write(&table(), &rows(0, 200), 100);
    let file = stored(&store, &receipt.files()[0], &lineage).unwrap();
    let error = copier(store.clone(), &lineage).append(file.read(0).unwrap(), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert_eq!(names(&store, "memory://t/data").len(), 1);
}

#[test]
fn a_copy_that_fails_leaves_no_file() {
    let (store, receipt) = write(&table(), &rows(0, 500), 100);
    let before = names(&store, "memory://t/data");
    let sound = FaultyStore::new(Arc::new(store.clone()), Vec::new());
    let whole = copy(sound.clone(), &store, receipt.files(), &table()).unwrap();
    assert!(sound.operations() > 2);
    for written in whole.files() {
        store.remove(&written.file.file_path);
    }
    for number in 0..sound.operations() {
        for fault in [Fault::Fail(ErrorKind::Storage), Fault::LoseRequest, Fault::LoseAnswer] {
            let faulty = FaultyStore::new(Arc::new(store.clone()), vec![(number, fault)]);
            let error = copy(faulty, &store, receipt.files(), &table()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
            assert!(error.to_string().contains("path: memory://t/data/"), "{error}");
            assert_eq!(names(&store, "memory://t/data"), before, "{number} {fault:?}");
        }
    }
}

/// Bytes of an offset index, a footer or a chunk that were changed.
#[test]
fn damaged_files_are_an_error_or_are_encoded() {
    let (store, receipt) = write(&table(), &rows(0, 200), 100);
    let path = receipt.files()[0].file.file_path.clone();
    let whole = store.open(&path).unwrap().read_all(u64::MAX).unwrap();
    let footer_at =
        whole.len() - 8 - u32::from_le_bytes(whole[whole.len() - 8..][..4].try_into().unwrap()) as usize;
    let mut kinds = BTreeMap::new();
    for place in footer_at..whole.len() - 8 {
        let mut bytes = whole.to_vec();
        bytes[place] ^= 0x41;
        store.put(&path, bytes);
        let copier = copier(store.clone(), &table());
        let source = store.open(&path).unwrap();
        let read = copier.copies().stored(source).and_then(|file| {
            let groups = |file: &StoredFile| (0..file.group_rows().len()).collect::<Vec<_>>();
            let file = file.as_ref();
            file.into_iter().try_for_each(|file| {
                groups(file).into_iter().try_for_each(|group| file.read(group).map(drop))
            })
        });
        if let Err(error) = read {
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::InvalidData
                        | ErrorKind::Unsupported
                        | ErrorKind::LimitExceeded
                        | ErrorKind::Storage
                ),
                "{place}: {error}"
            );
            *kinds.entry(format!("{:?}", error.kind())).or_insert(0) += 1;
        }
    }
    assert!(kinds.contains_key("InvalidData"), "{kinds:?}");
}
