//! What is the metadata of a table before its first schema, and how does it stay consistent while it changes?
//!
//! Out: metadata without schema, spec and order; and after changes of its ids, the parts that they name.
//! Spec: Table Metadata Fields.
//!
//! Invariant: the current schema and the defaults are found by their ids alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use serde_json::Map;

use super::partition::NO_PARTITION_ID;
use super::table::Current;
use super::{PartitionSpec, SortOrder, TableMetadata};

/// An unused id: an empty table has no schema, spec or order.
const NOTHING: i32 = -1;

impl TableMetadata {
    /// An empty table of a format version.
    pub fn empty(format_version: u8) -> Result<Self> {
        Ok(Self {
            format_version,
            table_uuid: None,
            location: String::new(),
            last_sequence_number: 0,
            last_updated_ms: 0,
            last_column_id: 0,
            schemas: Vec::new(),
            current_schema_id: NOTHING,
            partition_specs: Vec::new(),
            default_spec_id: NOTHING,
            last_partition_id: NO_PARTITION_ID,
            properties: BTreeMap::new(),
            current_snapshot_id: None,
            snapshots: Vec::new(),
            snapshot_log: Vec::new(),
            metadata_log: Vec::new(),
            sort_orders: Vec::new(),
            default_sort_order_id: NOTHING,
            refs: BTreeMap::new(),
            statistics: Vec::new(),
            partition_statistics: Vec::new(),
            next_row_id: (format_version >= 3).then_some(0),
            encryption_keys: Vec::new(),
            unknown_keys: Map::new(),
            current: Current {
                schema: Arc::new(Schema::new(NOTHING, Vec::new())?),
                spec: Arc::new(PartitionSpec {
                    spec_id: NOTHING,
                    fields: Vec::new(),
                    unknown_keys: Map::new(),
                }),
                sort_order: Arc::new(SortOrder {
                    order_id: NOTHING,
                    fields: Vec::new(),
                    unknown_keys: Map::new(),
                }),
            },
        })
    }

    /// Makes a schema the current one. Errors: `InvalidInput` for an unknown id.
    pub fn choose_schema(&mut self, schema_id: i32) -> Result<()> {
        let found = self.schema(schema_id).cloned();
        self.current.schema = found.ok_or_else(|| no_such("schema", schema_id))?;
        self.current_schema_id = schema_id;
        Ok(())
    }

    /// Makes a partition spec the default. Errors: `InvalidInput` for an unknown id.
    pub fn choose_spec(&mut self, spec_id: i32) -> Result<()> {
        let found = self.spec(spec_id).ok().cloned();
        self.current.spec = found.ok_or_else(|| no_such("partition spec", spec_id))?;
        self.default_spec_id = spec_id;
        Ok(())
    }

    /// Makes a sort order the default. Errors: `InvalidInput` for an unknown id.
    pub fn choose_sort_order(&mut self, order_id: i32) -> Result<()> {
        let found = self.sort_order(order_id).cloned();
        self.current.sort_order = found.ok_or_else(|| no_such("sort order", order_id))?;
        self.default_sort_order_id = order_id;
        Ok(())
    }

    /// Errors: `InvalidInput` if schema, spec, order, location or uuid is missing.
    pub fn check_whole(&self) -> Result<()> {
        let missing = [
            ("current schema", self.current_schema_id == NOTHING),
            ("default partition spec", self.default_spec_id == NOTHING),
            ("default sort order", self.default_sort_order_id == NOTHING),
            ("location", self.location.is_empty()),
            ("uuid", self.format_version > 1 && self.table_uuid.is_none()),
        ];
        match missing.iter().find(|(_, is_missing)| *is_missing) {
            Some((what, _)) => Err(Error::invalid_input(format!("a new table needs a {what}"))),
            None => Ok(()),
        }
    }
}

fn no_such(what: &str, id: i32) -> Error {
    Error::invalid_input(format!("the table has no {what} {id}"))
}
