//! Which files did a commit write, and which of them may be removed?
//!
//! In: files that were written. Out: those that no version needs, removed.
//!
//! Invariant: a file is recorded before its first byte is written. Nothing is removed here that another version may name: names are
//! unique, and who asks knows the outcome.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use floeberg_io::Store;

/// The files that a commit wrote.
#[derive(Debug, Default)]
pub(super) struct Files(Mutex<BTreeSet<String>>);

impl Files {
    /// A file is about to be written.
    pub fn record(&self, location: &str) {
        self.lock().insert(location.to_owned());
    }

    /// A file is not this commit's to remove any more.
    pub fn forget(&self, location: &str) {
        self.lock().remove(location);
    }

    /// Removes what is not needed. What cannot be removed stays, and harms nobody.
    pub fn remove_all_but(&self, store: &dyn Store, needed: &BTreeSet<String>) {
        let mut files = self.lock();
        files.retain(|file| needed.contains(file) || store.remove(file).is_err());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
