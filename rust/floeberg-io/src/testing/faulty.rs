//! What happens when the n-th operation of a store goes wrong?
//!
//! In: a store and faults by the number of the operation that they strike. Out: the store with those faults.
//!
//! Invariant: a faulty store keeps the contract of stores: it fails or delays, it never answers short.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};

use crate::ranges::out_of_range;
use crate::store::{Entry, Source, Store};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails with this kind. `Storage` can be tried again.
    Fail(ErrorKind),
    /// The file ends half-way through what is read: a range is an error, a whole file is its first half.
    /// Operations that read nothing are not struck.
    CutShort,
    /// The operation takes this much longer.
    Delay(Duration),
}

#[derive(Debug)]
struct Script {
    faults: BTreeMap<u64, Fault>,
    done: AtomicU64,
}

impl Script {
    /// Counts an operation, and fails or delays it. Is it to be cut short?
    fn strike(&self, location: &str) -> Result<bool> {
        let number = self.done.fetch_add(1, Ordering::Relaxed);
        match self.faults.get(&number) {
            None => Ok(false),
            Some(Fault::CutShort) => Ok(true),
            Some(Fault::Delay(time)) => {
                std::thread::sleep(*time);
                Ok(false)
            }
            Some(Fault::Fail(kind)) => {
                let message = format!("operation {number} was made to fail");
                Err(Error::new(*kind, message).with("path", location).retryable(*kind == ErrorKind::Storage))
            }
        }
    }
}

/// A store whose operations go wrong as a test says. Counted from 0 are `open`, `exists`, `list`, `size` and
/// the three reads, over all files.
#[derive(Debug, Clone)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    script: Arc<Script>,
}

impl FaultyStore {
    /// Strikes the operations with these numbers.
    pub fn new(inner: Arc<dyn Store>, faults: impl IntoIterator<Item = (u64, Fault)>) -> Self {
        let script = Script { faults: faults.into_iter().collect(), done: AtomicU64::new(0) };
        Self { inner, script: Arc::new(script) }
    }

    /// How many operations were asked for: the numbers below it are those that a fault could strike.
    pub fn operations(&self) -> u64 {
        self.script.done.load(Ordering::Relaxed)
    }
}

impl Store for FaultyStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.script.strike(location)?;
        let inner = self.inner.open(location)?;
        Ok(Arc::new(FaultySource { inner, script: self.script.clone() }))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.script.strike(location)?;
        self.inner.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        self.script.strike(folder)?;
        self.inner.list(folder)
    }
}

#[derive(Debug)]
struct FaultySource {
    inner: Arc<dyn Source>,
    script: Arc<Script>,
}

impl FaultySource {
    fn cut_short(&self, range: &Range<u64>) -> Error {
        out_of_range(range, range.start + (range.end - range.start) / 2, self.location())
    }
}

impl Source for FaultySource {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn size(&self) -> Result<u64> {
        self.script.strike(self.location())?;
        self.inner.size()
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let cut = self.script.strike(self.location())?;
        let bytes = self.inner.read(range.clone())?;
        if cut { Err(self.cut_short(&range)) } else { Ok(bytes) }
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let cut = self.script.strike(self.location())?;
        let answers = self.inner.read_ranges(ranges)?;
        match ranges.last().filter(|_| cut) {
            Some(last) => Err(self.cut_short(last)),
            None => Ok(answers),
        }
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let cut = self.script.strike(self.location())?;
        let bytes = self.inner.read_all(limit)?;
        Ok(if cut { bytes.slice(..bytes.len() / 2) } else { bytes })
    }
}
