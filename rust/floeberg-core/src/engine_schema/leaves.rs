//! How do columns without children change their type?
//!
//! Invariant: a null stays one whatever stands in its slot; values that a type cannot hold are errors.

use std::sync::Arc;

use arrow_array::types::{
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array as _, ArrayRef, BinaryArray, FixedSizeBinaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::ArrowError;

use crate::error::{Error, Result};
use crate::transform::temporal::nanos_to_micros;
use crate::value::datetime::MICROS_PER_DAY;

const HEX: &[u8; 16] = b"0123456789abcdef";
/// `8-4-4-4-12` digits with hyphens.
const UUID_LENGTH: usize = 36;

/// UUIDs as their text: lower case, with hyphens.
pub(super) fn uuid_texts(array: &FixedSizeBinaryArray) -> Result<ArrayRef> {
    let offsets = even_offsets(array.len(), UUID_LENGTH)?;
    let mut text = Vec::with_capacity(array.len() * UUID_LENGTH);
    // Null slots are written too: a branch for each row would cost more.
    for row in 0..array.len() {
        for (position, byte) in array.value(row).iter().enumerate() {
            if matches!(position, 4 | 6 | 8 | 10) {
                text.push(b'-');
            }
            text.push(HEX[usize::from(byte >> 4)]);
            text.push(HEX[usize::from(byte & 15)]);
        }
    }
    let texts = StringArray::try_new(offsets, Buffer::from_vec(text), array.nulls().cloned());
    Ok(Arc::new(texts.map_err(broken)?))
}

/// Bytes of one length as bytes of any; they are shared.
pub(super) fn bytes(array: &FixedSizeBinaryArray) -> Result<ArrayRef> {
    let width = array.value_size();
    let offsets = even_offsets(array.len(), width)?;
    let binary = BinaryArray::try_new(offsets, array.values().clone(), array.nulls().cloned());
    Ok(Arc::new(binary.map_err(broken)?))
}

/// Times of microseconds as times of nanoseconds.
pub(super) fn nanosecond_times(array: &PrimitiveArray<Time64MicrosecondType>) -> Result<ArrayRef> {
    let nanos: PrimitiveArray<Time64NanosecondType> = array.try_unary(|micros| {
        if (0..MICROS_PER_DAY).contains(&micros) {
            return Ok(micros * 1000);
        }
        Err(Error::invalid_data(format!("expected a time of day, found {micros} microseconds from midnight")))
    })?;
    Ok(Arc::new(nanos))
}

/// Timestamps of nanoseconds as the microsecond that each is in, before 1970 too.
pub(super) fn microseconds(
    array: &PrimitiveArray<TimestampNanosecondType>,
    zone: Option<&Arc<str>>,
) -> ArrayRef {
    let micros: PrimitiveArray<TimestampMicrosecondType> = array.unary(nanos_to_micros);
    Arc::new(micros.with_timezone_opt(zone.cloned()))
}

/// The offsets of values of one length.
fn even_offsets(rows: usize, width: usize) -> Result<OffsetBuffer<i32>> {
    OffsetBuffer::try_from_repeated_length(width, rows).map_err(|_| {
        Error::limit(format!("{rows} values of {width} bytes do not fit into one batch of PySpark"))
    })
}

fn broken(error: ArrowError) -> Error {
    Error::invalid_data("a column does not fit the table's schema").caused_by(error)
}
