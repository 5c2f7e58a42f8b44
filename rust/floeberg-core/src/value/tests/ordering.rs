use std::cmp::Ordering;

use crate::value::Value;
use crate::value::ordering::compare;

#[test]
fn floats_follow_ieee_754() {
    assert_eq!(compare(&Value::Double(-0.0), &Value::Double(0.0)), Some(Ordering::Equal));
    assert_eq!(compare(&Value::Float(f32::NAN), &Value::Float(f32::NAN)), None);
    assert_eq!(compare(&Value::Float(1.0), &Value::Float(f32::INFINITY)), Some(Ordering::Less));
}

#[test]
fn bytes_are_unsigned_and_strings_are_utf8_bytes() {
    assert_eq!(compare(&Value::Binary(vec![0x80]), &Value::Binary(vec![0x7f])), Some(Ordering::Greater));
    // UTF-16 order would put the character outside the basic plane first.
    let (inside, outside) = (Value::String("\u{ff61}".into()), Value::String("\u{1f600}".into()));
    assert_eq!(compare(&inside, &outside), Some(Ordering::Less));
    assert_eq!(compare(&Value::Uuid([0xff; 16]), &Value::Uuid([0; 16])), Some(Ordering::Greater));
    assert_eq!(compare(&Value::Boolean(false), &Value::Boolean(true)), Some(Ordering::Less));
}

#[test]
fn different_types_have_no_order() {
    assert_eq!(compare(&Value::Int(1), &Value::Long(1)), None);
    assert_eq!(compare(&Value::Timestamp(1), &Value::Timestamptz(1)), None);
    let (left, right) = (Value::Decimal { unscaled: 1, scale: 1 }, Value::Decimal { unscaled: 10, scale: 2 });
    assert_eq!(compare(&left, &right), None);
    assert_eq!(compare(&Value::List(vec![]), &Value::List(vec![])), None);
}
