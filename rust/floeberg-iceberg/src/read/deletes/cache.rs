//! How is a position delete file read only once for many data files?
//!
//! Invariant: the cache lives as long as its reader, and stays within its memory. A file that does not fit is read again for each
//! data file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use floeberg_core::{Error, Result};
use floeberg_exec::cores::once;

use super::position_file::{PositionDeletes, read_all, read_one};
use crate::plan::DeleteFile;
use crate::read::ReadRequest;

/// The most memory that one delete takes while its file is read (array and bitmap).
const BYTES_PER_DELETE: u64 = 16;

type Slot = Arc<OnceLock<Result<Arc<PositionDeletes>, Arc<Error>>>>;

/// The position delete files of one scan, by location.
#[derive(Debug, Default)]
pub(crate) struct DeleteCache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    slots: HashMap<String, Slot>,
    promised: u64,
}

impl DeleteCache {
    /// The deletes of a file; at least those of the requested data file.
    pub(super) fn get(
        &self,
        request: &ReadRequest,
        delete: &DeleteFile,
        data_file: &str,
    ) -> Result<Arc<PositionDeletes>> {
        let Some(slot) = self.slot(request, delete) else {
            return read_one(&request.files, delete, data_file).map(Arc::new);
        };
        // The first thread reads, and others wait for it.
        let read = once(&slot, || read_all(&request.files, delete).map(Arc::new).map_err(Arc::new));
        match read {
            Ok(deletes) => Ok(Arc::clone(deletes)),
            Err(error) => Err(again(error)),
        }
    }

    /// The slot of a file, or `None` if the memory does not allow another one.
    fn slot(&self, request: &ReadRequest, delete: &DeleteFile) -> Option<Slot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = state.slots.get(&delete.location) {
            return Some(Arc::clone(slot));
        }
        let need = u64::try_from(delete.record_count).unwrap_or(0).saturating_mul(BYTES_PER_DELETE);
        let promised = state.promised.saturating_add(need);
        if promised > request.memory {
            return None;
        }
        state.promised = promised;
        let slot = Slot::default();
        state.slots.insert(delete.location.clone(), Arc::clone(&slot));
        Some(slot)
    }
}

/// The same error for another task.
pub(super) fn again(error: &Error) -> Error {
    let same = Error::new(error.kind(), error.message()).retryable(error.is_retryable());
    error.context().iter().fold(same, |same, (key, value)| same.with(key, value))
}
