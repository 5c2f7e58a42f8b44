//! Which columns did each operation of a commit find when it was made?
//!
//! In: the table as it was then, and the operations. Out: for each the columns, as those before it changed them.
//! Spec: Commit Conflict Resolution and Retry; Schema Evolution.

use std::sync::Arc;

use floeberg_core::{Context, Result};
use floeberg_iceberg::metadata::TableMetadata;

use crate::actions::{update_schema, upgrade};
use crate::apply::TableMetadataBuilder;
use crate::columns::ColumnsAtStart;
use crate::conflicts::Validation;
use crate::{Operation, Previous};

/// The columns that each operation was made for: the columns of the table when the first began, changed by the operations before
/// it. `None` for all if no other writer changed them since.
pub(super) fn columns_at_start(
    starting: Option<&TableMetadata>,
    base: Option<&TableMetadata>,
    operations: &[Operation],
) -> Result<Vec<Option<ColumnsAtStart>>> {
    let (Some(starting), Some(base)) = (starting, base) else { return Ok(vec![None; operations.len()]) };
    if starting.current_schema() == base.current_schema() {
        return Ok(vec![None; operations.len()]);
    }
    let previous = Previous { metadata: starting, metadata_location: "" };
    let mut builder = TableMetadataBuilder::begin(Some(previous), starting.last_updated_ms)?;
    let mut columns_at_start: Vec<Option<ColumnsAtStart>> = Vec::with_capacity(operations.len());
    for operation in operations {
        let schema = Arc::clone(builder.metadata().current_schema());
        columns_at_start.push(Some(ColumnsAtStart { schema, last_column_id: starting.last_column_id }));
        let since = Validation {
            starting: Some(starting),
            base: Some(starting),
            adds_files: false,
            validate_from_snapshot_ids: &[],
            columns_at_start: None,
        };
        let produced = match operation {
            Operation::UpdateSchema(changes) => update_schema(builder.metadata(), since, changes),
            Operation::UpgradeFormatVersion(version) => Ok(upgrade(builder.metadata(), *version)),
            _ => continue,
        };
        for update in &produced.context("operation", operation.name())?.updates {
            builder.apply(update)?;
        }
    }
    Ok(columns_at_start)
}
