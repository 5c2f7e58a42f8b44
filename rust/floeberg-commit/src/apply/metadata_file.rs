//! How is a metadata file written?
//!
//! In: a document and its location. Out: the file.
//! Spec: Appendix F, Naming for GZIP compressed Metadata JSON files.
//!
//! Invariant: metadata is durable, bytes and name, when writing it returns, and can be read again.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, check_readable};
use floeberg_io::Store;
use serde_json::Value as Json;

/// How names of metadata files end that are compressed.
const GZIP_SUFFIXES: [&str; 2] = [".gz.metadata.json", ".metadata.json.gz"];

/// Writes a document, as gzip if the name says so; with `if_absent`, only if the file does not exist.
///
/// Errors: `AlreadyExists`; those of the store. One of [unknown outcome](Error::is_outcome_unknown) may have taken effect.
pub fn write_document(store: &dyn Store, document: &Json, location: &str, if_absent: bool) -> Result<()> {
    let text = serde_json::to_vec(document)
        .map_err(|error| Error::internal("metadata cannot be written").caused_by(error))
        .context("path", location)?;
    check_readable(document, 0, text.len(), MAX_METADATA_BYTES).context("path", location)?;
    write_text(store, text, location, if_absent)
}

/// Writes the metadata of a table, as [`write_document`] writes a document.
pub fn write_table_metadata(
    store: &dyn Store,
    metadata: &TableMetadata,
    location: &str,
    if_absent: bool,
) -> Result<()> {
    let text = metadata.to_text().context("path", location)?;
    write_text(store, text.into_bytes(), location, if_absent)
}

fn write_text(store: &dyn Store, text: Vec<u8>, location: &str, if_absent: bool) -> Result<()> {
    let bytes = if GZIP_SUFFIXES.iter().any(|suffix| location.ends_with(suffix)) {
        gzip(&text).map_err(|error| Error::internal("metadata cannot be compressed").caused_by(error))?
    } else {
        text
    };
    if if_absent {
        store.put_if_absent(location, Bytes::from(bytes))
    } else {
        store.put(location, Bytes::from(bytes))
    }
}

fn gzip(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text)?;
    encoder.finish()
}
