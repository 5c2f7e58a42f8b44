//! How are the properties of a table changed?
//!
//! Spec: Table Metadata Fields (`properties`).
//!
//! Invariant: fields of the table metadata are not set as properties. Above all the format version, which is raised only on
//! request.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;

use super::known_properties::{check_key, check_values};
use crate::Update;
use crate::produce::Produced;

/// Names that Iceberg Java reserves for fields of the table metadata.
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

/// Sets the properties that do not have these values yet.
///
/// Errors: `InvalidInput` for a reserved name, and for a value that cannot be followed; `Unsupported` for the key of
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

/// Removes the properties that are set. Errors: `Unsupported` for the key of an encrypted table.
pub(super) fn remove_properties(metadata: &TableMetadata, names: &[String]) -> Result<Produced> {
    let there: Vec<String> =
        names.iter().filter(|name| metadata.properties.contains_key(*name)).cloned().collect();
    check_key(there.iter())?;
    Ok(Produced::of(if there.is_empty() { Vec::new() } else { vec![Update::RemoveProperties(there)] }))
}

/// Errors: `InvalidInput`, naming the property and how to change that field.
pub(super) fn check_names(properties: &BTreeMap<String, String>) -> Result<()> {
    let Some(name) = RESERVED.into_iter().find(|name| properties.contains_key(*name)) else { return Ok(()) };
    let way = if name == "format-version" { ": use upgrade_format_version" } else { "" };
    Err(Error::invalid_input(format!(
        "{name:?} is a field of the table metadata and cannot be set as a property{way}"
    )))
}
