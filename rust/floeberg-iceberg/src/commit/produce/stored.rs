//! How are manifests and manifest lists stored?
//!
//! In: the table's properties. Out: the codec of their blocks.
//! Spec: Iceberg documentation, Configuration (`write.manifest.compression-codec`, `-level`).
//!
//! Invariant: a codec or level that is not known is an error that names the property, never another codec.

use std::collections::BTreeMap;

use floeberg_core::Result;

use crate::commit::properties::{MANIFEST_CODEC, MANIFEST_GZIP_LEVEL, MANIFEST_ZSTD_LEVEL, Number};
use crate::metadata::property::unexpected;
use crate::wire::avro::encode::{Compression, ContainerOptions};

/// How the properties want manifests to be stored.
///
/// Errors: `InvalidInput`.
pub(super) fn manifest_options(properties: &BTreeMap<String, String>) -> Result<ContainerOptions> {
    // What is beyond 32 bits is beyond every codec.
    let level = |level: Number| level.of(properties).map(|level| i32::try_from(level).unwrap_or(i32::MAX));
    let codec = properties.get(MANIFEST_CODEC).map(|text| text.trim().to_ascii_lowercase());
    let compression = match codec.as_deref() {
        None | Some("gzip") => Compression::Deflate(level(MANIFEST_GZIP_LEVEL)?),
        Some("zstd") => Compression::Zstandard(level(MANIFEST_ZSTD_LEVEL)?),
        Some("snappy") => Compression::Snappy,
        Some("uncompressed") => Compression::Null,
        Some(other) => {
            return Err(unexpected(MANIFEST_CODEC, other, "gzip, zstd, snappy or uncompressed"));
        }
    };
    Ok(ContainerOptions { compression, ..ContainerOptions::default() })
}
