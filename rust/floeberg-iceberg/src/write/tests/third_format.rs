//! A format that nobody had in mind goes the same ways.

use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use proptest::prelude::*;

use super::fixture::{Rows, partitioned, recipe, rows_of, with, write};
use super::sorting::sorted;
use super::types::{bits, tables};
use crate::metadata::{NullOrder, SortDirection};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn what_is_written_is_read_back((recipe, rows) in tables(), batch_rows in 1_usize..20) {
        let recipe = with(recipe, &[("write.format.default", "arrow")]);
        let (store, receipt) = write(&recipe, &rows, batch_rows);
        let read: Rows = receipt.files().iter().flat_map(|file| rows_of(&store, &recipe, file)).collect();
        prop_assert_eq!(bits(&read), bits(&rows));
    }
}

#[test]
fn its_files_are_sorted_and_partitioned_and_are_named_by_it() {
    let fields = vec![Field::required(1, "n", P::Long), Field::required(2, "p", P::Int)];
    let recipe = with(recipe(fields), &[("write.format.default", "arrow")]);
    let recipe = sorted(
        partitioned(recipe, &[(2, Transform::Identity)]),
        &[(1, Transform::Identity, SortDirection::Descending, NullOrder::First)],
    );
    let row = |n: i64| vec![Some(Value::Long(n)), Some(Value::Int((n % 3) as i32))];
    let (store, receipt) = write(&recipe, &(0..30).map(row).collect(), 7);
    assert_eq!(receipt.files().len(), 3);
    for written in receipt.files() {
        assert_eq!(written.file.file_path.rsplit('.').next(), Some("arrow"));
        let Some(Value::Int(part)) = written.file.partition[0] else { panic!("{written:?}") };
        let expected: Rows = (0..10).rev().map(|n| row(3 * n + i64::from(part))).collect();
        assert_eq!(rows_of(&store, &recipe, written), expected);
    }
}
