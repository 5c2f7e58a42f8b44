//! How is the metadata of a table written?
//!
//! In: the model. Out: its JSON.
//! Spec: Table Metadata Fields; Appendix C, Table Metadata and Snapshots.
//!
//! Invariant: unknown keys are written as they were read.

use floeberg_core::Result;
use floeberg_core::schema::json::schema_to_json;
use serde_json::{Map, Value as Json};

use super::emit::{ObjectWriter, emit_map};
use super::log::{emit_metadata_entry, emit_snapshot_entry};
use super::partition::{emit_fields, emit_spec};
use super::refs::emit_refs;
use super::snapshot::emit_snapshot;
use super::sort::emit_order;
use super::table::{SNAPSHOT_LOG, SNAPSHOTS};
use crate::metadata::TableMetadata;

impl TableMetadata {
    /// The metadata as JSON, in canonical form.
    ///
    /// Parsing and writing it again gives the same JSON, with these differences:
    ///
    /// - `schema` and `partition-spec` of v1 are written from the lists, and later versions do not have them.
    /// - A missing `main`, default sort order 0 and partition field ids are added, and empty lists are written.
    /// - `current-snapshot-id` is omitted without a current snapshot.
    /// - A transform with one source has `source-id`.
    /// - Names of types and transforms have their canonical form.
    /// - From v2 on, older snapshots have the sequence number 0.
    pub fn to_json(&self) -> Result<Json> {
        let mut document = self.without_history()?;
        let snapshots = self.snapshots.iter().map(|snapshot| emit_snapshot(snapshot, self.format_version));
        document.insert(SNAPSHOTS.to_owned(), snapshots.collect());
        let log = self.snapshot_log.iter().map(emit_snapshot_entry);
        document.insert(SNAPSHOT_LOG.to_owned(), log.collect());
        Ok(Json::Object(document))
    }

    /// The same, with empty lists of snapshots and of the snapshot log.
    pub(super) fn without_history(&self) -> Result<Map<String, Json>> {
        let schemas: Vec<Json> =
            self.schemas.iter().map(|schema| schema_to_json(schema)).collect::<Result<_>>()?;
        let mut object = ObjectWriter::default();
        object.put("format-version", self.format_version);
        object.put_some("table-uuid", self.table_uuid.clone());
        object.put("location", self.location.as_str());
        if self.format_version > 1 {
            object.put("last-sequence-number", self.last_sequence_number);
        }
        object.put("last-updated-ms", self.last_updated_ms);
        object.put("last-column-id", self.last_column_id);
        if self.format_version == 1 {
            object.put("schema", schema_to_json(self.current_schema())?);
        }
        object.put("current-schema-id", self.current_schema_id);
        object.put("schemas", schemas);
        if self.format_version == 1 {
            object.put("partition-spec", emit_fields(self.default_spec()));
        }
        object.put("default-spec-id", self.default_spec_id);
        object.put(
            "partition-specs",
            self.partition_specs.iter().map(|spec| emit_spec(spec)).collect::<Json>(),
        );
        object.put("last-partition-id", self.last_partition_id);
        object.put("default-sort-order-id", self.default_sort_order_id);
        object.put("sort-orders", self.sort_orders.iter().map(|order| emit_order(order)).collect::<Json>());
        object.put("properties", emit_map(&self.properties));
        object.put_some("current-snapshot-id", self.current_snapshot_id);
        object.put_some("next-row-id", self.next_row_id);
        object.put("refs", emit_refs(&self.refs));
        object.put(SNAPSHOTS, Vec::<Json>::new());
        object.put("statistics", self.statistics.clone());
        object.put("partition-statistics", self.partition_statistics.clone());
        if !self.encryption_keys.is_empty() {
            object.put("encryption-keys", self.encryption_keys.clone());
        }
        object.put(SNAPSHOT_LOG, Vec::<Json>::new());
        object.put("metadata-log", self.metadata_log.iter().map(emit_metadata_entry).collect::<Json>());
        Ok(object.finish_keys(&self.unknown_keys))
    }
}
