//! How do texts and bytes become values of a fixed length?
//!
//! In: texts of uuids, or bytes of any Arrow type. Out: bytes of one length.
//! Spec: Primitive Types (`uuid`, `fixed(L)`).
//!
//! Invariant: a value that is not one of the type is an error, never cut off or filled up. Values of null rows may be anything.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::{MutableBuffer, NullBuffer};
use arrow_cast::cast::cast;
use arrow_schema::DataType;
use floeberg_core::value::parse_uuid;

use super::fault::Fault;
use super::names::type_name;

const UUID_BYTES: i32 = 16;

/// The bytes of uuids, of texts with hyphens in either case. Errors: the first text that is not one.
pub(super) fn uuids_of_text(
    array: &ArrayRef,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    let texts = cast(array, &DataType::Utf8View)?;
    let texts = texts.as_string_view();
    made(texts.nulls(), texts.len(), UUID_BYTES, mask, [name, "uuid"], |row| {
        parse_uuid(texts.value(row))
            .map_err(|error| format!("is not a uuid: {}; or give its 16 bytes", error.message()))
    })
}

/// The same bytes in an array of a fixed length. Errors: the first value of another length.
pub(super) fn sized(
    array: &ArrayRef,
    target: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    let DataType::FixedSizeBinary(size) = target else {
        return Err(floeberg_core::Error::internal(format!(
            "expected a type of a fixed length, found {target}"
        ))
        .into());
    };
    let bytes = cast(array, &DataType::BinaryView)?;
    let bytes = bytes.as_binary_view();
    made(bytes.nulls(), bytes.len(), *size, mask, [name, &type_name(target)], |row| {
        let value = bytes.value(row);
        if i32::try_from(value.len()) == Ok(*size) {
            return Ok(value);
        }
        Err(format!("has {} bytes, and the column takes values of {size} bytes", value.len()))
    })
}

/// The values of an array, one by one.
fn made<V: AsRef<[u8]>>(
    nulls: Option<&NullBuffer>,
    rows: usize,
    size: i32,
    mask: Option<&NullBuffer>,
    [name, kind]: [&str; 2],
    value: impl Fn(usize) -> Result<V, String>,
) -> Result<ArrayRef, Fault> {
    let is_there = NullBuffer::union(nulls, mask);
    let width = usize::try_from(size).unwrap_or(0);
    let mut bytes = MutableBuffer::with_capacity(rows.saturating_mul(width));
    for row in 0..rows {
        if is_there.as_ref().is_some_and(|there| there.is_null(row)) {
            bytes.extend_zeros(width);
            continue;
        }
        let value = value(row).map_err(|why| Fault::unfit(row, name, kind, why))?;
        bytes.extend_from_slice(value.as_ref());
    }
    Ok(Arc::new(FixedSizeBinaryArray::try_new(size, bytes.into(), nulls.cloned())?))
}
