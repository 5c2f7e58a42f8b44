//! Is a string array valid UTF-8?
//!
//! In: a string array whose layout was checked. Out: its first invalid row.
//!
//! Invariant: bytes of null rows may be anything, as Arrow allows; for a slice, only its own bytes are checked.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, GenericStringArray, OffsetSizeTrait};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::DataType;
use arrow_select::filter::filter;

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

/// The first row with a text that is not UTF-8, at any depth. What is null, and what is below null, is not looked at.
///
/// The depth is that of a type, which was checked.
pub fn first_non_utf8_below(array: &dyn Array) -> Option<usize> {
    match array.data_type() {
        // Lists of numbers are long, and none of them is looked at.
        kind if !has_texts(kind) => None,
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.filter_map(|child| of_valid(child.as_ref(), array.nulls())).min()
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            of_elements(lists.values(), lists.nulls(), &ends(lists.value_offsets()))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            of_elements(lists.values(), lists.nulls(), &ends(lists.value_offsets()))
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            of_elements(maps.entries(), maps.nulls(), &ends(maps.value_offsets()))
        }
        DataType::FixedSizeList(_, size) => {
            let lists = array.as_fixed_size_list();
            let size = usize::try_from(*size).unwrap_or_default();
            let ends: Vec<_> = (0..=lists.len()).map(|row| row * size).collect();
            of_elements(lists.values(), lists.nulls(), &ends)
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary_opt()?;
            first_non_utf8_below(dictionary.values().as_ref())?;
            let keys = dictionary.normalized_keys();
            // Only values that a row has count.
            let wrong = |row: &usize| {
                let value = dictionary.values().slice(keys[*row], 1);
                array.is_valid(*row) && first_non_utf8_below(value.as_ref()).is_some()
            };
            (0..array.len()).find(wrong)
        }
        _ => first_non_utf8(array),
    }
}

fn has_texts(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_texts(field.data_type())),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_texts(field.data_type()),
        DataType::Dictionary(_, values) => has_texts(values),
        _ => false,
    }
}

fn ends<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<usize> {
    offsets.iter().map(|offset| offset.as_usize()).collect()
}

/// The first wrong row of those that are not null.
fn of_valid(array: &dyn Array, nulls: Option<&NullBuffer>) -> Option<usize> {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return first_non_utf8_below(array);
    };
    let valid = BooleanArray::new(nulls.inner().clone(), None);
    let found = first_non_utf8_below(filter(array, &valid).ok()?.as_ref())?;
    nulls.valid_indices().nth(found)
}

/// The first row with a wrong element. The elements of a row end where those of the next begin.
fn of_elements(elements: &dyn Array, nulls: Option<&NullBuffer>, ends: &[usize]) -> Option<usize> {
    let (first, last) = (*ends.first()?, *ends.last()?);
    let elements = elements.slice(first, last - first);
    let mut of_valid_rows = BooleanBufferBuilder::new(elements.len());
    for (row, range) in ends.windows(2).enumerate() {
        of_valid_rows.append_n(range[1] - range[0], nulls.is_none_or(|nulls| nulls.is_valid(row)));
    }
    let found = first + of_valid(elements.as_ref(), Some(&NullBuffer::new(of_valid_rows.finish())))?;
    Some(ends.partition_point(|end| *end <= found).saturating_sub(1))
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
