//! A piece of a stream that one thread reads: a task to open, then some of its row groups.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;

use crate::read::groups::Group;
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
    Waiting(GroupRun),
    /// All its batches are ready or taken.
    Done,
}

/// Row groups that follow each other in one open file.
pub(super) struct GroupRun {
    /// The open file.
    pub(super) task: Arc<OpenTask>,
    /// The row groups.
    pub(super) groups: Vec<Group>,
}

impl Part {
    /// A part that a thread works on.
    pub(super) fn running() -> Self {
        Self { work: Work::Running, ready: VecDeque::new() }
    }

    /// A part that waits for a thread.
    pub(super) fn waiting(run: GroupRun) -> Self {
        Self { work: Work::Waiting(run), ready: VecDeque::new() }
    }
}

/// Cuts the row groups of a task into runs of at least so many rows.
pub(super) fn runs(task: &Arc<OpenTask>, least_rows: u64) -> Vec<GroupRun> {
    let mut runs: Vec<GroupRun> = Vec::new();
    let mut rows = least_rows;
    for group in &task.groups {
        if rows >= least_rows {
            runs.push(GroupRun { task: Arc::clone(task), groups: Vec::new() });
            rows = 0;
        }
        rows += group.rows.end - group.rows.start;
        if let Some(run) = runs.last_mut() {
            run.groups.push(group.clone());
        }
    }
    runs
}
