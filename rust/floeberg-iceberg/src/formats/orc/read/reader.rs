//! The rows of a stripe, as batches of the schema.
//!
//! Invariant: positions of rows count from the start of the file; nothing is read before the first batch is requested.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_files::{
    AfterDecoding, DELETE_TYPE, FileFields, FileFilter, FileMetrics, FileReader, Modes, Projection, Unit,
    UnitReader, UnitRequest,
};
use floeberg_orc::StripeReader;

use super::open::OrcFile;

impl FileReader for OrcFile {
    fn fields(&self) -> &FileFields {
        &self.fields
    }

    fn delete_type(&self) -> Option<&str> {
        self.file.user_metadata(DELETE_TYPE)
    }

    fn units(&self, bytes: Option<&Range<u64>>, _: &FileFilter) -> Vec<Unit> {
        let stripes = self.file.stripes().iter().enumerate();
        stripes
            .filter(|(_, stripe)| bytes.is_none_or(|bytes| bytes.contains(&stripe.offset)))
            .map(|(number, stripe)| Unit { number, rows: Some(stripe.rows.clone()) })
            .collect()
    }

    fn prepared(self: Arc<Self>, _: &[Unit], _: &Projection, _: &FileFilter) -> Result<Arc<dyn FileReader>> {
        Ok(self)
    }

    /// How many rows there are, and where stripes start. Statistics of columns are not read.
    fn metrics(&self, _: &Schema, _: &Modes) -> Result<FileMetrics> {
        let stripes = self.file.stripes();
        let rows = stripes.last().map_or(0, |stripe| stripe.rows.end);
        let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Ok(FileMetrics {
            record_count: long(rows),
            file_size_in_bytes: long(self.file.size()?),
            split_offsets: Some(stripes.iter().map(|stripe| long(stripe.offset)).collect()),
            ..FileMetrics::default()
        })
    }

    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader> {
        Ok(Box::new(OrcReader::new(self, request)))
    }
}

/// The batches of a stripe. They end after an error.
struct OrcReader {
    file: Arc<OrcFile>,
    stripe: Unit,
    batch_rows: usize,
    after: AfterDecoding,
    cancel: Cancel,
    /// The position of the next row.
    next_row: u64,
    state: State,
}

enum State {
    Begun,
    Reading(Box<StripeReader>),
    Finished,
}

impl OrcReader {
    /// Prepares to read.
    fn new(file: Arc<OrcFile>, request: &UnitRequest<'_>) -> Self {
        Self {
            after: AfterDecoding::new(&file.fields, request),
            stripe: request.unit.clone(),
            batch_rows: request.batch_rows,
            cancel: request.cancel.clone(),
            next_row: 0,
            state: State::Begun,
            file,
        }
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.cancel.check()?;
            let batch = match &mut self.state {
                State::Begun => {
                    self.begin()?;
                    continue;
                }
                State::Reading(stripe) => stripe.next(),
                State::Finished => None,
            };
            let Some(batch) = batch.transpose()? else { return Ok(None) };
            let start = self.next_row;
            self.next_row += batch.num_rows() as u64;
            if let Some(batch) = self.after.apply(batch, start)? {
                return Ok(Some(batch));
            }
        }
    }

    fn begin(&mut self) -> Result<()> {
        let Some(rows) = &self.stripe.rows else {
            return Err(Error::internal(format!(
                "the number of rows of stripe {} is not known",
                self.stripe.number
            )));
        };
        self.next_row = rows.start;
        let stripe = self.file.file.read(self.stripe.number, self.after.leaves(), self.batch_rows)?;
        self.state = State::Reading(Box::new(stripe));
        Ok(())
    }
}

impl Iterator for OrcReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if !matches!(step, Ok(Some(_))) {
            self.state = State::Finished;
        }
        step.context("path", self.file.file.location()).transpose()
    }
}
