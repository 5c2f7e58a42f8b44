//! Rows are in the file of their partition, and in no other.

use std::collections::BTreeSet;

use floeberg_core::schema::{Field, PrimitiveType as P, StructType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::{PartitionKey, Value};
use proptest::prelude::*;

use super::fixture::{Rows, partitioned, recipe, rows_of, with, write};
use super::rows::{primitives, values};
use super::types::bits;
use crate::write::WriteRecipe;

fn transforms() -> impl Strategy<Value = Transform> {
    prop_oneof![
        Just(Transform::Identity),
        (1_u32..5).prop_map(Transform::Bucket),
        (1_u32..5).prop_map(Transform::Truncate),
        prop::sample::select(vec![Transform::Year, Transform::Month, Transform::Day, Transform::Hour]),
        Just(Transform::Void),
    ]
}

/// Rows of a number, a column, and a struct with a column; partitioned by both columns.
fn tables() -> impl Strategy<Value = (WriteRecipe, [Transform; 2], Rows)> {
    let column = || {
        (primitives(), transforms()).prop_filter("partitioned", |(primitive, transform)| {
            transform.accepts(&Type::Primitive(primitive.clone())) && *primitive != P::Unknown
        })
    };
    (column(), column()).prop_flat_map(|((one, by_one), (other, by_other))| {
        let inner = Field::optional(4, "x", other);
        let fields = vec![
            Field::required(1, "row", P::Long),
            Field::optional(2, "c", one),
            Field::optional(3, "s", Type::Struct(StructType { fields: vec![inner] })),
        ];
        let row = (values(&fields[1]), values(&fields[2]));
        let recipe = partitioned(recipe(fields), &[(2, by_one.clone()), (4, by_other.clone())]);
        (Just(recipe), Just([by_one, by_other]), prop::collection::vec(row, 0..60)).prop_map(
            |(recipe, transforms, rows)| {
                let rows = rows.into_iter().enumerate();
                let rows =
                    rows.map(|(number, (one, other))| vec![Some(Value::Long(number as i64)), one, other]);
                (recipe, transforms, rows.collect())
            },
        )
    })
}

/// The partition of a row, value by value.
fn partition(row: &[Option<Value>], transforms: &[Transform; 2]) -> Vec<Option<Value>> {
    let inner = match &row[2] {
        Some(Value::Struct(fields)) => fields[0].1.clone(),
        _ => None,
    };
    let transformed = |value: &Option<Value>, transform: &Transform| {
        value.as_ref().and_then(|value| transform.apply(value).unwrap())
    };
    vec![transformed(&row[1], &transforms[0]), transformed(&inner, &transforms[1])]
}

/// The number that a row was given.
fn number(row: &[Option<Value>]) -> i64 {
    match row[0] {
        Some(Value::Long(number)) => number,
        _ => panic!("a row without a number"),
    }
}

fn key(values: &[Option<Value>]) -> PartitionKey {
    PartitionKey::new(values.iter().map(Option::as_ref))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn rows_are_in_one_file_of_their_partition((recipe, transforms, rows) in tables(), batch_rows in 1_usize..80) {
        let (store, receipt) = write(&recipe, &rows, batch_rows);
        let mut found = Vec::new();
        let mut keys = BTreeSet::new();
        for written in receipt.files() {
            prop_assert_eq!(written.spec_id, 2);
            let of_file = rows_of(&store, &recipe, written);
            let expected = key(&written.file.partition);
            prop_assert!(keys.insert(expected.clone()), "two files of one partition");
            for row in &of_file {
                prop_assert_eq!(key(&partition(row, &transforms)), expected.clone());
            }
            // Rows of one partition keep their order.
            let in_order = of_file.is_sorted_by_key(|row| number(row));
            prop_assert!(in_order);
            found.extend(of_file);
        }
        found.sort_by_key(|row| number(row));
        prop_assert_eq!(bits(&found), bits(&rows));
    }
}

#[test]
fn files_are_named_by_partition_task_write_and_number() {
    let fields = vec![Field::optional(1, "c", P::String)];
    let rows: Rows = ["a b", "x/y"].map(|text| vec![Some(Value::String(text.into()))]).to_vec();
    let by_text = partitioned(recipe(fields.clone()), &[(1, Transform::Identity)]);
    let (_, receipt) = write(&by_text, &rows, 9);
    let expected = [
        "memory://t/data/p0=a+b/00003-7-w-00001.parquet",
        "memory://t/data/p0=x%2Fy/00003-7-w-00002.parquet",
    ];
    assert_eq!(receipt.locations().collect::<Vec<_>>(), expected);
    let elsewhere = with(recipe(fields), &[("write.data.path", "memory://other")]);
    let (_, receipt) = write(&elsewhere, &rows, 9);
    assert_eq!(receipt.locations().collect::<Vec<_>>(), ["memory://other/00003-7-w-00001.parquet"]);
}

#[test]
fn no_rows_are_no_files() {
    let (_, receipt) = write(&recipe(vec![Field::optional(1, "c", P::Int)]), &Vec::new(), 1);
    assert_eq!(receipt.files().len(), 0);
}
