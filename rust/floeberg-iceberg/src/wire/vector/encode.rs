//! Which blob stands for the positions of deleted rows?
//!
//! In: positions. Out: a `deletion-vector-v1` blob.
//! Spec: Puffin, `deletion-vector-v1` blob type.
//!
//! Invariant: bitmaps are as small as they can be, runs among them, so that the bytes are those of Iceberg Java. No bitmap is
//! empty.

use floeberg_core::{Error, Result};
use roaring::RoaringTreemap;

use super::MAGIC;

/// The highest position that Iceberg Java reads.
const LAST_POSITION: u64 = ((i32::MAX as u64 - 1) << 32) | (1 << 31);
/// Lengths are held in 32 bits, with a sign in Iceberg Java.
const LONGEST: usize = i32::MAX as usize;

/// Encodes positions.
///
/// Errors: `InvalidInput` without positions, and for one that is too high for a row; `LimitExceeded` for a blob beyond 2 GiB.
pub fn encode(positions: &RoaringTreemap) -> Result<Vec<u8>> {
    match positions.max() {
        None => return Err(Error::invalid_input("a deletion vector has at least one position")),
        Some(last) if last > LAST_POSITION => {
            return Err(Error::invalid_input(format!(
                "a deletion vector has positions up to {LAST_POSITION}, found {last}"
            )));
        }
        Some(_) => {}
    }
    let unwritten = |error: std::io::Error| Error::internal("a deletion vector is encoded").caused_by(error);
    // The length comes first, and is set at the end.
    let mut blob = [&[0; 4], &MAGIC[..]].concat();
    let count = positions.bitmaps().filter(|(_, bitmap)| !bitmap.is_empty()).count() as u64;
    blob.extend_from_slice(&count.to_le_bytes());
    for (key, bitmap) in positions.bitmaps().filter(|(_, bitmap)| !bitmap.is_empty()) {
        let mut bitmap = bitmap.clone();
        bitmap.optimize();
        blob.extend_from_slice(&key.to_le_bytes());
        bitmap.serialize_into(&mut blob).map_err(unwritten)?;
    }
    let (length, body) = blob.split_at_mut(4);
    if body.len() > LONGEST {
        return Err(Error::limit(format!(
            "a deletion vector would have {} bytes, more than 2 GiB",
            body.len()
        )));
    }
    length.copy_from_slice(&(body.len() as u32).to_be_bytes());
    let checksum = crc32fast::hash(body);
    blob.extend_from_slice(&checksum.to_be_bytes());
    Ok(blob)
}
