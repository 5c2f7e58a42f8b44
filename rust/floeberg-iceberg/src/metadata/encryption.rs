//! Must files of a table be encrypted, and with which keys?
//!
//! In: the metadata of a table, and the options of its stores. Out: the same options with the keys of the table, or why nothing can be
//! written to it.
//! Spec: Table Metadata Fields (`encryption-keys`); Snapshots (`key-id`); Encryption Keys; Iceberg documentation, Encryption
//! (`encryption.key-id`).
//!
//! Invariant: nothing is written unencrypted into an encrypted table.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_cast::base64::{BASE64_STANDARD, Engine as _};
use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{EncryptedKey, KeyManagement, KeyRing, Store, StoreOptions};
use floeberg_properties::{ENCRYPTION_KEY_ID as KEY_ID, ENCRYPTION_KEY_LENGTH, Properties};
use serde_json::Value as Json;

use super::TableMetadata;
use super::json::{ObjectWriter, emit_map};
use crate::wire::json::{JsonPath, ObjectReader, string, string_map};

/// The first version with encrypted tables.
const FIRST_VERSION: u8 = 3;

impl TableMetadata {
    /// Does a property name the master key of the table?
    pub fn has_master_key(&self) -> bool {
        self.properties.contains_key(KEY_ID)
    }

    /// By which part of the metadata is the table encrypted? `None` for a plain one.
    fn encrypted_by(&self) -> Option<String> {
        let keyed = self.snapshots.iter().find(|snapshot| snapshot.key_id.is_some());
        if self.properties.contains_key(KEY_ID) {
            Some(format!("its property {KEY_ID:?} names a key"))
        } else if !self.encryption_keys.is_empty() {
            Some("its metadata lists keys (\"encryption-keys\")".to_owned())
        } else {
            keyed.map(|keyed| format!("its snapshot {} names a key (\"key-id\")", keyed.snapshot_id))
        }
    }

    /// Checks that files may be written unencrypted: data files, delete files, manifests and manifest lists.
    ///
    /// Errors: `Unsupported`, naming the part of the metadata that marks the table as encrypted.
    pub fn check_not_encrypted(&self) -> Result<()> {
        let Some(what) = self.encrypted_by() else { return Ok(()) };
        Err(Error::unsupported(format!(
            "the table is encrypted: {what}; this cannot be done to encrypted tables yet, and must not write unencrypted files into one"
        )))
    }

    /// Checks that files may be written through a store: that it encrypts them, if the table is encrypted.
    ///
    /// Errors: `Unsupported`, naming what is missing.
    pub fn check_writable_by(&self, store: &dyn Store) -> Result<()> {
        self.check_writable(store.keys())
    }

    /// The same, by the options of a store.
    pub fn check_writable_with(&self, storage: &StoreOptions) -> Result<()> {
        self.check_writable(storage.keys())
    }

    fn check_writable(&self, keys: Option<&Arc<KeyRing>>) -> Result<()> {
        let Some(what) = self.encrypted_by() else { return Ok(()) };
        let own = self.properties.get(KEY_ID);
        if let Some(keys) = keys {
            check_key_length(keys)?;
        }
        match (own, keys) {
            (Some(own), Some(keys))
                if own == keys.master_key_id() && self.format_version >= FIRST_VERSION =>
            {
                Ok(())
            }
            (Some(_), Some(_)) if self.format_version < FIRST_VERSION => Err(Error::unsupported(format!(
                "the property {KEY_ID:?} needs a table of version 3 or above"
            ))),
            _ => Err(Error::unsupported(format!(
                "the table is encrypted: {what}, and nothing wraps keys: open the table with `key_management`, or with the option \
                 `encryption.kms-impl`. Unencrypted files must not be written into it"
            ))),
        }
    }

    /// The options of its stores with the keys of this table; as they are for a plain one, and without a service that manages keys.
    ///
    /// Errors: `InvalidData` for damaged keys, and for a length of keys that AES does not have.
    pub fn keyed(&self, storage: StoreOptions) -> Result<StoreOptions> {
        let Some(master_key_id) = self.properties.get(KEY_ID) else { return Ok(storage.with_keys(None)) };
        let Some(management) = there(&storage)? else { return Ok(storage) };
        let keys = match storage.keys() {
            Some(keys) if keys.master_key_id() == master_key_id => Arc::clone(keys),
            _ => new_key_ring(management, master_key_id, &self.properties)?,
        };
        keys.learn(self.parsed_encryption_keys()?);
        Ok(storage.with_keys(Some(keys)))
    }

    /// The keys that it lists. Errors: `InvalidData`.
    pub fn parsed_encryption_keys(&self) -> Result<Vec<EncryptedKey>> {
        let root = JsonPath::root("table metadata");
        let path = root.key("encryption-keys");
        self.encryption_keys.iter().map(|key| parse_encrypted_key(key.clone(), &path)).collect()
    }
}

/// The service that manages keys, if the options have one.
pub fn there(storage: &StoreOptions) -> Result<Option<&Arc<dyn KeyManagement>>> {
    match storage.key_management() {
        Some(management) if management.is_there()? => Ok(Some(management)),
        _ => Ok(None),
    }
}

/// The key ring of a table with these properties. Errors: `InvalidInput` for the length of keys.
pub fn new_key_ring(
    management: &Arc<dyn KeyManagement>,
    master_key_id: &str,
    properties: &Properties,
) -> Result<Arc<KeyRing>> {
    let length = match ENCRYPTION_KEY_LENGTH.of(properties)? {
        "16" => 16,
        "24" => 24,
        _ => 32,
    };
    Ok(Arc::new(KeyRing::new(Arc::clone(management), master_key_id, length)))
}

/// Errors: `Unsupported` for new keys of 24 bytes, which the library of AES does not have.
pub fn check_key_length(keys: &KeyRing) -> Result<()> {
    match keys.key_length() {
        24 => Err(Error::unsupported("AES with keys of 24 bytes is not supported: use 16 or 32 bytes")
            .with("property", ENCRYPTION_KEY_LENGTH.name)),
        _ => Ok(()),
    }
}

/// Reads a key of a table. Errors: `InvalidData`.
pub fn parse_encrypted_key(json: Json, path: &JsonPath<'_>) -> Result<EncryptedKey> {
    let mut object = ObjectReader::new(json, path)?;
    let key_id = object.required("key-id", string)?;
    let text = object.required("encrypted-key-metadata", string)?;
    let encrypted_key_metadata = BASE64_STANDARD
        .decode(&text)
        .map_err(|_| Error::invalid_data(format!("the encryption key {key_id:?} is not base64")));
    Ok(EncryptedKey {
        encrypted_key_metadata: encrypted_key_metadata.context("key_id", &key_id)?,
        encrypted_by_id: object.optional("encrypted-by-id", string)?,
        properties: object.optional("properties", string_map)?.unwrap_or_default(),
        key_id,
    })
}

/// A key as the metadata lists it.
pub fn emit_encrypted_key(key: &EncryptedKey) -> Json {
    let mut object = ObjectWriter::default();
    object.put("key-id", key.key_id.as_str());
    object.put("encrypted-key-metadata", BASE64_STANDARD.encode(&key.encrypted_key_metadata));
    object.put_some("encrypted-by-id", key.encrypted_by_id.clone());
    if !key.properties.is_empty() {
        let properties: BTreeMap<String, String> = key.properties.clone();
        object.put("properties", emit_map(&properties));
    }
    object.finish(&serde_json::Map::new())
}

#[cfg(test)]
mod tests {
    use floeberg_core::ErrorKind;
    use serde_json::json;

    use crate::metadata::fixture::{parsed, v2, with};

    #[test]
    fn whatever_tells_of_keys_makes_a_table_encrypted() {
        let key = json!([{"key-id": "a", "encrypted-key-metadata": "AAAA"}]);
        let v3 = || with(with(v2(), "", "format-version", json!(3)), "", "next-row-id", json!(0));
        for (metadata, is_encrypted) in [
            (v2(), false),
            (v3(), false),
            (with(v2(), "/properties", "encryption.key-id", json!("k")), true),
            (with(v3(), "", "encryption-keys", key), true),
            (with(v3(), "", "encryption-keys", json!([])), false),
            (with(v3(), "/snapshots/0", "key-id", json!("a")), true),
        ] {
            let checked = parsed(&metadata).check_not_encrypted().map_err(|error| error.kind());
            assert_eq!(checked.err(), is_encrypted.then_some(ErrorKind::Unsupported), "{metadata}");
        }
    }
}
