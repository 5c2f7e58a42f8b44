//! How many requests of a client are under way?
//!
//! Invariant: at most as many as `FLOEBERG_REQUESTS` says read, and as many write, each from its begin to the last byte of its
//! answer. What writes does not wait for what reads. A store that asks for fewer gets half as many, and one more after each
//! round of answers that do not.

use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::pace::Pace;
use super::sent::Sent;

/// The requests of a client. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Requests(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    reads: Lane,
    writes: Lane,
    pace: Pace,
}

impl Requests {
    /// At most so many at once.
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Shared { reads: Lane::new(most), writes: Lane::new(most), pace: Pace::default() }))
    }

    /// From now on at most so many.
    pub(super) fn set_most(&self, most: usize) {
        self.lanes().for_each(|lane| lane.set_most(most));
    }

    /// One request that reads, once it is its turn.
    pub(super) async fn read<T>(self, request: impl Future<Output = T>) -> T {
        let _turn = self.0.reads.turn().await;
        Sent::default().counting(request).await
    }

    /// One request that writes, once it is its turn. Its attempts can be seen from outside.
    pub(super) async fn write<T>(self, sent: Sent, request: impl Future<Output = T>) -> T {
        let _turn = self.0.writes.turn().await;
        sent.counting(request).await
    }

    /// A turn for a request that reads, if nobody has to wait for it, and the store has not asked for fewer.
    pub(super) fn spare_turn(&self) -> Option<Turn<'_>> {
        self.0.reads.spare_turn()
    }

    /// The store asks for fewer requests, in its answer to one that was sent at this time.
    pub(super) fn are_too_many(&self, sent: Instant) {
        self.lanes().for_each(|lane| lane.narrow(sent));
    }

    /// The store answered, and did not ask for fewer.
    pub(super) fn are_welcome(&self) {
        self.lanes().for_each(Lane::widen);
    }

    /// How fast the store answers.
    pub(super) fn pace(&self) -> &Pace {
        &self.0.pace
    }

    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        [&self.0.reads, &self.0.writes].into_iter()
    }
}

/// The turns of requests of one kind.
#[derive(Debug)]
struct Lane {
    turns: Semaphore,
    width: Mutex<Width>,
}

#[derive(Debug)]
struct Width {
    /// How many turns there may be at most.
    most: usize,
    /// How many the store bears.
    allowed: usize,
    /// How many there are. Those that are too many end with their request.
    turns: usize,
    /// Answers since the last change.
    answers: usize,
    /// When the store last asked for fewer.
    narrowed: Option<Instant>,
}

/// The turn of one request, until dropped.
pub(super) struct Turn<'a> {
    lane: &'a Lane,
    permit: Option<SemaphorePermit<'a>>,
}

impl Lane {
    fn new(most: usize) -> Self {
        let width = Width { most, allowed: most, turns: most, answers: 0, narrowed: None };
        Self { turns: Semaphore::new(most), width: Mutex::new(width) }
    }

    async fn turn(&self) -> Turn<'_> {
        // The semaphore is never closed, so there is always a turn.
        Turn { lane: self, permit: self.turns.acquire().await.ok() }
    }

    fn spare_turn(&self) -> Option<Turn<'_>> {
        let is_full = {
            let width = self.lock();
            width.allowed == width.most
        };
        let permit = is_full.then(|| self.turns.try_acquire().ok()).flatten()?;
        Some(Turn { lane: self, permit: Some(permit) })
    }

    fn set_most(&self, most: usize) {
        let mut width = self.lock();
        if width.most != most {
            width.most = most;
            self.allow(&mut width, most);
        }
    }

    fn narrow(&self, sent: Instant) {
        let mut width = self.lock();
        // Requests that were sent before the last change do not count again.
        if width.narrowed.is_none_or(|narrowed| narrowed < sent) {
            width.narrowed = Some(Instant::now());
            let half = (width.allowed / 2).max(1);
            self.allow(&mut width, half);
        }
    }

    fn widen(&self) {
        let mut width = self.lock();
        if width.allowed < width.most {
            width.answers += 1;
            if width.answers > width.allowed {
                let more = width.allowed + 1;
                self.allow(&mut width, more);
            }
        }
    }

    /// Makes turns, or takes those away that nobody has.
    fn allow(&self, width: &mut Width, allowed: usize) {
        (width.allowed, width.answers) = (allowed, 0);
        if width.turns > allowed {
            width.turns -= self.turns.forget_permits(width.turns - allowed);
        } else {
            self.turns.add_permits(allowed - width.turns);
            width.turns = allowed;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Width> {
        self.width.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut width = self.lane.lock();
        if width.turns > width.allowed
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
            width.turns -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
