//! How are deletion files read and written?
//!
//! In: what a manifest says of a deletion file, and of its fragment. Out: the deleted rows. And back.
//! Spec: Lance, Deletion; `io/deletion.rs`.
//!
//! Invariant: a row that the fragment does not have, or a number of rows other than the manifest's, is an error.

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{Store, location};
use roaring::RoaringBitmap;

use super::{arrow, bitmap};
use crate::wire::{DeletionFile, DeletionFileType};

/// From more rows on, a bitmap is written.
const MOST_ROWS_IN_ARROW: u64 = 5_000;
/// What a file has beside its rows, generously.
const OVERHEAD: u64 = 64 << 10;

/// The deleted rows of a fragment with this many rows; 0 where their number is not known.
///
/// Errors: `InvalidData`, naming the file; those of the store.
pub fn read(store: &dyn Store, path: &str, file: &DeletionFile, physical_rows: u64) -> Result<RoaringBitmap> {
    let bytes = bytes(store, path, physical_rows)?;
    decode(&bytes, file, physical_rows).context("path", path)
}

/// The bytes of a deletion file. Errors: `LimitExceeded` for more than such a fragment needs; those of the store.
pub(crate) fn bytes(store: &dyn Store, path: &str, physical_rows: u64) -> Result<Bytes> {
    let rows = if physical_rows == 0 { u64::from(u32::MAX) } else { physical_rows };
    store.open(path)?.read_all(rows.saturating_mul(5).saturating_add(OVERHEAD))
}

/// The deleted rows of a file, whatever the manifest says of them. Errors: `InvalidData`.
pub(crate) fn rows_of(bytes: &[u8], file_type: DeletionFileType) -> Result<RoaringBitmap> {
    match file_type {
        DeletionFileType::Arrow => arrow::decode(bytes),
        DeletionFileType::Bitmap => bitmap::decode(bytes),
    }
}

/// Can other readers decode a file, beside what [`rows_of`] needs? Errors: `InvalidData`, which says what they cannot read.
pub(crate) fn check_header(bytes: &[u8], file_type: DeletionFileType) -> Result<()> {
    match file_type {
        DeletionFileType::Arrow => arrow::check_header(bytes),
        DeletionFileType::Bitmap => Ok(()),
    }
}

/// The deleted rows of a file. Errors: those of [`read`], without those of the store.
pub fn decode(bytes: &[u8], file: &DeletionFile, physical_rows: u64) -> Result<RoaringBitmap> {
    let rows = rows_of(bytes, file.file_type)?;
    if physical_rows != 0 && rows.max().is_some_and(|last| u64::from(last) >= physical_rows) {
        return Err(Error::invalid_data(format!(
            "expected deleted rows of a fragment of {physical_rows} rows, found row {}",
            rows.max().unwrap_or_default()
        )));
    }
    if file.num_deleted_rows != 0 && file.num_deleted_rows != rows.len() {
        return Err(Error::invalid_data(format!(
            "expected {} deleted rows, as the manifest says, found {}",
            file.num_deleted_rows,
            rows.len()
        )));
    }
    Ok(rows)
}

/// Writes the deleted rows of a fragment below the folder of a table. They must be all of them: a fragment has one file.
///
/// `id` distinguishes the file from those of other writers, and is to be random. Errors: those of the store.
pub fn write(
    store: &dyn Store,
    folder: &str,
    fragment_id: u64,
    read_version: u64,
    id: u64,
    rows: &RoaringBitmap,
) -> Result<DeletionFile> {
    let (file_type, bytes) = if rows.len() > MOST_ROWS_IN_ARROW {
        (DeletionFileType::Bitmap, bitmap::encode(rows)?)
    } else {
        (DeletionFileType::Arrow, arrow::encode(rows)?)
    };
    let file =
        DeletionFile { file_type, read_version, id, num_deleted_rows: rows.len(), ..DeletionFile::default() };
    let path = location::join(folder, &file.path(fragment_id));
    store.put_if_absent(&path, Bytes::from(bytes))?;
    Ok(file)
}

/// The names that [`write`] may give, below the folder of a table.
pub fn names(fragment_id: u64, read_version: u64, id: u64) -> [String; 2] {
    [DeletionFileType::Arrow, DeletionFileType::Bitmap].map(|file_type| {
        DeletionFile { file_type, read_version, id, ..DeletionFile::default() }.path(fragment_id)
    })
}
