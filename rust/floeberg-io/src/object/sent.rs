//! How often was a request sent, may it be sent again, and when?
//!
//! The client library repeats a request that failed, within the future that waits for its answer. So attempts are counted in the task.
//!
//! ```text
//! attempt   refused, with a time   attempt          given up       attempt
//! sending   between                sending          between        is not sent
//! ```
//!
//! Invariant: a request that is given up between two attempts is not sent again. One that is being sent has an outcome that somebody
//! waits for.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a request that waits for its next attempt looks whether it is still wanted.
const LOOK_UP: Duration = Duration::from_millis(100);

tokio::task_local! {
    static SENT: Sent;
}

/// The attempts of a request. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// How often, by what was asked for.
    times: HashMap<u64, u32>,
    /// When the store wants to be asked again, at the earliest.
    not_before: Option<Instant>,
    /// Is it on its way?
    is_sending: bool,
    /// Was it sent? One that was not yet may put something in order, so that it is sent once.
    was_sent: bool,
    /// Does nobody want it any more?
    is_given_up: bool,
}

/// An attempt on its way, until dropped.
pub(super) struct Sending(Option<Sent>);

impl Sent {
    /// Counts the attempts of a request in it.
    pub(super) async fn counting<T>(self, request: impl Future<Output = T>) -> T {
        SENT.scope(self, request).await
    }

    /// Gives the request up if it is between two attempts.
    pub(super) fn give_up(&self) -> bool {
        let mut state = self.lock();
        state.is_given_up |= state.was_sent && !state.is_sending;
        state.is_given_up
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of this attempt: 1 for the first one that asks for the same.
pub(super) fn attempt(asks_for: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    asks_for.hash(&mut hasher);
    let attempt = SENT.try_with(|sent| {
        let mut sent = sent.lock();
        let times = sent.times.entry(hasher.finish()).or_insert(0);
        *times += 1;
        *times
    });
    attempt.unwrap_or(1)
}

/// The store wants to be left alone for so long.
pub(super) fn pause(time: Duration) {
    let _ = SENT.try_with(|sent| sent.lock().not_before = Some(Instant::now() + time));
}

/// Waits until the store may be asked again; `None` where nobody wants the answer any more.
pub(super) async fn begin() -> Option<Sending> {
    let Ok(sent) = SENT.try_with(Clone::clone) else { return Some(Sending(None)) };
    loop {
        let left = {
            let mut state = sent.lock();
            let now = Instant::now();
            let left = state.not_before.map(|until| until.saturating_duration_since(now));
            if state.is_given_up {
                return None;
            }
            let left = left.unwrap_or_default();
            if left.is_zero() {
                (state.is_sending, state.was_sent, state.not_before) = (true, true, None);
                break;
            }
            left
        };
        tokio::time::sleep(left.min(LOOK_UP)).await;
    }
    Some(Sending(Some(sent)))
}

impl Drop for Sending {
    fn drop(&mut self) {
        if let Some(sent) = &self.0 {
            sent.lock().is_sending = false;
        }
    }
}

#[cfg(test)]
mod tests;
