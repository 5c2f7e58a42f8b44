//! Which key has a file of a table?
//!
//! In: key metadata of manifests and manifest lists, as they are read, and new files. Out: the key of a file, by its location.
//!
//! Invariant: a key that is not known is asked of nobody: a file that no manifest gives a key is not decrypted.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::BuildHasher as _;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use floeberg_core::{Context, Result};
use foldhash::quality::FixedState;

use super::file_key::FileKey;
use super::management::KeyManagement;
use super::secret::Secret;
use super::table_key::{EncryptedKey, ListKey, TableKeys, encrypted_by, new_wrapping_key};
use super::travelling::Travelling;
use super::unwrapping::Unwrapping;
use crate::location::canonical;

/// How many blocks of keys wait, at most.
const MOST_FOUND: usize = 1024;

/// Keys of files that were found, and that nobody asked for yet: planning alone needs none.
pub trait FoundKeys: Debug + Send + Sync {
    /// Says the location, the key metadata and the length of each file.
    fn each(&self, say: &mut SayKey<'_>);
}

/// Takes the location, the key metadata and the length of a file.
pub type SayKey<'a> = dyn FnMut(&str, &[u8], Option<u64>) + 'a;

/// What is known of a file.
#[derive(Debug)]
struct Known {
    /// Its key metadata.
    metadata: Secret,
    /// The length that a manifest says.
    length: Option<u64>,
}

/// The keys of the files of one table. Clones of a table share them.
#[derive(Debug)]
pub struct KeyRing {
    pub(super) unwrapping: Unwrapping,
    /// How many bytes a new key has.
    pub(super) key_length: usize,
    files: RwLock<HashMap<u128, Known, FixedState>>,
    found: Mutex<Vec<Box<dyn FoundKeys>>>,
    table_keys: Mutex<TableKeys>,
    pub(super) travelling: Travelling,
}

impl KeyRing {
    /// The ring of a table with a master key. New keys of files have so many bytes.
    pub fn new(management: Arc<dyn KeyManagement>, master_key_id: &str, key_length: usize) -> Self {
        Self {
            unwrapping: Unwrapping::new(management, master_key_id.to_owned()),
            key_length,
            files: RwLock::default(),
            found: Mutex::default(),
            table_keys: Mutex::default(),
            travelling: Travelling::default(),
        }
    }

    /// The id of the master key.
    pub fn master_key_id(&self) -> &str {
        &self.unwrapping.master_key_id
    }

    /// How many bytes a new key has.
    pub fn key_length(&self) -> usize {
        self.key_length
    }

    /// The service that wraps keys.
    pub fn management(&self) -> &Arc<dyn KeyManagement> {
        &self.unwrapping.management
    }

    /// Takes in the keys that metadata of the table lists.
    pub fn learn(&self, keys: impl IntoIterator<Item = EncryptedKey>) {
        self.table_keys().learn(keys);
    }

    /// Takes in the key metadata of a file. The length is that which a manifest says, where the metadata has none.
    ///
    /// Errors: those of [`FileKey::parse`], naming the file.
    pub fn add(&self, location: &str, key_metadata: &[u8], length: Option<u64>) -> Result<()> {
        let key = FileKey::parse(key_metadata).context("path", location)?.or_length(length);
        self.put(location, &key);
        Ok(())
    }

    /// Takes in keys of files. They are looked at once one of them is asked for.
    pub fn add_found(&self, keys: Box<dyn FoundKeys>) {
        let waiting = {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(keys);
            found.len()
        };
        if waiting >= MOST_FOUND {
            self.look_at_found();
        }
    }

    /// Takes in the key of a manifest list, by the id that its snapshot names.
    ///
    /// Errors: `InvalidData` for keys that the table does not list, or that are not authentic; those of the service.
    pub fn add_list(&self, location: &str, key_id: &str) -> Result<()> {
        let parts = self.table_keys().of_list(key_id, self.master_key_id());
        let key = parts.and_then(|parts| parts.decrypted(&self.unwrapping));
        self.put(location, &key.context("key_id", key_id).context("path", location)?);
        Ok(())
    }

    /// The key of a file; `None` for one that is not encrypted, as far as is known.
    ///
    /// Errors: those of unwrapping the keys that another process sent, and of [`FileKey::parse`], naming the file.
    pub fn key_of(&self, location: &str) -> Result<Option<FileKey>> {
        self.arrive()?;
        self.look_at_found();
        let files = self.files();
        let Some(known) = files.get(&hash(location)) else { return Ok(None) };
        let key = FileKey::parse(&known.metadata).context("path", location)?;
        Ok(Some(key.or_length(known.length)))
    }

    fn look_at_found(&self) {
        let found = mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner));
        if found.is_empty() {
            return;
        }
        let mut files = self.files_mut();
        for keys in found {
            keys.each(&mut |location, metadata, length| {
                files.insert(hash(location), Known { metadata: Secret::new(metadata.to_vec()), length });
            });
        }
    }

    /// Makes the key of a new file.
    pub(crate) fn new_key(&self, location: &str) -> Result<FileKey> {
        let key = FileKey::random(self.key_length)?;
        self.put(location, &key);
        Ok(key)
    }

    /// Remembers the length of a new file.
    pub(crate) fn finished(&self, location: &str, length: u64) {
        let mut files = self.files_mut();
        if let Some(known) = files.get_mut(&hash(location))
            && let Ok(key) = FileKey::parse(&known.metadata)
        {
            known.metadata = key.with_length(length).to_bytes();
        }
    }

    /// The key of a manifest list that was written, as the table lists it. Keys that are older than 730 days encrypt no other key.
    ///
    /// Errors: those of the service.
    pub fn list_key(&self, location: &str, now_ms: i64) -> Result<Option<ListKey>> {
        let Some(key) = self.key_of(location)? else { return Ok(None) };
        let current = self.table_keys().current(self.master_key_id(), now_ms);
        let by = match current {
            Some(current) => current,
            None => new_wrapping_key(&self.unwrapping, self.key_length, now_ms)?,
        };
        let own = encrypted_by(&by, &self.unwrapping, &key)?;
        let keys = vec![by, own.clone()];
        self.learn(keys.clone());
        Ok(Some(ListKey { key_id: own.key_id, keys }))
    }

    /// Opens keys that another process sent, once one is needed.
    pub(super) fn arrive(&self) -> Result<()> {
        let Some(arrived) = self.travelling.state().arrived.clone() else { return Ok(()) };
        let key = self.unwrapping.unwrap_key(&arrived.wrapped)?;
        let opened = arrived.opened(&key)?;
        let known =
            |(hashed, key): (u128, FileKey)| (hashed, Known { metadata: key.to_bytes(), length: None });
        self.files_mut().extend(opened.into_iter().map(known));
        let mut state = self.travelling.state();
        state.key = Some((key, arrived.wrapped));
        state.arrived = None;
        Ok(())
    }

    pub(super) fn put(&self, location: &str, key: &FileKey) {
        self.files_mut().insert(hash(location), Known { metadata: key.to_bytes(), length: None });
    }

    /// Says another length of a file.
    #[cfg(test)]
    pub(crate) fn put_length(&self, location: &str, length: u64) {
        self.finished(location, length);
    }

    fn files(&self) -> RwLockReadGuard<'_, HashMap<u128, Known, FixedState>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn files_mut(&self) -> RwLockWriteGuard<'_, HashMap<u128, Known, FixedState>> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn table_keys(&self) -> MutexGuard<'_, TableKeys> {
        self.table_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands for a location. A location that has the number of another one gives its key, which decrypts nothing of it.
pub(super) fn hash(location: &str) -> u128 {
    let location = canonical(location);
    let of = |seed| u128::from(FixedState::with_seed(seed).hash_one(location));
    of(0x0f10) << 64 | of(0xebe6)
}
