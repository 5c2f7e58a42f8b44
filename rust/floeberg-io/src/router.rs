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

use crate::local::LocalStore;
use crate::location::{Location, shown};
use crate::memory::MemoryStore;
use crate::options::StoreOptions;
use crate::renewal;
use crate::store::{Entry, Sink, Source, Store};
use crate::testing::FaultyStore;

/// Object stores: their schemes, their name, and their cargo feature.
const OBJECT_STORES: [(&[&str], &str, &str); 4] = [
    (&["s3", "s3a", "s3n"], "S3", "s3"),
    (&["gs", "gcs"], "Google Cloud Storage", "gcs"),
    (&["abfs", "abfss", "wasb", "wasbs", "az", "azure", "adl"], "Azure Storage", "azure"),
    (&["http", "https"], "HTTP", "http"),
];

/// A store for every scheme that this build knows: plain paths and `file`, `memory`, and the object stores
/// that were compiled in.
///
/// It does not connect yet. The option `testing.calls` puts a [`FaultyStore`] before it. Opening an unknown scheme, or one
/// that this build left out, is `Unsupported`.
pub fn open_store(options: &StoreOptions) -> Result<Arc<dyn Store>> {
    let router = Arc::new(Router { options: Arc::new(options.clone()) });
    FaultyStore::asked_for(router, options)
}

#[derive(Debug)]
struct Router {
    /// The options of all stores; each uses its own.
    options: Arc<StoreOptions>,
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
            scheme => self.object_store(scheme).ok_or_else(|| unsupported(scheme, location)),
        }
    }

    #[cfg(feature = "object")]
    fn object_store(&self, scheme: &str) -> Option<Box<dyn Store>> {
        use crate::object::{Kind, ObjectStore};
        let (.., feature) = OBJECT_STORES.iter().find(|(schemes, ..)| schemes.contains(&scheme))?;
        let kind = match *feature {
            "s3" if cfg!(feature = "s3") => Kind::S3,
            "gcs" if cfg!(feature = "gcs") => Kind::Gcs,
            "azure" if cfg!(feature = "azure") => Kind::Azure,
            "http" if cfg!(feature = "http") => Kind::Http,
            _ => return None,
        };
        Some(Box::new(ObjectStore::new(kind, self.options.clone())))
    }

    #[cfg(not(feature = "object"))]
    #[allow(clippy::unused_self)]
    fn object_store(&self, _scheme: &str) -> Option<Box<dyn Store>> {
        None
    }
}

impl Store for Router {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.store(location)?.open(location)
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
    let left_out = OBJECT_STORES.iter().find(|(schemes, ..)| schemes.contains(&scheme));
    let message = match left_out {
        Some((_, name, _)) => format!(
            "this build of Floeberg has no support for {name} (`{scheme}`): install a release wheel, or \
             build from source with MATURIN_PEP517_ARGS=\"--features clouds\" pip install ."
        ),
        None => format!("the scheme `{scheme}` is not supported; supported are {}", supported().join(", ")),
    };
    Error::unsupported(message).with("path", shown(location))
}

/// The schemes that this build reads.
fn supported() -> Vec<&'static str> {
    let compiled = |feature: &str| match feature {
        "s3" => cfg!(feature = "s3"),
        "gcs" => cfg!(feature = "gcs"),
        "azure" => cfg!(feature = "azure"),
        _ => cfg!(feature = "http"),
    };
    let objects = OBJECT_STORES.iter().filter(|(.., feature)| compiled(feature));
    ["file", "memory"].into_iter().chain(objects.flat_map(|(schemes, ..)| schemes.iter().copied())).collect()
}
