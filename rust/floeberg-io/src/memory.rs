//! How are files kept in memory, for tests?
//!
//! In: bytes under `memory://` locations. Out: the same, through the interface of every store.
//!
//! Invariant: locations are compared as written.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};

use crate::ranges::{checked_length, too_large};
use crate::store::{Entry, Sink, Source, Store};

type Files = BTreeMap<String, Bytes>;

/// Files in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<RwLock<Files>>);

impl MemoryStore {
    /// A store of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// The store of `memory://` in this process.
    pub fn shared() -> Self {
        static SHARED: OnceLock<MemoryStore> = OnceLock::new();
        SHARED.get_or_init(Self::new).clone()
    }

    /// Stores a file, and replaces one that exists.
    pub fn put(&self, location: impl Into<String>, bytes: impl Into<Bytes>) {
        self.files_to_change().insert(location.into(), bytes.into());
    }

    /// Removes a file. Did it exist?
    pub fn remove(&self, location: &str) -> bool {
        self.files_to_change().remove(location).is_some()
    }

    fn files(&self) -> RwLockReadGuard<'_, Files> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn files_to_change(&self) -> RwLockWriteGuard<'_, Files> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        let bytes = self.files().get(location).cloned();
        let bytes = bytes.ok_or_else(|| absent("the file does not exist", location))?;
        Ok(Arc::new(MemoryFile { location: location.to_owned(), bytes }))
    }

    fn exists(&self, location: &str) -> Result<bool> {
        Ok(self.files().contains_key(location))
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        let prefix = crate::location::join(folder, "");
        let files = self.files();
        let mut entries: Vec<Entry> = Vec::new();
        for (location, bytes) in files.range(prefix.clone()..) {
            let Some(rest) = location.strip_prefix(&prefix) else { break };
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            if is_folder && entries.iter().any(|entry| entry.is_folder && entry.name == name) {
                continue;
            }
            let size = if is_folder { 0 } else { bytes.len() as u64 };
            entries.push(Entry { name: name.to_owned(), is_folder, size });
        }
        if entries.is_empty() { Err(absent("the folder does not exist", folder)) } else { Ok(entries) }
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        if self.exists(location)? {
            return Err(present(location));
        }
        let store = self.clone();
        Ok(Box::new(MemorySink { store, location: location.to_owned(), bytes: Vec::new() }))
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        match self.files_to_change().entry(location.to_owned()) {
            Slot::Occupied(_) => Err(present(location)),
            Slot::Vacant(slot) => {
                slot.insert(bytes);
                Ok(())
            }
        }
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.put(location, bytes);
        Ok(())
    }

    fn remove(&self, location: &str) -> Result<()> {
        self.remove(location);
        Ok(())
    }
}

/// A file that is being written: the store has it once it is finished.
#[derive(Debug)]
struct MemorySink {
    store: MemoryStore,
    location: String,
    bytes: Vec<u8>,
}

impl Sink for MemorySink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let size = self.bytes.len() as u64;
        self.store.put_if_absent(&self.location, self.bytes.into())?;
        Ok(size)
    }
}

fn present(location: &str) -> Error {
    Error::new(ErrorKind::AlreadyExists, "the file exists already").with("path", location)
}

fn absent(message: &str, location: &str) -> Error {
    Error::not_found(message).with("path", location)
}

#[derive(Debug)]
struct MemoryFile {
    location: String,
    bytes: Bytes,
}

impl Source for MemoryFile {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let length = checked_length(&range, self.bytes.len() as u64, &self.location)?;
        let start = range.start as usize;
        Ok(self.bytes.slice(start..start + length))
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        ranges.iter().map(|range| self.read(range.clone())).collect()
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let size = self.bytes.len() as u64;
        if size > limit { Err(too_large(size, limit, &self.location)) } else { Ok(self.bytes.clone()) }
    }
}
