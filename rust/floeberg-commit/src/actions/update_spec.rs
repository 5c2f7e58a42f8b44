//! How are the partition fields of a table changed?
//!
//! Spec: Partition Evolution.
//!
//! Invariant: only metadata is written. Files keep the specs that they were written with.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::metadata::{PartitionSpec, SpecChanges, TableMetadata};
use serde_json::{Map, Value as Json};

use crate::changed_since::as_conflict_if;
use crate::produce::Produced;
use crate::validation::Validation;
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
