#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::expr::{Expr, MAX_DEPTH, Operator, RawLiteral, Term, parse, value_columns};
use crate::transform::Transform;
use crate::value::Value;

fn column(name: &str) -> Term {
    Term::column(name)
}

fn integer(number: i128) -> RawLiteral {
    RawLiteral::Integer(number)
}

fn text(text: &str) -> RawLiteral {
    RawLiteral::String(text.to_owned())
}

fn eq(name: &str, literal: RawLiteral) -> Expr {
    Expr::comparison(Operator::Eq, column(name), literal)
}

fn not_null(name: &str) -> Expr {
    Expr::unary(Operator::NotNull, column(name))
}

#[test]
fn every_comparison_sign_has_its_test_on_either_side() {
    let cases = [
        ("a = 5", "5 == a", Operator::Eq),
        ("a < 5", "5 > a", Operator::Lt),
        ("a <= 5", "5 >= a", Operator::LtEq),
        ("a > 5", "5 < a", Operator::Gt),
        ("a >= 5", "5 <= a", Operator::GtEq),
    ];
    for (forward, backward, op) in cases {
        let expected = Expr::comparison(op, column("a"), integer(5));
        assert_eq!(parse(forward).unwrap(), expected, "{forward}");
        assert_eq!(parse(backward).unwrap(), expected, "{backward}");
    }
}

#[test]
fn a_negated_test_is_not_true_for_null() {
    let unequal = Expr::comparison(Operator::NotEq, column("a"), integer(5)).and(not_null("a"));
    for sql in ["a != 5", "a <> 5", "NOT a = 5", "not (a = 5)", "5 != a", "NOT NOT a != 5"] {
        assert_eq!(parse(sql).unwrap(), unequal, "{sql}");
    }
    let none = Expr::set(Operator::NotIn, column("a"), vec![integer(1), integer(2)]).and(not_null("a"));
    assert_eq!(parse("a NOT IN (1, 2)").unwrap(), none);
    assert_eq!(parse("NOT a IN (1, 2)").unwrap(), none);
    let less = Expr::comparison(Operator::Lt, column("a"), integer(5));
    assert_eq!(parse("NOT a < 5").unwrap(), less.negate().and(not_null("a")));
    let other = Expr::comparison(Operator::NotStartsWith, column("a"), text("x")).and(not_null("a"));
    assert_eq!(parse("a NOT LIKE 'x%'").unwrap(), other);
    assert_eq!(parse("a NOT STARTS WITH 'x'").unwrap(), other);
}

#[test]
fn not_is_pushed_through_and_and_or() {
    assert_eq!(parse("NOT (a = 1 AND b IS NULL)").unwrap(), parse("a != 1 OR b IS NOT NULL").unwrap());
    assert_eq!(parse("NOT (a = 1 OR NOT b = 2)").unwrap(), parse("a != 1 AND b = 2").unwrap());
    assert_eq!(parse("NOT (a BETWEEN 1 AND 2)").unwrap(), parse("a NOT BETWEEN 1 AND 2").unwrap());
    assert_eq!(parse("NOT TRUE OR FALSE").unwrap(), Expr::False);
}

#[test]
fn and_binds_tighter_than_or_and_between_takes_its_own_and() {
    let expected = Expr::any_of([eq("a", integer(1)), eq("b", integer(2)).and(eq("c", integer(3)))]);
    assert_eq!(parse("a = 1 OR b = 2 AND c = 3").unwrap(), expected);
    let between = Expr::all_of([
        Expr::comparison(Operator::GtEq, column("a"), integer(-5)),
        Expr::comparison(Operator::LtEq, column("a"), integer(5)),
        eq("b", integer(1)),
    ]);
    assert_eq!(parse("a BETWEEN -5 AND +5 AND b = 1").unwrap(), between);
}

#[test]
fn names_may_be_dotted_quoted_and_words_of_the_grammar() {
    let cases = [
        ("st.x = 1", "st.x"),
        ("`a.b` = 1", "a.b"),
        ("\"with space\" = 1", "with space"),
        ("`st.x`.`in ner` = 1", "st.x.in ner"),
        ("`tick``ed` = 1", "tick`ed"),
        ("\"quo\"\"ted\" = 1", "quo\"ted"),
        ("`1digit` = 1", "1digit"),
        ("ünï = 1", "ünï"),
        ("date = 1", "date"),
        ("starts = 1", "starts"),
        ("`and` = 1", "and"),
    ];
    for (sql, name) in cases {
        assert_eq!(parse(sql).unwrap(), eq(name, integer(1)), "{sql}");
    }
}

#[test]
fn a_boolean_column_stands_for_itself() {
    let flag = eq("flag", RawLiteral::Boolean(true));
    assert_eq!(parse("flag").unwrap(), flag);
    assert_eq!(parse("flag = TRUE").unwrap(), flag);
    assert_eq!(parse("true = flag").unwrap(), flag);
    assert_eq!(parse("id IS NULL OR flag").unwrap(), Expr::unary(Operator::IsNull, column("id")).or(flag));
    assert_eq!(parse("NOT flag").unwrap(), parse("flag != true").unwrap());
}

#[test]
fn literals_keep_what_was_written() {
    let cases = [
        ("1.50", RawLiteral::Decimal { unscaled: 150, scale: 2 }),
        ("-.5", RawLiteral::Decimal { unscaled: -5, scale: 1 }),
        ("2e3", RawLiteral::Decimal { unscaled: 2, scale: -3 }),
        ("1e300", RawLiteral::Decimal { unscaled: 1, scale: -300 }),
        ("18446744073709551616", RawLiteral::Integer(1 << 64)),
        ("'it''s'", text("it's")),
        ("''", text("")),
        ("X'00fF'", RawLiteral::Binary(vec![0, 255])),
        ("DATE '1970-01-02'", RawLiteral::Typed(Value::Date(1))),
        ("TIME '00:00:01'", RawLiteral::Typed(Value::Time(1_000_000))),
        ("TIMESTAMP '1970-01-01 00:00:01'", RawLiteral::Typed(Value::Timestamp(1_000_000))),
        ("TIMESTAMP '1970-01-01T01:00:00+01:00'", RawLiteral::Typed(Value::Timestamptz(0))),
        ("TIMESTAMP '1970-01-01T00:00:00.000000001'", RawLiteral::Typed(Value::TimestampNs(1))),
        ("timestamptz '1970-01-01T00:00:00Z'", RawLiteral::Typed(Value::Timestamptz(0))),
        ("DECIMAL '12.30'", RawLiteral::Decimal { unscaled: 1230, scale: 2 }),
    ];
    for (sql, literal) in cases {
        assert_eq!(parse(&format!("a = {sql}")).unwrap(), eq("a", literal), "{sql}");
    }
}

#[test]
fn a_transform_is_a_term() {
    let term = Term { name: "id".to_owned(), transform: Some(Transform::Bucket(16)) };
    assert_eq!(parse("bucket(16, id) = 3").unwrap(), Expr::comparison(Operator::Eq, term, integer(3)));
    let term = Term { name: "a.ts".to_owned(), transform: Some(Transform::Day) };
    assert_eq!(parse("days(a.ts) IS NULL").unwrap(), Expr::unary(Operator::IsNull, term));
}

#[test]
fn like_takes_a_prefix_or_a_whole_text() {
    assert_eq!(parse("a LIKE 'x%'").unwrap(), Expr::comparison(Operator::StartsWith, column("a"), text("x")));
    assert_eq!(parse("a LIKE 'x'").unwrap(), eq("a", text("x")));
    assert_eq!(parse(r"a LIKE '100\%'").unwrap(), eq("a", text("100%")));
    assert_eq!(
        parse("a LIKE '1!%0!_%' ESCAPE '!'").unwrap(),
        Expr::comparison(Operator::StartsWith, column("a"), text("1%0_"))
    );
}

#[test]
fn an_error_says_where_and_what_was_expected() {
    let cases = [
        ("a = ", "position 5", "expected a literal"),
        ("a", "", ""),
        ("a = 1 b", "position 7", "expected AND, OR or the end"),
        ("ż = 'x", "position 5", "quote ' is not closed"),
        ("a = NULL", "position 5", "use IS NULL"),
        ("a IN (1, NULL)", "position 10", "use IS NULL"),
        ("a IN ()", "position 7", "a list has at least one value"),
        ("a = 1 && b = 2", "position 7", "use AND"),
        ("a IN [1, 2]", "position 6", "in parentheses, as in IN (1, 2)"),
        ("a = )", "position 5", "between a column and a literal"),
        ("a IS 5", "position 6", "expected NULL or NAN"),
        ("(a = 1", "at its end", "expected )"),
        ("1digit = 1", "position 1", "needs quotes"),
        ("a = DATE '2020-13-01'", "position 5", "date"),
        ("a = X'0'", "position 5", "hexadecimal"),
        ("size(a) = 2", "position 1", "no function is named size"),
        ("bucket(0, a) = 2", "position 8", "from 1"),
        ("a ; b", "position 3", "unexpected character"),
        ("", "at its end", "expected a column"),
        ("5", "at its end", "a comparison after the literal"),
        ("a + 1", "position 3", "expected a comparison"),
        ("a + * 2", "position 5", "expected a value"),
        ("a + 1 = NULL", "position 9", "use IS NULL"),
        ("a + 1 > 2 b", "position 11", "expected AND, OR or the end"),
        ("(a + 1) > 2 AND (b", "at its end", "expected )"),
        ("b = 1 AND upper(a = 'X'", "at its end", "expected )"),
        ("NULL", "position 1", "use IS NULL"),
        ("a NOT 5", "position 7", "expected IN, BETWEEN, LIKE or STARTS WITH"),
    ];
    for (sql, place, what) in cases {
        if place.is_empty() {
            parse(sql).unwrap();
            continue;
        }
        let message = parse(sql).unwrap_err().to_string();
        assert!(message.contains(place) && message.contains(what), "{sql}: {message}");
    }
}

#[test]
fn long_filters_are_flat_and_deep_ones_are_refused() {
    let list: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    let Expr::Predicate(set) = parse(&format!("a IN ({})", list.join(","))).unwrap() else { panic!() };
    assert_eq!(set.literals.len(), 100_000);
    let terms: Vec<String> = (0..10_000).map(|number| format!("a = {number}")).collect();
    assert_eq!(parse(&terms.join(" OR ")).unwrap().depth(), 2);
    assert_eq!(parse(&terms.join(" AND ")).unwrap().depth(), 2);
    assert_eq!(parse(&("NOT ".repeat(100_001) + "a")).unwrap(), parse("NOT a").unwrap());
    let deep = |levels: usize| "(".repeat(levels) + "a" + &")".repeat(levels);
    parse(&deep(MAX_DEPTH)).unwrap();
    for levels in [MAX_DEPTH + 1, 1_000_000] {
        let error = parse(&deep(levels)).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::LimitExceeded);
    }
}

#[test]
fn any_text_is_read_or_refused() {
    use proptest::prelude::*;
    proptest!(|(sql in r#"([a-z0-9.'"` ()=<>!,+-]|AND|OR|NOT|IN|IS|NULL|LIKE|X'|DATE|ż|🐢){0,24}"#)| {
        if let Ok(expr) = parse(&sql) {
            prop_assert_eq!(parse(&expr.to_string()).map(|_| ()).map_err(|error| error.to_string()), Ok(()));
        }
    });
}

#[test]
fn a_displayed_filter_without_negation_reads_back_as_itself() {
    use proptest::prelude::*;
    proptest!(|(expr in crate::expr::sample::expr(false))| {
        let text = expr.to_string();
        let read = parse(&text).unwrap();
        // What is said twice is read once.
        prop_assume!(text.matches("IS NOT NULL").count() < 2);
        prop_assert_eq!(read.to_string(), text);
        // A float reads back as the decimal with its digits.
        if !format!("{expr:?}").contains("Float") {
            prop_assert_eq!(read, expr);
        }
    });
}

#[test]
fn a_filter_that_was_read_reads_back_as_itself() {
    use proptest::prelude::*;
    proptest!(|(expr in crate::expr::sample::expr(true))| {
        let read = parse(&expr.to_string()).unwrap();
        prop_assert_eq!(parse(&read.to_string()).unwrap().to_string(), read.to_string());
    });
}

#[test]
fn is_not_null_is_said_once_however_often_a_negated_test_needs_it() {
    let expected = Expr::set(Operator::NotEq, column("a"), vec![integer(5)]).and(not_null("a"));
    for sql in ["a != 5", "a != 5 AND a IS NOT NULL", "NOT (a = 5 OR a IS NULL)"] {
        assert_eq!(parse(sql).unwrap(), expected, "{sql}");
    }
    let other = parse("a != 5 AND b IS NOT NULL").unwrap();
    assert_eq!(other, expected.and(not_null("b")));
}

#[test]
fn a_text_that_reads_as_an_expression_names_its_columns() {
    for (text, expected) in [
        ("source.name", vec!["source.name"]),
        ("name", vec!["name"]),
        ("price / 100", vec!["price"]),
        ("upper(name)", vec!["name"]),
        ("name || '-' || \"other name\"", vec!["name", "other name"]),
        ("CASE WHEN a > 1 THEN 'x' ELSE b END", vec!["a", "b"]),
        ("CAST(a AS decimal(9, 2)) * -b", vec!["a", "b"]),
        ("coalesce(a, b.c, 0)", vec!["a", "b.c"]),
        ("a IS NOT NULL AND b IN (1, 2) OR c BETWEEN 1 AND 3", vec!["a", "b", "c"]),
        ("NOT (a = 1)", vec!["a"]),
        ("a % 2", vec!["a"]),
        ("count(*) + a", vec!["a"]),
        ("a + INTERVAL '1' DAY", vec!["a"]),
        ("EXTRACT(YEAR FROM a)", vec!["a"]),
        ("date_trunc('decade', a)", vec!["a"]),
        ("trim(a, 'x')", vec!["a"]),
        ("struct(a AS point, b)", vec!["a", "b"]),
        ("CAST(a AS varchar(10)) || b::point", vec!["a", "b"]),
        ("a LIKE b OR a IN b", vec!["a", "b"]),
        ("a > point 'x'", vec!["a"]),
        ("date || a", vec!["a"]),
    ] {
        assert_eq!(value_columns(text), Some(expected.into_iter().map(str::to_owned).collect()), "{text}");
    }
}

#[test]
fn words_are_no_expression() {
    for text in [
        "",
        " ",
        "two words",
        "source of truth",
        "target. And so on",
        "it's",
        "a, b",
        "a b",
        "a +",
        "(a",
        "a)",
        "'text'",
        "42",
        "2026-01-01",
        "now()",
        "TRUE",
        "source.",
        "a..b",
        "CASE a",
        "CASE WHEN a THEN",
        "upper(a",
        "a IS",
        "a?",
        "x@y.z",
        "50%",
        "NULL",
        "END",
        "f(a AS)",
        "date",
        "DATE '2024-01-01'",
        "a; b",
        "INTERVAL '1' DAY",
    ] {
        assert_eq!(value_columns(text), None, "{text}");
    }
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(value_columns(&deep), None);
}
