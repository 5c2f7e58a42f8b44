//! May a property of a table have this value?
//!
//! In: properties that are to be set, and all that the table has then. Out: nothing, or the property that nobody could
//! follow.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: what cannot be followed is refused where it is set, and not by every write and commit after it. Tables that
//! have such properties are read all the same, and names that are not known have any value.

use std::collections::BTreeMap;

use floeberg_core::schema::NameMapping;
use floeberg_core::{Context, Error, Result};

use super::IsolationLevel;
use super::produce::manifest_options;
use crate::files::check_metrics_mode;
use crate::formats::avro::write::check_avro_properties;
use crate::formats::parquet::write::check_parquet_properties;
use crate::metadata::NAME_MAPPING;
use crate::metadata::encryption::KEY_ID;
use crate::metadata::property::{flag, parsed, unexpected};

/// What a value is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number of at least this.
    Whole(u64),
    /// A number between 0 and 1.
    Share,
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// `serializable` or `snapshot`.
    Isolation,
    /// What is kept of a column.
    Metrics,
    /// A name mapping, as JSON.
    Mapping,
    /// What the layout of Parquet files follows, together with others.
    Parquet,
    /// What Avro files are compressed by.
    Avro,
    /// What manifests are compressed by.
    Manifest,
}

const FORMATS: &[&str] = &["parquet", "avro", "orc"];
const MODES: &[&str] = &["copy-on-write", "merge-on-read"];
const DISTRIBUTIONS: &[&str] = &["none", "hash", "range"];

/// The properties that this version follows, and those of the documentation with values of a closed set. One that ends
/// with a dot is of columns, whose names follow.
const KNOWN: &[(&str, Kind)] = &[
    ("commit.manifest-merge.enabled", Kind::Flag),
    ("commit.manifest.min-count-to-merge", Kind::Whole(0)),
    ("commit.manifest.target-size-bytes", Kind::Whole(0)),
    ("commit.retry.max-wait-ms", Kind::Whole(0)),
    ("commit.retry.min-wait-ms", Kind::Whole(0)),
    ("commit.retry.num-retries", Kind::Whole(0)),
    ("commit.retry.total-timeout-ms", Kind::Whole(0)),
    ("gc.enabled", Kind::Flag),
    ("history.expire.max-ref-age-ms", Kind::Whole(1)),
    ("history.expire.max-snapshot-age-ms", Kind::Whole(1)),
    ("history.expire.min-snapshots-to-keep", Kind::Whole(1)),
    ("read.split.open-file-cost", Kind::Whole(0)),
    ("read.split.planning-lookback", Kind::Whole(1)),
    ("read.split.target-size", Kind::Whole(1)),
    (NAME_MAPPING, Kind::Mapping),
    ("write.avro.compression-codec", Kind::Avro),
    ("write.avro.compression-level", Kind::Avro),
    ("write.delete.distribution-mode", Kind::Word(DISTRIBUTIONS)),
    ("write.delete.format.default", Kind::Word(FORMATS)),
    ("write.delete.isolation-level", Kind::Isolation),
    ("write.delete.mode", Kind::Word(MODES)),
    ("write.distribution-mode", Kind::Word(DISTRIBUTIONS)),
    ("write.format.default", Kind::Word(FORMATS)),
    ("write.manifest.compression-codec", Kind::Manifest),
    ("write.manifest.compression-level", Kind::Manifest),
    ("write.merge.distribution-mode", Kind::Word(DISTRIBUTIONS)),
    ("write.merge.isolation-level", Kind::Isolation),
    ("write.merge.mode", Kind::Word(MODES)),
    ("write.metadata.compression-codec", Kind::Word(&["none", "gzip"])),
    ("write.metadata.delete-after-commit.enabled", Kind::Flag),
    ("write.metadata.metrics.column.", Kind::Metrics),
    ("write.metadata.metrics.default", Kind::Metrics),
    ("write.metadata.metrics.max-inferred-column-defaults", Kind::Whole(0)),
    ("write.metadata.previous-versions-max", Kind::Whole(0)),
    ("write.object-storage.enabled", Kind::Flag),
    ("write.object-storage.partitioned-paths", Kind::Flag),
    ("write.parquet.bloom-filter-adaptive-enabled", Kind::Flag),
    ("write.parquet.bloom-filter-enabled.column.", Kind::Flag),
    ("write.parquet.bloom-filter-fpp.column.", Kind::Share),
    ("write.parquet.bloom-filter-max-bytes", Kind::Whole(1)),
    ("write.parquet.bloom-filter-ndv.column.", Kind::Whole(1)),
    ("write.parquet.compression-codec", Kind::Parquet),
    ("write.parquet.compression-level", Kind::Parquet),
    ("write.parquet.dict-encoding-enabled.column.", Kind::Flag),
    ("write.parquet.dict-size-bytes", Kind::Whole(1)),
    ("write.parquet.page-row-limit", Kind::Whole(1)),
    ("write.parquet.page-size-bytes", Kind::Whole(1)),
    ("write.parquet.page-version", Kind::Parquet),
    ("write.parquet.row-group-check-max-record-count", Kind::Parquet),
    ("write.parquet.row-group-check-min-record-count", Kind::Parquet),
    ("write.parquet.row-group-size-bytes", Kind::Whole(1)),
    ("write.parquet.row-group-size-track-uncompressed", Kind::Flag),
    ("write.parquet.shred-variants", Kind::Flag),
    ("write.parquet.stats-enabled.column.", Kind::Flag),
    ("write.parquet.variant-inference-buffer-size", Kind::Whole(1)),
    ("write.summary.partition-limit", Kind::Whole(0)),
    ("write.target-file-size-bytes", Kind::Whole(1)),
    ("write.update.distribution-mode", Kind::Word(DISTRIBUTIONS)),
    ("write.update.isolation-level", Kind::Isolation),
    ("write.update.mode", Kind::Word(MODES)),
];

/// Checks properties that are to be set. `after` are all that the table has then: a level is one of its codec.
///
/// Errors: `InvalidInput`, naming the property; `Unsupported` for the key of an encrypted table.
pub(super) fn check_values(set: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Result<()> {
    check_key(set.keys())?;
    for name in set.keys() {
        let Some(kind) = kind_of(name) else { continue };
        check_value(name, kind, after).context("property", name)?;
    }
    Ok(())
}

/// Checks that names do not say whether a table is encrypted: what this version writes would not follow.
///
/// Errors: `Unsupported`.
pub(super) fn check_key<'a>(mut names: impl Iterator<Item = &'a String>) -> Result<()> {
    if names.all(|name| name != KEY_ID) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the property {KEY_ID:?} cannot be set or removed: this version writes no encrypted tables, and files in the \
         clear do not belong into one"
    )))
}

fn kind_of(name: &str) -> Option<Kind> {
    let is_it = |known: &str| known == name || known.ends_with('.') && name.starts_with(known);
    KNOWN.iter().find(|(known, _)| is_it(known)).map(|(_, kind)| *kind)
}

fn check_value(name: &str, kind: Kind, after: &BTreeMap<String, String>) -> Result<()> {
    let text = after.get(name).map_or("", String::as_str);
    match kind {
        Kind::Flag => flag(after, name, false).map(drop),
        Kind::Whole(least) => {
            let expected = format!("a whole number of at least {least}");
            match parsed::<i64>(after, name, &expected)?.map(u64::try_from) {
                None => Ok(()),
                Some(Ok(number)) if number >= least => Ok(()),
                Some(_) => Err(unexpected(name, text, &expected)),
            }
        }
        Kind::Share => match parsed::<f64>(after, name, "a number between 0 and 1")? {
            Some(share) if !(share > 0.0 && share < 1.0) => {
                Err(unexpected(name, text, "a number between 0 and 1"))
            }
            _ => Ok(()),
        },
        Kind::Word(words) if words.iter().any(|word| word.eq_ignore_ascii_case(text)) => Ok(()),
        Kind::Word(words) => Err(unexpected(name, text, &words.join(", "))),
        Kind::Isolation => text.parse::<IsolationLevel>().map(drop),
        Kind::Metrics => check_metrics_mode(name, text),
        Kind::Mapping => NameMapping::from_json(text).map(drop).map_err(Error::of_input),
        Kind::Parquet => check_parquet_properties(after),
        Kind::Avro => check_avro_properties(after),
        Kind::Manifest => manifest_options(after).map(drop),
    }
}
