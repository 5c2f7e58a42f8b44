#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;

use crate::expr::sample::{COLUMNS, Row, expr, get, row, schema, two_valued};
use crate::expr::{
    BoundExpr, PartitionColumn, Residuals, bind, evaluate_row, parse, project_inclusive, project_strict,
};
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;

fn transforms() -> impl Strategy<Value = Transform> {
    prop::sample::select(vec![
        Transform::Identity,
        Transform::Bucket(1),
        Transform::Bucket(3),
        Transform::Truncate(1),
        Transform::Truncate(2),
        Transform::Truncate(7),
        Transform::Year,
        Transform::Month,
        Transform::Day,
        Transform::Hour,
        Transform::Void,
        Transform::Unknown("zorder".to_owned()),
    ])
}

fn partition_column(field_id: i32, source_id: i32, transform: Transform) -> Option<PartitionColumn> {
    let source_type = schema().field(source_id).unwrap().field_type.clone();
    let known = !matches!(transform, Transform::Void | Transform::Unknown(_));
    if known && !transform.accepts(&source_type) {
        return None;
    }
    let result_type = if known { transform.result_type(&source_type).unwrap() } else { source_type.clone() };
    Some(PartitionColumn {
        field_id,
        name: format!("p{field_id}"),
        source_id,
        transform,
        source_type,
        result_type,
    })
}

fn spec() -> impl Strategy<Value = Vec<PartitionColumn>> {
    let field = (prop::sample::select(COLUMNS.to_vec()), transforms());
    prop::collection::vec(field, 1..12).prop_map(|fields| {
        let fields = fields.into_iter().enumerate();
        fields
            .filter_map(|(at, ((id, _), transform))| partition_column(1000 + at as i32, id, transform))
            .collect()
    })
}

/// The partition of a row; an old writer puts times before 1970 one too high.
fn partition(fields: &[PartitionColumn], row: &Row, old_writer: bool) -> Vec<Option<Value>> {
    let value = |field: &PartitionColumn| {
        let value = match &field.transform {
            Transform::Void | Transform::Unknown(_) => None,
            transform => transform.apply(&get(row, field.source_id)?).unwrap(),
        };
        let is_time = matches!(field.transform, Transform::Year | Transform::Month | Transform::Hour);
        match value {
            Some(Value::Int(value)) if old_writer && is_time && value < 0 => Some(Value::Int(value + 1)),
            other => other,
        }
    };
    fields.iter().map(value).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn projections_and_residuals_hold_for_every_row(expr in expr(true), fields in spec(), row in row(), old: bool) {
        let bound = bind(&expr, &schema(), true).unwrap();
        let values = partition(&fields, &row, old);
        let by_id = |id: i32| values[fields.iter().position(|field| field.field_id == id).unwrap()].clone();
        let matches = two_valued(&expr, &row);
        let inclusive = project_inclusive(&bound, &fields);
        if matches {
            prop_assert!(evaluate_row(&inclusive, &by_id).unwrap(), "inclusive {} of {}", inclusive, bound);
        }
        let strict = project_strict(&bound, &fields);
        if evaluate_row(&strict, &by_id).unwrap() {
            prop_assert!(matches, "strict {} of {}", strict, bound);
        }
        let ids = fields.iter().map(|field| field.field_id);
        let tuple: Vec<_> = ids.zip(values.iter().cloned()).collect();
        let rest = Residuals::new(&bound, &fields).of(&tuple);
        prop_assert_eq!(evaluate_row(&rest, &|id| get(&row, id)).unwrap(), matches, "residual {} of {}", rest, bound);
    }
}

#[test]
fn a_residual_keeps_the_tests_that_no_value_of_the_partition_answers() {
    let bound = bind(&parse("i IN (1, 2, 3) AND l > 5").unwrap(), &schema(), true).unwrap();
    let field = partition_column(1000, 1, Transform::Identity).unwrap();
    let residuals = Residuals::new(&bound, &[field]);
    assert!(residuals.depend_on_partition());
    assert_eq!(residuals.of(&[(1000, Some(Value::Int(2)))]).to_string(), "l > 5");
    assert_eq!(residuals.of(&[(1000, Some(Value::Int(7)))]), BoundExpr::False);
    assert_eq!(residuals.of(&[]), bound, "a tuple without the field");
    let other = partition_column(1000, 5, Transform::Identity).unwrap();
    assert!(!Residuals::new(&bound, &[other]).depend_on_partition());
}

/// The inclusive and the strict projection of a filter through one partition field of its column.
fn projected(sql: &str, transform: Transform) -> [String; 2] {
    let bound = bind(&parse(sql).unwrap(), &schema(), true).unwrap();
    let field = partition_column(1000, bound.column_ids()[0], transform).unwrap();
    let fields = [PartitionColumn { name: "p".to_owned(), ..field }];
    [project_inclusive(&bound, &fields).to_string(), project_strict(&bound, &fields).to_string()]
}

#[test]
fn each_transform_projects_what_it_can_say() {
    let cases = [
        ("i < 10", Transform::Identity, "p < 10", "p < 10"),
        ("i < 10", Transform::Truncate(10), "p <= 0 OR p = 2147483646", "p < 10"),
        ("i <= 9", Transform::Truncate(10), "p <= 0 OR p = 2147483646", "p < 10"),
        ("i > 9", Transform::Truncate(10), "p >= 10", "p > 0 AND p != 2147483646"),
        ("i >= 10", Transform::Truncate(10), "p >= 10", "p > 0 AND p != 2147483646"),
        ("i = 15", Transform::Truncate(10), "p = 10", "FALSE"),
        ("i IN (15, 16, 25)", Transform::Truncate(10), "p IN (10, 20)", "FALSE"),
        ("l NOT IN (15, 25)", Transform::Truncate(10), "TRUE", "p NOT IN (10, 20)"),
        ("i = 34", Transform::Bucket(16), "p = 3", "FALSE"),
        ("l != 34", Transform::Bucket(16), "TRUE", "p != 3"),
        ("i < 34", Transform::Bucket(16), "p IS NOT NULL", "FALSE"),
        ("i IS NULL", Transform::Bucket(16), "p IS NULL", "p IS NULL"),
        ("bucket(16, i) IN (3, 4)", Transform::Bucket(16), "p IN (3, 4)", "p IN (3, 4)"),
        ("bucket(8, i) = 3", Transform::Bucket(16), "p IS NOT NULL", "FALSE"),
        ("s LIKE 'ab%'", Transform::Truncate(3), "p STARTS WITH 'ab'", "p STARTS WITH 'ab'"),
        ("s LIKE 'abcd%'", Transform::Truncate(3), "p = 'abc'", "FALSE"),
        ("s < 'ab'", Transform::Truncate(3), "p < 'ab'", "p < 'ab'"),
        ("s < 'abcd'", Transform::Truncate(3), "p <= 'abc'", "p < 'abc'"),
        ("s >= 'ab'", Transform::Truncate(3), "p >= 'ab'", "p >= 'ab'"),
        ("dt < '1970-02-01'", Transform::Month, "p <= 0", "p < 1"),
        ("ts >= '1970-01-02'", Transform::Day, "p >= DATE '1970-01-02'", "p > DATE '1970-01-01'"),
        ("ts = '1969-12-31T23:00:00'", Transform::Hour, "p IN (-1, 0)", "FALSE"),
        (
            "ts != '1969-12-31T23:00:00'",
            Transform::Year,
            "p IS NOT NULL",
            "p NOT IN (-1, 0) AND p IS NOT NULL",
        ),
        ("ts < '1969-12-31'", Transform::Day, "p <= DATE '1969-12-31'", "p < DATE '1969-12-31'"),
        ("ts >= '1969-12-31'", Transform::Day, "p >= DATE '1969-12-31'", "p > DATE '1969-12-31'"),
        ("dt = '1969-12-31'", Transform::Day, "p = DATE '1969-12-31'", "FALSE"),
        ("i = 5", Transform::Void, "TRUE", "FALSE"),
        ("i IS NULL", Transform::Void, "TRUE", "FALSE"),
        ("i = 5", Transform::Unknown("zorder".to_owned()), "TRUE", "FALSE"),
    ];
    for (sql, transform, inclusive, strict) in cases {
        let name = transform.to_string();
        assert_eq!(projected(sql, transform), [inclusive, strict], "{sql} through {name}");
    }
}

#[test]
fn a_prefix_is_cut_after_code_points_not_after_units_of_utf_16() {
    let cases = [
        ("s LIKE '\u{1f600}\u{1f601}%'", 3, "p STARTS WITH '\u{1f600}\u{1f601}'"),
        ("s LIKE '\u{1f600}\u{1f601}%'", 1, "p = '\u{1f600}'"),
        ("s LIKE '\u{1f600}%'", 1, "p STARTS WITH '\u{1f600}'"),
    ];
    for (sql, width, inclusive) in cases {
        assert_eq!(projected(sql, Transform::Truncate(width))[0], inclusive, "{sql} through {width}");
    }
}

#[test]
fn a_column_that_was_promoted_is_tested_with_its_old_type() {
    let bound = bind(&parse("l = 5").unwrap(), &schema(), true).unwrap();
    let field = PartitionColumn {
        field_id: 1000,
        name: "p".to_owned(),
        source_id: 2,
        transform: Transform::Identity,
        source_type: Type::Primitive(PrimitiveType::Int),
        result_type: Type::Primitive(PrimitiveType::Int),
    };
    let inclusive = project_inclusive(&bound, std::slice::from_ref(&field));
    assert!(evaluate_row(&inclusive, &|_| Some(Value::Int(5))).unwrap());
    assert!(!evaluate_row(&inclusive, &|_| Some(Value::Int(6))).unwrap());
    let beyond = bind(&parse("l = 3000000000").unwrap(), &schema(), true).unwrap();
    assert_eq!(project_inclusive(&beyond, &[field]).to_string(), "p IS NOT NULL");
}

#[test]
fn a_condition_stays_whatever_the_partition() {
    let fields = [partition_column(1000, 1, Transform::Identity).unwrap()];
    let bound = |sql: &str| bind(&parse(sql).unwrap(), &schema(), true).unwrap();
    let filter = bound("i = 1 AND i + l > 3");
    assert_eq!(project_inclusive(&filter, &fields).to_string(), "p1000 = 1");
    assert_eq!(project_strict(&filter, &fields), BoundExpr::False);
    let either = bound("i = 1 OR i + l > 3");
    assert_eq!(project_inclusive(&either, &fields), BoundExpr::True);
    assert_eq!(project_strict(&either, &fields).to_string(), "p1000 = 1");
    let residuals = Residuals::new(&filter, &fields);
    assert_eq!(residuals.of(&[(1000, Some(Value::Int(1)))]).to_string(), "i + l > 3");
    assert_eq!(residuals.of(&[(1000, Some(Value::Int(2)))]), BoundExpr::False);
}
