use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_schema::DataType;
use floeberg_core::expr::{BoundExpr, Operator};
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::value::Value;
use floeberg_io::testing::CountingStore;
use proptest::prelude::*;

use super::fixture::{
    DATA, batches, column, filtered, numbers, numbers_schema, paged_numbers, parquet, rows, store, test,
};
use crate::read::ReadRequest;

/// How many column chunks and pages of a file a filter reads, and how many rows it finds.
fn read(bytes: Vec<u8>, schema: Schema, filter: BoundExpr) -> (u64, usize) {
    let counting = Arc::new(CountingStore::new(Arc::new(store(bytes))));
    let schema = Arc::new(schema);
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    let found = batches(request, &filtered(filter)).unwrap();
    (counting.of(DATA).reads - 1, found.iter().map(arrow_array::RecordBatch::num_rows).sum())
}

fn one_column(field_type: PrimitiveType) -> Schema {
    Schema::new(0, vec![Field::optional(1, "c", field_type)]).unwrap()
}

#[test]
fn row_groups_outside_the_bounds_are_not_read() {
    let equal = |value| test(1, PrimitiveType::Long, Operator::Eq, vec![Value::Long(value)]);
    let (reads, rows) = read(numbers(100, 10), numbers_schema(), equal(55));
    assert_eq!(rows, 1);
    assert!(reads <= 3, "{reads} reads");
    assert_eq!(read(numbers(100, 10), numbers_schema(), equal(1_000)), (0, 0));
}

#[test]
fn pages_outside_the_bounds_are_not_read() {
    let bytes = paged_numbers(20_000);
    let size = bytes.len() as u64;
    let counting = Arc::new(CountingStore::new(Arc::new(store(bytes))));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    let near = BoundExpr::And(vec![
        test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(9_990)]),
        test(1, PrimitiveType::Long, Operator::Lt, vec![Value::Long(10_010)]),
    ]);
    assert_eq!(rows(request, &filtered(near)), (9_990..10_010).collect::<Vec<_>>());
    // The guessed tail of 64 KiB, the index, and two pages of each column.
    let read = counting.of(DATA).bytes;
    assert!(read < (64 << 10) + 40_000 && read < size / 3, "{read} bytes of {size}");
}

#[test]
fn bounds_are_compared_as_the_type_that_the_column_has_now() {
    let bytes = parquet(
        vec![column(1, "c", DataType::Int32)],
        vec![Arc::new(arrow_array::Int32Array::from_iter_values(0..100))],
        10,
    );
    let above = test(1, PrimitiveType::Long, Operator::GtEq, vec![Value::Long(95)]);
    assert_eq!(read(bytes, one_column(PrimitiveType::Long), above), (1, 5));
}

#[test]
fn row_groups_of_nulls_only_are_read_only_for_nulls() {
    let values: ArrayRef = Arc::new((0..20).map(|n| (n >= 10).then_some(n)).collect::<Int64Array>());
    let file = || parquet(vec![column(1, "c", DataType::Int64)], vec![Arc::clone(&values)], 10);
    let is = |op| test(1, PrimitiveType::Long, op, Vec::new());
    assert_eq!(read(file(), one_column(PrimitiveType::Long), is(Operator::IsNull)), (1, 10));
    assert_eq!(read(file(), one_column(PrimitiveType::Long), is(Operator::NotNull)), (1, 10));
}

#[test]
fn nan_hides_no_row() {
    let values = vec![f64::NAN, 1.0, f64::NAN, f64::NAN, 5.0, 6.0];
    let file = || {
        let column_of = vec![Arc::new(Float64Array::from(values.clone())) as ArrayRef];
        parquet(vec![column(1, "c", DataType::Float64)], column_of, 2)
    };
    let filter = |op, literals| test(1, PrimitiveType::Double, op, literals);
    let schema = || one_column(PrimitiveType::Double);
    assert_eq!(read(file(), schema(), filter(Operator::IsNan, Vec::new())).1, 3);
    assert_eq!(read(file(), schema(), filter(Operator::Lt, vec![Value::Double(2.0)])).1, 1);
    assert_eq!(read(file(), schema(), filter(Operator::NotEq, vec![Value::Double(5.0)])).1, 5);
}

#[test]
fn negative_zero_equals_zero() {
    let values = Arc::new(Float64Array::from(vec![-0.0, -0.0, 0.0, 0.0, 1.0, 2.0]));
    let bytes = parquet(vec![column(1, "c", DataType::Float64)], vec![values], 2);
    let zero = test(1, PrimitiveType::Double, Operator::Eq, vec![Value::Double(0.0)]);
    assert_eq!(read(bytes, one_column(PrimitiveType::Double), zero).1, 4);
}

#[test]
fn long_strings_with_cut_bounds_are_found() {
    let long = |n: usize| format!("{}{n:03}", "é".repeat(100));
    let values = StringArray::from_iter_values((0..40).map(long));
    let bytes = parquet(vec![column(1, "c", DataType::Utf8)], vec![Arc::new(values)], 10);
    let last = test(1, PrimitiveType::String, Operator::Eq, vec![Value::String(long(39))]);
    assert_eq!(read(bytes, one_column(PrimitiveType::String), last).1, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pruning_drops_no_matching_row(
        values in proptest::collection::vec(proptest::option::of(-20_i64..20), 1..120),
        group_rows in 1_usize..40,
        bound in -25_i64..25,
        op in prop_oneof![
            Just(Operator::Lt), Just(Operator::LtEq), Just(Operator::Gt), Just(Operator::GtEq),
            Just(Operator::Eq), Just(Operator::NotEq),
        ],
    ) {
        let bytes = parquet(
            vec![column(1, "c", DataType::Int64)],
            vec![Arc::new(Int64Array::from(values.clone()))],
            group_rows,
        );
        let expected = values
            .iter()
            .filter(|value| match (op, value) {
                (Operator::NotEq, None) => true,
                (_, None) => false,
                (Operator::Lt, Some(value)) => *value < bound,
                (Operator::LtEq, Some(value)) => *value <= bound,
                (Operator::Gt, Some(value)) => *value > bound,
                (Operator::GtEq, Some(value)) => *value >= bound,
                (Operator::Eq, Some(value)) => *value == bound,
                (_, Some(value)) => *value != bound,
            })
            .count();
        let filter = test(1, PrimitiveType::Long, op, vec![Value::Long(bound)]);
        prop_assert_eq!(read(bytes, one_column(PrimitiveType::Long), filter).1, expected);
    }
}
