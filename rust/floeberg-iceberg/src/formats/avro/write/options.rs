//! How do a table's properties configure the compression of blocks?
//!
//! Spec: Iceberg's documentation, Write properties (`write.avro.*`).

use std::collections::BTreeMap;

use floeberg_avro::write::Compression;
use floeberg_core::Result;
use floeberg_files::WriteProperties;
use floeberg_properties::{AVRO_CODEC, AVRO_LEVEL as LEVEL, parsed, unexpected};

/// The default levels of Iceberg Java.
const GZIP_LEVEL: i32 = 9;
const ZSTD_LEVEL: i32 = 1;

/// The codec and its level. Errors: `InvalidInput`, naming the property.
pub(super) fn compression(properties: &WriteProperties) -> Result<Compression> {
    let asked = parsed::<i32>(properties.as_map(), LEVEL, "a whole number")?;
    let level = |default: i32, most: i32| match asked.unwrap_or(default) {
        level if (1..=most).contains(&level) => Ok(level),
        other => Err(unexpected(LEVEL, other, &format!("a level that the codec has, 1 to {most}"))),
    };
    Ok(match AVRO_CODEC.of(properties.as_map())? {
        "zstd" => Compression::Zstandard(level(ZSTD_LEVEL, 22)?),
        "snappy" => Compression::Snappy,
        "uncompressed" => Compression::Null,
        _ => Compression::Deflate(level(GZIP_LEVEL, 9)?),
    })
}

/// Checks the codec and level of properties. Errors: `InvalidInput`, naming the property.
pub(crate) fn check_avro_properties(properties: &BTreeMap<String, String>) -> Result<()> {
    compression(&WriteProperties::of_map(properties.clone())).map(drop)
}
