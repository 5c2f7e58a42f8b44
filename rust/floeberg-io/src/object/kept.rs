//! Which small objects does a process keep?
//!
//! In: objects that never change, since a manifest or metadata names them: manifest lists, manifests, data and delete files. Out: the
//! same bytes, without a second request: one change of rows reads the same files several times.
//!
//! Invariant: at most [`MOST_BYTES`] are kept, for those alone who have the same options; what this process writes or removes
//! is forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::Kind;
use crate::options::StoreOptions;

/// How many bytes are kept.
const MOST_BYTES: u64 = 64 << 20;

/// What an object costs beside its bytes.
const OVERHEAD: u64 = 512;

/// The identity of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) kind: Kind,
    pub(super) bucket: String,
    pub(super) path: String,
    pub(super) options: Arc<StoreOptions>,
}

/// The objects that a process keeps: those that were used last.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<State>);

/// Two generations: what is used moves to the new one, and the old one goes as a whole.
#[derive(Debug, Default)]
struct State {
    new: HashMap<Key, Bytes>,
    old: HashMap<Key, Bytes>,
    new_bytes: u64,
}

impl Kept {
    /// The bytes of an object.
    pub(super) fn get(&self, key: &Key) -> Option<Bytes> {
        let mut state = self.lock();
        if let Some(bytes) = state.new.get(key) {
            return Some(bytes.clone());
        }
        let (key, bytes) = state.old.remove_entry(key)?;
        state.add(key, bytes.clone());
        Some(bytes)
    }

    /// Keeps an object.
    pub(super) fn put(&self, key: Key, bytes: Bytes) {
        let mut state = self.lock();
        state.old.remove(&key);
        state.add(key, bytes);
    }

    /// Forgets an object.
    pub(super) fn forget(&self, key: &Key) {
        let mut state = self.lock();
        state.new.remove(key);
        state.old.remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, key: Key, bytes: Bytes) {
        let cost = bytes.len() as u64 + OVERHEAD;
        if self.new_bytes + cost > MOST_BYTES / 2 {
            self.old = std::mem::take(&mut self.new);
            self.new_bytes = 0;
        }
        // What is replaced or forgotten stays counted until its generation goes.
        self.new_bytes += cost;
        self.new.insert(key, bytes);
    }
}

#[cfg(test)]
mod tests;
