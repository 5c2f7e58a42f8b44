use floeberg_core::expr::{BoundExpr, Operator};
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::value::Value;

use super::fixture::{batches, below, filtered, longs, numbers, numbers_schema, request, rows, store, test};

#[test]
fn a_filter_on_a_column_of_the_file_leaves_matching_rows() {
    let store = store(numbers(100, 30));
    assert_eq!(rows(request(&store, numbers_schema()), &filtered(below(42))), (0..42).collect::<Vec<_>>());
    assert!(rows(request(&store, numbers_schema()), &filtered(below(0))).is_empty());
    assert!(rows(request(&store, numbers_schema()), &filtered(BoundExpr::False)).is_empty());
}

#[test]
fn a_filter_may_read_a_column_that_is_not_projected() {
    let mut request = request(&store(numbers(20, 5)), numbers_schema());
    let text = vec![Field::optional(2, "s", PrimitiveType::String)];
    request.projected = Schema::new(0, text).unwrap().into();
    let batches = batches(request, &filtered(below(7))).unwrap();
    assert_eq!(batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(), 7);
    assert!(batches.iter().all(|batch| batch.num_columns() == 1));
}

#[test]
fn a_filter_on_an_absent_column_is_decided_by_its_default() {
    let added = Field { initial_default: Some(Value::Int(5)), ..Field::optional(9, "x", PrimitiveType::Int) };
    let mut fields = numbers_schema().fields().to_vec();
    fields.push(added);
    let schema = Schema::new(0, fields).unwrap();
    let store = store(numbers(4, 10));
    for (value, expected) in [(5, 4), (6, 0)] {
        let equal = test(9, PrimitiveType::Int, Operator::Eq, vec![Value::Int(value)]);
        let found = batches(request(&store, schema.clone()), &filtered(equal)).unwrap();
        assert_eq!(longs(&found).len(), expected);
    }
}

#[test]
fn a_filter_over_a_present_and_an_absent_column_reads_both() {
    let mut fields = numbers_schema().fields().to_vec();
    fields.push(Field::optional(9, "x", PrimitiveType::Int));
    let schema = Schema::new(0, fields).unwrap();
    let absent = test(9, PrimitiveType::Int, Operator::NotNull, Vec::new());
    let either = BoundExpr::Or(vec![absent, below(3)]);
    let found = batches(request(&store(numbers(10, 4)), schema), &filtered(either)).unwrap();
    assert_eq!(longs(&found), [0, 1, 2]);
}
