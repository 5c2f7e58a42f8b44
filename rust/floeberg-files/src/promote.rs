//! How is a value of an older type promoted to the current type of its column?
//!
//! Spec: Schema Evolution (a partition value may be older than a promotion).

use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

/// A value, promoted to the current type of its column. A value that cannot be promoted stays unchanged.
pub fn promote(value: &Value, to: &Type) -> Value {
    match (value, to.as_primitive()) {
        (Value::Int(value), Some(PrimitiveType::Long)) => Value::Long(i64::from(*value)),
        (Value::Float(value), Some(PrimitiveType::Double)) => Value::Double(f64::from(*value)),
        _ => value.clone(),
    }
}
