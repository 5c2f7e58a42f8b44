//! Must files of a table be encrypted?
//!
//! In: the metadata of a table. Out: nothing, or why nothing can be written to it.
//! Spec: Table Metadata Fields (`encryption-keys`); Snapshots (`key-id`); Iceberg documentation, Encryption
//! (`encryption.key-id`).
//!
//! Invariant: this version never writes unencrypted files into an encrypted table.

use floeberg_core::{Error, Result};
use floeberg_properties::ENCRYPTION_KEY_ID as KEY_ID;

use super::TableMetadata;

impl TableMetadata {
    /// Checks that files may be written unencrypted: data files, delete files, manifests and manifest lists.
    ///
    /// Errors: `Unsupported`, naming the part of the metadata that marks the table as encrypted.
    pub fn check_not_encrypted(&self) -> Result<()> {
        let keyed = self.snapshots.iter().find(|snapshot| snapshot.key_id.is_some());
        let what = if self.properties.contains_key(KEY_ID) {
            format!("its property {KEY_ID:?} names a key")
        } else if !self.encryption_keys.is_empty() {
            "its metadata lists keys (\"encryption-keys\")".to_owned()
        } else if let Some(snapshot) = keyed {
            format!("its snapshot {} names a key (\"key-id\")", snapshot.snapshot_id)
        } else {
            return Ok(());
        };
        Err(Error::unsupported(format!(
            "the table is encrypted: {what}; this version cannot write encrypted tables, and must not \
             write unencrypted files into one"
        )))
    }
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
