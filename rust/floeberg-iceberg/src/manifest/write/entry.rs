//! Which fields does a manifest entry have?
//!
//! Spec: Manifest Entry Fields; Data File Fields.
//!
//! Invariant: `None` is written as null; readers decide what it means (inherited, or unknown).

use std::collections::BTreeMap;

use floeberg_avro::UnknownRow;
use floeberg_core::value::Value;

/// An entry of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestEntry {
    /// Why the entry is there.
    pub status: EntryStatus,
    /// The snapshot that added the file, or deleted it. `None` is inherited: the manifest's.
    pub snapshot_id: Option<i64>,
    /// The data sequence number, which decides which deletes apply. `None` is inherited, by added files only.
    pub sequence_number: Option<i64>,
    /// The sequence number at which the file was added. `None` is inherited by added files, and unknown for others.
    pub file_sequence_number: Option<i64>,
    /// The file.
    pub data_file: DataFile,
    /// Fields that this version does not know, of an entry that is written again.
    pub unknown: Option<UnknownRow>,
}

/// Why an entry is in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryStatus {
    /// The file existed before.
    Existing,
    /// The snapshot added the file.
    Added,
    /// The snapshot deleted the file. It is listed once, for readers of changes.
    Deleted,
}

/// A data file or a delete file.
#[derive(Debug, Clone, PartialEq)]
pub struct DataFile {
    /// What its rows are.
    pub content: FileContent,
    /// The location, as it is written.
    pub file_path: String,
    /// `parquet`, `avro`, `orc` or `puffin`, in any case.
    pub file_format: String,
    /// A value per field of the partition spec, in its order.
    pub partition: Vec<Option<Value>>,
    /// Rows; for delete files deletes.
    pub record_count: i64,
    /// Bytes.
    pub file_size_in_bytes: i64,
    /// Bytes that a column takes, by field id. Row-oriented formats do not record them.
    pub column_sizes: Option<BTreeMap<i32, i64>>,
    /// Values of a column, nulls and NaNs included, by field id.
    pub value_counts: Option<BTreeMap<i32, i64>>,
    /// Nulls of a column, by field id.
    pub null_value_counts: Option<BTreeMap<i32, i64>>,
    /// NaNs of a column, by field id.
    pub nan_value_counts: Option<BTreeMap<i32, i64>>,
    /// Lower bounds, by field id, in single-value serialization.
    pub lower_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// Upper bounds, by field id, in single-value serialization.
    pub upper_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// The key metadata of an encrypted file.
    pub key_metadata: Option<Vec<u8>>,
    /// Where the file may be split: the offsets of row groups, ascending.
    pub split_offsets: Option<Vec<i64>>,
    /// The columns of an equality delete, by field id.
    pub equality_ids: Option<Vec<i32>>,
    /// How rows are sorted; position deletes have no sort order.
    pub sort_order_id: Option<i32>,
    /// The id of the first row (v3 data files). `None` is assigned when the snapshot is committed.
    pub first_row_id: Option<i64>,
    /// The one data file that a vector, or a file of position deletes, is for.
    pub referenced_data_file: Option<String>,
    /// Where a vector's blob starts in its Puffin file (v3).
    pub content_offset: Option<i64>,
    /// How long a vector's blob is (v3).
    pub content_size_in_bytes: Option<i64>,
}

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileContent {
    /// Rows of the table.
    Data,
    /// Positions of deleted rows: position delete files, and deletion vectors.
    PositionDeletes,
    /// Keys of deleted rows: equality delete files.
    EqualityDeletes,
}

impl ManifestEntry {
    /// The entry of a new file, which inherits snapshot and sequence numbers from the commit.
    pub fn added(data_file: DataFile) -> Self {
        Self {
            status: EntryStatus::Added,
            snapshot_id: None,
            sequence_number: None,
            file_sequence_number: None,
            data_file,
            unknown: None,
        }
    }

    /// The same file in a later manifest: it keeps the snapshot and the sequence numbers it was added with.
    #[must_use]
    pub fn into_existing(self) -> Self {
        Self { status: EntryStatus::Existing, ..self }
    }

    /// The same file, deleted by a snapshot: it keeps its sequence numbers.
    #[must_use]
    pub fn into_deleted(self, snapshot_id: i64) -> Self {
        Self { status: EntryStatus::Deleted, snapshot_id: Some(snapshot_id), ..self }
    }
}

impl EntryStatus {
    /// The number of field 0.
    pub(super) fn number(self) -> i32 {
        self as i32
    }
}

impl FileContent {
    /// The number of field 134.
    pub(super) fn number(self) -> i32 {
        self as i32
    }
}

impl DataFile {
    /// A data file with only its required fields.
    pub fn new(file_path: impl Into<String>, file_format: impl Into<String>) -> Self {
        Self {
            content: FileContent::Data,
            file_path: file_path.into(),
            file_format: file_format.into(),
            partition: Vec::new(),
            record_count: 0,
            file_size_in_bytes: 0,
            column_sizes: None,
            value_counts: None,
            null_value_counts: None,
            nan_value_counts: None,
            lower_bounds: None,
            upper_bounds: None,
            key_metadata: None,
            split_offsets: None,
            equality_ids: None,
            sort_order_id: None,
            first_row_id: None,
            referenced_data_file: None,
            content_offset: None,
            content_size_in_bytes: None,
        }
    }

    /// Is it a deletion vector: position deletes in a Puffin file?
    pub fn is_vector(&self) -> bool {
        self.content == FileContent::PositionDeletes && self.file_format.eq_ignore_ascii_case("puffin")
    }
}
