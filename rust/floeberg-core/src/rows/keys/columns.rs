//! What are the values of key columns, as bytes that can be compared?
//!
//! In: Arrow arrays. Out: for each row the bytes of its value, or null.
//! Spec: Equality Delete Files; Scan Planning, note 3.
//!
//! Invariant: two values are equal if and only if their bytes are. Null equals null. Floats are compared as Java
//! compares them, and as the spec compares floats in partitions: by their bits, all NaN being one, so that -0.0 does
//! not equal 0.0. The spec itself bars float columns from keys; writers that use them delete by this rule.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};

use super::hashing::Hashing;
use crate::error::{Error, Result};

/// The values of one key column.
pub(super) struct KeyColumn<'a> {
    pub values: Values<'a>,
    pub nulls: Option<&'a NullBuffer>,
}

/// Values as bytes. Those of null rows mean nothing.
pub(super) enum Values<'a> {
    /// Of a column that is null in every row.
    Nothing,
    Four(Vec<[u8; 4]>),
    Eight(Vec<[u8; 8]>),
    Sixteen(Vec<[u8; 16]>),
    /// The bytes of row `i` are those from offset `i` to offset `i + 1`.
    Bytes {
        offsets: &'a [i32],
        bytes: &'a [u8],
    },
    /// All values are of one width.
    Width {
        width: usize,
        bytes: &'a [u8],
    },
}

/// How wide are the values of a type that can be a key? 0 where that depends on the value.
///
/// Errors: `Unsupported` for a type that cannot be a key.
pub(super) fn width_of(data_type: &DataType) -> Result<usize> {
    Ok(match data_type {
        DataType::Boolean | DataType::Int32 | DataType::Date32 | DataType::Float32 => 4,
        DataType::Int64
        | DataType::Float64
        | DataType::Time64(TimeUnit::Microsecond)
        | DataType::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, _) => 8,
        DataType::Decimal128(_, _) | DataType::FixedSizeBinary(16) => 16,
        DataType::Utf8 | DataType::Binary | DataType::FixedSizeBinary(_) | DataType::Null => 0,
        other => {
            return Err(Error::unsupported(format!(
                "a column of type {other} cannot be a key of equality deletes"
            )));
        }
    })
}

impl<'a> KeyColumn<'a> {
    /// Of an array of a type that can be a key.
    pub fn new(array: &'a ArrayRef) -> Result<Self> {
        let values = match array.data_type() {
            DataType::Null => Values::Nothing,
            DataType::Boolean => Values::Four(
                array.as_boolean().values().iter().map(|bit| u32::from(bit).to_le_bytes()).collect(),
            ),
            DataType::Int32 => Values::Four(primitive::<Int32Type, 4>(array, i32::to_le_bytes)),
            DataType::Date32 => Values::Four(primitive::<Date32Type, 4>(array, i32::to_le_bytes)),
            DataType::Float32 => Values::Four(primitive::<Float32Type, 4>(array, |value| {
                if value.is_nan() { f32::NAN } else { value }.to_bits().to_le_bytes()
            })),
            DataType::Int64 => Values::Eight(primitive::<Int64Type, 8>(array, i64::to_le_bytes)),
            DataType::Float64 => Values::Eight(primitive::<Float64Type, 8>(array, |value| {
                if value.is_nan() { f64::NAN } else { value }.to_bits().to_le_bytes()
            })),
            DataType::Time64(TimeUnit::Microsecond) => {
                Values::Eight(primitive::<Time64MicrosecondType, 8>(array, i64::to_le_bytes))
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                Values::Eight(primitive::<TimestampMicrosecondType, 8>(array, i64::to_le_bytes))
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                Values::Eight(primitive::<TimestampNanosecondType, 8>(array, i64::to_le_bytes))
            }
            DataType::Decimal128(_, _) => {
                Values::Sixteen(primitive::<Decimal128Type, 16>(array, i128::to_le_bytes))
            }
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                Values::Bytes { offsets: array.value_offsets(), bytes: array.value_data() }
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                Values::Bytes { offsets: array.value_offsets(), bytes: array.value_data() }
            }
            DataType::FixedSizeBinary(16) => {
                let (whole, _) = array.as_fixed_size_binary().value_data().as_chunks::<16>();
                Values::Sixteen(whole.to_vec())
            }
            DataType::FixedSizeBinary(width) => {
                Values::Width { width: *width as usize, bytes: array.as_fixed_size_binary().value_data() }
            }
            other => return Err(Error::internal(format!("{other} is an unexpected type of keys"))),
        };
        Ok(Self { values, nulls: array.nulls().filter(|nulls| nulls.null_count() > 0) })
    }

    /// Is the value of a row null?
    pub fn is_null(&self, row: usize) -> bool {
        matches!(self.values, Values::Nothing) || self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    /// Hashes the values of the rows from a first one on after those of other columns.
    pub fn hash(&self, hashing: &Hashing, first: usize, hashes: &mut [u64]) {
        match &self.values {
            Values::Nothing => {}
            Values::Four(values) => {
                self.each(hashing, first, hashes, |hash, row| hashing.next_fixed(hash, &values[row]));
            }
            Values::Eight(values) => {
                self.each(hashing, first, hashes, |hash, row| hashing.next_fixed(hash, &values[row]));
            }
            Values::Sixteen(values) => {
                self.each(hashing, first, hashes, |hash, row| hashing.next_fixed(hash, &values[row]));
            }
            Values::Bytes { offsets, bytes } => self.each(hashing, first, hashes, |hash, row| {
                hashing.next_bytes(hash, &bytes[offsets[row] as usize..offsets[row + 1] as usize])
            }),
            Values::Width { width, bytes } => self.each(hashing, first, hashes, |hash, row| {
                hashing.next_bytes(hash, &bytes[row * width..(row + 1) * width])
            }),
        }
    }

    /// The values of null rows are ignored: they may be anything.
    fn each(&self, hashing: &Hashing, first: usize, hashes: &mut [u64], next: impl Fn(u64, usize) -> u64) {
        match self.nulls {
            None => {
                for (at, hash) in hashes.iter_mut().enumerate() {
                    *hash = next(*hash, first + at);
                }
            }
            Some(nulls) => {
                for (at, hash) in hashes.iter_mut().enumerate() {
                    let row = first + at;
                    *hash = if nulls.is_null(row) { hashing.next_null(*hash) } else { next(*hash, row) };
                }
            }
        }
    }

    /// How many bytes [`Self::write`] writes.
    pub fn written(&self, row: usize) -> usize {
        1 + match &self.values {
            _ if self.is_null(row) => 0,
            Values::Nothing => 0,
            Values::Four(_) => 4,
            Values::Eight(_) => 8,
            Values::Sixteen(_) => 16,
            Values::Bytes { offsets, .. } => 4 + (offsets[row + 1] - offsets[row]) as usize,
            Values::Width { width, .. } => *width,
        }
    }

    /// Appends the value of a row: a byte that is 0 for null and 1 for the value that follows. Of bytes that differ in
    /// length the length comes first, in 4 bytes.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.push(0);
            return;
        }
        out.push(1);
        match &self.values {
            Values::Nothing => {}
            Values::Four(values) => out.extend_from_slice(&values[row]),
            Values::Eight(values) => out.extend_from_slice(&values[row]),
            Values::Sixteen(values) => out.extend_from_slice(&values[row]),
            Values::Bytes { offsets, bytes } => {
                let value = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
                out.extend_from_slice(&(value.len() as u32).to_le_bytes());
                out.extend_from_slice(value);
            }
            Values::Width { width, bytes } => out.extend_from_slice(&bytes[row * width..(row + 1) * width]),
        }
    }

    /// The rest of the written bytes after the value of a row, if they start with that value.
    pub fn strip<'w>(&self, row: usize, written: &'w [u8]) -> Option<&'w [u8]> {
        if self.is_null(row) {
            return written.strip_prefix(&[0]);
        }
        let written = written.strip_prefix(&[1])?;
        match &self.values {
            Values::Nothing => None,
            Values::Four(values) => written.strip_prefix(&values[row]),
            Values::Eight(values) => written.strip_prefix(&values[row]),
            Values::Sixteen(values) => written.strip_prefix(&values[row]),
            Values::Bytes { offsets, bytes } => {
                let value = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
                let written = written.strip_prefix(&(value.len() as u32).to_le_bytes())?;
                written.strip_prefix(value)
            }
            Values::Width { width, bytes } => written.strip_prefix(&bytes[row * width..(row + 1) * width]),
        }
    }
}

fn primitive<T: ArrowPrimitiveType, const N: usize>(
    array: &ArrayRef,
    bytes: impl Fn(T::Native) -> [u8; N],
) -> Vec<[u8; N]> {
    array.as_primitive::<T>().values().iter().map(|value| bytes(*value)).collect()
}
