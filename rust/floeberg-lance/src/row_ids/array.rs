//! How are lists of 64-bit numbers packed?
//!
//! In: a message with offsets from a base, of 16 or 32 bits, or with the numbers themselves. Out: the numbers, and back.
//! Spec: Lance, `rowids.proto`, `EncodedU64Array`.
//!
//! Invariant: numbers stay in the width in which they were read, so that they are written again as the same bytes.

use floeberg_core::{Error, Result};
use floeberg_protobuf::{Encoder, Records, Value};

/// A list of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackedArray {
    /// Offsets of 16 bits from a base.
    U16 {
        /// The base.
        base: u64,
        /// The offsets.
        offsets: Vec<u16>,
    },
    /// Offsets of 32 bits from a base.
    U32 {
        /// The base.
        base: u64,
        /// The offsets.
        offsets: Vec<u32>,
    },
    /// The numbers themselves.
    U64(Vec<u64>),
}

impl PackedArray {
    /// Packs numbers as narrowly as they can be.
    pub fn new(numbers: &[u64]) -> Self {
        let (Some(base), Some(most)) = (numbers.iter().min().copied(), numbers.iter().max()) else {
            return Self::U64(Vec::new());
        };
        let offsets = numbers.iter().map(|number| number - base);
        match most - base {
            0..=0xffff => Self::U16 { base, offsets: offsets.map(|offset| offset as u16).collect() },
            0x1_0000..=0xffff_ffff => {
                Self::U32 { base, offsets: offsets.map(|offset| offset as u32).collect() }
            }
            _ => Self::U64(numbers.to_vec()),
        }
    }

    /// Reads an array. Errors: `InvalidData`.
    pub(super) fn parse(message: &[u8]) -> Result<Self> {
        let mut parsed = None;
        for record in Records::new(message) {
            let record = record?;
            let (base, bytes) = match record.number {
                1..=3 => parts(record.value)?,
                _ => continue,
            };
            parsed = Some(match record.number {
                1 => Self::U16 { base, offsets: numbers(bytes, u16::from_le_bytes)? },
                2 => Self::U32 { base, offsets: numbers(bytes, u32::from_le_bytes)? },
                _ => Self::U64(numbers(bytes, u64::from_le_bytes)?),
            });
        }
        let parsed = parsed.ok_or_else(|| Error::invalid_data("expected a list of row ids, found none"))?;
        let most = match &parsed {
            Self::U16 { base, offsets } => {
                base.checked_add(offsets.iter().max().map_or(0, |most| u64::from(*most)))
            }
            Self::U32 { base, offsets } => {
                base.checked_add(offsets.iter().max().map_or(0, |most| u64::from(*most)))
            }
            Self::U64(_) => Some(0),
        };
        match most {
            Some(_) => Ok(parsed),
            None => Err(Error::invalid_data(
                "expected row ids of 64 bits, found a base and an offset beyond them",
            )),
        }
    }

    pub(super) fn to_message(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        let (tag, base, bytes): (u32, u64, Vec<u8>) = match self {
            Self::U16 { base, offsets } => {
                (1, *base, offsets.iter().flat_map(|at| at.to_le_bytes()).collect())
            }
            Self::U32 { base, offsets } => {
                (2, *base, offsets.iter().flat_map(|at| at.to_le_bytes()).collect())
            }
            Self::U64(numbers) => (3, 0, numbers.iter().flat_map(|number| number.to_le_bytes()).collect()),
        };
        let mut inner = Encoder::default();
        inner.number(1, base);
        inner.bytes(2, bytes);
        out.some_bytes(tag, inner.finish());
        out.finish()
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::U16 { offsets, .. } => offsets.len(),
            Self::U32 { offsets, .. } => offsets.len(),
            Self::U64(numbers) => numbers.len(),
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number, by its place.
    pub fn get(&self, place: usize) -> Option<u64> {
        match self {
            Self::U16 { base, offsets } => offsets.get(place).map(|offset| base + u64::from(*offset)),
            Self::U32 { base, offsets } => offsets.get(place).map(|offset| base + u64::from(*offset)),
            Self::U64(numbers) => numbers.get(place).copied(),
        }
    }

    /// The numbers.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    /// Of ascending numbers: the place of one, or how many are below it.
    pub(super) fn search(&self, number: u64) -> Result<usize, usize> {
        match self {
            Self::U16 { base, offsets } => match number.checked_sub(*base) {
                Some(wanted) => offsets.binary_search_by(|offset| u64::from(*offset).cmp(&wanted)),
                None => Err(0),
            },
            Self::U32 { base, offsets } => match number.checked_sub(*base) {
                Some(wanted) => offsets.binary_search_by(|offset| u64::from(*offset).cmp(&wanted)),
                None => Err(0),
            },
            Self::U64(numbers) => numbers.binary_search(&number),
        }
    }

    /// Does each follow one below it?
    pub(super) fn is_ascending(&self) -> bool {
        match self {
            Self::U16 { offsets, .. } => offsets.is_sorted_by(|one, next| one < next),
            Self::U32 { offsets, .. } => offsets.is_sorted_by(|one, next| one < next),
            Self::U64(numbers) => numbers.is_sorted_by(|one, next| one < next),
        }
    }
}

/// The base and the bytes of an array.
fn parts(value: Value<'_>) -> Result<(u64, &[u8])> {
    let (mut base, mut bytes) = (0, &[][..]);
    for record in Records::new(value.bytes()?) {
        let record = record?;
        match record.number {
            1 => base = record.value.number()?,
            2 => bytes = record.value.bytes()?,
            _ => {}
        }
    }
    Ok((base, bytes))
}

fn numbers<T, const N: usize>(bytes: &[u8], one: impl Fn([u8; N]) -> T) -> Result<Vec<T>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(Error::invalid_data(format!(
            "expected row ids of {N} bytes each, found {} bytes",
            bytes.len()
        )));
    }
    Ok(chunks.iter().map(|chunk| one(*chunk)).collect())
}
