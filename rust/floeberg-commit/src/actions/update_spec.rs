//! How are the partition fields of a table changed?
//!
//! Spec: Partition Evolution.
//!
//! Invariant: only metadata is written. Files keep the specs that they were written with.

use std::sync::Arc;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{PartitionSpec, SpecChange, SpecChanges, TableMetadata};
use serde_json::{Map, Value as Json};

use crate::columns::check_columns;
use crate::conflicts::{Validation, as_conflict_if};
use crate::produce::Produced;
use crate::{LAST_ADDED, Update};

/// Makes changes to the default spec.
///
/// Errors: `InvalidInput` for a change that cannot be made; `CommitConflict` if another writer changed columns or partition
/// fields, so that it cannot be made any more; `Unsupported` for a transform that is not known.
pub(super) fn update_spec(
    metadata: &TableMetadata,
    validation: Validation<'_>,
    changes: &Json,
) -> Result<Produced> {
    let changes = SpecChanges::from_json(changes)?;
    check_names(metadata, validation, &changes)?;
    let fields = metadata.evolve_spec(&changes).map_err(as_conflict_if(
        validation,
        "columns or the partition fields",
        |metadata| (Arc::clone(metadata.current_schema()), Arc::clone(metadata.default_spec())),
    ))?;
    if fields == metadata.default_spec().fields {
        return Ok(Produced::default());
    }
    let spec = PartitionSpec { spec_id: LAST_ADDED, fields, unknown_keys: Map::new() };
    Ok(Produced::of(vec![Update::AddSpec(Arc::new(spec)), Update::SetDefaultSpec(LAST_ADDED)]))
}

/// Errors: `CommitConflict` if a name means another column, or another partition field, than when the operation began.
fn check_names(metadata: &TableMetadata, validation: Validation<'_>, changes: &SpecChanges) -> Result<()> {
    let field = |metadata: &TableMetadata, name: &str| {
        metadata.default_spec().fields.iter().find(|field| field.name == name).map(|field| field.field_id)
    };
    for change in &changes.changes {
        match change {
            SpecChange::Add(declared) => {
                let columns = &declared.source.columns;
                check_columns(
                    validation.columns_at_start,
                    metadata.current_schema(),
                    columns,
                    changes.case_sensitive,
                )?;
            }
            SpecChange::Remove(name) | SpecChange::Rename { name, .. } => {
                let then = validation.starting.and_then(|starting| field(starting, name));
                let now = validation.base.and_then(|base| field(base, name));
                if then != now {
                    return Err(Error::new(
                        ErrorKind::CommitConflict,
                        format!(
                            "another writer changed the partition fields: the name {name:?} means another field now, or no \
                             field"
                        ),
                    ));
                }
            }
        }
    }
    Ok(())
}
