//! What is a task? One data file and the deletes that apply to it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use floeberg_core::expr::BoundExpr;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// Parquet
    Parquet,
    /// Avro
    Avro,
    /// ORC
    Orc,
    /// Puffin (deletion vectors only)
    Puffin,
}

/// Its name in manifests, in any case.
impl FromStr for FileFormat {
    type Err = Error;

    fn from_str(written: &str) -> Result<Self> {
        let known = [Self::Parquet, Self::Avro, Self::Orc, Self::Puffin];
        known.into_iter().find(|format| written.eq_ignore_ascii_case(format.name())).ok_or_else(|| {
            Error::unsupported(format!(
                "file format {written:?} is not known, expected parquet, avro, orc or puffin"
            ))
        })
    }
}

impl FileFormat {
    /// Its name in manifests, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Avro => "avro",
            Self::Orc => "orc",
            Self::Puffin => "puffin",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A data file to read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileScanTask {
    /// The location as the table wrote it: position deletes name it so.
    pub file_path: String,
    /// Where it is opened, after `relocate`.
    pub location: String,
    /// The format.
    pub file_format: FileFormat,
    /// Bytes: a hint.
    pub file_size_in_bytes: i64,
    /// Rows, deleted ones included: a hint.
    pub record_count: i64,
    /// Only the row groups whose first byte is in this range of the file; `None` is all.
    pub byte_range: Option<std::ops::Range<u64>>,
    /// The spec the file is partitioned by.
    pub spec_id: i32,
    /// Partition values by partition field id, in the spec's order.
    pub partition: Arc<Vec<(i32, Option<Value>)>>,
    /// Decides which deletes apply.
    pub data_sequence_number: i64,
    /// The id of the first row (v3).
    pub first_row_id: Option<i64>,
    /// The deletes that apply.
    pub deletes: Vec<Arc<DeleteFile>>,
    /// The residual: the part of the filter that the partition does not already decide.
    pub residual: Arc<BoundExpr>,
}

/// What a delete file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum DeleteKind {
    /// Rows of (file path, position).
    Position,
    /// Rows of values of these columns.
    Equality {
        /// Field ids.
        equality_ids: Vec<i32>,
    },
    /// A Puffin blob of positions of one data file.
    Vector {
        /// Where the blob starts.
        content_offset: i64,
        /// How long it is.
        content_size_in_bytes: i64,
    },
}

/// A delete file.
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteFile {
    /// The location as the table wrote it.
    pub file_path: String,
    /// Where it is opened, after `relocate`.
    pub location: String,
    /// The format.
    pub file_format: FileFormat,
    /// What it holds.
    pub kind: DeleteKind,
    /// Deletes.
    pub record_count: i64,
    /// Bytes: a hint.
    pub file_size_in_bytes: i64,
    /// Decides which data files it applies to.
    pub data_sequence_number: i64,
    /// The only data file that it applies to, as written; `None` means any file of its partition.
    pub referenced_data_file: Option<String>,
    /// The spec it is partitioned by.
    pub spec_id: i32,
    /// Partition values by partition field id, in the spec's order.
    pub partition: Vec<(i32, Option<Value>)>,
}

impl DeleteFile {
    /// Its bytes with deletes: for a deletion vector, those of its blob.
    pub fn content_size(&self) -> u64 {
        let bytes = match self.kind {
            DeleteKind::Vector { content_size_in_bytes, .. } => content_size_in_bytes,
            DeleteKind::Position | DeleteKind::Equality { .. } => self.file_size_in_bytes,
        };
        u64::try_from(bytes).unwrap_or(0)
    }
}
