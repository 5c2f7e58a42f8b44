#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::{Duration, Instant};

use crate::error::ErrorKind;
use crate::expr::{Expr, MAX_DEPTH, ValueExpression, parse};

fn condition(text: &str) -> Expr {
    Expr::Condition(ValueExpression::parse_condition(text).unwrap())
}

#[test]
fn what_is_no_test_of_a_column_is_a_condition_of_values() {
    for sql in [
        "a * b > 100",
        "upper(a) = 'X'",
        "CASE WHEN a > 1 THEN 1 END = 1",
        "a = b",
        "a LIKE '%x'",
        "a ILIKE 'x'",
        "a IS TRUE",
        "a IS DISTINCT FROM b",
        "a <=> NULL",
        "1 = 1",
        "(a + 1) > 2",
        "((a)) + 1 > 2",
        "CAST(a AS BOOLEAN)",
        "coalesce(a, FALSE)",
        "a IN (b, 1)",
        "a BETWEEN b AND 5",
        "-a > 5",
    ] {
        assert_eq!(parse(sql).unwrap(), condition(sql), "{sql}");
        assert_eq!(parse(&format!("  ( {sql} ) ")).unwrap(), condition(sql), "{sql}");
    }
}

#[test]
fn tests_of_columns_beside_a_condition_stay_tests() {
    let read = parse("a = 1 AND (b + 1 > 2 OR c IN (1, 2)) AND a BETWEEN 1 AND 2").unwrap();
    let expected = Expr::all_of([
        parse("a = 1").unwrap(),
        Expr::any_of([condition("b + 1 > 2"), parse("c IN (1, 2)").unwrap()]),
        parse("a BETWEEN 1 AND 2").unwrap(),
    ]);
    assert_eq!(read, expected);
    assert_eq!(read.column_names().len(), 5);
    assert_eq!(parse(&read.to_string()).unwrap(), read);
}

#[test]
fn a_negated_condition_is_null_where_the_condition_is() {
    let negated = condition("NOT (a + 1 > 2)");
    for sql in ["NOT a + 1 > 2", "NOT (a + 1 > 2)", "not ( a + 1 > 2 )", "NOT NOT NOT a + 1 > 2"] {
        assert_eq!(parse(sql).unwrap(), negated, "{sql}");
    }
    assert_eq!(parse("NOT NOT a + 1 > 2").unwrap(), condition("a + 1 > 2"));
    let split = parse("NOT (a + 1 > 2 OR b = 1)").unwrap();
    assert_eq!(split, negated.clone().and(parse("NOT b = 1").unwrap()));
    let other = Expr::Not(Box::new(condition("a + 1 > 2")));
    assert_eq!(other.to_string(), "(a + 1 > 2) IS NOT TRUE");
    assert_eq!(parse(&other.to_string()).unwrap(), condition("(a + 1 > 2) IS NOT TRUE"));
}

#[test]
fn conditions_are_shown_so_that_they_read_back() {
    let joined = Expr::Condition(ValueExpression::parse_condition("a + 1 > 2 OR b").unwrap());
    let both = Expr::And(vec![joined, parse("c = 1").unwrap()]);
    assert_eq!(both.to_string(), "(a + 1 > 2 OR b) AND c = 1");
    assert_eq!(parse("a + 1 > 2 ;").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(ValueExpression::parse_condition("a > b ; ").unwrap().text(), "a > b");
}

#[test]
fn unknown_functions_and_types_say_where_they_are() {
    let error = parse("a = 1 AND b + sum(c) > 2").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let said = error.message();
    assert!(
        said.starts_with("the filter has \"sum(c) > 2\", which is not supported: there is no such"),
        "{said}"
    );
    assert!(parse("CAST(a AS point) = 1").unwrap_err().message().contains("there is no such type"));
    for text in ["a + 1", "5", "'x'", "length(a)", "NULL", "a = NULL", "a + 1 IN (1, NULL)", "a", "a b"] {
        let read = ValueExpression::parse_condition(text);
        assert_eq!(read.is_ok(), text == "a", "{text}");
    }
}

#[test]
fn a_word_that_names_a_transform_is_no_function_in_a_filter() {
    assert_eq!(
        parse("year(ts) = 2024").unwrap().to_string(),
        "year(ts) = 2024",
        "compared with a literal it is the transform"
    );
    for sql in [
        "year(ts) + 1 = 2025",
        "a = 1 AND month(ts) = b",
        "day(ts) = 1 + 1",
        "HOUR(ts) IN (1, b)",
        "year(a + INTERVAL 1 DAY) = 2024",
        "CASE WHEN year(ts) = 2024 THEN TRUE END",
    ] {
        let error = parse(sql).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}");
        assert!(error.message().contains("write EXTRACT(YEAR FROM x)"), "{sql}: {error}");
    }
    for sql in ["year(ts) = 2024", "NOT day(ts) = 1", "hour(ts) + 1 > 2"] {
        let error = ValueExpression::parse_condition(sql).unwrap_err();
        assert!(error.message().contains("write EXTRACT(YEAR FROM x)"), "{sql}: {error}");
    }
    for sql in [
        "EXTRACT(YEAR FROM ts) = 2024",
        "date_part('month', ts) = b",
        "dayofyear(ts) = 1",
        "date_trunc('month', ts) = TIMESTAMP '2024-01-01 00:00:00'",
        "ts >= day + INTERVAL '1' DAY",
        "QUARTER(ts) IN (1, 2)",
    ] {
        let read = parse(sql).unwrap();
        assert_eq!(read, condition(sql), "{sql}");
        assert_eq!(parse(&read.to_string()).unwrap(), read, "{sql}");
    }
}

#[test]
fn other_names_stand_in_the_places_of_those_that_were_written() {
    let read = ValueExpression::parse_condition("a+\"b c\">a.b AND 'a' <> a").unwrap();
    let named = |name: &str| Ok(if name == "a" { "x\"y".to_owned() } else { name.to_owned() });
    let renamed = read.with_names(&named).unwrap();
    assert_eq!(renamed.text(), "\"x\"\"y\" +\"b c\">a.b AND 'a' <> \"x\"\"y\"");
    assert_eq!(renamed.columns(), ["a.b", "b c", "x\"y"]);
    assert_eq!(read.with_names(&|name| Ok(name.to_owned())).unwrap(), read);
}

#[test]
fn nested_conditions_are_read_in_time_or_refused() {
    let levels = MAX_DEPTH - 60;
    let chain = "a + 1 > 2 AND ".repeat(20_000) + "a + 1 > 2";
    let long = format!("{}{chain}{}", "(".repeat(levels), ")".repeat(levels));
    let begun = Instant::now();
    assert!(matches!(parse(&long).unwrap(), Expr::And(terms) if terms.len() == 20_001));
    // Neither grammar takes the end of it.
    let wrong = format!("{}{chain} AND +{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse(&wrong).is_err());
    let operators = format!("{}{chain}{} > 1", "(".repeat(levels), " = b)".repeat(levels));
    assert!(parse(&operators).is_ok());
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let deep = format!("{}a + 1{} > 2", "(".repeat(1_000_000), ")".repeat(1_000_000));
    assert_eq!(parse(&deep).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let deep = format!("{}a + 1 > 2{}", "(".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1));
    assert_eq!(parse(&deep).unwrap_err().kind(), ErrorKind::LimitExceeded);
}
