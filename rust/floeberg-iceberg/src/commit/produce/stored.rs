//! How are manifests and manifest lists stored?
//!
//! In: the table's properties. Out: the codec of their blocks.
//! Spec: Iceberg documentation, Configuration (`write.manifest.compression-codec`, `-level`).
//!
//! Invariant: a codec or level that is not known is an error that names the property, never another codec.

use std::collections::BTreeMap;

use floeberg_core::Result;

use crate::commit::properties::{
    MANIFEST_CODEC, MANIFEST_GZIP_LEVEL, MANIFEST_LEVEL, MANIFEST_ZSTD_LEVEL, Number,
};
use crate::metadata::property::unexpected;
use crate::wire::avro::encode::{Compression, ContainerOptions};

/// How the properties want manifests to be stored.
///
/// Errors: `InvalidInput`.
pub(crate) fn manifest_options(properties: &BTreeMap<String, String>) -> Result<ContainerOptions> {
    let level = |level: Number, most: i32| match i32::try_from(level.of(properties)?) {
        Ok(level) if (1..=most).contains(&level) => Ok(level),
        // What is beyond 32 bits is beyond every codec.
        found => Err(unexpected(
            MANIFEST_LEVEL,
            found.unwrap_or(i32::MAX),
            &format!("a level that the codec has, 1 to {most}"),
        )),
    };
    let codec = properties.get(MANIFEST_CODEC).map(|text| text.trim().to_ascii_lowercase());
    let compression = match codec.as_deref() {
        None | Some("gzip") => Compression::Deflate(level(MANIFEST_GZIP_LEVEL, 12)?),
        Some("zstd") => Compression::Zstandard(level(MANIFEST_ZSTD_LEVEL, 22)?),
        Some("snappy") => Compression::Snappy,
        Some("uncompressed") => Compression::Null,
        Some(other) => {
            return Err(unexpected(MANIFEST_CODEC, other, "gzip, zstd, snappy or uncompressed"));
        }
    };
    Ok(ContainerOptions { compression, ..ContainerOptions::default() })
}
