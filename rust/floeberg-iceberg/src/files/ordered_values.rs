//! Which bytes have the same order as the values of a column?
//!
//! ```text
//! numbers   big-endian, the sign bit flipped; floats negative ones inverted: -NaN < -inf < -0 < 0 < inf < NaN
//! bytes     0x00 as 0x00 0xff, and 0x00 0x00 at the end
//! ```
//!
//! Invariant: comparing the bytes gives the order of the values, and equal bytes mean equal values.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::DataType;
use floeberg_core::{Error, Result};

/// The values of a column.
pub(crate) enum OrderedValues<'a> {
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
    pub(crate) fn of(array: &'a ArrayRef) -> Result<Self> {
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean(array.as_boolean()),
            DataType::Int32 => Self::Int(array.as_primitive::<Int32Type>()),
            DataType::Date32 => Self::Date(array.as_primitive::<Date32Type>()),
            DataType::Int64 | DataType::Time64(_) | DataType::Timestamp(..) => {
                let data = array.to_data().into_builder().data_type(DataType::Int64).build();
                let data = data.map_err(|error| Error::internal("a key of 64 bits").caused_by(error))?;
                Self::Long(arrow_array::make_array(data).as_primitive::<Int64Type>().clone())
            }
            DataType::Float32 => Self::Float(array.as_primitive::<Float32Type>()),
            DataType::Float64 => Self::Double(array.as_primitive::<Float64Type>()),
            DataType::Decimal128(..) => Self::Decimal(array.as_primitive::<Decimal128Type>()),
            DataType::Utf8 => Self::Text(array.as_string::<i32>()),
            DataType::Binary => Self::Bytes(array.as_binary::<i32>()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary()),
            other => return Err(Error::internal(format!("rows cannot be sorted by values of type {other}"))),
        })
    }

    #[inline]
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Null => true,
            Self::Boolean(values) => values.is_null(row),
            Self::Int(values) => values.is_null(row),
            Self::Date(values) => values.is_null(row),
            Self::Long(values) => values.is_null(row),
            Self::Float(values) => values.is_null(row),
            Self::Double(values) => values.is_null(row),
            Self::Decimal(values) => values.is_null(row),
            Self::Text(values) => values.is_null(row),
            Self::Bytes(values) => values.is_null(row),
            Self::Fixed(values) => values.is_null(row),
        }
    }

    /// Adds the bytes of a value that is not null.
    #[inline]
    pub(crate) fn put(&self, key: &mut Vec<u8>, row: usize) {
        match self {
            Self::Null => {}
            Self::Boolean(values) => key.push(u8::from(values.value(row))),
            Self::Int(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Self::Date(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Self::Long(values) => key.extend((values.value(row) ^ i64::MIN).to_be_bytes()),
            Self::Float(values) => {
                let bits = values.value(row).to_bits();
                let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                key.extend(ordered.to_be_bytes());
            }
            Self::Double(values) => {
                let bits = values.value(row).to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                key.extend(ordered.to_be_bytes());
            }
            Self::Decimal(values) => key.extend((values.value(row) ^ i128::MIN).to_be_bytes()),
            Self::Text(values) => put_bytes(key, values.value(row).as_bytes()),
            Self::Bytes(values) => put_bytes(key, values.value(row)),
            Self::Fixed(values) => key.extend(values.value(row)),
        }
    }
}

fn put_bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xff);
        }
    }
    key.extend([0, 0]);
}
