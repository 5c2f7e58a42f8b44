//! How is a table replaced by another one, with the history of the first?
//!
//! Spec: Table Metadata Fields; Schema Evolution; Partition Evolution. As Iceberg Java's replace transactions.
//!
//! Invariant: snapshots, specs and schemas stay, so that older snapshots read as before. The current state is empty.

use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{MAIN_BRANCH, TableMetadata};
use floeberg_io::location::without_end_slashes;
use floeberg_properties::NAME_MAPPING;

use super::properties::{check_names, set_properties};
use super::update_schema::mapping;
use crate::conflicts::Validation;
use crate::produce::Produced;
use crate::{LAST_ADDED, NewTable, Update};

/// The changes that replace a table.
///
/// Errors: `InvalidInput` for parts that a table cannot have, and for a lower format version; `CommitConflict` if another writer changed
/// the columns meanwhile.
pub(super) fn replace_table(
    metadata: &TableMetadata,
    validation: Validation<'_>,
    table: &NewTable,
) -> Result<Produced> {
    check_columns(validation)?;
    check_names(&table.properties)?;
    let replacement = metadata.replacement(&table.declared, table.format_version)?;
    let mut updates = Vec::new();
    if table.format_version != metadata.format_version {
        updates.push(Update::UpgradeFormatVersion(table.format_version));
    }
    let mapped = mapping(metadata, &replacement.schema)?;
    updates.extend([
        Update::AddSchema(Arc::new(replacement.schema), Some(replacement.last_column_id)),
        Update::SetCurrentSchema(LAST_ADDED),
        Update::AddSpec(Arc::new(replacement.spec)),
        Update::SetDefaultSpec(LAST_ADDED),
        Update::AddSortOrder(Arc::new(replacement.sort_order)),
        Update::SetDefaultSortOrder(LAST_ADDED),
    ]);
    if metadata.refs.contains_key(MAIN_BRANCH) {
        updates.push(Update::RemoveSnapshotRef(MAIN_BRANCH.to_owned()));
    }
    let location = without_end_slashes(&table.location);
    if location != metadata.location {
        updates.push(Update::SetLocation(location.to_owned()));
    }
    let mut properties = table.properties.clone();
    if let Some(mapped) = mapped {
        properties.entry(NAME_MAPPING.to_owned()).or_insert(mapped);
    }
    updates.extend(set_properties(metadata, &properties)?.updates);
    Ok(Produced::of(updates))
}

/// Ids of new columns follow those of the table when the operation began, and files may have been written with them.
///
/// Errors: `CommitConflict`.
fn check_columns(validation: Validation<'_>) -> Result<()> {
    let (Some(starting), Some(base)) = (validation.starting, validation.base) else { return Ok(()) };
    let is_same = starting.last_column_id == base.last_column_id
        && starting.current_schema() == base.current_schema()
        && starting.partition_specs == base.partition_specs;
    if is_same {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::CommitConflict,
        "another writer changed the columns or partitions of the table that is replaced: replace it again",
    ))
}
