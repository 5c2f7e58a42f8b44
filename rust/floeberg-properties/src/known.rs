//! Which properties are known, and what are their defaults?
//!
//! In: the name of a property. Out: its description. Properties that this library follows have a constant too.
//! Spec: Iceberg documentation, Configuration (table properties).

#![allow(missing_docs, reason = "PROPERTIES says in one line what each constant means")]

use super::property::{Flag, Kind, Known, PropertyDefault as D, Share, Whole, Words};

const MIB: u64 = 1 << 20;
const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

const FORMATS: &[&str] = &["parquet", "avro", "orc"];
const PLANNING: &[&str] = &["auto", "local", "distributed"];
const MODES: &[&str] = &["copy-on-write", "merge-on-read"];
const DISTRIBUTIONS: &[&str] = &["none", "hash", "range"];
const LEVELS: &[&str] = &["serializable", "snapshot"];

// Commits.
pub const MANIFEST_MERGE_ENABLED: Flag = Flag { name: "commit.manifest-merge.enabled", default: true };
pub const MANIFEST_MIN_COUNT_TO_MERGE: Whole =
    Whole { name: "commit.manifest.min-count-to-merge", default: 100, least: 0 };
pub const MANIFEST_TARGET_SIZE: Whole =
    Whole { name: "commit.manifest.target-size-bytes", default: 8 * MIB, least: 0 };
pub const MANIFEST_CODEC: Words = Words {
    name: "write.manifest.compression-codec",
    default: "gzip",
    allowed: &["gzip", "zstd", "snappy", "uncompressed"],
};
pub const MANIFEST_GZIP_LEVEL: Whole =
    Whole { name: "write.manifest.compression-level", default: 1, least: 0 };
pub const MANIFEST_ZSTD_LEVEL: Whole = Whole { default: 1, ..MANIFEST_GZIP_LEVEL };
pub const METADATA_CODEC: Words =
    Words { name: "write.metadata.compression-codec", default: "none", allowed: &["none", "gzip"] };
pub const METADATA_PATH: &str = "write.metadata.path";
pub const PREVIOUS_VERSIONS_MAX: Whole =
    Whole { name: "write.metadata.previous-versions-max", default: 100, least: 0 };
pub const DELETE_AFTER_COMMIT: Flag =
    Flag { name: "write.metadata.delete-after-commit.enabled", default: false };
pub const PARTITION_SUMMARY_LIMIT: Whole =
    Whole { name: "write.summary.partition-limit", default: 0, least: 0 };
pub const DELETE_ISOLATION: Words =
    Words { name: "write.delete.isolation-level", default: "serializable", allowed: LEVELS };
pub const DELETE_MODE: Words = Words { name: "write.delete.mode", default: "copy-on-write", allowed: MODES };
pub const DELETE_GRANULARITY: Words =
    Words { name: "write.delete.granularity", default: "file", allowed: &["file", "partition"] };
/// The prefixes of properties of delete files, and the prefixes of the data file properties that they replace.
pub const OF_DELETE_FILES: [(&str, &str); 3] = [
    ("write.delete.avro.", "write.avro."),
    ("write.delete.orc.", "write.orc."),
    ("write.delete.parquet.", "write.parquet."),
];
pub const DELETE_FORMAT: &str = "write.delete.format.default";
pub const DELETE_TARGET_FILE_SIZE: Whole =
    Whole { name: "write.delete.target-file-size-bytes", default: 64 * MIB, least: 1 };
pub const UPDATE_ISOLATION: Words =
    Words { name: "write.update.isolation-level", default: "serializable", allowed: LEVELS };
pub const UPDATE_MODE: Words = Words { name: "write.update.mode", default: "copy-on-write", allowed: MODES };
pub const MERGE_ISOLATION: Words =
    Words { name: "write.merge.isolation-level", default: "serializable", allowed: LEVELS };
pub const MERGE_MODE: Words = Words { name: "write.merge.mode", default: "copy-on-write", allowed: MODES };
pub const WAP_ENABLED: Flag = Flag { name: "write.wap.enabled", default: false };
pub const ENCRYPTION_KEY_ID: &str = "encryption.key-id";
pub const ENCRYPTION_KEY_LENGTH: Words =
    Words { name: "encryption.data-key-length", default: "16", allowed: &["16", "24", "32"] };

// Reading.
pub const NAME_MAPPING: &str = "schema.name-mapping.default";
pub const DATA_PLANNING: Words =
    Words { name: "read.data-planning-mode", default: "auto", allowed: PLANNING };
pub const DELETE_PLANNING: Words =
    Words { name: "read.delete-planning-mode", default: "auto", allowed: PLANNING };
pub const SPLIT_TARGET_SIZE: Whole = Whole { name: "read.split.target-size", default: 128 * MIB, least: 1 };
pub const SPLIT_OPEN_FILE_COST: Whole =
    Whole { name: "read.split.open-file-cost", default: 4 * MIB, least: 0 };
pub const SPLIT_LOOKBACK: Whole = Whole { name: "read.split.planning-lookback", default: 10, least: 1 };

// Data files.
pub const FORMAT: Words = Words { name: "write.format.default", default: "parquet", allowed: FORMATS };
pub const TARGET_FILE_SIZE: Whole =
    Whole { name: "write.target-file-size-bytes", default: 512 * MIB, least: 1 };
pub const DATA_PATH: &str = "write.data.path";
pub const OBJECT_STORAGE: Flag = Flag { name: "write.object-storage.enabled", default: false };
pub const OBJECT_STORAGE_PARTITIONED: Flag =
    Flag { name: "write.object-storage.partitioned-paths", default: true };
/// Former names of [`DATA_PATH`], in the order in which they count.
pub const FORMER_DATA_PATHS: [&str; 2] = ["write.object-storage.path", "write.folder-storage.path"];
pub const METRICS_DEFAULT: &str = "write.metadata.metrics.default";
pub const METRICS_OF_COLUMN: &str = "write.metadata.metrics.column.";
pub const METRICS_MOST_COLUMNS: Whole =
    Whole { name: "write.metadata.metrics.max-inferred-column-defaults", default: 100, least: 0 };

pub const LOCATION_PROVIDER: &str = "write.location-provider.impl";

// Avro.
pub const AVRO_CODEC: Words = Words {
    name: "write.avro.compression-codec",
    default: "gzip",
    allowed: &["gzip", "zstd", "snappy", "uncompressed"],
};
pub const AVRO_LEVEL: &str = "write.avro.compression-level";

// ORC.
pub const ORC_CODEC: Words = Words {
    name: "write.orc.compression-codec",
    default: "zlib",
    allowed: &["zlib", "zstd", "snappy", "lz4", "none"],
};
/// ORC has no levels: what the option `compression-level` of a write would set.
pub const ORC_LEVEL: &str = "write.orc.compression-level";
pub const ORC_STRATEGY: Words =
    Words { name: "write.orc.compression-strategy", default: "speed", allowed: &["speed", "compression"] };
pub const ORC_STRIPE_SIZE: Whole = Whole { name: "write.orc.stripe-size-bytes", default: 64 * MIB, least: 1 };
pub const ORC_BLOCK_SIZE: Whole = Whole { name: "write.orc.block-size-bytes", default: 256 * MIB, least: 1 };
pub const ORC_BLOOM_COLUMNS: &str = "write.orc.bloom.filter.columns";
pub const ORC_BLOOM_SHARE: Share = Share { name: "write.orc.bloom.filter.fpp", default: 0.05 };

// Parquet.
pub const PARQUET_CODEC: Words = Words {
    name: "write.parquet.compression-codec",
    default: "zstd",
    allowed: &["zstd", "gzip", "brotli", "snappy", "lz4", "lz4_raw", "uncompressed", "none"],
};
pub const PARQUET_LEVEL: &str = "write.parquet.compression-level";
pub const PARQUET_ROW_GROUP_SIZE: Whole =
    Whole { name: "write.parquet.row-group-size-bytes", default: 128 * MIB, least: 1 };
pub const PARQUET_ROWS_BEFORE_CHECK: Whole =
    Whole { name: "write.parquet.row-group-check-min-record-count", default: 100, least: 1 };
pub const PARQUET_ROWS_BETWEEN_CHECKS: &str = "write.parquet.row-group-check-max-record-count";
/// A property of `PyIceberg`; Iceberg Java has none.
pub const PARQUET_ROW_GROUP_LIMIT: &str = "write.parquet.row-group-limit";
pub const PARQUET_RAW_SIZE: Flag =
    Flag { name: "write.parquet.row-group-size-track-uncompressed", default: false };
pub const PARQUET_PAGE_SIZE: Whole = Whole { name: "write.parquet.page-size-bytes", default: MIB, least: 1 };
pub const PARQUET_PAGE_ROWS: Whole =
    Whole { name: "write.parquet.page-row-limit", default: 20_000, least: 1 };
pub const PARQUET_PAGE_VERSION: Words =
    Words { name: "write.parquet.page-version", default: "v1", allowed: &["v1", "v2"] };
pub const PARQUET_DICTIONARY_SIZE: Whole =
    Whole { name: "write.parquet.dict-size-bytes", default: 2 * MIB, least: 1 };
pub const PARQUET_DICTIONARY_OF_COLUMN: Flag =
    Flag { name: "write.parquet.dict-encoding-enabled.column.", default: true };
pub const PARQUET_STATISTICS_OF_COLUMN: Flag =
    Flag { name: "write.parquet.stats-enabled.column.", default: true };
pub const PARQUET_BLOOM_OF_COLUMN: Flag =
    Flag { name: "write.parquet.bloom-filter-enabled.column.", default: false };
pub const PARQUET_BLOOM_ADAPTIVE: Flag =
    Flag { name: "write.parquet.bloom-filter-adaptive-enabled", default: false };
pub const PARQUET_BLOOM_SHARE_OF_COLUMN: Share =
    Share { name: "write.parquet.bloom-filter-fpp.column.", default: 0.01 };
pub const PARQUET_BLOOM_VALUES_OF_COLUMN: &str = "write.parquet.bloom-filter-ndv.column.";
pub const PARQUET_BLOOM_MOST_BYTES: Whole =
    Whole { name: "write.parquet.bloom-filter-max-bytes", default: MIB, least: 1 };
pub const PARQUET_SHRED_VARIANTS: Flag = Flag { name: "write.parquet.shred-variants", default: false };
pub const PARQUET_VARIANT_BUFFER: Whole =
    Whole { name: "write.parquet.variant-inference-buffer-size", default: 100, least: 1 };

// Retries of commits; the loop is Python's.
const RETRIES: Whole = Whole { name: "commit.retry.num-retries", default: 4, least: 0 };
const RETRY_LEAST_WAIT: Whole = Whole { name: "commit.retry.min-wait-ms", default: 100, least: 0 };
const RETRY_MOST_WAIT: Whole = Whole { name: "commit.retry.max-wait-ms", default: MINUTE, least: 0 };
const RETRY_TOTAL: Whole = Whole { name: "commit.retry.total-timeout-ms", default: 30 * MINUTE, least: 0 };
/// How long a branch or tag is kept after its snapshot was made, in milliseconds; for ever unless set.
pub const MAX_REF_AGE: Whole =
    Whole { name: "history.expire.max-ref-age-ms", default: i64::MAX as u64, least: 1 };
pub const MAX_SNAPSHOT_AGE: Whole =
    Whole { name: "history.expire.max-snapshot-age-ms", default: 5 * DAY, least: 1 };
pub const MIN_SNAPSHOTS_TO_KEEP: Whole =
    Whole { name: "history.expire.min-snapshots-to-keep", default: 1, least: 1 };
/// May files be removed that this table does not need any more?
pub const GC: Flag = Flag { name: "gc.enabled", default: true };

const JAVA_CLASSES: &str = "it names a Java or Python class that would choose other file locations";
const ENCRYPTION: &str = "this version knows no such property of encrypted tables";

/// Every known property, in the order of names. A name that ends with a dot is followed by the name of a column.
pub const PROPERTIES: &[Known] = &[
    MANIFEST_MERGE_ENABLED.known("Whether commits merge manifests"),
    MANIFEST_MIN_COUNT_TO_MERGE.known("Minimum number of manifests to merge the newest ones"),
    MANIFEST_TARGET_SIZE.known("Target size of merged manifests, in bytes"),
    RETRY_MOST_WAIT.known("Maximum wait before a commit is retried, in milliseconds"),
    RETRY_LEAST_WAIT.known("Minimum wait before a commit is retried, in milliseconds"),
    RETRIES.known("How often a commit is retried"),
    RETRY_TOTAL.known("Time after which a commit is not retried, in milliseconds"),
    Known::refused("encryption.", ENCRYPTION),
    ENCRYPTION_KEY_LENGTH.known("Length of the keys of an encrypted table, in bytes"),
    Known::text(
        ENCRYPTION_KEY_ID,
        Kind::Text,
        "Master key of an encrypted table; set when the table is created",
    ),
    GC.known("Whether purging the table removes its data files, and whether snapshots expire"),
    Known::whole(
        MAX_REF_AGE.name,
        D::None,
        MAX_REF_AGE.least,
        "How long a branch or tag is kept, in milliseconds",
    ),
    MAX_SNAPSHOT_AGE.known("How long snapshots are kept, in milliseconds"),
    MIN_SNAPSHOTS_TO_KEEP.known("Minimum number of snapshots of a branch that are kept"),
    DATA_PLANNING.known("Whether Spark's driver reads data manifests, or tasks"),
    DELETE_PLANNING.known("Whether Spark's driver reads delete manifests, or tasks"),
    SPLIT_OPEN_FILE_COST.known("Bytes that opening a file counts for when a plan is split"),
    SPLIT_LOOKBACK.known("Groups that are kept open while a plan is split"),
    SPLIT_TARGET_SIZE.known("Target size of a group of a plan, in bytes"),
    Known::text(NAME_MAPPING, Kind::Mapping, "The field ids of columns in files without field ids, as JSON"),
    AVRO_CODEC.known_with(Kind::Avro, "The codec of Avro data files"),
    Known::text(AVRO_LEVEL, Kind::Avro, "Its level; by default, 6 for gzip and 1 for zstd"),
    Known::text(DATA_PATH, Kind::Text, "The folder of data files"),
    Known::text(
        "write.delete.avro.compression-codec",
        Kind::Text,
        "The codec of Avro delete files; by default, as for data files",
    ),
    Known::text(
        "write.delete.avro.compression-level",
        Kind::Text,
        "Its level; by default, as for data files",
    ),
    Known::words(
        "write.delete.distribution-mode",
        D::None,
        DISTRIBUTIONS,
        "How deleted rows are sent to writers",
    )
    .kept(),
    Known::words(DELETE_FORMAT, D::None, FORMATS, "The format of delete files"),
    DELETE_GRANULARITY.known("Whether position deletes get a file for each data file, or for each partition"),
    DELETE_ISOLATION.known("Which concurrent changes conflict with deletes"),
    DELETE_MODE.known("How row-level deletes are written"),
    Known::text(
        "write.delete.orc.block-size-bytes",
        Kind::Text,
        "No effect: stripes are not moved to the blocks of a file system",
    ),
    Known::text(
        "write.delete.orc.compression-codec",
        Kind::Text,
        "The codec of ORC delete files; by default, as for data files",
    ),
    Known::text(
        "write.delete.orc.compression-strategy",
        Kind::Text,
        "Whether speed or compression counts more; by default, as for data files",
    ),
    Known::text(
        "write.delete.orc.stripe-size-bytes",
        Kind::Text,
        "Bytes of a stripe; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.compression-codec",
        Kind::Text,
        "The codec of Parquet delete files; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.compression-level",
        Kind::Text,
        "Its level; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.dict-size-bytes",
        Kind::Text,
        "Bytes of a dictionary page; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.page-row-limit",
        Kind::Text,
        "Maximum rows of a page; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.page-size-bytes",
        Kind::Text,
        "Bytes of a page; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.page-version",
        Kind::Text,
        "The version of data pages; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.row-group-check-max-record-count",
        Kind::Text,
        "Maximum rows between two checks of the row group size; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.row-group-check-min-record-count",
        Kind::Text,
        "Minimum rows of a row group before its size is checked; by default, as for data files",
    ),
    Known::text(
        "write.delete.parquet.row-group-size-bytes",
        Kind::Text,
        "Bytes of a row group; by default, as for data files",
    ),
    DELETE_TARGET_FILE_SIZE.known("Target size of a delete file, in bytes"),
    Known::words("write.distribution-mode", D::None, DISTRIBUTIONS, "How rows are sent to writers").kept(),
    Known::text(FORMER_DATA_PATHS[1], Kind::Text, "Former name of write.data.path"),
    FORMAT.known("The format of data files"),
    Known::refused(LOCATION_PROVIDER, JAVA_CLASSES),
    MANIFEST_CODEC.known_with(Kind::Manifest, "The codec of manifests and manifest lists"),
    Known::text(MANIFEST_GZIP_LEVEL.name, Kind::Manifest, "Its level; by default, 1"),
    Known::words(
        "write.merge.distribution-mode",
        D::None,
        DISTRIBUTIONS,
        "How merged rows are sent to writers",
    )
    .kept(),
    MERGE_ISOLATION.known("Which concurrent changes conflict with upserts and merges"),
    MERGE_MODE.known("How rows are changed by upserts and merges"),
    METADATA_CODEC.known("The codec of metadata files"),
    DELETE_AFTER_COMMIT.known("Whether a commit removes metadata files that it drops from the metadata log"),
    Known::text(
        METRICS_OF_COLUMN,
        Kind::Metrics,
        "The metrics of a column: none, counts, truncate(16) or full",
    ),
    Known::text(METRICS_DEFAULT, Kind::Metrics, "The metrics of columns; by default, truncate(16)"),
    METRICS_MOST_COLUMNS.known("How many columns have metrics if no default is set"),
    Known::text(METADATA_PATH, Kind::Text, "The folder of metadata files and manifests"),
    PREVIOUS_VERSIONS_MAX.known("How many former metadata files the metadata log keeps"),
    OBJECT_STORAGE.known("Whether the names of data files begin with a hash, for object stores"),
    OBJECT_STORAGE_PARTITIONED.known("Whether these names contain partition values too"),
    Known::text(FORMER_DATA_PATHS[0], Kind::Text, "Former name of write.data.path"),
    ORC_BLOCK_SIZE.known_with(Kind::Orc, "No effect: stripes are not moved to the blocks of a file system"),
    Known::text(ORC_BLOOM_COLUMNS, Kind::Orc, "The columns that have bloom filters, separated by commas"),
    ORC_BLOOM_SHARE.known("The false positive probability of a bloom filter"),
    ORC_CODEC.known_with(Kind::Orc, "The codec of ORC data files"),
    ORC_STRATEGY.known_with(Kind::Orc, "Whether speed or compression counts more"),
    ORC_STRIPE_SIZE.known_with(Kind::Orc, "Encoded bytes at which a stripe ends"),
    PARQUET_BLOOM_ADAPTIVE.known("No effect: bloom filters are always as small as their values allow"),
    PARQUET_BLOOM_OF_COLUMN.known("Whether a column has bloom filters"),
    PARQUET_BLOOM_SHARE_OF_COLUMN.known("The false positive probability of a bloom filter"),
    PARQUET_BLOOM_MOST_BYTES.known("Maximum bytes of a bloom filter"),
    Known::whole(
        PARQUET_BLOOM_VALUES_OF_COLUMN,
        D::None,
        1,
        "How many distinct values a bloom filter is made for",
    ),
    PARQUET_CODEC.known_with(Kind::Parquet, "The codec of data files"),
    Known::text(
        PARQUET_LEVEL,
        Kind::Parquet,
        "Its level; by default, 3 for zstd, or 1 for columns that it makes as small",
    ),
    PARQUET_DICTIONARY_OF_COLUMN.known("Whether a column has dictionaries"),
    PARQUET_DICTIONARY_SIZE.known("Bytes of a dictionary page"),
    PARQUET_PAGE_ROWS.known("Maximum rows of a page"),
    PARQUET_PAGE_SIZE.known("Bytes of a page"),
    PARQUET_PAGE_VERSION.known_with(Kind::Parquet, "The version of data pages"),
    Known::text(
        PARQUET_ROWS_BETWEEN_CHECKS,
        Kind::Parquet,
        "Maximum rows between two checks of the row group size",
    ),
    PARQUET_ROWS_BEFORE_CHECK
        .known_with(Kind::Parquet, "Minimum rows of a row group before its size is checked"),
    Known::text(PARQUET_ROW_GROUP_LIMIT, Kind::Parquet, "Maximum rows of a row group, as PyIceberg has it"),
    PARQUET_ROW_GROUP_SIZE.known("Bytes of a row group"),
    PARQUET_RAW_SIZE.known("Whether the size of a row group is that of its rows in memory"),
    PARQUET_SHRED_VARIANTS.known("Whether variants are shredded"),
    PARQUET_STATISTICS_OF_COLUMN.known("Whether a column has statistics in footers"),
    PARQUET_VARIANT_BUFFER.known("Rows from which the shredding of variants is inferred"),
    Known::refused("write.py-location-provider.impl", JAVA_CLASSES),
    PARTITION_SUMMARY_LIMIT.known("Maximum number of changed partitions in a snapshot summary"),
    TARGET_FILE_SIZE.known("Target size of a data file, in bytes"),
    Known::words(
        "write.update.distribution-mode",
        D::None,
        DISTRIBUTIONS,
        "How updated rows are sent to writers",
    )
    .kept(),
    UPDATE_ISOLATION.known("Which concurrent changes conflict with overwrites and updates"),
    UPDATE_MODE.known("How rows are updated"),
    WAP_ENABLED.known("Whether writes with a wap.id are staged, and settings of audits are followed"),
];

/// Properties of Iceberg Java that only its engines follow.
pub const OF_OTHER_ENGINES: &[&str] = &[
    "commit.status-check.max-wait-ms",
    "commit.status-check.min-wait-ms",
    "commit.status-check.num-retries",
    "commit.status-check.total-timeout-ms",
    "comment",
    "compatibility.snapshot-id-inheritance.enabled",
    "engine.hive.enabled",
    "engine.hive.lock-enabled",
    "identifier-fields.rely",
    "read.orc.vectorization.batch-size",
    "read.orc.vectorization.enabled",
    "read.parquet.vectorization.batch-size",
    "read.parquet.vectorization.enabled",
    "read.split.adaptive-size.enabled",
    "read.split.metadata-target-size",
    "write.delete.orc.vectorized.batch-size",
    "write.orc.vectorized.batch-size",
    "write.spark.accept-any-schema",
    "write.spark.advisory-partition-size-bytes",
    "write.spark.auto-schema-evolution.enabled",
    "write.spark.fanout.enabled",
    "write.upsert.enabled",
];

/// The description of a property; `None` if this library does not use it.
pub fn known(name: &str) -> Option<&'static Known> {
    let exact = PROPERTIES.iter().find(|known| known.name == name);
    exact.or_else(|| PROPERTIES.iter().find(|known| known.is_of(name)))
}
