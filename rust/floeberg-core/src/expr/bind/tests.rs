#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;

use crate::expr::sample::{expr, get, row, schema, three_valued, two_valued};
use crate::expr::{Expr, Operator, RawLiteral, Term, bind, evaluate_row, parse};
use crate::schema::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};

fn bound(sql: &str) -> String {
    bind(&parse(sql).unwrap(), &schema(), true).unwrap().to_string()
}

fn refused(sql: &str, schema: &Schema) -> String {
    bind(&parse(sql).unwrap(), schema, true).unwrap_err().to_string()
}

proptest! {
    #[test]
    fn binding_keeps_the_two_valued_meaning(expr in expr(true), row in row()) {
        let bound = bind(&expr, &schema(), true).unwrap();
        prop_assert_eq!(evaluate_row(&bound, &|id| get(&row, id)).unwrap(), two_valued(&expr, &row), "{}", bound);
        let opposite = bind(&Expr::Not(Box::new(expr.clone())), &schema(), true).unwrap();
        prop_assert_eq!(evaluate_row(&opposite, &|id| get(&row, id)).unwrap(), !two_valued(&expr, &row), "{}", opposite);
    }

    #[test]
    fn a_text_means_what_sql_means(expr in expr(true), row in row()) {
        let bound = bind(&parse(&expr.to_string()).unwrap(), &schema(), true).unwrap();
        let matches = evaluate_row(&bound, &|id| get(&row, id)).unwrap();
        prop_assert_eq!(matches, three_valued(&expr, &row) == Some(true), "{}: {}", expr, bound);
    }
}

#[test]
fn a_literal_beyond_or_between_the_values_is_folded() {
    let cases = [
        ("l < 9223372036854775808", "TRUE"),
        ("i < 3000000000", "i IS NOT NULL"),
        ("i > 3000000000", "FALSE"),
        ("i >= -3000000000", "i IS NOT NULL"),
        ("i = 1.5", "FALSE"),
        ("i > 1.5", "i >= 2"),
        ("i < -1.5", "i <= -2"),
        ("i != 1.5", "i IS NOT NULL"),
        ("i = 2.0", "i = 2"),
        ("i IN (1.5, 3000000000)", "FALSE"),
        ("i IN (3, 1, 3.0, 2.5)", "i IN (1, 3)"),
        ("i IN (1.5, 2)", "i = 2"),
        ("dec = 1.505", "FALSE"),
        ("dec > 1.505", "dec >= 1.51"),
        ("dec < 10000000", "dec IS NOT NULL"),
        ("dec = '12.30'", "dec = 12.30"),
        ("d = 5", "d = 5.0"),
        ("d < 'Infinity'", "d < 'Infinity'"),
        ("f < 1e39", "f <= 3.4028235e38"),
        ("f = 0.1", "f = 0.1"),
        ("dt >= '1970-01-02T12:00:00'", "dt >= DATE '1970-01-03'"),
        ("dt = '1970-01-02T00:00:00'", "dt = DATE '1970-01-02'"),
        ("dt = 1", "dt = DATE '1970-01-02'"),
        ("ts < '1970-01-02'", "ts < TIMESTAMP '1970-01-02T00:00:00'"),
        ("ts > TIMESTAMP '1970-01-01T00:00:00.000000001'", "ts >= TIMESTAMP '1970-01-01T00:00:00.000001'"),
        ("s LIKE '%'", "s IS NOT NULL"),
        ("s NOT LIKE '%'", "FALSE"),
        ("b IN (TRUE, TRUE)", "b = true"),
    ];
    for (sql, expected) in cases {
        assert_eq!(bound(sql), expected, "{sql}");
    }
}

#[test]
fn null_tests_are_folded_and_said_once() {
    let cases = [
        ("l IS NULL", "FALSE"),
        ("l IS NOT NULL", "TRUE"),
        ("l != 5", "l != 5"),
        ("NOT (i < 5)", "i >= 5"),
        ("NOT (d < 5)", "(d >= 5.0 OR d IS NAN) AND d IS NOT NULL"),
        ("i IS NOT NULL AND i > 5 AND i IS NOT NULL", "i > 5"),
        ("i != 5", "i != 5 AND i IS NOT NULL"),
        ("st.a IS NULL", "st.a IS NULL"),
        ("bucket(4, i) IS NULL", "i IS NULL"),
        ("void(l) = 5", "FALSE"),
        ("identity(i) = 5", "i = 5"),
        ("bucket(4, i) = 5", "bucket(4, i) = 5"),
        ("day(ts) = '1970-01-02'", "day(ts) = DATE '1970-01-02'"),
        ("i = 1 AND (s = 'x' AND FALSE)", "FALSE"),
    ];
    for (sql, expected) in cases {
        assert_eq!(bound(sql), expected, "{sql}");
    }
}

#[test]
fn errors_name_the_column_its_type_and_the_literal() {
    let cases = [
        ("idd = 1", "no column is named \"idd\""),
        ("i = 'abc'", "column \"i\": i of type int can not be compared with 'abc': expected a number"),
        ("s = 5", "column \"s\": s of type string can not be compared with 5: expected a text"),
        ("i = TRUE", "can not be compared with TRUE"),
        ("b = 1", "expected TRUE or FALSE"),
        ("d = 'NaN'", "use IS NAN"),
        ("i IS NAN", "IS NAN is for float and double; i is of type int"),
        ("i STARTS WITH 'x'", "STARTS WITH is for strings; i is of type int"),
        ("dt = 'x'", "column \"dt\": dt of type date can not be compared with 'x'"),
        ("dt = TIME '10:00:00'", "expected a day"),
        ("ts = '1970-01-01T00:00:00Z'", "without a time zone"),
        ("ts = TIMESTAMPTZ '1970-01-01T00:00:00Z'", "without a time zone"),
        ("day(i) = 5", "does not take column \"i\" of type int"),
        ("st = 5", "can only be filtered by IS NULL"),
    ];
    for (sql, expected) in cases {
        let message = refused(sql, &schema());
        assert!(message.contains(expected), "{sql}: {message}");
    }
}

fn special() -> Schema {
    let element = Field::optional(3, "element", PrimitiveType::Int);
    let (key, value) =
        (Field::required(5, "key", PrimitiveType::String), Field::optional(6, "value", PrimitiveType::Int));
    let inner = StructType { fields: vec![Field::required(8, "b", PrimitiveType::Int)] };
    let fields = vec![
        Field::optional(1, "tz", PrimitiveType::Timestamptz),
        Field::optional(2, "list", Type::List(Box::new(ListType { element }))),
        Field::optional(4, "map", Type::Map(Box::new(MapType { key, value }))),
        Field::optional(7, "a", Type::Struct(inner)),
        Field::required(9, "a.b", PrimitiveType::String),
        Field::optional(10, "u", PrimitiveType::Unknown),
        Field::optional(11, "v", Type::Variant),
        Field::optional(12, "geo", PrimitiveType::Geometry { crs: None }),
        Field::optional(13, "new", Type::Unrecognized("int128".to_owned())),
        Field::optional(14, "id", PrimitiveType::Uuid),
        Field::optional(15, "fx", PrimitiveType::Fixed(2)),
        Field::optional(16, "ID", PrimitiveType::Int),
    ];
    Schema::new(0, fields).unwrap()
}

#[test]
fn types_without_comparisons_are_tested_for_null_only() {
    let schema = special();
    for name in ["list", "map", "a", "v", "geo", "new"] {
        let text = bind(&parse(&format!("{name} IS NULL")).unwrap(), &schema, true).unwrap().to_string();
        assert_eq!(text, format!("{name} IS NULL"));
        let message = refused(&format!("{name} IN (1)"), &schema);
        assert!(message.contains("can only be filtered by IS NULL and IS NOT NULL"), "{message}");
    }
    assert!(refused("list.element = 1", &schema).contains("inside \"list\", a list"));
    assert!(refused("map.key = 'x'", &schema).contains("a map"));
    for (sql, expected) in
        [("u IS NULL", "TRUE"), ("u IS NOT NULL", "FALSE"), ("u = 5", "FALSE"), ("u != 5", "FALSE")]
    {
        assert_eq!(bind(&parse(sql).unwrap(), &schema, true).unwrap().to_string(), expected);
    }
    let unequal = Expr::comparison(Operator::NotEq, Term::column("u"), RawLiteral::Integer(5));
    assert_eq!(bind(&unequal, &schema, true).unwrap().to_string(), "TRUE");
}

#[test]
fn an_exact_name_wins_over_a_nested_path_and_case_may_be_ignored() {
    let schema = special();
    assert_eq!(bind(&parse("a.b = 'x'").unwrap(), &schema, true).unwrap().column_ids(), [9]);
    assert!(refused("TZ IS NULL", &schema).contains("near matches: \"tz\""));
    assert_eq!(bind(&parse("TZ IS NULL").unwrap(), &schema, false).unwrap().column_ids(), [1]);
    assert_eq!(bind(&parse("ID IS NULL").unwrap(), &schema, false).unwrap().column_ids(), [16]);
    assert!(
        bind(&parse("Id IS NULL").unwrap(), &schema, false).unwrap_err().to_string().contains("ambiguous")
    );
}

#[test]
fn a_moment_with_a_zone_needs_a_literal_with_one() {
    let schema = special();
    for sql in ["tz = '1970-01-01T01:00:00+01:00'", "tz = 0", "tz = TIMESTAMP '1970-01-01 00:00:00+00:00'"] {
        let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap().to_string();
        assert_eq!(bound, "tz = TIMESTAMPTZ '1970-01-01T00:00:00+00:00'", "{sql}");
    }
    for sql in ["tz = '1970-01-01T01:00:00'", "tz = '1970-01-01'", "tz = DATE '1970-01-01'"] {
        assert!(refused(sql, &schema).contains("with a time zone"), "{sql}");
    }
}

#[test]
fn bytes_need_the_length_of_their_column() {
    let schema = special();
    let sql = "fx = 'AAff' AND id = 'F79C3E09-677c-4bbd-a479-3f349cb785e7'";
    let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap().to_string();
    assert_eq!(bound, "fx = X'aaff' AND id = UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'");
    assert!(refused("fx = X'00'", &schema).contains("expected 2 bytes, found 1"));
    assert!(refused("id = 'f79c'", &schema).contains("uuid"));
}

#[test]
fn a_comparison_without_its_literal_is_an_error_not_a_panic() {
    for op in [Operator::Eq, Operator::Lt, Operator::StartsWith] {
        let expr = Expr::set(op, Term::column("s"), Vec::new());
        assert!(bind(&expr, &schema(), true).unwrap_err().to_string().contains("takes one literal, found 0"));
    }
    assert_eq!(
        bind(&Expr::set(Operator::In, Term::column("s"), Vec::new()), &schema(), true).unwrap().to_string(),
        "FALSE"
    );
}

#[test]
fn a_tree_that_is_too_deep_is_refused() {
    let mut expr = parse("i = 1").unwrap();
    for level in 0..400 {
        let other = parse("l = 1").unwrap();
        expr = if level % 2 == 0 { expr.and(other) } else { expr.or(other) };
    }
    assert_eq!(bind(&expr, &schema(), true).unwrap_err().kind(), crate::ErrorKind::LimitExceeded);
}

#[test]
fn a_condition_is_checked_against_the_types_of_its_columns() {
    let cases = [
        ("i + l > 3", "i + l > 3"),
        ("st.a > i AND i = 1", "st.a > i AND i = 1"),
        ("NOT i > l", "NOT (i > l)"),
        ("1 = 1", "TRUE"),
        ("1 + 1 = 3 OR i = 1", "i = 1"),
        ("NOT 1 = 1", "FALSE"),
        ("CASE WHEN TRUE THEN NULL END", "FALSE"),
        ("(i > l) IS NOT TRUE", "(i > l) IS NOT TRUE"),
    ];
    for (sql, expected) in cases {
        assert_eq!(bound(sql), expected, "{sql}");
    }
    let cases = [
        ("idd + 1 = 1", "no column is named \"idd\""),
        ("s = \"x\"", "texts stand in single quotes, as in 'x'"),
        ("i + s > 1", "the SQL expression \"i + s > 1\" cannot be computed"),
        ("coalesce(i, 1)", "expected a condition, found \"coalesce(i, 1)\" of type"),
        ("upper(i) = 'X'", "cannot be computed"),
        ("dt > ts AND dt + 1 > dt", "cannot be computed"),
        ("1 / 0 = 1", "divide by zero, in \"1 / 0\" at position 1"),
        ("i + 1 = 'x'", "expected a number"),
    ];
    for (sql, expected) in cases {
        let message = refused(sql, &schema());
        assert!(message.contains(expected), "{sql}: {message}");
    }
    assert!(refused("v IS TRUE", &special()).contains("can only be filtered by IS NULL"));
    assert!(refused("list.element + 1 = 1", &special()).contains("inside \"list\", a list"));
    let negated = Expr::Not(Box::new(parse("i > l").unwrap()));
    assert_eq!(bind(&negated, &schema(), true).unwrap().to_string(), "(i > l) IS NOT TRUE");
    let columns = bind(&parse("I + l > 3 OR i = 2").unwrap(), &schema(), false).unwrap().column_ids();
    assert_eq!(columns, [1, 2]);
}
