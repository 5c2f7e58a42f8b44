//! The entries of a manifest, as columns.
//!
//! Spec: Manifest Entry Fields; Data File Fields; Sequence Number Inheritance; First Row ID Inheritance.
//!
//! Invariant: all columns have one length; inheritance is applied; DELETED entries are in only if they were
//! requested.

use std::collections::BTreeMap;

use arrow_array::{
    Array, BinaryArray, Int32Array, Int64Array, ListArray, MapArray, StringArray, StructArray,
};

use floeberg_avro::{UnknownField, UnknownValues};
use floeberg_core::{Error, Result};

use super::ManifestContent;

/// The status of an entry whose file its snapshot added.
pub const ADDED: i32 = 1;
/// The status of an entry whose file its snapshot deleted.
pub const DELETED: i32 = 2;

/// Which entries and columns of a manifest are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryRequest {
    /// Field ids whose counts and bounds are decoded; all others are skipped.
    pub statistics_of: Vec<i32>,
    /// Are entries of status DELETED wanted too?
    pub with_deleted: bool,
    /// Are the counts and bounds of all columns wanted, as maps? Then they are not given by column.
    pub with_metrics: bool,
    /// In which form are they wanted?
    pub metrics_form: MetricsForm,
    /// Are the [`EntryDetails`] not wanted? They take memory even if they are null.
    pub without_details: bool,
}

/// In which form counts and bounds of all columns are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsForm {
    /// As maps by field id.
    #[default]
    Maps,
    /// To be written again: as they are stored, with the fields beside them, where a new manifest has the same bytes for them; else as
    /// maps.
    Stored,
}

/// Entries of one manifest, decoded, with inheritance applied.
#[derive(Debug, Clone)]
pub struct ManifestEntries {
    /// Data or deletes.
    pub content: ManifestContent,
    /// The spec all its files are partitioned by.
    pub spec_id: i32,
    /// 0 existing, 1 added, 2 deleted.
    pub status: Int32Array,
    /// The sequence number that decides which deletes apply. No nulls.
    pub data_sequence_number: Int64Array,
    /// 0 data, 1 position deletes (and vectors), 2 equality deletes.
    pub file_content: Int32Array,
    /// The location, as written.
    pub file_path: StringArray,
    /// `avro`, `orc`, `parquet`, `puffin`, in lower case.
    pub file_format: StringArray,
    /// One child per partition field of the spec, with its order and names; the Arrow types are those of the partition values, or
    /// the manifest's if the table does not know them. No child for an unpartitioned spec.
    pub partition: StructArray,
    /// Rows (delete files: deletes).
    pub record_count: Int64Array,
    /// Bytes: a hint.
    pub file_size_in_bytes: Int64Array,
    /// Where row groups start.
    pub split_offsets: ListArray,
    /// The id of the first row (v3 data files).
    pub first_row_id: Int64Array,
    /// Encryption: not null means encrypted.
    pub key_metadata: BinaryArray,
    /// Were the keys taken in, so that the files can be opened?
    pub keys_are_known: bool,
    /// Fields that reading data files does not need, if they were requested.
    pub details: Option<EntryDetails>,
    /// Counts and bounds of the requested columns.
    pub statistics: BTreeMap<i32, EntryStatistics>,
    /// Counts and bounds of all columns, if requested.
    pub metrics: Option<EntryMetrics>,
    /// The fields of each file from its record count to its sort order as they are stored, if they were requested so, and a new manifest has
    /// the same bytes for them. No nulls.
    pub stored: Option<BinaryArray>,
    /// Fields that this version does not know, if the manifest has any, and metrics were requested: whoever writes an entry again keeps them.
    pub unknown: Option<UnknownValues>,
}

/// Fields of entries that reading data files does not need.
#[derive(Debug, Clone)]
pub struct EntryDetails {
    /// The snapshot that added (or deleted) the file.
    pub snapshot_id: Int64Array,
    /// When the file was added. Null if an old writer left it out.
    pub file_sequence_number: Int64Array,
    /// The columns of an equality delete.
    pub equality_ids: ListArray,
    /// The sort order.
    pub sort_order_id: Int32Array,
    /// The data file that a vector or a file-scoped position delete is for, as written.
    pub referenced_data_file: StringArray,
    /// Where a vector's blob starts.
    pub content_offset: Int64Array,
    /// How long a vector's blob is.
    pub content_size_in_bytes: Int64Array,
}

/// Counts and bounds of one column, a row for each entry; null is unknown.
#[derive(Debug, Clone)]
pub struct EntryStatistics {
    /// Values, nulls and NaNs included.
    pub value_count: Int64Array,
    /// Nulls.
    pub null_value_count: Int64Array,
    /// NaNs.
    pub nan_value_count: Int64Array,
    /// Single-value serialization.
    pub lower_bound: BinaryArray,
    /// Single-value serialization.
    pub upper_bound: BinaryArray,
}

/// Counts and bounds by field id: a map for each entry, null for an entry without them.
#[derive(Debug, Clone)]
pub struct EntryMetrics {
    /// Bytes that a column takes in the file.
    pub column_sizes: MapArray,
    /// Values, nulls and NaNs included.
    pub value_counts: MapArray,
    /// Nulls.
    pub null_value_counts: MapArray,
    /// NaNs.
    pub nan_value_counts: MapArray,
    /// Single-value serialization.
    pub lower_bounds: MapArray,
    /// Single-value serialization.
    pub upper_bounds: MapArray,
}

impl ManifestEntries {
    /// The fields that this version does not know.
    pub fn unknown_fields(&self) -> &[UnknownField] {
        self.unknown.as_ref().map_or(&[], UnknownValues::fields)
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fields that reading data files does not need. Errors: `Internal` if they were not requested.
    pub fn details(&self) -> Result<&EntryDetails> {
        self.details.as_ref().ok_or_else(|| Error::internal("the details of entries were not requested"))
    }

    /// About how many bytes they take.
    pub fn memory(&self) -> u64 {
        let metrics = self.metrics.iter().flat_map(|metrics| {
            [
                &metrics.column_sizes,
                &metrics.value_counts,
                &metrics.null_value_counts,
                &metrics.nan_value_counts,
                &metrics.lower_bounds,
                &metrics.upper_bounds,
            ]
        });
        let statistics = self.statistics.values().flat_map(|statistics| {
            let columns: [&dyn Array; 5] = [
                &statistics.value_count,
                &statistics.null_value_count,
                &statistics.nan_value_count,
                &statistics.lower_bound,
                &statistics.upper_bound,
            ];
            columns
        });
        let details = self.details.iter().flat_map(|details| {
            let columns: [&dyn Array; 7] = [
                &details.snapshot_id,
                &details.file_sequence_number,
                &details.equality_ids,
                &details.sort_order_id,
                &details.referenced_data_file,
                &details.content_offset,
                &details.content_size_in_bytes,
            ];
            columns
        });
        let columns: [&dyn Array; 11] = [
            &self.status,
            &self.data_sequence_number,
            &self.file_content,
            &self.file_path,
            &self.file_format,
            &self.partition,
            &self.record_count,
            &self.file_size_in_bytes,
            &self.split_offsets,
            &self.first_row_id,
            &self.key_metadata,
        ];
        let columns = columns.into_iter().chain(self.stored.iter().map(|stored| stored as &dyn Array));
        let columns = columns.chain(details).chain(statistics).chain(metrics.map(|map| map as &dyn Array));
        columns.map(|column| column.get_array_memory_size() as u64).sum()
    }
}
