//! What does a task return of one block range of a manifest?
//!
//! ```text
//! length      zstandard frame of:
//!             length     header   columns        statistics
//! u32 LE      u32 LE     JSON     Arrow stream   Arrow stream
//! ```
//!
//! A manifest without entries has one record without columns.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use floeberg_core::expr::MismatchReason;
use floeberg_core::{Error, Result};
use floeberg_io::read_bounded;
use serde::{Deserialize, Serialize};

use super::entry_columns::EntryColumns;
use crate::manifest::{NO_TEST, PruneCounts};

/// Columns are alike, and a task should not wait for smaller ones.
const LEVEL: i32 = 1;
/// No block range has more bytes of columns.
const LARGEST: usize = 1 << 30;
const WHAT: &str = "the answer of a task that reads manifests";

/// Why entries are dropped.
const REASONS: [&str; 6] = [
    "partition value",
    "no rows",
    MismatchReason::Never.text(),
    MismatchReason::Bounds.text(),
    MismatchReason::NullCount.text(),
    MismatchReason::NanCount.text(),
];

/// One block range of a manifest.
#[derive(Debug)]
pub(super) struct BlockRecord {
    /// The number of the manifest.
    pub manifest: usize,
    /// The number of the block range, and how many the manifest has.
    pub place: (usize, usize),
    /// How many row ids the entries took from the manifest.
    pub row_ids: i64,
    /// Its kept entries; `None` where the manifest has none at all.
    pub entries: Option<EntryColumns>,
    /// What partition values dropped, and what counts and bounds dropped.
    pub dropped: [PruneCounts; 2],
}

#[derive(Serialize, Deserialize)]
struct Header {
    manifest: usize,
    place: (usize, usize),
    row_ids: i64,
    /// The bytes of the columns, and of the statistics; 0 is none.
    lengths: (usize, usize),
    dropped: [Counts; 2],
}

#[derive(Serialize, Deserialize)]
struct Counts {
    entered: usize,
    /// The number of the test, the reason and the count. Without a number: counts of entries.
    dropped: Vec<(Option<usize>, String, u64)>,
}

impl BlockRecord {
    /// Appends its bytes.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let written = |batch: Option<&RecordBatch>| batch.map_or_else(|| Ok(Vec::new()), stream);
        let columns = written(self.entries.as_ref().map(|entries| &entries.columns))?;
        let statistics = written(self.entries.as_ref().and_then(|entries| entries.statistics.as_ref()))?;
        let header = serde_json::to_vec(&Header {
            manifest: self.manifest,
            place: self.place,
            row_ids: self.row_ids,
            lengths: (columns.len(), statistics.len()),
            dropped: self.dropped.each_ref().map(Counts::of),
        });
        let header =
            header.map_err(|error| Error::internal("writing what a task returns").caused_by(error))?;
        let body = [&length(header.len())?[..], &header, &columns, &statistics].concat();
        let packed = zstd::bulk::compress(&body, LEVEL)
            .map_err(|error| Error::internal("compressing what a task returns").caused_by(error))?;
        out.extend_from_slice(&length(packed.len())?);
        out.extend_from_slice(&packed);
        Ok(())
    }

    /// The packed records of what a task returned. Errors: `InvalidInput` for other bytes.
    pub fn split(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
        let mut records = Vec::new();
        while !bytes.is_empty() {
            let (record, rest) = prefixed(bytes)?;
            records.push(record);
            bytes = rest;
        }
        Ok(records)
    }

    /// Reads one record back.
    pub fn read(packed: &[u8]) -> Result<Self> {
        let stream = zstd::stream::read::Decoder::new(packed).map_err(|error| damaged().caused_by(error))?;
        let mut body = Vec::new();
        read_bounded(stream, LARGEST, WHAT, &mut body)?;
        let (header, rest) = prefixed(&body)?;
        let header: Header = serde_json::from_slice(header).map_err(|error| damaged().caused_by(error))?;
        let (columns, statistics) = rest.split_at_checked(header.lengths.0).ok_or_else(damaged)?;
        if statistics.len() != header.lengths.1 {
            return Err(damaged());
        }
        let [by_partition, by_bounds] = header.dropped;
        let entries =
            batch(columns)?.map(|columns| Ok(EntryColumns { columns, statistics: batch(statistics)? }));
        Ok(Self {
            manifest: header.manifest,
            place: header.place,
            row_ids: header.row_ids,
            entries: entries.transpose()?,
            dropped: [by_partition.counts()?, by_bounds.counts()?],
        })
    }
}

impl Counts {
    fn of(counts: &PruneCounts) -> Self {
        let dropped = counts
            .dropped()
            .map(|(test, reason, count, _)| ((test != NO_TEST).then_some(test), reason.to_owned(), count));
        Self { entered: usize::try_from(counts.entered()).unwrap_or(usize::MAX), dropped: dropped.collect() }
    }

    fn counts(self) -> Result<PruneCounts> {
        let mut counts = PruneCounts::new(false);
        counts.enter(self.entered);
        for (test, reason, count) in self.dropped {
            let reason = REASONS.into_iter().find(|known| **known == reason).ok_or_else(|| {
                Error::internal(format!("a task dropped files for a reason that is not known: {reason:?}"))
            })?;
            counts.drop_many(test.unwrap_or(NO_TEST), reason, count);
        }
        Ok(counts)
    }
}

fn length(bytes: usize) -> Result<[u8; 4]> {
    let bytes = u32::try_from(bytes)
        .map_err(|_| Error::limit("a block range of a manifest takes more than 4 GiB"))?;
    Ok(bytes.to_le_bytes())
}

/// Bytes after their length, and the rest.
fn prefixed(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)
}

fn stream(batch: &RecordBatch) -> Result<Vec<u8>> {
    let write = || {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
        writer.write(batch)?;
        writer.into_inner()
    };
    write().map_err(|error: ArrowError| Error::internal("writing what a task returns").caused_by(error))
}

fn batch(bytes: &[u8]) -> Result<Option<RecordBatch>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut reader =
        StreamReader::try_new(Cursor::new(bytes), None).map_err(|error| damaged().caused_by(error))?;
    reader.next().transpose().map_err(|error| damaged().caused_by(error))
}

fn damaged() -> Error {
    Error::invalid_input(format!("{WHAT} is damaged"))
}
