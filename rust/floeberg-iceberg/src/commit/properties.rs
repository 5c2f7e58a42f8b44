//! Which properties of a table does a commit follow?
//!
//! In: the table's properties. Out: their values, with Iceberg Java's names and defaults.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: a value that cannot be read is an error that names the property, never the default.

use std::collections::BTreeMap;

use floeberg_core::Result;

use crate::metadata::property;

/// A property that is a whole number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    name: &'static str,
    default: i64,
}

/// How many former metadata files the log keeps.
pub(crate) const PREVIOUS_VERSIONS_MAX: Number =
    Number { name: "write.metadata.previous-versions-max", default: 100 };
/// Bytes of a manifest, about, that are written and that merging aims at.
pub(crate) const MANIFEST_TARGET_SIZE: Number =
    Number { name: "commit.manifest.target-size-bytes", default: 8 << 20 };
/// Manifests that a merge of the newest ones takes, at least.
pub(crate) const MANIFEST_MIN_MERGE_COUNT: Number =
    Number { name: "commit.manifest.min-count-to-merge", default: 100 };

/// Changed partitions that a summary describes one by one, at most.
pub(crate) const PARTITION_SUMMARY_LIMIT: Number =
    Number { name: "write.summary.partition-limit", default: 0 };

/// The codec of manifests and their lists.
pub(crate) const MANIFEST_CODEC: &str = "write.manifest.compression-codec";
/// How hard it tries, where it is `gzip`.
pub(crate) const MANIFEST_GZIP_LEVEL: Number = Number { name: MANIFEST_LEVEL, default: 9 };
/// How hard it tries, where it is `zstd`.
pub(crate) const MANIFEST_ZSTD_LEVEL: Number = Number { name: MANIFEST_LEVEL, default: 1 };
/// How hard the codec of manifests tries.
pub(crate) const MANIFEST_LEVEL: &str = "write.manifest.compression-level";

/// Are manifests merged by appends and overwrites? True where it is not said.
pub(crate) const MANIFEST_MERGE_ENABLED: &str = "commit.manifest-merge.enabled";
/// Where metadata files go, where not in the folder `metadata` of the table.
pub(crate) const METADATA_PATH: &str = "write.metadata.path";

impl Number {
    /// The value in these properties. Errors: `InvalidInput`.
    pub fn of(self, properties: &BTreeMap<String, String>) -> Result<i64> {
        let expected = "a whole number of at least 0";
        match property::parsed(properties, self.name, expected)? {
            Some(number) if number < 0 => Err(property::unexpected(self.name, number, expected)),
            number => Ok(number.unwrap_or(self.default)),
        }
    }
}
