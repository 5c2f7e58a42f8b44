//! How long is a value?
//!
//! In: bytes that start with a value. Out: how many of them are the value's.
//! Spec: Parquet `VariantEncoding.md`, Value encoding.
//!
//! Invariant: no value inside an object or array is looked at, so the time does not depend on what is in there.

use super::containers::Container;
use crate::error::{Error, Result};

/// A variant's null, which is not SQL's.
pub(super) const NULL: &[u8] = &[0];

/// What the two lowest bits of a value say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value without parts, of the type with this number.
    Primitive(u8),
    /// A string of so many bytes.
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
/// Errors: `InvalidData` where bytes are missing, `Unsupported` for a type that is not known, whose length nobody knows.
pub(super) fn first_value(bytes: &[u8]) -> Result<&[u8]> {
    let header = *bytes.first().ok_or_else(|| damaged("it has no bytes"))?;
    let length = match Kind::of(header) {
        Kind::Primitive(number) => 1 + primitive_length(number, &bytes[1..])?,
        Kind::ShortString(length) => 1 + length,
        Kind::Object | Kind::Array => Container::new(bytes)?.length(),
    };
    bytes.get(..length).ok_or_else(|| damaged(&format!("of {length} bytes {} are there", bytes.len())))
}

/// Checks that bytes are one value, not cut off and followed by nothing. A type that is not known may be of any length.
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
