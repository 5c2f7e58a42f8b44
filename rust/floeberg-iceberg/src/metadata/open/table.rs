//! Which table, or which view, is at a location?
//!
//! In: a store, and a directory or a metadata file. Out: the metadata file's location and its content.
//! Views keep their metadata files as tables do.
//! Spec: File System Tables; Metastore Tables.

use bytes::Bytes;
use floeberg_core::{Context, Error, ErrorKind, Result};
use floeberg_io::Store;
use floeberg_io::location::{file_name, join};

use super::folder::find_current;
use super::name::is_metadata_name;
use crate::metadata::{TableMetadata, ViewMetadata, parse_table_metadata, parse_view_metadata};
use crate::wire::json::MAX_METADATA_BYTES;

/// Where a table keeps its metadata files.
pub(super) const METADATA_FOLDER: &str = "metadata";

/// The folder of Lance's manifests, which an Iceberg table does not have.
const LANCE_FOLDER: &str = "_versions";

/// Opens the table at a location: a metadata file, the table's directory, or its metadata folder.
///
/// In a directory the current metadata file is found by `metadata/version-hint.text` and the versions after it, and
/// without it by listing: the highest `v<V>.metadata.json` or `<V>-<uuid>.metadata.json`, plain or gzip by either name.
///
/// Errors: `NotFound` without a table, naming what was looked for; `InvalidInput` if only a catalog knows the current
/// file; `Unsupported` for a Lance table, for the metadata of a view, and without a hint for a store that cannot
/// list files; those of [`parse_table_metadata`] and of the store.
pub fn open_metadata(store: &dyn Store, location: &str) -> Result<(String, TableMetadata)> {
    let (metadata_location, bytes) = read_metadata(store, location, "table")?;
    let metadata = parse_table_metadata(&bytes, &metadata_location)?;
    Ok((metadata_location, metadata))
}

/// Opens the view at a location, which is found as [`open_metadata`] finds a table.
///
/// Errors: those of [`open_metadata`] and of [`parse_view_metadata`].
pub fn open_view_metadata(store: &dyn Store, location: &str) -> Result<(String, ViewMetadata)> {
    let (metadata_location, bytes) = read_metadata(store, location, "view")?;
    let metadata = parse_view_metadata(&bytes, &metadata_location)?;
    Ok((metadata_location, metadata))
}

fn read_metadata(store: &dyn Store, location: &str, wanted: &str) -> Result<(String, Bytes)> {
    let metadata_location = locate(store, location, wanted)?;
    let bytes =
        store.open(&metadata_location)?.read_all(MAX_METADATA_BYTES).context("path", &metadata_location)?;
    Ok((metadata_location, bytes))
}

/// The metadata file of the table or view at a location, as [`open_metadata`] finds it. The file is not read.
///
/// Errors: those of [`open_metadata`], of finding it.
pub fn locate_metadata(store: &dyn Store, location: &str) -> Result<String> {
    locate(store, location, "table or view")
}

fn locate(store: &dyn Store, location: &str, wanted: &str) -> Result<String> {
    let name = file_name(location).unwrap_or_default();
    if is_metadata_name(name) {
        return Ok(location.to_owned());
    }
    match find_current(store, &join(location, METADATA_FOLDER)) {
        Ok(Some(found)) => return Ok(found),
        Ok(None) => {}
        // If the store cannot list files, a file of any name can still be opened.
        Err(error) if error.kind() == ErrorKind::Unsupported && store.exists(location)? => {
            return Ok(location.to_owned());
        }
        Err(error) => return Err(error),
    }
    if name == METADATA_FOLDER
        && let Some(found) = find_current(store, location)?
    {
        return Ok(found);
    }
    if store.exists(location)? { Ok(location.to_owned()) } else { Err(nothing(store, location, wanted)) }
}

/// The error, with what was looked for and what was found instead.
fn nothing(store: &dyn Store, location: &str, wanted: &str) -> Error {
    let looked_for = "looked for metadata/version-hint.text, metadata/v<V>.metadata.json and \
                      metadata/<V>-<uuid>.metadata.json";
    let error = match store.list(location) {
        Ok(entries) if entries.iter().any(|entry| entry.is_folder && entry.name == LANCE_FOLDER) => {
            Error::unsupported(format!(
                "expected an Iceberg {wanted}, found a Lance table, which is opened by its folder"
            ))
        }
        Ok(entries) if entries.is_empty() => {
            Error::not_found(format!("no Iceberg {wanted} is here: {looked_for}"))
        }
        Ok(_) => Error::not_found(format!("the directory has no Iceberg {wanted}: {looked_for}")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Error::not_found(format!("no file or directory is here: {looked_for}"))
        }
        Err(error) => Error::not_found(format!("no Iceberg {wanted} is here: {looked_for}")).caused_by(error),
    };
    error.with("path", location)
}
