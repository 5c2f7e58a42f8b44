//! What does a manifest say?
//!
//! In: the bytes of a manifest. Out: its fields, and its fragments as columns. And back.
//! Spec: Lance, `table.proto`, `Manifest`.
//!
//! Invariant: a number that may be absent and may be zero is an `Option`; maps keep their order, and what is not known is kept.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Context as _, Result};

use super::encoder::Encoder;
use super::field::SchemaField;
use super::fragments::{FRAGMENT, Fragments};
use super::message::{Message, Value};
use super::structure::{Structure, Unknown};

/// A version of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// Everything but the fragments.
    pub head: ManifestHead,
    /// The fragments.
    pub fragments: Fragments,
}

/// A manifest without its fragments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestHead {
    /// The fields of the schema, depth first.
    pub fields: Vec<SchemaField>,
    /// The version.
    pub version: u64,
    /// Metadata of the schema.
    pub schema_metadata: Vec<(String, Vec<u8>)>,
    /// Where in the file the indices are.
    pub index_section: Option<u64>,
    /// When the version was made.
    pub timestamp: Option<Timestamp>,
    /// Not used any more.
    pub tag: String,
    /// What a reader must know.
    pub reader_feature_flags: u64,
    /// What a writer must know.
    pub writer_feature_flags: u64,
    /// The highest id that a fragment ever had.
    pub max_fragment_id: Option<u32>,
    /// The file of the transaction, below `_transactions`.
    pub transaction_file: String,
    /// Who wrote it.
    pub writer_version: Option<WriterVersion>,
    /// The next id of a row, where these are stable.
    pub next_row_id: u64,
    /// The version of data files.
    pub data_format: Option<DataFormat>,
    /// Settings of the table.
    pub config: Vec<(String, String)>,
    /// Other folders with files of the table.
    pub base_paths: Vec<BasePath>,
    /// Metadata of the table.
    pub table_metadata: Vec<(String, String)>,
    /// The branch that it is of; `None` is the main one.
    pub branch: Option<String>,
    /// Where in the file the transaction is, as writers of old said it.
    pub old_transaction_section: Option<u64>,
    /// Where in the file the transaction is.
    pub transaction_section: Option<u64>,
    /// The highest id that a field ever had, where ids are never used again.
    pub max_allocated_field_id: Option<i32>,
    /// What this version does not know.
    pub unknown: Unknown,
}

/// A moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds after them.
    pub nanos: i32,
    /// What this version does not know.
    pub unknown: Unknown,
}

/// Who wrote a manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriterVersion {
    /// The library.
    pub library: String,
    /// Its version: major, minor, patch.
    pub version: String,
    /// What follows a `-` in it.
    pub prerelease: Option<String>,
    /// What follows a `+` in it.
    pub build_metadata: Option<String>,
    /// What this version does not know.
    pub unknown: Unknown,
}

/// How data files are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataFormat {
    /// `lance`.
    pub file_format: String,
    /// Its version, such as `2.1`.
    pub version: String,
    /// What this version does not know.
    pub unknown: Unknown,
}

/// A folder with files of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath {
    /// By which files name it. 0 is an id as any other.
    pub id: u32,
    /// A name, of a tag for example.
    pub name: Option<String>,
    /// Is it the folder of a table, with folders in it for data and deletes?
    pub is_dataset_root: bool,
    /// Where it is.
    pub path: String,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Manifest {
    /// Reads a manifest. Errors: `InvalidData`.
    pub fn parse(bytes: &Bytes) -> Result<Self> {
        let (mut count, mut part) = (0, 0..0);
        let head = ManifestHead::read(bytes, |record| {
            if count == 0 {
                part.start = record.start;
            }
            (count, part.end) = (count + 1, record.end);
        })
        .context("message", "Manifest")?;
        Ok(Self { head, fragments: Fragments::read(bytes, part, count)? })
    }

    /// The bytes of a manifest: fields in the order of their numbers, fragments as they were read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let [before, after] = self.head.around_fragments();
        let pieces = self.fragments.written(0..self.fragments.len());
        let length = pieces.iter().map(Bytes::len).sum::<usize>();
        let mut out = Vec::with_capacity(before.len() + length + after.len());
        out.extend_from_slice(&before);
        for piece in pieces {
            out.extend_from_slice(&piece);
        }
        out.extend_from_slice(&after);
        out
    }
}

impl ManifestHead {
    /// Reads what stands beside the fragments, which are passed over by their length.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes, |_| {}).context("message", "Manifest")
    }

    fn read(bytes: &[u8], mut fragment: impl FnMut(Range<usize>)) -> Result<Self> {
        let mut head = Self::default();
        let mut fields = Message::new(bytes);
        while let Some(record) = fields.record()? {
            if record.tag == FRAGMENT {
                record.value.bytes()?;
                fragment(record.span);
            } else if !head.take(record.tag, record.value)? {
                head.unknown.0.extend_from_slice(&bytes[record.span]);
            }
        }
        Ok(head)
    }

    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.fields.push(value.message()?),
            3 => self.version = value.number()?,
            5 => value.bytes_entry(&mut self.schema_metadata)?,
            6 => self.index_section = Some(value.number()?),
            7 => self.timestamp = Some(value.message()?),
            8 => self.tag = value.text()?,
            9 => self.reader_feature_flags = value.number()?,
            10 => self.writer_feature_flags = value.number()?,
            11 => self.max_fragment_id = Some(value.small()?),
            12 => self.transaction_file = value.text()?,
            13 => self.writer_version = Some(value.message()?),
            14 => self.next_row_id = value.number()?,
            15 => self.data_format = Some(value.message()?),
            16 => value.text_entry(&mut self.config)?,
            18 => self.base_paths.push(value.message()?),
            19 => value.text_entry(&mut self.table_metadata)?,
            20 => self.branch = Some(value.text()?),
            21 => self.old_transaction_section = Some(value.number()?),
            23 => self.transaction_section = Some(value.number()?),
            24 => self.max_allocated_field_id = Some(value.signed()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The bytes of the fields whose numbers are below that of the fragments, and of all others.
    pub(crate) fn around_fragments(&self) -> [Vec<u8>; 2] {
        let (mut before, mut after) = (Encoder::default(), Encoder::default());
        before.messages(1, &self.fields);
        self.write_after(&mut after);
        [before.finish(), after.finish()]
    }

    fn write_after(&self, out: &mut Encoder) {
        out.number(3, self.version);
        out.map(5, &self.schema_metadata);
        out.some_number(6, self.index_section);
        out.some_message(7, self.timestamp.as_ref());
        out.bytes(8, &self.tag);
        out.number(9, self.reader_feature_flags);
        out.number(10, self.writer_feature_flags);
        out.some_number(11, self.max_fragment_id);
        out.bytes(12, &self.transaction_file);
        out.some_message(13, self.writer_version.as_ref());
        out.number(14, self.next_row_id);
        out.some_message(15, self.data_format.as_ref());
        out.map(16, &self.config);
        out.messages(18, &self.base_paths);
        out.map(19, &self.table_metadata);
        out.some_bytes(20, self.branch.as_ref());
        out.some_number(21, self.old_transaction_section);
        out.some_number(23, self.transaction_section);
        out.some_number(24, self.max_allocated_field_id.map(|id| i64::from(id) as u64));
        out.raw(&self.unknown.0);
    }

    /// Where in its file the transaction is.
    pub fn transaction_at(&self) -> Option<u64> {
        self.transaction_section.or(self.old_transaction_section)
    }

    /// When the version was made, in microseconds since 1970; `None` where that is not known, or beyond what these hold.
    pub fn timestamp_micros(&self) -> Option<i64> {
        let timestamp = self.timestamp.as_ref()?;
        timestamp.seconds.checked_mul(1_000_000)?.checked_add(i64::from(timestamp.nanos) / 1000)
    }
}

impl Structure for Timestamp {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.seconds = value.number()? as i64,
            2 => self.nanos = value.signed()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.seconds as u64);
        out.signed(2, self.nanos);
        out.raw(&self.unknown.0);
    }
}

impl Structure for WriterVersion {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.library = value.text()?,
            2 => self.version = value.text()?,
            3 => self.prerelease = Some(value.text()?),
            4 => self.build_metadata = Some(value.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.bytes(1, &self.library);
        out.bytes(2, &self.version);
        out.some_bytes(3, self.prerelease.as_ref());
        out.some_bytes(4, self.build_metadata.as_ref());
        out.raw(&self.unknown.0);
    }
}

impl Structure for DataFormat {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.file_format = value.text()?,
            2 => self.version = value.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.bytes(1, &self.file_format);
        out.bytes(2, &self.version);
        out.raw(&self.unknown.0);
    }
}

impl Structure for BasePath {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.id = value.small()?,
            2 => self.name = Some(value.text()?),
            3 => self.is_dataset_root = value.flag()?,
            4 => self.path = value.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.id);
        out.some_bytes(2, self.name.as_ref());
        out.number(3, self.is_dataset_root);
        out.bytes(4, &self.path);
        out.raw(&self.unknown.0);
    }
}
