use proptest::prelude::*;

use crate::error::ErrorKind;
use crate::transform::Transform;
use crate::value::Value;
use crate::value::datetime::{civil_from_days, parse_date, parse_timestamp};

fn apply(transform: &str, value: impl std::borrow::Borrow<Value>) -> Value {
    transform.parse::<Transform>().unwrap().apply(value.borrow()).unwrap().unwrap()
}

fn timestamp(text: &str) -> Value {
    Value::Timestamp(parse_timestamp(text).unwrap().micros().unwrap())
}

#[test]
fn numbers_truncate_downward() {
    assert_eq!(apply("truncate[10]", Value::Int(1)), Value::Int(0));
    assert_eq!(apply("truncate[10]", Value::Int(-1)), Value::Int(-10));
    assert_eq!(apply("truncate[10]", Value::Long(-1)), Value::Long(-10));
    assert_eq!(apply("truncate[10]", Value::Long(-10)), Value::Long(-10));
    for (unscaled, expected) in [(1_065, 1_050), (-1_065, -1_100)] {
        let decimal = |unscaled| Value::Decimal { unscaled, scale: 2 };
        assert_eq!(apply("truncate[50]", decimal(unscaled)), decimal(expected));
    }
}

#[test]
fn truncation_wraps_below_the_smallest_integer() {
    assert_eq!(apply("truncate[10]", Value::Int(i32::MIN)), Value::Int(2_147_483_646));
    assert_eq!(apply("truncate[10]", Value::Long(i64::MIN)), Value::Long(9_223_372_036_854_775_806));
    assert_eq!(apply("truncate[2147483647]", Value::Int(i32::MAX)), Value::Int(i32::MAX));
}

#[test]
fn strings_truncate_by_code_points_and_binary_by_bytes() {
    let string = |text: &str| Value::String(text.into());
    assert_eq!(apply("truncate[3]", string("iceberg")), string("ice"));
    assert_eq!(apply("truncate[2]", string("\u{1f600}é\u{301}x")), string("\u{1f600}é"));
    assert_eq!(apply("truncate[9]", string("été")), string("été"));
    assert_eq!(apply("truncate[3]", Value::Binary(vec![1, 2, 3, 4, 5])), Value::Binary(vec![1, 2, 3]));
}

#[test]
fn moments_before_1970_floor() {
    for (transform, expected) in [
        ("year", Value::Int(-1)),
        ("month", Value::Int(-1)),
        ("day", Value::Date(-1)),
        ("hour", Value::Int(-1)),
    ] {
        for value in
            [Value::Timestamp(-1), Value::Timestamptz(-1), Value::TimestampNs(-1), Value::TimestamptzNs(-1)]
        {
            assert_eq!(apply(transform, value), expected);
        }
    }
    assert_eq!(apply("year", Value::Date(-1)), Value::Int(-1));
    assert_eq!(apply("month", Value::Date(-32)), Value::Int(-2));
}

#[test]
fn moments_count_from_1970() {
    let value = timestamp("2017-11-16T22:31:08");
    assert_eq!(apply("year", &value), Value::Int(47));
    assert_eq!(apply("month", &value), Value::Int(574));
    assert_eq!(apply("day", &value), Value::Date(17_486));
    assert_eq!(apply("hour", value), Value::Int(419_686));
    assert_eq!(apply("month", Value::Date(parse_date("2017-12-01").unwrap())), Value::Int(575));
}

#[test]
fn void_gives_null_and_wrong_types_are_errors() {
    assert_eq!(Transform::Void.apply(&Value::Int(1)).unwrap(), None);
    let kind = |transform: Transform, value| transform.apply(&value).unwrap_err().kind();
    assert_eq!(kind(Transform::Hour, Value::Date(1)), ErrorKind::InvalidInput);
    assert_eq!(kind(Transform::Truncate(1), Value::Fixed(vec![])), ErrorKind::InvalidInput);
    assert_eq!(kind(Transform::Unknown("zorder".into()), Value::Int(1)), ErrorKind::Unsupported);
}

proptest! {
    #[test]
    fn years_and_months_follow_the_calendar(days in any::<i32>()) {
        let (year, month, _) = civil_from_days(i64::from(days));
        prop_assert_eq!(apply("year", Value::Date(days)), Value::Int((year - 1970) as i32));
        prop_assert_eq!(
            apply("month", Value::Date(days)),
            Value::Int(((year - 1970) * 12 + i64::from(month) - 1) as i32)
        );
    }

    #[test]
    fn extreme_moments_do_not_overflow(units in any::<i64>()) {
        for transform in [Transform::Year, Transform::Month, Transform::Day, Transform::Hour] {
            for value in [Value::Timestamp(units), Value::TimestampNs(units)] {
                prop_assert!(transform.apply(&value).unwrap().is_some());
            }
        }
    }
}

#[test]
fn an_error_shows_no_more_than_the_beginning_of_a_long_value() {
    let transform: Transform = "year".parse().unwrap();
    let error = transform.apply(&Value::Binary(vec![0xa9; 1 << 20])).unwrap_err();
    let shown = format!("the transform year cannot be applied to X'{}", "a9".repeat(31));
    assert_eq!(error.message(), shown);
}
