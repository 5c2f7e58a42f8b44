//! How are the keys of equality deletes loaded once for all their data files?
//!
//! Sets are kept by key columns and scope. A set may hold keys of more delete files than a task has: they are of the task's
//! partition, or of all partitions, and the sequence number of each key decides whether it applies to the task's rows.
//! Spec: Scan Planning.
//!
//! Invariant: the cache lives as long as its reader and takes about half of its memory. Unused sets make room for others, and a
//! delete file without room is not shared.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use floeberg_core::rows::DeletedKeys;
use floeberg_core::value::PartitionKey;
use floeberg_core::{Error, Result};
use floeberg_exec::cores::once;

use super::key_column::{KeyColumn, no_keys};
use super::key_rows;
use crate::plan::DeleteFile;
use crate::read::ReadRequest;
use crate::read::deletes::cache::again;

/// The keys of the equality deletes of one scan.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    state: Mutex<State>,
    /// Locked by the one task that applies keys in parts.
    pub(super) in_parts: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    sets: HashMap<SetName, Held>,
    bytes: u64,
}

#[derive(Debug)]
struct Held {
    set: Arc<KeySet>,
    bytes: u64,
}

/// The identity of a set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SetName {
    /// The ids of the key columns, ascending.
    pub(super) ids: Vec<i32>,
    /// The spec and the partition that the deletes are for; `None` is all.
    pub(super) partition: Option<(i32, PartitionKey)>,
}

/// The keys of all delete files of one identity.
#[derive(Debug)]
pub(super) struct KeySet {
    name: SetName,
    columns: Vec<KeyColumn>,
    keys: RwLock<DeletedKeys>,
    files: Mutex<HashMap<String, Arc<Slot>>>,
}

/// A delete file: did a thread claim it, and are its keys in the set?
#[derive(Debug, Default)]
struct Slot {
    claimed: AtomicBool,
    loaded: OnceLock<Result<bool, Arc<Error>>>,
}

impl KeyCache {
    /// The set of a name, of these columns.
    pub(super) fn set(&self, name: SetName, columns: &[KeyColumn]) -> Result<Arc<KeySet>> {
        let mut state = self.lock();
        if let Some(held) = state.sets.get(&name) {
            return Ok(Arc::clone(&held.set));
        }
        let set = Arc::new(KeySet::new(name.clone(), columns)?);
        state.sets.insert(name, Held { set: Arc::clone(&set), bytes: 0 });
        Ok(set)
    }

    /// Records how many bytes a set has now. Is there room for more?
    fn hold(&self, name: &SetName, bytes: u64, most: u64) -> bool {
        let mut state = self.lock();
        let state = &mut *state;
        if let Some(held) = state.sets.get_mut(name) {
            state.bytes = state.bytes.saturating_sub(held.bytes).saturating_add(bytes);
            held.bytes = bytes;
        }
        if state.bytes >= most {
            state.sets.retain(|_, held| Arc::strong_count(&held.set) > 1);
            state.bytes = state.sets.values().map(|held| held.bytes).fold(0, u64::saturating_add);
        }
        state.bytes < most
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeySet {
    fn new(name: SetName, columns: &[KeyColumn]) -> Result<Self> {
        let keys = RwLock::new(no_keys(columns)?);
        Ok(Self { name, columns: columns.to_vec(), keys, files: Mutex::default() })
    }

    /// The keys, to look up rows. Loading waits for look-ups.
    pub(super) fn keys(&self) -> RwLockReadGuard<'_, DeletedKeys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads delete files that are not loaded yet. Returns the files that found no room.
    pub(super) fn load(
        &self,
        request: &ReadRequest,
        cache: &KeyCache,
        deletes: Vec<Arc<DeleteFile>>,
    ) -> Result<Vec<Arc<DeleteFile>>> {
        let slots: Vec<_> = {
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            let slot =
                |delete: &Arc<DeleteFile>| Arc::clone(files.entry(delete.location.clone()).or_default());
            deletes.iter().map(slot).collect()
        };
        let load = |slot: &Slot, delete: &DeleteFile| {
            let load = || self.load_file(request, cache, delete).map_err(Arc::new);
            once(&slot.loaded, load).as_ref().copied().map_err(|error| again(error))
        };
        // First the files that no other thread has claimed, so that all threads load; then the files of the others.
        for (slot, delete) in slots.iter().zip(&deletes) {
            if !slot.claimed.swap(true, Ordering::Relaxed) {
                load(slot, delete)?;
            }
        }
        let mut left = Vec::new();
        for (slot, delete) in slots.iter().zip(deletes) {
            if !load(slot, &delete)? {
                left.push(delete);
            }
        }
        Ok(left)
    }

    /// Adds the keys of a file. Without room for all, some may be added: these still delete the right rows.
    fn load_file(&self, request: &ReadRequest, cache: &KeyCache, delete: &DeleteFile) -> Result<bool> {
        let has_room = |bytes: u64| cache.hold(&self.name, bytes, request.memory / 2);
        if !has_room(self.keys().memory() as u64) {
            return Ok(false);
        }
        key_rows::for_each(request, delete, &self.columns, |rows| {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            keys.insert(rows, delete.data_sequence_number)?;
            let bytes = keys.memory() as u64;
            drop(keys);
            Ok(has_room(bytes))
        })
    }
}
