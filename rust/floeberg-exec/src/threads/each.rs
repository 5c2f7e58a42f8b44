//! How is one function run over many items on a few threads?
//!
//! In: items in an order. Out: results in that order, or the error of the first item that failed.
//!
//! Threads live for one call, so a fork never finds any of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle};

use floeberg_core::{Cancel, Error, Result, fenced};

/// Runs `work` over `items` on at most `threads` threads, including the calling one; on fewer if the system gives no
/// more.
///
/// Errors: that of the first item, in order, that failed; `Cancelled`; `Internal` where `work` panicked.
pub fn ordered<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    cancel: &Cancel,
    work: impl Fn(&I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let run = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(position) else { break };
            let result = cancel.check().and_then(|()| fenced(|| work(item)));
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            done.push((position, result));
        }
        done
    };
    let helpers = threads.min(items.len()).saturating_sub(1);
    let mut done = if helpers == 0 {
        run()
    } else {
        std::thread::scope(|scope| {
            let spawn = |_| Builder::new().name("floeberg-plan".to_owned()).spawn_scoped(scope, run).ok();
            let handles: Vec<_> = (0..helpers).map_while(spawn).collect();
            let mut done = run();
            // All are joined before any result is used: a scope panics if a panic was not taken.
            let joined: Vec<_> = handles.into_iter().map(ScopedJoinHandle::join).collect();
            for helper in joined {
                done.extend(helper.map_err(|_| Error::internal("a planning thread panicked"))?);
            }
            Ok::<_, Error>(done)
        })?
    };
    done.sort_unstable_by_key(|(position, _)| *position);
    done.into_iter().map(|(_, result)| result).collect()
}
