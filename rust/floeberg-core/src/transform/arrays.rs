//! What is the transform of a column?
//!
//! In: an Arrow array and the column's type. Out: an array of the result's type, as long; nulls stay null.
//! Spec: Partition Transforms.
//!
//! Invariant: row by row the same as [`Transform::apply`]. Results are in the type's one Arrow form, but identity
//! gives the array itself and truncated strings and binary keep their form (large, view).

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, BinaryArray, BinaryViewArray, Int32Array, LargeBinaryArray,
    LargeStringArray, PrimitiveArray, StringArray, StringViewArray, new_null_array,
};
use arrow_schema::{DataType, TimeUnit};

use super::bucket::{Buckets, hash_bytes, hash_decimal, hash_long};
use super::truncate::{truncate_binary, truncate_decimal, truncate_int, truncate_long, truncate_string};
use super::{Transform, temporal};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::schema::arrow::type_to_arrow;

impl Transform {
    /// The transformed column.
    ///
    /// Large, view, dictionary and run-end forms of the source type are taken too. Errors: `InvalidInput` for a
    /// source type that the transform does not take or an array that is not of it, `Unsupported` for an unknown
    /// transform.
    pub fn apply_array(&self, array: &dyn Array, source: &Type) -> Result<ArrayRef> {
        if let Self::Unknown(written) = self {
            return Err(Error::unsupported(format!("the transform {written} is not known to this version")));
        }
        let result_type = self.result_type(source).map_err(Error::of_input)?;
        if *self == Self::Void || *array.data_type() == DataType::Null {
            return Ok(new_null_array(&type_to_arrow(&result_type)?, array.len()));
        }
        if *self == Self::Identity {
            return Ok(array.slice(0, array.len()));
        }
        let array = plain(array, source)?;
        let result = match self {
            Self::Bucket(number) => bucket(&array, Buckets::new(*number)),
            Self::Truncate(width) => truncate(&array, *width),
            Self::Year => by_day::<Int32Type>(&array, temporal::year),
            Self::Month => by_day::<Int32Type>(&array, temporal::month),
            Self::Day => by_day::<Date32Type>(&array, |days| days),
            Self::Hour => by_hour(&array),
            Self::Identity | Self::Void | Self::Unknown(_) => None,
        };
        result.ok_or_else(|| wrong_array(&array, source))
    }
}

/// The array in a form that the kernels know.
fn plain(array: &dyn Array, source: &Type) -> Result<ArrayRef> {
    let expected = type_to_arrow(source)?;
    let found = array.data_type();
    let is_known_form = *found == expected
        || match expected {
            DataType::Utf8 => matches!(found, DataType::LargeUtf8 | DataType::Utf8View),
            DataType::Binary => matches!(found, DataType::LargeBinary | DataType::BinaryView),
            _ => false,
        };
    if is_known_form {
        return Ok(array.slice(0, array.len()));
    }
    let is_lossless = match found {
        DataType::Dictionary(_, values) => **values == expected,
        DataType::RunEndEncoded(_, values) => *values.data_type() == expected,
        DataType::Timestamp(_, zone) => {
            matches!(&expected, DataType::Timestamp(_, expected) if expected.is_some() == zone.is_some())
        }
        DataType::Int32 => expected == DataType::Int64,
        _ => false,
    };
    if !is_lossless {
        return Err(wrong_array(array, source));
    }
    arrow_cast::cast_with_options(
        array,
        &expected,
        &arrow_cast::CastOptions { safe: false, ..Default::default() },
    )
    .map_err(|error| wrong_array(array, source).caused_by(error))
}

fn wrong_array(array: &dyn Array, source: &Type) -> Error {
    Error::invalid_input(format!("expected an array of values of type {source}, found {}", array.data_type()))
}

fn bucket(array: &ArrayRef, buckets: Buckets) -> Option<ArrayRef> {
    let of_long = |value| buckets.of(hash_long(value));
    let of_nanos = |value| buckets.of(hash_long(temporal::nanos_to_micros(value)));
    Some(match array.data_type() {
        DataType::Int32 => map::<Int32Type, Int32Type>(array, |value| of_long(i64::from(value)))?,
        DataType::Date32 => map::<Date32Type, Int32Type>(array, |value| of_long(i64::from(value)))?,
        DataType::Int64 => map::<Int64Type, Int32Type>(array, of_long)?,
        DataType::Time64(TimeUnit::Microsecond) => map::<Time64MicrosecondType, Int32Type>(array, of_long)?,
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            map::<TimestampMicrosecondType, Int32Type>(array, of_long)?
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            map::<TimestampNanosecondType, Int32Type>(array, of_nanos)?
        }
        DataType::Decimal128(_, _) => {
            map::<Decimal128Type, Int32Type>(array, |value| buckets.of(hash_decimal(value)))?
        }
        DataType::Utf8 => bucket_bytes(&array.as_string::<i32>(), buckets),
        DataType::LargeUtf8 => bucket_bytes(&array.as_string::<i64>(), buckets),
        DataType::Utf8View => bucket_bytes(&array.as_string_view(), buckets),
        DataType::Binary => bucket_bytes(&array.as_binary::<i32>(), buckets),
        DataType::LargeBinary => bucket_bytes(&array.as_binary::<i64>(), buckets),
        DataType::BinaryView => bucket_bytes(&array.as_binary_view(), buckets),
        DataType::FixedSizeBinary(_) => bucket_bytes(&array.as_fixed_size_binary(), buckets),
        _ => return None,
    })
}

fn bucket_bytes<A>(array: &A, buckets: Buckets) -> ArrayRef
where
    A: ArrayAccessor,
    A::Item: AsRef<[u8]>,
{
    // Null slots are hashed too: a branch for each row would cost more.
    let values = (0..array.len()).map(|row| buckets.of(hash_bytes(array.value(row).as_ref())));
    Arc::new(Int32Array::new(values.collect(), array.nulls().cloned()))
}

fn truncate(array: &ArrayRef, width: u32) -> Option<ArrayRef> {
    let string = |text: &str| truncate_string(text, width).to_owned();
    let binary = |bytes: &[u8]| truncate_binary(bytes, width).to_vec();
    Some(match array.data_type() {
        DataType::Int32 => map::<Int32Type, Int32Type>(array, |value| truncate_int(value, width))?,
        DataType::Int64 => map::<Int64Type, Int64Type>(array, |value| truncate_long(value, width))?,
        DataType::Decimal128(_, _) => {
            let decimals = array.as_primitive_opt::<Decimal128Type>()?;
            let truncated: PrimitiveArray<Decimal128Type> =
                decimals.unary(|value| truncate_decimal(value, width));
            Arc::new(truncated.with_data_type(array.data_type().clone()))
        }
        DataType::Utf8 => {
            Arc::new(array.as_string::<i32>().iter().map(|text| text.map(string)).collect::<StringArray>())
        }
        DataType::LargeUtf8 => Arc::new(
            array.as_string::<i64>().iter().map(|text| text.map(string)).collect::<LargeStringArray>(),
        ),
        DataType::Utf8View => {
            Arc::new(array.as_string_view().iter().map(|text| text.map(string)).collect::<StringViewArray>())
        }
        DataType::Binary => {
            Arc::new(array.as_binary::<i32>().iter().map(|bytes| bytes.map(binary)).collect::<BinaryArray>())
        }
        DataType::LargeBinary => Arc::new(
            array.as_binary::<i64>().iter().map(|bytes| bytes.map(binary)).collect::<LargeBinaryArray>(),
        ),
        DataType::BinaryView => Arc::new(
            array.as_binary_view().iter().map(|bytes| bytes.map(binary)).collect::<BinaryViewArray>(),
        ),
        _ => return None,
    })
}

fn by_day<To>(array: &ArrayRef, of_days: impl Fn(i32) -> i32) -> Option<ArrayRef>
where
    To: ArrowPrimitiveType<Native = i32>,
{
    match array.data_type() {
        DataType::Date32 => map::<Date32Type, To>(array, of_days),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            map::<TimestampMicrosecondType, To>(array, |micros| of_days(temporal::day(micros)))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => map::<TimestampNanosecondType, To>(array, |nanos| {
            of_days(temporal::day(temporal::nanos_to_micros(nanos)))
        }),
        _ => None,
    }
}

fn by_hour(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            map::<TimestampMicrosecondType, Int32Type>(array, temporal::hour)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            map::<TimestampNanosecondType, Int32Type>(array, |nanos| {
                temporal::hour(temporal::nanos_to_micros(nanos))
            })
        }
        _ => None,
    }
}

/// Every slot through a function that cannot fail, null ones too.
fn map<From, To>(array: &ArrayRef, function: impl Fn(From::Native) -> To::Native) -> Option<ArrayRef>
where
    From: ArrowPrimitiveType,
    To: ArrowPrimitiveType,
{
    let result: PrimitiveArray<To> = array.as_primitive_opt::<From>()?.unary(function);
    Some(Arc::new(result))
}
