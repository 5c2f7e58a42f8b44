#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;

use proptest::prelude::*;

use crate::expr::sample::{RowStats, expr, row, schema, two_valued};
use crate::expr::{
    ColumnStats, MismatchReason, Share, Stats, bind, explain_mismatch, may_match, must_match, parse,
};
use crate::schema::{Field, PrimitiveType, Schema, Type};
use crate::value::Value;

proptest! {
    #[test]
    fn what_is_pruned_holds_no_match_and_what_is_certain_holds_only_matches(
        expr in expr(true),
        rows in prop::collection::vec(row(), 1..4),
        coarse in 0_u32..32,
    ) {
        let bound = bind(&expr, &schema(), true).unwrap();
        let stats = RowStats { rows: &rows, coarse };
        let matches = rows.iter().filter(|row| two_valued(&expr, row)).count();
        if !may_match(&bound, &stats) {
            prop_assert_eq!(matches, 0, "{}", bound);
        }
        if must_match(&bound, &stats) {
            prop_assert_eq!(matches, rows.len(), "{}", bound);
        }
        prop_assert_eq!(explain_mismatch(&bound, &stats).is_none(), may_match(&bound, &stats));
    }
}

struct One(ColumnStats);

impl Stats for One {
    fn column(&self, _: i32, _: &Type) -> ColumnStats {
        self.0.clone()
    }
}

fn of(field_type: PrimitiveType, stats: &ColumnStats, sql: &str) -> (bool, bool) {
    let schema = Schema::new(0, vec![Field::optional(1, "c", field_type)]).unwrap();
    let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap();
    (may_match(&bound, &One(stats.clone())), must_match(&bound, &One(stats.clone())))
}

fn between(lower: Value, upper: Value) -> ColumnStats {
    ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(lower), upper: Some(upper) }
}

const NEVER: (bool, bool) = (false, false);
const PERHAPS: (bool, bool) = (true, false);
const ALWAYS: (bool, bool) = (true, true);

#[test]
fn bounds_of_numbers_answer_comparisons() {
    let stats = between(Value::Int(10), Value::Int(20));
    let cases = [
        ("c = 9", NEVER),
        ("c = 15", PERHAPS),
        ("c < 10", NEVER),
        ("c < 11", PERHAPS),
        ("c <= 20", ALWAYS),
        ("c > 20", NEVER),
        ("c >= 10", ALWAYS),
        ("c != 15", PERHAPS),
        ("c != 21", ALWAYS),
        ("c IN (1, 2, 30)", NEVER),
        ("c IN (1, 12, 30)", PERHAPS),
        ("c NOT IN (1, 30)", ALWAYS),
        ("c IS NULL", NEVER),
        ("c IS NOT NULL", ALWAYS),
        ("truncate(10, c) = 0", NEVER),
        ("truncate(10, c) >= 10", ALWAYS),
        ("bucket(4, c) = 0", PERHAPS),
    ];
    for (sql, expected) in cases {
        assert_eq!(of(PrimitiveType::Int, &stats, sql), expected, "{sql}");
    }
    let same = between(Value::Int(10), Value::Int(10));
    assert_eq!(of(PrimitiveType::Int, &same, "c = 10"), ALWAYS);
    assert_eq!(of(PrimitiveType::Int, &same, "c != 10"), NEVER);
    assert_eq!(of(PrimitiveType::Int, &same, "c NOT IN (1, 10)"), NEVER);
}

#[test]
fn nulls_pass_no_test_but_their_own() {
    let nulls = ColumnStats { nulls: Share::All, ..ColumnStats::default() };
    for (sql, expected) in
        [("c = 1", NEVER), ("c != 1", NEVER), ("c IS NULL", ALWAYS), ("c IS NOT NULL", NEVER)]
    {
        assert_eq!(of(PrimitiveType::Int, &nulls, sql), expected, "{sql}");
    }
    let some = ColumnStats { nulls: Share::Some, ..between(Value::Int(1), Value::Int(1)) };
    assert_eq!(of(PrimitiveType::Int, &some, "c = 1"), PERHAPS);
    assert_eq!(of(PrimitiveType::Int, &ColumnStats::default(), "c IS NOT NULL"), PERHAPS);
}

#[test]
fn a_nan_bound_proves_nothing_and_nan_is_in_no_order() {
    let stats = between(Value::Double(f64::NAN), Value::Double(f64::NAN));
    for sql in ["c = 1", "c < 1", "c > 1", "c != 1"] {
        assert_eq!(of(PrimitiveType::Double, &stats, sql), PERHAPS, "{sql}");
    }
    let some = ColumnStats { nans: Share::Some, ..between(Value::Double(1.0), Value::Double(2.0)) };
    assert_eq!(of(PrimitiveType::Double, &some, "c < 5"), PERHAPS);
    let all = ColumnStats { nans: Share::All, nulls: Share::None, ..ColumnStats::default() };
    assert_eq!(of(PrimitiveType::Double, &all, "c < 5"), NEVER);
    assert_eq!(of(PrimitiveType::Double, &all, "c IS NAN"), ALWAYS);
    let zero = between(Value::Double(-0.0), Value::Double(-0.0));
    assert_eq!(of(PrimitiveType::Double, &zero, "c = 0.0"), ALWAYS);
    assert_eq!(of(PrimitiveType::Double, &zero, "c < 0.0"), NEVER);
}

#[test]
fn cut_texts_bound_and_equal_ones_leave_one_value() {
    let text = |text: &str| Value::String(text.to_owned());
    let stats = between(text("abc"), text("abd"));
    let cases = [
        ("c = 'abcz'", PERHAPS),
        ("c = 'abe'", NEVER),
        ("c LIKE 'ab%'", ALWAYS),
        ("c LIKE 'abcd%'", PERHAPS),
        ("c LIKE 'abe%'", NEVER),
        ("c LIKE 'abb%'", NEVER),
        ("c NOT LIKE 'ab%'", NEVER),
        ("c NOT LIKE 'x%'", ALWAYS),
        ("c > 'abd'", NEVER),
    ];
    for (sql, expected) in cases {
        assert_eq!(of(PrimitiveType::String, &stats, sql), expected, "{sql}");
    }
    let same = between(text("abc"), text("abc"));
    let cases = [
        ("c = 'abc'", ALWAYS),
        ("c = 'ab'", NEVER),
        ("c != 'abc'", NEVER),
        ("c NOT IN ('ab', 'abc')", NEVER),
        ("c IN ('ab', 'abc')", ALWAYS),
        ("truncate(2, c) = 'ab'", ALWAYS),
    ];
    for (sql, expected) in cases {
        assert_eq!(of(PrimitiveType::String, &same, sql), expected, "{sql}");
    }
    // Cut to three code points: the lower bound is a beginning, and the upper one is above it.
    let cut = between(text("abc"), text("abd"));
    assert_eq!(of(PrimitiveType::String, &cut, "c = 'abc'"), PERHAPS);
    assert_eq!(of(PrimitiveType::String, &cut, "c != 'abc'"), PERHAPS);
}

#[test]
fn equal_bounds_are_every_value_of_every_type_if_none_is_null() {
    let bytes = vec![1, 2, 3];
    let cases = [
        (PrimitiveType::Binary, Value::Binary(bytes.clone()), "X'010203'"),
        (PrimitiveType::Fixed(3), Value::Fixed(bytes), "X'010203'"),
        (PrimitiveType::Uuid, Value::Uuid([0x11; 16]), "'11111111-1111-1111-1111-111111111111'"),
        (PrimitiveType::String, Value::String("a".to_owned()), "'a'"),
    ];
    for (field_type, value, literal) in cases {
        let all = between(value.clone(), value);
        let asked =
            |stats: &ColumnStats, op: &str| of(field_type.clone(), stats, &format!("c {op} {literal}"));
        assert_eq!((asked(&all, "="), asked(&all, "!=")), (ALWAYS, NEVER), "{field_type}");
        for nulls in [Share::Some, Share::Unknown] {
            let some = ColumnStats { nulls, ..all.clone() };
            assert_eq!(asked(&some, "="), PERHAPS, "{field_type}");
        }
        let below = ColumnStats { upper: None, ..all };
        assert_eq!(asked(&below, "="), PERHAPS, "{field_type}");
    }
}

#[test]
fn uuid_bounds_of_either_order_prune_nothing_that_is_there() {
    let uuid = |first: u8| Value::Uuid([first; 16]);
    let literal = |first: u8| {
        format!(
            "'{0}-{1}-{1}-{1}-{0}{1}'",
            format!("{first:02x}").repeat(4),
            format!("{first:02x}").repeat(2)
        )
    };
    // In signed order 0xff is below 0x01.
    let signed = between(uuid(0xff), uuid(0x01));
    assert_eq!(of(PrimitiveType::Uuid, &signed, &format!("c = {}", literal(0x00))), PERHAPS);
    assert_eq!(of(PrimitiveType::Uuid, &signed, &format!("c > {}", literal(0x02))), PERHAPS);
    let plain = between(uuid(0x10), uuid(0x20));
    assert_eq!(of(PrimitiveType::Uuid, &plain, &format!("c = {}", literal(0x30))), NEVER);
    assert_eq!(of(PrimitiveType::Uuid, &plain, &format!("c = {}", literal(0x18))), PERHAPS);
}

#[test]
fn a_mismatch_names_the_first_test_that_rules_out() {
    let schema = schema();
    let rows = vec![vec![
        Some(Value::Int(5)),
        Some(Value::Long(5)),
        None,
        None,
        Some(Value::String("x".to_owned())),
        None,
        None,
        None,
        None,
        None,
    ]];
    let explain = |sql: &str| {
        let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap();
        explain_mismatch(&bound, &RowStats { rows: &rows, coarse: 0 })
    };
    let found = explain("l = 5 AND i > 7 AND d = 1").unwrap();
    assert_eq!(
        (found.column.as_str(), found.reason, found.predicate.as_str()),
        ("i", MismatchReason::Bounds, "i > 7")
    );
    assert_eq!(explain("d = 1").unwrap().reason, MismatchReason::NullCount);
    assert_eq!(explain("i = 1 OR l = 1").unwrap().predicate, "i = 1 OR l = 1");
    assert_eq!(explain("i = 1 OR l = 5"), None);
    assert_eq!(explain("i = 1 AND FALSE").unwrap().reason, MismatchReason::Never);
}
