//! Which schemas has a table after a commit?
//!
//! Spec: Schema Evolution; Table Metadata Fields (`schemas`, `last-column-id`).
//!
//! Invariant: a schema that exists already is not added again, and a field id is never assigned twice.

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};

use super::builder::TableMetadataBuilder;
use crate::LAST_ADDED;

impl TableMetadataBuilder {
    pub(super) fn add_schema(&mut self, schema: &Arc<Schema>, last_column_id: Option<i32>) -> Result<()> {
        let metadata = &mut self.metadata;
        let highest = schema.highest_field_id().max(last_column_id.unwrap_or(0));
        metadata.last_column_id = metadata.last_column_id.max(highest);
        let known = metadata.schemas.iter().find(|known| is_same(known, schema));
        let id = if let Some(known) = known {
            known.schema_id()
        } else {
            // The schema of a new table is still empty and needs no check.
            schema.check_as_successor(Some(metadata.current_schema()), metadata.format_version)?;
            let id = next_id(metadata.schemas.iter().map(|known| known.schema_id()))?;
            let added = Schema::new(id, schema.fields().to_vec())?
                .with_identifier_field_ids(schema.identifier_field_ids().to_vec())
                .with_unknown_keys(schema.unknown_keys().clone());
            metadata.schemas.push(Arc::new(added));
            id
        };
        self.last_added.schema = Some(id);
        Ok(())
    }

    pub(super) fn set_current_schema(&mut self, id: i32) -> Result<()> {
        let id = named(id, self.last_added.schema, "schema")?;
        self.metadata.choose_schema(id)
    }

    pub(super) fn remove_schemas(&mut self, ids: &[i32]) -> Result<()> {
        let current = self.metadata.current_schema_id;
        if ids.contains(&current) {
            return Err(Error::invalid_input(format!(
                "schema {current} is the current schema and cannot be removed"
            )));
        }
        self.metadata.schemas.retain(|schema| !ids.contains(&schema.schema_id()));
        Ok(())
    }
}

/// Are two schemas equal but for their schema ids?
fn is_same(left: &Schema, right: &Schema) -> bool {
    left.as_struct() == right.as_struct() && left.identifier_field_ids() == right.identifier_field_ids()
}

/// The id after all of these, from 0.
pub(crate) fn next_id(ids: impl Iterator<Item = i32>) -> Result<i32> {
    match ids.max() {
        None => Ok(0),
        Some(highest) => highest
            .checked_add(1)
            .ok_or_else(|| Error::invalid_input(format!("the ids are used up: the highest is {highest}"))),
    }
}

/// The id that an update names: what was added last, or its own.
pub(crate) fn named(id: i32, last_added: Option<i32>, what: &str) -> Result<i32> {
    match (id, last_added) {
        (LAST_ADDED, Some(last)) => Ok(last),
        (LAST_ADDED, None) => Err(Error::invalid_input(format!(
            "the update names the last added {what}, but the commit added none"
        ))),
        (id, _) => Ok(id),
    }
}
