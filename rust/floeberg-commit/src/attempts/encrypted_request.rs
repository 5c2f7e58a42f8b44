//! May a client change a table this way, if the table is encrypted or would be?
//!
//! In: the metadata of a table, and the updates of a request. Out: nothing, or the update that is refused.
//! Spec: Encryption Keys; Snapshots (`key-id`).
//!
//! Invariant: the rules are those of Floeberg's own commits: a table keeps its key, and gets no plain file if it is encrypted.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_properties::ENCRYPTION_KEY_ID as KEY_ID;

use crate::Update;
use crate::actions::check_key;

/// Checks that a table stays plain, or stays encrypted by its key. Without a table the updates create it.
///
/// Errors: `Unsupported`.
pub(super) fn check_encryption(before: Option<&TableMetadata>, updates: &[Update]) -> Result<()> {
    let is_encrypted = match before {
        Some(before) => before.has_master_key(),
        None => updates.iter().any(
            |update| matches!(update, Update::SetProperties(properties) if properties.contains_key(KEY_ID)),
        ),
    };
    for update in updates {
        if let Some(before) = before {
            check_stays(before, update)?;
        }
        match update {
            Update::AddSnapshot(snapshot) if is_encrypted && snapshot.key_id.is_none() => {
                return Err(Error::unsupported(
                    "the table is encrypted, and the snapshot names no key (\"key-id\"): its files would be plain. Write with a library that \
                     encrypts",
                ));
            }
            Update::SetStatistics(..)
            | Update::SetPartitionStatistics(..)
            | Update::RemoveEncryptionKey(_)
                if is_encrypted =>
            {
                return Err(Error::unsupported(format!(
                    "the table is encrypted: the update {:?} is not supported there",
                    update.action()
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that properties of keys stay as they are.
fn check_stays(before: &TableMetadata, update: &Update) -> Result<()> {
    match update {
        Update::SetProperties(given) => {
            let changed = given.iter().filter(|(name, value)| before.properties.get(*name) != Some(*value));
            check_key(changed.map(|(name, _)| name))
        }
        Update::RemoveProperties(names) => {
            check_key(names.iter().filter(|name| before.properties.contains_key(*name)))
        }
        _ => Ok(()),
    }
}
