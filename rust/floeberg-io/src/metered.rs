//! How much is read through a store, and how long does that take?
//!
//! In: calls to a store. Out: how many ranges were read, their bytes, and the time that callers waited.
//!
//! Invariant: nothing is asked of the store that its caller did not ask for.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use floeberg_core::Result;

use crate::keys::{FileKey, KeyRing};
use crate::listing::{FoundFile, ListedFolder};
use crate::store::{Entry, Sink, Source, Store};

/// What was read through a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metered {
    /// How many ranges of files were read; a whole file counts as one.
    pub reads: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// How long callers waited for them, all threads together.
    pub waited: Duration,
}

/// Counts what is read through a store.
#[derive(Debug, Default)]
pub struct Meter {
    reads: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Meter {
    /// What was read so far.
    pub fn read_so_far(&self) -> Metered {
        Metered {
            reads: self.reads.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            waited: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)),
        }
    }

    fn timed<T>(&self, read: impl FnOnce() -> Result<T>, of: impl FnOnce(&T) -> (u64, u64)) -> Result<T> {
        let started = Instant::now();
        let result = read();
        let nanoseconds = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        let read = result?;
        let (reads, bytes) = of(&read);
        self.reads.fetch_add(reads, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(read)
    }
}

/// A store with a meter.
#[derive(Debug)]
pub struct MeteredStore {
    inner: Arc<dyn Store>,
    meter: Arc<Meter>,
}

impl MeteredStore {
    /// Counts by this meter what is read from `inner`.
    pub fn new(inner: Arc<dyn Store>, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }

    fn metered(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(MeteredSource { inner, meter: Arc::clone(&self.meter) })
    }
}

impl Store for MeteredStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.meter.timed(|| self.inner.open(location), |_| (0, 0)).map(|source| self.metered(source))
    }

    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        let open = || self.inner.open_unchanging(location);
        self.meter.timed(open, |_| (0, 0)).map(|source| self.metered(source))
    }

    fn open_sized(&self, location: &str, size: u64) -> Result<Arc<dyn Source>> {
        let open = || self.inner.open_sized(location, size);
        self.meter.timed(open, |_| (0, 0)).map(|source| self.metered(source))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.inner.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        self.inner.list(folder)
    }

    fn file_names(&self, folder: &str) -> Result<Vec<String>> {
        self.inner.file_names(folder)
    }

    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        self.inner.files_below(folder)
    }

    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        self.inner.files_in(folder)
    }

    fn names_below(&self, folder: &str) -> Result<Vec<ListedFolder>> {
        self.inner.names_below(folder)
    }

    fn listed_file(&self, location: &str) -> Result<Option<FoundFile>> {
        self.inner.listed_file(location)
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        self.inner.modified_ms(location)
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        self.inner.create(location)
    }

    fn create_native(&self, location: &str) -> Result<(Box<dyn Sink>, Option<FileKey>)> {
        self.inner.create_native(location)
    }

    fn keys(&self) -> Option<&Arc<KeyRing>> {
        self.inner.keys()
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.inner.put_if_absent(location, bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.inner.put(location, bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        self.inner.remove(location)
    }
}

#[derive(Debug)]
struct MeteredSource {
    inner: Arc<dyn Source>,
    meter: Arc<Meter>,
}

impl Source for MeteredSource {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn size(&self) -> Result<u64> {
        self.meter.timed(|| self.inner.size(), |_| (0, 0))
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        self.meter.timed(|| self.inner.read(range), one)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let of = |read: &Vec<Bytes>| (read.len() as u64, read.iter().map(|bytes| bytes.len() as u64).sum());
        self.meter.timed(|| self.inner.read_ranges(ranges), of)
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        self.meter.timed(|| self.inner.read_all(limit), one)
    }

    fn read_end(&self, least: u64) -> Result<(u64, Bytes)> {
        self.meter.timed(|| self.inner.read_end(least), |(_, bytes)| one(bytes))
    }

    fn native(&self) -> Option<(Arc<dyn Source>, FileKey)> {
        let (inner, key) = self.inner.native()?;
        Some((Arc::new(Self { inner, meter: Arc::clone(&self.meter) }), key))
    }

    fn needed_end(&self, bytes: u64) {
        self.inner.needed_end(bytes);
    }
}

fn one(bytes: &Bytes) -> (u64, u64) {
    (1, bytes.len() as u64)
}
