//! How are manifests and manifest lists stored?
//!
//! In: the table's properties. Out: the codec of their blocks.
//! Spec: Iceberg documentation, Configuration (`write.manifest.compression-codec`, `-level`).
//!
//! Invariant: a codec or level that is not known is an error that names the property, never another codec.

use std::collections::BTreeMap;

use floeberg_core::{Context, Error, Result};

use crate::wire::avro::encode::{Compression, ContainerOptions};

const CODEC: &str = "write.manifest.compression-codec";
const LEVEL: &str = "write.manifest.compression-level";

/// The levels where none is said: Iceberg Java's.
const GZIP_LEVEL: i32 = 9;
const ZSTD_LEVEL: i32 = 1;

/// How the properties want manifests to be stored.
///
/// Errors: `InvalidInput`.
pub(super) fn manifest_options(properties: &BTreeMap<String, String>) -> Result<ContainerOptions> {
    let level = |default| match properties.get(LEVEL) {
        None => Ok(default),
        Some(text) => text
            .trim()
            .parse()
            .map_err(|_| Error::invalid_input(format!("expected a whole number, found {text:?}")))
            .context("property", LEVEL),
    };
    let codec = properties.get(CODEC).map(|text| text.trim().to_ascii_lowercase());
    let compression = match codec.as_deref() {
        None | Some("gzip") => Compression::Deflate(level(GZIP_LEVEL)?),
        Some("zstd") => Compression::Zstandard(level(ZSTD_LEVEL)?),
        Some("snappy") => Compression::Snappy,
        Some("uncompressed") => Compression::Null,
        Some(other) => {
            let message = format!("expected gzip, zstd, snappy or uncompressed, found {other:?}");
            return Err(Error::invalid_input(message).with("property", CODEC));
        }
    };
    Ok(ContainerOptions { compression, ..ContainerOptions::default() })
}
