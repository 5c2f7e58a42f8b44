//! Is a string array valid UTF-8?
//!
//! In: a string array whose layout was checked. Out: its first invalid row.
//!
//! Invariant: bytes of null rows may be anything, as Arrow allows; for a slice, only its own bytes are checked.

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait};
use arrow_schema::DataType;

/// The first row whose text is not UTF-8; `None` where all of it is, or where the array is not of text.
pub fn first_non_utf8(array: &dyn Array) -> Option<usize> {
    match array.data_type() {
        DataType::Utf8 => of_offsets(array.as_string::<i32>()),
        DataType::LargeUtf8 => of_offsets(array.as_string::<i64>()),
        DataType::Utf8View => {
            let bytes = array.as_string_view().clone().to_binary_view();
            first_wrong(array, |row| bytes.value(row))
        }
        _ => None,
    }
}

/// All bytes at once if possible: strings are valid if all bytes together are, and each starts at a character boundary.
fn of_offsets<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> Option<usize> {
    let offsets = array.offsets();
    let (first, last) = (offsets.first().as_usize(), offsets.last().as_usize());
    let bytes = array.values().as_slice().get(first..last)?;
    let is_text = bytes.is_ascii()
        || str::from_utf8(bytes).is_ok_and(|text| {
            offsets.iter().all(|offset| text.is_char_boundary(offset.as_usize().saturating_sub(first)))
        });
    if is_text {
        return None;
    }
    let values = array.values().as_slice();
    first_wrong(array, |row| {
        values.get(offsets[row].as_usize()..offsets[row + 1].as_usize()).unwrap_or_default()
    })
}

fn first_wrong<'a>(array: &dyn Array, bytes: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
    (0..array.len()).find(|row| array.is_valid(*row) && str::from_utf8(bytes(*row)).is_err())
}
