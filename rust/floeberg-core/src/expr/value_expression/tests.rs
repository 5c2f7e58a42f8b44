#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};

use super::ValueExpression;
use crate::error::ErrorKind;

fn columns() -> HashMap<String, ArrayRef> {
    let columns: [(&str, ArrayRef); 4] = [
        ("i", Arc::new(Int64Array::from(vec![Some(1), Some(2), None]))),
        ("d", Arc::new(Float64Array::from(vec![Some(f64::NAN), Some(-0.0), None]))),
        ("s", Arc::new(StringArray::from(vec![Some("a%"), Some("Äb"), None]))),
        ("b", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
    ];
    columns.map(|(name, column)| (name.to_owned(), column)).into()
}

fn values(text: &str) -> ArrayRef {
    ValueExpression::parse(text).unwrap().evaluate(&columns(), 3).unwrap()
}

fn bools(text: &str) -> Vec<Option<bool>> {
    values(text).as_boolean().iter().collect()
}

fn wrong(text: &str) -> (ErrorKind, String) {
    let error = match ValueExpression::parse(text) {
        Ok(expression) => expression.evaluate(&columns(), 3).unwrap_err(),
        Err(error) => error,
    };
    (error.kind(), error.message().to_owned())
}

#[test]
fn operators_bind_as_in_sql() {
    let found = values("1 + 2 * i - -3 % 2");
    assert_eq!(found.as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(4), Some(6), None]);
    assert_eq!(bools("NOT i = 1 AND b OR i = 1"), [Some(true), Some(false), None]);
    assert_eq!(bools("'x' || 'y' = 'xy'"), [Some(true); 3]);
    assert_eq!(bools("i::DOUBLE / 2 = 0.5"), [Some(true), Some(false), None]);
    assert_eq!(bools("-9223372036854775808 < i"), [Some(true), Some(true), None]);
}

#[test]
fn floats_compare_by_ieee_754() {
    assert_eq!(bools("d = d"), [Some(false), Some(true), None]);
    assert_eq!(bools("d <> 1"), [Some(true), Some(true), None]);
    assert_eq!(bools("d = 0"), [Some(false), Some(true), None]);
    assert_eq!(bools("d < i"), [Some(false), Some(true), None]);
    assert_eq!(bools("d IS NAN"), [Some(true), Some(false), None]);
    assert_eq!(bools("d IN (0, 1)"), [Some(false), Some(true), None]);
    assert_eq!(bools("d IS NOT DISTINCT FROM NULL"), [Some(false), Some(false), Some(true)]);
}

#[test]
fn patterns_know_escapes_and_case() {
    assert_eq!(bools(r"s LIKE '_\%'"), [Some(true), Some(false), None]);
    assert_eq!(bools("s LIKE '_!%' ESCAPE '!'"), [Some(true), Some(false), None]);
    assert_eq!(bools("s ILIKE 'äB'"), [Some(false), Some(true), None]);
    assert_eq!(bools("s NOT LIKE '%b%'"), [Some(true), Some(false), None]);
    assert_eq!(bools("s STARTS WITH 'a%'"), [Some(true), Some(false), None]);
}

#[test]
fn casts_that_fail_are_errors_or_null() {
    assert_eq!(wrong("CAST(s AS INT)").0, ErrorKind::InvalidInput);
    assert_eq!(values("TRY_CAST(s AS INT)").null_count(), 3);
    assert_eq!(values("TRY_CAST(1.5 AS INT)").null_count(), 3);
    assert_eq!(values("TRY_CAST('x' AS DATE)").null_count(), 3);
    assert_eq!(
        bools("CAST(TIMESTAMP '2024-01-02 10:00:00.50' AS TEXT) = '2024-01-02 10:00:00.5'"),
        [Some(true); 3]
    );
    assert_eq!(
        bools("CAST(TIMESTAMP '1969-12-31 23:59:59.999999' AS DATE) = DATE '1969-12-31'"),
        [Some(true); 3]
    );
}

#[test]
fn a_branch_is_computed_for_its_own_rows() {
    let found = values("CASE WHEN i = 2 THEN 0 ELSE 1 / (i - 2) END");
    assert_eq!(found.as_primitive::<Float64Type>().iter().collect::<Vec<_>>(), [Some(-1.0), Some(0.0), None]);
    assert_eq!(
        wrong("1 / (i - 2)").1,
        r#"the SQL expression "1 / (i - 2)" cannot be computed: divide by zero"#
    );
    assert_eq!(bools("i <> 2 AND 1 / (i - 2) < 0"), [Some(true), Some(false), None]);
}

#[test]
fn what_is_not_understood_says_where() {
    let (kind, said) = wrong("i + sum(i)");
    assert_eq!(kind, ErrorKind::Unsupported);
    assert!(said.contains(r#"has "sum(i)", which is not supported: there is no such function"#), "{said}");
    let (kind, said) = wrong("i + * 2");
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(said.contains("cannot be parsed at position 5"), "{said}");
    let deep = format!("{}i{}", "(".repeat(300), ")".repeat(300));
    assert!(wrong(&deep).1.contains("nested too deeply"));
    let long = format!("i{}", " + 1".repeat(5000));
    assert_eq!(values(&long).as_primitive::<Int64Type>().value(0), 5001);
}

#[test]
fn equalities_are_told_from_the_rest_of_a_condition() {
    let condition = ValueExpression::parse("target.id = source.k AND (b AND i = 1)").unwrap();
    let terms = condition.conjuncts();
    assert_eq!(terms.len(), 3);
    assert_eq!(terms[0].equal_columns(), Some(("target.id", "source.k")));
    assert_eq!(terms[2].equal_columns(), None);
    let rest = condition.all_of(&terms[1..]);
    assert_eq!(rest.columns(), ["b", "i"]);
    assert_eq!(
        rest.evaluate(&columns(), 3).unwrap().as_boolean().iter().collect::<Vec<_>>(),
        [Some(true), Some(false), None]
    );
}
