//! What is in the table `snapshots`? One row per snapshot, in the order of the metadata.

use floeberg_core::Result;
use floeberg_core::schema::{Field, MapType, PrimitiveType as P, Type};
use floeberg_core::value::Value;

use super::rows::{Row, moment, text};
use crate::metadata::{Snapshot, SnapshotManifests, TableMetadata};

pub(super) fn fields() -> Vec<Field> {
    let summary =
        MapType { key: Field::required(7, "key", P::String), value: Field::required(8, "value", P::String) };
    vec![
        Field::required(1, "committed_at", P::Timestamptz),
        Field::required(2, "snapshot_id", P::Long),
        Field::optional(3, "parent_id", P::Long),
        Field::optional(4, "operation", P::String),
        Field::optional(5, "manifest_list", P::String),
        Field::optional(6, "summary", Type::Map(Box::new(summary))),
    ]
}

pub(super) fn rows(metadata: &TableMetadata) -> Result<Vec<Row>> {
    metadata.snapshots.iter().map(|snapshot| row(snapshot)).collect()
}

fn row(snapshot: &Snapshot) -> Result<Row> {
    let list = match &snapshot.manifests {
        SnapshotManifests::List(location) => Some(text(location)),
        SnapshotManifests::Inline(_) => None,
    };
    // Old snapshots have no summary, which is another thing than an empty one.
    let has_summary = snapshot.operation.is_some() || !snapshot.summary.is_empty();
    let pair = |(key, value): (&String, &String)| (text(key), Some(text(value)));
    Ok(vec![
        moment(snapshot.timestamp_ms)?,
        Some(Value::Long(snapshot.snapshot_id)),
        snapshot.parent_snapshot_id.map(Value::Long),
        snapshot.operation.as_deref().map(text),
        list,
        has_summary.then(|| Value::Map(snapshot.summary.iter().map(pair).collect())),
    ])
}
