//! How are the properties of a table changed?
//!
//! Spec: Table Metadata Fields (`properties`).
//!
//! Invariant: what is no property but a part of the metadata is not set as one: above all the format version, which is
//! raised only where that is asked for.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};

use crate::commit::Update;
use crate::commit::known_properties::{check_key, check_values};
use crate::commit::produce::Produced;
use crate::metadata::TableMetadata;

/// Names that Iceberg Java keeps for parts of the metadata.
const RESERVED: [&str; 9] = [
    "format-version",
    "uuid",
    "snapshot-count",
    "current-snapshot-summary",
    "current-snapshot-id",
    "current-snapshot-timestamp-ms",
    "current-schema",
    "default-partition-spec",
    "default-sort-order",
];

/// Sets those that are not so already.
///
/// Errors: `InvalidInput` for a name that is kept, and for a value that nobody could follow; `Unsupported` for the key of
/// an encrypted table.
pub(super) fn set_properties(
    metadata: &TableMetadata,
    properties: &BTreeMap<String, String>,
) -> Result<Produced> {
    check_names(properties)?;
    let is_new = |(name, value): &(&String, &String)| metadata.properties.get(*name) != Some(*value);
    let new: BTreeMap<String, String> =
        properties.iter().filter(is_new).map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut after = metadata.properties.clone();
    after.extend(new.clone());
    check_values(&new, &after)?;
    let updates = if new.is_empty() { Vec::new() } else { vec![Update::SetProperties(new)] };
    Ok(Produced::of(updates))
}

/// Removes those that are there. Errors: `Unsupported` for the key of an encrypted table.
pub(super) fn remove_properties(metadata: &TableMetadata, names: &[String]) -> Result<Produced> {
    let there: Vec<String> =
        names.iter().filter(|name| metadata.properties.contains_key(*name)).cloned().collect();
    check_key(there.iter())?;
    Ok(Produced::of(if there.is_empty() { Vec::new() } else { vec![Update::RemoveProperties(there)] }))
}

/// Errors: `InvalidInput`, naming the property and the way to change what it means.
pub(super) fn check_names(properties: &BTreeMap<String, String>) -> Result<()> {
    let Some(name) = RESERVED.into_iter().find(|name| properties.contains_key(*name)) else { return Ok(()) };
    let way = if name == "format-version" { ": use upgrade_format_version" } else { "" };
    Err(Error::invalid_input(format!(
        "{name:?} is a field of the table metadata and cannot be set as a property{way}"
    )))
}
