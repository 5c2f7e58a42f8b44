//! A piece of a stream that one thread reads: a task to open, then some of the units of its file.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;

use crate::read::file::Unit;
use crate::read::open_task::OpenTask;

/// The place of a part in the stream: the number of its task, and its number in the task.
pub(super) type Place = (u64, usize);

/// A part of the stream.
pub(super) struct Part {
    /// How far it is.
    pub(super) work: Work,
    /// Its batches that wait to be taken.
    pub(super) ready: VecDeque<Result<RecordBatch>>,
}

/// How far a part is.
pub(super) enum Work {
    /// A thread works on it.
    Running,
    /// It waits for a thread.
    Waiting(UnitRun),
    /// All its batches are ready or taken.
    Done,
}

/// Units that follow each other in one open file.
pub(super) struct UnitRun {
    /// The open file.
    pub(super) task: Arc<OpenTask>,
    /// The units.
    pub(super) units: Vec<Unit>,
}

impl Part {
    /// A part that a thread works on.
    pub(super) fn running() -> Self {
        Self { work: Work::Running, ready: VecDeque::new() }
    }

    /// A part that waits for a thread.
    pub(super) fn waiting(run: UnitRun) -> Self {
        Self { work: Work::Waiting(run), ready: VecDeque::new() }
    }
}

/// Cuts the units of a task into runs of at least so many rows.
pub(super) fn runs(task: &Arc<OpenTask>, least_rows: u64) -> Vec<UnitRun> {
    let mut runs: Vec<UnitRun> = Vec::new();
    let mut rows = least_rows;
    for unit in &task.units {
        if rows >= least_rows {
            runs.push(UnitRun { task: Arc::clone(task), units: Vec::new() });
            rows = 0;
        }
        rows = rows.saturating_add(unit.rows.as_ref().map_or(least_rows, |rows| rows.end - rows.start));
        if let Some(run) = runs.last_mut() {
            run.units.push(unit.clone());
        }
    }
    runs
}
