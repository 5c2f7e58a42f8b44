//! What does a manifest say?
//!
//! In: the bytes of a manifest. Out: its fields, and its fragments as columns. And back.
//! Spec: Lance, `table.proto`, `Manifest`.
//!
//! Invariant: a number that may be absent and may be zero is an `Option`; maps keep their order, and what is not known is kept.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Context as _, Result};
use floeberg_protobuf::{Message, Records, message, to_bytes};

use super::field::SchemaField;
use super::fragments::{FRAGMENT, Fragments};

/// A version of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// Everything but the fragments.
    pub head: ManifestHead,
    /// The fragments.
    pub fragments: Fragments,
}

message! {
    /// A manifest without its fragments, which are its field 2.
    pub struct ManifestHead {
        /// The fields of the schema, depth first.
        fields: Vec<SchemaField> = 1,
        /// The version.
        version: u64 = 3,
        /// Metadata of the schema.
        schema_metadata: Vec<(String, Vec<u8>)> = 5,
        /// Where in the file the indices are.
        index_section: Option<u64> = 6,
        /// When the version was made.
        timestamp: Option<Timestamp> = 7,
        /// Not used any more.
        tag: String = 8,
        /// What a reader must know.
        reader_feature_flags: u64 = 9,
        /// What a writer must know.
        writer_feature_flags: u64 = 10,
        /// The highest id that a fragment ever had.
        max_fragment_id: Option<u32> = 11,
        /// The file of the transaction, below `_transactions`.
        transaction_file: String = 12,
        /// Who wrote it.
        writer_version: Option<WriterVersion> = 13,
        /// The next id of a row, where these are stable.
        next_row_id: u64 = 14,
        /// The version of data files.
        data_format: Option<DataFormat> = 15,
        /// Settings of the table.
        config: Vec<(String, String)> = 16,
        /// Other folders with files of the table.
        base_paths: Vec<BasePath> = 18,
        /// Metadata of the table.
        table_metadata: Vec<(String, String)> = 19,
        /// The branch that it is of; `None` is the main one.
        branch: Option<String> = 20,
        /// Where in the file the transaction is, as writers of old said it.
        old_transaction_section: Option<u64> = 21,
        /// Where in the file the transaction is.
        transaction_section: Option<u64> = 23,
        /// The highest id that a field ever had, where ids are never used again.
        max_allocated_field_id: Option<i32> = 24,
        ..unknown
    }
}

message! {
    /// A moment.
    pub struct Timestamp {
        /// Seconds since 1970.
        seconds: i64 = 1,
        /// Nanoseconds after them.
        nanos: i32 = 2,
        ..unknown
    }
}

message! {
    /// Who wrote a manifest.
    pub struct WriterVersion {
        /// The library.
        library: String = 1,
        /// Its version: major, minor, patch.
        version: String = 2,
        /// What follows a `-` in it.
        prerelease: Option<String> = 3,
        /// What follows a `+` in it.
        build_metadata: Option<String> = 4,
        ..unknown
    }
}

message! {
    /// How data files are written.
    pub struct DataFormat {
        /// `lance`.
        file_format: String = 1,
        /// Its version, such as `2.1`.
        version: String = 2,
        ..unknown
    }
}

message! {
    /// A folder with files of the table.
    pub struct BasePath {
        /// By which files name it. 0 is an id as any other.
        id: u32 = 1,
        /// A name, of a tag for example.
        name: Option<String> = 2,
        /// Is it the folder of a table, with folders in it for data and deletes?
        is_dataset_root: bool = 3,
        /// Where it is.
        path: String = 4,
        ..unknown
    }
}

impl Manifest {
    /// Reads a manifest. Errors: `InvalidData`.
    pub fn parse(bytes: &Bytes) -> Result<Self> {
        let (mut count, mut part) = (0, 0..0);
        let head = ManifestHead::read_beside(bytes, |record| {
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
        Self::read_beside(bytes, |_| {}).context("message", "Manifest")
    }

    fn read_beside(bytes: &[u8], mut fragment: impl FnMut(Range<usize>)) -> Result<Self> {
        let mut head = Self::default();
        for record in Records::new(bytes) {
            let record = record?;
            if record.number == FRAGMENT {
                record.value.bytes()?;
                fragment(record.span);
            } else {
                head.read(&record)?;
            }
        }
        Ok(head)
    }

    /// The bytes of the fields whose numbers are below that of the fragments, and of all others.
    pub(crate) fn around_fragments(&self) -> [Vec<u8>; 2] {
        let mut before = to_bytes(self);
        let records = Records::new(&before).map_while(Result::ok);
        let end =
            records.take_while(|record| record.number < FRAGMENT).last().map_or(0, |record| record.span.end);
        let after = before.split_off(end);
        [before, after]
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
