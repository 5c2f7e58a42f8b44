#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use floeberg_core::{Cancel, Result};

use super::{Cores, blocking, calling, is_given_up, once, waiting};
use crate::threads::{Ahead, Job, OrderedStream, ordered};

/// Lets threads go when so many wait at the same time; else after a while, with the most that did.
#[derive(Default)]
struct Meeting {
    state: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Meeting {
    fn meet(&self, wanted: usize) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        state.1 = state.1.max(state.0);
        self.changed.notify_all();
        let patience = Duration::from_secs(10);
        state = self.changed.wait_timeout_while(state, patience, |state| state.1 < wanted).unwrap().0;
        state.0 -= 1;
    }

    fn most(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

/// How many threads compute at once.
#[derive(Default)]
struct Computing {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Computing {
    fn compute(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(1));
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many cores are in use.
fn used(cores: &Cores) -> usize {
    cores.lock().used
}

#[test]
fn as_many_items_as_there_are_requests_wait_at_once_and_as_many_as_there_are_cores_compute() {
    waiting(|| {});
    for cores in [1, 2] {
        let (meeting, computing) = (Meeting::default(), Computing::default());
        let items: Vec<usize> = (0..40).collect();
        let done = ordered(&items, cores, &Cancel::default(), |item| {
            computing.compute();
            waiting(|| meeting.meet(32));
            computing.compute();
            Ok(*item)
        });
        assert_eq!(done.unwrap(), items);
        assert_eq!(meeting.most(), 32, "{cores} cores");
        assert!(computing.most.load(Ordering::SeqCst) <= cores, "{computing:?}", computing = computing.most);
    }
}

/// Waits while a task is opened, and computes while its part is worked on.
#[derive(Default)]
struct Fetching {
    meeting: Meeting,
    computing: Computing,
    wanted: usize,
}

impl Job for Fetching {
    type Task = usize;
    type Part = usize;
    type Item = usize;

    const THREAD: &'static str = "floeberg-test";

    fn open(&self, task: usize) -> Result<Vec<usize>> {
        waiting(|| self.meeting.meet(self.wanted));
        Ok(vec![task, task])
    }

    fn work(&self, part: usize, give: &mut dyn FnMut(usize) -> Result<bool>) -> Result<()> {
        self.computing.compute();
        give(part).map(drop)
    }

    fn bytes(_: &usize) -> u64 {
        8
    }
}

#[test]
fn a_stream_opens_as_many_tasks_as_there_are_requests_while_they_wait() {
    waiting(|| {});
    for (threads, memory) in [(1, 8), (2, u64::MAX)] {
        let job = Arc::new(Fetching { wanted: 32, ..Fetching::default() });
        let ahead = Ahead { threads, memory, cancel: Cancel::default() };
        let mut stream = OrderedStream::new(Arc::clone(&job), (0..100).map(Ok), ahead);
        let mut taken = Vec::new();
        while let std::task::Poll::Ready(Some(item)) = stream.next_until(None) {
            taken.push(item.unwrap());
        }
        assert_eq!(taken, (0..100).flat_map(|task| [task, task]).collect::<Vec<_>>());
        assert_eq!(job.meeting.most(), 32, "{threads} threads");
        assert!(job.computing.most.load(Ordering::SeqCst) <= threads);
    }
}

#[test]
fn threads_that_wait_for_what_another_makes_lend_it_their_cores() {
    waiting(|| {});
    let cell = OnceLock::new();
    let made = AtomicUsize::new(0);
    let items: Vec<usize> = (0..20).collect();
    let begun = std::time::Instant::now();
    let done = ordered(&items, 2, &Cancel::default(), |_| {
        Ok(*once(&cell, || {
            made.fetch_add(1, Ordering::SeqCst);
            waiting(|| std::thread::sleep(Duration::from_millis(30)));
            7
        }))
    });
    assert_eq!(done.unwrap(), [7; 20]);
    assert_eq!(made.load(Ordering::SeqCst), 1);
    // Without lending, two threads would hold both cores until the patience of the first is over, again and again.
    assert!(begun.elapsed() < super::PATIENCE * 5);
}

#[test]
fn a_thread_without_a_core_waits_as_it_is() {
    assert_eq!(waiting(|| blocking(|| 3)), 3);
    assert_eq!(once(&OnceLock::new(), || 4), &4);
}

#[test]
fn a_core_that_is_lent_comes_back_after_a_panic_too() {
    let cores = Cores::new(1, 4, &Cancel::default());
    let core = cores.take().unwrap();
    let panicked = std::panic::catch_unwind(|| waiting(|| panic!("while waiting")));
    assert!(panicked.is_err());
    let state = cores.lock();
    assert_eq!((state.used, state.away), (1, 0));
    drop(state);
    drop(core);
    assert_eq!(used(&cores), 0);
}

#[test]
fn a_core_that_never_comes_back_does_not_stop_the_others() {
    let cores = Cores::new(1, 4, &Cancel::default());
    let core = cores.take().unwrap();
    waiting(|| {
        let other = Arc::clone(&cores);
        // A thread that takes the core and keeps it.
        std::thread::spawn(move || std::mem::forget(other.take().unwrap())).join().unwrap();
    });
    assert_eq!(used(&cores), 2);
    drop(core);
    cores.close();
    assert!(cores.take().is_none());
}

#[test]
fn what_waits_for_a_cancelled_call_is_given_up() {
    let (call, work) = (Cancel::default(), Cancel::default());
    calling(&call, || {
        assert!(!is_given_up());
        let inner = ordered(&[1, 2], 2, &work, |_| {
            call.cancel();
            Ok(is_given_up())
        });
        assert_eq!(inner.unwrap(), [true, true]);
        assert!(is_given_up());
    });
    assert!(!is_given_up());
    let seen = ordered(&[1], 1, &work, |_| {
        work.cancel();
        Ok(waiting(is_given_up))
    });
    assert_eq!(seen.unwrap(), [true]);
}
