//! Which bytes does a sketch get of a column?
//!
//! In: an array, in the form of its Iceberg type. Out: each value that is not null, in the binary single-value form.
//! Spec: Appendix D, Binary single-value serialization.
//!
//! Invariant: the bytes are those of `floeberg_core::value::single_value::to_bytes`, without an object for each value.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use floeberg_core::value::single_value::minimal_bytes;
use floeberg_core::{Error, Result};

/// Gives the bytes of each value that is not null.
///
/// Errors: `Internal` for an array of another form than columns of primitive types have.
pub(super) fn each_value(array: &ArrayRef, mut give: impl FnMut(&[u8])) -> Result<()> {
    match array.data_type() {
        DataType::Null => {}
        DataType::Boolean => array.as_boolean().iter().flatten().for_each(|value| give(&[u8::from(value)])),
        DataType::Int32 => numbers::<Int32Type, 4>(array, i32::to_le_bytes, give),
        DataType::Int64 => numbers::<Int64Type, 8>(array, i64::to_le_bytes, give),
        DataType::Float32 => numbers::<Float32Type, 4>(array, f32::to_le_bytes, give),
        DataType::Float64 => numbers::<Float64Type, 8>(array, f64::to_le_bytes, give),
        DataType::Date32 => numbers::<Date32Type, 4>(array, i32::to_le_bytes, give),
        DataType::Time64(TimeUnit::Microsecond) => {
            numbers::<Time64MicrosecondType, 8>(array, i64::to_le_bytes, give);
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            numbers::<TimestampMicrosecondType, 8>(array, i64::to_le_bytes, give);
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            numbers::<TimestampNanosecondType, 8>(array, i64::to_le_bytes, give);
        }
        DataType::Decimal128(..) => {
            array.as_primitive::<Decimal128Type>().iter().flatten().for_each(|unscaled| {
                let (bytes, start) = minimal_bytes(unscaled);
                give(&bytes[start..]);
            });
        }
        DataType::Utf8 => {
            array.as_string::<i32>().iter().flatten().for_each(|text| give(text.as_bytes()));
        }
        DataType::Binary => array.as_binary::<i32>().iter().flatten().for_each(give),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().flatten().for_each(give),
        other => return Err(Error::internal(format!("a primitive column is an array of type {other}"))),
    }
    Ok(())
}

fn numbers<T: ArrowPrimitiveType, const N: usize>(
    array: &ArrayRef,
    bytes: fn(T::Native) -> [u8; N],
    mut give: impl FnMut(&[u8]),
) {
    array.as_primitive::<T>().iter().flatten().for_each(|value| give(&bytes(value)));
}
