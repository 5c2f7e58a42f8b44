//! What did reading files do, as far as it is counted?
//!
//! In: what readers say while they work. Out: counts and times of all threads together.
//!
//! Invariant: counting changes nothing of what is read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts of one read, shared by its threads.
#[derive(Debug, Default)]
pub struct ReadCounts {
    files: AtomicU64,
    units: AtomicU64,
    units_read: AtomicU64,
    pages: AtomicU64,
    pages_skipped: AtomicU64,
    opening: AtomicU64,
    deletes: AtomicU64,
    reading: AtomicU64,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Files that were opened.
    Files,
    /// Units of these files: row groups, stripes or blocks.
    Units,
    /// Units that were read; statistics, indexes and deletes ruled out the others.
    UnitsRead,
    /// Pages of filter columns in the units that were read, of files with a page index.
    Pages,
    /// Pages of these that their statistics ruled out.
    PagesSkipped,
}

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// Opening data files: footers and indexes.
    Opening,
    /// Loading deletes.
    Deletes,
    /// Fetching and decoding rows, and filtering them.
    Reading,
}

impl ReadCounts {
    /// Adds to a count.
    pub fn add(&self, counted: Counted, number: u64) {
        self.count(counted).fetch_add(number, Ordering::Relaxed);
    }

    /// Does some work, and adds its time.
    pub fn timed<T>(&self, timed: Timed, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        let nanoseconds = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.time(timed).fetch_add(nanoseconds, Ordering::Relaxed);
        done
    }

    /// A count so far.
    pub fn counted(&self, counted: Counted) -> u64 {
        self.count(counted).load(Ordering::Relaxed)
    }

    /// A time so far, of all threads together.
    pub fn time_of(&self, timed: Timed) -> Duration {
        Duration::from_nanos(self.time(timed).load(Ordering::Relaxed))
    }

    fn count(&self, counted: Counted) -> &AtomicU64 {
        match counted {
            Counted::Files => &self.files,
            Counted::Units => &self.units,
            Counted::UnitsRead => &self.units_read,
            Counted::Pages => &self.pages,
            Counted::PagesSkipped => &self.pages_skipped,
        }
    }

    fn time(&self, timed: Timed) -> &AtomicU64 {
        match timed {
            Timed::Opening => &self.opening,
            Timed::Deletes => &self.deletes,
            Timed::Reading => &self.reading,
        }
    }
}

/// Does some work, whose time is added where anybody counts.
pub fn timed_if<T>(counts: Option<&ReadCounts>, timed: Timed, work: impl FnOnce() -> T) -> T {
    match counts {
        Some(counts) => counts.timed(timed, work),
        None => work(),
    }
}
