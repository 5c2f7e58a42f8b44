//! How does a process keep state that a forked child does not use?
//!
//! In: nothing but the process id. Out: a slot that no other process touches.
//!
//! A fork copies memory but no threads: a lock that another thread held stays locked for ever in the child. So each
//! process has a slot of its own:
//!
//! ```text
//! slot     0            1            2
//! owner    parent pid   child pid    0 (free)
//!          |            `- claimed by the child; it never touches slot 0, nor anything in it
//!          `- inherited as it was at the fork, perhaps half-way through its making
//! ```
//!
//! Claiming is one atomic exchange. A child sees only the slots of its ancestors, so slots count the depth of
//! forks, not their number. They are never freed.
//!
//! Invariant: only the process that claimed a slot touches its value.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The deepest chain of forks in which each process claims a slot.
pub(crate) const DEPTH: usize = 64;

pub(crate) struct Slot<T> {
    /// The process that may touch `value`; 0 while free.
    owner: AtomicU32,
    pub(crate) value: OnceLock<T>,
}

impl<T> Slot<T> {
    pub(crate) const fn new() -> Self {
        Self { owner: AtomicU32::new(0), value: OnceLock::new() }
    }
}

/// The slot of a process, claimed now if it has none. `None` if all belong to others.
pub(crate) fn slot_of<T>(slots: &[Slot<T>], process: u32) -> Option<&Slot<T>> {
    slots.iter().find(|slot| {
        let claim = slot.owner.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
        claim.is_ok() || claim == Err(process)
    })
}

#[cfg(test)]
mod tests;
