//! What does one thread of a stream do?
//!
//! It reads the first part that waits; where none waits it opens the next task, which makes parts.
//!
//! Invariant: a thread looks whether it is still wanted after every batch; a panic becomes the error of its part.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Result, fenced};

use super::part::{Part, Place, UnitRun, Work, runs};
use super::shared::{Shared, State, Tasks, size};
use crate::plan::FileScanTask;
use crate::read::open_task::OpenTask;

/// Parts that wait or run for each thread, at most, before another task is opened.
const PARTS_AHEAD: usize = 3;

enum Step {
    Read(Place, UnitRun),
    Pull(Tasks),
    End,
}

/// Works until the stream is at its end or stopped.
pub(super) fn work(shared: &Shared) {
    let worked = fenced(|| {
        loop {
            match next_step(shared) {
                Step::Read(place, run) => finish(shared, place, fenced(|| read(shared, place, &run))),
                Step::Pull(tasks) => pull(shared, tasks),
                Step::End => return Ok(()),
            }
        }
    });
    if let Err(fault) = worked {
        // Of no part, so that no part would ever tell it.
        shared.fail(fault);
    }
}

fn next_step(shared: &Shared) -> Step {
    let mut state = shared.lock();
    loop {
        if state.stopped {
            return Step::End;
        }
        let waiting = state.parts.iter().find(|(_, part)| matches!(part.work, Work::Waiting(_)));
        if let Some(place) = waiting.map(|(place, _)| *place) {
            if state.has_room(place, shared.request.memory)
                && let Some(part) = state.parts.get_mut(&place)
                && let Work::Waiting(run) = std::mem::replace(&mut part.work, Work::Running)
            {
                return Step::Read(place, run);
            }
        } else if state.exhausted {
            // A task that is being opened can still make parts that wait.
            if !state.parts.values().any(|part| matches!(part.work, Work::Running)) {
                return Step::End;
            }
        } else if may_pull(&state, shared)
            && let Some(tasks) = state.tasks.take()
        {
            return Step::Pull(tasks);
        }
        state = shared.wait_for_room(state);
    }
}

fn may_pull(state: &State, shared: &Shared) -> bool {
    let ahead = state.parts.len() < shared.threads.saturating_mul(PARTS_AHEAD);
    state.parts.is_empty() || (ahead && state.waiting_bytes < shared.request.memory)
}

/// Asks the plan for the next task and opens it.
fn pull(shared: &Shared, mut tasks: Tasks) {
    let task = fenced(|| tasks.next().transpose());
    // Tasks that are at their end are dropped before the end is told: dropping them may fail.
    let tasks = matches!(task, Ok(Some(_))).then_some(tasks);
    let mut state = shared.lock();
    if state.stopped {
        return;
    }
    let place = (state.next_task, 0);
    state.next_task += 1;
    state.exhausted = tasks.is_none();
    state.tasks = tasks;
    if !matches!(task, Ok(None)) {
        state.parts.insert(place, Part::running());
    }
    drop(state);
    shared.notify();
    match task {
        Ok(None) => {}
        Ok(Some(task)) => open(shared, place, &task),
        Err(error) => finish(shared, place, Err(error)),
    }
}

/// Opens a task: its part becomes the parts of its units.
fn open(shared: &Shared, place: Place, task: &FileScanTask) {
    let opened = match fenced(|| OpenTask::open(&shared.request, task)) {
        Ok(opened) => Arc::new(opened),
        Err(error) => return finish(shared, place, Err(error)),
    };
    let made = runs(&opened, shared.request.batch_rows as u64);
    let mut state = shared.lock();
    if state.stopped {
        return;
    }
    state.parts.remove(&place);
    for (number, run) in made.into_iter().enumerate() {
        state.parts.insert((place.0, number), Part::waiting(run));
    }
    drop(state);
    shared.notify();
}

/// Reads a part. Ends early, without an error, where nobody wants the rest.
fn read(shared: &Shared, place: Place, run: &UnitRun) -> Result<()> {
    for unit in &run.units {
        for batch in run.task.read(unit)? {
            shared.request.cancel.check()?;
            if !put(shared, place, batch?) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Hands a batch over, after waiting for memory. Is more wanted?
fn put(shared: &Shared, place: Place, batch: RecordBatch) -> bool {
    let bytes = size(&batch);
    let mut state = shared.lock();
    while !state.stopped && !state.has_room(place, shared.request.memory) {
        state = shared.wait_for_room(state);
    }
    if state.stopped {
        return false;
    }
    state.waiting_bytes += bytes;
    if let Some(part) = state.parts.get_mut(&place) {
        part.ready.push_back(Ok(batch));
    }
    drop(state);
    shared.ready.notify_all();
    true
}

/// Says that a part is read, or how it failed.
fn finish(shared: &Shared, place: Place, outcome: Result<()>) {
    let mut state = shared.lock();
    if let Some(part) = state.parts.get_mut(&place) {
        part.work = Work::Done;
        if let Err(error) = outcome {
            part.ready.push_back(Err(error));
        }
    }
    drop(state);
    shared.notify();
}
