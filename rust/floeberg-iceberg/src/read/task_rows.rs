//! The rows of one unit of a task, without those that equality deletes delete.
//!
//! In: what the unit yields after deleted positions and the filter. Out: batches of the columns that were asked for.
//! Where `_deleted` is one of them, deleted rows stay and are marked.
//!
//! Invariant: after an error nothing follows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::schema::Field;
use floeberg_files::UnitReader;

use super::deleted_column::DeletedColumn;
use super::deletes::KeyFilter;

/// What becomes of rows that only decoded columns show to be deleted.
#[derive(Debug, Clone)]
pub(super) enum Deleted {
    /// There are none.
    None,
    /// They are dropped.
    Dropped(Arc<KeyFilter>),
    /// They are marked, and so are those that deletes by position name.
    Marked(Arc<DeletedColumn>),
}

impl Deleted {
    /// The columns to read after those that were asked for.
    pub(super) fn hidden_columns(&self) -> Result<Vec<Field>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Dropped(keys) => Ok(keys.columns().cloned().collect()),
            Self::Marked(column) => column.hidden_columns(),
        }
    }
}

/// The batches of one unit.
pub(super) struct TaskRows {
    /// `None` after an error.
    reader: Option<UnitReader>,
    deleted: Deleted,
}

impl TaskRows {
    /// Of what a unit yields, without or with what is deleted.
    pub(super) fn new(reader: UnitReader, deleted: Deleted) -> Self {
        Self { reader: Some(reader), deleted }
    }
}

impl Iterator for TaskRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batch = self.reader.as_mut()?.next()?;
            let left = match &self.deleted {
                Deleted::None => return Some(batch),
                Deleted::Dropped(keys) => batch.and_then(|batch| keys.apply(batch)),
                Deleted::Marked(column) => batch.and_then(|batch| column.apply(batch)),
            };
            match left {
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
