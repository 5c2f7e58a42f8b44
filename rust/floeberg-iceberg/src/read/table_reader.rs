//! What reads the tasks of one scan.
//!
//! Invariant: what is kept between tasks ends with the reader, however often the request is read.

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
    /// The reader of a request, with nothing kept.
    pub fn new(request: ReadRequest) -> Self {
        Self { request, deletes: DeleteCaches::default() }
    }

    /// Do deleted rows come out too, marked?
    pub(crate) fn gives_deleted_rows(&self) -> bool {
        self.request.gives_deleted_rows()
    }

    /// The Arrow schema of every batch.
    pub fn output_schema(&self) -> Result<SchemaRef> {
        self.request.output_schema()
    }
}
