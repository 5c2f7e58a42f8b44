//! Strings and bytes, written one after the other.
//!
//! Spec: ORC v1, String, Char, and Varchar Columns; Binary Columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, FixedSizeBinaryArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use floeberg_core::{Error, Result};

use super::reader::{Decode, offsets, valued};
use crate::read::rle::Integers;
use crate::read::stream::ByteStream;

/// How many bytes of one column a batch may have.
pub(super) const MOST_BYTES: usize = i32::MAX as usize;

/// What bytes become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Text.
    Text,
    /// Text whose spaces at the end are padding.
    Padded,
    /// Bytes.
    Binary,
    /// Bytes of one length.
    Fixed(i32),
}

/// Texts or bytes without a dictionary.
pub(super) struct Direct {
    pub(super) lengths: Integers,
    pub(super) data: ByteStream,
    pub(super) form: Form,
}

impl Decode for Direct {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let lengths = self.lengths.read(valued(rows, nulls.as_ref()))?;
        let offsets = offsets(lengths, nulls.as_ref(), MOST_BYTES, "bytes in a column")?;
        let length = offsets.last().map_or(0, |end| *end as usize);
        let mut bytes = Vec::new();
        self.data.append(length, &mut bytes)?;
        array(offsets, bytes, nulls, self.form)
    }
}

/// An array of bytes.
pub(super) fn array(
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    nulls: Option<NullBuffer>,
    form: Form,
) -> Result<ArrayRef> {
    let rows = offsets.len() - 1;
    let offsets = OffsetBuffer::new(offsets.into());
    let bytes = Buffer::from_vec(bytes);
    let damaged =
        |error| Error::invalid_data(format!("a string of the ORC file is not valid UTF-8: {error}"));
    Ok(match form {
        Form::Text => Arc::new(StringArray::try_new(offsets, bytes, nulls).map_err(damaged)?),
        Form::Padded => {
            let padded = StringArray::try_new(offsets, bytes, nulls).map_err(damaged)?;
            let trimmed = padded.iter().map(|text| text.map(|text| text.trim_end_matches(' ')));
            Arc::new(trimmed.collect::<StringArray>())
        }
        Form::Binary => Arc::new(BinaryArray::try_new(offsets, bytes, nulls).map_err(damaged)?),
        Form::Fixed(length) => fixed(&offsets, &bytes, nulls, length, rows)?,
    })
}

/// An array of bytes of one length, in which nulls take place too.
fn fixed(
    offsets: &OffsetBuffer<i32>,
    bytes: &Buffer,
    nulls: Option<NullBuffer>,
    length: i32,
    rows: usize,
) -> Result<ArrayRef> {
    let wanted = length as usize;
    let size = wanted.checked_mul(rows).filter(|size| *size <= MOST_BYTES);
    let size = size.ok_or_else(|| Error::limit(format!("a batch has more than {MOST_BYTES} bytes")))?;
    let valued = valued(rows, nulls.as_ref());
    let is_valid = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
    let wrong = (0..rows).find(|row| is_valid(*row) && (offsets[*row + 1] - offsets[*row]) != length);
    if let Some(row) = wrong {
        let found = offsets[row + 1] - offsets[row];
        return Err(Error::invalid_data(format!("a value of {found} bytes is in a column of {length}")));
    }
    let values = if valued == rows {
        bytes.clone()
    } else {
        let mut spread = vec![0; size];
        for row in (0..rows).filter(|row| is_valid(*row)) {
            let start = offsets[row] as usize;
            spread[row * wanted..(row + 1) * wanted].copy_from_slice(&bytes[start..start + wanted]);
        }
        Buffer::from_vec(spread)
    };
    let array = FixedSizeBinaryArray::try_new_with_len(length, values, nulls, rows);
    Ok(Arc::new(array.map_err(|error| Error::internal(format!("an array of fixed bytes: {error}")))?))
}
