//! What do the threads of a stream and its consumer share?
//!
//! Invariant: parts are claimed in order, and the thread of the first part waits for memory only while the consumer has an item of
//! it to take, so that one of them can always go on.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use floeberg_core::{Error, Result};

use super::part::{Part, PartIndex, Work};
use super::{Ahead, Job};
use crate::cores::Cores;

/// The tasks of a stream, in order.
pub(super) type Tasks<J> = Box<dyn Iterator<Item = Result<<J as Job>::Task>> + Send>;

/// What the threads of a stream share.
pub(super) struct Shared<J: Job> {
    /// What is done.
    pub(super) job: Arc<J>,
    /// How far ahead.
    pub(super) ahead: Ahead,
    /// What the threads compute on.
    pub(super) cores: Arc<Cores>,
    state: Mutex<State<J>>,
    /// Something that a worker may wait for has changed.
    pub(super) room: Condvar,
    /// Something that the consumer may wait for has changed.
    pub(super) ready: Condvar,
}

/// The state of a stream.
pub(super) struct State<J: Job> {
    /// Parts that were not consumed completely, in order.
    pub(super) parts: BTreeMap<PartIndex, Part<J>>,
    /// The remaining tasks; taken out while a thread fetches the next one, and after their end.
    pub(super) tasks: Option<Tasks<J>>,
    /// Are the tasks at their end?
    pub(super) exhausted: bool,
    /// The number of the next task.
    pub(super) next_task: u64,
    /// Bytes of the items that wait.
    pub(super) waiting_bytes: u64,
    /// The error that ended a thread outside a part.
    pub(super) fault: Option<Error>,
    /// Was the stream cancelled?
    pub(super) stopped: bool,
}

impl<J: Job> Shared<J> {
    /// A stream that has not started.
    pub(super) fn new(job: Arc<J>, tasks: Tasks<J>, ahead: Ahead, cores: Arc<Cores>) -> Self {
        let state = State {
            parts: BTreeMap::new(),
            tasks: Some(tasks),
            exhausted: false,
            next_task: 0,
            waiting_bytes: 0,
            fault: None,
            stopped: false,
        };
        Self { job, ahead, cores, state: Mutex::new(state), room: Condvar::new(), ready: Condvar::new() }
    }

    /// The state, locked. No work is done under the lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change that matters to workers.
    pub(super) fn wait_for_room<'a>(&self, state: MutexGuard<'a, State<J>>) -> MutexGuard<'a, State<J>> {
        self.room.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies all threads of a change.
    pub(super) fn notify(&self) {
        self.room.notify_all();
        self.ready.notify_all();
    }

    /// Ends the stream with an error outside any part.
    pub(super) fn fail(&self, fault: Error) {
        self.lock().fault.get_or_insert(fault);
        self.notify();
    }

    /// Notifies all threads that the stream was cancelled.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        let tasks = state.tasks.take();
        let parts = std::mem::take(&mut state.parts);
        drop(state);
        self.cores.give_up();
        self.notify();
        drop((tasks, parts));
    }
}

impl<J: Job> State<J> {
    /// Does the consumer wait for this part?
    pub(super) fn is_first(&self, place: PartIndex) -> bool {
        self.parts.first_key_value().is_none_or(|(first, _)| place <= *first)
    }

    /// May items of a place wait to be taken, or must their thread wait?
    pub(super) fn has_room(&self, place: PartIndex, budget: u64) -> bool {
        let first = self.parts.first_key_value();
        // A consumer that is slow must not let the part that it takes from fill the memory.
        let is_awaited = first.is_none_or(|(first, part)| place <= *first && part.ready.is_empty());
        is_awaited || self.waiting_bytes < budget
    }

    /// May a thread hold so many more bytes of a store? As many threads as there are cores always may.
    pub(super) fn may_hold(&self, bytes: u64, cores: usize, budget: u64) -> bool {
        let held = |part: &Part<J>| match part.work {
            Work::Running(bytes) => Some(bytes),
            Work::Waiting(_) | Work::Done => None,
        };
        let (running, sum) = self
            .parts
            .values()
            .filter_map(held)
            .fold((0, bytes), |(running, sum), bytes| (running + 1, bytes.saturating_add(sum)));
        running < cores || sum.saturating_add(self.waiting_bytes) <= budget
    }

    /// Is there nothing more to come?
    pub(super) fn is_over(&self) -> bool {
        self.stopped || (self.exhausted && self.parts.is_empty())
    }
}
