//! How are manifests and manifest lists stored?
//!
//! In: the table's properties. Out: the codec of their blocks.
//! Spec: Iceberg documentation, Configuration (`write.manifest.compression-codec`, `-level`).
//!
//! Invariant: an unknown codec or level is an error that names the property, never another codec.

use std::collections::BTreeMap;

use floeberg_avro::write::{Compression, ContainerOptions};
use floeberg_core::Result;
use floeberg_properties::{MANIFEST_CODEC, MANIFEST_GZIP_LEVEL, MANIFEST_ZSTD_LEVEL};
use floeberg_properties::{Whole, unexpected};

/// How the properties want manifests to be stored.
///
/// Errors: `InvalidInput`.
pub(crate) fn manifest_options(properties: &BTreeMap<String, String>) -> Result<ContainerOptions> {
    let level = |level: Whole, most: i32| match i32::try_from(level.of(properties)?) {
        Ok(level) if (1..=most).contains(&level) => Ok(level),
        // No codec has a level beyond 32 bits.
        found => Err(unexpected(
            MANIFEST_GZIP_LEVEL.name,
            found.unwrap_or(i32::MAX),
            &format!("a level that the codec has, 1 to {most}"),
        )),
    };
    let compression = match MANIFEST_CODEC.of(properties)? {
        "zstd" => Compression::Zstandard(level(MANIFEST_ZSTD_LEVEL, 22)?),
        "snappy" => Compression::Snappy,
        "uncompressed" => Compression::Null,
        _ => Compression::Deflate(level(MANIFEST_GZIP_LEVEL, 12)?),
    };
    Ok(ContainerOptions { compression, ..ContainerOptions::default() })
}
