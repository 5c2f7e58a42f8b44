//! What is read and written through the store of an encrypted table?
//!
//! Invariant: a new file is encrypted, whoever writes it. Only metadata in JSON, which the specification leaves plain, and hints of
//! versions are written as they are.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use super::sink::EncryptingSink;
use super::source::DecryptedSource;
use crate::keys::{FileKey, KeyRing};
use crate::listing::{FoundFile, ListedFolder};
use crate::location::{file_name, shown};
use crate::store::{Entry, Sink, Source, Store};

/// A store with the keys of a table.
#[derive(Debug)]
pub struct EncryptedStore {
    inner: Arc<dyn Store>,
    keys: Arc<KeyRing>,
}

impl EncryptedStore {
    /// The store of a table with these keys.
    pub fn new(inner: Arc<dyn Store>, keys: Arc<KeyRing>) -> Self {
        Self { inner, keys }
    }

    fn opened(
        &self,
        location: &str,
        open: impl FnOnce() -> Result<Arc<dyn Source>>,
    ) -> Result<Arc<dyn Source>> {
        match self.keys.key_of(location)? {
            Some(key) => Ok(Arc::new(DecryptedSource::new(open()?, key))),
            None => open(),
        }
    }
}

/// Is this a file that the specification leaves plain?
fn check_plain(location: &str) -> Result<()> {
    let name = file_name(location).unwrap_or_default();
    let ends = [".metadata.json", ".metadata.json.gz", "version-hint.text"];
    if ends.iter().any(|end| name.ends_with(end)) {
        return Ok(());
    }
    let message = "the table is encrypted, and this file would not be: nothing was written";
    Err(Error::unsupported(message).with("path", shown(location)))
}

impl Store for EncryptedStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.opened(location, || self.inner.open(location))
    }

    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.opened(location, || self.inner.open_unchanging(location))
    }

    fn open_sized(&self, location: &str, size: u64) -> Result<Arc<dyn Source>> {
        self.opened(location, || self.inner.open_sized(location, size))
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
        let key = self.keys.new_key(location)?;
        let inner = self.inner.create(location)?;
        Ok(Box::new(EncryptingSink::new(inner, location, &key, Arc::clone(&self.keys))?))
    }

    fn create_native(&self, location: &str) -> Result<(Box<dyn Sink>, Option<FileKey>)> {
        let key = self.keys.new_key(location)?;
        Ok((self.inner.create(location)?, Some(key)))
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        check_plain(location)?;
        self.inner.put_if_absent(location, bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        check_plain(location)?;
        self.inner.put(location, bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        self.inner.remove(location)
    }

    fn keys(&self) -> Option<&Arc<KeyRing>> {
        Some(&self.keys)
    }
}
