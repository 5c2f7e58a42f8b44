//! How are the columns of a table changed?
//!
//! Spec: Schema Evolution.
//!
//! Invariant: properties of a column follow it to its new name, and are removed with it. Files without field ids are read by
//! old and new names.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_core::schema::name_mapping::evolved_mapping;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_properties::{Known, NAME_MAPPING, known};
use serde_json::Value as Json;

use crate::columns::check_names;
use crate::conflicts::{Validation, as_conflict_if};
use crate::produce::Produced;
use crate::{LAST_ADDED, Update};

/// Makes changes to the columns.
///
/// Errors: `InvalidInput` for a change that cannot be made, also for a column whose new name belongs to another column in files
/// without field ids; `CommitConflict` if another writer changed the columns, so that the change cannot be made any more or
/// files of the commit do not fit.
pub(crate) fn update_schema(
    metadata: &TableMetadata,
    validation: Validation<'_>,
    changes: &Json,
) -> Result<Produced> {
    let changes = SchemaChanges::from_json(changes)?;
    if let Some(at_start) = validation.columns_at_start {
        check_names(&changes, at_start, metadata.current_schema())?;
    }
    let evolved = metadata.evolve_schema(&changes).map_err(as_conflict_if(
        validation,
        "columns, or the partition or sort fields",
        |metadata| {
            let layout = (metadata.partition_specs.clone(), metadata.default_spec_id);
            (Arc::clone(metadata.current_schema()), layout, metadata.default_sort_order().fields.clone())
        },
    ))?;
    if !evolved.is_changed {
        return Ok(Produced::of(Vec::new()));
    }
    check_ids(metadata, validation, evolved.last_column_id)?;
    let (removed, mut set) = properties_of_columns(metadata, &evolved.schema);
    set.extend(mapping(metadata, &evolved.schema)?.map(|mapping| (NAME_MAPPING.to_owned(), mapping)));
    let mut updates = vec![
        Update::AddSchema(Arc::new(evolved.schema), Some(evolved.last_column_id)),
        Update::SetCurrentSchema(LAST_ADDED),
    ];
    if !removed.is_empty() {
        updates.push(Update::RemoveProperties(removed));
    }
    if !set.is_empty() {
        updates.push(Update::SetProperties(set));
    }
    Ok(Produced::of(updates))
}

/// Files of the same commit were written with the field ids that new columns would have had when it began.
///
/// Errors: `CommitConflict` if another writer has assigned field ids since.
fn check_ids(metadata: &TableMetadata, validation: Validation<'_>, last_column_id: i32) -> Result<()> {
    let given = |metadata: Option<&TableMetadata>| metadata.map(|metadata| metadata.last_column_id);
    let adds = last_column_id != metadata.last_column_id;
    if validation.adds_files && adds && given(validation.starting) != given(validation.base) {
        return Err(Error::new(
            ErrorKind::CommitConflict,
            "another writer added columns with the field ids that the files of this commit use: write the rows again",
        ));
    }
    Ok(())
}

/// The name mapping of the table, if it changes. One that cannot be parsed stays: reading reports it.
///
/// Errors: `InvalidInput` if the new name of a column belongs to another column in files without field ids.
pub(super) fn mapping(metadata: &TableMetadata, after: &Schema) -> Result<Option<String>> {
    let Some(known) = metadata.properties.get(NAME_MAPPING) else { return Ok(None) };
    match evolved_mapping(known, metadata.current_schema(), after) {
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        evolved => evolved,
    }
}

/// The properties of dropped and renamed columns, and the properties that replace those of the renamed ones.
fn properties_of_columns(
    metadata: &TableMetadata,
    after: &Schema,
) -> (Vec<String>, BTreeMap<String, String>) {
    let (mut removed, mut renamed) = (Vec::new(), BTreeMap::new());
    for (property, value) in &metadata.properties {
        let Some(prefix) = known(property).and_then(Known::prefix) else { continue };
        let Some(name) = property.strip_prefix(prefix) else { continue };
        let Ok(id) = metadata.current_schema().find(name, true) else { continue };
        let now = after.full_name(id);
        if now.as_deref() == Some(name) {
            continue;
        }
        removed.push(property.clone());
        renamed.extend(now.map(|now| (format!("{prefix}{now}"), value.clone())));
    }
    removed.retain(|property| !renamed.contains_key(property));
    (removed, renamed)
}
