//! Which rows does a deletion vector delete?
//!
//! Spec: Deletion Vectors; Puffin, `deletion-vector-v1`.
//!
//! Invariant: only the blob is read, in one request, and only if it lies inside its file.

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
    let range = u64::try_from(offset)
        .ok()
        .zip(u64::try_from(size).ok())
        .and_then(|(start, size)| Some(start..start.checked_add(size)?));
    let Some(range) = range else {
        return Err(Error::invalid_data(format!(
            "a deletion vector of {size} bytes at offset {offset} cannot be in a file"
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
    // A range outside the file is an error of the store.
    let blob = access.store.open(&delete.location)?.read(range)?;
    decode(&blob, Some(cardinality)).context("path", &delete.file_path)
}
