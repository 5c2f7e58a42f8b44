//! How are rows of a scan compared with those of any other table?
//!
//! In: names of columns. Out: their batches, one fragment after another, in the same order each time.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Result};
use floeberg_rows::{TableBatches, TableRows};

use crate::pages::Pages;
use crate::rows::RowStream;
use crate::scan::Scan;

/// The rows of a scan, and what decodes their pages.
#[derive(Debug)]
pub struct ScanRows {
    scan: Scan,
    pages: Arc<dyn Pages>,
}

impl ScanRows {
    /// Of a scan.
    pub fn new(scan: Scan, pages: Arc<dyn Pages>) -> Self {
        Self { scan, pages }
    }
}

impl TableRows for ScanRows {
    fn schema(&self) -> Result<SchemaRef> {
        Ok(Arc::clone(self.scan.request()?.schema()))
    }

    fn open(&self, columns: &[String], _cancel: &Cancel) -> Result<Box<dyn TableBatches>> {
        let request = self.scan.clone().select(columns.to_vec()).request()?;
        Ok(Box::new(RowStream::of_request(&request, &self.pages)))
    }
}

impl TableBatches for RowStream {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.next_batch()
    }
}
