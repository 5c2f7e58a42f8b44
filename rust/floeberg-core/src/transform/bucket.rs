//! Which bucket does a value fall into?
//!
//! In: a value. Out: its 32-bit Murmur3 hash (x86 variant, seed 0) and its bucket.
//! Spec: Bucket Transform Details; Appendix B.
//!
//! Invariant: an int hashes as the long, a nanosecond timestamp as its microseconds (floor), a decimal as the
//! fewest bytes of its unscaled value. A bucket is `hash & i32::MAX` modulo the number of buckets.

use super::temporal::nanos_to_micros;
use crate::value::Value;
use crate::value::single_value::minimal_bytes;

/// The hash of a long's eight little-endian bytes.
#[inline]
pub fn hash_long(value: i64) -> i32 {
    let bits = value as u64;
    let hash = mix(mix(0, bits as u32), (bits >> 32) as u32);
    finish(hash, 8) as i32
}

/// The hash of bytes.
#[inline]
pub fn hash_bytes(bytes: &[u8]) -> i32 {
    let mut words = bytes.chunks_exact(4);
    let mut hash = 0;
    for word in &mut words {
        hash = mix(hash, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
    let tail = words.remainder();
    if !tail.is_empty() {
        let last = tail.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        hash ^= scramble(last);
    }
    finish(hash, bytes.len() as u32) as i32
}

/// The hash of a decimal's unscaled value; its scale does not matter.
#[inline]
pub fn hash_decimal(unscaled: i128) -> i32 {
    let (bytes, start) = minimal_bytes(unscaled);
    hash_bytes(&bytes[start..])
}

/// The hash of a double (of a float, widened): one NaN, one zero.
pub fn hash_double(value: f64) -> i32 {
    let bits = if value.is_nan() {
        0x7ff8_0000_0000_0000
    } else if value == 0.0 {
        0
    } else {
        value.to_bits()
    };
    hash_long(bits as i64)
}

/// The hash of a value, also of booleans and floats, which the bucket transform does not take; `None` for nested
/// values.
pub fn hash(value: &Value) -> Option<i32> {
    Some(match value {
        Value::Boolean(value) => hash_long(i64::from(*value)),
        Value::Int(value) | Value::Date(value) => hash_long(i64::from(*value)),
        Value::Long(value) | Value::Time(value) | Value::Timestamp(value) | Value::Timestamptz(value) => {
            hash_long(*value)
        }
        Value::TimestampNs(nanos) | Value::TimestamptzNs(nanos) => hash_long(nanos_to_micros(*nanos)),
        Value::Float(value) => hash_double(f64::from(*value)),
        Value::Double(value) => hash_double(*value),
        Value::Decimal { unscaled, .. } => hash_decimal(*unscaled),
        Value::String(text) => hash_bytes(text.as_bytes()),
        Value::Uuid(bytes) => hash_bytes(bytes),
        Value::Fixed(bytes) | Value::Binary(bytes) => hash_bytes(bytes),
        Value::Struct(_) | Value::List(_) | Value::Map(_) => return None,
    })
}

/// Hashes to bucket numbers, without a division for each.
#[derive(Debug, Clone, Copy)]
pub struct Buckets {
    number: u64,
    /// 2 to the 64 divided by the number of buckets, rounded up.
    reciprocal: u64,
}

impl Buckets {
    /// Of a number of buckets; zero counts as one.
    pub fn new(number: u32) -> Self {
        let number = u64::from(number.max(1));
        Self { number, reciprocal: (u64::MAX / number).wrapping_add(1) }
    }

    /// The bucket of a hash: 0 up to the number of buckets.
    ///
    /// The remainder of a 32-bit number by a reciprocal of 64 bits is exact (Lemire, Kaser, Kurz 2019).
    #[inline]
    pub fn of(self, hash: i32) -> i32 {
        let positive = (hash & i32::MAX) as u64;
        let fraction = self.reciprocal.wrapping_mul(positive);
        ((u128::from(fraction) * u128::from(self.number)) >> 64) as i32
    }
}

#[inline]
fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[inline]
fn mix(hash: u32, word: u32) -> u32 {
    (hash ^ scramble(word)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

#[inline]
fn finish(hash: u32, length: u32) -> u32 {
    let mut hash = hash ^ length;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}
