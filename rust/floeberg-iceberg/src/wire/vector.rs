//! Which rows does a deletion vector delete?
//!
//! In: a `deletion-vector-v1` blob. Out: the positions of the deleted rows. And back.
//! Spec: Puffin, `deletion-vector-v1` blob type; Deletion Vectors.
//!
//! ```text
//! length: u32 BE | D1 D3 39 64 | vector | CRC-32 of magic and vector: u32 BE
//! vector: bitmaps: u64 LE | { key: u32 LE | 32-bit Roaring bitmap, portable } ...   keys ascending
//! ```
//!
//! Invariant: positions are below 2^63, and their number is that of the manifest; the blob is read to its last byte.

mod encode;

use floeberg_core::{Error, Result};
use roaring::{RoaringBitmap, RoaringTreemap};

pub use encode::encode;

const MAGIC: [u8; 4] = [0xd1, 0xd3, 0x39, 0x64];
/// A key and the header of an empty bitmap.
const SMALLEST_BITMAP: u64 = 4 + 8;

/// Decodes a blob. `expected_cardinality` is the number of deletes that its manifest entry records, where it is known.
pub fn decode(blob: &[u8], expected_cardinality: Option<u64>) -> Result<RoaringTreemap> {
    let positions = decode_positions(open(blob)?)?;
    match expected_cardinality {
        Some(expected) if expected != positions.len() => Err(Error::invalid_data(format!(
            "expected a deletion vector of {expected} positions, found {}",
            positions.len()
        ))),
        _ => Ok(positions),
    }
}

/// The vector, without its length, magic and checksum.
fn open(blob: &[u8]) -> Result<&[u8]> {
    let parts = blob.split_first_chunk::<4>().and_then(|(length, rest)| {
        let (body, checksum) = rest.split_last_chunk::<4>()?;
        Some((u32::from_be_bytes(*length), body, u32::from_be_bytes(*checksum)))
    });
    let Some((length, body, checksum)) = parts else {
        let found = blob.len();
        return Err(Error::invalid_data(format!(
            "expected a deletion vector of at least 20 bytes, found {found}"
        )));
    };
    if length as usize != body.len() {
        return Err(Error::invalid_data(format!(
            "deletion vector: expected the length {} (the bytes without length and checksum), found {length}",
            body.len()
        )));
    }
    // A fuzzer guesses neither magic nor checksum, and should reach the code behind them.
    if cfg!(fuzzing) {
        return Ok(body.get(MAGIC.len()..).unwrap_or_default());
    }
    let Some(vector) = body.strip_prefix(&MAGIC) else {
        let found = &body[..body.len().min(4)];
        return Err(Error::invalid_data(format!(
            "deletion vector: expected the bytes d1 d3 39 64 after the length, found {found:02x?}"
        )));
    };
    let found = crc32fast::hash(body);
    if found != checksum {
        return Err(Error::invalid_data(format!(
            "deletion vector: expected CRC-32 {checksum:08x}, found {found:08x}"
        )));
    }
    Ok(vector)
}

/// Decodes the vector alone: 64-bit positions as a map of portable Roaring bitmaps.
pub fn decode_positions(vector: &[u8]) -> Result<RoaringTreemap> {
    let Some((count, mut rest)) = vector.split_first_chunk::<8>() else {
        return Err(truncated(vector, vector));
    };
    let count = u64::from_le_bytes(*count);
    let most = rest.len() as u64 / SMALLEST_BITMAP;
    if count > most {
        return Err(Error::invalid_data(format!(
            "deletion vector: expected at most {most} bitmaps (the bytes left), found {count}"
        )));
    }
    let mut bitmaps: Vec<(u32, RoaringBitmap)> = Vec::new();
    let mut last = None;
    for _ in 0..count {
        let Some((key, bytes)) = rest.split_first_chunk::<4>() else { return Err(truncated(vector, rest)) };
        let key = u32::from_le_bytes(*key);
        if last.is_some_and(|last| key <= last) || key > i32::MAX as u32 {
            return Err(Error::invalid_data(format!(
                "deletion vector: expected ascending keys below 2147483648, found {key} at offset {}",
                vector.len() - rest.len()
            )));
        }
        last = Some(key);
        rest = bytes;
        // Reads from the slice: what it allocates before it meets the end is under a megabyte.
        let offset = vector.len() - rest.len();
        let bitmap = RoaringBitmap::deserialize_from(&mut rest).map_err(|error| {
            Error::invalid_data(format!("deletion vector: expected a Roaring bitmap at offset {offset}"))
                .caused_by(error)
        })?;
        bitmaps.push((key, bitmap));
    }
    if !rest.is_empty() {
        return Err(Error::invalid_data(format!(
            "deletion vector: expected its end after {count} bitmaps, found {} more bytes",
            rest.len()
        )));
    }
    Ok(RoaringTreemap::from_bitmaps(bitmaps))
}

fn truncated(vector: &[u8], rest: &[u8]) -> Error {
    let offset = vector.len() - rest.len();
    Error::invalid_data(format!(
        "deletion vector: expected more than {} bytes at offset {offset}",
        rest.len()
    ))
}

#[cfg(test)]
mod tests;
