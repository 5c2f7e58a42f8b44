//! How many requests of a client are under way?
//!
//! Invariant: at most as many as `FLOEBERG_REQUESTS` says read, and as many write, each from its begin to the last byte of its
//! answer. What writes does not wait for what reads.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The requests of a client. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Requests {
    most: usize,
    reads: Arc<Semaphore>,
    writes: Arc<Semaphore>,
}

impl Requests {
    /// At most so many at once.
    pub(super) fn new(most: usize) -> Self {
        Self { most, reads: Arc::new(Semaphore::new(most)), writes: Arc::new(Semaphore::new(most)) }
    }

    /// How many at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// One request that reads, once it is its turn.
    pub(super) async fn read<T>(self, request: impl Future<Output = T>) -> T {
        // The semaphore is never closed, so there is always a turn.
        let _turn = self.reads.acquire().await;
        request.await
    }

    /// One request that writes, once it is its turn.
    pub(super) async fn write<T>(self, request: impl Future<Output = T>) -> T {
        let _turn = self.writes.acquire().await;
        request.await
    }
}
