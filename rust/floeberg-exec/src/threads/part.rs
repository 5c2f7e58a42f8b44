//! What does one thread of a stream work on? A task to open, then a part of it.

use std::collections::VecDeque;

use floeberg_core::Result;

use super::Job;

/// The position of a part in the stream: the number of its task, and its number in the task.
pub(super) type PartIndex = (u64, usize);

/// A part of the stream.
pub(super) struct Part<J: Job> {
    /// Its state.
    pub(super) work: Work<J>,
    /// Its waiting items.
    pub(super) ready: VecDeque<Result<J::Item>>,
}

/// The state of a part.
pub(super) enum Work<J: Job> {
    /// A thread works on it, and holds about so many bytes for it.
    Running(u64),
    /// It waits for a thread.
    Waiting(J::Part),
    /// All its items are ready or taken.
    Done,
}

impl<J: Job> Part<J> {
    /// A task that a thread opens.
    pub(super) fn opening() -> Self {
        Self { work: Work::Running(J::OPENING_BYTES), ready: VecDeque::new() }
    }

    /// A part that waits for a thread.
    pub(super) fn waiting(part: J::Part) -> Self {
        Self { work: Work::Waiting(part), ready: VecDeque::new() }
    }
}
