//! How does a version come to be?
//!
//! In: a manifest that no version is yet, and its transaction. Out: the version, or who was faster.
//! Spec: Lance, Transactions, Commit Protocol; `io/commit.rs`.
//!
//! Invariant: a manifest is put where none is. An answer that got lost is searched for by the transaction, before it is believed.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{Location, Store, location};

use crate::build::Built;
use crate::metadata::{ListedVersion, NamingScheme, TRANSACTIONS, VERSION_HINT, VERSIONS, hint};
use crate::wire::{Manifest, Transaction, to_file};

/// Larger transactions are in their own file alone.
const LARGEST_INLINE: usize = 20 << 20;

/// A version that is ready to be put.
#[derive(Debug)]
pub(crate) struct Ready {
    pub version: ListedVersion,
    /// What it says.
    pub manifest: Arc<Manifest>,
    /// The file of the manifest.
    pub file: Bytes,
    /// The file of the transaction, and its bytes; `None` where the table has none.
    transaction: Option<(String, Bytes)>,
}

impl Ready {
    /// The files of a version, not written yet.
    pub fn new(
        folder: &str,
        scheme: NamingScheme,
        built: Built,
        transaction: &Transaction,
        name: &str,
        has_file: bool,
    ) -> Result<Self> {
        let Built { mut manifest, indices } = built;
        let bytes = Bytes::from(transaction.to_bytes());
        manifest.head.transaction_file = if has_file { name.to_owned() } else { String::new() };
        let inline = (bytes.len() <= LARGEST_INLINE || !has_file).then_some(&bytes[..]);
        let file = to_file(&mut manifest, indices.as_deref(), inline)?;
        let path = location::join(&location::join(folder, TRANSACTIONS), name);
        Ok(Self {
            version: ListedVersion { version: manifest.head.version, scheme },
            manifest: Arc::new(manifest),
            file,
            transaction: has_file.then_some((path, bytes)),
        })
    }

    /// The path of its transaction file.
    pub fn transaction_path(&self) -> Option<&str> {
        self.transaction.as_ref().map(|(path, _)| path.as_str())
    }

    /// Writes the file of the transaction. It may be there, from an attempt whose outcome was not known.
    pub fn put_transaction(&self, store: &dyn Store) -> Result<()> {
        match &self.transaction {
            Some((path, bytes)) => store.put(path, bytes.clone()),
            None => Ok(()),
        }
    }

    /// Writes the manifest, where there is none.
    pub fn put_manifest(&self, store: &dyn Store, folder: &str) -> Result<()> {
        store.put_if_absent(&self.version.path(folder), self.file.clone())
    }
}

/// Tells others which version is the newest. It is a guess, so that nobody minds where it fails.
pub(super) fn put_hint(store: &dyn Store, folder: &str, version: u64) {
    if Location::parse(folder).is_local() {
        let path = location::join(&location::join(folder, VERSIONS), VERSION_HINT);
        let _ = store.put(&path, Bytes::from(hint(version)));
    }
}

/// Another commit made the version.
pub(super) fn lost(version: u64) -> Error {
    let message = format!("another commit made version {version} first");
    Error::new(ErrorKind::CommitConflict, message).retryable(true)
}

/// Nobody knows whether the version is there.
pub(super) fn outcome_unknown(version: u64, error: Error) -> Error {
    let message = format!("version {version} may have been committed or not: the store's answer was lost");
    Error::new(ErrorKind::CommitStateUnknown, message).caused_by(error)
}
