//! Who decodes data files?
//!
//! In: what Rust asks of pages. Out: what an object of Python answers, a `floeberg.lance.pages.Pages`.
//!
//! Invariant: Python is asked on the thread that called, so that this works only in work that is done by `runtime::asking`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::{Error, Result};
use floeberg_lance::pages::{PageBatches, Pages};
use pyo3::prelude::*;

use crate::incoming::{RowSource, Unchecked};
use crate::runtime::ask;

/// A decoder that is an object of Python.
#[derive(Debug, Clone)]
pub struct PythonPages(Arc<Py<PyAny>>);

impl PythonPages {
    pub fn of(pages: &Bound<'_, PyAny>) -> Arc<dyn Pages> {
        Arc::new(Self(Arc::new(pages.clone().unbind())))
    }

    fn batches(
        &self,
        method: &'static str,
        arguments: impl FnOnce(Python<'_>) -> PyResult<Py<pyo3::types::PyTuple>> + Send + 'static,
    ) -> Result<Box<dyn PageBatches>> {
        let pages = Arc::clone(&self.0);
        let source = ask(move |py| {
            let reader = pages.bind(py).call_method1(method, arguments(py)?.bind(py))?;
            RowSource::open(&reader)
        })?;
        Ok(Box::new(PythonBatches { schema: source.schema(), source: Some(source) }))
    }
}

impl Pages for PythonPages {
    fn read(&self, location: &str, columns: &[String], rows: Range<u64>) -> Result<Box<dyn PageBatches>> {
        let (location, columns) = (location.to_owned(), columns.to_vec());
        let count = rows.end.saturating_sub(rows.start);
        self.batches("read", move |py| Ok((location, columns, rows.start, count).into_pyobject(py)?.unbind()))
    }

    fn take(&self, location: &str, columns: &[String], rows: &[u64]) -> Result<Box<dyn PageBatches>> {
        let (location, columns, rows) = (location.to_owned(), columns.to_vec(), rows.to_vec());
        self.batches("take", move |py| Ok((location, columns, Numbers(rows)).into_pyobject(py)?.unbind()))
    }
}

/// Numbers on their way to Python, as a column.
struct Numbers(Vec<u64>);

impl<'py> IntoPyObject<'py> for Numbers {
    type Target = crate::arrow::Column;
    type Output = Bound<'py, Self::Target>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let field = arrow_schema::Field::new("row", arrow_schema::DataType::UInt64, false);
        let rows = arrow_array::UInt64Array::from(self.0);
        Bound::new(py, crate::arrow::Column(field, Arc::new(rows)))
    }
}

/// Batches that an object of Python gives: a `pyarrow.RecordBatchReader`, or what reads like one.
struct PythonBatches {
    schema: SchemaRef,
    /// `None` after an error.
    source: Option<RowSource>,
}

impl PageBatches for PythonBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(mut source) = self.source.take() else {
            return Err(Error::internal("a data file is read after an error"));
        };
        let (source, batch) = ask(move |py| {
            let batch = source.next(py)?;
            Ok((source, batch))
        })?;
        self.source = Some(source);
        batch.map(Unchecked::checked).transpose()
    }
}

impl fmt::Debug for PythonBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonBatches").field("schema", &self.schema).finish_non_exhaustive()
    }
}
