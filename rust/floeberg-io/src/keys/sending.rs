//! How do keys of files get to another process?
//!
//! In: the locations that the other process reads or writes. Out: their keys, sealed by a key that travels only wrapped.
//!
//! ```text
//! keys of many files    version | service | master key id | key length | wrapped key | sealed: location, key metadata ...
//! key of one file       mark | wrapped key | sealed key metadata, for its location alone
//! ```
//!
//! Invariant: what travels has no key in plain form. A key is unwrapped when a file is opened or written, not before.

use std::sync::Arc;

use floeberg_core::{Error, Result};

use super::cipher::{Cipher, random_bytes};
use super::file_key::FileKey;
use super::key_ring::{KeyRing, hash};
use super::management::open_key_management;
use super::secret::Secret;
use super::travelling::{Arrived, put, take};

/// The version of sealed keys.
const VERSION: u8 = 1;
/// The first byte of the sealed key of one file. The first byte of standard key metadata is its version, a small number.
const SEALED: u8 = 0xf1;
/// How long the key is that travels.
const KEY_LENGTH: usize = 32;

impl KeyRing {
    /// The keys of some files for another process, and what makes keys there.
    ///
    /// Errors: those of the service.
    pub fn sealed<'a>(&self, locations: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>> {
        let (key, wrapped) = self.travelling_key()?;
        let mut plain = Vec::new();
        for location in locations {
            if let Some(file) = self.key_of(location)? {
                plain.extend_from_slice(&hash(location).to_le_bytes());
                put(&mut plain, &file.to_bytes());
            }
        }
        let plain = Secret::new(plain);
        let mut out = vec![VERSION];
        put(&mut out, &self.management().to_bytes()?);
        put(&mut out, self.master_key_id().as_bytes());
        out.push(self.key_length as u8);
        put(&mut out, &wrapped);
        let sealed = Cipher::new(&key)?.seal(&plain, &out)?;
        out.extend_from_slice(&sealed);
        Ok(out)
    }

    /// The ring of a table in another process. Nothing is unwrapped yet.
    ///
    /// Errors: `InvalidInput` for other bytes; those of opening the service.
    pub fn from_sealed(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::invalid_input("the keys of a recipe are damaged");
        let mut rest = bytes.strip_prefix(&[VERSION]).ok_or_else(damaged)?;
        let service = take(&mut rest).ok_or_else(damaged)?;
        let master_key_id =
            take(&mut rest).and_then(|id| std::str::from_utf8(id).ok()).ok_or_else(damaged)?;
        let (key_length, mut rest) = rest.split_first().ok_or_else(damaged)?;
        let wrapped = take(&mut rest).ok_or_else(damaged)?;
        let ring = Self::new(open_key_management(service)?, master_key_id, usize::from(*key_length));
        let head = bytes.get(..bytes.len() - rest.len()).ok_or_else(damaged)?.to_vec();
        let arrived = Arrived { head, wrapped: Arc::new(wrapped.to_vec()), sealed: rest.to_vec() };
        ring.travelling.state().arrived = Some(arrived);
        Ok(ring)
    }

    /// The key metadata of a file that was written, of so many stored bytes, sealed: only a commit to the table opens it. `None` for
    /// a file without a key.
    ///
    /// Errors: those of the service.
    pub fn sealed_key_of(&self, location: &str, length: u64) -> Result<Option<Vec<u8>>> {
        self.finished(location, length);
        let Some(file) = self.key_of(location)? else { return Ok(None) };
        let (key, wrapped) = self.travelling_key()?;
        let mut out = vec![SEALED];
        put(&mut out, &wrapped);
        out.extend_from_slice(&Cipher::new(&key)?.seal(&file.to_bytes(), location.as_bytes())?);
        Ok(Some(out))
    }

    /// The key metadata of a file, which [`KeyRing::sealed_key_of`] sealed. It is for a manifest, and for nothing else.
    ///
    /// Errors: `InvalidInput` for other bytes, and for the key of another file; those of the service.
    pub fn opened_key_of(&self, location: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let damaged =
            || Error::invalid_input("the key of a written file is not one of it").with("path", location);
        let mut rest = sealed.strip_prefix(&[SEALED]).ok_or_else(damaged)?;
        let wrapped = take(&mut rest).ok_or_else(damaged)?;
        let key = self.unwrapping.unwrap_key(wrapped)?;
        let plain = Cipher::new(&key)?.open(rest, location.as_bytes()).map_err(|_| damaged())?;
        self.put(location, &FileKey::parse(&plain)?);
        Ok(plain.to_vec())
    }

    /// Is this the sealed key of a file?
    pub fn is_sealed_key(bytes: &[u8]) -> bool {
        bytes.first() == Some(&SEALED)
    }

    fn travelling_key(&self) -> Result<(Secret, Arc<Vec<u8>>)> {
        self.arrive()?;
        if let Some((key, wrapped)) = &self.travelling.state().key {
            return Ok((key.clone(), Arc::clone(wrapped)));
        }
        let (key, wrapped) = self.unwrapping.new_key(|| random_bytes(KEY_LENGTH))?;
        let wrapped = Arc::new(wrapped);
        // Two threads may make one each: both can be unwrapped.
        self.travelling.state().key = Some((key.clone(), Arc::clone(&wrapped)));
        Ok((key, wrapped))
    }
}
