//! Rows of one write are in an order of its own, and files say which order of the table it is, if it is one.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType as P, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::MemoryStore;

use super::fixture::{Rows, TASK, batch, footer, partitioned, recipe, rows_of, with};
use super::sorting::sorted;
use crate::metadata::{NullOrder, SortDirection, SortOrder};
use crate::write::{Receipt, RowOrder, WriteRecipe, Writer, ZOrder};

fn write(recipe: &WriteRecipe, rows: &Rows, memory: u64) -> (MemoryStore, Receipt) {
    let store = MemoryStore::new();
    let mut writer =
        Writer::with_memory(recipe, Arc::new(store.clone()), TASK, &Cancel::default(), memory).unwrap();
    for rows in rows.chunks(7) {
        writer.write(&batch(recipe, rows)).unwrap();
    }
    (store, writer.finish().unwrap())
}

fn by(id: i32, direction: SortDirection, order_id: i32) -> RowOrder {
    let table = sorted(recipe(Vec::new()), &[(id, Transform::Identity, direction, NullOrder::First)]);
    RowOrder::Sort(SortOrder { order_id, ..SortOrder::clone(&table.order) })
}

fn z(column_ids: &[i32], variable_bytes: usize, key_bytes: usize) -> RowOrder {
    RowOrder::ZOrder(ZOrder { column_ids: column_ids.to_vec(), variable_bytes, key_bytes })
}

fn two() -> WriteRecipe {
    recipe(vec![Field::optional(1, "a", P::Int), Field::optional(2, "b", P::Long)])
}

fn grid() -> Rows {
    (0..256)
        .map(|n| (n * 37) % 256)
        .map(|n| vec![Some(Value::Int(n / 16)), Some(Value::Long((n % 16).into()))])
        .collect()
}

fn int(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Int(value)) => (*value).into(),
        Some(Value::Long(value)) => *value,
        _ => panic!("no number"),
    }
}

#[test]
fn a_write_may_have_an_order_of_its_own() {
    let table = sorted(two(), &[(1, Transform::Identity, SortDirection::Ascending, NullOrder::First)]);
    for (order, id) in [(by(2, SortDirection::Descending, 0), 0), (by(2, SortDirection::Descending, 7), 7)] {
        let recipe = table.clone().with_order(order).unwrap();
        // Also in a worker.
        let recipe = WriteRecipe::from_bytes(&recipe.to_bytes().unwrap()).unwrap();
        for memory in [1, 1 << 30] {
            let (store, receipt) = write(&recipe, &grid(), memory);
            let found = rows_of(&store, &recipe, &receipt.files()[0]);
            assert!(found.windows(2).all(|pair| int(pair[0][1].as_ref()) >= int(pair[1][1].as_ref())));
            assert_eq!(receipt.files()[0].file.sort_order_id, Some(id));
            let groups = footer(&store, &receipt.files()[0]);
            let said = groups.row_groups()[0].sorting_columns().unwrap();
            assert_eq!((said.len(), said[0].column_idx, said[0].descending), (1, 1, true));
        }
    }
}

#[test]
fn rows_of_a_z_order_are_near_each_other_in_both_columns() {
    let recipe = two().with_order(z(&[1, 2], 8, usize::MAX)).unwrap();
    let recipe = WriteRecipe::from_bytes(&recipe.to_bytes().unwrap()).unwrap();
    for memory in [1, 1 << 30] {
        let (store, receipt) = write(&recipe, &grid(), memory);
        let found = rows_of(&store, &recipe, &receipt.files()[0]);
        assert_eq!((found.len(), receipt.files()[0].file.sort_order_id), (256, Some(0)));
        // Each 16 rows are a square of 4 by 4.
        for rows in found.chunks(16) {
            for column in [0, 1] {
                let values = || rows.iter().map(|row| int(row[column].as_ref()));
                assert_eq!(values().max().unwrap() - values().min().unwrap(), 3);
            }
        }
        assert!(footer(&store, &receipt.files()[0]).row_groups()[0].sorting_columns().is_none());
    }
}

/// The rows of one column besides their number, in the order in which a z-order of that column puts them.
fn ordered_by(primitive: P, values: &[Option<Value>], variable_bytes: usize) -> Vec<usize> {
    let fields = vec![Field::optional(1, "v", Type::Primitive(primitive)), Field::required(2, "n", P::Int)];
    let recipe = recipe(fields).with_order(z(&[1], variable_bytes, usize::MAX)).unwrap();
    let rows: Rows =
        values.iter().enumerate().map(|(n, value)| vec![value.clone(), Some(Value::Int(n as i32))]).collect();
    let (store, receipt) = write(&recipe, &rows, 1 << 30);
    let found = rows_of(&store, &recipe, &receipt.files()[0]);
    found.iter().map(|row| int(row[1].as_ref()) as usize).collect()
}

#[test]
fn a_z_order_of_one_column_is_the_order_of_its_values() {
    let text = |text: &str| Some(Value::String(text.to_owned()));
    let bytes = |bytes: &[u8]| Some(Value::Binary(bytes.to_vec()));
    // Values in ascending order: null is as the smallest.
    let cases: Vec<(P, Vec<Option<Value>>)> = vec![
        (P::Boolean, vec![None, Some(Value::Boolean(true))]),
        (P::Int, [i32::MIN, -1, 0, 1, i32::MAX].map(|value| Some(Value::Int(value))).to_vec()),
        (P::Long, [i64::MIN + 1, -1, 0, 1, i64::MAX].map(|value| Some(Value::Long(value))).to_vec()),
        (
            P::Float,
            [-f32::NAN, f32::NEG_INFINITY, -1.5, -0.0, 0.0, 1.5, f32::INFINITY, f32::NAN]
                .map(|value| Some(Value::Float(value)))
                .to_vec(),
        ),
        (
            P::Double,
            [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN]
                .map(|value| Some(Value::Double(value)))
                .to_vec(),
        ),
        (P::Date, [-400, 0, 20_000].map(|value| Some(Value::Date(value))).to_vec()),
        (P::Timestamp, [-5, 0, 1 << 50].map(|value| Some(Value::Timestamp(value))).to_vec()),
        (
            P::Decimal { precision: 9, scale: 2 },
            [-999, -1, 0, 5].map(|value| Some(Value::Decimal { unscaled: value, scale: 2 })).to_vec(),
        ),
        (
            P::Decimal { precision: 38, scale: 2 },
            [-(10_i128.pow(37)), -1, 0, 5, 10_i128.pow(37)]
                .map(|value| Some(Value::Decimal { unscaled: value, scale: 2 }))
                .to_vec(),
        ),
        (P::String, vec![text(""), text("a"), text("aa"), text("b"), text("\u{20ac}")]),
        (P::Binary, vec![bytes(&[]), bytes(&[0, 1]), bytes(&[1]), bytes(&[0xff, 0])]),
    ];
    for (primitive, mut values) in cases {
        if values[0].is_some() {
            values.insert(0, None);
        }
        let last = values.len() - 1;
        let expected: Vec<_> = (0..=last).rev().collect();
        values.reverse();
        let mut found = ordered_by(primitive.clone(), &values, 8);
        // The smallest value and null may be as one, and stay as they came.
        if matches!(primitive, P::String | P::Binary) {
            found[..2].sort_unstable_by(|one, other| other.cmp(one));
        }
        assert_eq!(found, expected, "{primitive}");
    }
}

#[test]
fn texts_give_as_many_bytes_as_is_said() {
    let texts = ["abz", "aby", "ac"].map(|text| Some(Value::String(text.to_owned())));
    assert_eq!(ordered_by(P::String, &texts, 3), [1, 0, 2]);
    // By two bytes, the first two are equal.
    assert_eq!(ordered_by(P::String, &texts, 2), [0, 1, 2]);
}

#[test]
fn a_short_key_compares_the_first_bits() {
    let rows: Rows =
        [(1, 9), (1, 8), (1, 7)].map(|(a, b)| vec![Some(Value::Int(a)), Some(Value::Long(b))]).to_vec();
    let order = |key_bytes| {
        let recipe = two().with_order(z(&[1, 2], 8, key_bytes)).unwrap();
        let (store, receipt) = write(&recipe, &rows, 1 << 30);
        rows_of(&store, &recipe, &receipt.files()[0])
            .iter()
            .map(|row| int(row[1].as_ref()))
            .collect::<Vec<_>>()
    };
    assert_eq!(order(16), [7, 8, 9]);
    assert_eq!(order(15), [9, 8, 7]);
}

#[test]
fn columns_that_are_sorted_by_have_bounds() {
    for order in [by(2, SortDirection::Ascending, 0), z(&[2], 8, 99)] {
        let counts = with(two(), &[("write.metadata.metrics.default", "counts")]);
        let (_, without) = write(&counts, &grid(), 1 << 30);
        assert!(without.files()[0].file.lower_bounds.as_ref().is_none_or(BTreeMap::is_empty));
        let (_, receipt) = write(&counts.with_order(order).unwrap(), &grid(), 1 << 30);
        let bounds = receipt.files()[0].file.lower_bounds.as_ref().unwrap();
        assert_eq!(bounds.keys().copied().collect::<Vec<_>>(), [2]);
    }
}

#[test]
fn orders_that_cannot_be_kept_are_refused() {
    let geometry = || Field::optional(3, "g", Type::Primitive(P::Geometry { crs: None }));
    let table =
        || recipe(vec![Field::optional(1, "a", P::Int), Field::optional(2, "s", P::String), geometry()]);
    let refused = |order: RowOrder| table().with_order(order).unwrap_err().kind();
    assert_eq!(refused(z(&[], 8, 8)), ErrorKind::InvalidInput);
    assert_eq!(refused(z(&[1], 0, 8)), ErrorKind::InvalidInput);
    assert_eq!(refused(z(&[1], 8, 0)), ErrorKind::InvalidInput);
    assert_eq!(refused(z(&[2], usize::MAX, usize::MAX)), ErrorKind::InvalidInput);
    assert_eq!(refused(z(&[2], 1 << 40, 1 << 40)), ErrorKind::InvalidInput);
    assert!(table().with_order(z(&[2], usize::MAX, 8)).is_ok());
    assert_eq!(refused(z(&[3], 8, 8)), ErrorKind::InvalidData);
    assert_eq!(refused(z(&[9], 8, 8)), ErrorKind::InvalidData);
    assert_eq!(refused(by(3, SortDirection::Ascending, 0)), ErrorKind::InvalidData);
    let none = SortOrder { order_id: 0, fields: Vec::new(), unknown_keys: serde_json::Map::new() };
    assert_eq!(refused(RowOrder::Sort(none)), ErrorKind::Unsupported);
}

#[test]
fn files_may_have_another_spec_of_the_table() {
    let other = partitioned(two(), &[(1, Transform::Bucket(2))]);
    let recipe = two().with_spec(other.spec()).unwrap().with_order(z(&[1, 2], 8, 99)).unwrap();
    let (_, receipt) = write(&recipe, &grid(), 1 << 30);
    assert_eq!(receipt.files().len(), 2);
    assert!(receipt.files().iter().all(|file| file.spec_id == other.spec().spec_id));
}
