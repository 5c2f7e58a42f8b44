//! In which form do batches reach Python?
//!
//! In: the form's name. Out: the Arrow schema of that engine, and batches in it.
//!
//! Invariant: without a name, batches cross as they were read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::engine_schema::SparkSchema;
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Error, Result};
use pyo3::prelude::*;

use crate::arrow::ArrowSchema;
use crate::runtime;

/// What is done with every batch of a reader.
pub enum EngineSchema {
    /// Nothing.
    OfTable,
    /// It takes this schema, which is Spark's.
    OfSpark(SchemaRef),
}

impl EngineSchema {
    /// The form of a name, for columns. Errors: `InvalidInput` for an unknown name, `Unsupported` for a column that has
    /// no such form.
    pub fn named(name: Option<&str>, projected: &Schema) -> Result<Self> {
        let Some(name) = name else { return Ok(Self::OfTable) };
        let spark = match name {
            "spark" => SparkSchema { truncate_nanoseconds: false },
            "spark-truncate-ns" => SparkSchema { truncate_nanoseconds: true },
            other => {
                return Err(Error::invalid_input(format!(
                    "expected spark or spark-truncate-ns as the form of batches, found {other:?}"
                )));
            }
        };
        Ok(Self::OfSpark(Arc::new(spark.schema(projected)?)))
    }

    /// The Arrow schema of batches that were read with these columns.
    pub fn schema(&self, projected: &Schema) -> Result<SchemaRef> {
        match self {
            Self::OfTable => Ok(Arc::new(schema_to_arrow(projected)?)),
            Self::OfSpark(schema) => Ok(Arc::clone(schema)),
        }
    }

    /// A batch in this form.
    pub fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        match self {
            Self::OfTable => Ok(batch),
            Self::OfSpark(schema) => SparkSchema::batch(&batch, schema),
        }
    }
}

/// The Arrow schema of columns for an engine.
pub fn arrow_schema(py: Python<'_>, projected: &Schema, engine: Option<&str>) -> PyResult<ArrowSchema> {
    runtime::call(py, || EngineSchema::named(engine, projected)?.schema(projected)).map(ArrowSchema)
}
