//! Any type with any of its values.

use proptest::prelude::*;

use crate::primitive::PrimitiveType;
use crate::value::Value;

/// A primitive type that values have, with one of them.
pub fn typed_value() -> impl Strategy<Value = (PrimitiveType, Value)> {
    prop_oneof![
        any::<bool>().prop_map(|value| (PrimitiveType::Boolean, Value::Boolean(value))),
        any::<i32>().prop_map(|value| (PrimitiveType::Int, Value::Int(value))),
        any::<i64>().prop_map(|value| (PrimitiveType::Long, Value::Long(value))),
        any::<f32>()
            .prop_filter("NaN differs from itself", |value| !value.is_nan())
            .prop_map(|value| (PrimitiveType::Float, Value::Float(value))),
        any::<f64>()
            .prop_filter("NaN differs from itself", |value| !value.is_nan())
            .prop_map(|value| (PrimitiveType::Double, Value::Double(value))),
        decimal(),
        any::<i32>().prop_map(|days| (PrimitiveType::Date, Value::Date(days))),
        (0..86_400_000_000_i64).prop_map(|micros| (PrimitiveType::Time, Value::Time(micros))),
        any::<i64>().prop_map(|micros| (PrimitiveType::Timestamp, Value::Timestamp(micros))),
        any::<i64>().prop_map(|micros| (PrimitiveType::Timestamptz, Value::Timestamptz(micros))),
        any::<i64>().prop_map(|nanos| (PrimitiveType::TimestampNs, Value::TimestampNs(nanos))),
        any::<i64>().prop_map(|nanos| (PrimitiveType::TimestamptzNs, Value::TimestamptzNs(nanos))),
        any::<String>().prop_map(|text| (PrimitiveType::String, Value::String(text))),
        any::<[u8; 16]>().prop_map(|bytes| (PrimitiveType::Uuid, Value::Uuid(bytes))),
        proptest::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| (PrimitiveType::Fixed(bytes.len() as u32), Value::Fixed(bytes))),
        proptest::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| (PrimitiveType::Binary, Value::Binary(bytes))),
    ]
}

fn decimal() -> impl Strategy<Value = (PrimitiveType, Value)> {
    (1_u8..=38)
        .prop_flat_map(|precision| {
            let limit = 10_i128.pow(u32::from(precision)) - 1;
            (Just(precision), 0..=precision, -limit..=limit)
        })
        .prop_map(|(precision, scale, unscaled)| {
            (PrimitiveType::Decimal { precision, scale }, Value::Decimal { unscaled, scale })
        })
}
