//! How are the tasks of one scan read?
//!
//! Invariant: caches between tasks end with the reader, even if the request is read again.

use arrow_schema::SchemaRef;
use floeberg_core::Result;

use super::ReadRequest;
use super::deletes::DeleteCaches;

/// The reader of one scan: its request, and the deletes that its tasks share.
#[derive(Debug)]
pub struct TableReader {
    pub(super) request: ReadRequest,
    pub(super) deletes: DeleteCaches,
}

impl TableReader {
    /// The reader of a request, with empty caches.
    pub fn new(request: ReadRequest) -> Self {
        Self { request, deletes: DeleteCaches::default() }
    }

    /// Are deleted rows returned too, and marked?
    pub(crate) fn gives_deleted_rows(&self) -> bool {
        self.request.gives_deleted_rows()
    }

    /// The Arrow schema of every batch.
    pub fn output_schema(&self) -> Result<SchemaRef> {
        self.request.output_schema()
    }
}
