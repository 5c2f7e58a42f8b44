//! The table `metadata_log_entries`: the metadata files that are in the log, and the one that was opened, with what was
//! current when each was written.

use floeberg_core::Result;
use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::value::Value;

use super::rows::{Row, moment, text};
use crate::Table;

pub(super) fn fields() -> Vec<Field> {
    vec![
        Field::required(1, "timestamp", P::Timestamptz),
        Field::required(2, "file", P::String),
        Field::optional(3, "latest_snapshot_id", P::Long),
        Field::optional(4, "latest_schema_id", P::Int),
        Field::optional(5, "latest_sequence_number", P::Long),
    ]
}

pub(super) fn rows(table: &Table) -> Result<Vec<Row>> {
    let metadata = table.metadata();
    let former = metadata.metadata_log.iter().map(|entry| (entry.timestamp_ms, entry.metadata_file.as_str()));
    let all = former.chain(std::iter::once((metadata.last_updated_ms, table.metadata_location())));
    let rows = all.map(|(timestamp_ms, file)| {
        // The last of the log that is not later: clocks of writers may go back.
        let earlier = metadata.snapshot_log.iter().rev().find(|entry| entry.timestamp_ms <= timestamp_ms);
        let latest = earlier.map(|entry| entry.snapshot_id);
        let snapshot = metadata.snapshots.iter().find(|snapshot| Some(snapshot.snapshot_id) == latest);
        Ok(vec![
            moment(timestamp_ms)?,
            Some(text(file)),
            latest.map(Value::Long),
            snapshot.and_then(|snapshot| snapshot.schema_id).map(Value::Int),
            snapshot.map(|snapshot| Value::Long(snapshot.sequence_number)),
        ])
    });
    rows.collect()
}
