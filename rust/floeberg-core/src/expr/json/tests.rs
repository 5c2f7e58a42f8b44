#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{from_json, to_json};
use crate::expr::sample::{expr, row, schema, two_valued};
use crate::expr::{Expr, bind, evaluate_row, parse, sample};

/// The distinct filters of the conformance corpus, as `pyiceberg` and Java Iceberg wrote them.
const CORPUS: &str = include_str!("corpus.json");

#[test]
fn every_filter_of_the_corpus_is_read_and_written_back() {
    let filters: Vec<Json> = serde_json::from_str(CORPUS).unwrap();
    assert_eq!(filters.len(), 202);
    for filter in filters {
        let expr = from_json(&filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
        assert_eq!(from_json(&to_json(&expr).unwrap()).unwrap(), expr, "{filter}");
    }
}

#[test]
fn older_and_newer_forms_say_the_same() {
    let reference = json!({"type": "reference", "name": "a"});
    let bucket = json!({"type": "apply", "function": {"catalog": "iceberg_functions", "identifier": ["bucket"]},
        "arguments": [16, reference]});
    let cases = [
        (
            "a IS NULL",
            json!({"type": "is-null", "term": "a"}),
            json!({"type": "is-null", "child": reference}),
        ),
        (
            "a < 5",
            json!({"type": "lt", "term": "a", "value": 5}),
            json!({"type": "gt", "left": 5, "right": reference}),
        ),
        (
            "a IN (1, 2)",
            json!({"type": "in", "term": {"type": "reference", "term": "a"}, "values": [1, 2]}),
            json!({"type": "in", "child": reference, "values": [{"type": "literal", "value": 1}, 2]}),
        ),
        (
            "bucket(16, a) = 3",
            json!({"type": "eq", "term": {"type": "transform", "transform": "bucket[16]", "term": "a"}, "value": 3}),
            json!({"type": "eq", "left": bucket, "right": 3}),
        ),
        (
            "a = DATE '1970-01-02'",
            json!({"type": "eq", "term": "a", "value": {"type": "literal", "value": "1970-01-02", "data-type": "date"}}),
            json!({"type": "eq", "left": reference, "right": {"type": "literal", "value": "1970-01-02", "data-type": "date"}}),
        ),
        ("TRUE", json!(true), json!({"type": "true"})),
        ("FALSE", json!({"type": "literal", "value": false}), json!({"type": "not", "child": true})),
        (
            "a STARTS WITH 'x' OR a IS NOT NAN",
            json!({"type": "or", "left": {"type": "starts-with", "term": "a", "value": "x"},
                "right": {"type": "not-nan", "term": "a"}}),
            json!({"type": "or", "left": {"type": "starts-with", "left": reference, "right": "x"},
                "right": {"type": "not-nan", "child": reference}}),
        ),
    ];
    for (sql, older, newer) in cases {
        let expected = parse(sql).unwrap();
        assert_eq!(from_json(&older).unwrap(), expected, "{older}");
        assert_eq!(from_json(&newer).unwrap(), expected, "{newer}");
    }
    let literals = json!({"type": "literals", "values": ["1970-01-02", "1970-01-03"], "data-type": "date"});
    assert_eq!(
        from_json(&json!({"type": "in", "term": "a", "values": literals})).unwrap(),
        parse("a IN (DATE '1970-01-02', DATE '1970-01-03')").unwrap()
    );
}

#[test]
fn json_is_two_valued_where_text_is_not() {
    let json = json!({"type": "not-eq", "term": "i", "value": 5});
    assert_ne!(from_json(&json).unwrap(), parse("i != 5").unwrap());
    assert_eq!(to_json(&from_json(&json).unwrap()).unwrap(), json);
}

#[test]
fn filters_are_written_in_the_form_that_all_catalogs_read() {
    let cases = [
        ("a IS NULL", json!({"type": "is-null", "term": "a"})),
        ("a = 1.50", json!({"type": "eq", "term": "a", "value": "1.50"})),
        ("a = X'00FF'", json!({"type": "eq", "term": "a", "value": "00ff"})),
        ("a = DATE '1970-01-02'", json!({"type": "eq", "term": "a", "value": "1970-01-02"})),
        ("a IN (1, TRUE)", json!({"type": "in", "term": "a", "values": [1, true]})),
        (
            "day(a) >= 3",
            json!({"type": "gt-eq", "term": {"type": "transform", "transform": "day", "term": "a"}, "value": 3}),
        ),
        ("TRUE", json!(true)),
    ];
    for (sql, expected) in cases {
        assert_eq!(to_json(&parse(sql).unwrap()).unwrap(), expected, "{sql}");
    }
}

#[test]
fn a_long_filter_is_written_flat_and_a_long_chain_is_read() {
    let terms: Vec<String> = (0..10_000).map(|number| format!("a = {number}")).collect();
    let expr = parse(&terms.join(" OR ")).unwrap();
    let text = to_json(&expr).unwrap().to_string();
    assert_eq!(from_json(&serde_json::from_str(&text).unwrap()).unwrap(), expr);
    let test = json!({"type": "is-null", "term": "a"});
    let chain =
        (0..2_000).fold(test.clone(), |chain, _| json!({"type": "and", "left": chain, "right": test}));
    let Expr::And(children) = from_json(&chain).unwrap() else { panic!() };
    assert_eq!(children.len(), 2_001);
}

#[test]
fn what_is_no_filter_is_refused() {
    let cases = [
        (json!(5), "expected an object, true or false"),
        (json!({"term": "a"}), "lacks \"type\""),
        (json!({"type": "like", "term": "a"}), "unknown type of a filter: \"like\""),
        (json!({"type": "eq", "term": "a"}), "lacks \"value\""),
        (json!({"type": "eq", "term": "a", "value": null}), "use is-null"),
        (json!({"type": "eq", "term": "a", "value": [1]}), "expected a literal"),
        (json!({"type": "eq", "term": 5, "value": 1}), "expected a column's name"),
        (json!({"type": "in", "term": "a", "values": 1}), "expected an array"),
        (
            json!({"type": "is-null", "child": {"type": "reference", "id": 5}}),
            "needs the schema that has the id",
        ),
        (
            json!({"type": "eq", "left": {"type": "reference", "name": "a"}, "right": {"type": "reference", "name": "b"}}),
            "only between a column and a literal",
        ),
        (
            json!({"type": "eq", "left": {"type": "apply", "function": "upper", "arguments": ["a"]}, "right": "x"}),
            "only transforms are",
        ),
    ];
    for (filter, expected) in cases {
        let message = from_json(&filter).unwrap_err().to_string();
        assert!(message.contains(expected), "{filter}: {message}");
    }
    let deep = (0..300)
        .fold(json!({"type": "is-null", "term": "a"}), |inner, _| json!({"type": "not", "child": inner}));
    assert_eq!(from_json(&deep).unwrap_err().kind(), crate::ErrorKind::LimitExceeded);
}

#[test]
fn literals_of_every_kind_bind_from_json() {
    let cases = [
        (json!({"type": "eq", "term": "dt", "value": 1}), "dt = DATE '1970-01-02'"),
        (json!({"type": "eq", "term": "dt", "value": "1970-01-02"}), "dt = DATE '1970-01-02'"),
        (json!({"type": "lt", "term": "d", "value": "Infinity"}), "d < 'Infinity'"),
        (json!({"type": "eq", "term": "dec", "value": "12.30"}), "dec = 12.30"),
        (json!({"type": "eq", "term": "dec", "value": 12.3}), "dec = 12.30"),
        (json!({"type": "gt", "term": "ts", "value": 0}), "ts > TIMESTAMP '1970-01-01T00:00:00'"),
    ];
    for (filter, expected) in cases {
        assert_eq!(bind(&from_json(&filter).unwrap(), &schema(), true).unwrap().to_string(), expected);
    }
}

proptest! {
    #[test]
    fn a_filter_means_the_same_after_json(expr in expr(true), row in row()) {
        let text = to_json(&expr).unwrap().to_string();
        let read = from_json(&serde_json::from_str(&text).unwrap()).unwrap();
        let bound = bind(&read, &schema(), true).unwrap();
        prop_assert_eq!(evaluate_row(&bound, &|id| sample::get(&row, id)).unwrap(), two_valued(&expr, &row), "{}", text);
    }
}

#[test]
fn a_condition_crosses_as_its_text() {
    let expr = parse("a = 1 AND NOT b * 2 > c").unwrap();
    let json = to_json(&expr).unwrap();
    assert_eq!(json["right"], json!({"type": "sql", "text": "NOT (b * 2 > c)"}));
    assert_eq!(from_json(&json).unwrap(), expr);
    let deep = "(".repeat(5000) + "a > b" + &")".repeat(5000);
    for text in ["a +", "a + 1", "a = NULL", "", deep.as_str()] {
        from_json(&json!({"type": "sql", "text": text})).unwrap_err();
    }
    from_json(&json!({"type": "sql"})).unwrap_err();
}
