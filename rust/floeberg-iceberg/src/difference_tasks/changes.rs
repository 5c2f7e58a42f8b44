//! What are the changes of a task whose rows only came, or only went?
//!
//! In: a task. Out: rows of the difference, as they are read, or how many there are.

use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use floeberg_core::{Cancel, Result};
use floeberg_rows::{ChangedCells, RowCounts, Side};

use super::reading::{SidedRows, TaskRows};
use super::task::DifferenceTask;

/// Changes of a task.
pub struct TaskChanges {
    rows: TaskRows,
    task: DifferenceTask,
    cells: ChangedCells,
}

impl TaskChanges {
    /// Begins to read, by so many threads; `None` is all of a process.
    ///
    /// Errors: those of opening the store.
    pub fn begin(task: DifferenceTask, threads: Option<usize>, cancel: &Cancel) -> Result<Self> {
        Ok(Self { rows: TaskRows::begin(&task, threads, cancel)?, cells: task.cells()?, task })
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_until(Instant::now().checked_add(timeout))
    }

    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        let shown = |SidedRows { side, batch }: SidedRows| {
            let selected = self.task.selected(&batch)?;
            match side {
                Side::Inserted => self.cells.inserted(&selected),
                Side::Deleted => self.cells.deleted(&selected),
            }
        };
        self.rows.next_until(until).map(|rows| rows.map(|rows| rows.and_then(shown)))
    }

    /// How many rows differ.
    ///
    /// Errors: those of reading.
    pub fn counts(mut self) -> Result<RowCounts> {
        let mut counts = RowCounts::default();
        while let Poll::Ready(Some(batch)) = self.next_until(None) {
            counts.add(&batch?);
        }
        Ok(counts)
    }
}
