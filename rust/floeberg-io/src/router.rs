//! Which store has a location?
//!
//! In: locations of any scheme, and the options of all stores. Out: the result of the store for the scheme.
//!
//! Invariant: a router holds options, not connections, so it works after a fork.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use crate::encrypted::EncryptedStore;
use crate::listing::{FoundFile, ListedFolder};
use crate::local::LocalStore;
use crate::location::{Location, shown};
use crate::memory::MemoryStore;
use crate::object::{Ends, Kind, ObjectStore};
use crate::options::StoreOptions;
use crate::renewal;
use crate::store::{Entry, Sink, Source, Store};
use crate::testing::FaultyStore;

/// Object stores, with their schemes.
const OBJECT_STORES: [(&[&str], Kind); 4] = [
    (&["s3", "s3a", "s3n"], Kind::S3),
    (&["gs", "gcs"], Kind::Gcs),
    (&["abfs", "abfss", "wasb", "wasbs", "az", "azure", "adl"], Kind::Azure),
    (&["http", "https"], Kind::Http),
];

/// A store for every scheme that is supported: plain paths and `file`, `memory`, and those of object stores.
///
/// It does not connect yet. The option `testing.calls` puts a [`FaultyStore`] before it. Opening an unknown scheme
/// is `Unsupported`. With the keys of a table, its files are decrypted and encrypted.
pub fn open_store(options: &StoreOptions) -> Result<Arc<dyn Store>> {
    let router = Arc::new(Router { options: Arc::new(options.without_keys()), ends: Arc::default() });
    let store = FaultyStore::asked_for(router, options)?;
    Ok(match options.keys() {
        Some(keys) => Arc::new(EncryptedStore::new(store, Arc::clone(keys))),
        None => store,
    })
}

#[derive(Debug)]
struct Router {
    /// The options of all stores; each uses its own.
    options: Arc<StoreOptions>,
    /// The ends of files that were read.
    ends: Arc<Ends>,
}

impl Router {
    /// The store that the scheme of a location names.
    fn store(&self, location: &str) -> Result<Box<dyn Store>> {
        let parsed = Location::parse(location);
        // Expired options are an error for every store alike. Stores with options get them with each request.
        renewal::current(&self.options)?;
        match parsed.scheme() {
            "file" => Ok(Box::new(LocalStore)),
            "memory" => Ok(Box::new(MemoryStore::shared())),
            scheme => match OBJECT_STORES.iter().find(|(schemes, _)| schemes.contains(&scheme)) {
                Some((_, kind)) => {
                    Ok(Box::new(ObjectStore::new(*kind, self.options.clone(), self.ends.clone())))
                }
                None => Err(unsupported(scheme, location)),
            },
        }
    }
}

impl Store for Router {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.store(location)?.open(location)
    }

    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.store(location)?.open_unchanging(location)
    }

    fn open_sized(&self, location: &str, size: u64) -> Result<Arc<dyn Source>> {
        self.store(location)?.open_sized(location, size)
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.store(location)?.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        self.store(folder)?.list(folder)
    }

    fn file_names(&self, folder: &str) -> Result<Vec<String>> {
        self.store(folder)?.file_names(folder)
    }

    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        self.store(folder)?.files_below(folder)
    }

    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        self.store(folder)?.files_in(folder)
    }

    fn names_below(&self, folder: &str) -> Result<Vec<ListedFolder>> {
        self.store(folder)?.names_below(folder)
    }

    fn listed_file(&self, location: &str) -> Result<Option<FoundFile>> {
        self.store(location)?.listed_file(location)
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        self.store(location)?.modified_ms(location)
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        self.store(location)?.create(location)
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.store(location)?.put_if_absent(location, bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.store(location)?.put(location, bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        self.store(location)?.remove(location)
    }
}

/// The error of an unknown scheme.
fn unsupported(scheme: &str, location: &str) -> Error {
    let objects = OBJECT_STORES.iter().flat_map(|(schemes, _)| schemes.iter().copied());
    let supported: Vec<&str> = ["file", "memory"].into_iter().chain(objects).collect();
    let message = format!("the scheme `{scheme}` is not supported; supported are {}", supported.join(", "));
    Error::unsupported(message).with("path", shown(location))
}
