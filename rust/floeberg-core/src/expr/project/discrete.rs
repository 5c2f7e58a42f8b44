//! Which value is next?
//!
//! `x < 10` is `x <= 9` for whole numbers: the transform of 9 can be a tighter bound than that of 10.

use crate::value::Value;

/// The value before, for types that have one.
pub(super) fn before(value: &Value) -> Option<Value> {
    step(value, -1)
}

/// The value after, for types that have one.
pub(super) fn after(value: &Value) -> Option<Value> {
    step(value, 1)
}

fn step(value: &Value, by: i64) -> Option<Value> {
    Some(match value {
        Value::Int(value) => Value::Int(value.checked_add(by as i32)?),
        Value::Long(value) => Value::Long(value.checked_add(by)?),
        Value::Date(value) => Value::Date(value.checked_add(by as i32)?),
        Value::Timestamp(value) => Value::Timestamp(value.checked_add(by)?),
        Value::Timestamptz(value) => Value::Timestamptz(value.checked_add(by)?),
        Value::TimestampNs(value) => Value::TimestampNs(value.checked_add(by)?),
        Value::TimestamptzNs(value) => Value::TimestamptzNs(value.checked_add(by)?),
        Value::Decimal { unscaled, scale } => {
            Value::Decimal { unscaled: unscaled.checked_add(i128::from(by))?, scale: *scale }
        }
        _ => return None,
    })
}
