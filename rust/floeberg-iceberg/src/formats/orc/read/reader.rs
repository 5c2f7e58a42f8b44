//! The rows of a stripe, as batches of the schema.
//!
//! Invariant: positions of rows count from the start of the file; nothing is read before the first batch is requested.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_files::{
    AfterDecoding, DELETE_TYPE, FileFields, FileFilter, FileMetrics, FileReader, Modes, Projection,
    RowPredicate, Unit, UnitReader, UnitRequest,
};
use floeberg_orc::{GroupRange, StripeIndex, StripeReader};

use super::open::OrcFile;
use super::pruning::Tested;

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

    /// By the statistics of stripes, which are before the footer.
    fn without_ruled_out(&self, units: Vec<Unit>, filter: &FileFilter) -> Result<Vec<Unit>> {
        let FileFilter::Rows(predicate) = filter else { return Ok(units) };
        Tested::new(self, predicate).stripes(self, predicate, units)
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
    predicate: Option<Arc<RowPredicate>>,
    cancel: Cancel,
    /// The position of the next row.
    next_row: u64,
    /// The row groups that are read next, if not all are, the last first.
    groups: Vec<GroupRange>,
    index: Option<StripeIndex>,
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
            predicate: request.predicate.cloned(),
            cancel: request.cancel.clone(),
            next_row: 0,
            groups: Vec::new(),
            index: None,
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
            let Some(batch) = batch.transpose()? else {
                if self.begin_groups()? {
                    continue;
                }
                return Ok(None);
            };
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
        if let Some((index, groups)) = self.left_groups()? {
            (self.index, self.groups) = (Some(index), groups);
            self.groups.reverse();
            if !self.begin_groups()? {
                self.state = State::Finished;
            }
            return Ok(());
        }
        let stripe = self.file.file.read(self.stripe.number, self.after.leaves(), self.batch_rows)?;
        self.state = State::Reading(Box::new(stripe));
        Ok(())
    }

    /// The row groups that may match, and the index of the stripe; `None` if the whole stripe is to be read.
    fn left_groups(&self) -> Result<Option<(StripeIndex, Vec<GroupRange>)>> {
        let Some(predicate) = &self.predicate else { return Ok(None) };
        let tested = Tested::new(&self.file, predicate);
        if tested.is_empty() {
            return Ok(None);
        }
        let found = tested.groups(&self.file, predicate, self.stripe.number)?;
        let Some((mut index, groups)) = found else { return Ok(None) };
        let ranges = self.file.file.group_ranges(&mut index, self.after.leaves(), &groups)?;
        Ok(ranges.map(|ranges| (index, ranges)))
    }

    /// Goes on to the next row groups that are left; are there any?
    fn begin_groups(&mut self) -> Result<bool> {
        let (Some(groups), Some(index)) = (self.groups.pop(), &self.index) else { return Ok(false) };
        let first = self.stripe.rows.as_ref().map_or(0, |rows| rows.start);
        self.next_row = first.saturating_add(groups.rows.start);
        let stripe = self.file.file.read_groups(index, self.after.leaves(), self.batch_rows, groups)?;
        self.state = State::Reading(Box::new(stripe));
        Ok(true)
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
