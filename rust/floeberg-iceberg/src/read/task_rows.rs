//! The rows of one unit of a task, without those that equality deletes delete.
//!
//! In: what the unit yields after deleted positions and the filter. Out: batches of the columns that were asked for.
//!
//! Invariant: after an error nothing follows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;

use super::deletes::KeyFilter;
use super::file::UnitReader;

/// The batches of one unit.
pub(super) struct TaskRows {
    /// `None` after an error.
    reader: Option<UnitReader>,
    keys: Option<Arc<KeyFilter>>,
}

impl TaskRows {
    /// Of what a unit yields, what keys leave.
    pub(super) fn new(reader: UnitReader, keys: Option<Arc<KeyFilter>>) -> Self {
        Self { reader: Some(reader), keys }
    }
}

impl Iterator for TaskRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batch = self.reader.as_mut()?.next()?;
            let Some(keys) = &self.keys else { return Some(batch) };
            match batch.and_then(|batch| keys.apply(batch)) {
                Ok(batch) if batch.num_rows() == 0 => {}
                Ok(batch) => return Some(Ok(batch)),
                Err(error) => {
                    self.reader = None;
                    return Some(Err(error));
                }
            }
        }
    }
}
