//! How are values of a variant encoded?
//!
//! Spec: Parquet `VariantEncoding.md`, Value encoding.
//!
//! Invariant: values are appended. Closing an object or array wraps everything appended since its start, with the smallest
//! widths for its numbers.

use super::dictionary::VERSION;
use super::value::Kind;
use crate::error::{Error, Result};

/// The number of a primitive type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Primitive {
    True = 1,
    False = 2,
    Int8 = 3,
    Int16 = 4,
    Int32 = 5,
    Int64 = 6,
    Double = 7,
    Decimal4 = 8,
    Decimal8 = 9,
    Decimal16 = 10,
    Date = 11,
    Timestamptz = 12,
    Timestamp = 13,
    Float = 14,
    Binary = 15,
    String = 16,
    Time = 17,
    TimestamptzNanos = 18,
    TimestampNanos = 19,
    Uuid = 20,
}

impl Primitive {
    /// All of them, in the order of their numbers.
    const ALL: [Self; 20] = [
        Self::True,
        Self::False,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Double,
        Self::Decimal4,
        Self::Decimal8,
        Self::Decimal16,
        Self::Date,
        Self::Timestamptz,
        Self::Timestamp,
        Self::Float,
        Self::Binary,
        Self::String,
        Self::Time,
        Self::TimestamptzNanos,
        Self::TimestampNanos,
        Self::Uuid,
    ];

    /// The type with a number; null has none, and what is not known.
    pub(super) fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The type of a column of decimals of this many digits.
    pub(super) fn decimal_of(precision: u8) -> Self {
        match precision {
            0..=9 => Self::Decimal4,
            10..=18 => Self::Decimal8,
            _ => Self::Decimal16,
        }
    }
}

/// A shorter string has its length in its first byte.
const SHORT: usize = 64;

/// A primitive value: its type, then its bytes.
pub(super) fn primitive(out: &mut Vec<u8>, kind: Primitive, bytes: &[u8]) {
    out.push((kind as u8) << 2);
    out.extend_from_slice(bytes);
}

/// A string.
pub(super) fn string(out: &mut Vec<u8>, text: &[u8]) -> Result<()> {
    if text.len() < SHORT {
        out.push((text.len() as u8) << 2 | 1);
        out.extend_from_slice(text);
        return Ok(());
    }
    sized(out, Primitive::String, text)
}

/// Bytes behind their length.
pub(super) fn sized(out: &mut Vec<u8>, kind: Primitive, bytes: &[u8]) -> Result<()> {
    primitive(out, kind, &fits(bytes.len())?.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A decimal of a column of that precision.
pub(super) fn decimal(out: &mut Vec<u8>, precision: u8, scale: i8, unscaled: i128) -> Result<()> {
    let too_big = || Error::invalid_data(format!("{unscaled} is not a decimal of {precision} digits"));
    let scale = u8::try_from(scale)
        .map_err(|_| Error::unsupported(format!("a variant cannot have a decimal of the scale {scale}")))?;
    let kind = Primitive::decimal_of(precision);
    primitive(out, kind, &[scale]);
    match kind {
        Primitive::Decimal4 => {
            out.extend_from_slice(&i32::try_from(unscaled).map_err(|_| too_big())?.to_le_bytes());
        }
        Primitive::Decimal8 => {
            out.extend_from_slice(&i64::try_from(unscaled).map_err(|_| too_big())?.to_le_bytes());
        }
        _ => out.extend_from_slice(&unscaled.to_le_bytes()),
    }
    Ok(())
}

/// Metadata of names, which are in order and differ.
pub(super) fn sorted_names(out: &mut Vec<u8>, names: &[&str]) -> Result<()> {
    const SORTED: u8 = 0x10;
    let ends = names.iter().scan(0, |end, name| {
        *end += name.len();
        Some(*end)
    });
    let offsets: Vec<_> = [0].into_iter().chain(ends).collect();
    let width = width(offsets.last().copied().unwrap_or(0).max(names.len()))?;
    out.push(VERSION | SORTED | ((width as u8 - 1) << 6));
    for number in [names.len()].into_iter().chain(offsets) {
        self::number(out, number, width);
    }
    out.extend(names.iter().flat_map(|name| name.bytes()));
    Ok(())
}

/// A field of an object that is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Its name, by which fields are in order.
    pub(super) name: &'a [u8],
    /// The name's id.
    pub(super) id: usize,
    /// Where its value starts, from the start of the first one.
    pub(super) offset: usize,
}

/// Makes the values from `start` on an object of these fields, which are put in the order of their names.
///
/// Errors: `InvalidData` for a name that stands twice.
pub(super) fn close_object(out: &mut Vec<u8>, start: usize, entries: &mut [Entry<'_>]) -> Result<()> {
    entries.sort_by(|one, other| one.name.cmp(other.name));
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(twice(pair[0].name));
    }
    let length = out.len() - start;
    let id_width = width(entries.iter().map(|entry| entry.id).max().unwrap_or(0))?;
    let offset_width = width(length)?;
    let is_large = entries.len() > 255;
    let flags = u8::from(is_large) << 4 | (id_width as u8 - 1) << 2 | (offset_width as u8 - 1);
    let values = out.len();
    out.push(flags << 2 | 2);
    number(out, entries.len(), if is_large { 4 } else { 1 });
    for entry in entries.iter() {
        number(out, entry.id, id_width);
    }
    for offset in entries.iter().map(|entry| entry.offset).chain([length]) {
        number(out, offset, offset_width);
    }
    swap(out, start, values);
    Ok(())
}

/// The error of an object that has a field twice.
pub(super) fn twice(name: &[u8]) -> Error {
    let name = String::from_utf8_lossy(name);
    Error::invalid_data(format!("an object of a variant has the field {name:?} twice"))
}

/// Makes the values from `start` on an array; `offsets` are where each starts.
pub(super) fn close_array(out: &mut Vec<u8>, start: usize, offsets: &[usize]) -> Result<()> {
    let length = out.len() - start;
    let offset_width = width(length)?;
    let is_large = offsets.len() > 255;
    let values = out.len();
    out.push((u8::from(is_large) << 2 | (offset_width as u8 - 1)) << 2 | 3);
    number(out, offsets.len(), if is_large { 4 } else { 1 });
    for offset in offsets.iter().copied().chain([length]) {
        number(out, offset, offset_width);
    }
    swap(out, start, values);
    Ok(())
}

/// Is it an object?
pub(super) fn is_object(value: &[u8]) -> bool {
    value.first().is_some_and(|header| Kind::of(*header) == Kind::Object)
}

/// The head was written behind the values and goes before them.
fn swap(out: &mut [u8], start: usize, head: usize) {
    let length = out.len() - head;
    out[start..].rotate_right(length);
}

fn number(out: &mut Vec<u8>, number: usize, width: usize) {
    out.extend_from_slice(&(number as u64).to_le_bytes()[..width]);
}

/// The bytes that a number takes.
fn width(number: usize) -> Result<usize> {
    let bits = u32::BITS - fits(number)?.leading_zeros();
    Ok(bits.div_ceil(8).max(1) as usize)
}

fn fits(length: usize) -> Result<u32> {
    u32::try_from(length)
        .map_err(|_| Error::limit(format!("{length} bytes are more than a value of a variant can hold")))
}
