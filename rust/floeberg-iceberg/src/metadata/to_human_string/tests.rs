//! The texts are those of Iceberg Java 1.11 and of the Java library beneath it.
#![allow(clippy::unwrap_used)]

use floeberg_core::schema::{PrimitiveType as P, Type};
use floeberg_core::transform::Transform as T;
use floeberg_core::value::{Value, single_value::to_bytes};

use super::bound_to_human_string;
use crate::metadata::java_numbers;

fn text(transform: &T, result: P, value: &Value) -> Option<String> {
    bound_to_human_string(transform, &Type::Primitive(result), Some(&to_bytes(value).unwrap()))
}

#[test]
fn time_transforms_are_written_as_the_years_months_days_and_hours_they_count() {
    let cases = [
        (T::Year, P::Int, Value::Int(-1), "1969"),
        (T::Year, P::Int, Value::Int(8_030), "10000"),
        (T::Month, P::Int, Value::Int(-1), "1969-12"),
        (T::Month, P::Int, Value::Int(-12), "1969-01"),
        (T::Day, P::Date, Value::Date(-1), "1969-12-31"),
        (T::Day, P::Int, Value::Int(19_000), "2022-01-08"),
        (T::Hour, P::Int, Value::Int(-1), "1969-12-31-23"),
        (T::Hour, P::Int, Value::Int(25), "1970-01-02-01"),
    ];
    for (transform, result, value, expected) in cases {
        assert_eq!(text(&transform, result, &value).as_deref(), Some(expected));
    }
}

#[test]
fn values_are_written_as_java_writes_them() {
    let cases = [
        (P::Boolean, Value::Boolean(true), "true"),
        (P::Long, Value::Long(-7), "-7"),
        (P::String, Value::String("a'b".into()), "a'b"),
        (P::Date, Value::Date(-719_529), "-001-12-31"),
        (P::Time, Value::Time(36_900_000_000), "10:15"),
        (P::Time, Value::Time(36_930_000_000), "10:15:30"),
        (P::Time, Value::Time(36_930_500_000), "10:15:30.500"),
        (P::Time, Value::Time(36_930_500_010), "10:15:30.500010"),
        (P::Timestamp, Value::Timestamp(0), "1970-01-01T00:00:00"),
        (P::Timestamp, Value::Timestamp(-500_000), "1969-12-31T23:59:59.5"),
        (P::Timestamptz, Value::Timestamptz(10), "1970-01-01T00:00:00.00001+00:00"),
        (P::TimestampNs, Value::TimestampNs(120), "1970-01-01T00:00:00.00000012"),
        (P::TimestamptzNs, Value::TimestamptzNs(1_000), "1970-01-01T00:00:00.000001+00:00"),
        (P::Uuid, Value::Uuid([0xab; 16]), "abababab-abab-abab-abab-abababababab"),
        (P::Fixed(2), Value::Fixed(vec![0xff, 0x00]), "/wA="),
        (P::Binary, Value::Binary(b"any".to_vec()), "YW55"),
        (P::Decimal { precision: 5, scale: 2 }, Value::Decimal { unscaled: -120, scale: 2 }, "-1.20"),
        (P::Float, Value::Float(1.5), "1.5"),
        (P::Double, Value::Double(f64::NAN), "NaN"),
    ];
    for (result, value, expected) in cases {
        assert_eq!(text(&T::Identity, result, &value).as_deref(), Some(expected));
    }
}

#[test]
fn a_bound_that_is_not_there_is_the_text_null_and_an_undecodable_one_has_none() {
    let long = Type::Primitive(P::Long);
    assert_eq!(bound_to_human_string(&T::Identity, &long, None).as_deref(), Some("null"));
    assert_eq!(bound_to_human_string(&T::Void, &long, None).as_deref(), Some("null"));
    assert_eq!(bound_to_human_string(&T::Identity, &long, Some(&[1, 2, 3])), None);
    assert_eq!(bound_to_human_string(&T::Identity, &Type::Primitive(P::String), Some(&[0xff])), None);
    assert_eq!(
        bound_to_human_string(&T::Unknown("x".into()), &Type::Primitive(P::Unknown), Some(&[1])),
        None
    );
    assert_eq!(bound_to_human_string(&T::Identity, &long, Some(&[7, 0, 0, 0])).as_deref(), Some("7"));
}

#[test]
fn floats_have_the_form_of_java() {
    let cases = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-100.25, "-100.25"),
        (0.001, "0.001"),
        (0.000_9, "9.0E-4"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.234_5e20, "1.2345E20"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (value, expected) in cases {
        assert_eq!(java_numbers::double(value), expected);
    }
    assert_eq!(java_numbers::float(0.1), "0.1");
    assert_eq!(java_numbers::float(3.4e38), "3.4E38");
}

#[test]
fn decimals_have_the_form_of_java() {
    let cases = [
        (0, 0, "0"),
        (-15, 0, "-15"),
        (0, 2, "0.00"),
        (5, 6, "0.000005"),
        (5, 7, "5E-7"),
        (-125, 10, "-1.25E-8"),
        (0, 7, "0E-7"),
        (123_456, 3, "123.456"),
    ];
    for (unscaled, scale, expected) in cases {
        assert_eq!(java_numbers::decimal(unscaled, scale), expected);
    }
}

#[test]
fn bytes_are_padded_to_groups_of_four_digits() {
    let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
    for (bytes, expected) in cases {
        let shown = text(&T::Identity, P::Binary, &Value::Binary(bytes.as_bytes().to_vec()));
        assert_eq!(shown.as_deref(), Some(expected));
    }
}
