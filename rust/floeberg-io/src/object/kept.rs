//! Which small objects does a process keep?
//!
//! In: objects that never change, since a manifest or metadata names them: manifest lists, manifests, data and delete files; of large
//! ones the end, where the footer is. Out: the same bytes, without a second request: one change of rows reads the same files several
//! times.
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

/// An object, or the end of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptObject {
    /// How many bytes it has.
    pub(super) size: u64,
    /// The `ETag`, if it says that the bytes are the same.
    pub(super) version: Option<String>,
    /// Its last bytes, or all.
    pub(super) end: Bytes,
}

impl KeptObject {
    /// Are all its bytes there?
    pub(super) fn is_whole(&self) -> bool {
        self.end.len() as u64 == self.size
    }

    /// Are so many of its last bytes there, or all?
    pub(super) fn has_end(&self, least: u64) -> bool {
        self.end.len() as u64 >= least.min(self.size)
    }
}

/// The objects that a process keeps: those that were used last.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<State>);

/// Two generations: what is used moves to the new one, and the old one goes as a whole.
#[derive(Debug, Default)]
struct State {
    new: HashMap<Key, KeptObject>,
    old: HashMap<Key, KeptObject>,
    new_bytes: u64,
}

impl Kept {
    /// An object.
    pub(super) fn get(&self, key: &Key) -> Option<KeptObject> {
        let mut state = self.lock();
        if let Some(kept) = state.new.get(key) {
            return Some(kept.clone());
        }
        let (key, kept) = state.old.remove_entry(key)?;
        state.add(key, kept.clone());
        Some(kept)
    }

    /// Keeps an object.
    pub(super) fn put(&self, key: Key, kept: KeptObject) {
        let mut state = self.lock();
        state.old.remove(&key);
        state.add(key, kept);
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
    fn add(&mut self, key: Key, kept: KeptObject) {
        let cost = kept.end.len() as u64 + OVERHEAD;
        if self.new_bytes + cost > MOST_BYTES / 2 {
            self.old = std::mem::take(&mut self.new);
            self.new_bytes = 0;
        }
        // What is replaced or forgotten stays counted until its generation goes.
        self.new_bytes += cost;
        self.new.insert(key, kept);
    }
}

#[cfg(test)]
mod tests;
