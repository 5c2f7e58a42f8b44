//! How does a version come to be where another store decides about it?
//!
//! In: a manifest under a name that is no version, and what the other store said of it. Out: the version, under its own name.
//! Spec: Lance, Transactions, External Manifest Store.
//!
//! ```text
//! _versions/N.manifest-UUID    written, before the other store hears of it
//!     | it takes the name for N, if it has none: from here on N is a version
//! _versions/N.manifest         a copy, made by whoever comes first; then the other store names it
//! ```
//!
//! Invariant: a manifest gets its own name only after the other store decided for it, so that nothing is put if it is absent.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::random::random_uuid;
use floeberg_io::{Store, location};

use super::attempt::{Commit, Committed, Next};
use super::put::lost;
use crate::metadata::{ListedVersion, NamingScheme, VERSIONS};

/// What comes of an attempt whose version another store decides about.
#[derive(Debug, Clone)]
pub enum Staged {
    /// The version is there already: the commit's own, or another's with its key.
    Done(Committed),
    /// A manifest waits for the decision: the version, and where it is.
    Waiting(u64, String),
}

impl Commit {
    /// Writes the next version under a name that is no version. [`Self::settle`] or [`Self::leave`] follows.
    ///
    /// Errors: those of [`Self::attempt`].
    pub fn stage(&self) -> Result<Staged> {
        let mut state = self.lock();
        let next = match self.next(&mut state)? {
            Ok(next) => next,
            Err(done) => return Ok(Staged::Done(done)),
        };
        if let Some(path) = next.ready.transaction_path() {
            self.files.record(path);
        }
        next.ready.put_transaction(self.store())?;
        let version = next.ready.version;
        let path = format!("{}-{}", version.path(self.folder()), random_uuid());
        self.files.record(&path);
        self.store().put(&path, next.ready.file.clone())?;
        state.staged = Some((next, path.clone()));
        // Until the other store said whose version it is.
        state.unknown = Some(version.version);
        Ok(Staged::Waiting(version.version, path))
    }

    /// The other store decided. Where it took the version, [`finalize`] gives it its own name; if that fails, whoever opens the table
    /// does it.
    ///
    /// Errors: `CommitConflict` where another commit was faster.
    pub fn settle(&self, is_taken: bool) -> Result<Committed> {
        let mut state = self.lock();
        let Some((next, path)) = state.staged.take() else {
            return Err(Error::internal("nothing waits for a decision"));
        };
        let Next { ready, table, transaction } = next;
        state.unknown = None;
        if !is_taken {
            state.is_raced = true;
            let _ = self.store().remove(&path);
            return Err(lost(ready.version.version));
        }
        state.is_done = true;
        self.files.forget(&path);
        self.keep_files_of(&transaction, &ready);
        Ok(Committed { table, is_here: true })
    }
}

/// Gives a version that another store decided for its own name, and returns where it is then. It can be done again and again.
///
/// Errors: `NotFound` where the manifest is under neither name; `InvalidInput` for a manifest that is not below the folder of
/// versions; those of the store.
pub fn finalize(store: &dyn Store, folder: &str, version: u64, path: &str) -> Result<String> {
    let versions = location::join(folder, VERSIONS);
    let staged = ListedVersion { version, scheme: scheme_of(store, folder)? }.path(folder);
    if path == staged {
        return Ok(staged);
    }
    if location::parent(path) != Some(versions.as_str()) {
        let message = format!("expected a manifest in the folder `_versions` of the table, found {path:?}");
        return Err(Error::invalid_input(message).with("path", folder));
    }
    match store.open(path).and_then(|source| source.read_all(u64::MAX)) {
        Ok(bytes) => store.put(&staged, bytes)?,
        // Another process was faster, and removed it.
        Err(error) if error.kind() == ErrorKind::NotFound && store.exists(&staged)? => {}
        Err(error) => return Err(error),
    }
    Ok(staged)
}

/// How the versions of a folder are named.
fn scheme_of(store: &dyn Store, folder: &str) -> Result<NamingScheme> {
    match crate::metadata::versions(store, folder) {
        Ok(versions) => Ok(versions[versions.len() - 1].scheme),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(NamingScheme::V2),
        Err(error) => Err(error),
    }
}
