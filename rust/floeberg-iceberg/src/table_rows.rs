//! How are rows of a scan compared with those of any other table?
//!
//! In: names of columns. Out: their batches, in the order of the plan, which is the same each time.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, Context as _, Result};
use floeberg_rows::{TableBatches, TableRows};

use crate::read::BatchStream;
use crate::scan::Scan;

impl TableRows for Scan {
    fn schema(&self) -> Result<SchemaRef> {
        let columns = self.projection()?;
        schema_to_arrow(&columns).map(Arc::new).context("table", self.table().metadata_location())
    }

    fn open(&self, columns: &[String], cancel: &Cancel) -> Result<Box<dyn TableBatches>> {
        Ok(Box::new(self.clone().select(columns.to_vec()).stream(cancel)?))
    }
}

impl TableBatches for BatchStream {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.next().transpose()
    }
}
