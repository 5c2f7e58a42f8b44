//! How are files of other writers added to a table?
//!
//! Spec: Column Projection; Name Mapping Serialization; Snapshots (`append`).
//!
//! Invariant: columns of files without field ids are found by the names that they were checked with, on every base. Otherwise it
//! is a conflict.

use std::collections::BTreeMap;

use floeberg_core::schema::NameMapping;
use floeberg_core::schema::name_mapping::evolved_mapping;
use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_iceberg::write::Receipt;
use floeberg_properties::{MANIFEST_MERGE_ENABLED, NAME_MAPPING};

use super::append::appended;
use crate::Update;
use crate::produce::{ActionContext, FileChange, Produced, change_files};

/// Adds the files of a receipt, and the name mapping that they need if the table has none.
///
/// Errors: `CommitConflict` if names mean other columns by now; those of an append.
pub(super) fn add_files(
    context: &ActionContext<'_>,
    receipt: &Receipt,
    name_mapping: Option<&str>,
) -> Result<Produced> {
    let mapping =
        name_mapping.map(|mapping| mapping_to_set(context, receipt, mapping)).transpose()?.flatten();
    let merges = MANIFEST_MERGE_ENABLED.of(&context.metadata.properties)?;
    let produced = change_files(context, FileChange { may_have_links: true, ..appended(receipt, merges) })?;
    let set =
        mapping.map(|mapping| Update::SetProperties(BTreeMap::from([(NAME_MAPPING.to_owned(), mapping)])));
    let updates = set.into_iter().chain(produced.updates).collect();
    Ok(Produced { updates, ..produced })
}

/// The mapping that the table gets, if it has none.
fn mapping_to_set(context: &ActionContext<'_>, receipt: &Receipt, mapping: &str) -> Result<Option<String>> {
    let metadata = &context.metadata;
    if let Some(known) = metadata.properties.get(NAME_MAPPING) {
        let read = |text: &str| NameMapping::from_json(text).context("property", NAME_MAPPING);
        if known == mapping || read(known)?.covers(&read(mapping)?) {
            return Ok(None);
        }
        return Err(changed("the property schema.name-mapping.default was changed"));
    }
    let purpose = receipt.files().iter().find_map(|written| written.purpose.as_ref());
    let now = metadata.current_schema();
    let before = purpose.map_or(now, |purpose| &purpose.schema);
    let evolved = evolved_mapping(mapping, before, now).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => changed(error.message()).caused_by(error),
        _ => error,
    })?;
    Ok(Some(evolved.unwrap_or_else(|| mapping.to_owned())))
}

fn changed(what: &str) -> Error {
    let message = format!("the table changed since the files were looked at: {what}. Add the files again");
    Error::new(ErrorKind::CommitConflict, message)
}
