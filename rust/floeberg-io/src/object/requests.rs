//! How many requests of a process are under way?
//!
//! Invariant: at most as many as `FLOEBERG_REQUESTS` says, each from its begin to the last byte of its answer.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The requests of a process. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Requests(Arc<Semaphore>);

impl Requests {
    /// At most so many at once.
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most)))
    }

    /// One request, once it is its turn.
    pub(super) async fn one<T>(self, request: impl Future<Output = T>) -> T {
        // The semaphore is never closed, so there is always a turn.
        let _turn = self.0.acquire().await;
        request.await
    }
}
