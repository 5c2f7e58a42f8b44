//! What happens when the n-th operation of a store goes wrong?
//!
//! In: a store and faults by the number of the operation that they strike. Out: the store with those faults.
//!
//! Invariant: a faulty store keeps the contract of stores: it fails or delays, it never answers short.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};

use super::script::{Fault, Script, Struck, failed, shared_script};
use crate::listing::{FoundFile, ListedFolder};
use crate::location::{file_name, join, parent};
use crate::options::StoreOptions;
use crate::ranges::out_of_range;
use crate::store::{Entry, Sink, Source, Store};

/// A store whose operations go wrong as a test says. Counted from 0 are the operations of [`Store`], [`Source`] but its
/// `location`, and [`Sink`], over all files.
#[derive(Debug, Clone)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    script: Arc<Script>,
}

impl FaultyStore {
    /// Strikes the operations with these numbers.
    pub fn new(inner: Arc<dyn Store>, faults: impl IntoIterator<Item = (u64, Fault)>) -> Self {
        Self { inner, script: Arc::new(Script::new(faults, None)) }
    }

    /// The store, with the faults that the options ask for: none without the option `testing.calls`.
    ///
    /// `testing.calls` is the path of a file to which a line is added for every operation: its number, its name and its
    /// location. All stores of a process with the same path count together. `testing.faults` says which operations go
    /// wrong and how: `3=lose-answer,7=fail`, besides `lose-request` and `cut-short`. It counts when the path is first seen.
    pub fn asked_for(inner: Arc<dyn Store>, options: &StoreOptions) -> Result<Arc<dyn Store>> {
        let Some(path) = options.get("testing.calls") else { return Ok(inner) };
        let script = shared_script(path, options.get("testing.faults").unwrap_or_default())?;
        Ok(Arc::new(Self { inner, script }))
    }

    /// How many operations were requested: a fault could strike any number below.
    pub fn operations(&self) -> u64 {
        self.script.operations()
    }

    /// Leaves what a writer leaves that ends half-way.
    fn leave_half(&self, location: &str, bytes: &Bytes) -> Error {
        let number = self.operations();
        let name = format!(".{number}-{}", file_name(location).unwrap_or_default());
        let left = parent(location).map(|folder| {
            let half = bytes.slice(..bytes.len() / 2);
            self.inner.put(&join(folder, &name), half)
        });
        match left {
            Some(Err(error)) => error,
            _ => failed(ErrorKind::Storage, number - 1, location),
        }
    }
}

impl Store for FaultyStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.script.strike_reading("open", location)?;
        let inner = self.inner.open(location)?;
        Ok(Arc::new(FaultySource { inner, script: self.script.clone() }))
    }

    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.script.strike_reading("open", location)?;
        let inner = self.inner.open_unchanging(location)?;
        Ok(Arc::new(FaultySource { inner, script: self.script.clone() }))
    }

    fn open_sized(&self, location: &str, size: u64) -> Result<Arc<dyn Source>> {
        self.script.strike_reading("open", location)?;
        let inner = self.inner.open_sized(location, size)?;
        Ok(Arc::new(FaultySource { inner, script: self.script.clone() }))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.script.strike_reading("exists", location)?;
        self.inner.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        self.script.strike_reading("list", folder)?;
        self.inner.list(folder)
    }

    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        self.script.strike_reading("files_below", folder)?;
        self.inner.files_below(folder)
    }

    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        self.script.strike_reading("files_in", folder)?;
        self.inner.files_in(folder)
    }

    fn names_below(&self, folder: &str) -> Result<Vec<ListedFolder>> {
        self.script.strike_reading("names_below", folder)?;
        self.inner.names_below(folder)
    }

    fn listed_file(&self, location: &str) -> Result<Option<FoundFile>> {
        self.script.strike_reading("listed_file", location)?;
        self.inner.listed_file(location)
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        self.script.strike_reading("modified_ms", location)?;
        self.inner.modified_ms(location)
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        let struck = self.script.strike("create", location)?;
        let inner = self.inner.create(location)?;
        if let Err(error) = struck.answer(location) {
            // The file is there, and nobody has it in hand.
            inner.finish()?;
            return Err(error);
        }
        Ok(Box::new(FaultySink { inner, location: location.to_owned(), script: self.script.clone() }))
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        let struck = self.script.strike("put_if_absent", location)?;
        if struck == Struck::Short {
            return Err(self.leave_half(location, &bytes));
        }
        self.inner.put_if_absent(location, bytes)?;
        struck.answer(location)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        let struck = self.script.strike("put", location)?;
        if struck == Struck::Short {
            return Err(self.leave_half(location, &bytes));
        }
        self.inner.put(location, bytes)?;
        struck.answer(location)
    }

    fn remove(&self, location: &str) -> Result<()> {
        let struck = self.script.strike("remove", location)?;
        self.inner.remove(location)?;
        struck.answer(location)
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
        self.script.strike_reading("size", self.location())?;
        self.inner.size()
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let cut = self.script.strike_reading("read", self.location())?;
        let bytes = self.inner.read(range.clone())?;
        if cut { Err(self.cut_short(&range)) } else { Ok(bytes) }
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let cut = self.script.strike_reading("read_ranges", self.location())?;
        let answers = self.inner.read_ranges(ranges)?;
        match ranges.last().filter(|_| cut) {
            Some(last) => Err(self.cut_short(last)),
            None => Ok(answers),
        }
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let cut = self.script.strike_reading("read_all", self.location())?;
        let bytes = self.inner.read_all(limit)?;
        Ok(if cut { bytes.slice(..bytes.len() / 2) } else { bytes })
    }
}

#[derive(Debug)]
struct FaultySink {
    inner: Box<dyn Sink>,
    location: String,
    script: Arc<Script>,
}

impl Sink for FaultySink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self.script.strike("write", &self.location)? {
            Struck::Short => {
                self.inner.write(&bytes[..bytes.len() / 2])?;
                Err(failed(ErrorKind::Storage, self.script.operations() - 1, &self.location))
            }
            struck => {
                self.inner.write(bytes)?;
                struck.answer(&self.location)
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let struck = self.script.strike("finish", &self.location)?;
        let size = self.inner.finish()?;
        struck.answer(&self.location)?;
        Ok(size)
    }
}
