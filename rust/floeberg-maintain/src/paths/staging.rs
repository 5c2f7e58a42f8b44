//! Where are copies written, and what is left of them after a failure?
//!
//! In: the written locations of files. Out: their locations in the staging folder, in the same folders below it.
//!
//! Invariant: the folder was empty, so no file is overwritten. Where the work fails, each file that was begun is removed.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::location::{join, parent, shown};
use floeberg_io::random::random_uuid;
use floeberg_io::{Location, Store};

/// The staging folder.
#[derive(Debug)]
pub(super) struct Staging {
    pub(super) store: Arc<dyn Store>,
    pub(super) folder: String,
    begun: Mutex<Vec<String>>,
}

impl Staging {
    /// A folder that a user names, or a new one beside the metadata file. Errors: `InvalidInput` for a folder with files; those of
    /// the store.
    pub(super) fn new(store: Arc<dyn Store>, folder: Option<&str>, metadata_location: &str) -> Result<Self> {
        let folder = if let Some(given) = folder {
            let folder = Location::from_user(given)?;
            let is_empty = match store.list(&folder) {
                Ok(entries) => entries.is_empty(),
                Err(error) if error.kind() == ErrorKind::NotFound => true,
                Err(error) => return Err(error),
            };
            if !is_empty {
                return Err(Error::invalid_input("staging_location: expected an empty folder")
                    .with("path", shown(&folder)));
            }
            folder
        } else {
            let metadata = parent(metadata_location).unwrap_or(metadata_location);
            join(metadata, &format!("copy-table-staging-{}", random_uuid()))
        };
        // With a slash at its end, as Iceberg Java names it.
        Ok(Self { store, folder: join(&folder, ""), begun: Mutex::default() })
    }

    /// The location of a copy, which is begun now.
    pub(super) fn begin(&self, relative: &str) -> String {
        let location = join(&self.folder, relative);
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(location.clone());
        location
    }

    /// The location of a copy.
    pub(super) fn location(&self, relative: &str) -> String {
        join(&self.folder, relative)
    }

    /// Removes what was begun, as far as the store lets it.
    pub(super) fn remove_all(&self) {
        for location in mem::take(&mut *self.begun.lock().unwrap_or_else(PoisonError::into_inner)) {
            // It is an orphan where this fails: nothing refers to it.
            let _ = self.store.remove(&location);
        }
    }
}
