//! Which of the smallest integers does truncation wrap around?
//!
//! Truncating the least int to a width of 10 leaves its range, and writers wrap: -2147483648 becomes 2147483646. Only
//! there a truncated value is above its source, and the order is lost.
//!
//! Spec: Partition Transforms, Truncate Transform Details.

use std::cmp::Ordering;

use super::PartitionColumn;
use crate::transform::Transform;
use crate::value::Value;
use crate::value::ordering::compare;

/// The partition value of a literal; `None` if it wraps.
pub(super) fn apply_in_order(field: &PartitionColumn, literal: &Value) -> Option<Value> {
    let value = field.apply(literal)?;
    (compare(&value, literal) != Some(Ordering::Greater)).then_some(value)
}

/// The partition value of the smallest integers, which wraps.
pub(super) fn wrapped(field: &PartitionColumn, literal: &Value) -> Option<Value> {
    let least = match (&field.transform, literal) {
        (Transform::Truncate(_), Value::Int(_)) => Value::Int(i32::MIN),
        (Transform::Truncate(_), Value::Long(_)) => Value::Long(i64::MIN),
        _ => return None,
    };
    let value = field.apply(&least)?;
    (compare(&value, &least) == Some(Ordering::Greater)).then_some(value)
}
