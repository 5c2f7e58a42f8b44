//! Which keys does a table list?
//!
//! In: the keys of its metadata. Out: the keys of manifest lists, decrypted, and new ones.
//! Spec: Encryption Keys; Iceberg Java's standard encryption.
//!
//! ```text
//! master key (in a service) wraps  ->  key that encrypts keys, with KEY_TIMESTAMP
//!                                       encrypts, with KEY_TIMESTAMP as AAD  ->  key metadata of a manifest list
//! ```
//!
//! Invariant: a key that encrypts keys is used for at most 730 days after it was made.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};

use super::cipher::{Cipher, random_bytes};
use super::file_key::FileKey;
use super::unwrapping::Unwrapping;

/// The property of a key that says when it was made, in milliseconds since 1970.
const KEY_TIMESTAMP: &str = "KEY_TIMESTAMP";
/// How long a key encrypts others: 730 days.
const LIFESPAN_MS: i64 = 730 * 24 * 60 * 60 * 1000;
/// How long the random part of an id is.
const ID_LENGTH: usize = 16;

/// A key of the metadata of a table, encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptedKey {
    /// Its id.
    pub key_id: String,
    /// The key, encrypted, or key metadata.
    pub encrypted_key_metadata: Vec<u8>,
    /// The key that encrypts it: one of the table, or the master key.
    pub encrypted_by_id: Option<String>,
    /// What else is known of it.
    pub properties: BTreeMap<String, String>,
}

/// The key of a new manifest list.
#[derive(Debug, Clone)]
pub struct ListKey {
    /// The id, for the snapshot.
    pub key_id: String,
    /// The keys that the table must list for it: its own, and the one that encrypts it.
    pub keys: Vec<EncryptedKey>,
}

/// The keys that a table lists.
#[derive(Debug, Default)]
pub(super) struct TableKeys(BTreeMap<String, EncryptedKey>);

impl TableKeys {
    pub fn learn(&mut self, keys: impl IntoIterator<Item = EncryptedKey>) {
        self.0.extend(keys.into_iter().map(|key| (key.key_id.clone(), key)));
    }

    /// The wrapped key that encrypts the key with an id, when it was made, and what it encrypts.
    pub fn of_list(&self, key_id: &str, master_key_id: &str) -> Result<ListKeyParts> {
        let missing = |id: &str| Error::invalid_data(format!("the table lists no encryption key {id:?}"));
        let key = self.0.get(key_id).ok_or_else(|| missing(key_id))?;
        let by = key.encrypted_by_id.as_deref().filter(|by| *by != master_key_id).ok_or_else(|| {
            Error::invalid_data(format!(
                "the encryption key {key_id:?} is not one of a manifest list: no key of the table encrypts it"
            ))
        })?;
        let wrapping = self.0.get(by).ok_or_else(|| missing(by))?;
        let timestamp = wrapping.properties.get(KEY_TIMESTAMP).ok_or_else(|| {
            Error::invalid_data(format!("the encryption key {by:?} has no property {KEY_TIMESTAMP:?}"))
        })?;
        Ok(ListKeyParts {
            wrapped: wrapping.encrypted_key_metadata.clone(),
            timestamp: timestamp.clone(),
            encrypted: key.encrypted_key_metadata.clone(),
        })
    }

    /// The key that encrypts keys now, if there is one that is young enough.
    pub fn current(&self, master_key_id: &str, now_ms: i64) -> Option<EncryptedKey> {
        let is_current = |key: &&EncryptedKey| {
            let made_ms = key.properties.get(KEY_TIMESTAMP).and_then(|text| text.parse::<i64>().ok());
            key.encrypted_by_id.as_deref() == Some(master_key_id)
                && made_ms.is_some_and(|made| now_ms.saturating_sub(made) < LIFESPAN_MS)
        };
        self.0.values().find(is_current).cloned()
    }
}

/// What the key of a manifest list is decrypted from.
pub(super) struct ListKeyParts {
    wrapped: Vec<u8>,
    timestamp: String,
    encrypted: Vec<u8>,
}

impl ListKeyParts {
    pub fn decrypted(&self, unwrapping: &Unwrapping) -> Result<FileKey> {
        let key = unwrapping.unwrap_key(&self.wrapped)?;
        FileKey::parse(&Cipher::new(&key)?.open(&self.encrypted, self.timestamp.as_bytes())?)
    }
}

/// A new key that encrypts keys.
pub(super) fn new_wrapping_key(unwrapping: &Unwrapping, length: usize, now_ms: i64) -> Result<EncryptedKey> {
    let (_, wrapped) = unwrapping.new_key(|| random_bytes(length))?;
    Ok(EncryptedKey {
        key_id: new_id()?,
        encrypted_key_metadata: wrapped,
        encrypted_by_id: Some(unwrapping.master_key_id.clone()),
        properties: BTreeMap::from([(KEY_TIMESTAMP.to_owned(), now_ms.to_string())]),
    })
}

/// The key metadata of a manifest list, encrypted by a key of the table.
pub(super) fn encrypted_by(
    by: &EncryptedKey,
    unwrapping: &Unwrapping,
    key: &FileKey,
) -> Result<EncryptedKey> {
    let wrapping = unwrapping.unwrap_key(&by.encrypted_key_metadata)?;
    let timestamp = by.properties.get(KEY_TIMESTAMP).map(String::as_bytes).unwrap_or_default();
    Ok(EncryptedKey {
        key_id: new_id()?,
        encrypted_key_metadata: Cipher::new(&wrapping)?.seal(&key.to_bytes(), timestamp)?,
        encrypted_by_id: Some(by.key_id.clone()),
        properties: BTreeMap::new(),
    })
}

/// A new id: random bytes in base64, as Iceberg Java makes them.
fn new_id() -> Result<String> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in random_bytes(ID_LENGTH)?.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { DIGITS[index as usize] as char } else { '=' });
        }
    }
    Ok(text)
}
