//! Which threads compute, when some wait for a store that is far away?
//!
//! A thread that waits lends its core: another thread begins the next work meanwhile. So what computes is bounded by cores, and
//! what waits by the number of requests. Nobody has to know in advance which store is far: a store that waits says so, with
//! [`waiting`].
//!
//! Invariant: a thread that has waited gets its core back before one that begins new work, the earliest work first. Where no
//! core comes back for a second, it goes on without one, so that no lock that it holds can stop all.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use floeberg_core::Cancel;

/// How long a thread that has waited asks for its core.
const PATIENCE: Duration = Duration::from_secs(1);

/// Did a store ever let a thread of this process wait? If not, no thread stands by.
static HAS_WAITED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static MINE: RefCell<Mine> = const { RefCell::new(Mine::None) };
}

/// The core of a thread.
#[derive(Debug, Clone)]
enum Mine {
    /// The thread needs none.
    None,
    /// The thread needs none: it makes a call, which may be cancelled.
    Caller(Cancel),
    /// It computes on it.
    Held(Arc<Cores>, u64),
    /// It was lent.
    Lent(Arc<Cores>, u64),
}

/// The cores of the threads that do one work together.
#[derive(Debug)]
pub(crate) struct Cores {
    number: usize,
    most_threads: usize,
    /// Ends the work.
    cancel: Cancel,
    /// What the thread had that began the work.
    outer: Mine,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Cores that are in use.
    used: usize,
    /// Threads that were started and have not ended.
    threads: usize,
    /// Threads whose core is lent.
    away: usize,
    /// The numbers of the work of threads that want their core back.
    wanting: BTreeSet<u64>,
    /// The number of the next work.
    next: u64,
    /// Does no new work begin?
    is_over: bool,
    /// Does nobody want what was begun?
    is_given_up: bool,
}

/// A core in use, until dropped.
pub(crate) struct Core {
    cores: Arc<Cores>,
    _before: Before,
}

impl Cores {
    /// So many cores, and at most so many threads that compute or wait.
    pub(crate) fn new(cores: usize, most_threads: usize, cancel: &Cancel) -> Arc<Self> {
        let cores = cores.max(1);
        Arc::new(Self {
            number: cores,
            most_threads: most_threads.max(cores),
            cancel: cancel.clone(),
            outer: mine(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Waits for a core to begin new work on; `None` where no new work begins.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Core> {
        let mut state = self.lock();
        while !state.is_over && (state.used >= self.number || !state.wanting.is_empty()) {
            state = self.wait(state);
        }
        if state.is_over {
            return None;
        }
        state.used += 1;
        let number = state.next;
        state.next += 1;
        drop(state);
        let held = Mine::Held(Arc::clone(self), number);
        let before = MINE.with(|mine| mine.replace(held));
        Some(Core { cores: Arc::clone(self), _before: Before(before) })
    }

    /// Counts a thread that is about to start, if one more is of use: the first ones, and then one that stands by while others
    /// wait.
    pub(crate) fn adds_thread(&self) -> bool {
        let mut state = self.lock();
        let others = if HAS_WAITED.load(Ordering::Relaxed) { 1 + state.away } else { 0 };
        let wanted = (self.number + others).min(self.most_threads);
        let adds = !state.is_over && state.threads < wanted;
        state.threads += usize::from(adds);
        adds
    }

    /// Takes a thread off the count. Of threads without work, those that are too many may end.
    pub(crate) fn ends_thread(&self, only_if_too_many: bool) -> bool {
        let mut state = self.lock();
        let ends = !only_if_too_many || state.threads > self.number + 1 + state.away;
        state.threads -= usize::from(ends);
        ends
    }

    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.lock().threads
    }

    /// How many cores there are.
    pub(crate) fn count(&self) -> usize {
        self.number
    }

    /// Begins no new work. What was begun is ended.
    pub(crate) fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Begins no new work, and gives up what waits for a store.
    pub(crate) fn give_up(&self) {
        let mut state = self.lock();
        (state.is_over, state.is_given_up) = (true, true);
        drop(state);
        self.changed.notify_all();
    }

    /// Does nobody want what was begun?
    pub(crate) fn is_given_up(&self) -> bool {
        self.cancel.is_cancelled() || self.lock().is_given_up || self.outer.is_given_up()
    }

    fn lend(&self) {
        let mut state = self.lock();
        state.used -= 1;
        state.away += 1;
        drop(state);
        self.changed.notify_all();
    }

    fn take_back(&self, number: u64) {
        let until = Instant::now() + PATIENCE;
        let mut state = self.lock();
        state.wanting.insert(number);
        while !state.is_given_up && (state.used >= self.number || state.wanting.first() != Some(&number)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.wanting.remove(&number);
        state.used += 1;
        state.away -= 1;
        drop(state);
        // The next of those that want one may be next.
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.cores.lock().used -= 1;
        self.cores.changed.notify_all();
    }
}

/// Waits for a store that is far away. The core of the thread is lent meanwhile.
pub fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    HAS_WAITED.store(true, Ordering::Relaxed);
    blocking(wait)
}

/// Waits for another thread, which may wait for a store itself. The core of the thread is lent meanwhile.
pub fn blocking<T>(wait: impl FnOnce() -> T) -> T {
    let lent = Lent(lend());
    let waited = wait();
    drop(lent);
    waited
}

/// Makes a call on this thread: what it waits for is given up when it is cancelled.
pub fn calling<T>(cancel: &Cancel, call: impl FnOnce() -> T) -> T {
    let before = MINE.with(|mine| mine.replace(Mine::Caller(cancel.clone())));
    let _before = Before(before);
    call()
}

/// Does nobody want what this thread waits for?
pub fn is_given_up() -> bool {
    mine().is_given_up()
}

fn mine() -> Mine {
    MINE.with(|mine| mine.borrow().clone())
}

impl Mine {
    fn is_given_up(&self) -> bool {
        match self {
            Self::None => false,
            Self::Caller(cancel) => cancel.is_cancelled(),
            Self::Held(cores, _) | Self::Lent(cores, _) => cores.is_given_up(),
        }
    }
}

/// What the thread had, which it has again when this is dropped.
struct Before(Mine);

impl Drop for Before {
    fn drop(&mut self) {
        MINE.with(|mine| mine.replace(std::mem::replace(&mut self.0, Mine::None)));
    }
}

/// The value of a cell, which the first thread makes; others wait for it.
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    let make_on_a_core = || {
        let back = Back(take_back());
        let made = make();
        drop(back);
        made
    };
    cell.get().unwrap_or_else(|| blocking(|| cell.get_or_init(make_on_a_core)))
}

/// Lends the core of this thread. Did it have one?
fn lend() -> bool {
    let Mine::Held(cores, number) = mine() else { return false };
    cores.lend();
    MINE.with(|mine| mine.replace(Mine::Lent(cores, number)));
    true
}

/// Takes the lent core of this thread back. Was one lent?
fn take_back() -> bool {
    let Mine::Lent(cores, number) = mine() else { return false };
    cores.take_back(number);
    MINE.with(|mine| mine.replace(Mine::Held(cores, number)));
    true
}

/// Takes the core back when dropped, in a panic too, where it was lent.
struct Lent(bool);

impl Drop for Lent {
    fn drop(&mut self) {
        if self.0 {
            take_back();
        }
    }
}

/// Lends the core again when dropped, in a panic too, where it was taken back.
struct Back(bool);

impl Drop for Back {
    fn drop(&mut self) {
        if self.0 {
            lend();
        }
    }
}

#[cfg(test)]
mod tests;
