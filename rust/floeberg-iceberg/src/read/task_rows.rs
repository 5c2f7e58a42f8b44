//! Which rows of a unit remain after equality deletes?
//!
//! In: the rows of the unit after deleted positions and the filter. Out: batches of the selected columns. If `_deleted` is one of
//! them, deleted rows stay and are marked.
//!
//! Invariant: an error ends the batches.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::schema::Field;
use floeberg_files::UnitReader;

use super::deleted_column::DeletedColumn;
use super::deletes::KeyFilter;

/// What happens to rows that are deleted by equality.
#[derive(Debug, Clone)]
pub(super) enum Deleted {
    /// The task has no equality deletes.
    None,
    /// Deleted rows are dropped.
    Dropped(Arc<KeyFilter>),
    /// Deleted rows are marked, and so are rows that are deleted by position.
    Marked(Arc<DeletedColumn>),
}

impl Deleted {
    /// The columns to read after the selected ones.
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
    /// For the rows of a unit, with or without deleted ones.
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
