//! How is a table made?
//!
//! Spec: Table Metadata Fields; Schemas and Data Types; Partitioning.
//!
//! Invariant: only metadata is written.

use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::location::without_end_slashes;
use floeberg_io::random::random_uuid;

use super::known_properties::check_new_values;
use super::properties::check_names;
use crate::produce::Produced;
use crate::{LAST_ADDED, NewTable, Update};

/// The changes that make a table.
///
/// Errors: `AlreadyExists` if the table exists; `InvalidInput` for a reserved name or a property value that cannot be followed;
/// `Unsupported` for the key of an encrypted table.
pub(super) fn create_table(base: Option<&TableMetadata>, table: &NewTable) -> Result<Produced> {
    if base.is_some() {
        return Err(Error::new(ErrorKind::AlreadyExists, "the table exists already"));
    }
    check_names(&table.properties)?;
    check_new_values(&table.properties)?;
    let declared = &table.declared;
    Ok(Produced::of(vec![
        Update::AssignUuid(table.uuid.clone().unwrap_or_else(random_uuid)),
        Update::UpgradeFormatVersion(table.format_version),
        Update::AddSchema(Arc::new(declared.schema.clone()), None),
        Update::SetCurrentSchema(LAST_ADDED),
        Update::AddSpec(Arc::new(declared.spec.clone())),
        Update::SetDefaultSpec(LAST_ADDED),
        Update::AddSortOrder(Arc::new(declared.sort_order.clone())),
        Update::SetDefaultSortOrder(LAST_ADDED),
        Update::SetLocation(without_end_slashes(&table.location).to_owned()),
        Update::SetProperties(table.properties.clone()),
    ]))
}
