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
use floeberg_iceberg::difference_tasks::DifferenceTask;
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
        Ok(match spark_named(name)? {
            None => Self::OfTable,
            Some(spark) => Self::OfSpark(Arc::new(spark.schema(projected)?)),
        })
    }

    /// The form of a name, for rows of a difference. Errors: the same.
    pub fn of_difference(name: Option<&str>, task: &DifferenceTask) -> Result<Self> {
        Ok(match spark_named(name)? {
            None => Self::OfTable,
            spark => Self::OfSpark(Arc::new(task.shown(spark)?)),
        })
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

/// What Spark's form is, if it has the name.
fn spark_named(name: Option<&str>) -> Result<Option<SparkSchema>> {
    Ok(match name {
        None => None,
        Some("spark") => Some(SparkSchema { truncate_nanoseconds: false }),
        Some("spark-truncate-ns") => Some(SparkSchema { truncate_nanoseconds: true }),
        Some(other) => {
            return Err(Error::invalid_input(format!(
                "expected spark or spark-truncate-ns as the form of batches, found {other:?}"
            )));
        }
    })
}

/// The Arrow schema of columns for an engine.
pub fn arrow_schema(py: Python<'_>, projected: &Schema, engine: Option<&str>) -> PyResult<ArrowSchema> {
    runtime::call(py, || EngineSchema::named(engine, projected)?.schema(projected)).map(ArrowSchema)
}
