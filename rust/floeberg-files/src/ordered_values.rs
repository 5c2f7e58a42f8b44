//! Which bytes have the same order as the values of a column?
//!
//! ```text
//! numbers   big-endian, the sign bit flipped; floats negative ones inverted: -NaN < -inf < -0 < 0 < inf < NaN
//! bytes     0x00 as 0x00 0xff, and 0x00 0x00 at the end
//! ```
//!
//! With a fixed width, as for z-orders, numbers are widened to 64 bits first, and bytes are cut, or filled with zeros.
//!
//! Invariant: comparing the bytes gives the order of the values, and equal bytes mean equal values.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::DataType;
use floeberg_core::{Error, Result};

/// The values of a column.
pub struct OrderedValues<'a>(Values<'a>);

enum Values<'a> {
    Null,
    Boolean(&'a arrow_array::BooleanArray),
    Int(&'a arrow_array::Int32Array),
    Date(&'a arrow_array::Date32Array),
    Long(arrow_array::Int64Array),
    Float(&'a arrow_array::Float32Array),
    Double(&'a arrow_array::Float64Array),
    Decimal(&'a arrow_array::Decimal128Array),
    Text(&'a arrow_array::StringArray),
    Bytes(&'a BinaryArray),
    Fixed(&'a arrow_array::FixedSizeBinaryArray),
}

impl<'a> OrderedValues<'a> {
    /// Errors: `Internal` for nested values.
    pub fn of(array: &'a ArrayRef) -> Result<Self> {
        Ok(Self(match array.data_type() {
            DataType::Null => Values::Null,
            DataType::Boolean => Values::Boolean(array.as_boolean()),
            DataType::Int32 => Values::Int(array.as_primitive::<Int32Type>()),
            DataType::Date32 => Values::Date(array.as_primitive::<Date32Type>()),
            DataType::Int64 | DataType::Time64(_) | DataType::Timestamp(..) => {
                let data = array.to_data().into_builder().data_type(DataType::Int64).build();
                let data = data.map_err(|error| Error::internal("a key of 64 bits").caused_by(error))?;
                Values::Long(arrow_array::make_array(data).as_primitive::<Int64Type>().clone())
            }
            DataType::Float32 => Values::Float(array.as_primitive::<Float32Type>()),
            DataType::Float64 => Values::Double(array.as_primitive::<Float64Type>()),
            DataType::Decimal128(..) => Values::Decimal(array.as_primitive::<Decimal128Type>()),
            DataType::Utf8 => Values::Text(array.as_string::<i32>()),
            DataType::Binary => Values::Bytes(array.as_binary::<i32>()),
            DataType::FixedSizeBinary(_) => Values::Fixed(array.as_fixed_size_binary()),
            other => return Err(Error::internal(format!("rows cannot be sorted by values of type {other}"))),
        }))
    }

    /// Is a value null?
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        match &self.0 {
            Values::Null => true,
            Values::Boolean(values) => values.is_null(row),
            Values::Int(values) => values.is_null(row),
            Values::Date(values) => values.is_null(row),
            Values::Long(values) => values.is_null(row),
            Values::Float(values) => values.is_null(row),
            Values::Double(values) => values.is_null(row),
            Values::Decimal(values) => values.is_null(row),
            Values::Text(values) => values.is_null(row),
            Values::Bytes(values) => values.is_null(row),
            Values::Fixed(values) => values.is_null(row),
        }
    }

    /// Adds the bytes of a value that is not null.
    #[inline]
    pub fn put(&self, key: &mut Vec<u8>, row: usize) {
        match &self.0 {
            Values::Null => {}
            Values::Boolean(values) => key.push(u8::from(values.value(row))),
            Values::Int(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Values::Date(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Values::Long(values) => key.extend(whole(values.value(row))),
            Values::Float(values) => {
                let bits = values.value(row).to_bits();
                let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                key.extend(ordered.to_be_bytes());
            }
            Values::Double(values) => key.extend(ordered_double(values.value(row)).to_be_bytes()),
            Values::Decimal(values) => key.extend((values.value(row) ^ i128::MIN).to_be_bytes()),
            Values::Text(values) => put_bytes(key, values.value(row).as_bytes()),
            Values::Bytes(values) => put_bytes(key, values.value(row)),
            Values::Fixed(values) => key.extend(values.value(row)),
        }
    }

    /// Fills a slice with the first bytes of a value that is not null. All numbers but decimals have 8 bytes, whatever their
    /// type; decimals have 8 in a slice of 8, else 16. What is shorter than the slice is followed by zeros.
    ///
    /// Comparing slices of equal length gives the order of the values; different values may have equal slices.
    #[inline]
    pub fn fill(&self, slice: &mut [u8], row: usize) {
        match &self.0 {
            Values::Null => slice.fill(0),
            Values::Boolean(values) => fill(slice, &[u8::from(values.value(row)) << 7]),
            Values::Int(values) => fill(slice, &whole(values.value(row).into())),
            Values::Date(values) => fill(slice, &whole(values.value(row).into())),
            Values::Long(values) => fill(slice, &whole(values.value(row))),
            Values::Float(values) => fill(slice, &ordered_double(widened(values.value(row))).to_be_bytes()),
            Values::Double(values) => fill(slice, &ordered_double(values.value(row)).to_be_bytes()),
            Values::Decimal(values) => {
                let value = values.value(row);
                match i64::try_from(value) {
                    Ok(value) if slice.len() <= 8 => fill(slice, &whole(value)),
                    _ => fill(slice, &(value ^ i128::MIN).to_be_bytes()),
                }
            }
            Values::Text(values) => fill(slice, values.value(row).as_bytes()),
            Values::Bytes(values) => fill(slice, values.value(row)),
            Values::Fixed(values) => fill(slice, values.value(row)),
        }
    }
}

#[inline]
fn fill(slice: &mut [u8], bytes: &[u8]) {
    let length = slice.len().min(bytes.len());
    slice[..length].copy_from_slice(&bytes[..length]);
    slice[length..].fill(0);
}

#[inline]
fn whole(value: i64) -> [u8; 8] {
    (value ^ i64::MIN).to_be_bytes()
}

#[inline]
fn ordered_double(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The same as a double. A cast may lose the sign of NaN.
#[inline]
fn widened(value: f32) -> f64 {
    match (value.is_nan(), value.is_sign_negative()) {
        (false, _) => value.into(),
        (true, false) => f64::from_bits(0x7ff8 << 48),
        (true, true) => f64::from_bits(0xfff8 << 48),
    }
}

#[inline]
fn put_bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xff);
        }
    }
    key.extend([0, 0]);
}
