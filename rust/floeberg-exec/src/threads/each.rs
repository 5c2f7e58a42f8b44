//! How is one function run over many items on a few threads?
//!
//! In: items in an order. Out: results in that order, or the error of the first item that failed.
//!
//! Threads live for one call, so a fork never finds any of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};

use floeberg_core::{Cancel, Error, ErrorKind, Result, fenced};

use crate::budget::request_budget;
use crate::cores::Cores;

/// Runs `work` over `items` on at most `threads` threads that compute, including the calling one; on fewer if the system gives
/// no more. While some wait for a store, others compute.
///
/// Errors: that of the first item that failed, in order of those that failed at the same time: what waits for a store then is given
/// up; `Cancelled`; `Internal` where `work` panicked; `InvalidInput` where
/// `FLOEBERG_REQUESTS` is not a number of at least 1.
pub fn ordered<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    cancel: &Cancel,
    work: impl Fn(&I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let cores = Cores::new(threads.min(items.len()), request_budget()?.min(items.len()), cancel);
    let work = |item: &I| cancel.check().and_then(|()| fenced(|| work(item)));
    let each = Each { items, work, cores: &cores, next: AtomicUsize::new(0), done: Mutex::default() };
    cores.adds_thread();
    if items.len() < 2 {
        each.run(|| {});
    } else {
        std::thread::scope(|scope| each.run_in(scope));
    }
    let mut done = each.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(position, _)| *position);
    let (mut results, mut fault): (Vec<T>, Option<Error>) = (Vec::with_capacity(done.len()), None);
    for (_, result) in done {
        match result {
            Ok(result) => results.push(result),
            // What was given up because of another error is not the reason.
            Err(error) if fault.as_ref().is_none_or(|fault| fault.kind() == ErrorKind::Cancelled) => {
                let is_reason = fault.is_none() || error.kind() != ErrorKind::Cancelled;
                fault = if is_reason { Some(error) } else { fault };
            }
            Err(_) => {}
        }
    }
    match fault {
        Some(fault) => Err(fault),
        None if results.len() == items.len() => Ok(results),
        None => Err(Error::internal("some items were not worked on")),
    }
}

/// What the threads share.
struct Each<'a, I, T, F> {
    items: &'a [I],
    work: F,
    cores: &'a Arc<Cores>,
    next: AtomicUsize,
    done: Mutex<Vec<(usize, Result<T>)>>,
}

impl<I: Sync, T: Send, F: Fn(&I) -> Result<T> + Sync> Each<'_, I, T, F> {
    /// Works until nothing is left, and starts the threads that are of use.
    fn run_in<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let start = || {
            while self.cores.adds_thread() {
                let named = Builder::new().name("floeberg-plan".to_owned());
                if named.spawn_scoped(scope, || self.run_in(scope)).is_err() {
                    self.cores.ends_thread(false);
                    break;
                }
            }
        };
        if let Err(fault) = fenced(|| {
            self.run(start);
            Ok(())
        }) {
            self.add(usize::MAX, Err(fault));
        }
        self.cores.ends_thread(false);
    }

    fn run(&self, start: impl Fn()) {
        while let Some(_core) = self.cores.take() {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(position) else {
                self.cores.close();
                break;
            };
            start();
            self.add(position, (self.work)(item));
        }
    }

    fn add(&self, position: usize, result: Result<T>) {
        let failed = result.is_err();
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push((position, result));
        if failed {
            self.cores.give_up();
        }
    }
}
