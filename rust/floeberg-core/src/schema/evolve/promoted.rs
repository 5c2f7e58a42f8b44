//! How is a value promoted?

use crate::schema::PrimitiveType;
use crate::value::Value;
use crate::value::datetime::{MICROS_PER_DAY, NANOS_PER_DAY};

/// The same value in a promoted type; `None` if it is out of range.
pub(super) fn promoted(value: &Value, to: &PrimitiveType) -> Option<Value> {
    match (value, to) {
        (Value::Int(value), PrimitiveType::Long) => Some(Value::Long(i64::from(*value))),
        (Value::Float(value), PrimitiveType::Double) => Some(Value::Double(f64::from(*value))),
        (Value::Date(days), PrimitiveType::Timestamp) => {
            i64::from(*days).checked_mul(MICROS_PER_DAY).map(Value::Timestamp)
        }
        (Value::Date(days), PrimitiveType::TimestampNs) => {
            i64::from(*days).checked_mul(NANOS_PER_DAY).map(Value::TimestampNs)
        }
        _ => Some(value.clone()),
    }
}
