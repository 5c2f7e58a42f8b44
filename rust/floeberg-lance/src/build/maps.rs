//! How do settings and metadata change?
//!
//! In: maps of texts, and what is to be set and removed. Out: the maps after it.
//! Spec: Lance, `transaction/update_map.rs`.

use floeberg_core::{Error, Result};
use floeberg_protobuf::message;

use crate::wire::{ManifestHead, UpdateConfig, UpdateMap, parse};

/// Metadata of fields that declare keys, which have rules of their own.
const KEYS: [&str; 3] = [
    "lance-schema:unenforced-primary-key",
    "lance-schema:unenforced-primary-key:position",
    "lance-schema:unenforced-clustering-key:position",
];

/// Applies the changes of an operation.
///
/// Errors: `InvalidInput` for a field that is not there; `Unsupported` for metadata that declare keys.
pub(super) fn apply(head: &mut ManifestHead, update: &UpdateConfig) -> Result<()> {
    if let Some(changes) = &update.config_updates {
        change(&mut head.config, changes, str::to_owned);
    }
    if let Some(changes) = &update.table_metadata_updates {
        change(&mut head.table_metadata, changes, str::to_owned);
    }
    if let Some(changes) = &update.schema_metadata_updates {
        change(&mut head.schema_metadata, changes, |text| text.as_bytes().to_vec());
    }
    for entry in &update.field_metadata_updates {
        let (id, changes) = field_entry(entry)?;
        if changes.update_entries.iter().any(|(key, _)| KEYS.contains(&key.as_str())) {
            return Err(Error::unsupported(
                "keys of the schema cannot be declared by this version of Floeberg",
            ));
        }
        let field = head.fields.iter_mut().find(|field| field.id == id);
        let field =
            field.ok_or_else(|| Error::invalid_input(format!("the table has no field with the id {id}")))?;
        change(&mut field.metadata, &changes, |text| text.as_bytes().to_vec());
    }
    Ok(())
}

/// Sets values, in place where the keys are there.
pub(super) fn set(map: &mut Vec<(String, String)>, values: &[(String, String)]) {
    for (key, value) in values {
        put(map, key, value.clone());
    }
}

/// Sets settings, and removes those without a value.
pub(crate) fn change_settings(map: &mut Vec<(String, String)>, changes: &[(String, Option<String>)]) {
    for (key, value) in changes {
        match value {
            Some(value) => put(map, key, value.clone()),
            None => map.retain(|(known, _)| known != key),
        }
    }
}

message! {
    struct FieldEntry {
        id: i32 = 1,
        changes: Option<UpdateMap> = 2,
    }
}

/// An entry of the map from field ids to changes.
pub(crate) fn field_entry(entry: &[u8]) -> Result<(i32, UpdateMap)> {
    let FieldEntry { id, changes } = parse(entry)?;
    Ok((id, changes.unwrap_or_default()))
}

fn change<V>(map: &mut Vec<(String, V)>, changes: &UpdateMap, as_value: impl Fn(&str) -> V) {
    if changes.replace {
        map.clear();
    }
    for (key, value) in &changes.update_entries {
        match value {
            Some(value) => put(map, key, as_value(value)),
            None => map.retain(|(known, _)| known != key),
        }
    }
}

fn put<V>(map: &mut Vec<(String, V)>, key: &str, value: V) {
    match map.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => map.push((key.to_owned(), value)),
    }
}
