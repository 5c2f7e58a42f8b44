//! What is a value of an older type as the type that its column has now?
//!
//! Spec: Schema Evolution (a partition value may be older than a promotion).

use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

/// A value as the type that its column has now. One that no promotion explains stays as it is.
pub(crate) fn promote(value: &Value, to: &Type) -> Value {
    match (value, to.as_primitive()) {
        (Value::Int(value), Some(PrimitiveType::Long)) => Value::Long(i64::from(*value)),
        (Value::Float(value), Some(PrimitiveType::Double)) => Value::Double(f64::from(*value)),
        _ => value.clone(),
    }
}
