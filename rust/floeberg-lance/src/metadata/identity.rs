//! Is a manifest the one that was read?
//!
//! In: the end of a manifest that was read, and a place. Out: whether the same bytes are there now.
//!
//! A version's number says little: a table, or a branch, that is made anew has the same numbers. The end of a manifest has the
//! moment when it was made, its length, and the name of its transaction, which holds a random id: no two are alike.
//!
//! Invariant: one small read decides. A file that is missing, or ends elsewhere, is another manifest.

use bytes::Bytes;
use floeberg_core::{ErrorKind, Result};
use floeberg_io::Store;

use crate::wire::{END, ManifestHead};

/// At least this many bytes before the end are compared, so that a short manifest is compared whole.
const LEAST: u64 = 512;

/// The end of the file of a manifest: what stands behind its fragments, and the position of the manifest.
#[derive(Debug, Clone)]
pub(crate) struct ManifestEnd {
    start: u64,
    bytes: Bytes,
}

impl ManifestEnd {
    /// The end of a file, of its bytes from `start` on. They are copied, so that the file is not kept.
    pub fn of(head: &ManifestHead, bytes: &Bytes, start: u64) -> Self {
        let [_, behind] = head.around_fragments();
        let length = (END + behind.len() as u64).max(LEAST);
        let at = bytes.len().saturating_sub(usize::try_from(length).unwrap_or(usize::MAX));
        Self { start: start + at as u64, bytes: Bytes::copy_from_slice(&bytes[at..]) }
    }

    /// Does a file end so, at the same place? Errors: `NotFound` without a file; those of the store.
    pub fn is_at(&self, store: &dyn Store, path: &str) -> Result<bool> {
        let source = store.open(path)?;
        match source.read(self.start..self.start + self.bytes.len() as u64) {
            Ok(found) => Ok(found == self.bytes),
            // It is shorter.
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(false),
            Err(error) => Err(error),
        }
    }
}
