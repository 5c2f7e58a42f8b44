//! How is a fragment written: its data files, its deletion file, its row ids?
//!
//! Spec: Lance, `table.proto`, `DataFragment`, `DataFile`, `DeletionFile`.
//!
//! Invariant: a base of id 0 is a base; only its absence means the table's own folder.

use floeberg_core::{Error, Result};
use floeberg_protobuf::{Encoder, Field, Record, message};

message! {
    /// Some columns of a set of rows, and the deletes and ids of these rows.
    pub struct Fragment {
        /// The id, unique in the table.
        id: u64 = 1,
        /// The files, each with some of the columns.
        files: Vec<DataFile> = 2,
        /// What is deleted.
        deletion_file: Option<DeletionFile> = 3,
        /// Rows, deleted ones included; 0 where that is not known.
        physical_rows: u64 = 4,
        /// The stable ids of the rows.
        row_ids: Option<Lineage> = oneof { Lineage::Inline = 5, Lineage::Column = 12 },
        /// The versions in which the rows were last changed.
        last_updated_at_versions: Option<Lineage> = oneof { Lineage::Inline = 7, Lineage::Column = 13 },
        /// The versions in which the rows came into the table.
        created_at_versions: Option<Lineage> = oneof { Lineage::Inline = 9, Lineage::Column = 14 },
        ..unknown
    }
}

/// Where the ids or versions of a fragment's rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lineage {
    /// A sequence in the manifest.
    Inline(Vec<u8>),
    /// A hidden column of a data file. The message says no more, and is kept as it is.
    Column(Vec<u8>),
}

message! {
    /// A data file.
    pub struct DataFile {
        /// The path below the folder of data.
        path: String = 1,
        /// The ids of the fields in it; negative ones are of no column.
        fields: Vec<i32> = 2,
        /// The index of the column of each field in the file; -1 for a field without a column of its own.
        column_indices: Vec<i32> = 3,
        /// Before the dot of the file's version.
        major: u32 = 4,
        /// After the dot.
        minor: u32 = 5,
        /// The size; 0 where that is not known.
        size_bytes: u64 = 6,
        /// The base that the path is below; `None` is the table's own.
        base_id: Option<u32> = 7,
        ..unknown
    }
}

/// How a deletion file writes its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DeletionFileType {
    /// An Arrow file of one column.
    #[default]
    Arrow,
    /// A Roaring bitmap.
    Bitmap,
}

impl Field for DeletionFileType {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        *self = match record.value.number()? {
            0 => Self::Arrow,
            1 => Self::Bitmap,
            other => {
                return Err(Error::unsupported(format!(
                    "expected a deletion file of type 0 (Arrow) or 1 (bitmap), found {other}"
                )));
            }
        };
        Ok(())
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        out.number(number, *self == Self::Bitmap);
    }
}

message! {
    /// A deletion file.
    #[derive(Hash)]
    pub struct DeletionFile {
        /// How it is written.
        file_type: DeletionFileType = 1,
        /// The version of the table that was read to make it.
        read_version: u64 = 2,
        /// A number that distinguishes the file from those of other writers.
        id: u64 = 3,
        /// Its rows; 0 where that is not known.
        num_deleted_rows: u64 = 4,
        /// The base that it is below; `None` is the table's own.
        base_id: Option<u32> = 7,
        ..unknown
    }
}

impl DeletionFile {
    /// Its path below the folder of the table: `_deletions/{fragment}-{read version}-{id}.{arrow|bin}`.
    pub fn path(&self, fragment_id: u64) -> String {
        let suffix = match self.file_type {
            DeletionFileType::Arrow => "arrow",
            DeletionFileType::Bitmap => "bin",
        };
        format!("_deletions/{fragment_id}-{}-{}.{suffix}", self.read_version, self.id)
    }
}
