//! What does one worker need to read its part of a plan?
//!
//! Invariant: no table metadata and no manifest is read where it arrives.

use floeberg_iceberg::GroupRecipe;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow::{ArrowSchema, Batches};
use crate::pickle::Envelope;
use crate::runtime;
use crate::scan::engine_schema::{EngineSchema, arrow_schema};
use crate::scan::rows;
use crate::scan::stream::BatchReader;
use crate::scan::task::{TaskParts, describe_task};

const GROUP: Envelope = Envelope { kind: "TaskGroup", version: 1 };

/// Tasks of a scan with all that reading them needs.
#[pyclass(frozen, module = "floeberg._native")]
pub struct TaskGroup(pub GroupRecipe);

#[pymethods]
impl TaskGroup {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// A task by its number.
    fn task<'py>(&self, py: Python<'py>, number: usize) -> PyResult<TaskParts<'py>> {
        let (task, spec) = runtime::call(py, || {
            let task = self.0.task(number)?;
            let spec = self.0.read().spec(task.spec_id)?;
            Ok((task, spec))
        })?;
        describe_task(py, &task, spec)
    }

    /// Bytes of the data files, and rows, that the tasks read at most.
    fn extent(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        runtime::call(py, || self.0.extent()).map(|extent| (extent.bytes, extent.records))
    }

    /// All rows.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        rows::read_all(py, &self.0)
    }

    /// The rows, batch by batch, in an engine, read by at most this many threads.
    #[pyo3(signature = (engine=None, threads=None))]
    fn stream(&self, py: Python<'_>, engine: Option<&str>, threads: Option<usize>) -> PyResult<BatchReader> {
        let engine = runtime::call(py, || EngineSchema::named(engine, self.0.read().projected()))?;
        let group = self.0.clone();
        BatchReader::open(py, engine, move |cancel| group.stream(cancel, threads))
    }

    /// The Arrow schema of the rows in a engine: `pyarrow.schema` takes it.
    #[pyo3(signature = (engine=None))]
    fn arrow_schema(&self, py: Python<'_>, engine: Option<&str>) -> PyResult<ArrowSchema> {
        arrow_schema(py, self.0.read().projected(), engine)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        rows::output_capsule(py, &self.0)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        rows::rows_capsule(py, &self.0)
    }

    /// The bytes without storage options, which may be stored.
    fn without_storage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = runtime::call(py, || Ok(GROUP.wrap(&self.0.to_bytes_without_storage()?)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads such bytes back, with the storage options of this group.
    fn beside(&self, py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || self.0.beside(GROUP.open(recipe)?)).map(Self)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (_, rows) = self.extent(py)?;
        Ok(format!("TaskGroup({} tasks, about {rows} rows)", self.0.len()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, group) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(GROUP.wrap(&group.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || GroupRecipe::from_bytes(GROUP.open(recipe)?)).map(Self)
    }
}
