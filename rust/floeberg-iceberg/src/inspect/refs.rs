//! What is in the table `refs`? Branches and tags, by name.

use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::value::Value;

use super::rows::{Row, text};
use crate::metadata::{RefKind, TableMetadata};

pub(super) fn fields() -> Vec<Field> {
    vec![
        Field::required(1, "name", P::String),
        Field::required(2, "type", P::String),
        Field::required(3, "snapshot_id", P::Long),
        Field::optional(4, "max_reference_age_in_ms", P::Long),
        Field::optional(5, "min_snapshots_to_keep", P::Int),
        Field::optional(6, "max_snapshot_age_in_ms", P::Long),
    ]
}

pub(super) fn rows(metadata: &TableMetadata) -> Vec<Row> {
    let rows = metadata.refs.iter().map(|(name, reference)| {
        let kind = match reference.kind {
            RefKind::Branch => "BRANCH",
            RefKind::Tag => "TAG",
        };
        vec![
            Some(text(name)),
            Some(text(kind)),
            Some(Value::Long(reference.snapshot_id)),
            reference.max_ref_age_ms.map(Value::Long),
            reference.min_snapshots_to_keep.map(Value::Int),
            reference.max_snapshot_age_ms.map(Value::Long),
        ]
    });
    rows.collect()
}
