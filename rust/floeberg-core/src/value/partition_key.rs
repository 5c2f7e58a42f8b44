//! Are two partition tuples the same partition?
//!
//! In: partition values. Out: bytes that are equal, and hash alike, exactly for equal partitions.
//! Spec: Scan Planning, note 3.
//!
//! ```text
//! per value   kind u8 (0 null), then by kind: 8 bytes of an integer or of a double's bits, 16 of a decimal or
//!             uuid, or length u64 and bytes
//! ```
//!
//! Invariant: floats are compared by their bits with one NaN, so -0.0 and 0.0 differ. An int equals the long, and
//! a float the double, that it is promoted to; an int equals the date of that day, as the day transform wants.

use std::sync::Arc;

use super::Value;

/// A hashable form of a partition tuple, cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartitionKey(Arc<[u8]>);

impl PartitionKey {
    /// The key of a tuple.
    pub fn new<'a>(tuple: impl IntoIterator<Item = Option<&'a Value>>) -> Self {
        let mut bytes = Vec::with_capacity(16);
        for value in tuple {
            put(&mut bytes, value);
        }
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Are two partition values the same? Null equals null.
pub fn equal_for_partition(left: Option<&Value>, right: Option<&Value>) -> bool {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    put(&mut a, left);
    put(&mut b, right);
    a == b
}

/// Appends the key of one value.
pub(crate) fn put(out: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        None => out.push(0),
        Some(Value::Boolean(value)) => out.extend([1, u8::from(*value)]),
        Some(Value::Int(value) | Value::Date(value)) => put_integer(out, 2, i64::from(*value)),
        Some(Value::Long(value)) => put_integer(out, 2, *value),
        Some(Value::Float(value)) => put_float(out, f64::from(*value)),
        Some(Value::Double(value)) => put_float(out, *value),
        Some(Value::Decimal { unscaled, .. }) => {
            out.push(4);
            out.extend(unscaled.to_be_bytes());
        }
        Some(Value::Time(value)) => put_integer(out, 5, *value),
        Some(Value::Timestamp(value) | Value::Timestamptz(value)) => put_integer(out, 6, *value),
        Some(Value::TimestampNs(value) | Value::TimestamptzNs(value)) => put_integer(out, 7, *value),
        Some(Value::String(text)) => put_bytes(out, 8, text.as_bytes()),
        Some(Value::Uuid(bytes)) => put_bytes(out, 9, bytes),
        Some(Value::Fixed(bytes) | Value::Binary(bytes)) => put_bytes(out, 10, bytes),
        Some(Value::Struct(fields)) => {
            put_integer(out, 11, fields.len() as i64);
            for (id, value) in fields {
                out.extend(id.to_be_bytes());
                put(out, value.as_ref());
            }
        }
        Some(Value::List(elements)) => {
            put_integer(out, 12, elements.len() as i64);
            for element in elements {
                put(out, element.as_ref());
            }
        }
        Some(Value::Map(entries)) => {
            put_integer(out, 13, entries.len() as i64);
            for (key, value) in entries {
                put(out, Some(key));
                put(out, value.as_ref());
            }
        }
    }
}

fn put_integer(out: &mut Vec<u8>, kind: u8, value: i64) {
    out.push(kind);
    out.extend(value.to_be_bytes());
}

fn put_float(out: &mut Vec<u8>, value: f64) {
    let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
    put_integer(out, 3, bits as i64);
}

fn put_bytes(out: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    put_integer(out, kind, bytes.len() as i64);
    out.extend(bytes);
}
