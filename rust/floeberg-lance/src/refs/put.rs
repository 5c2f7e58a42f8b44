//! How is a file written or removed whose answer may get lost?
//!
//! Invariant: a lost answer is searched for before it is believed: an error that says that nothing was written is right.

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::Store;

/// What a ref, or the first manifest of a clone, has at most.
const LARGEST: u64 = u32::MAX as u64;

/// Writes a file where there is none.
///
/// Errors: `AlreadyExists`; `CommitStateUnknown` where nobody knows whether it is there; those of the store.
pub(super) fn put_new(store: &dyn Store, path: &str, bytes: &Bytes) -> Result<()> {
    let Err(error) = store.put_if_absent(path, bytes.clone()) else { return Ok(()) };
    // A store that sends a request again may find what it wrote itself.
    if !error.is_outcome_unknown() && error.kind() != ErrorKind::AlreadyExists {
        return Err(error);
    }
    match written(store, path) {
        Ok(found) if found == *bytes => Ok(()),
        Ok(_) if error.is_outcome_unknown() => {
            let message = "the file exists already: another writer was faster";
            Err(Error::new(ErrorKind::AlreadyExists, message).with("path", path).caused_by(error))
        }
        Err(_) if error.is_outcome_unknown() => Err(unknown(path, error)),
        _ => Err(error),
    }
}

/// Writes a file, in the place of another.
///
/// Errors: `CommitStateUnknown` where nobody knows whether it was written; those of the store.
pub(super) fn put_over(store: &dyn Store, path: &str, bytes: &Bytes) -> Result<()> {
    match store.put(path, bytes.clone()) {
        Err(error) if error.is_outcome_unknown() => match written(store, path) {
            Ok(found) if found == *bytes => Ok(()),
            _ => Err(unknown(path, error)),
        },
        put => put,
    }
}

/// Removes a file.
///
/// Errors: `CommitStateUnknown` where nobody knows whether it is gone; those of the store.
pub(super) fn remove(store: &dyn Store, path: &str) -> Result<()> {
    match store.remove(path) {
        Err(error) if error.is_outcome_unknown() => match store.exists(path) {
            Ok(false) => Ok(()),
            _ => Err(unknown_as("a file may have been removed or not", path, error)),
        },
        removed => removed,
    }
}

fn written(store: &dyn Store, path: &str) -> Result<Bytes> {
    store.open(path)?.read_all(LARGEST)
}

fn unknown(path: &str, error: Error) -> Error {
    unknown_as("a file may have been written or not", path, error)
}

fn unknown_as(what: &str, path: &str, error: Error) -> Error {
    let message = format!("{what}: the store's answer was lost");
    Error::new(ErrorKind::CommitStateUnknown, message).with("path", path).caused_by(error)
}
