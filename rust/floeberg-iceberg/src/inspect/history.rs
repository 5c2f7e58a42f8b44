//! What is in the table `history`? When each snapshot became current, oldest first.

use floeberg_core::Result;
use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::value::Value;

use super::rows::{Row, moment};
use crate::metadata::TableMetadata;

pub(super) fn fields() -> Vec<Field> {
    vec![
        Field::required(1, "made_current_at", P::Timestamptz),
        Field::required(2, "snapshot_id", P::Long),
        Field::optional(3, "parent_id", P::Long),
        Field::required(4, "is_current_ancestor", P::Boolean),
    ]
}

/// The entries of the snapshot log, or of a branch that is read instead.
pub(super) fn rows(metadata: &TableMetadata, branch: Option<&str>) -> Result<Vec<Row>> {
    let entries = branch.map_or_else(|| metadata.history(), |branch| metadata.history_of(branch));
    let rows = entries.into_iter().map(|entry| {
        Ok(vec![
            moment(entry.made_current_at_ms)?,
            Some(Value::Long(entry.snapshot_id)),
            entry.parent_id.map(Value::Long),
            Some(Value::Boolean(entry.is_current_ancestor)),
        ])
    });
    rows.collect()
}
