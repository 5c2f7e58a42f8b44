//! How often was a request sent?
//!
//! The client library repeats a request that failed, within the future that waits for its answer. So attempts are counted in the task.
//!
//! Invariant: nothing is kept after the request.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

tokio::task_local! {
    /// How often the current request was sent, by what it asks for.
    static SENT: RefCell<HashMap<u64, u32>>;
}

/// Counts the attempts of a request.
pub(super) async fn counting<T>(request: impl Future<Output = T>) -> T {
    SENT.scope(RefCell::default(), request).await
}

/// The number of this attempt: 1 for the first one that asks for the same.
pub(super) fn attempt(asks_for: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    asks_for.hash(&mut hasher);
    let attempt = SENT.try_with(|sent| {
        let mut sent = sent.borrow_mut();
        let times = sent.entry(hasher.finish()).or_insert(0);
        *times += 1;
        *times
    });
    attempt.unwrap_or(1)
}
