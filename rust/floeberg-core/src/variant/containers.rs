//! What is in an object or an array?
//!
//! In: the bytes of one. Out: its fields.
//! Spec: Parquet `VariantEncoding.md`, Value Data for Object, Value Data for Array.
//!
//! Invariant: what is claimed is checked against the bytes that are there.

use super::value::{Kind, damaged, first_value, unsigned};
use crate::error::Result;

/// An object or an array.
///
/// ```text
/// header | count (1 or 4) | ids (count x id width, objects only) | offsets ((count + 1) x offset width) | values
/// ```
pub(super) struct Container<'a> {
    count: usize,
    ids: &'a [u8],
    id_width: usize,
    offsets: &'a [u8],
    offset_width: usize,
    /// The bytes before the values.
    head: usize,
    /// All that follows the head, more than the values perhaps.
    values: &'a [u8],
}

impl<'a> Container<'a> {
    /// Of bytes that start with an object or an array.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let cut_off = || damaged("the head of an object or array is cut off");
        let (header, rest) = bytes.split_first().ok_or_else(cut_off)?;
        let flags = header >> 2;
        let offset_width = usize::from(flags & 3) + 1;
        let (id_width, is_large) = match Kind::of(*header) {
            Kind::Object => (usize::from((flags >> 2) & 3) + 1, flags & 16 != 0),
            Kind::Array => (0, flags & 4 != 0),
            _ => return Err(damaged("expected an object or an array")),
        };
        let (count, rest) = rest.split_at_checked(if is_large { 4 } else { 1 }).ok_or_else(cut_off)?;
        let count = unsigned(count);
        let ids = count.checked_mul(id_width).ok_or_else(cut_off)?;
        let (ids, rest) = rest.split_at_checked(ids).ok_or_else(cut_off)?;
        let offsets = count.checked_add(1).and_then(|offsets| offsets.checked_mul(offset_width));
        let (offsets, values) =
            offsets.and_then(|length| rest.split_at_checked(length)).ok_or_else(cut_off)?;
        let head = bytes.len() - values.len();
        Ok(Self { count, ids, id_width, offsets, offset_width, head, values })
    }

    /// All its bytes.
    pub(super) fn length(&self) -> usize {
        self.head.saturating_add(self.offset(self.count))
    }

    /// The ids and values of an object's fields.
    ///
    /// Errors: those of a value; `InvalidData` for fields that lie upon each other, which would multiply what there is.
    pub(super) fn fields(&self) -> impl Iterator<Item = Result<(usize, &'a [u8])>> + '_ {
        let id = |number: usize| unsigned(&self.ids[number * self.id_width..(number + 1) * self.id_width]);
        self.elements().enumerate().map(move |(number, value)| Ok((id(number), value?)))
    }

    /// The values of an array's elements. Errors: as [`Container::fields`].
    pub(super) fn elements(&self) -> impl Iterator<Item = Result<&'a [u8]>> + '_ {
        let mut left = self.offset(self.count);
        (0..self.count).map(move |number| {
            let value = self.value(number)?;
            left = left
                .checked_sub(value.len())
                .ok_or_else(|| damaged("the parts of an object or array take more bytes than it has"))?;
            Ok(value)
        })
    }

    fn offset(&self, number: usize) -> usize {
        unsigned(&self.offsets[number * self.offset_width..(number + 1) * self.offset_width])
    }

    /// Offsets need not ascend: where a value ends it says itself.
    fn value(&self, number: usize) -> Result<&'a [u8]> {
        let values = self.values.get(..self.offset(self.count));
        let value = values.and_then(|values| values.get(self.offset(number)..));
        first_value(value.ok_or_else(|| damaged("a field lies outside of its object"))?)
    }
}
