//! Which keys came from another process, and by which key do others travel?
//!
//! In: sealed keys. Out: the same, opened once the key is unwrapped that sealed them.
//!
//! Invariant: what waits here is sealed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use floeberg_core::{Error, Result};

use super::cipher::Cipher;
use super::file_key::FileKey;
use super::secret::Secret;

/// The key that seals others on their way, and keys that came sealed and are not opened yet.
#[derive(Debug, Default)]
pub(super) struct Travelling(Mutex<State>);

#[derive(Debug, Default)]
pub(super) struct State {
    /// The key, and its wrapped form.
    pub key: Option<(Secret, Arc<Vec<u8>>)>,
    pub arrived: Option<Arrived>,
}

/// Keys that came sealed.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    /// What is before the sealed keys, and authenticated with them.
    pub head: Vec<u8>,
    pub wrapped: Arc<Vec<u8>>,
    pub sealed: Vec<u8>,
}

impl Travelling {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Arrived {
    /// The keys, by the numbers of their locations. Errors: `InvalidData` for those that are not authentic.
    pub fn opened(&self, key: &Secret) -> Result<Vec<(u128, FileKey)>> {
        let plain = Cipher::new(key)?.open(&self.sealed, &self.head)?;
        let damaged = || Error::invalid_input("the keys of a recipe are damaged");
        let mut rest: &[u8] = &plain;
        let mut found = Vec::new();
        while !rest.is_empty() {
            let (hashed, after) = rest.split_first_chunk::<16>().ok_or_else(damaged)?;
            rest = after;
            let file = take(&mut rest).ok_or_else(damaged)?;
            found.push((u128::from_le_bytes(*hashed), FileKey::parse(file)?));
        }
        Ok(found)
    }
}

/// Appends bytes after their length.
pub(super) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Bytes after their length; `None` where there are fewer.
pub(super) fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (taken, after) = after.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *rest = after;
    Some(taken)
}
