//! Which wrapped keys were unwrapped a short time ago?
//!
//! Invariant: a key is kept for at most an hour, so that a right that was taken away ends.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use floeberg_core::{Context, Result};

use super::management::KeyManagement;
use super::secret::Secret;

/// How long a key is kept, as in Iceberg Java.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// Unwraps keys by one master key.
pub(super) struct Unwrapping {
    pub management: Arc<dyn KeyManagement>,
    pub master_key_id: String,
    known: Mutex<HashMap<Vec<u8>, (Secret, Instant)>>,
}

impl fmt::Debug for Unwrapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unwrapping").field("master_key_id", &self.master_key_id).finish_non_exhaustive()
    }
}

impl Unwrapping {
    pub fn new(management: Arc<dyn KeyManagement>, master_key_id: String) -> Self {
        Self { management, master_key_id, known: Mutex::default() }
    }

    /// The key in a wrapped one. Errors: those of the service, with the id of the master key.
    pub fn unwrap_key(&self, wrapped: &[u8]) -> Result<Secret> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, since)| since.elapsed() < KEPT);
        if let Some((key, _)) = known.get(wrapped) {
            return Ok(key.clone());
        }
        // The service may take long, and may ask for what another thread holds.
        drop(known);
        let key = self
            .management
            .unwrap_key(wrapped, &self.master_key_id)
            .context("encryption.key-id", &self.master_key_id)?;
        self.keep(wrapped, &key);
        Ok(key)
    }

    /// A new key and its wrapped form: the service makes it, or this process.
    pub fn new_key(&self, random: impl FnOnce() -> Result<Vec<u8>>) -> Result<(Secret, Vec<u8>)> {
        let made = if let Some(made) = self.management.generate_key(&self.master_key_id)? {
            made
        } else {
            let key = Secret::new(random()?);
            let wrapped = self.management.wrap_key(&key, &self.master_key_id)?;
            (key, wrapped)
        };
        self.keep(&made.1, &made.0);
        Ok(made)
    }

    fn keep(&self, wrapped: &[u8], key: &Secret) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(wrapped.to_vec(), (key.clone(), Instant::now()));
    }
}
