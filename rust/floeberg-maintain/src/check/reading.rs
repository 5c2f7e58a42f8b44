//! Is a file there, and which bytes does it have?
//!
//! In: locations, as they are written. Out: bytes, or why a file is broken.
//!
//! Invariant: nothing comes from a cache. A file that is missing or damaged is a finding; a store that fails, or refuses, is an error:
//! then nothing is known of the file.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::finding::split;
use floeberg_core::{Error, Result};
use floeberg_io::{Relocation, Source, Store};

/// No manifest, no metadata file and no file of vectors is as large.
const LARGEST: u64 = 2 << 30;

/// A file, open, and its size.
pub(super) type Opened = (Arc<dyn Source>, u64);

/// Where the files of a table are read.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) relocation: Arc<Relocation>,
}

impl Reading {
    /// The bytes of a file, or why there are none.
    ///
    /// Errors: those of the store, but for a missing file.
    pub(crate) fn bytes(&self, written: &str) -> Result<Result<Bytes, Error>> {
        let location = self.relocation.apply(written);
        split(self.store.open(&location).and_then(|source| source.read_all(LARGEST)))
    }

    /// A file, open, with its size; or why it is not.
    ///
    /// Errors: those of the store, but for a missing file.
    pub(super) fn open(&self, written: &str) -> Result<Result<Opened, Error>> {
        let location = self.relocation.apply(written);
        split(self.store.open(&location).and_then(|source| {
            let size = source.size()?;
            Ok((source, size))
        }))
    }

    /// Is a file there? Errors: those of the store.
    pub(super) fn exists(&self, written: &str) -> Result<bool> {
        self.store.exists(&self.relocation.apply(written))
    }
}
