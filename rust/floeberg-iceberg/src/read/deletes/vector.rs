//! Which rows does a deletion vector delete?
//!
//! Spec: Deletion Vectors; Puffin, `deletion-vector-v1`.
//!
//! Invariant: only the blob is read, and only if it lies inside its file.

use floeberg_core::{Context, Error, Result};
use roaring::RoaringTreemap;

use crate::plan::DeleteFile;
use crate::read::open::FileAccess;
use crate::wire::vector::decode;

/// Reads the deletion vector of a delete.
///
/// Errors: `InvalidData` for a range outside the file, a damaged blob, and a count that is not the blob's.
pub(super) fn read(
    access: &FileAccess,
    delete: &DeleteFile,
    offset: i64,
    size: i64,
) -> Result<RoaringTreemap> {
    let source = access.store.open(&delete.location)?;
    let length = source.size()?;
    let range = u64::try_from(offset)
        .ok()
        .zip(u64::try_from(size).ok())
        .and_then(|(start, size)| Some(start..start.checked_add(size)?))
        .filter(|range| range.end <= length);
    let Some(range) = range else {
        return Err(Error::invalid_data(format!(
            "a deletion vector of {size} bytes at offset {offset} is outside its file of {length} bytes"
        ))
        .with("path", &delete.file_path));
    };
    let cardinality = u64::try_from(delete.record_count).map_err(|_| {
        Error::invalid_data(format!(
            "expected a deletion vector of 0 or more rows, found {}",
            delete.record_count
        ))
        .with("path", &delete.file_path)
    })?;
    decode(&source.read(range)?, Some(cardinality)).context("path", &delete.file_path)
}
