//! Who decodes and encodes data files?
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
use floeberg_io::StoreOptions;
use floeberg_lance::pages::{PageBatches, PageWriter, Pages};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict as _;

use crate::arrow::{ArrowSchema, Batch};
use crate::error::to_error_of_file;
use crate::incoming::{RowSource, Unchecked, for_other_libraries};
use crate::runtime::{ask, ask_to_clean_up};

/// What decodes and encodes, as an object of Python.
#[derive(Debug, Clone)]
pub struct PythonPages {
    pages: Arc<Py<PyAny>>,
    /// Is what is wrong with a file an error of the work, and no exception that ends it?
    keeps_errors: bool,
}

impl PythonPages {
    pub fn of(pages: &Bound<'_, PyAny>) -> Arc<dyn Pages> {
        Arc::new(Self { pages: Arc::new(pages.clone().unbind()), keeps_errors: false })
    }

    /// What decodes by options of a store, for work that goes on where a file is damaged. Work asks for it on its own thread.
    pub fn of_damaged(options: &StoreOptions) -> Result<Arc<dyn Pages>> {
        let options: Vec<(String, String)> =
            options.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let pages = ask(move |py| {
            let options = options.into_py_dict(py)?;
            Ok(py.import("floeberg.lance.pages")?.call_method1("pages_of", (options,))?.unbind())
        })?;
        Ok(Arc::new(Self { pages: Arc::new(pages), keeps_errors: true }))
    }

    fn batches(
        &self,
        method: &'static str,
        arguments: impl FnOnce(Python<'_>) -> PyResult<Py<pyo3::types::PyTuple>> + Send + 'static,
    ) -> Result<Box<dyn PageBatches>> {
        let pages = Arc::clone(&self.pages);
        let source = asked(self.keeps_errors, move |py| {
            let reader = pages.bind(py).call_method1(method, arguments(py)?.bind(py))?;
            RowSource::open(&reader)
        })?;
        Ok(Box::new(PythonBatches { keeps_errors: self.keeps_errors, ..PythonBatches::of(source) }))
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

    fn write(&self, location: &str, schema: &SchemaRef, version: &str) -> Result<Box<dyn PageWriter>> {
        let pages = Arc::clone(&self.pages);
        let (location, schema, version) = (location.to_owned(), Arc::clone(schema), version.to_owned());
        let writer = ask(move |py| {
            let schema = Py::new(py, ArrowSchema(schema))?;
            Ok(pages.bind(py).call_method1("write", (location, schema, version))?.unbind())
        })?;
        Ok(Box::new(PythonPageWriter(Arc::new(writer))))
    }
}

/// Asks Python; what it says is wrong with a file is an error of the work, where that is wanted, and else an exception of the caller.
fn asked<A: Send + 'static>(
    keeps_errors: bool,
    question: impl FnOnce(Python<'_>) -> PyResult<A> + Send + 'static,
) -> Result<A> {
    if !keeps_errors {
        return ask(question);
    }
    ask(move |py| match question(py) {
        Ok(answer) => Ok(Ok(answer)),
        Err(exception) => to_error_of_file(py, &exception).map(Err).ok_or(exception),
    })?
}

/// An object of Python that encodes a data file.
#[derive(Debug)]
struct PythonPageWriter(Arc<Py<PyAny>>);

impl PageWriter for PythonPageWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let (writer, batch) = (Arc::clone(&self.0), for_other_libraries(batch)?);
        ask(move |py| {
            writer.bind(py).call_method1("write_batch", (Py::new(py, Batch(batch))?,))?;
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<u64> {
        let writer = Arc::clone(&self.0);
        ask(move |py| writer.bind(py).call_method0("finish")?.extract())
    }

    fn abandon(&mut self) {
        let writer = Arc::clone(&self.0);
        ask_to_clean_up(move |py| writer.bind(py).call_method0("abandon").map(drop));
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
pub struct PythonBatches {
    schema: SchemaRef,
    /// `None` after an error.
    source: Option<RowSource>,
    keeps_errors: bool,
}

impl PythonBatches {
    pub fn of(source: RowSource) -> Self {
        Self { schema: source.schema(), source: Some(source), keeps_errors: false }
    }
}

impl PageBatches for PythonBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(mut source) = self.source.take() else {
            return Err(Error::internal("a reader of Python is read after an error"));
        };
        let (source, batch) = asked(self.keeps_errors, move |py| {
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
