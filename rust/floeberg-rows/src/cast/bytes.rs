//! How do strings and bytes of any Arrow type get 32-bit offsets?
//!
//! Invariant: values are shared with large arrays, and a slice never carries the bytes of its neighbours.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, ArrayRef, GenericByteArray, StringArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_cast::cast::cast;
use arrow_schema::DataType;
use floeberg_core::{Error, ErrorKind};

use super::fault::Fault;

/// A string or binary array of large or view strings or bytes.
///
/// Errors: `LimitExceeded` for more bytes than 32 bits count.
pub(super) fn with_short_offsets(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Fault> {
    match array.data_type() {
        DataType::LargeUtf8 => {
            match shortened::<LargeUtf8Type, Utf8Type>(array.as_bytes::<LargeUtf8Type>()) {
                // Bytes of null rows may not be UTF-8: only those of other rows are copied.
                Err(Fault::Other(error))
                    if error.kind() == ErrorKind::InvalidInput && array.null_count() > 0 =>
                {
                    Ok(Arc::new(array.as_string::<i64>().iter().collect::<StringArray>()))
                }
                made => made,
            }
        }
        DataType::LargeBinary => {
            shortened::<LargeBinaryType, BinaryType>(array.as_bytes::<LargeBinaryType>())
        }
        DataType::Utf8View => {
            check_length(array.as_string_view().total_bytes_len())?;
            Ok(cast(array, to)?)
        }
        DataType::BinaryView => {
            check_length(array.as_binary_view().total_bytes_len())?;
            Ok(cast(array, to)?)
        }
        other => Err(Error::internal(format!("expected an array of strings or bytes, found {other}")).into()),
    }
}

fn shortened<L: ByteArrayType<Offset = i64>, S: ByteArrayType<Offset = i32>>(
    large: &GenericByteArray<L>,
) -> Result<ArrayRef, Fault> {
    let offsets = large.offsets();
    let first = offsets.first();
    let length = offsets.last() - first;
    check_length(length as usize)?;
    let counted: ScalarBuffer<i32> = offsets.iter().map(|offset| (offset - first) as i32).collect();
    let values = large.values().slice_with_length(first as usize, length as usize);
    let short = GenericByteArray::<S>::try_new(OffsetBuffer::new(counted), values, large.nulls().cloned())?;
    Ok(Arc::new(short))
}

fn check_length(length: usize) -> Result<(), Fault> {
    match i32::try_from(length) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::limit(format!("a column of a batch has {length} bytes")).into()),
    }
}
