//! What is said of a file is true of its rows, and as short as was asked for.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::{Field, ListType, PrimitiveType as P, StructType, Type};
use floeberg_core::value::{Value, ordering, single_value};
use floeberg_core::{Cancel, ErrorKind};
use floeberg_files::Modes;
use floeberg_io::MemoryStore;
use proptest::prelude::*;

use super::fixture::{Rows, footer, recipe, rows_of, with, write};
use super::types::tables;
use crate::manifest::DataFile;
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};
use crate::plan::FileFormat;
use crate::read::{FileAccess, Names};
use crate::write::{WriteRecipe, WrittenFile, with_metrics};
use floeberg_core::transform::Transform;

/// The value of a row in a column that is in no list and no map.
fn value(fields: &[Field], row: &[Option<Value>], id: i32) -> Option<Value> {
    fields.iter().zip(row).find_map(|(field, value)| match (&field.field_type, value) {
        _ if field.id == id => value.clone(),
        (Type::Struct(children), Some(Value::Struct(values))) => {
            let values: Vec<_> = values.iter().map(|(_, value)| value.clone()).collect();
            self::value(&children.fields, &values, id)
        }
        _ => None,
    })
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(value) if value.is_nan())
        || matches!(value, Value::Double(value) if value.is_nan())
}

/// Is the one at most the other, where the sign of zero counts?
fn at_most(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => one.total_cmp(other) != Ordering::Greater,
        (Value::Double(one), Value::Double(other)) => one.total_cmp(other) != Ordering::Greater,
        _ => matches!(ordering::compare(one, other), Some(Ordering::Less | Ordering::Equal)),
    }
}

/// Code points of a text, or bytes, where bounds of the type may be cut.
fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

fn check(fields: &[Field], rows: &Rows, file: &DataFile, primitive: &P, id: i32, most: usize) {
    let values: Vec<_> = rows.iter().map(|row| value(fields, row, id)).collect();
    let some: Vec<_> = values.iter().flatten().collect();
    assert_eq!(file.value_counts.as_ref().unwrap()[&id], rows.len() as i64);
    assert_eq!(file.null_value_counts.as_ref().unwrap()[&id], (values.len() - some.len()) as i64);
    let nans = some.iter().filter(|value| is_nan(value)).count();
    let counted = file.nan_value_counts.as_ref().unwrap().get(&id).copied();
    assert_eq!(counted, matches!(primitive, P::Float | P::Double).then_some(nans as i64));
    let numbers: Vec<_> = some.into_iter().filter(|value| !is_nan(value)).collect();
    let (lower, upper) =
        (file.lower_bounds.as_ref().unwrap().get(&id), file.upper_bounds.as_ref().unwrap().get(&id));
    if numbers.is_empty() || matches!(primitive, P::Geometry { .. }) {
        assert_eq!((lower, upper), (None, None));
        return;
    }
    let decoded = |bytes: &Vec<u8>| single_value::from_bytes(primitive, bytes).unwrap();
    let lower = decoded(lower.unwrap());
    assert!(numbers.iter().all(|value| at_most(&lower, value)), "{lower:?} {numbers:?}");
    assert!(length(&lower) <= most);
    let Some(upper) = upper.map(decoded) else {
        // No text, and no bytes, of that length are above.
        assert!(matches!(primitive, P::String | P::Binary));
        let longest = numbers.iter().max_by(|one, other| ordering::compare(one, other).unwrap()).unwrap();
        assert!(length(longest) > most, "{longest:?}");
        return;
    };
    assert!(numbers.iter().all(|value| at_most(value, &upper)), "{upper:?} {numbers:?}");
    assert!(length(&upper) <= most);
    if most == usize::MAX || length(&upper) == 0 {
        // Whole bounds are values of the column.
        let is_bound = |bound: &Value| {
            numbers.iter().any(|value| ordering::compare(value, bound) == Some(Ordering::Equal))
        };
        assert!(is_bound(&lower) && is_bound(&upper), "{lower:?} {upper:?} {numbers:?}");
    }
}

/// The columns that are in no list and no map.
fn singles(fields: &[Field], found: &mut Vec<(i32, P)>) {
    for field in fields {
        match &field.field_type {
            Type::Primitive(P::Unknown) => {}
            Type::Primitive(primitive) => found.push((field.id, primitive.clone())),
            Type::Struct(children) => singles(&children.fields, found),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn counts_are_exact_and_bounds_bound(
        (recipe, rows) in tables(),
        mode in prop::sample::select(vec![("truncate(1)", 1), ("truncate(3)", 3), ("truncate(16)", 16), ("full", usize::MAX)]),
        group in 1_u64..2000,
    ) {
        let group = group.to_string();
        let properties = [
            ("write.metadata.metrics.default", mode.0),
            ("write.parquet.row-group-size-bytes", group.as_str()),
            ("write.parquet.row-group-check-min-record-count", "3"),
        ];
        let recipe = with(recipe, &properties);
        let (store, receipt) = write(&recipe, &rows, 20);
        for written in receipt.files() {
            let of_file = rows_of(&store, &recipe, written);
            let mut columns = Vec::new();
            singles(recipe.schema.fields(), &mut columns);
            for (id, primitive) in &columns {
                check(recipe.schema.fields(), &of_file, &written.file, primitive, *id, mode.1);
            }
            // Of nothing else but the sizes of what is in lists and maps anything is said.
            let said: Vec<_> = written.file.value_counts.as_ref().unwrap().keys().copied().collect();
            let mut expected: Vec<_> = columns.into_iter().map(|(id, _)| id).collect();
            expected.sort_unstable();
            prop_assert_eq!(said, expected);
            // Whoever reads the footer finds what the writer said.
            prop_assert_eq!(found_again(&store, &recipe, written), written.file.clone());
        }
    }
}

fn access(store: &MemoryStore) -> FileAccess {
    FileAccess { store: Arc::new(store.clone()), batch_rows: 1, cancel: Cancel::default() }
}

/// The file, described by its footer.
fn found_again(store: &MemoryStore, recipe: &WriteRecipe, written: &WrittenFile) -> DataFile {
    let (files, file) = (access(store), written.file.clone());
    let opened =
        files.open(&file.file_path, None, FileFormat::Parquet, Names::Unmapped(&recipe.schema)).unwrap();
    let modes = Modes::new(&recipe.properties, &recipe.schema, []).unwrap();
    with_metrics(file, opened.metrics(&recipe.schema, &modes).unwrap())
}

fn texts(recipe: &WriteRecipe, texts: &[&str]) -> DataFile {
    let row = |text: &&str| vec![Some(Value::String((*text).into())); recipe.schema.fields().len()];
    let (_, receipt) = write(recipe, &texts.iter().map(row).collect(), 9);
    receipt.files()[0].file.clone()
}

#[test]
fn a_bound_of_fixed_length_has_that_length() {
    // The library cuts statistics of more bytes than these.
    for length in [20, 300] {
        let recipe = recipe(vec![Field::optional(1, "f", P::Fixed(length))]);
        let bytes = |last: u8| {
            let mut bytes = vec![7; length as usize];
            bytes[length as usize - 1] = last;
            Value::Fixed(bytes)
        };
        let (_, receipt) = write(&recipe, &vec![vec![Some(bytes(2))], vec![Some(bytes(1))], vec![None]], 9);
        let file = &receipt.files()[0].file;
        let bound = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| bounds.as_ref().unwrap()[&1].clone();
        let (lower, upper) = (bound(&file.lower_bounds), bound(&file.upper_bounds));
        assert_eq!((lower.len(), upper.len()), (length as usize, length as usize));
        let decoded = |bytes: &[u8]| single_value::from_bytes(&P::Fixed(length), bytes).unwrap();
        assert!(at_most(&decoded(&lower), &bytes(1)) && at_most(&bytes(2), &decoded(&upper)));
        if length == 20 {
            assert_eq!((decoded(&lower), decoded(&upper)), (bytes(1), bytes(2)));
        }
    }
}

fn text_columns(number: i32) -> WriteRecipe {
    recipe((1..=number).map(|id| Field::optional(id, format!("c{id}"), P::String)).collect())
}

#[test]
fn an_upper_bound_is_the_next_text_or_none() {
    let cases = [
        ("ab", Some("ab")),
        ("abc", Some("ac")),
        ("a\u{d7ff}c", Some("a\u{e000}")),
        ("a\u{10ffff}c", Some("b")),
        ("\u{10ffff}\u{10ffff}c", None),
    ];
    let recipe = with(text_columns(1), &[("write.metadata.metrics.default", "truncate(2)")]);
    for (text, expected) in cases {
        let file = texts(&recipe, &[text]);
        let upper = file.upper_bounds.unwrap().remove(&1).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(upper.as_deref(), expected);
        assert_eq!(file.lower_bounds.unwrap().len(), 1);
    }
}

#[test]
fn modes_say_what_is_kept_of_a_column() {
    let properties = [
        ("write.metadata.metrics.default", "counts"),
        ("write.metadata.metrics.column.c2", "none"),
        ("write.metadata.metrics.column.c3", "full"),
        ("write.metadata.metrics.column.dropped", "full"),
    ];
    let order = SortOrder {
        order_id: 1,
        fields: vec![SortField {
            source_ids: vec![4],
            transform: Transform::Identity,
            direction: SortDirection::Ascending,
            null_order: NullOrder::First,
            unknown_keys: serde_json::Map::new(),
        }],
        unknown_keys: serde_json::Map::new(),
    };
    let mut recipe = with(text_columns(4), &properties);
    recipe.order = order.into();
    let text = "a text of twenty-five ch.";
    let file = texts(&recipe, &[text]);
    let ids =
        |counts: &Option<BTreeMap<i32, i64>>| counts.as_ref().unwrap().keys().copied().collect::<Vec<_>>();
    assert_eq!(ids(&file.value_counts), [1, 3, 4]);
    assert_eq!(ids(&file.column_sizes), [1, 3, 4]);
    let lower = file.lower_bounds.unwrap();
    assert_eq!(lower.keys().copied().collect::<Vec<_>>(), [3, 4]);
    assert_eq!((lower[&3].len(), lower[&4].len()), (25, 16));
}

#[test]
fn past_the_first_hundred_columns_nothing_is_kept_unless_it_is_asked_for() {
    let said = |properties: &[(&str, &str)]| {
        texts(&with(text_columns(120), properties), &["a"]).value_counts.unwrap().len()
    };
    assert_eq!(said(&[]), 100);
    assert_eq!(said(&[("write.metadata.metrics.max-inferred-column-defaults", "120")]), 120);
    assert_eq!(said(&[("write.metadata.metrics.max-inferred-column-defaults", "5")]), 5);
    assert_eq!(said(&[("write.metadata.metrics.column.c110", "counts")]), 101);
    assert_eq!(said(&[("write.metadata.metrics.default", "truncate(16)")]), 120);
}

#[test]
fn what_is_no_mode_is_refused() {
    for mode in ["truncate(0)", "truncate(-1)", "truncate", "some"] {
        let recipe = with(text_columns(1), &[("write.metadata.metrics.default", mode)]);
        let refused = super::fixture::try_write(&recipe, Arc::new(MemoryStore::new()), &Vec::new(), 1);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

#[test]
fn sizes_are_those_of_column_chunks_and_splits_start_where_row_groups_do() {
    let list = ListType { element: Field::optional(3, "element", P::Long) };
    let inner = StructType { fields: vec![Field::optional(5, "x", P::Double)] };
    let fields = vec![
        Field::optional(1, "c", P::String),
        Field::optional(2, "l", Type::List(Box::new(list))),
        Field::optional(4, "s", Type::Struct(inner)),
    ];
    let properties = [
        ("write.parquet.row-group-size-bytes", "500"),
        ("write.parquet.row-group-check-min-record-count", "10"),
    ];
    let recipe = with(recipe(fields), &properties);
    let rows: Rows = (0..500)
        .map(|row| {
            let list = Value::List(vec![Some(Value::Long(row)); 2]);
            let inner = Value::Struct(vec![(5, Some(Value::Double(row as f64)))]);
            vec![Some(Value::String(row.to_string())), Some(list), Some(inner)]
        })
        .collect();
    let (store, receipt) = write(&recipe, &rows, 100);
    let written = &receipt.files()[0];
    let footer = footer(&store, written);
    assert!(footer.num_row_groups() > 3);
    let sizes = (0..3).map(|leaf| {
        footer.row_groups().iter().map(|group| group.column(leaf).compressed_size()).sum::<i64>()
    });
    assert_eq!(written.file.column_sizes, Some([1, 3, 5].into_iter().zip(sizes).collect()));
    let starts = footer.row_groups().iter().map(|group| {
        let column = group.column(0);
        column.dictionary_page_offset().unwrap_or(column.data_page_offset())
    });
    assert_eq!(written.file.split_offsets, Some(starts.collect()));
    assert_eq!(written.file.split_offsets.as_ref().unwrap()[0], 4);
}
