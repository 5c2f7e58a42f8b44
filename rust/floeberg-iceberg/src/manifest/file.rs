//! What does a manifest list say of one manifest?
//!
//! Spec: Manifest Lists.

use std::sync::Arc;

use floeberg_avro::UnknownRow;
use floeberg_core::{Error, Result};

/// A row of a manifest list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ManifestFile {
    /// Its location, as written.
    pub manifest_path: String,
    /// Its length in bytes: a hint, as writers have recorded wrong ones. 0 is unknown.
    pub manifest_length: i64,
    /// The spec its files are partitioned by.
    pub partition_spec_id: i32,
    /// Data files or delete files.
    pub content: ManifestContent,
    /// When it was added; 0 in v1.
    pub sequence_number: i64,
    /// The lowest data sequence number of its live files; 0 in v1.
    pub min_sequence_number: i64,
    /// The snapshot that added it; missing in v1 tables with inline manifests.
    pub added_snapshot_id: Option<i64>,
    /// Entries by status. `None` is unknown and must be treated as more than 0.
    pub added_files_count: Option<i64>,
    /// See `added_files_count`.
    pub existing_files_count: Option<i64>,
    /// See `added_files_count`.
    pub deleted_files_count: Option<i64>,
    /// Rows by status.
    pub added_rows_count: Option<i64>,
    /// See `added_rows_count`.
    pub existing_rows_count: Option<i64>,
    /// See `added_rows_count`.
    pub deleted_rows_count: Option<i64>,
    /// One per field of the spec, in its order. `None` is unknown.
    pub partitions: Option<Vec<FieldSummary>>,
    /// The key it is encrypted with.
    pub key_metadata: Option<Vec<u8>>,
    /// The first row id for its files without one (v3).
    pub first_row_id: Option<i64>,
    /// For a new manifest that is not committed yet: the rows of its live files without a first row id. `None` for a
    /// manifest of a snapshot.
    pub rows_without_ids: Option<i64>,
    /// Fields that this version does not know, which later lists keep.
    pub unknown: Option<Arc<UnknownRow>>,
}

impl ManifestFile {
    /// A manifest with only these fields, as v1 tables without a manifest list name it.
    pub fn unlisted(
        manifest_path: String,
        manifest_length: i64,
        partition_spec_id: i32,
        content: ManifestContent,
    ) -> Self {
        Self {
            manifest_path,
            manifest_length,
            partition_spec_id,
            content,
            sequence_number: 0,
            min_sequence_number: 0,
            added_snapshot_id: None,
            added_files_count: None,
            existing_files_count: None,
            deleted_files_count: None,
            added_rows_count: None,
            existing_rows_count: None,
            deleted_rows_count: None,
            partitions: None,
            key_metadata: None,
            first_row_id: None,
            rows_without_ids: None,
            unknown: None,
        }
    }
}

/// What the files of a manifest have in common in one partition field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct FieldSummary {
    /// Is any value null?
    pub contains_null: bool,
    /// Is any value NaN? `None` is unknown.
    pub contains_nan: Option<bool>,
    /// No value is smaller: single-value serialization of the partition field's type. `None` where all are null.
    pub lower_bound: Option<Vec<u8>>,
    /// No value is larger.
    pub upper_bound: Option<Vec<u8>>,
}

/// What a manifest lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ManifestContent {
    /// Data files.
    Data,
    /// Delete files.
    Deletes,
}

/// What an error says of a file whose key is not known.
pub(crate) const NO_KEY: &str = "and nothing names its key: open the table with `key_management`, or with the option `encryption.kms-impl`";

/// Checks that manifests can be read by another process: the key of one does not travel.
///
/// Errors: `Unsupported`, naming the first encrypted one.
pub(crate) fn check_plain<'a>(manifests: impl IntoIterator<Item = &'a ManifestFile>) -> Result<()> {
    match manifests.into_iter().find(|manifest| manifest.key_metadata.is_some()) {
        Some(manifest) => Err(Error::unsupported(
            "the manifest is encrypted, and the key of a manifest does not travel to another process: plan in this one",
        )
        .with("path", &manifest.manifest_path)),
        None => Ok(()),
    }
}
