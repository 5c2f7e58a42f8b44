use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use floeberg_core::{Cancel, Error, ErrorKind, Result};

use crate::threads::{Ahead, Job, OrderedStream};

/// Counts: a task of `n` has the parts 0 to `n`, each of which gives its number as often as it says.
#[derive(Default)]
struct Counting {
    worked: AtomicUsize,
}

impl Job for Counting {
    type Task = usize;
    type Part = usize;
    type Item = usize;

    const THREAD: &'static str = "floeberg-test";

    fn open(&self, task: usize) -> Result<Vec<usize>> {
        if task == 1_000 {
            return Err(Error::invalid_data("no such task"));
        }
        Ok((0..task).collect())
    }

    fn work(&self, part: usize, give: &mut dyn FnMut(usize) -> Result<bool>) -> Result<()> {
        self.worked.fetch_add(1, Ordering::Relaxed);
        for _ in 0..part {
            if !give(part)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn bytes(_: &usize) -> u64 {
        8
    }
}

/// A task of `n` is one part, which gives `n` items of a byte.
#[derive(Default)]
struct OnePart {
    given: AtomicUsize,
}

impl Job for OnePart {
    type Task = usize;
    type Part = usize;
    type Item = ();

    const THREAD: &'static str = "floeberg-test";

    fn open(&self, task: usize) -> Result<Vec<usize>> {
        Ok(vec![task])
    }

    fn work(&self, part: usize, give: &mut dyn FnMut(()) -> Result<bool>) -> Result<()> {
        for _ in 0..part {
            if !give(())? {
                return Ok(());
            }
            self.given.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn bytes((): &()) -> u64 {
        1
    }
}

fn ahead(threads: usize, memory: u64) -> Ahead {
    Ahead { threads, memory, cancel: Cancel::default() }
}

fn all(stream: &mut OrderedStream<Counting>) -> Vec<Result<usize>> {
    std::iter::from_fn(|| match stream.next_until(None) {
        std::task::Poll::Ready(item) => item,
        std::task::Poll::Pending => panic!("nothing was to be waited for"),
    })
    .collect()
}

#[test]
fn items_come_in_the_order_of_tasks_and_parts_whatever_the_threads_and_the_memory() {
    let expected: Vec<usize> =
        (0..20).flat_map(|task| (0..task).flat_map(|part| std::iter::repeat_n(part, part))).collect();
    for threads in [0, 1, 2, 7] {
        for memory in [0, 40, u64::MAX] {
            let job = Arc::new(Counting::default());
            let mut stream = OrderedStream::new(job, (0..20).map(Ok), ahead(threads, memory));
            let items: Vec<usize> = all(&mut stream).into_iter().map(Result::unwrap).collect();
            assert_eq!(items, expected, "{threads} threads, {memory} bytes");
        }
    }
}

#[test]
fn an_error_comes_in_its_place_and_nothing_after_it() {
    let mut stream =
        OrderedStream::new(Arc::new(Counting::default()), [3, 1_000, 3].into_iter().map(Ok), ahead(3, 100));
    let mut items = all(&mut stream);
    assert_eq!(items.pop().unwrap().unwrap_err().message(), "no such task");
    assert_eq!(items.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [1, 2, 2]);
    assert!(all(&mut stream).is_empty());
}

#[test]
fn nothing_is_done_before_the_first_item_is_asked_for_and_little_before_the_others_are() {
    let job = Arc::new(Counting::default());
    let mut stream = OrderedStream::new(Arc::clone(&job), (0..10_000).map(|_| Ok(2)), ahead(2, 8));
    assert_eq!(job.worked.load(Ordering::Relaxed), 0);
    assert!(stream.next_until(None).is_ready());
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(job.worked.load(Ordering::Relaxed) < 30, "{} parts", job.worked.load(Ordering::Relaxed));
}

#[test]
fn what_is_made_of_one_large_part_waits_within_the_memory() {
    for threads in [1, 3] {
        let job = Arc::new(OnePart::default());
        let tasks = [5_000, 5_000].into_iter().map(Ok);
        let mut stream = OrderedStream::new(Arc::clone(&job), tasks, ahead(threads, 10));
        for taken in 1..=10_000 {
            assert!(matches!(stream.next_until(None), std::task::Poll::Ready(Some(Ok(())))));
            if taken % 1_000 == 1 {
                // A consumer that is slow: the threads would be far ahead by then.
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            // Ten wait, and the thread of the first part may have added one to them.
            let given = job.given.load(Ordering::Relaxed);
            assert!(given <= taken + 11, "{given} items were made and {taken} taken, by {threads} threads");
        }
        assert!(matches!(stream.next_until(None), std::task::Poll::Ready(None)));
    }
}

#[test]
fn a_stream_that_another_process_began_is_refused_and_its_locks_left_alone() {
    let mut stream =
        OrderedStream::new(Arc::new(Counting::default()), (0..1_000).map(|_| Ok(3)), ahead(2, 100));
    assert!(stream.next_until(None).is_ready());
    // As a forked child finds it: some thread held the lock, and no thread is there to let it go.
    let shared = stream.shared();
    let held = shared.lock();
    stream.begun_in(0);
    let refused = all(&mut stream).pop().unwrap().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(all(&mut stream).is_empty());
    drop(stream);
    drop(held);
    shared.stop();
}
