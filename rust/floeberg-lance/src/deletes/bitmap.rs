//! Which rows does a deletion file delete that is a bitmap?
//!
//! In: the bytes of a file. Out: the rows. And back.
//! Spec: Lance, `io/deletion.rs`; Roaring, portable format of 32 bits.
//!
//! Invariant: the file is read to its last byte.

use floeberg_core::{Error, Result};
use roaring::RoaringBitmap;

/// The rows of a file. Errors: `InvalidData`.
pub fn decode(file: &[u8]) -> Result<RoaringBitmap> {
    let mut rest = file;
    // Reads from the slice: what it allocates before it meets the end is under a megabyte.
    let rows = RoaringBitmap::deserialize_from(&mut rest).map_err(|error| {
        Error::invalid_data("expected a deletion file with a Roaring bitmap").caused_by(error)
    })?;
    if rest.is_empty() {
        return Ok(rows);
    }
    Err(Error::invalid_data(format!(
        "expected the end of a deletion file after its bitmap, found {} more bytes",
        rest.len()
    )))
}

/// A file of rows. Errors: `Internal`.
pub fn encode(rows: &RoaringBitmap) -> Result<Vec<u8>> {
    let mut file = Vec::with_capacity(rows.serialized_size());
    rows.serialize_into(&mut file)
        .map_err(|error| Error::internal("a bitmap of deleted rows could not be written").caused_by(error))?;
    Ok(file)
}
