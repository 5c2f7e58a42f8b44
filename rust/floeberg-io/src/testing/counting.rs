//! How often was each file opened and read, and how many bytes of it?
//!
//! In: calls to a store. Out: counts by location.
//!
//! Invariant: only what succeeded is counted.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use floeberg_core::Result;

use crate::listing::{FoundFile, ListedFolder};
use crate::store::{Entry, Sink, Source, Store};

/// What was asked of one file, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often it was opened.
    pub opens: u64,
    /// How many ranges were read; the whole file counts as one.
    pub reads: u64,
    /// How many bytes were read.
    pub bytes: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.opens += other.opens;
        self.reads += other.reads;
        self.bytes += other.bytes;
    }
}

#[derive(Debug, Default)]
struct Ledger(Mutex<BTreeMap<String, Counts>>);

impl Ledger {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Counts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, location: &str, counts: Counts) {
        *self.entries().entry(location.to_owned()).or_default() += counts;
    }

    fn add_reads<'a>(&self, location: &str, answers: impl IntoIterator<Item = &'a Bytes>) {
        for bytes in answers {
            self.add(location, Counts { opens: 0, reads: 1, bytes: bytes.len() as u64 });
        }
    }
}

/// A store that counts what is read through it. Clones share their counts.
#[derive(Debug, Clone)]
pub struct CountingStore {
    inner: Arc<dyn Store>,
    ledger: Arc<Ledger>,
}

impl CountingStore {
    /// Counts what is read from `inner`.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, ledger: Arc::default() }
    }

    /// All files together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.ledger.entries().values() {
            total += *counts;
        }
        total
    }

    /// One file.
    pub fn of(&self, location: &str) -> Counts {
        self.ledger.entries().get(location).copied().unwrap_or_default()
    }

    /// Every file that was opened.
    pub fn by_location(&self) -> BTreeMap<String, Counts> {
        self.ledger.entries().clone()
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        self.ledger.entries().clear();
    }
}

impl Store for CountingStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        let inner = self.inner.open(location)?;
        self.ledger.add(location, Counts { opens: 1, ..Counts::default() });
        Ok(Arc::new(CountingSource { inner, ledger: self.ledger.clone() }))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.inner.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        self.inner.list(folder)
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
struct CountingSource {
    inner: Arc<dyn Source>,
    ledger: Arc<Ledger>,
}

impl Source for CountingSource {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn size(&self) -> Result<u64> {
        self.inner.size()
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let bytes = self.inner.read(range)?;
        self.ledger.add_reads(self.location(), [&bytes]);
        Ok(bytes)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let answers = self.inner.read_ranges(ranges)?;
        self.ledger.add_reads(self.location(), &answers);
        Ok(answers)
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let bytes = self.inner.read_all(limit)?;
        self.ledger.add_reads(self.location(), [&bytes]);
        Ok(bytes)
    }
}
