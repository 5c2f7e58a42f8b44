//! Which of two values is smaller?
//!
//! In: two values of one type. Out: their order, if they have one.
//! Spec: Expressions specification, Comparisons.
//!
//! Invariant: strings, uuids, fixed and binary are ordered by unsigned bytes; floats by IEEE 754 (NaN has no
//! order, -0.0 equals 0.0).

use std::cmp::Ordering;

use super::Value;

/// The order of two values of one type; `None` for NaN, for different types (decimals of different scales among
/// them) and for nested values.
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    use Value as V;
    match (left, right) {
        (V::Boolean(left), V::Boolean(right)) => Some(left.cmp(right)),
        (V::Int(left), V::Int(right)) | (V::Date(left), V::Date(right)) => Some(left.cmp(right)),
        (V::Long(left), V::Long(right))
        | (V::Time(left), V::Time(right))
        | (V::Timestamp(left), V::Timestamp(right))
        | (V::Timestamptz(left), V::Timestamptz(right))
        | (V::TimestampNs(left), V::TimestampNs(right))
        | (V::TimestamptzNs(left), V::TimestamptzNs(right)) => Some(left.cmp(right)),
        (V::Float(left), V::Float(right)) => left.partial_cmp(right),
        (V::Double(left), V::Double(right)) => left.partial_cmp(right),
        (V::Decimal { unscaled: left, scale: a }, V::Decimal { unscaled: right, scale: b }) if a == b => {
            Some(left.cmp(right))
        }
        (V::String(left), V::String(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (V::Uuid(left), V::Uuid(right)) => Some(left.cmp(right)),
        (V::Fixed(left), V::Fixed(right)) | (V::Binary(left), V::Binary(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
