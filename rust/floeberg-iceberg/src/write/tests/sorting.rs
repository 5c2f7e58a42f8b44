//! Rows of a file are in the table's order, however little memory there is, and few files are open at once.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_core::schema::{Field, PrimitiveType as P, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::{Value, ordering};
use floeberg_io::MemoryStore;
use proptest::prelude::*;
use serde_json::Map;

use super::fixture::{COLUMN_MEMORY, Rows, TASK, batch, footer, partitioned, recipe, rows_of};
use super::rows::{primitives, values};
use super::types::bits;
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};
use crate::write::{Receipt, WriteRecipe, Writer};

/// Writes with so little memory that rows are kept in temporary files.
fn write(recipe: &WriteRecipe, rows: &Rows, batch_rows: usize, memory: u64) -> (MemoryStore, Receipt) {
    let store = MemoryStore::new();
    let mut writer =
        Writer::with_memory(recipe, Arc::new(store.clone()), TASK, &Cancel::default(), memory).unwrap();
    for rows in rows.chunks(batch_rows) {
        writer.write(&batch(recipe, rows)).unwrap();
    }
    (store, writer.finish().unwrap())
}

pub(super) fn sorted(recipe: WriteRecipe, by: &[(i32, Transform, SortDirection, NullOrder)]) -> WriteRecipe {
    let fields = by.iter().map(|(source, transform, direction, null_order)| SortField {
        source_ids: vec![*source],
        transform: transform.clone(),
        direction: *direction,
        null_order: *null_order,
        unknown_keys: Map::new(),
    });
    let order = SortOrder { order_id: 5, fields: fields.collect(), unknown_keys: Map::new() };
    WriteRecipe { order: Arc::new(order), ..recipe }
}

fn by() -> impl Strategy<Value = (SortDirection, NullOrder)> {
    (
        prop::sample::select(vec![SortDirection::Ascending, SortDirection::Descending]),
        prop::sample::select(vec![NullOrder::First, NullOrder::Last]),
    )
}

/// The order of the specification: NaN is above all, and zeros differ.
fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => one.total_cmp(other),
        (Value::Double(one), Value::Double(other)) => one.total_cmp(other),
        _ => ordering::compare(one, other).unwrap(),
    }
}

fn compare_by(
    one: Option<&Value>,
    other: Option<&Value>,
    (direction, nulls): (SortDirection, NullOrder),
) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) if nulls == NullOrder::First => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) if nulls == NullOrder::First => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) if direction == SortDirection::Ascending => compare(one, other),
        (Some(one), Some(other)) => compare(other, one),
    }
}

fn number(row: &[Option<Value>]) -> i64 {
    match row[0] {
        Some(Value::Long(number)) => number,
        _ => panic!("a row without a number"),
    }
}

type Table = ([Field; 2], Vec<(Option<Value>, Option<Value>)>);

/// Two columns that can be sorted by.
fn tables() -> impl Strategy<Value = Table> {
    let ordered =
        || primitives().prop_filter("ordered", |primitive| !matches!(primitive, P::Geometry { .. }));
    (ordered(), ordered()).prop_flat_map(|(one, other)| {
        let fields = [Field::optional(2, "a", one), Field::optional(3, "b", other)];
        let row = (values(&fields[0]), values(&fields[1]));
        (Just(fields), prop::collection::vec(row, 0..150))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn rows_of_a_file_are_in_the_order_of_the_table(
        (fields, rows) in tables(),
        by in [by(), by()],
        batch_rows in 1_usize..40,
        memory in prop::sample::select(vec![1_u64, 400, 4_000, 1 << 30]),
        buckets in 1_u32..4,
    ) {
        let [a, b] = fields;
        let base = recipe(vec![Field::required(1, "row", P::Long), a, b]);
        let base = partitioned(base, &[(1, Transform::Bucket(buckets))]);
        let order = [
            (2, Transform::Identity, by[0].0, by[0].1),
            (3, Transform::Identity, by[1].0, by[1].1),
        ];
        let recipe = sorted(base, &order);
        let rows: Rows = rows.into_iter().enumerate()
            .map(|(number, (a, b))| vec![Some(Value::Long(number as i64)), a, b]).collect();
        let (store, receipt) = write(&recipe, &rows, batch_rows, memory);
        let mut found = Rows::new();
        for written in receipt.files() {
            prop_assert_eq!(written.file.sort_order_id, Some(5));
            let of_file = rows_of(&store, &recipe, written);
            for pair in of_file.windows(2) {
                let by_a = compare_by(pair[0][1].as_ref(), pair[1][1].as_ref(), by[0]);
                let by_b = compare_by(pair[0][2].as_ref(), pair[1][2].as_ref(), by[1]);
                // Equal rows stay as they came.
                let in_order = by_a.then(by_b).then(number(&pair[0]).cmp(&number(&pair[1])));
                prop_assert_eq!(in_order, Ordering::Less);
            }
            found.extend(of_file);
        }
        prop_assert!(receipt.files().len() <= buckets as usize);
        found.sort_by_key(|row| number(row));
        prop_assert_eq!(bits(&found), bits(&rows));
    }
}

#[test]
fn an_order_by_a_transform_is_kept_and_one_that_is_not_known_is_left() {
    let fields = || vec![Field::required(1, "row", P::Long), Field::optional(2, "a", P::String)];
    let rows: Rows = (0..9)
        .map(|n| vec![Some(Value::Long(n)), Some(Value::String(format!("{}{}", (n * 5) % 9 / 3, 9 - n)))])
        .collect();
    let by = |transform| [(2, transform, SortDirection::Ascending, NullOrder::First)];
    let recipe_of = |transform| sorted(recipe(fields()), &by(transform));
    let first_letters = recipe_of(Transform::Truncate(1));
    let (store, receipt) = write(&first_letters, &rows, 2, 1 << 20);
    let texts: Vec<_> = rows_of(&store, &first_letters, &receipt.files()[0])
        .into_iter()
        .map(|row| match &row[1] {
            Some(Value::String(text)) => text[..1].to_owned(),
            _ => panic!("no text"),
        })
        .collect();
    assert_eq!(texts, ["0", "0", "0", "1", "1", "1", "2", "2", "2"]);
    let unknown = recipe_of(Transform::Unknown("zorder".to_owned()));
    let (store, receipt) = write(&unknown, &rows, 2, 1 << 20);
    assert_eq!(receipt.files()[0].file.sort_order_id, Some(0));
    assert!(rows_of(&store, &unknown, &receipt.files()[0]) == rows);
}

/// A row for each turn and each of so many partitions.
fn many_partitions(rows: impl Iterator<Item = i64>) -> (WriteRecipe, Rows) {
    let fields = vec![Field::required(1, "row", P::Long), Field::optional(2, "p", P::Int)];
    let recipe = partitioned(recipe(fields), &[(2, Transform::Identity)]);
    let rows = rows
        .enumerate()
        .map(|(n, partition)| vec![Some(Value::Long(n as i64)), Some(Value::Int(partition as i32))]);
    (recipe, rows.collect())
}

fn files_by_partition(recipe: &WriteRecipe, rows: &Rows, memory: u64) -> BTreeMap<i32, usize> {
    let (store, receipt) = write(recipe, rows, 50, memory);
    let mut files = BTreeMap::new();
    let mut found = Rows::new();
    for written in receipt.files() {
        let Some(Value::Int(partition)) = written.file.partition[0] else { panic!("no partition") };
        *files.entry(partition).or_default() += 1;
        found.extend(rows_of(&store, recipe, written));
    }
    found.sort_by_key(|row| number(row));
    assert!(found == *rows);
    files
}

#[test]
fn partitions_in_any_order_get_a_file_each_however_many_they_are() {
    let (recipe, rows) = many_partitions((0..3).flat_map(|_| 0..400));
    for memory in [1 << 12, 1 << 30] {
        let files = files_by_partition(&recipe, &rows, memory);
        assert_eq!(files.len(), 400);
        assert!(files.values().all(|files| *files <= 2), "{files:?}");
    }
}

#[test]
fn as_many_files_are_open_as_their_columns_fit_into_memory() {
    let (_, rows) = many_partitions((0..2).flat_map(|_| 0..10));
    // Rows that are so large that each turn is encoded before the next one.
    let text = || Some(Value::String("a".repeat(256 << 10)));
    let rows: Rows = rows.into_iter().map(|row| vec![text(), row[1].clone()]).collect();
    let fields = vec![Field::required(1, "s", P::String), Field::optional(2, "p", P::Int)];
    let recipe = partitioned(recipe(fields), &[(2, Transform::Identity)]);
    for most in [10, 3, 1] {
        // Files of two columns, for which there is half of the memory.
        let (_, receipt) = write(&recipe, &rows, 10, 2 * most * 2 * COLUMN_MEMORY);
        // Of the first turn those are still open that came last; all others get a second file.
        assert_eq!(receipt.files().len() as u64, 10 + (10 - most), "{most}");
    }
}

#[test]
fn partitions_that_come_one_after_another_get_a_file_each() {
    let (recipe, rows) = many_partitions((0..400).flat_map(|partition| [partition; 3]));
    let files = files_by_partition(&recipe, &rows, 1 << 30);
    assert_eq!(files.len(), 400);
    assert!(files.values().all(|files| *files == 1));
}

#[test]
fn values_without_an_order_are_not_sorted_by() {
    let fields = vec![Field::optional(1, "g", Type::Primitive(P::Geometry { crs: None }))];
    let by = [(1, Transform::Identity, SortDirection::Ascending, NullOrder::First)];
    let recipe = sorted(recipe(fields), &by);
    let refused = Writer::new(&recipe, Arc::new(MemoryStore::new()), TASK, &Cancel::default());
    assert!(refused.is_err());
}

/// The columns that the row groups of a file say they are sorted by: (column, descending, nulls first).
fn sorted_by(store: &MemoryStore, receipt: &Receipt) -> Vec<Option<Vec<(i32, bool, bool)>>> {
    let metadata = footer(store, &receipt.files()[0]);
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.sorting_columns()?;
        Some(columns.iter().map(|each| (each.column_idx, each.descending, each.nulls_first)).collect())
    });
    groups.collect()
}

#[test]
fn row_groups_say_by_which_columns_they_are_sorted() {
    let point =
        StructType { fields: vec![Field::optional(3, "x", P::Double), Field::optional(4, "y", P::Long)] };
    let fields = || {
        let point = Field::optional(2, "p", Type::Struct(point.clone()));
        vec![Field::required(1, "row", P::Long), point, Field::optional(5, "s", P::String)]
    };
    let rows: Rows = (0..9)
        .map(|n| vec![Some(Value::Long(n)), None, Some(Value::String(format!("{}", n * 5 % 9)))])
        .collect();
    let (first, last) = (NullOrder::First, NullOrder::Last);
    let (up, down) = (SortDirection::Ascending, SortDirection::Descending);
    let id = |column, direction, nulls| (column, Transform::Identity, direction, nulls);
    let half = |column| (column, Transform::Truncate(1), up, first);
    let cases: [(&[_], Option<&[_]>); 6] = [
        (&[], None),
        (&[id(5, down, first), id(4, up, last)], Some(&[(3, true, true), (2, false, false)])),
        // What follows a transform, or a float, is in order only where these are equal.
        (&[id(1, up, last), half(5), id(4, up, last)], Some(&[(0, false, false)])),
        (&[half(5), id(1, up, first)], None),
        (&[id(3, up, first), id(1, up, first)], None),
        (&[id(4, up, first), id(3, up, first)], Some(&[(2, false, true)])),
    ];
    for (order, expected) in cases {
        let recipe = sorted(recipe(fields()), order);
        let (store, receipt) = write(&recipe, &rows, 4, 1 << 20);
        let expected = expected.map(<[_]>::to_vec);
        assert_eq!(sorted_by(&store, &receipt), [expected], "{order:?}");
    }
}
