//! Which operation changes settings and metadata?

use floeberg_core::{Error, Result};

use crate::wire::{Operation, UpdateConfig, UpdateMap};

/// Sets settings of a table, and removes those without a value. Errors: `InvalidInput` where nothing changes.
pub fn update_config(changes: Vec<(String, Option<String>)>) -> Result<Operation> {
    let config_updates = Some(map(changes, false)?);
    Ok(Operation::UpdateConfig(UpdateConfig { config_updates, ..UpdateConfig::default() }))
}

/// Sets metadata of the schema, and removes those without a value; with `replace` everything else too.
///
/// Errors: `InvalidInput` where nothing changes.
pub fn update_metadata(changes: Vec<(String, Option<String>)>, replace: bool) -> Result<Operation> {
    let schema_metadata_updates = Some(map(changes, replace)?);
    Ok(Operation::UpdateConfig(UpdateConfig { schema_metadata_updates, ..UpdateConfig::default() }))
}

fn map(update_entries: Vec<(String, Option<String>)>, replace: bool) -> Result<UpdateMap> {
    if update_entries.is_empty() && !replace {
        return Err(Error::invalid_input("expected at least one key, found none"));
    }
    if update_entries.iter().any(|(key, _)| key.is_empty()) {
        return Err(Error::invalid_input("expected keys that are not empty, found an empty one"));
    }
    Ok(UpdateMap { update_entries, replace, ..UpdateMap::default() })
}
