//! How does Python write rows to files of a table?
//!
//! In: rows, as a stream of Arrow batches. Out: a receipt of the files that hold them.
//!
//! Invariant: rows are taken from Python on the calling thread, and written by other threads, which never need Python. A
//! write that fails leaves no file.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_iceberg::write::{Matching, WriteProgress, WriteRecipe as IcebergRecipe, WriteTask, Writer};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::ArrowSchema;
use crate::incoming::{RowSource, Unchecked, import_schema};
use crate::pickle::Envelope;
use crate::runtime::{self, Fed};
use crate::table::table::Table;
use crate::write::conformed::conformed;
use crate::write::receipt::Receipt;

const RECIPE: Envelope = Envelope { kind: "WriteRecipe", version: 1 };

/// How rows of one write become files of a table.
#[pyclass(frozen, module = "floeberg._native")]
pub struct WriteRecipe(pub IcebergRecipe);

#[pymethods]
impl WriteRecipe {
    /// Of a table, with its current schema, default spec and default sort order.
    #[staticmethod]
    #[pyo3(signature = (table, *, options, write_id))]
    fn of(
        py: Python<'_>,
        table: &Table,
        options: BTreeMap<String, String>,
        write_id: String,
    ) -> PyResult<Self> {
        let (metadata, storage) = (table.table.metadata(), &table.table.options().storage);
        runtime::call(py, || IcebergRecipe::new(metadata, storage, &options, &write_id)).map(Self)
    }

    /// The same for rows that were in the table before, with their row ids and last updates.
    fn with_lineage(&self, py: Python<'_>) -> PyResult<Self> {
        let recipe = self.0.clone();
        runtime::call(py, || recipe.with_lineage()).map(Self)
    }

    /// The same for files that end at about this many bytes.
    fn with_file_size(&self, py: Python<'_>, size: u64) -> PyResult<Self> {
        let recipe = self.0.clone();
        runtime::call(py, || recipe.with_file_size(size)).map(Self)
    }

    /// Are rows sorted by columns?
    #[getter]
    fn is_sorted(&self, py: Python<'_>) -> PyResult<bool> {
        runtime::call(py, || self.0.sort_columns()).map(|columns| columns.is_some())
    }

    /// The id in the names of the files of this write.
    #[getter]
    fn write_id(&self) -> &str {
        self.0.write_id()
    }

    /// Writes the rows of a `pyarrow.RecordBatchReader`. `progress` is called now and then, and at the end, with the files that are
    /// done and the rows so far.
    #[pyo3(signature = (reader, *, task, partition, progress=None))]
    fn write(
        &self,
        py: Python<'_>,
        reader: &Bound<'_, PyAny>,
        task: String,
        partition: u32,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Receipt> {
        let mut source = RowSource::open(reader)?;
        let schema = source.schema();
        let recipe = self.0.clone();
        let written = Arc::new(WriteProgress::default());
        let report = |py: Python<'_>| {
            let Some(callback) = &progress else { return Ok(()) };
            callback.call1(py, (written.files(), written.rows())).map(drop)
        };
        let counting = Arc::clone(&written);
        let write = move |cancel: &Cancel, batches: Fed<Unchecked>| {
            let task = WriteTask { partition, name: &task };
            let matching = Matching::new(recipe.schema(), &schema)?;
            let mut writer = Writer::new(&recipe, recipe.store()?, task, cancel)?.report_to(&counting);
            conformed(batches, &matching, |rows| writer.write(&rows))?;
            writer.finish()
        };
        let undo = |written| self.0.remove(&written);
        runtime::feed_reported(py, &Cancel::default(), &report, |py| source.next(py), write, undo)
            .map(Receipt)
    }

    /// The Arrow schema that rows of the table have.
    fn arrow_schema(&self, py: Python<'_>) -> PyResult<ArrowSchema> {
        runtime::call(py, || Ok(ArrowSchema(Arc::new(schema_to_arrow(self.0.schema())?))))
    }

    /// Do rows of a `pyarrow.Schema` fit the table? Raises one error that lists what does not.
    fn schema_fits(&self, py: Python<'_>, schema: &Bound<'_, PyAny>) -> PyResult<()> {
        let schema = import_schema(py, schema)?;
        runtime::call(py, || Matching::new(self.0.schema(), &schema).map(drop))
    }

    /// Removes the files of a receipt that no table has.
    fn remove(&self, py: Python<'_>, receipt: &Receipt) -> PyResult<()> {
        let (recipe, receipt) = (self.0.clone(), receipt.0.clone());
        runtime::run(py, &Cancel::default(), move |_| recipe.remove(&receipt))
    }

    fn __repr__(&self) -> String {
        format!("WriteRecipe(write_id={:?})", self.0.write_id())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, recipe) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(RECIPE.wrap(&recipe.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergRecipe::from_bytes(RECIPE.open(recipe)?)).map(Self)
    }
}
