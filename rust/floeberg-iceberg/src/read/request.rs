//! What is read, and how?
//!
//! Invariant: a request is only data: state between tasks is in the reader.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use floeberg_core::Cancel;
use floeberg_core::Result;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::reserved::DELETED;
use floeberg_core::schema::{NameMapping, Schema};
use floeberg_files::{ReadCounts, names_metadata};
use floeberg_io::{Meter, MeteredStore, Store};

use super::open::FileAccess;
use crate::metadata::PartitionSpec;

/// Rows of a batch by default.
const BATCH_ROWS: usize = 65_536;
/// Bytes of decoded batches that may wait by default.
const MEMORY: u64 = 256 << 20;

/// What all tasks of one scan share.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// What reading each of its files needs.
    pub files: FileAccess,
    /// The table's schema for this read: the residuals of tasks are bound to it.
    pub schema: Arc<Schema>,
    /// The columns of the result, in order.
    pub projected: Arc<Schema>,
    /// The table's partition specs by id.
    pub specs: BTreeMap<i32, Arc<PartitionSpec>>,
    /// Schemas of the table in which the key columns of equality deletes are looked up, the newest first.
    pub key_schemas: Vec<Arc<Schema>>,
    /// For each spec, in the order of its fields, their ids in `_partition`, if that is selected.
    pub partition_fields: BTreeMap<i32, Vec<i32>>,
    /// Ids for files without ids (`schema.name-mapping.default`).
    pub name_mapping: Option<Arc<NameMapping>>,
    /// Do residuals only leave out units of files? Then all rows of the other units come, whether they match or not.
    pub skips_units_only: bool,
    /// Bytes of decoded batches that may wait to be taken. Position deletes that are kept for later tasks may take as
    /// many bytes again, and keys of equality deletes about as many again.
    pub memory: u64,
    /// Counts what is done, if anybody asks.
    pub counts: Option<Arc<ReadCounts>>,
}

impl ReadRequest {
    /// A request with the default batch size and memory, without specs and name mapping.
    pub fn new(store: Arc<dyn Store>, schema: Arc<Schema>, projected: Arc<Schema>) -> Self {
        Self {
            files: FileAccess { store, batch_rows: BATCH_ROWS, cancel: Cancel::default() },
            key_schemas: vec![Arc::clone(&schema)],
            schema,
            projected,
            specs: BTreeMap::new(),
            partition_fields: BTreeMap::new(),
            name_mapping: None,
            skips_units_only: false,
            memory: MEMORY,
            counts: None,
        }
    }

    /// With the table's partition specs.
    #[must_use]
    pub fn with_specs(mut self, specs: impl IntoIterator<Item = Arc<PartitionSpec>>) -> Self {
        self.specs = specs.into_iter().map(|spec| (spec.spec_id, spec)).collect();
        self
    }

    /// With the ids that the fields of each spec have in `_partition`.
    #[must_use]
    pub fn with_partition_fields(mut self, field_ids: BTreeMap<i32, Vec<i32>>) -> Self {
        self.partition_fields = field_ids;
        self
    }

    /// With the schemas of the table in which key columns are looked up, the newest first.
    #[must_use]
    pub fn with_key_schemas(mut self, schemas: impl IntoIterator<Item = Arc<Schema>>) -> Self {
        self.key_schemas = schemas.into_iter().collect();
        self
    }

    /// With ids for files without ids.
    #[must_use]
    pub fn with_name_mapping(mut self, mapping: Option<Arc<NameMapping>>) -> Self {
        self.name_mapping = mapping;
        self
    }

    /// The same request, for batches of at most this many rows.
    #[must_use]
    pub fn with_batch_rows(mut self, rows: usize) -> Self {
        self.files.batch_rows = rows.max(1);
        self
    }

    /// The same request, with at most this many bytes of memory.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// The same request, which counts what is done and what is read.
    #[must_use]
    pub fn with_counts(mut self, counts: Arc<ReadCounts>, meter: Arc<Meter>) -> Self {
        self.counts = Some(counts);
        self.files.store = Arc::new(MeteredStore::new(self.files.store, meter));
        self
    }

    /// With a flag that stops the work.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.files.cancel = cancel;
        self
    }

    /// Are deleted rows returned too, and marked?
    pub(crate) fn gives_deleted_rows(&self) -> bool {
        self.projected.fields().iter().any(|field| field.id == DELETED)
    }

    /// Are metadata columns selected or filtered by?
    pub(super) fn names_metadata(&self) -> bool {
        names_metadata(&self.projected) || names_metadata(&self.schema)
    }

    /// The Arrow schema of every batch.
    pub fn output_schema(&self) -> Result<SchemaRef> {
        Ok(Arc::new(schema_to_arrow(&self.projected)?))
    }
}
