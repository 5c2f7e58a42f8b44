//! How long is a value, and what is in an object or an array?
//!
//! In: bytes that start with a value. Out: how many of them are the value's; its fields or elements.
//! Spec: Parquet `VariantEncoding.md`, Value encoding.
//!
//! Invariant: sizes are checked against the remaining bytes. The length does not need the values inside an object or array, so the
//! time does not depend on them.

use crate::error::{Error, Result};

/// The null of variants, which is not SQL's null.
pub(super) const NULL: &[u8] = &[0];

/// The basic type, in the two lowest bits of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value without parts, of the type with this number.
    Primitive(u8),
    /// A string of this many bytes.
    ShortString(usize),
    /// Values by names.
    Object,
    /// Values in order.
    Array,
}

impl Kind {
    /// What a value is, by its first byte.
    pub(super) fn of(header: u8) -> Self {
        match header & 3 {
            0 => Self::Primitive(header >> 2),
            1 => Self::ShortString(usize::from(header >> 2)),
            2 => Self::Object,
            _ => Self::Array,
        }
    }
}

/// An unsigned little-endian number of at most four bytes.
pub(super) fn unsigned(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte))
}

/// The value that bytes start with.
///
/// Errors: `InvalidData` if bytes are missing, `Unsupported` for an unknown type, whose length is unknown too.
pub(super) fn first_value(bytes: &[u8]) -> Result<&[u8]> {
    let header = *bytes.first().ok_or_else(|| damaged("it has no bytes"))?;
    let length = match Kind::of(header) {
        Kind::Primitive(number) => 1 + primitive_length(number, &bytes[1..])?,
        Kind::ShortString(length) => 1 + length,
        Kind::Object | Kind::Array => Container::new(bytes)?.length(),
    };
    bytes.get(..length).ok_or_else(|| damaged(&format!("expected {length} bytes, found {}", bytes.len())))
}

/// Checks that bytes are exactly one value. An unknown type may have any length.
pub(super) fn check_one(bytes: &[u8]) -> Result<()> {
    match bytes.first().map(|header| Kind::of(*header)) {
        Some(Kind::Primitive(number)) if number > LAST_TYPE => Ok(()),
        _ => {
            let found = first_value(bytes)?.len();
            if found == bytes.len() {
                return Ok(());
            }
            Err(damaged(&format!("it ends after {found} of its {} bytes", bytes.len())))
        }
    }
}

/// The highest number of a type.
const LAST_TYPE: u8 = 20;

fn primitive_length(number: u8, data: &[u8]) -> Result<usize> {
    Ok(match number {
        0..=2 => 0,
        3 => 1,
        4 => 2,
        5 | 11 | 14 => 4,
        6 | 7 | 12 | 13 | 17 | 18 | 19 => 8,
        8 => 5,
        9 => 9,
        10 => 17,
        15 | 16 => {
            let length = data.get(..4).ok_or_else(|| damaged("its length is cut off"))?;
            4 + unsigned(length)
        }
        20 => 16,
        _ => return Err(Error::unsupported(format!("a variant holds a value of the unknown type {number}"))),
    })
}

pub(super) fn damaged(why: &str) -> Error {
    Error::invalid_data(format!("a value of a variant is damaged: {why}"))
}

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
    /// Everything after the header, perhaps more than the values.
    values: &'a [u8],
}

impl<'a> Container<'a> {
    /// Of bytes that start with an object or an array.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let cut_off = || damaged("the header of an object or array is cut off");
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
    /// Errors: those of a value; `InvalidData` for overlapping fields, which would multiply the size.
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

    /// The value of the first field whose id a function knows, without a look at the others.
    pub(super) fn field_named(&self, is_it: impl Fn(usize) -> Result<bool>) -> Result<Option<&'a [u8]>> {
        for (number, id) in self.ids.chunks_exact(self.id_width).enumerate() {
            if is_it(unsigned(id))? {
                return self.value(number).map(Some);
            }
        }
        Ok(None)
    }

    /// The value of an element; `None` if there are not so many.
    pub(super) fn element(&self, number: usize) -> Result<Option<&'a [u8]>> {
        if number < self.count { self.value(number).map(Some) } else { Ok(None) }
    }

    fn offset(&self, number: usize) -> usize {
        unsigned(&self.offsets[number * self.offset_width..(number + 1) * self.offset_width])
    }

    /// Offsets need not ascend: each value has its own length.
    fn value(&self, number: usize) -> Result<&'a [u8]> {
        let values = self.values.get(..self.offset(self.count));
        let value = values.and_then(|values| values.get(self.offset(number)..));
        first_value(value.ok_or_else(|| damaged("a field lies outside of its object"))?)
    }
}
