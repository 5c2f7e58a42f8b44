//! Is what claims to be text UTF-8?
//!
//! In: an array of text whose layout was checked. Out: its first row that is not.
//!
//! Invariant: bytes of null rows may be anything, as Arrow allows; of a slice only its own bytes are looked at.

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

/// All bytes at once where that suffices: text is UTF-8 if all of it is, and each begins where a character does.
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
