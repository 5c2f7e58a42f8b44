//! How do sorted rows wait in a temporary file until they are merged?
//!
//! In: batches in their order. Out: the same, read one at a time.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema};
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{SpillFile, SpillWriter};

/// A run that is being written.
pub(super) struct RunWriter(StreamWriter<SpillWriter>);

/// A run that was written.
pub(super) struct Run(SpillFile);

impl RunWriter {
    pub fn new(schema: &Arc<Schema>) -> Result<Self> {
        StreamWriter::try_new(SpillWriter::new()?, schema).map(Self).map_err(|error| failed(&error))
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.0.write(batch).map_err(|error| failed(&error))
    }

    pub fn finish(mut self) -> Result<Run> {
        self.0.finish().map_err(|error| failed(&error))?;
        let file = self.0.into_inner().map_err(|error| failed(&error))?;
        file.finish().map(Run).map_err(|error| failed(&error.into()))
    }
}

impl Run {
    /// The batches, from the first one on.
    pub fn read(self) -> Result<impl Iterator<Item = Result<RecordBatch>> + use<>> {
        let batches = StreamReader::try_new(self.0.reader(), None).map_err(|error| failed(&error))?;
        Ok(batches.map(|batch| batch.map_err(|error| failed(&error))))
    }
}

fn failed(error: &ArrowError) -> Error {
    let message = format!("rows that do not fit into memory cannot be spilled to a temporary file: {error}");
    Error::new(ErrorKind::Storage, message).with("path", std::env::temp_dir().display())
}
