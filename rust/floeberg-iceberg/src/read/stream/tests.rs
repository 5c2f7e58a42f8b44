#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_io::MemoryStore;

use super::stream;
use crate::plan::FileScanTask;
use crate::read::ReadRequest;
use crate::read::tests::fixture::{below, longs, numbers, numbers_schema, reader, request, task};

const FILE_ROWS: i64 = 100;

fn store() -> MemoryStore {
    let store = MemoryStore::new();
    for (number, group_rows) in [(0, 100), (1, 7), (2, 33)] {
        store.put(format!("memory://t/{number}.parquet"), numbers(FILE_ROWS, group_rows));
    }
    store
}

fn at(number: usize) -> FileScanTask {
    let path = format!("memory://t/{number}.parquet");
    FileScanTask { file_path: path.clone(), location: path, ..task() }
}

fn tasks(count: usize) -> impl Iterator<Item = Result<FileScanTask>> + Send + 'static {
    (0..count).map(|number| Ok(at(number % 3)))
}

fn small(store: &MemoryStore) -> ReadRequest {
    request(store, numbers_schema()).with_batch_rows(10)
}

fn expected(count: usize) -> Vec<i64> {
    (0..count).flat_map(|_| 0..FILE_ROWS).collect()
}

#[test]
fn batches_come_in_plan_order_whatever_the_threads_and_the_memory() {
    let store = store();
    for threads in [1, 2, 5] {
        for memory in [0, 4_000, 1 << 30] {
            let request = reader(small(&store).with_memory(memory));
            let batches: Vec<_> = stream(request, tasks(20), threads, None).map(Result::unwrap).collect();
            assert_eq!(longs(&batches), expected(20), "{threads} threads, {memory} bytes");
        }
    }
}

#[test]
fn a_stream_without_tasks_is_empty() {
    assert!(stream(reader(small(&store())), tasks(0), 2, None).next().is_none());
}

#[test]
fn tasks_without_rows_are_passed_over() {
    let none = |number| FileScanTask { residual: Arc::new(below(0)), ..at(number) };
    let tasks = [none(0), none(1), at(2), none(1)].into_iter().map(Ok);
    let batches: Vec<_> = stream(reader(small(&store())), tasks, 2, None).map(Result::unwrap).collect();
    assert_eq!(longs(&batches), expected(1));
}

#[test]
fn a_limit_stops_the_plan_early() {
    let store = store();
    for limit in [0, 1, 9, 10, 105, 350] {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let counted = tasks(1_000).inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let request = reader(small(&store).with_memory(1));
        let batches: Vec<_> = stream(request, counted, 2, Some(limit)).map(Result::unwrap).collect();
        assert_eq!(longs(&batches), expected(4)[..limit as usize], "limit {limit}");
        assert!(asked.load(Ordering::Relaxed) < 30, "{} tasks planned", asked.load(Ordering::Relaxed));
    }
}

#[test]
fn an_error_comes_after_the_rows_before_it_and_ends_the_stream() {
    let store = store();
    let broken = FileScanTask { location: "memory://t/absent".into(), ..task() };
    let tasks = [Ok(at(0)), Ok(broken), Ok(at(1))].into_iter();
    let mut stream = stream(reader(small(&store)), tasks, 3, None);
    let mut rows = Vec::new();
    let error = loop {
        match stream.next().unwrap() {
            Ok(batch) => rows.push(batch),
            Err(error) => break error,
        }
    };
    assert_eq!(longs(&rows), expected(1));
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(stream.next().is_none());
}

#[test]
fn an_error_of_the_plan_ends_the_stream() {
    let tasks = [Ok(at(0)), Err(Error::invalid_data("a manifest is damaged"))].into_iter();
    let results: Vec<_> = stream(reader(small(&store())), tasks, 2, None).collect();
    let last = results.last().unwrap().as_ref().unwrap_err();
    assert_eq!(last.message(), "a manifest is damaged");
}

#[test]
fn a_panic_of_the_plan_is_an_error() {
    let tasks = (0..3).map(|number: usize| {
        assert!(number < 2, "planning stopped");
        Ok(at(number))
    });
    let last = stream(reader(small(&store())), tasks, 2, None).last().unwrap().unwrap_err();
    assert_eq!(last.kind(), ErrorKind::Internal);
}

#[test]
fn a_cancelled_stream_ends_with_cancelled() {
    let cancel = Cancel::default();
    let request = small(&store()).with_cancel(cancel.clone());
    let mut stream = stream(reader(request), tasks(1_000), 2, None);
    stream.next().unwrap().unwrap();
    cancel.cancel();
    assert_eq!(stream.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(stream.next().is_none());
}

#[test]
fn a_taker_with_a_timeout_gets_control_back() {
    let slow = tasks(1).inspect(|_| std::thread::sleep(Duration::from_millis(50)));
    let mut stream = stream(reader(small(&store())), slow, 1, None);
    assert!(stream.next_timeout(Duration::from_millis(1)).is_pending());
    let mut rows = Vec::new();
    loop {
        match stream.next_timeout(Duration::from_millis(5)) {
            Poll::Pending => {}
            Poll::Ready(Some(batch)) => rows.push(batch.unwrap()),
            Poll::Ready(None) => break,
        }
    }
    assert_eq!(longs(&rows), expected(1));
}

#[test]
fn dropping_a_stream_lets_go_of_everything_it_holds() {
    let request = reader(small(&store()).with_memory(1));
    let mut stream = stream(Arc::clone(&request), tasks(1_000), 3, None);
    stream.next().unwrap().unwrap();
    drop(stream);
    for _ in 0..200 {
        if Arc::strong_count(&request) == 1 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("threads still hold the reader");
}

/// Tasks that panic when they are dropped: outside of every part.
struct Grudging(usize);

impl Iterator for Grudging {
    type Item = Result<FileScanTask>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = self.0.checked_sub(1)?;
        Some(Ok(at(0)))
    }
}

impl Drop for Grudging {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped");
    }
}

#[test]
fn a_panic_outside_of_every_part_ends_the_stream_with_an_error() {
    let last = stream(reader(small(&store())), Grudging(2), 1, None).last().unwrap().unwrap_err();
    assert_eq!(last.kind(), ErrorKind::Internal);
}
