//! Where do the rows of a side wait until they are matched?
//!
//! In: batches of one schema. Out: the same in their order, as often as they are asked for.
//!
//! Invariant: in memory up to a number of bytes, and all of them in a temporary file beyond it. That has no name: it is gone with the
//! process. One reader of a side is open at a time.

use std::task::Poll;
use std::time::Instant;
use std::vec;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{SpillFile, SpillReader, SpillWriter};
use floeberg_rows::SideRows;

/// Rows of a side, while they come.
pub(super) enum Keeping {
    /// In memory, with their bytes.
    Memory(Vec<RecordBatch>, u64),
    /// In a temporary file.
    File(Box<StreamWriter<SpillWriter>>),
}

/// Rows of a side.
pub(super) enum Kept {
    Memory(Vec<RecordBatch>),
    File(SpillFile),
}

impl Keeping {
    pub(super) fn new() -> Self {
        Self::Memory(Vec::new(), 0)
    }

    /// Takes rows. Up to so many bytes are in memory.
    pub(super) fn add(&mut self, batch: RecordBatch, most_bytes: u64) -> Result<()> {
        match self {
            Self::Memory(batches, bytes) => {
                *bytes = bytes.saturating_add(batch.get_array_memory_size() as u64);
                batches.push(batch);
                if *bytes > most_bytes {
                    let batches = std::mem::take(batches);
                    *self = Self::File(Box::new(written(&batches)?));
                }
                Ok(())
            }
            Self::File(writer) => writer.write(&batch).map_err(|error| failed(&error)),
        }
    }

    pub(super) fn finish(self) -> Result<Kept> {
        match self {
            Self::Memory(batches, _) => Ok(Kept::Memory(batches)),
            Self::File(mut writer) => {
                writer.finish().map_err(|error| failed(&error))?;
                let file = writer.into_inner().map_err(|error| failed(&error))?;
                file.finish().map(Kept::File).map_err(|error| failed(&error.into()))
            }
        }
    }
}

fn written(batches: &[RecordBatch]) -> Result<StreamWriter<SpillWriter>> {
    let schema: SchemaRef = match batches.first() {
        Some(first) => first.schema(),
        None => return Err(Error::internal("rows of a difference take bytes, and there are none")),
    };
    let mut writer = StreamWriter::try_new(SpillWriter::new()?, &schema).map_err(|error| failed(&error))?;
    batches.iter().try_for_each(|batch| writer.write(batch)).map_err(|error| failed(&error))?;
    Ok(writer)
}

impl Kept {
    /// The rows from the first one on.
    pub(super) fn open(&self) -> Result<Box<dyn SideRows>> {
        match self {
            Self::Memory(batches) => Ok(Box::new(FromMemory(batches.clone().into_iter()))),
            Self::File(file) => {
                let reader = StreamReader::try_new(file.reader(), None).map_err(|error| failed(&error))?;
                Ok(Box::new(FromFile(reader)))
            }
        }
    }
}

struct FromMemory(vec::IntoIter<RecordBatch>);

impl SideRows for FromMemory {
    fn next_until(&mut self, _until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

struct FromFile(StreamReader<SpillReader>);

impl SideRows for FromFile {
    fn next_until(&mut self, _until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        Poll::Ready(self.0.next().map(|batch| batch.map_err(|error| failed(&error))))
    }
}

fn failed(error: &ArrowError) -> Error {
    let message = format!("rows that do not fit into memory cannot be spilled to a temporary file: {error}");
    Error::new(ErrorKind::Storage, message).with("path", std::env::temp_dir().display())
}
