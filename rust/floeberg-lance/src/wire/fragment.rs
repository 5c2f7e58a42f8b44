//! How is a fragment written: its data files, its deletion file, its row ids?
//!
//! Spec: Lance, `table.proto`, `DataFragment`, `DataFile`, `DeletionFile`.
//!
//! Invariant: a base of id 0 is a base; only its absence means the table's own folder.

use floeberg_core::{Error, Result};

use super::encoder::Encoder;
use super::message::Value;
use super::structure::{Structure, Unknown};

/// Some columns of a set of rows, and the deletes and ids of these rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fragment {
    /// The id, unique in the table.
    pub id: u64,
    /// The files, each with some of the columns.
    pub files: Vec<DataFile>,
    /// What is deleted.
    pub deletion_file: Option<DeletionFile>,
    /// Rows, deleted ones included; 0 where that is not known.
    pub physical_rows: u64,
    /// The stable ids of the rows.
    pub row_ids: Option<Lineage>,
    /// The versions in which the rows were last changed.
    pub last_updated_at_versions: Option<Lineage>,
    /// The versions in which the rows came into the table.
    pub created_at_versions: Option<Lineage>,
    /// What this version does not know.
    pub unknown: Unknown,
}

/// Where the ids or versions of a fragment's rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lineage {
    /// A sequence in the manifest.
    Inline(Vec<u8>),
    /// A hidden column of a data file. The message says no more, and is kept as it is.
    Column(Vec<u8>),
}

/// A data file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataFile {
    /// The path below the folder of data.
    pub path: String,
    /// The ids of the fields in it; negative ones are of no column.
    pub fields: Vec<i32>,
    /// The place of each field in the file; -1 where it has none of its own.
    pub column_indices: Vec<i32>,
    /// Before the dot of the file's version.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
    /// The size; 0 where that is not known.
    pub size_bytes: u64,
    /// The base that the path is below; `None` is the table's own.
    pub base_id: Option<u32>,
    /// What this version does not know.
    pub unknown: Unknown,
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

/// A deletion file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DeletionFile {
    /// How it is written.
    pub file_type: DeletionFileType,
    /// The version of the table that was read to make it.
    pub read_version: u64,
    /// A number that distinguishes the file from those of other writers.
    pub id: u64,
    /// Its rows; 0 where that is not known.
    pub num_deleted_rows: u64,
    /// The base that it is below; `None` is the table's own.
    pub base_id: Option<u32>,
    /// What this version does not know.
    pub unknown: Unknown,
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

impl Structure for Fragment {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.id = value.number()?,
            2 => self.files.push(value.message()?),
            3 => self.deletion_file = Some(value.message()?),
            4 => self.physical_rows = value.number()?,
            5 => self.row_ids = Some(Lineage::Inline(value.bytes()?.to_vec())),
            7 => self.last_updated_at_versions = Some(Lineage::Inline(value.bytes()?.to_vec())),
            9 => self.created_at_versions = Some(Lineage::Inline(value.bytes()?.to_vec())),
            12 => self.row_ids = Some(Lineage::Column(value.bytes()?.to_vec())),
            13 => self.last_updated_at_versions = Some(Lineage::Column(value.bytes()?.to_vec())),
            14 => self.created_at_versions = Some(Lineage::Column(value.bytes()?.to_vec())),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.id);
        out.messages(2, &self.files);
        out.some_message(3, self.deletion_file.as_ref());
        out.number(4, self.physical_rows);
        lineage(out, 5, 12, self.row_ids.as_ref());
        lineage(out, 7, 13, self.last_updated_at_versions.as_ref());
        lineage(out, 9, 14, self.created_at_versions.as_ref());
        out.raw(&self.unknown.0);
    }
}

fn lineage(out: &mut Encoder, inline: u32, column: u32, lineage: Option<&Lineage>) {
    match lineage {
        Some(Lineage::Inline(bytes)) => out.some_bytes(inline, Some(bytes)),
        Some(Lineage::Column(bytes)) => out.some_bytes(column, Some(bytes)),
        None => {}
    }
}

impl Structure for DataFile {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.path = value.text()?,
            2 => value.numbers(&mut self.fields, Value::signed)?,
            3 => value.numbers(&mut self.column_indices, Value::signed)?,
            4 => self.major = value.small()?,
            5 => self.minor = value.small()?,
            6 => self.size_bytes = value.number()?,
            7 => self.base_id = Some(value.small()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.bytes(1, &self.path);
        out.packed_signed(2, &self.fields);
        out.packed_signed(3, &self.column_indices);
        out.number(4, self.major);
        out.number(5, self.minor);
        out.number(6, self.size_bytes);
        out.some_number(7, self.base_id);
        out.raw(&self.unknown.0);
    }
}

impl Structure for DeletionFile {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => {
                self.file_type = match value.number()? {
                    0 => DeletionFileType::Arrow,
                    1 => DeletionFileType::Bitmap,
                    other => {
                        return Err(Error::unsupported(format!(
                            "expected a deletion file of type 0 (Arrow) or 1 (bitmap), found {other}"
                        )));
                    }
                }
            }
            2 => self.read_version = value.number()?,
            3 => self.id = value.number()?,
            4 => self.num_deleted_rows = value.number()?,
            7 => self.base_id = Some(value.small()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.file_type == DeletionFileType::Bitmap);
        out.number(2, self.read_version);
        out.number(3, self.id);
        out.number(4, self.num_deleted_rows);
        out.some_number(7, self.base_id);
        out.raw(&self.unknown.0);
    }
}
