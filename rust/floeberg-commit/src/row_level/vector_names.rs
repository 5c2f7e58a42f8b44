//! Is a deletion vector of the data file that its entry names?
//!
//! In: a Puffin file, the place of the vector there, and the data file that the entry names. Out: why the vector stays, if it does.
//! Spec: Deletion Vectors; Puffin, Blob types (`deletion-vector-v1`, `referenced-data-file`).
//!
//! Invariant: a vector is without a data file only where its Puffin file says so too. Else the entry may be wrong, and the rows that the
//! vector deletes would never be deleted again.

use floeberg_core::finding::split;
use floeberg_core::{Context as _, ErrorKind, Result};
use floeberg_iceberg::statistics::read_footer;
use floeberg_io::Store;
use floeberg_io::location::canonical;

/// Why a vector whose data file is not live stays in the table: its Puffin file has no such vector at the offset and of the length, or
/// names another data file, or cannot be read. `None` where it names the same one, or is gone.
///
/// Errors: those of the store.
pub fn why_vector_stays(
    store: &dyn Store,
    location: &str,
    place: (Option<i64>, Option<i64>),
    data_file: &str,
) -> Result<Option<String>> {
    let read = store.open(location).and_then(|source| read_footer(source.as_ref()));
    let footer = match split(read).context("path", location)? {
        Ok((footer, _)) => footer,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let why = error.message();
            return Ok(Some(format!(
                "its Puffin file cannot be read, and may name another data file: {why}"
            )));
        }
    };
    let is_at = |said: Option<i64>, there: u64| said.is_some_and(|said| u64::try_from(said) == Ok(there));
    let mut blobs = footer.blobs.iter().filter(|blob| blob.blob_type == "deletion-vector-v1");
    let blob = blobs.find(|blob| is_at(place.0, blob.offset) && is_at(place.1, blob.length));
    let named = blob.map(|blob| blob.properties.get("referenced-data-file"));
    Ok(match named {
        Some(Some(named)) if canonical(named) == canonical(data_file) => None,
        Some(Some(named)) => Some(format!(
            "the entry names the data file {data_file}, and the Puffin file names {named}: nothing says which is right"
        )),
        Some(None) => Some("its Puffin file names no data file".to_owned()),
        None => Some("its Puffin file has no deletion vector where the entry says".to_owned()),
    })
}
