//! How are blocks compressed, as a table's properties ask for it?
//!
//! Spec: Iceberg's documentation, Write properties (`write.avro.*`).

use std::collections::BTreeMap;

use floeberg_core::Result;

use crate::files::WriteProperties;
use crate::metadata::property::unexpected;
use crate::wire::avro::encode::Compression;

const CODEC: &str = "write.avro.compression-codec";
const LEVEL: &str = "write.avro.compression-level";
/// The levels that Iceberg Java writes with where none is asked for.
const GZIP_LEVEL: i32 = 9;
const ZSTD_LEVEL: i32 = 1;

/// The codec and its level. Errors: `InvalidInput`, naming the property.
pub(super) fn compression(properties: &WriteProperties) -> Result<Compression> {
    let asked = properties.parsed::<i32>(LEVEL, "a whole number")?;
    let level = |default: i32, most: i32| match asked.unwrap_or(default) {
        level if (1..=most).contains(&level) => Ok(level),
        other => Err(unexpected(LEVEL, other, &format!("a level that the codec has, 1 to {most}"))),
    };
    match properties.text(CODEC).unwrap_or("gzip").trim().to_ascii_lowercase().as_str() {
        "gzip" => Ok(Compression::Deflate(level(GZIP_LEVEL, 9)?)),
        "zstd" => Ok(Compression::Zstandard(level(ZSTD_LEVEL, 22)?)),
        "snappy" => Ok(Compression::Snappy),
        "uncompressed" => Ok(Compression::Null),
        other => Err(unexpected(CODEC, other, "gzip, zstd, snappy or uncompressed")),
    }
}

/// Can what properties say of codec and level be followed? Errors: `InvalidInput`, naming the property.
pub(crate) fn check_avro_properties(properties: &BTreeMap<String, String>) -> Result<()> {
    compression(&WriteProperties::of_map(properties.clone())).map(drop)
}
