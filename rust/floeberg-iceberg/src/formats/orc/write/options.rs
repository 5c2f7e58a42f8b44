//! How do a table's properties configure ORC files?
//!
//! Spec: Iceberg's documentation, Write properties (`write.orc.*`).

use std::collections::{BTreeMap, BTreeSet};

use floeberg_core::Result;
use floeberg_core::schema::Schema;
use floeberg_files::WriteProperties;
use floeberg_orc::Compression;
use floeberg_orc::write::Codec;
use floeberg_properties::{
    ORC_BLOCK_SIZE, ORC_BLOOM_COLUMNS, ORC_BLOOM_SHARE, ORC_CODEC, ORC_LEVEL, ORC_STRATEGY, ORC_STRIPE_SIZE,
    share, unexpected,
};

/// How files are stored.
#[derive(Debug)]
pub(super) struct Options {
    /// How blocks are compressed.
    pub(super) codec: Codec,
    /// Encoded bytes at which a stripe ends.
    pub(super) stripe_size: u64,
    /// The share of values that a bloom filter finds though they are not there.
    pub(super) wrong_share: f64,
}

impl Options {
    /// Errors: `InvalidInput`, naming the property.
    pub(super) fn new(properties: &WriteProperties) -> Result<Self> {
        let set = properties.as_map();
        if let Some(level) = set.get(ORC_LEVEL) {
            let expected = format!("no level, since ORC files have none: set {} instead", ORC_STRATEGY.name);
            return Err(unexpected(ORC_LEVEL, level, &expected));
        }
        let compression = match ORC_CODEC.of(set)? {
            "zstd" => Compression::Zstd,
            "snappy" => Compression::Snappy,
            "lz4" => Compression::Lz4,
            "none" => Compression::None,
            _ => Compression::Zlib,
        };
        // Stripes are not moved to the blocks of a file system.
        ORC_BLOCK_SIZE.of(set)?;
        Ok(Self {
            codec: Codec { compression, is_thorough: ORC_STRATEGY.of(set)? == "compression" },
            stripe_size: ORC_STRIPE_SIZE.of(set)?,
            wrong_share: share(set, ORC_BLOOM_SHARE.name)?.unwrap_or(ORC_BLOOM_SHARE.default),
        })
    }
}

/// The columns that have bloom filters, with all parts of nested ones. A column that was dropped, or will be added, may be named.
pub(super) fn bloom_columns(properties: &WriteProperties, schema: &Schema) -> BTreeSet<i32> {
    let mut ids = BTreeSet::new();
    let names = properties.text(ORC_BLOOM_COLUMNS).unwrap_or_default();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some(field) = schema.find(name, true).ok().and_then(|id| schema.field(id)) else { continue };
        let mut fields = vec![field];
        while let Some(field) = fields.pop() {
            ids.insert(field.id);
            fields.extend(field.field_type.children());
        }
    }
    ids
}

/// Checks the properties for ORC. Errors: `InvalidInput`, naming the property.
pub(crate) fn check_orc_properties(properties: &BTreeMap<String, String>) -> Result<()> {
    Options::new(&WriteProperties::of_map(properties.clone())).map(drop)
}
