//! How do the keys of an encrypted table change?
//!
//! In: keys, as JSON, and ids. Out: the keys that the table lists.
//! Spec: Encryption Keys; REST catalog specification, `add-encryption-key` and `remove-encryption-key`.
//!
//! Invariant: a key that a snapshot names stays.

use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::builder::TableMetadataBuilder;

impl TableMetadataBuilder {
    /// Adds a key; one of an id that is there stays as it is, as in Iceberg Java.
    pub(super) fn add_encryption_key(&mut self, key: &Json) -> Result<()> {
        if self.metadata.format_version < 3 {
            return Err(Error::invalid_input(format!(
                "encryption keys need a table of version 3 or above, found version {}",
                self.metadata.format_version
            )));
        }
        let id = id_of(key);
        if self.metadata.encryption_keys.iter().all(|known| id_of(known) != id) {
            self.metadata.encryption_keys.push(key.clone());
        }
        Ok(())
    }

    /// Removes a key, if it is there. Errors: `InvalidInput` for one that a snapshot names.
    pub(super) fn remove_encryption_key(&mut self, id: &str) -> Result<()> {
        let mut snapshots = self.metadata.snapshots.iter();
        if let Some(named) = snapshots.find(|snapshot| snapshot.key_id.as_deref() == Some(id)) {
            return Err(Error::invalid_input(format!(
                "the encryption key {id:?} is that of the snapshot {}, and cannot be removed before it",
                named.snapshot_id
            )));
        }
        self.metadata.encryption_keys.retain(|known| id_of(known) != Some(id));
        Ok(())
    }
}

fn id_of(key: &Json) -> Option<&str> {
    key.get("key-id").and_then(Json::as_str)
}
