//! Which store holds a location?
//!
//! In: locations of any scheme, and the options of all stores. Out: the answer of the store that its scheme names.
//!
//! Invariant: a router holds options, not connections, so that it survives a fork.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use floeberg_core::{Error, Result};

use crate::local::LocalStore;
use crate::location::{Location, shown};
use crate::memory::MemoryStore;
use crate::options::StoreOptions;
use crate::store::{Entry, Source, Store};

/// Object stores: schemes, their name, and the cargo feature that brings them.
const OBJECT_STORES: [(&[&str], &str, &str); 4] = [
    (&["s3", "s3a", "s3n"], "S3", "s3"),
    (&["gs", "gcs"], "Google Cloud Storage", "gcs"),
    (&["abfs", "abfss", "wasb", "wasbs", "az", "azure", "adl"], "Azure Storage", "azure"),
    (&["http", "https"], "HTTP", "http"),
];

/// A store for every scheme that this build knows: plain paths and `file`, `memory`, and the object stores
/// that were compiled in.
///
/// Nothing is reached yet. Opening an unknown scheme, or one that this build left out, is `Unsupported`.
pub fn open_store(options: &StoreOptions) -> Result<Arc<dyn Store>> {
    let _ = options;
    Ok(Arc::new(Router))
}

#[derive(Debug)]
struct Router;

/// The store that the scheme of a location names.
fn store_of(location: &str) -> Result<Box<dyn Store>> {
    let parsed = Location::parse(location);
    match parsed.scheme() {
        "file" => Ok(Box::new(LocalStore)),
        "memory" => Ok(Box::new(MemoryStore::shared())),
        scheme => Err(unsupported(scheme, location)),
    }
}

impl Store for Router {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        store_of(location)?.open(location)
    }

    fn exists(&self, location: &str) -> Result<bool> {
        store_of(location)?.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        store_of(folder)?.list(folder)
    }
}

/// A scheme that nothing here reads.
fn unsupported(scheme: &str, location: &str) -> Error {
    let left_out = OBJECT_STORES.iter().find(|(schemes, ..)| schemes.contains(&scheme));
    let message = match left_out {
        Some((_, name, feature)) => {
            format!(
                "this build of Floeberg has no support for {name} (`{scheme}`); it needs the feature `{feature}`"
            )
        }
        None => format!("the scheme `{scheme}` is not supported; supported are {}", supported().join(", ")),
    };
    Error::unsupported(message).with("path", shown(location))
}

/// The schemes that this build reads.
fn supported() -> Vec<&'static str> {
    let mut schemes = vec!["file", "memory"];
    let compiled = OBJECT_STORES.iter().filter(|(_, _, feature)| is_compiled_in(feature));
    schemes.extend(compiled.flat_map(|(names, ..)| names.iter().copied()));
    schemes
}

fn is_compiled_in(feature: &str) -> bool {
    let _ = feature;
    false
}
